"""What bodies look like, as the page is told it: solids, meshes, lines and sections, each in the frame of its body."""

import numpy as np

from flexmbd.bodies.shapes import Balls, Box, Cylinder, Mesh, Polyline, Sphere, Swept
from flexmbd.viewer.packing import packed, packed_integers, short

COLORS = ("#3b7dd8", "#e07b39", "#3fa66b", "#b65fcf", "#d64f5f", "#2aa5b5", "#a68a2d", "#7a7fd1")
GROUND = "#7d8794"
DASHES = ((-1.25, -0.35), (-0.15, 0.15), (0.35, 1.25))  # of centre lines, by the radius
BEND, MOST_EDGES = 0.5, 2000  # rad between faces of a mesh whose edge is drawn; so many edges at most


def look(shape, body, color):
    """The page's words for a shape of a body number; color if it has none of its own."""
    said = {"body": body, "color": shape.color or color, "at": short(shape.position), "turn": short(_quaternion(shape.rotation), 7)}
    return said | LOOKS[type(shape)][0](shape)


def corners(shape):
    """Corners (8, 3) of a box in the body's frame that a shape lies in, m."""
    low, high = LOOKS[type(shape)][1](shape)
    own = np.array([[(low, high)[(k >> i) & 1][i] for i in range(3)] for k in range(8)])
    return np.asarray(shape.position) + own @ np.array(shape.rotation).T


def in_space(seat):
    """Two or three numbers as three."""
    return np.array((*seat, 0.0)[:3], float)


def edges(shape):
    """Lines (points, 3) in the body's frame that draw a shape seen along z, in the plane of drawings."""
    rule = LOOKS[type(shape)][2]
    return [np.asarray(shape.position) + line @ np.array(shape.rotation).T for line in rule(shape)]


def centre_marks(shape):
    """Centre lines (2, 3) in the body's frame of a shape that is round as seen along z: dash, dot, dash along x and along y."""
    round_ = isinstance(shape, Sphere) or (isinstance(shape, Cylinder) and abs(shape.rotation[2][2]) > 1.0 - 1e-6)
    if not round_:
        return []
    x = shape.radius * np.array(DASHES)
    flat = np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=-1)
    return [*(np.asarray(shape.position) + flat), *(np.asarray(shape.position) + flat[..., [1, 0, 2]])]


def circle(radius, z=0.0, count=48):
    """A closed circle about the z axis, (count + 1, 3)."""
    angle = np.linspace(0.0, 2.0 * np.pi, count + 1)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count + 1, z)], axis=1)


def _quaternion(rotation):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(np.array(rotation)).as_quat()


def _solid(kind, size):
    return lambda shape: {"kind": kind, "size": short(size(shape))}


def _box_of(half):
    return lambda shape: (-np.array(half(shape), float), np.array(half(shape), float))


def _ball(radius):
    return _box_of(lambda shape: (radius(shape),) * 3)


def _thickness(shape):
    return shape.radius or 0.5 * float(np.hypot(*shape.sides))


def _mesh(shape):
    return {"kind": "mesh", "count": len(shape.vertices), "vertices": packed(shape.vertices), "faces": packed_integers(shape.faces)}


def _swept(shape):
    half = (shape.radius,) * 2 if shape.sides is None else np.multiply(0.5, shape.sides)
    return {"kind": "swept", "half": short(half), "round": shape.sides is None}


def _balls(shape):
    return {"kind": "sphere", "size": [1, 1, 1], "radii": short(shape.radii, 6)}


def _of_box(shape):
    x, y, z = (0.5 * s for s in shape.size)
    ring = np.array([(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)])
    top, bottom = (np.hstack([ring, np.full((5, 1), h)]) for h in (z, -z))
    return [top, bottom, *(np.array([a, b]) for a, b in zip(top[:4], bottom[:4], strict=True))]


def _of_cylinder(shape):
    h, r = 0.5 * shape.length, shape.radius
    sides = [np.array([(r * c, r * s, -h), (r * c, r * s, h)]) for c, s in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]
    return [circle(r, h), circle(r, -h), *sides]


def _sharp(shape):
    """Edges of a mesh where its surface ends or bends."""
    corners = shape.vertices[shape.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    pairs = np.sort(np.concatenate([shape.faces[:, own] for own in ((0, 1), (1, 2), (2, 0))]), axis=1)
    edge, which, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    mean = np.zeros((len(edge), 3))
    np.add.at(mean, which.ravel(), np.tile(normal, (3, 1)))
    bent = (count != 2) | (np.linalg.norm(mean, axis=1) < 2.0 * np.cos(0.5 * BEND))
    return [shape.vertices[pair] for pair in edge[bent][:MOST_EDGES]]


LOOKS = {  # shape: words, box that it lies in, edges
    Box: (_solid("box", lambda shape: shape.size), _box_of(lambda shape: np.multiply(0.5, shape.size)), _of_box),
    Cylinder: (
        _solid("cylinder", lambda shape: (shape.radius, shape.radius, shape.length)),
        _box_of(lambda shape: (shape.radius, shape.radius, 0.5 * shape.length)),
        _of_cylinder,
    ),
    Sphere: (_solid("sphere", lambda shape: (shape.radius,) * 3), _ball(lambda shape: shape.radius), lambda shape: [circle(shape.radius)]),
    Balls: (_balls, _ball(lambda shape: max(shape.radii)), lambda shape: []),
    Polyline: (
        lambda shape: {"kind": "polyline", "points": short(shape.points)},
        lambda shape: (shape.points.min(axis=0), shape.points.max(axis=0)),
        lambda shape: [shape.points],
    ),
    Mesh: (_mesh, lambda shape: (shape.vertices.min(axis=0), shape.vertices.max(axis=0)), _sharp),
    Swept: (_swept, _ball(_thickness), lambda shape: []),
}
