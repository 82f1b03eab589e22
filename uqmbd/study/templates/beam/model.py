"""A flexible cable on a pivot. Lengths in m, stress in Pa, damping in s."""

import flexmbd as fm

LENGTH, RADIUS = 1.0, 0.01
ELEMENTS = 4


def swinging(modulus, damping):
    """The cable, horizontal and at rest at the start."""
    s = fm.System(gravity=(0.0, -9.81))
    rubber = fm.Material(E=modulus, nu=0.49, density=1100.0, name="rubber")
    section = fm.Section.circle(RADIUS)
    cable = s.cable("cable", length=LENGTH, elements=ELEMENTS, section=section, material=rubber, damping=damping, points={"tip": LENGTH})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), cable.start))
    return s
