"""Joints whose rows are any expression: rack and pinion, screw, cam. Motions against closed forms, derivatives against differences."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import flexmbd as fm
from flexmbd.analysis.reference import reference
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.node_row import NodeRow

from .running import column, simulate
from .tangents import jacobian

RADIUS, TORQUE = 0.2, 3.0
ANGLES = np.linspace(0.0, 2.0 * np.pi, 13)
HEIGHTS = 0.5 + 0.05 * np.cos(ANGLES) + 0.01 * np.sin(2.0 * ANGLES)
HEIGHTS[-1] = HEIGHTS[0]
SPLINE = CubicSpline(ANGLES, HEIGHTS, bc_type="periodic")
SPEED, WAVE = 7.0, fm.Harmonic(0.1, 2.0, 0.3, 0.6)


def hinged(s, name, x, y, **start):
    """A wheel about a fixed point."""
    wheel = s.body(name, mass=1.0, inertia=0.1, position=(x, y), **start)
    s.add(fm.Revolute(f"{name}.pin", s.ground.at(x, y), wheel.centre))
    return wheel


def cam(s, name, x, lift, height, **start):
    """A cam about a fixed point under a follower on a vertical guide."""
    wheel = hinged(s, name, x, 0.0, **start)
    follower = s.body(f"{name}.follower", mass=2.0, inertia=0.1, position=(x, height))
    s.add(fm.Translational(f"{name}.guide", s.ground.at(x, 0.0), follower.centre, axis=(0.0, 1.0)))
    s.add(fm.Cam(f"{name}.groove", wheel.centre, follower.centre, lift))
    return wheel


def planar(radius=RADIUS):
    """Rack and pinion under a torque; a cam of harmonics that spins freely; a cam from a table that is driven."""
    s = fm.System()
    pinion = hinged(s, "pinion", 0.3, radius, angle=0.4)
    rack = s.body("rack", mass=3.0, inertia=1.0, position=(0.1, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), rack.centre))
    s.add(fm.RackPinion("teeth", pinion.centre, rack.at(0.3, 0.0), radius))
    s.add(fm.Torque("motor", s.ground, pinion, TORQUE))
    cam(s, "free", 2.0, WAVE, 0.63, rate=SPEED)
    driven = cam(s, "driven", 4.0, fm.Table(ANGLES, HEIGHTS, kind="periodic"), 0.55, rate=3.0)
    s.add(fm.AngleDrive("speed", s.ground.at(4.0, 0.0), driven.centre, fm.ConstantSpeed(3.0)))
    return s


OUTPUTS = [
    "pinion.angle", "rack.x", "teeth.thrust", "free.angle", "free.rate", "free.follower.y", "driven.follower.y", "driven.follower.vy",
    "driven.groove.thrust", "energy.balance", "energy.drive",
]  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return simulate(planar, OUTPUTS, end=5.0, points=51, samples={"radius": [RADIUS, 0.1]}, tolerance=1e-10)


@pytest.mark.parametrize("sample, radius", list(enumerate((RADIUS, 0.1))))
def test_a_rack_runs_off_its_pinion_over_many_turns(run, sample, radius):
    got, t = column(run, sample), run.time
    alpha = TORQUE / (0.1 + 3.0 * radius**2)
    turned = 0.5 * alpha * t**2
    assert turned[-1] > 20 * 2 * np.pi
    np.testing.assert_allclose(got["pinion.angle"], 0.4 + turned, atol=1e-6)
    np.testing.assert_allclose(got["rack.x"], 0.1 + radius * turned, atol=1e-6)
    np.testing.assert_allclose(got["teeth.thrust"], 3.0 * radius * alpha, atol=1e-4)


def test_a_cam_that_spins_freely_keeps_its_energy(run):
    """(J + m h'(f)²) f'² is constant."""
    got = column(run)
    inertia = 0.1 + 2.0 * (0.2 * np.cos(2.0 * got["free.angle"] + 0.3)) ** 2
    energy = inertia * got["free.rate"] ** 2
    assert np.ptp(got["free.rate"]) > 1.0 and energy == pytest.approx(energy[0], rel=1e-7)
    np.testing.assert_allclose(got["free.follower.y"], 0.6 + 0.1 * np.sin(2.0 * got["free.angle"] + 0.3), atol=1e-9)


def test_a_driven_follower_goes_along_the_spline_of_its_table(run):
    got, angle = column(run), 3.0 * run.time
    np.testing.assert_allclose(got["driven.follower.y"], SPLINE(angle % (2 * np.pi)), atol=1e-9)
    np.testing.assert_allclose(got["driven.follower.vy"], 3.0 * SPLINE(angle % (2 * np.pi), 1), atol=1e-8)
    np.testing.assert_allclose(got["driven.groove.thrust"], 2.0 * 9.0 * SPLINE(angle % (2 * np.pi), 2), atol=1e-7)


def test_these_joints_do_no_work_of_their_own(run):
    got = column(run)
    assert got["energy.drive"][-1] > 100.0 and np.ptp(got["energy.balance"]) < 1e-6 * got["energy.drive"][-1]


LEAD, INERTIA, MASS = 0.03, 2e-4, 1.5


def spindle(lead=LEAD, tilt=0.0):
    """A nut that gravity screws down a spindle, whose frame is turned against the nut's."""
    s = fm.System(gravity=(0.0, -9.81 * np.sin(tilt), -9.81 * np.cos(tilt)))
    c, d = np.cos(tilt), np.sin(tilt)
    nut = s.body("nut", mass=MASS, inertia=(3e-4, 4e-4, INERTIA), position=(0.0, 0.1 * d, 0.1 * c), rotation=(-tilt, 0.0, 0.0))
    s.add(fm.Screw("thread", s.ground.at(0.0, 0.0, 0.0), nut.centre, axis=(0.0, d, c), lead=lead))
    return s


@pytest.mark.slow
def test_gravity_screws_a_nut_down():
    """a = g/(1 + J/(m p²)) with p = lead/(2 pi), over many turns, for right- and left-handed threads."""
    leads = np.array([LEAD, -LEAD, 0.1])
    outputs = ["nut.z", "nut.omega_z", "thread.thrust", "thread.torque", "energy.balance"]
    run = simulate(spindle, outputs, end=3.0, points=31, samples={"lead": leads}, tolerance=1e-10)
    for sample, pitch in enumerate(leads / (2 * np.pi)):
        got, fall = column(run, sample), 9.81 / (1.0 + INERTIA / (MASS * pitch**2))
        assert 0.5 * fall * 9.0 > 10 * abs(leads[sample])
        np.testing.assert_allclose(got["nut.z"], 0.1 - 0.5 * fall * run.time**2, atol=1e-7)
        np.testing.assert_allclose(got["nut.omega_z"], -fall * run.time / pitch, atol=1e-5)
        np.testing.assert_allclose(got["thread.thrust"], MASS * (9.81 - fall), rtol=1e-6)
        np.testing.assert_allclose(got["thread.torque"], -INERTIA * fall / pitch, rtol=1e-6)
        assert np.ptp(got["energy.balance"]) < 1e-7 * MASS * 9.81 * np.ptp(got["nut.z"])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["generalized_alpha", "ggl"])
def test_implicit_schemes_keep_their_order(scheme):
    """The error falls by four when steps are halved: the rows' second derivatives are right."""
    errors = []
    for step in (4e-3, 2e-3):
        settings = {"integrator": scheme, "step": step, "fixed": True}
        got = simulate(planar, ["free.angle", "free.rate", "rack.x"], end=0.5, samples={"radius": [RADIUS]}, **settings)
        inertia = 0.1 + 2.0 * (0.2 * np.cos(2.0 * column(got)["free.angle"] + 0.3)) ** 2
        energy = inertia * column(got)["free.rate"] ** 2
        errors.append(abs(energy[-1] - energy[0]))
        assert column(got)["rack.x"][-1] == pytest.approx(0.1 + RADIUS * 0.5 * TORQUE / (0.1 + 3.0 * RADIUS**2) * 0.25, abs=1e-4)
    assert errors[1] < 1e-3 * energy[0] and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


# ---- derivatives
@pytest.mark.parametrize("system", [planar, lambda: spindle(tilt=0.4)], ids=["planar", "screw"])
def test_derivatives_of_the_rows_are_those_of_differences(system):
    e, rng = fm.Equations(system()), np.random.default_rng(1)
    q, v = e.initial()
    assert np.abs(e.constraints(q)).max() < 1e-12
    q, v, multipliers, t = q + 0.01 * rng.standard_normal(e.n), rng.standard_normal(e.n), rng.standard_normal(e.count), 0.3
    step = 2e-4
    np.testing.assert_allclose(e.jacobian(q, t).toarray(), jacobian(lambda x: e.constraints(x, t), q, step), atol=1e-7)
    np.testing.assert_allclose(e.jacobian_turning(q, v, t).toarray(), jacobian(lambda x: e.jacobian(x, t) @ v, q, step), atol=2e-5)
    curvature = jacobian(lambda x: e.jacobian(x, t).T @ multipliers, q, step)
    np.testing.assert_allclose(e.curvature(q, multipliers, t).toarray(), curvature, atol=2e-5)
    b = e.problem
    convective = e.program([row.polynomial.convective(b.q, b.v, b.time) for row in b.rows])({"q": q, "v": v, "t": t})

    def rate(moment):
        place = q + moment[0] * v
        return e.jacobian(place, t + moment[0]) @ v + e.constraints_rate(place, t + moment[0])

    np.testing.assert_allclose(convective, jacobian(rate, [0.0], step)[:, 0], atol=2e-5)


def test_an_independent_scheme_takes_them():
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    got = reference(planar, {}, end=0.5, points=6, outputs=["rack.x", "free.angle", "free.rate"])
    at = column(got)
    np.testing.assert_allclose(at["rack.x"], 0.1 + RADIUS * 0.5 * TORQUE / (0.1 + 3.0 * RADIUS**2) * got.time**2, atol=1e-6)
    energy = (0.1 + 2.0 * (0.2 * np.cos(2.0 * at["free.angle"] + 0.3)) ** 2) * at["free.rate"] ** 2
    assert energy == pytest.approx(energy[0], rel=1e-5)


# ---- statics and modes
def sprung():
    s = fm.System()
    pinion = hinged(s, "pinion", 0.3, RADIUS)
    rack = s.body("rack", mass=3.0, inertia=1.0)
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), rack.centre))
    s.add(fm.RackPinion("teeth", pinion.centre, rack.at(0.3, 0.0), RADIUS))
    s.add(fm.TorsionSpring("coil", s.ground, pinion, 8.0))
    s.add(fm.PointForce("pull", rack.centre, fx=fm.Polynomial((0.0, 100.0))))
    return s


def test_a_pull_turns_the_pinion_until_its_spring_holds():
    path = fm.static(sprung())
    assert np.allclose(path["pinion.angle"], 100.0 * path.t * RADIUS / 8.0, atol=1e-9)
    assert np.allclose(path["teeth.thrust"], -100.0 * path.t, atol=1e-7)


def test_rack_and_pinion_swing_with_their_common_inertia():
    s = sprung()
    s.elements.pop()
    found = fm.modes(s)
    assert found.frequencies == pytest.approx([np.sqrt(8.0 / (0.1 + 3.0 * RADIUS**2))], rel=1e-9)


# ---- what is refused
def test_a_row_may_not_depend_on_angles_that_count_turns():
    s = planar()
    equations = NaturalCoordinates(s)
    with pytest.raises(fm.ModelError, match="depends on 's0'; it may depend on coordinates and time only"):
        NodeRow(equations, equations.angle(s.bodies[0]))


def test_a_scheme_for_quadratic_rows_says_so():
    with pytest.raises(fm.ModelError, match="'energy_momentum' needs quadratic constraint rows, and 'teeth"):
        fm.run(planar, {}, end=0.1, outputs=["rack.x"], settings={"integrator": "energy_momentum", "step": 1e-3})


@pytest.mark.parametrize(
    "lift, words",
    [
        (fm.Polynomial((0.0, 1.0)), "lift is not the same after a turn"),
        (fm.Polynomial((0.5,)) + fm.Table(ANGLES, HEIGHTS, beyond="repeat"), "lift is a table of straight lines"),
        (None, "lift is None"),
    ],
)
def test_a_lift_must_close_and_be_smooth(lift, words):
    s = fm.System()
    ends = hinged(s, "wheel", 0.0, 0.0).centre, s.body("follower", mass=1.0, inertia=1.0).centre
    with pytest.raises(fm.ModelError, match=words):
        fm.Cam("groove", *ends, lift)


@pytest.mark.parametrize("lead, words", [(0.0, "must not be zero"), (None, "must be a finite number")])
def test_a_screw_needs_a_lead(lead, words):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    nut = s.body("nut", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(fm.ModelError, match=words):
        fm.Screw("thread", s.ground.at(0.0, 0.0, 0.0), nut.centre, axis=(0.0, 0.0, 1.0), lead=lead)
