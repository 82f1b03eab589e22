"""A slider-crank with clearance as a map, from turn to turn of the crank: uqmbd.analysis.dynamics takes it, its derivatives are flexmbd's.

The contact is linear with a damper, whose force does not depend on how an impact began, so that the state is that of the mechanism alone.
"""

import math

import flexmbd as fm

CRANK, ROD = 0.05, 0.12  # lengths, m
BEARING = 10e-3  # radius of the bearing, m
STIFFNESS, DAMPING = 1e8, 1400.0  # of the contact, N/m and N s/m: an impact has a restitution of about a half


def slider_crank(clearance=0.15e-3, friction=0.05, speed=100.0 * math.pi):
    """Crank driven at constant speed (3000 rpm), journal at the bearing's centre at the start.

    Parameters
    ----------
    clearance : float or ndarray
        Radial clearance of the joint between rod and slider, m.
    friction : float or ndarray
        Coefficient of friction in it.
    speed : float or ndarray
        Angular velocity of the crank, rad/s.
    """
    s = fm.System()
    crank = s.body("crank", mass=0.30, inertia=1.0e-5, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1.0e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0)
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(speed)))
    law, sliding = fm.KelvinVoigt(STIFFNESS, DAMPING), fm.Ambrosio(friction, v0=1e-2, v1=1e-1)
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, sliding, bearing_radius=BEARING, start="centred"))
    return s


def turn():
    """The map over a turn of the crank."""
    return fm.section_map(slider_crank, every=lambda speed: 2.0 * math.pi / speed, tolerance=1e-8)
