"""Which inputs matter: what all approaches of the method `sensitivity` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from uqmbd.groups import AGGREGATED, OF_SURROGATE, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.methods.approach import ByApproach
from uqmbd.methods.base import MethodRun
from uqmbd.methods.sensitivity.grouped import labels_of
from uqmbd.methods.sensitivity.part import Region, within
from uqmbd.outcomes import OutputInfo

WITH_COUNTS = frozenset({"interval", "random", "integers", "choice"})  # of approaches that compare runs, and take no slopes and no order
Samples = Annotated[int, Field(ge=4, examples=[512])]
Resamples = Annotated[int, Field(ge=2, le=10_000)]
Confidence = Annotated[Number, Field(gt=0, lt=1)]
Step = Annotated[Number, Field(gt=0, le=0.25)]


class Sensitivity(ByApproach):
    """Rankings of the inputs, of every output at every time.

    Attributes
    ----------
    approach : str
        ``sobol`` (shares of the variance by pick-freeze runs), ``morris`` (elementary effects), ``fast``, ``rbd_fast`` (shares of the
        variance by frequencies), ``delta``, ``pawn`` (distances between distributions), ``dgsm`` (mean squared derivatives, an upper
        bound of the total index), ``hdmr`` (shares of the variance of a fitted expansion), ``shapley`` (shares of the variance of inputs
        that may depend on each other, which add up to 1), ``derivative`` (at the medians), ``width`` (by how much the bounds narrow when
        one interval is halved).
    region : dict of str to list, optional
        A part within which indices are asked for, by input in the unit in which it is written: ``{ clearance = [0.02, 0.03] }``, of a
        choice its values that are left. All runs lie there.
    samples : int
        sobol: blocks of inputs + 2 runs, or of 2 inputs + 2 with `second_order`; morris, dgsm: points with inputs + 1 runs each; fast: runs
        on each of as many curves as inputs; rbd_fast, delta, pawn, hdmr: runs; shapley: blocks of a run and one for each set of inputs,
        2^inputs - 1 runs where all sets are gone through.
    second_order : bool
        sobol: interactions of pairs as well.
    input_groups : dict of str to list of str
        sobol, morris: inputs that are ranked as one, by the name of their group; inputs in none are ranked alone.
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
    orders : int, optional
        shapley: random orders in which inputs become known, in place of all of them; 32 unless said of more than 6 inputs.
    resamples, confidence : int, float
        sobol, morris, rbd_fast, dgsm, pawn, hdmr, shapley: of the bootstrap that gives confidence limits; delta: of the one that
        reduces its bias.
    trust_tolerance : float
        width: largest validated error of the expansion, as a fraction of the response's range, that is trusted.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Sensitivity(approach="morris", samples=20), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.sensitivity["sag"].dims
    ('kind', 'input')
    """

    name: ClassVar[str] = "sensitivity"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SURROGATE, AGGREGATED)
    worker_modules: ClassVar[tuple[str, ...]] = ("uqmbd.methods.sensitivity.reduce",)
    approaches: ClassVar[Mapping[str, type[Sensitivity]]] = {}

    region: Region = None

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        within(inputs, self.region)
        labels_of(getattr(self, "input_groups", None), list(inputs))

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        return super()._start(within(inputs, self.region), outputs, time, seed)

    def runs(self, d: int) -> int:
        """Number of runs for `d` inputs."""
        raise NotImplementedError

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        runs = self.runs(len(inputs))
        return runs, runs

    def attributes(self, seed: int) -> dict[str, Any]:
        """Attributes that say what a result is one of."""
        return {"method": self.name, "about": "indices", "approach": self.approach, "seed": seed, **self.own()}
