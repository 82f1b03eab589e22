"""The question and its answer for the person who decides: two short sentences with few digits; `lead` has them with all digits."""

from collections.abc import Callable

import numpy as np

from uqmbd.analysis.statistics.widths import ENDS, band_width
from uqmbd.decision_facts import Allocated, Designed
from uqmbd.figures import samples
from uqmbd.figures.extremes import extreme_of
from uqmbd.figures.sensitivities import kinds
from uqmbd.figures.worst import inputs_said
from uqmbd.method_facts import Estimates, Kinds, Limit, Walked, Words
from uqmbd.outcomes import TIME
from uqmbd.report import basins, diagrams
from uqmbd.report.causes import cause, leading
from uqmbd.report.designs import design_answer, design_question
from uqmbd.report.tolerances import tolerances_answer, tolerances_question
from uqmbd.report.words import anywhere, begun, inputs_named, listed, runs_reaching, spoken, varied
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import between, brief, scale
from uqmbd.tables.outputs import axis_unit, has_probability, pretty, shown_quantiles, unit_of, widest
from uqmbd.tables.regions import regions_said
from uqmbd.tables.scaling import ends_of, input_unit, scale_of, statistics
from uqmbd.tables.trust import trust_of

DIGITS = 3
FEW = 4  # inputs whose values a short sentence says
RARE = 1e-3  # probabilities below this are said as one in so many
UNSAID = 0.2  # of a probability without limits: two digits of it are said
EVEN = 1e-9  # of the size of bounds: a range no wider is one value


def question_of(result: ResultData, name: str | None) -> str:
    """What was asked: the description of the study, or else made of its outputs and inputs."""
    if result.facts.description or name is None:
        return result.facts.description
    inputs, output = listed(varied(result)) if 0 < len(varied(result)) <= FEW else "the inputs", spoken(name)
    if result.facts_of(Estimates):
        if result.facts_of(Estimates).estimated_by == "posterior":
            return f"What do the measurements say of {inputs}?"
        return f"For which values of {inputs} does the model come closest to the measurements?"
    if result.facts.about == "diagram":
        return diagrams.question(result, name)
    if result.facts.about == "basins":
        return basins.question(result)
    if result.facts_of(Allocated):
        return tolerances_question(result)
    if result.facts_of(Designed):
        return design_question(result)
    if has_probability(result, name):
        return f"How probable is it that {output} is {limit_said(result, name)}?"
    if result.facts.about == "indices":
        return f"On which of its inputs does {output} depend most?"
    if name in result.bounds and result.facts.about == "limit":
        return f"Can {output} be {limit_said(result, name)}?"
    if name in result.bounds:
        return f"Between which bounds does {output} stay for all values of {inputs}?"
    if name in result.statistics and not samples.are_chosen(result):
        return f"How is {output} distributed when {inputs} {'varies' if len(varied(result)) == 1 else 'vary'}?"
    return f"What is {output} at chosen values of {inputs}?"


def answer_of(result: ResultData, name: str | None) -> list[str]:
    """Two short sentences at most."""
    if name is None:
        return []
    if result.facts_of(Estimates):
        return _estimates(result)
    if result.facts.about == "diagram":
        return diagrams.answer(result, name)
    if result.facts.about == "basins":
        return basins.answer(result)
    if result.facts_of(Allocated):
        return tolerances_answer(result)
    if result.facts_of(Designed):
        return design_answer(result)
    if has_probability(result, name):
        return _both(_how_probable(result, name), cause(result, name, index=False))
    if said := _how_often(result, name):
        return said
    distribution = "" if name in result.bounds or samples.are_chosen(result) else _distributed(result, name)
    reached = _reached(result, name)
    if result.facts.about == "indices" and (why := cause(result, name, index=False) or _steepest(result, name)):
        return _both(why.replace("It ", f"{begun(spoken(name))} ", 1), _distributed(result, name, "it") or _reached(result, name, "it"))
    if name in result.bounds and result.facts.about == "limit":
        return _both(_passed(result, name), _bounded(result, name))
    if name in result.bounds:
        return _both(_bounded(result, name), _kinds(result, name) or _where(result, name))
    return _both(
        distribution or reached,
        cause(result, name, index=False) or (_reached(result, name, "it") if distribution else _where(result, name)),
    )


def _steepest(result: ResultData, name: str) -> str:
    """Of derivatives at the middle of the inputs, which are shares of no whole."""
    table = result.sensitivity[name] if name in result.sensitivity else None
    if table is None or result.axis_of(name, "sensitivity") or "derivative" not in kinds(table):
        return ""
    values = np.nan_to_num(np.abs(np.asarray(table.sel(kind="derivative").values, float)))
    words = [f"{table['input'].values[k]} ({brief(float(values[k]))})" for k in leading(values)]
    return f"It changes fastest with {', then with '.join(words)}, in the middle of the inputs."


def _passed(result: ResultData, name: str) -> str:
    """Whether an output that has bounds can be beyond its limit."""
    wanted, limit = result.facts_of(Limit), limit_said(result, name)
    up, level = wanted.side == "above", wanted.limit
    reached, outer = (ends_of(group, name)[1 if up else 0] if name in group else np.nan for group in (result.inner, result.bounds))
    beyond = [level is not None and (end > level if up else end < level) for end in (reached, outer)]
    if beyond[0]:
        return f"Yes: in some runs {spoken(name)} is {limit}."
    trust = trust_of(result, name)
    if beyond[1] or (trust is not None and trust.share < 1.0):
        which = "the bounds" if beyond[1] else "bounds that are not trusted"
        return f"No run has {spoken(name)} {limit}, but {which} do not exclude it."
    return f"No: {spoken(name)} is never {limit}."


def _both(*said: str) -> list[str]:
    return [text for text in said if text][:2]


def _bounded(result: ResultData, name: str) -> str:
    """Between what the output lies, or, where that is not trusted, was seen."""
    within, time, trust = scale_of(result, name), anywhere(result, name), trust_of(result, name)
    asked = not result.facts.description and 0 < len(varied(result)) <= FEW and not samples.fixed(result)
    where = "" if asked else f" for all values of {inputs_named(result)}"  # which the question that was made names
    ends = [within.of(end) for end in ends_of(result.bounds, name)]
    lower, upper = between(*ends)
    if trust is None or trust.share == 1.0:
        if abs(ends[1] - ends[0]) <= EVEN * max(map(abs, ends)):
            return begun(f"{spoken(name)} is {within.said(upper)}{time}{where}.")
        return begun(f"{spoken(name)} stays between {lower} and {within.said(upper)}{time}{where}.")
    least, most = between(*map(within.of, ends_of(result.inner if name in result.inner else result.bounds, name)), outward=False)
    seen = begun(f"{spoken(name)} was between {least} and {within.said(most)}{time} in the runs")
    return f"{seen}; bounds of {lower} to {within.said(upper)} are not trusted{' everywhere' if trust.share else ''}."


def _kinds(result: ResultData, name: str) -> str:
    """How many kinds of runs there are, where a search has told them apart."""
    if not regions_said(result, name):
        return ""
    count, sequence = result.regions.sizes["region"], Kinds.of(result.regions.attrs).sequence
    return f"Its runs are of {count} kinds, by {sequence}, each with bounds of its own."


def _where(result: ResultData, name: str) -> str:
    """Of a number where it is greatest, and the nominal run; of a history how wide its band is."""
    key = next((key for key in ("bounds", "inner") if name in result[key]), None)
    if key is None:
        return ""
    group, within = result[key], scale_of(result, name)
    if axis := result.axis_of(name, key):
        return _width(group[name], axis)
    if "alpha" in group[name].dims:
        core = group[name].isel(alpha=int(np.argmax(group[name]["alpha"].values)))
        lower, upper = between(*(within.of(float(core.sel(bound=side))) for side in ("lower", "upper")))
        most = within.said(upper) if lower == upper else f"{lower} to {within.said(upper)}"
        return f"Most plausible is {most}."
    extreme = extreme_of(result, name, "upper")
    said = ""
    if extreme is not None and 0 < len(extreme.inputs) <= FEW:
        said = f"It is greatest at {inputs_said(result, extreme.inputs, DIGITS)}"
    nominal = float(result.extreme_runs[name].sel(case="nominal")) if name in result.extreme_runs else np.nan
    if np.isfinite(nominal):
        middle = f"the nominal run has {within.said(brief(within.of(nominal)))}"
        return f"{said}; {middle}." if said else begun(f"{middle}.")
    return f"{said}." if said else ""


def _width(bounds, axis: str) -> str:
    """How wide the band of a history is where it is widest."""
    table = widest(bounds)
    lower, upper = (table.sel(bound=end).values for end in ENDS)
    largest, at, _ = band_width(lower, upper, table[axis].values)
    if not np.isfinite(largest):
        return ""
    own = scale(pretty(Words.of(bounds.attrs).unit), [largest])
    what = "At any one time" if axis == TIME.name else f"At any one {axis}"
    where = scale(axis_unit(table, axis).strip(), table[axis].values)
    return f"{what} its band is at most {own.said(brief(own.of(largest)))} wide (at {where.said(brief(where.of(at)))})."


def _reached(result: ResultData, name: str, subject: str = "") -> str:
    """What the runs had, of a method that tells no bounds."""
    if name not in result.inner:
        return ""
    within = scale_of(result, name)
    least, most = between(*map(within.of, ends_of(result.inner, name)), outward=False)
    where = f"{anywhere(result, name)} in {runs_reaching(result)}"
    return begun(f"{subject or spoken(name)} was between {least} and {within.said(most)}{where}.")


def _distributed(result: ResultData, name: str, subject: str = "") -> str:
    """Mean, and where nine of ten values lie."""
    if name not in result.statistics:
        return ""
    within, values = scale_of(result, name), statistics(result, name, shown_quantiles(result))
    over, parts = anywhere(result, name), []
    if "mean" in values:
        ends = [within.of(end) for end in values["mean"]]
        texts = (brief(ends[0]),) if len(ends) == 1 else between(*ends, outward=False)
        parts.append(f"is {within.said(' to '.join(dict.fromkeys(texts)))} on average")
    if {"5 %", "95 %"} <= set(values):
        lower, upper = between(within.of(values["5 %"][0]), within.of(values["95 %"][-1]), outward=False)
        if not parts:
            return f"Nine of ten values of {spoken(name)} lie between {lower} and {within.said(upper)}{over}."
        parts.append(f"nine of ten values lie between {lower} and {within.said(upper)}")
    return begun(f"{subject or spoken(name)} {'; '.join(parts)}{over}.") if parts else ""


def _how_often(result: ResultData, name: str) -> list[str]:
    """Of an output that is 1 or 0, whether something is so: in which share of all cases it is, which is its mean, and in how many runs."""
    table = result.statistics[name] if name in result.statistics and name not in result.bounds else None
    if (
        table is None
        or table.dims != ("statistic",)
        or name not in result.runs
        or not {"mean_lower", "mean_upper"} <= set(table["statistic"].values)
    ):
        return []
    values = np.asarray(result.runs[name].values, float)
    known = values[np.isfinite(values)]
    if not known.size or not np.isin(known, (0.0, 1.0)).all():
        return []
    mean, lower, upper = (100.0 * float(table.sel(statistic=key)) for key in ("mean", "mean_lower", "mean_upper"))
    width = upper - lower
    sure = f" ({brief(lower, width)} to {brief(upper, width)} %, with 95 % confidence)" if np.isfinite(width) else ""
    first = begun(f"{spoken(name)} is 1 in about {brief(mean, width if np.isfinite(width) else 0.0)} % of all cases{sure}.")
    return _both(first, cause(result, name, index=False) or f"It is in {int(known.sum()):,} of {known.size:,} runs.")


def limit_said(result: ResultData, name: str, written: Callable[[float], str] = brief) -> str:
    """``above 3.5 mm``."""
    wanted, within = result.facts_of(Limit), scale_of(result, name)
    if not wanted.side or wanted.limit is None:
        return "beyond its limit"
    return f"{wanted.side} {within.said(written(within.of(wanted.limit)))}{wanted.others}"


def _how_probable(result: ResultData, name: str) -> str:
    """The probability with the digits that its limits leave it."""
    table = result.statistics[name]
    values = {}
    for key in ("probability", "probability_lower", "probability_upper"):
        if key in table["statistic"]:
            ends = np.atleast_1d(widest(table).sel(statistic=key).values.astype(float))
            values[key] = (float(np.nanmin(ends)), float(np.nanmax(ends))) if np.isfinite(ends).any() else (np.nan, np.nan)
    least, most = values["probability"]
    that = f"{spoken(name)} is {limit_said(result, name)}"
    if result.facts_of(Limit).unknown:
        return f"How probable it is that {that} is not known: the estimate, {_chance(most, 0.0)}, is refuted by its own checks."
    if most - least > EVEN * most:  # bounds of it
        return f"The probability that {that} is between {_chance(least, 0.0)} and {_chance(most, 0.0)}."
    lower, upper = (values.get(f"probability_{side}", (np.nan,))[0] for side in ("lower", "upper"))
    if most == 0.0:
        known = f"below {_chance(upper, 0.0)}" if np.isfinite(upper) and upper > 0 else "too small to be told"
        return f"The probability that {that} is {known}: no run was."
    width = upper - lower if np.isfinite([lower, upper]).all() else UNSAID * most
    return f"The probability that {that} is about {_chance(most, width)}."


def _chance(value: float, width: float) -> str:
    """A probability in per cent, or as one in so many where it is small."""
    if 0 < value < RARE:
        known = 1 if width > value / 2 else 2  # digits
        return f"{brief(value, width)} (one in {float(f'{1 / value:.{known}g}'):,.0f})"
    return f"{brief(100 * value, 100 * width)} %"


def _estimates(result: ResultData) -> list[str]:
    """Estimates with what they are known to, and whether the model fits."""
    estimates, words = result.facts_of(Estimates), []
    for name in list(estimates.estimate)[:FEW]:
        unit = input_unit(result, name)
        value, ends = float(unit.of(estimates.estimate[name])), estimates.limits(name)
        half = "" if ends is None else _known_to(value, [float(unit.of(end)) for end in ends])
        words.append(f"{name} = {brief(value)} {pretty(unit.unit)}".rstrip() + half)
    more = f" and {len(estimates.estimate) - FEW} more" if len(estimates.estimate) > FEW else ""
    led = "After the measurements" if estimates.estimated_by == "posterior" else "The model comes closest to the measurements at"
    said = [f"{led} {', '.join(words)}{more}."]
    if estimates.fit:
        like = "is not what the readings' deviations let expect" if estimates.fit_doubted else "is as large as the readings' deviations say"
        said.append(f"What is left between model and measurement {like}.")
    elif squares := {name: value for name, value in estimates.rms_residual.items() if name in result.statistics}:
        name, value = next(iter(squares.items()))
        if value <= EVEN * float(np.nanmax(np.abs(result.statistics[name].sel(statistic="measured").values))):
            return [*said, "It meets them all."]
        within = scale(unit_of(result, name), [value])
        said.append(f"What is left between model and measurement is {within.said(brief(within.of(value)))} in {name} (root mean square).")
    walked = result.facts_of(Walked)
    if walked.log_evidence is not None:
        known = brief(walked.log_evidence, walked.log_evidence_upper - walked.log_evidence_lower)
        said.append(f"The logarithm of the evidence, by which models of the same readings are compared, is {known}.")
    return said


def _known_to(value: float, ends: list[float]) -> str:
    """``(± 0.12 %)``: half the width of the limits."""
    half = abs(ends[1] - ends[0]) / 2
    return f" (± {brief(100 * half / abs(value), 100 * half / abs(value))} %)" if value and half < abs(value) else f" (± {brief(half)})"
