"""Axes: their names and components, and whether something lies in the plane or in space, and frames that turn."""

import numpy as np
from scipy.sparse import block_diag, csr_array, eye_array, kron

from flexmbd.errors import ModelError, check_number

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


def axis_parameters(key, axis):
    """Components by key."""
    return {f"{key}.{name}": x for name, x in zip(AXES, axis, strict=False)}


def turning_frame(system, spinning):
    """Matrix (d, d) of the cross product with the angular velocity of a turning frame."""
    d, spinning = system.dimension, 0.0 if spinning is None else spinning
    if np.shape(spinning) != (() if d == 2 else (3,)) and np.any(spinning):
        wanted = "one number" if d == 2 else "three numbers"
        raise ModelError(f"spinning is {spinning!r}; in a {system.kind} system it must be {wanted}, an angular velocity in rad/s")
    x, y, z = (check_number("statics", "spinning", w) for w in ((0.0, 0.0, spinning) if d == 2 else np.broadcast_to(spinning, 3)))
    matrix = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])[:d, :d]
    if np.any(matrix @ np.array(system.gravity, float)):
        remedy = "let it turn about a vertical axis, or take gravity away"
        raise ModelError(f"gravity {tuple(system.gravity)} turns in a frame that spins at {spinning!r} rad/s", remedy=remedy)
    return matrix


def turning_matrix(system, spinning):
    """Sparse matrix (n, n) of the cross product of all coordinates with the angular velocity; those that are no vectors stay out of it."""
    frame = turning_frame(system, spinning)
    sizes = ((body.coordinates, body.vectors) for body in system.bodies)
    blocks = [kron(eye_array(n // len(frame)), frame) if vectors else csr_array((n, n)) for n, vectors in sizes]
    return block_diag([csr_array((0, 0)), *blocks], format="csr")


def lengths(system, count):
    """Size of each sample's system in m: the largest of its points' coordinates and bodies' positions."""
    q, _ = system.initial()
    places = [x for x, measure in zip(q, system.measures(), strict=True) if measure == "length"]
    parameters = system.parameters()
    points = [x for path, x in parameters.items() if parameters.of_body(path) and path.endswith((".x", ".y", ".z"))]
    every = places + points
    size = np.full(count, np.max(np.abs([x for x in every if isinstance(x, float)]), initial=0.0))
    for x in every:
        if not isinstance(x, float):
            size = np.maximum(size, np.abs(x))
    return np.where(size > 0, size, 1.0)
