"""How a joint lets b's body move against a's: what trees ask of it in place of its rows.

It is a walk from a frame at point a, fixed in a's body, to one at point b, fixed in b's: first b slides along vectors of a's body, then the
frame turns about its own axes, one after another, or as a ball.  A joint says it in its class, by the dimension of systems:
``freedom = {3: Freedom(turns=(BALL,))}``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flexmbd.language.quadratic import cross3, dot

X, Y, Z = range(3)
BALL = "ball"
ASIDE = (0.53, -0.67, 0.31)  # of a direction that no axis has, by which the zero of an angle is said


def of_bodies(numbers, sqrt):
    """Those of both bodies."""
    return None, None


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
    frames: Callable = of_bodies
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


def about_axis(numbers, sqrt):
    """Of a joint with an axis on each body, which is z of both."""
    other = numbers("axis_b")
    return (numbers("n1"), numbers("n2"), numbers("axis")), (*triad_of(other, sqrt), other)


def crossed(numbers, sqrt):
    """Of two axes at right angles: x is that on a, y that on b."""
    axis, other = numbers("axis"), numbers("axis_b")
    first, second = triad_of(other, sqrt)
    return (axis, *triad_of(axis, sqrt)), (second, other, first)


def as_at_start(numbers, sqrt):
    """That of b's body, on a's as it is at the start."""
    return tuple(numbers(key) for key in "XYZ"), None
