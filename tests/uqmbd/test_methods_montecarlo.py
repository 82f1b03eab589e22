"""Monte Carlo against exact moments; reduced, batched and whole runs agree; designs are what they claim."""

import pickle

import numpy as np
import pytest

from uqmbd.analysis.base.design import DESIGNS, unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import METHODS, MonteCarlo, read_method
from uqmbd.outcomes import OutputInfo

from .loop import drive


def uniform(lower, upper):
    return Random({"type": "uniform", "lower": lower, "upper": upper})


ANGLES = {f"x{i}": uniform(-np.pi, np.pi) for i in (1, 2, 3)}
PLANE = {"a": uniform(1, 2), "b": Random({"type": "normal", "mean": 0, "std": 1})}


def ishigami(time, x1, x2, x3):
    return {"f": np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1)}


BOREHOLE = {
    "rw": uniform(0.05, 0.15),
    "r": uniform(100, 50_000),
    "tu": uniform(63_070, 115_600),
    "hu": uniform(990, 1110),
    "tl": uniform(63.1, 116),
    "hl": uniform(700, 820),
    "length": uniform(1120, 1680),
    "kw": uniform(9855, 12_045),
}


def borehole(time, rw, r, tu, hu, tl, hl, length, kw):
    log = np.log(r / rw)
    return {"flow": 2 * np.pi * tu * (hu - hl) / (log * (1 + 2 * length * tu / (log * rw**2 * kw) + tu / tl))}


def wave(time, a, b):
    return {"x": a[:, None] * np.cos(time) + b[:, None], "x:max": a + b, "x:min": b - a}


def stat(result, output, name):
    return result.statistics[output].sel(statistic=name).values


@pytest.mark.parametrize("design", DESIGNS)
def test_ishigami(design):
    """Mean a/2 and variance 13.8446 (REFERENCES, section 6), within the stated confidence limits."""
    result, _ = drive(MonteCarlo(samples=8192, design=design), ANGLES, ishigami, seed=4)
    assert stat(result, "f", "mean_lower") <= 3.5 <= stat(result, "f", "mean_upper")
    assert stat(result, "f", "std") ** 2 == pytest.approx(13.844587940719254, rel={"random": 0.04, "lhs": 0.03, "sobol": 2e-3}[design])
    if design == "sobol":
        assert stat(result, "f", "mean") == pytest.approx(3.5, abs=2e-3)


def test_borehole():
    result, _ = drive(MonteCarlo(samples=8192, design="sobol"), BOREHOLE, borehole)
    assert stat(result, "flow", "mean") == pytest.approx(77.6513, abs=0.02)
    assert stat(result, "flow", "std") ** 2 == pytest.approx(2078.93, rel=2e-3)
    middle = borehole(0, *(item.ppf(np.array([0.5])) for item in BOREHOLE.values()))["flow"][0]
    assert middle == pytest.approx(70.87291263681897, rel=1e-14)


def test_histories_and_scalars_agree():
    """One time of a history and the scalar that equals it have the same statistics."""
    result, _ = drive(MonteCarlo(samples=1500), PLANE, wave, time=[0.0, 1.0, 2.0])
    for name in ("mean", "std", "q05", "q50", "q95", "q25_lower", "q75_upper", "mean_lower", "min", "max"):
        assert result.statistics["x"].sel(statistic=name).values[0] == pytest.approx(float(stat(result, "x:max", name)), rel=1e-12)
    assert result.attrs["history_quantile_runs"] == 1500
    assert list(result.statistics) == ["x", "x:max", "x:min"]
    assert result.inner["x"].sel(bound="upper").values[0] == stat(result, "x:max", "max")


@pytest.mark.parametrize("design", DESIGNS)
def test_batches_and_reduction_change_nothing(design):
    method = MonteCarlo(samples=500, design=design, history_runs=120)
    time = np.linspace(0, 2, 9)
    whole, _ = drive(method, PLANE, wave, time=time, batch=500)
    for batch, reduced in ((7, False), (64, True), (500, True)):
        other, _ = drive(method, PLANE, wave, time=time, batch=batch, reduced=reduced)
        for (_, a), (_, b) in zip(whole.groups(), other.groups()):
            assert a.identical(b)
        assert other.attrs == whole.attrs
    assert whole.attrs["history_quantile_runs"] == 120


def test_reduction_is_small_and_picklable():
    method = MonteCarlo(samples=5000, history_runs=10)
    run = method.start(PLANE, {"x": OutputInfo("m")}, np.linspace(0, 1, 50), 1)
    samples = {name: values[:1000] for name, values in run.ask().items()}
    reduce = pickle.loads(pickle.dumps(run.reduce))
    assert len(pickle.dumps(run.reduce)) < 4000
    later = {name: values[1000:2000] for name, values in run._samples.items()}
    size = [sum(v.nbytes for v in reduce(s, {"x": np.ones((1000, 50))}, np.zeros(1000, np.int8)).values()) for s in (samples, later)]
    assert size[0] < 10_000 and size[1] < 5_000
    assert run.ask() is None


def test_failed_runs_are_counted_and_left_out():
    with pytest.raises(StudyError, match=r"90 of 1000 runs failed, most of them where a > 1\.9; .* 0\.05 of them"):
        drive(MonteCarlo(samples=1000), PLANE, wave, time=[0.0, 1.0], fail=lambda s: s["a"] > 1.9)
    result, _ = drive(MonteCarlo(samples=1000, max_failed=0.2), PLANE, wave, time=[0.0, 1.0], fail=lambda s: s["a"] > 1.9)
    assert result.attrs["runs_failed"] == result.attrs["runs_diverged"] == pytest.approx(100, abs=30)
    assert result.attrs["runs_ok"] + result.attrs["runs_failed"] == 1000
    assert "left out" in result.facts.note
    assert np.isfinite(stat(result, "x", "mean")).all()
    with pytest.raises(StudyError, match="none of the 10 runs"):
        drive(MonteCarlo(samples=10), PLANE, wave, time=[0.0], fail=lambda s: s["a"] > 0)


@pytest.mark.parametrize("output", ["x", "x:max"])
def test_nan_in_an_ok_run_is_an_error(output):
    def broken(time, a, b):
        values = wave(time, a, b)
        values[output][-1] = np.nan
        return values

    with pytest.raises(StudyError, match=f"its output '{output}' is nan"):
        drive(MonteCarlo(samples=10), PLANE, broken, time=[0.0, 1.0])


def test_one_run_and_constant_outputs():
    result, _ = drive(MonteCarlo(samples=1), PLANE, wave, time=[0.0])
    assert np.isnan(stat(result, "x", "std")).all() and np.isneginf(stat(result, "x", "mean_lower")).all()
    result, _ = drive(MonteCarlo(samples=50), PLANE, lambda time, a, b: {"c": np.full((len(a), 2), 0.1), "z": 0 * a}, time=[0.0, 1.0])
    assert stat(result, "c", "std").max() < 1e-17 and stat(result, "z", "std") == 0
    assert stat(result, "c", "q95") == pytest.approx([0.1, 0.1], rel=1e-15)


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_fill_each_axis(design):
    u = unit_points(design, 256, 3, generator(1, 0))
    assert u.shape == (256, 3) and u.min() > 0 and u.max() < 1
    if design != "random":  # one point in every slice of each axis
        assert np.array_equal(np.sort(np.floor(u * 256), axis=0), np.tile(np.arange(256)[:, None], (1, 3)))
    if design != "lhs":
        assert np.array_equal(unit_points(design, 100, 3, generator(1, 0)), u[:100])
    assert np.array_equal(unit_points(design, 256, 3, generator(1, 0)), u)
    assert not np.array_equal(unit_points(design, 256, 3, generator(2, 0)), u)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: MonteCarlo(samples=10).check({"k": Interval(0, 1)}),
            "methods that can: basins, bifurcation, calibrate, chebyshev",
        ),
        (lambda: MonteCarlo(), "'samples' is missing"),
        (lambda: MonteCarlo(samples=0), "greater than or equal to 1"),
        (lambda: MonteCarlo(samples=10, design="sobel"), "sobol"),
        (lambda: read_method({"type": "montecarlo", "sample": 10}), 'did you mean "samples"'),
        (lambda: read_method(3), "needs its type"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)


def test_registry():
    assert all(method.name == name for name, method in METHODS.items())
    assert all(method.__doc__ and method.accepts for method in METHODS.values())
    assert MonteCarlo(samples=5).planned_runs(PLANE) == (5, 5)
