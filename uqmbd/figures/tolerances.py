"""Tolerances that were chosen, as shares of the largest, and what each costs."""

import numpy as np

from uqmbd.figures.marks import Figure, Panel, Rows
from uqmbd.method_facts import Allocated
from uqmbd.result_data import ResultData

KEY = "tolerances"


def tolerances_figures(result: ResultData) -> list[Figure]:
    """One figure for each allocation; none of other methods."""
    return [_chosen(result.facts_of(Allocated))] if result.facts_of(Allocated) else []


def _chosen(found: Allocated) -> Figure:
    """How much of its largest tolerance each input may use, and its cost."""
    names = tuple(found.tolerance)
    share = np.array([100 * found.tolerance[name] / found.tolerance_largest[name] for name in names])
    cost = np.array([found.tolerance_cost.get(name, np.nan) for name in names])
    panels = (
        Panel("share of the largest tolerance [%]", "", (Rows(share, "tolerance", 0),), names=names),
        Panel("cost", "", (Rows(cost, "cost", 1),), names=names),
    )
    title = "The cheapest tolerances" if found.feasible else "The smallest tolerances, with which not all limits are met"
    return Figure(KEY, title, panels, ("Above: how much of its largest tolerance each input may use. Below: what that costs.",))
