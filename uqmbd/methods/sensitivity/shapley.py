"""Shapley effects and indices of inputs that may depend on each other, by pairs of runs that share a set of inputs."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sensitivity.pick_freeze import draws
from uqmbd.analysis.sensitivity.resampling import limits
from uqmbd.analysis.sensitivity.subsets import ALL, Subsets, by_input, design, explained
from uqmbd.methods.sensitivity.sampled import HISTORY_RESAMPLES, Estimates, Sampled, SampledRun, resampled
from uqmbd.methods.sensitivity.settings import WITH_COUNTS, Confidence, Resamples

ORDERS = 32  # random ones of more inputs than all orders are gone through of


class ShapleyRun(SampledRun):
    """Its points depend on what binds the inputs."""

    settings: Shapley

    def _design(self) -> np.ndarray:
        settings, d, bound = self.settings, len(self.inputs), self.inputs.dependence
        correlation = np.eye(d)
        if bound is not None:
            at = [self.names.index(name) for name in bound.names]
            correlation[np.ix_(at, at)] = bound.gaussian(bound.names)
        return design(settings.subsets(d), correlation, unit_points("sobol", settings.samples, 2 * d, generator(self.seed, 0)))


class Shapley(Sampled):
    """Shapley effects, and Kucherenko's first and total indices, also of dependent inputs."""

    run: ClassVar[type] = ShapleyRun
    treats: ClassVar[frozenset[str]] = frozenset({"dependence"})
    together: ClassVar[str] = "blocks"
    lost: ClassVar[str] = "{} of {} blocks hold a failed run and are left out as a whole: the indices are those of the others"
    accepts: ClassVar[frozenset[str]] = WITH_COUNTS

    approach: Literal["shapley"]
    orders: Annotated[int, Field(ge=2, le=10_000)] | None = None
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def subsets(self, d: int) -> Subsets:
        """Sets of `d` inputs that runs share. The orders are the same in every study of so many inputs."""
        return Subsets.of(d, ORDERS if self.orders is None and d > ALL else self.orders, generator(d, 0))

    def size(self, d: int) -> int:
        return len(self.subsets(d).sets) + 1

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        subsets = self.subsets(points.shape[1])
        blocks = values.reshape(-1, len(subsets.sets) + 1, values.shape[1])
        n, count = len(blocks), min(self.resamples, HISTORY_RESAMPLES) if few else self.resamples
        found, by_order = by_input(subsets, explained(blocks, np.ones((1, n))))
        drawn, _ = by_input(subsets, explained(blocks, draws(n, count, rng)))
        kinds: dict[str, np.ndarray] = {}
        for kind, value in found.items():
            square = drawn[kind].var(axis=0, ddof=1) * n / max(n - 1, 1)  # resamples vary less
            if kind == "shapley" and len(by_order) > 1:
                square = square + by_order[:, 0].var(axis=0, ddof=1) / len(by_order)  # another choice of orders
            kinds |= limits(kind, value[0], resampled(np.sqrt(square), n), self.confidence, n)
        return kinds, {}
