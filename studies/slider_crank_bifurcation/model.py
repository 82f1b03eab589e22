"""A slider-crank with clearance between rod and slider, and its map from turn to turn of the crank, with flexmbd's derivatives.

The damping of the contact is that of an impact at 1 m/s, and the same for slower ones, which all are: so the force does not depend on how
an impact began, and the state is that of the mechanism alone. Force and friction are smooth, so that multipliers change without jumps.
"""

import math

import numpy as np

import flexmbd as fm
import uqmbd as uq

CRANK, ROD = 0.05, 0.12  # lengths, m
BEARING = 10e-3  # radius of the bearing, m
STIFFNESS, RESTITUTION = 1e10, 0.5  # of the contact, N/m^1.5; of an impact at 1 m/s
FASTEST = 1.0  # approach speed of impacts, m/s
CREEP = 0.05  # sliding speed at which friction is near its whole, m/s


def slider_crank(clearance=0.27e-3, friction=0.02, speed=100.0 * math.pi):
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
    return mechanism(clearance, friction, speed, "centred")


def from_a_start(clearance=0.2917e-3, friction=0.02, offset=0.0, velocity=0.0):
    """The same at 3000 rpm from another start, with the crank at its outer dead position and the rod in line with it.

    Parameters
    ----------
    clearance, friction : float or ndarray
        As above.
    offset : float or ndarray
        Of the bearing, which the slider has, from the journal's centre along the guide, m: smaller than the clearance, or they overlap.
    velocity : float or ndarray
        Of the slider, m/s.
    """
    s = mechanism(clearance, friction, 100.0 * math.pi, "as_given")
    s.start_at({"slider.x": CRANK + ROD + offset, "slider.vx": velocity})
    return s


def mechanism(clearance, friction, speed, start):
    """Crank, rod and slider."""
    s = fm.System()
    crank = s.body("crank", mass=0.30, inertia=1.0e-5, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1.0e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0)
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(speed)))
    law, sliding = fm.HuntCrossley(STIFFNESS, restitution=RESTITUTION, calibrated=True), fm.Stribeck(friction, friction, 1.0, CREEP)
    how = {"bearing_radius": BEARING, "start": start, "minimum_impact_velocity": FASTEST}
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, sliding, **how))
    return s


def outputs(sine, place, rate, speed, impact):
    """Angle and angular velocity of the rod, in place of the sine and its rate, which are coordinates of the section map."""
    angle = np.arcsin(sine)
    return angle, place, rate / np.cos(angle), speed


def coordinates(angle, place, rate, speed):
    """The other way; an impact's approach speed is below the least that counts, whatever it is."""
    return np.sin(angle), place, rate * np.cos(angle), speed, FASTEST + 0.0 * angle


def turn():
    """The map over a turn of the crank."""
    section = fm.section_map(slider_crank, every=lambda speed: 2.0 * math.pi / speed, memory=True, tolerance=1e-9)
    names = ("rod.angle", "slider.x", "rod.rate", "slider.vx")
    return uq.ChangedMap(base=section, names=names, to=outputs, back=coordinates)
