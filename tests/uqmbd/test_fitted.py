"""What every fitted surrogate answers, on ``y = 1 + a + a b + 2 b²`` over [-1, 1]², whose numbers have closed forms."""

import numpy as np
import pytest

from uqmbd.analysis.base.fitted import Coordinate, Fitted, OnBox, sobol
from uqmbd.analysis.chaos.expansion import Expansion as Chaos
from uqmbd.analysis.chebyshev.expansions import SparseExpansion, TensorExpansion
from uqmbd.analysis.chebyshev.pieces import PiecewiseExpansion
from uqmbd.analysis.sets.basis_change import legendre_of
from uqmbd.questions.indices import shares_of
from uqmbd.surrogates.kriging import Kriging

TERMS = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 2]])
SPARSE = SparseExpansion(TERMS, np.array([[2.0, 1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0]]).T)  # 2 b² = 1 + T_2(b); and a itself
C = np.zeros((2, 3, 2))
C[tuple(TERMS.T)] = SPARSE.c
TENSOR = TensorExpansion(C)


def y(points):
    a, b = points.T
    return np.stack([1 + a + a * b + 2 * b**2, a], axis=1)


class Plain(Fitted):
    """Nothing but values: all else is what any kind has."""

    inputs, count = 2, 2

    def __init__(self, columns=slice(None)):
        self.columns = np.arange(2)[columns]
        self.count = len(self.columns)

    def evaluate(self, points):
        return y(points)[:, self.columns]

    def select(self, columns):
        return Plain(self.columns[columns])


HALVES = np.array([[[-1.0, -1.0], [0.0, 1.0]], [[0.0, -1.0], [1.0, 1.0]]])
POINTS = 2 * sobol(2, 128) - 1
KINDS = {
    "tensor": TENSOR,
    "sparse": SPARSE,
    "pieces": PiecewiseExpansion(HALVES, tuple(TENSOR.restricted(half.T) for half in HALVES)),
    "chaos": legendre_of(TENSOR),
    "kriging": Kriging.fit(POINTS, y(POINTS), kernel="gauss"),
    "plain": Plain(),
}
EXACT = {"tensor", "sparse", "chaos"}
BOX = pytest.mark.parametrize("kind", KINDS)
# variances of a, a b and 2 b²: 1/3, 1/9, 16/45
VARIANCE = 1 / 3 + 1 / 9 + 16 / 45


def on_box(kind):
    """Over [-1, 1]², whatever its coordinate."""
    return KINDS[kind].over_box()


@BOX
def test_values_of_all_and_of_some(kind):
    at = 2 * sobol(2, 16) - 1
    assert on_box(kind).evaluate(at) == pytest.approx(y(at), abs=1e-4)
    assert on_box(kind).select(np.array([1])).evaluate(at) == pytest.approx(y(at)[:, 1:], abs=1e-4)
    assert (on_box(kind).inputs, on_box(kind).count) == (2, 2)


@BOX
def test_slopes(kind):
    at = 0.9 * (2 * sobol(2, 16) - 1)
    a, b = at.T
    gradient = on_box(kind).gradient(at)
    assert gradient[:, :, 0] == pytest.approx(np.stack([1 + b, a + 4 * b], axis=1), abs=1e-3)
    owner = np.arange(16) % 2
    value, slope = on_box(kind).value_and_slope(owner, at)
    assert value == pytest.approx(y(at)[np.arange(16), owner], abs=1e-4)
    assert slope == pytest.approx(gradient[np.arange(16), :, owner], abs=1e-6)


@BOX
def test_range_over_the_box_and_a_part_of_it(kind):
    """Least at b = -a/4 on the side a = -1: -1/8; greatest at (1, 1): 5. With a = 0 it is 1 to 1.5 for b in [0, 0.5]."""
    gap = np.full(2, 1e-6)
    assert on_box(kind).range("bernstein", gap)[0] == pytest.approx(np.array([[-0.125, -1], [5, 1]]), abs=1e-3)
    part = on_box(kind).restricted(np.array([[0.0, 0.0], [0.0, 0.5]]))
    assert part.range("bernstein", gap)[0] == pytest.approx(np.array([[1, 0], [1.5, 0]]), abs=1e-3)


@BOX
def test_moments(kind):
    """The mean is 5/3; exact where a kind knows its moments, else those of a sample."""
    surrogate, u = KINDS[kind], sobol(2, 2**14)
    sample = u if surrogate.coordinate is Coordinate.CUBE else 2 * u - 1
    mean, std, _ = surrogate.moments(sample)[:, 0]
    near = 1e-12 if kind == "chaos" else 1e-3
    assert mean == pytest.approx(5 / 3, rel=near) and std == pytest.approx(VARIANCE**0.5, rel=near)


@BOX
def test_sobol_indices(kind):
    surrogate = KINDS[kind]
    first, total, second = shares_of(surrogate if kind == "chaos" else on_box(kind))
    near = 1e-12 if kind in EXACT else 5e-3
    assert first[:, 0] == pytest.approx(np.array([1 / 3, 16 / 45]) / VARIANCE, abs=near)
    assert total[:, 0] == pytest.approx(np.array([4 / 9, 7 / 15]) / VARIANCE, abs=near)
    assert second is None if kind not in EXACT else second[0, 0] == pytest.approx(1 / 9 / VARIANCE, abs=near)


@BOX
def test_main_effects(kind):
    """a from -1 to 1, and 2 b² from 0 to 2, the other input averaged."""
    assert on_box(kind).main_effect_widths()[:, 0] == pytest.approx([2, 2], abs=0.02)


def test_only_kriging_states_a_spread():
    at = 2 * sobol(2, 8) - 1
    assert {kind for kind in KINDS if on_box(kind).std(at) is not None} == {"kriging"}
    whole = KINDS["kriging"]
    assert OnBox(whole, np.tile([-1.0, 1.0], (2, 1))).std(at) == pytest.approx(whole.std(at))


def test_chaos_is_asked_in_the_unit_cube():
    chaos = KINDS["chaos"]
    assert isinstance(chaos, Chaos) and chaos.coordinate is Coordinate.CUBE
    assert chaos.evaluate(np.array([[0.5, 0.75]]))[0] == pytest.approx([1.5, 0.0])
