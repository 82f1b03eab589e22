"""Static friction, sliding that begins and ends, and falls of bodies on several contacts, with events (`event_driven`)."""

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import G, moved

M, HX, HY = 1.7, 0.25, 0.15


def plane_box(static, kinetic, height, moment, rate=1.0):
    """A box on two corners, pushed at a height above its middle by a force that is static m g at t = 1/rate."""
    limit = static * M * G
    s = fm.System(gravity=(0.0, -G))
    box = s.body("box", mass=M, inertia=M * (HX**2 + HY**2) / 3, position=(0.0, HY))
    law = fm.Impenetrable(friction=kinetic, static_friction=static)
    s.add(fm.BoxPlane("floor", box.centre, s.ground.at(0.0, 0.0), (HX, HY), law))
    s.add(fm.PointForce("push", box.centre, fx=fm.Polynomial((0.0, rate * limit))))
    s.add(fm.Torque("lever", s.ground, box, fm.Polynomial((moment, -rate * limit * height))))
    return s


@pytest.mark.parametrize(("static", "kinetic"), [(0.45, 0.45), (0.45, 0.25)])
def test_a_box_breaks_away_at_the_limit_wherever_it_is_pushed(static, kinetic):
    """From then on it has ``m a = static m g t - kinetic m g``."""
    given = {"height": np.array([0.0, 0.1, -0.12, 0.05]), "moment": np.array([0.0, 0.0, 0.7, -1.3])}

    def build(height, moment):
        return plane_box(static, kinetic, height, moment)

    run = moved(build, ["box.vx"], end=1.2, step=0.0, points=13, samples=given, scheme="event_driven")
    speed = G * (0.5 * static * (1.2**2 - 1.0) - 0.2 * kinetic)
    assert np.abs(run["box.vx"][:, 10]).max() < 1e-7
    assert run["box.vx"][:, 12] == pytest.approx(speed, rel=1e-6)


def space_box(direction, static=0.5, kinetic=0.3, moment=0.0, half=(0.2, 0.15, 0.1)):
    """A box on four corners in space, pushed in a direction through a point above its middle, with a moment about the vertical."""
    limit, c, n = static * M * G, np.cos(direction), np.sin(direction)
    s = fm.System(gravity=(0.0, 0.0, -G))
    box = s.body("box", mass=M, inertia=(0.02, 0.03, 0.04), position=(0.0, 0.0, half[2]))
    law = fm.Impenetrable(friction=kinetic, static_friction=static)
    s.add(fm.BoxPlane("floor", box.centre, s.ground.at(0.0, 0.0, 0.0), half, law))
    push = [fm.Table((0.0, 2.0), (0.0, 2.0 * limit * x)) for x in (c, n)]
    s.add(fm.PointForce("push", box.at(0.0, 0.0, 0.05), fx=push[0], fy=push[1]))
    if np.any(moment):
        s.add(fm.PointForce("spin", box.at(0.1, 0.0, 0.0), fy=moment / 0.2))
        s.add(fm.PointForce("back", box.at(-0.1, 0.0, 0.0), fy=-moment / 0.2))
    return s


def test_a_box_on_four_corners_breaks_away_in_the_direction_of_the_push():
    given = {"direction": np.array([0.0, 0.7, 2.1, 4.0])}
    run = moved(space_box, ["box.vx", "box.vy"], end=1.1, step=0.0, points=12, samples=given, scheme="event_driven")
    speed = G * (0.5 * 0.5 * (1.1**2 - 1.0) - 0.1 * 0.3)
    assert np.hypot(run["box.vx"], run["box.vy"])[:, :10].max() < 1e-7
    assert run["box.vx"][:, 11] == pytest.approx(speed * np.cos(given["direction"]), abs=1e-6)
    assert run["box.vy"][:, 11] == pytest.approx(speed * np.sin(given["direction"]), abs=1e-6)


def loose(turn, static=None, kinetic=0.4):
    """A point on a rough floor that a growing force along x and a constant one along y pull at."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    point = s.point_mass("point", mass=1.0)
    s.add(fm.PointPlane("floor", point.centre, s.ground.at(0.0, 0.0, 0.0), fm.Impenetrable(friction=kinetic, static_friction=static)))
    s.add(fm.PointForce("pull", point.centre, fx=fm.Polynomial((0.0, 10.0)), fy=turn))
    return s


@pytest.mark.parametrize("static", [None, 0.43])
def test_a_pull_that_turns_breaks_a_point_loose(static):
    """Against the motion with friction that is linear below 1e-7 m/s, from where static friction ends."""
    from scipy.integrate import solve_ivp

    turn, limit = 1.6, (static or 0.4) * G
    begins = np.sqrt(limit**2 - turn**2) / 10.0

    def rates(t, y):
        speed = max(np.hypot(y[2], y[3]), 1e-7)
        return [y[2], y[3], 10.0 * t - 0.4 * G * y[2] / speed, turn - 0.4 * G * y[3] / speed]

    exact = solve_ivp(rates, (begins, 0.9), np.zeros(4), method="Radau", rtol=1e-9, atol=1e-12).y[:2, -1]
    run = moved(loose(turn, static), ["point.x", "point.y"], end=0.9, step=0.0, scheme="event_driven")
    assert [run["point.x"][-1], run["point.y"][-1]] == pytest.approx(exact, abs=2e-6)
    assert run.statistics["steps"] < 2000


def spun(radii=(0.12, 0.3), mu=0.35, rate=2.0, growth=3.0):
    """Point masses on a disc that a drive turns faster and faster."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    disc = s.body("disc", mass=5.0, inertia=(0.5, 0.5, 1.0), angular_velocity=(0.0, 0.0, rate))
    centre = s.ground.at(0.0, 0.0, 0.0)
    s.add(fm.Revolute("bearing", centre, disc.centre, axis=(0.0, 0.0, 1.0)))
    times = np.linspace(0.0, 1.5, 4)
    turn = fm.Table(tuple(times), tuple(rate * times + growth * times**2 / 2), kind="cubic")
    s.add(fm.AngleDrive("drive", centre, disc.centre, turn, axis=(0.0, 0.0, 1.0)))
    for k, r in enumerate(radii):
        c, n = np.cos(2.0 * k), np.sin(2.0 * k)
        mass = s.point_mass(f"m{k}", mass=0.2 + 0.1 * k, position=(r * c, r * n, 0.0), velocity=(-rate * r * n, rate * r * c, 0.0))
        s.add(fm.PointPlane(f"c{k}", mass.centre, disc.centre, fm.Impenetrable(friction=mu)))
    return s


def test_masses_on_a_turning_disc_slide_one_after_the_other():
    """Each where ``r sqrt(rate^4 + growth^2)`` reaches mu g."""
    run = moved(spun(), ["c0.sticking", "c1.sticking"], end=1.0, step=0.0, points=1001, scheme="event_driven")
    for k, r in enumerate((0.12, 0.3)):
        begins = (((0.35 * G / r) ** 2 - 9.0) ** 0.25 - 2.0) / 3.0
        ended = np.flatnonzero(run[f"c{k}.sticking"] < 0.5)
        assert (run.time[ended[0]] == pytest.approx(begins, abs=2e-3)) if begins < 1.0 else not len(ended)


def dropped(wx, wy, wz, a, b, e=0.3, mu=0.3):
    """A box with all of its corners, turned and spinning, above a floor."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    turning = {"rotation": (a, b, 0.0), "angular_velocity": (wx, wy, wz)}
    box = s.body("box", mass=1.0, inertia=(0.01, 0.012, 0.02), position=(0.0, 0.0, 0.45), **turning)
    s.add(fm.BoxPlane("floor", box.centre, s.ground.at(0.0, 0.0, 0.0), (0.1, 0.12, 0.15), fm.Impenetrable(e, friction=mu)))
    return s


@pytest.mark.slow
@pytest.mark.parametrize(("e", "mu"), [(0.0, None), (0.0, 0.3), (0.3, 0.3)])
def test_boxes_that_fall_in_space_come_to_rest_with_closed_books(e, mu):
    rng = np.random.default_rng(7)
    given = {key: rng.uniform(-5.0, 5.0, 32) for key in ("wx", "wy", "wz")} | {key: rng.uniform(-1.5, 1.5, 32) for key in ("a", "b")}
    run = moved(
        lambda **x: dropped(**x, e=e, mu=mu), ["energy.balance", "energy.total"], end=1.2, step=0.0, samples=given, scheme="event_driven"
    )
    assert np.abs(np.diff(run["energy.balance"], axis=1)).max() < 1e-6 * run["energy.total"][:, 0].max()


def struck(m=2.0, approach=1.0, pace=0.5, e=0.5):
    """A ball that strikes a plate which a drive moves towards it."""
    s = fm.System()
    plate = s.body("plate", mass=1.0, inertia=1.0, velocity=(0.0, pace))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), plate.centre, axis=(0.0, 1.0)))
    s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), plate.centre, fm.ConstantSpeed(pace), axis=(0.0, 1.0)))
    ball = s.point_mass("ball", mass=m, position=(0.0, 0.3), velocity=(0.0, -approach))
    s.add(fm.PointPlane("face", ball.centre, plate.centre, fm.Impenetrable(e)))
    return s


def test_a_drive_works_in_an_impact():
    """Its percussion, m (1 + e) times the approach, times its own velocity."""
    given = {"m": np.array([2.0, 0.7]), "pace": np.array([0.5, 0.8])}
    run = moved(struck, ["energy.drive", "energy.balance"], end=1.0, step=0.0, samples=given, scheme="event_driven")
    assert run["energy.drive"][:, -1] == pytest.approx(given["m"] * 1.5 * (1.0 + given["pace"]) * given["pace"], rel=1e-9)
    assert np.abs(np.diff(run["energy.balance"], axis=1)).max() < 1e-9


@pytest.mark.parametrize(("static", "more"), [(None, ""), (0.6, "static friction")])
def test_remedies_name_schemes_that_treat_contacts(static, more):
    """Also where a run may have too few steps."""
    run = fm.run(loose(1.0, static), end=1.0, points=2, outputs=["point.x"], settings={"integrator": "event_driven", "max_steps": 20})
    assert "generalized_alpha" not in run.message and "take integrator = 'moreau'" in run.message and more in run.message
