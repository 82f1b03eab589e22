"""The Chebyshev inclusion method: bounds of the response over a box of intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, prod
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Input
from uqmbd.methods.base import Method, MethodRun
from uqmbd.simulators.base import OutputInfo

DEFAULT_DEGREE = 8
FIRST_DEGREE = 2  # where growth by `tolerance` begins
HIGHEST_DEGREE = 128
LEAST_VALIDATION = 10


def whole_degrees(value: Any) -> int | dict[str, int] | None:
    """`value` when it is a degree, or degrees by input."""
    for degree in value.values() if isinstance(value, Mapping) else [value]:
        if value is not None and (isinstance(degree, bool) or not isinstance(degree, Integral) or not 1 <= degree <= HIGHEST_DEGREE):
            raise ValueError(f"a degree is a whole number from 1 to {HIGHEST_DEGREE}, not {degree!r}")
    return {str(name): int(degree) for name, degree in value.items()} if isinstance(value, Mapping) else value


class Chebyshev(Method):
    """Tensor Chebyshev expansion of every output at every time, its range over the box, and how far both can be believed.

    Wu, Zhang, Chen, Luo, Appl. Math. Modelling 37 (2013) 4578. The expansion interpolates runs on a grid of Chebyshev nodes.
    Other runs, at random points, are never fitted: their largest error widens the bounds. So the bounds are validated by runs,
    not proven; where the error exceeds `trust_tolerance` the result shows the envelope of all runs instead.

    Attributes
    ----------
    degree : int or dict of str to int
        Degree in every input, ``(degree + 1)**inputs`` runs at nodes, or degree by input. 8 where nothing is said.
    tolerance : float
        Instead of `degree`: double the degree of those inputs whose last coefficients exceed this fraction of the response's
        range at the most times, until they do nowhere or `max_runs` is reached.
    max_runs : int
        Limit of runs at nodes and for validation together.
    enclosure : str
        ``bernstein`` (verified range of the expansion), ``cosine`` (Wu's, loose), ``scan`` (dense grid, not an enclosure).
    gap : float
        By how much ``bernstein`` may exceed the range of the expansion on either side, as a fraction of the width.
    validation : float
        Share of runs kept for validation (at least 10 runs).
    trust_tolerance : float
        Largest validated error, as a fraction of the response's range, at which a time or scalar is trusted.
    safety : float
        The bounds are widened by so many times the validated error, for what the validation runs missed.
    fallback_runs : int
        Random runs added when some time or scalar is not trusted; they also validate. They come on top of `max_runs`.
    """

    name: ClassVar[str] = "chebyshev"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval"})

    degree: Annotated[Any, BeforeValidator(whole_degrees)] = None
    tolerance: float | None = Field(default=None, gt=0, lt=1)
    max_runs: int = Field(default=10_000, ge=1)
    enclosure: Literal["bernstein", "cosine", "scan"] = "bernstein"
    gap: float = Field(default=1e-6, gt=0, lt=1)
    validation: float = Field(default=0.2, gt=0, lt=1)
    trust_tolerance: float = Field(default=1e-3, gt=0, lt=1)
    safety: float = Field(default=2.0, ge=1)
    fallback_runs: int = Field(default=2000, ge=0)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if self.degree is not None and self.tolerance is not None:
            raise ValueError("degree and tolerance exclude each other: give the degree, or let it grow until the tolerance is met")
        return self

    def first_degrees(self, inputs: Iterable[str]) -> tuple[int, ...]:
        """Degree in each input of the first grid."""
        if self.tolerance is not None:
            return tuple(FIRST_DEGREE for _ in inputs)
        if isinstance(self.degree, dict):
            return tuple(self.degree.get(name, DEFAULT_DEGREE) for name in inputs)
        return tuple(self.degree or DEFAULT_DEGREE for _ in inputs)

    def validation_runs(self, nodes: int) -> int:
        """Number of validation runs that go with so many runs at nodes."""
        return max(LEAST_VALIDATION, ceil(nodes * self.validation / (1 - self.validation) - 1e-9))

    def total_runs(self, nodes: int) -> int:
        """Number of runs at nodes and for their validation."""
        return nodes + self.validation_runs(nodes)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least = self.total_runs(node_count(self.first_degrees(inputs)))
        most = self.max_runs if self.tolerance is not None else least
        return least, most + self.fallback_runs

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        for name in self.degree if isinstance(self.degree, dict) else ():
            if name not in inputs:
                remedy = did_you_mean(name, inputs, noun="input")
                raise StudyError(f"there is no input '{name}' to have a degree", key=f"method.degree.{name}", remedy=remedy)
        degrees = self.first_degrees(inputs)
        nodes = node_count(degrees)
        needed = self.total_runs(nodes)
        if needed > self.max_runs:
            words = f"degree {degrees[0]} in {len(degrees)} inputs" if len(set(degrees)) == 1 else f"the degrees {degrees}"
            raise StudyError(
                f"{words} need {nodes} runs at nodes and {needed - nodes} for validation, {needed} together, "
                f"more than max_runs = {self.max_runs}",
                key="method.max_runs",
                remedy="lower the degree, take fewer inputs, raise max_runs, or give distributions and use the method montecarlo",
            )

    def _start(self, inputs: dict[str, Input], outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.chebyshev_run import ChebyshevRun

        return ChebyshevRun(self, inputs, outputs, time, seed)


def node_count(degrees: Iterable[int]) -> int:
    """Number of nodes of a tensor grid."""
    return prod(degree + 1 for degree in degrees)
