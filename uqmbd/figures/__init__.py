"""Figures of a result: what they show is said once, and drawn by matplotlib here and by plotly in the report."""

from uqmbd.figures.build import sections
from uqmbd.figures.fields import field_figures
from uqmbd.figures.histories import history_figure, history_figures
from uqmbd.figures.outputs import output_names
from uqmbd.figures.relations import convergence_figures, scatter_figures
from uqmbd.figures.scalars import scalar_figure, scalar_figures
from uqmbd.figures.sensitivities import sensitivity_figures
from uqmbd.figures.validation import validation_figures

__all__ = [
    "convergence_figures",
    "field_figures",
    "history_figure",
    "history_figures",
    "output_names",
    "plot",
    "scalar_figure",
    "scalar_figures",
    "scatter_figures",
    "sections",
    "sensitivity_figures",
    "validation_figures",
]


def plot(result, name: str, ax=None):
    """Matplotlib figure of one output: over time, or its distribution (membership, distribution function, or runs).

    Parameters
    ----------
    result : uqmbd.result.Result
    name : str
        An output of it.
    ax : matplotlib.axes.Axes, optional
        Where to draw its first panel, instead of a figure of its own.
    """
    from uqmbd.figures.matplotlib_view import draw, draw_into  # half a second to import

    histories, _ = output_names(result)
    if name in histories:
        found = (history_figures(result, [name]) or sensitivity_figures(result, [name]))[0]
    else:
        figures = scalar_figures(result, name) + sensitivity_figures(result, [name])
        found = figures[0] if figures else scalar_figure(result, name)
    return draw(found) if ax is None else draw_into(found, ax)
