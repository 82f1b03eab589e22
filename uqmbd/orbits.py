"""A simulator whose outputs are periodic orbits of a map and the points where they change: every method then bounds or samples these.

Each run starts from a known point and follows it on the straight line to the sample's inputs, with smaller steps where it is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics import derivatives, located
from uqmbd.analysis.dynamics.maps import FunctionMap, Map
from uqmbd.analysis.dynamics.shooting import shoot
from uqmbd.errors import StudyError
from uqmbd.outcomes import STATUS, Outcomes, OutputInfo

ORBIT = "orbit"
_STEPS = (1, 4, 16, 64)  # on the way from the known inputs to those of a run
_KEYS = {"kind", "start", "period", "parameter", "near"}


class Orbits:
    """Simulator ``uqmbd.orbits:Orbits``: `model` is a function of arrays for each coordinate and parameter, which returns the next state.

    Its settings are the section ``[solver]``.

    Parameters
    ----------
    states : list of str
        Names of the coordinates.
    find : dict
        What to find, by a name: ``flip = {parameter = "a", near = 0.36, start = [0.9, 0.3], period = 1}``. The name is a kind ("flip",
        "fold", "neimark_sacker", or "orbit", which has no parameter), or ``kind`` says it. Outputs are ``flip.a``, ``flip.x`` for each
        coordinate and ``flip.multiplier_abs``, that of the largest multiplier; for an orbit also ``orbit.stable``, 1 or 0.
    at : dict, optional
        Inputs for which the starts were found. Runs follow the points from there; without it each starts at its own inputs.
    fixed : dict, optional
        Parameters of the map that are no inputs.
    derivatives : str, optional
        "complex step", as a rule, or "central differences".

    Examples
    --------
    >>> import numpy as np
    >>> find = {"flip": {"parameter": "a", "near": 0.36, "start": [0.9, 0.3]}}
    >>> settings = {"states": ["x", "y"], "find": find, "at": {"b": 0.3}}
    >>> henon = Orbits(lambda x, y, a, b: (1 - a * x**2 + y, b * x), ["flip.a"], None, settings, None)
    >>> henon.simulate({"b": np.array([0.2, 0.3])}).outputs["flip.a"].round(9).tolist()
    [0.48, 0.3675]
    """

    width = 64

    def __init__(
        self, model: Any, outputs: Sequence[str], time: np.ndarray | None, settings: Mapping[str, Any], timeout: float | None
    ) -> None:
        unknown = set(settings) - {"states", "find", "at", "fixed", "derivatives"}
        if unknown:
            raise StudyError(f"the simulator of orbits has no setting '{min(unknown)}'", key="solver", value=min(unknown))
        if model is None:
            raise StudyError("the simulator of orbits needs a map", key="study.model", remedy='write model = "file.py:function"')
        for key, example in (("states", '["x", "y"]'), ("find", '{flip = {parameter = "a", near = 0.36, start = [0.9, 0.3]}}')):
            if not settings.get(key):
                raise StudyError(f"the simulator of orbits needs '{key}'", key=f"solver.{key}", remedy=f"write {key} = {example}")
        self.outputs = tuple(outputs)
        kind = settings.get("derivatives", derivatives.COMPLEX)
        self.map: Map = FunctionMap(function=model, names=tuple(settings["states"]), derivatives=kind)
        self.find = {name: self._checked(name, dict(one)) for name, one in settings["find"].items()}
        self.at, self.fixed = dict(settings.get("at", {})), dict(settings.get("fixed", {}))

    def _checked(self, name: str, one: dict[str, Any]) -> dict[str, Any]:
        kind, key = one.setdefault("kind", name), f"solver.find.{name}"
        if kind not in (*located.KINDS, ORBIT):
            raise StudyError(f"'{kind}' is nothing to find", key=key, value=kind, remedy=f"kinds are {', '.join((*located.KINDS, ORBIT))}")
        if set(one) - _KEYS:
            raise StudyError(f"'{min(set(one) - _KEYS)}' says nothing of a point", key=key, remedy=f"keys are {', '.join(sorted(_KEYS))}")
        missing = [need for need in ("start", *(() if kind == ORBIT else ("parameter", "near"))) if need not in one]
        if missing:
            raise StudyError(f"'{missing[0]}' is missing", key=key, remedy="say near which state, and which parameter, to begin")
        if len(one["start"]) != len(self.map.names):
            remedy = f"give one number for each of {', '.join(self.map.names)}"
            raise StudyError(f"a start has {len(one['start'])} numbers", key=f"{key}.start", value=one["start"], remedy=remedy)
        if int(one.setdefault("period", 1)) < 1:
            raise StudyError("an orbit has at least one step", key=f"{key}.period", value=one["period"])
        return one

    def _names(self, name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
        own = ("stable",) if one["kind"] == ORBIT else (one["parameter"],)
        return tuple(f"{name}.{what}" for what in (*self.map.names, *own, "multiplier_abs"))

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """All that can be asked for; `StudyError` where a point's parameter is an input, or an output is none."""
        for name, one in self.find.items():
            if one.get("parameter") in samples:
                text = f"'{one['parameter']}' is an input, and its value at the {name} is what is to be found"
                raise StudyError(text, key=f"solver.find.{name}.parameter", remedy="leave it out of the inputs")
        known = {output: OutputInfo("", axis=None) for name, one in self.find.items() for output in self._names(name, one)}
        unknown = [output for output in self.outputs if output not in known]
        if unknown:
            raise StudyError(f"there is no output '{unknown[0]}'", key="outputs.include", remedy=f"outputs are {', '.join(known)}")
        return {name: known[name] for name in self.outputs}

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch, one after another; a point that is lost is a failure with a sentence."""
        n = len(next(iter(samples.values())))
        outputs = {name: np.full(n, np.nan) for name in self.outputs}
        status, message = np.zeros(n, np.int8), [""] * n
        asked = {name: one for name, one in self.find.items() if set(self._names(name, one)) & set(self.outputs)}
        for k in range(n):
            inputs = {name: float(values[k]) for name, values in samples.items()}
            for name, one in asked.items():
                found, lost = self._followed(one, inputs)
                if lost:
                    status[k], message[k] = STATUS.index("error"), f"{name}: {lost}"
                    break
                for output, value in zip(self._names(name, one), found):
                    if output in outputs:
                        outputs[output][k] = value
        for values in outputs.values():
            values[status != 0] = np.nan
        return Outcomes(outputs, status, message)

    def _followed(self, one: Mapping[str, Any], inputs: Mapping[str, float]) -> tuple[np.ndarray, str]:
        """Numbers of a point at the inputs, in the order of `_names`, and why there are none."""
        found, lost, d = np.empty(0), "", len(self.map.names)
        for steps in _STEPS if self.at else _STEPS[:1]:
            near = np.array([*one["start"], *([] if one["kind"] == ORBIT else [one["near"]])], float)
            for share in np.linspace(0.0, 1.0, steps + 1)[0 if self.at else 1 :]:
                values = {name: (1.0 - share) * self.at.get(name, value) + share * value for name, value in inputs.items()}
                found, lost = self._point(one, near, {**self.fixed, **values})
                if lost:
                    break
                near = found[:d] if one["kind"] == ORBIT else found[: d + 1]
            if not lost:
                break
        return found, lost

    def _point(self, one: Mapping[str, Any], near: np.ndarray, values: Mapping[str, float]) -> tuple[np.ndarray, str]:
        d, period = len(self.map.names), int(one["period"])
        if one["kind"] == ORBIT:
            orbits = shoot(self.map, near[None], values, period)
            numbers = [*orbits.states[0], float(orbits.stable[0]), np.abs(orbits.multipliers[0]).max()]
            return np.array(numbers), orbits.lost[0]
        point = located.locate(self.map, one["kind"], one["parameter"], near[:d], {**values, one["parameter"]: near[d]}, period)
        return np.array([*point.state, point.parameter, np.abs(point.multipliers).max()]), point.lost
