"""What the methods share that bound a response over a box of intervals: settings, and how far the bounds can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, ClassVar, Literal

from pydantic import Field

from uqmbd.analysis.statistics.trust import SHARE
from uqmbd.groups import OF_SURROGATE, GroupSpec
from uqmbd.inputs import Input
from uqmbd.methods.base import Method, MethodRun, fallback_count
from uqmbd.questions import Questions
from uqmbd.regions.base import Box
from uqmbd.surrogates.base import LEAST_VALIDATION, MOST_CORNERS, Surrogate


class Inclusion(Method):
    """Settings of a method whose bounds are the range of a surrogate over a region.

    Runs at random points are never fitted: their largest error widens the bounds. So the bounds are validated by runs, not proven. Where
    the error is too large to trust the surrogate, a search for the extremes takes over with the `fallback_runs`, as of the method
    `search`; its bounds stand where it is trusted, or tighter, and everywhere the bounds hold all runs.

    Attributes
    ----------
    enclosure : str
        ``bernstein`` (verified range of the expansion), ``cosine`` (Wu's, loose), ``scan`` (dense grid, not an enclosure).
    gap : float
        By how much the verified range may exceed the expansion's, as a fraction of the range of the runs.
    validation : float
        Share of the runs that is kept for validation, at least 10 runs.
    trust_tolerance : float
        Largest validated error, as a fraction of the response's range over all times, at which a time or scalar is trusted.
    width_tolerance : float
        And as a fraction of the width of its own band.
    safety : float
        The bounds are widened by so many times the validated error, for what the validation runs missed.
    fallback_runs : int
        Runs of a search when some time or scalar is not trusted, a quarter of them fresh. They come on top of `max_runs`. Where nothing is
        said as many as the runs before them, 2000 at most; where a run costs little, many more are well spent.
    questions : list of str
        What is asked besides the ``bounds``, without further runs: ``indices`` (Sobol' indices of the surrogate, every place in the box
        equally likely), ``width`` (by how much the bounds narrow when one input is halved about its middle).
    corner_runs : bool
        Whether to run the two corners of the box at which a time or scalar has its extremes where the surrogate is monotonic in every
        input. They come on top of `max_runs`, the corners that serve the most columns first, 64 at most.
    """

    accepts: ClassVar[frozenset[str]] = frozenset({"interval"})
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SURROGATE

    enclosure: Literal["bernstein", "cosine", "scan"] = "bernstein"
    gap: float = Field(default=1e-6, gt=0, lt=1)
    validation: float = Field(default=0.2, gt=0, lt=1)
    trust_tolerance: float = Field(default=1e-3, gt=0, lt=1)
    width_tolerance: float = Field(default=SHARE, gt=0, lt=1)
    safety: float = Field(default=2.0, ge=1)
    fallback_runs: int | None = Field(default=None, ge=0)
    corner_runs: bool = False
    questions: Questions = ("bounds",)

    def validation_runs(self, nodes: int) -> int:
        """Number of validation runs that go with so many runs at nodes."""
        return max(LEAST_VALIDATION, ceil(nodes * self.validation / (1 - self.validation) - 1e-9))

    def total_runs(self, nodes: int) -> int:
        """Number of runs at nodes and for their validation."""
        return nodes + self.validation_runs(nodes)

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        """Number of runs without fallback runs: at least, at most."""
        raise NotImplementedError

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = self.own_runs(inputs)
        return least, most + self.fallback_most(inputs)

    def fallback_most(self, inputs: Mapping[str, Input]) -> int:
        return self.fallback(self.own_runs(inputs)[1])

    def fallback(self, planned: int) -> int:
        """Number of fallback runs after so many others."""
        return fallback_count(self.fallback_runs, planned)

    def extreme_runs(self, inputs: int) -> int:
        """Largest number of runs at corners."""
        return min(MOST_CORNERS, 2**inputs) if self.corner_runs else 0

    def surrogate_class(self) -> type[Surrogate]:
        """The kind of surrogate."""
        raise NotImplementedError

    def region_class(self) -> type[Box]:
        """The kind of region: the whole box of the intervals unless said."""
        return Box

    def _start(self, *study: Any) -> MethodRun:
        from uqmbd.methods.surrogate_run import SurrogateRun

        return SurrogateRun(self, self.surrogate_class(), self.region_class(), *study)
