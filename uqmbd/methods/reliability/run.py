"""What the runs of a reliability study in standard normal space share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns, finite_rows
from uqmbd.analysis.base.magnitude import sizes
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.analysis.reliability.sampling import Probability, distances_of_unsafe
from uqmbd.errors import StudyError
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import count_failures
from uqmbd.methods.reliability.far import far_away
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.methods.staged import AdaptiveSampler, Conclusion, Groups
from uqmbd.outcomes import OutputInfo

Points = Generator[np.ndarray, np.ndarray, None]  # points (n, d) of standard normal space; is sent the margin (n,), NaN where a run failed

SEARCHING, SAMPLING = range(2)
COMPARED, COMPARED_WITH = 4, 16384  # random numbers of points that say how inputs are distributed, and how many
FEWEST, CONVERGENCE_STEPS = 20, 12  # of convergence: runs with which it begins, and numbers of runs
FEWEST_UNSAFE = 20  # unsafe runs from which it is told how they differ from all


class ReliabilityRun(AdaptiveSampler):
    """Runs searches and simulations of `uqmbd.analysis`: what they yield is asked for, the margin there is sent back.

    A subclass writes `_find`, one such coroutine, which sets `_estimate`, or writes `_statistics` too.
    """

    remedy: ClassVar[str] = ""  # what to do where nothing is found
    _unsafe_runs: int = 0
    _only: int | None = None  # the one limit of a system that is searched
    _role: int = SAMPLING  # of the next runs
    _estimate: Probability

    def __init__(
        self, settings: Reliability, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        self._notes: list[str] = Space.of(inputs).rough_tails()
        self._warnings: list[str] = []  # those of the notes that are said in the terminal too
        self._all = Columns(outputs, time)
        self._ends = np.array([[np.inf], [-np.inf]]).repeat(self._all.count, axis=1)
        # of many runs only the scalars are kept, and the envelope of everything
        super().__init__(settings, inputs, {name: info for name, info in outputs.items() if not info.axis}, time, seed)
        self._at = self.columns.slices[settings.output].start

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        values = self._all.pack(outputs, len(status))
        ok = values[finite_rows(values, status, self._all, self.observed)]
        self._ends[0] = np.minimum(self._ends[0], ok.min(axis=0, initial=np.inf))
        self._ends[1] = np.maximum(self._ends[1], ok.max(axis=0, initial=-np.inf))
        super().tell(samples, outputs, status)

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """The coordinate is z: tails keep their digits."""
        return self.inputs.from_normal(points)

    def _find(self) -> Points:
        raise NotImplementedError

    def _statistics(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        """Statistics, and sensitivities (d,) by kind."""
        return estimated(self._estimate) | {"runs": float(len(self.status))}, self._unsafe(self._estimate)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Numbers of runs, and statistics (counts,) from so many of them."""
        return np.empty(0, int), {}

    def _kept(self) -> Groups:
        """The group `surrogates`, where there is one."""
        return {}

    def _facts(self) -> dict[str, Any]:
        """Further attributes."""
        return {}

    def _plan(self) -> Iterator[bool]:
        coroutine, margin, size = self._find(), None, None
        while True:
            try:
                z = next(coroutine) if margin is None else coroutine.send(margin)
            except StopIteration:
                break
            except NotFoundError as error:
                self._require_enough()  # says where runs fail, which may be the reason
                remedy = self._far() or self.remedy
                raise StudyError(str(error), key="method.approach", value=self.settings.approach, remedy=remedy) from None
            first = len(self.points)
            self.add(z, self._role)
            yield True
            if self._role == SAMPLING:
                self._require_enough()
            margins = self._margins(first)
            size = sizes(margins) if size is None else size
            margin = self._together(margins / size)  # whose sign and shape alone are looked at
        self._require_enough()

    def _margins(self, first: int) -> np.ndarray:
        """Margins (runs, limits) of the runs from number `first` on, NaN where a run failed."""
        each = [self.settings.margin(self.values[first:, self._at])]
        for name, above, limit in self.settings.other_limits():
            values = self.values[first:, self.columns.slices[name].start]
            each.append(limit - values if above else values - limit)
        return np.stack(each, axis=1)

    def _together(self, margins: np.ndarray) -> np.ndarray:
        """Of a system that of the limit that decides, or that of the one limit `_only`: (runs,)."""
        if self._only is not None:
            return margins[:, self._only]
        return margins.max(axis=1) if self.settings.system == "parallel" else margins.min(axis=1)

    def _require_enough(self) -> None:
        """Raise `StudyError` when too many runs failed; a single one is never too many."""
        if np.count_nonzero(self.status) > 1:
            self._stop_if_too_many_failed()

    def _far(self) -> str:
        """That the limit is far from all runs; empty where it is not."""
        name = self.settings.output
        low, high = self._ends[:, self._all.slices[name].start]
        return far_away(self.settings.limit, low, high, int(np.count_nonzero(self.status == 0)), self._all.outputs[name].unit)

    def _conclude(self) -> Conclusion:
        settings, name = self.settings, self.settings.output
        statistics, sensitivity = self._statistics()
        beside = Columns({name: self.columns.outputs[name]}, self.columns.time)
        shown = np.array(list(statistics.values()))[:, None]
        groups = self._kept()
        if sensitivity:
            rows = np.array(list(sensitivity.values()))[..., None]
            groups["sensitivity"] = beside.dataset(rows, {"kind": list(sensitivity), "input": list(self.inputs)}, unit="")
        counts, history = self._convergence()
        if counts.size:
            rows = np.stack(list(history.values()), axis=1)[..., None]
            convergence = beside.dataset(rows, {"count": range(len(counts)), "statistic": list(history)}, unit="")
            groups["convergence"] = convergence.assign_coords(count=counts)
        attrs = {"method": settings.name, "about": "limit", "seed": self.seed, "approach": settings.approach, "unsafe": settings.in_words()}
        attrs |= {"sampling": "random" if settings.approach == "montecarlo" else "", **self._facts()}
        attrs |= {"unsafe_runs": self._unsafe_runs} if self._unsafe_runs else {}
        attrs["limit"] = float(settings.limit)
        attrs |= {"others": settings.others_in_words()} if settings.system else {}
        if far := self._far():
            self._notes.insert(0, far)
            self._warnings.insert(0, far)
        attrs |= {"warnings": self._warnings} if self._warnings else {}
        attrs |= {f"runs_{word}": int(np.count_nonzero(self.roles == role)) for role, word in enumerate(("search", "sampling"))}
        attrs |= {"notes": self._notes, **count_failures(self.status)}
        groups["inner"] = self._all.dataset(self._ends, {"bound": ["lower", "upper"]})
        groups["statistics"] = beside.dataset(shown, {"statistic": list(statistics)}, unit="")
        return groups, attrs

    def _unsafe(self, estimate: Probability) -> dict[str, np.ndarray]:
        """How far the inputs of unsafe runs are from those of all, (d,) by kind: nothing where there are too few to tell."""
        from scipy.special import ndtr

        places = estimate.places
        self._unsafe_runs = 0 if places is None else len(np.unique(places, axis=0))
        if places is None or self._unsafe_runs < FEWEST_UNSAFE or self._unsafe_runs == self.observed:
            return {}
        bound = self.inputs.dependence
        z = places if bound is None else bound.bend(places, list(self.inputs))
        u = ndtr(z)
        if odd := {**self.inputs.sampled, **self.inputs.joint}:  # of which z is not the normal score
            every = self.inputs.from_normal(generator(self.seed, COMPARED).standard_normal((COMPARED_WITH, len(self.inputs))))
            here = self.inputs.from_normal(places)
            for i, name in enumerate(self.inputs):
                if name in odd:
                    u[:, i] = np.searchsorted(np.sort(every[name]), here[name]) / COMPARED_WITH
        return {"unsafe_distance": distances_of_unsafe(u)}

    def _say(self, words: str) -> None:
        """Add to the notes what is not empty."""
        self._notes += [words] if words else []


def converging(runs: int, estimate: Callable[[int], Probability], kinds: Mapping[str, str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Numbers of runs, and of the estimates of so many of them by kind an attribute, `kinds`."""
    counts = np.unique(np.geomspace(min(FEWEST, runs), runs, CONVERGENCE_STEPS).astype(int))
    parts = [estimate(count) for count in counts]
    return counts, {kind: np.array([getattr(part, key) for part in parts]) for kind, key in kinds.items()}


def index_of(probability: float) -> float:
    """Reliability index ``-Φ⁻¹(P)``; infinite for 0."""
    from scipy.special import ndtri

    return float(-ndtri(probability))


def index_to(beta: float) -> float:
    """Probability ``Φ(-β)``."""
    from scipy.special import ndtr

    return float(ndtr(-beta))


def estimated(estimate: Probability) -> dict[str, float]:
    """Statistics of an estimate by sampling; the probability itself counts failed runs as unsafe."""
    return {
        "probability": estimate.unsafe,
        "probability_lower": estimate.lower,
        "probability_upper": estimate.upper,
        "cov": estimate.cov,
        "beta": index_of(estimate.unsafe),
        "probability_failed_safe": estimate.safe,
        "probability_failed_unsafe": estimate.unsafe,
    }
