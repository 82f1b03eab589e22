"""Kriging at work: where it wants runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import sobol
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.gaussian_process import KERNELS
from uqmbd.errors import StudyError
from uqmbd.outcomes import MEND
from uqmbd.surrogates.base import NODE, Surrogate, note_of_failed
from uqmbd.surrogates.kept_kriging import kept
from uqmbd.surrogates.kriging import Kriging

ENDS = 2  # runs for each of the region's ends in the directions of corners, where these are run
LEAST_FITTED = 3  # runs


class Kriged(Surrogate):
    """Runs at the region's ends in the directions of corners where these are few, and at Sobol' points of it: all runs are in the region.

    Of the correlations the one is taken that is most likely for all outputs together. With a `tolerance` there are twice as many points
    until the validated error is below it.
    """

    def design(self) -> Iterator[bool]:
        runs, settings, d = self.runs, self.runs.settings, len(self.runs.inputs)
        count, validated, filled = settings.first_nodes(runs.inputs), 0, 0
        if 2**d <= count // ENDS:
            runs.add(np.unique(runs.region.edge(np.array(list(product((1.0, -1.0), repeat=d)))), axis=0), NODE)
        ends = int(np.count_nonzero(runs.roles == NODE))
        while True:
            runs.add(runs.region.random(sobol(count - ends, d, generator(runs.seed, NODE)))[filled:], NODE)
            filled, wanted = count - ends, settings.validation_runs(count)
            runs.add_validation(wanted - validated)
            validated = wanted
            yield True
            if settings.tolerance is None:
                return
            runs.assess()
            more = min(2 * count, settings.most_nodes())
            if more == count or np.all(runs.error <= settings.target * runs.scale()):
                return
            count = more

    def fit(self) -> Kriging:
        runs, rows = self.runs, self.fitted()
        ok = rows[runs.status[rows] == 0]
        if len(ok) < LEAST_FITTED:
            raise StudyError(f"of {len(rows)} runs for Kriging {len(ok)} are ok, too few to learn from", remedy=MEND)
        self.note = note_of_failed(len(rows) - len(ok), len(rows), "Kriging goes through the others")
        slices = list(runs.columns.slices.values())
        fits = [Kriging.fit(runs.points[ok], runs.values[ok], slices=slices, kernel=kernel, seed=len(ok)) for kernel in KERNELS]
        return max(fits, key=lambda fit: sum(part.likelihood for part in fit.parts))

    def facts(self) -> dict[str, Any]:
        kriging = self.runs.expansion
        about = [(name, kriging.lengths[at.start].tolist()) for name, at in self.runs.columns.slices.items()]
        lengths = {name: dict(zip(self.runs.inputs, each, strict=True)) for name, each in about}
        return {"surrogate": "kriging", "kernel": kriging.kernel, "lengths": lengths}

    def notes(self, trusted: np.ndarray) -> list[str]:
        return [*super().notes(trusted), "the range of Kriging is searched for and not verified"]

    def kept(self) -> dict[str, Any]:
        runs, rows = self.runs, self.fitted()
        ok = rows[runs.status[rows] == 0]
        return {"surrogates": kept(self.axes(), runs.columns, runs.points[ok], runs.values[ok], runs.expansion, runs.error)}
