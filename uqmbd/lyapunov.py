"""A simulator whose outputs are Lyapunov exponents of a map and whether it is chaotic: every method then gives bounds and probabilities.

All runs of a batch go side by side. Limits of 95 % are those of `uqmbd.analysis.dynamics.exponents`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.compiled import compiled_spectrum, stepping
from uqmbd.analysis.dynamics.exponents import Exponents, kaplan_yorke, largest, spectrum
from uqmbd.analysis.dynamics.maps import FunctionMap, composed, why_lost
from uqmbd.analysis.dynamics.of_study import Begin, first_step, map_of, require_known, whole_numbers
from uqmbd.errors import StudyError
from uqmbd.outcomes import DIVERGED, ERROR, WARNING, Outcomes, OutputInfo, sample_count
from uqmbd.simulators.zero_one import too_fine, zero_one

PAIRS = "two orbits"
_SETTINGS = {"states", "start", "steps", "transient", "fixed", "derivatives", "step_time", "signal", "points", "compiled"}


class Lyapunov:
    """Simulator ``uqmbd.lyapunov:Lyapunov``: `model` is a function of arrays for each coordinate and parameter that returns the next state.

    Its settings are the section ``[solver]``. Outputs: ``exponent.1``, ``exponent.2`` ... , the largest first, each with its limits
    ``exponent.1.lower`` and ``exponent.1.upper``; their sum ``exponent.sum``; ``exponent.dimension`` (Kaplan, Yorke); ``chaos.sure``, 1
    where the lower limit of the largest is above zero; ``chaos.possible``, 1 unless the upper one is not; ``chaos.k`` of the 0-1 test of
    a coordinate. The probability of chaos is between those of ``chaos.sure`` and ``chaos.possible``. What a map has besides, other
    attractors, is seen from other starts.

    Parameters
    ----------
    states : list of str, optional
        Names of the coordinates. Unsaid, `model` is a function of nothing that returns a map: of a mechanism by `flexmbd.section_map`, of a
        flow by `uqmbd.PeriodMap` or `uqmbd.ReturnMap`.
    start : list of float
        Where orbits begin; a coordinate that is an input begins at it.
    steps, transient : int, optional
        Steps that count (4096), and those before them (512).
    fixed : dict, optional
        Parameters of the map that are no inputs.
    derivatives : str, optional
        "complex step", as a rule, or "central differences"; "two orbits" needs none, and finds the largest exponent alone.
    step_time : float, optional
        Time of a step in s: exponents are then in 1/s.
    signal : str, optional
        Coordinate of the 0-1 test, the first unless said.
    points : int, optional
        Of the signal (2000).
    compiled : bool, optional
        Whether the map is compiled (Numba), for spectra of many runs: some seconds before the first, and then ten times as fast. The
        function has to be of formulas of numbers, and to return a tuple. False unless said.

    Examples
    --------
    >>> import numpy as np
    >>> settings = {"states": ["x"], "start": [0.3]}
    >>> logistic = Lyapunov(lambda x, r: r * x * (1 - x), ["exponent.1", "chaos.sure"], None, settings, None)
    >>> found = logistic.simulate({"r": np.array([3.2, 4.0])}).outputs
    >>> found["exponent.1"].round(2).tolist(), found["chaos.sure"].tolist()
    ([-0.92, 0.69], [0.0, 1.0])
    """

    width = 256
    _code: tuple[tuple[str, ...], Any] | None = None

    def __init__(
        self, model: Any, outputs: Sequence[str], time: np.ndarray | None, settings: Mapping[str, Any], timeout: float | None
    ) -> None:
        require_known(settings, _SETTINGS, "exponents")
        self.outputs = tuple(outputs)
        kind = settings.get("derivatives", derivatives.COMPLEX)
        self.in_pairs = kind == PAIRS
        self.map = map_of(model, settings, derivatives.CENTRAL if self.in_pairs else kind)
        self.begin = Begin(self.map.names, settings.get("start", ()), settings.get("fixed", {}))
        self.counts = whole_numbers(settings, {"steps": (4096, 64), "transient": (512, 0), "points": (2000, 200)})
        self.points = self.counts.pop("points")
        self.compiled = self._compilable(settings.get("compiled", False), kind)
        signal = settings.get("signal", self.map.names[0])
        if signal not in self.map.names:
            remedy = f"take one of {', '.join(self.map.names)}"
            raise StudyError("the signal of the 0-1 test is a coordinate", key="solver.signal", value=signal, remedy=remedy)
        self.signal = self.map.names.index(signal)

    def _compilable(self, wanted: Any, kind: str) -> bool:
        """Whether the map is to be compiled; `StudyError` where it cannot be."""
        if not isinstance(wanted, bool):
            raise StudyError("'compiled' is true or false", key="solver.compiled", value=wanted)
        if wanted and (kind != derivatives.COMPLEX or not isinstance(self.map, FunctionMap)):
            remedy = "leave one of them out"
            raise StudyError("what is compiled is a function with complex steps", key="solver.compiled", remedy=remedy)
        return wanted

    def _machine_code(self, parameters: Mapping[str, np.ndarray]) -> Any:
        """The map compiled, once for these parameters."""
        if self._code is None or self._code[0] != tuple(parameters):
            self._code = tuple(parameters), stepping(cast(FunctionMap, self.map), tuple(parameters))
        return self._code[1]

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """All that can be asked for; `StudyError` where an output is none, or the map cannot take a step."""
        rate = "" if self.map.period is None else "1/s"
        numbers = range(1, 2 if self.in_pairs else len(self.map.names) + 1)
        ends = {"": "", ".lower": ", lower limit of 95 %", ".upper": ", upper limit of 95 %"}
        said = {
            f"exponent.{k}{end}": (rate, f"Lyapunov exponent {k}, the largest first{word}") for k in numbers for end, word in ends.items()
        }
        if not self.in_pairs:
            said |= {"exponent.sum": (rate, "sum of the Lyapunov exponents"), "exponent.dimension": ("", "dimension of the attractor")}
        said["chaos.sure"] = "", "1 where the largest exponent's limits are above zero, else 0"
        said["chaos.possible"] = "", "0 where the largest exponent's limits are not above zero, else 1"
        known = {name: OutputInfo(unit, None, words) for name, (unit, words) in said.items()}
        known["chaos.k"] = OutputInfo("", None, "K of the 0-1 test: 1 of chaos, 0 of regular motion", may_miss=True)
        unknown = [output for output in self.outputs if output not in known]
        if unknown:
            remedy = f"outputs are {', '.join(known)}" + (f', and others with other derivatives than "{PAIRS}"' if self.in_pairs else "")
            raise StudyError(f"there is no output '{unknown[0]}'", key="outputs.include", value=unknown[0], remedy=remedy)
        first = self.begin.of({name: values[:1] for name, values in samples.items()})
        first_step(self.map, *first, by=None if self.in_pairs else ())
        if self.compiled:
            self._machine_code(first[1])
        return {name: known[name] for name in self.outputs}

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch side by side; an orbit that leaves all bounds is a run that diverged."""
        n = sample_count(samples)
        states, parameters = self.begin.of(samples)
        steps_of = replace(self.map, compare=False) if isinstance(self.map, FunctionMap) else self.map  # `check` has compared
        if self.compiled:
            found = compiled_spectrum(self._machine_code(parameters), states, parameters, self.map.period, **self.counts)
        else:
            found = (largest if self.in_pairs else spectrum)(steps_of, states, parameters, **self.counts)
        every = self._numbers(found)
        attributes: dict[str, str | float] = {"derivatives of the map": PAIRS if self.in_pairs else self.map.derivatives}
        if "chaos.k" in self.outputs:
            every["chaos.k"], fine = self._k(found, parameters)
            if fine:
                text = f"{fine} of {n} signals are sampled too finely for the 0-1 test, and have no chaos.k"
                attributes[f"{WARNING}chaos.k"] = f"{text}: take every so many steps as one"
        outputs = {name: every[name] for name in self.outputs}
        status, message = np.zeros(n, np.int8), [""] * n
        for k in range(n):
            infinite = [name for name, values in outputs.items() if np.isinf(values[k])]
            if found.lost[k] >= 0:
                status[k], message[k] = (
                    DIVERGED,
                    self._why(states[k : k + 1], {name: v[k : k + 1] for name, v in parameters.items()}, found.lost[k]),
                )
            elif infinite:
                status[k], message[k] = ERROR, f"{infinite[0]} is minus infinity: a direction vanishes in a step"
        for values in outputs.values():
            values[status != 0] = np.nan
        return Outcomes(outputs, status, message, attributes)

    def _why(self, start: np.ndarray, parameters: Mapping[str, np.ndarray], step: int) -> str:
        """Why an orbit is lost at a step, in the words of the map where it has some."""
        own = composed(self.map, int(step) + 1)
        return f"{why_lost(own, start, parameters, otherwise='the orbit leaves all bounds')[0]} at step {step + 1}"

    def _numbers(self, found: Exponents) -> dict[str, np.ndarray]:
        """All outputs that follow from exponents, each (n,)."""
        every = {}
        for k, (value, error) in enumerate(zip(found.values.T, found.error.T), start=1):
            every |= {f"exponent.{k}": value, f"exponent.{k}.lower": value - error, f"exponent.{k}.upper": value + error}
        every |= {"exponent.sum": found.values.sum(axis=1), "exponent.dimension": kaplan_yorke(found.values)}
        verdict = found.chaotic
        return every | {"chaos.sure": np.where(verdict == 1, 1.0, 0.0), "chaos.possible": np.where(verdict == 0, 0.0, 1.0)}

    def _k(self, found: Exponents, parameters: Mapping[str, np.ndarray]) -> tuple[np.ndarray, int]:
        """K of the orbits from where they have come to, (n,), and how many signals are too fine."""
        at, signal = found.end, np.empty((len(found.end), self.points))
        with np.errstate(all="ignore"):
            for i in range(self.points):
                at = self.map.step(at, parameters)
                signal[:, i] = at[:, self.signal]
        fine = too_fine(signal)
        return np.where(fine, np.nan, zero_one(signal)), int(fine.sum())
