"""Scenes of drives, motions, springs, forces and conditions."""

import flexmbd as fm
from element_scenes.common import STEEL, THIN, gears, hinged, inertia, pulled, railed, scene, space, turned

# drives and motions


@scene
def AngleDrive():
    s, o, link = hinged()
    s.add(fm.AngleDrive("it", o, link["O"], fm.ConstantSpeed(10.0)))
    return s


@scene
def SlideDrive():
    s, o, slider = railed()
    s.add(fm.SlideDrive("it", o, slider.centre, fm.Harmonic(0.1, 5.0, offset=0.6)))
    return s


@scene
def DistanceDrive():
    s, _, link = hinged()
    s.add(fm.DistanceDrive("it", s.ground.at(0.5, 0.8), link["E"], fm.Polynomial((0.9433981, 0.1))))
    return s


# springs and forces


@scene
def Spring():
    s, _, link = hinged()
    s.add(fm.Spring("it", s.ground.at(0.5, 0.8), link["E"], 1000.0, 10.0, length=0.7))
    return s


@scene
def TorsionSpring():
    s, _, link = hinged()
    s.add(fm.TorsionSpring("it", s.ground, link, 10.0, 0.1))
    return s


@scene
def NonlinearSpring():
    s, _, link = hinged()
    curve = fm.Table((-1.0, 0.0, 1.0), (-2000.0, 0.0, 500.0), beyond="error")
    s.add(fm.NonlinearSpring("it", s.ground.at(0.5, 0.8), link["E"], curve, length=0.7))
    return s


@scene
def NonlinearTorsionSpring():
    s, _, link = hinged()
    s.add(fm.NonlinearTorsionSpring("it", s.ground, link, fm.Table((-3.0, 0.0, 3.0), (-20.0, 0.0, 5.0), beyond="error")))
    return s


@scene
def Bushing():
    s, o, arm = space()
    s.add(fm.Bushing("it", o, arm["O"], (1e5, 1e5, 1e6, 100.0, 100.0, 10.0)))
    return s


@scene
def GearMesh():
    s, wheel, pinion = gears()
    s.add(fm.GearMesh("it", wheel.centre, pinion.centre, (40, 20), 1e7, backlash=1e-4))
    return s


@scene
def Rack():
    s, _, slider = railed(-0.2)
    wheel = s.body("wheel", mass=1.0, inertia=0.02, position=(0.6, 0.0))
    s.add(fm.Revolute("axle", s.ground.at(0.6, 0.0), wheel.centre))
    s.add(fm.Rack("it", wheel.centre, slider.centre, 0.2, 1e7))
    return s


@scene
def PointForce():
    s, _, link = hinged()
    s.add(fm.PointForce("it", link["E"], fy=10.0))
    return s


@scene
def Torque():
    s, _, link = hinged()
    s.add(fm.Torque("it", s.ground, link, 5.0))
    return s


@scene
def SectionTorque():
    s = fm.System(gravity=(0.0, -9.81))
    cable = s.cable("cable", length=1.0, elements=4, section=THIN, material=STEEL)
    s.add(fm.Clamp("clamp", s.ground.at(0.0, 0.0), cable["start"]))
    s.add(fm.SectionTorque("it", cable["end"], 0.5))
    return s


@scene
def UserForce():
    s, o, slider = railed()
    s.add(fm.UserForce("it", o, slider.centre, pulled, {"k": 100.0}))
    return s


@scene
def UserTorque():
    s, _, link = hinged()
    s.add(fm.UserTorque("it", s.ground, link, turned, {"k": 10.0}))
    return s


@scene
def Actuator():
    s, _, link = hinged()
    turn = fm.AngleOf(s.ground, link)
    s.add(fm.Actuator("it", turn, fm.PID(turn, fm.Harmonic(0.5, 3.0), kp=20.0, ki=2.0, kd=1.0), limit=15.0))
    return s


@scene
def ReducedInertia():
    s, o, slider = railed()
    s.add(fm.ReducedInertia("it", fm.PlaceOf(o, slider.centre), inertia, {"m": 2.0}))
    return s


@scene
def Propellant():
    s = fm.System()
    rocket = s.body("rocket", mass=10.0, inertia=1.0, angle=1.5708)
    s.add(fm.Propellant("it", rocket.centre, fm.Table((0.0, 2.0), (5.0, 0.0), beyond="hold"), exhaust=500.0, axis=(1.0, 0.0)))
    return s


# conditions


@scene
def Latch():
    s, _, link = hinged()
    s.add(fm.Latch("it", fm.AngleOf(s.ground, link), -0.5))
    return s


@scene
def StopWhen():
    s, _, link = hinged()
    s.add(fm.StopWhen("it", fm.AngleOf(s.ground, link), -0.5))
    return s


@scene
def Lock():
    s, _, link = hinged()
    s.add(fm.Lock("it", fm.AngleOf(s.ground, link), -0.5, rising=False))
    return s
