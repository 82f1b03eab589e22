"""Joints with dry friction under a load below its limit: those of set-valued friction stand still, others creep and say so."""

import numpy as np
import pytest

import flexmbd as fm

G = 9.81
OUTPUTS = ["b.x", "b.rate"]


def slide(angle=0.15, mu=0.2):
    """A slider in a guide that leads down at an angle."""
    s = fm.System(gravity=(G * np.sin(angle), -G * np.cos(angle)))
    b = s.body("b", mass=2.0, inertia=0.05)
    s.add(fm.FrictionGuide("guide", b.centre, s.ground.at(0.0, 0.0), 0.2, fm.Impenetrable(friction=mu)))
    return s


def pin(moment, mu=0.3, radius=0.02, clearance=1e-5):
    """A wheel of 4 kg on a pin, under a moment; the limit is ``m g R mu/sqrt(1 + mu²)``."""
    s = fm.System(gravity=(0.0, -G))
    b = s.body("b", mass=4.0, inertia=0.02, position=(0.0, -clearance))
    law = fm.Impenetrable(friction=mu)
    s.add(fm.ClearanceRevolute("pin", b.centre, s.ground.at(0.0, 0.0), clearance, law, bearing_radius=radius))
    s.add(fm.Torque("moment", b, s.ground, moment))
    return s


@pytest.mark.parametrize("scheme", ["moreau", "nonsmooth_ggl"])
def test_a_guide_on_a_slope_below_its_limit_does_not_creep(scheme):
    """And above it accelerates by ``g (sin a - mu cos a)``."""
    angle = np.array([0.1, 0.19, 0.3])
    found = fm.run(slide, {"angle": angle}, end=2.0, points=3, outputs=["b.x"], settings={"integrator": scheme, "step": 2e-3})
    assert not found.status.any(), found.message
    assert np.all(np.abs(found["b.x"][:2]) < 1e-9)
    assert found["b.x"][2, -1] == pytest.approx(2.0 * G * (np.sin(0.3) - 0.2 * np.cos(0.3)), rel=2e-3)


def test_a_pin_under_a_moment_below_its_limit_stands_still():
    """The journal climbs in its clearance until the pressure is beside the moment, and rocks there by the clearance over the radius."""
    limit = 4.0 * G * 0.02 * 0.3 / np.sqrt(1.09)
    found = fm.run(
        pin, {"moment": np.array([0.5, 0.95, 1.1]) * limit}, end=1.0, points=11, outputs=["b.rate", "b.angle"],
        settings={"integrator": "moreau", "step": 5e-4},
    )  # fmt: skip
    assert not found.status.any(), found.message
    turned = np.abs(found["b.angle"]).max(axis=1)
    assert np.all(turned[:2] < 2e-3) and turned[2] > 0.05


def test_friction_that_is_regularised_creeps_and_the_run_says_so():
    s = fm.System(gravity=(G * np.sin(0.15), -G * np.cos(0.15)))
    b = s.body("b", mass=2.0, inertia=0.05)
    joint = s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), b.centre))
    s.add(fm.JointFriction("rub", joint, fm.CoulombExponential(0.2, 1e-3, 5.0)))
    found = fm.run(s, end=2.0, points=3, outputs=["b.x"])
    assert 1e-5 < found["b.x"][-1] < 1e-2
    assert "creeps" in found.attributes["rub.holds"]
    with pytest.raises(fm.ModelError, match="FrictionGuide or ClearanceRevolute"):
        fm.JointFriction("rub", joint, fm.Impenetrable(friction=0.2))
