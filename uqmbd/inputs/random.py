"""A random variable with a known distribution."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, field_serializer, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.chaospy_univariate import Component, Parts, univariate_of
from uqmbd.inputs.checked import plain
from uqmbd.inputs.data import fit
from uqmbd.inputs.distributions import build, check, completed, in_si, notation
from uqmbd.inputs.of_chaospy import Labelled, digest_of, is_distribution, peeled, refuse, table_of
from uqmbd.inputs.rows import Rows
from uqmbd.inputs.truncation import ends_of, truncated
from uqmbd.inputs.units import ToSI
from uqmbd.inputs.univariate import Distribution, Foreign, Transformed

QUARTILES = np.array([0.25, 0.5, 0.75])
TOLERATED = 1e-4  # between a probability and what chaospy gives back for its quantile


class Random(Input):
    """A random variable: ``Random({"type": "uniform", "lower": 0.02, "upper": 0.05}, unit="mm")``.

    In Python also ``Uniform(0.02, 0.05, unit="mm")`` and others of `uqmbd.inputs.variables`, ``Random(scipy.stats.norm(1.0, 0.1))``, and
    any distribution of chaospy, ``Random(2 * chaospy.Gamma(2.0) + 1)``.

    Attributes
    ----------
    distribution : dict or str
        In `unit`: ``type`` and its parameters, see `uqmbd.inputs.distributions`; or ``data`` (a CSV file), ``column`` and ``fit``,
        ``smooth`` or ``predictive``, see `uqmbd.inputs.data`. Both can be cut off by ``truncate = [lower, upper]``. Several inputs at once
        are the rows of ``data`` and ``columns``. Or the name of a distribution of chaospy, ``"distributions.py:name"``.
    scale, shift : float
        The variable is ``scale * (drawn from distribution) + shift``; set by `to_si`, where the distribution has no parameters that say it.
    fitted : Fit or None
        What was read and fitted, of a distribution from data.
    made : chaospy.Distribution or None
        The distribution itself, where it has no name and numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> uq.Random({"type": "normal", "mean": 1.0, "std": 0.1}, unit="mm").describe()
    'N(1, 0.1) mm'
    >>> uq.Random({"type": "weibull", "shape": 2.0, "scale": 1.0}).ppf(np.array([0.05, 0.5, 0.95])).round(4).tolist()
    [0.2265, 0.8326, 1.7308]
    """

    kind: ClassVar[str] = "random"
    key: ClassVar[str] = "distribution"

    distribution: Any
    scale: float = Field(default=1.0, repr=False, exclude=True)
    shift: float = Field(default=0.0, repr=False, exclude=True)
    fitted: Any = Field(default=None, repr=False, exclude=True)
    made: Any = Field(default=None, repr=False, exclude=True)

    def __init__(self, distribution: Any, unit: str = "", **fields: Any) -> None:
        if fields.get("made") is None:
            distribution, fields["made"] = taken(distribution)
        super().__init__(distribution=plain(distribution), unit=unit, **fields)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.made is not None:
            assert self.digest
            if self.count == 1:
                require_values(self._built, self.distribution)
            return self
        if "data" not in self.distribution:
            check(self._bare)
        elif self.fitted is None and "columns" in self.distribution:
            rows = Rows.of_table(self.distribution)
            object.__setattr__(self, "fitted", rows)
            object.__setattr__(self, "distribution", {**self.distribution, "data": rows.read.path})
        elif self.fitted is None:
            # only here is the file read: the copy in SI units keeps what was found
            fitted = fit(self.distribution)
            object.__setattr__(self, "fitted", fitted)
            object.__setattr__(self, "distribution", {**self.distribution, "data": fitted.read.path})
        if "truncate" in self.distribution:
            assert self._built
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        if not isinstance(value, (Mapping, Labelled)):
            remedy = 'write distribution = { type = "uniform", lower = 0.1, upper = 0.2 }'
            raise StudyError("a distribution is a table with its type and parameters", key=cls.key, value=value, remedy=remedy)
        return cls(value, unit=unit)

    @field_serializer("distribution")
    def _content(self, distribution: dict[str, Any]) -> dict[str, Any]:
        """What fingerprints see: the sample, wherever its file lies; what a distribution is made of, whatever its name."""
        if self.made is not None:
            return {"chaospy": self.digest}
        return distribution if self.fitted is None else {**distribution, "data": self.fitted.digest}

    def content(self) -> dict[str, Any]:
        si = self.canonical or self.to_si()
        content = si.content_before()
        if si.made is None:
            table = content["distribution"] if si.fitted is not None else completed(si._bare)
            cut = {"truncate": list(ends_of(si.distribution["truncate"]))} if "truncate" in si.distribution else {}
            content["distribution"] = {**table, **cut}
        elif si.written is None:  # 0.001 X in m is X in mm
            variable, content["scale"], content["shift"] = peeled(si.made)
            content["distribution"] = {"chaospy": content_digest(variable)}
        return content

    def content_before(self) -> dict[str, Any]:
        return {**self.model_dump(), "scale": self.scale, "shift": self.shift}

    @property
    def named(self) -> Mapping[str, Any] | None:
        """Type and parameters in `unit`, when this is a distribution that has them: given or fitted, and not cut off."""
        if self.made is not None or "truncate" in self.distribution:
            return None
        return self.distribution if self.fitted is None else self.fitted.named

    @property
    def _bare(self) -> dict[str, Any]:
        return {key: value for key, value in self.distribution.items() if key != "truncate"}

    @property
    def count(self) -> int:
        """See `Input.count`."""
        if isinstance(self.fitted, Rows):
            return self.fitted.count
        return 1 if self.made is None or isinstance(self.made, Component) else len(self.made)

    @cached_property
    def digest(self) -> str:
        """Hash of what a distribution of chaospy is made of."""
        return content_digest(self.made)

    @property
    def has_quantiles(self) -> bool:
        """False for what can only be sampled: sums and products of several variables, variables whose parameters are others."""
        return isinstance(self._built, Distribution)

    @property
    def has_few_digits(self) -> bool:
        """True where an upper tail is told by ``1 - q`` alone."""
        variable = self._built
        while isinstance(variable, Transformed):
            variable = variable.variable
        return self.made is not None and isinstance(variable, Foreign)

    @cached_property
    def _built(self) -> Distribution | Parts | Component:
        if self.made is not None:
            return self.made if isinstance(self.made, Component) else univariate_of(self.made) or Parts((self.made,))
        variable = build(self._bare) if self.fitted is None else self.fitted.variable
        return truncated(variable, self.distribution["truncate"]) if "truncate" in self.distribution else variable

    @cached_property
    def _table(self) -> str:
        return repr(self.distribution)

    @property
    def alike(self) -> Hashable:
        own = type(self).ppf is Random.ppf and type(self).from_normal is Random.from_normal  # of a kind from outside nothing is known
        return (self._table, self.scale, self.shift) if own and self.fitted is None and self.made is None else None

    def ppf(self, u: np.ndarray) -> np.ndarray:
        return self.scale * self._built.ppf(u) + self.shift

    def isf(self, q: np.ndarray) -> np.ndarray:
        return self.scale * self._built.isf(q) + self.shift

    def converted(self, si: ToSI) -> Mapping[str, Any]:
        if self.made is not None:
            variable, factor, offset = peeled(self.made)
            return {"made": variable, "scale": si.number(factor, difference=True), "shift": si.number(offset)}
        if self.fitted is None:
            changes = {"distribution": in_si(self._bare, si)}
        else:  # where a fit begins at 0, it begins elsewhere in a unit with another zero
            fitted = None if si.offset else fit(self.distribution, self.fitted.read.in_si([si]))
            changes = {"distribution": fitted and self._bare, "fitted": fitted}
        if changes["distribution"] is None:
            return self.converted_before(si)
        if "truncate" in self.distribution:
            changes["distribution"] |= {"truncate": [si.number(end) for end in ends_of(self.distribution["truncate"])]}
        return changes

    def converted_before(self, si: ToSI) -> Mapping[str, float]:
        return {"scale": si.factor, "shift": si.offset}

    def notation(self) -> str:
        if self.made is not None:
            return repr(self.made)
        text = notation(self._bare) if self.fitted is None else self.fitted.text
        if "truncate" in self.distribution:
            lower, upper = ends_of(self.distribution["truncate"])
            text += f" on [{lower:.10g}, {upper:.10g}]"
        return text

    def remark(self, name: str) -> str:
        """What a reader of a result has to know of this input; empty where that is nothing."""
        shown = self.written or self
        return "" if shown.fitted is None else shown.fitted.remark(name, shown.unit)

    def describe(self) -> str:
        text, fitted = super().describe(), (self.written or self).fitted
        return text if fitted is None else f"{text}, {fitted.describe()}"


def content_digest(made: Any) -> str:
    """Hash of what a distribution of chaospy, or one variable of it, is made of."""
    return digest_of(getattr(made, "content", made))


def taken(distribution: Any) -> tuple[Any, Any]:
    """A distribution as the user gives it: its table or its name, and the object of chaospy where it has no table."""
    label = ""
    if isinstance(distribution, Labelled):
        distribution, label = distribution.distribution, distribution.label
    if is_distribution(distribution):
        refuse(distribution)
        table = table_of(distribution) if len(distribution) == 1 else None
        return (label or f"<{distribution!r}>", distribution) if table is None else (table, None)
    if hasattr(distribution, "dist"):
        from uqmbd.inputs.of_scipy import table_of as table_of_scipy

        return table_of_scipy(distribution), None
    if not isinstance(distribution, Mapping):
        remedy = 'give {"type": "uniform", "lower": 0.1, "upper": 0.2}, frozen scipy.stats.norm(1.0, 0.1), or chaospy.Normal(1.0, 0.1)'
        raise StudyError("a distribution is a table with its type and parameters", key=Random.key, value=distribution, remedy=remedy)
    return distribution, None


def require_values(built: Distribution | Parts | Component, label: Any) -> None:
    """Raise `StudyError` where chaospy cannot say what a distribution is."""
    try:
        with np.errstate(all="ignore"):
            values = built.ppf(QUARTILES)
    except StudyError:
        raise
    except Exception as error:  # chaospy has exceptions of many kinds
        text = f"chaospy has no quantiles of it: {type(error).__name__}: {error}"
        raise StudyError(
            text, key=Random.key, value=label, remedy="give its parts as inputs, and put them together in the model"
        ) from error
    if not np.all(np.isfinite(values)) or (isinstance(built, Distribution) and np.any(np.diff(values) < 0)):
        raise StudyError("its quantiles are no rising numbers", key=Random.key, value=label, remedy="look at its parameters")
    if isinstance(built, Foreign) and np.abs(built.cdf(values) - QUARTILES).max() > TOLERATED:
        text = "chaospy's quantiles of it are not those of its distribution function"
        raise StudyError(
            text, key=Random.key, value=label, remedy="give its samples as data, or a distribution of a name (docs/overview.md)"
        )
