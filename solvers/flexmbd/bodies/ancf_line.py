"""What bodies along a line share: points by arc length, positions and slopes by cubic shape functions, moments on sections."""

from dataclasses import dataclass

import numpy as np

from flexmbd.bodies.base import Point
from flexmbd.bodies.nodes import check_line, nodal
from flexmbd.bodies.poses import CentreLine, along, in_space
from flexmbd.bodies.slender import Slender
from flexmbd.errors import ModelError
from flexmbd.language.quadratic import cross, cross3, dot
from flexmbd.table import segment


@dataclass(frozen=True)
class LinePoint(Point):
    """A point of a line: at `x` from 0 to 1 of the element number `element`, or on its first or last node (`x` 0 or 1 for all samples)."""

    element: int = 0
    x: object = 0.0

    @property
    def node(self):
        """Number of the node it lies on, or None."""
        return self.element + int(self.x) if isinstance(self.x, float) and self.x in (0.0, 1.0) else None

    def parameters(self):
        """Its place in the element, if it is not a node."""
        return {} if self.node is not None else {f"{self.key}.along": self.x}


class Line(Slender):
    """Base of bodies of nodes with position and slope r' (derivative by the arc length of the undeformed line).

    Coordinates are position and slope of node after node. A subclass has `name`, `dimension`, `length`, `elements`, `points`,
    `position`, `along`, `velocity` and `spinning` (angular velocity at the start: one number in the plane, three in space), and `shape`,
    `nodes`, `rates`: the undeformed line, the line at the start and its velocities, each None or as `flexmbd.bodies.nodes.nodal` takes it.
    """

    unread = (*Slender.unread, "placed")

    @property
    def measures(self):
        """Per node: position, slope."""
        return (("length",) * self.dimension + ("angle",) * self.dimension) * (self.elements + 1)

    def check_shape(self):
        """Read the undeformed line, the line at the start and its velocities."""
        if self.shape is not None and self.dimension == 3:
            raise ModelError(
                f"{self.owner}: shape is for planar systems: a cable in space has no sections that could say which way it is bent",
                element=self.name,
                remedy="take a beam with a curvature, or `initial` for a straight cable that is bent at the start",
            )
        places = [self.length * (k / self.elements) for k in range(self.elements + 1)]
        for key, name, parts in (
            ("shape", "shape", ("position", "slope")),
            ("nodes", "initial", ("position", "slope")),
            ("rates", "initial_velocity", ("velocity", "rate of slope")),
        ):
            if getattr(self, key) is not None:
                self.keep(key, nodal(self.owner, name, getattr(self, key), places, parts, self.dimension))
                if key != "rates":
                    check_line(self.owner, name, getattr(self, key), self.length / self.elements)

    def initial(self):
        """The line at the start, in rigid motion or with the velocities given."""
        nodes = self.shape if self.nodes is None else self.nodes
        if nodes is None:
            arms = [[self.length * (k / self.elements) * x for x in self.along] for k in range(self.elements + 1)]
            nodes = [([p + x for p, x in zip(self.position, arm, strict=True)], self.along) for arm in arms]
        else:
            arms = [[x - p for x, p in zip(r, nodes[0][0], strict=True)] for r, _ in nodes]
        rates = self.rates
        if rates is None:
            w = self.spinning
            rates = [
                ([u + x for u, x in zip(self.velocity, _turning(w, arm), strict=True)], _turning(w, slope))
                for arm, (_, slope) in zip(arms, nodes, strict=True)
            ]
        return tuple(x for r, slope in nodes for x in (*r, *slope)), tuple(x for v, rate in rates for x in (*v, *rate))

    def centre_line(self, moved, per_element):
        """Places of the line."""
        d, le = self.dimension, np.asarray(moved.length, float) / self.elements
        vectors = moved.numbers.reshape(*moved.numbers.shape[:-1], -1, d)
        le = le[:, None, None, None] if le.ndim else le  # one a sample
        at = np.linspace(0.0, 1.0, per_element + 1)
        line, slope = (along(vectors, 2, np.stack(np.broadcast_arrays(*rule(at, le)), axis=-1)) for rule in (cubic, inclined))
        return CentreLine(np.linspace(0.0, 1.0, line.shape[-2]), line, in_space(vectors[..., ::2, :]), slope=self.elements * le * slope)

    # ---- points
    def at(self, s, key=None):
        """Point at arc length `s` of the undeformed line, m."""
        s, element, x = self.element_at(s, "point")
        known, at = self.__dict__.setdefault("placed", {}), (element, x) if isinstance(x, float) else None
        if key is None:
            point = known.get(at)
            if point is not None and self.points.get(point.key) is point:
                return point
            key = f"#{len(self.points)}"
        self.points[key] = point = LinePoint(self, key, (s,), element, x)
        if at is not None and known.setdefault(at, point) is not self.points.get(known[at].key):
            known[at] = point  # another point has taken the name of the one that was there
        return point

    def at_start(self, point, level=0):
        """Place of a point at the start (numbers or arrays over samples), or with `level` 1 its slope r'."""
        d, x, le = self.dimension, point.x, self.length / self.elements
        steep = 6.0 / le * (x * (1.0 - x))
        shapes = (cubic(x, le), (-steep, 1.0 + x * (3.0 * x - 4.0), steep, x * (3.0 * x - 2.0)))[level]
        q = self.initial()[0][2 * d * point.element :]
        return tuple(sum(q[d * k + i] * f for k, f in enumerate(shapes)) for i in range(d))

    def place(self, equations, point):
        """Position of a point, as polynomials."""
        return self._interpolated(equations, point, 0, cubic)

    def place_at(self, equations, s):
        """Nodes of the position at an arc length that is a node; beyond both ends no numbers."""
        g, d, le, at = equations.graph, self.dimension, self._element_length(equations), equations.first[self.name]
        q = [equations.q[at + 2 * d * e : at + 2 * d * (e + 2)] for e in range(self.elements)]
        start, *own = segment(g, s, [[float(e) * le, *own] for e, own in enumerate(q)])
        shapes = cubic((s - start) / le, le)
        beyond = g.greater(g.fabs(s / equations.number(self, "length") - 0.5), 0.5 + 1e-9)
        inside = g.sqrt(g.select(beyond, -1.0, 1.0))
        return [inside * g.dot((f, own[d * k + i]) for k, f in enumerate(shapes)) for i in range(d)]

    def slope(self, equations, point):
        """Slope r' at a point, as polynomials."""
        return self._interpolated(equations, point, 1, inclined)

    def _interpolated(self, equations, point, level, shapes):
        d = self.dimension
        if point.node is not None:
            return tuple(self.variable(equations, d * (2 * point.node + level) + i) for i in range(d))
        first = 2 * d * point.element
        shapes = shapes(self._along(equations, point), self._element_length(equations))
        return tuple(sum(self.variable(equations, first + d * k + i) * f for k, f in enumerate(shapes)) for i in range(d))

    def _along(self, equations, point):
        return equations.graph.const(point.x) if point.node is not None else equations.number(self, f"{point.key}.along")

    def _element_length(self, equations):
        return equations.number(self, "length") * (1.0 / self.elements)

    def origin(self, equations):
        """Position of the start, as polynomials."""
        return self.place(equations, self.start)

    def turn(self, equations, point, *moment):
        """Add a moment on the section at a point: it acts on the slope as ``m x r'/|r'|²``."""
        slope = self.slope(equations, point)
        r = equations.values(slope)
        inverse = 1.0 / dot(r, r)
        force = (-moment[0] * r[1], moment[0] * r[0]) if self.dimension == 2 else cross3(moment, r)
        for component, f in zip(slope, force, strict=True):
            for i, x in component.gradient(equations.q).items():
                equations.generalized[i] = equations.generalized[i] + x * (f * inverse)

    def section_spin(self, equations, point):
        """Nodes of the angular velocity of the tangent: one in the plane, three in space."""
        slope = self.slope(equations, point)
        r, v = equations.values(slope), equations.rates(slope)
        inverse = 1.0 / dot(r, r)
        return tuple(x * inverse for x in ((cross(r, v),) if self.dimension == 2 else cross3(r, v)))

    def wrench(self, equations, force):
        """Force, and moment about the start, of a generalized force on all coordinates."""
        d, q = self.dimension, self.part(equations, equations.q)
        total, moments = [equations.graph.const(0.0)] * d, [equations.graph.const(0.0)] * (1 if d == 2 else 3)
        for k in range(2 * self.elements + 2):
            at = slice(d * k, d * (k + 1))
            arm = q[at] if k % 2 else [x - y for x, y in zip(q[at], q[:d], strict=True)]
            moment = (cross(arm, force[at]),) if d == 2 else cross3(arm, force[at])
            moments = [m + x for m, x in zip(moments, moment, strict=True)]
            if k % 2 == 0:
                total = [f + x for f, x in zip(total, force[at], strict=True)]
        return (*total, *moments)

    # ---- what a cable has not
    def _no_frame(self, *_):
        message = f"cable '{self.name}' has no frame: a cable's end can be pinned, clamped (Clamp) or bent (SectionTorque)"
        raise ModelError(message, element=self.name)

    direction = torque = spin = full_angle = _no_frame


def cubic(x, length):
    """Shapes of an element's two positions and slopes at x from 0 to 1, each node's one after the other."""
    y = 1.0 - x
    return y * y * (1.0 + 2.0 * x), length * (x * y * y), x * x * (3.0 - 2.0 * x), -length * (x * x * y)


def inclined(x, length):
    """Slopes of these shapes."""
    inverse = 1.0 / length
    steep = 6.0 * inverse * (x * (1.0 - x))
    return -steep, 1.0 + x * (3.0 * x - 4.0), steep, x * (3.0 * x - 2.0)


def _turning(w, arm):
    """Angular velocity times arm; in the plane one number w."""
    return [-w[0] * arm[1], w[0] * arm[0]] if len(w) == 1 else list(cross3(w, arm))
