"""What a system asks of everything that is added to it: joints, drives, forces, contacts."""

from __future__ import annotations

from typing import ClassVar, TypeVar

# units of numbers that several classes have, by key; and of parts, such as laws, by the part's key and theirs
LENGTHS = dict.fromkeys("clearance bearing_radius radius radius_a radius_b cylinder_radius length width backlash".split(), "m")
OF_PARTS = {
    "law": {"restitution": "1", "tangential_restitution": "1", "friction": "1", "mu": "1"},
    "friction": {"mu": "1", "v0": "m/s", "v1": "m/s"},
    "film": {"viscosity": "Pa s", "length": "m"},
}

Added = TypeVar("Added", bound="Element")  # what `System.add` takes and returns


class Element:
    """Base of what is added to a system. It has a `name`, ends `a` and `b` (one or none of them in some), and says with the methods
    below what it adds; each adds nothing unless it is written.

    Attributes
    ----------
    dimensions : tuple of int
        2, 3: systems that it is for.
    ends : str
        "points" or "bodies": what `a` and `b` are.
    reacts : bool
        It has rows whose multipliers are reactions: outputs and energy books count them.
    couples : str
        What it is in words, if its force depends on reactions (`equations.couple`), which implicit schemes do not treat; else "".
    gives_mass : bool
        It gives its ends mass: they need none of their own.
    failure_indicator : str or None
        Output that says why a run with it failed.
    """

    dimensions: ClassVar[tuple] = (2,)
    ends: ClassVar[str] = "points"
    reacts: ClassVar[bool] = False
    couples: ClassVar[str] = ""
    gives_mass: ClassVar[bool] = False
    failure_indicator = None

    def parameters(self):
        """Its numbers by key."""
        return {}

    def unit(self, key):
        """SI unit of one of its numbers; None where it is not known."""
        part, _, own = key.partition(".")
        return OF_PARTS.get(part, {}).get(own) if own else LENGTHS.get(key)

    def topology_key(self):
        """What of it decides the topology besides its bodies: hashable."""
        return ()

    @property
    def others(self):
        """Further bodies that it is attached to, by the key that a message names."""
        return {}

    @property
    def measured(self):
        """Bodies, its own among them or not, between which it measures a coordinate."""
        return ()

    @property
    def natural(self):
        """Bodies that it needs in natural coordinates, also beside a tree."""
        return ()

    def own_coordinates(self):
        """Guesses at the start of what it needs as coordinates besides those of its ends, by kind (`system.OWN_COORDINATES`)."""
        return {}

    def rows(self, equations):
        """Constraint rows."""
        return []

    def initial_rows(self, equations):
        """Rows that hold at the start only."""
        return []

    def apply(self, equations):
        """Forces, torques, energies, states."""

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        return {}
