"""The vertex method: runs at all corners of the box."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.intervals.inclusion import Inclusion
from uqmbd.surrogates.base import MOST_CORNERS
from uqmbd.surrogates.corners import Corners

MOST_INPUTS = 16


class Vertex(Inclusion):
    """The envelope of the runs at all ``2^d`` corners: the exact range of a response that is monotonic in every input.

    Dong and Shah, Fuzzy Sets and Systems 24 (1987) 65. The error is by how much validation runs leave that envelope, and by how much the
    response could leave it on the way inside: beside every corner at which some time or scalar has an extreme, one run in each input a
    little inside shows the slope there. Where the response goes on rising (or falling) the extreme is not at the corner; were it to keep
    that slope over the whole interval, it would gain the error that is stated. That holds responses that do not become steeper inside.
    What turns only farther inside shows neither at corners nor, for certain, at validation runs: trust is evidence, not proof.

    Where the corners themselves show that the response rises with an input at some and falls at others, the envelope holds only if the
    response is linear in each input, and the error is also that of the multilinear function through the corners.

    The runs beside corners serve all times and outputs that have an extreme there: 2 d for one monotonic scalar, d at each of
    `MOST_CORNERS` corners at most.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Vertex(), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(3).tolist()  # mm; exact: 40.909 and 61.111
    [40.909, 61.111]
    """

    name: ClassVar[str] = "vertex"

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        if len(inputs) > MOST_INPUTS:
            text = f"{len(inputs)} inputs have {2 ** len(inputs)} corners; the method vertex goes up to {MOST_INPUTS} inputs"
            remedy = 'take the method chebyshev with grid = "sparse", which finds monotonic inputs itself'
            raise StudyError(text, key="method.type", value=self.name, remedy=remedy)

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        corners = 2 ** len(inputs)
        first = self.total_runs(corners)
        return first, first + len(inputs) * min(corners, MOST_CORNERS)

    def surrogate_class(self) -> type[Corners]:
        return Corners
