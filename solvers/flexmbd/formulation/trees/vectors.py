"""Vectors of the inertial frame as lists of numbers, two or three; angular velocities have one in the plane, three in space."""

from flexmbd.contact.point import turning
from flexmbd.formulation.trees.spatial import add as plus
from flexmbd.formulation.trees.spatial import subtract as minus
from flexmbd.language.quadratic import cross, cross3


def times(factor, vector):
    """A number times a vector."""
    return [factor * x for x in vector]


def turned(spin, arm):
    """Velocity of the end of an arm."""
    return list(turning(spin if len(arm) == 3 else spin[0], arm))


def moment(arm, force):
    """Moment of a force at the end of an arm, as a list."""
    return [cross(arm, force)] if len(arm) == 2 else list(cross3(arm, force))


def carried(spin, other):
    """Rate of an angular velocity that turns with a frame: in the plane zero."""
    return [0.0] if len(spin) == 1 else list(cross3(spin, other))


def fixed(axes, components):
    """A vector by its components along axes."""
    return plus(*(times(x, axis) for x, axis in zip(components, axes, strict=True)))


__all__ = ["carried", "fixed", "minus", "moment", "plus", "times", "turned"]
