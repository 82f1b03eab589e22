"""Drives of angles in the plane, in joint coordinates: rows that are linear in them."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.trees.tree import TreeCoordinates

from .random_trees import plane
from .test_trees import equal, run_both

MASS, ARM, INERTIA = 2.0, 0.3, 0.05


def driven(start=0.4, *, ahead=0.0):
    """A pendulum whose angle is driven: from `start` (rad) on, the motion is `ahead` of that angle by whole turns."""
    s = fm.System(gravity=(0.0, -9.81))
    place = (ARM * np.cos(start), ARM * np.sin(start))
    rod = s.body("rod", mass=MASS, inertia=INERTIA, position=place, angle=start, points={"O": (-ARM, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), rod["O"], fm.Polynomial((start + ahead, 1.5, 2.0))))
    return s


def test_the_moment_of_a_drive_is_that_of_the_motion():
    """I + m r² times the angular acceleration, and the weight's moment."""
    run = fm.run(driven(), end=1.0, points=11, outputs=["rod.angle", "motor.moment"], settings={"formulation": "tree", "tolerance": 1e-11})
    angle = 0.4 + 1.5 * run.time + 2.0 * run.time**2
    assert run["rod.angle"] == pytest.approx(angle, abs=1e-9)
    assert run["motor.moment"] == pytest.approx((INERTIA + MASS * ARM**2) * 4.0 + MASS * 9.81 * ARM * np.cos(angle), rel=1e-8)


@pytest.mark.parametrize("turns", [-1, 2])
def test_a_motion_on_another_turn_leaves_the_body_on_its_own(turns):
    samples = {"start": np.array([0.4, 0.7])}
    run = run_both(lambda start: driven(start, ahead=2.0 * np.pi * turns), ["rod.angle", "motor.moment"], samples=samples, step=0.02)
    assert run["rod.angle"][:, 0] == pytest.approx([0.4, 0.7], abs=1e-12)


def test_its_row_has_numbers_for_derivatives():
    equations = TreeCoordinates(driven())
    (row,) = equations.rows
    slopes = row.polynomial.gradient(equations.q)
    assert {i: x.value for i, x in slopes.items()} == {0: 1.0}
    assert row.polynomial.hessian() == {}


@pytest.mark.parametrize("seed", range(4))
def test_drives_between_bodies_of_random_trees(seed):
    """Accelerations and reactions as in natural coordinates, wherever both bodies hang."""
    rng = np.random.default_rng(seed)
    s = plane(rng, 5, kinds=("Revolute", "RevoluteTranslational"), springs=2)
    a, b = (s.bodies[k] for k in rng.choice(5, 2, replace=False))
    motion = fm.Polynomial((b.angle - a.angle, b.rate - a.rate, rng.normal(), rng.normal()))
    s.add(fm.AngleDrive("motor", a.at(0.1, 0.0), b.at(0.0, 0.2), motion))
    equal(s)
