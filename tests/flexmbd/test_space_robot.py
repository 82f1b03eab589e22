"""A robot that floats free in space: a hub with four arms of six revolute joints, and torques between its bodies alone."""

import numpy as np
import pytest

import flexmbd as fm

from .space_momenta import keeps_momenta, outputs

HUB, LINK = (120.0, (30.0, 35.0, 40.0)), (5.0, (0.05, 0.12, 0.12))  # mass and principal moments of inertia of hub and links, kg, kg m²
REACH, LENGTH = 0.6, 0.45  # from the hub's centre to the arms, and length of a link, m
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))  # in a link's frame
BODIES = [("hub", *HUB), *((f"link{arm}{k}", *LINK) for arm in range(4) for k in range(6))]


def robot(torque=0.2, spin=0.05):
    """The whole turns and moves as one body at first; springs with damping and oscillating torques act in all 24 joints."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    w, v = np.array([0.02, -0.03, spin]), np.array([0.01, 0.02, -0.005])
    hub = s.body("hub", mass=HUB[0], inertia=HUB[1], angular_velocity=tuple(w), velocity=tuple(v))
    for arm, out in enumerate(np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])):
        frame = np.stack([out, np.cross((0.0, 0.0, 1.0), out), (0.0, 0.0, 1.0)], axis=1)
        before = hub.at(*(REACH * out))
        for k, axis in enumerate(AXES):
            place = (REACH + (k + 0.5) * LENGTH) * out
            link = s.body(
                f"link{arm}{k}", mass=LINK[0], inertia=LINK[1], position=tuple(place), rotation=frame.tolist(), angular_velocity=tuple(w),
                velocity=tuple(v + np.cross(w, place)), points={"A": (-0.5 * LENGTH, 0.0, 0.0), "B": (0.5 * LENGTH, 0.0, 0.0)},
            )  # fmt: skip
            about, inner = tuple(frame @ axis) if k == 0 else axis, before.body
            s.add(fm.Revolute(f"joint{arm}{k}", before, link["A"], axis=about))
            turn = fm.AngleOf(inner, link, axis=about)
            s.add(fm.Actuator(f"motor{arm}{k}", turn, fm.Harmonic(torque / (1 + k), 0.3 + 0.07 * k + 0.05 * arm, 0.4 * k)))
            s.add(fm.TorsionSpring(f"spring{arm}{k}", inner, link, stiffness=1.5 / (1 + k), damping=0.5 / (1 + k), axis=about))
            before = link["B"]
    return s


@pytest.mark.slow
def test_a_free_robot_with_four_arms_keeps_its_momenta():
    """Over 100 s; natural coordinates, 300 of them with 270 rows where the tree has 31 and one row, have the same motion."""
    names, runs = outputs(BODIES), {}
    for how in ("tree", "natural"):
        settings = {"formulation": how, "integrator": "dormand_prince", "tolerance": 1e-12, "lanes": 1}
        runs[how] = fm.run(robot(), end=100.0, points=101, outputs=names, settings=settings).outputs
        keeps_momenta(runs[how], BODIES, near=(1e-10, 1e-10))
    for name, x in runs["natural"].items():
        assert np.abs(runs["tree"][name] - x).max() < 1e-10 * max(np.abs(x).max(), 1e-3), name
    assert min(np.ptp(runs["tree"][f"link{arm}5.{axis}"]) for arm in range(4) for axis in "xyz") > 1.0
