"""A slider-crank with ideal joints and a rod of soft rubber, flexible or rigid, left at rest between a spring and its weight."""

import math

import flexmbd as fm

CRANK, ROD = 0.05, 0.12  # lengths, m
RADIUS, DENSITY = 3e-3, 1150.0  # of the rod, m and kg/m³
ANGLE = math.radians(60.0)  # of the crank at the start
FREE = 0.12  # length of the spring at rest, m
WALL = 0.25  # place of its other end, m


def crank(stiffness, mass, modulus, fidelity=1):
    """At rest at the start.

    Parameters
    ----------
    stiffness : float or ndarray
        Of the spring between slider and wall, N/m.
    mass : float or ndarray
        Of the slider, kg.
    modulus : float or ndarray
        Young's modulus of the rod, Pa; nothing to a rigid one.
    fidelity : int
        1: the rod is a cable of two cubic elements; 0: it is rigid, with the same mass and inertia.
    """
    s = fm.System(gravity=(0.0, -9.81))
    across = CRANK * math.sin(ANGLE)
    lean = math.asin(across / ROD)
    out = CRANK * math.cos(ANGLE) + ROD * math.cos(lean)
    middle, pin = (CRANK * math.cos(ANGLE) / 2, across / 2), (CRANK * math.cos(ANGLE), across)
    turned = s.body(
        "crank", mass=0.30, inertia=1.0e-4, position=middle, angle=ANGLE, points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)}
    )
    slider = s.body("slider", mass=mass, inertia=1.0e-4, position=(out, 0.0), points={"B": (0.0, 0.0)})
    section = fm.Section.circle(RADIUS)
    if fidelity:
        rubber = fm.Material(E=modulus, nu=0.45, density=DENSITY, name="rubber")
        along = {"position": pin, "direction": (out - pin[0], -across)}
        rod = s.cable("rod", length=ROD, elements=2, section=section, material=rubber, damping=1e-4, **along)
        start, end = rod.start, rod.end
    else:
        heavy = DENSITY * section.area * ROD
        place = ((pin[0] + out) / 2, across / 2)
        ends = {"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)}
        bar = s.body("rod", mass=heavy, inertia=heavy * ROD**2 / 12, position=place, angle=-lean, points=ends)
        start, end = bar["A"], bar["B"]
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0, "O"), turned["O"]))
    s.add(fm.Revolute("A", turned["A"], start))
    s.add(fm.Revolute("B", end, slider["B"]))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), slider["B"]))
    s.add(fm.Spring("spring", slider["B"], s.ground.at(WALL, 0.0), stiffness=stiffness, length=FREE))
    return s
