"""Slider in a guide without play: dry friction by the forces that hold it, whichever wall they press against."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.contact.impenetrable import ImpenetrablePart
from flexmbd.contact.parts import check_parts, refuse
from flexmbd.contact.slider import SliderContact
from flexmbd.registry import HOLDS


@dataclass(frozen=True, eq=False)
class FrictionGuide(SliderContact):
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

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> slider = s.body("slider", mass=1.0, inertia=0.1, velocity=(1.0, 0.0))
    >>> guide = s.add(fm.FrictionGuide("guide", slider.centre, s.ground.at(0.0, 0.0), length=0.1, law=fm.Impenetrable(friction=0.2)))
    >>> found = fm.run(s, end=0.6, points=2, outputs=["slider.x"], settings={"integrator": "moreau", "step": 1e-3})
    >>> round(float(found["slider.x"][-1]), 3), round(1.0 / (2 * 0.2 * 9.81), 3)  # m; v**2 / (2 mu g)
    (0.255, 0.255)
    """

    kinds: ClassVar[tuple] = (ImpenetrablePart,)
    bulges: ClassVar[bool] = False
    rule: ClassVar[int] = HOLDS
    signs: ClassVar[tuple] = (-1.0, 0.0), (1.0, 0.0)
    summed: ClassVar[tuple] = ("dissipated",)

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
        self.check_axes()
        check_parts(self)
        if not self.impenetrable or self.law.friction is None:
            refuse(self, f"law is {self.law!r}; it must be Impenetrable(friction=mu)", "without friction take Translational")
        if np.any(np.asarray(self.law.restitution) != 0.0) or self.law.rule != "newton":
            refuse(self, "restitution is given, and what is held both ways has none", "leave it out")
        self.place_corners(0.0)
