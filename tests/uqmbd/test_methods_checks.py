"""The group `validation`: runs that were not fitted, and what the surrogate says of them."""

import numpy as np
import pytest
import xarray as xr

from uqmbd.analysis.base.columns import Columns
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.methods import PCE, Chebyshev, FuzzyBounds, Taylor1
from uqmbd.methods.checks import checks
from uqmbd.outcomes import OutputInfo
from uqmbd.result import open_results

from .loop import drive

TIME = np.linspace(0, 1, 5)
BOX = {"a": Interval(1, 2), "b": Interval(-1, 1)}


def smooth(time, a, b):
    return {"x": (a + b * b)[:, None] * np.cos(time), "peak": a * b}


def kinked(time, a, b):
    return {"x": np.abs(b)[:, None] * np.cos(time), "peak": np.abs(b - 0.2)}


def misses(result, name):
    table = result.validation[name]
    return np.abs(table.sel(column="surrogate") - table.sel(column="run")).values


@pytest.mark.parametrize(
    "method",
    [
        Chebyshev(degree=3, fallback_runs=0),
        Chebyshev(grid="sparse", max_runs=40, fallback_runs=0),
        Taylor1(fallback_runs=0),
    ],
    ids=lambda method: method.name + str(getattr(method, "grid", "")),
)
def test_the_largest_miss_is_the_validated_error(method):
    result, count = drive(method, BOX, kinked, time=TIME)
    table = result.validation["peak"]
    assert misses(result, "peak").max() == pytest.approx(float(result.error["peak"]), rel=1e-12)
    assert np.allclose(misses(result, "x").max(axis=0), result.error["x"], rtol=1e-12)
    assert table.attrs["largest_error"] == pytest.approx(float(result.error["peak"]), rel=1e-12) and table.attrs["unit"] == "m"
    assert table.attrs["checks"] == table.sizes["check"] == result.attrs["runs_validation"] and table["check"].max() < count


def test_fitted_runs_that_are_left_out_in_turn_count_as_well():
    """Of an expansion that is fitted: a run that the others do not foretell is no less an error than a check."""
    result, _ = drive(PCE(degree=3, samples=40), BOX, kinked, time=TIME)
    assert 0 < misses(result, "peak").max() <= float(result.error["peak"]) < 3 * misses(result, "peak").max()


def test_the_run_is_what_was_simulated_and_checks_are_numbered_as_runs():
    told = {}

    def model(time, a, b):
        told["b"] = np.append(told.get("b", []), b)
        return kinked(time, a, b)

    result, count = drive(Chebyshev(degree=2, fallback_runs=20), BOX, model, time=TIME)
    every = np.abs(told["b"][-count:] - 0.2)  # before the runs there is one to learn the outputs
    table = result.validation["peak"]
    assert np.array_equal(table.sel(column="run"), every[table["check"].values])
    assert table.sizes["check"] == result.attrs["runs_validation"] + result.attrs["runs_fallback"]


def test_failed_runs_are_no_checks():
    result, _ = drive(PCE(degree=2, samples=60), BOX, smooth, time=TIME, fail=lambda samples: samples["b"] > 0.9)
    assert result.attrs["runs_failed"] > 0 and result.validation["peak"].sizes["check"] == result.attrs["runs_validation"]
    assert all(np.isfinite(table).all() for table in result.validation.data_vars.values())


def test_fuzzy_studies_have_checks_of_the_support():
    inputs = {"a": Fuzzy({"type": "triangular", "lower": 1, "mode": 1.4, "upper": 2}), "b": Interval(-1, 1)}
    result, _ = drive(FuzzyBounds(degree=4), inputs, smooth, time=TIME)
    assert misses(result, "peak").max() < 1e-12 and result.validation["x"].dims == ("history_check", "column", "time")


def test_histories_keep_few_checks_and_times_with_the_worst_check():
    time, number, count = np.linspace(0, 3, 1001), np.arange(500) * 2, 500
    columns = Columns({"x": OutputInfo("m"), "y": OutputInfo("N"), "peak": OutputInfo("", None)}, time)
    runs = np.random.default_rng(0).random((count, columns.count))
    surrogate = runs.copy()
    surrogate[123, columns.slices["x"].start + 500] += 3.0
    surrogate[321, columns.slices["y"].start] -= 2.0
    found = checks(columns, number, lambda at: (runs[:, at], surrogate[:, at]))
    assert found["x"].shape == found["y"].shape == (50, 2, 200) and found["peak"].shape == (500, 2)
    assert {246, 642, 0, 998} <= set(found["history_check"].values.tolist())
    assert (found["x"].attrs["largest_error"], found["x"].attrs["largest_error_run"]) == (pytest.approx(3.0), 246)
    assert found["y"].attrs["largest_error_run"] == 642 and "50 of 500 checks" in found["x"].attrs["thinned"]
    assert "200 of 1001 times" in found["x"].attrs["thinned"] and (found["time"][0], found["time"][-1]) == (0, 3)
    kept = found["history_check"].values // 2
    at = np.searchsorted(time, found["time"].values)
    assert np.array_equal(found["y"].sel(column="run"), runs[:, columns.slices["y"]][np.ix_(kept, at)])


def test_few_checks_of_few_times_are_all_kept():
    columns = Columns({"x": OutputInfo("m")}, TIME)
    found = checks(columns, np.arange(7), lambda at: (np.ones((7, 5))[:, at], np.zeros((7, 5))[:, at]))
    assert found["x"].shape == (7, 2, 5) and "thinned" not in found["x"].attrs and "check" not in found.dims


def test_checks_are_saved_and_tables_have_those_of_scalars(tmp_path):
    result, _ = drive(PCE(degree=2, samples=30), {"a": Random({"type": "uniform", "lower": 1, "upper": 2})}, lambda time, a: {
        "x": a[:, None] * np.cos(time), "peak": a**3}, time=TIME)  # fmt: skip
    result.save(tmp_path)
    again = open_results(tmp_path)
    xr.testing.assert_identical(again.validation.drop_attrs(deep=False), result.validation)
    frame = {frame.key: frame for frame in result.tables()}["validation_peak"]
    assert frame.table.columns.tolist() == ["run", "surrogate"] and frame.table.index.name == "check"
    assert frame.units == {"run": "m", "surrogate": "m"} and np.allclose(frame.table["run"], result.validation["peak"].sel(column="run"))
    assert {file.name for file in (tmp_path / "tables").glob("validation*")} == {"validation_peak.csv", "validation_peak.tex"}
    assert result.history("x").index.tolist() == TIME.tolist()
