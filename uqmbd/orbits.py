"""A simulator whose outputs are periodic orbits of a map and the points where they change: every method then bounds or samples these.

Each run starts from a known point and follows it on the straight line to the sample's inputs, with smaller steps where it is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from uqmbd.analysis.dynamics import derivatives, located
from uqmbd.analysis.dynamics.grazing import ContactMap, graze_all, graze_contact
from uqmbd.analysis.dynamics.maps import Map
from uqmbd.analysis.dynamics.of_study import a_number, first_step, map_of, named_numbers, require_known, state_of, whole_numbers
from uqmbd.analysis.dynamics.returns import PeriodMap
from uqmbd.analysis.dynamics.shooting import SAME, fewest_steps, shoot, shorter_orbit
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, Outcomes, OutputInfo, sample_count

ORBIT, GRAZING, TORUS = "orbit", "grazing", "neimark_sacker"
KINDS = (*located.KINDS, ORBIT, GRAZING)
_STEPS = (1, 4, 16, 64)  # on the way from the known inputs to those of a run
_KEYS = {"kind", "start", "period", "parameter", "near", "within"}
_OF_GRAZING = {"time", "stop", "contact"}
_SETTINGS = {"states", "find", "at", "fixed", "derivatives", "step_time", "units"}


class Orbits:
    """Simulator "orbits": `model` is a function of arrays for each coordinate and parameter, which returns the next state.

    Its settings are the section ``[solver]``.

    Parameters
    ----------
    states : list of str, optional
        Names of the coordinates. Unsaid, `model` is a function of nothing that returns a map: of a flow, with stops, by `uqmbd.PeriodMap`
        or `uqmbd.ReturnMap`.
    find : dict
        What to find, by a name: ``flip = {parameter = "a", near = 0.36, start = [0.9, 0.3], period = 1}``. The name is a kind ("flip",
        "fold", "neimark_sacker", "grazing", or "orbit", which has no parameter), or ``kind`` says it. Outputs are ``flip.a``, ``flip.x``
        for each coordinate and ``flip.multiplier_abs``, that of the largest multiplier; for an orbit also ``orbit.stable``, 1 or 0. With
        ``within = {x = [-1.0, 1.0]}`` a point outside of limits of its coordinates or parameter is lost. Grazing is where the orbit of a
        `uqmbd.PeriodMap` touches a stop of its flow: ``time`` is about when, in s after the start of a period, and ``stop`` the number
        of the stop, 0 unless said; ``grazing.time`` is one more output. Of a mechanism, by `flexmbd.section_map`, instead of both
        ``contact`` is the name of the contact that the orbit touches, and touches nowhere else.
    at : dict, optional
        Inputs for which the starts were found. Runs follow the points from there; without it each starts at its own inputs.
    fixed : dict, optional
        Parameters of the map that are no inputs.
    derivatives : str, optional
        "complex step", as a rule, or "central differences".
    step_time : float, optional
        Time of a step of the map in s.
    units : dict, optional
        Of coordinates and parameters, for tables and figures: ``{w = "rad/s"}``.

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
        require_known(settings, _SETTINGS, "orbits")
        if not settings.get("find"):
            remedy = 'write find = {flip = {parameter = "a", near = 0.36, start = [0.9, 0.3]}}'
            raise StudyError("the simulator of orbits needs 'find'", key="solver.find", remedy=remedy)
        self.outputs = tuple(outputs)
        self.map = map_of(model, settings, settings.get("derivatives", derivatives.COMPLEX))
        if not isinstance(settings["find"], Mapping):
            raise StudyError(
                "these are points by name", key="solver.find", value=settings["find"], remedy="write find = {orbit = {start = [0.9]}}"
            )
        self.find = {name: self._checked(name, one) for name, one in settings["find"].items()}
        self.at, self.fixed = (named_numbers(settings.get(key, {}), f"solver.{key}") for key in ("at", "fixed"))
        self.units = dict(settings.get("units", {}))

    def _checked(self, name: str, given: Any) -> dict[str, Any]:
        key = f"solver.find.{name}"
        if not isinstance(given, Mapping):
            raise StudyError("this says nothing of a point", key=key, value=given, remedy="write {start = [0.9, 0.3]} and what it needs")
        one = dict(given)
        kind = one.setdefault("kind", name)
        if kind not in KINDS:
            raise StudyError(f"'{kind}' is nothing to find", key=key, value=kind, remedy=f"kinds are {', '.join(KINDS)}")
        keys = _KEYS | (_OF_GRAZING if kind == GRAZING else set())
        if set(one) - keys:
            raise StudyError(f"'{min(set(one) - keys)}' says nothing of a point", key=key, remedy=f"keys are {', '.join(sorted(keys))}")
        own = () if kind != GRAZING else ("contact",) if hasattr(self.map, "contacts") else ("time",)
        needs = ("start", *(() if kind == ORBIT else ("parameter", "near")), *own)
        missing = [need for need in needs if need not in one]
        if missing:
            raise StudyError(f"'{missing[0]}' is missing", key=key, remedy=f"say where to begin: {', '.join(needs)}")
        if kind == GRAZING:
            self._check_grazing(one, key)
        one["start"] = state_of(one["start"], self.map.names, f"{key}.start")
        for number in {"near", "time"} & set(one):
            one[number] = a_number(one[number], f"{key}.{number}")
        one["period"] = whole_numbers(one, {"period": (1, 1)}, key)["period"]
        if kind == TORUS and len(self.map.names) < 2:
            raise StudyError("a map of one coordinate has no Neimark-Sacker points", key=key)
        for what, limits in one.setdefault("within", {}).items():
            if what not in (*self.map.names, one.get("parameter")):
                remedy = f"they are of {', '.join(self.map.names)} and the parameter"
                raise StudyError(f"there are no limits of '{what}'", key=f"{key}.within", value=what, remedy=remedy)
            if np.shape(limits) != (2,) or not a_number(limits[0], f"{key}.within") < a_number(limits[1], f"{key}.within"):
                remedy = f"write within = {{{what} = [-1.0, 1.0]}}"
                raise StudyError("limits are two numbers, the lower one first", key=f"{key}.within.{what}", value=limits, remedy=remedy)
        return one

    def _check_grazing(self, one: dict[str, Any], key: str) -> None:
        """`StudyError` where there is no such stop that an orbit could touch."""
        contacts = getattr(self.map, "contacts", None)
        other = sorted(set(one) & ({"contact"} if contacts is None else {"time", "stop"}))
        if not isinstance(self.map, PeriodMap) and contacts is None:
            remedy = "let the model return a uqmbd.PeriodMap of a uqmbd.Flow with stops, or a flexmbd.section_map with a contact"
            raise StudyError("grazing is of a flow over a period or a mechanism, and the model is another map", key=key, remedy=remedy)
        if other:
            remedy = "give 'time' and 'stop'" if contacts is None else "give 'contact', the name of the contact that is touched"
            raise StudyError(f"'{other[0]}' says nothing of this model's grazing", key=f"{key}.{other[0]}", remedy=remedy)
        if one.get("period", 1) != 1:
            text = "grazing is found on orbits of one step"
            raise StudyError(text, key=f"{key}.period", value=one["period"], remedy="make the time of a step longer")
        if contacts is not None:
            if one["contact"] not in contacts:
                remedy = f"they are {', '.join(contacts)}" if contacts else "give the mechanism a contact"
                raise StudyError("the mechanism has no such contact", key=f"{key}.contact", value=one["contact"], remedy=remedy)
            return
        stops = len(cast(PeriodMap, self.map).flow.stops)
        if not 0 <= one.setdefault("stop", 0) < stops:
            remedy = f"they are numbered from 0 to {stops - 1}" if stops else "give the uqmbd.Flow its stops"
            raise StudyError("the flow has no such stop", key=f"{key}.stop", value=one["stop"], remedy=remedy)

    def _names(self, name: str, one: Mapping[str, Any]) -> tuple[str, ...]:
        own = ("stable",) if one["kind"] == ORBIT else (one["parameter"],)
        own += ("time",) if one["kind"] == GRAZING else ()
        return tuple(f"{name}.{what}" for what in (*self.map.names, *own, "multiplier_abs"))

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """All that can be asked for; `StudyError` where a point's parameter is an input, or an output is none."""
        for name, one in self.find.items():
            if one.get("parameter") in samples:
                text = f"'{one['parameter']}' is an input, and its value at the {name} is what is to be found"
                raise StudyError(text, key=f"solver.find.{name}.parameter", remedy="leave it out of the inputs")
        for key, strange in (("at", set(self.at) - {*samples, *self.fixed}), ("fixed", set(self.fixed) & set(samples))):
            if strange:
                text = f"'{min(strange)}' is {'no input' if key == 'at' else 'an input'}"
                raise StudyError(text, key=f"solver.{key}.{min(strange)}", remedy=f"inputs are {', '.join(samples)}")
        units = {"time": "s", **self.units}
        known = {
            output: OutputInfo(units.get(output.split(".", 1)[1], ""), axis=None)
            for name, one in self.find.items()
            for output in self._names(name, one)
        }
        unknown = [output for output in self.outputs if output not in known]
        if unknown:
            raise StudyError(f"there is no output '{unknown[0]}'", key="outputs.include", remedy=f"outputs are {', '.join(known)}")
        one = next(iter(self.find.values()))
        values = {name: np.asarray(value, float)[:1] for name, value in samples.items()}
        own = {one["parameter"]: np.array([one["near"]], float)} if "parameter" in one else {}
        first_step(self.map, np.array([one["start"]], float), {**self.fixed, **values, **own})
        return {name: known[name] for name in self.outputs}

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch side by side; a point that is lost is a failure with a sentence."""
        n = sample_count(samples)
        outputs = {name: np.full(n, np.nan) for name in self.outputs}
        status, message = np.zeros(n, np.int8), [""] * n
        inputs = {name: np.asarray(values, float) for name, values in samples.items()}
        for name, one in self.find.items():
            names = self._names(name, one)
            if not set(names) & set(self.outputs):
                continue
            found, lost = self._followed(one, inputs, n)
            for k in np.flatnonzero([bool(why) for why in lost]):
                status[k], message[k] = ERROR, message[k] or f"{name}: {lost[k]}"
            for column, output in enumerate(names):
                if output in outputs:
                    outputs[output] = found[:, column]
        for values in outputs.values():
            values[status != 0] = np.nan
        return Outcomes(outputs, status, message, {"derivatives of the map": self.map.derivatives})

    def _followed(self, one: Mapping[str, Any], inputs: Mapping[str, np.ndarray], n: int) -> tuple[np.ndarray, list[str]]:
        """Numbers (n, names) of a point at the inputs, in the order of `_names`, and why there are none."""
        begun = np.array(
            [*one["start"], *([] if one["kind"] == ORBIT else [one["near"]]), *([one["time"]] if "time" in one else [])], float
        )
        if self.at and set(inputs) <= set(self.at):  # the known point is the same for all runs
            known, why = self._points(one, begun[None], {name: np.array([self.at[name]], float) for name in inputs})
            if not why[0]:
                begun = known[0, : len(begun)]
        numbers, lost, open_ = np.full((n, len(self._names("", one))), np.nan), [""] * n, np.arange(n)
        for steps in _STEPS if self.at else _STEPS[:1]:
            near, going = np.tile(begun, (n, 1)), open_
            for share in np.linspace(0.0, 1.0, steps + 1)[0 if self.at and not set(inputs) <= set(self.at) else 1 :]:
                values = {name: self._on_the_way(name, value[going], share) for name, value in inputs.items()}
                found, why = self._points(one, near[going], values)
                numbers[going], near[going] = found, found[:, : near.shape[1]]
                for k, text in zip(going, why):
                    lost[k] = text
                going = going[np.array([not text for text in why], bool)]
                if not going.size:
                    break
            open_ = np.array([k for k in open_ if lost[k]], int)
            if not open_.size:
                break
        return numbers, lost

    def _on_the_way(self, name: str, values: np.ndarray, share: float) -> np.ndarray:
        return (1.0 - share) * self.at[name] + share * values if name in self.at else values

    def _points(self, one: Mapping[str, Any], near: np.ndarray, inputs: Mapping[str, np.ndarray]) -> tuple[np.ndarray, list[str]]:
        d, period, values = len(self.map.names), int(one["period"]), {**self.fixed, **inputs}
        try:
            if one["kind"] == ORBIT:
                orbits = shoot(self.map, near, values, period)
                states, lost = orbits.states, orbits.lost
                found = np.column_stack([states, orbits.stable, np.abs(orbits.multipliers).max(axis=1)])
            elif one["kind"] == GRAZING:
                found, lost = grazed(self.map, one, near, values)
            else:
                points = located.locate_all(
                    self.map, one["kind"], one["parameter"], near[:, :d], {**values, one["parameter"]: near[:, d]}, period
                )
                lost = [point.lost for point in points]
                found = np.array([[*point.state, point.parameter, np.abs(point.multipliers).max()] for point in points])
        except StudyError as error:
            if len(near) == 1:
                return np.full((1, len(self._names("", one))), np.nan), [error.message]
            each = [
                self._points(one, near[k : k + 1], {name: value[k : k + 1] for name, value in inputs.items()}) for k in range(len(near))
            ]
            return np.concatenate([found for found, _ in each]), [why for _, whys in each for why in whys]
        fewest = self._fewest(one, found, values) if period > 1 else np.full(len(found), period)
        lost = [
            why or ("" if steps == period else f"from the start comes {shorter_orbit(steps, period)}") for why, steps in zip(lost, fewest)
        ]
        for name, (low, high) in one["within"].items():
            values_of = found[:, [*self.map.names, one.get("parameter")].index(name)]
            lost = [
                why or ("" if low <= value <= high else f"it was found at {name} = {value:.6g}, outside of {low:g} to {high:g}")
                for why, value in zip(lost, values_of)
            ]
        return found, list(lost)

    def _fewest(self, one: Mapping[str, Any], found: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
        """Steps (n,) after which orbits are back."""
        d = len(self.map.names)
        own = {} if one["kind"] == ORBIT else {one["parameter"]: found[:, d]}
        states = found[:, :d]
        near = SAME * np.maximum(1.0, np.abs(states).max(axis=1, keepdims=True))
        return fewest_steps(self.map, states, {**values, **own}, int(one["period"]), near)


def grazed(base: Map, one: Mapping[str, Any], near: np.ndarray, values: Mapping[str, Any]) -> tuple[np.ndarray, list[str]]:
    """Numbers (n, names) of grazing points near states, parameters, and of flows times (n, d + 2 or d + 1), and why there are none."""
    d, parameter = len(base.names), one["parameter"]
    given = {**values, parameter: near[:, d]}
    if "contact" in one:
        touches = graze_contact(cast(ContactMap, base), one["contact"], parameter, near[:, :d], given)
    else:
        touches = graze_all(cast(PeriodMap, base), parameter, near[:, :d], given, near[:, d + 1], one["stop"])
    found = [[*touch.state, touch.parameter, touch.time, np.abs(touch.multipliers).max()] for touch in touches]
    return np.array(found), [touch.lost for touch in touches]
