"""Monte Carlo: sample the distributions, report moments and quantiles with confidence limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.inputs import Input
from uqmbd.methods.base import Method, MethodRun
from uqmbd.methods.quantile_levels import Quantiles
from uqmbd.outcomes import OutputInfo


class MonteCarlo(Method):
    """Mean, standard deviation and quantiles of every output, with 95 % confidence limits.

    The limits of quantiles hold for every distribution; they are infinite where the runs are too few. Those of the mean (Student's t) and
    of the standard deviation (Bonett 2006) hold unless the output is very skewed or has rare values far out; the attribute ``note`` names
    the outputs of which they cannot be relied upon. Outputs of two values have exact limits. What no run has shown is in no limit.

    Attributes
    ----------
    samples : int
        Number of runs. With the designs random and sobol, more samples extend fewer; a Latin hypercube is new for each number.
    design : str
        ``random``, ``lhs`` (Latin hypercube) or ``sobol`` (scrambled Sobol' points; powers of two are balanced). The confidence
        limits assume independent runs and are on the wide side for the other two.
    history_runs : int
        Quantiles of histories use the first so many runs; scalars and moments use all.
    quantiles : list of float
        Probabilities of the quantiles, 5, 25, 50, 75 and 95 % where nothing is said.
    """

    name: ClassVar[str] = "montecarlo"
    accepts: ClassVar[frozenset[str]] = frozenset({"random"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence"})
    worker_modules: ClassVar[tuple[str, ...]] = ("uqmbd.methods.probabilistic.montecarlo_reduce",)

    samples: int = Field(ge=1)
    design: Literal["random", "lhs", "sobol"] = "random"
    history_runs: int = Field(default=2000, ge=1)
    quantiles: Quantiles = None

    def reduce_key(self) -> dict[str, Any]:
        return {}  # how many histories a partial has to hold, `MonteCarloRun.suffices` knows

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.samples, self.samples

    def _start(self, inputs: dict[str, Input], outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.probabilistic.montecarlo_run import MonteCarloRun

        return MonteCarloRun(self, inputs, outputs, time, seed)
