"""Slider-crank with a flexible connecting rod and a clearance joint between rod and slider.

A slender steel rod bends under its own inertia; the joint at its end has play.  Stiffness and clearance are known as tolerances only.
"""

import math

import flexmbd as fm

CRANK, ROD = 0.15, 0.30  # lengths, m
DIAMETER = 6e-3  # of the rod, m
BEARING = 8e-3  # radius, m
SPEED = 600 * 2 * math.pi / 60  # of the crank, rad/s
DENSITY = 7870.0  # kg/m³


def flexible(stiffness=207e9, clearance=0.1e-3, elements=4, restitution=0.46):
    """Crank driven at constant speed from the outer dead position, the rod straight and the journal at the bearing's centre.

    Parameters
    ----------
    stiffness : float or ndarray
        Young's modulus of the rod, Pa.
    clearance : float or ndarray
        Radial clearance of the joint between rod and slider, m.
    elements : int
        Cubic elements of the rod.
    restitution : float or ndarray
        Of an impact at 1 m/s; slower ones lose less.
    """
    s = fm.System()
    crank = s.body("crank", mass=0.36, inertia=6.8e-4, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    steel = fm.Material(E=stiffness, nu=0.3, density=DENSITY, name="steel")
    rate = -SPEED * CRANK / ROD  # of the ideal mechanism in the outer dead position
    rod = s.cable(
        "rod",
        length=ROD,
        elements=elements,
        section=fm.Section.circle(DIAMETER / 2),
        material=steel,
        position=(CRANK, 0.0),
        velocity=(0.0, SPEED * CRANK),
        rate=rate,
        damping=2e-6,
        points={"middle": ROD / 2},
    )
    eye = s.body("eye", mass=0.02, inertia=2e-6, position=(CRANK + ROD, 0.0), velocity=(0.0, 0.0), rate=rate)  # holds the journal
    slider = s.body("slider", mass=0.10, inertia=1e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod.start))
    s.add(fm.Clamp("end", eye.centre, rod.end))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(SPEED)))
    bearing = fm.Material(E=207e9, nu=0.3, name="steel")
    stiff = fm.hertz_sphere_stiffness(BEARING, BEARING - clearance, bearing, bearing, conformal=True)
    law = fm.LankaraniNikravesh(stiff, restitution=restitution, calibrated=True)
    sliding = fm.Ambrosio(0.05, v0=1e-3, v1=1e-2)
    options = {"bearing_radius": BEARING, "start": "centred", "minimum_impact_velocity": 1.0}
    s.add(fm.ClearanceRevolute("B", eye.centre, slider["B"], clearance, law, sliding, **options))
    return s
