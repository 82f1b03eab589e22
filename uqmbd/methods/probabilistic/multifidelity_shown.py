"""Groups, table and figure of studies with models of several fidelities."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.groups import GroupSpec
from uqmbd.method_facts import ReportFacts

CORRELATION = GroupSpec(
    "correlation",
    ("fidelity",),
    "correlation of each cheaper model with the one whose mean is asked for",
    unit="1",
    caption="Correlation of cheaper models of {} with the first one",
)


def fidelity_table(result: Any) -> Any:
    """Runs of each model, what one costs, and what share of all costs they have."""
    import pandas as pd

    from uqmbd.tables.frames import Frame

    attrs = result.attrs
    runs, cost = np.array(attrs["fidelity_runs"]), np.array(attrs["fidelity_cost"], float)
    index = pd.Index(attrs["fidelities"], name=attrs["fidelity_control"])
    table = pd.DataFrame({"runs": runs, "cost of a run": cost, "share of the cost": runs * cost / (runs * cost).sum()}, index=index)
    given = result.facts.settings.get("costs") is not None
    return Frame("runs_by_fidelity", f"Runs of each model, and what one costs ({'as given' if given else 'in s, as measured'})", table)


def removed(runs: np.ndarray, squared: np.ndarray) -> np.ndarray:
    """Share of the variance of the first model's mean that each cheaper one takes away, (models - 1,): (n0/n_before - n0/n) rho².

    Parameters
    ----------
    runs : ndarray, shape (models,)
        Of each model, the first one first; of those with more than it samples are nested (Peherstorfer and others 2016, lemma 3.3).
    squared : ndarray, shape (models - 1,)
        Squared correlations with the first model.
    """
    found, before = np.zeros(len(squared)), float(runs[0])
    for k in np.argsort(runs[1:], kind="stable"):
        if runs[k + 1] > runs[0]:
            found[k] = (runs[0] / before - runs[0] / runs[k + 1]) * squared[k]
            before = float(runs[k + 1])
    return found


def fidelity_figure(result: Any) -> Any:
    """How far each model goes along with the first one, what it takes off the variance, and its shares of runs and costs."""
    from uqmbd.figures.marks import Figure, Panel, Rows

    key = result.facts_of(ReportFacts).key
    name = key if key in result["correlation"] else result.outputs[0]
    attrs, squared = result.attrs, result["correlation"][name].values ** 2
    squared = squared.reshape(len(squared), -1).mean(axis=1)
    runs, cost = np.array(attrs["fidelity_runs"], float), np.array(attrs["fidelity_cost"], float)
    names = tuple(f"{attrs['fidelity_control']} {value:g}" for value in attrs["fidelities"])
    alike = Rows(100 * squared, "squared correlation with the first model", 0)
    less = Rows(100 * removed(runs, squared), "variance of the mean that it takes away", 1)
    of_runs, of_cost = Rows(100 * runs / runs.sum(), "runs", 2), Rows(100 * runs * cost / (runs * cost).sum(), "costs", 3)
    panels = (
        Panel("share [%]", "", (alike, less), names=names[1:], height=0.7),
        Panel("share [%]", "", (of_runs, of_cost), names=names),
    )
    return Figure("fidelities", f"What each model does for the mean of {name}", panels)
