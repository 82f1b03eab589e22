"""What a search for a design found, in sentences."""

from collections.abc import Callable

from uqmbd.decision_facts import Designed, LimitMet
from uqmbd.report.judged import Judged
from uqmbd.report.pages import sentence
from uqmbd.report.words import listed
from uqmbd.result_data import ResultData
from uqmbd.tables.decided import chance_of, minimised_said
from uqmbd.tables.numbers import brief, number
from uqmbd.tables.outputs import pretty
from uqmbd.tables.scaling import input_unit, scale_of

NAMED = 6  # inputs, and limits, that sentences have


def design_question(result: ResultData) -> str:
    """What was asked."""
    found = result.facts_of(Designed)
    return f"Which {listed(list(found.design)[:NAMED])} have the least {minimised_said(found)}{_limits_said(found.limits)}?"


def design_answer(result: ResultData) -> list[str]:
    """Two short sentences."""
    found = result.facts_of(Designed)
    said = [sentence(f"{minimised_said(found)} is least, {_objective(result, found, brief)}, at {_inputs(result, found, 3)}")]
    if not found.feasible:
        said = ["No design was found that meets all limits.", sentence(f"the search ended at {_inputs(result, found, 3)}")]
    elif found.design_at_end:
        said.append(
            f"{listed(list(found.design_at_end))} {'is' if len(found.design_at_end) == 1 else 'are'} at the end of the given range."
        )
    return said


def design_judged(result: ResultData) -> Judged:
    """Whether anything speaks against it."""
    found = result.facts_of(Designed)
    if found.verified:
        return Judged("yes", f"all limits are met by the design, which {found.runs_verifying:,} fresh runs do not refute")
    if found.feasible and not found.runs_verifying:
        return Judged("unsaid", "no fresh runs have looked at the design")
    return Judged("no", "the limits are not all met, or what says so is refuted or did not settle")


def design_said(result: ResultData) -> list[str]:
    """The answer with more digits, and what there is of each limit; none of other methods."""
    found = result.facts_of(Designed)
    if not found:
        return []
    lower, higher = found.objective_limits if len(found.objective_limits) == 2 else (None, None)
    ends = _ends(result, found.minimised, lower, higher, chance=found.measure.startswith("P("))
    runs = f"; by fresh runs it is {ends}" if ends else ""
    said = [f"The least {minimised_said(found)} is {_objective(result, found, number)}, at {_inputs(result, found, 7)}{runs}."]
    if found.starts_tried > 1:
        said.append(f"{found.starts_alike} of {found.starts_tried} starts of the search end there.")
    return said + [_limit(result, limit) for limit in found.limits[:NAMED]]


def _objective(result: ResultData, found: Designed, digits: Callable[[float], str]) -> str:
    """What is least, in the unit of its output where it has one."""
    if found.measure.startswith("P("):
        return digits(found.objective)
    within = scale_of(result, found.minimised)
    return within.said(digits(float(within.of(found.objective))))


def _limit(result: ResultData, limit: LimitMet) -> str:
    """What there is of a limit."""
    if limit.what == "system":
        ends = _ends(result, limit.output, limit.lower, limit.higher, chance=True)
        runs = f"; by fresh runs it is {ends}" if ends else ""
        return f"{limit.text}: {number(chance_of(limit))} by the planes at the worst points{runs}."
    within = scale_of(result, limit.output)
    value = within.said(number(float(within.of(limit.surrogate))))
    where = {"probability": " at the worst point", "quantile": " at the worst point", "worst": " at the worst values"}.get(limit.what, "")
    ends = _ends(result, limit.output, limit.lower, limit.higher, chance=limit.what == "probability")
    runs = f"; by fresh runs {'the probability' if limit.what == 'probability' else 'it'} is {ends}" if ends else ""
    if limit.what == "worst" and limit.runs is not None:
        runs = f"; fresh runs reach {within.said(number(float(within.of(limit.runs))))}"
    return f"{limit.output} {limit.text}: {value}{where}{runs}."


def _ends(result: ResultData, name: str, lower: float | None, higher: float | None, *, chance: bool) -> str:
    """95 % limits in words; empty without any."""
    if lower is None or higher is None:
        return ""
    within = None if chance else scale_of(result, name)
    low, high = (number(end if within is None else float(within.of(end)), 3 if chance else 5) for end in (lower, higher))
    return f"between {low} and {high if within is None else within.said(high)} (95 % confidence)"


def _inputs(result: ResultData, found: Designed, digits: int) -> str:
    units = {name: input_unit(result, name) for name in list(found.design)[:NAMED]}
    said = [f"{name} = {float(unit.of(found.design[name])):.{digits}g} {pretty(unit.unit)}".rstrip() for name, unit in units.items()]
    return listed(said)


def _limits_said(limits: list[LimitMet]) -> str:
    few = [f"{limit.output} {limit.text}".strip() for limit in limits]
    return f", with {listed(few) if len(few) <= 2 else f'{len(few)} limits'}" if few else ""
