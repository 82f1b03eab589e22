"""Convex sets over interval inputs: ellipsoids and hyper-rotated boxes."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, field_serializer, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs.checked import Checked, Number, plain_number
from uqmbd.inputs.correlation import matrix_of, pairs_of, require_possible
from uqmbd.inputs.interval import Interval
from uqmbd.inputs.names import identifier
from uqmbd.inputs.table import read_columns
from uqmbd.inputs.units import to_si


def names_of(value: Any) -> tuple[str, ...]:
    """At least two different names."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise ValueError('the inputs of a set are a list of names, as in ["a", "b"]')
    names = tuple(map(identifier, value))
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the input '{name}' is named twice")
    if len(names) < 2:
        raise ValueError("a set binds at least two inputs; one alone is an interval")
    return names


def texts_of(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, str) for entry in value):
        raise ValueError('a list of texts is expected, in the order of the inputs, as in ["mm", "kg"]')
    return tuple(value)


def numbers_of(value: Any) -> tuple[float, ...]:
    """A list of finite numbers."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise ValueError(f"a list of numbers is expected, not {value!r}")
    return tuple(plain_number(entry) for entry in value)


def rows_of(value: Any) -> tuple[tuple[float, ...], ...]:
    """A square matrix as rows of finite numbers."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise ValueError(f"a list of rows is expected, not {value!r}")
    rows = tuple(numbers_of(row) for row in value)
    if any(len(row) != len(rows) for row in rows):
        raise ValueError("the rows of a covariance have as many numbers as there are rows")
    return rows


class ConvexSet(Checked):
    """Where some interval inputs can be together.

    With a `correlation` the set touches all sides of the box of the intervals. In coordinates in which the box is [-1, 1]^d, an
    ellipsoid is ``xᵀ R⁻¹ x <= 1`` with the correlation matrix R (Jiang, Han, Lu, Liu, Comput. Methods Appl. Mech. Eng. 200 (2011)
    2528), and a hyper-rotated box is ``x = A δ, |δ_j| <= 1`` where A is the symmetric root of R with its rows scaled to absolute sum 1
    (a parallelepiped whose uniform distribution has the correlation R; Ni, Jiang, Han, Appl. Math. Modelling 40 (2016) 4727).
    With a `covariance` or `data` the set itself says where its inputs lie; they have no interval of their own.

    Attributes
    ----------
    inputs : tuple of str
        Interval inputs, or those that the set brings.
    shape : str
        ``ellipsoid`` or ``box`` (hyper-rotated).
    correlation : tuple of (str, str, float), optional
        Pairs of inputs and their correlation, -1 to 1: ``[["a", "b", 0.5]]``.
    covariance : tuple of tuple of float, optional
        Matrix C of the ellipsoid ``(x - center)ᵀ C⁻¹ (x - center) <= radius²``, in the `units`.
    center : tuple of float, optional
        Of the ellipsoid of a covariance, in the `units`.
    radius : float, optional
        In standard deviations.
    data : str, optional
        CSV file with one column for each input; the set is the ellipsoid of least volume around its rows.
    columns : tuple of str, optional
        Names of the columns, in the order of the inputs, if they are not the names of the inputs.
    units : tuple of str, optional
        Units of the numbers of covariance, center or data, in the order of the inputs.

    Examples
    --------
    >>> import uqmbd as uq
    >>> both = uq.ConvexSet(inputs=["a", "b"], correlation=[["a", "b", 0.5]])
    >>> both.matrix.round(3).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    inputs: Annotated[Any, BeforeValidator(names_of)]
    shape: Literal["ellipsoid", "box"] = "ellipsoid"
    correlation: Annotated[Any, BeforeValidator(pairs_of)] = None
    covariance: Annotated[Any, BeforeValidator(rows_of)] = None
    center: Annotated[Any, BeforeValidator(numbers_of)] = None
    radius: Number | None = None
    data: str | None = None
    columns: Annotated[Any, BeforeValidator(texts_of)] = None
    units: Annotated[Any, BeforeValidator(texts_of)] = None
    table: Any = Field(default=None, repr=False, exclude=True)
    written: Any = Field(default=None, repr=False, exclude=True)
    canonical: Any = Field(default=None, repr=False, exclude=True)

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [key for key in ("correlation", "covariance", "data") if getattr(self, key) is not None]
        if len(given) > 1:
            raise StudyError(f"a set has one of correlation, covariance and data; this one has {' and '.join(given)}", key=given[1])
        if self.source != "correlation" and self.shape != "ellipsoid":
            remedy = "leave the shape out, or give the inputs intervals and the set a correlation"
            raise StudyError(f"a set by {self.source} is an ellipsoid", key="shape", value=self.shape, remedy=remedy)
        belonging = {"covariance": ("center", "radius", "units"), "data": ("columns", "units")}.get(self.source, ())
        for key in ("center", "radius", "columns", "units"):
            if getattr(self, key) is not None and key not in belonging:
                raise StudyError(f"the key '{key}' does not go with a set by {self.source}", key=key, remedy="remove it")
        for key in ("center", "columns", "units"):
            if getattr(self, key) is not None and len(getattr(self, key)) != len(self.inputs):
                raise StudyError(f"the key '{key}' needs {len(self.inputs)} entries, one for each input, in their order", key=key)
        for unit in self.units or ():
            try:
                to_si(unit)
            except StudyError as error:
                raise StudyError(error.message, key="units", value=unit, remedy=error.remedy) from None
        if self.source == "covariance":
            self._check_covariance()
        if self.data is not None and self.table is None:
            try:
                table = read_columns(self.data, self.columns or self.inputs, least=len(self.inputs) + 1)
            except StudyError as error:
                raise error.at(key="data") from None
            object.__setattr__(self, "table", table)
            object.__setattr__(self, "data", table.path)
        require_possible(self.matrix, self.inputs, self.source)
        return self

    def _check_covariance(self) -> None:
        if self.center is None or self.radius is None:
            raise StudyError(
                "a set by covariance needs its center and its radius", key="covariance", remedy="write center = [...], radius = 3"
            )
        if self.radius <= 0:
            raise StudyError("the radius is not positive", key="radius", value=self.radius, remedy="give it in standard deviations, 3, say")
        d = len(self.inputs)
        if len(self.covariance) != d:
            raise StudyError(f"the covariance of {d} inputs is a list of {d} rows of {d} numbers", key="covariance", value=self.covariance)
        c = np.array(self.covariance)
        reach = self.radius * np.sqrt(np.abs(np.diag(c)))
        if not np.all((1e-100 < reach) & (reach < 1e100)) or np.any(np.diag(c) <= 0) or not np.allclose(c, c.T, rtol=1e-9, atol=0):
            raise StudyError(
                "a covariance matrix is symmetric with a positive diagonal", key="covariance", value=self.covariance, remedy="mend its rows"
            )

    @field_serializer("data")
    def _content(self, data: str | None) -> str | None:
        """What fingerprints see: the numbers, wherever the file lies."""
        return None if self.table is None else self.table.digest

    def settings(self) -> dict[str, Any]:
        """The keys of a study file that make this set, as it was written."""
        keys = (key for key, field in type(self).model_fields.items() if not field.exclude)
        return {key: value for key in keys if (value := getattr(self.written or self, key)) is not None}

    def to_si(self) -> Self:
        """The same set in SI units; itself when it already is."""
        units = [to_si(unit) for unit in self.units or ()]
        if self.written is not None or all(si.identity and si.unit == unit for si, unit in zip(units, self.units or (), strict=True)):
            return self
        changes: dict[str, Any] = {"units": [si.unit for si in units], "written": self}
        if self.table is not None:
            changes["table"] = self.table.in_si(units)
        else:
            changes["center"] = [si.number(value) for si, value in zip(units, self.center, strict=True)]
            changes["covariance"] = [
                [b.number(a.number(value, difference=True), difference=True) for b, value in zip(units, row, strict=True)]
                for a, row in zip(units, self.covariance, strict=True)
            ]
        return self.remade(**changes)

    def as_before(self) -> Self:
        """The set as earlier versions took it, in the units in which it was written: stored runs may be of it."""
        shown = self.written or self
        return shown if shown.to_si() is shown else shown.remade(written=shown, canonical=shown.to_si())

    def content(self) -> dict[str, Any]:
        """What fingerprints see: the numbers in SI units, wherever they come from."""
        return (self.canonical or self.to_si()).model_dump(exclude_none=True)

    @property
    def source(self) -> str:
        """What the shape comes from: ``correlation``, ``covariance`` or ``data``."""
        return "data" if self.data is not None else "covariance" if self.covariance is not None else "correlation"

    @cached_property
    def _ellipsoid(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre and matrix in the `units`, of a set that says where it lies."""
        if self.source == "covariance":
            assert self.radius is not None
            return np.array(self.center), np.array(self.covariance) * self.radius**2
        from uqmbd.inputs.ellipsoids import minimum_volume

        try:
            return minimum_volume(self.table.values)
        except np.linalg.LinAlgError:
            remedy = "leave out an input that others determine"
            raise StudyError(f"the rows of {self.table.name} lie in a plane", key="data", remedy=remedy) from None

    @cached_property
    def matrix(self) -> np.ndarray:
        """Correlation matrix R (d, d) of the set in coordinates in which its box is [-1, 1]^d."""
        if self.source == "correlation":
            return matrix_of(self.inputs, self.correlation or (), "correlation")
        scale = np.sqrt(np.diag(self._ellipsoid[1]))
        return self._ellipsoid[1] / np.outer(scale, scale)

    @cached_property
    def generators(self) -> np.ndarray:
        """Matrix G (d, d): in those coordinates the set is ``x = G w``, with w in the unit ball (ellipsoid) or unit cube (box)."""
        if self.shape == "ellipsoid":
            return np.linalg.cholesky(self.matrix)
        values, vectors = np.linalg.eigh(self.matrix)
        root = (vectors * np.sqrt(values)) @ vectors.T
        return root / np.abs(root).sum(axis=1, keepdims=True)

    def intervals(self) -> dict[str, Interval] | None:
        """The sides of the box around a set that says where it lies; None for a set in the box of given intervals."""
        if self.source == "correlation":
            return None
        centre, c = self._ellipsoid
        half = np.sqrt(np.diag(c))
        units, shown = self.units or [""] * len(self.inputs), {}
        if self.written is not None and self.canonical is None:
            shown = self.written.intervals()
        ends = zip(self.inputs, centre, half, units, strict=True)
        sides = {
            name: Interval(float(middle - reach), float(middle + reach), unit, written=shown.get(name))
            for name, middle, reach, unit in ends
        }
        return sides if self.canonical is None else {name: item.as_before() for name, item in sides.items()}
