"""Figures of a result: what they show is said once, and drawn by matplotlib here and by plotly in the report."""

from uqmbd.figures.build import history_figure, history_figures, orbit_figures, output_names, scalar_figure

__all__ = ["history_figure", "history_figures", "orbit_figures", "output_names", "plot", "scalar_figure"]


def plot(result, name: str):
    """Matplotlib figure of one output: over time, or its distribution over the runs.

    Parameters
    ----------
    result : uqmbd.result.Result
    name : str
        An output of it.
    """
    from uqmbd.figures.matplotlib_view import draw  # half a second to import

    histories, _ = output_names(result)
    return draw(history_figures(result, [name])[0] if name in histories else scalar_figure(result, name))
