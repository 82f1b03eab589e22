"""Random and interval inputs in one study: bounds of statistics, and probability boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, field_validator

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import MethodRun, fallback_count
from uqmbd.methods.probabilistic.pce import PCE
from uqmbd.methods.sets.fuzzy import FuzzyBounds, checked_levels
from uqmbd.outcomes import OutputInfo

DEFAULT_LEVELS = FuzzyBounds.model_fields["levels"].default


class Mixed(PCE):
    """Bounds of mean, standard deviation and quantiles over all values of the intervals, from one expansion in all inputs.

    Random inputs have the polynomials of their distribution, intervals Legendre polynomials. The double loop over intervals and random
    inputs runs on the expansion only. Ranges of mean and variance are verified (of the expansion); those of quantiles and
    distribution functions are searched for. All are widened by the validated error, which bounds what the expansion can do to
    any of them.

    A fuzzy number is an interval at each membership, by Zadeh's extension principle: one expansion over its support serves all, and every
    statistic is itself a fuzzy number (Möller and Beer, Fuzzy Randomness (2004), ch. 5). Where a convex set binds intervals, the
    bounds are those over the set; the ranges of mean and variance are then searched for.

    Where the expansion is not trusted (impacts, stick-slip), a two-loop Monte Carlo takes its place: points of the intervals, corners
    first, each with the same sample of the random inputs. The bounds are then confidence limits (95 %) of the least and the greatest
    statistic at these points; what of their width is sampling shows in ``mean_inner`` and so on, the limits on the other side.

    With `warp` histories are expanded on a warped time line; their statistics are then sampled, and the bounds of these searched for.

    The settings of `PCE`, of which the design and the fit are, and those below.

    Attributes
    ----------
    fallback_runs : int
        Runs of the two-loop Monte Carlo. Where nothing is said as many as `samples`, 2000 at most; none if
        they are fewer than 20 for each corner of the intervals and for their centre (60 for one, 660 for five), or there are more than 6.
    levels : int or list of float
        Of fuzzy numbers: number of equally spaced memberships with 0 and 1, or the memberships.
    germs : int
        Points of the random inputs with which quantiles and distribution functions are sampled, a power of two; quantiles of histories
        with a quarter of them.
    safety : float
        The bounds are widened by so many times the validated error.
    """

    name: ClassVar[str] = "mixed"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random", "fuzzy"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "sets"})

    fallback_runs: int | None = Field(default=None, ge=0)
    levels: Annotated[Any, BeforeValidator(checked_levels)] = Field(default=DEFAULT_LEVELS, validate_default=True)
    germs: int = Field(default=4096, ge=64, le=2**20)
    safety: float = Field(default=1.0, ge=0)

    @field_validator("germs")
    @classmethod
    def _power_of_two(cls, germs: int) -> int:
        if germs & (germs - 1):
            raise ValueError(f"the germs are Sobol' points, whose number is a power of two such as {2 ** germs.bit_length()}, not {germs}")
        return germs

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        return least, most + self.fallback_most(inputs)

    def fallback_most(self, inputs: Mapping[str, Input]) -> int:
        return fallback_count(self.fallback_runs, sum(self.counts(inputs)))

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        kinds = {item.kind for item in Space.of(inputs).values()}
        if "random" not in kinds:
            raise StudyError("the method mixed needs a random input", key="inputs", remedy="use the method chebyshev (or fuzzy) for these")
        if kinds == {"random"}:
            remedy = "use the method pce for distributions alone"
            raise StudyError("the method mixed needs an interval or a fuzzy number", key="inputs", remedy=remedy)
        if "fuzzy" not in kinds and self.levels != checked_levels(DEFAULT_LEVELS):
            remedy = "remove it, or give an input as a fuzzy number"
            raise StudyError("there is no fuzzy number to have levels", key="method.levels", value=list(self.levels), remedy=remedy)

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        if self.warp is not None:
            from uqmbd.methods.imprecise.mixed_warping import WarpedMixedRun

            return WarpedMixedRun(self, inputs, outputs, time, seed)
        from uqmbd.methods.imprecise.mixed_run import MixedRun

        return MixedRun(self, inputs, outputs, time, seed)
