"""Sliding joint on cables: a taut cable against a rigid rod, a sagging one against equations of another form, the end of the cable."""

import sys
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import flexmbd as fm

from .running import column, simulate

G, LENGTH, ELEMENTS = 9.81, 1.0, 3
BEAD, START, SPEED = 0.2, 0.25, 1.6  # kg, m, m/s


def material(density=500.0, E=2e6):
    return fm.Material(E=E, nu=0.3, density=density)


SECTION = fm.Section(area=1e-3, second_moment=2e-9, second_moment_y=2e-9)


def held(system, **more):
    """A cable held at both ends."""
    cable = system.cable("cable", length=LENGTH, elements=ELEMENTS, section=SECTION, **more)
    q = cable.initial()[0]
    for end, place in ((cable.start, q[: system.dimension]), (cable.end, q[-2 * system.dimension : -system.dimension])):
        pin = fm.Revolute if system.dimension == 2 else fm.Spherical
        system.add(pin(f"pin_{end.key}", system.ground.at(*place), end))
    return cable


def strung(bead=BEAD):
    """A straight cable that sags under its weight, and a bead that slides on it from the start."""
    s = fm.System(gravity=(0.0, -G))
    cable = held(s, material=material())
    mass = s.point_mass("bead", mass=bead, position=(START, 0.0), velocity=(SPEED, 0.0))
    s.add(fm.SlidingJoint("hole", cable.at(START), mass.centre))
    return s


# ---- the same motion by equations of another form: the bead's place is r(s, q), so no constraint and no multiplier
def shapes(s, level):
    """Values of the four shape functions or derivatives by s, in the element that holds s, and its first coordinate."""
    le = LENGTH / ELEMENTS
    e = min(int(s / le), ELEMENTS - 1)
    x = s / le - e
    N = {
        0: (1 - 3 * x**2 + 2 * x**3, le * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, le * (x**3 - x**2)),
        1: ((6 * x**2 - 6 * x) / le, 1 - 4 * x + 3 * x**2, (6 * x - 6 * x**2) / le, 3 * x**2 - 2 * x),
        2: ((12 * x - 6) / le**2, (6 * x - 4) / le, (6 - 12 * x) / le**2, (6 * x - 2) / le),
    }[level]
    out = np.zeros((2, 4 * (ELEMENTS + 1)))
    for k, f in enumerate(N):
        out[0, 4 * e + 2 * k] = out[1, 4 * e + 2 * k + 1] = f
    return out


class Unconstrained:
    """``(M + m A'A) z'' = (F, 0) + m A'(g - A'z')`` with ``z = (q, s)`` and ``A = (N, r')``."""

    def __init__(self):
        s = fm.System(gravity=(0.0, -G))
        held(s, material=material())
        self.cable = fm.Equations(s)
        self.n = n = self.cable.n
        self.free = np.r_[2 : n - 4, n - 2 : n + 1]  # all but the places of both ends

    def mass(self, z):
        """Mass matrix, and A."""
        A = np.c_[shapes(z[self.n], 0), shapes(z[self.n], 1) @ z[: self.n]]
        whole = BEAD * A.T @ A
        whole[: self.n, : self.n] += self.cable.mass
        return whole[np.ix_(self.free, self.free)], A

    def force(self, z, w):
        q, v, (_, A) = z[:-1], w[:-1], self.mass(z)
        rest = 2.0 * w[-1] * (shapes(z[-1], 1) @ v) + w[-1] ** 2 * (shapes(z[-1], 2) @ q)
        return (np.r_[self.cable.force(q, v), 0.0] + BEAD * A.T @ ([0.0, -G] - rest))[self.free]

    def rate(self, t, y):
        z, w = np.split(y, 2)
        a = np.zeros(self.n + 1)
        a[self.free] = np.linalg.solve(self.mass(z)[0], self.force(z, w))
        return np.r_[w, a]


@cache
def independent(end, points):
    """Place of the bead and arc length over time."""
    e = Unconstrained()
    (q, v), time = e.cable.initial(), np.linspace(0.0, end, points)
    found = solve_ivp(e.rate, (0.0, end), np.r_[q, START, v, SPEED], "DOP853", time, rtol=1e-10, atol=1e-11).y
    return np.array([shapes(z[e.n], 0) @ z[: e.n] for z in found[: e.n + 1].T]), found[e.n]


OUTPUTS = ["bead.x", "bead.y", "hole.s", "energy.balance", "energy.kinetic"]
END, POINTS = 0.3, 31


def errors(end=END, points=POINTS, **settings):
    place, s = independent(end, points)
    got = simulate(strung, OUTPUTS, end=end, points=points, samples={"bead": [BEAD, 2 * BEAD]}, **settings)
    found = column(got)
    off = np.abs(np.c_[found["bead.x"], found["bead.y"], found["hole.s"]] - np.c_[place, s]).max()
    return off, got


def test_a_bead_on_a_sagging_cable_moves_as_by_equations_without_constraints():
    off, got = errors(tolerance=1e-9)
    assert off < 1e-6
    for sample in (0, 1):
        found = column(got, sample)
        assert found["hole.s"][-1] > 2.0 * LENGTH / ELEMENTS  # over two nodes
        assert np.ptp(found["energy.balance"]) < 1e-6 * np.ptp(found["energy.kinetic"])


@pytest.mark.parametrize("scheme", ["generalized_alpha", "ggl"])
def test_implicit_schemes_keep_their_order(scheme):
    """Over a node, where the second derivative of the cable jumps, the error still falls by four when steps are halved."""
    found = [errors(integrator=scheme, step=step, fixed=True)[0] for step in (4e-4, 2e-4)]
    assert found[0] < 1e-5 and np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"constraints": "augmented"}, {"integrator": "rosenbrock"}, {"integrator": "partitioning"}])
def test_other_schemes_and_augmented_rows_do_as_well(more):
    assert errors(tolerance=1e-7, **more)[0] < 2e-6


@pytest.mark.slow
def test_a_cable_of_many_elements_does_as_well(monkeypatch):
    """Its elements are in a group, and its equations are eliminated by blocks, or by a sparse library."""
    monkeypatch.setattr(sys.modules[__name__], "ELEMENTS", 8)
    independent.cache_clear()
    sparse = {"integrator": "generalized_alpha", "step": 2e-4, "fixed": True, "lanes": 1, "linear_solver": "superlu"}
    found = [errors(end=0.1, points=3, **more)[0] for more in ({"tolerance": 1e-8}, sparse)]
    independent.cache_clear()
    assert found[0] < 1e-7 and found[1] < 1e-6


@pytest.mark.slow
def test_a_rigid_body_in_space_slides_as_in_the_plane():
    def ring(bead=BEAD):
        s = fm.System(gravity=(0.0, 0.0, -G))
        cable = held(s, material=material())
        body = s.body("bead", mass=bead, inertia=(1e-3, 2e-3, 2e-3), position=(START, 0.0, 0.0), velocity=(SPEED, 0.0, 0.0))
        s.add(fm.SlidingJoint("hole", cable.at(START), body.centre))
        return s

    outputs = ["bead.x", "bead.y", "bead.z", "hole.s", "hole.fz", "energy.balance"]
    got = column(simulate(ring, outputs, end=END, points=POINTS, samples={"bead": [BEAD]}, tolerance=1e-8))
    place, s = independent(END, POINTS)
    np.testing.assert_allclose(np.c_[got["bead.x"], got["bead.z"], got["hole.s"]], np.c_[place, s], rtol=0.0, atol=1e-6)
    assert np.abs(got["bead.y"]).max() < 1e-12 and np.ptp(got["energy.balance"]) < 1e-6


def test_on_a_taut_cable_a_bead_falls_as_on_a_rigid_rod():
    """s'' = g sin(slope)/stretch; what the cable gives way is of the order m g L/(4 T) = 1e-4 of its length."""
    slope, stretch = 0.5, 1.5
    samples = {"mass": [2e-3, 1e-3], "start": [0.1, 0.4]}  # on different elements
    along = np.array([np.cos(slope), -np.sin(slope)])

    def taut(mass, start):
        s = fm.System(gravity=(0.0, -G))
        cable = held(s, material=material(5.0), initial=lambda a: (tuple(stretch * a * along), tuple(stretch * along)))
        bead = s.point_mass("bead", mass=mass, position=tuple(stretch * start * x for x in along))
        s.add(fm.SlidingJoint("hole", cable.start, bead.centre, start=start))
        return s

    got = simulate(taut, ["hole.s", "hole.vs", "hole.force"], end=0.5, points=11, samples=samples, tolerance=1e-7)
    a = G * np.sin(slope) / stretch
    for sample in (0, 1):
        found = column(got, sample)
        np.testing.assert_allclose(found["hole.s"], samples["start"][sample] + 0.5 * a * got.time**2, rtol=0.0, atol=2e-4)
        assert found["hole.vs"][-1] == pytest.approx(a * 0.5, rel=2e-3)


def test_at_rest_a_bead_hangs_in_the_middle_and_vibrates_as_by_the_other_equations():
    path = fm.static(strung())
    state, e, h = path.state(-1), Unconstrained(), 1e-6
    place = path.equations.output("hole.s", state.q, t=state.t)
    assert place == pytest.approx(0.5 * LENGTH, abs=1e-8)
    z, rest, one = np.r_[state.q[: e.n], place], np.zeros(e.n + 1), h * np.eye(e.n + 1)
    K = -np.array([(e.force(z + x, rest) - e.force(z - x, rest)) / (2.0 * h) for x in one[e.free]])
    assert np.abs(e.force(z, rest)).max() < 1e-9
    squares = eigh(0.5 * (K + K.T), e.mass(z)[0], eigvals_only=True)
    np.testing.assert_allclose(fm.modes(path, count=4).frequencies, np.sqrt(squares[:4]), rtol=1e-6)


def test_a_cable_runs_through_a_ring_that_stands():
    def drawn(speed=0.7):
        s = fm.System()
        cable = s.cable("cable", length=1.0, elements=2, section=SECTION, material=material(), velocity=(speed, 0.0))
        s.add(fm.SlidingJoint("ring", cable.at(0.8), s.ground.at(0.8, 0.0)))
        return s

    got = column(simulate(drawn, ["ring.s", "ring.vs", "ring.force", "cable.end.vx"], end=1.0, points=3, samples={"speed": [0.7]}))
    np.testing.assert_allclose(got["ring.s"], [0.8, 0.45, 0.1], atol=1e-9)
    assert got["ring.vs"] == pytest.approx(-0.7) and got["cable.end.vx"] == pytest.approx(0.7) and got["ring.force"].max() < 1e-6


@pytest.mark.slow
def test_ida_and_derivatives_of_the_motion_agree():
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    wanted = fm.reference(strung, outputs=["bead.y", "hole.s"], end=0.1, points=3)
    got = simulate(strung, ["bead.y", "hole.s"], end=0.1, points=3, samples={"bead": BEAD + np.array([0.0, 1e-4, -1e-4])}, tolerance=1e-11)
    found = fm.sensitivities(strung, ["bead.mass"], ["bead.y", "hole.s"], end=0.1, points=3)
    for name in ("bead.y", "hole.s"):
        exact, more, less = got.outputs[name]
        np.testing.assert_allclose(np.ravel(wanted.outputs[name]), exact, rtol=0.0, atol=1e-9)
        assert np.ravel(found.derivatives[name])[-1] == pytest.approx((more[-1] - less[-1]) / 2e-4, rel=2e-3)


def test_a_run_ends_at_the_end_of_the_cable():
    got = fm.run(strung, {"bead": np.array([BEAD])}, end=2.0, points=2, outputs=["hole.s"], settings={"lanes": 4})
    assert got.status[0] == 1 and "sliding joint 'hole' came to the end of cable 'cable'" in got.message[0]


def test_what_it_needs_is_said():
    s = fm.System()
    bead, other = (s.point_mass(name, mass=1.0) for name in ("bead", "other"))
    with pytest.raises(fm.ModelError, match="needs a point of a cable as a"):
        fm.SlidingJoint("hole", other.centre, bead.centre)
    with pytest.raises(fm.ModelError, match="it must be from 0 to the cable's length"):
        fm.SlidingJoint("hole", held(s, material=material()).start, bead.centre, start=1.2)
    with pytest.raises(fm.ModelError, match="needs quadratic constraint rows"):
        simulate(strung, ["hole.s"], end=0.1, integrator="energy_momentum", step=1e-3)
