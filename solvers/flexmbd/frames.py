"""Axes fixed in bodies: numbers at the start, and polynomials in motion."""

import numpy as np

from flexmbd.space import AXES


def at_start(a, b, axis):
    """Components in b's frame, at the start, of a direction given in a's frame."""
    world = in_inertial(a, axis)
    rows = _rotation(b)
    return tuple(sum(rows[i][k] * world[i] for i in range(3)) for k in range(3))


def _rotation(body):
    return getattr(body, "rotation", None) or [[1.0 * (i == k) for k in range(3)] for i in range(3)]


def in_inertial(body, axis):
    """Components in the inertial frame, at the start, of a direction given in a body's frame."""
    rows = _rotation(body)
    return [sum(rows[i][k] * axis[k] for k in range(3)) for i in range(3)]


def node_axis(equations, element, body, key):
    """An axis of an element, fixed in a body, in the inertial frame, as polynomials."""
    components = [equations.number(element, f"{key}.{name}") for name in AXES[: equations.system.dimension]]
    return equations.direction(body, *components)


def aligned_with(a, b, direction, axis):
    """Direction in b's frame that lies along one of a's frame at the start, at right angles to an axis of b's frame."""
    other = at_start(a, b, direction)
    along = sum(x * u for x, u in zip(other, axis, strict=True))
    across = [x - along * u for x, u in zip(other, axis, strict=True)]
    size = np.sqrt(sum(x * x for x in across))
    return [x / size for x in across]
