"""Conditions that end a run before its time."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.element import Element
from flexmbd.errors import ModelError, check_number
from flexmbd.forces.coordinates import COORDINATES


@dataclass(frozen=True, eq=False)
class StopWhen(Element):
    """End a run where what is measured passes a value; all outputs then stay what they are.

    The time is located like the onset of a contact; `Trajectory.statistics["ended"]` has it, NaN of a run in which it does not come. A run
    that begins beyond the value goes on until it has come back and passes it again. Reductions over time are those up to the end.

    Parameters
    ----------
    name : str
    of : AngleOf or PlaceOf
    value : float or ndarray
        rad or m.
    rising : bool
        Whether it is passed from below; else from above.
    """

    dimensions: ClassVar[tuple] = (2, 3)

    name: str
    of: object
    value: object
    rising: bool = True

    def __post_init__(self):
        owner = f"condition '{self.name}'"
        if not isinstance(self.of, COORDINATES):
            raise ModelError(f"{owner}: of is {self.of!r}; it must be an AngleOf or a PlaceOf", element=self.name)
        object.__setattr__(self, "value", check_number(owner, "value", self.value))

    @property
    def others(self):
        """Bodies between which it is measured."""
        return {f"of.{end}": body for end, body in zip("ab", self.of.bodies, strict=True)}

    def leaves(self):
        """The value, and numbers of what is measured."""
        return {"value": self.value} | {f"of.{key}": x for key, x in self.of.leaves().items()}

    def structure(self):
        """What is measured, and in which direction it passes."""
        return (self.of.structure(), self.rising)

    def apply(self, build):
        """The condition."""
        place, rate = self.of.nodes(build, self, "of.")
        beyond = place - build.number(self, "value")
        build.stop(self, *((beyond, rate) if self.rising else (-beyond, -rate)))
