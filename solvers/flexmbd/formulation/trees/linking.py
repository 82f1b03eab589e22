"""The table of links of a tree: what `Placed` says in the inertial frame, once more in frames of the joints, for algorithms along the tree.

A link's frame is that of its joint: its axes as they are on the body (in the plane those of the body), its origin at the joint's point, or
of a free body at the centre of mass.
"""

from flexmbd.bodies.point_mass import PointMass
from flexmbd.formulation.trees.links import GROUND, Link, Table
from flexmbd.formulation.trees.operators import Ball
from flexmbd.formulation.trees.placing import ball
from flexmbd.formulation.trees.spatial import add, combined, congruent, cross, dot, subtract, times, transposed
from flexmbd.joints.freedom import BALL, triad_of

UNIT = tuple(tuple(float(i == k) for k in range(3)) for i in range(3))
NOWHERE = (0.0, 0.0, 0.0)
TENSOR = {(0, 0): "xx", (1, 1): "yy", (2, 2): "zz", (0, 1): "xy", (0, 2): "xz", (1, 2): "yz"}


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
        branch, self._equations, self._made = made.branch, equations, made
        joint, out, self._flat = branch.joint, branch.outward, equations.system.dimension == 2
        self.rates, freedom = None, branch.freedom
        near, far = made.frames if out else made.frames[::-1]
        self.axes, self.origin = UNIT if far is None else far, in_space(made.at_own) if joint is not None else NOWHERE
        at = in_space(made.at_parent) if joint is not None else NOWHERE
        near, lines = UNIT if near is None else near, [in_space(x) for x in made.slides]
        after, spins, bias = self._turned(made, out, freedom)
        count = len(lines)
        q, v = made.part(equations.q), made.part(equations.v)
        way = scaled(q[:count], lines)
        # slides, in the link's frame: against the tree they are walked last, and fixed in it
        lines = [seen(self.axes, x) for x in lines] if not out else [times(transposed(after), seen(near, x)) for x in lines]
        lever, moved = NOWHERE, scaled(v[:count], lines)
        place = add(at, way)
        if not out:
            lines = [subtract(NOWHERE, x) for x in lines]
            lever, moved = scaled(q[:count], lines), scaled(v[:count], lines)
            place = add(at, times(transposed(near), times(after, lever)))
        rates = self.rates and [dot(row, v[count:]) for row in self.rates]
        turning = scaled(v[count:] if rates is None else rates, spins)
        shift = subtract(NOWHERE, cross(turning, moved)) if out else cross(turning, moved)
        motion = [(*NOWHERE, *x) for x in lines] + [(*w, *cross(w, lever)) for w in spins]
        # into the parent's frame
        base, start = (UNIT, NOWHERE) if parent is None else (parent.axes, parent.origin)
        rotation = times_matrix(base, times_matrix(transposed(near), after))
        own = tuple(motion), (*bias(v[count:]), *shift), *self._mass()
        held = None
        if lines and len(motion) == 1 and not self._flat:
            across = triad_of([equations.graph.const(x) for x in lines[0]], equations.graph.sqrt)
            held = [(*x, *NOWHERE) for x in UNIT] + [(*NOWHERE, *x) for x in across]
        self.link = Link(number, rotation, times(base, subtract(place, start)), *own, held)

    def _turned(self, made, out, freedom):
        """Matrix of the joint's turn, columns of angular velocity in the link's frame, and the rates of these by the turns' rates."""
        sign, g = 1.0 if out else -1.0, self._equations.graph

        def still(v):
            return NOWHERE

        if made.axes is made.parent.axes:
            return UNIT, [], still
        if self._flat:
            (c, s), (cp, sp) = ([g.const(x) for x in one.axes[0]] for one in (made, made.parent))
            if not freedom.turns:
                s, c = self._equations.sincos(sign * self._equations.number(made.branch.joint, freedom.turned))
            elif not cp.one:
                c, s = cp * c + sp * s, cp * s - sp * c
            return about(2, c, s), [(0.0, 0.0, sign)] if freedom.turns else [], still
        q = made.part(self._equations.q)[len(freedom.slides) :]
        if BALL in freedom.turns:
            matrix, rates = ball(q)
            if out:
                w, x, y, z = (2.0 * p for p in q)
                self.rates = [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
                return matrix, UNIT, still
            self.rates = [[-rate[i] for rate in rates] for i in range(3)]
            return transposed(matrix), UNIT, still
        after, spins, bias = UNIT, [], still
        walk = [*zip(q, freedom.turns, strict=True)][:: 1 if out else -1]
        for x, k in walk:
            s, c = self._equations.sincos(x)
            turn = about(k, c, sign * s)
            spins = [times(transposed(turn), w) for w in spins] + [[sign * x for x in UNIT[k]]]
            after = times_matrix(after, turn)
        if len(spins) == 2:
            first, second = spins

            def bias(v):
                return scaled([v[0] * v[1]], [cross(first, second)])

        return after, spins[:: 1 if out else -1], bias

    def _mass(self):
        """Mass, centre, moments of inertia."""
        body, number = self._made.branch.body, self._equations.number
        centre = times(self.axes, subtract(NOWHERE, self.origin))
        if isinstance(body, PointMass):
            return number(body, "mass"), centre, [[0.0] * 3 for _ in range(3)]
        if self._flat:
            return number(body, "mass"), centre, [[0.0] * 3, [0.0] * 3, [0.0, 0.0, number(body, "inertia")]]
        given = len(body.inertia)
        tensor = [[0.0] * 3 for _ in range(3)]
        for (i, j), key in TENSOR.items():
            if i == j or given > 3:
                tensor[i][j] = tensor[j][i] = number(body, f"inertia.{key}")
        return number(body, "mass"), centre, tensor if self.axes is UNIT else congruent(self.axes, tensor)


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
