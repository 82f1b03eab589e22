"""The Chebyshev inclusion method: bounds of the response over a box of intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_serializer, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import require_inputs
from uqmbd.methods.intervals.inclusion import Inclusion
from uqmbd.surrogates.base import Surrogate
from uqmbd.surrogates.kriged import LEAST_FITTED, Kriged
from uqmbd.surrogates.sparse import Sparse
from uqmbd.surrogates.split import Split
from uqmbd.surrogates.tensor import HIGHEST_DEGREE, Tensor, node_count

DEFAULT_DEGREE = 8
SPLIT_DEGREE = 4  # where nothing is said
RUNS_AN_INPUT = 10  # of Kriging, where nothing is said: Loeppky, Sacks, Welch, Technometrics 51 (2009) 366
FIRST_DEGREE = 2  # where growth by `tolerance` begins


def whole_degrees(value: Any) -> int | dict[str, int] | None:
    """`value` when it is a degree, or degrees by input."""
    for degree in value.values() if isinstance(value, Mapping) else [value]:
        if value is not None and (isinstance(degree, bool) or not isinstance(degree, Integral) or not 1 <= int(degree) <= HIGHEST_DEGREE):
            raise ValueError(f"a degree is a whole number from 1 to {HIGHEST_DEGREE}, not {degree!r}")
    return {str(name): int(degree) for name, degree in value.items()} if isinstance(value, Mapping) else value


def degrees_wanted(value: Any) -> int | list[int] | dict[str, int] | str | None:
    """`value` when it is a degree, a list of degrees to choose from, degrees by input, or ``auto``."""
    if value == "auto":
        return value
    if isinstance(value, (list, tuple)) and value:
        if any(degree is None or isinstance(degree, Mapping) for degree in map(whole_degrees, value)):
            raise ValueError(f"a list of degrees holds whole numbers from 1 to {HIGHEST_DEGREE}, not {value!r}")
        return sorted({int(degree) for degree in value})
    if isinstance(value, (str, list, tuple)) or value is None or (isinstance(value, Mapping) and not value):
        raise ValueError(f'a degree is a whole number, a list of them, a table of them by input, or "auto", not {value!r}')
    return whole_degrees(value)


# what an editor is told of these keys
_DEGREE = {"type": "integer", "minimum": 1, "maximum": HIGHEST_DEGREE}
_BY_INPUT = {"type": "object", "additionalProperties": _DEGREE}
_SEVERAL = {"type": "array", "items": _DEGREE, "minItems": 1}
_WANTED = {"anyOf": [{"const": "auto"}, _DEGREE, _SEVERAL, _BY_INPUT | {"minProperties": 1}]}
Degree = Annotated[Any, BeforeValidator(whole_degrees), WithJsonSchema({"anyOf": [_DEGREE, _BY_INPUT]})]
DegreeWanted = Annotated[Any, BeforeValidator(degrees_wanted), WithJsonSchema(_WANTED)]


class Chebyshev(Inclusion):
    """Chebyshev expansion of every output at every time, its range over the box, and how far both can be believed.

    Wu, Zhang, Chen, Luo, Appl. Math. Modelling 37 (2013) 4578. The expansion interpolates runs on a grid of Chebyshev nodes; the settings
    of `Inclusion` say how it is validated.

    Attributes
    ----------
    surrogate : str
        ``chebyshev``, or ``kriging``: Gaussian process regression through runs at the corners (where these are few) and at Sobol' points
        of the region, for models that cost so much that a grid is too many runs. Its range is searched for, not verified. It takes
        `tolerance` (twice as many points until the validated error is below it), and neither `grid`, `degree` nor `split`.
    samples : int
        Runs that Kriging goes through, those for validation come on top; ten for each input where nothing is said.
    grid : str
        ``tensor``: all products of nodes. ``sparse``: a grid that grows from the centre where the response needs it, for many inputs.
    degree : int or dict of str to int
        Degree in every input, ``(degree + 1)**inputs`` runs at nodes, or degree by input. 8 where nothing is said. Of a tensor grid only.
    tolerance : float
        Fraction of the response's range. Tensor grid, instead of `degree`: double the degree of those inputs whose last coefficients
        exceed it at the most times, until they do nowhere, validation runs say that it is met, or `max_runs` is reached. Sparse grid:
        refine until surpluses and the validated error are below it or `max_runs` is reached; `trust_tolerance` where nothing is said.
    split : bool
        Cut the box in two where the error is above `tolerance` (`trust_tolerance` where nothing is said) and each half again, with a tensor
        grid of `degree` (4 where nothing is said) in every part, until `max_runs`: for responses that are not smooth, such as sequences of
        contacts that differ over the box.
    max_runs : int
        Limit of runs at nodes and for validation together.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Chebyshev(degree=5), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(3).tolist()  # mm; exact: 40.909 and 61.111
    [40.909, 61.111]
    """

    name: ClassVar[str] = "chebyshev"

    surrogate: Literal["chebyshev", "kriging"] = "chebyshev"
    samples: int | None = Field(default=None, ge=LEAST_FITTED)
    grid: Literal["tensor", "sparse"] = "tensor"
    split: bool = False
    degree: Degree = None
    tolerance: float | None = Field(default=None, gt=0, lt=1)
    max_runs: int = Field(default=10_000, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.surrogate == "kriging" and (self.degree is not None or self.grid == "sparse" or self.split):
            raise ValueError("Kriging has runs wherever they lie: leave out degree, grid and split, or leave out surrogate")
        if self.surrogate != "kriging" and self.samples is not None:
            raise ValueError('samples are runs that Kriging goes through: write surrogate = "kriging", or leave out samples')
        if self.split and self.grid == "sparse":
            raise ValueError('split cuts a tensor grid: leave out grid = "sparse", or leave out split')
        if self.degree is not None and self.tolerance is not None and not self.split:
            raise ValueError("degree and tolerance exclude each other: give the degree, or let it grow until the tolerance is met")
        if self.degree is not None and self.grid == "sparse":
            raise ValueError("a sparse grid finds its degrees itself: give a tolerance and max_runs instead of the degree")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_unsaid(self, handler: Any) -> dict[str, Any]:
        """Results of before there were other surrogates are those of studies that name none."""
        said = handler(self)
        return said if self.surrogate != "chebyshev" else {key: said[key] for key in said if key not in ("surrogate", "samples")}

    @property
    def target(self) -> float:
        """Error at which a sparse grid or a part of the box is content, as a fraction of the response's range."""
        return self.trust_tolerance if self.tolerance is None else self.tolerance

    def first_degrees(self, inputs: Iterable[str]) -> tuple[int, ...]:
        """Degree in each input of the first grid."""
        if self.tolerance is not None and not self.split:
            return tuple(FIRST_DEGREE for _ in inputs)
        default = SPLIT_DEGREE if self.split else DEFAULT_DEGREE
        by_input = self.degree if isinstance(self.degree, dict) else dict.fromkeys(inputs, self.degree or default)
        return tuple(by_input.get(name, default) for name in inputs)

    def most_nodes(self) -> int:
        """Largest number of runs at nodes for which `max_runs` leaves validation runs."""
        nodes = self.max_runs
        while self.total_runs(nodes) > self.max_runs:
            nodes -= self.total_runs(nodes) - self.max_runs
        return nodes

    def first_nodes(self, inputs: Collection[str]) -> int:
        """Number of runs at nodes that are asked for first."""
        if self.surrogate == "kriging":
            return self.samples or RUNS_AN_INPUT * len(inputs)
        return 1 + 2 * len(inputs) if self.grid == "sparse" else node_count(self.first_degrees(inputs))

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least = self.total_runs(self.first_nodes(inputs))
        most = self.max_runs if self.tolerance is not None or self.split or self.grid == "sparse" else least
        return least, most + self.extreme_runs(len(inputs))

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        require_inputs(self.degree if isinstance(self.degree, dict) else (), inputs, "a degree", "method.degree")
        degrees = self.first_degrees(inputs)
        nodes = self.first_nodes(inputs)
        needed = self.total_runs(nodes)
        if needed > self.max_runs:
            words = f"degree {degrees[0]} in {len(degrees)} inputs" if len(set(degrees)) == 1 else f"the degrees {degrees}"
            if self.grid == "sparse" or self.surrogate == "kriging":
                words = "the first nodes of a sparse grid" if self.grid == "sparse" else f"{nodes} samples for Kriging"
            raise StudyError(
                f"{words} need {nodes} runs at nodes and {needed - nodes} for validation, {needed} together, "
                f"more than max_runs = {self.max_runs}",
                key="method.max_runs",
                remedy="lower the degree, take fewer inputs, raise max_runs, or give distributions and use the method montecarlo",
            )

    def surrogate_class(self) -> type[Surrogate]:
        if self.surrogate == "kriging":
            return Kriged
        return Sparse if self.grid == "sparse" else Split if self.split else Tensor
