"""Bodies that overlap, or rest on each other, at the start: refused, or said, with a behaviour that no onset decides."""

import numpy as np
import pytest

import flexmbd as fm

G = 9.81


def inside(kind, depth=0.012):
    """A body that is a little inside another that it cannot penetrate."""
    law = fm.Impenetrable(0.4, friction=0.2)
    if kind in ("disc", "box", "point", "discs"):
        s = fm.System(gravity=(0.0, -G))
        b, ground = s.body("b", mass=1.0, inertia=0.01, position=(0.0, 0.2 - depth)), s.ground.at(0.0, 0.0)
        if kind == "disc":
            s.add(fm.DiscPlane("floor", b.centre, ground, 0.2, law))
        elif kind == "box":
            s.add(fm.BoxPlane("floor", b.centre, ground, (0.3, 0.2), law))
        elif kind == "point":
            s.add(fm.PointPlane("floor", b.at(0.1, -0.2), ground, law))
        else:
            s.add(fm.DiscDisc("floor", b.centre, ground, 0.15, 0.05, law))
        return s
    s = fm.System(gravity=(0.0, 0.0, -G))
    b = s.body("b", mass=1.0, inertia=(0.01,) * 3, position=(0.0, 0.0, 0.2 - depth), rotation=(0.0, 0.0, 0.3))
    s.add(fm.BoxPlane("floor", b.centre, s.ground.at(0.0, 0.0, 0.0), (0.1, 0.15, 0.2), law))
    return s


@pytest.mark.parametrize("kind", ["disc", "box", "point", "discs", "box in space"])
def test_bodies_that_overlap_at_the_start_are_refused_before_a_scheme_moves_them(kind):
    found = fm.run(inside(kind), end=0.1, points=2, outputs=["floor.impulse"], settings={"integrator": "event_driven"})
    assert found.status and "contact 'floor'" in found.message and "0.012 m at the start" in found.message


def test_every_scheme_refuses_the_same_overlap():
    told = {fm.run(inside("box", 3e-3), end=0.1, points=2, outputs=["b.y"], settings=given).message for given in (
        {"integrator": "event_driven"}, {"integrator": "moreau", "step": 1e-3}, {"integrator": "nonsmooth_ggl", "step": 1e-3},
    )}  # fmt: skip
    assert len(told) == 1 and "penetrate each other by 0.003 m" in told.pop()


LAW = fm.LankaraniNikravesh(2e6, restitution=0.5)


def pressed(depth, speed=0.0):
    """A disc of 2 kg in a floor whose law damps by the speed of approach."""
    s = fm.System(gravity=(0.0, -G))
    b = s.body("b", mass=2.0, inertia=0.01, position=(0.0, 0.1 - np.asarray(depth)), velocity=(0.0, -np.asarray(speed)))
    s.add(fm.DiscPlane("floor", b.centre, s.ground.at(0.0, 0.0), 0.1, LAW))
    return s


def test_a_stop_that_is_pressed_in_equilibrium_stays():
    """And the run says that it began inside."""
    depth = (2.0 * G / 2e6) ** (1.0 / 1.5)
    found = fm.run(pressed(depth), end=0.5, points=51, outputs=["b.y", "floor.normal"], settings={"tolerance": 1e-10})
    assert not found.status and np.ptp(found["b.y"]) < 1e-9
    assert found["floor.normal"] == pytest.approx(2.0 * G, rel=1e-5)
    assert "overlaps by up to 0.000458 m at the start" in found.attributes["floor.start"]


def thrown(least):
    """Height to which a disc rises that starts 1 mm inside a floor."""
    s = fm.System(gravity=(0.0, -G))
    b = s.body("b", mass=2.0, inertia=0.01, position=(0.0, 0.1 - 1e-3))
    s.add(fm.DiscPlane("floor", b.centre, s.ground.at(0.0, 0.0), 0.1, LAW, minimum_impact_velocity=least))
    found = fm.run(s, end=0.06, points=2, outputs=["b.y:max", "energy.balance", "floor.impact_velocity"], settings={"tolerance": 1e-10})
    assert np.ptp(found["energy.balance"]) < 1e-8
    return found["b.y:max"] - 0.1, found["floor.impact_velocity"][0]


def test_a_disc_that_starts_inside_is_thrown_whatever_the_least_impact_velocity_is():
    """Damped as by an impact at the speed that its acceleration there makes on the way out, not by a speed that nobody gave."""
    (low, v0), (high, _) = thrown(1e-4), thrown(1e-2)
    elastic = 0.4 * 2e6 * 1e-3**2.5 / (2.0 * G) - 1e-3
    assert low == pytest.approx(high, rel=1e-6) and 0.1 * elastic < low < 0.5 * elastic
    assert v0 == pytest.approx(np.sqrt(2.0 * (2e6 * 1e-3**1.5 / 2.0 - G) * 1e-3), rel=1e-9)


def test_what_starts_at_rest_on_a_floor_is_said_and_what_starts_above_it_is_not():
    found = fm.run(pressed, {"depth": np.array([0.0, -0.1, 1e-3])}, end=0.01, points=2, outputs=["b.y"])
    told = found.attributes["floor.start"]
    assert "in 1 of 3 samples it overlaps by up to 0.001 m at the start" in told
    assert "touches at rest" in fm.run(pressed(0.0), end=0.01, points=2, outputs=["b.y"]).attributes["floor.start"]
    assert "floor.start" not in fm.run(pressed(-0.1), end=0.01, points=2, outputs=["b.y"]).attributes


def test_an_approach_that_goes_on_inside_is_damped_by_its_speed():
    """As before: the law begins with the speed that there is."""
    found = fm.run(pressed(1e-6, 0.5), end=0.02, points=2, outputs=["floor.impact_velocity", "b.vy:max"])
    assert found["floor.impact_velocity"][0] == pytest.approx(0.5) and found["b.vy:max"] < 0.45
    assert "floor.start" not in found.attributes
