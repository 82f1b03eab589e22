"""Systems that differ in one thing of their structure, for the tests of the topology key."""

from functools import partial

import numpy as np

import flexmbd as fm
from flexmbd.lanes import kernel
from flexmbd.lubrication.film_map import build_map

G = (0.0, -9.81)
EXPLICIT = {"integrator": "dormand_prince", "lanes": 1}
IMPLICIT = {"integrator": "generalized_alpha", "lanes": 1}


def rod(s, name="rod", points=("O", "E"), **more):
    places = {"O": (-0.5, 0.0), "E": (0.5, 0.0), "M": (0.1, 0.2)}
    numbers = {"mass": 2.0, "inertia": 0.3, "position": (0.5, 0.2), "angle": 0.3} | more
    return s.body(name, points={key: places[key] for key in points}, **numbers)


def with_rod(add=lambda s, body: None, gravity=G, **more):
    s = fm.System(gravity=gravity)
    body = rod(s, **more)
    add(s, body)
    return s


def bodies(*names):
    s = fm.System(gravity=G)
    for k, name in enumerate(names):
        s.body(name, mass=2.0, inertia=0.3, position=(2.0 * k, 0.5))
    return s


def added(make):
    """System of a rod and an element that `make(ground point, rod)` gives."""
    return lambda: with_rod(lambda s, body: s.add(make(s.ground.at(0.0, 0.0), body)))


def ordered(*names):
    """Rods on springs, added in an order."""

    def make():
        s = fm.System()
        first, second = rod(s), rod(s, "other", position=(2.0, 0.0))
        springs = {"one": (first["E"], 10.0), "two": (second["E"], 30.0)}
        for name in names:
            s.add(fm.Spring(name, s.ground.at(0.0, 0.0), springs[name][0], springs[name][1]))
        return s

    return make


def ground_points(*keys):
    """A spring from the ground's point P, of several points that are made in an order."""

    def make():
        s = fm.System()
        places = {"P": (0.3, 0.0), "Q": (0.7, 0.0)}
        for key in keys:
            s.ground.at(*places[key], key=key)
        s.add(fm.Spring("coil", s.ground["P"], rod(s)["E"], 10.0))
        return s

    return make


def ball(law=None, friction=None, **more):
    def make():
        s = fm.System(gravity=G)
        body = s.body("ball", mass=0.7, inertia=0.2, position=(0.3, 0.45))
        s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.5, law or fm.Hertz(1e6), friction, **more))
        return s

    return make


LAW = fm.HuntCrossley(5e9, restitution=0.6)
STEEL = fm.Material(207e9, 0.3, 7800.0)


def journal(law=LAW, friction=None, **more):
    def make():
        s = fm.System()
        shaft = s.body("shaft", mass=0.4, inertia=2e-3, position=(2e-5, 0.0), rate=50.0)
        s.add(fm.ClearanceRevolute("bearing", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, law, friction, bearing_radius=0.01, **more))
        return s

    return make


def lined(liner, harmonics=2, stiffness=1.3):
    def make():
        s = fm.System()
        shaft = s.body("shaft", mass=0.4, inertia=2e-3, position=(2e-5, 0.0), rate=50.0)
        shapes = liner.modes(0.01, 0.02, range(harmonics + 1), (lambda z: 1.0 + 0.0 * z,))
        bush = s.bush("liner", shapes, stiffness=stiffness, damping=2e-5)
        oil = fm.ReynoldsFilm(0.02, 0.02, cells=(16, 2), inlet="periodic")
        s.add(fm.ClearanceRevolute("bearing", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, None, bearing_radius=0.01, film=oil, liner=bush))
        return s

    return make


def cable(pulled=0.4, **more):
    def make():
        s = fm.System(gravity=G)
        options = {"length": 1.3, "elements": 2, "section": fm.Section(1e-4, 2e-9), "material": STEEL, "points": {"P": pulled}} | more
        line = s.cable("line", **options)
        s.add(fm.PointForce("pull", line["P"], fy=3.0))
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), line["start"]))
        return s

    return make


def beam(**more):
    def make():
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        s.beam("line", **({"length": 1.3, "elements": 1, "section": fm.Section.circle(0.01), "material": STEEL} | more))
        return s

    return make


def in_space(joint):
    """A body on the ground in space by `joint(point on the ground, body)`."""

    def make():
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        body = s.body("body", mass=0.4, inertia=(2e-3, 3e-3, 4e-3), position=(2e-5, 1e-5, 0.0), angular_velocity=(0.0, 0.0, 50.0))
        s.add(joint(s.ground.at(0.0, 0.0, 0.0), body))
        return s

    return make


def ball_in_socket(**more):
    return in_space(lambda o, b: fm.ClearanceSpherical("bearing", b.centre, o, 1e-4, 0.01, **({"law": LAW} | more)))


def tilting(**more):
    return in_space(lambda o, b: fm.ClearanceCylindrical("bearing", b.centre, o, 1e-4, 0.01, 0.02, **({"law": LAW} | more)))


def bushing(*stiffness):
    return in_space(lambda o, b: fm.Bushing("bush", o, b.centre, stiffness))


def drive(motion):
    return added(lambda origin, body: fm.AngleDrive("motor", origin, body["O"], motion))


def spring_law(curve):
    return added(lambda origin, body: fm.NonlinearSpring("coil", origin, body["E"], curve))


def motor(command=2.5, **more):
    return added(lambda origin, body: fm.Actuator("motor", fm.AngleOf(origin.body, body), command, **more))


def controlled(limit=None, **more):
    gains = {"kp": 2.0, "kd": 3.0} | more
    return added(lambda o, body: fm.Actuator("motor", (angle := fm.AngleOf(o.body, body)), fm.PID(angle, 0.3, **gains), limit))


def rubbing(law, **more):
    def make():
        s = fm.System(gravity=G)
        cart = s.body("cart", mass=2.0, inertia=0.1, position=(0.2, 0.0), velocity=(0.3, 0.0))
        rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), cart.centre))
        s.add(fm.JointFriction("rub", rail, law, **more))
        return s

    return make


def wheels(kind, teeth=(20, 40), internal=False, **more):
    def make():
        s = fm.System()
        a, b = (s.body(name, mass=1.3, inertia=0.2, position=(x, 0.0), angle=0.3) for name, x in (("a", 0.0), ("b", 0.6)))
        for body, x in ((a, 0.0), (b, 0.6)):
            s.add(fm.Revolute(f"{body.name}.pin", s.ground.at(x, 0.0), body.centre))
        s.add(kind("mesh", a.centre, b.centre, teeth, internal=internal, **more))
        return s

    return make


def pulled(function, numbers):
    return added(lambda origin, body: fm.UserForce("pull", origin, body["E"], function, numbers))


def stiff(t, d, v, k, c):
    return -k * d[0] - c * v[0], 0.0


def stiffer(t, d, v, k, c):
    return -2.0 * k * d[0] - c * v[0], 0.0


def driven(t, d, v, k):
    return k(t), 0.0


def one_name(source, **world):
    """A force function named `pull` of a source, among globals."""
    text = f"def pull(t, d, v, k, c):\n    return {source}, 0.0\n"
    space = {"__name__": "__main__", **world}
    exec(text, space)
    space["pull"].source = text
    return space["pull"]


def closed(scale):
    @kernel
    def scaled(x):
        return scale * x

    def pull(t, d, v, k, c):
        return -k * scaled(d[0]) - c * v[0], 0.0

    return pull


def film_map(power):
    """Map of a film that is none: force against the motion, growing with a power of the gap."""

    def film(eps, beta):
        size = (1.0 - eps * eps) ** (-0.5 * power)
        return -np.cos(beta) * size, -np.sin(beta) * size

    return build_map(film, settings={"film": "none", "length": 1.0}, tolerance=1e-2)


TABLE = ((0.0, 0.4, 1.1, 1.7), (0.5, 0.2, 0.9, 0.3))
SHORT, LONG = fm.ShortFilm(0.02, 0.02), fm.LongFilm(0.02, 0.02)
ROUGH = fm.GreenwoodTripp(density=2.5e10, tip_radius=2e-6, roughness=1e-6, modulus=1.15e11, length=0.02)
WORN = fm.WornProfile(2e-5, np.array([1e-6, 3e-6]), np.array([2e-6, 5e-7]))
MIXED = fm.MixedFriction(0.1, 0.12)
WARM = fm.FilmTemperature(fm.Vogel.iso_vg(46.0), 313.0, 303.0, 17.0, 0.4)
COULOMB, BRISTLES = fm.CoulombExponential(0.3, 0.02, 1.1), fm.LuGre(0.3, 0.2, 0.02, 1e4, 30.0)
OLD_NAME, NEW_NAME = (
    partial(with_rod, name=name, add=lambda s, b: s.add(fm.Spring("coil", s.ground.at(0.0, 0.0), b["E"], 9.0))) for name in ("rod", "bar")
)


def one(gravity, add, **numbers):
    """System of one body `a`."""
    s = fm.System(gravity)
    getattr(s, add)("a", mass=2.0, **numbers)
    return s


def pinned(s, body):
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body["O"]))


def revolute(*, ground=(0.0, 0.0), at="O"):
    return lambda: with_rod(lambda s, body: s.add(fm.Revolute("pin", s.ground.at(*ground), body[at])))


def settled(make, outputs=(), **settings):
    return lambda: (make(), EXPLICIT | settings, outputs)
