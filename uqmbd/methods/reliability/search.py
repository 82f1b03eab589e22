"""Reliability from the design point: FORM and SORM."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import form, systems
from uqmbd.analysis.reliability.form import DesignPoint, OneSidedError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.reliability.run import SEARCHING, Points, ReliabilityRun, index_of, index_to
from uqmbd.methods.reliability.settings import Reliability

LOOKING, BENDING = 2, 3  # random numbers of the directions in which other parts of the limit, and its bend, are looked for
OFF = 1.3  # factor between two estimates above which it is said that they differ


class FormRun(ReliabilityRun):
    """First-order reliability method: the limit surface is taken as the plane through the design point."""

    astray: ClassVar[str] = 'the probability may be far off; compare with approach = "subset"'
    as_plane: ClassVar[str] = "through its design point"  # of each limit of a system
    remedy = 'take approach = "subset", which needs no design point, or raise step (noisy outputs) or iterations'
    _role = SEARCHING
    _point: DesignPoint
    _refuted: bool = False  # by what notes say: the limit is not the plane, or paraboloid, that it is taken for

    def _find(self) -> Points:
        if bound := self.inputs.joint:
            self._say(f"importance is that of the independent variables behind {', '.join(bound)}, which depends on their order")
        keys = {key: getattr(self.settings, key) for key in ("step", "tolerance", "iterations")}
        if self.settings.system:
            yield from self._find_system(keys)
            return
        self._point = yield from form.design_point(len(self.inputs), generator(self.seed, SEARCHING), **keys)
        self._against, self._looked = yield from form.elsewhere(self._point, generator(self.seed, LOOKING))
        if self._against:
            self._refuted = True
            self._say(
                f"at {self._against} of {self._looked} points the output is on another side of the limit than the plane through the design "
                f"point has it: there are other design points, or the limit is far from plane, and {self.astray}"
            )
        self._factor, self._directions = yield from form.bend(self._point, generator(self.seed, BENDING))
        self._judge()

    def _find_system(self, keys: dict[str, Any]) -> Points:
        """The design point of each limit, and what the planes say together (Hohenbichler, Rackwitz, Struct. Saf. 1 (1983) 177)."""
        system, bent = self.settings.system, list[float]()
        also = self.settings.also or {}
        self._names = [self.settings.output, *(f"{name} {text}" if name == self.settings.output else name for name, text in also.items())]
        self._beta = np.empty(len(self._names))  # infinite where a limit was not met
        self._points: list[DesignPoint] = []
        for number, name in enumerate(self._names):
            self._only = number
            try:
                point = yield from form.design_point(len(self.inputs), generator(self.seed, SEARCHING), **keys)
            except OneSidedError as error:
                self._beta[number] = np.inf if error.safe else -np.inf
                taken = f"it is taken to be {'never' if error.safe else 'always'} passed"
                self._say(f"the limit {number + 1} of the system, of {name}, was not met: {error}; {taken}")
                continue
            self._points.append(point)
            bent.append((yield from self._index(point)))
            self._beta[number] = bent[-1]
        self._only, self._bounds = None, None
        alpha = np.array([point.alpha for point in self._points]).reshape(-1, len(self.inputs))
        if (deciding := -np.inf if system == "series" else np.inf) in self._beta or not self._points:
            self._system = index_to(deciding if deciding in self._beta else -deciding)
            return
        beta, rho = np.array(bent), np.clip(alpha @ alpha.T, -1.0, 1.0)
        np.fill_diagonal(rho, 1.0)
        self._system = index_to(float(beta[0])) if len(beta) == 1 else systems.together(beta, rho, system, self.seed)
        self._bounds = systems.ditlevsen(beta, rho) if system == "series" else None
        self._judge_system()

    def _index(self, point: DesignPoint) -> Generator[np.ndarray, np.ndarray, float]:
        """The reliability index of one limit of a system by itself."""
        yield from ()
        return point.beta

    def _judge_system(self) -> None:
        """Say what the probability of a system rests on."""
        taken = f"the plane {self.as_plane}, which nothing has checked"
        self._say(f'each limit is taken as {taken}; compare with approach = "importance"')

    def _of_system(self) -> dict[str, float]:
        """Statistics of a system."""
        found = {"probability": self._system, "beta": index_of(self._system), "runs": float(len(self.status))}
        found |= {f"beta:{name}": float(beta) for name, beta in zip(self._names, self._beta, strict=True)}
        return found if self._bounds is None else found | {"ditlevsen_least": self._bounds[0], "ditlevsen_most": self._bounds[1]}

    def _judge(self) -> None:
        """Say where the limit is too far from plane."""
        if not 1 / OFF < self._factor < OFF:
            self._refuted = True
            self._say(f'{self._bent()}, so that of FORM is off by about as much: take approach = "subset", or "importance"')

    def _bent(self) -> str:
        """By how much the second order differs, in words."""
        others = len(self.inputs) - 1 - self._directions
        seen = f"in {self._directions} direction{'s' * (self._directions != 1)}"
        seen += f" (the {others} others are taken to be like these)" if others else ""
        if not np.isfinite(self._factor):
            return f"the limit bends around the medians, seen {seen}"
        return f"the limit bends: to second order, seen {seen}, the probability of a plane is to be multiplied by {self._factor:.2g}"

    def _statistics(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        if self.settings.system:
            return self._of_system(), {}
        statistics = {"probability": index_to(self._point.beta), "beta": self._point.beta}
        return statistics | self._common(), {"importance": self._importance()}

    def _common(self) -> dict[str, float]:
        """Number of runs, and the design point in SI units of the inputs."""
        place = self.inputs.from_normal(self._point.z[None])
        return {"runs": float(len(self.status))} | {f"design:{name}": float(value[0]) for name, value in place.items()}

    def _importance(self) -> np.ndarray:
        """Squares of the direction cosines, which add up to 1, (d,). Of dependent inputs they are those of the normal variables behind
        each (so that the order of the inputs does not matter), normed to 1 again."""
        alpha = self._point.alpha.copy()
        bound = self.inputs.dependence
        if bound is not None:
            at = [i for i, name in enumerate(self.inputs) if name in bound.names]
            names = list(self.inputs)
            factor = np.linalg.cholesky(bound.gaussian([names[i] for i in at]))
            alpha[at] = np.linalg.solve(factor.T, alpha[at])
        return alpha**2 / (alpha @ alpha)

    def _facts(self) -> dict[str, Any]:
        if self.settings.system:
            return {"system": self.settings.system}
        return {
            "iterations": self._point.iterations,
            "points_against_plane": [self._against, self._looked],
            "plane_refuted": self._refuted,
            "second_order_factor": self._factor,
            "directions_of_bend": [self._directions, len(self.inputs) - 1],
            "design_units": {name: item.unit for name, item in self.inputs.items()},
        }


class Form(Reliability):
    """The plane through the design point, the most probable one at which the output is at its limit."""

    run: ClassVar[type] = FormRun
    systems: ClassVar[bool] = True

    approach: Literal["form"]
    step: Number = Field(default=0.01, gt=0, le=0.5)
    tolerance: Number = Field(default=3e-4, gt=0, lt=1)
    iterations: int = Field(default=50, ge=1, le=1000)

    def further(self, d: int) -> int:
        """Runs after the search."""
        return 0

    def further_of_system(self, d: int, limits: int) -> int:
        """The same of a system."""
        return limits * self.further(d)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        d, limits = len(inputs), 1 + len(self.also or {})
        star, step = 2 * d + 1, 2 * (2 * d + 1) + len(form.TRIALS)
        further = self.further(d) + 5 * d + 4  # elsewhere
        further += 1 + 2 * min(form.BENDS, d - 1) if d > 1 else 0  # bend
        if self.system:
            return limits * star, limits * (star + self.iterations * step) + self.further_of_system(d, limits)
        return step + further, star + self.iterations * step + further


class SormRun(FormRun):
    """Second-order reliability method: the limit surface is taken as a paraboloid at the design point."""

    as_plane = "across its design point that is as probable as its paraboloid"

    def _find(self) -> Points:
        yield from super()._find()
        if self.settings.system:
            return
        self._bends = yield from form.curvatures(self._point, step=self.settings.step)
        self._breitung, self._hohenbichler = form.breitung(self._point.beta, self._bends), form.hohenbichler(self._point.beta, self._bends)
        rare = [min(p, 1 - p) for p in (self._breitung, self._hohenbichler)]
        if max(rare) > OFF * min(rare):
            self._refuted = True
            between, beyond = max(rare) / min(rare), rare[0] / index_to(abs(self._point.beta))
            self._say(
                f"the limit bends so much that the two formulas of second order differ by a factor of {between:.2g}, and from the "
                f'first order by {beyond:.2g}: take approach = "subset", or "importance"'
            )

    def _index(self, point: DesignPoint) -> Generator[np.ndarray, np.ndarray, float]:
        """That of the plane which is as probable as the paraboloid."""
        bends = yield from form.curvatures(point, step=self.settings.step)
        return index_of(form.breitung(point.beta, bends))

    def _judge(self) -> None:
        """The curvatures will tell."""

    def _statistics(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        if self.settings.system:
            return super()._statistics()
        statistics = {
            "probability": self._breitung,
            "beta": index_of(self._breitung),
            "probability_hohenbichler": self._hohenbichler,
            "beta_form": self._point.beta,
        }
        return statistics | self._common(), {"importance": self._importance()}

    def _facts(self) -> dict[str, Any]:
        bends = {} if self.settings.system else {"curvatures": [float(value) for value in self._bends]}
        return super()._facts() | bends


class Sorm(Form):
    """The curvatures of the limit at the design point as well."""

    run: ClassVar[type] = SormRun

    approach: Literal["sorm"]

    def further(self, d: int) -> int:
        return 0 if d == 1 else 1 + 2 * (d - 1) + 2 * comb(d - 1, 2)
