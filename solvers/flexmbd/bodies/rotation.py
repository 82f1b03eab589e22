"""Rotations: from what a user writes to a matrix, and from a matrix (nodes) to quaternion, rotation vector and Cardan angles."""

import numpy as np

from flexmbd import lanes
from flexmbd.errors import ModelError, check_number


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


def quaternion_of(graph, r):
    """Unit quaternion (w, x, y, z) of a rotation matrix, w >= 0, by the largest of the four (Shepperd 1978)."""
    trace = r[0][0] + r[1][1] + r[2][2]
    quads = [1.0 + trace, *(1.0 + 2.0 * r[k][k] - trace for k in range(3))]
    sums = {
        (0, 1): r[2][1] - r[1][2], (0, 2): r[0][2] - r[2][0], (0, 3): r[1][0] - r[0][1],
        (1, 2): r[0][1] + r[1][0], (1, 3): r[0][2] + r[2][0], (2, 3): r[1][2] + r[2][1],
    }  # fmt: skip
    best, largest = None, quads[0]
    for k in range(4):
        root = graph.sqrt(graph.select(graph.greater(quads[k], 1e-30), quads[k], 1e-30))
        here = [0.5 * root if j == k else 0.5 * sums[min(j, k), max(j, k)] / root for j in range(4)]
        if best is None:
            best = here
        else:
            better = graph.greater(quads[k], largest)
            best = [graph.select(better, x, y) for x, y in zip(here, best, strict=True)]
            largest = graph.select(better, quads[k], largest)
    sign = graph.select(graph.greater(0.0, best[0]), -1.0, 1.0)
    return [sign * x for x in best]


def rotation_vector_of(graph, r):
    """Rotation vector (rad) of a rotation matrix, of length at most pi."""
    w, *axis = quaternion_of(graph, r)
    squared = graph.dot((x, x) for x in axis)
    size = graph.sqrt(graph.select(graph.greater(squared, 1e-30), squared, 1e-30))
    angle = 2.0 * graph.call(lanes.atan2, (size, w))
    factor = graph.select(graph.greater(squared, 1e-30), angle / size, 2.0)
    return [factor * x for x in axis]


def angles_of(graph, r):
    """Cardan angles (rad) about x, then the new y, then the new z: R = Rx(a) Ry(b) Rz(c)."""
    cosine = r[0][0] * r[0][0] + r[0][1] * r[0][1]
    cosine = graph.sqrt(graph.select(graph.greater(cosine, 1e-30), cosine, 1e-30))
    return [
        graph.call(lanes.atan2, (-r[1][2], r[2][2])),
        graph.call(lanes.atan2, (r[0][2], cosine)),
        graph.call(lanes.atan2, (-r[0][1], r[0][0])),
    ]
