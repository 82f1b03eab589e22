"""Sections of a beam as frames: joints, loads and contacts attach to them as to bodies.

A section at a point of the axis has the gradients ``a = r_y`` and ``b = r_z``, which are orthonormal but for its (small) strains.  Places
``r + y a + z b`` and vectors in its plane are linear in the coordinates; its normal is ``a x b``, quadratic.
"""

from dataclasses import dataclass

from flexmbd.bodies.ancf_beam_element import shapes
from flexmbd.bodies.base import Body, Point
from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.language.quadratic import cross3, dot


@dataclass(frozen=True)
class SectionPoint(Point):
    """A point of a section: `at` is (y, z) from the axis in m, or () on it."""

    def parameters(self):
        """Offsets by key."""
        return {f"{self.key}.{axis}": x for axis, x in zip("yz", self.at, strict=False)}


@dataclass(frozen=True, eq=False)
class BeamSection(Body):
    """The section of a beam at `x` from 0 to 1 of the element number `element`; made by `AncfBeam.section`."""

    beam: object
    key: str
    s: object
    element: int
    x: object

    dimension = 3

    @property
    def name(self):
        """That of the beam, whose coordinates are the section's."""
        return self.beam.name

    @property
    def measures(self):
        """Those of the beam."""
        return self.beam.measures

    @property
    def points(self):
        """Those of the beam."""
        return self.beam.points

    @property
    def rotation(self):
        """Rotation matrix of the frame at the start, row by row."""
        if self.beam.nodes is None:
            return self.beam.rotation_at(self.s)
        a, b = (self._mixed(k) for k in (1, 2))
        a = unit_vector(self.name, "y axis", a, 3)
        n = unit_vector(self.name, "normal", cross3(a, b), 3)
        return list(zip(n, a, cross3(n, a), strict=True))

    @property
    def node(self):
        """Number of the node it is, or None."""
        return 2 * self.element + int(2.0 * self.x) if isinstance(self.x, float) and self.x in (0.0, 0.5, 1.0) else None

    def parameters(self):
        """Its place in the element, if it is not a node."""
        return {} if self.node is not None else {f"{self.key}.along": self.x}

    def seat(self, point, parameters, offset):
        """Place on the beam, and the point's y and z."""
        along = self.x if self.node is not None else parameters[f"{self.name}.{self.key}.along"]
        arm = [parameters[f"{self.name}.{point.key}.{axis}"] for axis in "yz"] if point.at else []
        return ((self.element + along) / self.beam.elements, *arm)

    def at(self, *offset, key=None):
        """Point at (y, z) of the section, in m; that of the axis if none are given."""
        owner = f"point of beam '{self.name}'"
        if len(offset) not in (0, 2):
            raise ModelError(f"{owner}: {offset!r} are {len(offset)} numbers; a point of a section has two, y and z", element=self.name)
        at = tuple(check_number(owner, axis, x) for axis, x in zip("yz", offset, strict=False))
        if key is None and not at:
            for point in self.points.values():
                if point.body is self and not point.at:
                    return point
        key = f"#{len(self.points)}" if key is None else key
        self.points[key] = SectionPoint(self, key, at)
        return self.points[key]

    def at_start(self, point):
        """Place of a point at the start (numbers or arrays over samples)."""
        place = [0.0] * 3
        for k, size in enumerate((1.0, *point.at)):
            place = [p + size * x for p, x in zip(place, self._mixed(k), strict=True)]
        return tuple(place)

    def _mixed(self, k):
        """Position (k = 0) or gradients a (1), b (2) at the start."""
        q = self.beam.initial()[0][18 * self.element + 3 * k :]
        return [sum(q[9 * n + i] * f for n, f in enumerate(shapes(self.x))) for i in range(3)]

    # ---- polynomials
    def vector(self, equations, k):
        """Polynomials of the position (k = 0) or of the gradients a (1), b (2)."""
        if self.node is not None:
            return tuple(self.beam.variable(equations, 9 * self.node + 3 * k + i) for i in range(3))
        first = 18 * self.element + 3 * k
        mixed = list(enumerate(shapes(self.along(equations))))
        return tuple(sum(self.beam.variable(equations, first + 9 * n + i) * f for n, f in mixed) for i in range(3))

    def along(self, equations):
        """Node of the place in the element, from 0 to 1."""
        return equations.graph.const(self.x) if self.node is not None else equations.number(self, f"{self.key}.along")

    def origin(self, equations):
        """Position of the axis, as polynomials."""
        return self.vector(equations, 0)

    def place(self, equations, point):
        """Position of a point, as polynomials."""
        place = self.origin(equations)
        for k, axis in enumerate("yz"[: len(point.at)], 1):
            offset = equations.number(self, f"{point.key}.{axis}")
            place = tuple(p + g * offset for p, g in zip(place, self.vector(equations, k), strict=True))
        return place

    def direction(self, equations, *components):
        """A vector fixed in the section, as polynomials: linear in its plane, quadratic along its normal."""
        x, y, z = (equations.graph.const(c) for c in components)
        a, b = self.vector(equations, 1), self.vector(equations, 2)
        plane = [p * y + q * z for p, q in zip(a, b, strict=True)]
        return tuple(plane if x.zero else (p + n * x for p, n in zip(plane, cross3(a, b), strict=True)))

    # ---- rotation: the frame's, whose turn is what the strains of twist and bending are made of
    def _frame(self, equations):
        g = equations.graph
        a, b = equations.values(self.vector(equations, 1)), equations.values(self.vector(equations, 2))
        i, j = 1.0 / g.sqrt(dot(a, a)), 1.0 / g.sqrt(dot(b, b))
        a, b = [i * x for x in a], [j * x for x in b]
        return cross3(a, b), a, b, i, j

    def torque(self, equations, *moment):
        """Add a torque (components in the inertial frame), by virtual work on `spin`."""
        n, a, b, i, j = self._frame(equations)
        twist, second, third = 0.5 * dot(moment, n), dot(moment, a), dot(moment, b)
        forces = (
            [i * (twist * y - third * x) for x, y in zip(n, b, strict=True)],
            [j * (second * x - twist * y) for x, y in zip(n, a, strict=True)],
        )
        for k, force in enumerate(forces, 1):
            for component, f in zip(self.vector(equations, k), force, strict=True):
                for at, x in component.gradient(equations.q).items():
                    equations.generalized[at] = equations.generalized[at] + x * f

    def spin(self, equations):
        """Nodes of the angular velocity in the inertial frame."""
        n, a, b, i, j = self._frame(equations)
        u, w = ([s * x for x in equations.rates(self.vector(equations, k))] for k, s in ((1, i), (2, j)))
        first, second, third = 0.5 * (dot(u, b) - dot(w, a)), dot(w, n), -dot(u, n)
        return tuple(first * x + second * y + third * z for x, y, z in zip(n, a, b, strict=True))

    def turn(self, equations, point, *moment):
        """A moment on the section (`SectionTorque`)."""
        self.torque(equations, *moment)

    def section_spin(self, equations, point):
        """Nodes of the section's angular velocity (`SectionTorque`)."""
        return self.spin(equations)

    def wrench(self, equations, force):
        """Force, and moment about the section's origin, of a generalized force on all coordinates."""
        q, origin = self.beam.part(equations, equations.q), equations.values(self.origin(equations))
        zero = equations.graph.const(0.0)
        total, moments = [zero] * 3, [zero] * 3
        for k in range(0, len(q), 3):
            arm, f = q[k : k + 3], force[k : k + 3]
            if k % 9 == 0:
                arm, total = [x - y for x, y in zip(arm, origin, strict=True)], [x + y for x, y in zip(total, f, strict=True)]
            moments = [m + x for m, x in zip(moments, cross3(arm, f), strict=True)]
        return (*total, *moments)
