"""Figures of a result: what they show is said once, and drawn by matplotlib here and by plotly in the report."""

from uqmbd.figures.build import sections
from uqmbd.figures.fields import field_figures
from uqmbd.figures.histories import history_figure, history_figures
from uqmbd.figures.marks import Figure
from uqmbd.figures.relations import convergence_figures, scatter_figures
from uqmbd.figures.scalars import scalar_figure, scalar_figures
from uqmbd.figures.sensitivities import sensitivity_figures
from uqmbd.figures.validation import validation_figures
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names

__all__ = [
    "chosen",
    "convergence_figures",
    "field_figures",
    "first_figure",
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


def plot(result: ResultData, name: str, ax=None):
    """Matplotlib figure of one output: over time, or its distribution (membership, distribution function, or runs).

    Parameters
    ----------
    result : uqmbd.result.Result
    name : str
        An output of it.
    ax : matplotlib.axes.Axes, optional
        Where it is drawn, without its smaller panels; else a figure of its own is made.
    """
    from uqmbd.figures.matplotlib_view import draw, draw_into  # half a second to import

    figure = first_figure(result, name)
    return draw(figure) if ax is None else draw_into(ax, figure)


def first_figure(result: ResultData, name: str) -> Figure:
    """What one output is drawn as where there is one figure of it: over time, or its distribution."""
    if name in output_names(result)[0]:
        figures = history_figures(result, [name]) or sensitivity_figures(result, [name])
    else:
        figures = scalar_figures(result, name) + sensitivity_figures(result, [name]) or [scalar_figure(result, name)]
    return figures[0]
