"""Which inputs drive failures and passed limits: distances of distributions against closed forms, and how often chance exceeds its limit."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.sensitivity.regional import by_chance, distances
from uqmbd.errors import StudyError
from uqmbd.methods.beyond import drivers_table
from uqmbd.report.failures import failures_drivers

LAW = uq.Choice(["a", "b", "c"])


def fails(x, z, law):
    if x > 0.8 and law == "c":
        raise ValueError("no catch")
    return {"y": x + 0.2 * z}


def result_of(method, model=fails, inputs=None):
    given = inputs or {"x": uq.Uniform(0.0, 1.0), "z": uq.Uniform(0.0, 1.0), "law": LAW}
    study = uq.Study(model=model, inputs=given, outputs=["y"], method=method, name="s", campaign={"workers": 0})
    return study.run(report=False, progress=False)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_distances_are_those_of_the_distributions():
    """Of x among ``x > 0.8`` 0.8; of a choice with shares (1/3, 1/3, 1/3) there and (0.6, 0.2, 0.2) elsewhere 4/15."""
    n = 3000
    x = (np.arange(n) + 0.5) / n
    inside = x > 0.8
    code = np.zeros(n)
    code[inside] = np.arange(600) % 3
    code[~inside] = np.array([0, 0, 0, 1, 2])[np.arange(2400) % 5]
    assert distances(np.column_stack([x, code]), inside, [1]) == pytest.approx([1.0, 4 / 15], abs=1e-12)


def test_one_in_a_hundred_exceeds_the_limit_by_chance():
    rng = np.random.default_rng(5)
    inside = np.arange(400) < 60
    far = distances(rng.random((400, 4000)), inside)
    assert 0.003 < np.mean(far > by_chance(inside)) < 0.012
    codes = rng.integers(3, size=(400, 4000)).astype(float)
    assert np.mean(distances(codes, inside, range(4000)) > by_chance(inside)) < 0.012


def test_the_page_names_the_inputs_that_failures_are_due_to():
    said = failures_drivers(result_of(uq.MonteCarlo(samples=600, max_failed=0.5)))
    assert said.startswith("The inputs in which failed runs differ from the others are x (0.")
    assert ", law (0." in said and "z" not in said.partition(" (distance")[0]


def test_a_limit_that_outputs_pass_has_its_drivers():
    result = result_of(uq.MonteCarlo(samples=600, beyond={"y": "> 0.9"}), lambda x, z: {"y": x + 0.2 * z}, {
        "x": uq.Uniform(0.0, 1.0), "z": uq.Uniform(0.0, 1.0)})  # fmt: skip
    table = drivers_table(result).table
    assert table["input"].tolist() == ["x", "z"]
    x, y = (result.runs[name].values for name in ("input:x", "y"))
    every = np.sort(x)
    far = np.abs([(x[y > 0.9] <= at).mean() - (x[y <= 0.9] <= at).mean() for at in every]).max()
    assert table["distance"].iloc[0] == pytest.approx(far, abs=1e-12)
    assert table["distance"].iloc[1] > table["once in 100 by chance"].iloc[1]
