"""Widths of bands as numbers: largest, where, on average, and whether they are trusted."""

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.analysis.statistics.widths import band_width

TIME = np.linspace(0.0, 1.0, 5)


def made_up(**groups):
    return uq.Result(**{key: xr.Dataset(entry, {"time": TIME, "bound": ["lower", "upper"]}) for key, entry in groups.items()})


def test_the_width_of_a_triangle():
    """Upper end 1 - |2t - 1|, lower end 0: at most 1 in the middle, 1/2 on average."""
    assert band_width(np.zeros(5), 1.0 - np.abs(2.0 * TIME - 1.0), TIME) == (1.0, 0.5, 0.5)


def test_what_is_not_known_is_left_out():
    upper = np.array([np.nan, 1.0, 3.0, np.nan, np.nan])
    assert band_width(np.zeros(5), upper, TIME) == (3.0, 0.5, 2.0)
    assert np.isnan(band_width(np.zeros(5), np.full(5, np.nan), TIME)).all()


def test_bounds_runs_and_trust():
    ends = np.stack([np.zeros(5), TIME])
    result = made_up(
        bounds={"x": (("bound", "time"), 2 * ends, {"unit": "m"}), "number": ("bound", [0.0, 1.0])},
        inner={"x": (("bound", "time"), ends, {"unit": "m"})},
        trusted={"x": ("time", TIME < 0.6)},
    )
    widths = result.widths
    assert list(widths.data_vars) == ["x"] and widths["x"].attrs["unit"] == "m"
    np.testing.assert_allclose(widths["x"].sel(band="bounds"), [2.0, 1.0, 1.0, 0.6])
    np.testing.assert_allclose(widths["x"].sel(band="inner"), [1.0, 1.0, 0.5, np.nan])
    table = next(frame for frame in result.tables() if frame.key == "widths").table
    assert table["band"].tolist() == ["bounds", "inner"] and table["largest"].tolist() == [2.0, 1.0] and set(table["axis"]) == {"time [s]"}


def test_of_membership_levels_the_lowest_counts():
    bounds = np.array([[np.zeros(5), np.ones(5)], [np.zeros(5), 3 * np.ones(5)]])
    group = xr.Dataset({"x": (("alpha", "bound", "time"), bounds)}, {"alpha": [1.0, 0.0], "bound": ["lower", "upper"], "time": TIME})
    assert float(uq.Result(bounds=group).widths["x"].sel(band="bounds", measure="largest")) == 3.0


@pytest.mark.parametrize("imprecise", [True, False])
def test_statistics(imprecise):
    words = ["mean", "q05", "q95"]
    if imprecise:
        values = np.stack([[np.zeros(5), (k + 1) * TIME] for k in range(3)])
        coords = {"statistic": words, "bound": ["lower", "upper"], "time": TIME}
        found = uq.Result(statistics=xr.Dataset({"x": (("statistic", "bound", "time"), values)}, coords)).widths["x"]
        assert found["band"].values.tolist() == words
        np.testing.assert_allclose(found.sel(measure="largest"), [1.0, 2.0, 3.0])
    else:
        coords = {"statistic": words, "time": TIME}
        values = np.stack([0 * TIME, -TIME, TIME])
        found = uq.Result(statistics=xr.Dataset({"x": (("statistic", "time"), values)}, coords)).widths["x"]
        assert found["band"].values.tolist() == ["q05 to q95"]
        np.testing.assert_allclose(found.sel(band="q05 to q95")[:3], [2.0, 1.0, 1.0])


def test_a_result_without_histories_has_none():
    assert not made_up(bounds={"number": ("bound", [0.0, 1.0])}).widths.data_vars
