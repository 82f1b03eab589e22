"""Tolerances that were chosen, as shares of the largest, what each costs, the front, and how limits were tightened."""

import numpy as np

from uqmbd.decision_facts import Allocated
from uqmbd.figures.marks import Curve, Figure, Panel, Points, Rows
from uqmbd.method_facts import Compromises
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import in_unit

KEY = "tolerances"
MOST = 12  # limits that are drawn


def tolerances_figures(result: ResultData) -> list[Figure]:
    """The tolerances, and the front if there is one; none of other methods."""
    found = result.facts_of(Allocated)
    return [*_chosen(found), *_front(result, found), *_course(result)] if found else []


def _course(result: ResultData) -> list[Figure]:
    """What the tolerances of each round cost, and how far runs within them were from the limits; nothing of a single round."""
    if "rounds" not in result.specs or not (group := result["rounds"]).data_vars or group.sizes["round"] < 2:
        return []
    numbers, cost = group["round"].values.astype(float), group["cost"].values
    nameless = ("",) * len(numbers)
    marks = Curve(numbers, cost, "cheapest tolerances", "outer"), Points(numbers, cost, nameless, nameless, "round", 1, small=True)
    panels = [Panel("round", "cost", marks, height=1.6, counted=True)]
    caption = ["In each round the cheapest tolerances are chosen, and runs within them tighten the limits that they pass."]
    left = -group["passed"].values
    told = np.flatnonzero(np.isfinite(left).any(axis=0))
    if len(told):
        size = np.nanmax(np.abs(left[:, told]), axis=0)
        shares, names = 100 * left[:, told] / np.where(size > 0, size, 1.0), group["limit"].values[told]
        lines = [Curve(numbers, share, str(name), k) for k, (name, share) in enumerate(zip(names, shares.T, strict=True))][:MOST]
        panels.append(
            Panel("round", "left to the limit [%]", (*lines, Curve(numbers, 0 * numbers, "limit", "limit")), height=1.6, counted=True)
        )
        caption.append("What runs leave to a limit is in per cent of the most in any round; below 0 they pass it.")
    return [Figure(f"{KEY}.rounds", "How limits were tightened", tuple(panels), tuple(caption), growing=True)]


def _front(result: ResultData, found: Allocated) -> list[Figure]:
    """What less width costs, and which tolerances it takes."""
    if "front" not in result.specs or not result["front"].data_vars:
        return []
    group = result["front"]
    name = Compromises.of(group.attrs).output
    width, label = group["width"].values, f"width of {name}{in_unit(result, name)}"
    nameless, runs = ("",) * len(width), group["width_runs"].values
    cost = (
        Curve(width, group["cost"].values, "cheapest tolerances", "outer"),
        Points(runs, group["cost"].values, nameless, nameless, "width that runs at the ends have", 1, small=True),
    )
    names = [key for key in map(str, group["input"].values) if key in found.tolerance]
    shares = [100 * group["tolerance"].sel(input=key).values / found.tolerance_largest[key] for key in names]
    curves = tuple(Curve(width, share, key, k) for k, (key, share) in enumerate(zip(names, shares, strict=True)))
    panels = (Panel(label, "cost", cost, height=2.0), Panel(label, "share of the largest [%]", curves, height=2.0))
    caption = ("Each point is the cheapest for its width; to its left and below there is none.", "Below: the tolerances that it takes.")
    return [Figure(f"{KEY}.front", f"Cost against the width of {name}", panels, caption)]


def _chosen(found: Allocated) -> list[Figure]:
    """How much of its largest tolerance each input may use, and its cost: two figures, whose numbers have no axis in common."""
    names = tuple(found.tolerance)
    share = np.array([100 * found.tolerance[name] / found.tolerance_largest[name] for name in names])
    cost = np.array([found.tolerance_cost.get(name, np.nan) for name in names])
    title = "The cheapest tolerances" if found.feasible else "The smallest tolerances, with which not all limits are met"
    shares = Panel("share of the largest tolerance [%]", "", (Rows(share, "tolerance", 0),), names=names)
    costs = Panel("cost", "", (Rows(cost, "cost", 1),), names=names)
    return [
        Figure(KEY, title, (shares,), ("How much of its largest tolerance each input may use.",)),
        Figure(f"{KEY}.cost", "What each tolerance costs", (costs,)),
    ]
