"""Outputs that a run may lack: that is no failure, it is counted, and methods that need all values say so before the first run."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.opening import read_header
from uqmbd.campaign.worker import Job, checked
from uqmbd.errors import StudyError
from uqmbd.methods import METHODS
from uqmbd.outcomes import ERROR, Outcomes, OutputInfo
from uqmbd.result import open_results
from uqmbd.study.available import outputs_of
from uqmbd.study.replay import replay
from uqmbd.study.storing import stored_outputs
from uqmbd.study.trial import Trial

from .loop import drive
from .method_gallery import ALL

TIME = uq.TimeGrid(end=1.0, points=5)
MAY_MISS = {"t": OutputInfo("s", None, may_miss=True), "h": OutputInfo("m", may_miss=True), "y": OutputInfo("m", None)}
OUTPUTS = ["passes", "way", "top", "way:max"]


def thrown(speed, height, time):
    """A ball thrown upwards: when it first passes a height, which it need not reach, and its way while it rises."""
    rise = speed**2 - 2 * 9.81 * height
    when = (speed - np.sqrt(rise)) / 9.81 if rise >= 0 else None
    way = np.where(time <= speed / 9.81, speed * time - 0.5 * 9.81 * time**2, np.nan)
    return {"passes": (when, "s"), "way": (way, "m"), "top": (speed**2 / (2 * 9.81), "m")}


thrown.may_miss = ["passes", "way"]
SCATTER = {"speed": uq.Uniform(3.0, 6.0, unit="m/s"), "height": uq.Uniform(0.2, 2.0, unit="m")}
BOX = {"speed": uq.Interval(3.0, 6.0, unit="m/s"), "height": uq.Interval(0.2, 2.0, unit="m")}


def study(method=None, inputs=None, outputs=OUTPUTS, model=thrown, **more):
    settings = {"campaign": {"workers": 0, "batch": 7}, "name": "thrown", "time": TIME} | more
    method = method or uq.MonteCarlo(samples=60)
    return uq.Study(model=model, inputs=inputs or SCATTER, outputs=list(outputs), method=method, **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("thrown") / "r"
    study().run(out=place, progress=False, report=False)
    return place


@pytest.fixture(scope="module")
def result(folder):
    return open_results(folder)


def exact(runs):
    speed, height, time = runs["input:speed"].values[:, None], runs["input:height"].values, np.linspace(0.0, 1.0, 5)
    with np.errstate(invalid="ignore"):
        passes = (speed[:, 0] - np.sqrt(speed[:, 0] ** 2 - 2 * 9.81 * height)) / 9.81
    return passes, np.where(time <= speed / 9.81, speed * time - 0.5 * 9.81 * time**2, np.nan)


# what a study finds -------------------------------------------------------------------------------------------------------------------
def test_a_missing_value_is_no_failure_and_is_counted(result):
    runs = result.runs.load()
    passes, way = exact(runs)
    assert result.attrs["runs_failed"] == 0 and not runs["status"].any() and 0 < np.isnan(passes).sum() < 60
    np.testing.assert_allclose(runs["passes"], passes, rtol=1e-12)
    np.testing.assert_allclose(runs["way"], way, rtol=1e-12)
    assert set(result.missing.data_vars) == {"passes", "way", "way:max"}
    assert int(result.missing["passes"]) == np.isnan(passes).sum()
    assert int(result.missing["way:max"]) == np.isnan(way).any(axis=1).sum()
    np.testing.assert_array_equal(result.missing["way"], np.isnan(way).sum(axis=0))
    assert any(f"{np.isnan(passes).sum()} of 60 ok runs lack 'passes'; what" in note for note in result.facts.notes)


def test_statistics_are_those_of_the_values_that_are_there(result):
    passes, way = exact(result.runs.load())
    found = result.statistics["passes"]
    there = passes[~np.isnan(passes)]
    assert float(found.sel(statistic="q50")) == pytest.approx(np.quantile(there, 0.5), rel=1e-12)
    alone, _ = drive(uq.MonteCarlo(samples=len(there)), {"u": uq.Uniform(0.0, 1.0)}, lambda time, u: {"passes": there[: len(u)]})
    np.testing.assert_allclose(found, alone.statistics["passes"], rtol=1e-12)  # limits are those of as many runs
    known = ~np.isnan(way).all(axis=0)
    rows = {"mean": np.nanmean, "min": np.nanmin, "max": np.nanmax, "q25": lambda x, axis: np.nanquantile(x, 0.25, axis)}
    for word, of in rows.items():
        found = result.statistics["way"].sel(statistic=word)
        np.testing.assert_allclose(found[known], of(way[:, known], axis=0), rtol=1e-12, err_msg=word)
        assert np.isnan(found[~known]).all()
    assert known.sum() in (3, 4) and not np.isnan(result.statistics["top"]).any()


def test_other_outputs_have_the_statistics_that_they_have_alone(result, tmp_path):
    alone = study(outputs=["top"]).run(out=tmp_path, progress=False, report=False)
    np.testing.assert_array_equal(alone.statistics["top"], result.statistics["top"])


@pytest.mark.parametrize("store", ["scalars", "all"])
def test_what_batches_are_reduced_to_is_enough_and_a_study_goes_on(store, result, tmp_path):
    """Some runs first, then all: statistics are those of all at once."""
    how = {"campaign": {"workers": 0, "batch": 11, "store": store}}
    study(uq.MonteCarlo(samples=33), **how).run(out=tmp_path, progress=False, report=False)
    found = study(**how).run(out=tmp_path, progress=False, report=False)
    assert found.attrs["runs_simulated_last"] == 27
    for group in ("statistics", "missing", "inner"):
        assert found[group].equals(result[group]), group


@pytest.mark.report
def test_the_report_says_how_many_are_missing(tmp_path):
    study().run(out=tmp_path, progress=False)
    assert "of 60 ok runs lack &#39;passes&#39;" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Ok runs without way" in (tmp_path / "tables" / "missing_way.tex").read_text(encoding="utf-8")


LISTED = {"speed": [3.0, 6.0, 4.0], "height": [2.0, 0.2, 0.3]}


@pytest.mark.parametrize("method", [uq.Grid(points=6), uq.List(samples=LISTED)], ids=["grid", "list"])
def test_parameter_studies_take_them(method, tmp_path):
    found = study(method, BOX).run(out=tmp_path, progress=False, report=False)
    passes, way = exact(found.runs.load())
    np.testing.assert_allclose(found.inner["passes"], [np.nanmin(passes), np.nanmax(passes)], rtol=1e-12)
    assert int(found.missing["passes"]) == np.isnan(passes).sum() > 0
    np.testing.assert_allclose(found.statistics["way"].sel(statistic="mean")[:3], np.nanmean(way[:, :3], axis=0), rtol=1e-12)


def test_an_output_that_all_runs_lack_has_no_statistics(tmp_path):
    found = study(inputs=SCATTER | {"height": uq.Uniform(5.0, 6.0)}).run(out=tmp_path, progress=False)
    assert int(found.missing["passes"]) == 60 and np.isnan(found.statistics["passes"].sel(statistic=["mean", "q50", "max"])).all()
    assert np.isnan(found.inner["passes"]).all()


def test_the_greatest_run_is_one_that_has_the_value(folder, result):
    for name in ("passes", "way"):
        found = replay(study(), result, folder, name, "upper")
        assert found.again == found.reached == np.nanmax(result.runs[name])


def test_a_derived_output_is_missing_where_its_parts_are(tmp_path):
    formulas = {"later": "passes + '1 s'", "root": "sqrt(top - '1 m')"}
    found = study(outputs=["later", "passes", "root"], derived=formulas, method=uq.MonteCarlo(samples=60, max_failed=0.9))
    runs = found.run(out=tmp_path, progress=False, report=False).runs.load()
    ok = runs["status"].values == 0
    assert np.array_equal(~ok, runs["input:speed"].values ** 2 < 2 * 9.81), "a root of what is negative is a failure"
    np.testing.assert_array_equal(runs["later"][ok], runs["passes"][ok] + 1.0)
    assert np.isnan(runs["later"][ok]).any()


# what is declared ---------------------------------------------------------------------------------------------------------------------
@ALL
def test_every_method_takes_missing_values_or_says_that_it_does_not(case):
    if case.method.takes_missing:
        assert case.method.treated(MAY_MISS) == MAY_MISS
        return
    with pytest.raises(StudyError, match=f"{case.method.name} needs 't' of every run, and the model says that it may be missing") as raised:
        case.method.treated(MAY_MISS)
    able = [name for name, method in METHODS.items() if method.takes_missing]
    assert all(name in raised.value.remedy for name in able) and raised.value.key == "outputs.include"


@pytest.mark.parametrize("name", ["chebyshev", "pce"])
def test_it_is_said_before_the_first_run(name, tmp_path):
    method, inputs = (uq.Chebyshev(degree=4), BOX) if name == "chebyshev" else (uq.PCE(degree=2, samples=20), SCATTER)
    with pytest.raises(StudyError, match="needs 'passes' of every run"):
        study(method, inputs).run(out=tmp_path, progress=False)
    assert not list((tmp_path / "runs").glob("*.runs"))


def test_the_model_says_it_and_so_does_the_store(folder):
    info = Trial(study()).info
    assert [name for name, one in info.items() if one.may_miss] == ["passes", "way", "way:max"]
    assert stored_outputs(read_header(folder)) == info
    found = outputs_of(study())
    assert found["passes"].kind == "number, may be missing" and found["way"].kind == "over time, may be missing"


def test_what_the_model_does_not_declare_fails_as_before(tmp_path):
    def silent(speed, height, time):
        return thrown(speed, height, time)

    some = SCATTER | {"height": uq.Uniform(0.2, 1.5, unit="m")}
    made = study(uq.MonteCarlo(samples=60, max_failed=0.9), some, model=silent, outputs=["passes"])
    assert made.run(out=tmp_path, progress=False, report=False).attrs["runs_failed"] > 0


@pytest.mark.parametrize(("said", "words"), [("passes", "is no list of names"), (["pases"], 'did you mean "passes"')])
def test_a_declaration_that_is_none_is_a_sentence(said, words):
    def model(speed, height, time):
        return thrown(speed, height, time)

    model.may_miss = said
    with pytest.raises(StudyError) as raised:
        Trial(study(model=model)).checked()
    assert words in str(raised.value)


def test_a_function_of_arrays_declares_them_too(result):
    @uq.vectorized
    def arrays(speed, height, time):
        with np.errstate(invalid="ignore"):
            passes = (speed - np.sqrt(speed**2 - 2 * 9.81 * height)) / 9.81
            way = np.where(time <= speed[:, None] / 9.81, speed[:, None] * time - 0.5 * 9.81 * time**2, np.nan)
        return {"passes": (passes, "s"), "way": (way, "m"), "top": (speed**2 / (2 * 9.81), "m")}

    arrays.may_miss = ["passes", "way"]
    runs = result.runs.load()
    samples = {name: runs[f"input:{name}"].values for name in SCATTER}
    done = Trial(study(model=arrays, outputs=[*OUTPUTS, "way:time_of_max"])).checked().simulate(samples)
    assert not done.status.any()
    for name in OUTPUTS:
        np.testing.assert_allclose(done.outputs[name], runs[name], rtol=1e-12)
    assert np.array_equal(np.isnan(done.outputs["way:time_of_max"]), np.isnan(done.outputs["way"]).any(axis=1))


def test_an_infinite_value_is_a_failure():
    job = Job(None, ("t", "y"), {"t": (), "y": ()}, "float64", may_miss=frozenset({"t"}))
    arrays = {"t": np.array([np.nan, np.inf, 1.0]), "y": np.array([1.0, 1.0, np.nan])}
    found = checked(job, Outcomes(arrays, np.zeros(3, np.int8), [""] * 3), 3)
    assert found.status.tolist() == [0, ERROR, ERROR]
