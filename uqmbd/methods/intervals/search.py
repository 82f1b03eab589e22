"""Bounds by a search for the extremes of all outputs at all times at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.statistics.trust import SEARCHED
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import OF_SEARCH, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.failures import where
from uqmbd.methods.intervals.searching import FIRST, LEAST_ROUND, SEARCH, WIDENING, BoundsSearch
from uqmbd.methods.intervals.validation_samples import Plan, SearchBound, share_outside
from uqmbd.methods.staged import AdaptiveSampler, Conclusion
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Progress

if TYPE_CHECKING:
    from uqmbd.result import Result

MOST_FIRST = 4096


class Search(Method):
    """What runs reach when they are sent where the response is extreme, and how often fresh runs leave that.

    No surrogate has to follow the response: impacts, kinks and jumps only cost runs. Every run serves all outputs, all times and both
    sides. The bounds are what runs reached, widened by what a first half of the `fresh` runs found outside; the second half is counted,
    and says, with 95 % confidence, in how much of the box the response may still leave the bounds.

    Attributes
    ----------
    max_runs : int
        Limit of all runs, the fresh ones among them.
    fresh : int
        Random runs at the end, which the search never uses; half of them are counted. Where these are fewer than 59 nothing is trusted: the
        response may leave the bounds in 5 % of the box.
    budget : float
        Wall time of the runs [s] at which the search makes room for the fresh ones and ends, if nothing has ended it before; runs that
        were there count with what they took. Not said: no limit.
    first_runs : int
        Sobol' points with which the search begins; a power of two near an eighth of the runs, 64 to 4096, where nothing is said.
    settled : float
        The search ends when over its last third the bounds of no output grew by more than this share of the band's width, at 95 % of its
        times.
    trust_tolerance : float
        A time or scalar is trusted where fresh runs lie outside of what the search reached by at most this share of the band's width
        there, the bounds grew by no more in the last third of the search, and its two halves that know nothing of each other agree so far.
    safety : float
        The bounds are widened by so many times what the first half of the fresh runs found outside, or by so many times what they grew in
        the last third of the search, or what its two halves disagreed about.
    sequence : str
        A scalar output whose whole values tell kinds of runs apart, such as the number or the order of impacts. Each kind found has
        bounds of its own, up to the limits at which it ends, and a share of the box; those of all runs are their union. Not said: runs are
        not told apart.
    max_failed : float
        Share of the first and of the fresh runs that may fail; those of the search are no sample of the box.
    margin : float
        A fresh run counts as outside when it leaves the bounds by more than this share of the band's width.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Search(max_runs=480, fresh=120), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(3).tolist()  # mm; exact: 40.909 and 61.111
    [40.909, 61.111]
    """

    name: ClassVar[str] = "search"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "integers"})
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SEARCH

    max_runs: int = Field(default=20_000, ge=16)
    fresh: int = Field(default=2000, ge=2)
    budget: float | None = Field(default=None, gt=0)
    first_runs: int | None = Field(default=None, ge=1)
    settled: float = Field(default=3e-4, ge=0, lt=1)
    trust_tolerance: float = Field(default=0.05, gt=0, lt=1)
    safety: float = Field(default=2.0, ge=1)
    margin: float = Field(default=0.01, ge=0, lt=1)
    sequence: str | None = None

    @model_validator(mode="after")
    def _room_for_a_search(self) -> Self:
        if self.fresh + (self.first_runs or 1) >= self.max_runs:
            said = f"{self.fresh} fresh runs" + (f" and {self.first_runs} first ones" if self.first_runs else "")
            raise ValueError(f"max_runs = {self.max_runs} leaves no run for the search beside {said}: raise it, or lower fresh")
        return self

    @property
    def beginning(self) -> int:
        """Number of Sobol' points with which the search begins."""
        return self.first_runs or min(2 ** max(6, (self.searching // 8).bit_length() - 1), MOST_FIRST, self.searching)

    @property
    def searching(self) -> int:
        """Largest number of runs that are not fresh."""
        return self.max_runs - self.fresh

    @property
    def plan(self) -> Plan:
        """What a run of this method may spend."""
        return Plan(self.beginning, self.searching, self.fresh, self.settled, self.trust_tolerance, self.safety, self.margin)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return min(self.beginning + LEAST_ROUND, self.searching) + self.fresh, self.max_runs

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> SearchRun:
        if self.sequence is not None and (self.sequence not in outputs or outputs[self.sequence].axis):
            numbers = [name for name, info in outputs.items() if not info.axis]
            what = f"is {outputs[self.sequence].noun}, not a number" if self.sequence in outputs else "is no output of the study"
            text = f"the output '{self.sequence}', which is to tell kinds of runs apart, {what}"
            remedy = did_you_mean(self.sequence, numbers, noun="scalar output")
            raise StudyError(text, key="method.sequence", value=self.sequence, remedy=remedy)
        return SearchRun(self, inputs, outputs, time, seed)


class SearchRun(AdaptiveSampler):
    """Sobol' points, rounds of the search, and two halves of fresh runs. Outcomes are not kept."""

    chosen: ClassVar[tuple[int, ...]] = (SEARCH,)

    def __init__(self, settings: Search, *study: Any) -> None:
        from uqmbd.methods.intervals.kinds import KindsSearch

        super().__init__(settings, *study)
        self._elapsed: list[tuple[int, float]] = []  # runs, and what they took [s]
        about = settings.plan, self.columns, len(self.inputs), self.seed
        kinds, over = settings.sequence, self._is_over
        self._search = BoundsSearch(*about, over=over) if kinds is None else KindsSearch(*about, kinds, over=over)

    def hear(self, progress: Progress) -> None:
        """Keep what all runs told so far took [s]."""
        self._elapsed.append((self.observed, progress.seconds))

    def _is_over(self, more: int) -> bool:
        """Whether so many further runs and the fresh ones would take more than the budget, at the rate since the first runs."""
        if self.settings.budget is None or len(self._elapsed) < 2:
            return False
        (before, then), (runs, now) = self._elapsed[1], self._elapsed[-1]  # the first runs compile the model
        rate = (now - then) / (runs - before) if runs > before else now / runs
        return now + rate * (self.settings.fresh + more) > self.settings.budget

    def _await(self, more: int) -> None:
        self._kept_status.fill(more, 0)

    def _keep(self, at: slice, matrix: np.ndarray) -> None:
        self._search.take(matrix, self.status[at])

    def _plan(self) -> Iterator[bool]:
        for role, points, _ in self._search.steps():
            self.add(points, role)
            yield True
            if role == FIRST:
                self._stop_if_too_many_failed()
        self._stop_if_too_many_failed()

    def _conclude(self) -> Conclusion:
        columns, bound = self.columns, self._search.search_bound()
        groups = self._groups(bound.inner, bound.error, bound.trusted) | {
            "bounds": columns.dataset(bound.outer, {"bound": ["lower", "upper"]}),
            "source": columns.dataset(np.full(columns.count, SEARCHED, np.int8), unit=""),
            "worst": self._at_runs(bound.places),
        }
        return groups, self._attributes(bound)

    def _extend(self, result: Result) -> None:
        self._search.add_to(result)

    def _attributes(self, bound: SearchBound) -> dict:
        settings = self.settings
        failed = self.status != 0
        region = where(self.inputs, self.samples(self.points), failed) if failed.any() else ""
        notes = [f"runs fail where {region}: the search keeps away from there, and nothing is known of it"] if region else []
        return {
            "method": settings.name,
            "by_search": True,
            "seed": self.seed,
            "trust_tolerance": settings.trust_tolerance,
            "safety": settings.safety,
            "trusted_share": float(bound.trusted.mean()),
            **share_outside(self.columns, bound.hits, bound.once, bound.counted, settings.margin),
            "ended": self._search.ended,
            "runs_first": int(np.count_nonzero(self.roles == FIRST)),
            "runs_search": int(np.count_nonzero(self.roles == SEARCH)),
            "runs_fresh": int(np.count_nonzero(self.roles >= WIDENING)),
            "ways": {name: list(each) for name, each in self._search.tally.items()},
            **count_failures(self.status),
            "notes": notes,
        }
