"""Places and velocities at the start: what was left out follows, what is fixed stays, and what constraints change is said."""

import numpy as np
import pytest

import flexmbd as fm
from tests.flexmbd.sentences import names, said

ONE = {"end": 1e-3, "points": 2}


def bar(rate=None, velocity=None, arm=0.4, place=None, **more):
    """A bar pinned at one end, its frame in its centre."""
    s = fm.System()
    position = (arm, 0.0) if place is None else place
    body = s.body("bar", mass=2.0, inertia=0.1, position=position, rate=rate, velocity=velocity, **more)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.at(-arm, 0.0)))
    return s


def crank(rate, lengths=(0.2, 0.5), turn=0.7, **more):
    """A slider-crank; only the crank's rate is given."""
    s, (r, c) = fm.System(), lengths
    up, end = np.array([r * np.cos(turn), r * np.sin(turn)]), r * np.cos(turn) + np.sqrt(c * c - (r * np.sin(turn)) ** 2)
    middle, slope = 0.5 * (up + [end, 0.0]), np.arctan2(-up[1], end - up[0])
    a = s.body("crank", mass=1.0, inertia=0.01, position=tuple(0.5 * up), angle=turn, rate=rate, **more)
    b = s.body("rod", mass=3.0, inertia=0.2, position=tuple(middle), angle=slope)
    slider = s.body("slider", mass=5.0, inertia=0.1, position=(end, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), a.at(-0.5 * r, 0.0)))
    s.add(fm.Revolute("knee", a.at(0.5 * r, 0.0), b.at(-0.5 * c, 0.0)))
    s.add(fm.Revolute("wrist", b.at(0.5 * c, 0.0), slider.centre))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), slider.centre))
    return s


def told(run):
    """What a run says of its start."""
    return {key: text for key, text in run.attributes.items() if key.startswith("start")}


@pytest.mark.parametrize("rate", [3.0, -7.5])
def test_a_velocity_that_is_left_out_follows_from_the_rate(rate):
    run = fm.run(bar(rate), outputs=["bar.rate", "bar.vy"], **ONE)
    assert run["bar.rate"][0] == pytest.approx(rate, rel=1e-11)
    assert run["bar.vy"][0] == pytest.approx(0.4 * rate, rel=1e-11)
    assert not told(run)


def test_the_whole_linkage_follows_the_crank():
    """Velocity of the slider by the transmission ratio; `Equations` and sensitivities begin with the same."""
    turn, r, c, rate = 0.7, 0.2, 0.5, 11.0
    wanted = -rate * r * np.sin(turn) * (1.0 + r * np.cos(turn) / np.sqrt(c * c - (r * np.sin(turn)) ** 2))
    run = fm.run(crank(rate), outputs=["slider.vx", "crank.rate"], **ONE)
    assert [run["slider.vx"][0], run["crank.rate"][0]] == pytest.approx([wanted, rate], rel=1e-10)
    assert not told(run)
    e = fm.Equations(crank(rate))
    q, v = e.initial()
    assert [e.output("slider.vx", q, v), e.output("crank.rate", q, v)] == pytest.approx([wanted, rate], rel=1e-10)
    found = fm.sensitivities(crank, ["rate", "turn"], ["slider.vx"], inputs={"rate": rate, "turn": turn}, **ONE)
    assert found.values["slider.vx"][0] == pytest.approx(wanted, rel=1e-10)
    x = np.array([turn + k * 1e-4 for k in (-1, 1)])
    ratio = -rate * r * np.sin(x) * (1.0 + r * np.cos(x) / np.sqrt(c * c - (r * np.sin(x)) ** 2))
    assert found.derivatives["slider.vx"][0] == pytest.approx([wanted / rate, (ratio[1] - ratio[0]) / 2e-4], rel=1e-6)


def test_in_space_velocities_follow_the_angular_velocity_about_the_frame_with_an_offset():
    """A body in a ball joint, its centre of mass beside the frame's origin."""
    w = np.array([0.5, -1.0, 2.0])
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    place, offset = (0.3, 0.1, -0.2), (0.05, 0.02, 0.1)
    body = s.body("top", mass=2.0, inertia=(0.1, 0.2, 0.25), position=place, angular_velocity=tuple(w), offset=offset)
    s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), body.at(*(-x for x in place))))
    run = fm.run(s, outputs=["top.vx", "top.vy", "top.vz", *(f"top.omega_{k}" for k in "xyz")], **ONE)
    got = [run[name][0] for name in run.outputs]
    assert got == pytest.approx([*np.cross(w, np.add(place, offset)), *w], rel=1e-9)
    assert not told(run)


def test_a_cable_on_a_hub_follows_it():
    """What the hub has is kept; nodes of the cable that nothing holds stay at rest, by least energy nearly so."""
    s = fm.System()
    hub = s.body("hub", mass=1.0, inertia=0.1, rate=5.0)
    line = s.cable(
        "line", length=0.5, elements=5, position=(0.1, 0.0), section=fm.Section.circle(0.01), material=fm.Material(1e8, 0.3, 1000.0)
    )
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0), hub.centre))
    s.add(fm.Revolute("hook", hub.at(0.1, 0.0), line.start))
    run = fm.run(s, outputs=["hub.rate", "line.start.vy", "line.end.vy"], **ONE)
    assert [run["hub.rate"][0], run["line.start.vy"][0]] == pytest.approx([5.0, 0.5], rel=1e-9)
    assert abs(run["line.end.vy"][0]) < 0.05


def test_what_contradicts_is_shared_by_kinetic_energy_and_said_sample_by_sample():
    """m (v - v0)² + J (w - w0)² least with v = l w; the sample with the largest change is told."""
    rate, speed, arm = np.array([3.0, 3.0, 2.0]), np.array([1.2, 0.2, 0.0]), 0.4
    run = fm.run(lambda rate, speed: bar(rate, (0.0 * speed, speed)), {"rate": rate, "speed": speed}, outputs=["bar.rate"], **ONE)
    wanted = (0.1 * rate + 2.0 * arm * speed) / (0.1 + 2.0 * arm * arm)
    assert run["bar.rate"][:, 0] == pytest.approx(wanted, rel=1e-10)
    text = told(run)["start.velocities"]
    names(text, "bar", f"rate 3 became {wanted[1]:.6g} rad/s", "2 of 3 runs")


def test_a_link_off_its_pin_is_moved_and_said_how_far():
    run = fm.run(bar(place=(0.4, 0.3), velocity=(0.0, 0.0)), outputs=["bar.x", "bar.y"], **ONE)
    far = np.hypot(run["bar.x"][0] - 0.4, run["bar.y"][0] - 0.3)
    names(told(run)["start.moved"], "bar", f"position by {far:.3g} m")
    assert not told(fm.run(bar(place=(0.4, 1e-9)), outputs=["bar.x"], **ONE))


@pytest.mark.parametrize("word", ["rate", "velocity"])
def test_a_fixed_velocity_stays_and_the_other_yields(word):
    run = fm.run(bar(3.0, (0.0, 0.2), fixed=(word,)), outputs=["bar.rate", "bar.vy"], **ONE)
    assert run["bar.rate"][0] == pytest.approx(3.0 if word == "rate" else 0.5, rel=1e-10)
    names(told(run)["start.velocities"], "bar", "velocity" if word == "rate" else "rate 3 became 0.5 rad/s")


def two_links(place, **more):
    """Two links from pin to pin; the first one's place does not quite fit the second one."""
    s = fm.System()
    a = s.body("a", mass=1.0, inertia=0.1, position=(0.5, 0.0), angle=0.1, **more)
    b = s.body("b", mass=1.0, inertia=0.1, position=place, angle=-0.1)
    s.add(fm.Revolute("one", s.ground.at(0.0, 0.0), a.at(-0.5, 0.0)))
    s.add(fm.Revolute("two", a.at(0.5, 0.0), b.at(-0.5, 0.0)))
    s.add(fm.Revolute("three", b.at(0.5, 0.0), s.ground.at(1.9, 0.0)))
    return s


def test_a_fixed_angle_holds_in_the_assembly():
    """Pinned at a fixed place, the chain has one position near by; without the mark both links turn, with it the start is refused."""
    free, held = (fm.run(two_links((1.4, 0.1), **more), outputs=["a.angle", "b.angle"], **ONE) for more in ({}, {"fixed": ("angle",)}))
    assert abs(free["a.angle"][0] - 0.1) > 1e-2
    names(told(free)["start.moved"], "a", "angle by")
    assert free.status == 0
    assert held.status != 0
    names(held.message, "a", "angle is fixed", "constraints change it")


def test_a_fixed_place_lets_the_others_move():
    """Two bodies on a rod of fixed length: one stays, the other one makes up for all of it."""
    for fixed, wanted in (((), (-0.25, 1.75)), (("position",), (0.0, 2.0))):
        s = fm.System()
        a = s.point_mass("a", mass=1.0, position=(0.0, 0.0), fixed=fixed)
        b = s.point_mass("b", mass=1.0, position=(1.5, 0.0))
        s.add(fm.Distance("rod", a.centre, b.centre, 2.0))
        run = fm.run(s, outputs=["a.x", "b.x"], **ONE)
        assert (run["a.x"][0], run["b.x"][0]) == pytest.approx(wanted, abs=1e-12)
        q, _ = fm.Equations(s).initial()
        assert (q[0], q[2]) == pytest.approx(wanted, abs=1e-12)


def test_a_fixed_rate_that_cannot_stay_is_refused_in_its_sample():
    def model(speed):
        return bar(3.0, (0.0 * speed, speed), fixed=("rate", "velocity"))

    run = fm.run(model, {"speed": np.array([1.2, 0.2])}, outputs=["bar.rate"], **ONE)
    assert run.status.tolist() == [0, 3] or (run.status[0] == 0 and run.status[1] != 0)
    names(run.message[1], "bar", "is fixed", "constraints change it")
    names(said(lambda: fm.Equations(model(0.2)).initial()), "bar", "is fixed")


@pytest.mark.parametrize("fixed, parts", [(("speed",), ("'speed'", "'rate'")), (("rate",), ("'rate'", "not given"))])
def test_fixed_names_what_is_given(fixed, parts):
    names(said(lambda: bar(velocity=(0.0, 1.0), fixed=fixed)), "bar", *parts)


def test_results_do_not_depend_on_who_else_needed_a_correction():
    one, other = ({"speed": np.array([1.2 * 1.0, *x])} for x in ((), (0.2, 7.0)))
    outputs = ["bar.rate", "bar.vy", "bar.angle"]
    alone, beside = (fm.run(lambda speed: bar(3.0, (0.0 * speed, speed)), x, outputs=outputs, **ONE) for x in (one, other))
    for name in outputs:
        np.testing.assert_array_equal(alone[name][0], beside[name][0])


def test_the_reference_says_what_its_start_changed():
    found = fm.reference(bar(3.0, (0.0, 0.2)), outputs=["bar.rate"], end=0.1, points=3)
    names(told(found)["start.velocities"], "bar", f"rate 3 became {found['bar.rate'][0, 0]:.6g} rad/s")


def test_the_velocity_that_is_given_is_that_of_the_frame():
    """A free body beside whose frame's origin the mass is: a drive turns it, and the origin keeps its velocity."""
    s = fm.System()
    body = s.body("body", mass=2.0, inertia=0.1, position=(0.0, 0.0), velocity=(1.0, 0.5), offset=(0.3, -0.2), points={"O": (0.0, 0.0)})
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), body["O"], fm.Polynomial((0.0, 4.0))))
    run = fm.run(s, outputs=["body.O.vx", "body.O.vy", "body.rate"], **ONE)
    assert [run[name][0] for name in run.outputs] == pytest.approx([1.0, 0.5, 4.0], rel=1e-11)
    assert not told(run)
