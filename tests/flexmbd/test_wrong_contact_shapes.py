"""Planes, boxes and cylinders that are given wrongly: each is told by a sentence."""

import pytest

import flexmbd as fm

from .impenetrable_models import G


def planar(**more):
    s = fm.System(gravity=(0.0, -G))
    return s, s.body("box", mass=1.0, inertia=1.0, **more), s.ground.at(0.0, 0.0)


HARD = fm.Impenetrable()
WRONG = [
    (lambda a, b: fm.BoxPlane("floor", a.centre, b, (0.1, 0.0), HARD), r"half_lengths\[1\] is 0; it must be greater than zero"),
    (lambda a, b: fm.BoxPlane("floor", a.centre, b, (0.1, 0.1, 0.1), HARD), "must be two numbers above zero"),
    (lambda a, b: fm.BoxPlane("floor", a.centre, b, 0.1, HARD), "half_lengths is 0.1; it must be two numbers above zero"),
    (lambda a, b: fm.PointPlane("floor", a.centre, b, HARD, normal=(0.0, 0.0, 1.0)), "normal is .* must be two numbers"),
    (lambda a, b: fm.PointPlane("floor", a.centre, b, fm.Impenetrable(friction=0.3, rolling=1e-3)), "rolling needs two bodies"),
    (lambda a, b: fm.PointPlane("floor", a.centre, b, None), "law is None; it must be a contact law"),
    (lambda a, b: fm.PointPlane("floor", a.centre, b, HARD, fm.Ambrosio(0.3, 0.0, 1e-3)), "Impenetrable has its own friction"),
]


@pytest.mark.parametrize("make, says", WRONG)
def test_wrong_input_is_named(make, says):
    _, body, floor = planar()
    with pytest.raises(fm.ModelError, match=says):
        make(body, floor)


WRONG_CYLINDERS = [
    ({"radius": 0.0}, "radius is 0; it must be greater than zero"),
    ({"cylinder_radius": -1.0}, "cylinder_radius is -1; it must be greater than zero"),
    ({"length": 0.0}, "length is 0; it must be greater than zero"),
    ({"inside": True, "radius": 0.3}, "radius is not below cylinder_radius"),
    ({"inside": 1}, "inside is 1; it must be True or False"),
    ({"axis": (1.0, 0.0)}, "axis is .* must be three numbers"),
    ({"friction": fm.LuGre(0.3, 0.2, 0.01, 1e5), "law": fm.Hertz(1e6)}, "has a state along one direction"),
]


@pytest.mark.parametrize("wrong, says", WRONG_CYLINDERS)
def test_a_wrong_cylinder_is_named(wrong, says):
    s = fm.System(gravity=(0.0, 0.0, -G))
    a = s.point_mass("a", mass=1.0).centre
    with pytest.raises(fm.ModelError, match=says):
        fm.SphereCylinder("touch", a, s.ground.at(0.0, 0.0, 0.0), **{"radius": 0.1, "cylinder_radius": 0.3, "law": HARD} | wrong)


def test_a_cylinder_is_for_space():
    s, body, floor = planar()
    with pytest.raises(fm.ModelError, match="planar system"):
        s.add(fm.SphereCylinder("touch", body.centre, floor, 0.1, 0.3, HARD))


def test_a_plane_needs_a_frame():
    s = fm.System(gravity=(0.0, -G))
    bob, band = s.point_mass("bob", mass=1.0), s.point_mass("band", mass=1.0, position=(0.0, -1.0))
    s.add(fm.PointPlane("floor", bob.centre, band.centre, HARD))
    with pytest.raises(fm.ModelError, match="orientation of a body"):
        fm.run(s, end=0.1, outputs=["bob.y"], settings={"integrator": "moreau", "step": 1e-3})


def test_a_box_is_part_of_a_rigid_body():
    s = fm.System(gravity=(0.0, -G))
    bob = s.point_mass("bob", mass=1.0)
    with pytest.raises(fm.ModelError, match="'bob', which has no frame"):
        fm.BoxPlane("floor", bob.centre, s.ground.at(0.0, 0.0), (0.1, 0.1), HARD)
