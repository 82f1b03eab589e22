"""Every table of a result as a pandas frame, with the caption and the units that go with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.statistics.widths import MEASURES
from uqmbd.groups import VALIDATION, GroupSpec
from uqmbd.method_facts import Estimates
from uqmbd.outcomes import TIME
from uqmbd.tables.decided import decided
from uqmbd.tables.frame import Frame as Frame
from uqmbd.tables.frame import unit_of_output
from uqmbd.tables.numbers import bracketed
from uqmbd.tables.outputs import axis_unit, output_names, unit_said
from uqmbd.tables.rows import row
from uqmbd.tables.scaling import input_unit

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from uqmbd.result_data import ResultData

ALONG = "gathered"  # dimension of outputs that lie in one array
TOGETHER = "all parts"  # dimension of the columns of a table; no output can have this name
LONGEST = 50_000  # rows of a table over time: a text of a million takes a minute to write
APART = 24  # scalar outputs above which each group is one table for all of them
SAME_UNIT = re.compile(r"(inner_)?(lower|upper)|(step_)?error|mean|std|median|min|max|q\d")  # columns with the unit of the output begin so
PURE = re.compile(r"(lower|upper)(_alpha_.*)?")  # columns of probabilities


def frames(result: ResultData) -> Iterator[Frame]:
    """Every table that a result has; of very many rows some, evenly spread, as its name says: ``history_x_every_20``."""
    result, axes = shorter(result)
    for frame in whole_frames(result):
        rows = axes.get(str(frame.table.index.name), len(frame.table))
        every = -(-rows // LONGEST)
        if every <= 1 or "output" in frame.table.index.names:
            yield frame
            continue
        table = frame.table.iloc[::every] if rows == len(frame.table) else frame.table
        caption = f"{frame.caption} (every {every}th of {rows:,}; result.zarr has all)"
        yield replace(frame, key=f"{frame.key}_every_{every}", caption=caption, table=table)


def shorter(result: ResultData) -> tuple[Any, dict[str, int]]:
    """The result with some of the places on very long axes only, as its tables have them, and how many each of these axes has."""
    groups, axes = {}, {}
    for key, group in result.groups():
        long = {dim: size for dim in result.specs[key].axes(group.sizes) if (size := group.sizes[dim]) > LONGEST}
        if long:
            groups[key] = group.isel({dim: slice(None, None, -(-size // LONGEST)) for dim, size in long.items()})
            axes |= long
    return result.replaced(**groups), axes


def whole_frames(result: ResultData) -> Iterator[Frame]:
    """Scalars, histories, sensitivities, distribution functions and convergence: every table that a result has.

    Of more than `APART` scalars each group is one table of all: a file for each would be tens of thousands.
    """
    if len(table := scalars_table(result)) or not result.facts_of(Estimates):
        yield Frame("scalars", "Scalar outputs", table)
    yield from calibrated(result)
    yield from decided(result)
    histories, scalars = output_names(result)
    for name in histories:
        table = history_table(result, name)
        if table is not None and len(table.columns):
            unit = unit_of_output(result, name)
            plain = [column for column in table.columns if SAME_UNIT.match(column)]
            yield Frame(f"history_{name}", f"{name} over {table.index.name}", table, axis_units(result, name) | dict.fromkeys(plain, unit))
    yield from width_frame(result)
    many = set(scalars if len(scalars) > APART else ())
    for spec in result.specs.values():
        if spec.caption != "":
            yield from group_frames(result, spec, many)


def width_frame(result: ResultData) -> Iterator[Frame]:
    """How wide the bands of histories and curves are, see `Result.widths`: a row each."""
    import pandas as pd

    widths = result.widths
    names, rows = [], []
    for name, array in widths.data_vars.items():
        axis = axis_units(result, str(name))
        for band in widths["band"].values:
            numbers = array.sel(band=band)
            if np.isfinite(numbers.values[0]):
                names.append(name)
                over, unit = next(iter(axis.items()), ("", ""))
                measures = dict(zip(MEASURES, numbers.values.tolist(), strict=True))
                rows.append({"band": band, "unit": unit_of_output(result, str(name)), **measures, "axis": over + bracketed(unit)})
    if rows:
        yield Frame("widths", "Widths of bands", pd.DataFrame(rows, pd.Index(names, name="output")).dropna(axis=1, how="all"))


def history_table(result: ResultData, name: str) -> pd.DataFrame | None:
    """See `Result.history`; None of a number."""
    import pandas as pd

    parts = timed(result, name)
    if not parts:
        return None
    axis, array = result.axis_of(name), next(iter(parts.values()))
    groups = {key: result[key] for key in parts}
    return pd.DataFrame(row(groups, name), index=pd.Index(array[axis].values, name=axis))


def group_frames(result: ResultData, spec: GroupSpec, many: Collection[str] = ()) -> Iterator[Frame]:
    """The tables of one group: one for each of its variables, one for all that are single numbers, and one for those of `many`."""
    import pandas as pd

    group = result[spec.name]
    shapes = {str(name): group.variables[name].ndim for name in group.data_vars}
    numbers = {name: group.variables[name].values.item() for name, ndim in shapes.items() if not ndim}
    if numbers:
        units = [unit_of_output(result, name) if spec.unit == "output" else unit_said(group, name) for name in numbers]
        index = pd.Index(list(numbers), name="output" if spec.per_output else "name")
        columns = {"unit": units} if any(units) else {}
        yield Frame(spec.name, spec.heading("all numbers"), pd.DataFrame(columns | {spec.name: list(numbers.values())}, index=index))
    names = [name for name, ndim in shapes.items() if ndim]
    yield from together(group, spec, [name for name in names if name in many])
    for name in [name for name in names if name not in many]:
        axis = result.axis_of(name, spec.name) if spec.per_output else None
        if spec is VALIDATION and axis:
            continue  # checks x times are no table
        table, along = flat(group[name], axis, spec.name), axis_units(result, name) if spec.per_output else {}
        unit = unit_of_output(result, name) if spec.per_output else unit_said(group, name)
        units = dict.fromkeys(table.columns, unit) if spec.unit == "output" else along
        plain = {column: unit for column, unit in units.items() if not PURE.fullmatch(str(column))}
        caption = spec.heading(name)
        if (over := result.axis_of(name)) not in (None, TIME.name):
            caption = caption.replace("all times", f"all values of {over}")
        yield Frame(f"{spec.name}_{name}", caption, table, plain)


def together(group: xr.Dataset, spec: GroupSpec, names: list[str]) -> Iterator[Frame]:
    """What a group says of many scalars as one table, each row with the name of its output."""
    import pandas as pd

    tables = []
    for alike in by_dims(group, names):
        array = stacked(group, alike)
        one = array.isel({ALONG: 0}, drop=True)
        places = flat(one.copy(data=np.arange(one.size, dtype=float).reshape(one.shape)), None, spec.name)  # of the numbers of each output
        values = array.values.reshape(len(alike), one.size)[:, places.to_numpy().astype(int)]
        index = pd.MultiIndex.from_product([alike, places.index], names=["output", places.index.name])
        tables.append(pd.DataFrame(values.reshape(len(index), -1), index, places.columns).reset_index(level=1))
    if tables:
        yield Frame(spec.name, spec.heading("all scalar outputs"), pd.concat(tables))


def by_dims(group: xr.Dataset, names: Iterable[str]) -> list[list[str]]:
    """Names of the outputs that have the same dimensions in a group, together."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name in names:
        groups.setdefault(group.variables[name].dims, []).append(name)
    return list(groups.values())


def stacked(group: xr.Dataset, names: list[str]) -> xr.DataArray:
    """Outputs with the same dimensions as one array, along `ALONG`."""
    import xarray as xr

    dims = group.variables[names[0]].dims
    values = np.stack([group.variables[name].values for name in names])
    return xr.DataArray(values, {dim: group.variables[dim] for dim in dims if dim in group.coords}, (ALONG, *dims))


def scalars_table(result: ResultData) -> pd.DataFrame:
    """See `Result.table`."""
    import pandas as pd

    names, groups = output_names(result)[1], dict(result.groups())
    alike: dict[tuple[Any, ...], list[str]] = {}
    for name in names:
        kind = tuple((key, group.variables[name].dims) for key, group in groups.items() if name in group.data_vars)
        alike.setdefault(kind, []).append(name)
    tables = []
    for kind, some in alike.items():
        if columns := row({key: stacked(groups[key], some).to_dataset(name=ALONG + "s") for key, _ in kind}, ALONG + "s"):
            units = [unit_of_output(result, name) for name in some]
            tables.append(pd.DataFrame({"unit": units} | columns, index=pd.Index(some, name="output")))
    if not tables:
        return pd.DataFrame().rename_axis("output")
    table = tables[0] if len(tables) == 1 else pd.concat(tables)
    return table.loc[[name for name in names if name in table.index]]


def calibrated(result: ResultData) -> Iterator[Frame]:
    """The estimates of a calibration in the units in which the inputs were written, and the correlations of the estimates."""
    import pandas as pd

    estimates = result.facts_of(Estimates)
    if not estimates:
        return
    units = {name: input_unit(result, name) for name in estimates.estimate}
    index = pd.Index(list(units), name="input")
    columns: dict[str, Any] = {"unit": [unit.unit or "" for unit in units.values()]}
    for word, values in (("estimate", estimates.estimate), ("lower", estimates.estimate_lower), ("upper", estimates.estimate_upper)):
        columns[word] = [float(unit.of(values.get(name, np.nan))) for name, unit in units.items()]
    columns["std"] = [estimates.estimate_std.get(name, np.nan) / abs(unit.factor) for name, unit in units.items()]
    yield Frame("estimates", "Estimates of the inputs with 95 % limits", pd.DataFrame(columns, index=index))
    names, rho = estimates.correlations
    if len(names) > 1:
        yield Frame("correlations", "Correlations of the estimates", pd.DataFrame(rho, pd.Index(names, name="input"), names))
    if estimates.estimated_by == "posterior":
        draws = {name: unit.of(result["posterior"][f"input:{name}"].values) for name, unit in units.items()}
        table = pd.DataFrame(draws).rename_axis("draw")
        yield Frame("posterior", "Draws from the posterior", table, {name: unit.unit or "" for name, unit in units.items()})


def flat(array: xr.DataArray, axis: str | None, word: str) -> pd.DataFrame:
    """One output of a group with what it is about in the rows and kinds, statistics or columns side by side; `word` heads a single column.

    Of histories the rows are times, of curves values of their axis, and the columns say which input or pair, and which kind: ``b total``.
    With membership levels the plain columns are those of the lowest, ``value_alpha_0.5`` and so on those of the others.
    """
    import pandas as pd

    if "alpha" in array.dims:
        return pd.concat([flat(part, axis, word).add_suffix(suffix) for suffix, part in by_level(array)], axis=1)
    array = array.drop_vars([name for name in array.coords if name not in array.dims])
    across = next((dim for dim in ("kind", "statistic", "column", "pair", "bound") if dim in array.dims), None)
    along = axis or next((dim for dim in array.dims if dim != across), across)
    parts = [dim for dim in ("region", "input", "pair", "kind", "bound") if dim in array.dims and dim != along]
    parts += [dim for dim in array.dims if dim not in (along, *parts)]
    if not parts:
        return pd.DataFrame({"second order" if along == "pair" else word: array.to_pandas()})
    if len(parts) == 1 and not axis:
        table = pd.DataFrame(array.transpose(along, *parts).to_pandas())
        table.columns.name = None
        return table
    side_by_side = array.transpose(along, *parts).stack({TOGETHER: parts})
    table = pd.DataFrame(side_by_side.to_pandas())
    table.columns = [" ".join(map(str, entry)) if isinstance(entry, tuple) else str(entry) for entry in side_by_side[TOGETHER].values]
    return table


def by_level(array: xr.DataArray) -> Iterator[tuple[str, xr.DataArray]]:
    """The array at each membership level with the ending of its columns: none for the lowest level, ``_alpha_0.5``, ...

    An array without levels is one without an ending.
    """
    if "alpha" not in array.dims:
        yield "", array
        return
    for rank, level in enumerate(np.argsort(array["alpha"].values, kind="stable")):
        alpha = float(array["alpha"].values[level])
        yield f"_alpha_{alpha:.6g}" if rank else "", array.isel(alpha=int(level), drop=True)


def timed(result: ResultData, name: str) -> dict[str, xr.DataArray]:
    """The groups in which one output has a value at every point of its axis, a time say; checks have it at some only."""
    return {key: group[name] for key, group in result.groups() if key != VALIDATION.name and result.axis_of(name, key)}


def axis_units(result: ResultData, name: str) -> dict[str, str]:
    """Name and unit of what an output is over; none of a scalar."""
    axis = str(result.axis_of(name))
    return next(({axis: axis_unit(array, axis).strip()} for array in timed(result, name).values()), {})
