"""The run of a study of Sobol' indices: histories are not kept, only sums of blocks of runs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis.columns import Columns
from uqmbd.analysis.pick_freeze import Estimator, Layout, Sums, draws, half_widths, widening
from uqmbd.analysis.streams import generator
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures, from_unit_cube
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.methods.reduced import ReducedRun
from uqmbd.methods.sensitivity.designs import saltelli
from uqmbd.methods.sensitivity.reduce import UNIT, marks, reduce_batch, span, unit_sums
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity

GROUPS = 32  # of blocks, at most, that are resampled for the confidence limits of histories
SCALAR_GROUPS = 2**13  # of those of scalars: the limits are no other with more of them, the resamples larger
LEAST_BLOCKS = 2
KINDS = [kind + end for kind in ("first", "total") for end in ("", "_lower", "_upper")]


class SobolRun(ReducedRun):
    """Asks once, for blocks of runs (`uqmbd.analysis.pick_freeze`). Keeps all scalars, and of histories the sums of groups of blocks.

    `tell` is ``tell_reduced(reduce(...))``. A batch may cut a unit of blocks in two: runs at its edges wait for the rest, so that batches
    do not change the last digit.
    """

    def __init__(
        self, settings: Sensitivity, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        self.settings = settings
        self._inputs, self._seed, self._order = inputs, seed, list(outputs)
        self._layout = Layout(len(inputs), bool(settings.of("second_order")))
        self._scalars = Columns({name: info for name, info in outputs.items() if not info.axis}, time)
        self._histories = Columns({name: info for name, info in outputs.items() if info.axis}, time)
        self._samples = from_unit_cube(inputs, saltelli(settings.samples, self._layout, generator(seed, 0)))
        self._told = 0
        self._status: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._waiting = np.empty((0, self._histories.count))
        units = -(-settings.samples // UNIT)
        self._group_of = np.arange(units) * min(GROUPS, units) // units
        self._sums = Sums.empty(self._layout, min(GROUPS, units), self._histories.count)
        self._span = span(self._waiting)
        design = marks(np.column_stack(list(self._samples.values())))
        self._reduce = partial(reduce_batch, self._layout, design, list(inputs), self._scalars, self._histories)

    @staticmethod
    def planned(settings: Sensitivity, d: int) -> int:
        """Number of runs."""
        return settings.samples * Layout(d, bool(settings.of("second_order"))).length

    def tell_reduced(self, partial: Mapping[str, np.ndarray]) -> None:
        """Take in what `reduce` made of a batch, in run order."""
        self._status.append(partial["status"])
        self._values.append(partial["scalars"])
        self._span[0] = np.minimum(self._span[0], partial["range"][0])
        self._span[1] = np.maximum(self._span[1], partial["range"][1])
        begin, end = (int(row) for row in partial["inside"])
        self._await(partial["edges"][:begin])
        if end > begin and self._told % (UNIT * self._layout.length):
            raise RuntimeError("blocks of runs are told out of order")
        self._merge(partial, self._sums)
        self._told += end - begin
        self._await(partial["edges"][begin:])

    def _await(self, rows: np.ndarray) -> None:
        """Put runs to those that wait, and take in what became whole units."""
        self._waiting = np.concatenate([self._waiting, rows])
        self._told += len(rows)
        length = UNIT * self._layout.length
        whole = len(self._waiting) // length * length
        if whole:
            self._merge(self._of_waiting(whole), self._sums)
            self._waiting = self._waiting[whole:]

    def _of_waiting(self, rows: int) -> dict[str, np.ndarray]:
        return unit_sums(self._layout, self._waiting[:rows], (self._told - len(self._waiting)) // self._layout.length)

    def _merge(self, partial: Mapping[str, np.ndarray], sums: Sums) -> None:
        for unit, count, mean, moment in zip(*(partial[key] for key in ("units", "counts", "means", "moments")), strict=True):
            sums.merge(self._group_of[int(unit)], float(count), mean, moment, self._layout)

    def result(self) -> Result:
        status = np.concatenate(self._status) if self._status else np.zeros(0, np.int8)
        stop_if_too_many(self.settings, self._inputs, {name: x[: len(status)] for name, x in self._samples.items()}, status)
        length = self._layout.length
        whole = len(status) // length
        good = (status[: whole * length].reshape(-1, length) == 0).all(axis=1)
        if good.sum() < LEAST_BLOCKS:
            raise StudyError(
                f"{int(good.sum())} of {whole} blocks of {length} runs are without a failed run, which is too few for Sobol' indices",
                key="method.samples",
                value=self.settings.samples,
                remedy='raise samples, narrow the inputs to where the model works, or take approach = "rbd_fast"',
            )
        values = np.concatenate(self._values)
        blocks = values[: whole * length].reshape(whole, length, -1)[good]
        self._kinds: dict[str, dict[str, np.ndarray]] = {}
        self._pooled: dict[str, dict[str, np.ndarray]] = {}
        self._moments: dict[str, np.ndarray] = {}
        self._take("s", self._scalars, Sums.grouped(self._layout, blocks, SCALAR_GROUPS), 1)
        sums = deepcopy(self._sums)
        self._merge(self._of_waiting(len(self._waiting) // length * length), sums)  # the last unit may have fewer blocks
        full = sums.count > 0
        self._history_groups = int(full.sum())
        self._take("h", self._histories, Sums(sums.count[full], sums.mean[full], sums.moment[full]), 2)
        ok = values[status == 0]
        ends = {"s": np.stack([ok.min(axis=0), ok.max(axis=0)]), "h": self._span}
        statistics = {key: np.concatenate([self._moments[key], ends[key]]) for key in ends}
        return Result(
            inner=self._join({"bound": ["lower", "upper"]}, ends),
            statistics=self._join({"statistic": ["mean", "std", "min", "max"]}, statistics),
            sensitivity=self._shares(),
            interaction=self._pairs(),
            aggregated=self._aggregated(),
            attrs=self._attributes(status, good),
        )

    def _take(self, key: str, columns: Columns, sums: Sums, stream: int) -> None:
        """Indices with confidence limits of the scalars ("s") or histories ("h"), and mean and standard deviation of the points A and B."""
        settings, groups = self.settings, len(sums.count)
        self._kinds[key], self._moments[key] = {}, np.empty((2, columns.count))
        points = 2 * sums.count.sum()
        factor = widening(groups, settings.of("confidence"))
        weights = draws(groups, settings.of("resamples"), generator(self._seed, stream)) if groups > 1 else None
        for name, at in columns.slices.items():
            part = Sums(sums.count, sums.mean[..., at], sums.moment[..., at])
            estimator = Estimator(self._layout, part)
            found = estimator.indices()
            self._moments[key][:, at] = estimator.shift[:2].mean(axis=0), np.sqrt(found.variance * points / (points - 1))
            shares, pooled = found.shares(), found.aggregated().shares()
            half = half_widths(self._layout, part, weights, factor) if weights is not None else (_unknown(shares), _unknown(pooled))
            self._kinds[key] |= {(name, kind): value for kind, value in _with_limits(shares, half[0]).items()}
            if key == "h":
                self._pooled[name] = _with_limits(pooled, half[1])

    def _stacked(self, kinds: list[str], length: int) -> dict[str, np.ndarray]:
        """Some kinds, each with `length` rows, of the scalars ("s") and histories ("h"): (kinds, length, columns)."""
        found = {}
        for key, columns in (("s", self._scalars), ("h", self._histories)):
            found[key] = np.empty((len(kinds), length, columns.count))
            for name, at in columns.slices.items():
                found[key][..., at] = [self._kinds[key][name, kind] for kind in kinds]
        return found

    def _shares(self) -> xr.Dataset:
        """First and total indices with their limits."""
        labels = {"kind": KINDS, "input": list(self._inputs)}
        return self._join(labels, self._stacked(KINDS, self._layout.d), unit="")

    def _pairs(self) -> xr.Dataset:
        """Second-order indices by pair of inputs; empty without them."""
        if not self._layout.second:
            return xr.Dataset()
        inputs = list(self._inputs)
        pairs = [f"{inputs[j]}*{inputs[k]}" for j, k in self._layout.couples]
        return self._join({"pair": pairs}, {key: rows[0] for key, rows in self._stacked(["second"], len(pairs)).items()}, unit="")

    def _aggregated(self) -> xr.Dataset:
        return pooled_dataset(KINDS, list(self._inputs), {name: [found[kind] for kind in KINDS] for name, found in self._pooled.items()})

    def _join(self, labels: dict[str, list[str]], rows: dict[str, np.ndarray], unit: str | None = None) -> xr.Dataset:
        """One Dataset of scalars (rows "s") and histories (rows "h"), in the order of the outputs."""
        parts = [self._scalars.dataset(rows["s"], labels, unit=unit), self._histories.dataset(rows["h"], labels, unit=unit)]
        return parts[0].merge(parts[1])[self._order]

    def _attributes(self, status: np.ndarray, good: np.ndarray) -> dict:
        settings, lost = self.settings, int(np.count_nonzero(~good))
        attrs = {"method": settings.name, "approach": settings.approach, "seed": self._seed, "samples": settings.samples}
        attrs |= {key: settings.of(key) for key in ("second_order", "resamples", "confidence")}
        attrs |= {"blocks": len(good), "blocks_dropped": lost, "runs_in_a_block": self._layout.length}
        if self._histories.count:
            attrs["history_limit_groups"] = self._history_groups
        said = f"{lost} of {len(good)} blocks hold a failed run and are left out as a whole: the indices are those of the others"
        return attrs | {"notes": [said] if lost else []} | count_failures(status)


def pooled_dataset(kinds: list[str], inputs: list[str], rows: Mapping[str, list[np.ndarray]]) -> xr.Dataset:
    """Sensitivities over all times by kind and input: one variable for each history, from its arrays (inputs, 1) of each kind."""
    labels = {"kind": np.array(kinds, dtype=object), "input": np.array(inputs, dtype=object)}
    variables = {name: (("kind", "input"), np.array(parts)[..., 0], {"unit": ""}) for name, parts in rows.items()}
    return xr.Dataset(variables, labels) if variables else xr.Dataset()


def _unknown(shares: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Too few groups say nothing."""
    return {kind: np.full_like(share, np.inf) for kind, share in shares.items()}


def _with_limits(shares: dict[str, np.ndarray], half: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Indices by kind with their limits as ``kind_lower`` and ``kind_upper``."""
    limits = {f"{kind}_lower": share - half[kind] for kind, share in shares.items()}
    return {**shares, **limits, **{f"{kind}_upper": share + half[kind] for kind, share in shares.items()}}
