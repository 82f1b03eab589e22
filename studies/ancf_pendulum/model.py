"""A soft cable that falls from the horizontal, pinned at one end: the classic test of large bending by absolute nodal coordinates.

Data as in the pendulum by which codes are compared (Escalona, Hussien and Shabana, J. Sound Vib. 214, 1998): the stiffness is so low that
gravity and inertia bend the cable by its own length.
"""

import flexmbd as fm

LENGTH = 1.2  # m
SECTION = fm.Section(area=1.8e-3, second_moment=1.215e-8)  # m², m⁴
DENSITY = 5540.0  # kg/m³


def pendulum(modulus=0.7e6, damping=0.0, elements=32):
    """Cable pinned at the origin, horizontal and at rest at the start.

    Parameters
    ----------
    modulus : float or ndarray
        Young's modulus, Pa.
    damping : float or ndarray
        Kelvin-Voigt, of stretching and bending, s.
    elements : int
        Cubic elements.
    """
    s = fm.System(gravity=(0.0, -9.81))
    soft = fm.Material(E=modulus, nu=0.3, density=DENSITY)
    form = {"strain": "engineering", "curvature": "material", "damping": damping, "points": {"middle": LENGTH / 2}}
    cable = s.cable("cable", length=LENGTH, elements=elements, section=SECTION, material=soft, **form)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), cable.start))
    s.alias("tip.x", "cable.end.x")
    s.alias("tip.y", "cable.end.y")
    return s
