"""The table of links of a tree: what `Placed` says in the inertial frame, once more in frames of the joints, for algorithms along the tree.

A link's frame is that of its joint: its axes as they are on the body (in the plane those of the body), its origin at the joint's point, or
of a free body at the centre of mass.
"""

from flexmbd.formulation.trees.links import GROUND, Link, Table
from flexmbd.formulation.trees.operators import Ball
from flexmbd.formulation.trees.spatial import add, combined, congruent, cross, dot, subtract, times, transposed
from flexmbd.formulation.trees.walking import TENSOR, ball
from flexmbd.joints.freedom import BALL, triad_of
from flexmbd.language.repeated import repeated

UNIT = tuple(tuple(float(i == k) for k in range(3)) for i in range(3))
NOWHERE = (0.0, 0.0, 0.0)


def scaled(numbers, vectors):
    """Sum of vectors of three times numbers."""
    return combined(vectors, numbers, NOWHERE)


def in_space(vector):
    """A vector of the plane as one of space."""
    return [*vector, *NOWHERE[len(vector) :]]


class Linked:
    """The link of a body.

    Attributes
    ----------
    axes, origin : sequence
        Of the link's frame, in the body's frame at its centre of mass.
    link : Link
    rates : list of list or None
        Of a ball: its angular velocity in the link's frame by rates of its quaternion, rows.
    """

    def __init__(self, equations, made, parent, number):
        branch, self._equations, flat = made.branch, equations, equations.system.dimension == 2
        out, joint = branch.outward, branch.joint
        near, far = made.frames if out else made.frames[::-1]
        self.axes, self.origin = UNIT if far is None else far, NOWHERE if joint is None else in_space(made.at_own)
        after, spins, self.rates = self._turned(made, out, branch.freedom)
        walk = out, flat, near, far, NOWHERE if joint is None else in_space(made.at_parent), self.origin, made.slides
        turn, motion = (after, spins, self.rates), (made.part(equations.q), made.part(equations.v))
        base = (UNIT, NOWHERE) if parent is None else (parent.axes, parent.origin)
        given = walk, turn, motion, base, *made.masses()
        self.link = Link(number, *repeated(_numbers_of_link, given, equations.graph, *given))

    def _turned(self, made, out, freedom):
        """Matrix of the joint's turn, columns of angular velocity in the link's frame, and of a ball these by its rates."""
        sign, g = 1.0 if out else -1.0, self._equations.graph
        if made.axes is made.parent.axes:
            return UNIT, [], None
        if len(made.zero) == 1:
            if not freedom.turns:
                s, c = self._equations.sincos(sign * self._equations.number(made.branch.joint, freedom.turned))
            else:
                c, s = repeated(_between, ends := [[g.const(x) for x in one.axes[0]] for one in (made, made.parent)], *ends)
            return about(2, c, s), [(0.0, 0.0, sign)] if freedom.turns else [], None
        q = made.part(self._equations.q)[len(freedom.slides) :]
        if BALL in freedom.turns:
            return repeated(_rolled, (out, q), out, q)
        walk = [*zip(q, freedom.turns, strict=True)][:: 1 if out else -1]
        turns = [(k, *self._equations.sincos(x)) for x, k in walk]
        return repeated(_after, (sign, turns), sign, turns)


def _between(axis, before):
    """Cosine and sine of the angle between axes in the plane."""
    (c, s), (cp, sp) = axis, before
    return (c, s) if cp.one else (cp * c + sp * s, cp * s - sp * c)


def _rolled(out, q):
    """The matrix of a ball's turn, its angular velocities, and these by rates of the quaternion."""
    matrix, rates = ball(q)
    if out:
        w, x, y, z = (2.0 * p for p in q)
        return matrix, UNIT, [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
    return transposed(matrix), UNIT, [[-rate[i] for rate in rates] for i in range(3)]


def _after(sign, turns):
    """The same of turns (axis, sine, cosine) about axes, one after another."""
    after, spins = UNIT, []
    for k, s, c in turns:
        turn = about(k, c, sign * s)
        spins = [times(transposed(turn), w) for w in spins] + [[sign * x for x in UNIT[k]]]
        after = times_matrix(after, turn)
    return after, spins[:: 1 if sign > 0 else -1], None


def _numbers_of_link(graph, walk, turn, motion, base, mass, moments):
    """What `Link` is made of, but for its parent's number."""
    (out, flat, near, far, at, origin, slides), (after, spins, rates), (q, v) = walk, turn, motion
    axes, near, lines = UNIT if far is None else far, UNIT if near is None else near, [in_space(x) for x in slides]
    count = len(lines)
    way = scaled(q[:count], lines)
    # slides, in the link's frame: against the tree they are walked last, and fixed in it
    lines = [seen(axes, x) for x in lines] if not out else [times(transposed(after), seen(near, x)) for x in lines]
    lever, moved = NOWHERE, scaled(v[:count], lines)
    place = add(at, way)
    if not out:
        lines = [subtract(NOWHERE, x) for x in lines]
        lever, moved = scaled(q[:count], lines), scaled(v[:count], lines)
        place = add(at, times(transposed(near), times(after, lever)))
    turning = scaled(v[count:] if rates is None else [dot(row, v[count:]) for row in rates], spins)
    shift = subtract(NOWHERE, cross(turning, moved)) if out else cross(turning, moved)
    columns = tuple([(*NOWHERE, *x) for x in lines] + [(*w, *cross(w, lever)) for w in spins])
    rotation = times_matrix(base[0], times_matrix(transposed(near), after))  # into the parent's frame
    bias = NOWHERE
    if len(spins) == 2:
        bias = scaled([v[count] * v[count + 1]], [cross(*spins[:: 1 if out else -1])])
    centre, tensor = times(axes, subtract(NOWHERE, origin)), _tensor(moments)
    if far is not None and not flat and moments:
        tensor = congruent(axes, tensor)
    held = None
    if lines and len(columns) == 1 and not flat:
        across = triad_of([graph.const(x) for x in lines[0]], graph.sqrt)
        held = [(*x, *NOWHERE) for x in UNIT] + [(*NOWHERE, *x) for x in across]
    return rotation, times(base[0], subtract(place, base[1])), columns, (*bias, *shift), mass, centre, tensor, held


def _tensor(moments):
    """Moments of inertia, as `Placed.masses` gives them, as a matrix."""
    found = [[0.0] * 3 for _ in range(3)]
    if len(moments) == 1:
        (found[2][2],) = moments
    else:
        for (i, j), x in zip(TENSOR, moments, strict=False):
            found[i][j] = found[j][i] = x
    return found


def seen(axes, vector):
    """Components of a vector along axes: of one of these axes ones and zeros."""
    same = [all(x is y for x, y in zip(axis, vector, strict=True)) for axis in axes]
    return [float(x) for x in same] if any(same) else times(axes, vector)


def times_matrix(a, b):
    """Product of two matrices."""
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def about(k, c, s):
    """Matrix of a turn about an axis, by cosine and sine of its angle."""
    i, j = (k + 1) % 3, (k + 2) % 3
    found = [[float(a == b) for b in range(3)] for a in range(3)]
    found[i][i] = found[j][j] = c
    found[i][j], found[j][i] = -s, s
    return found


def table_of(equations, unit_rows):
    """The `Table` of a tree, and its `Ball` by the number of its first velocity.

    Parameters
    ----------
    equations : TreeCoordinates
    unit_rows : dict Placed -> Row
        Of quaternions.
    """
    numbers, linked, balls, velocities = {}, {}, {}, 0
    for made in equations.moving:
        equations.graph.mark()
        parent = made.parent if made.parent.branch is not None else None
        linked[made] = own = Linked(equations, made, linked.get(parent), GROUND if parent is None else numbers[parent])
        numbers[made] = len(numbers)
        if own.rates is not None:
            balls[velocities + len(made.slides)] = Ball(own.rates, unit_rows[made])
        velocities += len(own.link.motion)
    return Table([one.link for one in linked.values()], equations.graph.mark), balls
