"""What a bifurcation diagram answers, in words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from uqmbd.figures.diagrams import UNTOLD, between, doubtful
from uqmbd.method_facts import Diagram
from uqmbd.report.words import begun, listed, spoken
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import brief
from uqmbd.tables.outputs import pretty
from uqmbd.tables.scaling import input_unit

TOLD = 3  # windows in a sentence
DIGITS = 4
NARROW = 0.02  # of the values: a window of fewer is not told


def question(result: ResultData, name: str) -> str:
    """What was asked."""
    return f"How does the long-term motion of {spoken(name)} change with {result.facts_of(Diagram).parameter}?"


def answer(result: ResultData, name: str) -> list[str]:
    """The first windows of period, and where up and down differ."""
    if name not in result["motion_period"]:
        return [f"{begun(spoken(name))} has no section points."]
    about, unit = result.facts_of(Diagram), input_unit(result, result.facts_of(Diagram).parameter)
    period = result["motion_period"][name].values
    values = np.asarray(unit.of(result["motion_period"]["value"].values), float)
    said, first = [], np.where(differing(period), -1, period[:, 0, 0, 0])
    edges = np.flatnonzero(np.diff(first, prepend=first[0] - 1, append=first[-1] + 1))
    for begin, end in pairwise(edges):
        if first[begin] > 0 and end - begin > NARROW * len(values) and len(said) < TOLD:
            at = (
                f"at {values[begin]:.{DIGITS}g}" if end - begin == 1 else f"from {values[begin]:.{DIGITS}g} to {values[end - 1]:.{DIGITS}g}"
            )
            said.append(f"period {first[begin]} {at}")
    which = f"{about.parameter}{f' in {pretty(unit.unit)}' if pretty(unit.unit) else ''}"
    none = float((period == 0).mean())
    rest = f"no period up to {about.most_period} is found in {brief(100 * none)} % of the runs" if none else ""
    text = "; ".join(part for part in (f"over {which} it has {listed(said)}" if said else "", rest) if part)
    sentences = [f"{text[:1].upper()}{text[1:]}."]
    if ranges := about.hysteresis.get(name):
        where = ", ".join(between(float(unit.of(low)), float(unit.of(high))) for low, high in ranges[:TOLD])
        sentences.append(f"On the way up and on the way down motions differ at {which} = {where}.")
    if result["branches"].sizes["sample"] > 1 and (depends := differing(period)).any():
        at = values[depends]
        span = between(float(at[0]), float(at[-1]))
        sentences.append(f"At {int(depends.sum())} values of {which} from {span} the period depends on the other inputs.")
    return [text for text in sentences if len(text) > 1][:2]


def differing(period: np.ndarray) -> np.ndarray:
    """At which values (values,) samples of period (values, ways, starts, samples) have more than one period."""
    low, high = (end(np.where(period >= 0, period, fill), axis=-1) for end, fill in ((np.min, 10**6), (np.max, -1)))
    return (high > low).reshape(len(period), -1).any(axis=1)


def unsure(result: ResultData, name: str) -> float:
    """Share of the runs of which nothing certain is said: their transient is not over, their points are too few, or they failed."""
    if name not in result["motion_period"]:
        return 1.0
    periods = result["motion_period"][name].values
    return float(doubtful(periods)[periods > UNTOLD].mean())
