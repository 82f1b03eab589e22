"""Axes fixed in bodies: numbers at the start, and polynomials in motion."""

import numpy as np

from flexmbd.space import AXES


def at_start(a, b, axis):
    """Components in b's frame, at the start, of a direction given in a's frame."""
    world = _turned(a, axis)
    rows = _rotation(b)
    return tuple(sum(rows[i][k] * world[i] for i in range(3)) for k in range(3))


def _rotation(body):
    return getattr(body, "rotation", None) or [[1.0 * (i == k) for k in range(3)] for i in range(3)]


def _turned(body, axis):
    rows = _rotation(body)
    return [sum(rows[i][k] * axis[k] for k in range(3)) for i in range(3)]


def triad(axis):
    """Two unit vectors at right angles to a unit vector and to each other (numbers or arrays over samples)."""
    x, y, z = axis
    flat = np.abs(z) < 0.6  # far enough from z
    h = np.where(flat, np.hypot(x, y), np.hypot(y, z))
    first = [np.where(flat, -y / h, 0.0), np.where(flat, x / h, -z / h), np.where(flat, 0.0, y / h)]
    second = [y * first[2] - z * first[1], z * first[0] - x * first[2], x * first[1] - y * first[0]]
    return tuple(map(_number, first)), tuple(map(_number, second))


def _number(x):
    x = np.asarray(x, float)
    return float(x) if x.ndim == 0 else x


def axis_leaves(key, axis):
    """Components by key."""
    return {f"{key}.{name}": x for name, x in zip(AXES, axis, strict=False)}


def node_axis(build, element, body, key):
    """An axis of an element, fixed in a body, in the inertial frame, as polynomials."""
    components = [build.number(element, f"{key}.{name}") for name in AXES[: build.system.dimension]]
    return build.direction(body, *components)
