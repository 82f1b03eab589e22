"""What clearance joints share; the revolute one: a journal (on body a) in a bearing (on body b)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.film import JournalFilmPart
from flexmbd.contact.heat import HeatPart
from flexmbd.contact.impenetrable import ImpenetrablePart
from flexmbd.contact.lined import LinerPart
from flexmbd.contact.mixed import AsperityPart, JournalFrictionPart
from flexmbd.contact.pair import Contact, LawPart
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.contact.point import FlatArms
from flexmbd.contact.transition import TransitionPart
from flexmbd.contact.worn import WornPart, worn_point
from flexmbd.language.quadratic import Row
from flexmbd.space import AXES


class ClearanceJoint:
    """What clearance joints of all shapes share: checks, and how they start. It stands before a `Contact` in the list of bases."""

    bulges: ClassVar[bool] = False

    @property
    def owner(self):
        """What messages call it."""
        return f"clearance joint '{self.name}'"

    def check(self, *keys):
        """Check and keep the sizes `keys`; check the start and the parts."""
        self.positive(*keys)
        if "bearing_radius" in keys and np.any(self.bearing_radius <= self.clearance):
            refuse(self, "bearing_radius must be greater than the clearance")
        if self.start not in ("as_given", "centred"):
            refuse(self, f"start is '{self.start}'; it must be 'as_given' or 'centred'")
        check_parts(self)

    def topology_key(self):
        """Parts, and whether the joint starts as an ideal one."""
        return (*super().topology_key(), self.start)

    def initial_rows(self, equations):
        """Rows of the ideal joint, for the assembly of positions and velocities only."""
        return [] if self.start == "as_given" else self.ideal_rows(equations)


class Bearing(ClearanceJoint):
    """What joints share that may have a film: journal or ball in a bearing.

    With a film alone there is no contact, and a guess of positions beyond the clearance, where a film has no value, is refused.
    """

    law_optional: ClassVar[bool] = True
    asperities: ClassVar = None

    @property
    def has_contact(self):
        """True if something else than a film keeps both apart."""
        return self.law is not None or self.asperities is not None

    def check(self):
        """Check sizes, start and parts."""
        if self.film is None and not self.has_contact:
            refuse(self, "it has neither a contact law nor a film")
        super().check("clearance", *(() if self.bearing_radius is None else ("bearing_radius",)))

    def check_start(self):
        """Refuse a journal that only a film holds, and that the guess puts beyond the clearance; not on flexible bodies."""
        if self.has_contact or self.start != "as_given" or any(end.place_at_start() is None for end in (self.a, self.b)):
            return
        distances = [np.sqrt(sum(np.square(x) for x in offset)) for offset in self.offsets_at_start()]
        worst = max(float(np.max(distance / self.clearance)) for distance in distances)
        if worst >= 1.0:
            refuse(
                self,
                f"the guess of positions puts the journal {worst:.4g} times the clearance off the bearing's centre, and there is "
                "no contact law",
                "give law, start='centred', or other positions",
            )

    def offsets_at_start(self):
        """Vectors that must be shorter than the clearance, by the guess of positions."""
        return [[p - q for p, q in zip(self.a.place_at_start(), self.b.place_at_start(), strict=True)]]

    def sizes(self):
        """Clearance and bearing radius."""
        radius = {} if self.bearing_radius is None else {"bearing_radius": self.bearing_radius}
        return {"clearance": self.clearance, **radius}

    def outputs(self, equations):
        """Those of the contact and its parts, and the place of a from b in the inertial frame."""
        axes = AXES[: self.dimensions[0]]
        out = {f"{self.name}.e{axis}": (lambda k=k: equations.values(self.apart(equations))[k], "m") for k, axis in enumerate(axes)}
        return super().outputs(equations) | out


@dataclass(frozen=True, eq=False)
class ClearanceRevolute(Bearing, Contact):
    """Journal in a bearing, dry (Flores and Ambrósio 2004) or with an oil film (docs/theory/lubrication.md).

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the journal on its body, centre of the bearing on its body.
    clearance : float or ndarray
        Radial clearance in m.
    law : NormalLaw or None
        Normal force of the penetration. None with asperities: they are the contact. None with a film alone: there is no contact; a journal
        guessed beyond the clearance is refused, and one that is pressed to the bearing's surface ends its run (timeout or diverged), as its
        steps become ever smaller.
    friction : FrictionLaw, optional
        None is frictionless; with asperities one without a state, such as ``MixedFriction``: it acts on what law and asperities carry.
    bearing_radius : float or ndarray, optional
        In m; the arm of the friction force, needed with friction or a film. The journal's radius is this less the clearance.
    start : str
        ``"as_given"``, or ``"centred"``: positions and velocities are assembled as if the joint were ideal, whose rows may
        depend on others.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, in m/s; left out it is 1e-3, or less where the mechanism is small
        (docs/theory/contact_laws.md).
    film : Film, optional
        One of ``flexmbd.lubrication``; None is dry.
    transition : str or SmoothTransition or FloresTransition, optional
        How film and contact hand over to each other; None is ``"smooth"``; with asperities its `largest` is then so near to one that the
        film's formula holds down to a thickness of the roughness.
    asperities : GreenwoodTripp, optional
        Rough surfaces (docs/theory/mixed_lubrication.md), with a film or dry; their force adds to the film's and the law's.
    temperature : FilmTemperature, optional
        The film's, a state of the joint; None is a constant viscosity.
    worn : WornProfile, optional
        How much the clearance has grown over the bearing's circumference, angles from the x axis of its body (docs/theory/wear.md); dry
        joints only.
    liner : `ElasticLiner`, optional
        The bearing's elastic surface, with a film that is solved on a grid and nothing else (docs/theory/solved_films.md).

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, -3e-5), points={"O": (-0.5, 0.0)})
    >>> law = fm.HuntCrossley(1e9, restitution=0.8)
    >>> pin = s.add(fm.ClearanceRevolute("pin", rod["O"], s.ground.at(0.0, 0.0), 5e-5, law, bearing_radius=0.01))
    >>> e = fm.Equations(s)
    >>> round(1e6 * float(e.output("pin.eccentricity", e.initial()[0])), 6), e.n - e.count  # µm in 50; nothing is bound
    (30.0, 3)
    """

    kinds: ClassVar[tuple] = (
        AsperityPart, LawPart, ImpenetrablePart, JournalFrictionPart, WornPart, JournalFilmPart, TransitionPart, LinerPart, HeatPart,
    )  # fmt: skip

    name: str
    a: object
    b: object
    clearance: object
    law: object
    friction: object = None
    bearing_radius: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = None
    film: object = None
    transition: object = None
    asperities: object = None
    temperature: object = None
    worn: object = None
    liner: object = None

    def __post_init__(self):
        self.check()
        self.check_start()

    def ideal_rows(self, equations):
        """Both centres at one place."""
        return [Row(x, "length", f"{self.name}.{axis}") for axis, x in zip("xy", self.apart(equations), strict=True)]

    def contact_points(self, equations):
        """Eccentricity less clearance; both force arms end at one point of the bearing's surface, so momentum balances."""
        if self.worn is not None:
            return [worn_point(self, equations)]
        e = self.apart(equations)
        (x, y), (vx, vy) = equations.values(e), equations.rates(e)
        r = equations.graph.length((x, y))
        nx, ny = -x / r, -y / r
        slip, arm_a, arm_b = vy * nx - vx * ny, 0.0, 0.0
        if self.frictional:
            radius = equations.number(self, "bearing_radius")
            arm_a, arm_b = r - radius, -radius
            if self.impenetrable:  # at the journal's surface, however deep a step has led it
                arm_a = equations.number(self, "clearance") - radius
                arm_b = arm_a - r
            slip = slip + equations.spin(self.a.body) * arm_a - equations.spin(self.b.body) * arm_b
        return [FlatArms(r - equations.number(self, "clearance"), -(vx * nx + vy * ny), (nx, ny), slip, arm_a, arm_b)]

    @property
    def failure_indicator(self):
        """Output by which `failure_message` knows why a run failed; None where there is a contact."""
        return None if self.has_contact else f"{self.name}.eccentricity_ratio:max"

    def failure_message(self, ratio):
        """Sentence on a run that failed, by the largest eccentricity ratio; empty if that was not the reason."""
        if not ratio > 0.95:  # from there on the film's stiffness asks for ever smaller steps
            return ""
        return (
            f"{self.owner}: the journal was pressed to {ratio:.5g} of the clearance, where the film's force grows "
            "without bound, and there is neither a contact law nor asperities (give law or asperities)"
        )

    def outputs(self, equations):
        """Those of contact and parts, and the orbit of the journal's centre in the inertial frame."""
        g, name = equations.graph, self.name

        def radius():
            return g.sqrt(g.dot((x, x) for x in equations.values(self.apart(equations))))

        ratio = {f"{name}.eccentricity_ratio": (lambda: radius() / equations.number(self, "clearance"), "1")}
        return super().outputs(equations) | {f"{name}.eccentricity": (radius, "m")} | ratio
