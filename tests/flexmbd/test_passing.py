"""Bodies that cannot penetrate each other, and would pass each other within one step of a scheme with percussions and fixed steps."""

import numpy as np
import pytest

import flexmbd as fm
from tests.flexmbd.impenetrable_models import TIP

RADIUS, RESTITUTION, DISTANCE = 0.03, 0.7, 3.0
SPEEDS = np.array([1.7, 4.0, 6.0, 23.0, 40.0, 51.3])  # m/s: a way of up to 85 radii in a step
STEP = 0.05
SCHEMES = ("moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl")


def discs(speed, beside):
    """A disc that flies towards another one at rest."""
    s = fm.System(gravity=(0.0, 0.0))
    a = s.body("a", mass=1.0, inertia=1e-3, velocity=(speed, 0.0))
    b = s.body("b", mass=2.0, inertia=1e-3, position=(DISTANCE, beside))
    s.add(fm.DiscDisc("touch", a.centre, b.centre, RADIUS, RADIUS, fm.Impenetrable(restitution=RESTITUTION)))
    return s


def run(build, outputs, integrator, *, speeds=SPEEDS, end=4.0, step=STEP, lanes=8, points=2):
    """A batch that must have gone well."""
    settings = {"integrator": integrator, "step": step, "lanes": lanes}
    found = fm.run(build, {"speed": speeds}, end=end, points=points, outputs=outputs, settings=settings)
    assert not found.status.any(), found.message
    return found


@pytest.mark.parametrize("integrator", SCHEMES)
def test_discs_do_not_pass_each_other_within_a_step(integrator):
    """After the impact b has (1 + e) m/(m + M) of the approach along the line of centres; so fast a one is met where it touches."""
    for beside in (0.0, 0.6 * 2 * RADIUS):
        found = run(lambda speed, beside=beside: discs(speed, beside), ["touch.impacts", "a.vx", "b.vx", "touch.dissipated"], integrator)
        assert found["touch.impacts"][:, -1].tolist() == [1.0] * len(SPEEDS)
        assert found["a.vx"][:, -1] + 2.0 * found["b.vx"][:, -1] == pytest.approx(SPEEDS, rel=1e-9)
        share = 1.0 - (beside / (2 * RADIUS)) ** 2
        error = np.abs(found["b.vx"][:, -1] / ((1.0 + RESTITUTION) / 3.0 * share * SPEEDS) - 1.0)
        assert np.max(error[SPEEDS > 3.0]) < 1e-6
        assert np.max(error) < (0.5 if beside else 1e-9)  # two radii are a step and a half of the slow one
        lost = 0.5 * (2.0 / 3.0) * (1.0 - RESTITUTION**2) * share * SPEEDS**2
        assert found["touch.dissipated"][1:, -1] == pytest.approx(lost[1:], rel=1e-6)


@pytest.mark.parametrize("integrator", SCHEMES)
def test_balls_in_space_meet_where_they_touch(integrator):
    """Three quarters of a radius beside each other, in two directions."""

    def balls(speed):
        s = fm.System(gravity=(0.0, 0.0, 0.0))
        a = s.body("a", mass=1.0, inertia=(1e-3,) * 3, velocity=(speed, 0.0, 0.0))
        b = s.body("b", mass=2.0, inertia=(1e-3,) * 3, position=(2.0, 0.04, -0.05))
        s.add(fm.SphereSphere("touch", a.centre, b.centre, 0.06, 0.06, fm.Impenetrable(restitution=0.6)))
        return s

    speeds = np.array([7.0, 19.0, 33.3, 71.0])
    found = run(balls, ["b.vx", "b.vy", "b.vz"], integrator, speeds=speeds, end=1.0)
    across = np.array([0.04, -0.05]) / 0.12
    along = np.sqrt(1.0 - across @ across)
    for key, n in zip(("b.vx", "b.vy", "b.vz"), (along, *across), strict=True):
        assert found[key][:, -1] == pytest.approx(1.6 / 3.0 * along * n * speeds, rel=0.1)  # from a tenth on their normal has turned


@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_fast_disc_strikes_a_corner_or_flies_past(integrator):
    """A corner at 0.4 radii from the way of the centre turns it by the angle of its normal; one beyond the radius is not touched."""

    def corners(speed):
        s = fm.System(gravity=(0.0, 0.0))
        a = s.body("a", mass=1.0, inertia=1e-2, velocity=(speed, 0.0))
        for name, x, y in (("first", 1.0, -0.0501), ("second", 2.0, 0.02)):
            s.add(fm.DiscDisc(name, a.centre, s.ground.at(x, y), 0.05, TIP, fm.Impenetrable(restitution=1.0)))
        return s

    speeds = np.array([4.1, 9.0, 33.3, 71.0])
    found = run(corners, ["first.impacts", "second.impacts", "a.vx", "a.vy"], integrator, speeds=speeds, end=1.0)
    assert found["first.impacts"][:, -1].tolist() == [0.0] * 4
    assert found["second.impacts"][:, -1].tolist() == [1.0] * 4
    sine = 0.02 / (0.05 + TIP)
    assert found["a.vx"][:, -1] == pytest.approx(speeds * (2.0 * sine**2 - 1.0), rel=1e-6)
    assert found["a.vy"][:, -1] == pytest.approx(-2.0 * speeds * sine * np.sqrt(1.0 - sine**2), rel=1e-6)


@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_disc_does_not_reach_a_wall_through_another_one(integrator):
    """Ahead of the wall, which the first disc would reach in the same step, stands another one, too heavy to be moved."""

    def guarded(speed):
        s = fm.System(gravity=(0.0, 0.0))
        a = s.body("a", mass=1.0, inertia=1e-2, velocity=(speed, 0.0))
        b = s.body("b", mass=1e9, inertia=1e-2, position=(2.0, 0.0))
        s.add(fm.DiscDisc("touch", a.centre, b.centre, 0.05, 0.05, fm.Impenetrable(restitution=0.5)))
        s.add(fm.DiscPlane("wall", a.centre, s.ground.at(2.3, 0.0), 0.05, fm.Impenetrable(restitution=0.5), normal=(-1.0, 0.0)))
        return s

    speeds = np.array([7.0, 19.0, 33.3, 71.0])
    found = run(guarded, ["touch.impacts", "wall.impacts", "a.vx"], integrator, speeds=speeds, end=1.0)
    assert found["touch.impacts"][:, -1].tolist() == [1.0] * 4
    assert found["wall.impacts"][:, -1].tolist() == [0.0] * 4
    assert found["a.vx"][:, -1] == pytest.approx(-0.5 * speeds, rel=1e-6)


def pendulums(speed):
    """Two pendulums of 1 m with small discs, one let go from the side with a velocity; the other hangs."""
    s = fm.System(gravity=(0.0, -9.81))
    arm = {"O": (0.0, 1.0)}
    a = s.body("a", mass=1.0, inertia=0.02, position=(-1.0, 0.0), angle=-np.pi / 2, rate=speed, velocity=(0.0, -speed), points=arm)
    b = s.body("b", mass=1.0, inertia=0.02, position=(0.0, -1.0), points=arm)
    for body in (a, b):
        s.add(fm.Revolute(f"pin_{body.name}", s.ground.at(0.0, 0.0), body["O"]))
    s.add(fm.DiscDisc("touch", a.centre, b.centre, 0.03, 0.03, fm.Impenetrable(restitution=0.9)))
    return s


@pytest.mark.parametrize("integrator", SCHEMES)
def test_pendulums_meet_within_a_step(integrator):
    """Their joints stay closed though the step is cut; the impact's time, speed and loss are known to the order of a step."""
    speeds, outputs = np.array([0.0, 2.0, 4.0, 6.0, 8.3]), ["touch.impacts", "touch.impact_velocity", "touch.dissipated", "a.x", "a.y"]
    found = run(pendulums, outputs, integrator, speeds=speeds, end=0.6, step=0.02, points=31)
    assert found["touch.impacts"][:, -1].tolist() == [1.0] * 5
    fall = 2.0 * 9.81 * np.cos(2 * np.arcsin(0.03)) / 1.02
    meets = np.sqrt(speeds**2 + fall) * np.cos(np.arcsin(0.03))  # along the line of the centres
    assert found["touch.impact_velocity"][:, -1] == pytest.approx(meets, rel=0.06)
    assert found["touch.dissipated"][:, -1] == pytest.approx(0.5 * 0.5 * 1.02 * 0.19 * meets**2, rel=0.1)
    assert np.hypot(found["a.x"], found["a.y"]) == pytest.approx(1.0, abs=5e-4)


def test_lanes_that_pass_do_not_touch_their_neighbours():
    """A lane of eight that are cut at different times has what it has alone with others."""
    speeds = np.linspace(2.0, 8.5, 8)
    outputs = ["touch.impacts", "a.x", "b.x", "touch.impulse"]
    ahead = run(pendulums, outputs, "moreau", speeds=speeds, end=0.6, step=0.02, points=31)
    back = run(pendulums, outputs, "moreau", speeds=speeds[::-1].copy(), end=0.6, step=0.02, points=31)
    for key in outputs:
        assert np.array_equal(ahead[key], back[key][::-1])


def test_a_run_that_passes_goes_on_where_it_stood():
    """Discs fly freely but for the impact: a stop on the way, at an end of a step or not, changes what its time is known to."""
    speeds = np.array([6.0, 23.0, 51.3])
    samples = {"speed": speeds}
    settings = {"integrator": "moreau", "step": STEP, "lanes": 8}
    sim = fm.compile(lambda speed: discs(speed, 0.02), samples, outputs=["b.vx"], end=2.0, settings=settings)
    whole = sim.step(sim.start(samples), 2.0)
    for stop in (2 * STEP, 0.1234):
        other = sim.step(sim.step(sim.start(samples), stop), 2.0)
        assert other["coordinates"] == pytest.approx(whole["coordinates"], rel=1e-6)
