"""Direct solvers of one sparse system: all installed back ends, by the same tests."""

import numpy as np
import pytest
from scipy.sparse import block_array, csc_array, diags_array, eye_array, kron, random_array

import flexmbd as fm
from flexmbd.linalg import direct

EPS = np.finfo(float).eps
LARGE = "pardiso"  # a gigabyte: `.ci/run` installs it for the slow tests
ALL = [pytest.param(b.name, marks=pytest.mark.slow if b.name == LARGE else ()) for b in direct.BACK_ENDS]
GENERAL = [param for param, b in zip(ALL, direct.BACK_ENDS, strict=True) if not b.definite_only]


def need(name):
    """Skip where a back end's package is missing."""
    if name not in direct.available():
        pytest.skip(f"{direct.back_end(name).package} is not installed")
    return name


@pytest.fixture(params=GENERAL)
def general(request):
    """Back end for any regular matrix."""
    return need(request.param)


@pytest.fixture(params=ALL)
def solver(request):
    """Any back end."""
    return need(request.param)


def saddle(seed, n=40, rows=12, *, symmetric=True, density=0.1):
    """Random ``[K G'; G 0]``, K indefinite, with a diagonal that is zero in places."""
    rng = np.random.default_rng(seed)
    K = random_array((n, n), density=density, rng=rng, data_sampler=rng.standard_normal)
    K = K + diags_array(rng.normal(size=n) * (rng.random(n) < 0.8))
    G = random_array((rows, n), density=0.2, rng=rng) + eye_array(rows, n)
    return clean(block_array([[K + K.T if symmetric else K, G.T], [G, None]]))


def chain(nodes, size=4, seed=0, *, definite=True):
    """Block tridiagonal matrix with full blocks, symmetric positive definite or unsymmetric."""
    rng = np.random.default_rng(seed)
    block = rng.normal(size=(size, size))
    block = block @ block.T + size * np.eye(size) if definite else block + 3 * np.eye(size)
    line = diags_array([-np.ones(nodes - 1), 2.1 * np.ones(nodes), -np.ones(nodes - 1)], offsets=[-1, 0, 1])
    return clean(kron(line, block))


def clean(matrix):
    """With sorted and unique entries."""
    matrix = csc_array(matrix)
    matrix.sum_duplicates()
    return matrix


def backward(matrix, x, side):
    """Backward error of a solution."""
    A = np.abs(matrix.toarray())
    return np.abs(matrix @ x - side).max() / (A.sum(axis=1).max() * np.abs(x).max() + np.abs(side).max())


def factored(matrix, name):
    """Factors; definite for those that take nothing else."""
    return direct.analyse(matrix, name, definite=direct.back_end(name).definite_only).factorise(matrix.data)


MATRICES = {
    "symmetric saddle": lambda: saddle(1), "unsymmetric saddle": lambda: saddle(2, symmetric=False),
    "chain": lambda: chain(12), "unsymmetric chain": lambda: chain(12, definite=False), "one": lambda: csc_array([[-2.0]]),
}  # fmt: skip


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=list(MATRICES))
def test_solution_and_sign_agree_with_numpy(general, matrix):
    matrix = matrix()
    side = np.random.default_rng(3).normal(size=len(matrix.indptr) - 1)
    kept, factors = side.copy(), factored(matrix, general)
    x = factors.solve(side)
    expected = np.linalg.solve(matrix.toarray(), side)
    condition = np.linalg.cond(matrix.toarray())
    assert x.shape == side.shape and np.array_equal(side, kept)
    assert np.abs(x - expected).max() <= 20 * EPS * condition * np.abs(expected).max()
    assert backward(matrix, x, side) < 20 * EPS
    assert factors.sign == np.linalg.slogdet(matrix.toarray())[0]


@pytest.mark.parametrize("seed", range(12))
def test_sign_of_the_determinant(general, seed):
    matrix = saddle(seed, 9 + seed % 3, 3, symmetric=bool(seed % 2), density=0.4)
    assert factored(matrix, general).sign == np.linalg.slogdet(matrix.toarray())[0]


def test_sign_of_a_determinant_beyond_the_range_of_numbers(general):
    matrix = clean(-1e3 * chain(301, 1))  # an odd number of negative eigenvalues; a determinant near 1e1100
    assert factored(matrix, general).sign == -1.0


def test_definite_matrices(solver):
    matrix = chain(40)
    side = np.random.default_rng(4).normal(size=(160, 3))
    factors = direct.analyse(matrix, solver, definite=True).factorise(matrix.data)
    assert np.allclose(factors.solve(side), np.linalg.solve(matrix.toarray(), side), rtol=1e-12, atol=1e-13)
    assert factors.sign == 1.0
    assert 0.0 < factors.ratio <= 1.0


def test_the_pattern_is_used_again_with_new_values(solver):
    rng = np.random.default_rng(5)
    definite = direct.back_end(solver).definite_only
    matrix = chain(20) if definite else saddle(6)
    n = matrix.shape[0]
    symbolic = direct.analyse(matrix, solver, definite=definite)
    side = rng.normal(size=n)
    for _ in range(4):
        if definite:
            new = clean(chain(20, seed=rng.integers(100)) * rng.uniform(0.5, 2.0))
        else:
            new = csc_array((matrix.data * rng.normal(size=matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
        assert np.array_equal(new.indices, matrix.indices)
        assert backward(new, symbolic.factorise(new.data).solve(side), side) < 100 * EPS


def test_earlier_factors_stay_or_say_that_they_are_gone(solver):
    matrix, side = chain(10), np.ones(40)
    symbolic = direct.analyse(matrix, solver, definite=True)
    first = symbolic.factorise(matrix.data)
    x = first.solve(side)
    assert np.allclose(symbolic.factorise(2 * matrix.data).solve(side), x / 2)
    if symbolic.keeps_one:
        with pytest.raises(RuntimeError, match="another was made since"):
            first.solve(side)
    else:
        assert np.array_equal(first.solve(side), x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_several_right_hand_sides(solver, order):
    matrix = chain(15)
    side = np.array(np.random.default_rng(7).normal(size=(60, 5)), order=order)
    kept = side.copy()
    factors = factored(matrix, solver)
    x = factors.solve(side)
    assert x.shape == side.shape and np.array_equal(side, kept)
    assert np.allclose(x, np.column_stack([factors.solve(column) for column in side.T]), rtol=1e-13, atol=1e-15)
    with pytest.raises(ValueError, match="right-hand side"):
        factors.solve(np.ones(59))


# ---- singular matrices
def twice(matrix):
    """The last row and column are those before once more."""
    A = matrix.toarray()
    A[-1], A[:, -1] = A[-2], A[:, -2]
    return clean(A)


SINGULAR = {
    "same constraint twice": lambda: twice(saddle(8)),
    "free chain": lambda: clean(diags_array([-np.ones(29), [1.0, *(28 * [2.0]), 1.0], -np.ones(29)], offsets=[-1, 0, 1])),
    "empty column": lambda: csc_array(np.diag([1.0, 2.0, 0.0])),
    "all zero": lambda: csc_array((np.zeros(3), np.arange(3), np.arange(4)), (3, 3)),
    "two equal columns": lambda: csc_array(np.ones((2, 2))),
    "not finite": lambda: csc_array(np.diag([1.0, np.nan])),
}


@pytest.mark.parametrize("matrix", SINGULAR.values(), ids=list(SINGULAR))
def test_a_singular_matrix_is_told(solver, matrix):
    with pytest.raises(direct.Singular):
        factored(matrix(), solver)


def test_superlu_copies_its_factors_only_near_a_singular_matrix(monkeypatch):
    looked = []
    own = direct.SuperLU._ratio
    monkeypatch.setattr(direct.SuperLU, "_ratio", lambda self, factors: looked.append(own(self, factors)) or looked[-1])
    near = clean(np.diag([1.0, 2.0, 1e-14]))
    assert factored(saddle(8), "superlu").solve(np.ones(saddle(8).shape[0])) is not None and not looked
    assert factored(near, "superlu").ratio == looked[0] == 5e-15


def test_a_solver_recovers_from_a_singular_matrix(solver):
    matrix = chain(10)
    symbolic = direct.analyse(matrix, solver, definite=direct.back_end(solver).definite_only)
    with pytest.raises(direct.Singular):
        symbolic.factorise(0 * matrix.data)
    assert backward(matrix, symbolic.factorise(matrix.data).solve(np.ones(40)), np.ones(40)) < 20 * EPS


@pytest.mark.parametrize("name", ["superlu", "cholmod", pytest.param(LARGE, marks=pytest.mark.slow)])
def test_an_indefinite_matrix_declared_definite_is_told(name):
    matrix = clean(chain(6) - 20 * eye_array(24))
    with pytest.raises(direct.Singular):
        direct.analyse(matrix, need(name), definite=True).factorise(matrix.data)


def test_what_is_wrong_is_said():
    matrix = chain(3)
    with pytest.raises(fm.ModelError, match=r"no direct solver 'lapack'.*superlu"):
        direct.analyse(matrix, "lapack")
    with pytest.raises(fm.ModelError, match="positive definite matrices only"):
        direct.analyse(matrix, "cholmod")
    with pytest.raises(ValueError, match="square"):
        direct.analyse(matrix[:5], "superlu")
    with pytest.raises(ValueError, match="values for a pattern"):
        direct.analyse(matrix).factorise(np.ones(3))


def test_a_missing_package_is_said(monkeypatch):
    monkeypatch.setattr(direct.KLU, "package", "kvxopt_is_not_here.klu")
    assert "klu" not in direct.available()
    with pytest.raises(fm.ModelError, match=r"'klu' is not installed"):
        direct.analyse(chain(3), "klu")


# ---- statics does not depend on the back end
def net(side=3):
    """Plates on springs to their neighbours and rigid rods at the corners, with a load that grows."""
    s = fm.System(gravity=(0.0, -9.81))
    plates = {}
    for i in range(side):
        for j in range(side):
            plate = plates[i, j] = s.body(f"p{i}{j}", mass=1.0, inertia=0.1, position=(i, j))
            s.add(fm.TorsionSpring(f"turn{i}{j}", s.ground, plate, stiffness=30.0 + i))
            for di, dj, x, y in ((1, 0, 0.1, 0.02), (0, 1, 0.03, 0.1)):
                if (i - di, j - dj) in plates:
                    before = plates[i - di, j - dj]
                    s.add(fm.Spring(f"s{i}{j}{di}", before.at(x, y), plate.at(-x, -y), stiffness=400.0, damping=1.0, length=0.6))
    for i, j, x in ((0, side - 1, -0.5), (side - 1, side - 1, side - 0.5)):
        s.add(fm.Revolute(f"pin{i}", s.ground.at(x, side - 1.0), plates[i, j].at(x - i, 0.0)))
    s.add(fm.PointForce("load", plates[1, 0].centre, fy=fm.Polynomial((0.0, -30.0))))
    return fm.Equations(s)


def arch():
    """Two springs that snap through."""
    s = fm.System()
    top = s.body("top", mass=1.0, inertia=1.0, position=(0.0, 0.3))
    s.add(fm.TorsionSpring("hold", s.ground, top, stiffness=5.0))
    for k, x in enumerate((-1.0, 1.0)):
        s.add(fm.Spring(f"s{k}", s.ground.at(x, 0.0), top.centre, stiffness=100.0, damping=0.0, length=np.hypot(1.0, 0.3)))
    s.add(fm.PointForce("load", top.centre, fy=fm.Polynomial((0.0, -20.0))))
    return fm.Equations(s)


def test_equilibria_do_not_depend_on_the_back_end(general):
    expected = fm.static(net(), steps=3)
    found = fm.static(net(), steps=3, solver=general)
    assert np.array_equal(found.iterations, expected.iterations)
    for name in ("q", "multipliers"):
        a, b = getattr(found, name), getattr(expected, name)
        assert np.abs(a - b).max() <= 1e-12 * np.abs(b).max()


def test_a_path_through_limit_points_does_not_depend_on_the_back_end(general):
    expected = fm.arc_length(arch(), end=0.6, max_steps=300)
    found = fm.arc_length(arch(), end=0.6, max_steps=300, solver=general)
    assert len(expected.limit_points) == 2
    assert (found.limit_points, found.bifurcations) == (expected.limit_points, expected.bifurcations)
    assert np.abs(found.q - expected.q).max() < 1e-9


def test_vibrations_do_not_depend_on_the_back_end(general):
    expected = fm.modes(net(), count=4, dense=True, t=0.0)
    found = fm.modes(net(), count=4, dense=False, t=0.0, solver=general)
    assert np.allclose(found.frequencies, expected.frequencies, rtol=1e-9)


def test_a_free_body_is_named_by_all(general):
    s = fm.System(gravity=(0.0, -9.81))
    s.body("stone", mass=1.0, inertia=1.0)
    with pytest.raises(fm.ModelError, match="'stone' can move without a force"):
        fm.static(s, solver=general)


@pytest.mark.parametrize("solve", (fm.static, fm.arc_length, fm.modes))
def test_a_solver_that_does_not_serve_is_refused(solve, monkeypatch):
    with pytest.raises(fm.ModelError, match=r"no direct solver 'lapack'; known are superlu, klu"):
        solve(net(), solver="lapack")
    with pytest.raises(fm.ModelError, match="positive definite matrices only"):
        solve(net(), solver="cholmod")
    monkeypatch.setattr(direct.UMFPACK, "package", "kvxopt_is_not_here.umfpack")
    with pytest.raises(fm.ModelError, match=r"'umfpack' is not installed.*pip install"):
        solve(net(), solver="umfpack")


def test_a_solver_is_chosen_for_one_call():
    e = net()
    fm.static(e, steps=1, solver="superlu")
    first = fm.static(e, steps=1)
    if "klu" in direct.available():
        assert np.allclose(fm.static(e, steps=1, solver="klu").q, first.q, rtol=0, atol=1e-12)
    assert np.array_equal(fm.static(e, steps=1).q, first.q)
