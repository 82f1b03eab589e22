"""Outputs of which each run has its own number of values, and outputs over several axes: kept with the runs, reduced for the methods."""

import sys
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.worker import Job, checked
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, TIME, Axis, Outcomes, OutputInfo, concatenate
from uqmbd.result import open_results
from uqmbd.simulators.detect import SimulatorSpec, make_simulator
from uqmbd.simulators.model import find_model
from uqmbd.study.available import outputs_of
from uqmbd.study.trial import Trial

DOCS = Path(__file__).resolve().parents[2] / "docs"
PLACE = np.linspace(0.0, 1.0, 3)


def block(page, word):
    """The block of code of a page that has a word in it, executed."""
    blocks = (text.split("```")[0] for text in (DOCS / page).read_text(encoding="utf-8").split("```python\n")[1:])
    place: dict = {}
    exec(next(text for text in blocks if word in text), place)
    return place


def swings(decrement, start=0.1):
    """Amplitudes of a damped oscillator from turn to turn while they are above 1 mm, and a field with a hole."""
    places = start * np.exp(-decrement * np.arange(1 + int(np.log(start / 1e-3) / decrement)))
    field = np.outer([1.0, decrement], PLACE)
    field[0, 1] = np.nan
    return {
        "hit": uq.Events(places, "turn", "m"),
        "twice": uq.Events(2 * places[:-1], "turn", "m"),
        "map": uq.Curve(field, ([1.0, 2.0], PLACE), ("row", "place"), "N", ("", "m")),
    }


def swinging(*outputs, method=None, model=swings, **more):
    inputs = {"decrement": uq.Uniform(0.2, 0.9)}
    settings = {"campaign": {"workers": 0, "batch": 8}, "name": "swings"} | more
    return uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=method or uq.MonteCarlo(samples=40), **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("swings") / "r"
    swinging("hit", "twice", "map", "hit:count", "hit:last", "hit:mean", "map:max").run(out=place, progress=False, report=False)
    return place


@pytest.fixture(scope="module")
def runs(folder):
    return open_results(folder).runs.load()


# what is kept -------------------------------------------------------------------------------------------------------------------------
def test_each_run_has_its_own_number_of_hits(runs):
    decrement = runs["input:decrement"].values
    counts = 1 + np.floor(np.log(100.0) / decrement)
    assert runs["hit"].dims == ("run", "turn") and runs["hit"].sizes["turn"] == counts.max() and not runs["status"].any()
    np.testing.assert_array_equal(runs["hit"].count("turn"), counts)
    np.testing.assert_array_equal(runs["hit:count"], counts)
    exact = np.where(np.arange(counts.max()) < counts[:, None], 0.1 * np.exp(-decrement[:, None] * np.arange(counts.max())), np.nan)
    np.testing.assert_allclose(runs["hit"], exact, rtol=1e-14)


def test_outputs_that_count_the_same_share_the_axis(runs):
    assert runs["twice"].shape == runs["hit"].shape
    np.testing.assert_array_equal(runs["twice"].count("turn"), runs["hit"].count("turn") - 1)


def test_reductions_are_of_what_is_there(runs):
    np.testing.assert_allclose(runs["hit:mean"], np.nanmean(runs["hit"], axis=1), rtol=1e-13)
    last = runs["hit"].values[np.arange(40), runs["hit"].count("turn").values - 1]
    np.testing.assert_array_equal(runs["hit:last"], last)


def test_a_field_has_its_axes_and_a_hole_is_no_failure(runs):
    assert runs["map"].dims == ("run", "row", "place") and runs["map"].attrs["unit"] == "N" and runs["place"].attrs["unit"] == "m"
    np.testing.assert_array_equal(runs["map"].sel(row=2.0), np.outer(runs["input:decrement"], PLACE))
    assert np.isnan(runs["map"].sel(row=1.0, place=0.5)).all()
    np.testing.assert_array_equal(runs["map:max"], np.ones(40))


def test_some_runs_and_some_columns_can_be_read(folder, runs):
    lazy = open_results(folder).runs
    np.testing.assert_array_equal(lazy["hit"][[3, 30], 2:5], runs["hit"][[3, 30], 2:5])
    np.testing.assert_array_equal(lazy["map"][5:9, 1, 2], runs["map"][5:9, 1, 2])


def test_more_runs_are_added_to_those_that_are_there(folder, runs, tmp_path):
    import shutil

    place = shutil.copytree(folder, tmp_path / "r")
    outputs = ["hit", "twice", "map", "hit:count", "hit:last", "hit:mean", "map:max"]
    more = swinging(*outputs, method=uq.MonteCarlo(samples=60)).run(out=place, progress=False, report=False)
    assert more.attrs["runs_simulated_last"] == 20
    np.testing.assert_array_equal(more.runs["hit"][:40, : runs.sizes["turn"]], runs["hit"])
    np.testing.assert_array_equal(more.runs["hit"].count("turn"), more.runs["hit:count"])


def test_a_grid_and_a_file_for_other_programs(tmp_path):
    from uqmbd.exporting import export

    study = swinging("hit", "hit:count", "map", method=uq.Grid(points=5))
    runs = study.run(out=tmp_path / "r", progress=False, report=False).runs
    np.testing.assert_array_equal(runs["hit"].count("turn"), runs["hit:count"])
    import xarray as xr

    with xr.open_dataset(export(tmp_path / "r", tmp_path / "x.nc"), engine="h5netcdf") as found:
        np.testing.assert_array_equal(found["hit"], runs["hit"])
        np.testing.assert_array_equal(found["map"], runs["map"])


# pages --------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.report
def test_the_page_of_models_and_its_report(tmp_path):
    runs = block("models.md", "uq.Events")["study"].run(out=tmp_path / "r", workers=0, progress=False).runs.load()
    height, restitution = runs["input:height"].values, runs["input:restitution"].values
    count = np.ceil(np.log(0.5 / np.sqrt(2 * 9.81 * height)) / np.log(restitution))
    np.testing.assert_array_equal(runs["impact"].count("bounce"), count)
    assert runs["deflection"].dims == ("run", "time", "place")
    np.testing.assert_allclose(runs["deflection:max"], 1e-3 * height * np.sin(1.0), rtol=1e-12)
    assert (tmp_path / "r" / "report.html").stat().st_size > 10_000


def test_the_plug_in_with_section_points(tmp_path):
    section = block("plugins.md", "class Section")["Section"]
    study = uq.Study(
        simulator=section, inputs={"start": uq.Uniform(0.05, 0.2, unit="m"), "decrement": uq.Uniform(0.3, 1.0)},
        outputs=["place", "place:count"], method=uq.MonteCarlo(samples=100), campaign={"workers": 0, "batch": 16}, name="section",
    )  # fmt: skip
    runs = study.run(out=tmp_path / "r", progress=False, report=False).runs.load()
    start, decrement = runs["input:start"].values, runs["input:decrement"].values
    np.testing.assert_array_equal(runs["place"].count("hit"), 1 + np.floor(np.log(start / 1e-3) / decrement))
    np.testing.assert_array_equal(runs["place"].count("hit"), runs["place:count"])
    assert float(runs["place"].min()) >= 1e-3 and runs["place"].attrs["unit"] == "m"


# what cannot be ----------------------------------------------------------------------------------------------------------------------
def test_methods_that_cannot_treat_them_say_so_and_treat_their_numbers(tmp_path):
    inputs = {"decrement": uq.Interval(0.2, 0.3)}
    how = {"model": swings, "inputs": inputs, "method": uq.Chebyshev(degree=4), "campaign": {"workers": 0}, "name": "s"}
    with pytest.raises(StudyError, match="chebyshev cannot treat 'hit'") as raised:
        uq.Study(outputs=["hit", "hit:max"], **how).run(out=tmp_path / "r", progress=False)
    assert "hit:max" in raised.value.remedy and "montecarlo" in raised.value.remedy
    result = uq.Study(outputs=["map:max", "hit:first"], **how).run(out=tmp_path / "s", progress=False)
    np.testing.assert_allclose(result.bounds["hit:first"], [0.1, 0.1])


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (["hit:p95", "hit:count"], "there is no reduction 'p95' of events"),
        (["hit:max@0..1"], "has a window"),
        (["map:first"], "there is no reduction 'first' of a field"),
        (["hit"], "all outputs are in the runs alone"),
    ],
)
def test_what_is_refused(outputs, words, tmp_path):
    with pytest.raises(StudyError) as raised:
        swinging(*outputs).run(out=tmp_path / "r", progress=False)
    assert words in str(raised.value)


def test_a_store_of_numbers_alone_would_lose_them(tmp_path):
    study = swinging("hit", "hit:count", campaign={"workers": 0, "store": "scalars"})
    with pytest.raises(StudyError, match="they would not keep it") as raised:
        study.run(out=tmp_path / "r", progress=False)
    assert raised.value.key == "campaign.store"


def test_a_command_writes_events(write_study, tmp_path):
    (tmp_path / "t").mkdir()
    program = "import json, sys\nn = int(float(sys.argv[1]))\n"
    program += "json.dump({'hit': {'values': [0.5] * n, 'axis': 'turn', 'unit': 'm'}}, open('result.json', 'w'))"
    (tmp_path / "t" / "solve.py").write_text(program)
    command = f'command = ["{sys.executable}", "solve.py", "{{{{k}}}}"]\ntemplate = "t"'
    changes = [
        ('model = "model.py:oscillator"', command),
        ('["x", "peak", "x:rms"]', '["hit", "hit:count"]'),
        ("samples = 40", "samples = 4"),
    ]
    path = write_study(*changes, ('[inputs.c]\ndistribution = { type = "uniform", lower = 0.1, upper = 0.2 }\n', ""))
    runs = uq.Study.from_file(path).run(out=tmp_path / "r", report=False, progress=False).runs.load()
    np.testing.assert_array_equal(runs["hit"].count("turn"), np.floor(runs["input:k"]))
    assert runs["hit"].attrs["unit"] == "m"


def test_they_are_listed_among_the_outputs():
    found = outputs_of(swinging("hit", "hit:count"))
    assert found["hit"].kind == "over turn, in each run its own number" and found["map"].kind == "over row, place"


def test_a_formula_has_no_place_for_them_but_for_their_numbers():
    with pytest.raises(StudyError, match="'hit' is over turn, in each run its own number") as raised:
        Trial(swinging("far", derived={"far": "2 * hit"})).checked()
    assert "hit:max" in raised.value.remedy
    assert Trial(swinging("far", derived={"far": "hit:first - hit:last"})).info["far"] == OutputInfo("m", None)


def test_a_run_without_any_hit_has_the_count_zero_and_no_maximum():
    def model(a):
        return {"hit": uq.Events([] if a > 1 else [a], "turn")}

    simulator = make_simulator(SimulatorSpec(find_model(model, None), ["hit", "hit:count"], None, {"a": np.array([0.5])}, {}))
    done = simulator.simulate({"a": np.array([0.5, 2.0])})
    assert done.outputs["hit:count"].tolist() == [1.0, 0.0] and not done.status.any()
    simulator = make_simulator(SimulatorSpec(find_model(model, None), ["hit:max"], None, {"a": np.array([0.5])}, {}))
    done = simulator.simulate({"a": np.array([0.5, 2.0])})
    assert done.status.tolist() == [0, ERROR] and "no value of 'hit'; ask for 'hit:count'" in done.message[1]


def test_a_curve_of_another_length_names_what_to_return():
    def model(a):
        return {"y": uq.Curve(np.ones(int(a)), np.arange(int(a)), "hit")}

    done = make_simulator(SimulatorSpec(find_model(model, None), ["y"], None, {"a": np.array([5.0])}, {})).simulate(
        {"a": np.array([5.0, 4.0])}
    )
    assert done.status.tolist() == [0, ERROR] and "return uqmbd.Events" in done.message[1]


def test_an_infinite_value_is_a_failure_and_a_missing_one_is_none():
    info = {"hit": OutputInfo("m", Axis("turn", [])), "map": OutputInfo("N", (TIME, Axis("place", PLACE)))}
    assert [entry.shape(2) for entry in info.values()] == [(0,), (2, 3)] and all(entry.in_runs_alone for entry in info.values())
    arrays = {"hit": np.array([[1.0, np.nan], [np.inf, 1.0]]), "map": np.full((2, 2, 3), np.nan)}
    job = Job(None, tuple(info), {name: entry.shape(2) for name, entry in info.items()}, "float64")
    found = checked(job, Outcomes(arrays, np.zeros(2, np.int8), ["", ""]), 2)
    assert found.status.tolist() == [0, ERROR] and "'hit'" in found.message[1]


def test_batches_of_other_lengths_are_joined():
    parts = [Outcomes({"hit": np.ones((2, n))}, np.zeros(2, np.int8), ["", ""]) for n in (3, 0, 1)]
    joined = concatenate(parts).outputs["hit"]
    assert joined.shape == (6, 3) and np.isfinite(joined).sum(axis=1).tolist() == [3, 3, 0, 0, 1, 1]


def test_what_is_known_of_an_output_keeps_all_axes():
    from dataclasses import replace

    field = OutputInfo("N", (Axis("row", [1.0, 2.0]), Axis("place", PLACE)))
    again = replace(field, unit="kN")
    assert again.axes == field.axes and again.kind == "over row, place" and again.noun == "a field"
    assert OutputInfo("N").axes == (TIME,) and OutputInfo("N", None).axes == ()
