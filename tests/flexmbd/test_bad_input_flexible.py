"""Bad input of bodies, flexible ones too, of statics and of vibrations: one sentence with name, key, value and what would be right."""

import numpy as np
import pytest

import flexmbd as fm

from .sentences import names, said
from .test_modes import oscillator

STEEL = fm.Material(E=2e11, nu=0.3, density=7800.0)
WIRE = fm.Section.circle(1e-3)


# ---- bodies
@pytest.mark.parametrize("key", ["position", "velocity", "offset"])
@pytest.mark.parametrize("value", [(1.0,), (1.0, 2.0, 3.0), 1.0, "here"], ids=str)
def test_places_in_the_plane_are_two_numbers(key, value):
    names(said(lambda: fm.System().body("rod", mass=1.0, inertia=1.0, **{key: value})), "'rod'", key, repr(value), "2 numbers")


@pytest.mark.parametrize("key", ["position", "velocity", "offset"])
def test_places_in_space_are_three_numbers(key):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    names(said(lambda: s.body("rod", mass=1.0, inertia=(1.0,) * 3, **{key: (1.0, 2.0)})), "'rod'", key, "(1.0, 2.0)", "3 numbers")


def test_inertia_has_as_many_numbers_as_the_system_needs():
    plane, space = fm.System(), fm.System(gravity=(0.0, 0.0, 0.0))
    names(said(lambda: plane.body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0))), "'rod'", "inertia is (1.0, 1.0, 1.0)", "one number")
    names(said(lambda: space.body("rod", mass=1.0, inertia=1.0)), "'rod'", "inertia is 1.0", "three or six")


@pytest.mark.parametrize("mass", [0.0, -2.0, np.array([1.0, -2.0])], ids=str)
def test_mass_in_space_is_positive(mass):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    names(said(lambda: s.body("rod", mass=mass, inertia=(1.0,) * 3)), "'rod'", "mass is", "greater than zero")


@pytest.mark.parametrize("inertia", [(1.0, 1.0, 2.1), (np.array([1.0, 1.0]), 1.0, np.array([1.0, 2.1]))], ids=["one", "samples"])
def test_inertia_keeps_the_triangle_inequality(inertia):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    names(said(lambda: s.body("rod", mass=1.0, inertia=inertia)), "'rod'", "1, 1, 2.1", "none can exceed the sum of the other two")


@pytest.mark.parametrize("gravity", [9.81, (9.81,), (0.0, 0.0, 0.0, 0.0), None], ids=str)
def test_gravity_has_two_or_three_components(gravity):
    names(said(lambda: fm.System(gravity=gravity)), "gravity", repr(gravity), "two numbers", "three")


def test_points_and_rotations_of_the_wrong_kind():
    plane, space = fm.System(), fm.System(gravity=(0.0, 0.0, 0.0))
    names(said(lambda: plane.body("rod", mass=1.0, inertia=1.0, points={"A": 0.5})), "'rod'", "point 'A' is 0.5", "2 numbers")
    names(said(lambda: space.body("rod", mass=1.0, inertia=(1.0,) * 3, rotation=0.5)), "'rod'", "rotation is 0.5", "3 x 3 matrix")


# ---- cables and sections
def cable(**given):
    return fm.System().cable("wire", **({"length": 1.0, "elements": 4, "section": WIRE, "material": STEEL} | given))


@pytest.mark.parametrize("length", [0.0, -1.0, np.nan, np.inf, "long", None, np.array([1.0, 0.0]), np.array([1.0, np.nan])], ids=str)
def test_a_cable_has_a_length(length):
    names(said(lambda: cable(length=length)), "'wire'", "length is", "must be")


@pytest.mark.parametrize("elements", [0, -1, 2.5, 3.0, np.nan, True, "four", None], ids=str)
def test_a_cable_has_a_whole_number_of_elements(elements):
    names(said(lambda: cable(elements=elements)), "'wire'", f"elements is {elements!r}", "whole number from 1")


@pytest.mark.parametrize("key", ["area", "second_moment", "second_moment_y", "torsion"])
@pytest.mark.parametrize("value", [0.0, -1e-6, np.nan, np.array([1e-6, 0.0])], ids=str)
def test_a_section_has_area_and_moments(key, value):
    names(said(lambda: fm.Section(**({"area": 1e-4, "second_moment": 1e-9} | {key: value}))), "section", f"{key} is", "must be")


def test_sections_by_their_sizes():
    names(said(lambda: fm.Section.rectangle(0.0, 1.0)), "section", "width is 0", "greater than zero")
    names(said(lambda: fm.Section.circle(-1.0)), "section", "radius is -1", "greater than zero")
    names(said(lambda: fm.Section.circle(1.0, 1.0)), "section", "inner is 1.0", "below the radius")


def test_a_cable_has_a_direction_and_a_material_with_density():
    names(said(lambda: cable(direction=(0.0, 0.0))), "'wire'", "direction is 0", "greater than zero")
    names(said(lambda: cable(material=fm.Material(E=2e11, nu=0.3))), "'wire'", "material", "'density'")


# ---- joints
def test_a_joint_joins_two_bodies():
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=1.0)
    names(said(lambda: s.add(fm.TorsionSpring("coil", rod, rod, 1.0))), "'coil'", "'rod'", "to itself", "two different bodies")
    s.cable("wire", length=1.0, elements=2, section=WIRE, material=STEEL)
    wire = s.bodies[1]
    names(said(lambda: s.add(fm.Revolute("loop", wire.start, wire.end))), "'loop'", "'wire'", "to itself", "two different bodies")


@pytest.mark.parametrize("motion", [0.0, -1.0, fm.ConstantSpeed(1.0), np.array([1.0, 0.0])], ids=str)
def test_a_driven_distance_begins_above_zero(motion):
    s = fm.System()
    rod = s.body("rod", mass=1.0, inertia=1.0)
    names(said(lambda: s.add(fm.DistanceDrive("piston", s.ground.at(0.0, 0.0), rod.centre, motion))), "'piston'", "motion at the start is")


# ---- equilibria
@pytest.mark.parametrize("solve", (fm.static, fm.arc_length, fm.modes))
def test_a_system_without_bodies(solve):
    names(said(lambda: solve(fm.System())), "no body", "System.body")


@pytest.mark.parametrize("solve", (fm.static, fm.arc_length))
@pytest.mark.parametrize("key, value", [("iterations", 0), ("iterations", 2.5), ("tolerance", 0.0), ("tolerance", np.nan)])
def test_limits_of_newtons_method(solve, key, value):
    names(said(lambda: solve(oscillator(), **{key: value})), f"{key} is {value:g}", "must be")


@pytest.mark.parametrize("steps", [0, -1, 2.5, np.nan, True], ids=str)
def test_load_steps_are_counted(steps):
    names(said(lambda: fm.static(oscillator(), steps=steps)), f"steps is {steps!r}", "whole number from 1")


def test_limits_of_a_path():
    names(said(lambda: fm.arc_length(oscillator(), step=0.0)), "step is 0.0", "above 0")
    names(said(lambda: fm.arc_length(oscillator(), max_steps=0)), "max_steps is 0", "whole number from 1")
    names(said(lambda: fm.arc_length(oscillator(), end=np.inf)), "to inf", "must be")


def held_and(name, attach=None):
    """A body that is held and another one."""
    s = fm.System(gravity=(0.0, -9.81))
    s.add(fm.Fixed("clamp", s.ground.at(0.0, 0.0), s.body("held", mass=1.0, inertia=1.0).centre))
    body = s.body(name, mass=1.0, inertia=1.0, position=(1.0, 0.0))
    if attach:
        attach(s, body)
    return s


@pytest.mark.parametrize("solve", (fm.static, fm.arc_length))
def test_a_body_that_nothing_holds_is_named(solve):
    sentence = said(lambda: solve(held_and("loose")))
    names(sentence, "singular", "'loose' can move without a force", "loose[0]")
    assert "held" not in sentence


def test_gears_that_nothing_holds_are_named_without_their_inner_coordinates():
    s = fm.System()
    wheels = [s.body(name, mass=1.0, inertia=1.0, position=(x, 0.0)) for name, x in (("left", 0.0), ("right", 0.3))]
    for wheel in wheels:
        s.add(fm.Revolute(f"{wheel.name}.pin", s.ground.at(*wheel.position), wheel.centre))
    s.add(fm.Gear("pair", *(wheel.centre for wheel in wheels), (10, 20)))
    sentence = said(lambda: fm.static(s))
    names(sentence, "bodies 'left', 'right' can move without a force")
    assert "phasors" not in sentence


def test_a_body_that_only_hinges_hold_is_named():
    """Upright in its hinge it is an equilibrium, but with two hinges in line and no weight it turns freely."""

    def hinge(s, body):
        s.add(fm.Revolute("pin", s.ground.at(1.0, 0.0), body.centre))

    names(said(lambda: fm.static(held_and("vane", hinge))), "singular", "'vane' can move without a force", "vane[")


# ---- vibrations
@pytest.mark.parametrize("count", [0, -1, 1.5, True, np.nan], ids=str)
def test_modes_are_counted(count):
    names(said(lambda: fm.modes(oscillator(), count=count)), f"count is {count!r}", "whole number from 1")


@pytest.mark.parametrize("dense", [True, False, None])
def test_there_are_no_more_modes_than_degrees_of_freedom(dense):
    names(said(lambda: fm.modes(oscillator(), count=2, dense=dense)), "count is 2", "at most 1", "1 degree of freedom")
    names(said(lambda: fm.modes(oscillator(), count=3, damped=True, dense=dense)), "count is 3", "at most 2", "two poles each")
    assert len(fm.modes(oscillator(), dense=dense).frequencies) == 1


def test_a_path_has_the_states_it_has():
    path = fm.static(oscillator())
    for state in (1, -2, 0.5):
        names(said(lambda state=state: fm.modes(path, state=state)), f"state is {state!r}", "states 0 to 0")


# ---- turning frames
@pytest.mark.parametrize("solve", (fm.static, fm.modes))
def test_a_steady_rotation_has_an_angular_velocity(solve):
    spatial = fm.System(gravity=(0.0, 0.0, 0.0))
    spatial.body("free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    names(said(lambda: solve(oscillator(), spinning=(0.0, 0.0, 1.0))), "spinning is (0.0, 0.0, 1.0)", "planar", "one number")
    names(said(lambda: solve(spatial, spinning=2.0)), "spinning is 2.0", "spatial", "three numbers")
    names(said(lambda: solve(oscillator(), spinning=np.nan)), "spinning is nan", "finite")
    names(said(lambda: solve(fm.Equations(oscillator()), spinning=1.0)), "spinning", "made already")


def test_a_turning_frame_has_gravity_along_its_axis():
    names(said(lambda: fm.static(held_and("vane"), spinning=2.0)), "gravity (0.0, -9.81) turns", "2.0 rad/s")
