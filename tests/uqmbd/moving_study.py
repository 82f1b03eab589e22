"""A study whose mechanism moves: a pendulum in the plane."""

import uqmbd as uq

MODEL = """
import numpy as np
import flexmbd as fm

def pendulum(length, angle):
    s = fm.System(gravity=(0.0, -9.81))
    points = {"top": (0.0, 0.0), "end": (length, 0.0)}
    at = (np.cos(angle) * length / 2, np.sin(angle) * length / 2)
    bob = s.body("bob", mass=1.0, inertia=0.01, offset=(length / 2, 0.0), angle=angle, position=(0.0 * angle, 0.0 * angle), points=points)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), bob["top"]))
    return s
"""


def study_in(folder, **changes):
    """A pendulum whose length and first angle are intervals."""
    (folder / "swing.py").write_text(MODEL)
    inputs = {"length": uq.Interval(0.9, 1.1, unit="m"), "angle": uq.Interval(-10.0, 10.0, unit="deg")}
    settings = {
        "model": f"{folder}/swing.py:pendulum",
        "inputs": inputs,
        "outputs": ["bob.angle", "bob.angle:max", "bob.x:min"],
        "name": "swing",
    }
    return uq.Study(
        **settings | {"method": uq.Vertex(), "time": uq.TimeGrid(end=0.5, points=51), "campaign": uq.CampaignSettings(workers=0)} | changes
    )
