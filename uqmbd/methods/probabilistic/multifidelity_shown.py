"""Groups and table of studies with models of several fidelities."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.groups import GroupSpec

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
