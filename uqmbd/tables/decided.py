"""What was decided: tolerances or a design, in the units in which the inputs were written, and what there is of each limit."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

from uqmbd.decision_facts import Allocated, Designed, LimitMet
from uqmbd.method_facts import Compromises
from uqmbd.result_data import ResultData
from uqmbd.tables.frame import Frame, unit_of_output
from uqmbd.tables.scaling import input_unit


def decided(result: ResultData) -> Iterator[Frame]:
    """All tables of a decision; none of other results."""
    yield from allocated(result)
    yield from designed(result)


def allocated(result: ResultData) -> Iterator[Frame]:
    """Tolerances in the units in which the inputs were written, with their costs; and the limits, with what there is of each."""
    import pandas as pd

    found = result.facts_of(Allocated)
    if not found:
        return
    units = {name: input_unit(result, name) for name in found.tolerance}
    columns: dict[str, Any] = {"unit": [unit.unit or "" for unit in units.values()]}
    columns["nominal"] = [float(unit.of(found.nominal[name])) for name, unit in units.items()]
    for word, values in (("tolerance", found.tolerance), ("smallest", found.tolerance_least), ("largest", found.tolerance_largest)):
        columns[word] = [values[name] / abs(unit.factor) for name, unit in units.items()]
    columns["cost"] = [found.tolerance_cost[name] for name in units]
    caption = "The cheapest tolerances" if found.feasible else "The smallest tolerances, with which not all limits are met"
    yield Frame("tolerances", caption, pd.DataFrame(columns, index=pd.Index(list(units), name="input")))
    yield from limits_met(result, found.limits)
    if "front" not in result.specs or not (front := result["front"]).data_vars:
        return
    name = Compromises.of(front.attrs).output
    unit, numbers = unit_of_output(result, name), {key: front[key].values for key in ("cost", "width", "width_runs")}
    given = {key: input_unit(result, key) for key in map(str, front["input"].values)}
    shares = {key: front["tolerance"].sel(input=key).values / abs(one.factor) for key, one in given.items()}
    table = pd.DataFrame({**numbers, **shares}, pd.Index(front["compromise"].values, name="compromise"))
    said = {"width": unit, "width_runs": unit, **{key: one.unit or "" for key, one in given.items()}}
    yield Frame("front", f"Cost against the width of {name}, and the tolerances", table, said)


def chance_of(limit: LimitMet) -> float:
    """The probability at the reliability index of a system."""
    return NormalDist().cdf(-limit.surrogate)


def minimised_said(found: Designed) -> str:
    """What a design makes least, in words."""
    return found.minimised if found.measure == "nominal" else f"{found.measure} of {found.minimised}"


def designed(result: ResultData) -> Iterator[Frame]:
    """The design, and the limits with what there is of each."""
    import pandas as pd

    found = result.facts_of(Designed)
    if not found:
        return
    units = {name: input_unit(result, name) for name in found.design}
    columns = {
        "unit": [one.unit or "" for one in units.values()],
        "nominal": [float(one.of(found.design[name])) for name, one in units.items()],
    }
    columns["at the end of its range"] = [name in found.design_at_end for name in units]
    yield Frame(
        "design", f"The design with the least {minimised_said(found)}", pd.DataFrame(columns, index=pd.Index(list(units), name="input"))
    )
    yield from limits_met(result, found.limits)


def limits_met(result: ResultData, limits: list[LimitMet]) -> Iterator[Frame]:
    """Limits of values, and limits on probabilities and on systems with the 95 % limits of these."""
    import pandas as pd

    by, where = ("by surrogate", "within the tolerances") if result.facts_of(Allocated) else ("by search", "at the design")
    known = any(one.lower is not None for one in limits if one.what not in ("probability", "system"))
    rows: dict[str, list[dict[str, Any]]] = {"limits": [], "chances": [], "systems": []}
    for one in limits:
        key = {"probability": "chances", "system": "systems"}.get(one.what, "limits")
        unit, ends = unit_of_output(result, one.output), {"95 % lower": one.lower, "95 % upper": one.higher}
        value = {by: chance_of(one) if key == "systems" else one.surrogate}
        if key == "chances" and by == "by search":  # which tells of it by the output at the worst point alone
            value = {"at the worst point": one.surrogate, "in": unit}
        before = {"output": one.output, "asked": one.text} | ({"unit": unit} if key == "limits" else {})
        rows[key].append({**before, **(ends if known or key != "limits" else {}), **value, "in runs": one.runs, "met": one.met})
    named = {"limits": "Limits", "chances": "Limits on probabilities", "systems": "Limits on systems"}
    for key, some in rows.items():
        if some:
            table = pd.DataFrame(some).set_index("asked" if key == "systems" else "output")
            yield Frame(key, f"{named[key]}, and what there is {where}", table.drop(columns="output", errors="ignore"))
