"""Scenes of bodies and joints."""

import flexmbd as fm
from element_scenes.common import ROUND, STEEL, THIN, gears, plane, railed, scene, space

# bodies


@scene
def RigidBody():
    s = fm.System(gravity=(0.0, -9.81))
    s.body("it", mass=1.0, inertia=0.1, position=(0.5, 0.2), angle=0.3, points={"A": (-0.4, 0.0), "B": (0.4, 0.0)})
    return s


@scene
def SpatialBody():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    s.body("it", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.5, 0.0, 0.3), points={"A": (-0.4, 0.0, 0.0), "B": (0.4, 0.0, 0.2)})
    return s


@scene
def PointMass():
    s = fm.System(gravity=(0.0, -9.81))
    s.point_mass("it", mass=0.5, position=(0.4, 0.2))
    return s


@scene
def Grains():
    s = fm.System(gravity=(0.0, -9.81))
    s.grains("it", positions=[(0.2, 0.2), (0.45, 0.25), (0.3, 0.45)], radius=[0.1, 0.12, 0.08], mass=0.5)
    return s


@scene
def AncfCable():
    s = fm.System(gravity=(0.0, -9.81))
    s.cable("it", length=1.0, elements=4, section=THIN, material=STEEL, points={"middle": 0.5})
    return s


@scene
def AncfBeam():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    s.beam("it", length=1.0, elements=2, section=ROUND, material=STEEL, points={"middle": 0.5})
    return s


# joints


@scene
def Revolute():
    s, o, link = plane()
    s.add(fm.Revolute("it", o, link["O"]))
    return s


@scene
def Translational():
    s, o, link = plane()
    s.add(fm.Translational("it", o, link.centre))
    return s


@scene
def RevoluteTranslational():
    s, o, link = plane()
    s.add(fm.RevoluteTranslational("it", o, link["E"]))
    return s


@scene
def Fixed():
    s, o, link = plane()
    s.add(fm.Fixed("it", o, link["O"]))
    return s


@scene
def Distance():
    s, _, link = plane()
    s.add(fm.Distance("it", s.ground.at(0.5, 0.8), link["E"]))
    return s


@scene
def Rod():
    s = fm.System(gravity=(0.0, -9.81))
    node, tip = s.point_mass("node", position=(0.5, 0.1)), s.point_mass("tip", mass=0.5, position=(0.9, 0.6))
    s.add(fm.Rod("crank", s.ground.at(0.0, 0.0), node.centre, line_mass=2.0))
    s.add(fm.Rod("it", node.centre, tip.centre, line_mass=1.0, EI=20.0, modes=2, places={"middle": 0.5}))
    return s


@scene
def Gear():
    s, wheel, pinion = gears()
    s.add(fm.Gear("it", wheel.centre, pinion.centre, (40, 20)))
    return s


@scene
def RackPinion():
    s, _, slider = railed(-0.2)
    wheel = s.body("wheel", mass=1.0, inertia=0.02, position=(0.6, 0.0))
    s.add(fm.Revolute("axle", s.ground.at(0.6, 0.0), wheel.centre))
    s.add(fm.RackPinion("it", wheel.centre, slider.centre, radius=0.2))
    return s


@scene
def Cam():
    s = fm.System()
    wheel = s.body("cam", mass=1.0, inertia=0.02)
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0), wheel.centre))
    follower = s.body("follower", mass=0.5, inertia=0.01, position=(0.0, 0.4), points={"foot": (0.0, -0.1)})
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.4), follower.centre, axis=(0.0, 1.0)))
    s.add(fm.Cam("it", wheel.centre, follower["foot"], fm.Harmonic(0.05, 1.0, offset=0.3)))
    return s


@scene
def Spherical():
    s, o, arm = space()
    s.add(fm.Spherical("it", o, arm["O"]))
    return s


@scene
def Universal():
    s, o, arm = space()
    s.add(fm.Universal("it", o, arm["O"], (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    return s


@scene
def Cylindrical():
    s, o, arm = space()
    s.add(fm.Cylindrical("it", o, arm["O"], axis=(1.0, 0.0, 0.0)))
    return s


@scene
def Planar():
    s, o, arm = space()
    s.add(fm.Planar("it", o, arm["O"], axis=(0.0, 0.0, 1.0)))
    return s


@scene
def Screw():
    s, o, arm = space()
    s.add(fm.Screw("it", o, arm["O"], axis=(1.0, 0.0, 0.0), lead=0.01))
    return s


@scene
def Clamp():
    s = fm.System(gravity=(0.0, -9.81))
    cable = s.cable("cable", length=1.0, elements=4, section=THIN, material=STEEL)
    s.add(fm.Clamp("it", s.ground.at(0.0, 0.0), cable["start"]))
    return s


@scene
def SlidingJoint():
    s = fm.System(gravity=(0.0, -9.81))
    cable = s.cable("cable", length=1.0, elements=4, section=THIN, material=STEEL)
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), cable["start"]))
    bead = s.point_mass("bead", mass=0.1, position=(0.4, 0.0))
    s.add(fm.SlidingJoint("it", cable.at(0.4), bead.centre))
    return s


@scene
def JointFriction():
    s, o, link = plane()
    hinge = fm.Revolute("hinge", o, link["O"])
    s.add(hinge)
    s.add(fm.JointFriction("it", hinge, fm.Ambrosio(0.1, 1e-4, 1e-3), radius=0.01))
    return s
