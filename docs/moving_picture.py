"""Pictures of motions in README.md and docs/flexmbd/showing.md: ``python docs/moving_picture.py`` writes both into ``docs/images``.

``crank.gif``: a slider-crank at 20 turns a second whose journal has play, for three clearances: the largest solid, the others as ghosts,
all drawn larger by the factor that the picture says. ``viewer_section.png``: a ball joint, cut.
"""

from math import pi
from pathlib import Path

import flexmbd as fm

IMAGES = Path(__file__).with_name("images")
CLEARANCES = [0.5e-3, 0.25e-3, 0.05e-3]  # m
TURN = 0.05  # s


def slider_crank(clearance):
    """Crank of 50 mm, rod of 120 mm; the journal of the rod may move in the slider by the clearance."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=0.3, inertia=1e-4, position=(0.025, 0.0), points={"O": (-0.025, 0.0), "A": (0.025, 0.0)})
    rod = s.body("rod", mass=0.2, inertia=2.5e-4, position=(0.11, 0.0), points={"A": (-0.06, 0.0), "B": (0.06, 0.0)})
    slider = s.body("slider", mass=0.14, inertia=1e-4, position=(0.17, 0.0), points={"B": (0.0, 0.0)})
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", pivot, slider["B"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(2.0 * pi / TURN)))
    law = fm.HuntCrossley(1e8, restitution=0.5)
    s.add(fm.ClearanceRevolute("B", rod["B"], slider["B"], clearance, law, bearing_radius=8e-3, start="centred"))
    slider.show(fm.Box(size=(0.044, 0.03, 0.02)))
    return s


def ball_joint():
    """A stick on a ball, that leans over in its socket."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    points = {"tip": (0.0, 0.0, 0.25)}
    stick = s.body("stick", mass=2.0, inertia=(0.01, 0.01, 0.01), angular_velocity=(0.0, 2.0, 0.0), points=points)
    stick.show(fm.Sphere(radius=0.05), fm.Cylinder(radius=0.015, length=0.25, position=(0.0, 0.0, 0.125)))
    s.ground.show(fm.Box(size=(0.24, 0.24, 0.15)))
    law = fm.HuntCrossley(1e6, restitution=0.1, exponent=1.0)
    s.add(fm.ClearanceSpherical("joint", stick.centre, s.ground.at(0.0, 0.0, 0.0), 1e-3, law=law, bearing_radius=0.05))
    return s


def main():
    """Both."""
    moving()
    run = fm.run(ball_joint, {}, end=0.3, points=31, outputs=["joint.fx", "joint.fy", "joint.fz"], poses=True)
    fm.show(run, IMAGES / "viewer_section.png", time=0.2, view={"section": ("y", 0.0)}, play=1.0, size=(640, 400))


def moving():
    """Three turns, of which the last is shown: of the start nothing is left, and the film ends where it begins."""
    simulation = fm.compile(slider_crank, {"clearance": CLEARANCES}, outputs=["B.fx", "B.fy"], end=3.0 * TURN, poses=True)
    state = simulation.step(simulation.start({"clearance": CLEARANCES}), 2.0 * TURN)
    run, _ = simulation.go_on(state, 3.0 * TURN, points=301)
    fm.show(run, IMAGES / "crank.gif", samples=[0, 1, 2], trails=["rod"], seconds=5.0, fps=20, size=(640, 340))


if __name__ == "__main__":
    main()
