"""What an allocation of tolerances found, as sentences and as tables."""

from itertools import islice

import numpy as np

from uqmbd.decision_facts import Allocated, LimitMet
from uqmbd.report.judged import Judged
from uqmbd.report.pages import sentence
from uqmbd.report.words import listed
from uqmbd.result_data import ResultData
from uqmbd.tables.decided import decided
from uqmbd.tables.numbers import brief, number
from uqmbd.tables.outputs import pretty
from uqmbd.tables.scaling import input_unit
from uqmbd.tables.text import Table, table_of

NAMED = 6  # tolerances that a sentence has
STACKS = {"worst_case": "in the worst case", "root_of_squares": "by the root of squares"}


def tolerances_question(result: ResultData) -> str:
    """What was asked."""
    found = result.facts_of(Allocated)
    if not found.limits:
        return f"What do tolerances of {listed(list(found.tolerance))} cost that leave less width?"
    return f"Which tolerances of {listed(list(found.tolerance))} cost least and meet {_limits_said(found.limits)}?"


def tolerances_answer(result: ResultData) -> list[str]:
    """Two short sentences."""
    found = result.facts_of(Allocated)
    if not found.feasible:
        return [sentence(found.least_violated)]
    words = [f"{name} ± {_tolerance(result, found, name)}" for name in islice(found.tolerance, NAMED)]
    meeting = f" that meet {_limits_said(found.limits)}" if found.limits else ""
    more = f" and {len(found.tolerance) - NAMED} more" if len(found.tolerance) > NAMED else ""
    said = [f"The cheapest tolerances{meeting} are {listed(words)}{more}; they cost {brief(found.total_cost)}."]
    widest = [name for name, t in found.tolerance.items() if t >= (1 - 1e-6) * found.tolerance_largest[name]]
    if widest:
        said.append(f"{listed(widest)} may have all of the largest tolerance.")
    return said


def tolerances_judged(result: ResultData) -> Judged:
    """Whether fresh runs met the limits."""
    found = result.facts_of(Allocated)
    if not found.feasible:
        return Judged("no", "no tolerances were found that meet all limits")
    if found.verified:
        return Judged(
            "yes", f"{found.runs_verifying} fresh runs within the tolerances, among them the worst by the surrogate, met all limits"
        )
    return Judged("no", "runs within the tolerances do not meet all limits, or failed")


def tolerances_said(result: ResultData) -> list[str]:
    """The answer with what each limit has, with more digits; none of other methods."""
    found = result.facts_of(Allocated)
    if not found:
        return []
    said = [] if found.feasible else [sentence(found.least_violated)]
    if found.feasible:
        words = [f"{name} ± {_tolerance(result, found, name, 5)}" for name in islice(found.tolerance, NAMED)]
        said = [f"Least cost, {number(found.total_cost)}, is at {listed(words)}, {STACKS.get(found.stack, found.stack)}."]
    for limit in found.limits:
        reached = limit.surrogate if limit.runs is None else limit.runs
        if limit.what == "probability":
            said.append(f"{limit.output} {limit.text}: {_probability(limit)}.")
            continue
        width = "a width of " if limit.what == "width" else ""
        said.append(f"{limit.output} {limit.text}: {width}{_value(limit.output, reached, result)}.")
    return said


def _probability(limit: LimitMet) -> str:
    """The estimate with its limits, and how many runs say otherwise."""
    ends = "" if limit.lower is None or limit.higher is None else f" (95 % limits {number(limit.lower, 3)} and {number(limit.higher, 3)})"
    runs = "" if limit.runs is None else f"; of the scattered runs {brief(100 * limit.runs)} % are beyond"
    return f"{number(limit.surrogate, 3)} by the surrogate{ends}{runs}"


def _limits_said(limits: list[LimitMet]) -> str:
    return listed([f"{limit.output} {limit.text}" for limit in limits]) if len(limits) <= 2 else f"{len(limits)} limits"


def _tolerance(result: ResultData, found: Allocated, name: str, digits: int = 3) -> str:
    """A tolerance in the unit in which its input was written."""
    unit = input_unit(result, name)
    return f"{found.tolerance[name] / abs(unit.factor):.{digits}g} {pretty(unit.unit)}".rstrip()


def _value(name: str, value: float, result: ResultData) -> str:
    from uqmbd.tables.scaling import scale_of

    within = scale_of(result, name)
    return within.said(number(float(within.of(value)))) if np.isfinite(value) else "not known"


def tolerances_tables(result: ResultData) -> list[Table]:
    """Tolerances or a design, and limits; none of other methods."""
    return [table_of(frame) for frame in decided(result)]
