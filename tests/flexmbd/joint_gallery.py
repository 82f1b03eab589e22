"""One of each joint and drive, side by side in one system without gravity, each with a motion known in closed form."""

import numpy as np

import flexmbd as fm

ANGLE = fm.Harmonic(0.7, 3.0, 0.2, 0.1)  # of the arm
TABLE = (0.0, 0.3, 0.1, -0.2, 0.25)  # values of one period of the slug's stroke
TILT = 0.4  # of the cart's rail, rad
RADIUS, STRETCH = 1.5, 0.2  # of the comet's distance drive: m, m/s
SWEEP = 0.8  # rate of the comet at the start, rad/s
SPIN = 1.3  # of the pair of fixed bodies, rad/s
ROD, ORBIT = 0.8, 2.5  # of the moon: length of its rod in m, rad/s
OUTPUTS = [
    "arm.angle", "arm.rate", "arm.alpha", "arm.E.ax", "motor.moment", "pin.fx", "pin.fy", "cart.x", "cart.y", "cart.angle", "rail.fx",
    "rail.fy", "rail.moment", "bead.P.x", "bead.P.y", "bead.x", "bead.y", "bead.angle", "line.fy", "line.moment", "slug.x", "slug.vx",
    "slug.ax", "slug.y", "stroke.fx", "comet.x", "comet.y", "tether.fx", "tether.fy", "left.angle", "right.angle", "right.x", "right.y",
    "weld.fx", "weld.fy", "weld.moment", "lift.y", "lift.vy", "lift.ay", "lifter.fy", "energy.balance",
    "moon.x", "moon.vy", "moon.ax", "rod.fx", "rod.tension", "rod.moment", "thread.tension", "grain.y", "groove.fy", "groove.moment",
    "slug.vx:max", "slug.vx:min", "arm.angle:max", "arm.angle:min", "arm.angle:abs_max", "arm.angle:time_of_max", "arm.rate:rms",
    "arm.angle:mean", "lift.y:final", "arm.rate:max",
]  # fmt: skip


def gallery():
    """All mechanisms; guesses are exact where the motion depends on them, else rough."""
    s = fm.System()
    origin = s.ground.at(0.0, 0.0)
    arm = s.body("arm", mass=2.0, inertia=0.3, position=(0.5, 0.2), angle=0.3, points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    s.add(fm.Revolute("pin", origin, arm["O"]))
    s.add(fm.AngleDrive("motor", origin, arm["O"], ANGLE))

    cart = s.body("cart", mass=3.0, inertia=0.1, position=(np.cos(TILT), np.sin(TILT)), angle=0.1)
    s.add(fm.Translational("rail", origin, cart.centre, axis=(np.cos(TILT), np.sin(TILT)), angle=0.1))
    s.add(fm.PointForce("pull", cart.centre, fx=6.0, fy=-4.0))

    bead = s.body("bead", mass=1.2, inertia=0.2, position=(0.0, 1.0), velocity=(0.6, 0.0), rate=2.0, points={"P": (0.0, 0.0)})
    s.add(fm.RevoluteTranslational("line", s.ground.at(0.0, 1.0), bead["P"], axis=(2.0, 0.0)))
    s.add(fm.PointForce("weight", bead["P"], fy=-5.0))

    slug = s.body("slug", mass=0.5, inertia=0.1, position=(0.0, 2.0))
    s.add(fm.Translational("way", s.ground.at(0.0, 2.0), slug.centre))
    s.add(fm.SlideDrive("stroke", s.ground.at(0.0, 2.0), slug.centre, fm.Fourier(2.0, TABLE)))

    comet = s.body("comet", mass=0.7, inertia=0.1, position=(RADIUS, 0.0), velocity=(STRETCH, RADIUS * SWEEP), rate=0.4)
    s.add(fm.DistanceDrive("tether", origin, comet.centre, fm.Polynomial((RADIUS, STRETCH))))

    left = s.body("left", mass=1.0, inertia=0.2, position=(3.0, 0.0), velocity=(0.1, 0.0), rate=SPIN, points={"W": (0.5, 0.0)})
    right = s.body("right", mass=1.0, inertia=0.4, position=(4.0, 0.0), angle=0.25, velocity=(0.1, SPIN), rate=SPIN)
    s.add(fm.Fixed("weld", left["W"], right.at(-0.5 * np.cos(0.25), 0.5 * np.sin(0.25), "W"), angle=0.25))

    lift = s.body("lift", mass=0.9, inertia=0.1, position=(-1.0, 0.1))
    s.add(fm.Translational("shaft", s.ground.at(-1.0, 0.0), lift.centre, axis=(0.0, 1.0)))
    s.add(fm.SlideDrive("lifter", s.ground.at(-1.0, 0.0), lift.centre, fm.Polynomial((0.1, 0.2, 0.3, -0.05)), axis=(0.0, 1.0)))

    moon = s.point_mass("moon", mass=0.6, position=(5.0 + ROD, 1.0), velocity=(0.0, ROD * ORBIT))
    s.add(fm.Distance("rod", s.ground.at(5.0, 1.0), moon.centre))
    grain = s.point_mass("grain", mass=0.2, position=(0.0, 3.0))  # on a line, held by a rod to a place on the line
    s.add(fm.RevoluteTranslational("groove", s.ground.at(0.0, 3.0), grain.centre))
    s.add(fm.Distance("thread", s.ground.at(1.0, 3.0), grain.centre, length=1.0))
    s.add(fm.PointForce("tug", grain.centre, fx=-0.7, fy=0.4))
    return s
