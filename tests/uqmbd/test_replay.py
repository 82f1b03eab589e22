"""What reached a bound is run again, and shown: command, table, figure, first sentences."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures import matplotlib_view, sections
from uqmbd.figures.extremes import extreme_of, furthest
from uqmbd.figures.worst import worst_figures
from uqmbd.report import plotly_view
from uqmbd.report.summary import summary_of
from uqmbd.result import open_results
from uqmbd.study.extreme_runs import extreme_runs
from uqmbd.study.replay import replay as run_again
from uqmbd.study.trial import Trial
from uqmbd.tables.text import outputs_table, worst_table


def bend(a, b, time):
    u = a * np.sin(3 * time) + (b - 0.02) ** 2 * time
    return {"u": u, "peak": u.max()}


@pytest.fixture(scope="module")
def study():
    inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 50.0, unit="mm")}
    time = uq.TimeGrid(end=1.0, points=11)
    method = uq.Search(max_runs=600, fresh=120)
    return uq.Study(model=bend, inputs=inputs, outputs=["u", "peak"], method=method, time=time, name="bend")


@pytest.fixture(scope="module")
def result(study, tmp_path_factory):
    return study.run(workers=0, out=tmp_path_factory.mktemp("bend") / "results", progress=False)


BOUNDS = ("peak", "upper", None), ("peak", "lower", None), ("u", "upper", None), ("u", "lower", 0.72)


@pytest.mark.parametrize("name, bound, time", BOUNDS)
def test_the_run_that_reached_a_bound_reaches_it_again(study, result, tmp_path, name, bound, time):
    found = run_again(study, result, tmp_path, name, bound, time)
    assert found.again == found.reached
    inner = result.inner[name].sel(bound=bound)
    if "time" in inner.dims:
        inner = inner.max() if time is None else inner.sel(time=time, method="nearest")
    assert found.reached == float(inner)
    written = pd.read_csv(found.file, index_col=0)
    np.testing.assert_allclose(written["u worst"], bend(**found.inputs, time=written.index.values)["u"], rtol=1e-12)
    np.testing.assert_allclose(written["u middle"], bend(1.5, 0.025, written.index.values)["u"], rtol=1e-12)


def test_the_corner_is_known(result):
    assert result.worst["peak"].sel(bound="upper").values.tolist() == [2.0, 0.05]


def test_wrong_questions(study, result, tmp_path):
    for arguments, words in (
        (("peek",), 'did you mean "peak"'), (("peak", "top"), "upper or lower"), (("peak", "upper", 0.1), "has no time"),
    ):  # fmt: skip
        with pytest.raises(StudyError) as caught:
            run_again(study, result, tmp_path, *arguments)
        assert words in str(caught.value)
    with pytest.raises(StudyError, match="has no output 'peak'"):
        run_again(study, uq.Result(attrs={"method": "vertex"}), tmp_path, "peak")


@pytest.mark.parametrize(
    "method",
    (
        uq.MonteCarlo(samples=400), uq.Sensitivity(approach="sobol", samples=64), uq.PCE(degree=3, samples=40),
        uq.Reliability(approach="subset", output="peak", above=1.9, samples=200),
    ),
)  # fmt: skip
def test_the_greatest_and_the_least_run_of_methods_that_keep_runs(method, tmp_path):
    inputs = {
        "a": uq.Random({"type": "uniform", "lower": 1.0, "upper": 2.0}),
        "b": uq.Random({"type": "uniform", "lower": 0.0, "upper": 50.0}, unit="mm"),
    }
    outputs = ["peak"] if method.name == "reliability" else ["u", "peak"]
    study = uq.Study(
        model=bend,
        inputs=inputs,
        outputs=outputs,
        method=method,
        time=uq.TimeGrid(end=1.0, points=11),
        name="bend",
        campaign={"workers": 0},
    )
    result = study.run(out=tmp_path, report=False, progress=False)
    peaks = result.runs["peak"].values[result.runs["status"].values == 0]
    for bound, value, what in (("upper", peaks.max(), "greatest run"), ("lower", peaks.min(), "least run")):
        found = run_again(study, result, tmp_path, "peak", bound)
        assert (found.reached, found.again, found.what) == (value, value, what)
        assert set(found.inputs) == {"a", "b"}
    if "u" in outputs:
        at_end = run_again(study, result, tmp_path, "u", "upper", 1.0)
        assert at_end.reached == at_end.again == np.nanmax(result.runs["u"].values[:, -1])
        assert run_again(study, result, tmp_path, "u").reached == np.nanmax(result.runs["u"].values)


def test_histories_that_no_run_has_kept_are_a_sentence(tmp_path):
    study = uq.Study(
        model=bend, outputs=["u", "peak"],
        inputs={k: uq.Random({"type": "uniform", "lower": a, "upper": b}) for k, a, b in (("a", 1.0, 2.0), ("b", 0.0, 0.05))},
        method=uq.MonteCarlo(samples=50), time=uq.TimeGrid(end=1.0, points=11), name="bend", campaign={"store": "scalars", "workers": 0},
    )  # fmt: skip
    result = study.run(out=tmp_path, report=False, progress=False)
    with pytest.raises(StudyError, match="no run of this result has kept 'u'"):
        run_again(study, result, tmp_path, "u")
    assert run_again(study, result, tmp_path, "peak").what == "greatest run"


def test_the_report_says_where_bounds_were_reached(result):
    table = worst_table(result)
    assert table.header == ("output", "reached", "a", "b [mm]") and table.rows[1][2:] == ("2", "50")
    assert "gap" in outputs_table(result).header
    text = " ".join(summary_of(result, sections(result)).sentences)
    assert "has a = 2, b = 50 mm" in text and "of 60 fresh runs left the bounds" in text
    (figure,) = sections(result)["Where bounds were reached"]
    assert [panel.y_label for panel in figure.panels] == ["u", "a", "b [mm]"]


def test_the_runs_beside_the_bounds_are_whole_and_reach_them(result):
    runs, time = result.extreme_runs["u"], result.runs["time"].values
    assert list(runs["case"].values) == ["nominal", "lower", "upper"] and runs.dims == ("case", "time")
    for case in ("nominal", "lower", "upper"):
        np.testing.assert_allclose(runs.sel(case=case), bend(**runs.attrs["inputs"][case], time=time)["u"], rtol=1e-12)
    assert runs.attrs["inputs"]["nominal"] == {"a": 1.5, "b": 0.025}
    assert float(runs.sel(case="upper").max()) == float(result.inner["u"].sel(bound="upper").max())
    peak = result.extreme_runs["peak"]
    assert peak.values[1:].tolist() == result.inner["peak"].values.tolist() and "reached" not in peak.attrs


def test_extreme_runs_are_saved_with_the_result(result, tmp_path):
    again = open_results(result.save(tmp_path))
    assert again.extreme_runs.identical(result.extreme_runs)


def test_times_when_all_runs_agree_are_passed_over():
    """All start at 3; later the highest is 2. The lowest is -1 then, and nothing is lower."""
    lower, upper = np.array([3.0, 1.0, -1.0]), np.array([3.0, 2.0, 0.0])
    assert furthest(lower, upper, up=True) == (1, True) and furthest(lower, upper, up=False) == (2, False)
    assert furthest(upper, upper, up=True) == (0, False)


def test_of_membership_levels_the_lowest_counts(result):
    groups = {key: getattr(result, key) for key in ("bounds", "inner", "worst")}
    fuzzy = result.replaced(**{key: xr.concat([g, 0.9 * g], "alpha").assign_coords(alpha=[0.0, 1.0]) for key, g in groups.items()})
    for name, bound in (("u", "upper"), ("peak", "lower")):
        assert extreme_of(fuzzy, name, bound) == extreme_of(result, name, bound)
    (figure,) = worst_figures(fuzzy, ["u"])
    assert len(figure.panels) == 3


def test_the_figure_shows_the_runs_beside_the_bounds(result):
    (figure,) = worst_figures(result, ["u"])
    marks = {mark.label: mark for mark in figure.panels[0].marks}
    assert list(marks) == ["outer bounds", "nominal run", "run of the lowest value", "run of the highest value", "where they reach it"]
    points = marks["where they reach it"]
    assert points.names == ("lowest", "highest") and points.y[1] == marks["run of the highest value"].y.max()
    text = " ".join(figure.caption)
    assert "a = 1.5, b = 25 mm" in text and "a = 2, b = 50 mm" in text, "inputs as the study writes them"
    assert "the run in the middle of the inputs has" in " ".join(summary_of(result, sections(result)).sentences)


def test_a_result_of_an_earlier_version_has_the_inputs_only(result):
    (figure,) = worst_figures(result.replaced(extreme_runs=xr.Dataset()), ["u"])
    assert [panel.y_label for panel in figure.panels] == ["a", "b [mm]"]
    assert figure.caption == ("The inputs of the run that reached each bound, at every time.",)


class Counted:
    """The model `bend`, which fails where `bad` says, and at which inputs it was run."""

    def __init__(self, bad=lambda a, b: False) -> None:
        self.runs, self.bad = [], bad

    def study(self, **changes) -> uq.Study:
        def model(a, b, time):
            self.runs.append((a, b))
            if self.bad(a, b):
                raise RuntimeError("no solution")
            return bend(a, b, time)

        inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 50.0, unit="mm")}
        more = {"outputs": ["u", "peak"], "method": uq.Search(max_runs=200, fresh=40), "time": uq.TimeGrid(end=1.0, points=11)}
        return uq.Study(model=model, inputs=inputs, campaign={"workers": 0}, name="bend", **more | changes)


def test_only_the_nominal_run_is_made_again(tmp_path):
    counted = Counted()
    result = counted.study().run(out=tmp_path, progress=False)
    assert counted.runs == [(1.5, 0.025)] * 2, "in this process: the trial, and the nominal run"
    assert result.attrs["runs"] <= 200


def test_a_nominal_run_that_is_there_is_not_made_again(tmp_path):
    first = Counted().study().run(out=tmp_path, progress=False)
    counted = Counted()
    again = counted.study(report={"key": "peak"}).run(out=tmp_path, progress=False)
    assert counted.runs == [] and again.extreme_runs.identical(first.extreme_runs)


def test_a_nominal_run_that_fails_is_left_out(tmp_path):
    study = Counted(lambda a, b: abs(a - 1.5) < 1e-3).study()
    result = study.run(out=tmp_path, progress=False)
    assert np.isnan(result.extreme_runs["u"].sel(case="nominal")).all() and np.isfinite(result.extreme_runs["u"].values[1:]).all()
    (figure,) = worst_figures(result, ["u"])
    assert "nominal run" not in [mark.label for mark in figure.panels[0].marks]
    assert "The nominal run, in the middle of the inputs, fails and is not drawn." in figure.caption
    assert "the run in the middle" not in " ".join(summary_of(result, sections(result)).sentences)


def test_a_run_that_fails_when_it_is_made_again_is_left_out(result):
    runs = result.extreme_runs.copy(deep=True)
    runs["u"].loc[{"case": "lower"}] = np.nan
    (figure,) = worst_figures(result.replaced(extreme_runs=runs), ["u"])
    assert "run of the lowest value" not in [mark.label for mark in figure.panels[0].marks]
    assert "The run of the lowest value failed when it was made again, and is not drawn." in figure.caption


@pytest.mark.parametrize("view", [matplotlib_view.draw, plotly_view.draw])
def test_both_views_draw_the_runs(view, result):
    (figure,) = worst_figures(result, ["u"])
    drawn = view(figure)
    if view is plotly_view.draw:
        assert {"nominal run", "run of the highest value"} <= {trace.name for trace in go.Figure(drawn).data}
        assert go.Figure(drawn).layout.hovermode == "x unified", "values of all runs at one time"
    else:
        assert {"lowest", "highest"} <= {text.get_text() for text in drawn.axes[0].texts}


def test_runs_that_are_not_stored_are_made_again_with_the_nominal_one(study, result):
    """As with histories that are not kept: every case once, in one batch."""
    trial = Trial(study)
    trial.checked()
    asked = []

    class Watched:
        def simulate(self, samples):
            asked.append({key: values.tolist() for key, values in samples.items()})
            return Trial(study).checked().simulate(samples)

    trial.__dict__["tried"] = trial.tried._replace(simulator=Watched())
    store = {"columns": {}, "extras": [], "inputs": ["a", "b"], "time": study.grid()}
    store["column"] = lambda name, rows: np.zeros(len(rows), np.int8)
    empty = SimpleNamespace(find=lambda samples, extras: np.full(len(samples["a"]), -1), **store)
    found = extreme_runs(result, trial, empty)
    xr.testing.assert_equal(found, result.extreme_runs)
    assert len(asked) == 1 and len(set(zip(*asked[0].values()))) == len(asked[0]["a"]) <= 5


def test_methods_that_do_not_say_where_bounds_are_make_no_run(tmp_path):
    counted = Counted()
    result = counted.study(method=uq.Grid(points=3)).run(out=tmp_path, progress=False)
    assert not result.extreme_runs.data_vars and len(counted.runs) == 1
