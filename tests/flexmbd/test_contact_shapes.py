"""Points and boxes on planes, spheres on cylinders and in tubes, with laws and without penetration: closed forms, books."""

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbd as fm

from .impenetrable_models import G, moved
from .running import simulate
from .tangents import jacobian

MASS = 2.0


# ---- a point
def sliding_point(d, mu=0.3, law=None, friction=None, v0=1.0):
    """A point mass thrown along a floor, in the plane or in space."""
    s = fm.System(gravity=(*(0.0,) * (d - 1), -G))
    way = (1.0, 0.0) if d == 2 else (0.6, 0.8, 0.0)
    bob = s.point_mass("bob", mass=MASS, position=(0.0,) * d, velocity=tuple(v0 * x for x in way))
    law = fm.Impenetrable(friction=mu) if law is None else law
    s.add(fm.PointPlane("floor", bob.centre, s.ground.at(*(0.0,) * d), law, friction))
    return s


@pytest.mark.parametrize("d", [2, 3])
def test_a_point_mass_slides_and_stops(d):
    """After ``v²/(2 mu g)``; to the step, friction is that of Coulomb."""
    names = ["bob.vx", "bob.x", "floor.friction", "floor.normal", "floor.sticking", "energy.balance"]
    run = moved(sliding_point(d), names, end=0.5, step=1e-3, points=0)
    share, slides = (1.0, 0.6)[d - 2], run.time < 1.0 / (0.3 * G) - 1e-3
    assert run["bob.vx"][slides] == pytest.approx(share * (1.0 - 0.3 * G * run.time[slides]), abs=1e-9)
    assert run["bob.x"][-1] == pytest.approx(share / (2.0 * 0.3 * G), abs=1e-3 * share)
    assert run["floor.normal"][1:] == pytest.approx(MASS * G, rel=1e-9)
    assert np.abs(run["floor.friction"][1:][slides[1:]]) == pytest.approx(0.3 * MASS * G, rel=1e-9)
    assert run["floor.sticking"][-1] == 1.0 and np.ptp(run["energy.balance"]) < 1e-9


@pytest.mark.parametrize("d", [2, 3])
def test_a_point_mass_slides_with_a_law(d):
    """Far above the friction law's transition it is slowed by mu g."""
    law, rub = fm.KelvinVoigt(1e6, 200.0), fm.Ambrosio(0.3, 0.0, 1e-3)
    got = simulate(sliding_point(d, law=law, friction=rub), ["bob.vx", "floor.normal", "energy.balance"], end=0.2, points=21)
    late = slice(12, None)  # it has sunk in, and friction is mu times what bears it
    assert np.diff(got["bob.vx"][late]) == pytest.approx(-0.3 * G * 0.01 * (1.0, 0.6)[d - 2], rel=2e-3)
    assert got["floor.normal"][-1] == pytest.approx(MASS * G, rel=1e-4) and np.ptp(got["energy.balance"]) < 1e-6


def test_lanes_give_the_bits_of_single_points():
    samples = {"mu": np.array([0.1, 0.3, 0.5]), "v0": np.array([1.0, 2.0, 0.5])}

    def build(mu=0.3, v0=1.0):
        return sliding_point(3, mu=mu, v0=v0)

    together = moved(build, ["bob.x", "bob.vy"], end=0.3, step=1e-3, points=31, samples=samples)
    for i in range(3):
        alone = moved(build, ["bob.x", "bob.vy"], end=0.3, step=1e-3, points=31, samples={k: x[i : i + 1] for k, x in samples.items()})
        for name in ("bob.x", "bob.vy"):
            np.testing.assert_array_equal(alone[name][0], together[name][i])


def on_posts(law, length=1.0):
    """A cable that lies with both ends on a floor."""
    s = fm.System(gravity=(0.0, -G))
    section, steel = fm.Section.circle(0.02), fm.Material(1e8, 0.3, 1000.0)
    cable = s.cable("cable", length=length, elements=2, section=section, material=steel, damping=0.01)
    for name, end in (("left", cable.start), ("right", cable.end)):
        s.add(fm.PointPlane(name, end, s.ground.at(0.0, 0.0), law))
    return s, 1000.0 * section.area * length * G


def test_a_cable_lies_with_its_ends_on_a_floor():
    """Each end bears half of the weight, with a law as without penetration."""
    system, weight = on_posts(fm.KelvinVoigt(1e5, 50.0))
    soft = simulate(system, ["left.normal", "right.normal", "left.penetration", "energy.balance"], end=4.0, points=9, tolerance=1e-9)
    assert [soft["left.normal"][-1], soft["right.normal"][-1]] == pytest.approx([0.5 * weight] * 2, rel=1e-4)
    assert soft["left.penetration"][-1] == pytest.approx(0.5 * weight / 1e5, rel=1e-4) and np.ptp(soft["energy.balance"]) < 1e-7
    system, weight = on_posts(fm.Impenetrable())
    hard = moved(system, ["left.normal", "left.penetration"], end=4.0, step=2e-3, points=5, scheme="nonsmooth_generalized_alpha")
    assert (
        hard["left.normal"][-1] == pytest.approx(0.5 * weight, rel=1e-4) and abs(hard["left.penetration"][-1]) < 0.5 * G * 2e-3**2
    )  # a step's fall


# ---- a box
def box(half=(0.1, 0.2), mu=0.3, slope=0.0, e=0.0, law=None, friction=None, turn=0.0, lift=0.0):
    """A uniform box on an incline, x up the slope; in the plane it may be turned about its right lower corner (clockwise)."""
    s, d = fm.System(gravity=(-G * np.sin(slope), *(0.0,) * (len(half) - 2), -G * np.cos(slope))), len(half)
    if d == 2:
        (w, h), c, n = half, np.cos(turn), np.sin(turn)
        place = w + h * n - w * c, lift + h * c + w * n
        body = s.body("box", mass=MASS, inertia=MASS * (w**2 + h**2) / 3.0, position=place, angle=-np.asarray(turn))
    else:
        squares = np.square(half)
        inertia = tuple(MASS * (squares.sum() - x) / 3.0 for x in squares)
        body = s.body("box", mass=MASS, inertia=inertia, position=(0.0, 0.0, half[2] + lift))
    law = fm.Impenetrable(e, friction=mu) if law is None else law
    s.add(fm.BoxPlane("floor", body.centre, s.ground.at(*(0.0,) * d), half, law, friction))
    return s


HALVES = [(0.2, 0.1), (0.2, 0.15, 0.1)]


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("mu", [0.3, 0.7])
def test_a_box_slides_where_friction_is_less_than_the_slope(half, mu):
    slope = np.pi / 6
    run = moved(box(half, mu, slope), ["box.vx", "floor.impulse", "floor.dissipated", "energy.balance"], end=0.5, step=1e-3, points=6)
    pull = min(0.0, mu * np.cos(slope) - np.sin(slope)) * G
    assert run["box.vx"] == pytest.approx(pull * run.time, abs=1e-7)
    assert run["floor.impulse"] == pytest.approx(MASS * G * np.cos(slope) * run.time, abs=1e-7)
    rubbed = mu * MASS * G * np.cos(slope) * np.abs(0.5 * pull * run.time**2)
    assert run["floor.dissipated"] == pytest.approx(rubbed, abs=1e-6)
    assert np.ptp(run["energy.balance"]) < 1e-7


def test_a_box_with_a_law_slides_down():
    """All eight corners in the books of one law."""
    slope, half = np.pi / 6, HALVES[1]
    deep = (MASS * G * np.cos(slope) / 4e6) ** (2.0 / 3.0)
    system = box(half, slope=slope, law=fm.LankaraniNikravesh(1e6, restitution=0.3), friction=fm.Ambrosio(0.3, 0.0, 1e-4), lift=-deep)
    got = simulate(system, ["box.vx", "floor.normal", "energy.balance"], end=0.3, points=4)
    assert got["box.vx"][-1] == pytest.approx(-0.3 * G * (np.sin(slope) - 0.3 * np.cos(slope)), rel=2e-3)
    assert got["floor.normal"][-1] == pytest.approx(MASS * G * np.cos(slope), rel=2e-3)
    assert np.ptp(got["energy.balance"]) < 1e-6


@pytest.mark.parametrize("half, below", [((0.1, 0.2), (1, 3)), ((0.1, 0.15, 0.2), (1, 3, 5, 7))])
def test_a_box_at_rest_lies_on_the_corners_of_its_face(half, below):
    """Of each the depth is ``m g/(n k)`` at rest."""
    stiffness, share = 1e5, MASS * G / len(below)
    corners = range(1, 2 ** len(half) + 1)
    names = [f"floor.{k}.{key}" for k in corners for key in ("normal", "penetration")]
    run = simulate(box(half, law=fm.KelvinVoigt(stiffness, 200.0)), names, end=1.0)
    for k in corners:
        assert run[f"floor.{k}.normal"][-1] == pytest.approx(share if k in below else 0.0, rel=1e-6)
        if k in below:
            assert run[f"floor.{k}.penetration"][-1] == pytest.approx(share / stiffness, rel=1e-6)


@pytest.mark.parametrize("wide, tips", [(0.95, True), (1.05, False)])
@pytest.mark.parametrize("d", [2, 3])
def test_a_box_that_cannot_slide_tips_where_its_weight_leaves_its_base(wide, tips, d):
    """On a slope of 0.5 rad: half width over half height against ``tan(0.5)``."""
    high, slope = 0.2, 0.5
    half = (wide * np.tan(slope) * high, high) if d == 2 else (wide * np.tan(slope) * high, 0.3, high)
    name = "box.rate" if d == 2 else "box.omega_y"
    run = moved(box(half, mu=2.0, slope=slope), [name, "floor.contact"], end=0.1, step=1e-3)
    inertia = MASS * 4.0 / 3.0 * (half[0] ** 2 + high**2)
    moment = MASS * G * (np.sin(slope) * high - np.cos(slope) * half[0])
    rate = (1.0 if d == 2 else -1.0) * max(0.0, moment) / inertia * 0.1  # at first
    assert run[name][-1] == pytest.approx(rate, rel=0.1, abs=1e-7)
    assert run["floor.contact"][-1] == 2 ** (d - 1) / (2 if tips else 1)


def test_a_box_slides_before_it_tips():
    """Where mu is less than half width over half height it never tips; else it tips before it slides (a hand pushes at the top)."""
    for mu, tips in ((0.4, False), (0.6, True)):
        s = box((0.1, 0.2), mu=mu)
        body = s.bodies[0]
        push = 1.02 * MASS * G * min(mu, 0.5)
        s.add(fm.PointForce("hand", body.centre, fx=push, fy=0.0))
        run = moved(s, ["box.rate", "box.vx", "floor.contact"], end=0.1, step=1e-3)
        assert (run["box.rate"][-1] < -1e-4) == tips
        if not tips:
            assert run["box.vx"][-1] == pytest.approx((push / MASS - mu * G) * 0.1, rel=1e-6)


def housner(half, turn):
    """Quarter period of a block let go at an angle, and the ratio of angular velocities over its impact.

    Housner 1963, Bull. Seismol. Soc. Am. 53, 403-417: ``1 - 3/2 sin²(slope of its diagonal)``, equation 8; the period without his
    linearisation.
    """
    size, lean = np.hypot(*half), np.arctan2(*half)
    square = 1.5 * G / size  # rate² = square (cos(lean - turn) - cos(lean - angle)) from rest at `turn`

    def slowness(x):  # angle = turn (1 - x²): takes the root away
        return 2.0 * turn * x / np.sqrt(square * (np.cos(lean - turn) - np.cos(lean - turn * (1.0 - x * x))))

    return quad(slowness, 0.0, 1.0)[0], 1.0 - 1.5 * np.sin(lean) ** 2


def rocked(half, turn, end, **settings):
    """Time of the first impact, and the ratio of angular velocities over it, by the energy of what follows."""
    square, lean = 1.5 * G / np.hypot(*half), np.arctan2(*half)
    points = {"points": 2001} if "step" not in settings else {"points": round(end / settings["step"]) + 1}
    run = fm.run(box(half, mu=2.0, turn=turn), end=end, outputs=["box.rate", "box.angle"], settings=settings, **points)
    assert not run.status, run.message
    angle, rate = run["box.angle"], run["box.rate"]
    last = np.argmax(angle >= -1e-9) - 1
    before = np.sqrt(square * (np.cos(lean - turn) - np.cos(lean)))
    after = np.sqrt(rate[-1] ** 2 + square * (np.cos(lean - angle[-1]) - np.cos(lean)))
    assert angle[-1] > 0.0  # about the other corner
    return run.time[last] - angle[last] / rate[last], after / before


def test_a_rocking_block_has_housners_period_and_loss():
    """By events; and to the step with fixed steps, in one of which the impact falls."""
    half, turn = (0.1, 0.4), 0.1
    quarter, ratio = housner(half, turn)
    when, kept = rocked(half, turn, 1.6 * quarter, integrator="event_driven")
    assert when == pytest.approx(quarter, abs=1e-6) and kept == pytest.approx(ratio, abs=1e-8)
    for step in (1e-3, 1e-4):
        when, kept = rocked(half, turn, 1.6 * quarter, integrator="moreau", step=step)
        assert when == pytest.approx(quarter, abs=2.0 * step) and kept == pytest.approx(ratio, abs=5.0 * step)


# ---- a sphere and a cylinder
BALL, DRUM = 0.05, 0.3


def on_drum(angle, law, friction=None, inside=False, length=None, **start):
    """A solid sphere that touches a cylinder (axis y) at an angle from its top; in a tube, from its bottom."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    way = -(DRUM - BALL) if inside else DRUM + BALL
    place = (way * np.sin(angle) * (-1.0 if inside else 1.0), 0.0, way * np.cos(angle))
    ball = s.body("ball", mass=MASS, inertia=(0.4 * MASS * BALL**2,) * 3, position=place, **start)
    s.add(
        fm.SphereCylinder(
            "touch", ball.centre, s.ground.at(0.0, 0.0, 0.0), BALL, DRUM, law, friction, axis=(0.0, 1.0, 0.0), inside=inside, length=length
        )
    )
    return s


def left(mu, integrator, **settings):
    """Cosine of the angle from the top at which a sphere leaves a cylinder, and its horizontal speed from there on."""
    run = fm.run(
        on_drum(0.05, fm.Impenetrable(friction=mu)), end=1.5, points=6001, outputs=["ball.x", "ball.z", "ball.vx", "touch.contact"],
        settings=settings | {"integrator": integrator},
    )  # fmt: skip
    assert not run.status, run.message
    closed = run["touch.contact"] > 0.5
    assert closed.any() and not closed[-1]
    k = np.flatnonzero(closed)[-1]
    return run["ball.z"][k] / np.hypot(run["ball.x"][k], run["ball.z"][k]), run["ball.vx"][-1]


@pytest.mark.parametrize("mu, share", [(None, 2.0 / 3.0), (1e4, 10.0 / 17.0)])
def test_a_sphere_leaves_the_top_of_a_cylinder(mu, share):
    """Let go at an angle: at ``2/3`` of its cosine if it slides, at ``10/17`` if it rolls (nothing slips if mu is that large)."""
    share *= np.cos(0.05)
    speed = share * np.sqrt(G * (DRUM + BALL) * share)  # its weight just holds it on its circle
    cosine, ahead = left(mu, "event_driven")
    assert cosine == pytest.approx(share, abs=1e-3)  # 0.25 ms between points of the grid are 0.8e-3
    assert ahead == pytest.approx(speed, rel=1e-5)
    assert left(mu, "moreau", step=2e-4)[1] == pytest.approx(speed, rel=0.01)  # it hops on a surface that bends away, so leaves earlier


@pytest.mark.parametrize("rolls", [False, True])
@pytest.mark.parametrize("stiff", [False, True])
def test_a_sphere_swings_in_a_tube(rolls, stiff):
    """``sqrt(5 g/(7 (R - r)))`` if it rolls, ``sqrt(g/(R - r))`` if it slides; with the correction of its amplitude."""
    angle = 0.1
    rate = np.sqrt((5.0 / 7.0 if rolls else 1.0) * G / (DRUM - BALL)) * (1.0 - angle**2 / 16.0)
    if stiff:
        s = on_drum(angle, fm.Impenetrable(friction=1.0 if rolls else None), inside=True)
        run = moved(s, ["ball.x", "energy.balance"], end=np.pi / rate, step=np.pi / rate / 1000)
    else:
        s = on_drum(angle, fm.KelvinVoigt(1e6, 1e3), fm.Ambrosio(1.0, 0.0, 1e-3) if rolls else None, inside=True)
        run = simulate(s, ["ball.x", "energy.balance"], end=np.pi / rate, points=3)
    assert np.abs(run["ball.x"][[0, -1]]) == pytest.approx((DRUM - BALL) * np.sin(angle), rel=2e-3)
    assert run["ball.x"][0] == pytest.approx(-run["ball.x"][-1], rel=2e-3)  # after half a period on the other side


def test_a_ball_slides_along_a_tube():
    """Along the axis nothing pushes back but friction: mu g against it, and then it rolls with 5/7 of its speed."""
    s = on_drum(0.0, fm.Impenetrable(friction=0.2), inside=True, velocity=(0.0, 1.0, 0.0))
    run = moved(s, ["ball.vy", "ball.omega_x"], end=0.5, step=1e-3, points=11)
    stop = 2.0 / (7.0 * 0.2 * G)
    slides = run.time < stop - 1e-3
    assert run["ball.vy"][slides] == pytest.approx(1.0 - 0.2 * G * run.time[slides], abs=1e-6)
    assert run["ball.vy"][-1] == pytest.approx(5.0 / 7.0, abs=1e-3)
    assert run["ball.omega_x"][-1] == pytest.approx(-run["ball.vy"][-1] / BALL, rel=1e-5)


def test_a_ball_that_leaves_a_finite_cylinder_goes_over_its_rim():
    """Frictionless, thrown along the top: the rim pushes it outwards as it falls, and energy is kept."""
    s = on_drum(0.0, fm.Hertz(1e8), length=0.4, velocity=(0.0, 0.3, 0.0))
    run = simulate(
        s,
        ["ball.y", "ball.z", "ball.vy", "ball.vz", "touch.penetration", "touch.normal", "energy.balance"],
        end=1.0,
        points=401,
        tolerance=1e-9,
    )
    gap = np.where(
        np.abs(run["ball.y"]) > 0.2, np.hypot(np.abs(run["ball.y"]) - 0.2, run["ball.z"] - DRUM), run["ball.z"] - DRUM
    )  # from the line of the surface, in the plane of the motion
    above = run["ball.z"] > DRUM
    assert run["touch.penetration"][above] == pytest.approx(BALL - gap[above], abs=1e-12)
    assert above.any() and not above.all() and np.ptp(run["energy.balance"]) < 1e-6
    rim = above & (run["ball.y"] > 0.2) & (run["touch.normal"] > 0.0)
    assert rim.sum() > 5  # it rolled over the rim, not off the edge of a plane
    assert run["ball.vy"][-1] > 0.3


def tube(ball=0.05, angle=0.1):
    """A ball in a tube, by a law, of numbers over samples."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    way = DRUM - np.asarray(ball)
    body = s.body("ball", mass=1.0, inertia=(1e-3,) * 3, position=(way * np.sin(angle), 0.0, -way * np.cos(angle)))
    floor = s.ground.at(0.0, 0.0, 0.0)
    s.add(fm.SphereCylinder("tube", body.centre, floor, ball, DRUM, fm.Hertz(1e7), axis=(0.0, 1.0, 0.0), inside=True, length=0.5))
    return s


def block(wide=0.1, slope=0.5):
    """A box on an incline, of numbers over samples."""
    return box((wide, 0.2), mu=2.0, slope=slope)


@pytest.mark.parametrize(
    "build, samples, settings",
    [
        (tube, {"ball": [0.05, 0.02, 0.1], "angle": [0.1, 0.4, -0.2]}, {}),
        (block, {"wide": [0.1, 0.12, 0.08], "slope": [0.5, 0.6, 0.7]}, {"integrator": "moreau", "step": 1e-3}),
    ],
)
def test_lanes_give_the_bits_of_single_runs(build, samples, settings):
    samples = {key: np.array(x) for key, x in samples.items()}
    outputs = ["ball.x", "ball.z"] if build is tube else ["box.x", "box.angle"]
    together = fm.run(build, samples, end=0.2, points=21, outputs=outputs, settings=settings)
    assert not together.status.any(), together.message
    for i in range(3):
        alone = fm.run(build, {key: x[i : i + 1] for key, x in samples.items()}, end=0.2, points=21, outputs=outputs, settings=settings)
        for name in outputs:
            assert np.ptp(alone[name][0]) > 1e-6
            np.testing.assert_array_equal(alone[name][0], together[name][i])


# ---- what holds of each
def free_pair(kind):
    """A body that turns and slides, deep in a plate that is free too; the plane of the plate is inclined in its frame."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    start = {"velocity": (0.3, -0.2, 0.0), "angular_velocity": (1.0, 2.0, -3.0), "rotation": (0.2, 0.1, 0.0)}
    a = s.body("a", mass=MASS, inertia=(0.1, 0.2, 0.25), position=(0.02, 0.01, 0.0), **start)
    b = s.body("b", mass=1.0, inertia=(1.0, 1.1, 1.2), rotation=(0.05, -0.1, 0.4), velocity=(0.0, 0.1, 0.3))
    law, friction = fm.Hertz(1e6), fm.Ambrosio(0.3, 0.0, 5.0)
    if kind is fm.PointPlane:
        s.add(kind("touch", a.at(0.01, 0.02, -0.03), b.at(0.0, 0.0, 0.01), law, friction, normal=(0.1, 0.2, 1.0)))
    elif kind in CYLINDERS:
        below, drum = (0.0, 0.11) if kind == "inside" else (-0.35, 0.3)
        more = {"axis": (0.1, 1.0, 0.2)} | CYLINDERS[kind]
        s.add(fm.SphereCylinder("touch", a.at(0.01, 0.02, -0.03), b.at(0.0, 0.0, below), 0.1, drum, law, friction, **more))
    else:
        s.add(kind("touch", a.centre, b.at(0.0, 0.0, -0.03), (0.1, 0.06, 0.04), law, friction, normal=(0.1, 0.2, 1.0)))
    e = fm.Equations(s)
    return e, *e.initial()


CYLINDERS = {"outside": {}, "inside": {"inside": True}, "rim": {"length": 0.02}}
KINDS = {fm.PointPlane: [""], **{key: [""] for key in CYLINDERS}, fm.BoxPlane: [f".{k}" for k in range(1, 9)]}


@pytest.mark.parametrize("kind", KINDS)
def test_forces_balance_and_their_power_is_that_of_the_law(kind):
    e, q, v = free_pair(kind)
    total, turning, force = np.zeros(3), np.zeros(3), e.force(q, v)
    for first in (0, 12):
        own, at = force[first : first + 12], q[first : first + 12]
        total += own[:3]
        turning += sum(np.cross(at[3 * k : 3 * k + 3], own[3 * k : 3 * k + 3]) for k in range(4))
    keys = ("normal", "rate", "friction", "slip")
    power, most = 0.0, 0.0
    for place in KINDS[kind]:
        normal, rate, friction, slip = (e.output(f"touch{place}.{key}", q, v) for key in keys)
        power, most = power - normal * rate - friction * slip, max(most, friction)
    assert most > 1.0
    size = np.abs(force).max()
    np.testing.assert_allclose(total, 0.0, atol=1e-12 * size)
    np.testing.assert_allclose(turning, 0.0, atol=1e-12 * size)
    assert force @ v == pytest.approx(power, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_their_derivatives_are_those_of_differences(kind):
    e, q, v = free_pair(kind)
    for found, right in (
        (e.stiffness(q, v), -jacobian(lambda x: e.force(x, v), q, 1e-5)),
        (e.damping(q, v), -jacobian(lambda x: e.force(q, x), v, 1e-4)),
    ):
        np.testing.assert_allclose(found.toarray(), right, atol=1e-7 * np.abs(right).max())


def test_a_friction_law_with_a_state_is_for_the_plane():
    bristles = fm.LuGre(0.3, 0.2, 0.01, 1e5)
    with pytest.raises(fm.ModelError, match="has a state along one direction"):
        sliding_point(3, law=fm.Hertz(1e6), friction=bristles)
    got = simulate(sliding_point(2, law=fm.KelvinVoigt(1e6, 200.0), friction=bristles), ["bob.vx", "bob.x"], end=0.1, points=3)
    assert got["bob.vx"][-1] < got["bob.vx"][0]
