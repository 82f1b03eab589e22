"""Taylor polynomials from differences at the centre of the box."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.chebyshev.monotonicity import extreme_corners
from uqmbd.errors import StudyError
from uqmbd.outcomes import MEND
from uqmbd.surrogates.base import CORNER, NODE, VALIDATION, Surrogate

LOWER_FIRST = 1e-3  # weight of squares and products where failed runs leave a choice


class Taylor(Surrogate):
    """All differences and half of the validation runs, then the others at corners.

    The differences see the middle of the box only, and the ends of the polynomial are mostly at corners: first those where its linear
    part has them, the ends of the most columns before those of few, then any.
    """

    def design(self) -> Iterator[bool]:
        nodes = self.runs.settings.nodes(len(self.runs.inputs))
        self.runs.add(self.runs.settings.step * nodes, NODE)
        count = self.runs.settings.validation_runs(len(nodes))
        corners = min(count // 2, 2 ** len(self.runs.inputs))
        self.runs.add_random(count - corners, VALIDATION)
        yield True
        self.runs.stop_early()
        self.runs.add(self._corners(corners), CORNER)
        yield True

    def _corners(self, count: int) -> np.ndarray:
        """About so many corners of the box, (n, d)."""
        d = len(self.runs.inputs)
        slopes = self.fit().c[1 : d + 1]
        chosen = extreme_corners(np.where(slopes < 0, -1, 1))
        further = generator(self.runs.seed, CORNER).choice([-1.0, 1.0], (4 * count, d))
        every = np.concatenate([chosen[:count], further])
        return every[np.sort(np.unique(every, axis=0, return_index=True)[1])][:count]

    def fit(self) -> SparseExpansion:
        """The polynomial in steps, by least squares: central differences where no run failed, one-sided ones else, zero at worst."""
        d, step = len(self.runs.inputs), self.runs.settings.step
        runs = self.fitted()
        ok = self.runs.status[runs] == 0
        if not ok.any():
            raise StudyError("all runs of the differences failed, so there is no derivative", remedy=f"{MEND}, or take another method")
        one = np.eye(d, dtype=int)
        terms = [one[0] * 0, *one]
        if self.runs.settings.order == 2:
            terms += [*(2 * one), *(one[i] + one[j] for i, j in combinations(range(d), 2))]
        powers = np.array(terms)
        points = self.runs.settings.nodes(d)[ok]
        weight = np.where(powers.sum(axis=1) == 2, LOWER_FIRST, 1.0)
        matrix = np.prod(points[:, None, :] ** powers, axis=2) * weight
        c, _, rank, _ = np.linalg.lstsq(matrix, self.runs.values[runs[ok]], rcond=1e-12)
        rest = f"their terms are one-sided or zero: the others determine {rank} of {len(powers)} terms"
        self.note = "" if ok.all() else f"{np.count_nonzero(~ok)} of {len(runs)} runs of the differences failed; {rest}"
        c = weight[:, None] * c
        c = c / step ** powers.sum(axis=1)[:, None]
        squares = powers.max(axis=1) == 2  # x² = (T_2 + 1) / 2
        c[0] += 0.5 * c[squares].sum(axis=0)
        c[squares] *= 0.5
        return SparseExpansion(powers, c)

    def seen(self, columns: np.ndarray) -> None:
        """None: values so near the centre do not tell the range, and the polynomial meets them but for rounding."""

    def facts(self) -> dict:
        return {"step": self.runs.settings.step}
