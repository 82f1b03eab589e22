"""Every kind of contact point: power of the forces that it puts on bodies is normal force times rate of gap, and friction times slip."""

import pytest

import flexmbd as fm
from flexmbd.contact import CONTACTS, Contact
from flexmbd.contact.slider import SliderContact
from flexmbd.formulation.natural import NaturalCoordinates

LAW, FRICTION = fm.HuntCrossley(1e6, restitution=1.0), fm.Ambrosio(0.3, 1e-3, 1e-2)
SIZES = {
    fm.DiscPlane: (0.3,), fm.DiscDisc: (0.3, 0.2), fm.PointPlane: (), fm.BoxPlane: ((0.1, 0.2),), fm.ClearanceRevolute: (0.1,),
    fm.ClearanceTranslational: (0.01, 0.3, 0.1), fm.SpherePlane: (0.3,), fm.SphereSphere: (0.5, 0.4), fm.SphereCylinder: (0.3, 0.4),
    fm.ThinDiscPlane: (0.3,), fm.ClearanceSpherical: (0.1, 0.3), fm.ClearanceCylindrical: (0.1, 0.3, 0.2),
}  # fmt: skip


def formulated(kind, sizes=None, **given):
    """Two free bodies with a contact between points of both."""
    d = kind.dimensions[0]
    s, inertia, turn = fm.System(gravity=(0.0,) * d), 0.1, "rate"
    if d == 3:
        inertia, turn = (0.1, 0.2, 0.3), "angular_velocity"
    one, two = (
        s.body(name, mass=1.0, inertia=inertia, velocity=velocity[:d], **{turn: spin[2] if d == 2 else spin})
        for name, velocity, spin in (("one", (0.3, -0.7, -0.6), (0.5, 0.4, 1.1)), ("two", (-0.2, 0.1, 0.4), (-0.3, 0.7, -0.6)))
    )
    places = (0.1, -0.2, -0.3)[:d], (-0.2, 0.1, 0.15)[:d]
    more = {"law": LAW, "friction": FRICTION} | given | ({"bearing_radius": 0.3} if kind is fm.ClearanceRevolute else {})
    s.add(kind("touch", one.at(*places[0]), two.at(*places[1]), *(sizes or SIZES[kind]), **more))
    return s, NaturalCoordinates(s)


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_power_of_a_contact_is_force_times_rate_of_gap_and_friction_times_slip(kind):
    system, equations = formulated(kind)
    g, touches = equations.graph, equations.nodes_of(system.elements[-1])["nodes"].touches
    power = g.dot(zip(equations.generalized, equations.v, strict=True))
    booked = g.dot((x, y) for touch in touches for x, y in ((touch.normal, touch.point.rate), (touch.friction, touch.point.slip)))
    nodes = [power, booked, *(touch.normal for touch in touches)]
    found, wanted, *forces = g.evaluate(nodes, touching(system, len(touches)), system.parameters())
    assert max(forces) > 1.0 and abs(wanted) > 1.0
    assert found == pytest.approx(-wanted, rel=1e-9)


def touching(system, count):
    """The state at the start, in which all places of contact, so many, touch."""
    q, v = system.initial()
    known = {"mode": 1.0, "impact_velocity": 0.4, "least_impact_velocity": 1e-3, "impacts": 0.0}
    return {"t": 0.0, "q": q, "v": v} | {key: [x] * count for key, x in known.items()}


WIDE = {"sizes": (1.0, 3.0, 2.0), "film": fm.TiltedFilm(viscosity=20.0, cells=(24, 6))}  # the journal is within it
BOTH = [*((kind, {}) for kind in SIZES), (fm.ClearanceCylindrical, WIDE | {"law": None, "friction": None}), (fm.ClearanceCylindrical, WIDE)]


@pytest.mark.parametrize("kind, more", BOTH)
def test_the_force_that_outputs_tell_is_all_that_acts_on_body_a(kind, more):
    """By virtual work of a shift of body one."""
    system, equations = formulated(kind, **more)
    d, nodes = kind.dimensions[0], equations.nodes_of(system.elements[-1])["nodes"]
    known = touching(system, sum(touch.state is not None for touch in nodes.touches))
    found = equations.graph.evaluate([*nodes.force, *equations.generalized[:d]], known, system.parameters())
    assert max(map(abs, found)) > 1.0
    assert found[:d] == pytest.approx(found[d:], rel=1e-9)


@pytest.mark.parametrize("kind", CONTACTS, ids=lambda kind: kind.__name__)
def test_all_contacts_touch_in_one_way(kind):
    assert "hold" not in dir(kind)
    assert kind.touch is (SliderContact if issubclass(kind, SliderContact) else Contact).touch
