"""What a search for a design found, in sentences."""

from uqmbd.method_facts import Designed, LimitMet
from uqmbd.report.judged import Judged
from uqmbd.report.pages import sentence
from uqmbd.report.words import listed
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import brief, number
from uqmbd.tables.outputs import pretty
from uqmbd.tables.scaling import input_unit, scale_of

NAMED = 6  # inputs, and limits, that sentences have


def design_question(result: ResultData) -> str:
    """What was asked."""
    found = result.facts_of(Designed)
    return f"Which {listed(list(found.design)[:NAMED])} have the least {found.minimised}, with {_limits_said(found.limits)}?"


def design_answer(result: ResultData) -> list[str]:
    """Two short sentences."""
    found = result.facts_of(Designed)
    within = scale_of(result, found.minimised)
    said = [sentence(f"{found.minimised} is least, {within.said(brief(within.of(found.objective)))}, at {_inputs(result, found, 3)}")]
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
        return Judged("yes", f"the worst points of all limits are within them, which {found.runs_verifying:,} fresh runs do not refute")
    if found.feasible and not found.runs_verifying:
        return Judged("unsaid", "no fresh runs have looked at the design")
    return Judged("no", "the limits are not all met, or what says so is refuted or did not settle")


def design_said(result: ResultData) -> list[str]:
    """The answer with more digits, and what there is of each limit; none of other methods."""
    found = result.facts_of(Designed)
    if not found:
        return []
    said = [f"The least {found.minimised} is {number(found.objective)} (SI), at {_inputs(result, found, 7)}."]
    for limit in found.limits[:NAMED]:
        within = scale_of(result, limit.output)
        worst = within.said(number(float(within.of(limit.surrogate))))
        runs = "" if limit.lower is None or limit.higher is None else f"; by fresh runs {_share(limit)}"
        said.append(f"{limit.output} {limit.text}: {worst} at the worst point{runs}.")
    return said


def _share(limit: LimitMet) -> str:
    return f"the probability is between {number(limit.lower, 3)} and {number(limit.higher, 3)} (95 % confidence)"


def _inputs(result: ResultData, found: Designed, digits: int) -> str:
    units = {name: input_unit(result, name) for name in list(found.design)[:NAMED]}
    said = [f"{name} = {float(unit.of(found.design[name])):.{digits}g} {pretty(unit.unit)}".rstrip() for name, unit in units.items()]
    return listed(said)


def _limits_said(limits: list[LimitMet]) -> str:
    few = [f"{limit.output} {limit.text}" for limit in limits]
    return listed(few) if 0 < len(few) <= 2 else f"{len(few)} limits"
