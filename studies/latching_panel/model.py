"""A spacecraft unfolds a panel, which latches: a constraint is added by an impact, and angular momentum stays."""

import math

import numpy as np

import flexmbd as fm

HUB, INERTIA = 180.0, 40.0  # kg, kg m²
PANEL, LENGTH = 12.0, 2.4  # kg, m
ARM = 0.6  # from the hub's centre to the hinge, m


def deployment(stiffness=0.15, damping=0.05, folded=math.pi / 2, beyond=0.2):
    """Hub at rest, free in space; a spring in the hinge unfolds the panel until it is in line with the hub, where it latches.

    Parameters
    ----------
    stiffness : float or ndarray
        Of the spring in the hinge, N m/rad.
    damping : float or ndarray
        Of the hinge, N m s/rad.
    folded : float or ndarray
        Angle of the panel before the latch at the start, rad.
    beyond : float or ndarray
        Angle beyond the latch at which the spring would be slack, rad.
    """
    s = fm.System(gravity=(0.0, 0.0))
    hub = s.body("hub", mass=HUB, inertia=INERTIA, position=(0.0, 0.0))
    half, cos, sin = LENGTH / 2, np.cos(folded), np.sin(folded)
    panel = s.body("panel", mass=PANEL, inertia=PANEL * LENGTH**2 / 12, position=(ARM + half * cos, -half * sin), angle=-folded)
    s.add(fm.Revolute("hinge", hub.at(ARM, 0.0), panel.at(-half, 0.0)))
    s.add(fm.TorsionSpring("spring", hub, panel, stiffness, damping, angle=beyond))
    hub.show(fm.Box(size=(2.0 * ARM, 2.0 * ARM, 1.0)))
    panel.show(fm.Box(size=(LENGTH, 0.06, 1.0)))
    s.add(fm.Lock("latch", fm.AngleOf(hub, panel), 0.0))
    return s
