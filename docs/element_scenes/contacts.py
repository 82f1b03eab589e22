"""Scenes of contacts and clearance joints."""

import flexmbd as fm
from element_scenes.common import LAW, ROUND, STEEL, plane, scene, space

SOFT = fm.KelvinVoigt(1e5, 50.0)

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
def GranularContact():
    s = fm.System(gravity=(0.0, -9.81))
    places = [(0.2 + 0.21 * (k % 3) + 0.03 * (k // 3), 0.11 + 0.19 * (k // 3)) for k in range(6)]
    grains = s.grains("grains", positions=places, radius=0.1, mass=0.5)
    walls = [((0.0, 0.0), (0.0, 1.0)), ((0.05, 0.0), (1.0, 0.0))]
    s.add(fm.GranularContact("it", grains, SOFT, fm.Ambrosio(0.3, 1e-3, 1e-2), walls))
    return s


def _moving(d, along, **more):
    """Grains above a body, and the body."""
    s, up = fm.System(gravity=(*(0.0,) * (d - 1), -9.81)), (0.0,) * (d - 2)
    grains = s.grains("grains", positions=[(0.12 * k - 0.12, *up, along + 0.08 * (k == 1)) for k in range(3)], radius=0.06, mass=0.5)
    return s, grains, s.body("body", mass=1.0, inertia=0.01 if d == 2 else (0.01,) * 3, **more)


@scene
def GrainsPlane():
    s, grains, body = _moving(2, 0.1)
    s.add(fm.GrainsPlane("it", grains, body.centre, SOFT, fm.Ambrosio(0.3, 1e-3, 1e-2)))
    return s


@scene
def GrainsRound():
    s, grains, body = _moving(2, 0.3)
    s.add(fm.GrainsRound("it", grains, body.centre, 0.2, SOFT))
    return s


@scene
def GrainsCylinder():
    s, grains, body = _moving(3, -0.2)
    s.add(fm.GrainsCylinder("it", grains, body.centre, 0.35, SOFT, axis=(0.0, 1.0, 0.0), inside=True))
    return s


@scene
def GrainsBox():
    s, grains, body = _moving(2, 0.2, angle=0.2)
    s.add(fm.GrainsBox("it", grains, body.centre, (0.3, 0.1), SOFT))
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
