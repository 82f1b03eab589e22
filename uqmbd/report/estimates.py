"""What a calibration found, as sentences and as tables: estimates with limits, how they hang together, where the starts ended."""

from itertools import islice

import numpy as np

from uqmbd.method_facts import Estimates, Walked
from uqmbd.report.pages import sentence
from uqmbd.report.words import listed
from uqmbd.result_data import ResultData
from uqmbd.tables.frames import calibrated
from uqmbd.tables.numbers import apart, number, scale
from uqmbd.tables.outputs import pretty, unit_of
from uqmbd.tables.scaling import input_unit, scale_of, with_unit
from uqmbd.tables.text import Table

NAMED = 6  # estimates that the first sentence has
LED = {"": "The model comes closest to the measurements where", "posterior": "After the measurements"}  # how that begins


def estimates_said(result: ResultData) -> list[str]:
    """The answer of a calibration: estimates with 95 % limits, which are told only together, whether the model fits; none of others."""
    estimates = result.facts_of(Estimates)
    if not estimates:
        return []
    estimate = estimates.estimate
    words = [f"{name} is {_value(result, estimates, name)}" for name in list(estimate)[:NAMED]]
    more = f"; {len(estimate) - NAMED} more are in the table" if len(estimate) > NAMED else ""
    said = [f"{LED[estimates.estimated_by]} {listed(words)}{more}."]
    for a, b, rho in estimates.correlated:
        said.append(f"{a} and {b} are strongly correlated ({rho:.3g}): the data tell them together better than each by itself.")
    if estimates.fit:
        said.append(sentence(estimates.fit))
    elif squares := {name: value for name, value in estimates.rms_residual.items() if name in result.statistics}:
        scales = {name: scale_of(result, name) for name in squares}
        texts = [f"{scales[name].said(f'{scales[name].of(value):.3g}')} in {name}" for name, value in squares.items()]
        said.append(sentence(f"the residuals have a root mean square of {listed(texts)}"))
    return said + posterior_said(result)


def _value(result: ResultData, estimates: Estimates, name: str) -> str:
    """``40.15 N/mm (95 % limits 40.05 and 40.25)``."""
    unit = input_unit(result, name)
    estimate, ends = float(unit.of(estimates.estimate[name])), estimates.limits(name)
    if ends is None:
        held = ", at the end of its range" if name in estimates.at_bound else ", with no limits"
        return f"{number(estimate)} {pretty(unit.unit)}".rstrip() + held
    lower, middle, upper = apart(float(unit.of(ends[0])), estimate, float(unit.of(ends[1])))
    return f"{middle} {pretty(unit.unit)}".rstrip() + f" (95 % limits {lower} and {upper})"


def posterior_said(result: ResultData) -> list[str]:
    """The evidence, and the standard deviations that were estimated beside the inputs; nothing of results without chains."""
    walked, said = result.facts_of(Walked), []
    if walked.log_evidence is not None:
        lower, value, upper = apart(walked.log_evidence_lower, walked.log_evidence, walked.log_evidence_upper)
        said.append(f"The logarithm of the evidence, by which models of the same readings are compared, is {value} ({lower} to {upper}).")
    for led, found in (("The readings of {} scatter by", walked.scatter), ("What the model lacks in {} has a size of", walked.lacking)):
        for name, number_of in found.items():
            unit = scale(unit_of(result, name), number_of.values())
            lower, value, upper = apart(*(float(unit.of(number_of[word])) for word in ("lower", "mean", "upper")))
            said.append(f"{led.format(name)} {unit.said(value)} (95 % limits {lower} and {upper}).")
    return said


def estimates_table(result: ResultData) -> Table:
    """Each input with its standard deviation and its limits, in the unit it was written in."""
    estimates, rows = result.facts_of(Estimates), []
    for frame in islice(calibrated(result), 1):
        for name, unit, *values, std in frame.table.itertuples():
            texts = apart(*(value for value in values if np.isfinite(value)))
            limits = texts[1:] if len(texts) == 3 else ["", ""]
            rows.append((name, pretty(unit), texts[0], f"{std:.3g}" if np.isfinite(std) else "", *limits))
    header = ("input", "unit", "estimate", "standard deviation", "95 % lower", "95 % upper")
    width = 6 if estimates.estimate_lower else 4  # results of earlier versions have no limits
    note = "" if estimates.readings is None else _compared(estimates.readings, estimates.interpolated)
    return Table("Estimates", header[:width], tuple(row[:width] for row in rows), (False, False, *(True,) * 4)[:width], note)


def _compared(count: int, between: int | None) -> str:
    """From how many readings, and where the runs were compared with them."""
    if between is None:  # results of earlier versions do not say
        return f"From {count} readings."
    if not between:
        return f"From {count} readings; the runs have their histories at the times of all of them."
    which = "all" if between == count else f"{between} of them"
    return f"From {count} readings; {which} lie between the times of the runs, where the histories are interpolated by cubic splines."


def correlations_table(result: ResultData) -> Table:
    """Correlations of the estimates."""
    names, rho = result.facts_of(Estimates).correlations
    rows = [(name, *("" if np.isnan(value) else f"{value:.3f}" for value in row)) for name, row in zip(names, rho, strict=True)]
    return Table("Correlations of the estimates", ("", *names), tuple(rows if len(names) > 1 else ()), (False, *(True,) * len(names)))


def chains_table(result: ResultData) -> Table:
    """Of a posterior: whether ensembles of walkers agree about each input, and how many independent draws theirs are worth."""
    walked = result.facts_of(Walked)
    rows = [(name, f"{rhat:.4g}", f"{walked.effective_size[name]:.0f}") for name, rhat in walked.rhat.items()]
    note = "" if walked.acceptance is None else f"{100 * walked.acceptance:.0f} % of the moves were accepted."
    if walked.log_evidence is not None:
        lower, value, upper = apart(walked.log_evidence_lower, walked.log_evidence, walked.log_evidence_upper)
        note += f" The logarithm of the evidence (readings in SI) is {value} (95 % limits {lower} and {upper})."
    if walked.surrogate_converged is not None:
        at = "where the chains were" + ("" if walked.surrogate_converged else ", too far to be trusted")
        note += f" At the last fresh runs the surrogate is off by {walked.surrogate_error:.2g} in the logarithm of the density, {at}."
    return Table("Chains", ("input", "R-hat", "effective size"), tuple(rows), (False, True, True), note if rows else "")


def starts_table(result: ResultData) -> Table:
    """Where the starts of a calibration ended."""
    estimates = result.facts_of(Estimates)
    units = {name: input_unit(result, name) for name in estimates.estimate}
    header = ("start", "cost", "steps", "end", *(with_unit(name, unit) for name, unit in units.items()))
    rows = []
    for k, start in enumerate(estimates.ended if estimates else (), 1):
        ends = (number(unit.of(value)[()]) for unit, value in zip(units.values(), start.at, strict=True))
        rows.append((str(k), number(start.cost), str(start.steps), start.end, *ends))
    return Table("Starts", header, tuple(rows), (True, True, True, False, *(True,) * (len(header) - 4)))
