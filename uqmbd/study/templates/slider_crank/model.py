"""Slider-crank whose pin between rod and slider has play. Lengths in m, masses in kg, inertias in kg m²."""

import math

import flexmbd as fm

CRANK, ROD = 0.05, 0.12
BEARING = 10e-3  # radius of the bearing
SPEED = 1000 * 2 * math.pi / 60  # of the crank, rad/s
STEEL = fm.Material(E=207e9, nu=0.3, name="steel")


def slider_crank(clearance, restitution, friction):
    """The mechanism, in its outer dead position at the start."""
    s = fm.System()
    crank = s.body("crank", mass=0.30, inertia=1.0e-4, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1.0e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(SPEED)))
    stiffness = fm.hertz_sphere_stiffness(BEARING, BEARING - clearance, STEEL, STEEL, conformal=True)
    law = fm.LankaraniNikravesh(stiffness, restitution=restitution, calibrated=True)
    sliding = fm.Ambrosio(friction, v0=1e-3, v1=1e-2)
    options = {"bearing_radius": BEARING, "start": "centred", "minimum_impact_velocity": 1.0}
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, sliding, **options))
    return s
