"""Sobol' indices by pick-freeze blocks: exact values and SALib's, streaming, dropped blocks."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.sensitivity import designs, pick_freeze
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods.sensitivity import sobol as sobol_run
from uqmbd.outcomes import OutputInfo
from uqmbd.result import open_results
from uqmbd.study import Study, TimeGrid

from .loop import drive
from .sensitivity_models import (
    ANGLES,
    FIRST,
    G_FIRST,
    G_TOTAL,
    PI,
    PROBLEM,
    TOTAL,
    UNIT,
    ishigami,
    ishigami_twice,
    pick,
    sobol,
    sobol_g,
    waves,
)


def blocks(samples=64, columns=5, second=True, seed=3):
    """A pick-freeze design of three inputs and some outputs."""
    layout = pick_freeze.Layout(3, second)
    u = designs.saltelli(samples, layout, np.random.default_rng(seed))
    x = u @ np.random.default_rng(1).standard_normal((3, columns))
    return layout, np.sin(3 * x) + x**2 + 1e3 * np.arange(columns)


# exact values -----------------------------------------------------------------------------------------------------------------------------
def test_ishigami_sobol():
    result, runs = drive(sobol(4096, second_order=True), ANGLES, ishigami)
    assert runs == 4096 * 8 == sobol(4096, second_order=True).planned_runs(ANGLES)[0]
    for kind, exact in (("first", FIRST), ("total", TOTAL)):
        assert pick(result, kind) == pytest.approx(exact, abs=0.012)
        assert (pick(result, f"{kind}_lower") <= exact).all() and (exact <= pick(result, f"{kind}_upper")).all()
    assert list(result.interaction["pair"].values) == ["x1*x2", "x1*x3", "x2*x3"]
    assert result.interaction["f"].values == pytest.approx([0, TOTAL[2], 0], abs=0.02)
    assert float(result.statistics["f"].sel(statistic="std")) ** 2 == pytest.approx(13.844587940719254, rel=0.015)


def test_sobol_g():
    result, _ = drive(sobol(2048), UNIT, sobol_g)
    for kind, exact in (("first", G_FIRST), ("total", G_TOTAL)):
        assert pick(result, kind, "g")[:4] == pytest.approx(exact, abs=1.5e-2)
        assert (pick(result, f"{kind}_lower", "g")[:4] <= exact).all() and (exact <= pick(result, f"{kind}_upper", "g")[:4]).all()


@pytest.mark.parametrize("groups", [sobol_run.SCALAR_GROUPS, 100])
def test_confidence_covers(groups, monkeypatch):
    """Limits of 95 % hold in 50 repetitions at least 47 times for each index; Sobol' points scatter less than the bootstrap thinks."""
    monkeypatch.setattr(sobol_run, "SCALAR_GROUPS", groups)
    held = np.zeros((2, 2, 3))
    for seed in range(50):
        result, _ = drive(sobol(1024), ANGLES, ishigami_twice, seed=seed)
        for i, (kind, exact) in enumerate((("first", FIRST), ("total", TOTAL))):
            for j, (output, at) in enumerate((("f", ...), ("h", (..., 0)))):
                low, high = (pick(result, f"{kind}_{end}", output)[at] for end in ("lower", "upper"))
                held[i, j] += (low <= exact) & (exact <= high)
    assert held.min() >= 47


def test_one_input():
    """All shares are its own, and it has no pairs."""
    result, _ = drive(
        sobol(64, second_order=True), {"a": Interval(0, 1)}, lambda time, a: {"f": a**2, "h": a[:, None] * [1, 2]}, time=[0, 1]
    )
    assert pick(result, "total") == pytest.approx([1], abs=0.05) and pick(result, "first", "h") == pytest.approx(np.ones((1, 2)), abs=0.05)
    assert result.interaction["f"].size == 0


@pytest.mark.parametrize("second", [False, True])
def test_sobol_is_salibs(second):
    from SALib.analyze import sobol

    layout, y = blocks(second=second)
    found = pick_freeze.Estimator(layout, pick_freeze.Sums.single(layout, y.reshape(64, layout.length, -1))).indices().shares()
    count, mean, moment, _ = pick_freeze.sums_of(layout, y.reshape(64, layout.length, -1))
    summed = pick_freeze.Sums(np.array([count]), mean[None], moment[None], np.ones(mean.shape[-1]))
    pooled = pick_freeze.Estimator(layout, summed).indices().shares()
    few = pick_freeze.Sums.grouped(layout, y.reshape(64, layout.length, -1), 10)
    assert few.count.tolist() == [7] * 4 + [6] * 6
    grouped = pick_freeze.Estimator(layout, few).indices().shares()
    for i in range(y.shape[1]):
        theirs = sobol.analyze(PROBLEM, y[:, i], calc_second_order=second, num_resamples=2, seed=1)
        for ours in (found, pooled, grouped):
            assert ours["first"][:, i] == pytest.approx(theirs["S1"], rel=1e-10, abs=1e-10)
            assert ours["total"][:, i] == pytest.approx(theirs["ST"], rel=1e-10, abs=1e-10)
            if second:
                assert ours["second"][:, i] == pytest.approx(theirs["S2"][np.triu_indices(3, 1)], rel=1e-10, abs=1e-10)


# streaming --------------------------------------------------------------------------------------------------------------------------------
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_batches(data):
    """However the runs are cut, reduced or not, with limits: the same to the last digit."""
    fail = (lambda x: (x["x1"] > 3.1) & (x["x2"] > 1.5)) if data.draw(st.booleans()) else None
    given = sobol(data.draw(st.sampled_from([36, 40])), second_order=data.draw(st.booleans()), max_failed=0.5)
    whole, _ = drive(given, ANGLES, waves, time=np.arange(4.0), fail=fail)
    batch = data.draw(st.integers(1, 200))
    cut, _ = drive(given, ANGLES, waves, time=np.arange(4.0), fail=fail, batch=batch, reduced=data.draw(st.booleans()))
    for (name, a), (_, b) in zip(whole.groups(), cut.groups(), strict=True):
        for key in a.data_vars:
            assert np.array_equal(a[key].values, b[key].values, equal_nan=True), name
    assert cut.attrs == whole.attrs


def test_in_a_study(tmp_path):
    """Through the campaign, whose batches cut blocks, with failed runs; then extended, which reuses the runs."""

    def model(x1, x2, x3, time):
        if x2 > 2.9:
            raise ValueError("beyond")
        f = ishigami(0, x1, x2, x3)["f"]
        return {"f": f, "h": np.array([f, x1, x1 * x2 - 3 * x3, 2.5])}

    def study(samples):
        given = {"method": sobol(samples, max_failed=0.2), "time": TimeGrid(end=3, points=4), "outputs": ["f", "h"]}
        return Study(model=model, inputs=ANGLES, name="s", campaign={"seed": 4, "workers": 0, "store": "scalars", "batch": 13}, **given)

    first = study(16).run(out=tmp_path, progress=False)
    more = study(48).run(out=tmp_path, progress=False)
    assert (first.attrs["runs_simulated_last"], more.attrs["runs_simulated_last"]) == (80, 160)

    def alone(time, x1, x2, x3):
        f = ishigami(0, x1, x2, x3)["f"]
        return {"f": f, "h": np.column_stack([f, x1, x1 * x2 - 3 * x3, np.full_like(f, 2.5)])}

    direct, _ = drive(sobol(48, max_failed=0.2), ANGLES, alone, time=np.arange(4.0), seed=4, fail=lambda x: x["x2"] > 2.9)
    assert direct.attrs["blocks_dropped"] == more.attrs["blocks_dropped"] > 0
    for name in ("sensitivity", "statistics", "aggregated"):
        for key, values in getattr(direct, name).data_vars.items():
            assert getattr(more, name)[key].values == pytest.approx(values.values, rel=1e-11, abs=1e-11)
    saved = open_results(tmp_path)
    assert saved.sensitivity["h"].sel(kind="total", input="x1").values == pytest.approx(pick(direct, "total", "h")[0], rel=1e-11)


def two_products(time, a, b):
    return {"h": np.stack([a + 2 * b, a * b], axis=1)}


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
def test_inputs_with_ties(batch):
    """Runs that a discrete input makes equal do not confuse where blocks begin."""
    inputs = {name: Random({"type": "discreteuniform", "lower": 0, "upper": 1}) for name in ("a", "b")}
    whole, _ = drive(sobol(24), inputs, two_products, time=[0, 1])
    cut, _ = drive(sobol(24), inputs, two_products, time=[0, 1], batch=batch)
    assert cut.sensitivity["h"].values == pytest.approx(whole.sensitivity["h"].values, rel=1e-11, abs=1e-11)
    assert pick(whole, "total", "h")[1, 0] > pick(whole, "total", "h")[0, 0]


def test_reduce_is_picklable_and_small():
    run = sobol(512).start(ANGLES, {"h": OutputInfo("m")}, np.arange(300.0), 1)
    samples = run.ask()
    part = {name: values[7:400] for name, values in samples.items()}
    reduced = pickle.loads(pickle.dumps(run.reduce))(part, {"h": np.tile(part["x1"][:, None], 300)}, np.zeros(393, np.int8))
    assert sum(array.nbytes for array in reduced.values()) < 0.7 * 393 * 300 * 8
    with pytest.raises(RuntimeError, match="not of this design"):
        run.reduce({name: values + 1 for name, values in part.items()}, {"h": np.zeros((393, 300))}, np.zeros(393, np.int8))


def test_more_samples_extend():
    few, many = (sobol(n).start(ANGLES, {"f": OutputInfo("m", None)}, np.zeros(0), 5).ask()["x2"] for n in (64, 256))
    assert np.array_equal(few, many[: len(few)])


# failed runs ------------------------------------------------------------------------------------------------------------------------------
def one_of(n):
    """Fails the n-th run only (of all runs, in one batch)."""
    return lambda x: np.arange(len(x["x1"])) == n


def test_one_nan_among_1280():
    """SALib gives zeros or NaN; here a block is left out and said so."""
    from SALib.analyze import sobol as theirs

    given = sobol(256)
    result, runs = drive(given, ANGLES, ishigami, fail=one_of(700), batch=2000)
    assert runs == 1280
    assert (result.attrs["blocks"], result.attrs["blocks_dropped"], result.attrs["runs_failed"]) == (256, 1, 1)
    assert "1 of 256 blocks hold a failed run" in result.facts.note
    clean, _ = drive(given, ANGLES, ishigami, batch=2000)
    assert pick(result, "first") == pytest.approx(pick(clean, "first"), abs=0.02)
    u = designs.saltelli(256, pick_freeze.Layout(3), np.random.default_rng(1))
    y = ishigami(0, *(2 * PI * u.T - PI))["f"]
    y[700] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spoilt = theirs.analyze(PROBLEM, y, calc_second_order=False, num_resamples=2)["S1"]
    assert not np.nan_to_num(spoilt).any()


def test_too_few_blocks():
    with pytest.raises(StudyError, match="blocks of 5 runs are without a failed run"):
        drive(sobol(16, max_failed=0.9), ANGLES, ishigami, fail=lambda x: np.arange(len(x["x1"])) % 5 == 0)
