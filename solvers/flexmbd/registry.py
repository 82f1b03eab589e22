"""What elements register beside forces and rows: further first-order states, and contacts whose onset and end are located."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

CONTACT_ROWS = 6  # of a located contact: mode, impact velocity, penetration, its rate, impacts, least impact velocity
MODE, ONSET_SPEED, DEPTH, DEPTH_RATE, IMPACTS, LEAST_SPEED = range(CONTACT_ROWS)
ARMED = 0.25  # mode of a contact that is free and may begin within a step (0: free, 1: in contact)


class EnergyAccounts:
    """Owner of the states that belong to the energy of the whole system."""

    name = "energy"


class InContact:
    """What contacts of all kinds have: `mode`."""

    def closed(self, graph):
        """Node that is 1 in contact, else 0."""
        return graph.select(graph.greater(self.mode, 0.5), 1.0, 0.0)

    def outputs(self, graph):
        """Outputs beside those of all contacts, by key: node and unit."""
        return {}


class Coupled:
    """A force whose magnitude depends on the reactions of joints: an element makes one and hands it to `equations.couple`.

    A subclass has `element`, and says in words what it is.

    Attributes
    ----------
    kind, what, where : str
        Of the element; what depends on reactions; where that is.
    columns : dict int -> Node
        Generalized forces of a unit of it, by coordinate.
    rests : bool
        It vanishes where nothing moves, so that equilibria need not know it.
    """

    kind, what, where = "element", "forces that depend on reactions", "forces that depend on reactions"
    rests = False

    def load(self, graph, multipliers):
        """Node of the load, and its derivatives by the number of the multiplier."""
        raise NotImplementedError

    def force(self, graph, load):
        """Node of the magnitude, and its derivative by the load."""
        raise NotImplementedError

    def book(self, equations, force):
        """Say what power the force, a node, takes or gives, and keep what outputs need."""
        raise NotImplementedError


@dataclass(frozen=True)
class ContactState(InContact):
    """State of one contact within a step; nodes, but for `index`."""

    index: int
    mode: Any
    impact_velocity: Any
    impacts: Any
    active: Any
    slowest: Any


@dataclass(frozen=True)
class Percussion(InContact):
    """What a scheme finds of a contact that cannot be penetrated: nodes of further states.

    Attributes
    ----------
    mode : Node
        `OPEN`, `SLIDES` or `STICKS`.
    force : Node
        Normal force; of schemes that find percussions, that of a step by its length, N.
    impulse : Node
        Sum of normal percussions so far, N s.
    impacts, impact_velocity : Node
        Impacts so far, and the approach speed of the last one, m/s.
    loss : Node
        Energy that the contact has taken up so far, J.
    others : tuple of Node
        Forces and moments along the rates that slide, roll and pivot, N, N m.
    """

    STATES: ClassVar[tuple] = ("mode", "force", "impulse", "impacts", "impact_velocity", "loss")

    mode: Any
    force: Any
    impulse: Any
    impacts: Any
    impact_velocity: Any
    loss: Any
    others: tuple

    @property
    def forces(self):
        """The normal force and the others: in an impact those of a step are percussions by its length."""
        return self.force, *self.others

    def outputs(self, graph):
        """What only such contacts have."""
        sticks = graph.select(graph.greater(self.mode, 1.5), 1.0, 0.0)
        return {
            "sticking": (lambda: sticks, "1"),
            "sliding": (lambda: graph.select(graph.greater(self.mode, 1.5), 0.0, self.closed(graph)), "1"),
            "impulse": (lambda: self.impulse, "N s"),
            "dissipated": (lambda: self.loss, "J"),
        }


@dataclass
class ExtraState:
    """A further first-order state.

    Attributes
    ----------
    name : str
        ``<owner>.<key>``
    controlled : bool
        Takes part in the step's error.
    contact : ContactState or None
        It begins at zero when this contact does.
    rate : Node
        Its time derivative.
    """

    name: str
    controlled: bool
    contact: ContactState | None
    rate: Any


@dataclass(frozen=True)
class Event:
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
    period : Node or None
        Of a clock: its onsets are at whole multiples of this time, which are known.
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
    period: Any = None


OPEN, SLIDES, STICKS, LOCKED = 0.0, 1.0, 2.0, 3.0  # mode of a contact that cannot be penetrated
NEWTON, POISSON, LOCKS, HOLDS = range(4)
NUMBERS = 6  # of such a contact: `UnilateralContact.numbers`
FEW = 4  # contacts up to which a scheme with events has what all of them do at hand, closed or not


@dataclass(frozen=True)
class UnilateralContact:
    """A contact of bodies that cannot penetrate each other; nodes, but for `name`, `groups`, `rule` and `element`.

    Attributes
    ----------
    name : str
        Of its element.
    gap : Node
        Distance, m; zero in contact.
    rates : tuple of Node
        Time derivative of the gap, m/s; sliding velocities, m/s; relative angular velocities of rolling, then of pivoting, rad/s.
    normal : dict int -> Node
        Derivatives of the first rate by velocity.
    others : tuple of dict int -> Node
        The same of the other rates.
    groups : tuple of int
        How many rates slide (one in the plane, two in space, none without friction), roll, and pivot.
    numbers : tuple of Node
        Restitution, tangential restitution, coefficients of friction (kinetic, static), of rolling and of pivoting (m).
    rule : int
        `NEWTON` or `POISSON` (restitution of velocities, or of percussions); `LOCKS`: once closed it holds both ways, until it is pulled
        with more than its static friction's number; `HOLDS`: it holds both ways at all times, and friction is at most mu times the size
        of its normal percussion.
    found : Percussion
        What the scheme finds.
    element : Element
    bulges : bool
        Whether the gap may be closed on a straight way that is open at both its ends, as that of two discs.
    """

    name: str
    gap: Any
    rates: tuple
    normal: dict
    others: tuple
    groups: tuple
    numbers: tuple
    rule: int
    found: Percussion
    element: Any
    bulges: bool = True

    @property
    def first(self):
        """Number of the first of its further states."""
        return self.found.mode.value.number

    @property
    def own_states(self):
        """Numbers of its further states."""
        return range(self.first, self.first + OTHERS + len(self.others))

    @property
    def forces(self):
        """Numbers of those that are forces."""
        return self.first + FORCE, *range(self.first + OTHERS, self.first + OTHERS + len(self.others))

    @property
    def directions(self):
        """Derivatives of all rates."""
        return self.normal, *self.others


# states of a contact that cannot be penetrated, by `Percussion.STATES`: behind its mode; where those of other forces begin
FORCE, IMPULSE, STRUCK, STRUCK_SPEED, LOSS, OTHERS = range(1, len(Percussion.STATES) + 1)
