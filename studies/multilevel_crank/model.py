"""A slider-crank with ideal joints, left at rest between a spring at its slider and its weight: where it swings to depends on both."""

import math

import flexmbd as fm

CRANK, ROD = 0.05, 0.12  # lengths, m
ANGLE = math.radians(60.0)  # of the crank at the start
FREE = 0.12  # length of the spring at rest, m
WALL = 0.25  # place of its other end, m


def crank(stiffness, mass):
    """At rest at the start.

    Parameters
    ----------
    stiffness : float or ndarray
        Of the spring between slider and wall, N/m.
    mass : float or ndarray
        Of the slider, kg.
    """
    s = fm.System(gravity=(0.0, -9.81))
    across = CRANK * math.sin(ANGLE)
    lean = math.asin(across / ROD)
    out = CRANK * math.cos(ANGLE) + ROD * math.cos(lean)
    middle = (CRANK * math.cos(ANGLE) / 2, across / 2)
    turned = s.body(
        "crank", mass=0.30, inertia=1.0e-4, position=middle, angle=ANGLE, points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)}
    )
    place = ((CRANK * math.cos(ANGLE) + out) / 2, across / 2)
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=place, angle=-lean, points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=mass, inertia=1.0e-4, position=(out, 0.0), points={"B": (0.0, 0.0)})
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0, "O"), turned["O"]))
    s.add(fm.Revolute("A", turned["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider["B"]))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), slider["B"]))
    s.add(fm.Spring("spring", slider["B"], s.ground.at(WALL, 0.0), stiffness=stiffness, length=FREE))
    return s
