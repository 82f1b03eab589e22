"""Histories that are expanded on a warped time line: the setting ``warp``, the fit, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chaos import regression
from uqmbd.analysis.chaos.expansion import SAMPLE, Expansion, basis, cube_sample
from uqmbd.analysis.sensitivity.designs import saltelli
from uqmbd.analysis.sensitivity.pick_freeze import Layout
from uqmbd.analysis.warping import event_alignment, time_warping, warped_history
from uqmbd.analysis.warping.warped_columns import InBox, WarpedColumns
from uqmbd.analysis.warping.warped_history import WarpedHistory
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.surrogates.base import Runs
from uqmbd.surrogates.chaos import Chaos
from uqmbd.surrogates.chaos_fit import SAMPLED, FitResult, determined

POINTS = 2**12  # with which statistics of warped histories are taken
BLOCKS = 512  # of pick-freeze points, for the Sobol' indices of warped histories
SAFETY = 2.0  # bounds are widened by so many times the validated error: `uqmbd.questions.bounds`
HELPS = 0.5  # of the plain expansion's error: above it, warping is said not to help
ORDERS = {"linear": 1, "quadratic": 2}  # of the time maps
_SAID = (
    '"linear", "quadratic", "kinks", or a table: { kinks = "output" }, { crossings = "output", level = 0.0 }, { events = ["output", ...] }'
)


def warp_wanted(value: Any) -> str | dict[str, Any] | None:
    """`value` when it says how histories are brought onto one time line.

    ``linear`` and ``quadratic`` are stochastic time warping. The others align events: the kinks of each history itself, kinks or
    crossings of one history for all, or scalar outputs that are times of events (beyond the end of the histories: did not happen).
    """
    if value is None or (isinstance(value, str) and value in (*ORDERS, "kinks")):
        return value
    wrong = ValueError(f"warp is {_SAID}, not {value!r}")
    if not isinstance(value, Mapping):
        raise wrong
    table = dict(value)
    kind = [key for key in ("kinks", "crossings", "events") if key in table]
    if len(kind) != 1 or set(table) - {*kind, *(["level"] if kind == ["crossings"] else [])}:
        raise wrong
    named = table[kind[0]]
    if kind[0] == "events":
        if not isinstance(named, (list, tuple)) or not named or not all(isinstance(name, str) for name in named):
            raise wrong
        return {"events": list(named)}
    level = table.get("level", 0.0)
    if not isinstance(named, str) or isinstance(level, bool) or not isinstance(level, (int, float)) or not np.isfinite(level):
        raise wrong
    return {kind[0]: named} | ({"level": float(level)} if kind[0] == "crossings" else {})


Warp = Annotated[Any, BeforeValidator(warp_wanted), WithJsonSchema({"anyOf": [{"enum": [*ORDERS, "kinks"]}, {"type": "object"}]})]


def check_outputs(warp: str | dict[str, Any], columns: Columns) -> None:
    """Raise `StudyError` when the setting names outputs that are not there, or not of the kind it needs."""
    if not any(info.over_time for info in columns.outputs.values()):
        raise StudyError("there is no history to be warped: no output is over time", key="method.warp", remedy="remove warp")
    if isinstance(warp, str):
        return
    key = next(iter(warp))
    for name in warp["events"] if key == "events" else [warp[key]]:
        if name not in columns.outputs:
            remedy = did_you_mean(name, columns.outputs, noun="output")
            raise StudyError(f"there is no output '{name}' that would have events", key=f"method.warp.{key}", value=name, remedy=remedy)
        info = columns.outputs[name]
        if info.axis if key == "events" else not info.over_time:
            wanted = "a scalar output, the time of an event in s" if key == "events" else "a history"
            raise StudyError(f"the output '{name}' is not {wanted}", key=f"method.warp.{key}", value=name, remedy=f"name {wanted}")


def events_of(warp: Any, columns: Columns, name: str, values: np.ndarray) -> np.ndarray:
    """Event times of the history `name` in the runs `values` (n, columns), s: (n, most), NaN where a run has fewer."""
    time = columns.time
    if warp == "kinks":
        return event_alignment.kinks(time, values[:, columns.slices[name]])
    if "kinks" in warp:
        return event_alignment.kinks(time, values[:, columns.slices[warp["kinks"]]])
    if "crossings" in warp:
        return event_alignment.crossings(time, values[:, columns.slices[warp["crossings"]]], warp["level"])
    times = np.column_stack([values[:, columns.slices[event].start] for event in warp["events"]])
    return np.sort(np.where((times > time[0]) & (times < time[-1]), times, np.nan), axis=1)


class Warped(Chaos):
    """The warped surrogates of the histories of a study, beside the expansion of everything else.

    Raises `StudyError` for outputs, times and designs that cannot be warped.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        if runs.settings.design == "quadrature":
            message, remedy = "warping fits by regression and cannot use a quadrature", "choose another design, or remove warp"
            raise StudyError(message, key="method.warp", value=runs.settings.warp, remedy=remedy)
        check_outputs(runs.settings.warp, runs.columns)
        time = runs.columns.time
        if len(time) < 8 or not np.allclose(np.diff(time), time[1] - time[0], rtol=1e-6, atol=0):
            message = "warping needs histories of 8 times or more in equal steps"
            raise StudyError(message, key="method.warp", remedy="use an equal time grid")

    def fit_to(self, rows: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None) -> FitResult:
        expansion, loo, missed, choices, by = super().fit_to(rows, degrees, choices)
        self._about: dict[str, dict[str, Any]] = {}  # by history
        self._differ: dict[str, float] = {}  # time from which runs differ in their number of events, s
        warped, columns, d = [], self.runs.columns, len(self.runs.inputs)
        for j, (name, at) in enumerate(columns.slices.items()):
            if not columns.outputs[name].over_time:
                continue
            try:
                history, choices[j] = self._history(name, at, rows)
            except ValueError as error:
                self._about[name] = {"not_warped": str(error)}
                continue
            loo[at] = missed[at] = np.nan
            warped.append((at, history))
        rng, layout = generator(self.runs.seed, SAMPLED + 1), Layout(d, second=True)
        sample, blocks = cube_sample(d, rng, POINTS), saltelli(BLOCKS, layout, rng)
        surrogate = WarpedColumns(expansion, warped, sample, blocks, np.arange(columns.count))
        return FitResult(surrogate, loo, missed, choices, by)

    def _history(self, name: str, at: slice, rows: np.ndarray) -> tuple[WarpedHistory, regression.Choice]:
        """Warped surrogate of one history; raises `ValueError` when its runs cannot be aligned."""
        runs, ok = self.runs, np.flatnonzero(self.runs.status == 0)
        warp, time, values = runs.settings.warp, runs.columns.time - runs.columns.time[0], runs.values[rows, at]
        size = magnitude.sizes(values.reshape(-1, 1))[0]
        values = values / size
        time_map: Any
        if isinstance(warp, str) and warp in ORDERS:
            central = int(np.square(runs.points[rows]).sum(axis=1).argmin())
            alignment = time_warping.align(time, values, values[central], order=ORDERS[warp])
            numbers = alignment.numbers
            time_map, warped = time_warping.warp(time, values, numbers)
            facts = {"least_similarity": float(alignment.similarity.min())}
        else:
            shared = self._shared(warp, name, ok)
            of_rows = np.isin(ok, rows)
            part = event_alignment.Common(shared.events[of_rows], shared.ends[of_rows], shared.differ)
            time_map, numbers, warped = event_alignment.warp(time, values, part)
            facts = {"events": shared.events.shape[1]}
        parts = warped_history.components(warped)
        expanded = np.column_stack([numbers, parts.scores])
        surrogate, degree = self._expand(rows, expanded, name)
        count = numbers.shape[1]
        parts = replace(parts, mean=parts.mean * size, vectors=parts.vectors * size)
        facts |= {"components": parts.scores.shape[1], "components_left_out": parts.left_out}
        self._about[name] = facts
        choice = regression.Choice(np.arange(len(surrogate.indices)), np.nan, degree, parts.left_out)
        return WarpedHistory(time, time_map, count, surrogate, parts, warped_history.limits_of(expanded)), choice

    def _shared(self, warp: str | dict, name: str, rows: np.ndarray) -> event_alignment.Common:
        """Events that all runs `rows` have; keeps the time from which their numbers differ."""
        events = events_of(warp, self.runs.columns, name, self.runs.values[rows])
        if events.shape[1] and np.isfinite(events).any():
            missing = ~np.isfinite(events).any(axis=1)
            self._differ[name] = float(np.nanmin(events)) if missing.any() else event_alignment.common(events).differ
        shared = event_alignment.common(events)
        start = self.runs.columns.time[0]
        return event_alignment.Common(shared.events - start, shared.ends - start, shared.differ - start)

    def _expand(self, rows: np.ndarray, numbers: np.ndarray, name: str) -> tuple[Expansion, int]:
        """Expansion of the numbers (n, columns) of the runs, each with terms of its own, and the highest degree."""
        fitting = self.fitting
        psi = basis(fitting.families, fitting.indices, self.u[rows])
        c, degree = np.zeros((len(fitting.indices), numbers.shape[1])), 0
        # below this a number is rounding, which no terms explain
        floor = 1e-12 * np.maximum(np.abs(numbers).max(axis=0), 1e-300)
        for j, column in enumerate(numbers.T):
            if np.ptp(column) <= floor[j]:
                c[0, j] = column.mean()
                continue
            choice = regression.choose(psi, fitting.levels, fitting.degrees, column[:, None], fitting.settings.how)
            choice = determined(choice, len(rows), f"warped expansion of the output '{name}'")
            c[choice.terms, j] = regression.least_squares(psi[:, choice.terms], column[:, None]).c[:, 0]
            degree = max(degree, choice.degree)
        used = np.any(c != 0, axis=1)
        used[0] = True
        return Expansion(fitting.indices[used], fitting.families, c[used]), degree

    def holds(self, rows: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Before the time from which runs differ in their number of events. Notes by how much warping helps."""
        columns, values, plain = self.runs.columns, self.runs.values[rows], self.polynomials.evaluate(self.u[rows])
        errors, known = [np.abs(each - values).max(axis=0) for each in (self.predicted, plain)], super().holds(rows, reached)
        for name, facts in self._about.items():
            at = columns.slices[name]
            size = max(reached[1, at].max() - reached[0, at].min(), 1e-300)
            before = known[at] = columns.time < self._differ.get(name, np.inf)
            if before.any():
                facts["error"], facts["plain_error"] = (float(error[at][before].max() / size) for error in errors)
        return known

    @property
    def polynomials(self) -> Expansion:
        return self.last.expansion.plain

    @property
    def warped(self) -> np.ndarray:
        which = super().warped
        for at, _ in self.last.expansion.histories:
            which[at] = True
        return which

    def over_box(self, points: np.ndarray) -> Fitted:
        return InBox(self.last.expansion, points, np.tile([-1.0, 1.0], (points.shape[1], 1)))

    def always_asked(self) -> tuple[str, ...]:
        return ("bounds",) if all(item.kind == "interval" for item in self.runs.inputs.values()) else ()

    def kept(self) -> dict[str, Any]:
        return {}

    def facts(self) -> dict[str, Any]:
        """Attributes of the result."""
        facts = {
            "warp": self.runs.settings.warp,
            "warped": self._about,
            "warped_sample": POINTS,
            "sobol_blocks": BLOCKS,
            "bounds_sample": SAMPLE,
            "safety": SAFETY,
        }
        differ = {name: time for name, time in self._differ.items() if np.isfinite(time)}
        return facts | ({"events_differ_from": differ} if differ else {})

    def notes(self, trusted: np.ndarray) -> list[str]:
        """Sentences about what is not warped, where it does not help, and from where on it cannot."""
        notes = []
        for name, facts in self._about.items():
            if "not_warped" in facts:
                notes.append(f"the output '{name}' is not warped: {facts['not_warped']}")
            elif "error" in facts and facts["error"] > HELPS * facts["plain_error"] and facts["error"] > self.runs.settings.trust_tolerance:
                notes.append(
                    f"warping does not help the output '{name}': its validated error is {facts['error']:.2g} of the range, "
                    f"that of the expansion at each time {facts['plain_error']:.2g}"
                )
        for name, time in self._differ.items():
            if np.isfinite(time):
                notes.append(f"from {time:.6g} s the runs differ in their number of events, and '{name}' is not trusted")
        return notes
