"""Axes fixed in bodies: numbers at the start, and polynomials in motion."""

import numpy as np

from flexmbd.errors import ModelError, check_number
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


def as_matrix(owner, rotation):
    """Rows of the rotation matrix of a rotation vector (rad) or of a 3 x 3 matrix; entries are floats or arrays over samples.

    Raises
    ------
    ModelError
        If it is neither, or the matrix is not a rotation.
    """
    if rotation is None:
        return [[1.0 * (i == k) for k in range(3)] for i in range(3)]
    if len(rotation) == 3 and all(np.ndim(row) and len(row) == 3 for row in rotation) and np.ndim(rotation) != 1 and _square(rotation):
        matrix = [[check_number(owner, f"rotation[{i}][{k}]", x) for k, x in enumerate(row)] for i, row in enumerate(rotation)]
        full = np.stack([np.stack(np.broadcast_arrays(*row), -1) for row in np.broadcast_arrays(*map(np.array, matrix))], -2)
        if np.abs(np.swapaxes(full, -1, -2) @ full - np.eye(3)).max() > 1e-9 or np.any(np.linalg.det(full) < 0):
            raise ModelError(f"{owner}: rotation is not a rotation matrix (orthonormal, right-handed)", element=owner)
        return matrix
    if len(rotation) != 3:
        raise ModelError(f"{owner}: rotation has {len(rotation)} entries; it must be a rotation vector or a 3 x 3 matrix", element=owner)
    x, y, z = (check_number(owner, f"rotation[{i}]", r) for i, r in enumerate(rotation))
    angle = np.sqrt(x * x + y * y + z * z)
    s, c = np.sinc(angle / np.pi), 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    return [
        [1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y],
        [c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x],
        [c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y)],
    ]


def _square(rotation):
    """True for a matrix, false for a vector of three arrays over three samples (a matrix must be given as nested sequences)."""
    return not all(isinstance(row, np.ndarray) for row in rotation) or isinstance(rotation, np.ndarray)
