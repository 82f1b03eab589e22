"""Commands that look at results: list, show, compare, export; and the schema of study files."""

import json
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.campaign.locking import Lock
from uqmbd.methods import METHODS
from uqmbd.result import open_results
from uqmbd.spec.reading import read_spec
from uqmbd.spec.schema import schema

ROOT = Path(__file__).resolve().parents[2]
STUDIES = sorted((ROOT / "studies").glob("*/*.toml"))


@pytest.fixture
def done(write_study, uqmbd, tmp_path):
    """Results of a small study."""
    assert uqmbd("run", write_study())[0] == 0
    return tmp_path / "results" / "osc"


def test_list_tells_results_runs_and_states(done, uqmbd, tmp_path):
    code, said = uqmbd("list")
    assert code == 0 and [word in said for word in ("osc", "montecarlo", "finished", "40")] == [True] * 4
    (done / "done.json").unlink()
    assert "stopped" in uqmbd("list", tmp_path)[1]
    (done / "result.zarr").rename(done / "away.zarr")
    assert "interrupted" in uqmbd("list", tmp_path)[1]
    lock = Lock(done)
    assert "running" in uqmbd("list", tmp_path)[1]
    lock.release()


def test_list_counts_failed_runs(write_study, uqmbd, tmp_path):
    model = "def scalar(k, c):\n    return {'y': k if k > 9.1 else float('nan')}\n"
    changes = (
        ("model.py:oscillator", "model.py:scalar"),
        ('["x", "peak", "x:rms"]', '["y"]'),
        ("samples = 40", "samples = 200\nmax_failed = 0.5"),
    )
    assert uqmbd("run", write_study(*changes, model=model))[0] == 0
    runs = open_results(tmp_path / "results/osc").runs
    failed = int((runs.status > 0).sum())
    row = next(line for line in uqmbd("list")[1].splitlines() if "montecarlo" in line)
    assert failed > 2 and row.split()[3:5] == ["200", str(failed)]


def test_show_has_the_table_of_a_run(done, uqmbd):
    code, said = uqmbd("show", done)
    assert code == 0 and "<Result of osc (montecarlo): 40 runs" in said and "peak" in said and "report.html" in said


def test_compare_says_what_was_asked_and_found_otherwise(done, write_study, uqmbd, tmp_path):
    assert uqmbd("run", write_study(("samples = 40", "samples = 60")), "--out", tmp_path / "more")[0] == 0
    code, said = uqmbd("compare", done, tmp_path / "more")
    assert code == 0 and "method.samples: 40 -> 60" in said and "numbers differ" in said and "mean" in said
    assert "0 of " in uqmbd("compare", done, done)[1]


def test_compare_measures_histories_by_their_band(write_study, uqmbd, tmp_path):
    box = ("interval = [0.1, 0.2]", "interval = [0.1, 0.3]")
    text = ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', box[0]), (
        'distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"), (
        'type = "montecarlo"\nsamples = 40', 'type = "chebyshev"')  # fmt: skip
    assert uqmbd("run", write_study(*text), "--out", tmp_path / "a")[0] == 0
    assert uqmbd("run", write_study(*text, box), "--out", tmp_path / "b")[0] == 0
    said = uqmbd("compare", tmp_path / "a", tmp_path / "b")[1]
    assert "inputs.c.interval: [0.1, 0.2] -> [0.1, 0.3]" in said and "largest change" in said and "upper" in said


@pytest.mark.parametrize("at_once", [64 << 20, 1500])
def test_exported_runs_are_those_of_the_store(at_once, done, uqmbd, tmp_path, monkeypatch):
    """All at once, and a few at a time."""
    import uqmbd.exporting as exporting

    monkeypatch.setattr(exporting, "AT_ONCE", at_once)
    runs = open_results(done).runs
    for suffix in ("csv", "parquet", "nc"):
        assert uqmbd("export", done, tmp_path / f"to/runs.{suffix}")[0] == 0
    tables = pd.read_csv(tmp_path / "to/runs.csv", index_col="run"), pd.read_parquet(tmp_path / "to/runs.parquet")
    for name in ("input:k", "input:c", "peak", "status"):
        for table in tables:
            np.testing.assert_array_equal(table[name], runs[name])
    with xr.open_dataset(tmp_path / "to/runs.nc", engine="h5netcdf") as whole:
        np.testing.assert_array_equal(whole["x"], runs["x"])
        assert whole["input:k"].attrs["unit"] == runs["input:k"].attrs["unit"]
    from pyarrow import parquet

    assert parquet.read_schema(tmp_path / "to/runs.parquet").field("input:k").metadata[b"unit"].decode() == runs["input:k"].attrs["unit"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("list", "nowhere"), "there is no such folder"),
        (("show", "."), "there is no result here"),
        (("compare", ".", "."), "there is no result here"),
        (("export", ".", "runs.csv"), "there are no runs here"),
        (("export", ".", "runs.xls"), "known are .csv"),
        (("schema", "--out", "no/folder/schema.json"), "cannot be written"),
    ],
)
def test_what_is_not_there_is_a_sentence(command, words, uqmbd):
    code, said = uqmbd(*command)
    assert code == 2 and words in said and "Traceback" not in said


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_studies_fit_the_schema(file):
    jsonschema.Draft202012Validator(schema()).validate(tomllib.loads(file.read_text(encoding="utf-8")))


GOOD = {
    "study": {"model": "model.py:f"}, "outputs": {"include": ["y"]}, "method": {"type": "chebyshev"},
    "inputs": {"k": {"interval": [1.0, 2.0]}},
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"studdy": {}},
        {"method": {"type": "chebishev"}},
        {"method": {"type": "chebyshev", "degre": 3}},
        {"method": {"degree": 3}},
        {"inputs": {"k": {"intervall": [1.0, 2.0]}}},
        {"inputs": {"k": {"interval": [1.0]}}},
        {"inputs": {"k": {"interval": [1.0, 2.0], "fuzzy": {"type": "triangular", "lower": 1.0, "mode": 2.0, "upper": 3.0}}}},
        {"inputs": {"k": {"distribution": {"type": "normall"}}}},
        {"campaign": {"workers": "two"}},
        {"time": {"points": 3}},
        {"time": {"end": 1.0, "points": 1}},
        {"time": {"end": 0.0}},
        {"method": {"type": "chebyshev", "degree": -1}},
        {"method": {"type": "chebyshev", "degree": {"k": 0}}},
        {"method": {"type": "chebyshev", "questions": ["bound"]}},
        {"method": {"type": "grid", "points": 1}},
        {"method": {"type": "pce", "degree": []}},
        {"method": {"type": "pce", "warp": "cubic"}},
        {"method": {"type": "fuzzy", "levels": 1}},
        {"method": {"type": "montecarlo", "samples": 20, "quantiles": [0.5, 1.0]}},
        {"method": {"type": "sensitivity", "approach": "sobol", "samples": 20, "confidence": 1.0}},
        {"method": []},
        {"campaign": {"workers": -1}},
        {"campaign": {"timeout": 0.0}},
        {"inputs": {}},
        {"study": {"name": "f"}},
        {"study": {"model": "model.py:f", "command": ["run"]}},
        {"study": {"simulator": "model.py:F", "model": "model.py:f", "command": ["run"]}},
    ],
)
def test_the_schema_marks_mistakes(change, tmp_path):
    validator = jsonschema.Draft202012Validator(schema())
    assert validator.is_valid(GOOD) and not validator.is_valid(GOOD | change)
    (tmp_path / "model.py").write_text("def f(k):\n    return {'y': k}\n")
    read_spec(GOOD, tmp_path / "study.toml")
    with pytest.raises(uq.StudyError):  # it marks nothing that could be read
        read_spec(GOOD | change, tmp_path / "study.toml")


@pytest.mark.parametrize(
    "change",
    [
        {"study": {"command": ["run", "{{k}}"]}},
        {"study": {"simulator": "model.py:F"}},
        {"study": {"simulator": "model.py:F", "model": "model.py:f"}},
        {"inputs": None, "sets": {"s": {"inputs": ["a", "b"], "covariance": [[1, 0], [0, 1]], "center": [0, 0], "radius": 1}}},
        {"method": {"type": "chebyshev", "degree": {"k": 3}, "questions": ["bounds", "width"]}},
        {"method": {"type": "pce", "degree": [2, 3], "warp": {"kinks": "y"}, "quantiles": [0.1, 0.5]}},
        {"method": {"type": "fuzzy", "levels": [0, 0.5, 1]}},
        {"method": [{"type": "grid", "points": {"k": 3}}, {"type": "grid", "label": "finer", "points": 9}]},
        {"campaign": {"workers": 0, "timeout": 1}},
    ],
)
def test_the_schema_takes_what_is_right(change):
    found = {key: table for key, table in (GOOD | change).items() if table is not None}
    jsonschema.Draft202012Validator(schema()).validate(found)


def test_the_schema_knows_every_method(uqmbd, tmp_path):
    assert uqmbd("schema", "--out", tmp_path / "schema.json")[0] == 0
    found = json.loads((tmp_path / "schema.json").read_text())
    for kind in ("method", "labelled_method"):
        *ours, _ = found["$defs"][kind]["oneOf"]  # and those from outside
        assert {one["properties"]["type"]["const"] for one in ours} == set(METHODS)
    jsonschema.Draft202012Validator.check_schema(found)
