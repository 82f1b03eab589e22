"""Every table of a result as a pandas frame, with the caption and the units that go with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.figures.outputs import axis_name, axis_unit, output_names, widest
from uqmbd.figures.samples import written
from uqmbd.outcomes import TIME, axis_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

TABLES = ("regions", "worst", "validation", "sensitivity", "aggregated", "interaction", "cdf", "convergence")
CAPTIONS = {
    "regions": "Bounds of {} in each region",
    "worst": "Inputs, in SI, at which runs reached the bounds of {}",
    "validation": "Runs that were not fitted and the surrogate of {} there",
    "sensitivity": "Sensitivities of {}", "aggregated": "Sensitivities of {} over all times, weighted with the variance",
    "interaction": "Second-order indices of {}", "cdf": "Probability that {} is at most the value",
    "convergence": "Statistics of {} by number of runs",
}  # fmt: skip
OWN_UNIT = ("regions", "validation", "cdf")  # tables of values of the output
SAME_UNIT = re.compile(r"(inner_)?(lower|upper)|(step_)?error|mean|std|median|min|max|q\d")  # columns with the unit of the output begin so
PURE = re.compile(r"(lower|upper)(_alpha_.*)?")  # columns of probabilities


@dataclass(frozen=True)
class Frame:
    """One table: its file's name, a caption, the numbers, and the unit of each column that has one (the index included)."""

    key: str
    caption: str
    table: pd.DataFrame
    units: Mapping[str, str] = field(default_factory=dict)


def frames(result) -> Iterator[Frame]:
    """Scalars, histories, sensitivities, distribution functions and convergence: every table that a result has."""
    if len(scalars := result.table()) or "estimate" not in result.attrs:
        yield Frame("scalars", "Scalar outputs", scalars)
    yield from calibrated(result)
    for name in output_names(result)[0]:
        table = result.history(name) if timed(result, name) else None
        if table is not None and len(table.columns):
            unit = unit_of_output(result, name)
            plain = [column for column in table.columns if SAME_UNIT.match(column)]
            yield Frame(f"history_{name}", f"{name} over {table.index.name}", table, axis_units(result, name) | dict.fromkeys(plain, unit))
    for group in TABLES:
        for name, array in getattr(result, group).data_vars.items():
            if group == "validation" and axis_of(array.dims):
                continue  # checks x times are no table
            table = flat(array)
            units = dict.fromkeys(table.columns, unit_of_output(result, str(name))) if group in OWN_UNIT else axis_units(result, str(name))
            plain = {column: unit for column, unit in units.items() if not PURE.fullmatch(str(column))}
            caption = CAPTIONS[group].format(name)
            if (axis := axis_name(result, str(name))) not in (None, TIME.name):
                caption = caption.replace("all times", f"all values of {axis}")
            yield Frame(f"{group}_{name}", caption, table, plain)


def calibrated(result) -> Iterator[Frame]:
    """The estimates of a calibration in the units in which the inputs were written, and the correlations of the estimates."""
    import pandas as pd

    attrs = result.attrs
    if "estimate" not in attrs:
        return
    units = {name: written(result, name) for name in attrs["estimate"]}
    index = pd.Index(list(units), name="input")
    columns: dict[str, Any] = {"unit": [unit.unit or "" for unit in units.values()]}
    for key, word in (("estimate", "estimate"), ("estimate_lower", "lower"), ("estimate_upper", "upper")):
        if key in attrs:
            columns[word] = [float(unit.of(attrs[key].get(name, np.nan))) for name, unit in units.items()]
    columns["std"] = [attrs.get("estimate_std", {}).get(name, np.nan) / abs(unit.factor) for name, unit in units.items()]
    yield Frame("estimates", "Estimates of the inputs with 95 % limits", pd.DataFrame(columns, index=index))
    names, rho = correlations(attrs)
    if len(names) > 1:
        yield Frame("correlations", "Correlations of the estimates", pd.DataFrame(rho, pd.Index(names, name="input"), names))


def correlations(attrs: Mapping[str, Any]) -> tuple[list[str], np.ndarray]:
    """Inputs of a calibration, and the correlations of their estimates, (inputs, inputs); NaN of those that have no variance."""
    names = list(attrs.get("covariance_of", ()))
    matrix = np.array(attrs.get("covariance", ()), float).reshape(len(names), len(names))
    std = np.sqrt(np.diag(matrix))
    with np.errstate(invalid="ignore", divide="ignore"):
        return names, matrix / np.outer(std, std)


def flat(array: xr.DataArray) -> pd.DataFrame:
    """One output of a group with what it is about in the rows and kinds, statistics or columns side by side.

    Of histories the rows are times, of curves values of their axis, and the columns say which input or pair, and which kind: ``b total``.
    With membership levels the plain columns are those of the lowest, ``value_alpha_0.5`` and so on those of the others.
    """
    if "alpha" in array.dims:
        import pandas as pd

        return pd.concat([flat(part).add_suffix(suffix) for suffix, part in by_level(array)], axis=1)
    array = array.drop_vars([name for name in array.coords if name not in array.dims])
    across = next(dim for dim in ("kind", "statistic", "column", "pair", "bound") if dim in array.dims)
    if axis := axis_of(array.dims):
        parts = [dim for dim in ("region", "input", "pair", "kind", "bound") if dim in array.dims]
        stacked = array.transpose(axis, *parts).stack(one=parts)
        table = stacked.to_pandas()
        table.columns = [" ".join(map(str, entry)) if isinstance(entry, tuple) else str(entry) for entry in stacked["one"].values]
        return table
    if array.ndim == 1:
        return array.to_pandas().to_frame("second order")
    (along,) = (dim for dim in array.dims if dim != across)
    table = array.transpose(along, across).to_pandas()
    table.columns.name = None
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


def timed(result, name: str) -> dict[str, xr.DataArray]:
    """The groups in which one output has a value at every point of its axis, a time say; checks have it at some only."""
    found = {key: group[name] for key, group in result.groups() if name in group and axis_of(group[name].dims)}
    return {key: array for key, array in found.items() if key != "validation"}


def axis_units(result, name: str) -> dict[str, str]:
    """Name and unit of what an output is over; none of a scalar."""
    return next(({str(axis_of(array.dims)): axis_unit(array).strip()} for array in timed(result, name).values()), {})


def unit_of_output(result, name: str) -> str:
    """Unit as it is stored, from the first group that says it."""
    return next((str(group[name].attrs["unit"]) for _, group in result.groups() if name in group and group[name].attrs.get("unit")), "")


def row(parts: Mapping[str, xr.DataArray]) -> dict[str, Any]:
    """Columns of a table from the groups of one output; each value has the remaining dimensions (none, or that of its axis).

    Bounds with membership levels: ``lower`` and ``upper`` are those of the lowest level, ``lower_alpha_0.5`` those of another.
    Imprecise statistics: ``mean_lower_bound`` and ``mean_upper_bound``, and with levels ``mean_lower_bound_alpha_0.5``.
    """
    found: dict[str, Any] = {}
    for key, prefix in (("bounds", ""), ("inner", "inner_")):
        if key not in parts:
            continue
        for suffix, level in by_level(parts[key]):
            found |= {f"{prefix}{end}{suffix}": level.sel(bound=end).values for end in ("lower", "upper")}
    found |= {key: widest(parts[key]).values for key in ("error", "step_error", "trusted") if key in parts}
    if "statistics" in parts:
        for suffix, table in by_level(parts["statistics"]):
            for word in map(str, table["statistic"].values):
                one = table.sel(statistic=word)
                if "bound" in table.dims:
                    found |= {f"{word}_{end}_bound{suffix}": one.sel(bound=end).values for end in ("lower", "upper")}
                else:
                    found[word + suffix] = one.values
    return {key: value.item() if value.ndim == 0 else value for key, value in found.items()}
