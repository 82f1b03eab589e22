"""Tensor Chebyshev algebra: interpolation, aliasing, averages."""

import numpy as np
import pytest

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.chebyshev.sparse_grid import Grid
from uqmbd.surrogates.tensor import coefficients, growth


def tensor_points(degrees):
    return np.stack(np.meshgrid(*(chebyshev.nodes(n) for n in degrees), indexing="ij"), axis=-1).reshape(-1, len(degrees))


@pytest.mark.parametrize("degrees", [(5,), (3, 0, 4), (2, 7), (1, 1, 1)])
def test_polynomials_are_reproduced(degrees):
    rng = np.random.default_rng(0)
    c = rng.standard_normal((*(n + 1 for n in degrees), 3))
    values = chebyshev.evaluate_grid(c, [chebyshev.nodes(n) for n in degrees])
    assert chebyshev.coefficients(values, degrees) == pytest.approx(c, abs=1e-13)
    points = rng.uniform(-1, 1, (50, len(degrees)))
    direct = sum(
        c[k] * np.prod([np.cos(k[i] * np.arccos(points[:, i])) for i in range(len(k))], axis=0)[:, None] for k in np.ndindex(c.shape[:-1])
    )
    assert chebyshev.evaluate(c, points, chunk=7) == pytest.approx(direct, abs=1e-12)


def test_convergence_is_geometric():
    """Runge's function: error falls by (√26 - 1)/5... per degree; Trefethen (2013), theorem 8.2, rho = (1 + √26)/5."""
    x = np.linspace(-1, 1, 1001)[:, None]
    errors = []
    for n in (20, 40):
        c = chebyshev.coefficients(1 / (1 + 25 * chebyshev.nodes(n)[:, None] ** 2), (n,))
        errors.append(np.abs(chebyshev.evaluate(c, x)[:, 0] - 1 / (1 + 25 * x[:, 0] ** 2)).max())
    rate = (errors[1] / errors[0]) ** (1 / 20)
    assert rate == pytest.approx(5 / (1 + np.sqrt(26)), abs=0.02)


def test_nodes_hold_ends_and_centre_exactly():
    assert chebyshev.nodes(8)[[0, 4, 8]].tolist() == [1.0, 0.0, -1.0]
    assert chebyshev.nodes(0).tolist() == [0.0]


@pytest.mark.parametrize("ends", [(-1, 1), (-1, 0.2), (0.3, 0.4)])
def test_restriction(ends):
    c = np.random.default_rng(1).standard_normal((9, 2))
    x = np.linspace(-1, 1, 11)
    inside = ends[0] + (ends[1] - ends[0]) * (x + 1) / 2
    part = chebyshev.restriction(8, *ends) @ c
    assert chebyshev.evaluate(part, x[:, None]) == pytest.approx(chebyshev.evaluate(c, inside[:, None]), abs=1e-12)


def test_mean_weights_and_main_effects():
    """f = 3 x + y² + x y: effects 3 x + 1/3 and y² of widths 6 and 1."""
    x, weights = np.polynomial.legendre.leggauss(20)
    assert chebyshev.mean_weights(9) == pytest.approx(weights @ chebyshev.polynomials(x, 9) / 2, abs=1e-14)
    c = np.zeros((3, 3, 1))
    c[1, 0], c[0, 0], c[0, 2], c[1, 1] = 3, 0.5, 0.5, 1
    assert TensorExpansion(c).main_effect_widths()[:, 0] == pytest.approx([6, 1], abs=1e-12)


def test_nested_grids_share_runs():
    grid = Grid()
    first = grid.add((2, 2), 0)
    more = grid.add((4, 2), len(first))
    assert len(first) == 9 and len(more) == 6
    points = np.concatenate([first, more])
    assert points[grid.runs((4, 2))] == pytest.approx(tensor_points((4, 2)), abs=1e-15)


@pytest.mark.parametrize(
    ("tails", "budget", "expected"),
    [
        ([[1e-9, 1e-9], [1e-9, 1e-9]], 1000, None),
        ([[1e-2, 1e-2], [1e-9, 1e-9]], 1000, (4, 2)),
        ([[1e-2, 1e-2], [1e-1, 1e-9]], 1000, (4, 2)),  # one bad column does not claim the runs
        ([[1e-2, 1e-2], [9e-3, 9e-3]], 1000, (4, 4)),
        ([[1e-2, 1e-2], [9e-3, 9e-3]], 20, (4, 2)),
        ([[1e-2, 1e-2], [9e-3, 9e-3]], 9, None),
    ],
)
def test_growth_serves_most_columns_within_the_budget(tails, budget, expected):
    assert growth((2, 2), np.array(tails), 1e-6, budget) == expected


def test_a_few_lost_nodes_cost_accuracy_not_the_study():
    degrees = (8, 8)
    points = tensor_points(degrees)
    values = np.exp(0.5 * points[:, :1] - 0.3 * points[:, 1:])
    ok = np.ones(len(points), bool)
    ok[[7, 40, 80]] = False
    c = coefficients(degrees, points, values, ok)
    fresh = np.random.default_rng(2).uniform(-1, 1, (500, 2))
    assert np.abs(chebyshev.evaluate(c, fresh)[:, 0] - np.exp(0.5 * fresh[:, 0] - 0.3 * fresh[:, 1])).max() < 1e-8


def test_few_values_are_transformed_as_many_are(monkeypatch):
    """numpy's transform of the values and their mirror image is the cosine transform of scipy."""
    from scipy.fft import dct

    rng = np.random.default_rng(1)
    for size in (2, 3, 4, 8, 17, 33, 50):
        for shape, axis in (((size, 5), 0), ((3, size, 4), 1), ((size, 1), 0)):
            values = rng.standard_normal(shape)
            assert chebyshev.cosines(values, axis) == pytest.approx(dct(values, type=1, axis=axis), rel=1e-13, abs=1e-14 * size)
    few = chebyshev.coefficients(values, (49,))
    monkeypatch.setattr(chebyshev, "FEW", 0)
    assert chebyshev.coefficients(values, (49,)) == pytest.approx(few, rel=1e-13, abs=1e-14)
