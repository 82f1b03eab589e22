"""Cantilever on a hub that is spun up from rest: the classic test of flexible multibody codes.

Data: Wu and Haug, "Geometric non-linear substructuring for dynamics of flexible mechanical elements", Int. J. Numer. Methods Eng. 26
(1988); the law of the angle is that of Kane, Ryan and Banerjee, J. Guid. Control Dyn. 10 (1987).
"""

import math
from dataclasses import dataclass

import flexmbd as fm
from flexmbd.forces import Force
from flexmbd.language.quadratic import cross, dot
from flexmbd.motion import Motion

LENGTH = 10.0  # m
AREA, SECOND_MOMENT = 4e-4, 2e-7  # m², m⁴
DENSITY = 3000.0  # kg/m³: 1.2 kg/m
SPEED = 6.0  # reached at the end of the spin-up, rad/s


@dataclass(frozen=True)
class SpinUp(Motion):
    """Angle of a hub whose speed goes from 0 to `speed` (rad/s) in `duration` (s) as ``t/T - sin(2 pi t/T)/(2 pi)``, and stays."""

    speed: object
    duration: object

    def parameters(self):
        """Both numbers."""
        return {"speed": self.speed, "duration": self.duration}

    def topology_key(self):
        """Kind."""
        return ("spin_up",)

    def node(self, equations, number):
        """speed (t²/(2T) + T/(2 pi)² (cos(2 pi t/T) - 1)) up to T, speed (t - T/2) from then on."""
        t, T, turn = equations.time, number("duration"), 2.0 * math.pi
        _, cosine = equations.sincos(turn * t / T)
        rising = 0.5 * t * t / T + (cosine - 1.0) * T * (1.0 / turn**2)
        return number("speed") * equations.graph.select(equations.graph.greater(T, t), rising, t - 0.5 * T)


@dataclass(frozen=True, eq=False)
class SeenFrom(Force):
    """No force: outputs `axial` and `across`, the place of `b` as seen from `a` and its body's x axis, less `length` along it."""

    name: str
    a: object
    b: object
    length: object

    def parameters(self):
        """The length."""
        return {"length": self.length}

    def apply(self, equations):
        """Nothing acts."""

    def outputs(self, equations):
        """Along and across the axis of a's body."""
        axis, between = (equations.values(x) for x in (equations.direction(self.a.body, 1.0, 0.0), equations.between(self.a, self.b)))
        return {
            f"{self.name}.axial": (lambda: dot(axis, between) - equations.number(self, "length"), "m"),
            f"{self.name}.across": (lambda: cross(axis, between), "m"),
        }


def beam(modulus=7e10, duration=15.0, damping=0.05, elements=8):
    """Beam clamped to a hub at the origin, straight along x; the hub turns by `SpinUp`.

    Parameters
    ----------
    modulus : float or ndarray
        Young's modulus, Pa.
    duration : float or ndarray
        Of the spin-up, s.
    damping : float or ndarray
        Kelvin-Voigt, s.
    elements : int
        Cubic elements.
    """
    s = fm.System()
    hub = s.body("hub", mass=1.0, inertia=1.0)
    section, stuff = fm.Section(AREA, SECOND_MOMENT), fm.Material(E=modulus, nu=0.3, density=DENSITY)
    form = {"strain": "engineering", "curvature": "material", "damping": damping}
    rod = s.cable("beam", length=LENGTH, elements=elements, section=section, material=stuff, **form)
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, hub.centre))
    s.add(fm.AngleDrive("drive", pivot, hub.centre, SpinUp(SPEED, duration)))
    s.add(fm.Clamp("root", hub.centre, rod.start))
    s.add(SeenFrom("tip", hub.centre, rod.end, LENGTH))
    return s
