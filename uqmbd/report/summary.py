"""The first screen of the page: what was asked, the answer in two short sentences, the figure that shows it, and whether it is trusted.

Behind it, one click away, stands the answer with all digits, limits and evidence.
"""

from dataclasses import dataclass

import numpy as np

from uqmbd.decision_facts import Allocated, Designed
from uqmbd.figures.extremes import extreme_of
from uqmbd.figures.key import ANSWER, key_figure, key_output
from uqmbd.figures.marks import Figure
from uqmbd.figures.worst import inputs_said
from uqmbd.method_facts import Estimates, Evidence, Limit
from uqmbd.outcomes import TIME
from uqmbd.report.answers import answer_of, limit_said, question_of
from uqmbd.report.causes import cause
from uqmbd.report.designs import design_judged, design_said
from uqmbd.report.estimates import estimates_said
from uqmbd.report.judged import Judged, judged
from uqmbd.report.pages import sentence
from uqmbd.report.tolerances import tolerances_judged, tolerances_said
from uqmbd.report.words import anywhere, inputs_named, runs_reaching, runs_said
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import Scale, apart, number
from uqmbd.tables.outputs import axis_unit, shown_quantiles
from uqmbd.tables.regions import regions_said
from uqmbd.tables.scaling import ends_of, has_unit, scale_of, statistics
from uqmbd.tables.trust import percent, trust_of

PLANES = {"form": "by the plane through the design point (FORM)", "sorm": "by the curved limit at the design point (SORM)"}
TOLD = 24  # outputs whose trust the first screen lists


@dataclass(frozen=True)
class Summary:
    """What the first screen shows."""

    title: str
    question: str  # made of the outputs and inputs where the study file has no description
    answer: tuple[str, ...]  # two short sentences with few digits
    judged: Judged | None  # whether the answer is trusted, in one line
    sentences: tuple[str, ...]  # the answer with all digits, and what it rests on
    figure: Figure | None  # that of the key output; it stands here and in no section
    trust: tuple[tuple[str, float, str], ...]  # every output with the trusted share, 0 to 1, and that share in words


def summary_of(result: ResultData, sections: dict[str, list[Figure]]) -> Summary:
    """The first screen of a result whose figures are `sections`."""
    key = key_output(result)
    answers = () if any(map(result.facts_of, (Estimates, Allocated, Designed))) else (_range, _regions, _worst, cause)
    searched = result.facts_of(Evidence).statement  # what fresh runs say of a search
    said = estimates_said(result) + tolerances_said(result) + design_said(result)
    if key:
        said += [*(answer(result, key) for answer in answers), _trusted(result), searched and sentence(searched)]
    facts, wanted = result.facts, key_figure(result) if sections else None
    every = [*sections.get(ANSWER, ()), *(figure for group in sections.values() for figure in group if not figure.overview)]
    trust = _judged(result, key)
    figure = next((one for one in every if wanted and one.key == wanted.key), None)
    return Summary(
        facts.title or facts.study or "study", question_of(result, key), tuple(answer_of(result, key)), trust,
        tuple(text for text in said if text), figure, _by_output(result),
    )  # fmt: skip


def _judged(result: ResultData, key: str | None) -> Judged | None:
    """Trust in the answer: of a decision by fresh runs, of others in what is said of the key output."""
    if result.facts_of(Allocated):
        return tolerances_judged(result)
    return design_judged(result) if result.facts_of(Designed) else judged(result, key)


def _range(result: ResultData, name: str) -> str:
    """Between what the output lies, or how it is distributed."""
    within = scale_of(result, name)
    time = anywhere(result, name)
    if name in result.bounds:
        lower, upper = apart(*map(within.of, ends_of(result.bounds, name)))
        trust = trust_of(result, name)
        if trust is None or trust.share == 1.0:
            return f"{name} stays between {lower} and {within.said(upper)}{time} for all values of {inputs_named(result)}."
        least, most = apart(*map(within.of, ends_of(result.inner if name in result.inner else result.bounds, name)))
        seen = f"{name} was seen between {least} and {within.said(most)}{time} for {runs_said(result)} runs"
        bounds = f"Its bounds, {lower} and {within.said(upper)}, are not trusted{' everywhere' if trust.share else ''}."
        return f"{seen} with values of {inputs_named(result)}. {bounds}"
    if name not in result.statistics:
        return ""
    values = statistics(result, name, shown_quantiles(result))
    said = {word: apart(*(within.of(end) if has_unit(word) else end for end in ends)) for word, ends in values.items()}
    if "probability" in said:
        return _probability(result, name, within)
    parts = []
    if "mean" in said:
        mean = said["mean"][0] if len(said["mean"]) == 1 else f"between {' and '.join(said['mean'])}"
        parts.append(f"its mean is {within.said(mean)}")
    if {"5 %", "95 %"} <= set(said):
        lower, upper = apart(within.of(values["5 %"][0]), within.of(values["95 %"][-1]))
        parts.append(f"nine of ten values lie between {lower} and {within.said(upper)}")
    if "probability" not in said and not {"5 %", "95 %"} & set(said) and name in result.inner:  # of a method that tells no distribution
        lower, upper = apart(*map(within.of, ends_of(result.inner, name)))
        return f"{name} was between {lower} and {within.said(upper)}{time} in {runs_reaching(result)}."
    return f"{name}{time}: {', '.join(parts)}." if parts else ""


def _probability(result: ResultData, name: str, within: Scale) -> str:
    """The probability that the output is beyond its limit, and how sure that is."""
    table, wanted = result.statistics[name], result.facts_of(Limit)
    beyond = limit_said(result, name, number)
    keys = [key for key in ("probability", "probability_lower", "probability_upper") if key in table["statistic"]]
    known = table.sel(statistic=keys).values
    estimate, *limits = apart(*known[np.isfinite(known)])
    sure = f" (95 % confidence limits {limits[0]} and {limits[1]})" if len(limits) == 2 else ""
    if wanted.approach in PLANES and not sure:
        sure = f", {PLANES[wanted.approach]}, which has no confidence limits"
    if wanted.plane_refuted:
        if wanted.unknown:
            by = wanted.approach.upper()
            return f"{by} puts the probability that {name} is {beyond} at {estimate}, but its own checks refute that (see the notes)."
        sure += f" by {wanted.estimated_by}; the plane through the design point (FORM) is refuted"
    return f"The probability that {name} is {beyond} is {estimate}{sure}."


def _regions(result: ResultData, name: str) -> str:
    """The kinds of runs that were found, and the bounds of each."""
    said = regions_said(result, name)
    return said and f"Kinds of runs: {said}."


def _worst(result: ResultData, name: str) -> str:
    """Where a number is greatest, or a history reaches furthest, and what the nominal run has there."""
    extreme = extreme_of(result, name, "upper")
    if extreme is None:
        return ""
    within = scale_of(result, name)
    when = "" if extreme.time is None else f", at {extreme.time:.4g}{axis_unit(result.inner[name], result.axis_of(name))}"
    there = "" if extreme.time is None else " then" if result.axis_of(name) == TIME.name else " there"
    where = " where runs differ" if extreme.beyond else ""
    value = within.said(f"{within.of(extreme.value):.4g}")
    said = f"The greatest value that a run reached{where}, {value}{when}, has {inputs_said(result, extreme.inputs)}"
    runs = result.extreme_runs
    nominal = np.atleast_1d(runs[name].sel(case="nominal").values)[extreme.at or 0] if name in runs else np.nan
    if not np.isfinite(nominal):
        return f"{said}."
    return f"{said}; the run in the middle of the inputs has {within.said(f'{within.of(nominal):.4g}')}{there}."


def _trusted(result: ResultData) -> str:
    """How many outputs are trusted."""
    trusts = [trust for name in result.outputs if (trust := trust_of(result, name))]
    if not trusts:
        return ""
    numbers, histories = ([t for t in trusts if t.axis == axis] for axis in ("", TIME.name))
    curves = [t for t in trusts if t.axis not in ("", TIME.name)]
    parts = []
    if numbers:
        parts.append(f"{sum(t.share == 1.0 for t in numbers)} of {len(numbers)} numbers")
    if histories:
        whole = sum(t.share == 1.0 for t in histories)
        parts.append(f"{whole} of {len(histories)} histories at all times")
    if curves:
        parts.append(f"{sum(t.share == 1.0 for t in curves)} of {len(curves)} curves on their whole axis")
    bounded = all(t.bounds for t in trusts)
    others = bounded and not all(t.share == 1.0 for t in trusts) and not any(t.why for t in trusts)
    rest = " Elsewhere they hold all runs, and are widened by what may be missing." if others else ""
    return f"{'Bounds' if bounded else 'Results'} are trusted for {' and '.join(parts)}.{rest}"


def _by_output(result: ResultData) -> tuple[tuple[str, float, str], ...]:
    trusts = [(name, trust) for name in result.outputs if (trust := trust_of(result, name))]
    return tuple((name, t.share, percent(t.share) if t.axis else "yes" if t.share else "no") for name, t in trusts[:TOLD])
