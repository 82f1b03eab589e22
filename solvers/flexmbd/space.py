"""Axes: their names and components, and whether something lies in the plane or in space."""

import numpy as np

AXES = "xyz"


def is_spatial(end):
    """True for a point or body in space; false for what is neither, which `System.add` refuses by name."""
    return getattr(getattr(end, "body", end), "dimension", 2) == 3


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
