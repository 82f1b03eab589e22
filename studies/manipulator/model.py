"""Spatial manipulator with play in six journal bearings and flexible links.

After Liu, Tian and Hu, "Dynamics and control of a spatial rigid-flexible multibody system with multiple cylindrical clearance joints",
Mech. Mach. Theory 52 (2012); the data are our own.
"""

import math
from dataclasses import dataclass

import flexmbd as fm
from flexmbd.forces import Force
from flexmbd.language.quadratic import dot
from flexmbd.space import axis_parameters

STEEL = fm.Material(E=207e9, nu=0.3, density=7850.0, name="steel")
BEARING_RADIUS, BEARING_LENGTH = 20e-3, 60e-3  # of every joint, m
HUB = {"mass": 0.8, "inertia": (1e-3, 1e-3, 1e-3)}  # kg, kg m²; a hub carries a journal, or a bearing, or both
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# By joint: axis; amplitude (rad) and period (s) of its angle, amplitude (1 - cos(2 pi t/period))/2; the link after it: from end to end
# (m), and whether it is flexible
ARM = (
    (Z, 0.8, 10.0, (0.0, 0.0, 0.2), False),
    (Y, 0.5, 8.0, (0.6, 0.0, 0.0), True),
    (Y, -0.7, 7.0, (0.5, 0.0, 0.0), True),
    (X, 0.9, 9.0, (0.1, 0.0, 0.0), False),
    (Y, 0.6, 5.0, (0.25, 0.0, 0.0), True),
    (X, 1.0, 6.0, (0.1, 0.0, 0.0), False),
)


@dataclass(frozen=True, eq=False)
class Torsion(Force):
    """Torsion of a link that is a cable, as a spring between the bodies at its ends: ``U = k s²/2, s = (n2.m1 - n1.m2)/2``.

    n1, n2 are directions across the link fixed in a's body, m1, m2 those of b's that coincide with them at the start; s is the sine of the
    twist when the link does not bend.
    """

    dimensions = (3,)

    name: str
    a: object
    b: object
    n1: tuple
    n2: tuple
    stiffness: object
    damping: object

    def parameters(self):
        """Directions, stiffness (N m) and damping (N m s)."""
        own = {"stiffness": self.stiffness, "damping": self.damping}
        return axis_parameters("n1", self.n1) | axis_parameters("n2", self.n2) | own

    def apply(self, equations):
        """Moments on both bodies, by virtual work."""
        n1, n2, m1, m2 = (self._direction(equations, end, key) for end in (self.a, self.b) for key in ("n1", "n2"))
        twist = 0.5 * (dot(n2, m1) - dot(n1, m2))
        rate = equations.time_derivative(twist)
        k, c = equations.number(self, "stiffness"), equations.number(self, "damping")
        equations.force_on(twist, -(k * twist + c * rate))
        equations.potential(0.5 * k * twist * twist)
        equations.power("dissipated", c * rate * rate)
        equations.keep_nodes(self, twist=twist)

    def _direction(self, equations, end, key):
        return equations.values(equations.direction(end.body, *(equations.number(self, f"{key}.{axis}") for axis in "xyz")))

    def outputs(self, equations):
        """The sine of the twist."""
        return {f"{self.name}.twist": (lambda: equations.nodes_of(self)["twist"], "1")}


def manipulator(clearance=0.1e-3, restitution=0.3, stiffness=5e7, joints=6, first=0, elements=8, damping=1e-4, friction=None):
    """Serial arm, stretched out along x at the start, whose joints have play and follow prescribed angles.

    Every joint is a journal in a bearing (radial play and tilt), a drive of the angle about its axis, and a thrust bearing without play.

    Parameters
    ----------
    clearance : float or ndarray
        Radial, of all joints, m.
    restitution : float or ndarray
        Of impacts in the bearings.
    stiffness : float or ndarray
        Of each end of a bearing, a bronze bush, N/m.
    joints, first : int
        How many joints, and with which of `ARM` the arm begins.
    elements : int
        Of each flexible link.
    damping : float or ndarray
        Kelvin-Voigt, of the links, s.
    friction : optional
        Law of friction in the bearings.
    """
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    law = fm.HuntCrossley(stiffness, restitution=restitution, exponent=1.0)
    play = {"clearance": clearance, "bearing_radius": BEARING_RADIUS, "length": BEARING_LENGTH, "law": law, "friction": friction}
    tube = fm.Section.circle(15e-3, inner=12e-3)
    before, place = s.ground.at(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k, (axis, amplitude, period, reach, flexible) in enumerate(ARM[first : first + joints], start=1):
        hub = s.body(f"hub{k}", position=place, **HUB)
        angle = fm.Harmonic(0.5 * amplitude, 2.0 * math.pi / period, -0.5 * math.pi, 0.5 * amplitude)
        s.add(fm.ClearanceCylindrical(f"J{k}", hub.centre, before, axis_a=axis, axis_b=axis, minimum_impact_velocity=1e-2, **play))
        s.add(fm.AngleDrive(f"drive{k}", before, hub.centre, angle, axis=axis))
        s.add(fm.SlideDrive(f"thrust{k}", before, hub.centre, 0.0, axis=axis))
        place = tuple(p + r for p, r in zip(place, reach, strict=True))
        if flexible:
            length = math.hypot(*reach)
            end = s.body(f"end{k}", position=place, **HUB)
            start = tuple(p - r for p, r in zip(place, reach, strict=True))
            form = {"section": tube, "material": STEEL, "position": start, "direction": reach, "damping": damping}
            link = s.cable(f"link{k}", length=length, elements=elements, **form)
            s.add(fm.Clamp(f"root{k}", hub.centre, link.start))
            s.add(fm.Clamp(f"tip{k}", end.centre, link.end))
            twisting = STEEL.E / (2.0 * (1.0 + STEEL.nu)) * tube.torsion / length
            s.add(Torsion(f"torsion{k}", hub.centre, end.centre, Y, Z, twisting, damping * twisting))
            before = end.centre
        else:
            before = hub.at(*reach, key="far")
    tool = before.body.name if before.key == "#c" else f"{before.body.name}.{before.key}"
    for axis in "xyz":
        s.alias(f"tool.{axis}", f"{tool}.{axis}")
    return s
