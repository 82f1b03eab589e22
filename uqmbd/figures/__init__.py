"""Figures of a result: what they show is said once, and drawn by matplotlib here and by plotly in the report."""

from collections.abc import Callable, Iterable

from uqmbd.figures.basins import basins_figures
from uqmbd.figures.designs import design_figures
from uqmbd.figures.diagrams import diagram_figures
from uqmbd.figures.fields import field_figures
from uqmbd.figures.histories import history_figure, history_figures
from uqmbd.figures.key import ANSWER, key_figure
from uqmbd.figures.marks import Figure
from uqmbd.figures.overviews import distribution_overview, sensitivity_overview, validation_overview
from uqmbd.figures.phase_maps import region_figures
from uqmbd.figures.plugin_sections import plugin_sections
from uqmbd.figures.prefixes import in_fitting_units
from uqmbd.figures.relations import convergence_figures, scatter_figures
from uqmbd.figures.scalars import scalar_figure, scalar_figures
from uqmbd.figures.sensitivities import sensitivity_figures
from uqmbd.figures.thinning import thinned
from uqmbd.figures.tolerances import tolerances_figures
from uqmbd.figures.validation import validation_figures
from uqmbd.figures.worst import worst_figures
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.scaling import scale_of

__all__ = ["history_figure", "growing_figures", "history_figures", "output_names", "plot", "scalar_figure", "sections"]


def sections(result: ResultData) -> dict[str, list[Figure]]:
    """Title of each section and its figures, of very many outputs those of the chosen ones; sections without figures are left out.

    The first is that of the figure with the answer, unless it is one of another section (`uqmbd.figures.key`).
    """
    histories, scalars = (chosen(result, names) for names in output_names(result))
    every: dict[str, Iterable[Figure]] = {
        "Bifurcation diagrams": diagram_figures(result, histories + scalars),
        "Basins of attraction": basins_figures(result),
        "Tolerances": tolerances_figures(result),
        "Design": design_figures(result),
        "Histories": history_figures(result, histories),
        "Where bounds were reached": worst_figures(result, histories),
        "Regions": region_figures(result),
        **plugin_sections(result),
        "Fields": field_figures(result),
        "Distributions": distribution_overview(result, scalars) + [figure for name in scalars for figure in scalar_figures(result, name)],
        "Sensitivities": sensitivity_overview(result, scalars) + sensitivity_figures(result, histories + scalars),
        "Relations": scatter_figures(result, output_names(result)[1]),
        "Validation": validation_overview(result, histories + scalars) + validation_figures(result, histories + scalars),
        "Convergence": convergence_figures(result, histories + scalars),
    }
    fitting = fitted(result, histories + scalars)
    drawn = {title: [fitting(figure) for figure in figures] for title, figures in every.items()}
    keys = {figure.key for figures in drawn.values() for figure in figures}
    key = key_figure(result)
    answer = {ANSWER: [fitting(key)]} if key is not None and key.key not in keys and key.panels[0].marks else {}
    return answer | {title: figures for title, figures in drawn.items() if figures}


def fitted(result: ResultData, names: list[str]) -> Callable[[Figure], Figure]:
    """What thins the long curves of a figure, and says the numbers of these outputs in the units of the tables."""
    inputs, scales = list(result.facts.inputs), {name: scale_of(result, name) for name in names}
    return lambda figure: in_fitting_units(thinned(figure), result.outputs, inputs, scales)


def growing_figures(result: ResultData, name: str) -> list[Figure]:
    """How the answer comes about with the runs: of one output its convergence, and what the method has beside it."""
    own = [figure for figures in plugin_sections(result).values() for figure in figures if figure.growing]
    decided = [figure for figure in (*tolerances_figures(result), *design_figures(result)) if figure.growing]
    return own + decided + convergence_figures(result, [name])


def plot(result: ResultData, name: str, ax=None):
    """Matplotlib figure of one output, see `Result.plot`."""
    from uqmbd.figures.matplotlib_view import draw, draw_into  # half a second to import

    figure = first_figure(result, name)
    return draw(figure) if ax is None else draw_into(ax, figure)


def first_figure(result: ResultData, name: str) -> Figure:
    """What one output is drawn as where there is one figure of it: its diagram, over time, or its distribution."""
    if diagrams := diagram_figures(result, [name]):
        return diagrams[0]
    if name in output_names(result)[0]:
        figures = list(history_figures(result, [name])) or sensitivity_figures(result, [name])
    else:
        figures = scalar_figures(result, name) + sensitivity_figures(result, [name]) or [scalar_figure(result, name)]
    return figures[0]
