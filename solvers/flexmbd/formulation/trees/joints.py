"""How joints let a body move against the one that carries it: a row a kind of joint.

Every kind is a walk from a frame at point a, fixed in a's body, to one at point b, fixed in b's: first b slides along vectors of a's body,
then the frame turns about its own axes, one after another, or as a ball.  Against the joint the same is walked backwards.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flexmbd.bodies.base import Body
from flexmbd.bodies.point_mass import PointMass
from flexmbd.joints.ideal import Fixed, Revolute, RevoluteTranslational, Translational
from flexmbd.joints.spatial import Cylindrical, Planar, Spherical, Universal
from flexmbd.language.quadratic import cross3, dot
from flexmbd.space import AXES

X, Y, Z = range(3)
BALL = "ball"
ASIDE = (0.53, -0.67, 0.31)  # of a direction that no axis has, by which the zero of an angle is said


@dataclass(frozen=True)
class Freedom:
    """How b's body moves against a's.

    Attributes
    ----------
    slides : tuple of str
        Keys of the joint's vectors along which b slides, in a's body; of a free body the axes.
    turns : tuple of int or str
        Axes of the frame about which it turns then, one after another; or `BALL`: in any way, by a unit quaternion.
    frames : callable
        ``frames(numbers, sqrt) -> (on a, on b)``: axes of the joint's frame in both bodies, three vectors each; None for those of the
        body.  ``numbers(key)`` are components of a vector.
    turned : str or None
        Key of the angle by which b's frame is turned against a's where coordinates are zero (in the plane).
    """

    slides: tuple = ()
    turns: tuple = ()
    frames: Callable = None
    turned: str | None = None

    @property
    def measures(self):
        """What each coordinate measures."""
        turns = 4 if BALL in self.turns else len(self.turns)
        return ["length"] * len(self.slides) + ["angle"] * turns


def triad_of(axis, sqrt):
    """Two vectors across a unit vector, so that all three are a right-handed frame; the same for nodes and for arrays.

    Raises nothing: an axis along `ASIDE` has none, and no axis has this direction by chance.
    """
    first = cross3(ASIDE, axis)
    size = sqrt(dot(first, first))
    first = tuple(x / size for x in first)
    return first, cross3(axis, first)


def _turning(numbers, sqrt):
    other = numbers("axis_b")
    return (numbers("n1"), numbers("n2"), numbers("axis")), (*triad_of(other, sqrt), other)


def _cardan(numbers, sqrt):
    axis, other = numbers("axis"), numbers("axis_b")
    first, second = triad_of(other, sqrt)
    return (axis, *triad_of(axis, sqrt)), (second, other, first)


def _held(numbers, sqrt):
    return tuple(numbers(key) for key in "XYZ"), None


def _same(numbers, sqrt):
    return None, None


PLANE = {
    Revolute: Freedom(turns=(Z,), frames=_same),
    Translational: Freedom(("axis",), frames=_same, turned="angle"),
    RevoluteTranslational: Freedom(("axis",), (Z,), _same),
    Fixed: Freedom(frames=_same, turned="angle"),
}
SPACE = {
    Revolute: Freedom(turns=(Z,), frames=_turning),
    Translational: Freedom(("axis",), frames=_held),
    Cylindrical: Freedom(("axis",), (Z,), _turning),
    Universal: Freedom(turns=(X, Y), frames=_cardan),
    Spherical: Freedom(turns=(BALL,), frames=_same),
    Planar: Freedom(("n1", "n2"), (Z,), _turning),
    Fixed: Freedom(frames=_held),
}
FREE = {2: Freedom(tuple(AXES[:2]), (Z,), _same), 3: Freedom(tuple(AXES), (BALL,), _same)}
PINNED = Freedom(frames=_same)  # a point mass at a point
MASSES = {d: Freedom(tuple(AXES[:d]), frames=_same) for d in (2, 3)}


def freedom_of(owner):
    """The `Freedom` of a body that is free, or of a joint; None where a joint carries nothing, and its rows stay."""
    if isinstance(owner, Body):
        return (MASSES if isinstance(owner, PointMass) else FREE)[owner.dimension]
    kind = type(owner)
    if any(isinstance(end.body, PointMass) for end in (owner.a, owner.b)) and kind is not (Spherical if owner.spatial else Revolute):
        return None  # it has no attitude that the joint could hold
    return (SPACE if owner.spatial else PLANE).get(kind)
