"""One of each force element, side by side in one system under gravity, each with a motion known in closed form."""

import numpy as np

import flexmbd as fm

G = 9.81
OUTPUTS = [
    "stone.x", "stone.y", "stone.O.x", "stone.O.y", "stone.O.vx", "stone.O.ax", "stone.angle", "rocket.vx", "rocket.vy", "wheel.angle",
    "wheel.rate",
    "soft.x", "soft.y", "drop.x", "drop.y", "hung.x", "hung.y", "coil.force", "coil.length", "balance.angle", "balance.rate", "hair.moment",
    "hair.angle", "shaken.x", "shaken.y", "lever.alpha", "energy.balance", "energy.dissipated", "energy.potential",
    "pea.x", "pea.y", "pea.ay",
]  # fmt: skip


def gallery(turns=5.0, stiffness=30.0, damping=0.8):
    """All of them; `turns` is the start of the balance wheel."""
    s = fm.System(gravity=(0.0, -G))
    # thrown: origin of the frame off the centre of mass
    s.body(
        "stone", mass=0.8, inertia=0.1, position=(0.0, 0.0), angle=0.3, velocity=(2.0, 5.0), rate=4.0, offset=(0.2, -0.1),
        points={"O": (0.0, 0.0)},
    )  # fmt: skip
    rocket = s.body("rocket", mass=2.0, inertia=0.1, rate=3.0)
    s.add(fm.PointForce("thrust", rocket.centre, fx=5.0, fy=1.0, follower=True))

    wheel = s.body("wheel", mass=1.0, inertia=0.6)
    s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0), wheel.centre))
    s.add(fm.Torque("motor", s.ground, wheel, fm.Harmonic(1.5, 2.0, 0.3)))

    soft = s.body("soft", mass=1.5, inertia=1.0, position=(0.3, 0.2), velocity=(-0.4, 0.7))
    s.add(fm.Spring("rubber", s.ground.at(0.0, 0.0), soft.centre, stiffness))

    drop = s.body("drop", mass=1.5, inertia=1.0, position=(9.0, -1.2))
    s.add(fm.Spring("bungee", s.ground.at(9.0, 0.0), drop.centre, stiffness, damping))

    hung = s.body("hung", mass=1.5, inertia=1.0, position=(7.0, -1.2))
    s.add(fm.Spring("coil", s.ground.at(7.0, 0.0), hung.centre, stiffness, damping, length=0.9))

    balance = s.body("balance", mass=1.0, inertia=0.05, angle=2 * np.pi * turns)
    s.add(fm.Revolute("staff", s.ground.at(1.0, 1.0), balance.centre))
    s.add(fm.TorsionSpring("hair", s.ground, balance, 0.2, 0.004, angle=0.5))

    shaken = s.body("shaken", mass=0.5, inertia=0.1)
    s.add(fm.PointForce("shaker", shaken.centre, fx=fm.Harmonic(3.0, 5.0), fy=0.5 * G))

    lever = s.body("lever", mass=1.0, inertia=0.4, position=(0.0, 0.0), points={"E": (0.7, 0.0)})
    s.add(fm.PointForce("push", lever["E"], fy=2.0, follower=True))

    pea = s.point_mass("pea", mass=1.5, position=(0.3, 0.2), velocity=(-0.4, 0.7))
    s.add(fm.Spring("elastic", s.ground.at(0.0, 0.0), pea.centre, stiffness))
    return s


def damped(t, start, speed, mass, stiffness, damping):
    """Position and velocity of a damped oscillator about its rest."""
    decay, natural = 0.5 * damping / mass, np.sqrt(stiffness / mass)
    w = np.sqrt(natural**2 - decay**2)
    a, b = start, (speed + decay * start) / w
    c, s, e = np.cos(w * t), np.sin(w * t), np.exp(-decay * t)
    return e * (a * c + b * s), e * ((b * w - decay * a) * c - (a * w + decay * b) * s)
