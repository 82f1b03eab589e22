"""Schemes for contacts that cannot be penetrated, each against closed forms; the order of each across impacts."""

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import G

STEPPING = ("moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl")
SCHEMES = (*STEPPING, "event_driven")
STEP = 1e-3


def ran(build, outputs, scheme, samples=None, *, end=1.0, points=11, step=STEP, **settings):
    """Outputs of a run that went well; the event-driven scheme chooses its own steps unless told."""
    step = {} if scheme == "event_driven" and "fixed" not in settings else {"step": step}
    found = fm.run(build, samples, end=end, points=points, outputs=outputs, settings={"integrator": scheme, **step, **settings})
    assert not np.any(found.status), found.message
    return found.outputs if samples else {name: x[0] for name, x in found.outputs.items()}


def ball(h0=1.0, e=0.8, radius=0.1):
    """A ball that falls on a floor."""
    s = fm.System(gravity=(0.0, -G))
    body = s.body("ball", mass=1.0, inertia=0.01, position=(0.0, h0 + radius))
    s.add(fm.DiscPlane("floor", body.at(0.0, 0.0), s.ground.at(0.0, 0.0), radius, fm.Impenetrable(e)))
    return s


def sphere(mu=0.2, vx=1.0, vy=0.5):
    """A sphere that slides on a floor."""
    s, radius = fm.System(gravity=(0.0, 0.0, -G)), 0.1
    body = s.body("ball", mass=1.0, inertia=(0.4 * radius**2,) * 3, position=(0.0, 0.0, radius), velocity=(vx, vy, 0.0))
    s.add(fm.SpherePlane("floor", body.at(0.0, 0.0, 0.0), s.ground.at(0.0, 0.0, 0.0), radius, fm.Impenetrable(friction=mu)))
    return s


def swing(e=0.6, mu=0.2, start=0.4):
    """A double pendulum whose lower end strikes and rubs on a floor below it."""
    s = fm.System(gravity=(0.0, -G))
    a = s.body(
        "a", mass=1.0, inertia=0.1, angle=start, position=(0.5 * np.cos(start), 0.5 * np.sin(start)), points={"O": (-0.5, 0), "A": (0.5, 0)}
    )
    b = s.body("b", mass=0.8, inertia=0.05, position=(np.cos(start) + 0.4, np.sin(start)), points={"A": (-0.4, 0), "E": (0.4, 0)})
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), a["O"]))
    s.add(fm.Revolute("A", a["A"], b["A"]))
    s.add(fm.DiscPlane("floor", b["E"], s.ground.at(0.0, -0.5), 0.05, fm.Impenetrable(e, friction=mu)))
    return s


def belt(static=0.3):
    """A block on a spring, on a floor that is driven at a constant speed under it."""
    s = fm.System(gravity=(0.0, -G))
    floor = s.body("belt", mass=1.0, inertia=1.0, velocity=(0.2, 0.0))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), floor.at(0.0, 0.0)))
    s.add(fm.SlideDrive("drive", s.ground.at(0.0, 0.0), floor.at(0.0, 0.0), fm.ConstantSpeed(0.2)))
    block = s.body("block", mass=1.0, inertia=1e6, position=(0.0, 0.1), velocity=(0.2, 0.0))
    law = fm.Impenetrable(friction=0.1, static_friction=static)
    s.add(fm.DiscPlane("floor", block.at(0.0, 0.0), floor.at(0.0, 0.0), 0.1, law))
    s.add(fm.Spring("spring", block.at(0.0, 0.0), s.ground.at(-100.0, 0.1), 20.0, length=100.0))
    return s


@pytest.mark.parametrize(
    "scheme, near", [("moreau", 1e-2), ("nonsmooth_generalized_alpha", 5e-3), ("nonsmooth_ggl", 2e-2), ("event_driven", 1e-6)]
)
def test_a_bouncing_ball_comes_to_rest_at_the_point_of_accumulation(scheme, near):
    """At ``t0 (1 + e)/(1 - e)``; the floor has then carried the weight for all the time."""
    found = ran(ball, ["floor.contact:mean", "floor.impulse:final", "ball.y:final"], scheme, end=5.0, points=2)
    rest = np.sqrt(2.0 / G) * (1.8 / 0.2)
    assert 1.0 - found["floor.contact:mean"] == pytest.approx(rest / 5.0, abs=near)
    assert found["floor.impulse:final"] == pytest.approx(5.0 * G, abs=1e-2 if scheme != "event_driven" else 1e-9)
    assert found["ball.y:final"] == pytest.approx(0.1, abs=1e-5)


def test_events_are_impacts_and_energy_is_kept_between_them():
    found = ran(ball, ["floor.impacts", "energy.balance"], "event_driven", end=2.5, points=2501)
    time, times = np.linspace(0.0, 2.5, 2501), np.sqrt(2.0 / G) * (1.0 + 2.0 * np.cumsum([0.0, 0.8, 0.64, 0.512]))
    assert [np.sum(time < t) for t in times] == [np.argmax(found["floor.impacts"] > k - 0.5) for k in (1, 2, 3, 4)]
    assert np.ptp(found["energy.balance"]) < 1e-9


@pytest.mark.parametrize(
    "scheme, near", [("moreau", 1e-5), ("nonsmooth_generalized_alpha", 1e-4), ("nonsmooth_ggl", 1e-4), ("event_driven", 1e-9)]
)
def test_a_sliding_sphere_comes_to_roll(scheme, near):
    """With 5/7 of its speed, in its direction."""
    found = ran(sphere, ["ball.vx", "ball.vy", "floor.sticking", "energy.balance"], scheme)
    assert found["ball.vx"][-1] == pytest.approx(5.0 / 7.0, abs=near) and found["ball.vy"][-1] == pytest.approx(2.5 / 7.0, abs=near)
    assert list(found["floor.sticking"][:2]) == [0, 0] and found["floor.sticking"][2:].all()
    assert np.ptp(found["energy.balance"]) < 1e-5 if scheme != "event_driven" else 1e-8


def test_stick_and_slip_on_a_belt_repeat_as_the_closed_form_says():
    """The block sticks until the spring pulls with the static friction, slips with the kinetic one until its speed is the belt's again."""
    static, kinetic, k, v = 0.3, 0.1, 20.0, 0.2
    found = ran(belt, ["floor.sticking", "block.x"], "event_driven", end=12.0, points=12001)
    time, sticks = np.linspace(0.0, 12.0, 12001), found["floor.sticking"] > 0.5
    begins = time[1:][sticks[1:] & ~sticks[:-1]]  # of sticking
    omega, away = np.sqrt(k), (static - kinetic) * G / k  # from the place where the spring balances kinetic friction
    slips = 2.0 * (np.pi - np.arctan2(omega * away, v)) / omega  # x - xk = away cos(w t) + v/w sin(w t), until the speed is v again
    holds = 2.0 * away / v
    assert np.diff(begins) == pytest.approx(slips + holds, abs=2e-3)


def test_static_friction_above_kinetic_is_refused_by_schemes_that_step_over_events():
    with pytest.raises(fm.ModelError, match="static_friction"):
        fm.run(belt, end=0.1, outputs=["block.x"], settings={"integrator": "moreau", "step": 1e-3})


def test_rolling_friction_is_refused_by_the_event_driven_scheme():
    def disc():
        s = fm.System(gravity=(0.0, -G))
        body = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.1))
        s.add(fm.DiscPlane("floor", body.at(0.0, 0.0), s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(friction=0.3, rolling=1e-3)))
        return s

    with pytest.raises(fm.ModelError, match=r"'floor'.*rolling and pivoting"):
        fm.run(disc, end=0.1, outputs=["disc.x"], settings={"integrator": "event_driven"})


def test_the_event_driven_scheme_keeps_the_order_of_its_pair_across_events():
    """Order 5 over impacts, sliding and its reversals of a double pendulum; the reference has a tenth of the smallest step."""
    outputs = ["b.x:final", "b.y:final", "b.vx:final", "b.vy:final"]

    def ended(step):
        found = ran(swing, [*outputs, "floor.impacts:final"], "event_driven", end=1.0, points=1, step=step, fixed=True)
        assert found["floor.impacts:final"] >= 2
        return np.array([found[name] for name in outputs])

    exact = ended(1e-3)
    errors = [np.abs(ended(h) - exact).max() for h in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) > 4.8, errors


@pytest.mark.slow
@pytest.mark.parametrize("scheme", STEPPING)
def test_time_stepping_is_of_first_order_across_impacts(scheme):
    """Mean over many drops of the error of a place after an impact: where in a step the impact falls is chance."""
    h0 = np.linspace(0.5, 0.6, 64)
    t1 = np.sqrt(2.0 * h0 / G)
    rest = 0.6 - t1
    exact = 0.1 + 0.8 * G * t1 * rest - 0.5 * G * rest**2
    steps, errors = np.array([4e-3, 2e-3, 1e-3, 5e-4]), []
    for step in steps:
        y = ran(ball, ["ball.y"], scheme, {"h0": h0}, end=0.6, points=2, step=step)["ball.y"][:, -1]
        errors.append(np.abs(y - exact).mean())
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.2), errors


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lanes_do_not_know_their_neighbours(scheme):
    """Bit for bit the same beside other samples."""
    h0, e = np.linspace(0.2, 0.9, 5), np.linspace(0.3, 0.9, 5)
    together = ran(ball, ["ball.y", "floor.impulse"], scheme, {"h0": h0, "e": e}, end=0.7, points=8)
    for i in range(5):
        alone = ran(ball, ["ball.y", "floor.impulse"], scheme, {"h0": h0[i : i + 1], "e": e[i : i + 1]}, end=0.7, points=8)
        assert all(np.array_equal(alone[name][0], together[name][i]) for name in together)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_goes_on_from_a_state(scheme):
    """Contacts and all; the time at which it goes on ends a step."""
    step = {} if scheme == "event_driven" else {"step": STEP}
    sim = fm.compile(ball, outputs=["ball.y:final", "floor.impulse:final"], end=0.8, settings={"integrator": scheme, **step})
    whole, last = sim.go_on(sim.start(), 0.8)
    rest, then = sim.go_on(sim.step(sim.start(), 0.5), 0.8)
    assert last["coordinates"] == pytest.approx(then["coordinates"], abs=1e-9)
    assert last["states"] == pytest.approx(then["states"], abs=1e-8)


def trapped(gap=1e-7):
    """A ball that bounces between two walls for ever."""
    s = fm.System(gravity=(0.0, 0.0))
    ball = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + 0.5 * gap), velocity=(0.0, 1.0))
    for name, height, up in (("low", 0.0, 1.0), ("high", 0.2 + gap, -1.0)):
        s.add(fm.DiscPlane(name, ball.centre, s.ground.at(0.0, height), 0.1, fm.Impenetrable(1.0), normal=(0.0, up)))
    return s


def test_a_storm_of_events_ends_its_sample_and_no_other():
    """Ten million impacts a second: of a long run a storm, of a short one ended by the steps that are left; a wide gap goes on."""
    gaps = {"gap": np.array([1e-7, 0.5])}
    for end, message in ((50.0, "far more than max_steps"), (1000.0, "a thousand events of contacts within a millionth of the run")):
        r = fm.run(trapped, gaps, end=end, outputs=["ball.y:final"], settings={"integrator": "event_driven"})
        assert message in r.message[0] and not r.message[1]
        assert r["ball.y:final"][1] == pytest.approx(0.35, abs=1e-6)


def leaning(angle=1.1):
    """A rod that falls with its lower end on a rough floor, on which it slides."""
    s, half = fm.System(gravity=(0.0, -G)), 0.5
    start = {"position": (half * np.cos(angle), half * np.sin(angle)), "angle": angle}
    rod = s.body("rod", mass=1.0, inertia=half**2 / 3.0, **start)
    s.add(fm.PointPlane("floor", rod.at(-half, 0.0), s.ground.at(0.0, 0.0), fm.Impenetrable(friction=0.15)))
    return s


@pytest.mark.parametrize("scheme, order", [("moreau", 2.0), ("nonsmooth_generalized_alpha", 1.0), ("nonsmooth_ggl", 1.0)])
def test_the_order_of_time_stepping_while_a_contact_stays_closed(scheme, order):
    """As the table of docs/theory/nonsmooth.md says."""
    outputs, steps = ["rod.x:final", "rod.y:final", "rod.angle:final", "rod.vx:final", "rod.rate:final"], np.array([4e-3, 2e-3, 1e-3])
    exact = fm.run(leaning(), end=0.4, points=1, outputs=outputs, settings={"integrator": "event_driven", "tolerance": 1e-11})
    errors = []
    for step in steps:
        found = fm.run(leaning(), end=0.4, points=1, outputs=outputs, settings={"integrator": scheme, "step": step})
        errors.append(max(abs(found[name] - exact[name]) for name in outputs))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(order, abs=0.2), errors
