"""Slider in a guide without play: dry friction by the forces that hold it, whichever wall they press against."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.impenetrable import ImpenetrablePart, held, hold
from flexmbd.contact.pair import Contact
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.errors import ModelError, unit_vector
from flexmbd.language.quadratic import cross, dot
from flexmbd.registry import HOLDS
from flexmbd.space import axis_parameters

ENDS = (-0.5, 0.5)


@dataclass(frozen=True, eq=False)
class FrictionGuide(Contact):
    """Slider that its two ends hold in a straight guide without play, in place of `Translational`; friction with sticking at each end.

    At each end the normal force may have either sign, and friction is at most mu times its size: a horizontal linear complementarity
    problem (Flores, Leine, Glocker 2010; Glocker and Studer 2005), solved in the sweeps over contacts.  A slider that is pushed at an arm
    jams as it should: above a friction of length/(2 arm) no force moves it.  For the schemes with percussions and fixed steps.

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the slider on its body, a point of the guide's line on its body. Both are rigid bodies, or one is ground.
    length : float or ndarray
        Between the ends, m.
    law : Impenetrable
        Its friction; restitution must be zero.
    axis_a, axis_b : tuple
        Direction of the slider in a's frame and of the guide in b's.
    """

    kinds: ClassVar[tuple] = (ImpenetrablePart,)
    bulges: ClassVar[bool] = False

    name: str
    a: object
    b: object
    length: object
    law: object
    axis_a: tuple = (1.0, 0.0)
    axis_b: tuple = (1.0, 0.0)

    friction: ClassVar[None] = None

    def __post_init__(self):
        self.positive("length")
        for key in ("axis_a", "axis_b"):
            object.__setattr__(self, key, unit_vector(self.owner, key, getattr(self, key)))
        check_parts(self)
        if not self.impenetrable or self.law.friction is None:
            refuse(self, f"law is {self.law!r}; it must be Impenetrable(friction=mu)", "without friction take Translational")
        if np.any(np.asarray(self.law.restitution) != 0.0) or self.law.rule != "newton":
            refuse(self, "restitution is given, and what is held both ways has none", "leave it out")
        for key in "ab":
            body = getattr(getattr(self, key), "body", None)
            if body is not None and not hasattr(body, "offset"):
                message = f"{self.owner}: {key} is on '{body.name}', which has no frame; slider and guide are on rigid bodies or ground"
                raise ModelError(message, element=self.name)
        if getattr(getattr(self.a, "body", None), "dimension", None) == 2:
            body = self.a.body
            middle = [p + o for p, o in zip(self.a.at, body.offset, strict=True)]
            ways = [[p + end * self.length * u for p, u in zip(middle, self.axis_a, strict=True)] for end in ENDS]
            object.__setattr__(self, "places", [body.at(*place, key=f"#{self.name}.{k}") for k, place in enumerate(ways, 1)])

    def sizes(self):
        """Length and both axes."""
        return {"length": self.length, **axis_parameters("axis_a", self.axis_a), **axis_parameters("axis_b", self.axis_b)}

    def touch(self, build, nodes):
        """Both ends, each held to the guide's line."""
        zero = build.graph.const(0.0)
        x, y = (build.number(self, f"axis_b.{axis}") for axis in "xy")
        u, n = build.direction(self.b.body, x, y), build.direction(self.b.body, -y, x)
        for k, end in enumerate(self.places, 1):
            d = build.between(self.b, end)
            off, slide = dot(n, d), dot(u, d)
            (offset,), (rate, slip) = build.values((off,)), build.rates((off, slide))
            pair = hold(self, build, offset, rate, (slip,), key=f"{k}.", rule=HOLDS)
            nodes.touches.append(held(pair, offset, rate, slip, zero))
        (ux, uy), (nx, ny) = build.values(u), build.values(n)
        moment, centre = zero, build.values(build.place(self.a))
        for end, touch in zip(self.places, nodes.touches, strict=True):
            force = tuple(-(touch.normal * a + touch.friction * b) for a, b in ((nx, ux), (ny, uy)))
            nodes.forces.append(force)
            moment = moment + cross([p - c for p, c in zip(build.values(build.place(end)), centre, strict=True)], force)
        nodes.moment = moment

    def outputs(self, build):
        """Of each end and of both: force and moment on the slider about point a, and what friction took."""
        nodes = build.recall(self)["nodes"]

        def taken():
            return sum((touch.pair.loss for touch in nodes.touches), build.graph.const(0.0))

        return super().outputs(build) | {f"{self.name}.moment": (lambda: nodes.moment, "N m"), f"{self.name}.dissipated": (taken, "J")}
