"""The run of a polynomial chaos study whose histories are expanded on a warped time line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import event_alignment, multi_index, regression, time_warping, warped_history
from uqmbd.analysis.chaos_expansion import SAMPLE, Expansion, basis, cube_sample
from uqmbd.analysis.pick_freeze import Layout
from uqmbd.analysis.streams import generator
from uqmbd.analysis.threads import one_thread
from uqmbd.analysis.warped_columns import WarpedColumns
from uqmbd.analysis.warped_history import WarpedHistory
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.probabilistic.pce_fit import Fitted
from uqmbd.methods.probabilistic.pce_run import SAMPLED, VALIDATION, PCERun
from uqmbd.methods.probabilistic.warping import ORDERS, check_outputs, events_of
from uqmbd.methods.sensitivity.designs import saltelli
from uqmbd.outcomes import OutputInfo
from uqmbd.questions.base import Answer
from uqmbd.questions.width import width
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.probabilistic.pce import PCE

POINTS = 2**12  # with which statistics of warped histories are taken
BLOCKS = 512  # of pick-freeze points, for the Sobol' indices of warped histories
SAFETY = 2.0  # bounds are widened by so many times the validated error, as those of the inclusion methods
HELPS = 0.5  # of the plain expansion's error: above it, warping is said not to help


@dataclass(frozen=True)
class Sampled:
    """Warped columns as what a question about ranges is asked of; see `uqmbd.questions.base.Asked`.

    Attributes
    ----------
    sample : ndarray, shape (n, d)
        Points of the unit cube.
    """

    inputs: Mapping[str, Input]
    columns: WarpedColumns
    sample: np.ndarray
    reached: np.ndarray

    def range(self, gap: np.ndarray, box: np.ndarray | None = None) -> np.ndarray:
        """Sampled range (2, columns) over the cube, or a box (d, 2) in [-1, 1]^d; `gap` is of no use here."""
        return np.stack(self.columns.range(self.sample, None if box is None else (box.T + 1) / 2))


class WarpedRun(PCERun):
    """Asks as `PCERun`. Histories have warped surrogates, scalars the expansion; statistics of histories are sampled."""

    def __init__(self, settings: PCE, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> None:
        if settings.design == "quadrature":
            remedy = "choose another design, or remove warp"
            raise StudyError(
                "warping fits by regression and cannot use a quadrature", key="method.warp", value=settings.warp, remedy=remedy
            )
        super().__init__(settings, inputs, outputs, time, seed)
        check_outputs(settings.warp, self._columns)
        if len(time) < 8 or not np.allclose(np.diff(time), time[1] - time[0], rtol=1e-6, atol=0):
            raise StudyError(
                "warping needs histories of 8 times or more in equal steps", key="method.warp", remedy="use an equal time grid"
            )

    def _fit(self, rows: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None) -> Fitted:
        plain, loo, missed, choices, by = super()._fit(rows, degrees, choices)
        self._plain, self._facts, self._differ, warped = plain, {}, {}, []
        for j, (name, at) in enumerate(self._columns.slices.items()):
            if not self._columns.outputs[name].over_time:
                continue
            try:
                history, choices[j] = self._history(name, at, rows, choices[j])
            except ValueError as error:
                self._facts[name] = {"not_warped": str(error)}
                continue
            loo[at] = missed[at] = np.nan
            warped.append((at, history))
        rng, layout = generator(self._seed, SAMPLED + 1), Layout(len(self._inputs), second=True)
        sample, blocks = cube_sample(len(self._inputs), rng, POINTS), saltelli(BLOCKS, layout, rng)
        return Fitted(WarpedColumns(plain, warped, sample, blocks, np.arange(self._columns.count)), loo, missed, choices, by)

    def _history(self, name: str, at: slice, rows: np.ndarray, plain: regression.Choice) -> tuple[WarpedHistory, regression.Choice]:
        """Warped surrogate of one history; raises `ValueError` when its runs cannot be aligned."""
        warp, time, values = self.settings.warp, self._columns.time - self._columns.time[0], self._values[rows, at]
        if isinstance(warp, str) and warp in ORDERS:
            central = int(np.square(self._points[rows]).sum(axis=1).argmin())
            found = time_warping.align(time, values, values[central], order=ORDERS[warp])
            numbers = found.numbers
            time_map, warped = time_warping.warp(time, values, numbers)
            facts = {"least_similarity": float(found.similarity.min())}
        else:
            everything = self._rows()
            shared = self._shared(warp, name, everything)
            of_rows = np.isin(everything, rows)
            part = event_alignment.Common(shared.events[of_rows], shared.ends[of_rows], shared.differ)
            time_map, numbers, warped = event_alignment.warp(time, values, part)
            facts = {"events": shared.events.shape[1]}
        parts = warped_history.components(warped)
        expanded = np.column_stack([numbers, parts.scores])
        surrogate, degree = self._expand(rows, expanded, name)
        count = numbers.shape[1]
        facts |= {"components": parts.scores.shape[1], "components_left_out": parts.left_out}
        self._facts[name] = facts
        choice = regression.Choice(np.arange(len(surrogate.indices)), np.nan, degree, parts.left_out)
        return WarpedHistory(time, time_map, count, surrogate, parts, warped_history.limits_of(expanded)), choice

    def _shared(self, warp: str | dict, name: str, rows: np.ndarray) -> event_alignment.Common:
        """Events that all runs `rows` have; keeps the time from which their numbers differ."""
        events = events_of(warp, self._columns, name, self._values[rows])
        if events.shape[1] and np.isfinite(events).any():
            missing = ~np.isfinite(events).any(axis=1)
            self._differ[name] = float(np.nanmin(events)) if missing.any() else event_alignment.common(events).differ
        shared = event_alignment.common(events)
        start = self._columns.time[0]
        return event_alignment.Common(shared.events - start, shared.ends - start, shared.differ - start)

    def _expand(self, rows: np.ndarray, numbers: np.ndarray, name: str) -> tuple[Expansion, int]:
        """Expansion of the numbers (n, columns) of the runs, each with terms of its own, and the highest degree."""
        settings = self.settings
        psi = basis(self._families, self._indices, self._u[rows])
        if isinstance(settings.degree, dict):
            levels = np.full(len(self._indices), float(self._degrees[-1]))
        else:
            levels = multi_index.level(self._indices, settings.shape, settings.q)
        c, degree = np.zeros((len(self._indices), numbers.shape[1])), 0
        # below this a number is rounding, which no terms explain
        floor = 1e-12 * np.maximum(np.abs(numbers).max(axis=0), 1e-300)
        for j, column in enumerate(numbers.T):
            if np.ptp(column) <= floor[j]:
                c[0, j] = column.mean()
                continue
            choice = regression.choose(psi, levels, self._degrees, column[:, None], settings.how)
            if not np.isfinite(choice.loo):
                raise StudyError(
                    f"the {len(rows)} runs that are ok cannot determine the warped expansion of the output '{name}'",
                    key="method.samples",
                    remedy="use more samples, a lower degree or sparse regression",
                )
            c[choice.terms, j] = regression.least_squares(psi[:, choice.terms], column[:, None]).c[:, 0]
            degree = max(degree, choice.degree)
        used = np.any(c != 0, axis=1)
        used[0] = True
        return Expansion(self._indices[used], self._families, c[used]), degree

    def _assess(self) -> None:
        super()._assess()
        fresh = self._rows(VALIDATION)
        errors = [np.abs(part.evaluate(self._u[fresh]) - self._values[fresh]).max(axis=0) for part in (self._expansion, self._plain)]
        smallest, largest = self._ranges(self._values[self._rows()])
        for name, facts in self._facts.items():
            at = self._columns.slices[name]
            size = max(largest[at.start] - smallest[at.start], 1e-300)
            before = self._comparable(name)
            if before.any():
                facts["error"], facts["plain_error"] = (float(error[at][before].max() / size) for error in errors)
            self._trusted[at] &= before

    def _comparable(self, name: str) -> np.ndarray:
        """Times before the runs of a history differ in their number of events, bool (times,)."""
        return self._columns.time < self._differ.get(name, np.inf)

    @one_thread
    def result(self) -> Result:
        result = super().result()
        if all(item.kind == "interval" for item in self._inputs.values()):
            result.bounds = self._bounds()
        return result

    def _answers(self) -> Answer:
        """How bounds narrow with each interval; the bounds themselves are there without being asked for."""
        if "width" not in self.settings.questions:
            return Answer()
        values = self._values[self._rows()]
        subject = Sampled(self._inputs, self._expansion, self._sample[:POINTS], np.stack([values.min(axis=0), values.max(axis=0)]))
        return width(subject)

    def _bounds(self) -> xr.Dataset:
        """Sampled range of the surrogate, widened by its validated error, with what runs reached."""
        values = self._values[self._rows()]
        ends = np.stack(self._expansion.range(self._sample)) + SAFETY * self._error * np.array([[-1.0], [1.0]])
        bounds = np.stack([np.minimum(ends[0], values.min(axis=0)), np.maximum(ends[1], values.max(axis=0))])
        return self._columns.dataset(bounds, {"bound": ["lower", "upper"]})

    def _convergence(self) -> xr.Dataset:
        """None: fits to a part of the runs have warped time lines of their own."""
        return xr.Dataset()

    def _attributes(self) -> dict:
        attrs = super()._attributes()
        differ = {name: time for name, time in self._differ.items() if np.isfinite(time)}
        attrs |= {
            "warp": self.settings.warp,
            "warped": self._facts,
            "warped_sample": POINTS,
            "sobol_blocks": BLOCKS,
            "bounds_sample": SAMPLE,
            "safety": SAFETY,
        }
        if differ:
            attrs["events_differ_from"] = differ
        attrs["notes"] += self._about_warping()
        return attrs

    def _about_warping(self) -> list[str]:
        """Sentences about what is not warped, where it does not help, and from where on it cannot."""
        notes = []
        for name, facts in self._facts.items():
            if "not_warped" in facts:
                notes.append(f"the output '{name}' is not warped: {facts['not_warped']}")
            elif "error" in facts and facts["error"] > HELPS * facts["plain_error"] and facts["error"] > self.settings.trust_tolerance:
                notes.append(
                    f"warping does not help the output '{name}': its validated error is {facts['error']:.2g} of the range, "
                    f"that of the expansion at each time {facts['plain_error']:.2g}"
                )
        for name, time in self._differ.items():
            if np.isfinite(time):
                notes.append(f"from {time:.6g} s the runs differ in their number of events, and '{name}' is not trusted")
        return notes
