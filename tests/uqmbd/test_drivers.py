"""Which inputs drive failures and passed limits, and indices in a part of the box: against closed forms, and against chance."""

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
    far = distances(rng.random((400, 2000)), inside)
    assert 0.003 < np.mean(far > by_chance(inside)) < 0.012
    codes = rng.integers(3, size=(400, 1000)).astype(float)
    assert np.mean(distances(codes, inside, range(1000)) > by_chance(inside)) < 0.012


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


@uq.vectorized
def product(x, z):
    return {"y": (x - 1.0) * z}


@pytest.mark.parametrize(
    "inputs",
    [
        {"x": uq.Interval(0.0, 2000.0, unit="mm"), "z": uq.Interval(-1.0, 3.0)},
        {"x": uq.Uniform(0.0, 2000.0, unit="mm"), "z": uq.Interval(-1.0, 3.0)},
    ],
)
def test_indices_in_a_part_of_the_box_are_those_of_the_smaller_box(inputs):
    """Of ``(x - 1) z`` with x uniform on [1, 2] m and z on [-1, 3]: V_x = 1²/12, V_z = (1/2)² 16/12, both together 1/12 · 16/12."""
    result = result_of(uq.Sensitivity(approach="sobol", samples=512, region={"x": [1000, 2000]}), product, inputs)
    parts = np.array([1 / 12, 1 / 3, 1 / 9])
    first = result.sensitivity["y"].sel(kind="first").values
    assert first == pytest.approx(parts[:2] / parts.sum(), abs=0.05)
    x = result.runs["input:x"].values
    assert x.min() >= 1.0 and x.max() <= 2.0
    assert result.attrs["notes"][0] == "the indices are those of the part where x lies in [1000, 2000] mm"


@pytest.mark.parametrize(
    "method",
    [
        uq.Sensitivity(approach="morris", samples=8, region={"law": ["a", "c"], "n": [2, 3]}),
        uq.Sensitivity(approach="shapley", samples=16, region={"law": ["a", "c"], "n": [2, 3]}),
    ],
)
def test_a_part_of_a_choice_and_a_count(method):
    inputs = {"law": LAW, "n": uq.Integers(law={"type": "poisson", "mean": 2.0})}
    result = result_of(method, lambda law, n: {"y": n + len(law)}, inputs)
    assert set(result.runs["input:law"].values) == {0.0, 2.0} and set(result.runs["input:n"].values) == {2.0, 3.0}
    assert "law is a or c and n lies in [2, 3]" in result.attrs["notes"][0]


def test_other_approaches_stay_in_the_part():
    box = {"x": uq.Interval(0.0, 2.0), "z": uq.Interval(-1.0, 3.0)}
    for more in ({"approach": "derivative"}, {"approach": "width", "degree": 2}):
        result = result_of(uq.Sensitivity(**more, region={"x": [1.0, 2.0]}), product, box)
        assert result.runs["input:x"].values.min() >= 1.0 and "x lies in [1, 2]" in result.attrs["notes"][0]


@pytest.mark.parametrize(
    "region, sentence",
    [
        ({"y": [0, 1]}, "there is no input 'y' to have a region"),
        ({"x": [0.5, 3.0]}, "not inside its interval"),
        ({"x": [0.5]}, "two rising numbers"),
        ({"x": [1.0, 0.5]}, "two rising numbers"),
        ({"law": ["d"]}, "'d' is no value of the choice"),
        ({"n": [7, 8]}, "holds none of its values"),
        ({}, "a region is a table of ends by input"),
        ({"x": 1.0}, "is a list, not 1.0"),
    ],
)
def test_regions_that_cannot_be(region, sentence):
    inputs = {"x": uq.Interval(0.0, 2.0), "law": LAW, "n": uq.Integers(1, 3)}
    with pytest.raises(StudyError, match=sentence):
        uq.Sensitivity(approach="sobol", samples=4, region=region).check(inputs)
