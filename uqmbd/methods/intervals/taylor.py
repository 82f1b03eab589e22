"""Taylor inclusion: bounds from derivatives at the centre of the box, taken by differences."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import ClassVar

import numpy as np
from pydantic import Field

from uqmbd.inputs import Input
from uqmbd.methods.intervals.inclusion import Inclusion
from uqmbd.surrogates.taylor import Taylor


class Taylor1(Inclusion):
    """First order: ``1 + 2 d`` runs. Exact for linear responses; Wu et al. (2013) compare with it.

    The remainder is not bounded: what it leaves out shows in the validation runs, and where it exceeds `trust_tolerance` the result is
    the envelope of all runs.

    Attributes
    ----------
    step : float
        Half width of the differences, as a fraction of half the interval. Small enough for the derivatives, since the remainder over the
        whole interval is larger, and large enough for the tolerance of the simulator not to show.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Taylor1(fallback_runs=0), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(3).tolist()  # mm; exact: 40.909 and 61.111
    [37.784, 62.22]
    """

    name: ClassVar[str] = "taylor1"
    order: ClassVar[int] = 1

    step: float = Field(default=0.1, gt=0, le=1)

    def nodes(self, d: int) -> np.ndarray:
        """Points of the differences in steps, (n, d): centre, both ways in every input, and for order 2 in every pair together."""
        one = np.eye(d)
        pairs = [one[i] + one[j] for i, j in combinations(range(d), 2)] if self.order == 2 else []
        ways = np.array([*one, *pairs])
        return np.concatenate([np.zeros((1, d)), np.stack([ways, -ways], axis=1).reshape(-1, d)])

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least = self.total_runs(len(self.nodes(len(inputs))))
        return least, least + self.extreme_runs(len(inputs))

    def surrogate_class(self) -> type[Taylor]:
        return Taylor


class Taylor2(Taylor1):
    """Second order, mixed terms included: ``1 + d + d²`` runs. Exact for quadratic responses.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Taylor2(fallback_runs=0), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(3).tolist()  # mm; exact: 40.909 and 61.111
    [40.779, 61.222]
    """

    name: ClassVar[str] = "taylor2"
    order: ClassVar[int] = 2
