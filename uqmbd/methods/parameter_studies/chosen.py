"""Parameter studies at chosen samples: every combination of some values of each input, or samples that the user lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from uqmbd.errors import StudyError
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Choice, Input, Integers, Interval
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.table import read_columns
from uqmbd.inputs.units import to_si
from uqmbd.inputs.weighted import Weighted
from uqmbd.methods.base import Method, count_failures, require_inputs
from uqmbd.methods.failures import left_out
from uqmbd.methods.missing import Missing, mean_there
from uqmbd.methods.parameter_studies.from_file import FromFile
from uqmbd.methods.staged import Conclusion, FixedSampler

FEWEST, MOST = 2, 1000


def whole_counts(value: Any) -> int | dict[str, int] | None:
    """`value` when it is a number of points, or numbers by input."""
    for count in value.values() if isinstance(value, Mapping) else [value]:
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not FEWEST <= count <= MOST):
            raise ValueError(f"points is a whole number from {FEWEST} to {MOST}, not {count!r}")
    return dict(value) if isinstance(value, Mapping) else value


def entry(value: Any) -> Any:
    """A number, or a value of a choice."""
    return value if isinstance(value, (str, bool)) else plain_number(value)


Entry = Annotated[Any, BeforeValidator(entry), WithJsonSchema({"type": ["number", "string", "boolean"]})]
_COUNT = {"type": "integer", "minimum": FEWEST, "maximum": MOST}
_BY_INPUT = {"type": "object", "additionalProperties": _COUNT}


class ParameterRun(FixedSampler):
    """All samples in one ask; the envelope of the outputs, and their least, greatest and mean value."""

    def _plan(self) -> Iterator[np.ndarray]:
        yield self.settings.rows(self.inputs)

    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        ok = self.status == 0
        ends, counts = self.envelope(ok, np.fmin.reduce, np.fmax.reduce), count_failures(self.status)
        gone = Missing.of(self.columns, self.values[ok])
        notes = ["least, greatest and mean value describe the runs that were made; they are no probabilities"]
        notes += [*left_out(counts), *gone.notes()]
        rows = np.concatenate([mean_there(self.values[ok])[None], ends])
        groups = {
            "inner": self.columns.dataset(ends, {"bound": ["lower", "upper"]}),
            "statistics": self.columns.dataset(rows, {"statistic": ["mean", "min", "max"]}),
            "missing": gone.group(),
        }
        return groups, {"method": self.settings.name, "sampling": "chosen", "seed": self.seed, "notes": notes, **counts}


class Grid(Method):
    """Runs at all combinations; the envelope of what came out.

    Attributes
    ----------
    points : int or dict of str to int
        Values of each input: of an interval from end to end in equal steps, of a distribution the middles of equally likely classes. An
        input that counts or chooses has all its values, unless it is named here.
    values : dict of str to list
        Values of some inputs, in the unit of the input, instead of `points`.
    max_runs : int
        Limit of the number of combinations.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Grid(points=3), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.inner["sag"].values.round(5).tolist()  # m, over nine runs
    [0.04091, 0.06111]
    """

    name: ClassVar[str] = "grid"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random", "integers", "choice"})
    leaves_in_runs: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SAMPLE
    run: ClassVar[type] = ParameterRun

    points: Annotated[Any, BeforeValidator(whole_counts), WithJsonSchema({"anyOf": [_COUNT, _BY_INPUT]})] = None
    values: dict[str, list[Entry]] = Field(default_factory=dict)
    max_runs: int = Field(default=100_000, ge=1)

    @model_validator(mode="after")
    def _something(self) -> Self:
        for name, numbers in self.values.items():
            if not numbers:
                raise StudyError(f"there are no values of '{name}'", key=f"values.{name}", remedy="write some, or give its points")
            if len(set(numbers)) < len(numbers):
                raise StudyError(f"a value of '{name}' is there twice", key=f"values.{name}", value=numbers, remedy="write it once")
        return self

    def counts(self, inputs: Mapping[str, Input]) -> list[int]:
        """Number of values of each input."""
        by_input = self.points if isinstance(self.points, dict) else {}
        counts = []
        for name, item in inputs.items():
            own = len(np.flatnonzero(item.probabilities)) if isinstance(item, Weighted) else None if by_input else self.points
            count = len(self.values[name]) if name in self.values else by_input.get(name, own)
            if count is None and self.points is None and not self.values:
                raise StudyError("a grid needs points (a number, or numbers by input) or values by input")
            if count is None:
                raise StudyError(f"the input '{name}' has neither points nor values", key="method.points", remedy=f"add {name} = 5, say")
            counts.append(count)
        return counts

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        runs = prod(self.counts(inputs))
        return runs, runs

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        for key, table in (("points", self.points), ("values", self.values)):
            require_inputs(table if isinstance(table, dict) else (), inputs, key, f"method.{key}")
        for name in set(self.values) & set(self.points if isinstance(self.points, dict) else ()):
            raise StudyError(f"'{name}' has points and values", key=f"method.points.{name}", remedy="remove one of them")
        for name, numbers in self.values.items():
            key = f"method.values.{name}"
            check_inside(name, inputs[name], numbers_of(inputs[name], numbers, key), key)
        counts = self.counts(inputs)
        if prod(counts) > self.max_runs:
            text = f"{' x '.join(map(str, counts))} values are {prod(counts)} combinations, more than max_runs"
            raise StudyError(text, key="method.max_runs", value=self.max_runs, remedy="take fewer points or inputs, or raise max_runs")

    def rows(self, inputs: Mapping[str, Input]) -> np.ndarray:
        """All combinations (runs, d), SI; the last input changes fastest."""
        axes = []
        for (name, item), count in zip(inputs.items(), self.counts(inputs), strict=True):
            u = np.linspace(0, 1, count) if item.kind == "interval" else (np.arange(count) + 0.5) / count
            if isinstance(item, Weighted) and not (isinstance(self.points, dict) and name in self.points):
                p = item.probabilities
                u = (np.cumsum(p) - p / 2)[p > 0]  # in the middle of each
            axes.append(in_si(item, numbers_of(item, self.values[name], "")) if name in self.values else item.ppf(u))
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


class List(FromFile):
    """Runs at given samples; the envelope of what came out.

    Attributes
    ----------
    data : str
        CSV file with a column for each input, in the unit of the input; other columns are not read. Its path is relative to the study file
        (in Python: to the current directory).
    samples : dict of str to list
        The same in the study itself: ``samples = { k = [9, 10], c = [0.1, 0.2] }``.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> method = uq.List(samples={"load": [95.0, 105.0], "stiffness": [2.0, 2.1]})
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=method, name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.runs["sag"].values.round(5).tolist()  # m
    [0.0475, 0.05]
    """

    name: ClassVar[str] = "list"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random", "integers", "choice"})
    leaves_in_runs: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SAMPLE
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "sets", "joint", "sampled"})  # the list says all of them together
    run: ClassVar[type] = ParameterRun

    data: str | None = None
    content: str | None = None
    samples: dict[str, list[Entry]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.data is None) == (not self.samples):
            raise ValueError('a list needs data (a CSV file) or samples (by input), one of the two: data = "samples.csv", say')
        lengths = {name: len(numbers) for name, numbers in self.samples.items()}
        if len(set(lengths.values())) > 1 or 0 in lengths.values():
            listed = ", ".join(f"{name} has {count}" for name, count in lengths.items())
            raise StudyError(
                f"every input needs as many samples, at least one: {listed}", key="samples", remedy="make the lists equally long"
            )
        return self

    def table(self, inputs: Mapping[str, Input]) -> np.ndarray:
        """Samples (runs, d) in the units of the inputs."""
        if self.data is not None:
            try:
                places = {name: item.place for name, item in inputs.items() if isinstance(item, Choice)}
                return read_columns(self.data, list(inputs), least=1, places=places).values
            except StudyError as error:
                raise error.at(key="method.data", value=self.data) from None
        for name in inputs:
            if name not in self.samples:
                raise StudyError(f"there are no samples of the input '{name}'", key="method.samples", remedy=f"add {name} = [...]")
        require_inputs(self.samples, inputs, "samples", "method.samples")
        return np.column_stack([numbers_of(item, self.samples[name], f"method.samples.{name}") for name, item in inputs.items()])

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        runs = len(self.table(inputs))
        return runs, runs

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        for (name, item), numbers in zip(inputs.items(), self.table(inputs).T, strict=True):
            check_inside(name, item, numbers, "method.data" if self.data is not None else f"method.samples.{name}")

    def rows(self, inputs: Mapping[str, Input]) -> np.ndarray:
        """Samples (runs, d), SI."""
        return np.column_stack([in_si(item, numbers) for item, numbers in zip(inputs.values(), self.table(inputs).T, strict=True)])


def numbers_of(item: Input, entries: Sequence[Any], key: str) -> np.ndarray:
    """Numbers (n,) in the unit of the input; of a choice the places of its values. `StudyError` for what is neither."""
    try:
        if isinstance(item, Choice):
            return np.array([item.place(entry) for entry in entries])
        for entry in entries:
            if isinstance(entry, (str, bool)):
                raise StudyError("a number is expected", value=entry, remedy="only inputs that choose have other values")
    except StudyError as error:
        raise error.at(key=key) from None
    return np.array(entries, float)


def in_si(item: Input, values: np.ndarray) -> np.ndarray:
    """Numbers in the unit in which an input was written, in SI."""
    si = to_si((item.written or item).unit)
    return si.factor * np.asarray(values, float) + si.offset


def check_inside(name: str, item: Input, values: np.ndarray, key: str) -> None:
    """Raise `StudyError` when a number (in the written unit) is outside an interval."""
    written = item.written or item
    if isinstance(written, Integers):
        for value in np.asarray(values, float).tolist():
            if value not in written.numbers:
                raise StudyError(f"'{name}' has no such number: it is {written.describe()}", key=key, value=value, remedy="leave it out")
    if not isinstance(written, Interval):
        return
    reach = 1e-12 * max(abs(written.lower), abs(written.upper))
    for i, value in enumerate(np.asarray(values, float)):
        if not written.lower - reach <= value <= written.upper + reach:
            text = f"number {i + 1} of '{name}' is outside its interval {written.describe()}"
            raise StudyError(text, key=key, value=float(value), remedy="widen the interval or leave the number out")
