"""What a run says of contacts whose numbers may be wrong: penetration beyond the clearance, stiffness beyond any material."""

import numpy as np
import pytest

import flexmbd as fm

CLEARANCE, MASS, G = 1e-4, 1.0, 9.81


def hanging(stiffness=1e9, law=fm.HuntCrossley, **more):
    """A bob in a joint with clearance, let go in the middle of the bearing."""
    s = fm.System(gravity=(0.0, -G))
    bob = s.body("bob", mass=MASS, inertia=0.1)
    s.add(fm.ClearanceRevolute("pin", bob.centre, s.ground.at(0.0, 0.0), CLEARANCE, law(stiffness, **more)))
    return s


def words(stiffness=1e9, **more):
    found = fm.run(hanging(stiffness, **{"restitution": 0.6, **more}), end=0.05, points=2, outputs=["pin.penetration:max"])
    assert found.status == 0
    said = {key: text for key, text in found.attributes.items() if key.endswith((".deep", ".stiff"))}
    return float(found["pin.penetration:max"]), said


def test_a_joint_that_is_too_soft_says_how_deep_it_went_and_in_which_unit_its_stiffness_is():
    depth, said = words(1e6)
    assert depth > CLEARANCE
    assert f"penetrate each other by up to {depth:.3g} m, {depth / CLEARANCE:.3g} times the clearance" in said["pin.deep"]
    assert "is its stiffness in N/m^1.5? 1 N/mm^1.5 is 3.16e+04" in said["pin.deep"]


def test_nothing_is_said_of_a_stiff_joint():
    depth, said = words(1e10)
    assert 0.0 < depth < CLEARANCE and said == {}


def test_linear_springs_are_in_newtons_over_metres():
    _, said = words(1e4, exponent=1.0)
    assert "is its stiffness in N/m? 1 N/mm is 1e+03" in said["pin.deep"]


def test_no_material_is_stiffer_than_diamond():
    _, said = words(1e14)
    assert said["pin.stiff"].startswith("its stiffness of 1e+14 N/m^1.5 is more than diamond has (7.9e+11")


def test_runs_are_counted_and_the_worst_is_told():
    stiffness = np.array([1e10, 1e6, 2e6])
    found = fm.run(hanging, {"stiffness": stiffness, "restitution": np.full(3, 0.6)}, end=0.05, points=2, outputs=["pin.penetration:max"])
    worst = found["pin.penetration:max"].max()
    assert found.attributes["pin.deep"].startswith(f"in 2 of 3 runs the bodies penetrate each other by up to {worst:.3g} m")


@pytest.mark.parametrize("settings", [{"integrator": "rk4", "step": 1e-5}, {"integrator": "generalized_alpha"}])
def test_every_scheme_says_it(settings):
    found = fm.run(hanging(1e6, restitution=0.6), end=0.05, points=2, outputs=["pin.penetration:max"], settings=settings)
    depth = float(found["pin.penetration:max"])
    assert f"by up to {depth:.3g} m" in found.attributes["pin.deep"]


def test_a_disc_that_sinks_in_is_measured_by_its_radius():
    s = fm.System(gravity=(0.0, -G))
    disc = s.body("disc", mass=MASS, inertia=0.01, position=(0.0, 0.05))
    s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.02, fm.HuntCrossley(100.0, restitution=0.6)))
    found = fm.run(s, end=0.5, points=2, outputs=["floor.penetration:max"])
    assert "times the radius" in found.attributes["floor.deep"]
