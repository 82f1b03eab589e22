"""Where a body of a tree is and how it moves, as nodes, from how the body moves that it hangs on."""

from flexmbd.bodies.point_mass import PointMass
from flexmbd.contact.point import turning
from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.spatial import add as plus
from flexmbd.formulation.trees.spatial import subtract as minus
from flexmbd.language.quadratic import cross, cross3
from flexmbd.space import AXES


def times(factor, vector):
    """A number times a vector."""
    return [factor * x for x in vector]


def turned(spin, arm):
    """Velocity of the end of an arm; angular velocities are lists of one number in the plane, of three in space."""
    return list(turning(spin if len(arm) == 3 else spin[0], arm))


def moment(arm, force):
    """Moment of a force at the end of an arm, as a list."""
    return [cross(arm, force)] if len(arm) == 2 else list(cross3(arm, force))


def carried(spin, other):
    """Rate of an angular velocity that turns with a frame: in the plane zero."""
    return [0.0] if len(spin) == 1 else list(cross3(spin, other))


class Placed:
    """A body of a tree, or ground.

    Parameters
    ----------
    equations : TreeCoordinates
    branch : Branch, optional
        None for ground.
    parent : Placed, optional

    Attributes
    ----------
    axes : list of list of Node
        Of the body's frame.
    centre : list of Node
        Of mass.
    angle : Node
        In the plane, from the inertial frame.
    frames, slides, at_parent, at_own
        Numbers of its joint: axes on a's and on b's body (`Freedom.frames`), vectors on a's body along which it slides, places of its
        points on the parent and on the body.
    columns : list of (list of Node, list of Node)
        By coordinate of its own the angular velocity, and the velocity of the centre, for a unit rate.
    spin, velocity : list of Node
    drift : (list of Node, list of Node)
        Angular acceleration, and that of the centre, without the accelerations of coordinates.
    """

    def __init__(self, equations, branch=None, parent=None):
        g, self.branch, self.parent = equations.graph, branch, parent
        d = equations.system.dimension
        self.zero, self._equations, self.first = [g.const(0.0)] * (1 if d == 2 else 3), equations, 0
        if branch is None:
            self.axes = [[g.const(float(i == k)) for i in range(d)] for k in range(d)]
            self.centre, self.velocity = ([g.const(0.0)] * d for _ in range(2))
            self.angle, self.spin, self.columns, self.drift = g.const(0.0), self.zero, [], (self.zero, self.velocity)
            self.shifts = []
            return
        self.first, self.angle = equations.first.get(branch.name, 0), g.const(0.0)
        self._walk()
        self._stand(d)
        self._move()

    def part(self, values):
        """Its own part of a list over all coordinates."""
        return values[self.first : self.first + len(self.columns)]

    @property
    def twist(self):
        """Velocity of the centre and angular velocity, one after another."""
        return [*self.velocity, *self.spin]

    def direction(self, components):
        """A vector fixed in the body."""
        return plus(*(times(x, axis) for x, axis in zip(components, self.axes, strict=True)))

    def along(self, rates):
        """Angular velocity and velocity of the centre that rates of its own coordinates alone give."""
        parts = [(times(x, w), times(x, u)) for x, (w, u) in zip(rates, self.columns, strict=True)]
        return [plus(start, *(part[k] for part in parts)) for k, start in enumerate((self.zero, [self.zero[0]] * len(self.centre)))]

    def mobilities(self):
        """Reciprocals of mass and mean moment of inertia, by component of what acts on it as if it were free."""
        body, number, d = self.branch.body, self._equations.number, len(self.centre)
        mass = 1.0 / number(body, "mass")
        if isinstance(body, PointMass):
            return [mass] * d + self.zero
        if d == 2:
            return [mass, mass, 1.0 / number(body, "inertia")]
        moments = [number(body, f"inertia.{key}") for key in ("xx", "yy", "zz")]
        return [mass] * 3 + [3.0 / (moments[0] + moments[1] + moments[2])] * 3

    # ---- places
    def _walk(self):
        """Axes, centre, and columns, by the walk of the joint from the parent."""
        branch, equations, parent = self.branch, self._equations, self.parent
        joint, out, freedom = branch.joint, branch.outward, branch.freedom
        count, d = len(freedom.slides), len(parent.centre)
        q = equations.q[self.first : self.first + len(freedom.measures)]
        numbers, sqrt = self._numbers(joint), equations.graph.sqrt
        self.frames = freedom.frames(numbers, sqrt)
        near, far = self.frames if out else self.frames[::-1]
        self.at_parent = self.at_own = [equations.graph.const(0.0)] * d
        if joint is not None:
            self.at_parent, self.at_own = (self._at(point) for point in (joint.a, joint.b)[:: 1 if out else -1])
        self._origin = plus(parent.centre, parent.direction(self.at_parent))
        axes = parent.axes if near is None else [parent.direction(x) for x in near]
        slides = [numbers(key) for key in freedom.slides] if joint is not None else [[float(i == k) for i in range(d)] for k in range(d)]
        self.slides = slides
        lines, spins = [], []
        if out:
            lines = [parent.direction(slides[k]) for k in range(count)]
            self._origin = plus(self._origin, *(times(x, line) for x, line in zip(q, lines, strict=False)))
        sign = 1.0 if out else -1.0
        if isinstance(branch.body, PointMass):  # as if it were part of what it hangs on
            self.axes, self.angle = parent.axes, parent.angle
        elif d == 2:
            self._turn_flat(q[count:], sign, joint, freedom)
            spins = [[equations.graph.const(sign)]] if freedom.turns else []
        else:
            axes, spins = self._turn(axes, q[count:], sign, freedom.turns)
            self.axes = axes if far is None else [plus(*(times(far[j][k], axes[j]) for j in range(3))) for k in range(3)]
        centre = self._origin
        if not out:
            lines = [times(-1.0, self.direction(slides[k])) for k in range(count)]
            centre = plus(centre, *(times(x, line) for x, line in zip(q, lines, strict=False)))
        self.centre = minus(centre, self.direction(self.at_own))
        self._lines, self._spins = lines, spins

    def _turn_flat(self, q, sign, joint, freedom):
        own = self.parent.angle
        if freedom.turned is not None:
            own = own + sign * self._equations.number(joint, freedom.turned)
        for x in q:
            own = own + sign * x
        s, c = self._equations.sincos(own)
        self.angle, self.axes = own, [[c, s], [-s, c]]

    def _turn(self, axes, q, sign, turns):
        """Axes after the turns, and the angular velocity by each coordinate."""
        spins = []
        if BALL in turns:
            matrix, rates = ball(q)
            own = matrix if sign > 0 else [list(row) for row in zip(*matrix, strict=True)]
            after = [plus(*(times(own[i][k], axes[i]) for i in range(3))) for k in range(3)]
            frame = axes if sign > 0 else after  # that of a, in which the rates are
            return after, [times(sign, plus(*(times(rate[i], frame[i]) for i in range(3)))) for rate in rates]
        for x, k in list(zip(q, turns, strict=True))[:: 1 if sign > 0 else -1]:
            spins.append(times(sign, axes[k]))
            s, c = self._equations.sincos(x)
            i, j, s, axes = (k + 1) % 3, (k + 2) % 3, sign * s, list(axes)
            axes[i], axes[j] = plus(times(c, axes[i]), times(s, axes[j])), minus(times(c, axes[j]), times(s, axes[i]))
        return axes, spins[:: 1 if sign > 0 else -1]

    def _numbers(self, joint):
        names = AXES[: len(self.zero)] if len(self.zero) == 3 else AXES[:2]
        return lambda key: [self._equations.number(joint, f"{key}.{axis}") for axis in names]

    def _at(self, point):
        if isinstance(point.body, PointMass):
            return [self._equations.graph.const(0.0)] * len(self.parent.centre)
        return [self._equations.number(point.body, f"{point.key}.{axis}") for axis in AXES[: len(self.parent.centre)]]

    def _stand(self, d):
        """Let places stand for themselves, so that their derivatives by displacements of this body are told."""
        g, count = self._equations.graph, 3 if d == 2 else 6
        shifts = self.shifts = [g.var("displacement", count * self.branch.number + k) for k in range(count)]
        self.centre = g.stands_for(self.centre, shifts[:d], lambda _: [[float(i == k) for k in range(d)] for i in range(d)])
        if self.axes is self.parent.axes:
            return
        if d == 2:
            c, s = g.stands_for(self.axes[0], shifts[2:], lambda made: [[-made[1]], [made[0]]])
            self.axes = [[c, s], [-s, c]]
            (self.angle,) = g.stands_for([self.angle], shifts[2:], lambda _: [[1.0]])
        else:
            self.axes = [g.stands_for(axis, shifts[3:], _turning) for axis in self.axes]

    # ---- motion
    def _move(self):
        g, parent, arm = self._equations.graph, self.parent, minus(self.centre, self._origin)
        self.columns = [(self.zero, line) for line in self._lines] + [(spin, turned(spin, arm)) for spin in self._spins]
        rates = self.part(self._equations.v)
        lever = minus(self.centre, parent.centre)
        own, moved = self.along(rates)
        spin = plus(parent.spin, own)
        velocity = plus(parent.velocity, turned(parent.spin, lever), moved)
        d, count = len(velocity), len(velocity) + len(spin)
        twists = self.twists = [g.var("twist", count * self.branch.number + k) for k in range(count)]
        both = velocity if self.axes is parent.axes else velocity + spin
        both = g.stands_for(both, twists[: len(both)], lambda made: [[float(i == k) for k in range(len(made))] for i in range(len(made))])
        self.velocity, self.spin = both[:d], both[d:] or parent.spin
        self.drift = self._drift(rates, own)

    def _drift(self, rates, own):
        """Accelerations where those of coordinates are zero: of the parent, of axes that turn with the bodies in which they are fixed."""
        parent, lines, freedom = self.parent, len(self._lines), self.branch.freedom
        first, second = (parent, self) if self.branch.outward else (self, parent)  # a's body, b's
        bends = self.zero
        if len(self.zero) == 3:
            if len(freedom.turns) == 2:
                for holder, x, spin in zip((first, second), rates[lines:], self._spins, strict=True):
                    bends = plus(bends, carried(holder.spin, times(x, spin)))
            else:
                bends = carried(first.spin, own)
        lever, arm = minus(self.centre, parent.centre), minus(self.centre, self._origin)
        total = plus(parent.drift[1], turned(parent.drift[0], lever), turned(parent.spin, minus(self.velocity, parent.velocity)))
        for x, line in zip(rates, self._lines, strict=False):
            total = plus(total, turned(first.spin, times(x, line)))
        if self._spins:
            if self.branch.outward:
                speed = turned(self.spin, arm)
            else:
                speed = minus(minus(self.velocity, parent.velocity), turned(parent.spin, minus(self._origin, parent.centre)))
            total = plus(total, turned(bends, arm), turned(own, speed))
        return plus(parent.drift[0], bends), total


class Beside:
    """A coordinate of a body that is not in the tree: as a body, with a displacement and a velocity of one number.

    Attributes
    ----------
    number : int
        Of the coordinate.
    shifts, twists, twist : list of Node
        The coordinate, and its rate.
    """

    drift = (), (0.0,)

    def __init__(self, equations, number):
        self.number, self._equations = number, equations
        self.shifts, self.twists = [equations.q[number]], [equations.v[number]]
        self.twist = self.twists

    def mobilities(self):
        """Reciprocal of its mass, if it has any."""
        found = self._equations.inertia.diagonal({self.number}).get(self.number)
        return [self._equations.graph.const(0.0) if found is None else 1.0 / found]


def _turning(axis):
    """Derivatives of an axis by turns of its body."""
    x, y, z = axis
    return (0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)


def ball(q):
    """Rotation matrix of a unit quaternion (w, x, y, z), and by component of it the angular velocity for a unit rate."""
    w, x, y, z = q
    matrix = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    rates = [[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]
    return matrix, [[2.0 * part for part in rate] for rate in rates]
