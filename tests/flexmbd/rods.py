"""The two numerical examples of Wu, Gao and Zhong (2014), by the numbers that are printed."""

import numpy as np

import flexmbd as fm

STEEL, YOUNG = 7.87e3, 2.06e11  # kg/m³, Pa
EI_1, EI_2 = (YOUNG * side**4 / 12.0 for side in (0.04, 0.1))


def double_pendulum(EI=EI_1, mass=20.0, modes=3, bent_by_weight=False):
    """Example 1: a rigid rod and one that bends, Y down."""
    s = fm.System(gravity=(0.0, 10.0))
    joint, bob = s.point_mass("joint", mass=10.0, position=(1.0, 0.0)), s.point_mass("bob", mass=mass, position=(1.0, 1.0))
    s.add(fm.Rod("upper", s.ground.at(0.0, 0.0), joint.centre, length=1.0, line_mass=12.592))
    bending = {"EI": EI, "modes": modes, "places": {"middle": 0.5}, "bent_by_weight": bent_by_weight} if modes else {}
    s.add(fm.Rod("lower", joint.centre, bob.centre, length=1.0, line_mass=STEEL * 0.04**2, **bending))
    return s


def three_rods(EI=EI_2, modes=3):
    """Example 2: the middle one of three rods bends, with a mass on it; no gravity."""
    s = fm.System(gravity=(0.0, 0.0))
    first, second = s.point_mass("first", position=(1.0, 0.0), velocity=(0.0, np.pi)), s.point_mass("second", position=(3.0, 0.0))
    s.add(fm.Rod("crank", s.ground.at(0.0, 0.0), first.centre, length=1.0, line_mass=15.0))
    bending = {"EI": EI, "modes": modes, "bent_by_weight": False} if modes else {}
    s.add(fm.Rod("coupler", first.centre, second.centre, length=2.0, line_mass=STEEL * 0.01, masses={"ball": (0.4, 10.0)}, **bending))
    s.add(fm.Rod("rocker", s.ground.at(3.0, -10.0), second.centre, length=10.0, line_mass=15.0))
    return s
