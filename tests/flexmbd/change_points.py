"""Mechanisms with singular positions on their way: bars of uniform mass between pins."""

import numpy as np

import flexmbd as fm

G = 9.81


def bar(system, name, p, q, mass, velocities=((0.0, 0.0), (0.0, 0.0))):
    """A bar from p to q with the velocities of its ends."""
    p, q, v, w = (np.array(x, float) for x in (p, q, *velocities))
    d = q - p
    length = np.hypot(*d)
    rate = (d[0] * (w - v)[1] - d[1] * (w - v)[0]) / length**2
    options = {"angle": float(np.arctan2(d[1], d[0])), "rate": float(rate), "velocity": tuple((v + w) / 2)}
    points = {"p": (-length / 2, 0.0), "q": (length / 2, 0.0)}
    return system.body(name, mass=mass, inertia=mass * length**2 / 12, position=tuple((p + q) / 2), points=points, **options)


def closed_chain(pins, masses, velocities=None):
    """Ground, and bars between pins one after another; joints "J0", "J1" ... from the first pin on."""
    velocities = [(0.0, 0.0)] * len(pins) if velocities is None else velocities
    system = fm.System(gravity=(0.0, -G))
    end = system.ground.at(*pins[0])
    for k, mass in enumerate(masses):
        body = bar(system, f"bar{k}", pins[k], pins[k + 1], mass, (velocities[k], velocities[k + 1]))
        system.add(fm.Revolute(f"J{k}", end, body["p"]))
        end = body["q"]
    system.add(fm.Revolute(f"J{len(masses)}", end, system.ground.at(*pins[-1])))
    return system


def parallelogram(phi, speed, radius=0.6, base=1.1, masses=(1.2, 2.0, 0.8)):
    """Two equal cranks at an angle and a speed, and their coupler."""
    arm = radius * np.array([np.cos(phi), np.sin(phi)])
    over, v = np.array([base, 0.0]), speed * np.array([-arm[1], arm[0]])
    return closed_chain([(0.0, 0.0), arm, over + arm, over], masses, [(0.0, 0.0), v, v, (0.0, 0.0)])


def driven(phi, motion, **numbers):
    """The same, driven."""
    system = parallelogram(phi, 0.0, **numbers)
    system.add(fm.AngleDrive("drive", system.ground.at(0.0, 0.0), system.bodies[0]["p"], motion))
    return system


def equal_slider_crank(theta, length=0.35):
    """Crank and rod of equal length and a slider, pushed to the position in which both lie on each other."""
    a, b = length * np.array([np.cos(theta), np.sin(theta)]), (2.0 * length * np.cos(theta), 0.0)
    system = fm.System(gravity=(0.0, -G))
    crank, rod = bar(system, "crank", (0.0, 0.0), a, 0.7), bar(system, "rod", a, b, 0.9)
    slider = system.body("slider", mass=0.4, inertia=0.01, position=b)
    system.add(fm.Revolute("O", system.ground.at(0.0, 0.0), crank["p"]))
    system.add(fm.Revolute("A", crank["q"], rod["p"]))
    system.add(fm.Revolute("B", rod["q"], slider.centre))
    system.add(fm.Translational("guide", system.ground.at(0.0, 0.0), slider.centre))
    system.add(fm.PointForce("push", slider.centre, fx=-20.0))
    return system


def beyond_reach(speed=1.0):
    """A driven four-bar linkage whose coupler and rocker come to lie in one line: the crank cannot go on."""
    crank, coupler, rocker, base, phi = 0.5, 0.5, 0.4, 1.0, 0.6
    a, c = crank * np.array([np.cos(phi), np.sin(phi)]), np.array([base, 0.0])
    d = np.hypot(*(c - a))
    turn = np.arctan2(*(c - a)[::-1]) + np.arccos((coupler**2 + d**2 - rocker**2) / (2 * coupler * d))
    b = a + coupler * np.array([np.cos(turn), np.sin(turn)])
    system = closed_chain([(0.0, 0.0), a, b, c], (1.0, 1.0, 1.0))
    system.add(fm.AngleDrive("drive", system.ground.at(0.0, 0.0), system.bodies[0]["p"], fm.ConstantSpeed(speed, phi)))
    # the law of cosines: |a - c| is coupler + rocker
    last = np.arccos((crank**2 + base**2 - (coupler + rocker) ** 2) / (2 * crank * base))
    return system, (last - phi) / speed


def spatial_beyond_reach(speed=1.0):
    """The same in space: crank about z, rocker about x, a rod between them."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    ends = {
        "crank": ((0.0, 0.0, 0.0), (0.5 * np.cos(0.2), 0.5 * np.sin(0.2), 0.0)),
        "rocker": ((1.0, 0.0, 0.0), (1.0, 0.4 * np.cos(1.0), 0.4 * np.sin(1.0))),
    }
    axes = {"crank": (0.0, 0.0, 1.0), "rocker": (1.0, 0.0, 0.0)}
    for name, (p, q) in ends.items():
        half = np.subtract(q, p) / 2
        points = {"p": tuple(-half), "q": tuple(half)}
        body = system.body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=tuple(np.add(p, half)), points=points)
        system.add(fm.Revolute(f"{name}_pin", system.ground.at(*p), body["p"], axis=axes[name]))
    crank, rocker = system.bodies
    system.add(fm.Distance("rod", crank["q"], rocker["q"]))
    system.add(fm.AngleDrive("drive", system.ground.at(0.0, 0.0, 0.0), crank["p"], fm.ConstantSpeed(speed, 0.2), axis=axes["crank"]))
    return system
