"""What the report shows of a posterior: each input before and after, its draws against each other, and where the walkers were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from uqmbd.figures.marks import Figure

DRAWS = 600  # of the scatter matrix
TITLE = "Posterior"


def posterior_figures(result: Any) -> dict[str, list[Figure]]:
    """Each input before and after, the draws against each other, and the course of the ensembles."""
    from uqmbd.figures.posteriors import marginals

    return {TITLE: [*marginals(result), corner(result), traces(result), *judgements(result)]}


def corner(result: Any) -> Figure:
    """Draws of each input against each other, with their distributions on the diagonal."""
    from uqmbd.figures.marks import Figure
    from uqmbd.figures.posteriors import VARIABLES, inputs_of
    from uqmbd.figures.relations import each_against_each
    from uqmbd.tables.scaling import input_unit, with_unit

    names = inputs_of(result)[:VARIABLES]
    group, units = result["posterior"], [input_unit(result, name) for name in names]
    at = np.unique(np.linspace(0, group.sizes["draw"] - 1, DRAWS).astype(int))
    values = np.array([unit.of(group[f"input:{name}"].values[at]) for name, unit in zip(names, units, strict=True)])
    panel = each_against_each(values, "draws", tuple(map(with_unit, names, units)))
    caption = f"{len(at)} of {group.sizes['draw']} draws from the posterior, in the units in which the inputs were written."
    return Figure("posterior", "Inputs after the measurements", (panel,), (caption,))


def traces(result: Any) -> Figure:
    """Mean and 90 % of the walkers of each ensemble at each step; those that agree lie on each other."""
    from uqmbd.figures.marks import Band, Curve, Figure, Level, Panel
    from uqmbd.figures.posteriors import VARIABLES, inputs_of
    from uqmbd.tables.scaling import input_unit, with_unit

    chains, panels = result["chains"], []
    step, first = chains["step"].values.astype(float) + 1.0, float(chains.attrs["kept_from"]) + 1.0
    for name in inputs_of(result)[:VARIABLES]:
        unit, marks = input_unit(result, name), []
        for k in np.unique(chains["ensemble"].values):
            x = np.asarray(unit.of(chains[f"input:{name}"].values[:, chains["ensemble"].values == k]))
            low, high = np.quantile(x, [0.05, 0.95], axis=1)
            marks += [
                Band(step, low, high, f"ensemble {k + 1}, 5 % to 95 %", int(k)),
                Curve(step, x.mean(axis=1), f"its mean ({k + 1})", int(k)),
            ]
        marks.append(Level(first, "draws begin", "limit"))
        panels.append(Panel("step", with_unit(name, unit), tuple(marks), height=1.6))
    caption = "Steps before the dotted line are left out. Ensembles that have converged lie on each other, and neither drifts."
    return Figure("chains", "Where the walkers were", tuple(panels), (caption,), growing=True)


def judgements(result: Any) -> list[Figure]:
    """R-hat and effective size of the input that has the worst, at each look, and what was asked for; nothing before the first look."""
    from uqmbd.figures.marks import Curve, Figure, Panel, Points

    said = result["chains"].attrs
    if not len(np.atleast_1d(said.get("looks", ()))):
        return []
    step, panels = np.atleast_1d(said["looks"]).astype(float), []
    words = (("rhat", "largest R-hat"), ("effective", "least effective size"))
    for key, label in words:
        values = np.atleast_1d(said[key]).astype(float)
        goal = Curve(step, np.full(len(step), float(said[f"{key}_wanted"])), "asked for", "limit")
        none = ("",) * len(step)
        marks = Curve(step, values, "worst input", 0), Points(step, values, none, none, "looks", 0, small=True, on_curves=True), goal
        panels.append(Panel("step", label, marks))
    caption = "R-hat is to be below the dotted line, the effective size (independent draws that the chains are worth) above it."
    return [Figure("chains.judged", "How far the chains can be believed", tuple(panels), (caption,), growing=True)]
