"""What a surrogate is: where it wants runs, what it makes of them, and how wrong that is at others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sets.ranges import range_of
from uqmbd.analysis.statistics import trust
from uqmbd.surrogates.kept_polynomial import kept
from uqmbd.surrogates.kept_surrogate import InputAxis, affine_axis

# what a run is for. CORNER: validation at corners; EXTREME: where monotonic columns have their ends; SEARCH: where a search went;
# FALLBACK: its fresh runs; OWN: the first that a surrogate or a region may call as it likes
NODE, VALIDATION, FALLBACK, CORNER, EXTREME, SEARCH, OWN = range(7)
COARSE = 0.01  # of the error: an expansion that is not trusted needs no closer range
LEAST_VALIDATION = 10
MOST_CORNERS = 64  # runs


class Runs:
    """The runs of a study, as a surrogate and a region see them: what was run, and what can be asked for."""

    settings: Any  # of the method
    inputs: Any  # Space, in SI units
    columns: Columns  # of all outputs
    points: Any  # this and the next: arrays; (runs, d), in [-1, 1]^d
    values: Any  # (runs, columns)
    status: Any  # (runs,)
    roles: Any  # (runs,)
    observed: Any  # how many have outcomes, a number
    seed: int
    error: np.ndarray  # (columns,): as of the last `assess`, as are the next two
    trusted: np.ndarray  # bool (columns,)
    validation_error: np.ndarray  # (columns,): largest error at a run that was not fitted
    expansion: Any
    surrogate: Any
    region: Any

    def add(self, points: np.ndarray, role: int | np.ndarray) -> None:
        """Points (n, d) for the next ask, with one role or one each."""
        raise NotImplementedError

    def add_random(self, count: int, role: int) -> None:
        """Random points of the region; each role has random numbers of its own."""
        self.add(self.region.random(generator(self.seed, role).random((count, len(self.inputs)))), role)

    def add_validation(self, count: int) -> None:
        """So many further random runs for validation: the first of many are those of few."""
        had = int(np.count_nonzero(self.roles == VALIDATION))
        u = generator(self.seed, VALIDATION).random((had + count, len(self.inputs)))
        self.add(self.region.random(u)[had:], VALIDATION)

    def assess(self) -> None:
        """Fit, and see how wrong the surrogate is."""
        raise NotImplementedError

    def outer(self, part: int, enclosed: Any, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> tuple[trust.Outer, float]:
        """Outer bounds over a part of the region from what `enclosed` says of columns; see `uqmbd.methods.surrogate_run`."""
        raise NotImplementedError

    def stop_early(self) -> None:
        """Stop between asks when too many runs failed."""
        raise NotImplementedError

    def run_extremes(self) -> Iterator[bool]:
        """Runs at corners where columns that are monotonic in all inputs have their extremes, if the settings want them."""
        raise NotImplementedError

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Inputs in SI at points (n, d)."""
        raise NotImplementedError

    def outcomes(self, runs: np.ndarray) -> np.ndarray:
        """Outcomes of these runs, (runs, columns), to be read only: no copy where the runs follow each other."""
        raise NotImplementedError

    def not_run(self, points: np.ndarray) -> np.ndarray:
        """Those of `points` (n, d) that were not run yet."""
        done = {tuple(point) for point in self.points.tolist()}
        return points[[tuple(point) not in done for point in points.tolist()]]

    def counted(self) -> np.ndarray:
        """Runs whose outcomes the bounds have to hold, indices."""
        return np.flatnonzero((self.status == 0) & self.region.contains(self.points))

    def envelope(self, runs: np.ndarray) -> np.ndarray:
        """What these runs reached, (2, columns)."""
        raise NotImplementedError

    def scale(self) -> np.ndarray:
        """Range of each output over the runs so far, repeated for its columns, never zero: (columns,)."""
        low, high = self.envelope(self.status == 0)
        for at in self.columns.slices.values():
            low[at], high[at] = low[at].min(), high[at].max()
        scale = np.maximum(high - low, 1e-9 * np.maximum(abs(low), abs(high)))
        return np.where(scale > 0, scale, 1.0)

    def judged(self, error: np.ndarray, width: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Error over neighbours and trust of every column; its `width` is that of the band of all runs unless said, (columns,)."""
        allowed = self.settings.trust_tolerance, self.settings.width_tolerance
        return trust.assessed(error, self.columns.slices.values(), self.envelope(self.counted()), *allowed, width)

    def range(
        self,
        columns: np.ndarray,
        gap: np.ndarray,
        *,
        seen: Sequence[np.ndarray] | None = None,
        box: np.ndarray | None = None,
        surrogate: Fitted | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Range of the surrogate of some columns, in a part of the box if said, and which of them reached their gap."""
        which = self.expansion if surrogate is None else surrogate
        return range_of(which, self.columns.slices.values(), columns, gap, self.settings.enclosure, seen=seen, box=box)


class Surrogate:
    """One kind of surrogate, at work on the runs of a study. A kind is one file."""

    bounds_from_expansion: ClassVar[bool] = True  # else the bounds are those of runs, and the expansion only describes them

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.note = ""  # what failed runs did to the last fit

    def design(self) -> Iterator[bool]:
        """Steps up to and with the validation runs, one for each ask."""
        raise NotImplementedError

    def fit(self) -> Fitted:
        """The surrogate of all columns, frozen data."""
        raise NotImplementedError

    def fitted(self) -> np.ndarray:
        """Runs that the surrogate is made of, indices."""
        return np.flatnonzero(self.runs.roles == NODE)

    def held_out(self) -> np.ndarray:
        """Whether each run is none that the surrogate was made of, (runs,)."""
        return self.runs.roles != NODE

    def validation_error(self, expansion: Fitted, rows: np.ndarray) -> np.ndarray:
        """Largest error at runs that the surrogate was not made of, (columns,)."""
        points, values = self.runs.points[rows], self.runs.values
        count = values.shape[1]
        return by_blocks(lambda at: np.abs(expansion.part(at).evaluate(points) - values[rows, at]).max(axis=0), count, len(rows))

    def enclosed(
        self, columns: np.ndarray, error: np.ndarray, trusted: np.ndarray, box: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Range of the surrogate of some columns over the cube, or over a box (d, 2) in it, widened by the error: (2, columns).

        And which of them reached their gap. `error`, `trusted` are those of these columns.
        """
        runs, settings = self.runs, self.runs.settings
        seen = self.seen(columns) if box is None else None
        width = np.ptp(runs.envelope(runs.counted())[:, columns] if seen is None else np.stack(seen), axis=0)
        gap = np.maximum(settings.gap * width, np.where(trusted, 0.0, COARSE * error))
        enclosure, met = runs.range(columns, gap, seen=seen, box=box)
        return enclosure + settings.safety * error * np.array([[-1.0], [1.0]]), met

    def enclosed_on(self, boxes: np.ndarray, columns: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> np.ndarray:
        """The same over many boxes (n, d, 2): lower and upper ends, (2, n, columns)."""
        return np.stack([self.enclosed(columns, error, trusted, box)[0] for box in boxes], axis=1)

    def covered(self, columns: np.ndarray, trusted: np.ndarray, region: Any) -> tuple[np.ndarray, np.ndarray] | None:
        """The same over a convex region, of a kind that bounds it by boxes that `cover` it; None of others, whose extremes are sought."""
        return None

    def seen(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Smallest and largest value of the surrogate at its nodes; None where it does not interpolate its runs."""
        if self.note:
            return None
        low, high = self.runs.envelope(self.fitted())[:, columns]
        return low, high

    def axes(self) -> list[InputAxis]:
        """Inputs with their coordinates, by which it is asked again."""
        return [affine_axis(name, *item.ppf(np.array([0.0, 1.0]))) for name, item in self.runs.inputs.items()]

    def kept(self) -> dict[str, Any]:
        """The group ``surrogates`` of the result: what was fitted, to be asked again; empty where bounds do not come from it."""
        runs = self.runs
        return {"surrogates": kept(self.axes(), runs.expansion, runs.columns, runs.error)} if self.bounds_from_expansion else {}

    def facts(self) -> dict[str, Any]:
        """Attributes of the result."""
        return {}

    def notes(self, trusted: np.ndarray) -> list[str]:
        """Sentences about the result; `trusted` (columns,)."""
        return [self.note] if self.note else []

    def groups(self) -> dict[str, Any]:
        """Further groups of the result."""
        return {}

    def bits(self, relative: np.ndarray) -> float:
        """How many bits sizes (columns,) lack to the target, as of `weight`."""
        return self.weight(np.log2(np.maximum(relative / self.runs.settings.target, 1.0)))

    def weight(self, sizes: np.ndarray) -> float:
        """Mean of sizes (columns,) over the times of a history, added up over the outputs, so that impacts cannot claim all runs."""
        return float(sum(sizes[at].mean() for at in self.runs.columns.slices.values()))


def note_of_failed(lost: int, runs: int, then: str) -> str:
    """What is said of failed runs among those that are fitted; empty where there are none."""
    return f"{lost} of {runs} runs at nodes failed; {then}" if lost else ""


def note_of_terms(fitted: int, terms: int, rank: int) -> str:
    """How many of its terms a fit to the runs that are left determines."""
    rest = "; the others are not determined and are left out" if fitted < terms else ""
    return f"of {terms} terms the lowest {fitted} are fitted (rank {rank}){rest}"
