"""Four-bar linkage with a spring at the rocker. Lengths in m, masses in kg, stiffness in N m/rad."""

import numpy as np

import flexmbd as fm

GROUND, CRANK = 0.40, 0.10
SPEED = 2 * np.pi  # of the crank, rad/s
MASS = 1.0  # of a link per length, kg/m


def four_bar(coupler, rocker, stiffness):
    """The mechanism with its crank along x; coupler and rocker meet above (law of cosines)."""
    base = GROUND - CRANK
    along = (base**2 + coupler**2 - rocker**2) / (2 * base)
    x, y = CRANK + along, np.sqrt(coupler**2 - along**2)
    s = fm.System(gravity=(0.0, -9.81))
    crank = link(s, "crank", CRANK, 0.0, 0.0, CRANK, 0.0)
    bar = link(s, "coupler", coupler, CRANK, 0.0, x, y)
    swing = link(s, "rocker", rocker, GROUND, 0.0, x, y)
    left, right = s.ground.at(0.0, 0.0, "O"), s.ground.at(GROUND, 0.0, "C")
    s.add(fm.Revolute("O", left, crank["a"]))
    s.add(fm.Revolute("A", crank["b"], bar["a"]))
    s.add(fm.Revolute("B", bar["b"], swing["b"]))
    s.add(fm.Revolute("C", right, swing["a"]))
    s.add(fm.AngleDrive("drive", left, crank["a"], fm.ConstantSpeed(SPEED)))
    s.add(fm.TorsionSpring("spring", s.ground, swing, stiffness=stiffness, damping=0.0))
    return s


def link(s, name, length, x0, y0, x1, y1):
    """A slender rod from one place to another, with points a and b at its ends."""
    ends = {"a": (-length / 2, 0.0), "b": (length / 2, 0.0)}
    place = ((x0 + x1) / 2, (y0 + y1) / 2)
    inertia = MASS * length**3 / 12
    return s.body(name, mass=MASS * length, inertia=inertia, position=place, angle=np.arctan2(y1 - y0, x1 - x0), points=ends)
