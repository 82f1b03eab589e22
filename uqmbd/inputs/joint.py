"""Several inputs by one distribution: of chaospy (independent ones, by a copula, with parameters that are others), or rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs.base import Input
from uqmbd.inputs.chaospy_univariate import LEAST, Component, Parts
from uqmbd.inputs.correlation import Pair
from uqmbd.inputs.names import identifier
from uqmbd.inputs.random import Random
from uqmbd.inputs.rows import Rows
from uqmbd.inputs.units import to_si
from uqmbd.inputs.univariate import inverse_of


@dataclass(frozen=True)
class Joint:
    """What one distribution of several variables says of several inputs.

    Attributes
    ----------
    names : tuple of str
    item : Random
        As it was given.
    kind : str
        What binds them, in words.
    inputs : dict of str to Random
        Each by itself.
    pairs : tuple of (str, str, float)
        Rank correlations, of a Gaussian copula.
    clayton : float, optional
        Parameter of Clayton's copula.
    values : Parts, Rows or chaospy.Distribution, optional
        What makes values of such points, where nothing else is known.
    """

    names: tuple[str, ...]
    item: Random
    kind: str
    inputs: Mapping[str, Random]
    pairs: tuple[Pair, ...] = ()
    clayton: float | None = None
    values: Any = None

    @property
    def is_bound(self) -> bool:
        """True where more binds them than a Gaussian copula, which rank correlations say."""
        return self.clayton is not None or self.values is not None

    @property
    def content(self) -> Any:
        """What fingerprints see of what binds the inputs."""
        if isinstance(self.values, Rows):
            return {"rows": self.values.digest, "units": list(names_in(self.item.unit))}
        return self.item.digest if self.clayton is None else {"clayton": self.clayton}

    @property
    def is_smooth(self) -> bool:
        """False where one of them is made of more variables than its own and those of the others."""
        return not isinstance(self.values, (Parts, Rows)) or (isinstance(self.values, Parts) and self.values.is_smooth)

    def points(self, u: np.ndarray, at: Sequence[int]) -> np.ndarray:
        """Points `u` (n, d) of the unit cube, of which the columns `at` are these, bound by the copula."""
        if self.clayton is None:
            return u
        out = np.array(u, float)
        out[:, at] = clayton(np.clip(out[:, at], LEAST, 1 - LEAST), self.clayton)
        return out

    def samples(self, u: np.ndarray, at: Sequence[int], inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Samples at the points `u` (n, d) in the unit of `inputs`, where they do not follow from each alone."""
        units = [to_si(inputs[name].written.unit if inputs[name].written else "") for name in self.names]
        if self.values is None:
            return {}
        points = np.clip(u[:, at], LEAST, 1 - LEAST).T
        rows = self.values.values(points) if isinstance(self.values, (Parts, Rows)) else inverse_of(self.values, points)
        return {name: si.factor * row + si.offset for name, si, row in zip(self.names, units, rows, strict=True)}


def clayton(u: np.ndarray, theta: float) -> np.ndarray:
    """Points bound by Clayton's copula from independent ones, (n, d): each given those before it (Cook, Johnson 1981)."""
    out = np.array(u, float)
    total = np.zeros(len(u))  # of u^-theta - 1 of those before
    for j in range(u.shape[1]):
        # 1 + total is multiplied by q^(-theta / (1 + j theta)); expm1 keeps the digits where u is near 1 or theta is small
        rise = (1 + total) * np.expm1(-theta / (1 + j * theta) * np.log(u[:, j]))
        out[:, j] = np.exp(-np.log1p(rise) / theta) if j else u[:, j]
        total += rise
    return out


def names_in(key: str | Sequence[str]) -> tuple[str, ...]:
    """The names of ``"a, b"``."""
    return tuple(part.strip() for part in key.split(",")) if isinstance(key, str) else tuple(key)


def expanded(inputs: Mapping[str, Input]) -> tuple[dict[str, Input], dict[str, Joint]]:
    """Inputs by their names as Python reads them, all different; and those that came together, by the key of all their names."""
    by_name: dict[str, Input] = {}
    joints: dict[str, Joint] = {}
    for key, item in inputs.items():
        each: Mapping[str, Input] = {key: item}
        if isinstance(item, Random) and item.count > 1:
            joints[key] = joint_of(key, item)
            each = joints[key].inputs
        for name, one in each.items():
            if identifier(name) in by_name:
                text = f"Python reads two of the inputs' names as '{identifier(name)}'"
                raise StudyError(text, key=f"inputs.{key}", remedy="give one of them another name")
            by_name[identifier(name)] = one
    return by_name, joints


def joint_of(key: str, item: Random) -> Joint:
    """What a distribution of several variables says of the inputs that `key` names, ``"a, b"``."""
    distribution, names = item.made, tuple(map(identifier, names_in(key)))
    count, units = item.count, names_in(item.unit)
    if len(names) != count or len(set(names)) != count:
        raise StudyError(
            f"the distribution is of {count} variables, and '{key}' names {len(set(names))}",
            key=f"inputs.{key}",
            remedy="name an input to each: " + ", ".join(f"x{i + 1}" for i in range(count)),
        )
    if len(units) not in (1, count):
        raise StudyError(
            f"there are {len(units)} units to {count} variables", key=f"inputs.{key}.unit", value=item.unit, remedy='write unit = "mm, N"'
        )
    units = units * count if len(units) == 1 else units

    def each(components: Sequence[Any]) -> dict[str, Random]:
        return {name: Random(one, unit=unit) for name, one, unit in zip(names, components, units, strict=True)}

    if isinstance(item.fitted, Rows):  # by itself each is smoothed: what is said of one input, and never drawn
        path, columns = item.fitted.read.path, item.fitted.read.columns
        return Joint(names, item, "rows", each([{"data": path, "column": name, "smooth": True} for name in columns]), values=item.fitted)
    marginals, trans = alone(distribution), distribution._parameters.get("trans")
    if marginals is not None and independent(marginals):
        return Joint(names, item, "independent", each(marginals))
    if marginals is not None:
        return Joint(names, item, "functions of each other", each(marginals), values=Parts(marginals))
    if trans is not None and (marginals := alone(distribution._parameters["dist"])) is not None and independent(marginals):
        if type(trans).__name__ == "nataf":
            turn = trans._permute
            return Joint(names, item, "Gaussian copula", each(marginals), pairs(names, turn.T @ trans._correlation @ turn))
        return Joint(names, item, f"{type(distribution).__name__} copula", each(marginals), clayton=float(trans._parameters["theta"]))
    if type(distribution).__name__ == "MvNormal" and isinstance(distribution._parameters["mean"], np.ndarray):
        spreads = np.sqrt(np.diag(distribution._covariance))
        normal = [{"type": "normal", "mean": m, "std": s} for m, s in zip(distribution._parameters["mean"], spreads, strict=True)]
        return Joint(
            names, item, "Gaussian copula", each(normal), pairs(names, distribution._covariance / np.outer(spreads, spreads))
        )  # fmt: skip
    parts = [Component(distribution, i) for i in range(count)]
    inputs = {name: Random(f"<{part!r}>", unit=unit, made=part) for name, part, unit in zip(names, parts, units, strict=True)}
    return Joint(names, item, type(distribution).__name__, inputs, values=distribution)


def alone(distribution: Any) -> list[Any] | None:
    """The variables of a ``J``, each of its own distribution; None for what is more than that."""
    owners = getattr(distribution, "_owners", None)
    if owners is None or any(len(owner) > 1 for _, owner in owners.values()):
        return None
    return [owners[i][1] for i in range(len(distribution))]


def independent(components: Sequence[Any]) -> bool:
    """True for variables that have nothing in common."""
    seen: set[int] = set()
    for component in components:
        own = set().union(*component._dependencies)
        if seen & own:
            return False
        seen |= own
    return True


def pairs(names: Sequence[str], correlation: np.ndarray) -> tuple[Pair, ...]:
    """Rank correlations of a Gaussian copula with this correlation of its normal variables (Kruskal 1958)."""
    ranks = [(names[i], names[j], float(6 / np.pi * np.arcsin(correlation[i, j] / 2))) for j in range(len(names)) for i in range(j)]
    return tuple(pair for pair in ranks if pair[2] != 0)
