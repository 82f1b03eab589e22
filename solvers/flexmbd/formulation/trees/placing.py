"""Where a body of a tree is and how it moves, as nodes, from how the body moves that it hangs on."""

from flexmbd.bodies.point_mass import PointMass
from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.vectors import fixed, times
from flexmbd.formulation.trees.walking import TENSOR, along, arrive, drift, move, roll, set_out, turn, walked
from flexmbd.space import AXES


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
        return fixed(self.axes, components)

    def along(self, rates):
        """Angular velocity and velocity of the centre that rates of its own coordinates alone give."""
        return along(self.columns, rates, self.zero, [self.zero[0]] * len(self.centre))

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

    def masses(self):
        """Mass, and moments of inertia in the order of `TENSOR`: one in the plane, three or six in space, of a point mass none."""
        body, number = self.branch.body, self._equations.number
        if isinstance(body, PointMass):
            keys = []
        elif len(self.zero) == 1:
            keys = ["inertia"]
        else:
            keys = [f"inertia.{key}" for (i, j), key in TENSOR.items() if i == j or len(body.inertia) > 3]
        return number(body, "mass"), [number(body, key) for key in keys]

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
            self.slides = [numbers(key) for key in freedom.slides]
        else:
            self.slides = [[float(i == k) for i in range(d)] for k in range(d)]
        slides, sign = self.slides[:count], 1.0 if out else -1.0
        self._origin, axes, first = walked(set_out, out, parent.centre, parent.axes, self.at_parent, near, slides, q)
        axes, self._spins = parent.axes if near is None else axes, []
        if isinstance(branch.body, PointMass):  # as if it were part of what it hangs on
            axes, far, self.angle = parent.axes, None, parent.angle
        elif d == 2:
            far, axes = None, self._turn_flat(q[count:], sign, joint, freedom)
            self._spins = [[equations.graph.const(sign)]] if freedom.turns else []
        else:
            axes, self._spins = self._turn(axes, q[count:], sign, freedom.turns)
        self.axes, self.centre, last = walked(arrive, out, self._origin, axes, far, self.at_own, slides, q)
        if far is None and axes is parent.axes:
            self.axes = axes  # the same list: what tells that it turns with its parent
        self._lines = first + last

    def _turn_flat(self, q, sign, joint, freedom):
        own = self.parent.angle
        if freedom.turned is not None:
            own = own + sign * self._equations.number(joint, freedom.turned)
        for x in q:
            own = own + sign * x
        s, c = self._equations.sincos(own)
        self.angle = own
        return [[c, s], [-s, c]]

    def _turn(self, axes, q, sign, turns):
        """Axes after the turns, and the angular velocity by each coordinate."""
        if BALL in turns:
            return walked(roll, axes, sign, q)
        spins = []
        for x, k in list(zip(q, turns, strict=True))[:: 1 if sign > 0 else -1]:
            spins.append(times(sign, axes[k]))
            axes = walked(turn, axes, k, sign, *self._equations.sincos(x))
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
        self.centre = g.stands_for(self.centre, shifts[:d], _itself)
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
        g, parent = self._equations.graph, self.parent
        rates = self._equations.v[self.first : self.first + len(self._lines) + len(self._spins)]
        before = parent.centre, parent.spin, parent.velocity
        walk = self._lines, self._spins
        self.columns, own, spin, velocity = walked(move, *walk, rates, self.zero, self._origin, self.centre, before)
        d, count = len(velocity), len(velocity) + len(spin)
        twists = self.twists = [g.var("twist", count * self.branch.number + k) for k in range(count)]
        both = velocity if self.axes is parent.axes else velocity + spin
        both = g.stands_for(both, twists[: len(both)], _itself)
        self.velocity, self.spin = both[:d], both[d:] or parent.spin
        moved = self.centre, self.spin, self.velocity
        self.drift = walked(drift, self.branch.outward, rates, own, *walk, self._origin, moved, (*before, *parent.drift))


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


def _itself(made):
    """Derivatives of components by themselves."""
    return [[float(i == k) for k in range(len(made))] for i in range(len(made))]


def _turning(axis):
    """Derivatives of an axis by turns of its body."""
    x, y, z = axis
    return (0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)
