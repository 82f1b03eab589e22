"""Intervals that are bound to each other: bounds of the response over a convex set."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import TYPE_CHECKING, ClassVar

from uqmbd.errors import StudyError
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import Method
from uqmbd.methods.intervals.chebyshev import DEFAULT_DEGREE, Chebyshev
from uqmbd.regions.body import ConvexBody
from uqmbd.surrogates.base import Surrogate
from uqmbd.surrogates.scattered import Scattered

if TYPE_CHECKING:
    pass
OVERSAMPLING = 2  # runs for each term, where all runs are in the set


class ConvexBounds(Chebyshev):
    """Bounds of every output at every time over the convex sets of a study; inputs in no set are intervals of their own.

    A Chebyshev expansion on the box around the set; its extremes over the set are exact where it is linear, or quadratic over one
    ellipsoid, and found by projected gradients from many starts elsewhere (`uqmbd.analysis.sets.set_bounds`). A verified bound takes their
    place where one is near (`uqmbd.analysis.sets.set_enclosure`); the attribute ``verified_share`` says at how many columns. The error seen
    at random runs of the set is added.

    The settings of `Chebyshev` but `corner_runs`, and those below. With `split` the bounds are those over boxes that cover the set.

    Attributes
    ----------
    confirm : bool
        Whether to run the places at which scalars have their extremes; these runs also validate.
    within : bool
        Whether all runs are in the set: the expansion is then a least-squares fit of total degree `degree` to random points, for models
        that work only where their inputs belong together.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> more = {"both": {"inputs": ["load", "stiffness"], "correlation": [["load", "stiffness", 0.0]]}}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.ConvexBounds(degree=5), sets=more, name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(2).tolist()  # mm; not to the corners
    [43.38, 57.63]
    """

    name: ClassVar[str] = "convex"
    treats: ClassVar[frozenset[str]] = frozenset({"sets"})

    confirm: bool = True
    within: bool = False

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        return least, most + (2 * len(inputs) + 100 if self.confirm else 0)

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        if not self.within or self.surrogate == "kriging":
            return super().own_runs(inputs)
        least = self.total_runs(self.fitted_runs(len(inputs)))
        return least, least

    def fitted_runs(self, inputs: int) -> int:
        """Number of runs in the set to which an expansion is fitted."""
        return OVERSAMPLING * comb(inputs + self.total_degree, inputs)

    @property
    def total_degree(self) -> int:
        """Of the fit to runs in the set."""
        return self.degree or DEFAULT_DEGREE

    def check(self, inputs: Mapping[str, Input]) -> None:
        if not Space.of(inputs).sets:
            remedy = 'add [sets.NAME] with inputs = ["a", "b"] and correlation = [["a", "b", 0.5]], or use the method chebyshev'
            raise StudyError("the method convex needs a set over some of the intervals", key="sets", remedy=remedy)
        if self.corner_runs:
            remedy = "remove it; confirm = true runs extremes"
            raise StudyError("the corners of the box are not in the set", key="method.corner_runs", value=True, remedy=remedy)
        if not self.within or self.surrogate == "kriging":
            super().check(inputs)
            return
        Method.check(self, inputs)
        if self.grid != "tensor" or self.split or self.tolerance is not None or isinstance(self.degree, dict):
            remedy = "give degree = 4, say, and neither grid nor split"
            raise StudyError("runs within the set are fitted by one total degree", key="method.within", value=True, remedy=remedy)
        needed = self.total_runs(self.fitted_runs(len(inputs)))
        if needed > self.max_runs:
            text = f"total degree {self.total_degree} in {len(inputs)} inputs needs {needed} runs, more than max_runs = {self.max_runs}"
            raise StudyError(text, key="method.max_runs", remedy="lower the degree or raise max_runs")

    def surrogate_class(self) -> type[Surrogate]:
        if not self.within or self.surrogate == "kriging":
            return super().surrogate_class()
        return Scattered

    def region_class(self) -> type[ConvexBody]:
        return ConvexBody
