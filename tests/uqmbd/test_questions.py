"""What is asked of a surrogate besides its bounds, against closed forms."""

import numpy as np
import pytest

from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.sets.basis_change import chebyshev_of, legendre_of, to_chebyshev, to_legendre
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import PCE, Chebyshev, read_method

from .loop import drive

ISHIGAMI = {name: Interval(-np.pi, np.pi) for name in "abc"}
FIRST, TOTAL = [0.3139, 0.4424, 0.0], [0.5576, 0.4424, 0.2437]  # Saltelli et al. (2008), a = 7, b = 0.1


def ishigami(time, a, b, c):
    return {"y": np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)}


@pytest.mark.parametrize(
    ("settings", "near"),
    [
        ({"degree": {"a": 12, "b": 20, "c": 6}}, 1e-4),
        ({"grid": "sparse", "max_runs": 1000}, 1e-4),
        ({"split": True, "degree": 6, "tolerance": 1e-3, "max_runs": 20_000}, 2e-3),
    ],
)
def test_indices_of_the_ishigami_function(settings, near):
    result, _ = drive(Chebyshev(questions=["bounds", "indices"], **settings), ISHIGAMI, ishigami)
    table = result.sensitivity["y"]
    assert table.sel(kind="first").values == pytest.approx(FIRST, abs=near)
    assert table.sel(kind="total").values == pytest.approx(TOTAL, abs=near)
    assert list(table["kind"].values) == ["main_effect", "first", "total"] and "equally likely" in result.facts.note
    if "split" not in settings:
        assert float(result.interaction["y"].sel(pair="a*c")) == pytest.approx(0.2437, abs=1e-4)


@pytest.mark.parametrize(
    "method", [Chebyshev(questions=["indices"]), Chebyshev(grid="sparse", questions=["indices", "width"]), PCE(samples=30, degree=3)]
)
def test_a_single_input_has_all_of_the_variance_and_no_pairs(method):
    result, _ = drive(method, {"a": Interval(0.0, 1.0)}, lambda time, a: {"y": a**2})
    assert result.sensitivity["y"].sel(kind=["first", "total"]).values == pytest.approx(1.0)
    assert not result.interaction.data_vars


BOX = {"a": Interval(0.0, 2.0), "b": Interval(-1.0, 1.0)}


def quadratic(time, a, b):
    """On [0, 2] x [-1, 1]: 0 to 4 in a, 0 to 2 in b, so a width of 6; with a halved 0.25 to 2.25, with b halved 0 to 0.5."""
    return {"y": a**2 + 2 * b**2, "h": (a**2 + 2 * b**2)[:, None] * np.array([0.0, 1.0])}


@pytest.mark.parametrize(
    "method",
    [
        Chebyshev(degree=3, questions=["width"]),
        Chebyshev(grid="sparse", questions=["width"]),
        Chebyshev(split=True, degree=4, tolerance=1e-3, questions=["width"]),
        PCE(samples=60, degree=3, questions=["width", "bounds"]),
    ],
)
def test_widths_of_a_quadratic_function(method):
    result, _ = drive(method, BOX, quadratic, time=[0.0, 1.0])
    assert result.sensitivity["y"].sel(kind="width_reduction").values == pytest.approx([1 - 4 / 6, 1 - 4.5 / 6], abs=1e-3)
    assert result.sensitivity["h"].sel(kind="width_reduction").values[:, 0].tolist() == [0, 0]  # nothing to be narrowed


def test_bounds_of_an_expansion_in_legendre_polynomials():
    result, _ = drive(PCE(samples=60, degree=3, questions=["bounds"]), BOX, quadratic, time=[0.0, 1.0])
    low, high = result.bounds["y"].values
    assert low <= 0 and high >= 6 and [low, high] == pytest.approx([0, 6], abs=1e-4)
    assert result.bounds["h"].values[:, 0].tolist() == [0, 0]


@pytest.mark.parametrize("degree", [0, 1, 2, 7, 40])
def test_bases_are_each_other_s_inverse(degree):
    assert to_legendre(degree) @ to_chebyshev(degree) == pytest.approx(np.eye(degree + 1), abs=1e-11)


def test_there_and_back():
    expansion = TensorExpansion(np.random.default_rng(0).normal(size=(4, 3, 5)))
    points = np.random.default_rng(1).uniform(-1, 1, (30, 2))
    chaos = legendre_of(expansion)
    assert chaos.evaluate((points + 1) / 2) == pytest.approx(expansion.evaluate(points), abs=1e-12)
    assert chebyshev_of(chaos.select(slice(1, 4))).evaluate(points) == pytest.approx(expansion.evaluate(points)[:, 1:4], abs=1e-12)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"type": "chebyshev", "questions": ["indeces"]}, 'did you mean "indices"'),
        ({"type": "chebyshev", "questions": "indices"}, "questions are a list"),
        ({"type": "pce", "samples": 50, "questions": ["width"]}, "'b' is random, and the question width"),
    ],
)
def test_mistakes_are_one_sentence(table, words):
    inputs = {"a": Interval(0, 1), "b": Random({"type": "normal", "mean": 0, "std": 1})}
    with pytest.raises(StudyError, match=words):
        read_method(table).check(inputs)
