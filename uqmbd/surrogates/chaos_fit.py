"""What runs say about an expansion: terms that are chosen for each output, their coefficients, and the errors of runs left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.chaos import multi_index, regression
from uqmbd.analysis.chaos.expansion import Expansion, basis
from uqmbd.analysis.chaos.families import Family, family, hermite, legendre
from uqmbd.errors import StudyError
from uqmbd.inputs.space import Space

if TYPE_CHECKING:
    from uqmbd.analysis.base.columns import Columns

SAMPLED = 2  # where the random numbers begin with which an expansion is sampled; those before are of the runs
WHOLE = 2**22  # numbers of a matrix of runs and terms up to which it is held as a whole; of more runs the first choose the terms
LEAST_RUNS = 2  # for each term, that choose


def family_of(space: Space, name: str, degree: int) -> Family:
    """The polynomials of one input, as functions of the independent u that `Space.samples` takes.

    Inputs that depend on each other are smooth functions of normal variables, so they have Hermite polynomials: those behind a Gaussian
    copula, or the normal scores of Rosenblatt's independent variables of another joint distribution.
    """
    item = space[name]
    if item.kind == "interval":
        return legendre()
    if name in space.joint or (space.dependence is not None and name in space.dependence.names):
        return hermite("hermite of the normal score")
    return family(item.ppf, getattr(item, "named", None), degree=degree)


def determined(choice: regression.Choice, runs: int, what: str) -> regression.Choice:
    """The choice; `StudyError` where so many runs cannot determine `what`."""
    if np.isfinite(choice.loo):
        return choice
    remedy = "use more samples, a lower degree or sparse regression"
    raise StudyError(f"the {runs} runs that are ok cannot determine the {what}", key="method.samples", remedy=remedy)


class FitResult(NamedTuple):
    """What runs say of all columns."""

    expansion: Any  # the expansion of all columns, or what holds one
    loo: np.ndarray  # (columns,): relative squared leave-one-out error, NaN where there is none
    missed: np.ndarray  # (columns,): largest error at a run left out, NaN where there is none
    choices: list[regression.Choice]  # for each output
    chosen_by: int  # by so many of the runs


@dataclass(frozen=True)
class Fit:
    """How expansions of all columns are fitted."""

    settings: Any  # of the method: degree, shape, q, how, design
    families: Sequence[Family]  # of each input
    indices: np.ndarray  # int (terms, d): all terms that may be chosen
    degrees: list[int]  # among which is chosen
    columns: Columns

    @property
    def levels(self) -> np.ndarray:
        """The least degree of each term's basis, (terms,)."""
        if isinstance(self.settings.degree, dict):
            return np.full(len(self.indices), float(self.degrees[-1]))
        return multi_index.level(self.indices, self.settings.shape, self.settings.q)

    def project(self, u: np.ndarray, values: np.ndarray, weights: np.ndarray) -> FitResult:
        """By the quadrature with the points `u` (n, d) and `weights` (n,): nothing is left over that would tell an error."""
        c = basis(self.families, self.indices, u).T @ (weights[:, None] * values)
        whole = regression.Choice(np.arange(len(self.indices)), np.nan, self.degrees[-1], 0.0)
        unknown = np.full(self.columns.count, np.nan)
        return FitResult(Expansion(self.indices, self.families, c), unknown, unknown, [whole] * len(self.columns.slices), len(u))

    def regress(
        self, u: np.ndarray, values: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None
    ) -> FitResult:
        """By least squares from points `u` (n, d) of the unit cube and `values` (n, columns); `choices` where they are made already.

        Raises `StudyError` where these runs cannot determine the expansion.
        """
        size = self._sizes(values)
        values = values / size if np.any(size != 1) else values
        few = min(len(u), max(WHOLE // len(self.indices), LEAST_RUNS * len(self.indices)))
        psi = basis(self.families, self.indices, u[:few] if choices is None or few == len(u) else u[:0])
        if choices is None:
            choices = self._choose(psi, values[:few], degrees or self.degrees, len(u))
        choices = list(choices)
        slices = list(self.columns.slices.values())
        if few == len(u):
            fits = [regression.least_squares(psi[:, choice.terms], values[:, at]) for choice, at in zip(choices, slices, strict=True)]
        else:
            del psi
            fits = self._by_blocks(u, values, choices)
        c, loo, missed = np.zeros((len(self.indices), self.columns.count)), np.zeros(self.columns.count), np.zeros(self.columns.count)
        for k, (at, fit) in enumerate(zip(slices, fits, strict=True)):
            c[choices[k].terms, at], missed[at] = fit.c * size[at], fit.missed * size[at]
            variance = values[:, at].var(axis=0)
            loo[at] = np.divide(fit.loo, variance, out=np.zeros_like(variance), where=variance > 0)
            if few < len(u) and variance.sum() > 0:
                choices[k] = replace(choices[k], loo=float(fit.loo.sum() / variance.sum()))
        used = np.any(c != 0, axis=1)
        used[0] = True  # the constant
        return FitResult(Expansion(self.indices[used], self.families, c[used]), loo, missed, choices, few)

    def _sizes(self, values: np.ndarray) -> np.ndarray:
        """The size of each output, for all its columns, (columns,)."""
        sizes = magnitude.sizes(values)
        for at in self.columns.slices.values():
            sizes[at] = sizes[at].max()
        return sizes

    def _choose(self, psi: np.ndarray, values: np.ndarray, degrees: list[int], runs: int) -> list[regression.Choice]:
        """Degree and terms of each output."""
        how, levels, choices = self.settings.how, self.levels, []
        if self.settings.design == "quadrature":  # some of its runs failed
            how, levels = "least_squares", self.indices.sum(axis=1).astype(float)
            degrees = list(range(1, int(levels.max()) + 1))
        for name, at in self.columns.slices.items():
            choices.append(
                determined(regression.choose(psi, levels, degrees, values[:, at], how), runs, f"expansion of the output '{name}'")
            )
        return choices

    def _by_blocks(self, u: np.ndarray, values: np.ndarray, choices: list[regression.Choice]) -> list[regression.Fit]:
        """Coefficients of the chosen terms from all runs, some of them at a time."""
        known = np.unique(np.concatenate([choice.terms for choice in choices]))
        groups = [(np.searchsorted(known, choice.terms), at) for choice, at in zip(choices, self.columns.slices.values(), strict=True)]
        rows = max(1, WHOLE // (4 * len(known)))
        return regression.by_blocks(lambda part: basis(self.families, self.indices[known], u[part]), values, groups, rows)
