"""All outputs side by side in one matrix: a scalar is one column, a history or a curve one column for each point of its axis."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import TIME, Axis, OutputInfo

if TYPE_CHECKING:
    import xarray as xr

SAID = 5  # outputs that a sentence names
NAMES = "columns"  # entry of a partial: JSON, which outputs lie along the last axis of its other entries


class Columns:
    """Layout of the columns."""

    def __init__(self, outputs: Mapping[str, OutputInfo], time: np.ndarray) -> None:
        self.outputs = dict(outputs)
        self.time = time  # (points,), s
        times = Axis(TIME.name, time, TIME.unit)
        # what outputs are over, with its values; scalars have none
        self.axes = {name: times if info.over_time else info.axis for name, info in self.outputs.items() if info.axis is not None}
        self.slices: dict[str, slice] = {}  # columns of each output
        self.count = 0  # columns
        for name in self.outputs:
            width = len(self.axes[name].values) if name in self.axes else 1
            self.slices[name] = slice(self.count, self.count + width)
            self.count += width
        widths = [at.stop - at.start for at in self.slices.values()]
        self.may_miss = np.repeat([info.may_miss for info in self.outputs.values()], widths).astype(bool)

    @property
    def scalars(self) -> Columns:
        """The layout of the scalars alone."""
        return Columns({name: info for name, info in self.outputs.items() if info.axis is None}, self.time)

    def named(self, which: np.ndarray) -> list[str]:
        """Outputs that have some of the columns, `which` (count,) bool."""
        return [name for name, at in self.slices.items() if which[at].any()]

    def in_words(self, which: np.ndarray) -> str:
        """The same as text: `SAID` names at most, and how many others there are."""
        names = self.named(which)
        more = f" and {len(names) - SAID} others" if len(names) > SAID else ""
        return ", ".join(names[:SAID]) + more

    def pack(self, outputs: Mapping[str, np.ndarray], rows: int) -> np.ndarray:
        """Outcomes of `rows` runs as a matrix (rows, count)."""
        matrix = np.empty((rows, self.count))
        for name, at in self.slices.items():
            values = np.asarray(outputs[name], float)
            if values.size != rows * (at.stop - at.start):
                raise StudyError(f"the output '{name}' has the shape {values.shape} for {rows} runs and {at.stop - at.start} columns")
            matrix[:, at] = values.reshape(rows, -1)
        return matrix

    def dataset(self, array: np.ndarray, labels: Mapping[str, Sequence] | None = None, *, unit: str | None = None) -> xr.Dataset:
        """One variable per output from `array` (..., count), whose leading dimensions are named and labelled by `labels`."""
        import xarray as xr

        labels = labels or {}
        coords: dict = {dim: np.array(list(words)) for dim, words in labels.items()}
        coords = {dim: words.astype(object) if words.dtype.kind == "U" else words for dim, words in coords.items()}
        variables = {}
        for name, at in self.slices.items():
            part = array[..., at] if name in self.axes else array[..., at.start]
            variables[name] = ((*labels, *self.dims(name)), part, {"unit": self.outputs[name].unit if unit is None else unit})
        return xr.Dataset(variables, coords | self.coords())

    def dims(self, name: str) -> tuple[str, ...]:
        """The dimension of an output over an axis; none of a scalar."""
        return (self.axes[name].name,) if name in self.axes else ()

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of one run's output."""
        return self.axes[name].values.shape if name in self.axes else ()

    def coords(self) -> dict[str, tuple[str, np.ndarray, dict[str, str]]]:
        """The axes of all outputs as coordinates of a Dataset."""
        return {axis.name: (axis.name, axis.values, {"unit": axis.unit}) for axis in self.axes.values()}


def pack_both(
    scalars: Columns, histories: Columns, outputs: Mapping[str, np.ndarray], status: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcomes of a batch as a matrix of the scalars and one of the histories, and which runs are ok, (rows,) bool; see `finite_rows`."""
    values, curves = scalars.pack(outputs, len(status)), histories.pack(outputs, len(status))
    return values, curves, finite_rows(values, status, scalars) & finite_rows(curves, status, histories)


def finite_rows(matrix: np.ndarray, status: np.ndarray, columns: Columns, first_run: int | None = None) -> np.ndarray:
    """Which runs are ok, (rows,) bool; raises `StudyError` when an ok run holds a number that is not finite, and not missing."""
    ok = np.asarray(status) == 0
    fine = np.isfinite(matrix)
    if columns.may_miss.any():
        fine |= np.isnan(matrix) & columns.may_miss
    good = fine.all(axis=1)
    if np.all(good | ~ok):
        return ok
    row = int(np.flatnonzero(ok & ~good)[0])
    column = int(np.flatnonzero(~fine[row])[0])
    name = next(name for name, at in columns.slices.items() if at.start <= column < at.stop)
    run = "a run" if first_run is None else f"run {first_run + row}"
    raise StudyError(
        f"{run} is reported as ok, but its output '{name}' is {matrix[row, column]}",
        remedy="let the simulator report such a run as failed",
    )


# partials whose arrays know their outputs -------------------------------------------------------------------------------------------------
def widths(columns: Columns) -> list[list]:
    """Names of the outputs and how many columns each has, ``[name, width]``, in order."""
    return [[name, at.stop - at.start] for name, at in columns.slices.items()]


def with_names(
    reduce: Callable[..., dict[str, np.ndarray]],
    along: Mapping[str, list[list]],
    samples: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    status: np.ndarray,
) -> dict[str, np.ndarray]:
    """What `reduce` makes of a batch, and in ``columns`` the outputs along the last axis of its entries: `along` has their `widths`."""
    return reduce(samples, outputs, status) | {NAMES: np.frombuffer(json.dumps(along).encode(), np.uint8)}


def arranged(partial: Mapping[str, np.ndarray], along: Mapping[str, list[list]]) -> dict[str, np.ndarray] | None:
    """Such a partial with its columns in the order of `along`, those of other outputs left out; None where it lacks some.

    One without names is of version 0.1.0, and has them in this order.
    """
    entries = dict(partial)
    if NAMES not in entries:
        return entries
    known = json.loads(entries.pop(NAMES).tobytes().decode())
    for key, wanted in along.items():
        if wanted == known[key]:
            continue
        ends = np.cumsum([0, *(width for _, width in known[key])]).tolist()
        at = {name: (slice(begin, begin + width), width) for (name, width), begin in zip(known[key], ends[:-1], strict=True)}
        if any(at.get(name, (None, -1))[1] != width for name, width in wanted):
            return None
        parts = [entries[key][..., at[name][0]] for name, _ in wanted]
        entries[key] = np.concatenate(parts, axis=-1) if parts else entries[key][..., :0]
    return entries
