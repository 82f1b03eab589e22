"""Small mechanisms to be looked at."""

import numpy as np

import flexmbd as fm

CRANK, ROD = 0.05, 0.12


def crank(clearance):
    """Slider-crank whose journal has play."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("crank", mass=0.3, inertia=1e-4, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    rod = s.body("rod", mass=0.2, inertia=2.5e-4, position=(CRANK + ROD / 2, 0.0), points={"A": (-ROD / 2, 0.0), "B": (ROD / 2, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1e-4, position=(CRANK + ROD, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, body["O"]))
    s.add(fm.Revolute("A", body["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, body["O"], fm.ConstantSpeed(120.0)))
    law = fm.HuntCrossley(1e8, restitution=0.5)
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, bearing_radius=8e-3, start="centred"))
    slider.show(fm.Box(size=(0.04, 0.02, 0.02)))
    return s


def rope():
    """A rope with a load at its end, hung on ground."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    stuff = fm.Material(E=5e7, nu=0.3, density=2000.0)
    line = s.cable("rope", length=1.0, elements=4, section=fm.Section.circle(8e-3), material=stuff, direction=(1.0, 0.0, 0.2), damping=1e-3)
    s.add(fm.Spherical("hook", s.ground.at(0.0, 0.0, 0.0), line.start))
    load = s.point_mass("load", mass=0.5, position=np.array((1.0, 0.0, 0.2)) / np.hypot(1.0, 0.2))
    s.add(fm.Spherical("end", line.end, load.centre))
    load.show(fm.Sphere(radius=0.06))
    return s
