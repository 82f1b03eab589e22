"""Random and interval inputs in one study: bounds of statistics, and probability boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from pydantic import Field, field_validator

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import MethodRun
from uqmbd.methods.probabilistic.pce import PCE
from uqmbd.simulators.base import OutputInfo


class Mixed(PCE):
    """Bounds of mean, standard deviation and quantiles over all values of the intervals, from one expansion in all inputs.

    Random inputs have the polynomials of their distribution, intervals Legendre polynomials. The double loop over intervals and random
    inputs runs on the expansion only. Ranges of mean and variance are verified (of the expansion); those of quantiles and
    distribution functions are searched for. All are widened by the validated error, which bounds what the expansion can do to
    any of them. A fuzzy number counts as the interval of its support.

    The settings of `PCE`, of which the design and the fit are, and those below.

    Attributes
    ----------
    germs : int
        Points of the random inputs with which quantiles and distribution functions are sampled, a power of two; quantiles of histories
        with a quarter of them.
    safety : float
        The bounds are widened by so many times the validated error.
    """

    name: ClassVar[str] = "mixed"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random", "fuzzy"})

    germs: int = Field(default=4096, ge=64, le=2**20)
    safety: float = Field(default=1.0, ge=0)

    @field_validator("germs")
    @classmethod
    def _power_of_two(cls, germs: int) -> int:
        if germs & (germs - 1):
            raise ValueError(f"the germs are Sobol' points, whose number is a power of two such as {2 ** germs.bit_length()}, not {germs}")
        return germs

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        kinds = {item.kind for item in Space.of(inputs).values()}
        if "random" not in kinds:
            raise StudyError("the method mixed needs a random input", key="inputs", remedy="use the method chebyshev (or fuzzy) for these")
        if kinds == {"random"}:
            remedy = "use the method pce for distributions alone"
            raise StudyError("the method mixed needs an interval or a fuzzy number", key="inputs", remedy=remedy)

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.imprecise.mixed_run import MixedRun

        return MixedRun(self, inputs, outputs, time, seed)
