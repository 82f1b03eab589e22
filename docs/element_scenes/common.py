"""What scenes of elements have in common."""

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
