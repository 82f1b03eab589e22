"""Every table of a result as a pandas frame, with the caption and the units that go with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from uqmbd.figures.outputs import output_names, widest

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

TABLES = ("sensitivity", "aggregated", "interaction", "cdf", "convergence")
CAPTIONS = {
    "sensitivity": "Sensitivities of {}", "aggregated": "Sensitivities of {} over all times, weighted with the variance",
    "interaction": "Second-order indices of {}", "cdf": "Probability that {} is at most the value",
    "convergence": "Statistics of {} by number of runs",
}  # fmt: skip


@dataclass(frozen=True)
class Frame:
    """One table: its file's name, a caption, the numbers, and the unit of each column that has one (the index included)."""

    key: str
    caption: str
    table: pd.DataFrame
    units: Mapping[str, str] = field(default_factory=dict)


def frames(result) -> Iterator[Frame]:
    """Scalars, histories, sensitivities, distribution functions and convergence: every table that a result has."""
    yield Frame("scalars", "Scalar outputs", result.table())
    for name in output_names(result)[0]:
        timed = [group[name] for _, group in result.groups() if name in group and "time" in group[name].dims]
        table = result.history(name) if timed else None
        if table is not None and len(table.columns):
            unit = unit_of_output(result, name)
            plain = [column for column in table.columns if column != "trusted"]
            yield Frame(f"history_{name}", f"{name} over time", table, {"time": "s"} | dict.fromkeys(plain, unit))
    for group in TABLES:
        for name, array in getattr(result, group).data_vars.items():
            units = {"value": unit_of_output(result, str(name))} if group == "cdf" else {"time": "s"}
            yield Frame(f"{group}_{name}", CAPTIONS[group].format(name), flat(array), units)


def flat(array: xr.DataArray) -> pd.DataFrame:
    """One output of a group with what it is about in the rows and kinds, statistics or columns side by side.

    Of histories the rows are times, and the columns say which input or pair, and which kind: ``b total``.
    """
    across = next(dim for dim in ("kind", "statistic", "column", "pair") if dim in array.dims)
    if "time" in array.dims:
        parts = [dim for dim in ("input", "pair", "kind") if dim in array.dims]
        stacked = array.transpose("time", *parts).stack(one=parts)
        table = stacked.to_pandas()
        table.columns = [" ".join(map(str, entry)) if isinstance(entry, tuple) else str(entry) for entry in stacked["one"].values]
        return table
    if array.ndim == 1:
        return array.to_pandas().to_frame("second order")
    (along,) = (dim for dim in array.dims if dim != across)
    table = array.transpose(along, across).to_pandas()
    table.columns.name = None
    return table


def unit_of_output(result, name: str) -> str:
    """Unit as it is stored, from the first group that says it."""
    return next((str(group[name].attrs["unit"]) for _, group in result.groups() if name in group and group[name].attrs.get("unit")), "")


def row(parts: Mapping[str, xr.DataArray]) -> dict[str, Any]:
    """Columns of a table from the groups of one output; each value has the remaining dimensions (none, or time).

    Bounds with membership levels: ``lower`` and ``upper`` are those of the lowest level, ``lower_alpha_0.5`` those of another.
    Imprecise statistics: ``mean_lower_bound`` and ``mean_upper_bound``.
    """
    found: dict[str, Any] = {}
    for key, prefix in (("bounds", ""), ("inner", "inner_")):
        if key not in parts:
            continue
        bounds = parts[key]
        found |= {f"{prefix}{end}": widest(bounds).sel(bound=end).values for end in ("lower", "upper")}
        for alpha in sorted(bounds["alpha"].values.tolist())[1:] if "alpha" in bounds.dims else ():
            level = bounds.sel(alpha=alpha)
            found |= {f"{prefix}{end}_alpha_{alpha:.6g}": level.sel(bound=end).values for end in ("lower", "upper")}
    found |= {key: widest(parts[key]).values for key in ("error", "trusted") if key in parts}
    if "statistics" in parts:
        table = parts["statistics"]
        for word in map(str, table["statistic"].values):
            if "bound" in table.dims:
                found |= {f"{word}_{end}_bound": table.sel(statistic=word, bound=end).values for end in ("lower", "upper")}
            else:
                found[word] = table.sel(statistic=word).values
    return {key: value.item() if value.ndim == 0 else value for key, value in found.items()}
