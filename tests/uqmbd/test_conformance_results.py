"""Results of every method as files and tables, and outputs that are awkward: one value only, and a large offset."""

import json
from functools import wraps
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from uqmbd.errors import StudyError
from uqmbd.questions.bounds import SAFETY
from uqmbd.report.terminal import terminal_table
from uqmbd.result import open_results

from .loop import drive
from .method_gallery import ALL, MOST, TIME


def plain(value):
    """Only what numpy makes of numbers may need a form of its own."""
    assert isinstance(value, (np.generic, np.ndarray)), type(value)
    return value.tolist()


def table_of(result) -> str:
    console = Console(width=80, file=StringIO(), record=True)
    console.print(terminal_table(result))
    return console.export_text()


@MOST
def test_saved_and_opened_it_is_the_same(case, tmp_path):
    result, _ = drive(
        case.with_(max_failed=0.5), case.inputs, case.model, time=TIME, fail=lambda x: np.modf(4321.0987 * sum(x.values()))[0] < 0.005
    )
    again = open_results(result.save(tmp_path))
    for (key, group), (_, opened) in zip(result.groups(), again.groups(), strict=True):
        assert opened.identical(group), key
    assert again.outputs == result.outputs
    assert json.dumps(again.attrs) == json.dumps(json.loads(json.dumps(result.attrs, default=plain)))
    assert table_of(again) == table_of(result)


@ALL
def test_attributes_are_plain_numbers_and_words(case):
    """As JSON has them: no value that is not a number, which other readers of the file would refuse."""
    json.dumps(case.result.attrs, default=plain, allow_nan=False)


@MOST
def test_tables(case):
    """Every scalar has a row, every history its columns over time; the terminal's table is as wide as it is allowed to be."""
    result = case.result
    assert set(result.table().index) == {"s", "t"}
    if "h" in result.inner:
        assert len(result.history("h")) == len(TIME) and len(result.history("h").columns)
    frames = list(result.tables())
    assert len({frame.key for frame in frames}) == len(frames) and all(len(frame.table.columns) for frame in frames)
    shown = table_of(result)
    assert "s" in shown and max(map(len, shown.splitlines())) <= 80


# awkward outputs --------------------------------------------------------------------------------------------------------------------------
@MOST
def test_an_output_that_is_one_value(case):
    """It is trusted, its bounds and statistics are that value, and no input matters to it."""

    def model(time, **x):
        found = dict(case.model(time, **x))
        return found | {"t": np.full_like(found["t"], 2.5), "h": np.full_like(found["h"], 2.5)}

    method = case.with_(scalars={"s": case.settings["scalars"]["s"], "t": 2.5}) if case.method.name == "calibrate" else case.method
    result, _ = drive(method, case.inputs, model, time=TIME)
    for name in ("t", "h"):
        for group in (result.bounds, result.inner):
            if name in group:
                np.testing.assert_allclose(group[name].values[~np.isnan(group[name].values)], 2.5, rtol=1e-9)
        if name in result.trusted:
            assert result.trusted[name].all()
        if name in result.statistics:
            values = result.statistics[name]
            for word in set(values["statistic"].values) & {"mean", "q50", "min", "max"}:
                np.testing.assert_allclose(values.sel(statistic=word), 2.5, rtol=1e-9)
            if "std" in values["statistic"]:
                np.testing.assert_allclose(values.sel(statistic="std"), 0.0, atol=1e-6)
        if name in result.sensitivity:
            values = result.sensitivity[name]
            for kind in set(values["kind"].values) & {"first", "total", "mu_star", "dgsm", "pawn", "derivative"}:
                np.testing.assert_allclose(values.sel(kind=kind), 0.0, atol=1e-9, err_msg=kind)
    result.table(), list(result.tables()), table_of(result)


@pytest.mark.slow
@MOST
def test_all_outputs_are_one_value(case):
    """A result, or a sentence that says so."""
    try:
        result, _ = drive(case.method, case.inputs, lambda time, **x: {n: 0 * y + 2.5 for n, y in case.model(time, **x).items()}, time=TIME)
    except StudyError as error:
        assert case.method.name == "reliability" and error.remedy
        return
    result.table(), list(result.tables()), table_of(result)


@MOST
def test_an_offset_of_a_billion(case):
    """Digits are lost, which nobody can help, and nothing else: bounds are where they were, up to the error that is stated."""
    if case.method.name in ("reliability", "calibrate", "posterior", "tolerances", "design"):
        pytest.skip("its limit or its measurements would have to be there as well: `test_the_offset_of_an_output` has it")
    one = case.result
    moved = wraps(case.model)(lambda time, **x: {n: y + 1e9 for n, y in case.model(time, **x).items()})  # takes the same controls
    other, _ = drive(case.method, case.inputs, moved, time=TIME)
    for name in one.bounds:
        assert (one.trusted[name] == other.trusted[name]).all()
        alike = one.trusted[name] & (case.name != "search-jumping")  # whose runs come to another distance from a jump
        rest = 1 if case.name.endswith("2-jumping") or case.name.startswith("search") else 1e-4
        stated = np.maximum(one.error[name], other.error[name])  # a search draws other points where rounding decides
        alike = alike | ("-split" in case.name)  # its leaves take their errors from such points, trusted or not
        room = np.where(alike, 1e-4 + 2 * getattr(case.method, "safety", SAFETY) * stated, rest)
        low, high = ((other.bounds[name] - 1e9 - one.bounds[name]).sel(bound=end) for end in ("lower", "upper"))
        assert (np.abs(low) <= room).all() and (np.abs(high) <= room).all()
    for name in one.statistics:
        if "std" in one.statistics["statistic"] and case.name != "taylor2-jumping":
            a, b = (r.statistics[name].sel(statistic="std") for r in (one, other))
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)
    table_of(other)
