"""Parts of contacts: one protocol for all of them. A part of one's own is in `test_extending.py`."""

import pytest

import flexmbd as fm
from flexmbd.contact import CONTACTS
from flexmbd.contact.parts import Part, Requirement

from .sentences import names, said

LAW = fm.HuntCrossley(5e9, restitution=0.6)


@pytest.mark.parametrize("kind", [kind for contact in CONTACTS for kind in contact.kinds])
def test_a_part_says_what_its_argument_is(kind):
    assert issubclass(kind, Part) and kind.key and kind.wanted
    assert not kind.accepts(3.0) and not kind.accepts("none")
    assert all(isinstance(rule, Requirement) and isinstance(rule.keys, tuple) for rule in (*kind.needs, *kind.excludes))


@pytest.mark.parametrize("contact", CONTACTS)
def test_what_parts_ask_for_are_arguments_of_the_contact(contact):
    arguments = set(contact.__dataclass_fields__)
    for kind in contact.kinds:
        assert kind.key in arguments
        assert all(arguments & set(rule.keys) for rule in kind.needs)


def resting(law, friction=None):
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.1))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law, friction))
    return s


def test_what_is_no_law_is_refused_in_one_sentence():
    for law in (3.0, fm.Hertz, None):
        names(said(lambda law=law: resting(law)), f"contact 'floor': law is {law!r}; it must be a contact law such as HuntCrossley")
    names(said(lambda: resting(LAW, "coulomb")), "contact 'floor': friction is 'coulomb'; it must be a friction law such as Ambrosio")
