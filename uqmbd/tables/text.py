"""Tables as text, for pages; the terminal shows a part of that of the outputs (`uqmbd.report.terminal`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.statistics.trust import gap_between
from uqmbd.method_facts import Estimates, ReportFacts
from uqmbd.result_data import ResultData
from uqmbd.tables.frames import Frame
from uqmbd.tables.numbers import Scale, apart, bracketed, number
from uqmbd.tables.outputs import chosen, listed, output_names, picked, pretty, shown_quantiles, statistics_in, words_over
from uqmbd.tables.rows import greatest, least, levels, row
from uqmbd.tables.scaling import MEASURED, ends_of, has_unit, input_unit, own, scale_of, statistics, with_unit
from uqmbd.tables.trust import percent, trust_of

ROWS = 40  # of a frame
FINER = 1e-3  # of the range: an extreme this far beyond its history was between two times
EXTREMES = [("least run", True), ("greatest run", True)]


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; ``numeric`` says which columns are aligned to the right."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str = ""


def table_of(frame: Frame) -> Table:
    """A frame as text: units beside the names of its columns, of many rows the first."""
    table = frame.table.iloc[:ROWS]
    named = table.reset_index() if any(table.index.names) else table
    header = tuple(f"{str(column).replace('_', ' ')}{bracketed(pretty(frame.units.get(column)))}" for column in named.columns)
    numeric = tuple(kind.kind in "fiu" for kind in named.dtypes)
    rows = tuple(tuple(said(x) for x in row) for row in named.itertuples(index=False))
    note = f"The first {ROWS} of {len(frame.table):,} rows; the folder tables has all." if len(frame.table) > ROWS else ""
    return Table(frame.caption, header, rows, numeric, note)


def outputs_table(result: ResultData, names: Sequence[str] | None = None, scales: Mapping[str, Scale] | None = None) -> Table:
    """Every output, or these, with bounds, statistics and trust; of a history the extremes over time.

    In the units of `scales`, where these are given by output.
    """
    histories, scalars = ([name for name in some if names is None or name in names] for some in output_names(result))
    shown, known = shown_quantiles(result), statistics_in(result)
    words = [word.replace("_", " ") for word in own(known)]
    columns = [("output", False), ("unit", False)]
    if result.bounds.data_vars:
        columns += [("lower", True), ("upper", True), ("inner lower", True), ("inner upper", True)]
    if "alpha" in result.bounds.dims:
        columns += [("core lower", True), ("core upper", True)]
    if result.error.data_vars:
        columns += [("error", True), ("step error", True)]
    if result.bounds.data_vars and result.inner.data_vars:
        columns += [("gap", True)]
    if result.statistics.data_vars and not result.bounds.data_vars:
        usual = (("mean", "mean"), ("std", "std"), *shown.items())
        columns += [(column, True) for key, column in usual if key in known] + [(word, True) for word in words]
    if result.trusted.data_vars:
        columns += [("trusted", True), ("until [s]", True)]
    elif result.inner.data_vars and not result.bounds.data_vars:
        columns += EXTREMES
    every = [_cells(result, name, shown, (scales or {}).get(name) or scale_of(result, name, shown)) for name in scalars + histories]
    if result.facts_of(Estimates).rms_residual:  # of a calibration; the extremes of its runs say what was tried
        columns = [*(column for column in columns if column not in EXTREMES), ("rms residual", True)]
    if any(cells.get(word) for cells in every for word in words):
        columns = [column for column in columns if column not in EXTREMES]  # what the study is about is there
    columns = [column for column in columns if column[0] == "output" or any(cells.get(column[0]) for cells in every)]
    rows = [tuple(cells.get(column, "") for column, _ in columns) for cells in every]
    rows = [row for row in rows if any(row[1 + (("unit", False) in columns) :])] or rows  # of others the method says nothing
    said = any(cells.get(column) for cells in every[len(scalars) :] for column, right in columns if right and column != "rms residual")
    who, when = words_over(result, histories)
    note = f"Of a {who}: the widest over {when} of bounds and quantiles, and the largest error and standard deviation." if said else ""
    if "gap" in dict(columns):
        note = f"{note} Gap: by how much bounds are wider than what runs reached; of a {who} the median over {when}.".strip()
    if finer := finer_extremes(result):
        note = f"{note} {finer}".strip()
    if cut := [row[0] for row in rows if row[0] in result.facts_of(ReportFacts).cut]:
        note = f"{note} Bounds and limits of {listed(cut)} end at what they cannot pass.".strip()
    if "alpha" in result.statistics.dims:
        note = f"{note} Statistics are those of the lowest membership.".strip()
    return Table("Outputs", tuple(c for c, _ in columns), tuple(rows), tuple(n for _, n in columns), note)


def finer_extremes(result: ResultData) -> str:
    """A sentence on extremes such as ``B.force:max`` that go beyond their history, which has only the times of the study's grid."""
    histories, scalars = output_names(result)
    groups = [group for group in (result.inner, result.bounds) if group.data_vars]  # outer bounds are widened, each by its own error
    beyond = []
    for name in scalars:
        base, _, reduction = name.partition(":")
        if not reduction:
            continue
        group = next((group for group in groups if base in histories and base in group and name in group), None)
        if group is None or reduction not in ("max", "min", "abs_max"):
            continue
        lower, upper = ends_of(group, base)
        largest = {"max": upper, "min": -lower, "abs_max": max(-lower, upper)}[reduction]
        reached = ends_of(group, name)
        if (-reached[0] if reduction == "min" else reached[1]) > largest + FINER * max(upper - lower, 0.0):
            beyond.append(name)
    if not beyond:
        return ""
    points = result.runs.sizes.get("time", 0)
    grid = f"the {points} times of the study" if points else "the times of the study"
    are = "are" if len(beyond) > 1 else "is"
    return f"{listed(beyond)} {are} taken from every step of the solver, the histories from {grid}: they miss peaks in between."


def by_statistic(result: ResultData, names: Sequence[str] | None = None, scales: Mapping[str, Scale] | None = None) -> Table:
    """The outputs, all or these, with a row for each statistic where these have two bounds; error and trust of an output beside its first.

    Of methods that bound the outputs themselves, and of others, it is `outputs_table`.
    """
    table = outputs_table(result, names, scales)
    if "bound" not in result.statistics.dims or result.bounds.data_vars:
        return table
    beside = [column for column, name in enumerate(table.header) if name in ("error", "step error", "trusted", "until [s]")]
    units = "unit" in table.header
    rows, shown = [], shown_quantiles(result)
    for line in table.rows:
        values = statistics(result, line[0], shown) if line[0] in result.statistics else {}
        within = (scales or {}).get(line[0]) or scale_of(result, line[0])
        who, known = line[: 1 + units], tuple(line[column] for column in beside)
        for word, ends in values.items() or [("", ())]:
            rows.append((*who, word, *(apart(*_in(within, word, ends)) if ends else ("", "")), *known))
            who, known = ("",) * len(who), ("",) * len(known)
    header = (*table.header[: 1 + units], "statistic", "at least", "at most", *(table.header[column] for column in beside))
    numeric = (*(False,) * (2 + units), *(True,) * (len(header) - 2 - units))
    return Table(table.title, header, tuple(rows), numeric, table.note)


def trust_table(result: ResultData) -> Table:
    """Trust in each history, with the sentence that explains it."""
    rows = []
    for name in output_names(result)[0]:
        if (trust := trust_of(result, name)) is not None:
            rows.append((name, _share(trust), _horizon(trust), trust.sentence()))
    return Table("Trust", ("output", "trusted", "trust horizon [s]", "in words"), tuple(rows), (False, True, True, False))


def worst_table(result: ResultData) -> Table:
    """Of scalars: the inputs, as they were written, at which runs reached each bound."""
    every = [name for name in output_names(result)[1] if name in result.worst]
    names = chosen(result, every)
    inputs = [str(name) for name in result.worst["input"].values] if names else []
    units = [input_unit(result, name) for name in inputs]
    rows = []
    for name in names:
        within = scale_of(result, name)
        ends = apart(*within.of(np.array(ends_of(result.inner, name))))
        for end, value in zip(("lower", "upper"), ends, strict=True):
            places = picked(result.worst, name, bound=end)
            rows.append((name, f"{value} {within.unit}".rstrip(), *(unit.said(x, 5) for unit, x in zip(units, places, strict=True))))
    header = ("output", "reached", *(with_unit(name, unit) for name, unit in zip(inputs, units, strict=True)))
    note = only(names, every)
    return Table("Where the bounds were reached", header, tuple(rows), (False, True, *(True,) * len(inputs)), note)


def only(names: list[str], every: list[str]) -> str:
    """A sentence where not all outputs are shown."""
    if len(names) == len(every):
        return ""
    return f"{len(names)} of {len(every):,} outputs, the key output of `[report]` and the first; the folder tables has all."


def _cells(result: ResultData, name: str, shown: Mapping[str, str], within: Scale) -> dict[str, str]:
    """The row of one output as text in a unit, by column, of what has an axis the widest; `shown` are the quantiles with their words."""
    columns = row(dict(result.groups()), name)
    *_, (highest, _) = levels(result.bounds)
    cells = {"output": name, "unit": within.unit}
    for prefix, word, suffix in (("", "", ""), ("inner_", "inner ", ""), ("", "core ", highest if "alpha" in result.bounds.dims else None)):
        if suffix is not None and f"{prefix}lower{suffix}" in columns:
            ends = least(columns[f"{prefix}lower{suffix}"]), greatest(columns[f"{prefix}upper{suffix}"])
            cells[f"{word}lower"], cells[f"{word}upper"] = apart(*map(within.of, ends))
    if "inner lower" in cells:
        cells["least run"], cells["greatest run"] = cells["inner lower"], cells["inner upper"]
    for column in ("error", "step_error"):
        if column in columns:
            cells[column.replace("_", " ")] = f"{within.of(greatest(columns[column])) + 0.0:.2g}"  # no -0
    if name in result.statistics:
        numbers = statistics(result, name, shown, columns)
        numbers = {key: ends for key, ends in numbers.items() if key not in MEASURED or np.isfinite(ends).all()}  # not all are measured
        cells |= {key: " … ".join(apart(*_in(within, key, ends))) for key, ends in numbers.items()}
        values = {key: within.of(ends[0]) for key, ends in numbers.items() if has_unit(key) and key != "std" and len(ends) == 1}
        cells |= dict(zip(values, apart(*values.values()), strict=True))
    if gap := _gap(columns):
        cells["gap"] = gap
    if (rms := result.facts_of(Estimates).rms_residual.get(name)) is not None:
        cells["rms residual"] = f"{within.of(rms):.3g}"
    trust = trust_of(result, name)
    if trust:
        cells["trusted"], cells["until [s]"] = _share(trust), _horizon(trust)
    return cells


def _gap(columns: Mapping[str, np.ndarray]) -> str:
    """Median over the times of what the bounds have more than runs reached; of fuzzy numbers at the lowest membership."""
    names = ("lower", "upper", "inner_lower", "inner_upper")
    if not columns.keys() >= set(names):
        return ""
    gap = np.atleast_1d(gap_between(*(columns[name] for name in names)))
    finite = gap[np.isfinite(gap)]
    return percent(float(np.median(finite))) if finite.size else ""


def _in(within: Scale, column: str, ends: tuple[float, ...]) -> tuple[float, ...]:
    """Statistics in the unit of their output; probabilities and indices have none."""
    return tuple(within.of(end) for end in ends) if has_unit(column) else ends


def _share(trust) -> str:
    return percent(trust.share) if trust.axis else ("yes" if trust.share else "no")


def _horizon(trust) -> str:
    return "" if np.isnan(trust.horizon) else "end" if np.isinf(trust.horizon) else number(trust.horizon)


def said(value) -> str:
    """Lists and mappings in words: ``stiffness 0.33, mass 0.31``; a list that says one thing over again says it once."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {text}" for key, each in value.items() if (text := said(each)))
    if isinstance(value, (list, tuple)):
        texts = [f"[{said(each)}]" if isinstance(each, (list, tuple)) else said(each) for each in value]
        return f"{texts[0]} ({len(texts)} times)" if len(texts) > 3 and len(set(texts)) == 1 else ", ".join(texts)
    return number(value)
