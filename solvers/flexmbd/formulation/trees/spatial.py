"""Spatial vectors (Featherstone 2008, ch. 2) over nodes, plain numbers or arrays over samples; what is the number 0 is left out.

Motions are (angular velocity, velocity of the origin), forces (moment about the origin, force), in a link's frame;
matrices are lists of rows.
"""

import numpy as np

ZERO = (0.0,) * 6


def none(x):
    """Whether x is the number 0, or a node that is."""
    kind = type(x)
    return x == 0.0 if kind is float or kind is int else getattr(x, "zero", False)


def dot(a, b, start=0.0):
    """start + sum of products."""
    for x, y in zip(a, b, strict=True):
        if not (none(x) or none(y)):
            start = x * y if none(start) else start + x * y
    return start


def minus(a, b, start=0.0):
    """start - sum of products."""
    for x, y in zip(a, b, strict=True):
        if not (none(x) or none(y)):
            start = -(x * y) if none(start) else start - x * y
    return start


def add(*vectors):
    """Sum of vectors."""
    total = vectors[0]
    for other in vectors[1:]:
        total = [x if none(y) else y if none(x) else x + y for x, y in zip(total, other, strict=True)]
    return total


def subtract(a, b):
    """a - b"""
    return [x if none(y) else -y if none(x) else x - y for x, y in zip(a, b, strict=True)]


def cross(a, b):
    """a x b"""
    return [_difference(a[i], b[j], a[j], b[i]) for i, j in ((1, 2), (2, 0), (0, 1))]


def _difference(a, b, c, d):
    """a b - c d"""
    return minus((c,), (d,), dot((a,), (b,)))


def times(matrix, x):
    """Product of a matrix with a vector."""
    return [dot(row, x) for row in matrix]


def transposed(matrix):
    """The matrix's transpose."""
    return [list(column) for column in zip(*matrix, strict=True)]


def combined(columns, numbers, start=ZERO):
    """start + sum of columns times numbers."""
    total = list(start)
    for column, y in zip(columns, numbers, strict=True):
        total = [dot((x,), (y,), t) for x, t in zip(column, total, strict=True)]
    return total


def outer_product(a, b):
    """Rows of ``a b'``."""
    return [[dot((x,), (y,)) for y in b] for x in a]


# ---- from frame to frame
def inwards(link, force):
    """A force at the link's origin, as one at its parent's."""
    moment, push = times(link.rotation, force[:3]), times(link.rotation, force[3:])
    return add(moment, cross(link.offset, push)) + push


def outwards(link, motion):
    """A motion of the parent, as one at the link's origin."""
    turn, shift = motion[:3], add(motion[3:], cross(motion[:3], link.offset))
    back = transposed(link.rotation)
    return times(back, turn) + times(back, shift)


def congruent(rotation, matrix, symmetric=True):
    """``R A R'``"""
    half = [[dot(row, column) for column in zip(*matrix, strict=True)] for row in rotation]
    found = [[0.0] * 3 for _ in range(3)]
    for r in range(3):
        for c in range(r if symmetric else 0, 3):
            found[r][c] = dot(half[r], rotation[c])
            if symmetric:
                found[c][r] = found[r][c]
    return found


def inertia_inwards(link, inertia):
    """A symmetric matrix (6, 6) from motions to forces at the link's origin, as one at its parent's."""
    R, p = link.rotation, link.offset
    a, b, c = ([row[j : j + 3] for row in inertia[i : i + 3]] for i, j in ((0, 0), (0, 3), (3, 3)))
    a, b, c = congruent(R, a), congruent(R, b, symmetric=False), congruent(R, c)
    moved = transposed([add(column, cross(p, row)) for column, row in zip(transposed(b), c, strict=True)])  # b + p~ c
    left, right = [cross(p, row) for row in b], [cross(p, row) for row in moved]
    found = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i, 3):
            found[i][j] = found[j][i] = add((a[i][j],), (left[j][i],), (right[i][j],))[0]
    return [x + y for x, y in zip(found, moved, strict=True)] + [x + y for x, y in zip(transposed(moved), c, strict=True)]


# ---- a link's own motion and mass
def motion_of(link, numbers, start=ZERO):
    """``start + S numbers``"""
    return combined(link.motion, numbers, start)


def along(link, force):
    """``S' force``"""
    return [dot(column, force) for column in link.motion]


def crossed(velocity, motion):
    """Rate of a motion that is fixed in a frame of this velocity."""
    w, v, a, b = velocity[:3], velocity[3:], motion[:3], motion[3:]
    return cross(w, a) + add(cross(w, b), cross(v, a))


def crossed_force(velocity, force):
    """Rate of a force that is fixed in a frame of this velocity."""
    w, v, n, f = velocity[:3], velocity[3:], force[:3], force[3:]
    return add(cross(w, n), cross(v, f)) + cross(w, f)


def first_moment(link):
    """Mass times centre."""
    return [dot((link.mass,), (x,)) for x in link.centre]


def about_origin(link):
    """Moments of inertia about the link's origin."""
    h, c = first_moment(link), link.centre
    square = dot(h, c)
    found = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i, 3):
            start = add((link.inertia[i][j],), (square,))[0] if i == j else link.inertia[i][j]
            found[i][j] = found[j][i] = minus((h[i],), (c[j],), start)
    return found


def skew(a):
    """Matrix of the cross product with a."""
    x, y, z = a
    return [[0.0, minus((1.0,), (z,)), y], [z, 0.0, minus((1.0,), (x,))], [minus((1.0,), (y,)), x, 0.0]]


def flat(link):
    """Whether a link is one of the plane: no body in space turns about one axis alone with a moment of inertia."""
    (x, *_), (_, y, _), (*_, z) = link.inertia
    return none(x) and none(y) and not none(z)


def inertia_of(link):
    """Matrix (6, 6) that gives a link's momentum by its velocity; of a planar one nothing along z, where it does not move."""
    tilde, ways = skew(first_moment(link)), 2 if flat(link) else 3
    push = [[link.mass if i == j < ways else 0.0 for j in range(3)] for i in range(3)]
    return [x + y for x, y in zip(about_origin(link), tilde, strict=True)] + [x + y for x, y in zip(transposed(tilde), push, strict=True)]


def momentum(link, velocity):
    """A link's momentum."""
    return momentum_of(link.mass, first_moment(link), about_origin(link), velocity)


def momentum_of(mass, moment, inertia, velocity):
    """The same by mass, first moment and moments of inertia about the origin."""
    w, v = velocity[:3], velocity[3:]
    push = add([dot((mass,), (x,)) for x in v], cross(w, moment))
    return add(times(inertia, w), cross(moment, v)) + push


def compliance(link):
    """Function that gives a link's acceleration by the force at its origin; of a planar link any moments across z do."""
    tensor, c, mass = link.inertia, link.centre, link.mass
    if none(mass) or none(tensor[2][2]):
        told = "a link without mass, or moments of inertia: the constraint-force algorithm divides by them"
        raise ValueError(f"{told}; take articulated or composite bodies")
    if flat(link):
        tensor = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], tensor[2]]
    inverse = inverse_of(tensor)

    def accelerated(force):
        n, f = force[:3], force[3:]
        turn = times(inverse, subtract(n, cross(c, f)))
        return turn + add([0.0 if none(x) else x / mass for x in f], cross(c, turn))

    return accelerated


def inverse_of(matrix):
    """Inverse of a symmetric matrix (3, 3), by cofactors."""
    (a, d, e), (_, b, f), (_, _, c) = matrix
    cofactors = {
        (0, 0): (b, c, f, f),
        (0, 1): (e, f, c, d),
        (0, 2): (d, f, b, e),
        (1, 1): (a, c, e, e),
        (1, 2): (d, e, a, f),
        (2, 2): (a, b, d, d),
    }
    parts = {key: _difference(*four) for key, four in cofactors.items()}
    size = dot((a, d, e), (parts[0, 0], parts[0, 1], parts[0, 2]))
    return [[0.0 if none(x := parts[min(i, j), max(i, j)]) else x / size for j in range(3)] for i in range(3)]


# ---- the forces of a joint
def unit_places(columns):
    """Numbers of the components along which columns are unit vectors; None if one is none."""
    found = []
    for column in columns:
        places = [k for k, x in enumerate(column) if not none(x)]
        if len(places) != 1 or not (column[places[0]] == 1.0 or getattr(column[places[0]], "one", False)):
            return None
        found += places
    return found


def complement(link):
    """Columns of W, the forces that a joint's motion leaves to its constraints."""
    if link.constraint is not None:
        return [list(column) for column in link.constraint]
    size, moved = 6 - len(link.motion), [k for k in range(6) if not all(none(column[k]) for column in link.motion)]
    others = [[1.0 if k == i else 0.0 for k in range(6)] for i in range(6) if i not in moved]
    if len(others) == size:
        return others
    values = [[getattr(x, "value", x) if getattr(x, "constant", True) else None for x in column] for column in link.motion]
    if all(isinstance(x, float | int) for column in values for x in column):
        return np.linalg.qr(np.array(values, float).T, mode="complete")[0].T[6 - size :].tolist()
    if len(link.motion) == 2 and len(moved) == 3:  # two turns, or in the plane a slide and a turn
        across = dict(zip(moved, cross(*([column[k] for k in moved] for column in link.motion)), strict=True))
        return [[across.get(k, 0.0) for k in range(6)], *others]
    if moved == [3, 4]:  # a slide in the plane
        (*_, x, y, _) = link.motion[0]
        return [[0.0, 0.0, 0.0, minus((1.0,), (y,)), x, 0.0], *others]
    raise ValueError("the joint's subspace turns in its link: give the columns of `constraint` that do no work on it")
