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


def formulated(kind):
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
    more = {"bearing_radius": 0.3} if kind is fm.ClearanceRevolute else {}
    s.add(kind("touch", one.at(*places[0]), two.at(*places[1]), *SIZES[kind], law=LAW, friction=FRICTION, **more))
    return s, NaturalCoordinates(s)


@pytest.mark.parametrize("kind", SIZES, ids=lambda kind: kind.__name__)
def test_power_of_a_contact_is_force_times_rate_of_gap_and_friction_times_slip(kind):
    system, equations = formulated(kind)
    g, touches = equations.graph, equations.nodes_of(system.elements[-1])["nodes"].touches
    power = g.dot(zip(equations.generalized, equations.v, strict=True))
    booked = g.dot((x, y) for touch in touches for x, y in ((touch.normal, touch.point.rate), (touch.friction, touch.point.slip)))
    q, v = system.initial()
    known = {"t": 0.0, "q": q, "v": v}
    known |= {
        key: [x] * len(touches) for key, x in (("mode", 1.0), ("impact_velocity", 0.4), ("least_impact_velocity", 1e-3), ("impacts", 0.0))
    }
    found, wanted, *forces = g.evaluate([power, booked, *(touch.normal for touch in touches)], known, system.parameters())
    assert max(forces) > 1.0 and abs(wanted) > 1.0
    assert found == pytest.approx(-wanted, rel=1e-9)


@pytest.mark.parametrize("kind", CONTACTS, ids=lambda kind: kind.__name__)
def test_all_contacts_touch_in_one_way(kind):
    assert "hold" not in dir(kind)
    assert kind.touch is (SliderContact if issubclass(kind, SliderContact) else Contact).touch
