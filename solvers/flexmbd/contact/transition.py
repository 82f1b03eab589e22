"""How an oil film gives way to dry contact and back: shares of both by the penetration."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.parts import Part, Requirement
from flexmbd.errors import check_number, check_range


@dataclass(frozen=True, eq=False)
class SmoothTransition:
    """Dry contact adds to the film from the first touch, and the film fades away: continuous in force and tangent.

    Parameters
    ----------
    fade : float or ndarray
        Penetration at which the film is gone, by the clearance.
    largest : float or ndarray
        Eccentricity ratio below one that the film's formula is given at most.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01)
    >>> over = fm.SmoothTransition(fade=0.05)
    >>> both = {"law": fm.HuntCrossley(1e9, restitution=0.8), "film": fm.ShortFilm(0.04, 0.02), "transition": over}
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, bearing_radius=0.01, **both))
    >>> sorted(name for name in fm.output_units(s) if name.endswith("force"))
    ['joint.film_force', 'joint.force']
    """

    name: ClassVar[str] = "smooth"

    fade: object = 0.05
    largest: object = 0.99

    def __post_init__(self):
        _check(self, "fade")

    def numbers(self):
        """fade, largest."""
        return {"fade": self.fade, "largest": self.largest}

    def film_share(self, graph, penetration, clearance, number):
        """Node of the part of the film's force that acts: 1 less the cubic step."""
        z = _ramp(graph, penetration / (number("fade") * clearance))
        return 1.0 - z * z * (3.0 - 2.0 * z)

    def dry_share(self, graph, penetration, number):
        """Node of the part of the contact law's force that acts."""
        return graph.const(1.0)


@dataclass(frozen=True, eq=False)
class FloresTransition:
    """Film up to the clearance, then a sum of both whose shares change linearly with the penetration (the hybrid model of Flores, Ambrósio,
    Claro, Lankarani and Koshy 2006, Mech. Mach. Theory 41, 247-261): continuous in force, with kinks.

    Parameters
    ----------
    film_tolerance, dry_tolerance : float or ndarray
        Penetrations in m at which the film is gone, and at which the contact law acts with its whole force.
    largest : float or ndarray
        Eccentricity ratio below one that the film's formula is given at most.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> shaft = s.body("shaft", mass=1.0, inertia=0.01)
    >>> over = fm.FloresTransition(film_tolerance=1e-6, dry_tolerance=1e-6)
    >>> both = {"law": fm.HuntCrossley(1e9, restitution=0.8), "film": fm.ShortFilm(0.04, 0.02), "transition": over}
    >>> joint = s.add(fm.ClearanceRevolute("joint", shaft.centre, s.ground.at(0.0, 0.0), 1e-4, bearing_radius=0.01, **both))
    >>> sorted(name for name in fm.output_units(s) if name.endswith("force"))
    ['joint.film_force', 'joint.force']
    """

    name: ClassVar[str] = "flores"

    film_tolerance: object
    dry_tolerance: object
    largest: object = 0.99

    def __post_init__(self):
        _check(self, "film_tolerance", "dry_tolerance")

    def numbers(self):
        """film_tolerance, dry_tolerance, largest."""
        return {"film_tolerance": self.film_tolerance, "dry_tolerance": self.dry_tolerance, "largest": self.largest}

    def film_share(self, graph, penetration, clearance, number):
        """Node of the part of the film's force that acts."""
        return 1.0 - _ramp(graph, penetration / number("film_tolerance"))

    def dry_share(self, graph, penetration, number):
        """Node of the part of the contact law's force that acts."""
        return _ramp(graph, penetration / number("dry_tolerance"))


TRANSITIONS = (SmoothTransition, FloresTransition)


class TransitionPart(Part):
    """How film and contact hand over to each other; smooth unless it is given."""

    key = "transition"
    wanted = "'smooth', a SmoothTransition or a FloresTransition"
    needs = (
        Requirement(("law", "asperities"), "transition needs a contact law or asperities", "give one or leave it out"),
        Requirement(("film",), "transition is for joints with a film"),
    )

    @classmethod
    def chosen(cls, joint):
        """With asperities the film's formula holds down to a thickness of their roughness."""
        given = joint.transition
        if isinstance(given, str) and given == "smooth":
            given = None
        elif given is not None or joint.film is None or not joint.has_contact:
            return given
        if joint.asperities is None:
            return SmoothTransition()
        ratio = np.asarray(joint.asperities.roughness) / np.asarray(joint.clearance)
        return SmoothTransition(largest=1.0 - np.minimum(0.01, 0.5 * ratio))

    @classmethod
    def accepts(cls, given):
        return isinstance(given, TRANSITIONS)

    def topology_key(self, joint):
        return (self.given.name,)

    def remaining(self, joint, equations, normal, penetration, rate):
        """The contact's share of the law's force, whose whole power is in the books already."""
        part = self.given.dry_share(equations.graph, penetration, lambda key: equations.number(joint, f"transition.{key}"))
        equations.power("contact", (part - 1.0) * normal * rate)
        return part * normal


def _check(transition, *keys):
    owner = f"transition '{transition.name}'"
    for key in (*keys, "largest"):
        object.__setattr__(transition, key, check_number(owner, key, getattr(transition, key), positive=True))
    check_range(owner, "largest", transition.largest, above=0.5, below=1.0)


def _ramp(graph, x):
    """x between 0 and 1."""
    return graph.select(graph.greater(x, 0.0), graph.select(graph.greater(x, 1.0), 1.0, x), 0.0)


def kept_inside(g, eps, largest):
    """Factor on the place that the film is given: 1 up to ``2 largest - 1``, from there on the ratio tends to `largest`, C1."""
    width = 1.0 - largest
    start = largest - width
    over = g.select(g.greater(eps, start), eps - start, 0.0)
    return g.select(g.greater(eps, start), (largest - width * width / (width + over)) / eps, 1.0)
