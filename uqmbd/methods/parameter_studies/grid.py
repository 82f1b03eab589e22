"""A full factorial parameter study: every combination of some values of each input."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from uqmbd.errors import StudyError
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.base import Method, require_inputs
from uqmbd.methods.parameter_studies.list_samples import ParameterRun, check_inside, in_si

FEWEST, MOST = 2, 1000


def whole_counts(value: Any) -> int | dict[str, int] | None:
    """`value` when it is a number of points, or numbers by input."""
    for count in value.values() if isinstance(value, Mapping) else [value]:
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not FEWEST <= count <= MOST):
            raise ValueError(f"points is a whole number from {FEWEST} to {MOST}, not {count!r}")
    return dict(value) if isinstance(value, Mapping) else value


_COUNT = {"type": "integer", "minimum": FEWEST, "maximum": MOST}
_BY_INPUT = {"type": "object", "additionalProperties": _COUNT}


class Grid(Method):
    """Runs at all combinations; the envelope of what came out.

    Attributes
    ----------
    points : int or dict of str to int
        Values of each input: of an interval from end to end in equal steps, of a distribution the middles of equally likely classes.
    values : dict of str to list of float
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
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    leaves_in_runs: ClassVar[bool] = True
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SAMPLE
    run: ClassVar[type] = ParameterRun

    points: Annotated[Any, BeforeValidator(whole_counts), WithJsonSchema({"anyOf": [_COUNT, _BY_INPUT]})] = None
    values: dict[str, list[Number]] = Field(default_factory=dict)
    max_runs: int = Field(default=100_000, ge=1)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.points is None and not self.values:
            raise ValueError("a grid needs points (a number, or numbers by input) or values by input")
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
        for name in inputs:
            count = len(self.values[name]) if name in self.values else by_input.get(name, None if by_input else self.points)
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
            check_inside(name, inputs[name], np.array(numbers), f"method.values.{name}")
        counts = self.counts(inputs)
        if prod(counts) > self.max_runs:
            text = f"{' x '.join(map(str, counts))} values are {prod(counts)} combinations, more than max_runs"
            raise StudyError(text, key="method.max_runs", value=self.max_runs, remedy="take fewer points or inputs, or raise max_runs")

    def rows(self, inputs: Mapping[str, Input]) -> np.ndarray:
        """All combinations (runs, d), SI; the last input changes fastest."""
        axes = []
        for (name, item), count in zip(inputs.items(), self.counts(inputs), strict=True):
            u = np.linspace(0, 1, count) if item.kind == "interval" else (np.arange(count) + 0.5) / count
            axes.append(in_si(item, np.array(self.values[name])) if name in self.values else item.ppf(u))
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
