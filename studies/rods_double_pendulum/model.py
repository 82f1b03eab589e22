"""Two rods, the lower of which bends: example 1 of Wu, Gao and Zhong, Appl. Math. Mech. 35 (2014) 341-352. Y points down, as printed."""

import flexmbd as fm

DENSITY, SIDE = 7.87e3, 0.04  # kg/m³, m
FREQUENCIES, ENERGY = (583.1, 2332.3, 5247.6), -262.960  # rad/s and J, as printed


def pendulum(modulus=2.06e11, bob=20.0):
    """At rest at the start: the upper rod is level, the lower one hangs.

    Parameters
    ----------
    modulus : float or ndarray
        Young's modulus of the lower rod, Pa.
    bob : float or ndarray
        Mass at its end, kg.
    """
    s = fm.System(gravity=(0.0, 10.0))
    joint = s.point_mass("joint", mass=10.0, position=(1.0, 0.0))
    end = s.point_mass("bob", mass=bob, position=(1.0, 1.0))
    s.add(fm.Rod("upper", s.ground.at(0.0, 0.0), joint.centre, length=1.0, line_mass=12.592))
    bending = {"EI": modulus * (SIDE**4 / 12.0), "modes": 3, "places": {"middle": 0.5}, "bent_by_weight": False}
    s.add(fm.Rod("lower", joint.centre, end.centre, length=1.0, line_mass=DENSITY * SIDE**2, **bending))
    return s
