"""Solvers of contact problems: against closed forms, each other, and Siconos."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbd.errors import ModelError
from flexmbd.nonsmooth import SOLVERS, ContactProblem, guide_friction, horizontal_lcp, lcp, solve

from .contact_scenes import scenes

ROUND = ("nsgs", "apgd", "newton", "admm", "ipm")
SYSTEM_PYTHON = "/usr/bin/python3"


def held(count, dimension, freedoms, seed, friction=0.3):
    """Contacts of bodies that move towards them in one direction, in which all of them can open: so friction cannot jam."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(count, dimension, freedoms))
    directions[:, 0] = 0.5 * directions[:, 0] + np.eye(freedoms)[0] * 3.0
    directions = directions.reshape(-1, freedoms)
    motion = rng.normal(scale=0.5, size=freedoms) - np.eye(freedoms)[0]
    free = (directions @ motion).reshape(count, dimension)
    return ContactProblem(directions @ directions.T / freedoms, free, friction if dimension > 1 else 0.0)


@pytest.mark.parametrize("solver", [*SOLVERS])
def test_a_block_on_an_incline_sticks_or_slides_as_coulomb_says(solver):
    """Gravity over a step: it sticks below the angle of friction; else slides with g h (sin - mu cos)."""
    for angle, mu in ((0.3, 0.5), (0.6, 0.5)):
        free = 9.81 * 0.01 * np.array([[-np.cos(angle), -np.sin(angle)]])
        found = solve(ContactProblem(np.eye(2) / 2.0, free, mu), solver, tolerance=1e-12)
        expected = 9.81 * 0.01 * min(mu * np.cos(angle) - np.sin(angle), 0.0)
        assert found.converged
        np.testing.assert_allclose(found.velocities, [[0.0, expected]], atol=1e-12)


@pytest.mark.parametrize(("dimension", "count", "freedoms"), [(1, 5, 8), (1, 12, 6), (2, 6, 20), (2, 10, 8), (3, 5, 20), (3, 20, 12)])
def test_all_solvers_find_the_same_velocities(dimension, count, freedoms):
    """To 1e-10, with redundant contacts too; percussions where they are unique."""
    for seed in range(5):
        problem = held(count, dimension, freedoms, seed)
        names = [name for name in SOLVERS if name != "lemke" or dimension < 3]
        most = {name: None if name in ("lemke", "newton", "ipm") else 100_000 for name in names}
        found = [solve(problem, name, tolerance=1e-12, iterations=most[name]) for name in names]
        for one, name in zip(found, names, strict=True):
            assert one.converged, f"{name}: {one.message}"
            np.testing.assert_allclose(one.velocities, found[0].velocities, atol=1e-10 * problem.speed, err_msg=name)
            if count * dimension <= freedoms:
                np.testing.assert_allclose(one.percussions, found[0].percussions, atol=1e-9 * np.abs(found[0].percussions).max())


@pytest.mark.parametrize("name", ["stack", "chain", "tower", "pile"])
def test_scenes_of_bodies_are_solved_alike(name):
    problem = {"stack": scenes.stack(4, push=0.3), "chain": scenes.chain(8), "tower": scenes.tower(3, push=0.5), "pile": scenes.pile(3, 3)}[
        name
    ]
    found = [solve(problem, solver, tolerance=1e-11, iterations=None if solver in ("newton", "ipm") else 200_000) for solver in ROUND]
    assert all(one.converged for one in found)
    for one in found[1:]:
        np.testing.assert_allclose(one.velocities, found[0].velocities, atol=1e-9 * problem.speed)


def has_siconos():
    return (
        Path(SYSTEM_PYTHON).exists()
        and not subprocess.run([SYSTEM_PYTHON, "-c", "import siconos.numerics"], capture_output=True).returncode
    )


@pytest.mark.slow
def test_siconos_finds_the_same(tmp_path):
    """Velocities of stacks, towers and piles to 1e-10; forces of a chain, which are unique; Siconos's forces solve our problem."""
    if not has_siconos():
        pytest.skip("Siconos (Debian's python3-siconos) is not installed")
    problems = {
        "stack": scenes.stack(5, push=0.3),
        "chain": scenes.chain(12),
        "tower": scenes.tower(4, push=0.5),
        "pile": scenes.pile(4, 3),
    }
    given = {name: {"matrix": p.matrix.toarray(), "free": p.free, "friction": p.friction} for name, p in problems.items()}
    np.savez(tmp_path / "in.npz", **{f"{name}:{key}": x for name, values in given.items() for key, x in values.items()})
    script = Path(__file__).resolve().parents[2] / "benchmarks" / "peers" / "siconos_contacts.py"
    subprocess.run([SYSTEM_PYTHON, script, tmp_path / "in.npz", tmp_path / "out.npz"], check=True, capture_output=True)
    with np.load(tmp_path / "out.npz") as file:
        theirs = dict(file)
    for name, problem in problems.items():
        ours = solve(problem, "newton", tolerance=1e-12)
        assert ours.converged
        for solver in ("nsgs", "newton"):
            assert theirs[f"{name}:{solver}:status"] == 0
            percussions = theirs[f"{name}:{solver}"]
            assert problem.residual(percussions) < 1e-11  # Siconos stops at 1e-12 in its own measure
            assert problem.residual(percussions, 1.0) < 1e-11
            np.testing.assert_allclose(ours.velocities, problem.velocities(percussions), atol=1e-10 * problem.speed)
            if name == "chain":
                np.testing.assert_allclose(ours.percussions, percussions, atol=1e-10 * np.abs(percussions).max())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(ROUND), st.floats(-6, 6), st.floats(-6, 6))
def test_other_units_change_neither_residual_nor_solution(seed, solver, mass, length):
    """Exactly, with powers of two."""
    m, v = 2.0 ** round(2 * mass), 2.0 ** round(2 * length)
    one = held(4, 3, 14, seed)
    other = ContactProblem(one.matrix / m, one.free * v, one.friction)
    a, b = (solve(problem, solver, tolerance=1e-9) for problem in (one, other))
    np.testing.assert_allclose(b.percussions, m * v * a.percussions, rtol=1e-7, atol=1e-7 * m * v * np.abs(a.percussions).max())
    assert other.residual(m * v * a.percussions) == pytest.approx(a.residual, rel=1e-6, abs=1e-14)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(ROUND), st.sampled_from([2, 3]))
def test_friction_takes_energy_and_stays_in_its_cone(seed, solver, dimension):
    problem = held(6, dimension, 15, seed, friction=0.6)
    found = solve(problem, solver, tolerance=1e-10)
    assert found.converged
    p, u = found.percussions, found.velocities
    side, slide = np.linalg.norm(p[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
    slack = 1e-8 * problem.speed / problem.yields.min()
    assert np.all(p[:, 0] >= -slack) and np.all(u[:, 0] >= -1e-8 * problem.speed)
    assert np.all(side <= 0.6 * p[:, 0] + slack)
    np.testing.assert_allclose(np.sum(p[:, 1:] * u[:, 1:], axis=1), -0.6 * p[:, 0] * slide, atol=1e-7 * np.abs(p).max() * problem.speed)


def painleve_rod(mu):
    """Rod of mass 1 and length 2 sliding on its end at 60 degrees: W of its end, and free velocities with approach and slip."""
    s, c, inertia = np.sin(np.pi / 3), np.cos(np.pi / 3), 1.0 / 3.0
    matrix = np.array([[1.0 + c * c / inertia, -s * c / inertia], [-s * c / inertia, 1.0 + s * s / inertia]])
    return matrix, mu


def test_a_contact_that_friction_jams_is_told():
    """No percussion opens W_nn < mu |W_nt| while it slides, and none stops it: accelerations of Painlevé's rod."""
    matrix, mu = painleve_rod(2.0)
    assert matrix[0, 0] < mu * abs(matrix[0, 1])
    fixed = np.array([[matrix[0, 0] + mu * matrix[0, 1]]])  # friction of the slip to one side
    assert fixed[0, 0] < 0.0
    found = lcp(fixed, np.array([-1.0]))
    assert "no solution" in found.message and np.isnan(found.z).all()


def test_a_jammed_wedge_without_a_solution_is_never_a_number():
    """Two contacts that close on the same body from both sides: no velocity suits both."""
    matrix = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0], [-1.0, 0.0, 1.0, 0.0], [0.0, -1.0, 0.0, 1.0]])
    problem = ContactProblem(matrix, [[-1.0, 0.3], [-1.0, 0.1]], 0.5)
    for solver in SOLVERS:
        found = solve(problem, solver, iterations=400)
        assert not found.converged
        assert found.message
    assert np.isnan(solve(problem, "lemke").percussions).all()


def test_a_start_saves_iterations():
    problem = scenes.chain(12)
    cold = solve(problem, tolerance=1e-10)
    warm = solve(problem, tolerance=1e-10, start=cold.percussions)
    assert warm.iterations < 0.2 * cold.iterations


def test_lcp_by_pivoting_meets_the_published_example():
    """Murty's example on which simpler rules take 2^n - 1 pivots: z = (0, ..., 0, 1)."""
    for n in (2, 5, 8):
        matrix = np.tril(np.full((n, n), 2.0), -1) + np.eye(n)
        found = lcp(matrix.T, -np.ones(n))
        np.testing.assert_allclose(found.z, np.eye(n)[-1], atol=1e-12)
        np.testing.assert_allclose(found.w, matrix.T @ found.z - 1.0, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_horizontal_complementarity_holds(seed, n):
    rng = np.random.default_rng(seed)
    first, second = np.eye(n) + 0.2 * rng.normal(size=(n, n)) / n, np.eye(n) + 0.2 * rng.normal(size=(n, n)) / n
    q = rng.normal(size=n)
    found = horizontal_lcp(first, second, q)
    assert not found.message
    np.testing.assert_allclose(first @ found.w - second @ found.z, q, atol=1e-10)
    assert np.all(found.w >= 0) and np.all(found.z >= 0)
    np.testing.assert_allclose(found.w * found.z, 0.0, atol=1e-12)


def test_a_guide_holds_both_ways_with_friction():
    """A slider of mass m in a guide, pushed sideways by F and along by T over a step: it slides where T > mu F, either way of F."""
    mass, mu, step = 2.0, 0.3, 0.01
    for side in (-5.0, 5.0):
        for along, expected in ((1.0, 0.0), (4.0, (4.0 - 1.5) * step / mass), (-4.0, -(4.0 - 1.5) * step / mass)):
            percussions, message = guide_friction(np.eye(2) / mass, [[side * step / mass, along * step / mass]], mu)
            assert not message
            assert percussions[0, 0] == pytest.approx(-side * step)
            assert along * step / mass + percussions[0, 1] / mass == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: ContactProblem(np.eye(3), np.zeros((1, 4))), "free has the shape"),
        (lambda: ContactProblem(np.eye(2), np.zeros((1, 3))), r"matrix has the shape \(2, 2\)"),
        (lambda: ContactProblem(np.eye(3), np.zeros((1, 3)), -0.1), "friction is -0.1"),
        (lambda: ContactProblem(np.eye(1), np.zeros((1, 1)), 0.1), "contacts have a normal only"),
        (lambda: ContactProblem(np.zeros((3, 3)), np.zeros((1, 3))), "normal of contact 0"),
        (lambda: ContactProblem(np.full((3, 3), np.nan), np.zeros((1, 3))), "matrix is nan"),
        (lambda: solve(ContactProblem(np.eye(3), np.zeros((1, 3))), "magic"), "no contact solver 'magic'"),
        (lambda: solve(ContactProblem(np.eye(3), -np.ones((1, 3)), 0.2), "lemke"), "cone is round"),
        (lambda: solve(ContactProblem(np.eye(3), np.zeros((1, 3))), start=[[1.0]]), "start has the shape"),
        (lambda: solve(ContactProblem(np.eye(3), np.zeros((1, 3))), tolerance=0.0), "tolerance is 0"),
        (lambda: lcp(np.eye(2), np.zeros(3)), "matrix has the shape"),
        (lambda: horizontal_lcp(np.zeros((2, 2)), np.zeros((2, 2)), np.ones(2)), "no independent choice"),
    ],
)
def test_bad_input_is_told_in_a_sentence(given, message):
    with pytest.raises(ModelError, match=message):
        given()
