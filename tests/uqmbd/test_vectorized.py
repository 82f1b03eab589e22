"""Models of arrays: one call a batch, and what is wrong with a run is that run's alone."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.batches import Task
from uqmbd.campaign.worker import Job, run_safely
from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR
from uqmbd.simulators.detect import SimulatorSpec, make_simulator
from uqmbd.simulators.model import find_model

ARRAYS = """
import numpy as np

def oscillator(k, c, time):
    assert k.shape == c.shape == (len(k),)
    x = np.exp(-c[:, None] * time) * np.cos(np.sqrt(k)[:, None] * time)
    return {"x": (x, "m"), "peak": abs(x[:, time.size // 2 :]).max(axis=1)}
"""
INPUTS = {"a": uq.Uniform(1.0, 2.0), "b": uq.Uniform(3.0, 4.0)}


def study(model, tmp_path, *, samples=200, outputs=("y",), vectorized=True, **more):
    return uq.Study(
        model=model, inputs=INPUTS, outputs=list(outputs), method=uq.MonteCarlo(samples=samples), vectorized=vectorized, name="v", **more
    )


def run(model, tmp_path, **more):
    return study(model, tmp_path, **more).run(out=tmp_path / "r", workers=0, progress=False)


def test_arrays_give_what_numbers_give(write_study, tmp_path, uqmbd):
    """In a study file, with histories and reductions, and again by the file that is kept beside the results."""
    include = ('"x", "peak", "x:rms"', '"x", "peak", "x:rms", "x:max", "x:abs_max", "x:mean", "x:min", "x:final", "x:time_of_max"')
    by_number = uq.Study.from_file(write_study(include)).run(out=tmp_path / "numbers")
    path = write_study(include, ('model = "model.py:oscillator"', 'model = "model.py:oscillator"\nvectorized = true'), model=ARRAYS)
    code, output = uqmbd("run", path, "--out", "arrays")
    assert code == 0, output
    by_array = uq.open_results(tmp_path / "arrays")
    for name in by_number.runs.data_vars:
        a, b = by_number.runs[name].values, by_array.runs[name].values
        assert np.array_equal(a, b) if a.dtype.kind != "f" else np.allclose(a, b, rtol=1e-13, atol=1e-15), name
    assert by_array.runs["x"].attrs["unit"] == by_array.runs["x:rms"].attrs["unit"] == "m"
    assert by_array.attrs["simulator"]["simulator"] == "function of arrays"
    code, output = uqmbd("resume", "arrays")
    assert code == 0 and "nothing to simulate" in output


def test_the_decorator_says_it_too(tmp_path):
    @uq.vectorized
    def product(a, b):
        assert a.shape == b.shape == (a.size,)
        return a * b

    result = run(product, tmp_path, vectorized=False)
    assert result.attrs["simulator"]["simulator"] == "function of arrays"
    assert np.array_equal(result.runs["y"], result.runs["input:a"] * result.runs["input:b"])


def test_a_row_that_is_nan_is_a_run_that_failed(tmp_path):
    result = run(lambda a, b: {"y": np.where(a > 1.97, np.nan, a * b)}, tmp_path, samples=400)
    failed = result.runs["input:a"].values > 1.97
    assert 5 < failed.sum() < 20
    assert np.array_equal(result.runs["status"].values == 3, failed)
    assert set(result.runs["message"].values[failed]) == {"output 'y' is NaN or infinite"}


def test_rows_that_are_infinite_are_compared_without_a_warning(tmp_path):
    def inverse(a):
        with np.errstate(divide="ignore"):
            return {"y": 1.0 / np.where(a < 0.5, 0.0, a)}

    study = uq.Study(model=inverse, vectorized=True, inputs={"a": uq.Interval(0.0, 1.0)}, outputs=["y"], method=uq.Grid(points=3), name="s")
    with pytest.raises(StudyError, match="1 of 3 runs failed"):
        study.run(workers=0, out=tmp_path, progress=False)


def test_a_batch_that_raises_is_halved_down_to_the_runs_that_do(tmp_path):
    def picky(a, b):
        if (a > 1.98).any():
            raise ValueError("too much")
        return {"y": a * b}

    result = run(picky, tmp_path, samples=400)
    failed = result.runs["input:a"].values > 1.98
    assert 0 < failed.sum() < 20
    assert np.array_equal(result.runs["status"].values == 3, failed)
    assert all("the model raised ValueError: too much" in text for text in result.runs["message"].values[failed])


@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (lambda a, b: {"y": float(a.sum())}, {}, r"called with 4 runs and gave 'y' in shape \(\), where \(4,\) is expected"),
        (lambda a, b: {"y": a[:-1]}, {}, r"shape \(3,\), where \(4,\)"),
        (lambda a, b: {"y": np.outer(a, b)}, {}, r"shape \(4, 4\), where \(4,\)"),
        (
            lambda a, b, time: {"y": np.sin(time)},
            {"time": uq.TimeGrid(end=1.0, points=7)},
            r"shape \(7,\), where \(4,\) or \(4, 7\)(?s:.)*\(runs, 7\)",
        ),
        (lambda a, b: {"y": a * b}, {"time": uq.TimeGrid(end=1.0, points=7), "outputs": ["y:max"]}, r"shape \(4,\), where \(4, 7\)"),
        (lambda a, b: {"y": a - a.mean()}, {}, "other values in a batch than alone"),
        (lambda a, b: {"y": np.full(len(a), a[0] * b[0])}, {}, "other values in a batch than alone"),
        (lambda a, b: {"y": np.cumsum(a)}, {}, "other values in a batch than alone"),
        (lambda a, b: {"y": a if a > b else b}, {}, r"raises ValueError(?s:.)*np\.where"),
        (lambda a, b: {"y": a + 1j * b}, {}, "'y' is not a real number or an array of real numbers but complex128"),
        (lambda a, b: {"z": a}, {}, "no output 'y'"),
        (lambda a, b: {"y": a}, {"campaign": {"timeout": 1.0}}, "called for a batch"),
        (lambda a, b: {"y": a}, {"solver": {"tolerance": 1e-6}}, "only models that return a flexmbd System"),
    ],
)
def test_what_is_wrong_is_said_before_the_campaign(model, more, words, tmp_path):
    with pytest.raises(StudyError, match=words):
        study(model, tmp_path, **more).check()


def test_a_masked_row_is_a_run_that_failed(tmp_path):
    result = run(lambda a, b: {"y": np.ma.array(a, mask=a > 1.99)}, tmp_path)
    failed = result.runs["input:a"].values > 1.99
    assert failed.any() and (result.runs["status"].values == ERROR)[failed].all() and not result.runs["status"].values[~failed].any()


def test_a_shape_that_changes_in_the_campaign_ends_it(tmp_path):
    with pytest.raises(StudyError, match=r"gave 'y' in shape \(1,\)"):
        run(lambda a, b: {"y": a * b if a.size < 5 else a[:1]}, tmp_path)


def test_numbers_and_arrays_are_different_models(tmp_path):
    def product(a, b):
        return {"y": a * b}

    assert study(product, tmp_path).model.digest != study(product, tmp_path, vectorized=False).model.digest


def test_a_batch_is_one_call():
    """Two million runs of y = a b, as a worker does them: simulated and checked."""
    calls, n = [], 2_000_000

    def product(a, b):
        calls.append(len(a))
        return {"y": a * b}

    few = {"a": np.linspace(1.0, 2.0, 4), "b": np.linspace(3.0, 4.0, 4)}
    simulator = make_simulator(SimulatorSpec(find_model(uq.vectorized(product), "."), ("y",), None, few, {}))
    calls.clear()
    samples = {"a": np.linspace(1.0, 2.0, n), "b": np.linspace(3.0, 4.0, n)}
    outcomes = run_safely(Job(simulator, None, {"y": ()}, "float64"), Task(samples))
    assert np.array_equal(outcomes.outputs["y"], samples["a"] * samples["b"])
    assert calls == [n]
