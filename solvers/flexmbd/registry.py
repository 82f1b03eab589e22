"""What elements register beside forces and rows: further first-order states, and contacts whose onset and end are located."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CONTACT_ROWS = 6  # of the lane array C, per contact: mode, impact velocity, penetration, rate, count, least impact velocity
ARMED = 0.25  # mode of a contact that is free and may begin within a step (0: free, 1: in contact)


@dataclass(frozen=True)
class Pair:
    """State of one contact within a step; nodes, but for `index`."""

    index: int
    mode: Any
    impact_velocity: Any
    count: Any
    active: Any
    slowest: Any

    def closed(self, graph):
        """Node that is 1 in contact, else 0."""
        return graph.select(graph.greater(self.mode, 0.5), 1.0, 0.0)


@dataclass
class ExtraState:
    """A further first-order state.

    Attributes
    ----------
    name : str
        ``<owner>.<key>``
    controlled : bool
        Takes part in the step's error.
    contact : Pair or None
        It begins at zero when this contact does.
    rate : Node
        Its time derivative.
    """

    name: str
    controlled: bool
    contact: Pair | None
    rate: Any


@dataclass(frozen=True)
class LocatedContact:
    """A contact whose onset and end are located; or a condition, whose onset ends the run or gives states new values.

    Attributes
    ----------
    name : str
        Of its element.
    penetration, rate : Node
        Positive in contact, or where the condition holds, and its time derivative.
    minimum : Node
        Least impact velocity.
    element : Element
    jumps : bool
        Its force jumps at the onset.
    continuous : bool
        Its force is continuous there, and so are its states: its events need not end a step.
    stops : bool
        Its onset ends the run.
    assigns : tuple of (int, Node)
        What further states, by number, become at its onset.
    """

    name: str
    penetration: Any
    rate: Any
    minimum: Any
    element: Any
    jumps: bool = False
    continuous: bool = False
    stops: bool = False
    assigns: tuple = ()


@dataclass(frozen=True)
class UnilateralContact:
    """A contact of bodies that cannot penetrate each other; nodes, but for `name` and `element`.

    Attributes
    ----------
    name : str
        Of its element.
    gap : Node
        Distance, m; zero in contact.
    normal : dict int -> Node
        Derivatives of the gap by coordinate.
    tangents : tuple of dict int -> Node
        The same of places along the surface: one in the plane, two in space, none without friction.
    friction, restitution : Node
        Coefficients.
    element : Element
    """

    name: str
    gap: Any
    normal: dict
    tangents: tuple
    friction: Any
    restitution: Any
    element: Any
