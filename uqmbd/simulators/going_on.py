"""Runs of mechanisms that go on from where others have ended, also with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, Outcomes, concatenate, failed_outcomes, picked, sample_count
from uqmbd.simulators.faults import as_study_error

WORDS = ("topology", "integrator", "names", "parts")


def together(
    samples: Mapping[str, np.ndarray],
    states: list[Any],
    kind: Callable[[Any], Any],
    part: Callable[[dict[str, np.ndarray], list[Any]], Outcomes],
) -> Outcomes:
    """Outcomes of runs from states, those whose states are of one kind (hashable) by one call of `part`."""
    kinds: dict[Any, list[int]] = {}
    for i, state in enumerate(states):
        kinds.setdefault(kind(state), []).append(i)
    parts = [part({k: x[at] for k, x in samples.items()}, [states[i] for i in at]) for at in kinds.values()]
    order = [i for at in kinds.values() for i in at]
    return picked(concatenate(parts), np.argsort(order).tolist())


def going_on(simulator: Any, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
    """Runs from states, see `LanesSimulator.go_on`: those at one time, of one kind, side by side."""

    def kind(state: Any) -> Any:
        return None if state is None else (state["time"], *(state[word] for word in WORDS[:2]))

    return together(samples, states, kind, partial(part_of, simulator))


def part_of(simulator: Any, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
    """Runs side by side; where they cannot go on together, one by one, so that those that cannot fail alone."""
    import flexmbd

    n = sample_count(samples)
    try:
        with as_study_error(simulator):
            own = {key: value for key, value in simulator.arguments().items() if key in ("outputs", "end", "settings")}
            own |= simulator.sections(samples)
            simulation = flexmbd.compile(simulator.model.load(), samples if states[0] is None else inputs_of(states), **own)
            start = simulation.start(dict(samples)) if states[0] is None else state_of(flexmbd, states)
            changed = {name: x for name, x in samples.items() if not np.array_equal(x, start.samples[name])}
            begin, points = float(start.time[0]), len(simulator.time)
            motion, ends = simulation.go_on(
                start, begin + float(simulator.time[-1]), points=points, inputs=changed or None, anew=begin > 0.0
            )
    except StudyError as error:
        if states[0] is None:
            raise
        if n > 1:
            return concatenate([part_of(simulator, {k: x[i : i + 1] for k, x in samples.items()}, states[i : i + 1]) for i in range(n)])
        shapes = {name: simulator.info(name, {}).shape(len(simulator.time)) for name in simulator.names}
        return replace(failed_outcomes(1, shapes, ERROR, error.message), states=[None])
    found = simulator.outcomes(motion, begin)  # times are those of the run
    return replace(found, states=[None if code else plain(ends, i) for i, code in enumerate(np.asarray(motion.status).tolist())])


def plain(state: Any, i: int) -> dict[str, Any]:
    """The state of one run as plain data."""
    words = {word: getattr(state, word) for word in WORDS}
    return {**words, "time": float(state.time[i]), "values": state.values[i], "samples": {k: float(x[i]) for k, x in state.samples.items()}}


def inputs_of(states: list[Any]) -> dict[str, np.ndarray]:
    """Inputs of the runs that states are of."""
    return {name: np.array([state["samples"][name] for state in states]) for name in states[0]["samples"]}


def state_of(flexmbd: Any, states: list[Any]) -> Any:
    """One `flexmbd.State` of several."""
    first = states[0]
    parts = {name: tuple(place) for name, place in first["parts"].items()}
    values = np.stack([state["values"] for state in states])
    return flexmbd.State(first["topology"], first["integrator"], tuple(first["names"]), parts, values, inputs_of(states))


# ---- of functions of arrays: a state is a number, an array, or a dict of these by name
def shape_of(state: Any) -> Any:
    """What states that are stacked have in common, hashable."""
    if isinstance(state, Mapping):
        return tuple((name, shape_of(value)) for name, value in sorted(state.items()))
    return None if state is None else (np.shape(state), np.asarray(state).dtype.kind)


def stacked(states: list[Any]) -> Any:
    """States of runs as one whose arrays are over the runs; None of runs from time zero."""
    if isinstance(states[0], Mapping):
        return {name: stacked([state[name] for state in states]) for name in states[0]}
    return None if states[0] is None else np.stack([np.asarray(state) for state in states])


def split(state: Any, n: int) -> list[Any]:
    """The states of n runs that `stacked` would make one of; ValueError where an array is not over the runs."""
    if isinstance(state, Mapping):
        each = {name: split(value, n) for name, value in state.items()}
        return [{name: values[i] for name, values in each.items()} for i in range(n)]
    values = np.asarray(state)
    if values.dtype.kind not in "biuf" or values.shape[:1] != (n,):
        raise ValueError(f"{values.dtype.name} of shape {values.shape}")
    return [value.copy() if values.ndim > 1 else value.item() for value in values]
