"""How wide the band of a history, or of a curve, is: where it is widest, and on average."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

LARGEST, AT, MEAN, TRUSTED = MEASURES = ("largest", "at", "mean", "trusted")
ENDS = ("lower", "upper")
QUANTILES = ("q05", "q95")  # the band of outputs that have neither bounds nor imprecise statistics


def band_width(lower: np.ndarray, upper: np.ndarray, places: np.ndarray) -> tuple[float, float, float]:
    """Largest width of a band, where on its axis that is, and the mean over the axis (trapezoidal rule); NaN of a band without numbers.

    Its ends `lower` and `upper` (points,) are NaN where not known; `places` (points,) are those of the axis, rising.
    """
    width = np.asarray(upper, float) - np.asarray(lower, float)
    known = np.isfinite(width)
    if not known.any():
        return np.nan, np.nan, np.nan
    x, y = np.asarray(places, float)[known], width[known]
    widest = int(np.argmax(y))
    mean = np.trapezoid(y, x) / (x[-1] - x[0]) if len(x) > 1 else y[0]
    return float(y[widest]), float(x[widest]), float(mean)


def bands(key: str, array: xr.DataArray) -> Iterator[tuple[str, xr.DataArray, xr.DataArray]]:
    """The bands of an output in a group, each with its name and its ends: bounds, those of each statistic, or between quantiles."""
    if "alpha" in array.dims:
        array = array.isel(alpha=int(np.argmin(array["alpha"].values)), drop=True)
    if "statistic" not in array.dims:
        lower, upper = (array.sel(bound=end, drop=True) for end in ENDS)
        yield key, lower, upper
        return
    words = [str(word) for word in array["statistic"].values]
    if "bound" in array.dims:
        for word in words:
            lower, upper = (array.sel(statistic=word, bound=end, drop=True) for end in ENDS)
            yield word, lower, upper
    elif set(QUANTILES) <= set(words):
        lower, upper = (array.sel(statistic=word, drop=True) for word in QUANTILES)
        yield " to ".join(QUANTILES), lower, upper


def widths_of(group: Callable[[str], xr.Dataset], axis_of: Callable[[str, str], str | None]) -> xr.Dataset:
    """See `uqmbd.result_data.ResultData.widths`; `axis_of(output, group)` is what an output is over in a group."""
    import xarray as xr

    by_output: dict[str, dict[str, list[float]]] = {}
    units: dict[str, str] = {}
    for key in ("bounds", "inner", "statistics"):
        for name in map(str, group(key).data_vars):
            if (axis := axis_of(name, key)) is None:
                continue  # of thousands of numbers no array is made
            array = group(key)[name]
            trust = group("trusted").get(name)
            share = np.nan if trust is None or key == "inner" else float(np.mean(trust.values))
            units[name] = str(array.attrs.get("unit", ""))
            for band, lower, upper in bands(key, array):
                numbers = band_width(lower.values, upper.values, array[axis].values)
                by_output.setdefault(name, {})[band] = [*numbers, share]
    labels = list(dict.fromkeys(band for table in by_output.values() for band in table))
    none = [np.nan] * len(MEASURES)
    arrays = {
        name: (("band", "measure"), np.array([table.get(band, none) for band in labels]), {"unit": units[name]})
        for name, table in by_output.items()
    }
    return xr.Dataset(arrays, {"band": np.array(labels, object), "measure": np.array(MEASURES, object)} if by_output else None)
