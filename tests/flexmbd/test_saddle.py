"""``[A, G'; G, 0]``: the one solve of coordinates with multipliers, against numpy's whole matrices."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import flexmbd as fm
from flexmbd.linalg.saddle import Saddle, Singular

N, ROWS = 7, 3
SIZES = np.array([1.0, 1e3, 1e-3, 1.0, 10.0, 1e2, 0.1])  # units of the coordinates


def numbers(seed=0):
    """A, G, a right-hand side of several columns, in coordinates whose sizes are far apart."""
    rng = np.random.default_rng(seed)
    A, G = rng.normal(size=(N, N)), rng.normal(size=(ROWS, N))
    return (A @ A.T + np.eye(N)) / SIZES / SIZES[:, None], G / SIZES, rng.normal(size=(N, 2)) / SIZES[:, None], rng.normal(size=(ROWS, 2))


def made(kind, A, G, **how):
    return Saddle(A, G, columns=SIZES, **how) if kind == "dense" else Saddle(csr_array(A), csr_array(G), columns=SIZES, **how)


@pytest.fixture(params=("dense", "sparse"))
def kind(request):
    return request.param


def test_solution_is_that_of_the_whole_matrix(kind):
    A, G, force, side = numbers()
    wanted = np.linalg.solve(np.block([[A, G.T], [G, np.zeros((ROWS, ROWS))]]), np.vstack([force, side]))
    x, multipliers = made(kind, A, G).solve(force, side)
    np.testing.assert_allclose(x, wanted[:N], rtol=1e-9)
    np.testing.assert_allclose(multipliers, wanted[N:], rtol=1e-9)


def test_least_is_the_smallest_by_the_matrix(kind):
    """With the identity it is the pseudoinverse's."""
    _, G, _, side = numbers(1)
    found = made(kind, np.eye(N), G).least(side)
    np.testing.assert_allclose(found, np.linalg.pinv(G) @ side, rtol=1e-8, atol=1e-12)


def test_a_border_is_one_more_row_and_column():
    A, G, force, side = numbers(2)
    rng = np.random.default_rng(3)
    row, column, rest = rng.normal(size=N) / SIZES, rng.normal(size=N) / SIZES, rng.normal(size=ROWS)
    whole = np.block([[A, G.T, column[:, None]], [G, np.zeros((ROWS, ROWS)), rest[:, None]], [row, np.zeros(ROWS), 0.7]])
    saddle = made("sparse", A, G, border=(row, column, rest, 0.7))
    x, multipliers, last = saddle.solve(force[:, 0], side[:, 0], 1.3)
    wanted = np.linalg.solve(whole, np.r_[force[:, 0], side[:, 0], 1.3])
    np.testing.assert_allclose(np.r_[x, multipliers, last], wanted, rtol=1e-9)
    assert saddle.factors.sign == np.sign(np.linalg.det(whole))


def test_rows_that_depend_on_each_other_are_found_and_a_share_bears_them(kind):
    A, G, force, _ = numbers(4)
    G[2] = 3.0 * G[0]
    with pytest.raises(Singular):
        made(kind, A, G).solve(force, np.zeros((ROWS, 2)))
    x, rows = made(kind, A, G).loose()
    assert x.max() < 1e-6 and rows[1] < 1e-6 and min(rows[0], rows[2]) > 0.1
    free = np.linalg.solve(np.block([[A, G[:2].T], [G[:2], np.zeros((2, 2))]]), np.vstack([force, np.zeros((2, 2))]))[:N]
    found = made(kind, A, G, share=1e-12).solve(force, np.zeros((ROWS, 2)))[0]
    np.testing.assert_allclose(found / SIZES[:, None], free / SIZES[:, None], rtol=0, atol=1e-6 * np.abs(free / SIZES[:, None]).max())


def test_what_has_no_mass_moves_and_says_so():
    """A coordinate without mass and without rows."""
    A, G, *_ = numbers(5)
    A[3], A[:, 3], G[:, 3] = 0.0, 0.0, 0.0
    x, rows = Saddle(A, G).loose()
    assert x.argmax() == 3 and x[3] == 1.0 and max(np.delete(x, 3).max(), rows.max()) < 1e-6


def test_accelerations_that_are_not_unique_name_the_rows():
    s = fm.System()
    body = s.body("body", mass=1.0, inertia=1.0)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.Revolute("double", s.ground.at(0.0, 0.0), body.centre))
    e = fm.Equations(s)
    q, v = e.initial()
    with pytest.raises(fm.ModelError, match=r"not unique here: the constraints .*pin\.x.*double\.x.* depend on each other"):
        e.solve(e.at(q, v))
