"""Settings of the methods that expand a response in orthonormal polynomials: its runs, its terms, how they are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, comb
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_serializer, model_validator

from uqmbd.analysis.chaos import multi_index
from uqmbd.analysis.chaos.design import gauss_points, grid_in_words
from uqmbd.analysis.chaos.families import Family
from uqmbd.analysis.statistics.trust import SHARE
from uqmbd.errors import StudyError
from uqmbd.groups import OF_EXPANSION, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import Method, require_inputs
from uqmbd.methods.intervals.chebyshev import DegreeWanted
from uqmbd.methods.quantile_levels import Quantiles
from uqmbd.questions import Questions
from uqmbd.surrogates.base import LEAST_VALIDATION
from uqmbd.surrogates.chaos_fit import family_of
from uqmbd.surrogates.tensor import node_count
from uqmbd.surrogates.warped import Warp

TERMS_A_RUN = 10  # candidates among which a sparse fit chooses, for each run that is fitted
RUNS_A_TERM = 2  # with which the degree "auto" of full least squares goes on


class Expanded(Method):
    """Runs, terms and fit of an expansion of every output at every time in the orthonormal polynomials of the inputs.

    Attributes
    ----------
    degree : int, list of int, dict of str to int, or ``"auto"``
        Total degree; a list or ``auto`` (1 to `max_degree`) leaves the choice to the corrected leave-one-out error. Degrees by input
        make the set anisotropic; inputs without one have the highest of those given.
    max_degree : int
        Of ``auto``.
    samples : int
        Number of runs, those for validation included. Not with the design quadrature, whose degree decides.
    truncation : str
        ``total``, ``hyperbolic`` (with `q`) or ``tensor``; tensor for a quadrature and total otherwise, where nothing is said.
    q : float
        Of ``hyperbolic``: the smaller, the fewer mixed terms.
    sparse : bool
        Choose the terms that count; ``false`` fits all of them.
    regression : str
        ``lars`` (least-angle regression, then least squares), ``omp`` (orthogonal matching pursuit), ``least_squares`` (all terms). Where
        nothing is said lars for scalars and omp for histories, all times of which it takes together.
    design : str
        ``lhs``, ``sobol``, ``random``; ``doptimal`` picks the runs that are fitted from random ones so that all terms are determined
        best; ``quadrature`` runs a tensor grid of Gauss points, ``degree + 1`` in each input, and projects.
    grid : str
        Of a quadrature: ``sparse`` takes Smolyak's grid where it has fewer points than the ``tensor`` grid; for a total degree.
    validation : float
        Share of runs that are never fitted (at least 10). Where they are fewer than 100, errors of the fitted runs, each left out in
        turn, count as validated errors too.
    trust_tolerance : float
        Largest validated error, as a fraction of the response's range, at which a time or scalar is trusted. Ten times that of
        bounds: it is an error of single runs, of which means and variances see averages.
    std_tolerance : float
        And as a fraction of the standard deviation there.
    max_runs : int
        Limit of the runs of a quadrature.
    quantiles : list of float
        Probabilities of the quantiles, 5, 25, 50, 75 and 95 % where nothing is said. Those beyond any run are what the expansion says where
        nothing has tried it; the attribute ``note`` names them.
    questions : list of str
        What is asked of the expansion: ``indices`` (always answered), and of intervals ``bounds`` (its range, widened by its error) and
        ``width`` (by how much they narrow when one input is halved about its middle). With `warp` both are sampled, and bounds are there
        without being asked for.
    warp : str or dict
        Bring histories onto one time line before they are expanded: ``linear`` or ``quadratic`` (stochastic time warping), ``kinks``,
        ``{ kinks = "output" }``, ``{ crossings = "output", level = 0.0 }`` or ``{ events = ["output", ...] }`` (alignment by events).
        Not with the design quadrature.
    """

    groups: ClassVar[tuple[GroupSpec, ...]] = OF_EXPANSION
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint"})

    degree: DegreeWanted = "auto"
    max_degree: int = Field(default=10, ge=1, le=30)
    samples: int | None = Field(default=None, ge=1)
    truncation: Literal["total", "hyperbolic", "tensor"] | None = None
    q: float = Field(default=0.75, gt=0, le=1)
    sparse: bool | None = None
    regression: Literal["lars", "omp", "least_squares"] | None = None
    design: Literal["lhs", "sobol", "random", "doptimal", "quadrature"] = "lhs"
    grid: Literal["tensor", "sparse"] | None = None
    validation: float = Field(default=0.1, gt=0, lt=1)
    trust_tolerance: float = Field(default=1e-2, gt=0, lt=1)
    std_tolerance: float = Field(default=SHARE, gt=0, lt=1)
    max_runs: int = Field(default=10_000, ge=1)
    warp: Warp = None
    quantiles: Quantiles = None
    questions: Questions = ("indices",)

    @property
    def sampling(self) -> str:
        """What the runs are, see `uqmbd.facts.Facts`: of two designs they are no sample."""
        return "" if self.design in ("doptimal", "quadrature") else "random"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.sparse is True and self.regression == "least_squares":
            raise ValueError("sparse = true and regression = least_squares exclude each other: use lars or omp, or sparse = false")
        if self.sparse is False and self.regression in ("lars", "omp"):
            raise ValueError(f"sparse = false and regression = {self.regression} exclude each other: use least_squares, or sparse = true")
        if self.grid and (self.design != "quadrature" or (self.grid, self.truncation) == ("sparse", "tensor")):
            raise ValueError("grid goes with the design quadrature, and sparse with a total degree: remove grid, or truncation")
        if self.design == "quadrature":
            if self.samples is not None:
                raise ValueError("the runs of a quadrature follow from its degree: remove samples, or choose another design")
            if not isinstance(self.degree, (int, dict)):
                raise ValueError("a quadrature needs one degree: a whole number, or a table of them by input")
            if self.sparse or self.regression:
                raise ValueError("a quadrature projects and does no regression: remove sparse and regression, or choose another design")
        elif self.samples is None:
            raise ValueError("the key 'samples' is missing: the number of runs")
        return self

    @property
    def shape(self) -> str:
        """The truncation that is meant."""
        return self.truncation or ("tensor" if self.design == "quadrature" and self.grid != "sparse" else "total")

    @model_serializer(mode="wrap")
    def _without_what_is_unsaid(self, handler: Any) -> dict[str, Any]:
        """Results of before there was the key `grid` are those of studies that do not say it."""
        return {key: value for key, value in handler(self).items() if key != "grid" or value is not None}

    @property
    def how(self) -> str:
        """The regression that is meant."""
        return self.regression or ("least_squares" if self.sparse is False else "sparse")

    @property
    def _full(self) -> bool:
        """Whether all terms of a degree have to be determined."""
        return self.how == "least_squares" or self.design == "doptimal"

    def by_input(self, inputs: Iterable[str], degree: int | None = None) -> tuple[int, ...]:
        """Degree in each input of the largest basis, or of that of `degree`."""
        if isinstance(self.degree, dict):
            return tuple(self.degree.get(name, max(self.degree.values())) for name in inputs)
        highest = degree or (self.max_degree if self.degree == "auto" else max(np.atleast_1d(self.degree)))
        return tuple(int(highest) for _ in inputs)

    def terms(self, inputs: Iterable[str], degree: int | None = None) -> np.ndarray:
        """Multi-indices of the basis, (terms, d); raises `ValueError` when they are too many to be fitted by any number of runs."""
        return multi_index.index_set(self.by_input(inputs, degree), self.shape, self.q)

    def candidates(self, inputs: Iterable[str], fitted: int) -> list[int]:
        """Degrees among which the error decides; of a table of degrees the highest stands for all.

        `fitted` runs limit ``auto``, and a list where all terms of a degree have to be determined; its lowest degree always stays.
        """
        if isinstance(self.degree, dict):
            return [max(self.degree.values())]
        wanted = list(range(1, self.max_degree + 1)) if self.degree == "auto" else [int(degree) for degree in np.atleast_1d(self.degree)]
        if self._full:
            # points that are picked for the terms determine nearly as many terms as they are
            most = fitted // RUNS_A_TERM if self.degree == "auto" and self.design != "doptimal" else fitted - 1
        elif self.degree == "auto":
            most = TERMS_A_RUN * fitted
        else:
            return wanted
        names, possible = list(inputs), wanted[:1]
        for degree in wanted[1:]:
            try:
                if len(self.terms(names, degree)) > most:
                    break
            except ValueError:
                break
            possible.append(degree)
        return possible

    def validation_runs(self, samples: int) -> int:
        """How many of `samples` runs are for validation."""
        return max(LEAST_VALIDATION, ceil(samples * self.validation - 1e-9))

    def counts(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        """Runs that are fitted, and runs for validation."""
        if self.design != "quadrature":
            samples = self.samples or 0
            kept = self.validation_runs(samples)
            return samples - kept, kept
        nodes = node_count(self.by_input(inputs))
        if self.grid == "sparse":  # it has at least a point for each term; where that is too many it is not made
            least = comb(len(inputs) + min(self.by_input(inputs)), len(inputs))
            nodes = least if least > self.max_runs else len(self.gauss_points(Space.of(inputs))[1])
        return nodes, max(LEAST_VALIDATION, ceil(nodes * self.validation / (1 - self.validation) - 1e-9))

    def gauss_points(self, inputs: Space, families: Sequence[Family] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Points u (n, d) and weights (n,) of the quadrature."""
        families = families or [family_of(inputs, name, k) for name, k in zip(inputs, self.by_input(inputs), strict=True)]
        return gauss_points(families, self.by_input(inputs), self.terms(inputs) if self.grid == "sparse" else None)

    def design_in_words(self, inputs: Mapping[str, Input]) -> str:
        return grid_in_words(self.counts(inputs)[0], node_count(self.by_input(inputs))) if self.grid == "sparse" else ""

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        total = sum(self.counts(inputs))
        return total, total

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        inputs = Space.of(inputs)
        require_inputs(self.degree if isinstance(self.degree, dict) else (), inputs, "a degree", "method.degree")
        self._check_questions(inputs)
        fitted, kept = self.counts(inputs)
        if self.design == "quadrature":
            if fitted + kept > self.max_runs:
                raise StudyError(
                    f"a quadrature with the degrees {self.by_input(inputs)} needs {fitted} runs at Gauss points and {kept} for validation, "
                    f"more than max_runs = {self.max_runs}",
                    key="method.max_runs",
                    remedy="lower the degree, raise max_runs, or choose the design lhs with sparse regression",
                )
            return
        least = len(inputs) + 2
        if fitted < least:
            text = f"of {self.samples} runs {kept} are for validation, and {max(fitted, 0)} are too few to fit {len(inputs)} inputs"
            raise StudyError(text, key="method.samples", value=self.samples, remedy=f"use {self.samples_for(least)} samples or more")
        self._check_terms(inputs, fitted)

    def _check_questions(self, inputs: Space) -> None:
        """Raise `StudyError` for questions that these inputs have no answer to."""
        asked = [name for name in self.questions if name != "indices"]
        random = [name for name, item in inputs.items() if item.kind == "random"]
        if asked and random:
            text = f"the input '{random[0]}' is random, and the question {asked[0]} is one to intervals"
            remedy = "give it as interval = [lower, upper], or remove the question"
            raise StudyError(text, key="method.questions", value=list(self.questions), remedy=remedy)

    def _check_terms(self, inputs: Mapping[str, Input], fitted: int) -> None:
        """Refuse a degree that the runs cannot determine."""
        degrees = self.candidates(inputs, fitted)
        full = self._full
        try:
            size = len(self.terms(inputs, degrees[0] if full else degrees[-1]))
        except ValueError as error:
            remedy = "lower the degree, or use the truncation hyperbolic"
            raise StudyError(f"for degree {degrees[-1]} in {len(inputs)} inputs {error}", key="method.degree", remedy=remedy) from None
        if full and fitted <= size:
            raise StudyError(
                f"degree {degrees[0]} in {len(inputs)} inputs has {size} terms, more than {fitted} fitted runs of {self.samples} determine",
                key="method.samples",
                value=self.samples,
                remedy=f"{self.samples_for(size + 1)} samples are the least and {self.samples_for(RUNS_A_TERM * size)} are sound; "
                "or lower the degree, or let sparse regression choose the terms",
            )

    def samples_for(self, fitted: int) -> int:
        """Smallest number of samples of which so many are fitted."""
        return next(
            n for n in range(fitted, 2 * fitted + ceil(fitted / (1 - self.validation)) + 100) if n - self.validation_runs(n) >= fitted
        )
