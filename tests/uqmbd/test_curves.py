"""Outputs over an axis of their own, from the model to the report."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.exporting import export
from uqmbd.figures import sections
from uqmbd.outcomes import ERROR, OK, Axis, OutputInfo
from uqmbd.overview import compare
from uqmbd.report.summary import summary_of
from uqmbd.result import open_results
from uqmbd.simulators.detect import SimulatorSpec, available_outputs, make_simulator
from uqmbd.simulators.model import find_model
from uqmbd.study.replay import replay
from uqmbd.study.trial import Trial
from uqmbd.tables.trust import trust_of

from .curves import GRID, TIME, curve, press, study_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"


def simulator_of(function, names, time=None, samples=None):
    return make_simulator(SimulatorSpec(find_model(function, None), names, time, samples or {"a": np.array([1.0])}, {}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("press") / "r"
    study_of().run(out=place, workers=0, progress=False)
    return place


@pytest.fixture(scope="module")
def result(folder):
    return open_results(folder)


# what a model returns -----------------------------------------------------------------------------------------------------------------
def test_bounds_of_a_frequency_response():
    """The page's example against the exact bounds: |H| falls with damping, and with the distance of the stiffness from m w²."""
    place: dict = {}
    block = next(x for x in PAGE.read_text(encoding="utf-8").split("```python\n")[1:] if "FREQUENCY" in x)
    exec(block.split("```")[0], place)
    w = 2 * np.pi * place["FREQUENCY"]
    near = np.abs(np.clip(w**2, 3600.0, 4400.0) - w**2)
    far = np.maximum(np.abs(3600.0 - w**2), np.abs(4400.0 - w**2))
    exact = np.stack([1 / np.hypot(far, 12.0 * w), 1 / np.hypot(near, 8.0 * w)])
    study = place["study"]
    run = study.method.start(study.inputs, Trial(study).info, np.zeros(0), 0)
    while (samples := run.ask()) is not None:
        done = Trial(study).checked().simulate(samples)
        run.tell(samples, done.outputs, done.status)
    result = run.result()
    found = result.bounds["receptance"].values
    assert result.attrs["runs"] == 304 and result.trusted["receptance"].all()
    assert (found[0] <= exact[0] * (1 + 1e-12)).all() and (found[1] >= exact[1] * (1 - 1e-12)).all()
    np.testing.assert_allclose(found, exact, rtol=3e-5)


def test_what_the_trial_finds_out():
    info = simulator_of(lambda a: {"p": curve(a * GRID), "n": a}, ["p", "n", "p:max", "p:angle_of_max"]).check({})
    assert info["p"] == OutputInfo("Pa", Axis("angle", GRID, "rad")) and info["p"].kind == "over angle [rad]" and not info["p"].over_time
    assert info["n"] == OutputInfo("", None) and info["p:max"] == OutputInfo("Pa", None)
    assert info["p:angle_of_max"] == OutputInfo("rad", None)


def test_reductions_over_the_axis():
    y = np.array([1.0, -3.0, 2.0, 0.5])
    names = ["max", "min", "abs_max", "mean", "rms", "angle_of_max", "angle_of_min"]
    found = simulator_of(lambda a: {"p": curve(a * y)}, [f"p:{how}" for how in names]).simulate({"a": np.array([1.0])}).outputs
    wanted = [2.0, -3.0, 3.0, np.trapezoid(y, GRID) / 4, np.sqrt(np.trapezoid(y**2, GRID) / 4), 4.0, 2.0]
    np.testing.assert_allclose([found[f"p:{how}"][0] for how in names], wanted, rtol=1e-15)


def test_a_run_with_another_axis_is_a_run_that_failed():
    def model(a):
        given = [curve(GRID), curve(GRID, GRID * (1 + 1e-13)), curve(GRID, GRID + 1), curve(GRID[1:], GRID[1:]), curve(GRID[1:])]
        given += [GRID, 1.0, curve(GRID, axis="way"), curve(GRID, axis_unit="deg"), curve(np.nan * GRID), curve(GRID, "no grid")]
        return {"p": given[int(a)]}

    found = simulator_of(model, ["p"], samples={"a": np.zeros(1)}).simulate({"a": np.arange(11.0)})
    assert found.status.tolist() == [OK, OK] + 9 * [ERROR]
    assert np.isnan(found.outputs["p"][2:]).all() and np.array_equal(found.outputs["p"][:2], [GRID, GRID])
    said = found.message[2:]
    assert all("not at the same 4 values of angle [rad]" in said[k] for k in (0, 1, 6)) and "shape (3,) where (4,)" in said[2]
    assert all("is over no axis of its own, and was over angle [rad]" in said[k] for k in (3, 4)) and "is over way [rad]" in said[5]
    assert "NaN or infinite at 4 of 4 values of angle" in said[7] and "grid of output 'p' is not an array of numbers" in said[8]


def test_a_reduced_curve_that_becomes_a_number_is_a_run_that_failed():
    model = lambda a: {"p": curve(GRID) if a < 1 else GRID[0]}  # noqa: E731
    found = simulator_of(model, ["p:max", "p:angle_of_max"], samples={"a": np.zeros(1)}).simulate({"a": np.array([0.0, 2.0])})
    assert found.status.tolist() == [OK, ERROR]


@pytest.mark.parametrize(
    "given, names, words",
    [
        ({"p": curve(GRID, GRID[::-1])}, ["p"], "rising finite numbers"),
        ({"p": curve(GRID, [1.0, 1.0, 2.0, 3.0])}, ["p:max"], "rising finite numbers"),
        ({"p": curve(GRID[:1], GRID[:1])}, ["p"], "two or more"),
        ({"p": curve(GRID, [0.0, 1.0, 2.0, np.inf])}, ["p"], "rising finite numbers"),
        ({"p": curve(GRID, axis="time")}, ["p"], "cannot be called time"),
        ({"p": curve(GRID, axis="bound")}, ["p"], "cannot be called 'bound'"),
        ({"p": curve(GRID, axis="n"), "n": 1.0}, ["p", "n"], "cannot be called 'n'"),
        ({"p": curve(GRID, axis="crank angle")}, ["p"], "cannot be called 'crank angle'"),
        ({"p": curve(GRID), "q": curve(GRID, GRID + 1)}, ["p", "q"], "'p' and 'q' are both over angle, at other values"),
        ({"p": curve(GRID), "q": curve(GRID, axis_unit="deg")}, ["p", "q"], "in another unit"),
        ({"p": curve(GRID)}, ["p:final"], "no reduction 'final' over angle"),
        ({"p": curve(GRID)}, ["p:time_of_max"], "no reduction 'time_of_max' over angle"),
        ({"p": GRID}, ["p:max"], "a reduction over time needs times"),
        ({"p": curve(GRID[1:])}, ["p"], "shape (3,) where (4,)"),
        ({"p": curve(GRID, np.ones((2, 2)))}, ["p"], "two or more rising"),
    ],
)
def test_what_is_refused_before_the_campaign(given, names, words):
    with pytest.raises(StudyError) as error:
        assert Trial(study_of(lambda a, b: given, names, time=None)).info
    assert words in error.value.message and error.value.key == "outputs.include" and error.value.remedy


def test_outputs_that_a_model_has():
    model = find_model(press, None)
    found = available_outputs(SimulatorSpec(model, (), TIME.grid(), {"a": np.ones(1), "b": np.ones(1)}))
    assert {name: info.kind for name, info in found.items()} == {
        "p": "over angle [rad]",
        "q": "over angle [rad]",
        "x": "over time",
        "n": "number",
    }


def test_a_model_of_arrays_gives_what_numbers_give(tmp_path):
    def arrays(a, b, time):
        a, b = a[:, None], b[:, None]
        return {"p": curve(a * GRID + b), "q": curve(a / GRID), "x": a * time + b, "n": (a + b)[:, 0]}

    names = ["p", "q", "x", "n", "p:angle_of_max", "q:rms"]
    one, other = (
        study_of(model, names, vectorized=kind).run(out=tmp_path / str(kind), workers=0, progress=False).runs
        for model, kind in ((press, False), (arrays, True))
    )
    assert {name: other[name].dims for name in names} == {name: one[name].dims for name in names}
    for name in names:
        np.testing.assert_allclose(other[name], one[name], rtol=1e-14)


def test_a_model_of_arrays_with_another_grid_ends_the_campaign():
    simulator = simulator_of(
        uq.vectorized(lambda a: {"p": curve(a[:, None] * GRID, GRID + (a[0] > 5))}), ["p"], samples={"a": np.arange(4.0)}
    )
    assert simulator.simulate({"a": np.ones(3)}).outputs["p"].shape == (3, 4)
    with pytest.raises(StudyError, match="not at the same 4 values of angle"):
        simulator.simulate({"a": np.full(3, 9.0)})


def test_a_command_writes_a_curve(write_study, tmp_path):
    (tmp_path / "solver.py").write_text(
        "import json, sys\nk = float(sys.argv[1])\n"
        "table = {'values': [k, 2 * k, 3 * k], 'grid': [1, 2, 3], 'axis': 'angle', 'unit': 'N', 'axis_unit': 'rad'}\n"
        "if k > 10.0:\n    del table['grid']\n"
        "json.dump({'p': table}, open('result.json', 'w'))\n"
    )
    command = f'command = ["{sys.executable}", "{tmp_path}/solver.py", "{{{{k}}}}", "{{{{c}}}}"]'
    path = write_study(
        ('model = "model.py:oscillator"', command),
        ('"x", "peak", "x:rms"', '"p", "p:angle_of_max"'),
        ("samples = 40", "samples = 12\nmax_failed = 0.9"),
    )
    runs = uq.Study.from_file(path).run(out=tmp_path / "r", progress=False).runs
    k, bad = runs["input:k"].values, runs["input:k"].values > 10.0
    assert runs["p"].dims == ("run", "angle") and bad.any()
    np.testing.assert_allclose(runs["p"].values[~bad], np.outer(k, [1, 2, 3])[~bad], rtol=1e-14)
    assert all("an output over an axis has values, grid, axis" in text for text in runs["message"].values[bad])


class Outside:
    """A simulator from outside with an output over a way."""

    width = 4
    axis = Axis("way", np.arange(3.0), "m")

    def __init__(self, model, outputs, time, settings, timeout):
        pass

    def check(self, samples):
        return {"f": OutputInfo("N", self.axis)}

    def simulate(self, samples):
        from uqmbd.outcomes import Outcomes

        n = len(samples["a"])
        return Outcomes({"f": samples["a"][:, None] * self.axis.values}, np.zeros(n, np.int8), [""] * n)


def test_a_simulator_from_outside(tmp_path):
    study = uq.Study(simulator=Outside, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["f"], method=uq.Vertex(), name="o")
    bounds = study.run(out=tmp_path / "r", workers=0, progress=False).bounds["f"]
    np.testing.assert_allclose(bounds.sel(bound=["lower", "upper"]).transpose("bound", "way"), [[0, 1, 2], [0, 2, 4]], atol=1e-12)


def test_a_simulator_from_outside_without_an_axis():
    class Old(Outside):
        axis = False

    study = uq.Study(simulator=Old, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["f"], method=uq.Vertex(), name="o")
    with pytest.raises(StudyError, match="the axis of the output 'f' is none"):
        assert Trial(study).info


# runs and results -----------------------------------------------------------------------------------------------------------------------
def test_every_group_has_the_axis(result):
    for key in (
        "bounds",
        "inner",
        "error",
        "trusted",
        "source",
        "worst",
        "extreme_runs",
        "validation",
        "sensitivity",
        "surrogates",
        "runs",
    ):
        group = getattr(result, key)
        assert {name: group[name].dims[-1] for name in ("p", "q", "x")} == {"p": "angle", "q": "angle", "x": "time"}, key
        np.testing.assert_array_equal(group["angle"], GRID)
        assert group["angle"].attrs == {"unit": "rad"}, key
    assert list(result.trust_horizon) == ["x"]
    np.testing.assert_allclose(result.bounds["p"].sel(bound="upper"), 2 * GRID + 1, rtol=1e-12)


def test_a_study_that_is_there_is_not_run_again(folder, capsys):
    study_of().run(out=folder, workers=0, progress=False)
    assert "reused" in capsys.readouterr().err
    more = study_of(method=uq.Chebyshev(degree=3)).run(out=folder / ".." / "more", workers=0, progress=False)
    again = study_of(method=uq.Chebyshev(degree=4)).run(out=folder / ".." / "more", workers=0, progress=False)
    assert again.attrs["runs_simulated_last"] < again.attrs["runs"] and more.bounds.identical(more.bounds)
    np.testing.assert_allclose(again.bounds["q"], more.bounds["q"], rtol=1e-9)


def test_stored_runs_over_other_values_are_of_another_output():
    for other, words in ((Axis("angle", GRID + 1, "rad"), "at other values"), (Axis("way", GRID, "m"), "over way [m]"), (None, "number")):
        with pytest.raises(StudyError) as error:
            assert Trial(study_of(outputs=["p"]), {"p": OutputInfo("Pa", other)}).info
        assert words in error.value.message and "the output 'p' is over angle [rad]" in error.value.message


def test_curves_that_are_not_stored(tmp_path):
    """Monte Carlo has their statistics all the same."""
    inputs = {"a": uq.Uniform(1.0, 2.0), "b": uq.Uniform(0.0, 1.0)}
    kept, not_kept = (
        study_of(method=uq.MonteCarlo(samples=50), inputs=inputs, campaign={"store": store}).run(
            out=tmp_path / store, workers=0, progress=False
        )
        for store in ("all", "scalars")
    )
    assert "p" in kept.runs and "p" not in not_kept.runs and "n" in not_kept.runs
    assert kept.statistics.identical(not_kept.statistics) and kept.statistics["p"].dims == ("statistic", "angle")
    np.testing.assert_allclose(kept.statistics["p"].sel(statistic="mean"), kept.runs["p"].values.mean(axis=0), rtol=1e-14)


def test_rounded_curves(tmp_path):
    done = study_of(campaign={"precision": "float32"}).run(out=tmp_path / "r", workers=0, progress=False)
    assert done.runs["p"].dtype == np.float32 and done.runs["n"].dtype == np.float64 and done.attrs["precision"].startswith("float32")


def test_the_surrogate_of_a_curve(result, tmp_path):
    surrogate = result.surrogate("p")
    again = uq.open_surrogate(surrogate.save(tmp_path / "p.json"))
    for found in (surrogate, again):
        assert found.over == Axis("angle", GRID, "rad") and found.time is None and "over angle [rad]" in repr(found)
        np.testing.assert_allclose(found(a=[1.2, 1.9], b=0.3), np.outer([1.2, 1.9], GRID) + 0.3, rtol=1e-12)
        np.testing.assert_allclose(found.gradient(a=1.2, b=0.3)["a"], GRID, rtol=1e-10)
        np.testing.assert_allclose(found.bounds(), [GRID, 2 * GRID + 1], rtol=1e-6)
    np.testing.assert_array_equal(uq.open_surrogate(result.surrogate("x").save(tmp_path / "x.json")).time, TIME.grid())


def test_tables(result):
    table = result.history("p")
    assert table.index.name == "angle" and table.index.tolist() == GRID.tolist() and {"lower", "upper", "error"} <= set(table.columns)
    frames = {frame.key: frame for frame in result.tables()}
    assert frames["history_p"].caption == "p over angle" and frames["history_p"].units["angle"] == "rad"
    assert frames["sensitivity_p"].table.index.tolist() == GRID.tolist() and frames["sensitivity_p"].units == {"angle": "rad"}
    assert set(result.table().index) == {"p:max", "n"}


def test_export(folder, tmp_path):
    file = export(folder, tmp_path / "runs.nc")
    with xr.open_dataset(file, engine="h5netcdf") as found:
        assert found["p"].dims == ("run", "angle") and found["angle"].attrs["unit"] == "rad" and found["x"].dims == ("run", "time")


def test_the_run_behind_a_bound(result, tmp_path):
    found = replay(study_of(), result, tmp_path, "p")
    written = pd.read_csv(found.file, index_col=0)
    assert found.inputs == {"a": 2.0, "b": 1.0} and found.again == found.reached == 11.0
    assert written.index.name == "angle" and list(written) == ["p worst", "p middle", "q worst", "q middle"]
    np.testing.assert_allclose(written["q worst"], 2 / GRID)
    with pytest.raises(StudyError, match="p is over angle and has no time"):
        replay(study_of(), result, tmp_path, "p", time=0.5)


def test_two_results_are_compared(folder, tmp_path, uqmbd):
    other = tmp_path / "other"
    study_of(lambda a, b, time: press(a, b + 0.1, time)).run(out=other, workers=0, progress=False)
    found = compare(folder, other).histories
    rows = found[found["output"] == "p"]
    assert set(rows["over"]) == {"angle [rad]"} and np.allclose(rows["largest change"], 0.1) and set(rows["at"]) <= set(GRID)
    code, said = uqmbd("compare", folder, other)
    assert code == 0 and "angle [rad]" in said


# figures and words ------------------------------------------------------------------------------------------------------------------------
def test_figures_are_over_the_axis(result):
    figures = [figure for group in sections(result).values() for figure in group]
    for name, label in (("p", "angle [rad]"), ("x", "time [s]")):
        own = [figure for figure in figures if figure.key in (name, f"{name}.worst", f"{name}.validation", f"{name}.sensitivity")]
        assert len(own) >= 3
        for figure in own:
            assert {panel.x_label for panel in figure.panels} == {label}, figure.key
    (p,) = (figure for figure in figures if figure.key == "p")
    band = next(mark for mark in p.panels[0].marks if mark.label == "outer bounds")
    np.testing.assert_array_equal(band.x, GRID)


def test_words(result):
    assert trust_of(result, "p").sentence() == "The bounds are trusted at all values of angle."
    assert "curves on their whole axis" in " ".join(summary_of(result, {}).sentences)
    curve_first = summary_of(result_with_key(result, "p"), {}).sentences
    assert curve_first[0].startswith("p stays between") and "at any angle" in curve_first[0]
    assert any(", 11 Pa, at 5 rad, has a = 2" in text for text in curve_first)


def result_with_key(result, key):

    return result.replaced(attrs=result.attrs | {"report": {"key": key}})


def test_a_curve_that_is_not_trusted_somewhere(result):

    trusted = result.trusted.copy(deep=True)
    trusted["p"][2:] = False
    found = trust_of(result.replaced(trusted=trusted), "p").sentence()
    assert found.startswith("The bounds are not trusted for 50 % of the angle (from 3 rad to 5 rad)") and "horizon" not in found


@pytest.mark.usefixtures("tried_here")
def test_the_command_line_says_what_outputs_are_over(write_study, uqmbd):
    model = """
    import numpy as np
    import uqmbd as uq

    def oscillator(k, c, time):
        return {"h": uq.Curve(k * np.arange(3.0), np.arange(3.0), "lag", unit="m", axis_unit="mm"), "x": c * time}
    """
    path = write_study(('"x", "peak", "x:rms"', '"h", "x", "h:lag_of_max"'), model=model)
    for command, words in (("outputs", "over lag [mm]"), ("check", "over lag [mm]")):
        code, said = uqmbd(command, path)
        assert code == 0 and words in said
    code, said = uqmbd("run", path, "--out", "r")
    assert code == 0, said
    header = json.loads((path.parent / "r" / "runs" / "head.json").read_text())
    assert header["axes"] == {"lag": {"unit": "mm", "values": [0.0, 1.0, 2.0], "outputs": ["h"]}}
