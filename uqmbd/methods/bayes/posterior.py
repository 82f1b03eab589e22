"""Bayesian calibration: the distribution of the inputs after readings, by ensembles of walkers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_serializer, model_validator

from uqmbd.analysis.bayes.moves import MOVES, NEEDED
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.methods.bayes.by_gradient import ByGradient
from uqmbd.methods.bayes.by_surrogate import BySurrogate
from uqmbd.methods.bayes.conclusion import CHAINS, POSTERIOR, PRIOR
from uqmbd.methods.bayes.discrepancy import Discrepancy
from uqmbd.methods.bayes.noise import Noise
from uqmbd.methods.bayes.shown import posterior_figures
from uqmbd.methods.bayes.walking import PosteriorRun
from uqmbd.methods.parameter_studies.calibrate_data import Readings, data_files
from uqmbd.outcomes import OutputInfo

OF_SURROGATE = {"surrogate", "samples", "batch", "max_runs", "surrogate_tolerance"}  # settings that mean nothing without one
OF_GRADIENT = {"derivatives", "step"}  # settings that mean nothing without the move langevin
RUNS_AN_INPUT = 10  # with which a surrogate begins: Loeppky, Sacks, Welch, Technometrics 51 (2009) 366


class Posterior(Readings):
    """What readings leave of the distributions of the inputs: draws from the posterior, by ensembles of walkers.

    The inputs' distributions are the prior. Each reading is the run plus Gaussian scatter of its standard deviation, which `deviations`
    says. The walkers of an ensemble move by each other (`moves`); ensembles know nothing of each other, so that their agreement (R-hat)
    says whether the chains have found the whole posterior.

    Attributes
    ----------
    walkers : int, optional
        Of each ensemble, an even number; unless said 4 for each input, at least 16 (on a surrogate 64). Half of them, of all ensembles,
        is one batch of runs.
    ensembles : int
        Independent ones.
    max_steps : int
        Steps of each walker at most; fewer where the chains suffice before.
    discard : float
        Share of the steps, from the first on, that are left out: walkers come from the prior.
    effective : int
        Independent draws that the chains have to be worth, of each input.
    rhat : float
        R-hat at which ensembles are taken to agree.
    noise : dict of str to dict
        Measurements whose standard deviation is not known, with its prior as an input has it: ``{ x = { distribution = { type =
        "lognormal", mean = 0.1, std = 0.1 }, unit = "mm" } }``. It is estimated beside the inputs.
    discrepancy : dict of str to dict
        What the model of a measured history lacks, as a Gaussian process over its time: ``{ x = { size = "0.2 mm", time = 0.05 } }``, its
        standard deviation and the time over which it is alike, s. A size with a prior, as under `noise`, is estimated beside the inputs.
        ``kernel`` is ``gauss``, unless said, or ``matern52``.
    correlation_time : dict of str to float
        Of the scatter of measured histories, s: readings so far apart have a correlation of 1/e. Without it each scatters by itself.
    moves : dict of str to float
        How often each move is made: ``stretch`` (Goodman and Weare), ``differential`` (differential evolution, ter Braak), ``snooker``,
        and ``langevin``, by derivatives of the model: ``moves = { langevin = 1 }`` needs the fewest runs of smooth models that have them.
    derivatives : dict of str to dict of str to str
        Outputs that are derivatives of the measured ones by the inputs, for ``langevin``: ``{ x = { k = "x_by_k", c = "x_by_c" } }``.
        Without it each run has one close by for each input, and the derivatives are differences.
    step : float
        Of these differences, in standard deviations of a normal prior.
    surrogate : str, optional
        ``kriging``: the chains walk on Kriging of the runs, whose error is in the likelihood, and `batch` fresh runs at draws of that
        posterior are compared with it and learnt from, until it is right where the posterior is. Far fewer runs, of smooth models.
    samples : int, optional
        Runs from the prior with which Kriging begins; unless said 10 for each input.
    batch : int
        Fresh runs of each round.
    max_runs : int
        Runs at most, with a surrogate. Where they do not suffice, this is said, and the posterior is wider by the error that is left.
    surrogate_tolerance : float
        Error of the surrogate, in the logarithm of the density of the readings at the fresh runs, with which it goes on no longer: means
        of the posterior are off by about so many of its standard deviations.
    draws : int
        Draws that the group `posterior` of the result has at most.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> prior = {"load": uq.Fixed(100.0), "stiffness": uq.Uniform(1000.0, 5000.0)}
    >>> method = uq.Posterior(scalars={"sag": "40 mm"}, deviations={"sag": "1 mm"})
    >>> study = uq.Study(model=sag, inputs=prior, outputs=["sag"], method=method, name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> abs(result.attrs["estimate"]["stiffness"] - 2500) < 25, 50 < result.attrs["estimate_std"]["stiffness"] < 75
    (True, True)
    """

    name: ClassVar[str] = "posterior"
    accepts: ClassVar[frozenset[str]] = frozenset({"random"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SAMPLE, POSTERIOR, CHAINS, PRIOR)
    figures: ClassVar[tuple[Any, ...]] = (posterior_figures,)
    run: ClassVar[type] = PosteriorRun

    surrogate: Literal["kriging"] | None = None
    samples: int | None = Field(default=None, ge=4)
    batch: int = Field(default=16, ge=2)
    max_runs: int = Field(default=300, ge=4)
    surrogate_tolerance: Number = Field(default=0.1, gt=0)
    walkers: int | None = Field(default=None, ge=8, le=10_000)
    ensembles: int = Field(default=2, ge=2, le=100)
    max_steps: int = Field(default=2000, ge=20)
    discard: Number = Field(default=0.5, gt=0, lt=1)
    effective: int = Field(default=400, ge=1)
    rhat: Number = Field(default=1.02, gt=1)
    noise: Noise = Field(default_factory=dict)
    discrepancy: dict[str, Discrepancy] = Field(default_factory=dict)
    correlation_time: dict[str, Number] = Field(default_factory=dict)
    moves: dict[str, Number] = Field(default_factory=lambda: {"stretch": 0.1, "differential": 0.7, "snooker": 0.2})
    derivatives: dict[str, dict[str, str]] = Field(default_factory=dict)
    step: Number = Field(default=1e-3, gt=0, le=0.1)
    draws: int = Field(default=2000, ge=10)

    @model_validator(mode="after")
    def _walking(self) -> Self:
        if self.walkers is not None and self.walkers % 2:
            remedy = f"write {self.walkers + 1}"
            raise StudyError("the walkers move in halves, so their number is even", key="walkers", value=self.walkers, remedy=remedy)
        for name in self.noise:
            if name in self.deviations:
                remedy = "leave one of them out"
                raise StudyError("the standard deviation is known or it is not", key=f"noise.{name}", remedy=remedy)
        for name, weight in self.moves.items():
            if name not in (known := [*MOVES, "langevin"]):
                raise StudyError("there is no such move", key=f"moves.{name}", remedy=did_you_mean(name, known, noun="move"))
            if weight < 0:
                raise StudyError("a move is made with a share of 0 or more", key=f"moves.{name}", value=weight, remedy="leave it out")
        for name in sorted(OF_SURROGATE - {"surrogate"} if self.surrogate is None else ()):
            if self._said(name):
                remedy = 'write surrogate = "kriging", or leave it out'
                raise StudyError("is a setting of a surrogate, and there is none", key=name, value=getattr(self, name), remedy=remedy)
        for name in sorted(() if self.by_gradient else OF_GRADIENT):
            if self._said(name):
                remedy = "write moves = { langevin = 1 }, or leave it out"
                raise StudyError("is a setting of the move langevin, which is not made", key=name, remedy=remedy)
        if self.by_gradient and self.surrogate is not None:
            remedy = "leave it out: the other moves cost no runs on a surrogate"
            raise StudyError("walkers on a surrogate do not move by derivatives", key="moves.langevin", remedy=remedy)
        if not sum(self.moves.values()) > 0:
            raise StudyError("no move is made", key="moves", remedy="write moves = { stretch = 1 }, say")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_unsaid(self, handler: Any) -> dict[str, Any]:
        """Results of before there were surrogates and discrepancies are those of studies that name none."""
        said = handler(self)
        unsaid = (set() if self.surrogate is not None else OF_SURROGATE) | (set() if self.discrepancy else {"discrepancy"})
        unsaid |= set() if self.by_gradient else OF_GRADIENT
        return {key: said[key] for key in said if key not in unsaid}

    def _said(self, name: str) -> bool:
        return name in self.model_fields_set and getattr(self, name) != type(self).model_fields[name].get_default(call_default_factory=True)

    @property
    def by_gradient(self) -> bool:
        """Whether walkers move by derivatives of the model."""
        return self.moves.get("langevin", 0.0) > 0

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> PosteriorRun:
        run = ByGradient if self.by_gradient else PosteriorRun if self.surrogate is None else BySurrogate
        return run(self, inputs, outputs, time, seed)

    def first_runs(self, inputs: int) -> int:
        """Runs with which a surrogate begins."""
        return self.samples or min(max(RUNS_AN_INPUT * inputs, inputs + 3), self.max_runs)

    def walkers_of(self, inputs: int) -> int:
        """Walkers of an ensemble."""
        if self.walkers is not None:
            return self.walkers
        least = 16 if self.surrogate is None else 64  # on a surrogate more of them cost nothing
        return max(least, 4 * inputs) if self._by_each_other else least

    @property
    def _by_each_other(self) -> bool:
        """Whether walkers need others, that span all directions."""
        return any(weight > 0 for name, weight in self.moves.items() if name in MOVES)

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        if not self._by_each_other:
            return
        least = 2 * max(NEEDED, len(inputs) + 1)
        if self.walkers is not None and self.walkers < least:
            text = f"{self.walkers} walkers cannot move in all directions of {len(inputs)} inputs"
            raise StudyError(text, key="method.walkers", value=self.walkers, remedy=f"take {least} at least")

    def wanted_times(self, end: float) -> np.ndarray:
        return np.unique(np.concatenate([np.empty(0), *(file.times(self, end) for file in data_files(self))]))

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        if self.surrogate is not None:
            first = self.first_runs(len(inputs))
            return min(first + self.batch, self.max_runs), max(first, self.max_runs)
        at_once = self.ensembles * self.walkers_of(len(inputs)) * (1 + len(inputs) * (self.by_gradient and not self.derivatives))
        return at_once, at_once * (1 + self.max_steps)
