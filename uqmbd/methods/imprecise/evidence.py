"""Evidence theory: belief and plausibility of the outputs from intervals with masses."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import ClassVar

from pydantic import Field

from uqmbd.errors import StudyError
from uqmbd.groups import CDF, OF_SURROGATE, GroupSpec
from uqmbd.inputs import Focal as FocalInput
from uqmbd.inputs import Input, Space
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.regions.focal import Focal


class Evidence(Chebyshev):
    """Belief and plausibility that an output is at most a value, from its ranges on all products of focal elements.

    The inputs are independent; an interval is one focal element. One Chebyshev expansion over the hull of the elements serves all
    of them, so more elements cost no runs. Where it is not trusted, the range in a focal box is that of the expansion there, widened by
    its error, joined with what the runs there reached; with fewer than 20 runs in the box, also with what those next to it reached.

    The settings of `Chebyshev`, and that below.

    Attributes
    ----------
    max_boxes : int
        Limit of the number of focal boxes.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> both = {"load": uq.Focal({"intervals": [[90, 100], [95, 110]], "masses": [0.5, 0.5]}), "stiffness": uq.Interval(1800.0, 2200.0)}
    >>> study = uq.Study(model=sag, inputs=both, outputs=["sag"], method=uq.Evidence(degree=6), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> "sag" in result.cdf
    True
    """

    name: ClassVar[str] = "evidence"
    accepts: ClassVar[frozenset[str]] = frozenset({"focal", "interval"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SURROGATE, CDF)

    max_boxes: int = Field(default=10_000, ge=1)

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        items = Space.of(inputs).values()
        if not any(item.kind == "focal" for item in items):
            remedy = "give focal = { intervals = [...], masses = [...] }, or use the method chebyshev for intervals alone"
            raise StudyError("the method evidence needs focal elements of at least one input", key="inputs", remedy=remedy)
        count = prod(len(item.elements[1]) if isinstance(item, FocalInput) else 1 for item in items)
        if count > self.max_boxes:
            text = f"the focal elements make {count} boxes, more than max_boxes = {self.max_boxes}"
            raise StudyError(text, key="method.max_boxes", value=self.max_boxes, remedy="join elements of small mass, or raise max_boxes")

    def region_class(self) -> type[Focal]:
        return Focal
