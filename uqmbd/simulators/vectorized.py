"""A Python function of arrays as the simulator: one call for a batch, each input and each output an array over the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.interrupts import of_the_model
from uqmbd.outcomes import ERROR, TIME, Axis, Outcomes, OutputInfo, concatenate, failed_outcomes, sample_count
from uqmbd.simulators.controls import require_start, with_control
from uqmbd.simulators.curve import check_axis
from uqmbd.simulators.events import is_field_or_events
from uqmbd.simulators.function import BadOutput, call, check_over, declared, known_output, lookup, may_miss, turning, unit_of
from uqmbd.simulators.going_on import shape_of, split, stacked, together
from uqmbd.simulators.model import Model, describe
from uqmbd.simulators.windows import check_reduction, read_name, reduced

F = TypeVar("F", bound=Callable[..., Any])

ALIKE = 1e-6  # part of an output's size by which a run may differ alone and in a batch: sums over arrays of other lengths round differently


def vectorized(function: F) -> F:
    """Mark a model as one that takes arrays: it is called once for a batch of runs, not once a run.

    Each input is an array of shape (runs,), in SI. Each output is an array (runs,) of numbers, or (runs, points) over time or in a
    `Curve`. A run for which something is NaN or infinite has failed; the others have not. Where a method has runs go on from
    others, `start` are their states (None at time zero): what the function returned as ``"state"``, an array (runs, ...) or a dict
    of these.

    Examples
    --------
    >>> import uqmbd as uq
    >>> @uq.vectorized
    ... def force(stiffness, way):
    ...     return {"force": stiffness * way}
    """
    function.vectorized = True
    return function


@dataclass(frozen=True)
class VectorizedSimulator:
    """A black box of arrays.

    Attributes
    ----------
    model : Model
        Where the function is.
    names : tuple of str
        Outputs, ``"name"`` or ``"name:reduction"``.
    time : ndarray of shape (points,) or None
        The study's time grid [s]; handed to the function if it has a parameter `time`.
    info : dict of str to OutputInfo
        What the outputs are over, from a trial batch.
    """

    width = 64  # a call costs some microseconds

    model: Model
    names: tuple[str, ...]
    time: np.ndarray | None
    info: dict[str, OutputInfo]

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """What the outputs are, as the trial batch said."""
        return self.info

    def with_control(self, control: Mapping[str, float]) -> VectorizedSimulator:
        """See `uqmbd.simulators.base.Controlled`: the function gets each as one number, which is that of all runs of a call."""
        return replace(self, model=with_control(self.model, control))

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """See `uqmbd.simulators.base.Continuing`: the function gets ``start`` over the runs, and returns ``state`` so."""
        require_start(self.model)
        return together(samples, states, shape_of, self.simulate)

    def simulate(self, samples: Mapping[str, np.ndarray], states: list[Any] | None = None) -> Outcomes:
        """Run a batch by one call; when that raises, by one call for each half, until only the runs that raise have failed.

        `states` are all of one shape, or None.
        """
        n, start = sample_count(samples), {} if states is None else {"start": stacked(states)}
        try:
            raw = call(self.model.load(), {key: np.array(values, np.float64) for key, values in samples.items()} | start, self.time)
        except BaseException as error:
            if not of_the_model(error):
                raise
            if n == 1:
                shapes = {name: self.info[name].shape(0 if self.time is None else len(self.time)) for name in self.names}
                failed = failed_outcomes(1, shapes, ERROR, f"the model raised {describe(error)}")
                return failed if states is None else replace(failed, states=[None])
            halves = [slice(0, n // 2), slice(n // 2, n)]
            parts = [({key: values[half] for key, values in samples.items()}, states and states[half]) for half in halves]
            return concatenate([self.simulate(*part) for part in parts])
        outputs = {name: columns(raw, name, self.names, self.time, n, self.info[name])[0] for name in self.names}
        status, message = np.zeros(n, np.int8), [""] * n
        for name, values in outputs.items():
            finite = (~np.isinf(values) if self.info[name].may_miss else np.isfinite(values)).reshape(n, -1).all(axis=1)
            for i in np.flatnonzero(~finite & (status == 0)).tolist():
                status[i], message[i] = ERROR, f"output {name!r} is NaN or infinite"
        attributes: dict[str, Any] = {"simulator": "function of arrays", **declared(self.model.load())}
        return Outcomes(outputs, status, message, attributes, None if states is None else self.ends(raw, n))

    def ends(self, raw: Any, n: int) -> list[Any]:
        """Where the runs ended, as the function says."""
        state = raw.get("state") if isinstance(raw, Mapping) else None
        if state is None:
            return [None] * n
        try:
            return split(state, n)
        except (TypeError, ValueError) as error:
            text = f"the model was called with {n} runs, and its 'state' has {error}"
            remedy = "return numbers over the runs, (runs, ...), or a dict of such arrays"
            raise StudyError(text, key="study.model", value=self.model.label, remedy=remedy) from None


def columns(
    raw: Any, name: str, names: tuple[str, ...], time: np.ndarray | None, n: int, known: OutputInfo | None = None
) -> tuple[np.ndarray, Axis | None]:
    """One output of `n` runs, (n,) or (n, points), reduced if its name says so, and what it is over; `known` once it was tried.

    Raises
    ------
    StudyError
        When it has another shape or grid: a model of arrays cannot be right for some runs only.
    """
    reduction = read_name(name).how
    try:
        values, axis = lookup(raw, name, names)
        if is_field_or_events(axis):
            text, what = "a function of arrays gives no fields and no events", "leave `vectorized` out: then the model is called run by run"
            raise StudyError(text, key="outputs.include", value=name, remedy=what)
        if known is not None and not reduction:
            check_over(name, axis, known.axis)
    except BadOutput as error:
        raise StudyError(str(error), key="outputs.include", value=name, remedy=remedy(time)) from None
    if axis is not None and known is None:
        check_axis(name, axis, names)
    check_reduction(name, axis, time)
    grid = time if axis is None else axis.values
    over = bool(reduction) or axis is not None or (known is not None and known.axis is not None)
    shapes: list[tuple[int, ...]] = [] if over else [(n,)]
    if grid is not None and (over or known is None):
        shapes.append((n, len(grid)))
    if values.shape not in shapes:
        wanted = " or ".join(map(str, shapes)) or f"a shape with times, ({n}, points),"
        text = f"the model was called with {n} runs and gave {name!r} in shape {values.shape}, where {wanted} is expected"
        raise StudyError(text, key="outputs.include", value=name, remedy=remedy(time))
    if reduction:
        try:
            return reduced(name, values, axis, time, lambda angle: turning(raw, angle, values.shape)), None
        except BadOutput as error:
            raise StudyError(str(error), key="outputs.include", value=name, remedy=remedy(time)) from None
    return values, axis or (TIME if values.ndim > 1 else None)


def remedy(time: np.ndarray | None) -> str:
    """What a model of arrays has to return."""
    rest = "" if time is None else f", or (runs, {len(time)}) over time"
    arrays = f"an array (runs,){rest}, or a uqmbd.Curve of (runs, points)"
    return f"return for it {arrays}; or leave `vectorized` out: then the model is called with numbers, run by run"


def make_vectorized(
    model: Model, names: tuple[str, ...], time: np.ndarray | None, samples: Mapping[str, np.ndarray]
) -> VectorizedSimulator:
    """Call the model with a few samples at once, and with the first and the last alone, and wrap it by what it returned.

    Raises
    ------
    StudyError
        When it raises, has no such output, gives other shapes, or a run's result depends on the other runs of its batch.
    """
    n = sample_count(samples)
    raw = called(model, samples, time)
    model.derived.refuse_hidden(raw)
    single = {at: called(model, {key: values[at : at + 1] for key, values in samples.items()}, time) for at in {0, n - 1}}
    info, missing = {}, may_miss(model.load(), raw)
    for name in names:
        known_output(raw, name)
        values, axis = columns(raw, name, names, time, n)
        info[name] = OutputInfo(unit_of(raw, name), axis, may_miss=read_name(name).base in missing)
        near = ALIKE * np.abs(values[np.isfinite(values)]).max(initial=0.0)
        for at, found in single.items():
            alone, _ = columns(found, name, names, time, 1, info[name])
            if not np.allclose(values[at], alone[0], rtol=ALIKE, atol=near, equal_nan=True):
                text = f"the model gives {name.partition(':')[0]!r} of a run other values in a batch than alone"
                raise StudyError(text, key="study.model", value=model.label, remedy="have each run depend on its own inputs only")
    return VectorizedSimulator(model, names, time, info)


def called(model: Model, samples: Mapping[str, np.ndarray], time: np.ndarray | None) -> Any:
    """What the model returns for a batch of trial samples."""
    try:
        return call(model.load(), {key: np.array(values, np.float64) for key, values in samples.items()}, time)
    except BaseException as error:
        if not of_the_model(error):
            raise
        at = ", ".join(f"{key}={values.tolist()}" for key, values in samples.items())
        raise StudyError(
            f"the model raises {describe(error)} at arrays {at}",
            key="study.model",
            value=model.label,
            remedy="a vectorized model takes arrays: np.where instead of `if`, numpy's functions instead of math's",
        ) from error


def refuse_timeout(timeout: float | None) -> None:
    """A limit of a run cannot be held by a model that is called for a batch."""
    if timeout is not None:
        raise StudyError(
            "a time limit is of a run, and a vectorized model is called for a batch",
            key="campaign.timeout",
            value=timeout,
            remedy="leave one of the two out",
        )
