"""A model that changes its working folder changes it for its own call: the study, and its runs, are where they were begun."""

import os

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.simulators.folder import kept_folder

CHANGES = """
import os, pathlib, tempfile
def f(k, c):
    name = pathlib.Path.cwd().name
    os.chdir(tempfile.gettempdir())
    {then}
    return {{"y": k * c, "same": float(name == "{folder}")}}
"""
NUMBERS = (("model.py:oscillator", "model.py:f"), ('["x", "peak", "x:rms"]', '["y", "same"]'), ("[time]\nend = 2.0\npoints = 21\n", ""))


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("then", ["pass", "if k > 10.5: raise ValueError(k)"])
def test_a_study_is_where_it_was_begun(workers, then, write_study, uqmbd, tmp_path):
    changes = (*NUMBERS, ("workers = 0", f"workers = {workers}"), ("samples = 40", "samples = 8\nmax_failed = 0.9"))
    study = write_study(*changes, model=CHANGES.format(then=then, folder=tmp_path.name))
    code, said = uqmbd("run", "study.toml")
    assert code == 0 and f"report: {os.path.join('results', 'osc', 'report.html')}" in said, said
    assert os.getcwd() == str(tmp_path)
    runs = uq.open_results(tmp_path / "results" / "osc").runs.load()
    good = runs["status"].values == 0
    assert runs["same"].values[good].all()  # every run begins in the same folder, whatever those before did
    assert np.array_equal(good, (runs["input:k"].values <= 10.5) | (then == "pass"))
    assert uqmbd("resume", "results/osc")[0] == 0 and study.is_file()


def test_functions_are_called_where_their_file_went_as_it_was_imported(write_study, uqmbd, tmp_path):
    """``os.chdir(os.path.dirname(__file__))`` at the head of a model, and a data file beside it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "factor.txt").write_text("3.0")
    model = """
    import os
    os.chdir(os.path.join(os.path.dirname(__file__), "data"))
    def f(k, c):
        return {"y": k * float(open("factor.txt").read()), "same": 1.0}
    """
    write_study(*NUMBERS, model=model)
    code, said = uqmbd("run", "study.toml")
    assert code == 0, said
    assert os.getcwd() == str(tmp_path) and (tmp_path / "results" / "osc" / "result.zarr").is_dir()
    assert sorted(os.listdir(tmp_path / "data")) == ["factor.txt"]
    runs = uq.open_results(tmp_path / "results" / "osc").runs
    np.testing.assert_array_equal(runs["y"].values, 3.0 * runs["input:k"].values)


def test_a_folder_that_is_gone_disturbs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    with kept_folder():
        os.chdir(gone)
        gone.rmdir()
    assert os.getcwd() == str(tmp_path)


def test_results_named_from_python_stay_where_the_study_was_begun(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def wanders(a):
        os.chdir("/")
        return {"y": a}

    study = uq.Study(model=wanders, inputs={"a": uq.Interval(1, 2)}, outputs=["y"], method=uq.Vertex(), name="w", campaign={"workers": 0})
    study.run(report=False)
    study.run(out="there", report=False)
    assert {"results", "there"} <= set(os.listdir(tmp_path)) and os.getcwd() == str(tmp_path)
