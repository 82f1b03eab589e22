"""What the tests of beams share: a clamped beam, slender or not, and where its points are."""

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbd as fm

NONE = (0.0, 0.0, 0.0)
SECTIONS = ("elastic", "rigid")
TURN = Rotation.from_rotvec([0.7, -0.4, 1.1]).as_matrix()


def ramp(x):
    return fm.Polynomial((0.0, x))


def system(elements, *, section, material, length=1.0, clamp=True, **more):
    """A beam called rod, clamped at its start."""
    s = fm.System(gravity=NONE)
    beam = s.beam("rod", length=length, elements=elements, section=section, material=material, **more)
    if clamp:
        s.add(fm.Fixed("wall", s.ground.at(*more.get("position", NONE)), beam.start))
    return s, beam


def slender(elements, ratio, **more):
    """Length and EI 1, square section of side 1/ratio, no Poisson effect."""
    side = 1.0 / ratio
    return system(elements, section=fm.Section.rectangle(side, side), material=fm.Material(12.0 / side**4, 0.0, 1.0), **more)


def place(path, k=-1, point="end"):
    return np.array([path[f"rod.{point}.{a}"][k] for a in "xyz"])
