"""Three rods, the middle one of which bends and carries a mass: example 2 of Wu, Gao and Zhong, Appl. Math. Mech. 35 (2014) 341-352.

By the strict reading of the printed data. The printed frequencies of 1318, 5705 and 13,017 rad/s and the energy of 441.665 J do not follow
from them.
"""

import math

import flexmbd as fm

DENSITY, SIDE = 7.87e3, 0.1  # kg/m³, m
FREQUENCIES, ENERGY = (345.066, 1429.724, 3219.959), 301.352  # rad/s and J of the printed data
PRINTED = (1318.0, 5705.0, 13017.0), 441.665


def rods(modulus=2.06e11, ball=10.0):
    """All along x at the start, the first turning with pi rad/s; no gravity.

    Parameters
    ----------
    modulus : float or ndarray
        Young's modulus of the middle rod, Pa.
    ball : float or ndarray
        Mass at 0.4 of its length, kg.
    """
    s = fm.System(gravity=(0.0, 0.0))
    first = s.point_mass("first", position=(1.0, 0.0), velocity=(0.0, math.pi))
    second = s.point_mass("second", position=(3.0, 0.0))
    s.add(fm.Rod("crank", s.ground.at(0.0, 0.0), first.centre, length=1.0, line_mass=15.0))
    bending = {"EI": modulus * (SIDE**4 / 12.0), "modes": 3, "bent_by_weight": False}
    s.add(fm.Rod("coupler", first.centre, second.centre, length=2.0, line_mass=DENSITY * SIDE**2, masses={"ball": (0.4, ball)}, **bending))
    s.add(fm.Rod("rocker", s.ground.at(3.0, -10.0), second.centre, length=10.0, line_mass=15.0))
    return s
