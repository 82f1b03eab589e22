"""Where the section of a map is: at equal times, where an output passes a level, or at the onsets of a contact."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbd.analysis.derivatives import held_back
from flexmbd.dynamics.names import CROSSED, NOWHERE
from flexmbd.errors import ModelError, check_number
from flexmbd.suggest import unknown

ONE = 'give every = (a time in s), and for another section crossing = "an output" or impact = "a contact"'
MOTION = {"q", "v", "t", "displacement", "twist"}  # spaces of variables that a state says
DIRECTIONS = {"up": 1.0, "down": -1.0, "both": 0.0}
LONGEST = 100  # periods
TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Where:
    """What is said of a section.

    Attributes
    ----------
    crossing : str or None
        Output that passes `level` in a `direction`.
    level : float or callable
        Of a callable, arguments are inputs.
    direction : str
    impact : str or None
        Contact.
    within : float or None
        Time in s after which the motion is lost.
    """

    crossing: str | None = None
    level: float | Callable = 0.0
    direction: str = "up"
    impact: str | None = None
    within: float | None = None

    def __post_init__(self):
        if self.crossing is not None and self.impact is not None:
            raise ModelError("section_map: crossing and impact are given", remedy=ONE)
        if self.crossing is None and (self.direction != "up" or self.level != 0.0):
            raise ModelError("section_map: level and direction are of a crossing, and none is given", remedy=ONE)
        if self.direction not in DIRECTIONS:
            raise ModelError(f"section_map: direction is {self.direction!r}", remedy="it must be 'up', 'down' or 'both'")
        if not callable(self.level):
            check_number("section_map", "level", self.level)
        if self.within is not None:
            check_number("section_map", "within", self.within, positive=True)
            if not self.returns:
                raise ModelError("section_map: within is of a crossing or an impact, and none is given", remedy=ONE)

    @property
    def returns(self):
        """Whether it is the motion that comes to the section, not the time."""
        return self.crossing is not None or self.impact is not None

    def check(self, e, every):
        """Raise `ModelError` for a section that `Equations` do not have, or for a time that is missing; which kind it is (`names`)."""
        if not self.returns:
            if every is None:
                raise ModelError("section_map: nothing is given", remedy=ONE)
            return NOWHERE
        moves = _driven(e.problem)
        if moves and every is None:
            told = "section_map: forces or drives depend on time"
            raise ModelError(told, remedy="say every = (the time in s after which they repeat); the phase is then a coordinate")
        if not moves and every is not None:
            raise ModelError("section_map: every is given, and nothing depends on time", remedy="say within = (the longest return in s)")
        if not moves and self.within is None:
            raise ModelError("section_map: within is missing", remedy="say within = (the time in s after which the motion is lost)")
        return CROSSED if self.crossing is not None else contact_of(self.impact, contacts_of(e.problem))

    def beyond(self, e):
        """Of a crossing the function that `Code` takes, which gives the output, else None."""
        if self.crossing is None:
            return None
        variables = e.problem.graph.variables(e.node(self.crossing))
        spaces = {x.space for x in variables if x.space != "s" or x.number not in e.turning_states}
        if spaces - MOTION:
            told = f"section_map: output '{self.crossing}' depends on more than coordinates, velocities and time"
            raise ModelError(told, remedy="take one that does not depend on accelerations or forces")
        if not spaces & {"q", "v"}:
            raise ModelError(f"section_map: output '{self.crossing}' does not depend on the motion", remedy="take another")
        return lambda b: b.outputs[self.crossing][0]()

    def until(self, periods):
        """Times (n,) after which motions are lost; `periods` (n,) are NaN where nothing depends on time."""
        return np.full(len(periods), self.within) if self.within is not None else LONGEST * periods


def contacts_of(b):
    """Names of a problem's contacts, those with laws first."""
    return tuple(c.name for c in (*b.contacts, *b.unilaterals))


def contact_of(name, contacts):
    """Place of a contact among those there are, by name; `ModelError` where there is none."""
    if name in contacts:
        return contacts.index(name)
    own = [one for one in contacts if one.startswith(f"{name}.")]
    if own:
        told = f"section_map: contact '{name}' has several places"
        raise ModelError(told, element=name, remedy=f"name one of them: {', '.join(own[:4])}")
    raise unknown("contact", name, contacts)


def _driven(b):
    """Whether anything in a problem depends on time."""
    rows = [x for row in b.rows for x in (row.polynomial.value(b.q), row.polynomial.rate(b.q, b.v, b.time))]
    of = [*b.generalized, *held_back(b, b.rows), *rows]
    of += [x for c in b.contacts for x in (c.penetration, c.rate)] + [x for c in b.unilaterals for x in (c.gap, *c.rates)]
    return any(x.space == "t" for node in of for x in b.graph.variables(node))
