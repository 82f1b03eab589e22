"""What an output depends on, by input, and when a history is at its extremes: tables of the terminal and of the page."""

from collections.abc import Sequence

import numpy as np

from uqmbd.analysis.statistics.trust import FLOOR
from uqmbd.analysis.statistics.widths import band_width
from uqmbd.figures.sensitivities import WORDS, kinds
from uqmbd.report.causes import doubt
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import Scale, bracketed, number, scale
from uqmbd.tables.outputs import axis_unit, output_names, statistics_in
from uqmbd.tables.rows import band, row
from uqmbd.tables.scaling import input_unit, scale_of
from uqmbd.tables.text import Table

DESIGN = "design:"  # statistics of FORM: the design point, by input
MAIN = ("total", "first", "importance", "mu_star")  # by which inputs are ordered, if they are there
BANDS = {"bounds": "that of the bounds", "quantiles": "that from 5 % to 95 % of the values", "runs": "that of the runs"}
EFFECTS = ("mu", "mu_star", "sigma")  # sensitivities in the unit of the output


def indices_tables(result: ResultData, names: Sequence[str]) -> list[Table]:
    """Of each of these outputs a table of its inputs, those that matter most first: indices with their limits, and a design point."""
    return [table for name in names if (table := indices_table(result, name)).rows]


def indices_table(result: ResultData, name: str) -> Table:
    """The inputs of one output; of a history its indices over all times, or the largest where there are none over all."""
    table, over = _sensitivities(result, name)
    design = _design(result, name)
    inputs = list(design) if table is None else [str(key) for key in table["input"].values]
    header, columns = ["input"], []
    order = np.arange(len(inputs))
    if table is not None:
        shown = kinds(table)
        main = next((kind for kind in MAIN if kind in shown), shown[0] if shown else None)
        known = {str(kind): np.asarray(table.sel(kind=kind).values, float) for kind in table["kind"].values}
        if main is not None:
            order = np.argsort(-np.nan_to_num(np.abs(known[main]), nan=-1.0), kind="stable")
        within = scale_of(result, name)
        for kind in shown:
            unit = within if kind in EFFECTS else Scale()
            header.append(WORDS.get(kind, kind.replace("_", " ")) + bracketed(unit.unit))
            said = _effect if kind in EFFECTS else _index
            columns.append([said(unit.of(x)) for x in known[kind]])
            if f"{kind}_lower" in known:
                header.append("95 % limits")
                limits = zip(known[f"{kind}_lower"], known[f"{kind}_upper"], strict=True)
                columns.append([f"{said(unit.of(a))} .. {said(unit.of(b))}" if np.isfinite([a, b]).all() else "" for a, b in limits])
    if design:
        header.append("design point")
        units = [input_unit(result, key) for key in inputs]
        every = zip(inputs, units, strict=True)
        columns.append([f"{unit.of(design[key]):.6g} {unit.unit}".rstrip() if key in design else "" for key, unit in every])
    rows = tuple((inputs[k], *(column[k] for column in columns)) for k in order) if columns else ()
    note = doubt(result, name) if table is not None and rows else ""
    return Table(f"{name}{over}: inputs that matter first", tuple(header), rows, (False, *(True,) * (len(header) - 1)), note)


def _sensitivities(result: ResultData, name: str):
    """Kinds by input of an output, without the axis, and what that is of."""
    if name not in result.sensitivity:
        return None, ""
    if name in result.aggregated:
        return result.aggregated[name], f" over all of {result.axis_of(name)}"
    table = result.sensitivity[name]
    if (axis := result.axis_of(name, "sensitivity")) is None:
        return table, ""
    shown = kinds(table)
    main = next((kind for kind in MAIN if kind in shown), shown[0] if shown else None)
    if main is None:
        return None, ""
    at = np.nanargmax(np.nan_to_num(np.abs(np.asarray(table.sel(kind=main).transpose("input", axis).values, float))).max(axis=0))
    where = float(table[axis].values[at])
    return table.isel({axis: int(at)}), f" at {where:.4g}{axis_unit(table, axis)}"


def _design(result: ResultData, name: str) -> dict[str, float]:
    """The design point of an output, SI, by input."""
    if name not in result.statistics or result.axis_of(name, "statistics"):
        return {}
    known = [word for word in statistics_in(result) if word.startswith(DESIGN)]
    values = {word.removeprefix(DESIGN): result.statistics[name].sel(statistic=word).values for word in known}
    return {key: float(x) for key, x in values.items() if np.ndim(x) == 0 and np.isfinite(x)}


def _index(value: float) -> str:
    return number(float(value), 3) if abs(value) >= 5e-4 else "0" if value == 0 or np.isfinite(value) else ""


def _effect(value: float) -> str:
    return number(float(value), 3) if np.isfinite(value) else ""


def over_time_table(result: ResultData, names: Sequence[str] | None = None) -> Table:
    """Of histories and curves: least and greatest of runs, or of their bounds, and when; how wide the band is at its widest, and when."""
    rows, words = [], set()
    histories = [name for name in output_names(result)[0] if names is None or name in names]
    for name in histories:
        columns = row(dict(result.groups()), name)
        limits = band(columns, imprecise=False)
        if limits is None or not np.isfinite(limits[:2]).any():
            continue
        ends, what = limits[:2], limits[2]
        array = next(group[name] for group in (result.bounds, result.inner, result.statistics) if name in group)
        axis = result.axis_of(name)
        places, unit = np.asarray(array[axis].values, float), axis_unit(array, axis).strip()
        extent, within = scale(unit, places), scale_of(result, name)
        runs = name not in result.bounds and "inner_lower" in columns
        range_ = (columns["inner_lower"], columns["inner_upper"]) if runs else ends
        words |= {
            f"Least and greatest are of the {'runs' if runs else 'bounds' if what == 'bounds' else 'band'}.",
            f"The band is {BANDS[what]}.",
        }
        least, greatest, (width, widest_at, _) = int(np.nanargmin(range_[0])), int(np.nanargmax(range_[1])), band_width(*ends, places)
        pairs = (range_[0][least], places[least]), (range_[1][greatest], places[greatest]), (width, widest_at)
        cells = [x for value, at in pairs for x in (number(within.of(float(value))), extent.said(number(extent.of(at), 4)))]
        if not width > FLOOR * np.nanmax(np.abs(ends)):
            cells[-1] = ""
        rows.append((name, within.unit, *cells))
    header = ("output", "unit", "least", "at", "greatest", "at", "band at its widest", "at")
    return Table("Over time", header, tuple(rows), (False, False, *(True,) * 6), " ".join(sorted(words, reverse=True)))


def over_time_said(table: Table) -> list[str]:
    """The rows of `over_time_table` as sentences, which any terminal has room for."""
    sentences = []
    for name, unit, least, first, greatest, last, width, when in table.rows:
        band = f", the band {width} {unit}".rstrip() + f" wide at most, at {when}" if when else ""
        ends = f"least {least} {unit}".rstrip() + f" at {first}, greatest {greatest} {unit}".rstrip() + f" at {last}"
        sentences.append(f"{name}: {ends}{band}.")
    return sentences
