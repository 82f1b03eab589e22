"""The run of a study with random and interval inputs whose histories are expanded on a warped time line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import imprecise_sampled
from uqmbd.analysis.chaos_expansion import Expansion
from uqmbd.methods.imprecise.mixed_run import MixedRun
from uqmbd.methods.probabilistic.warping_run import WarpedRun

if TYPE_CHECKING:
    from uqmbd.analysis.warped_columns import WarpedColumns

HISTORY_GERMS = 1024  # points of the random inputs with which warped histories are sampled, at most


class WarpedMixedRun(MixedRun, WarpedRun):
    """Statistics of scalars are bounded as by `MixedRun`; those of warped histories are sampled, and their bounds searched for."""

    _expansion: WarpedColumns

    @property
    def _polynomials(self) -> Expansion:
        return self._expansion.plain

    def _assess(self) -> None:
        first = not self._assessed
        super()._assess()
        if first:
            for name in self._facts:  # from where on the runs differ in their events nothing holds
                self._followed[self._columns.slices[name]] &= self._comparable(name)

    def _fill(self, out: np.ndarray, columns: np.ndarray) -> None:
        plain = columns[~self._warped[columns]]
        warped = columns[self._warped[columns]]
        if plain.size:
            super()._fill(out, plain)
        if warped.size:
            germs = self._germs[: min(len(self._germs) // 4, HISTORY_GERMS)]
            part, outwards = self._expansion.columns(warped), np.array([[-1.0], [1.0]]) * self._margin[warped]
            found = imprecise_sampled.statistic_bounds(part.evaluate, self._imprecise, self._levels_of_quantiles, germs, self._regions)
            out[:, 0][..., warped] = found[:, 0] + outwards
            out[:, 1][..., warped] = np.maximum(np.sqrt(found[:, 1]) + outwards, 0.0)
            out[:, 3:][..., warped] = found[:, 2:] + outwards

    @property
    def _warped(self) -> np.ndarray:
        """Which columns have warped surrogates, bool (columns,)."""
        found = np.zeros(self._columns.count, bool)
        for at, _ in self._expansion.histories:
            found[at] = True
        return found

    def _attributes(self) -> dict:
        attrs = super()._attributes()
        attrs["moments_verified"] = attrs["moments_verified"] and not (self._warped & self._followed).any()
        attrs["notes"] += self._about_warping()
        if (self._warped & self._followed).any():
            attrs["notes"].append("bounds of the statistics of warped histories are searched for and not verified")
        return attrs
