"""All figures of a result, by the section of the report they stand in."""

from collections.abc import Iterable

from uqmbd.figures.fields import field_figures
from uqmbd.figures.histories import each_history_figure
from uqmbd.figures.key import ANSWER, key_figure
from uqmbd.figures.marks import Figure
from uqmbd.figures.overviews import distribution_overview, sensitivity_overview, validation_overview
from uqmbd.figures.phase_maps import region_figures
from uqmbd.figures.plugin_sections import plugin_sections
from uqmbd.figures.prefixes import in_fitting_units
from uqmbd.figures.relations import convergence_figures, scatter_figures
from uqmbd.figures.scalars import scalar_figures
from uqmbd.figures.sensitivities import sensitivity_figures
from uqmbd.figures.thinning import thinned
from uqmbd.figures.validation import validation_figures
from uqmbd.figures.worst import worst_figures
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.scaling import scale_of


def sections(result: ResultData) -> dict[str, list[Figure]]:
    """Title of each section and its figures, of very many outputs those of the chosen ones; sections without figures are left out.

    The first is that of the figure with the answer, unless it is one of another section (`uqmbd.figures.key`).
    """
    histories, scalars = (chosen(result, names) for names in output_names(result))
    every: dict[str, Iterable[Figure]] = {
        "Histories": each_history_figure(result, histories),
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
    inputs = list(result.facts.inputs)
    scales = {name: scale_of(result, name) for name in histories + scalars}

    def fitting(figure: Figure) -> Figure:
        return in_fitting_units(thinned(figure), result.outputs, inputs, scales)

    found = {title: [fitting(figure) for figure in figures] for title, figures in every.items()}
    known = {figure.key for figures in found.values() for figure in figures}
    key = key_figure(result)
    answer = {ANSWER: [fitting(key)]} if key is not None and key.key not in known and key.panels[0].marks else {}
    return answer | {title: figures for title, figures in found.items() if figures}
