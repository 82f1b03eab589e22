"""Actuators: a force or torque on command, within limits."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.forces.coordinates import COORDINATES, Coordinate
from flexmbd.forces.loads import Force
from flexmbd.lanes import maximum, minimum, tanh
from flexmbd.language.tracing import traced
from flexmbd.motion import as_motion


def hard(u, low, high):
    """u between its limits."""
    return minimum(maximum(u, low), high)


def smooth(u, low, high):
    """Between the limits, with slope 1 in their middle."""
    half = 0.5 * (high - low)
    middle = low + half
    return middle + half * tanh((u - middle) / half)


SATURATIONS = {"hard": hard, "smooth": smooth}


@dataclass(frozen=True, eq=False)
class Actuator(Force):
    """Force or torque along what slides or turns between two bodies, on command, within limits.

    Parameters
    ----------
    name : str
    along : AngleOf or PlaceOf, or another Coordinate
        Torque on b and its reaction on a, in N m; or force in N.
    command : Motion or float or ndarray or PID
        Over time, or of a controller (a `PID`, or an object with its method `command`).
    limit : float, ndarray or pair of them, optional
        Of the size, or the lower and the upper one.
    saturation : "hard" or "smooth"
        The command cut off at the limits, or bent towards them by a hyperbolic tangent.
    lag : float or ndarray, optional
        Time constant with which the force follows what passes the limits, s; it is zero at the start.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> arm = s.body("arm", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), arm.centre))
    >>> turn = fm.AngleOf(s.ground, arm)
    >>> servo = s.add(fm.Actuator("servo", turn, fm.PID(turn, 0.5, kp=20.0, kd=2.0), limit=1.5))
    >>> found = fm.run(s, end=2.0, points=3, outputs=["arm.angle", "servo.moment:max"])
    >>> round(float(found["servo.moment:max"]), 6)  # N m: it is limited
    1.5
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    along: object
    command: object
    limit: object = None
    saturation: str = "hard"
    lag: object = None

    def __post_init__(self):
        owner = f"actuator '{self.name}'"
        if not isinstance(self.along, Coordinate):
            raise ModelError(f"{owner}: along is {self.along!r}; it must be {COORDINATES}", element=self.name)
        if self.saturation not in SATURATIONS:
            wanted = " or ".join(map(repr, SATURATIONS))
            raise ModelError(f"{owner}: saturation is {self.saturation!r}; it must be {wanted}", element=self.name)
        if self.limit is not None:
            pair = self.limit if isinstance(self.limit, (tuple, list)) else (np.negative(self.limit), self.limit)
            low, high = (check_number(owner, "limit", x) for x in pair) if len(pair) == 2 else (1.0, 0.0)
            if not np.all(np.less(low, high)):
                wanted = "a number above zero, or a lower and an upper one"
                raise ModelError(f"{owner}: limit is {self.limit!r}; it must be {wanted}", element=self.name)
            object.__setattr__(self, "limit", (low, high))
        if self.lag is not None:
            object.__setattr__(self, "lag", check_number(owner, "lag", self.lag, positive=True))
        if not self._controlled:
            object.__setattr__(self, "command", as_motion(self.command))

    @property
    def _controlled(self):
        return callable(getattr(self.command, "command", None))

    @property
    def others(self):
        """Bodies that it acts on or measures between, by key."""
        both = {"along": self.along, "measured": getattr(self.command, "measured", None)}
        return {f"{key}.{end}": body for key, x in both.items() for end, body in getattr(x, "ends", {}).items()}

    @property
    def measured(self):
        """All bodies on which its coordinate and its command depend."""
        return (*self.along.bodies, *getattr(self.command, "bodies", ()))

    def parameters(self):
        """Numbers of the direction, command, limits and lag."""
        limits = {} if self.limit is None else dict(zip(("low", "high"), self.limit, strict=True))
        lag = {} if self.lag is None else {"lag": self.lag}
        parts = {"along": self.along, "command": self.command}
        return limits | lag | {f"{key}.{k}": x for key, part in parts.items() for k, x in part.parameters().items()}

    def topology_key(self):
        """Direction, kind of command, limits and lag."""
        return (self.along.topology_key(), self.command.topology_key(), self.limit is None, self.saturation, self.lag is None)

    def _limited(self, equations, command):
        if self.limit is None:
            return command
        return traced(
            equations.graph, SATURATIONS[self.saturation], (command, equations.number(self, "low"), equations.number(self, "high"))
        )

    def apply(self, equations):
        """Force or torque on both bodies; its power counts as external."""
        equations.keep_nodes(self)
        if self._controlled:
            command = self.command.command(equations, self, lambda u: self._limited(equations, u))
        else:
            command = self.command.node(equations, lambda key: equations.number(self, f"command.{key}"))
        effort = self._limited(equations, command)
        if self.lag is not None:
            state = equations.state(self, "effort", controlled=True)
            equations.state_rate(state, (effort - state) / equations.number(self, "lag"))
            effort = state
        _, rate = self.along.nodes(equations, self, "along.")
        self.along.act(equations, self, effort, "along.")
        equations.power("external", effort * rate)
        equations.keep_nodes(self, **equations.nodes_of(self), command=command, effort=effort)

    def outputs(self, equations):
        """Force or moment on b, what was commanded, and what the controller knows."""
        name, unit = self.name, self.along.unit
        own = {
            f"{name}.{self.along.kind}": (lambda: equations.nodes_of(self)["effort"], unit),
            f"{name}.command": (lambda: equations.nodes_of(self)["command"], unit),
        }
        further = getattr(self.command, "outputs", None)
        return own if further is None else own | further(equations, self)
