"""Tables of the report and of the terminal."""

import re
from io import StringIO

import numpy as np
import pytest
import xarray as xr
from rich.console import Console

from uqmbd.report import terminal_table
from uqmbd.report.estimates import estimates_table, starts_table
from uqmbd.report.failures import failures_table, failures_where
from uqmbd.result import Result
from uqmbd.tables import about, text
from uqmbd.tables.numbers import apart, scale
from uqmbd.tables.text import finer_extremes

from . import made_up_results


def printed(result, width: int) -> list[str]:
    """The lines of the terminal table on a terminal of so many characters."""
    console = Console(width=width, record=True, file=StringIO())
    console.print(terminal_table(result, width))
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_terminal_table_is_compact(bounded, counted):
    for result in (bounded, counted):
        lines = printed(result, 140)
        assert any("B.force:max" in line for line in lines) and any("N·m" in line for line in lines) and len(lines) < 22


@pytest.mark.parametrize("result", [made_up_results.mixed(), made_up_results.fuzzy_mixed()], ids=["mixed", "fuzzy mixed"])
def test_terminal_table_has_a_row_for_each_bounded_statistic(result):
    lines = [line.split() for line in printed(result, 80)]
    assert ["output", "statistic", "at", "least", "at", "most"] in lines
    assert ["peak", "m", "mean", "0", "1"] in lines and ["5", "%", "-1.645", "-0.645"] in lines and ["95", "%", "1.645", "2.645"] in lines


def test_terminal_table_leaves_out_what_does_not_fit_and_says_so(bounded):
    narrow, wide = printed(bounded, 44), printed(bounded, 80)
    assert all("…" not in line and len(line) <= 44 for line in narrow)
    assert "error" in wide[2] and "trusted" in wide[2] and "3 more columns" in " ".join(wide)
    assert "lower" in narrow[2] and "upper" in narrow[2] and "error" not in narrow[2] and "6 more columns" in " ".join(narrow)


@pytest.mark.parametrize("width", range(40, 121, 3))
def test_the_terminal_cuts_no_number(bounded, width):
    """At every width: `2.8606e-…` says nothing."""
    bounded.bounds["B.force:max"] *= -1.2345678e-13
    assert not [line for line in printed(bounded, width) if "…" in line]


def test_bounds_that_differ_are_told_apart_and_have_a_fitting_prefix():
    assert apart(0.120001, 0.120009) == ["0.120001", "0.120009"]
    assert apart(7e-34, 31.3) == ["0", "31.3"] and apart(-2.0, -1e-31) == ["-2", "0"] and apart(1e-31, 2e-31) == ["1e-31", "2e-31"]
    assert apart(1.0, 1.0) == ["1", "1"] and apart(1.0, 1.0 + 1e-15) == ["1", "1"] and apart(np.nan, 2.0) == ["nan", "2"]
    said = {unit: scale(unit, values).unit for unit, values in {"m": [-2.97e-5, 1e-9], "N": [20142.0], "m/s²": [1.4e5], "s": [5e3]}.items()}
    assert said == {"m": "µm", "N": "kN", "m/s²": "km/s²", "s": "s"}
    plain = [scale(unit, [1e-5]).unit for unit in ("mm", "m²", "kg·m²", "", "%", "mol")]
    assert plain == ["mm", "m²", "kg·m²", "", "%", "mol"], "squares and other units take no prefix"
    assert scale("m", [2.97e-5]).of(2.97e-5) == pytest.approx(29.7) and scale("m", [0.0]).unit == "m"


def test_peaks_between_the_times_of_a_history_are_explained(bounded):
    assert not finer_extremes(bounded), "the largest value is in the history"
    twice = bounded.bounds["B.force:max"] * 0 + 2 * float(bounded.bounds["B.force"].max())
    bounded.bounds["B.force:max"] = twice
    assert not finer_extremes(bounded), "no run went beyond its history: the bounds of the number are wider by an error of their own"
    bounded.inner["B.force:max"] = twice
    assert "B.force:max is taken from every step of the solver, the histories from the 481 times" in text.outputs_table(bounded).note


def test_tables_of_fuzzy_and_imprecise_results():
    fuzzy, mixed = text.outputs_table(made_up_results.fuzzy()), text.outputs_table(made_up_results.mixed())
    row = dict(zip(fuzzy.header, fuzzy.rows[0], strict=True))
    assert (row["lower"], row["upper"], row["core lower"], row["core upper"]) == ("0", "3", "1", "1")
    row = dict(zip(mixed.header, mixed.rows[0], strict=True))
    assert row["mean"] == "0 … 1" and row["95 %"] == "1.645 … 2.645"
    result = Result()
    words = ["probability", "beta", "probability_lower", "probability_upper"]
    result.statistics["peak"] = xr.DataArray([1e-3, 3.09, 5e-4, 2e-3], dims="statistic", coords={"statistic": words})
    assert text.outputs_table(result).header == ("output", "probability", "beta", "probability lower", "probability upper")


def test_calibrations_have_their_estimates_first():
    result = made_up_results.calibrated()
    assert estimates_table(result).rows == (("k", "", "10.25", "0.125"),)
    assert starts_table(result).rows == (("1", "0.5", "6", "converged", "10.25"),)
    lines = [line.split() for line in printed(result, 80)]
    assert ["k", "10.25", "0.125"] in lines and ["peak", "N", "2.5", "2", "0.5"] in lines
    assert not estimates_table(made_up_results.fuzzy()).rows and not starts_table(made_up_results.fuzzy()).rows


def test_facts_are_words_and_columns_without_numbers_are_left_out():
    result = made_up_results.rich(2, histories=())
    result.attrs |= {"monotonic": {"a": 1 / 3, "b": 1.0}, "levels": [0.1 + 0.2, 1.0], "shares": [0.5] * 9, "none": {}}
    facts = next(dict(table.rows) for table in about.further_tables(result) if table.title == "Further facts")
    assert facts == {"monotonic": "a 0.33333, b 1", "levels": "0.3, 1", "shares": "0.5 (9 times)"}
    screened = Result(attrs={"method": "sensitivity"})
    screened.inner["peak"] = xr.DataArray([1.0, 2.0], dims="bound", coords={"bound": ["lower", "upper"]})
    table = text.outputs_table(screened)
    assert table.header == ("output", "least run", "greatest run") and table.rows == (("peak", "1", "2"),) and not table.note


def test_failures_are_listed_with_parameters(bounded):
    table = failures_table(bounded)
    assert [row[:2] for row in table.rows] == [("3", "diverged"), ("17", "diverged")]
    assert table.header[3:] == ("clearance", "restitution")


def test_where_runs_fail_is_said_in_the_units_of_the_user():
    result = made_up_results.rich(3, runs=100, failed=6)
    said = failures_where(result)
    limit = float(re.search(r"clearance > (\d+) mm", said)[1])
    values = np.sort(result.runs["input:clearance"].values)
    assert said.startswith("6 of the 6 failed runs lie where") and said.endswith("so do 0 of the 94 others.")
    assert 1000 * values[93] - 1 <= limit <= 1000 * values[94] + 1
    for key in ("unit", "factor", "offset"):  # a result of an older version
        del result.attrs["inputs"]["clearance"][key]
    assert re.search(r"clearance > 0\.\d+ m;", failures_where(result))
    assert failures_where(made_up_results.rich(3, failed=2)) == "" and failures_where(Result()) == ""
