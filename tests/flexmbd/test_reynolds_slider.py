"""A slider whose film ruptures and forms again, against its closed form; and the linear solvers under it."""

import numpy as np
import pytest
from scipy.optimize import brentq

from flexmbd.lubrication.reynolds import ElrodAdams, Grid, outflow, reynolds_problem, solve_film, solve_slider
from flexmbd.lubrication.reynolds.elimination import eliminate, width

H0, SIZE, BEFORE, AFTER, MU, U, PRESSED = 1e-5, 1e-2, 1.5, 2.0, 0.05, 1.0, 4e5
LENGTH = (BEFORE + AFTER) * SIZE


def gap(x):
    """Parabola h = H0 (1 + xi^2), xi = x/SIZE - BEFORE."""
    return H0 * (1 + (x / SIZE - BEFORE) ** 2)


def square(xi):
    """Integral of 1/(1 + xi^2)^2."""
    return 0.5 * (xi / (1 + xi * xi) + np.arctan(xi))


def cube(xi):
    """Integral of 1/(1 + xi^2)^3."""
    return 0.25 * xi / (1 + xi * xi) ** 2 + 0.75 * square(xi)


def rise(a, b, flow):
    """Pressure between two places of a full film with the flow U H0 `flow`."""
    return 12 * MU * U * SIZE / H0**2 * (square(b) - square(a) - flow * (cube(b) - cube(a)))


@pytest.fixture(scope="module")
def closed_form():
    """Rupture, where p = dp/dx = 0; reformation, where the flow that the ruptured film carries must feed the film up to the exit."""
    ruptures = brentq(lambda xi: rise(-BEFORE, xi, 1 + xi * xi), 1e-3, BEFORE - 0.01, xtol=1e-14)
    flow = 1 + ruptures**2
    reforms = brentq(lambda xi: rise(xi, AFTER, flow) - PRESSED, ruptures + 1e-9, AFTER, xtol=1e-14)
    return ruptures, reforms, flow


@pytest.mark.parametrize("model", ["giacopini", ElrodAdams(1e14)], ids=["giacopini", "elrod_adams"])
def test_rupture_and_reformation(model, closed_form):
    ruptures, reforms, flow = closed_form
    errors = []
    for cells in (70, 140, 280, 560, 1120):
        film = solve_slider(gap, LENGTH, viscosity=MU, speed=2 * U, ends=(0.0, PRESSED), cells=cells, cavitation=model, warn=False)
        xi, cell = film.x / SIZE - BEFORE, (BEFORE + AFTER) / cells
        empty = np.flatnonzero(~film.full[0])
        assert np.all(np.diff(empty) == 1)
        assert abs(empty[0] * cell - BEFORE - ruptures) < cell and abs((empty[-1] + 1) * cell - BEFORE - reforms) < cell
        p = np.where(xi < ruptures, rise(-BEFORE, xi, flow), np.where(xi > reforms, PRESSED - rise(xi, AFTER, flow), 0.0))
        errors.append((np.abs(film.pressure[0] - p).max() / p.max(), abs(film.flow[0, 0] / (U * H0 * flow) - 1)))
        assert np.ptp(film.flow[0]) < 1e-11 * film.flow[0, 0] and film.imbalance[0] < 1e-11
        inside = (xi > ruptures + cell) & (xi < reforms - cell)
        np.testing.assert_allclose(film.fill[0, inside], flow / (1 + xi[inside] ** 2), atol=1.5 * cell)
    slopes = np.log2(np.array(errors[0]) / errors[-1]) / 4
    assert np.all(np.abs(slopes - 2.0) < 0.2), slopes
    assert film.solves[0] < 10


def test_without_balance_the_film_forms_again_too_early(closed_form):
    _, reforms, _ = closed_form
    film = solve_slider(gap, LENGTH, viscosity=MU, speed=2 * U, ends=(0.0, PRESSED), cells=280, cavitation="reynolds")
    empty = np.flatnonzero(~film.full[0])
    assert (empty[-1] + 1) * LENGTH / 280 / SIZE - BEFORE < reforms - 0.2 and film.imbalance[0] > 0.1


def test_sliders_that_close_and_part_between_plates():
    """Parallel plates of width B: p = -6 mu h' x (B - x)/h^3; a parting film ruptures."""
    rates = np.array([-1e-3, 1e-3])
    film = solve_slider(lambda x: np.full((2, len(x)), 1e-5), 0.02, viscosity=MU, speed=0.0, cells=200, cavitation="reynolds",
                        squeeze=rates[:, None] * np.ones(200))  # fmt: skip
    exact = 6 * MU * 1e-3 * film.x * (0.02 - film.x) / 1e-15
    np.testing.assert_allclose(film.pressure[0], exact, rtol=0, atol=1e-4 * exact.max())
    assert np.all(film.pressure[1] == 0.0)


@pytest.mark.parametrize("reach", [1, 2, 5, 11])
def test_elimination_against_a_dense_solve(reach):
    """Matrices without symmetry whose columns are dominated by the diagonal."""
    rng, n, wide = np.random.default_rng(reach), 40, width(reach)
    apart = np.arange(n)[:, None] - np.arange(n)
    dense = np.where(np.abs(apart) <= reach, -rng.uniform(0.1, 1.0, (n, n)), 0.0)
    np.fill_diagonal(dense, 0.0)
    np.fill_diagonal(dense, 0.1 - dense.sum(axis=0))
    band, x = np.zeros((n, wide)), rng.normal(size=n)
    for d in range(-reach, reach + 1):
        band[max(0, -d) : n - max(0, d), reach + d] = np.diagonal(dense, d)
    exact = np.linalg.solve(dense, x)
    eliminate(band.ravel(), reach, x, np.empty(wide))
    np.testing.assert_allclose(x, exact, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("m", [1, 2, 5, 9])
@pytest.mark.parametrize("ring", ["open", "ring", "cut ring"])
def test_every_cell_balances(m, ring):
    """Gaps without any order; n odd and even, so that a folded ring ends in both ways."""
    rng = np.random.default_rng(m)
    for n in (7, 8):
        held = np.zeros((n, m), bool)
        held[3 if ring == "cut ring" else slice(2, 4), : m if ring == "cut ring" else m // 2] = True
        grid = Grid(n, m, 0.1, 0.05, ring=ring != "open")
        problem = reynolds_problem(grid, rng.uniform(1e-5, 3e-5, (3, n, m)), viscosity=0.01, entrainment=np.array([30.0, -20.0, 10.0]),
                                   ends=(3e5, 1e5), side=2e5, supplied=held, supply=4e5)  # fmt: skip
        for model in ("sommerfeld", "reynolds", "giacopini", "elrod_adams"):
            found = solve_film(problem, model)
            net, small = np.where(held, 0.0, outflow(problem, found.pressure, found.fill)), 1e-12 * np.abs(problem.cx).max()
            assert np.all(found.pressure[:, held] == 4e5) and np.all(found.full) == (model == "sommerfeld")
            if model != "sommerfeld":
                assert found.pressure.min() >= -1e-12 * found.pressure.max() and np.all(found.pressure[~found.full] == 0.0)
            if model == "reynolds":  # more flows out of empty cells than into them
                assert net.min() > -small
                net = np.where(found.full, net, 0.0)
            assert np.abs(net).max() < small
