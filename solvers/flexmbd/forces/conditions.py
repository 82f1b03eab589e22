"""Conditions: what is measured passes a value, which ends a run, or switches something on and off."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.element import Element
from flexmbd.errors import ModelError, check_number
from flexmbd.forces.coordinates import COORDINATES, Coordinate
from flexmbd.motion import Motion, as_motion


@dataclass(frozen=True, eq=False)
class Condition(Element):
    """What is measured passes a value.

    Parameters
    ----------
    name : str
    of : AngleOf or PlaceOf, or another Coordinate
    value : float or ndarray
        rad or m.
    rising : bool
        Whether it counts where the value is passed from below; else from above.
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    of: object
    value: object
    rising: bool = True

    def __post_init__(self):
        if not isinstance(self.of, Coordinate):
            raise ModelError(f"{self.owner}: of is {self.of!r}; it must be {COORDINATES}", element=self.name)
        self._check("value")

    @property
    def owner(self):
        """What messages call it."""
        return f"condition '{self.name}'"

    def _check(self, key):
        object.__setattr__(self, key, check_number(self.owner, key, getattr(self, key)))

    @property
    def others(self):
        """Bodies between which it is measured."""
        return {f"of.{end}": body for end, body in self.of.ends.items()}

    @property
    def measured(self):
        """Bodies on which what is measured depends."""
        return self.of.bodies

    def parameters(self):
        """The value, and numbers of what is measured."""
        return {"value": self.value} | {f"of.{key}": x for key, x in self.of.parameters().items()}

    def topology_key(self):
        """What is measured, and in which direction it passes."""
        return (self.of.topology_key(), self.rising)

    def beyond(self, equations, key="value", *, rising=None):
        """Nodes of how far it is beyond a value, and of its rate."""
        place, rate = self.of.nodes(equations, self, "of.")
        beyond = place - equations.number(self, key)
        return (beyond, rate) if (self.rising if rising is None else rising) else (-beyond, -rate)


@dataclass(frozen=True, eq=False)
class StopWhen(Condition):
    """End a run where what is measured passes a value; all outputs then stay what they are.

    The time is located like the onset of a contact; `Trajectory.statistics["ended"]` has it, NaN of a run in which it does not come. A run
    that begins beyond the value goes on until it has come back and passes it again. Reductions over time are those up to the end.

    Parameters are those of `Condition`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> ball = s.body("ball", mass=1.0, inertia=0.01, position=(0.0, 1.0))
    >>> floor = s.add(fm.StopWhen("floor", fm.PlaceOf(s.ground.at(0.0, 0.0), ball.centre, axis=(0.0, 1.0)), 0.0, rising=False))
    >>> found = fm.run(s, end=1.0, points=3, outputs=["ball.y"])
    >>> round(float(found.statistics["ended"]), 6), round((2 / 9.81) ** 0.5, 6)  # s
    (0.451524, 0.451524)
    """

    def apply(self, equations):
        """The condition."""
        equations.stop(self, *self.beyond(equations))


@dataclass(frozen=True, eq=False)
class Latch(Condition):
    """A switch that goes on where what is measured passes a value, and, with `reset`, off where it passes that the other way.

    It is 0 (off) or 1 (on), output ``<name>.on``; the times are located like the onset of a contact. A run that begins beyond the value
    begins with it on. What it switches is a `Switched` motion.

    Parameters
    ----------
    reset : float or ndarray, optional
        Value at which it goes off, on the other side of `value` (a hysteresis); without one it stays on. Others are those of `Condition`.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1, rate=2.0)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> limit = s.add(fm.Latch("limit", fm.AngleOf(s.ground, crank), 1.0))
    >>> fm.run(s, end=1.0, points=3, outputs=["limit.on"])["limit.on"].tolist()
    [0.0, 1.0, 1.0]
    """

    reset: object = None

    def __post_init__(self):
        super().__post_init__()
        if self.reset is None:
            return
        self._check("reset")
        if not np.all(np.less(self.reset, self.value) if self.rising else np.greater(self.reset, self.value)):
            told = f"{self.owner}: reset is {self.reset!r}; it must be {'below' if self.rising else 'above'} value, {self.value!r}"
            raise ModelError(told, element=self.name)

    def parameters(self):
        """Both values, and numbers of what is measured."""
        return super().parameters() | ({} if self.reset is None else {"reset": self.reset})

    def topology_key(self):
        """What is measured, in which direction, and whether it goes off again."""
        return (*super().topology_key(), self.reset is None)

    def on(self, equations):
        """Node that is 1 where it is on, else 0."""
        return equations.graph.select(equations.graph.greater(self._state(equations), 0.5), 1.0, 0.0)

    def _state(self, equations):
        return equations.state(self, "on", controlled=True)

    def apply(self, equations):
        """The events."""
        on = self._state(equations)
        equations.event(self, *self.beyond(equations), {on: 1.0})
        if self.reset is not None:
            equations.event(self, *self.beyond(equations, "reset", rising=not self.rising), {on: 0.0})

    def outputs(self, equations):
        """Whether it is on."""
        return {f"{self.name}.on": (lambda: self.on(equations), "1")}


@dataclass(frozen=True, eq=False)
class Switched(Motion):
    """A motion that is one or another as a `Latch` is on or off; for loads and actuators.

    Parameters
    ----------
    latch : Latch
        Of the same system.
    on, off : Motion or float or ndarray

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1, rate=2.0)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> limit = s.add(fm.Latch("limit", fm.AngleOf(s.ground, crank), 1.0))
    >>> brake = s.add(fm.Torque("brake", s.ground, crank, fm.Switched(limit, on=-0.5)))
    >>> found = fm.run(s, end=1.0, points=3, outputs=["limit.on", "crank.rate"])
    >>> found["limit.on"].tolist()
    [0.0, 1.0, 1.0]
    """

    latch: Latch
    on: object
    off: object = 0.0

    def __post_init__(self):
        if not isinstance(self.latch, Latch):
            raise ModelError(f"switched motion: latch is {self.latch!r}; it must be a Latch")

    @property
    def parts(self):
        """Both motions."""
        return as_motion(self.on), as_motion(self.off)

    def parameters(self):
        """Numbers of both."""
        return {f"{key}.{k}": x for key, part in zip(("on", "off"), self.parts, strict=True) for k, x in part.parameters().items()}

    def topology_key(self):
        """The latch, and kinds of both."""
        return ("switched", self.latch.name, *(part.topology_key() for part in self.parts))

    def node(self, equations, number):
        """The motion that holds."""
        if not hasattr(equations, "system") or self.latch not in equations.system.elements:
            told = f"a motion switched by '{self.latch.name}'"
            where = "is not for functions of a quantity" if not hasattr(equations, "system") else "needs it in the system"
            raise ModelError(f"{told} {where}", remedy="take it over time" if not hasattr(equations, "system") else "add the latch")
        on, off = (part.node(equations, lambda key, k=k: number(f"{k}.{key}")) for k, part in zip(("on", "off"), self.parts, strict=True))
        return equations.graph.select(equations.graph.greater(self.latch.on(equations), 0.5), on, off)
