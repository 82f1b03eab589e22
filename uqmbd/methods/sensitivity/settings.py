"""Which inputs matter: the method `sensitivity`, in ten approaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.approach import Approach, ByApproach
from uqmbd.methods.base import MethodRun
from uqmbd.outcomes import OutputInfo

LEAST_HDMR = 300  # runs below which SALib refuses
RUNS_A_TERM = 5  # of hdmr, each of whose fits takes half of the runs
RUNS_A_HARMONIC = 8  # of rbd_fast: half of the runs, of which limits are made, have to tell each harmonic from noise
LEAST_DELTA = 50  # runs from which densities can be told


_LIMITS = {"resamples": 100, "confidence": 0.95}
APPROACHES: Mapping[str, Approach] = {
    "sobol": Approach("sensitivity.sobol:SobolRun", {"samples": None, "second_order": False, **_LIMITS}),
    "morris": Approach("sensitivity.sampled:SampledRun", {"samples": None, "levels": 4, **_LIMITS}),
    "fast": Approach("sensitivity.sampled:SampledRun", {"samples": None, "harmonics": 4}),
    "rbd_fast": Approach("sensitivity.sampled:SampledRun", {"samples": None, "harmonics": 10, **_LIMITS}),
    "delta": Approach("sensitivity.sampled:SampledRun", {"samples": None, "resamples": 100}),
    "dgsm": Approach("sensitivity.sampled:SampledRun", {"samples": None, "step": 1e-3, **_LIMITS}),
    "pawn": Approach("sensitivity.sampled:SampledRun", {"samples": None, "slices": 10, **_LIMITS}),
    "hdmr": Approach("sensitivity.sampled:SampledRun", {"samples": None, "degree": 3, "resamples": 20, "confidence": 0.95}),
    "derivative": Approach("sensitivity.derivative:DerivativeRun", {"step": 1e-3}),
    "width": Approach("sensitivity.width:WidthRun", {"degree": 4, "trust_tolerance": 1e-3}),
}


class Sensitivity(ByApproach):
    """Rankings of the inputs, of every output at every time.

    Attributes
    ----------
    approach : str
        ``sobol`` (shares of the variance by pick-freeze runs), ``morris`` (elementary effects), ``fast``, ``rbd_fast`` (shares of the
        variance by frequencies), ``delta``, ``pawn`` (distances between distributions), ``dgsm`` (mean squared derivatives, an upper
        bound of the total index), ``hdmr`` (shares of the variance of a fitted expansion), ``derivative`` (at the medians), ``width`` (by
        how much the bounds narrow when one interval is halved).
    samples : int
        Base number: blocks of inputs + 2 runs (sobol; 2 inputs + 2 with `second_order`), points with
        inputs + 1 runs each (morris, dgsm), runs on each of as many curves as inputs (fast), runs (the others).
    second_order : bool
        sobol: interactions of pairs as well.
    levels : int
        morris: equal classes of an input's range, from all of which values are taken alike.
    harmonics : int
        fast, rbd_fast: harmonics that count for an input.
    slices : int
        pawn: slices of each input.
    degree : int
        hdmr: order of its polynomials; width: degree of the expansion in every input.
    step : float
        dgsm, derivative: step of the differences as a share of the input's range (of probability, for random inputs).
    resamples, confidence : int, float
        Of the bootstrap that gives confidence limits (delta: that reduces its bias; it has no limits).
    trust_tolerance : float
        width: largest validated error of the expansion, as a fraction of the response's range, that is trusted.
    """

    name: ClassVar[str] = "sensitivity"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    worker_modules: ClassVar[tuple[str, ...]] = ("uqmbd.methods.sensitivity.reduce",)
    approaches: ClassVar[Mapping[str, Approach]] = APPROACHES

    approach: Literal[tuple(APPROACHES)]  # type: ignore[valid-type]
    samples: int | None = Field(default=None, ge=4)
    second_order: bool | None = None
    levels: int | None = Field(default=None, ge=2)
    harmonics: int | None = Field(default=None, ge=1, le=100)
    slices: int | None = Field(default=None, ge=2)
    degree: int | None = Field(default=None, ge=1, le=64)
    step: Number | None = Field(default=None, gt=0, le=0.25)
    resamples: int | None = Field(default=None, ge=2, le=10_000)
    confidence: Number | None = Field(default=None, gt=0, lt=1)
    trust_tolerance: Number | None = Field(default=None, gt=0, lt=1)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        """Raise `StudyError` for numbers that the approach cannot do with."""
        if "samples" in APPROACHES[self.approach].defaults and self.samples is None:
            raise StudyError(f"the approach {self.approach} needs samples", key="samples", remedy="write samples = 512, say")
        wrong = None
        if self.approach == "fast" and self.samples <= 4 * self.of("harmonics") ** 2:
            least = 4 * self.of("harmonics") ** 2 + 1
            wrong = ("samples", f"{self.of('harmonics')} harmonics need more than {least - 1} samples a curve", f"write samples = {least}")
        elif self.approach == "rbd_fast" and self.samples < RUNS_A_HARMONIC * self.of("harmonics"):
            least = RUNS_A_HARMONIC * self.of("harmonics")
            wrong = ("samples", f"{self.of('harmonics')} harmonics need {least} samples at least", f"write samples = {least}")
        elif self.approach == "hdmr" and self.samples < LEAST_HDMR:
            wrong = ("samples", f"hdmr needs {LEAST_HDMR} samples at least", f"write samples = {LEAST_HDMR}")
        elif self.approach == "hdmr" and self.of("degree") > 10:
            wrong = ("degree", "hdmr takes a degree up to 10", "write degree = 3")
        elif self.approach == "hdmr" and self.of("resamples") > 100:
            wrong = ("resamples", "hdmr takes up to 100 resamples, each of which is a fit", "write resamples = 20")
        elif self.approach == "pawn" and self.samples < 5 * self.of("slices"):
            least = 5 * self.of("slices")
            wrong = ("samples", f"{self.of('slices')} slices need {least} samples at least", f"write samples = {least}")
        elif self.approach == "delta" and self.samples < LEAST_DELTA:
            wrong = ("samples", f"delta estimates densities, which needs {LEAST_DELTA} samples at least", "write samples = 500")
        if wrong:
            key, message, remedy = wrong
            raise StudyError(message, key=key, value=getattr(self, key), remedy=remedy)
        return self

    def reduce_key(self) -> dict[str, Any] | None:
        known = {"approach": "sobol", "second_order": self.of("second_order"), "units": "whole"}
        return known if self.approach == "sobol" else None

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        runs = self.run_class().planned(self, len(inputs))
        return runs, runs

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        if self.approach == "hdmr" and len(inputs) < 2:
            raise StudyError("hdmr needs two inputs at least", key="method.approach", value="hdmr", remedy='take approach = "rbd_fast"')
        if self.approach == "hdmr":
            d, degree = len(inputs), self.of("degree")
            terms = d * degree + d * (d - 1) // 2 * degree**2
            least = RUNS_A_TERM * terms
            if self.samples < least:
                raise StudyError(
                    f"{terms} terms of degree {degree} in {d} inputs need {least} runs, else the expansion follows the noise",
                    key="method.samples",
                    value=self.samples,
                    remedy=f"write samples = {least}, or lower the degree",
                )
        if self.approach == "width":
            from uqmbd.methods.sensitivity.width import check_width

            check_width(self, inputs)

    def _start(self, inputs: dict[str, Input], outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        return self.run_class()(self, inputs, outputs, time, seed)
