"""The first screen of the page: what was asked, the answer in a few sentences, the figure that shows it, and what is trusted."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from uqmbd.figures.extremes import extreme_of
from uqmbd.figures.marks import Figure
from uqmbd.figures.numbers import Scale, apart, number
from uqmbd.figures.outputs import axis_name, axis_unit, key_said, output_names, shown_quantiles, widest
from uqmbd.figures.regions import regions_said
from uqmbd.figures.trust import percent, trust_of
from uqmbd.figures.worst import inputs_said
from uqmbd.outcomes import TIME, axis_of
from uqmbd.report.causes import cause, plane_refuted
from uqmbd.report.estimates import estimates_said, is_calibration
from uqmbd.report.pages import sentence
from uqmbd.report.tables import has_unit, scale_of, statistics

NAMED = 6  # inputs that a sentence names
PLANES = {"form": "by the plane through the design point (FORM)", "sorm": "by the curved limit at the design point (SORM)"}
TOLD = 24  # outputs whose trust the first screen lists


@dataclass(frozen=True)
class Lead:
    """What the first screen shows.

    Attributes
    ----------
    title, question : str
        Of the study; the question is empty unless the study file has a description.
    sentences : tuple of str
        The answer.
    figure : Figure or None
        The figure of the key output; it stands here and in no section.
    trust : tuple of (name, share, text)
        Every output with the trusted share, 0 to 1, and that share in words.
    """

    title: str
    question: str
    sentences: tuple[str, ...]
    figure: Figure | None
    trust: tuple[tuple[str, float, str], ...]


def lead_of(result, sections: dict[str, list[Figure]]) -> Lead:
    """The first screen of a result whose figures are `sections`."""
    key = key_output(result)
    answers = (_range, _regions, _worst, cause) if key and not is_calibration(result) else ()
    said = (*estimates_said(result), *(answer(result, key) for answer in answers), *((_trusted(result), _statement(result)) if key else ()))
    sentences = [text for text in said if text]
    figures = [figure for group in sections.values() for figure in group if not figure.overview]
    figure = next((one for one in figures if key and (one.key == key or one.key.startswith(f"{key}."))), None)
    facts = result.facts
    return Lead(facts.title or facts.study or "study", facts.description, tuple(sentences), figure, _by_output(result))


def key_output(result) -> str | None:
    """The output that the report begins with: `[report] key`, that of a reliability study, or the first, numbers that are trusted first."""
    histories, scalars = output_names(result)
    if (wanted := key_said(result)) is not None:
        return wanted
    trusted = (name for name in scalars if (trust := trust_of(result, name)) and trust.share)
    return next(chain(trusted, scalars, histories), None)


def _range(result, name: str) -> str:
    """Between what the output lies, or how it is distributed."""
    within = scale_of(result, name)
    time = anywhere(result, name)
    if name in result.bounds:
        lower, upper = apart(*_ends(result.bounds[name], within))
        trust = trust_of(result, name)
        if trust is None or trust.share == 1.0:
            return f"{name} stays between {lower} and {within.said(upper)}{time} for all values of {_inputs(result)}."
        least, most = apart(*_ends(result.inner[name] if name in result.inner else result.bounds[name], within))
        seen = f"{name} was seen between {least} and {within.said(most)}{time} for {_runs(result)} runs with values of {_inputs(result)}."
        return f"{seen} Its bounds, {lower} and {within.said(upper)}, are not trusted{' everywhere' if trust.share else ''}."
    if name not in result.statistics:
        return ""
    found = statistics(result.statistics, name, shown_quantiles(result))
    said = {word: apart(*(within.of(end) if has_unit(word) else end for end in ends)) for word, ends in found.items()}
    if "probability" in said:
        return _probability(result, name, within)
    parts = []
    if "mean" in said:
        parts.append(f"its mean is {_both(said['mean'], within.unit)}")
    if {"5 %", "95 %"} <= set(said):
        lower, upper = apart(within.of(found["5 %"][0]), within.of(found["95 %"][-1]))
        parts.append(f"nine of ten values lie between {lower} and {within.said(upper)}")
    if "probability" not in said and not {"5 %", "95 %"} & set(said) and name in result.inner:  # of a method that tells no distribution
        ends = [float(pick(result.inner[name].sel(bound=side).values)) for side, pick in (("lower", np.nanmin), ("upper", np.nanmax))]
        lower, upper = apart(*map(within.of, ends))
        return f"{name} was between {lower} and {within.said(upper)}{time} in {_runs(result)} runs."
    return f"{name}{time}: {', '.join(parts)}." if parts else ""


def _ends(bounds, within: Scale) -> list[float]:
    """The outermost of bounds of one output, in the unit that is shown."""
    known = widest(bounds)
    return [within.of(float(pick(known.sel(bound=side).values))) for side, pick in (("lower", np.nanmin), ("upper", np.nanmax))]


def _probability(result, name: str, within: Scale) -> str:
    """The probability that the output is beyond its limit, and how sure that is."""
    table, settings = result.statistics[name], result.facts.settings
    side = next((side for side in ("above", "below") if settings.get(side) is not None), None)
    limit = result.attrs.get("limit", settings.get(side))  # in the output's unit
    beyond = f"{side} {within.said(number(within.of(limit)))}" if side else "beyond its limit"
    keys = [key for key in ("probability", "probability_lower", "probability_upper") if key in table["statistic"]]
    known = table.sel(statistic=keys).values
    found, *limits = apart(*known[np.isfinite(known)])
    sure = f" (95 % confidence limits {limits[0]} and {limits[1]})" if len(limits) == 2 else ""
    if settings.get("approach") in PLANES and not sure:
        sure = f", {PLANES[settings['approach']]}, which has no confidence limits"
    if plane_refuted(result):
        if "estimated_by" not in result.attrs:  # FORM and SORM have the plane alone
            approach = str(result.attrs.get("approach", "form")).upper()
            return f"{approach} puts the probability that {name} is {beyond} at {found}, but its own checks refute that (see the notes)."
        by = result.attrs["estimated_by"]
        sure += f" by {by}; the plane through the design point (FORM) is refuted"
    return f"The probability that {name} is {beyond} is {found}{sure}."


def _regions(result, name: str) -> str:
    """The kinds of runs that were found, and the bounds of each."""
    said = regions_said(result, name)
    return said and f"Kinds of runs: {said}."


def _both(texts: list[str], unit: str) -> str:
    return f"{texts[0]} {unit}".rstrip() if len(texts) == 1 else f"between {texts[0]} and {texts[1]} {unit}".rstrip()


def anywhere(result, name: str) -> str:
    """That a history is meant at any time, and a curve at any value of its axis; empty for a number."""
    axis = axis_name(result, name)
    return "" if axis is None else " at any time" if axis == TIME.name else f" at any {axis}"


def _inputs(result) -> str:
    entries = result.facts.inputs
    held = [f"{name} = {entry.text}" for name, entry in entries.items() if entry.kind == "fixed"]
    names = [name for name, entry in entries.items() if not entry.binds and entry.kind != "fixed"]
    at = f", with {listed(held)} held fixed" if 0 < len(held) <= NAMED else f", with {len(held)} others held fixed" if held else ""
    if not names:
        return "the inputs"
    return f"the {len(names)} inputs{at}" if len(names) > NAMED else f"{listed(names)}{at}"


def listed(words: list[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _runs(result) -> str:
    told = result.facts.runs_ok
    return f"{result.runs.sizes.get('run', 0) if told is None else told:,}"


def _worst(result, name: str) -> str:
    """Where a number is greatest, or a history reaches furthest, and what the nominal run has there."""
    found = extreme_of(result, name, "upper")
    if found is None:
        return ""
    within = scale_of(result, name)
    when = "" if found.time is None else f", at {found.time:.4g}{axis_unit(result.inner[name])}"
    there = "" if found.time is None else " then" if axis_of(result.inner[name].dims) == TIME.name else " there"
    where = " where runs differ" if found.beyond else ""
    value = within.said(f"{within.of(found.value):.4g}")
    said = f"The greatest value that a run reached{where}, {value}{when}, has {inputs_said(result, found.inputs)}"
    nominal = np.atleast_1d(result.extreme_runs[name].sel(case="nominal").values)[found.at or 0] if name in result.extreme_runs else np.nan
    if not np.isfinite(nominal):
        return f"{said}."
    return f"{said}; the run in the middle of the inputs has {within.said(f'{within.of(nominal):.4g}')}{there}."


def _statement(result) -> str:
    """What fresh runs say of a search."""
    said = str(result.attrs.get("statement", ""))
    return said and sentence(said)


def _trusted(result) -> str:
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


def _by_output(result) -> tuple[tuple[str, float, str], ...]:
    found = [(name, trust) for name in result.outputs if (trust := trust_of(result, name))]
    return tuple((name, t.share, percent(t.share) if t.axis else "yes" if t.share else "no") for name, t in found[:TOLD])
