"""Thousands of outputs: one array and one table for all of a group, figures of some, a table to search in for the rest."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from rich.console import Console

import uqmbd as uq
from uqmbd.figures import sections
from uqmbd.report import terminal_table, write_report
from uqmbd.result import Result, open_results
from uqmbd.result_store import MANY, OUTPUTS, gathered, scattered
from uqmbd.tables.frames import frames
from uqmbd.tables.outputs import DRAWN, chosen

from . import made_up_results as made_up

COUNT = 150


def every_output(a, b):
    """Lines of different slopes."""
    return {f"y{k}": a * k + b for k in range(COUNT)}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 1.0)}
    names = [f"y{k}" for k in range(COUNT)]
    how = {"report": {"key": "y123"}, "campaign": {"workers": 0}}
    made = uq.Study(name="many", model=every_output, inputs=inputs, outputs=names, method=uq.Chebyshev(degree=2), **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uqmbd.report.page.PICTURES", 3)  # which take most of the time
        return made.run(out=folder / "results", progress=False), folder / "results"


def test_files_do_not_grow_with_the_outputs(study):
    """28 files for each output before: 4,200 of these."""
    result, folder = study
    assert sum(file.is_file() for file in folder.rglob("*")) < 300
    assert {file.name for file in (folder / "tables").glob("*.csv")} == {"scalars.csv", "worst.csv", "validation.csv", "sensitivity.csv"}
    table = pd.read_csv(folder / "tables" / "worst.csv", index_col="output")
    assert len(table) == 2 * COUNT and table.loc["y7"].set_index("input").loc["a", "upper"] == 2.0


def test_what_is_opened_is_what_was_saved(study):
    result, folder = study
    again = open_results(folder)
    assert again.outputs == result.outputs
    for (key, group), (_, before) in zip(again.groups(), result.groups(), strict=True):
        assert list(group.data_vars) == list(before.data_vars), key
        xr.testing.assert_identical(group.drop_attrs(deep=False), before.drop_attrs(deep=False))
    xr.testing.assert_identical(again.surrogates, result.surrogates)
    lower, upper = again.bounds["y50"].values
    assert lower <= 50.0 < 101.0 <= upper and upper - lower == pytest.approx(51.0)


def test_the_page_shows_the_chosen_outputs_and_has_all_in_a_table_to_search(study):
    result, folder = study
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'type="search"' in page and all(f">y{k}<" in page for k in range(0, COUNT, 17))
    drawn = {figure.key.partition(".")[0] for group in sections(result).values() for figure in group if figure.key.startswith("y")}
    assert "y123" in drawn and len(drawn) == DRAWN
    assert f"{DRAWN} of {COUNT} outputs" in page
    assert not (folder / "figures").exists()


def test_the_terminal_is_short_and_says_what_is_left_out(study):
    result, _ = study
    page = StringIO()
    Console(file=page, width=100).print(terminal_table(result, 100))
    text = " ".join(page.getvalue().split())
    assert page.getvalue().count("\n") < DRAWN + 20 and f"{COUNT - DRAWN} more outputs" in text and "y123" in text


def test_groups_of_few_outputs_are_stored_as_they_are():
    few = xr.Dataset({f"y{k}": ("bound", np.arange(2.0)) for k in range(MANY - 1)})
    assert gathered(few) is few and scattered(few) is few


def test_gathered_and_scattered_are_inverse_whatever_the_outputs_are():
    rng = np.random.default_rng(1)
    kinds = {"f": (("bound",), 2, float), "g": (("bound", "time"), (2, 5), float), "h": ((), (), bool), "i": ((), (), np.int8)}
    variables = {
        f"{kind}{k}": (dims, (9 * rng.random(shape)).astype(dtype), {"unit": "m", "why": f"{kind}{k}"})
        for kind, (dims, shape, dtype) in kinds.items()
        for k in range(20)
    }
    group = xr.Dataset(variables | {"@0": ("time", np.arange(5.0))}, {"bound": ["lower", "upper"], "time": np.arange(5.0)}, {"about": 1})
    packed = gathered(group)
    assert len(packed.data_vars) == len(kinds) + 1 and sum(OUTPUTS in one.attrs for one in packed.data_vars.values()) == len(kinds)
    xr.testing.assert_identical(scattered(packed)[list(group.data_vars)], group)


@pytest.mark.parametrize("case", [made_up.fuzzy, made_up.mixed, made_up.checked, made_up.rich])
def test_one_table_of_all_outputs_has_the_numbers_of_the_tables_of_each(case, monkeypatch):
    result = case()
    apart = {frame.key: frame.table for frame in frames(result)}
    monkeypatch.setattr("uqmbd.tables.frames.APART", 0)
    for frame in frames(result):
        if frame.key in result.specs:
            for name in frame.table.index.unique():
                one = frame.table.loc[[name]]
                assert np.array_equal(one.iloc[:, 1:].to_numpy(float), apart[f"{frame.key}_{name}"].to_numpy(float), equal_nan=True)


def test_chosen_outputs_hold_the_key_output():
    names = [f"y{k}" for k in range(100)]
    result = Result(bounds=xr.Dataset({name: ("bound", np.arange(2.0)) for name in names}), attrs={"report": {"key": "y77"}})
    assert chosen(result, names) == [*names[: DRAWN - 1], "y77"] and chosen(result, names[:5]) == names[:5]


def test_a_result_of_few_outputs_has_no_search(tmp_path):
    page = write_report(made_up.rich(3), tmp_path).read_text(encoding="utf-8")
    assert 'type="search"' not in page
