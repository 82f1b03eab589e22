"""A result goes to disk and comes back, as a whole or not at all; tables and figures."""

import shutil

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.figure import Figure

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Chebyshev, MonteCarlo
from uqmbd.result import Result, open_results
from uqmbd.result_store import UNSEALED
from uqmbd.runs.files import safe_name, safe_names
from uqmbd.tables.files import escape, latex
from uqmbd.tables.frames import Frame

from . import made_up_results
from .loop import drive

TIME = np.linspace(0, 2, 21)


def model(time, a, b):
    x = a[:, None] * np.cos(time) + np.where(time > 1, np.abs(b[:, None] - 0.3), 0.0)
    return {"slider.x": x, "B.force:max": a * b, "A.force:max": a}


@pytest.fixture(scope="module")
def bounds():
    return drive(Chebyshev(degree=4, fallback_runs=50), {"a": Interval(1, 2), "b": Interval(-1, 1)}, model, time=TIME)[0]


@pytest.fixture(scope="module")
def sampled():
    box = {"a": Random({"type": "uniform", "lower": 1, "upper": 2}), "b": Random({"type": "normal", "mean": 0, "std": 1})}
    return drive(MonteCarlo(samples=60), box, model, time=TIME)[0]


@pytest.fixture(params=["bounds", "sampled"])
def result(request):
    return request.getfixturevalue(request.param)


def test_save_and_open(result, tmp_path):
    assert result.save(tmp_path) == tmp_path
    again = open_results(tmp_path)
    assert again.attrs == result.attrs and again.outputs == result.outputs == ["slider.x", "B.force:max", "A.force:max"]
    for (_, a), (_, b) in zip(result.groups(), again.groups()):
        assert list(a) == list(b)
        xr.testing.assert_equal(a, b)
        assert all(a[name].attrs == b[name].attrs for name in a)
    assert open_results(tmp_path / "result.zarr").outputs == result.outputs
    for file in ("scalars", "history_slider.x"):
        assert (tmp_path / "tables" / f"{file}.csv").is_file()
    assert pd.read_csv(tmp_path / "tables" / "scalars.csv", index_col="output").index.tolist() == ["B.force:max", "A.force:max"]


def test_a_failed_save_leaves_the_old_result(bounds, sampled, tmp_path, monkeypatch):
    bounds.save(tmp_path)

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(xr.Dataset, "to_zarr", full)
    with pytest.raises(OSError):
        sampled.save(tmp_path)
    monkeypatch.undo()
    assert open_results(tmp_path).attrs["method"] == "chebyshev"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["checksums.json", "result.zarr", "tables"]
    sampled.save(tmp_path)
    assert open_results(tmp_path).attrs["method"] == "montecarlo"


def test_what_is_not_there_or_broken_is_one_sentence(bounds, tmp_path):
    with pytest.raises(StudyError, match="no result here"):
        open_results(tmp_path / "nowhere")
    bounds.save(tmp_path)
    next((tmp_path / "result.zarr" / "bounds").rglob("zarr.json")).write_text("{")
    with pytest.raises(StudyError, match="damaged"):
        open_results(tmp_path)
    with pytest.raises(StudyError, match="no output"):
        bounds.plot("slider.y")
    with pytest.raises(StudyError, match="is a scalar"):
        bounds.history("B.force:max")


def test_runs_are_opened_lazily(bounds, tmp_path):
    bounds.save(tmp_path)
    runs = xr.Dataset({"slider.x": (("run", "time"), np.ones((4, 21))), "status": ("run", np.zeros(4, np.int8))})
    runs.to_zarr(tmp_path / "runs.zarr", consolidated=False)
    again = open_results(tmp_path)
    assert again.runs["slider.x"].shape == (4, 21) and not again.runs["slider.x"].variable._in_memory


def test_tables(bounds, sampled):
    table = bounds.table()
    assert table.loc["A.force:max", ["lower", "upper", "inner_lower", "inner_upper"]].tolist() == pytest.approx([1, 2, 1, 2], abs=1e-5)
    assert table.loc["A.force:max", "unit"] == "m" and bool(table.loc["A.force:max", "trusted"])
    history = bounds.history("slider.x")
    assert history.index.name == "time" and not history["trusted"].all() and history["trusted"].any()
    assert (history["lower"] <= history["inner_lower"]).all()
    assert {"mean", "std", "q05", "q95_upper", "inner_lower"} <= set(sampled.table().columns)
    assert Result().table().empty


def test_tables_of_levels_and_imprecise_statistics():
    fuzzy = made_up_results.fuzzy(3)
    table = fuzzy.table()
    assert table.loc["peak", ["lower", "upper", "lower_alpha_0.5", "upper_alpha_0.5", "lower_alpha_1"]].tolist() == [0, 3, 0.5, 2, 1]
    assert table.index.tolist() == ["peak"] and table.loc["peak", "unit"] == "N" and "inner_upper_alpha_0.5" in table
    history = fuzzy.history("force")
    assert np.allclose(history["upper_alpha_0.5"], 2 * (1 + 0.5 * np.cos(3 * made_up_results.TIME))) and history["upper"].iloc[0] == 4.5
    mixed = made_up_results.mixed()
    assert mixed.table().loc["peak", ["mean_lower_bound", "mean_upper_bound", "q95_upper_bound"]].tolist() == [0, 1, 2.645]
    assert np.allclose(mixed.history("slider.x")["q05_lower_bound"], np.sin(4 * made_up_results.TIME) - 1.645)


def test_tables_of_imprecise_statistics_with_levels(tmp_path):
    result = made_up_results.fuzzy_mixed(3)
    row = result.table().loc["peak"]
    columns = ["mean_lower_bound", "mean_upper_bound", "mean_lower_bound_alpha_0.5", "q95_upper_bound_alpha_1"]
    assert row[columns].tolist() == [0, 1, 0.25, 0.5 + 1.645]
    history = result.history("slider.x")
    assert np.allclose(history["q05_upper_bound_alpha_0.5"], 0.75 - 1.645 + 2 * np.sin(4 * made_up_results.TIME))
    result.save(tmp_path)
    xr.testing.assert_equal(open_results(tmp_path).statistics, result.statistics)
    xr.testing.assert_equal(open_results(tmp_path).cdf, result.cdf)
    table = pd.read_csv(tmp_path / "tables" / "cdf_peak.csv", index_col="level")
    suffixes = ("", "_alpha_0.5", "_alpha_1")
    assert table.columns.tolist() == [f"{column}{suffix}" for suffix in suffixes for column in ("value", "lower", "upper")]
    assert np.allclose(table["upper_alpha_0.5"], result.cdf["peak"].sel(alpha=0.5, column="upper"))
    head = next(line for line in (tmp_path / "tables" / "cdf_peak.tex").read_text().splitlines() if line.startswith("level"))
    assert head.startswith("level & value [m] & lower & upper & value alpha 0.5 [m] & lower alpha 0.5")


def test_units_stand_at_columns_that_have_them():
    result = made_up_results.fuzzy_mixed(2)
    words = ["mean", "skewness", "variance", "q95"]
    result.statistics = result.statistics.assign_coords(statistic=words)
    frame = {frame.key: frame for frame in result.tables()}["history_slider.x"]
    assert frame.units["q95_upper_bound_alpha_1"] == "m" and frame.units["time"] == "s"
    assert not [column for column in frame.units if column.startswith(("skewness", "variance"))]


def test_every_table_is_saved_as_csv_and_latex(tmp_path):
    result = made_up_results.rich(2)
    result.save(tmp_path)
    every = {frame.key: frame for frame in result.tables()}
    groups = ("sensitivity", "interaction", "convergence")
    alone = {"scalars", "widths", "history_slider.x", "aggregated_slider.x", "cdf_peak"}
    assert set(every) == alone | {f"{group}_{output}" for group in groups for output in result.outputs}
    for key, frame in every.items():
        again = pd.read_csv(tmp_path / "tables" / f"{key}.csv", index_col=0)
        assert again.columns.tolist() == [str(name) for name in frame.table.columns] and again.index.name == frame.table.index.name
        numbers = frame.table.select_dtypes("number").columns
        assert np.allclose(again[numbers].to_numpy(float), frame.table[numbers].to_numpy(float), rtol=1e-15, atol=0)
        text = (tmp_path / "tables" / f"{key}.tex").read_text(encoding="utf-8")
        assert text.count("{") == text.count("}") and text.count(r"\\") == min(len(frame.table), 40) + 1
        assert all(word in text for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\caption{", r"\label{tab:"))
    opened = open_results(tmp_path)
    assert opened.table().equals(result.table()) and list(opened.cdf) == ["peak"]
    assert every["sensitivity_peak"].table.loc["friction", "total"] == pytest.approx(0.2)
    assert every["interaction_slider.x"].table.shape == (201, 1) and "clearance total" in every["sensitivity_slider.x"].table
    assert every["cdf_peak"].table.columns.tolist() == ["value", "lower", "upper"]
    assert every["convergence_peak"].table.index.tolist() == [20, 40, 80, 160]


def test_latex_is_escaped_and_says_units():
    table = pd.DataFrame({"q05_lower": [1.5e-7, -2.0], "50%": [np.nan, np.inf], "ok": [True, False], "text": ["a_b & c", "{~^#$%}"]})
    text = latex(Frame("my table", "Bounds of B_1 < 3 & more", table.rename_axis("output_name"), {"q05_lower": "m/s^2", "50%": "1"}))
    assert r"\caption{Bounds of B\_1 \textless{} 3 \& more}" in text and r"\label{tab:my-table}" in text
    assert r"output name & q05 lower [m/s\textsuperscript{2}] & 50\% & ok & text \\" in text
    assert r"0 & $1.5 \cdot 10^{-7}$ & -- & yes & a\_b \& c \\" in text
    assert r"1 & $-2$ & $\infty$ & no & \{\textasciitilde{}\textasciicircum{}\#\$\%\} \\" in text
    assert escape("back\\slash") == r"back\textbackslash{}slash"
    long = latex(Frame("long", "Long", pd.DataFrame({"x": np.arange(1000.0)})))
    assert "(40 of 1000 rows)" in long and "999 & 999" in long and "rrr" not in long


def test_figures(result, tmp_path):
    rng = np.random.default_rng(0)
    values = model(TIME, rng.uniform(1, 2, 30), rng.uniform(-1, 1, 30))
    with_runs = Result(**dict(result.groups()), attrs=result.attrs)
    with_runs.runs = xr.Dataset(
        {name: (("run", "time")[: value.ndim], value) for name, value in values.items()} | {"status": ("run", np.arange(30) % 5 // 4)}
    )
    for shown in (result, with_runs):
        for name in result.outputs:
            figure = shown.plot(name)
            said = " ".join(text for axes in figure.axes for text in (axes.get_xlabel(), axes.get_ylabel()))
            assert name in said and "[m]" in said
            if name == "slider.x":
                assert "time [s]" in said
                legend = " ".join(text.get_text() for box in figure.legends for text in box.get_texts())
                assert ("not trusted" in legend) == (result.attrs["method"] == "chebyshev")
            figure.savefig(tmp_path / f"{safe_name(name)}.png")


def test_two_outputs_stand_side_by_side_in_one_figure(bounded):
    canvas = Figure(figsize=(10, 4))
    left, right = canvas.subplots(1, 2)
    assert bounded.plot("B.ex", ax=left) is canvas and bounded.plot("B.force:max", ax=right) is canvas
    assert canvas.axes == [left, right]  # nothing but what was asked for
    assert (left.get_xlabel(), right.get_xlabel()) == ("time [s]", "B.force:max [N]")
    assert left.get_title().startswith("B.ex") and left.get_legend() is not None
    ends = np.concatenate([line.get_ydata() for line in left.lines] + [area.get_paths()[0].vertices[:, 1] for area in left.collections])
    drawn = [np.nanmin(ends), np.nanmax(ends)]
    assert drawn == pytest.approx([float(bounded.bounds["B.ex"].min()), float(bounded.bounds["B.ex"].max())])


def test_axes_in_a_part_of_a_figure_give_the_whole_figure(bounded):
    canvas = Figure()
    part = canvas.subfigures(1, 2)[0]
    assert bounded.plot("B.ex", part.subplots()) is canvas


def test_safe_names():
    assert safe_name("B.force:max") == "B.force_max" and safe_name("a/b c") == "a_b_c"


def test_names_that_only_a_file_system_takes_for_one(tmp_path):
    names = ["x:max", "x_max", "X_max", "x_max_2", "y"]
    assert list(safe_names(names).values()) == ["x_max", "x_max_2", "X_max_3", "x_max_2_2", "y"]
    groups = {f"{name}": xr.DataArray([[float(i)]], dims=("kind", "input")) for i, name in enumerate(names)}
    result = Result(sensitivity=xr.Dataset(groups, {"kind": ["total"], "input": ["a"]}), attrs={"method": "sensitivity"})
    result.save(tmp_path)
    read = {path.stem: pd.read_csv(path, index_col=0) for path in (tmp_path / "tables").glob("sensitivity_*.csv")}
    assert sorted(float(frame.to_numpy().ravel()[-1]) for frame in read.values()) == [0.0, 1.0, 2.0, 3.0, 4.0]


# checksums ------------------------------------------------------------------------------------------------------------------------------
def test_no_single_flipped_bit_goes_unnoticed(bounds, tmp_path):
    bounds.save(tmp_path)
    files = sorted(path for path in (tmp_path / "result.zarr").rglob("*") if path.is_file())
    sizes = np.array([path.stat().st_size for path in files])
    rng = np.random.default_rng(1)
    picked = [*rng.choice(len(files), 250, p=sizes / sizes.sum()), *rng.choice(len(files), 50)]
    for number in picked:
        file, whole = files[number], files[number].read_bytes()
        harmed = bytearray(whole)
        harmed[rng.integers(len(whole))] ^= 1 << int(rng.integers(8))
        file.write_bytes(harmed)
        with pytest.raises(StudyError, match="damaged: it does not agree with its checksum") as found:
            open_results(tmp_path)
        assert found.value.file == str(file) and "resume" in found.value.remedy
        file.write_bytes(whole)
    assert open_results(tmp_path).table().equals(bounds.table())


def test_every_missing_file_is_named(bounds, tmp_path):
    bounds.save(tmp_path)
    for file in sorted(path for path in (tmp_path / "result.zarr").rglob("*") if path.is_file()):
        whole = file.read_bytes()
        file.unlink()
        with pytest.raises(StudyError, match="the file is missing") as found:
            open_results(tmp_path)
        assert found.value.file == str(file)
        file.write_bytes(whole)


def test_a_result_without_checksums_opens_with_a_note(bounds, tmp_path):
    import zarr

    bounds.save(tmp_path)
    attributes = zarr.open_group(tmp_path / "result.zarr", mode="r+").attrs
    for key in ("checksums", "seal"):
        del attributes[key]
    opened = open_results(tmp_path)
    assert opened.table().equals(bounds.table()) and UNSEALED in opened.facts.note


def test_broken_runs_are_named(write_study, uqmbd, tmp_path):
    uqmbd("run", write_study(), "--out", "r")
    (tmp_path / "r" / "runs" / "head.json").write_text("{")
    with pytest.raises(StudyError, match="the runs cannot be read") as found:
        open_results(tmp_path / "r")
    assert found.value.file.endswith("head.json")


def test_runs_of_an_earlier_version_can_be_read(write_study, uqmbd, tmp_path):
    uqmbd("run", write_study(), "--out", "r")
    runs = open_results(tmp_path / "r").runs.load()
    shutil.rmtree(tmp_path / "r" / "runs")
    (tmp_path / "r" / "rows.npy").unlink()
    runs.drop_vars("message").to_zarr(tmp_path / "r" / "runs.zarr", consolidated=False, zarr_format=3)
    assert np.array_equal(open_results(tmp_path / "r").runs["x"], runs["x"])


def test_the_tree_is_what_xarray_reads_from_the_folder(tmp_path):
    result = uq.Study(
        model=lambda k: {"x": k**2},
        inputs={"k": uq.Interval(1.0, 2.0, unit="mm")},
        outputs=["x"],
        method=uq.Chebyshev(degree=3),
        campaign={"workers": 0},
        name="tree",
    ).run(out=tmp_path)
    tree = result.tree
    assert {"bounds", "error", "surrogates", "runs"} <= set(tree.children) and "cdf" not in tree.children
    xr.testing.assert_identical(tree["bounds"].to_dataset(), result.bounds)
    read = xr.open_datatree(tmp_path / "result.zarr", engine="zarr", consolidated=False)
    for name, node in read.children.items():
        xr.testing.assert_equal(node.to_dataset(), tree[name].to_dataset())
    assert set(read.children) == set(tree.children) - {"runs"}


def test_facts_are_typed_and_know_the_units_of_inputs(tmp_path):
    study = uq.Study(
        model=lambda k: {"x": k},
        inputs={"k": uq.Interval(1.0, 2.0, unit="mm")},
        outputs=["x"],
        method=uq.Vertex(),
        campaign={"workers": 0},
        name="facts",
    )
    for result in (study.run(out=tmp_path), uq.open_results(tmp_path)):
        facts = result.facts
        assert (facts.study, facts.method, facts.runs, facts.runs_failed) == ("facts", "vertex", len(result.runs["run"]), 0)
        entry = facts.inputs["k"]
        assert (entry.kind, entry.text, entry.unit, entry.factor) == ("interval", "[1, 2] mm", "mm", 1e-3)
        assert entry.of(0.0015) == 1.5 and not entry.binds


def test_notes_of_an_earlier_version_were_one_text():
    facts = uq.Result(attrs={"note": "3 runs failed; narrow the inputs"}).facts
    assert facts.notes == ("3 runs failed; narrow the inputs",) and facts.runs is None
