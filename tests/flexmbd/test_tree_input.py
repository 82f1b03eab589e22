"""What is no tree, or none that can move as it is written, in one sentence with the element and what to do."""

from itertools import pairwise

import numpy as np
import pytest

import flexmbd as fm

from .sentences import names, said
from .test_tree_analyses import linkage

TREE = {"formulation": "tree"}


def run(system, outputs=("a.x",), **settings):
    """A short run in joints' coordinates."""
    return fm.run(system, end=0.01, points=2, outputs=outputs, settings=TREE | settings)


def welded(close=None):
    """Two bodies that are fixed to ground one after another, and perhaps a pin from the second one back to it."""
    s = fm.System(gravity=(0.0, -9.81))
    a = s.body("a", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    b = s.body("b", mass=1.0, inertia=0.1, position=(2.0, 0.0))
    s.add(fm.Fixed("weld", s.ground.at(0.0, 0.0), a.at(-1.0, 0.0)))
    s.add(fm.Fixed("second", a.centre, b.at(-1.0, 0.0)))
    if close is not None:
        s.add(fm.Revolute("close", b.centre, s.ground.at(*close)))
    return s


@pytest.mark.parametrize("place", [(2.0, 0.0), (2.5, 0.0)])
def test_a_loop_that_no_joint_can_open(place):
    names(said(lambda: run(welded(place))), "'close'", "closes a loop", "close.x, close.y", "take a joint out", "'augmented'")


def test_a_loop_that_can_be_opened_in_some_directions_only():
    """A planar four-bar linkage in space; rows that depend on others are kept where that is asked for (`test_tree_analyses`)."""
    names(said(lambda: run(linkage(), ["bar1.x"])), "3 of the rows pin2 (y, tilt1, tilt2)", "redundant joint", "'augmented'")


def test_a_joint_given_twice():
    """The second one's rows do not change by the first one's angle, which is seen in numbers alone."""
    s = fm.System(gravity=(0.0, -9.81))
    a = s.body("a", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    for name in ("one", "two"):
        s.add(fm.Revolute(name, s.ground.at(0.0, 0.0), a.at(-1.0, 0.0)))
    names(said(lambda: run(s)), "two", "over-constrained", "remove a redundant joint")


def test_joints_without_freedom_are_no_coordinates():
    """What is welded to ground stays, and its joints bear the weights."""
    found = run(welded(), ["b.x", "weld.fy", "second.fy", "weld.moment"])
    assert [x[-1] for x in found.outputs.values()] == pytest.approx([2.0, 2 * 9.81, 9.81, 9.81 + 2 * 9.81])


def test_nothing_is_a_tree_too():
    assert run(fm.System(), ["energy.total"])["energy.total"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("end", ["ground", "body"])
def test_a_base_that_is_nowhere(end):
    """A joint to ground, or to a body, of another system."""
    s, other = fm.System(), fm.System()
    base = other.body("base", mass=1.0, inertia=0.1)
    point = other.ground.at(0.0, 0.0) if end == "ground" else base.centre
    rod = s.body("rod", mass=1.0, inertia=0.1)
    told = said(lambda: s.add(fm.Revolute("pin", point, rod.centre)))
    names(told, "'pin'", f"'{point.body.name}'", "another system")


def test_a_tree_without_ground_has_its_first_body_for_a_base():
    s = fm.System(gravity=(0.0, -9.81))
    bodies = [s.body(f"b{k}", mass=1.0, inertia=0.1, position=(float(k), 0.0)) for k in range(3)]
    for k, (one, other) in enumerate(pairwise(bodies)):
        s.add(fm.Revolute(f"pin{k}", one.at(0.5, 0.0), other.at(-0.5, 0.0)))
    e = fm.Equations(s, "tree")
    assert e.coordinates == ["b0[0]", "b0[1]", "b0[2]", "pin0[0]", "pin1[0]"]
    found = run(s, ["b2.y", "b2.angle"], tolerance=1e-10)
    assert np.array([found["b2.y"][-1], found["b2.angle"][-1]]) == pytest.approx([-0.5 * 9.81 * 0.01**2, 0.0], abs=1e-12)
