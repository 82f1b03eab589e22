"""Reliability from the design point: FORM, SORM, and importance sampling around it."""

from __future__ import annotations

from collections.abc import Generator
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from uqmbd.analysis import reliability_form as form
from uqmbd.analysis import reliability_sampling as sampling
from uqmbd.analysis.reliability_form import DesignPoint
from uqmbd.inputs.space import Space
from uqmbd.methods.base import generator
from uqmbd.methods.reliability.run import SAMPLING, SEARCHING, ReliabilityRun, in_role, index_of

if TYPE_CHECKING:
    from uqmbd.methods.reliability.settings import Reliability

LOOKING = 2  # random numbers of the directions in which other parts of the limit are looked for
FEWEST, CONVERGENCE_STEPS = 20, 12  # of convergence: runs with which it begins, and numbers of runs
Points = Generator[tuple[np.ndarray, int], np.ndarray, None]


class FormRun(ReliabilityRun):
    """First-order reliability method: the limit surface is taken as the plane through the design point."""

    astray: ClassVar[str] = "the probability may be far off"
    remedy = 'take approach = "subset", which needs no design point, or raise step (noisy outputs) or iterations'
    _point: DesignPoint

    @classmethod
    def planned(cls, settings: Reliability, inputs: Space) -> tuple[int, int]:
        star = 2 * len(inputs) + 1
        further = cls._further(settings, len(inputs))
        further += 5 * len(inputs) + 4  # elsewhere
        return 2 * star + len(form.TRIALS) + further, star + settings.of("iterations") * (2 * star + len(form.TRIALS)) + further

    @staticmethod
    def _further(settings: Reliability, d: int) -> int:
        """Runs after the search."""
        return 0

    def _find(self) -> Points:
        keys = {key: self.settings.of(key) for key in ("step", "tolerance", "iterations")}
        self._point = yield from in_role(SEARCHING, form.design_point(len(self._inputs), generator(self._seed, SEARCHING), **keys))
        self._against, self._looked = yield from in_role(SEARCHING, form.elsewhere(self._point, generator(self._seed, LOOKING)))
        if self._against:
            self._say(
                f"at {self._against} of {self._looked} points the output is on another side of the limit than the plane through the design "
                f"point has it: there are other design points, or the limit is far from plane, and {self.astray}; "
                'compare with approach = "subset"'
            )

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        from scipy.special import ndtr

        found = {"probability": float(ndtr(-self._point.beta)), "beta": self._point.beta}
        return found | self._common(), {"importance": self._importance()}

    def _common(self) -> dict[str, float]:
        """Number of runs, and the design point in SI units of the inputs."""
        place = self._inputs.from_normal(self._point.z[None])
        return {"runs": float(len(self._status))} | {f"design:{name}": float(value[0]) for name, value in place.items()}

    def _importance(self) -> np.ndarray:
        """Squares of the direction cosines, which add up to 1, (d,). Of dependent inputs they are those of the normal variables behind
        each (so that the order of the inputs does not matter), normed to 1 again."""
        alpha = self._point.alpha.copy()
        bound = self._inputs.dependence
        if bound is not None:
            at = [i for i, name in enumerate(self._inputs) if name in bound.names]
            names = list(self._inputs)
            factor = np.linalg.cholesky(bound.gaussian([names[i] for i in at]))
            alpha[at] = np.linalg.solve(factor.T, alpha[at])
        return alpha**2 / (alpha @ alpha)

    def _facts(self) -> dict[str, Any]:
        return {
            "iterations": self._point.iterations,
            "points_against_plane": [self._against, self._looked],
            "design_units": {name: item.unit for name, item in self._inputs.items()},
        }


class SormRun(FormRun):
    """Second-order reliability method: the limit surface is taken as a paraboloid at the design point."""

    @staticmethod
    def _further(settings: Reliability, d: int) -> int:
        return 0 if d == 1 else 1 + 2 * (d - 1) + 2 * comb(d - 1, 2)

    def _find(self) -> Points:
        yield from super()._find()
        self._bends = yield from in_role(SEARCHING, form.curvatures(self._point, step=self.settings.of("step")))
        self._breitung, self._hohenbichler = form.breitung(self._point.beta, self._bends), form.hohenbichler(self._point.beta, self._bends)

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        found = {
            "probability": self._breitung,
            "beta": index_of(self._breitung),
            "probability_hohenbichler": self._hohenbichler,
            "beta_form": self._point.beta,
        }
        return found | self._common(), {"importance": self._importance()}

    def _facts(self) -> dict[str, Any]:
        return super()._facts() | {"curvatures": [float(value) for value in self._bends]}


class ImportanceRun(FormRun):
    """Importance sampling: independent runs from the standard normal distribution moved to the design point."""

    astray = "the probability and its limits may be far off, because runs are made around one design point"

    @staticmethod
    def _further(settings: Reliability, d: int) -> int:
        return settings.of("samples")

    def _find(self) -> Points:
        yield from super()._find()
        z, weights = sampling.around(self._point.z, self.settings.of("samples"), generator(self._seed, SAMPLING))
        margin = yield z, SAMPLING
        self._sampled = margin, weights
        self._estimate = sampling.weighted(margin, weights, likely=self._point.beta < 0)
        self._say(self._estimate.note)

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        return estimated(self._estimate) | {"beta_form": self._point.beta} | self._common(), {"importance": self._importance()}

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        margin, weights = self._sampled
        counts = np.unique(np.geomspace(FEWEST, len(margin), CONVERGENCE_STEPS).astype(int))
        parts = [sampling.weighted(margin[:count], weights[:count], likely=self._point.beta < 0) for count in counts]
        return counts, {"probability": np.array([part.unsafe for part in parts]), "cov": np.array([part.cov for part in parts])}

    def _facts(self) -> dict[str, Any]:
        return super()._facts() | {"confidence": sampling.CONFIDENCE}


def estimated(found: sampling.Probability) -> dict[str, float]:
    """Statistics of an estimate by sampling; the probability itself counts failed runs as unsafe."""
    return {
        "probability": found.unsafe,
        "probability_lower": found.lower,
        "probability_upper": found.upper,
        "cov": found.cov,
        "beta": index_of(found.unsafe),
        "probability_failed_safe": found.safe,
        "probability_failed_unsafe": found.unsafe,
    }
