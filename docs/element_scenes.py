"""One small system for each element of flexmbd: what `docs/elements.py` draws, and asks for its outputs.

The element under test is always named "it"; bodies have names that outputs do not begin with.
"""

from collections.abc import Callable

import flexmbd as fm

LAW = fm.HuntCrossley(1e8, restitution=0.6)
STEEL = fm.material("steel")
THIN = fm.Section(area=1e-4, second_moment=1e-9)
ROUND = fm.Section(area=1e-4, second_moment=1e-9, second_moment_y=1e-9, torsion=2e-9)
SCENES: dict[str, Callable[[], fm.System]] = {}


def scene(function: Callable[..., fm.System]) -> Callable[..., fm.System]:
    """Register a scene under the name of its element."""
    SCENES[function.__name__] = function
    return function


def plane() -> tuple[fm.System, object, object]:
    """A system in the plane, a point of ground, a link that begins there."""
    s = fm.System(gravity=(0.0, -9.81))
    link = s.body("link", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    return s, s.ground.at(0.0, 0.0), link


def space() -> tuple[fm.System, object, object]:
    """A system in space, a point of ground, a body that begins there."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    arm = s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0), "E": (0.5, 0.0, 0.0)})
    return s, s.ground.at(0.0, 0.0, 0.0), arm


def hinged() -> tuple[fm.System, object, object]:
    """The link on a hinge."""
    s, o, link = plane()
    s.add(fm.Revolute("hinge", o, link["O"]))
    return s, o, link


def railed(height: float = 0.0) -> tuple[fm.System, object, object]:
    """A slider on a rail."""
    s = fm.System(gravity=(0.0, -9.81))
    o = s.ground.at(0.0, height)
    slider = s.body("slider", mass=1.0, inertia=0.1, position=(0.6, height), points={"L": (-0.2, 0.0), "R": (0.2, 0.0)})
    s.add(fm.Translational("rail", o, slider.centre))
    return s, o, slider


def gears(second: float = 0.3) -> tuple[fm.System, object, object]:
    """Two wheels on fixed axles."""
    s = fm.System()
    wheels = [s.body(name, mass=1.0, inertia=0.01, position=(x, 0.0)) for name, x in (("wheel", 0.0), ("pinion", second))]
    for wheel, x in zip(wheels, (0.0, second), strict=True):
        s.add(fm.Revolute(f"axle_{wheel.name}", s.ground.at(x, 0.0), wheel.centre))
    return s, *wheels


def pulled(t, d, v, k):
    """Force of a spring of no length."""
    return -k * d[0], -k * d[1]


def turned(t, angle, rate, k):
    """Moment of a spring."""
    return -k * angle


def inertia(x, m):
    """A mass that does not change."""
    return m + 0.0 * x


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


# contacts


@scene
def DiscPlane():
    s = fm.System(gravity=(0.0, -9.81))
    disc = s.body("disc", mass=1.0, inertia=0.01, position=(0.0, 0.3))
    s.add(fm.DiscPlane("it", disc.centre, s.ground.at(0.0, 0.0), 0.2, LAW, fm.Ambrosio(0.2, 1e-4, 1e-3)))
    return s


@scene
def DiscDisc():
    s = fm.System()
    one = s.body("one", mass=1.0, inertia=0.01, position=(0.0, 0.0), velocity=(1.0, 0.0))
    two = s.body("two", mass=1.0, inertia=0.01, position=(0.5, 0.1))
    s.add(fm.DiscDisc("it", one.centre, two.centre, 0.2, 0.15, LAW))
    return s


@scene
def PointPlane():
    s = fm.System(gravity=(0.0, -9.81))
    link = s.body("link", mass=1.0, inertia=0.1, position=(0.0, 0.4), angle=-0.6, points={"tip": (0.4, 0.0)})
    s.add(fm.PointPlane("it", link["tip"], s.ground.at(0.0, 0.0), LAW))
    return s


@scene
def BoxPlane():
    s = fm.System(gravity=(0.0, -9.81))
    box = s.body("box", mass=1.0, inertia=0.1, position=(0.0, 0.4), angle=0.3)
    s.add(fm.BoxPlane("it", box.centre, s.ground.at(0.0, 0.0), (0.3, 0.2), fm.Impenetrable(friction=0.3)))
    return s


@scene
def CableContact():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    cables = [
        s.cable(name, length=1.0, elements=2, section=ROUND, material=STEEL, position=place, direction=way).at(0.5)
        for name, place, way in (("upper", (-0.5, 0.0, 0.1), (1.0, 0.0, 0.0)), ("lower", (0.0, -0.5, 0.0), (0.0, 1.0, 0.0)))
    ]
    s.add(fm.CableContact("it", *cables, 0.01, 0.01, LAW))
    return s


@scene
def SpherePlane():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.3))
    s.add(fm.SpherePlane("it", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.2, LAW, fm.Ambrosio(0.2, 1e-4, 1e-3)))
    return s


@scene
def SphereSphere():
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    one = s.body("one", mass=1.0, inertia=(0.01, 0.01, 0.01), velocity=(1.0, 0.0, 0.0))
    two = s.body("two", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5, 0.1, 0.0))
    s.add(fm.SphereSphere("it", one.centre, two.centre, 0.2, 0.15, LAW))
    return s


@scene
def SphereCylinder():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = s.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.5))
    s.add(fm.SphereCylinder("it", ball.centre, s.ground.at(0.0, 0.0, 0.0), 0.1, 0.3, LAW))
    return s


@scene
def ThinDiscPlane():
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    disc = s.body("disc", mass=1.0, inertia=(0.01, 0.02, 0.01), position=(0.0, 0.0, 0.3))
    s.add(fm.ThinDiscPlane("it", disc.centre, s.ground.at(0.0, 0.0, 0.0), 0.25, fm.Impenetrable(friction=0.3)))
    return s


# clearance joints


@scene
def ClearanceRevolute():
    s, o, link = plane()
    s.add(fm.ClearanceRevolute("it", link["O"], o, 1e-4, LAW, fm.Ambrosio(0.1, 1e-4, 1e-3), bearing_radius=0.01))
    return s


@scene
def ClearanceRevolute_with_a_film():
    s, o, link = plane()
    film = fm.ShortFilm(0.1, 0.02)
    s.add(fm.ClearanceRevolute("it", link["O"], o, 1e-4, LAW, bearing_radius=0.01, film=film, transition=fm.SmoothTransition()))
    return s


@scene
def ClearanceTranslational():
    s, o, link = plane()
    s.add(fm.ClearanceTranslational("it", link.centre, o, 1e-4, 0.1, 0.05, LAW))
    return s


@scene
def FrictionGuide():
    s, o, link = plane()
    s.add(fm.FrictionGuide("it", link.centre, o, 0.1, fm.Impenetrable(friction=0.2)))
    return s


@scene
def ClearanceSpherical():
    s, o, arm = space()
    s.add(fm.ClearanceSpherical("it", arm["O"], o, 1e-4, 0.02, LAW))
    return s


@scene
def ClearanceCylindrical():
    s, o, arm = space()
    s.add(fm.ClearanceCylindrical("it", arm["O"], o, 1e-4, 0.02, 0.05, LAW, axis_a=(1.0, 0.0, 0.0), axis_b=(1.0, 0.0, 0.0)))
    return s
