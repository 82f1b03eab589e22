"""Bounds by a search for the extremes of all outputs at all times at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Input
from uqmbd.methods.base import Method, MethodRun
from uqmbd.methods.intervals.plan import LEAST_ROUND, Plan
from uqmbd.outcomes import OutputInfo

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
    """

    name: ClassVar[str] = "search"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval"})

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

    def _start(self, inputs: dict[str, Input], outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.intervals.search_run import SearchRun

        if self.sequence is not None and (self.sequence not in outputs or outputs[self.sequence].axis):
            numbers = [name for name, info in outputs.items() if not info.axis]
            what = f"is {outputs[self.sequence].noun}, not a number" if self.sequence in outputs else "is no output of the study"
            raise StudyError(
                f"the output '{self.sequence}', which is to tell kinds of runs apart, {what}",
                key="method.sequence",
                value=self.sequence,
                remedy=did_you_mean(self.sequence, numbers, noun="scalar output"),
            )
        return SearchRun(self, inputs, outputs, time, seed)
