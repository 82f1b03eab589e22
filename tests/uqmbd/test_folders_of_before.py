"""Folders of results that version 0.1.0 wrote can be opened, reported, gone on with and reused.

`folders_0_1_0` has them as two commits of that version wrote them, with ``make.py`` that made them: six finished studies and three that
were killed half-way.
"""

import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.runs.where import folders_of
from uqmbd.study.running_methods import run_methods
from uqmbd.study.watching import so_far

HERE = Path(__file__).parent / "folders_0_1_0"
FINISHED = ("chebyshev", "montecarlo", "scalars", "pce", "mixed", "several")
HALF = {"half": "montecarlo", "half_scalars": "scalars", "half_chebyshev": "chebyshev"}
RUNS_ONLY = ("extreme_runs", "step_error")  # groups that tell of single runs


@pytest.fixture(scope="module", params=["96624225", "c9fb6a70"])
def packed(request):
    """Name and content of an archive of folders."""
    if request.param == "96624225" and sys.version_info[:2] != (3, 11):
        pytest.skip("this one counted functions by the bytecode of Python 3.11")
    return HERE / f"{request.param}.tar.xz"


@pytest.fixture
def folder(packed, tmp_path):
    """A folder with the studies, their model, and their folders of results."""
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture(scope="module")
def places():
    """Where results of today are, by study: one for all tests of an archive."""
    return {}


@pytest.fixture
def today(packed, places, tmp_path_factory):
    """Results of a study as they are made today in one go, in a folder of their own."""

    def made(name, folder):
        if (packed, name) not in places:
            places[packed, name] = tmp_path_factory.mktemp("today") / name
            run_methods(uq.Study.from_file(folder / f"{name}.toml"), out=places[packed, name], progress=False)
        return places[packed, name]

    return made


def assert_near(found, wanted, runs, what):
    """The same numbers but for rounding: another processor, on which these folders were made, sums in another order.

    `runs` are values of the output, whose rounding is that of an error, which is a difference of such values.
    """
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, what
    if found.dtype.kind != "f":
        assert np.array_equal(found, wanted), what
        return
    size = max(np.abs(each[np.isfinite(each)]).max(initial=0.0) for each in (wanted, runs))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13 * size, err_msg=what)


def assert_same(place, other):
    """Two folders of results have the same numbers, in the results and in their runs."""
    for mine, its in zip(folders_of(place), folders_of(other), strict=True):
        found, wanted = uq.open_results(mine), uq.open_results(its)
        assert list(wanted.groups())
        for key, group in wanted.groups():
            if key not in RUNS_ONLY:
                mine = getattr(found, key)
                assert set(mine.variables) == set(group.variables), key
                for name in group.variables:
                    runs = wanted.runs[name].values if name in wanted.runs else np.zeros(1)
                    assert_near(mine[name].values, group[name].values, runs, f"{key}: {name}")
        for name in wanted.runs.data_vars:
            assert_near(found.runs[name].values, wanted.runs[name].values, np.zeros(1), f"runs: {name}")


@pytest.mark.parametrize("name", FINISHED)
def test_a_finished_one_is_opened_and_gone_on_with(folder, uqmbd, today, name):
    place = folder / name
    for each in folders_of(place):
        opened = uq.open_results(each)
        assert opened.attrs["runs"] == np.isfinite(opened.runs["input:k"].values).sum() and len(opened.table())
    means = {each.name: uq.open_results(each).table()["mean"] for each in folders_of(place) if "mean" in uq.open_results(each).table()}
    code, said = uqmbd("resume", place)  # the model is not where it was: its copy in the folder is taken
    assert code == 0 and ("(0 simulated" in said or "reused" in said), said
    assert_same(place, today(name, folder))
    for each in folders_of(place):
        assert each.name not in means or uq.open_results(each).table()["mean"].equals(means[each.name])


@pytest.mark.parametrize("name", FINISHED)
def test_a_finished_one_is_reused_by_its_study(folder, today, name):
    study = uq.Study.from_file(folder / f"{name}.toml")
    done = run_methods(study, out=folder / name, progress=False)
    assert all(one.tally is None or one.tally.simulated == 0 for one in done.values())
    assert_same(folder / name, today(name, folder))


@pytest.mark.parametrize("name", HALF)
def test_a_killed_one_is_watched_and_ends_as_if_it_had_not_been_killed(folder, today, name):
    study, place = uq.Study.from_file(folder / f"{HALF[name]}.toml"), folder / name
    seen = so_far(study, place)
    assert 0 < seen.runs < seen.most and "has not ended" in seen.result.facts.note
    done = next(iter(run_methods(study, out=place, progress=False).values()))
    assert 0 < done.tally.simulated == done.tally.asked - seen.runs
    assert_same(place, today(HALF[name], folder))


@pytest.mark.report
def test_a_report_of_one_is_written(folder, uqmbd):
    code, said = uqmbd("report", folder / "montecarlo")
    assert code == 0 and "x:rms" in (folder / "montecarlo" / "report.html").read_text(encoding="utf-8"), said
    assert (folder / "montecarlo" / "figures").is_dir()


def test_a_shorter_study_uses_the_runs_of_one(folder):
    text = (folder / "montecarlo.toml").read_text()
    (folder / "more.toml").write_text(text.replace("samples = 24", "samples = 30"))
    done = next(iter(run_methods(uq.Study.from_file(folder / "more.toml"), out=folder / "montecarlo", progress=False).values()))
    assert (done.tally.simulated, done.tally.asked) == (6, 30)


def test_another_model_is_refused(folder, uqmbd):
    model = folder / "model.py"
    model.write_text(model.read_text().replace("MASS = 2.0", "MASS = 3.0"))
    code, said = uqmbd("run", folder / "montecarlo.toml", "--out", folder / "montecarlo")
    assert code == 2 and "differs in: model: MASS in model.py" in said


def test_a_folder_of_several_methods_may_be_moved(folder, uqmbd):
    assert uqmbd("run", folder / "several.toml", "--out", folder / "here")[0] == 0
    (folder / "here").rename(folder / "there")
    for label in ("pce", "sampled"):
        assert np.isfinite(uq.open_results(folder / "there" / label).runs["frequency"]).all()
    assert uqmbd("resume", folder / "there")[1].count("nothing to simulate") == 2
    assert not (folder / "here").exists()
