"""Dependence between random inputs: a Gaussian copula from rank correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import Checked
from uqmbd.inputs.correlation import matrix_of, pairs_of, require_possible

KEY = "dependence.rank_correlation"
LEAST = 2.0**-53  # u is kept so far away from 0 and 1


class Dependence(Checked):
    """Spearman's rank correlation of pairs of random inputs; all other pairs are independent.

    The Gaussian copula with the correlation ``r = 2 sin(π ρ / 6)`` has the rank correlation ρ (Kruskal, J. Am. Stat. Assoc. 53
    (1958) 814), whatever the distributions are, and leaves them as they are.

    Attributes
    ----------
    rank_correlation : tuple of (str, str, float)
        Pairs of inputs and their correlation, -1 to 1: ``[["a", "b", 0.6]]``.

    Examples
    --------
    >>> import uqmbd as uq
    >>> together = uq.Dependence(rank_correlation=[["mass", "stiffness", 0.6]])
    >>> together.names
    ('mass', 'stiffness')
    """

    rank_correlation: Annotated[Any, BeforeValidator(pairs_of)] = Field(default=())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Inputs that depend on another."""
        return tuple(dict.fromkeys(name for a, b, _ in self.rank_correlation for name in (a, b)))

    def check(self, inputs: Mapping[str, Input]) -> None:
        """Raise `StudyError` unless these inputs can have these correlations."""
        for name in self.names:
            if name not in inputs:
                raise StudyError(
                    f"there is no input '{name}' to depend on another", key=KEY, remedy=did_you_mean(name, inputs, noun="input")
                )
            if inputs[name].kind != "random":
                raise StudyError(
                    f"the input '{name}' is of kind {inputs[name].kind}; only random inputs have a rank correlation",
                    key=KEY,
                    remedy=f"give '{name}' a distribution, or correlate intervals by a set: [sets.NAME] with inputs and correlation",
                )
        require_possible(self.gaussian(self.names), self.names, KEY, backwards=lambda r: 6 / np.pi * np.arcsin(np.clip(r / 2, -0.5, 0.5)))

    def gaussian(self, names: Sequence[str]) -> np.ndarray:
        """Correlation matrix of the Gaussian variables behind `names`."""
        return matrix_of(names, ((a, b, 2 * np.sin(np.pi * rho / 6)) for a, b, rho in self.rank_correlation), KEY)

    def apply(self, u: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Independent points `u` (n, len(names)) of the unit cube to dependent ones; columns of independent inputs are kept."""
        from scipy.special import ndtr, ndtri

        at = [i for i, name in enumerate(names) if name in self.names]
        out = np.array(u, float)
        out[:, at] = ndtr(self.bend(ndtri(np.clip(out[:, at], LEAST, 1 - LEAST)), [names[i] for i in at]))
        return out

    def bend(self, z: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Independent standard normal variables `z` (n, len(names)) to dependent ones; columns of independent inputs are kept."""
        at = [i for i, name in enumerate(names) if name in self.names]
        out = np.array(z, float)
        out[:, at] = out[:, at] @ np.linalg.cholesky(self.gaussian([names[i] for i in at])).T
        return out
