"""Long histories are fitted, evaluated and bounded a few columns at a time: the same numbers to the last bit, in memory that is bounded."""

import tracemalloc

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.base import columnwise
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.methods import PCE, Chebyshev, FuzzyBounds, MonteCarlo, Taylor1, Vertex
from uqmbd.study.reporting import write_reports
from uqmbd.study.session import run_study

from .loop import drive

POINTS = 33_001  # two blocks of `LEAST` columns and more
BOX = {"a": Interval(1, 2), "b": Interval(-1, 1)}
LAW = {"type": "uniform", "lower": 1, "upper": 2}
RANDOM = {"a": Random(LAW), "b": Random(LAW)}
CUTS = {"a": Fuzzy({"type": "triangular", "lower": 1, "mode": 1.4, "upper": 2}), "b": Interval(-1, 1)}


def wave(time, a, b):
    a, b = a[:, None], b[:, None]
    return {"x": a * np.sin(7 * time) + np.exp(b * time) + a * b * time**2, "peak": (a * b)[:, 0]}


CASES = [
    (Chebyshev(degree=3, questions=["indices", "width"]), BOX),
    (Chebyshev(degree=3, corner_runs=True), BOX),
    (Chebyshev(grid="sparse", max_runs=60), BOX),
    (Chebyshev(degree=2, enclosure="cosine"), BOX),
    (Taylor1(), BOX),
    (Vertex(), BOX),
    (FuzzyBounds(degree=3), CUTS),
    (PCE(degree=3, samples=40), RANDOM),
    (PCE(degree=2, samples=40, sparse=False, questions=["indices", "bounds"]), BOX),
    (MonteCarlo(samples=30), RANDOM),
]


@pytest.mark.parametrize(
    ("method", "inputs"),
    [CASES[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in CASES[1:])],
    ids=lambda case: getattr(case, "name", ""),
)
def test_blocks_change_no_bit(method, inputs, monkeypatch):
    time = np.linspace(0, 1, POINTS)
    assert len(columnwise.blocks(POINTS + 1, 1)) == 1
    whole, _ = drive(method, inputs, wave, time=time)
    monkeypatch.setattr(columnwise, "LARGEST", 1000)
    assert len(columnwise.blocks(POINTS + 1, 1)) == 2
    parts, _ = drive(method, inputs, wave, time=time)
    for (key, group), (_, other) in zip(whole.groups(), parts.groups(), strict=True):
        assert set(group.data_vars) == set(other.data_vars), key
        for name in group.data_vars:
            assert np.array_equal(group[name].values, other[name].values, equal_nan=True), (key, name)
    for name in whole.surrogates.data_vars:
        assert np.array_equal(whole.surrogates[name].values, parts.surrogates[name].values)


def test_squares_are_added_up_as_numpy_does(monkeypatch):
    values = np.random.default_rng(0).normal(size=(7, 54_321))
    monkeypatch.setattr(columnwise, "LARGEST", 1000)
    assert columnwise.sum_of_squares(values) == float((values**2).sum())


def test_blocks_hold_every_column_once():
    for columns in (1, 16_383, 16_384, 32_767, 32_768, 1_000_000):
        for rows in (1, 100, 10_000):
            found = columnwise.blocks(columns, rows)
            assert [at.start for at in found] == [0, *(at.stop for at in found[:-1])] and found[-1].stop == columns
            assert len(found) == 1 or min(at.stop - at.start for at in found) >= columnwise.LEAST


def test_the_error_of_a_kept_history_is_no_attribute_of_a_million_numbers(tmp_path):
    result, _ = drive(Chebyshev(degree=3), BOX, wave, time=np.linspace(0, 1, 50))
    assert "error" not in result.surrogates["x"].attrs
    result.save(tmp_path)
    again = uq.open_results(tmp_path).surrogate("x")
    assert np.array_equal(again.error, result.surrogate("x").error) and again.error.shape == (50,)
    assert result.surrogate("peak").error.shape == ()


@pytest.mark.slow
@pytest.mark.report
@pytest.mark.parametrize(
    ("method", "inputs", "most", "few"),
    [
        (Chebyshev(degree=3), BOX, 900, 100_000),
        (PCE(degree=3, samples=26), RANDOM, 1000, 20_000),  # it takes 0.3 ms a time
        (MonteCarlo(samples=26), RANDOM, 1000, 40_000),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_memory_grows_with_the_times_by_a_bounded_factor(method, inputs, most, few, tmp_path):
    """Of 26 runs, whose outcomes take 208 bytes at each time: results, tables and report take no more than a few times that."""

    def peak(points: int) -> int:
        time = np.linspace(0, 1, points)

        def model(a, b):
            return {"x": a * np.sin(7 * time) + b * time**2 + a * b * time}

        study = uq.Study(
            model=model, inputs=inputs, outputs=["x"], method=method, time=uq.TimeGrid(end=1.0, points=points), name=f"long{points}",
            campaign={"workers": 0},
        )  # fmt: skip
        tracemalloc.start()
        try:
            write_reports({"": run_study(study, out=tmp_path / str(points), progress=False)})
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1000)  # what is imported
    assert (peak(3 * few) - peak(few)) / (2 * few) < most
