"""Rotations: from a matrix (nodes) to quaternion, rotation vector and Cardan angles."""

from flexmbd import lanes


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
