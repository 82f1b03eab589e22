"""A simulator of chaos under control: whether a controller that was made for known inputs holds an orbit at others.

The share of a box in which it holds is the mean of ``control.holds`` over random inputs (method montecarlo, with exact limits).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.control import STILL, Delayed, Fed, delayed_gain, held, ogy_gain
from uqmbd.analysis.dynamics.delays import Continuous
from uqmbd.analysis.dynamics.maps import Map, composed
from uqmbd.analysis.dynamics.of_study import Begin, a_number, first_step, map_of, named_numbers, require_known, state_of, whole_numbers
from uqmbd.analysis.dynamics.returns import PeriodMap
from uqmbd.analysis.dynamics.shooting import SAME, TOLERANCE, Orbits, fewest_steps, shoot, shorter_orbit
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, Outcomes, OutputInfo, sample_count

OGY, DELAYED, CONTINUOUS = "ogy", "delayed", "continuous"
NEAR = 1e-3  # beside the larger of one and a state's size: what came to rest within this of the orbit is at it
_SETTINGS = {"states", "start", "fixed", "derivatives", "step_time", "steps"}
_OWN = {"way", "parameter", "near", "period", "at", "gain", "factor", "limit", "clipped", "tolerance", "still", "accuracy"}
_OUTPUTS = {
    "control.holds": "1 where the motion comes to rest at the orbit, else 0",
    "control.steps": "steps until it rests there",
    "control.effort": "size of the change of the parameter that is left",
    "control.multiplier_abs": "largest multiplier of the orbit under control, in absolute value",
    "control.change": "change of the parameter at the orbit under control",
}
_MISSING, _SHOT = ("control.steps", "control.effort"), ("control.multiplier_abs", "control.change")


class ChaosControl:
    """Simulator ``uqmbd.chaos_control:ChaosControl``: `model` is a function of arrays for each coordinate and parameter, the next state.

    Its settings are the section ``[solver]``. A controller is made once, for the orbit that is found at the inputs `at`; each run has its
    own inputs and this controller. Outputs: ``control.holds``, 1 where the motion comes to rest at the orbit, else 0; ``control.steps``
    until then, and ``control.effort``, the size of the change of the parameter that is left, both missing where it does not hold;
    ``control.multiplier_abs``, the largest of the orbit under control, and ``control.change`` of the parameter there, both without the
    limit: where they are below one and the limit, the orbit can be held.

    Parameters
    ----------
    states : list of str, optional
        Names of the coordinates. Unsaid, `model` is a function of nothing that returns a map (`uqmbd.analysis.dynamics.maps.Map`).
    start : list of float
        Where the motion begins; a coordinate that is an input begins at it.
    parameter : str
        By which the map is controlled, an input or one of `fixed`, whose value is that plus the change.
    near : list of float
        A state from which Newton's method finds the orbit, at `at`.
    at : dict, optional
        The inputs for which the controller is made; all inputs that are parameters of the map.
    limit : float
        Of the change of the parameter.
    way : str, optional
        "ogy", which feeds back the distance from the orbit; "delayed", that from the step before; or "continuous", that from where the
        motion was a step before, all the time: of a `uqmbd.PeriodMap` without stops, whose period is that of the drive, and with a `gain`.
    period : int, optional
        Steps of the orbit, 1 unless said; the parameter is changed once for all.
    gain : list of float, optional
        Instead of the one that is found: the change is it times what is fed back, with a minus.
    factor : float, optional
        Times the gain (1): one of "delayed" nearer to the end of its range may hold more inputs, more slowly.
    clipped : bool, optional
        A change beyond the limit is the limit; else there is none, as with "ogy" unless said.
    fixed : dict, optional
        Parameters of the map that are no inputs.
    steps, still : int, optional
        In which the motion has to come to rest (5000), and for how many of them, the last (100).
    tolerance : float, optional
        Of rest, beside the larger of one and the state's size (1e-6).
    accuracy : float, optional
        Of the orbit, the same (1e-11); of a map that is integrated no better than its own.
    derivatives, step_time
        As of `uqmbd.lyapunov.Lyapunov`.

    Examples
    --------
    >>> import numpy as np
    >>> settings = {"states": ["x"], "start": [0.3], "parameter": "r", "near": [0.7], "at": {"r": 3.9}, "limit": 0.1}
    >>> logistic = ChaosControl(lambda x, r: r * x * (1 - x), ["control.holds", "control.multiplier_abs"], None, settings, None)
    >>> found = logistic.simulate({"r": np.array([3.9, 3.8])}).outputs
    >>> found["control.holds"].tolist(), found["control.multiplier_abs"].round(6).tolist()
    ([1.0, 0.0], [0.0, 0.478819])
    """

    width = 256

    def __init__(
        self, model: Any, outputs: Sequence[str], time: np.ndarray | None, settings: Mapping[str, Any], timeout: float | None
    ) -> None:
        require_known(settings, _SETTINGS | _OWN, "chaos under control")
        for key, example in (("parameter", '"r"'), ("near", "[0.7]"), ("limit", "0.1")):
            if key not in settings:
                raise StudyError(f"a controller needs '{key}'", key=f"solver.{key}", remedy=f"write {key} = {example}")
        self.outputs, self.way = tuple(outputs), settings.get("way", OGY)
        if self.way not in (OGY, DELAYED, CONTINUOUS):
            remedy = f'take "{OGY}", "{DELAYED}" or "{CONTINUOUS}"'
            raise StudyError("there is no such control", key="solver.way", value=self.way, remedy=remedy)
        base = map_of(model, settings, settings.get("derivatives", derivatives.COMPLEX))
        self.begin = Begin(base.names, settings.get("start", ()), settings.get("fixed", {}))
        self.near = state_of(settings["near"], base.names, "solver.near")
        numbers = whole_numbers(settings, {"steps": (5000, 2), "still": (STILL, 1), "period": (1, 1)})
        self.steps, self.still, self.base = numbers["steps"], numbers["still"], base
        self.period, self.map = numbers["period"], composed(base, numbers["period"])
        if self.steps <= self.still:
            raise StudyError(f"a motion does not rest for {self.still} of {self.steps} steps", key="solver.steps", value=self.steps)
        self.at, self.parameter = named_numbers(settings.get("at", {}), "solver.at"), settings["parameter"]
        self.gain, self.tolerance = settings.get("gain"), a_number(settings.get("tolerance", 1e-6), "solver.tolerance")
        self.accuracy = a_number(settings.get("accuracy", TOLERANCE), "solver.accuracy")
        self.factor = a_number(settings.get("factor", 1.0), "solver.factor")
        self.limit, self.clipped = a_number(settings["limit"], "solver.limit"), bool(settings.get("clipped", self.way != OGY))
        if self.gain is not None and np.shape(self.gain) != (len(base.names),):
            raise StudyError("a gain has a number for each coordinate", key="solver.gain", value=self.gain, remedy=", ".join(base.names))
        if not self.limit > 0:
            raise StudyError("the limit of the change is above zero", key="solver.limit", value=self.limit)
        if self.way == CONTINUOUS:
            _require_flow(base, self.gain, self.clipped)

    def controlled(self) -> tuple[Fed | Delayed | Continuous, np.ndarray]:
        """The map under control, and the state (d,) of the orbit for which the controller was made.

        Raises
        ------
        StudyError
            There is no orbit near, or none that can be controlled so.
        """
        values = {**self.begin.fixed, **self.at}
        orbit = shoot(self.map, np.array([self.near], float), values, tolerance=self.accuracy)
        if orbit.lost[0]:
            text = f"near {list(self.near)} there is no orbit to control: {orbit.lost[0]}"
            raise StudyError(
                text, key="solver.near", value=self.near, remedy="take a state nearer to the orbit, as of simulator uqmbd.orbits"
            )
        target = orbit.states[0]
        fewest = int(fewest_steps(self.base, target[None], values, self.period, SAME * max(1.0, float(np.abs(target).max())))[0])
        if fewest < self.period:
            text = f"near {list(self.near)} there is {shorter_orbit(fewest, self.period)}"
            raise StudyError(text, key="solver.near", value=self.near, remedy=f"take another state, or period = {fewest}")
        if self.gain is not None:
            gain = np.array(self.gain, float)
        else:
            by_state, by_parameter = self.map.tangent(target[None], values, (self.parameter,))[1:]
            gain = (ogy_gain if self.way == OGY else delayed_gain)(by_state[0], by_parameter[0, :, 0])
        known = {"parameter": self.parameter, "gain": self.factor * gain, "limit": self.limit}
        if self.way == CONTINUOUS:
            return Continuous(**known, base=cast(PeriodMap, self.base), times=self.period), target
        known |= {"base": self.map, "clipped": self.clipped}
        return (Fed(**known, target=target) if self.way == OGY else Delayed(**known)), target

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """All that can be asked for; `StudyError` where an output is none, or there is nothing to control."""
        known = {name: OutputInfo("", None, words, may_miss=name in _MISSING) for name, words in _OUTPUTS.items()}
        unknown = [output for output in self.outputs if output not in known]
        if unknown:
            remedy = f"outputs are {', '.join(known)}"
            raise StudyError(f"there is no output '{unknown[0]}'", key="outputs.include", value=unknown[0], remedy=remedy)
        states, parameters = self.begin.of({name: values[:1] for name, values in samples.items()})
        if self.parameter not in parameters:
            remedy = "name an input or one of `solver.fixed`"
            raise StudyError("the map has no such parameter", key="solver.parameter", value=self.parameter, remedy=remedy)
        absent = [name for name in parameters if name not in {**self.begin.fixed, **self.at}]
        if absent:
            text = f"a controller is made for known inputs, and '{absent[0]}' is not said"
            raise StudyError(text, key="solver.at", remedy=f"write at = {{{absent[0]} = ...}}")
        if strange := [name for name in self.at if name not in parameters]:
            remedy = f"inputs and numbers of `solver.fixed` are {', '.join(parameters)}"
            raise StudyError(f"'{strange[0]}' is no parameter of the map", key=f"solver.at.{strange[0]}", remedy=remedy)
        first_step(self.map, states, parameters, (self.parameter,))
        self.controlled()
        return {name: known[name] for name in self.outputs}

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch side by side."""
        n = sample_count(samples)
        states, parameters = self.begin.of(samples)
        fed, target = self.controlled()
        point, change = self._orbits(replace(fed, limit=np.inf), np.tile(target, (n, 1)), parameters)
        every: dict[str, np.ndarray] = {"control.multiplier_abs": np.abs(point.multipliers[:, 0]), "control.change": change}
        status, message = np.zeros(n, np.int8), [""] * n
        if set(self.outputs) & set(_SHOT):
            for k in np.flatnonzero(~point.found):
                status[k], message[k] = ERROR, f"under control {point.lost[k]}"
        if set(self.outputs) - set(_SHOT):
            every |= self._held(fed, _begun(fed, states, parameters), parameters, point.states)
        outputs = {name: np.where(status == 0, every[name], np.nan) for name in self.outputs}
        gain = ", ".join(f"{one:.6g}" for one in fed.gain)
        return Outcomes(outputs, status, message, {"gain of the control": gain, "derivatives of the map": self.map.derivatives})

    def _orbits(
        self, free: Fed | Delayed | Continuous, near: np.ndarray, parameters: Mapping[str, np.ndarray]
    ) -> tuple[Orbits, np.ndarray]:
        """Orbits under control without its limit, and the change of the parameter there (n,)."""
        if isinstance(free, Continuous):
            wanted = "control.multiplier_abs" in self.outputs
            point = free.orbits(near, parameters, self.accuracy) if wanted else shoot(self.map, near, parameters, tolerance=self.accuracy)
            return point, np.where(point.found, 0.0, np.nan)
        point = shoot(free, _begun(free, near, parameters), parameters, tolerance=self.accuracy)
        return point, free.change(point.states)

    def _held(
        self, fed: Fed | Delayed | Continuous, states: np.ndarray, parameters: Mapping[str, np.ndarray], point: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The outputs of motions under control, each (n,); rest at another point than the orbit's is none."""
        found = held(fed, states, parameters, steps=self.steps, still=self.still, tolerance=self.tolerance)
        with np.errstate(invalid="ignore"):
            away = np.abs(found.states[:, : point.shape[1]] - point).max(axis=1) / np.maximum(1.0, np.abs(point).max(axis=1))
            holds = found.holds & (away <= NEAR)
        return {
            "control.holds": holds.astype(float),
            "control.steps": np.where(holds, found.steps, np.nan),
            "control.effort": np.where(holds, np.abs(found.effort), np.nan),
        }


def _begun(fed: Fed | Delayed | Continuous, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
    """States of the map under control from those of the map (n, d): as if the step before had led to the same one, or behind a free one."""
    if isinstance(fed, Continuous):
        return fed.begun(states, parameters)
    return np.tile(states, 2) if isinstance(fed, Delayed) else states


def _require_flow(base: Map, gain: Any, clipped: bool) -> None:
    """Raise `StudyError` for what cannot be fed back all the time."""
    if not isinstance(base, PeriodMap):
        remedy = 'let the model return a uqmbd.PeriodMap, or take way = "delayed"'
        raise StudyError("feedback that acts all the time is of a flow over a period", key="solver.way", value=CONTINUOUS, remedy=remedy)
    if base.flow.stops:
        remedy = 'leave the stops out, or take way = "delayed"'
        raise StudyError("feedback that acts all the time is of flows without stops", key="solver.way", value=CONTINUOUS, remedy=remedy)
    if gain is None:
        example = ", ".join(["0.0"] * (len(base.names) - 1) + ["0.4"])
        raise StudyError("no gain is found for feedback that acts all the time", key="solver.gain", remedy=f"write gain = [{example}]")
    if not clipped:
        raise StudyError("feedback that acts all the time is at its limit beyond it", key="solver.clipped", remedy="leave it out")
