"""Sobol' indices by pick-freeze runs: histories are not kept, only sums of blocks of runs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.magnitude import in_one_unit, sizes
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sensitivity.designs import saltelli
from uqmbd.analysis.sensitivity.pick_freeze import Estimator, Layout, Sums, draws, half_widths, widening
from uqmbd.analysis.statistics.moment_limits import LEAST
from uqmbd.errors import StudyError
from uqmbd.methods.base import count_failures
from uqmbd.methods.reduced import ReducedRun
from uqmbd.methods.sensitivity.grouped import Groups, count_of, labels_of, members_of
from uqmbd.methods.sensitivity.part import notes_of
from uqmbd.methods.sensitivity.reduce import UNIT, marks, reduce_batch, span, unit_sums
from uqmbd.methods.sensitivity.sampled import pooled_dataset, too_few
from uqmbd.methods.sensitivity.settings import WITH_COUNTS, Confidence, Resamples, Samples, Sensitivity
from uqmbd.methods.staged import Conclusion

GROUPS = 32  # of blocks, at most, that are resampled for the confidence limits of histories
SCALAR_GROUPS = 2**13  # of those of scalars: the limits are no other with more of them, the resamples larger
LEAST_BLOCKS = 2
KINDS = [kind + end for kind in ("first", "total") for end in ("", "_lower", "_upper")]


class SobolRun(ReducedRun):
    """Asks once, for blocks of runs (`uqmbd.analysis.sensitivity.pick_freeze`). Keeps scalars, and sums of groups of blocks of histories.

    A batch may cut a unit of blocks in two: runs at its edges wait for the rest, so that batches
    do not change the last digit.
    """

    def __init__(self, settings: Sobol, *study: Any) -> None:
        super().__init__(settings, *study)
        self._layout, labels = settings.layout(len(self.inputs)), labels_of(settings.input_groups, list(self.inputs))
        self._names, _ = members_of(labels)
        self._samples = self.inputs.samples(
            saltelli(settings.samples, self._layout, generator(self.seed, 0), labels if settings.input_groups else None)
        )
        self._values: list[np.ndarray] = []
        self._waiting = np.empty((0, self.histories.count))
        units = -(-settings.samples // UNIT)
        self._group_of = np.arange(units) * min(GROUPS, units) // units
        self._sums = Sums.empty(self._layout, min(GROUPS, units), self.histories.count)
        self._span = span(self._waiting)
        design = marks(np.column_stack(list(self._samples.values())))
        self._reduce = partial(reduce_batch, self._layout, design, list(self.inputs), self.scalars, self.histories)
        self._along = {"scalars": self.scalars} | dict.fromkeys(("range", "edges", "means", "moments", "sizes"), self.histories)

    def tell_reduced(self, partial: Mapping[str, np.ndarray]) -> None:
        self._status.append(partial["status"])
        self._values.append(partial["scalars"])
        self._span[0] = np.minimum(self._span[0], partial["range"][0])
        self._span[1] = np.maximum(self._span[1], partial["range"][1])
        begin, end = (int(row) for row in partial["inside"])
        self._await(partial["edges"][:begin])
        if end > begin and self._observed % (UNIT * self._layout.length):
            raise RuntimeError("blocks of runs are told out of order")
        self._merge(partial, self._sums)
        self._observed += end - begin
        self._await(partial["edges"][begin:])

    def _await(self, rows: np.ndarray) -> None:
        """Put runs to those that wait, and take in what became whole units."""
        self._waiting = np.concatenate([self._waiting, rows])
        self._observed += len(rows)
        length = UNIT * self._layout.length
        whole = len(self._waiting) // length * length
        if whole:
            self._merge(self._of_waiting(whole), self._sums)
            self._waiting = self._waiting[whole:]

    def _of_waiting(self, rows: int) -> dict[str, np.ndarray]:
        return unit_sums(self._layout, self._waiting[:rows], (self._observed - len(self._waiting)) // self._layout.length)

    def _merge(self, partial: Mapping[str, np.ndarray], sums: Sums) -> None:
        known = partial.get("sizes", np.ones((len(partial["units"]), self.histories.count)))  # an earlier version had none
        kept = (partial[key] for key in ("units", "counts", "means", "moments"))
        for unit, count, mean, moment, size in zip(*kept, known, strict=True):
            sums.merge(self._group_of[int(unit)], float(count), mean, moment, size, self._layout)

    def suffices(self, partial: Mapping[str, np.ndarray], first: int) -> bool:
        """Sums of an earlier version do where their squares are numbers."""
        return "sizes" in partial or bool((sizes(partial["means"]) == 1).all())

    def _conclude(self, status: np.ndarray) -> Conclusion:
        length = self._layout.length
        whole = len(status) // length
        good = (status[: whole * length].reshape(-1, length) == 0).all(axis=1)
        if good.sum() < LEAST_BLOCKS:
            text = f"{int(good.sum())} of {whole} blocks of {length} runs are without a failed run, which is too few for Sobol' indices"
            remedy = 'raise samples, narrow the inputs to where the model works, or take approach = "rbd_fast"'
            raise StudyError(text, key="method.samples", value=self.settings.samples, remedy=remedy)
        values = np.concatenate(self._values)
        blocks = values[: whole * length].reshape(whole, length, -1)[good]
        sums = deepcopy(self._sums)
        self._merge(self._of_waiting(len(self._waiting) // length * length), sums)  # the last unit may have fewer blocks
        full, ok = sums.count > 0, values[status == 0]
        self._history_groups = int(full.sum())
        parts = [
            (self.scalars, Sums.grouped(self._layout, blocks, SCALAR_GROUPS), np.stack([ok.min(axis=0), ok.max(axis=0)])),
            (self.histories, Sums(sums.count[full], sums.mean[full], sums.moment[full], sums.size), self._span),
        ]
        estimates = [self._indices(columns, sums, stream) for stream, (columns, sums, _) in enumerate(parts, 1) if columns.count]
        ends = [ends for columns, _, ends in parts if columns.count]
        names, kinds, groups = self._names, [kinds for _, kinds, _ in estimates], {}
        if self._layout.second:
            pairs = [f"{names[j]}*{names[k]}" for j, k in self._layout.couples]
            groups["interaction"] = self._join({"pair": pairs}, [part["second"] for part in kinds], unit="")
        pooled = estimates[-1][2] if self.histories.count else {}
        statistics = [np.concatenate([moments, end]) for (moments, *_), end in zip(estimates, ends, strict=True)]
        indices = [np.array([part[kind] for kind in KINDS]) for part in kinds]
        groups |= {
            "inner": self._join({"bound": ["lower", "upper"]}, ends),
            "statistics": self._join({"statistic": ["mean", "std", "min", "max"]}, statistics),
            "sensitivity": self._join({"kind": KINDS, "input": names}, indices, unit=""),
            "aggregated": pooled_dataset(KINDS, names, pooled),
        }
        return groups, self._attributes(status, good)

    def _indices(self, columns: Columns, sums: Sums, stream: int) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, list[np.ndarray]]]:
        """Mean and standard deviation of the points A and B, (2, columns); indices with confidence limits by kind, (inputs or pairs,
        columns); and those over all times by output, in the order of `KINDS`."""
        settings, groups = self.settings, len(sums.count)
        moments, kinds, over_time = np.empty((2, columns.count)), {}, {}
        points = 2 * sums.count.sum()
        factor = widening(groups, settings.confidence)
        enough = groups > 1 and sums.count.sum() >= LEAST
        weights = draws(groups, settings.resamples, generator(self.seed, stream)) if enough else None
        for name, at in columns.slices.items():
            part = sums.of_columns(at)
            estimator = Estimator(self._layout, part)
            estimate = estimator.indices()
            moments[:, at] = estimator.shift[:2].mean(axis=0) * part.unit, np.sqrt(estimate.variance * points / (points - 1)) * part.unit
            shares, pooled = estimate.shares(), estimate.aggregated(in_one_unit(part.unit)).shares()
            half = half_widths(self._layout, part, weights, factor) if weights is not None else (_unknown(shares), _unknown(pooled))
            for kind, value in _with_limits(shares, half[0]).items():
                kinds.setdefault(kind, []).append(value)
            over_time[name] = [_with_limits(pooled, half[1])[kind] for kind in KINDS]
        return moments, {kind: np.concatenate(values, axis=-1) for kind, values in kinds.items()}, over_time

    def _attributes(self, status: np.ndarray, good: np.ndarray) -> dict:
        settings, lost = self.settings, int(np.count_nonzero(~good))
        attrs = settings.attributes(self.seed) | {"blocks": len(good), "blocks_dropped": lost, "runs_in_a_block": self._layout.length}
        if self.histories.count:
            attrs["history_limit_groups"] = self._history_groups
        said = f"{lost} of {len(good)} blocks hold a failed run and are left out as a whole: the indices are those of the others"
        notes = [*notes_of(self.inputs, settings.region), *([said] if lost else []), *too_few(len(good) - lost, "blocks")]
        return attrs | {"notes": notes} | count_failures(status)


class Sobol(Sensitivity):
    """Shares of the variance, of each input alone and with all its interactions, by pick-freeze runs."""

    run: ClassVar[type] = SobolRun
    accepts: ClassVar[frozenset[str]] = WITH_COUNTS

    approach: Literal["sobol"]
    samples: Samples
    second_order: bool = False
    input_groups: Groups | None = None
    resamples: Resamples = 100
    confidence: Confidence = 0.95

    def layout(self, d: int) -> Layout:
        """How a block of runs of `d` inputs is made."""
        return Layout(count_of(self.input_groups, d), self.second_order)

    def runs(self, d: int) -> int:
        return self.samples * self.layout(d).length

    def reduce_key(self) -> dict[str, Any]:
        key = {"approach": "sobol", "second_order": self.second_order, "units": "whole"}
        key |= {} if self.region is None else {"region": self.region}  # of which the design is
        return key if self.input_groups is None else key | {"input_groups": self.input_groups}


def _unknown(shares: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Too few blocks, or groups of them, say nothing."""
    return {kind: np.full_like(share, np.inf) for kind, share in shares.items()}


def _with_limits(shares: dict[str, np.ndarray], half: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Indices by kind with their limits as ``kind_lower`` and ``kind_upper``."""
    limits = {f"{kind}_lower": share - half[kind] for kind, share in shares.items()}
    return {**shares, **limits, **{f"{kind}_upper": share + half[kind] for kind, share in shares.items()}}
