"""The run of a search for the extremes of whole histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import trust
from uqmbd.analysis.extreme_search import Search as Proposals
from uqmbd.analysis.extreme_search import neighbours
from uqmbd.analysis.extremes import Extremes
from uqmbd.analysis.outside import exceedance, leaving, share_at_most
from uqmbd.inputs import Input
from uqmbd.methods.base import Method, count_failures, generator
from uqmbd.methods.columns import finite_rows
from uqmbd.methods.design import sobol
from uqmbd.methods.failures import stop_if_too_many, where
from uqmbd.methods.intervals.search import LARGEST_ROUND, LEAST_ROUND
from uqmbd.methods.staged import StagedRun
from uqmbd.result import Result
from uqmbd.simulators.base import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.intervals.search import Search

FIRST, SEARCH, WIDENING, COUNTING = range(4)  # roles; the last two are fresh runs
AGAIN = 4  # times a point is drawn anew that was run already, or is next to a run that failed
LATE = 2 / 3  # of the search's runs: what it gained after these is what it may gain yet
ROUNDING = 1e-9  # of an output's range: bands no wider are points


class SearchRun(StagedRun):
    """Sobol' points, rounds of the search, and two halves of fresh runs. Keeps extremes of the outcomes, not the outcomes."""

    def __init__(
        self, settings: Search, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        columns = self._columns
        self._extremes = Extremes(columns.count, neighbours(len(inputs)))
        groups = np.repeat(np.arange(len(columns.slices)), [at.stop - at.start for at in columns.slices.values()])
        by_name = np.concatenate([np.arange(at.start, at.stop) for _, at in sorted(columns.slices.items())])
        self._search = Proposals(self._extremes, groups, by_name, len(inputs))
        self._done: set[bytes] = set()  # points of the search, so that none is run twice
        self._grown: list[tuple[int, np.ndarray]] = []  # runs, and the bounds that they reached
        self._beyond = np.zeros((2, columns.count))  # of the first half of the fresh runs
        self._error = np.zeros(columns.count)  # of both halves
        self._outside = np.zeros(columns.count, int)  # fresh runs of the second half outside, by column
        self._hits = np.zeros(len(columns.slices) + 1, int)  # the same anywhere in an output, and anywhere at all

    # what is told --------------------------------------------------------------------------------------------------------------------
    def _await(self, more: int) -> None:
        self._status = np.concatenate([self._status, np.zeros(more, np.int8)])

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes in run order, see `uqmbd.methods.base.MethodRun`."""
        matrix = self._columns.pack(outputs, len(status))
        matrix[~finite_rows(matrix, status, self._columns, self._told)] = np.nan
        self._status[self._told : self._told + len(status)] = status
        role = self._roles[self._told]  # a batch never mixes two asks
        if role in (FIRST, SEARCH):
            self._extremes.take(matrix, self._told)
        else:
            self._look_outside(matrix, counting=role == COUNTING)
        self._told += len(status)

    def _look_outside(self, matrix: np.ndarray, *, counting: bool) -> None:
        searched, outer = self._fresh
        left = exceedance(matrix, searched)
        self._error = np.maximum(self._error, left.max(axis=0))
        self._reached.take(matrix, self._told)
        if not counting:
            self._beyond = np.maximum(self._beyond, left)
            return
        out = leaving(matrix, outer, self._margin)
        self._outside += out.sum(axis=0)
        by_output = np.stack([out[:, at].any(axis=1) for at in self._columns.slices.values()])
        self._hits[:-1] += by_output.sum(axis=1)
        self._hits[-1] += by_output.any(axis=0).sum()

    # what is asked -------------------------------------------------------------------------------------------------------------------
    def _plan(self) -> Iterator[bool]:
        settings = self.settings
        self._add(2 * sobol(settings.beginning, len(self._inputs), generator(self._seed, FIRST)) - 1, FIRST)
        yield True
        self._stop_if_too_many_failed(self.settings)
        self._remember()
        draw = generator(self._seed, SEARCH)
        while (left := settings.searching - len(self._points)) > 0 and not self._is_settled():
            count = min(left, max(LEAST_ROUND, min(LARGEST_ROUND, len(self._points) // 8)))
            values, places, first = self._extremes.values[..., 0].copy(), self._extremes.places.copy(), len(self._points)
            ways = self._search.ways_of(count, draw)
            self._add(self._worth_running(self._search.points(self._points, ways, draw), ways, draw), SEARCH)
            yield True
            self._search.learn(ways, first, values, places)
            self._remember()
        yield from self._check()

    def _check(self) -> Iterator[bool]:
        """Fresh runs: how far outside they are, and then how many are outside of the bounds that follow."""
        count, bounds = self.settings.fresh, self._extremes.bounds
        self._reached = Extremes(self._columns.count, 1)
        self._margin = self.settings.margin * self._width(bounds)
        self._fresh = bounds, bounds
        self._beyond = self._growth()
        self._add_random(count - count // 2, WIDENING)
        yield True
        self._fresh = bounds, self._widened(bounds)
        self._add_random(count // 2, COUNTING)
        yield True
        self._stop_if_too_many_failed(self.settings)

    def _remember(self) -> None:
        self._grown.append((len(self._points), self._extremes.bounds))

    def _is_settled(self) -> bool:
        """Whether over the last third of the runs no output's bounds grew by more than `settled` at 95 % of its times."""
        now, bounds = self._grown[-1]
        if self._grown[0][0] > now * LATE:
            return False
        width = self._width(bounds)
        grown = self._growth().max(axis=0) / np.where(width > 0, width, 1.0)
        return all(np.quantile(grown[at], 0.95) <= self.settings.settled for at in self._columns.slices.values())

    def _growth(self) -> np.ndarray:
        """By how much the bounds grew over the last third of the search, (2, columns)."""
        now, bounds = self._grown[-1]
        then = [old for runs, old in self._grown[:-1] if runs <= now * LATE] or [self._grown[0][1]]
        return np.abs(bounds - then[-1])

    def _worth_running(self, points: np.ndarray, ways: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """The points, but none that was run already and none next to a run that failed: others by the same ways in their place."""
        failed = self._status != 0
        tree = None
        if failed.any():
            from scipy.spatial import cKDTree

            tree = cKDTree(self._points)
        for _ in range(AGAIN):
            bad = self._known(points)
            if tree is not None:
                bad |= failed[tree.query(points)[1]]
            if not bad.any():
                break
            points[bad] = self._search.points(self._points, ways[bad], draw)
        self._done.update(point.tobytes() for point in points)
        return points

    def _known(self, points: np.ndarray) -> np.ndarray:
        """Which points were run, or stand among them twice."""
        found, own = np.zeros(len(points), bool), set()
        for k, point in enumerate(points):
            key = point.tobytes()
            found[k] = key in self._done or key in own
            own.add(key)
        return found

    def _stop_if_too_many_failed(self, method: Method) -> None:
        """By the runs that are a sample of the box: the search goes where it pays, and may meet a corner that fails again and again."""
        sample = np.flatnonzero(self._roles[: self._told] != SEARCH)
        samples = {name: values[sample] for name, values in self._samples(self._points[: self._told]).items()}
        stop_if_too_many(method, self._inputs, samples, self._status[sample])

    # what follows --------------------------------------------------------------------------------------------------------------------
    def _width(self, bounds: np.ndarray) -> np.ndarray:
        """Width of the band at every time; a band that is a point has the width of rounding, (columns,)."""
        smallest, largest = self._ranges(bounds)
        return np.maximum(bounds[1] - bounds[0], ROUNDING * (largest - smallest))

    def _widened(self, bounds: np.ndarray) -> np.ndarray:
        spread = np.stack([self._over_neighbours(beyond, bounds) for beyond in self._beyond])
        return bounds + self.settings.safety * spread * np.array([[-1.0], [1.0]])

    def _over_neighbours(self, lacking: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """The largest over the times near by; but where the band is a point, as at the start of a motion, neighbours say nothing."""
        wide = np.concatenate([trust.over_neighbours(lacking[at]) for at in self._columns.slices.values()])
        return np.where(bounds[1] - bounds[0] < self._width(bounds), lacking, wide)

    def result(self) -> Result:
        self._require_finished()
        columns, ends, searched = self._columns, {"bound": ["lower", "upper"]}, self._extremes.bounds
        reached = self._reached.bounds
        inner = np.stack([np.fmin(searched[0], reached[0]), np.fmax(searched[1], reached[1])])
        wide = self._widened(searched)
        bounds = np.stack([np.minimum(wide[0], inner[0]), np.maximum(wide[1], inner[1])])
        error = self._over_neighbours(np.maximum(self._error, self._growth().max(axis=0)), searched)
        width = self._width(inner)
        trusted = error <= self.settings.trust_tolerance * width
        horizons = {n: trust.horizon(trusted[columns.slices[n]], columns.time) for n, info in columns.outputs.items() if info.history}
        return Result(
            bounds=columns.dataset(bounds, ends),
            inner=columns.dataset(inner, ends),
            error=columns.dataset(error),
            trusted=columns.dataset(trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            worst=self._worst(inner),
            attrs=self._attributes(trusted),
        )

    def _worst(self, inner: np.ndarray) -> xr.Dataset:
        """Inputs, in SI, at which each bound was reached: ``bound`` x ``input`` [x time]."""
        from_fresh = np.stack([inner[0] < self._extremes.bounds[0], inner[1] > self._extremes.bounds[1]])
        runs = np.where(from_fresh, self._reached.places, self._extremes.places)
        samples = self._samples(self._points)
        found = np.stack([np.asarray(samples[name])[runs] for name in self._inputs], axis=1)
        return self._columns.dataset(found, {"bound": ["lower", "upper"], "input": list(self._inputs)}, unit="")

    def _attributes(self, trusted: np.ndarray) -> dict:
        settings = self.settings
        counted = int(np.count_nonzero((self._roles == COUNTING) & (self._status == 0)))
        shares = share_at_most(self._hits, counted)
        names = list(self._columns.slices)
        single = float(share_at_most(self._outside, counted).max())
        failed = self._status != 0
        region = where(self._inputs, self._samples(self._points), failed) if failed.any() else ""
        note = {"note": f"runs fail where {region}: the search keeps away from there, and nothing is known of it"} if region else {}
        return {
            "method": settings.name,
            "seed": self._seed,
            "trust_tolerance": settings.trust_tolerance,
            "safety": settings.safety,
            "trusted_share": float(trusted.mean()),
            "outside_at_most": dict(zip(names, shares[:-1].tolist(), strict=True)),
            "outside_anywhere_at_most": float(shares[-1]),
            "outside_at_one_time_at_most": single,
            "outside_found": int(self._hits[-1]),
            "statement": statement(int(self._hits[-1]), counted, float(shares[-1]), single, settings.margin),
            "runs_first": int(np.count_nonzero(self._roles == FIRST)),
            "runs_search": int(np.count_nonzero(self._roles == SEARCH)),
            "runs_fresh": int(np.count_nonzero(self._roles >= WIDENING)),
            "ways": {name: [int(runs), float(gain)] for (name, _), runs, gain in zip(self._search.ways, *self._search.tally, strict=True)},
            **count_failures(self._status),
            **note,
        }


def statement(found: int, counted: int, anywhere: float, once: float, margin: float) -> str:
    """What the fresh runs say, in words."""
    return (
        f"{found} of {counted} fresh runs left the bounds, at some time of some output, by more than {100 * margin:.3g} % of the band's "
        f"width; so with 95 % confidence the response does so in less than {100 * anywhere:.2g} % of the box, "
        f"and at any single time in less than {100 * once:.2g} %"
    )
