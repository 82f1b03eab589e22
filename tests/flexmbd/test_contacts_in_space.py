"""Spheres and thin discs in space: restitution, rolling after sliding, inclines, impacts, Euler's disc; momenta and energy."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.laws import produced_restitution

from .running import column, simulate
from .tangents import jacobian

G, RADIUS, MASS = 9.81, 0.1, 0.5
SPHERE, DISC = 0.4 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2
MU, CREEP = 0.3, 1e-3
RUB = fm.Ambrosio(MU, 0.0, CREEP)
SPEED = 2.0
SLOPE = 0.2
LEAN = np.radians(30.0)


SOFT = 1e7  # N/m^1.5


def resting(share=1.0):
    """Depth at which a share of the weight is borne."""
    return (share * MASS * G / SOFT) ** (1 / 1.5)


def ball(s, name, position, **start):
    return s.body(name, mass=MASS, inertia=(SPHERE,) * 3, position=position, **start)


def gallery(e=0.8):
    """A ball dropped, one thrown, one on a slope, two that meet obliquely, a disc thrown upright, and Euler's disc."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    damped, soft = fm.LankaraniNikravesh(1e10, restitution=e), fm.LankaraniNikravesh(SOFT, restitution=0.5)
    deep, floor = resting(), s.ground.at(0.0, 0.0, 0.0)
    dropped = ball(s, "dropped", (0.0, 0.0, 0.2))
    s.add(fm.SpherePlane("drop", dropped.centre, floor, RADIUS, damped))
    thrown = ball(s, "thrown", (0.0, 1.0, RADIUS - deep), velocity=(0.6 * SPEED, 0.8 * SPEED, 0.0))
    s.add(fm.SpherePlane("slide", thrown.centre, floor, RADIUS, soft, RUB))
    normal = np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])
    rolling = ball(s, "rolling", tuple((RADIUS - resting(np.cos(SLOPE))) * normal))
    s.add(fm.SpherePlane("slope", rolling.centre, floor, RADIUS, soft, RUB, tuple(normal)))
    disc = s.body("disc", mass=MASS, inertia=(0.5 * DISC, DISC, 0.5 * DISC), position=(0.0, 2.0, RADIUS - deep), velocity=(SPEED, 0.0, 0.0))
    s.add(fm.ThinDiscPlane("edge", disc.centre, floor, RADIUS, soft, RUB))
    turning = np.sqrt(4.0 * G / (RADIUS * np.sin(LEAN)))
    spin = turning * np.sin(LEAN) * np.array([-np.cos(LEAN), 0.0, np.sin(LEAN)])  # about the diameter from the contact to the centre
    place = (0.0, 3.0, RADIUS * np.sin(LEAN) - deep)
    coin = s.body(
        "coin", mass=MASS, inertia=(0.5 * DISC, 0.5 * DISC, DISC), position=place, rotation=(0.0, LEAN, 0.0), angular_velocity=tuple(spin)
    )
    s.add(fm.ThinDiscPlane("rim", coin.centre, floor, RADIUS, soft, RUB, axis=(0.0, 0.0, 1.0)))
    return s


OUTPUTS = [
    "dropped.vz", "drop.impacts", "thrown.vx", "thrown.vy", "thrown.omega_x", "thrown.omega_y", "slide.slip", "rolling.vx", "rolling.vz",
    "disc.vx", "disc.omega_y", "coin.x", "coin.y", "coin.z", "coin.d3x", "coin.d3y", "coin.d3z", "rim.slip", "energy.balance",
]  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return simulate(gallery, OUTPUTS, end=0.5, points=101, samples={"e": [0.8, 0.4]}, tolerance=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sample, e", [(0, 0.8), (1, 0.4)])
def test_a_dropped_ball_bounces_with_the_restitution_of_its_law(run, sample, e):
    got = column(run, sample)
    fall = np.sqrt(2.0 * 0.1 / G)
    after = np.flatnonzero(run.time > fall + 1e-3)[0]
    assert got["drop.impacts"][after] == 1
    left = got["dropped.vz"][after] + G * (run.time[after] - fall)
    wanted = produced_restitution(fm.LankaraniNikravesh.published_factor(np.array([e])))[0]
    assert left / (G * fall) == pytest.approx(wanted, abs=2e-3)  # the weight during the contact is left out


@pytest.mark.slow
def test_a_thrown_sphere_rolls_with_five_sevenths_of_its_speed(run):
    """Its radius there is less by its depth."""
    got, t = column(run), run.time
    arm = RADIUS - resting()
    final = SPEED / (1.0 + SPHERE / (MASS * arm**2))
    assert final == pytest.approx(SPEED * 5.0 / 7.0, rel=1e-3)
    stop = SPEED * 2.0 / 7.0 / (MU * G)
    for name, share in (("x", 0.6), ("y", 0.8)):
        sliding = t < stop - 1e-3
        np.testing.assert_allclose(got[f"thrown.v{name}"][sliding], share * (SPEED - MU * G * t[sliding]), atol=1e-3)
        assert got[f"thrown.v{name}"][-1] == pytest.approx(share * final, abs=1e-5)
    assert got["thrown.omega_y"][-1] == pytest.approx(got["thrown.vx"][-1] / arm, rel=1e-4)
    assert got["thrown.omega_x"][-1] == pytest.approx(-got["thrown.vy"][-1] / arm, rel=1e-4)
    assert got["slide.slip"][-1] < 1e-5


@pytest.mark.slow
def test_a_sphere_rolls_down_a_slope_with_five_sevenths_of_its_share_of_gravity(run):
    got, t = column(run), run.time
    late = t > 0.1
    along = np.cos(SLOPE) * got["rolling.vx"] - np.sin(SLOPE) * got["rolling.vz"]
    slope = np.polyfit(t[late], along[late], 1)[0]
    arm = RADIUS - resting(np.cos(SLOPE))
    assert slope == pytest.approx(G * np.sin(SLOPE) / (1.0 + SPHERE / (MASS * arm**2)), rel=2e-5)
    assert slope == pytest.approx(5.0 / 7.0 * G * np.sin(SLOPE), rel=1e-3)


@pytest.mark.slow
def test_a_disc_thrown_upright_rolls_with_two_thirds_of_its_speed(run):
    got = column(run)
    assert got["disc.vx"][-1] == pytest.approx(SPEED * 2.0 / 3.0, abs=1e-5)
    assert got["disc.omega_y"][-1] == pytest.approx(got["disc.vx"][-1] / RADIUS, rel=1e-4)


@pytest.mark.slow
def test_eulers_disc_precesses_about_its_resting_centre(run):
    """At the rate sqrt(4 g/(r sin a)), the centre at rest, without slip (Moffatt 2000, Nature 404, 833)."""
    got, t = column(run), run.time
    rate = np.sqrt(4.0 * G / (RADIUS * np.sin(LEAN)))
    assert rate * t[-1] > 2 * np.pi
    np.testing.assert_allclose(got["coin.d3x"], np.sin(LEAN) * np.cos(rate * t), atol=2e-2)
    np.testing.assert_allclose(got["coin.d3y"], np.sin(LEAN) * np.sin(rate * t), atol=2e-2)
    for axis, start in (("x", 0.0), ("y", 3.0), ("z", RADIUS * np.sin(LEAN))):
        np.testing.assert_allclose(got[f"coin.{axis}"], start, atol=1e-3)


@pytest.mark.slow
def test_their_energy_is_in_the_books(run):
    for sample in (0, 1):
        assert np.ptp(column(run, sample)["energy.balance"]) < 1e-6


def meeting(mu=0.0, offset=0.0):
    """Two spheres in empty space, head on or not."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    a = ball(s, "a", (0.0, offset, 0.0), velocity=(3.0, 0.0, 0.0), angular_velocity=(0.0, 5.0, 20.0))
    b = ball(s, "b", (0.25, 0.0, 0.0), velocity=(-1.0, 0.5, 0.0))
    s.add(fm.SphereSphere("touch", a.centre, b.centre, RADIUS, RADIUS, fm.Hertz(1e7), fm.Ambrosio(mu, 0.0, 0.01)))
    return s


@pytest.mark.slow
def test_equal_spheres_exchange_their_speeds_along_the_line_of_centres():
    names = [f"{b}.{k}{axis}" for b in "ab" for k in ("", "v", "omega_") for axis in "xyz"]
    samples = {"mu": [0.0, 0.3, 0.3], "offset": [0.0, 0.0, 0.08]}
    run = simulate(meeting, [*names, "touch.impacts", "energy.balance"], end=0.1, points=41, samples=samples, tolerance=1e-10)
    for sample in range(3):
        got = column(run, sample)
        r, v, w = ({b: np.stack([got[f"{b}.{k}{axis}"] for axis in "xyz"], -1) for b in "ab"} for k in ("", "v", "omega_"))
        momentum = MASS * (v["a"] + v["b"])
        turning = sum(MASS * np.cross(r[b], v[b]) + SPHERE * w[b] for b in "ab")
        np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-10)
        np.testing.assert_allclose(turning, np.broadcast_to(turning[0], turning.shape), atol=1e-9)
        assert got["touch.impacts"][-1] == 1 and np.ptp(got["energy.balance"]) < 1e-6
    before, after = ({b: np.array([column(run)[f"{b}.v{axis}"][k] for axis in "xyz"]) for b in "ab"} for k in (0, -1))
    touch = np.roots([4.0**2 + 0.5**2, -2.0 * 0.25 * 4.0, 0.25**2 - (2.0 * RADIUS) ** 2]).min()  # b moves sideways until then
    line = np.array([0.25 - 4.0 * touch, 0.5 * touch, 0.0]) / (2.0 * RADIUS)
    exchanged = MASS * ((before["b"] - before["a"]) @ line)
    assert MASS * ((after["a"] - before["a"]) @ line) == pytest.approx(exchanged, rel=1e-3)  # the line turns a little while they touch
    np.testing.assert_allclose(after["a"][2], 0.0, atol=1e-12)


@pytest.mark.parametrize("kind, more", [(fm.SpherePlane, (RADIUS,)), (fm.SphereSphere, (RADIUS, RADIUS)), (fm.ThinDiscPlane, (RADIUS,))])
def test_a_friction_law_with_a_state_is_refused(kind, more):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    bristles = fm.LuGre(0.3, 0.2, 0.01, 1e5)
    with pytest.raises(fm.ModelError, match="has a state along one direction"):
        kind("touch", ball(s, "ball", (0.0, 0.0, 0.0)).centre, s.ground.at(0.0, 0.0, 0.0), *more, fm.Hertz(1e7), bristles)


def touching(kind):
    """A ball or disc that turns and slides on a plate, or a second ball, both free; and its equations at that state."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    a = ball(s, "ball", (0.0, 0.0, 0.09), velocity=(0.3, -0.2, 0.0), angular_velocity=(1.0, 2.0, -3.0), rotation=(0.2, 0.1, 0.0))
    b = s.body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0), rotation=(0.05, -0.1, 0.4))
    more = {"radius_a": RADIUS, "radius_b": 0.02} if kind is fm.SphereSphere else {"radius": RADIUS, "normal": (0.1, 0.2, 1.0)}
    s.add(kind("touch", a.centre, b.centre, **more, law=fm.Hertz(1e6), friction=fm.Ambrosio(0.3, 0.0, 5.0)))
    e = fm.Equations(s)
    return e, *e.initial()


KINDS = (fm.SpherePlane, fm.SphereSphere, fm.ThinDiscPlane)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_balance_and_their_power_is_that_of_the_law(kind):
    """Equal and opposite at one point: force and moment about the origin add up to none."""
    e, q, v = touching(kind)
    total, turning, force = np.zeros(3), np.zeros(3), e.force(q, v)
    for first in (0, 12):
        own, at = force[first : first + 12], q[first : first + 12]
        total += own[:3]
        turning += sum(np.cross(at[3 * k : 3 * k + 3], own[3 * k : 3 * k + 3]) for k in range(4))
    normal, rate, friction, slip = (e.output(f"touch.{key}", q, v) for key in ("normal", "rate", "friction", "slip"))
    assert normal > 100.0 and friction > 1.0
    np.testing.assert_allclose(total, 0.0, atol=1e-9)
    np.testing.assert_allclose(turning, 0.0, atol=1e-9)
    assert force @ v == pytest.approx(-normal * rate - friction * slip, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_their_derivatives_are_those_of_differences(kind):
    e, q, v = touching(kind)
    for found, right in (
        (e.stiffness(q, v), -jacobian(lambda x: e.force(x, v), q, 1e-5)),
        (e.damping(q, v), -jacobian(lambda x: e.force(q, x), v, 1e-4)),
    ):
        np.testing.assert_allclose(found.toarray(), right, atol=1e-7 * np.abs(right).max())
