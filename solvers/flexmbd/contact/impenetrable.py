"""Bodies that cannot penetrate each other: contact by complementarity in place of a law (docs/theory/nonsmooth.md)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.parts import Part, Requirement, refuse
from flexmbd.errors import ModelError, check_number

RULES = ("newton", "poisson")  # in the order of the registry's numbers
KEYS = ("restitution", "tangential_restitution", "friction", "static_friction", "rolling", "pivoting")


@dataclass(frozen=True)
class Impenetrable:
    """What a contact has in place of a law: no penetration, impacts in no time, dry friction that can hold.

    Parameters
    ----------
    restitution : float or ndarray
        From 0 (bodies stay together) to 1: separation speed over approach speed (rule "newton"), or the percussion of restitution over
        that of compression (rule "poisson").
    friction : float or ndarray, optional
        Coulomb's coefficient; None is frictionless.
    static_friction : float or ndarray, optional
        Coefficient up to which a contact sticks, not below `friction`; left out it is the same. For the scheme ``event_driven``.
    tangential_restitution : float or ndarray
        From 0 to 1: sliding velocity after over before an impact, with the other sign, as far as friction can.
    rolling, pivoting : float or ndarray, optional
        Coefficients in m: largest moment against rolling, and against pivoting about the normal, over the normal force.
    rule : str
        ``"newton"`` or ``"poisson"``.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> ball = s.body("ball", mass=1.0, inertia=0.01, position=(0.0, 1.1))
    >>> floor = s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(restitution=0.5)))
    >>> found = fm.run(s, end=0.8, points=3, outputs=["floor.impacts", "ball.vy:max"], settings={"integrator": "event_driven"})
    >>> round(float(found["ball.vy:max"]), 6), round(0.5 * (2 * 9.81) ** 0.5, 6)  # m/s, after the first impact
    (2.214723, 2.214723)
    """

    name: ClassVar[str] = "impenetrable"

    restitution: object = 0.0
    friction: object = None
    static_friction: object = None
    tangential_restitution: object = 0.0
    rolling: object = None
    pivoting: object = None
    rule: str = "newton"

    def __post_init__(self):
        for key in KEYS:
            given = getattr(self, key)
            if given is None:
                continue
            object.__setattr__(self, key, check_number("Impenetrable", key, given))
            top = 1.0 if "restitution" in key else np.inf
            if np.any(getattr(self, key) < 0.0) or np.any(getattr(self, key) > top):
                bad = np.ravel(given)[np.argmax((np.ravel(given) < 0.0) | (np.ravel(given) > top))]
                raise ModelError(f"Impenetrable: {key} is {bad:g}; it must be {'from 0 to 1' if top == 1.0 else 'at least zero'}")
        if self.rule not in RULES:
            raise ModelError(f"Impenetrable: rule is {self.rule!r}; it must be 'newton' or 'poisson'")
        for key in ("static_friction", "rolling", "pivoting"):
            if getattr(self, key) is not None and self.friction is None:
                raise ModelError(f"Impenetrable: {key} is given without friction", remedy="give friction=..., or leave it out")
        if np.any(np.asarray(self.tangential_restitution) != 0.0) and self.friction is None:
            raise ModelError("Impenetrable: tangential_restitution is given without friction", remedy="give friction=..., or leave it out")
        if self.static_friction is not None and np.any(np.asarray(self.static_friction) < np.asarray(self.friction)):
            raise ModelError("Impenetrable: static_friction is below friction; it must be the same or more")

    def numbers(self):
        """Those that are given, by name."""
        return {key: getattr(self, key) for key in KEYS if getattr(self, key) is not None}


class ImpenetrablePart(Part):
    """In place of the law: no force is given; the scheme finds percussions (`Formulation.unilateral`)."""

    key = "law"
    wanted = "Impenetrable(restitution=e, friction=mu)"

    @classmethod
    def accepts(cls, given):
        """True for `Impenetrable`."""
        return isinstance(given, Impenetrable)

    excludes = (
        Requirement(("friction",), "a law Impenetrable has its own friction", "leave friction out: Impenetrable(restitution, friction=mu)"),
        Requirement(
            ("film", "asperities", "temperature", "worn", "liner", "transition", "minimum_impact_velocity"),
            "{key} needs a contact law that is a force, and law is Impenetrable",
            "leave it out, or give a law such as HuntCrossley(K, restitution=e)",
        ),
    )

    def check(self, joint):
        """Friction of a journal needs its radius; pivoting needs space."""
        if joint.law.friction is not None and getattr(joint, "bearing_radius", 0.0) is None:
            refuse(joint, "friction needs bearing_radius (m)")
        if joint.law.pivoting is not None and joint.dimensions != (3,):
            refuse(joint, "pivoting is about the normal, and in the plane nothing turns about it", "leave pivoting out")

    def topology_key(self, joint):
        """Which numbers are given, and the rule."""
        return (self.given.name, self.given.rule, *self.given.numbers())

    def apply(self, joint, equations, nodes):
        """All places of contact."""
        joint.touch(equations, nodes)


def add_unilateral(joint, equations, point, key="", rule=None):
    """Register one place of contact that cannot be penetrated, and whose forces the scheme finds.

    Parameters
    ----------
    point : FlatPoint or SpatialPoint
    key : str
        Of this place among several.
    rule : int, optional
        Of the registry; left out, the law's.

    Returns
    -------
    Percussion
    """
    law, groups, rates = joint.law, [0, 0, 0], [-point.rate]
    for k, (own, given) in enumerate(zip((law.friction, law.rolling, law.pivoting), point.slides(joint, equations), strict=True)):
        if own is not None:
            groups[k] = len(given)
            rates += given
    zero = equations.graph.const(0.0)
    known = {name: equations.number(joint, f"law.{name}") for name in law.numbers()}
    known.setdefault("static_friction", known.get("friction", zero))
    numbers = [known.get(name, zero) for name in KEYS]
    rule = RULES.index(law.rule) if rule is None else rule
    return equations.unilateral(
        joint, key, -point.penetration, rates, numbers=numbers, groups=tuple(groups), rule=rule, bulges=joint.bulges
    )


def within(graph, depth, radius):
    """How far inside the other surface a round body of this radius touches: at its own surface, so that its arm is its radius.

    A step leads bodies into each other; what is smaller than that depth, a corner, is not taken for deeper than it is large.
    """
    return graph.select(graph.greater(depth, radius), radius, depth)
