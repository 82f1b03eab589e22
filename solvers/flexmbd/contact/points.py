"""Contacts of points and surfaces in space; those that ask nothing but a velocity of bodies also in the plane."""

from typing import ClassVar

from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.space import is_spatial


class PointContact(Contact):
    """Base of contacts in space."""

    dimensions: ClassVar[tuple] = (3,)

    def check_friction(self):
        """Check the parts; refuse laws with a state, which has one direction."""
        check_parts(self)
        if not self.impenetrable and self.frictional and self.friction.states:
            refuse(
                self,
                f"the friction law '{self.friction.name}' has a state along one direction, so it is for planar contacts only",
                "use one without a state: Ambrosio, CoulombExponential, Threlfall, Stribeck",
            )


class FreeContact(PointContact):
    """Base of contacts by a velocity alone (`flexmbd.contact.point.free_point`), in the plane and in space."""

    dimensions: ClassVar[tuple] = (2, 3)

    def check_friction(self):
        """Check the parts; refuse what a point cannot do, and in space laws with a state."""
        if is_spatial(self.a):
            super().check_friction()
        else:
            check_parts(self)
        for key in ("rolling", "pivoting"):
            if self.impenetrable and getattr(self.law, key) is not None:
                refuse(self, f"{key} needs two bodies that turn against each other, and what touches here is a point", f"leave {key} out")

    def outputs(self, equations):
        """Of each place; of more places than one also sums: normal force, contact, impacts, and what percussions were and took."""
        nodes, out = equations.nodes_of(self)["nodes"], super().outputs(equations)
        keys = "normal", "contact", "impacts", "impulse", "dissipated"
        return out | nodes.sums(self.name, equations.graph, *keys) if len(nodes.touches) > 1 else out
