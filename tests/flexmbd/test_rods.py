"""Rods whose ends move far and whose bending vibrates: the paper's numbers, Lagrange's equations by differences, closed forms."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.natural import NaturalCoordinates

from .rods import EI_1, EI_2, double_pendulum, three_rods
from .running import column, simulate
from .sentences import names, said

POINTS, WEIGHTS = (0.5 * (x + shift) for x, shift in zip(np.polynomial.legendre.leggauss(40), (1.0, 0.0)))  # of a unit length


def test_frequencies_and_energies_are_those_of_the_paper_s_data():
    pendulum, rods = double_pendulum(), three_rods()
    assert pendulum.elements[1].frequencies() == pytest.approx([583.1, 2332.3, 5247.6], abs=0.05)  # as printed
    assert rods.elements[1].frequencies() == pytest.approx([345.066, 1429.724, 3219.959], abs=0.001)  # of the data as printed
    for build, energy in ((double_pendulum, -262.960), (three_rods, 301.352)):
        run = simulate(build, ["energy.total"], end=1e-6, lanes=1, integrator="dormand_prince")
        assert run["energy.total"][0, 0] == pytest.approx(energy, abs=5e-4)
    assert double_pendulum(np.array([EI_1, 4.0 * EI_1])).elements[1].frequencies()[1, 0] == pytest.approx(2.0 * 583.06283198, rel=1e-8)


# ---- Lagrange's equations
def lagrangian(q, v, gravity, lower, upper, bent):
    """Of the double pendulum by numerical integration along both rods: nodes (x1, y1, x2, y2) and amplitudes; complex numbers too."""
    ends, speeds = ((0.0 * q[0], 0.0 * q[0]), q[:2], q[2:4]), ((0.0 * q[0], 0.0 * q[0]), v[:2], v[2:4])
    total = 0.5 * 10.0 * (v[0] ** 2 + v[1] ** 2) + 10.0 * gravity * q[1] + 0.5 * 20.0 * (v[2] ** 2 + v[3] ** 2) + 20.0 * gravity * q[3]
    for k, line in enumerate((upper, lower)):
        (xa, ya), (xb, yb), (ua, wa), (ub, wb) = *ends[k : k + 2], *speeds[k : k + 2]
        u, w = ua + POINTS * (ub - ua), wa + POINTS * (wb - wa)
        density, height = 0.5 * (u * u + w * w), ya + POINTS * (yb - ya)
        if k:
            shapes = np.sin(np.pi * np.arange(1, 4)[:, None] * POINTS)
            rate, normal = v[4:] @ shapes, (-(yb - ya), xb - xa)
            density = density + (u * normal[0] + w * normal[1]) * rate + 0.5 * rate * rate
            height = height + bent * normal[1] * (q[4:] @ shapes)
            total = total - 0.5 * np.sum(EI_1 * 0.5 * (np.pi * np.arange(1, 4)) ** 4 * q[4:] ** 2)
        total = total + line * np.sum(WEIGHTS * (density + gravity * height))
    return total


@pytest.mark.parametrize("bent", [False, True])
def test_accelerations_obey_lagrange_s_equations(bent):
    """d/dt dL/dv - dL/dq is in the span of the rows' gradients, in any state; momenta by differences that are exact, the rest complex."""
    rng = np.random.default_rng(3)
    equations = NaturalCoordinates(double_pendulum(bent_by_weight=bent))
    parameters, numbers = equations.system.parameters(), (10.0, 7.87e3 * 0.04**2, 12.592, bent)
    angle, other = rng.uniform(-3.0, 3.0, 2)
    x1 = np.array([np.cos(angle), np.sin(angle)])
    q = np.concatenate([x1, x1 + [np.cos(other), np.sin(other)], rng.normal(size=3)])
    turn = rng.normal(size=2)
    v1 = turn[0] * np.array([-x1[1], x1[0]])
    v = np.concatenate([v1, v1 + turn[1] * np.array([-np.sin(other), np.cos(other)]), rng.normal(size=3)])
    state = {"q": q[:, None], "v": v[:, None]}
    a = np.array([float(np.squeeze(x)) for x in equations.graph.evaluate(equations.a, state, parameters)])

    def momentum(q, v, i):
        e = np.eye(7)[i]
        return 0.5 * (lagrangian(q, v + e, *numbers) - lagrangian(q, v - e, *numbers))

    h = 1e-30j
    rate = np.array([momentum(q + h * v, v + h * a, i).imag / 1e-30 for i in range(7)])
    slope = np.array([lagrangian(q + h * np.eye(7)[i], v + 0j, *numbers).imag / 1e-30 for i in range(7)])
    chord = q[2:4] - q[:2]
    rows = np.array([[*x1, 0, 0, 0, 0, 0], [*-chord, *chord, 0, 0, 0]])
    left = rate - slope
    forces = np.linalg.lstsq(rows.T, left, rcond=None)[0]
    assert np.abs(left - rows.T @ forces).max() < 1e-10 * np.abs(slope).max()
    assert rows @ a[:7] == pytest.approx(-np.array([v1 @ v1, (v[2:4] - v1) @ (v[2:4] - v1)]), abs=1e-8)  # rows' second derivatives


# ---- closed forms
def beam(left, right, modes=12, **more):
    """A rod of 1 m, 2 kg/m and 30 N m² along x, whose ends are held as said: "pin", "slide" or "free"."""
    s = fm.System(gravity=(0.0, more.pop("weight", 0.0)))
    ends = [s.point_mass(name, position=(x, 0.0)) for name, x in (("left", 0.0), ("right", 1.0))]
    for held, end, x in zip((left, right), ends, (0.0, 1.0), strict=True):
        if held == "pin":
            s.add(fm.Revolute(f"pin_{end.name}", s.ground.at(x, 0.0), end.centre))
        elif held == "slide":
            s.add(fm.RevoluteTranslational(f"slide_{end.name}", s.ground.at(x, 0.0), end.centre))
    s.add(fm.Rod("rod", ends[0].centre, ends[1].centre, line_mass=2.0, EI=30.0, modes=modes, places={"middle": 0.5}, **more))
    return s


@pytest.mark.parametrize(
    ("left", "right", "roots", "within"),
    [
        ("pin", "slide", np.pi * np.arange(1, 5), 1e-9),  # the sines themselves
        ("pin", "free", [3.926602, 7.068583], 2e-3),
        ("free", "free", [4.730041, 7.853205], 4e-3),
    ],
)
def test_a_rod_alone_vibrates_as_a_beam(left, right, roots, within):
    """(beta L)² √(EI/(m L⁴)) (Blevins 1979); sines have no force at a free end, and converge slowly there."""
    found = fm.modes(beam(left, right, modes=30)).frequencies
    wanted = np.square(roots) * np.sqrt(30.0 / 2.0)
    assert [np.nanmin(np.abs(found / w - 1.0)) for w in wanted] == pytest.approx(np.zeros(len(wanted)), abs=within)


def test_a_rigid_rod_swings_as_a_pendulum_and_pulls_as_one():
    """Small swings of √(3 g/(2 L)); a rod that circles with w pulls its row by m L² w²/3: what its mass at the free end would weigh."""
    s = fm.System(gravity=(0.0, -9.81))
    tip = s.point_mass("tip", position=(0.0, -1.5))
    s.add(fm.Rod("rod", s.ground.at(0.0, 0.0), tip.centre, line_mass=2.0))
    assert fm.modes(s).frequencies[0] == pytest.approx(np.sqrt(1.5 * 9.81 / 1.5), rel=1e-9)

    def circling(w):
        s = fm.System(gravity=(0.0, 0.0))
        tip = s.point_mass("tip", position=(1.5, 0.0), velocity=(0.0, 1.5 * w))
        s.add(fm.Rod("rod", s.ground.at(0.0, 0.0), tip.centre, line_mass=2.0))
        return s

    run = simulate(circling, ["rod.tension", "tip.x"], end=1.0, samples={"w": [1.0, 3.0]}, tolerance=1e-10)
    assert run["rod.tension"][:, 1] == pytest.approx(2.0 * 1.5**2 * np.array([1.0, 9.0]) / 3.0, rel=1e-8)
    assert run["tip.x"][:, 1] == pytest.approx(1.5 * np.cos([1.0, 3.0]), abs=1e-8)


def test_weight_bends_a_rod_that_lies_and_not_one_that_falls():
    """5 q L⁴/(384 EI); with the weight on the ends alone a falling rod would bend."""
    sag = fm.static(beam("pin", "slide", modes=15, weight=-9.81))["rod.middle.deflection"][-1]
    assert sag == pytest.approx(-5.0 * 2.0 * 9.81 / (384.0 * 30.0), rel=1e-5)
    for bent, least, most in ((True, 0.0, 1e-10), (False, 1e-3, 1.0)):
        falling = simulate(
            lambda bent=bent: beam("free", "free", modes=3, weight=-9.81, bent_by_weight=bent), ["rod.middle.deflection:abs_max"],
            end=0.1, lanes=1, tolerance=1e-9, integrator="dormand_prince",
        )  # fmt: skip
        assert least <= falling["rod.middle.deflection:abs_max"][0] <= most


def test_damping_takes_the_energy_of_the_bending():
    """Of a sine c = damping K: its share of the critical damping is damping w/2."""

    def plucked(damping):
        return beam("pin", "slide", modes=1, damping=damping, amplitudes=(1e-3,))

    w, damping, end = np.pi**2 * np.sqrt(15.0), 2e-3, 0.3
    run = simulate(plucked, ["rod.a1", "rod.strain_energy", "energy.balance"], end=end, samples={"damping": [0.0, damping]},
                   tolerance=1e-10, integrator="dormand_prince")  # fmt: skip
    share = 0.5 * damping * w
    turn = w * np.sqrt(1.0 - share**2) * end
    fallen = np.exp(-share * w * end) * (np.cos(turn) + share / np.sqrt(1.0 - share**2) * np.sin(turn))
    assert run["rod.a1"][:, 1] == pytest.approx(1e-3 * np.array([np.cos(w * end), fallen]), abs=1e-8)
    assert run["energy.balance"][:, 1] == pytest.approx(run["energy.balance"][:, 0], abs=1e-10)


# ---- the general schemes
SEEN = ["joint.x", "bob.y", "lower.middle.deflection", "lower.middle.y", "upper.tension", "energy.total"]


@pytest.mark.parametrize(
    ("scheme", "settings", "far", "deflected"),
    [("rk4", {"step": 2e-5}, 1e-9, 1e-8), ("newmark", {"step": 5e-5}, 1e-6, 2e-2), ("generalized_alpha", {"tolerance": 1e-8}, 1e-6, 2e-2)],
)
def test_general_schemes_run_the_same_motion(scheme, settings, far, deflected):
    tight = column(simulate(double_pendulum, SEEN, end=0.3, points=31, lanes=1, integrator="dormand_prince", tolerance=1e-12))
    found = column(simulate(double_pendulum, SEEN, end=0.3, points=31, lanes=1, integrator=scheme, **settings))
    for name in ("joint.x", "bob.y", "lower.middle.y"):
        assert np.abs(found[name] - tight[name]).max() < far
    assert np.abs(found["lower.middle.deflection"] - tight["lower.middle.deflection"]).max() < deflected * 3e-5  # its size
    assert np.abs(tight["energy.total"] + 262.96).max() < 1e-8


def test_a_lane_has_its_own_stiffness_and_the_place_of_a_mass_on_the_rod():
    one = column(simulate(three_rods, ["coupler.ball.x", "coupler.ball.y", "first.y", "second.y", "coupler.ball.deflection"], end=0.05,
                          lanes=1, integrator="dormand_prince", tolerance=1e-10))  # fmt: skip
    run = simulate(three_rods, list(one), end=0.05, samples={"EI": [EI_2, 0.5 * EI_2]}, integrator="dormand_prince", tolerance=1e-10)
    assert all(abs(run[name][0, 1] - x[1]) < 1e-8 for name, x in one.items())
    assert abs(run["coupler.ball.deflection"][1, 1] - one["coupler.ball.deflection"][1]) > 1e-6
    assert one["coupler.ball.y"][1] == pytest.approx(0.6 * one["first.y"][1] + 0.4 * one["second.y"][1], abs=1e-3)


def test_a_rod_hangs_on_a_rigid_body_and_is_refused_in_a_tree():
    def hung(angle=0.3):
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("body", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body["A"]))
        tip = s.point_mass("tip", position=(1.0 + np.sin(angle), -np.cos(angle)))
        s.add(fm.Rod("rod", body["B"], tip.centre, line_mass=1.0, EI=50.0, modes=2))
        return s

    run = simulate(hung, ["energy.total", "rod.a1"], end=0.5, lanes=1, integrator="dormand_prince", tolerance=1e-10)
    assert np.ptp(run["energy.total"]) < 1e-8
    assert abs(run["rod.a1"][0, 1]) > 1e-5


# ---- input
def test_rods_that_cannot_be_are_refused_in_a_sentence():
    s = fm.System()
    a, b = s.ground.at(0.0, 0.0), s.point_mass("b", position=(1.0, 0.0)).centre
    names(said(lambda: fm.Rod("r", a, b)), "rod 'r'", "line_mass is missing", "kg/m")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, modes=2)), "rod 'r'", "EI is missing", "N m^2")
    names(said(lambda: fm.Rod("r", a, b, line_mass=0.0)), "rod 'r'", "line_mass is 0", "greater than zero")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, EI=1.0, modes=1.5)), "rod 'r'", "modes is 1.5", "whole number")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, EI=1.0, modes=2, amplitudes=(0.1,))), "amplitudes has 1", "modes are 2")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, masses={"m": (1.4, 1.0)})), "rod 'r'", "place 'm' is 1.4", "at most 1")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, masses={"m": 1.0})), "rod 'r'", "masses", "share of the length")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, EI=1.0, modes=1, damping=-1.0)), "rod 'r'", "damping is -1", "at least 0")
    names(said(lambda: fm.Rod("r", a, b, line_mass=1.0, places={"a b": 0.5})), "rod 'r'", "'a b'")
    names(said(lambda: fm.Rod("r", a, s.ground.at(0.0, 0.0), line_mass=1.0)), "'r' has no length")


def test_a_node_without_mass_needs_a_rod():
    def loose():
        s = fm.System()
        s.point_mass("node", position=(1.0, 0.0))
        return s

    names(said(lambda: fm.run(loose, {}, end=0.1, outputs=["node.x"])), "point mass 'node' has no mass", "Rod")
