"""The run of a search for the extremes of whole histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from uqmbd.analysis import trust
from uqmbd.analysis.columns import finite_rows
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.failures import where
from uqmbd.methods.intervals.fresh import Found, statement
from uqmbd.methods.intervals.searching import FIRST, SEARCH, WIDENING, BoundsSearch
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.intervals.search import Search


class SearchRun(StagedRun):
    """Sobol' points, rounds of the search, and two halves of fresh runs. Outcomes are not kept."""

    chosen: ClassVar[tuple[int, ...]] = (SEARCH,)

    def __init__(
        self, settings: Search, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._search = self._search_of(settings)
        self._spent: list[tuple[int, float]] = []  # runs, and what they took [s]

    def _search_of(self, settings: Search) -> BoundsSearch:
        about = settings.plan, self._columns, len(self._inputs), self._seed
        if settings.sequence is None:
            return BoundsSearch(*about, over=self._is_over)
        from uqmbd.methods.intervals.kinds import KindsSearch

        return KindsSearch(*about, settings.sequence, over=self._is_over)

    def spent(self, seconds: float) -> None:
        """What all runs told so far took [s], see `uqmbd.methods.base.MethodRun`."""
        self._spent.append((self._told, seconds))

    def _is_over(self, more: int) -> bool:
        """Whether so many further runs and the fresh ones would take more than the budget, at the rate since the first runs."""
        if self.settings.budget is None or len(self._spent) < 2:
            return False
        (before, then), (runs, now) = self._spent[1], self._spent[-1]  # the first runs compile the model
        rate = (now - then) / (runs - before) if runs > before else now / runs
        return now + rate * (self.settings.fresh + more) > self.settings.budget

    def _await(self, more: int) -> None:
        self._status = np.concatenate([self._status, np.zeros(more, np.int8)])

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes in run order, see `uqmbd.methods.base.MethodRun`."""
        matrix = self._columns.pack(outputs, len(status))
        finite_rows(matrix, status, self._columns, self._told)
        self._status[self._told : self._told + len(status)] = status
        self._search.take(matrix, status)
        self._told += len(status)

    def _plan(self) -> Iterator[bool]:
        for role, points, _ in self._search.steps():
            self._add(points, role)
            yield True
            if role == FIRST:
                self._stop_if_too_many_failed(self.settings)
        self._stop_if_too_many_failed(self.settings)

    def result(self) -> Result:
        self._require_finished()
        columns, ends, found = self._columns, {"bound": ["lower", "upper"]}, self._search.found()
        trusted = found.trusted
        result = Result(
            bounds=columns.dataset(found.outer, ends),
            inner=columns.dataset(found.inner, ends),
            error=columns.dataset(found.error),
            trusted=columns.dataset(trusted, unit=""),
            source=columns.dataset(np.full(columns.count, trust.SEARCHED, np.int8), unit=""),
            trust_horizon=trust.horizons(trusted, columns),
            worst=self._at_runs(found.places),
            attrs=self._attributes(found),
        )
        if self.settings.sequence is not None:
            from uqmbd.methods.intervals.kinds import add_regions

            add_regions(result, self._search, columns)
        return result

    def _attributes(self, found: Found) -> dict:
        settings = self.settings
        failed = self._status != 0
        region = where(self._inputs, self._samples(self._points), failed) if failed.any() else ""
        notes = [f"runs fail where {region}: the search keeps away from there, and nothing is known of it"] if region else []
        return {
            "method": settings.name,
            "seed": self._seed,
            "trust_tolerance": settings.trust_tolerance,
            "safety": settings.safety,
            "trusted_share": float(found.trusted.mean()),
            **said(found, list(self._columns.slices), settings.margin),
            "ended": self._search.ended,
            "runs_first": int(np.count_nonzero(self._roles == FIRST)),
            "runs_search": int(np.count_nonzero(self._roles == SEARCH)),
            "runs_fresh": int(np.count_nonzero(self._roles >= WIDENING)),
            "ways": {name: list(each) for name, each in self._search.tally.items()},
            **count_failures(self._status),
            "notes": notes,
        }


def said(found: Found, names: list[str], margin: float) -> dict:
    """Attributes that say in how much of the box the response may leave the bounds of a search; `names` of the outputs."""
    shares = found.shares
    return {
        "outside_at_most": dict(zip(names, shares[:-1].tolist(), strict=True)),
        "outside_anywhere_at_most": float(shares[-1]),
        "outside_at_one_time_at_most": found.share_at_one_time,
        "outside_found": int(found.hits[-1]),
        "statement": statement(int(found.hits[-1]), found.counted, float(shares[-1]), found.share_at_one_time, margin),
    }
