"""A mechanism as a user writes it; what type checkers and editors know of the public names of flexmbd."""

from typing import assert_type

import numpy as np

import flexmbd as fm


def slider_crank(clearance: float | np.ndarray, friction: float | np.ndarray = 0.05) -> fm.System:
    """A crank, a rod whose pin has play, a slider on a rail."""
    system = fm.System(gravity=(0.0, -9.81))
    crank = system.body("crank", mass=0.3, inertia=1e-4, position=(0.025, 0.0), points={"O": (-0.025, 0.0), "A": (0.025, 0.0)})
    rod = system.body("rod", mass=0.2, inertia=2.5e-4, position=(0.11, 0.0), points={"A": (-0.06, 0.0), "B": (0.06, 0.0)})
    slider = system.body("slider", mass=0.14, inertia=1e-4, position=(0.17, 0.0), points={"B": (0.0, 0.0)})
    pivot = system.ground.at(0.0, 0.0, "O")
    assert_type(pivot, fm.Point)
    pin = system.add(fm.Revolute("O", pivot, crank["O"]))
    assert_type(pin, fm.Revolute)
    system.add(fm.Revolute("A", crank["A"], rod["A"]))
    system.add(fm.Translational("guide", pivot, slider["B"]))
    system.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(20 * 2 * np.pi)))
    law = fm.LankaraniNikravesh(1e8, restitution=0.5)
    sliding = fm.Ambrosio(friction, v0=1e-3, v1=1e-2)
    system.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, sliding, bearing_radius=8e-3, start="centred"))
    slider.show(fm.Box(size=(0.04, 0.024, 0.02)))
    return system


def moved() -> fm.Trajectory:
    """A run of two samples."""
    found = fm.run(
        slider_crank, {"clearance": [1e-4, 2e-4]}, end=0.002, points=5, outputs=["slider.x", "B.force:max"], settings={"tolerance": 1e-6}
    )
    assert_type(found, fm.Trajectory)
    assert_type(found["slider.x"], np.ndarray)
    assert_type(found.time, np.ndarray)
    return found


def stepped() -> fm.State:
    """From state to state."""
    samples = {"clearance": [1e-4]}
    simulation = fm.compile(slider_crank, samples, outputs=["slider.x"], end=0.002)
    assert_type(simulation, fm.Simulation)
    return simulation.step(simulation.start(samples), until=0.001)


def properties() -> tuple[fm.Material, fm.Lubricant]:
    """Of a table."""
    return fm.material("steel"), fm.lubricant("ISO VG 46")
