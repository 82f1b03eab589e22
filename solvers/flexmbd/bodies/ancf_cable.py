"""Cables by the absolute nodal coordinate formulation: gradient-deficient Euler-Bernoulli elements, in the plane and in space.

A node has its position and its slope r' (derivative by the arc length of the undeformed line): 4 coordinates in the plane, 6 in
space.  Elements are cubic, the mass matrix is consistent and constant; an element's energy and forces are in `ancf_elastic`, their
kernels in `ancf_rules`.
"""

from dataclasses import dataclass, field

import numpy as np

from flexmbd.bodies.ancf_elastic import bending, shapes, strain
from flexmbd.bodies.ancf_line import Line
from flexmbd.bodies.ancf_rules import CURVATURES, RULES, STRAINS, cable_kernels, square, symmetric
from flexmbd.bodies.ancf_shaped import axial_points, reference, shaped_element
from flexmbd.bodies.shapes import Swept
from flexmbd.errors import ModelError, check_number, unit_vector
from flexmbd.language.nodes import in_vectors
from flexmbd.language.quadratic import cross, dot
from flexmbd.space import AXES


@dataclass(frozen=True, eq=False)
class AncfCable(Line):
    """Cable; made by `System.cable`.

    ``cable.start``, ``cable.end`` and ``cable.at(s)`` are its points.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> wire = {"section": fm.Section.circle(2e-3), "material": fm.material("steel")}
    >>> rope = s.cable("rope", length=1.0, elements=4, points={"middle": 0.5}, **wire)
    >>> ends = s.add(fm.Revolute("A", s.ground.at(0.0, 0.0), rope["start"])), s.add(fm.Revolute("B", s.ground.at(1.0, 0.0), rope["end"]))
    >>> round(1e3 * float(fm.static(s)["rope.middle.y"][-1]), 2)  # mm
    -2.18
    """

    name: str
    dimension: int
    length: object
    elements: int
    section: object
    material: object
    position: tuple
    along: tuple
    velocity: tuple
    spinning: tuple
    damping: object = 0.0
    strain: str = "green"
    curvature: str = "exact"
    integration: str = "reduced"
    shape: object = None
    nodes: object = None
    rates: object = None
    points: dict = field(default_factory=dict)

    kind = "cable"

    def __post_init__(self):
        owner, keep, d = self.owner, self.keep, self.dimension
        self.check_line(position=d, velocity=d, spinning=1 if d == 2 else 3)
        keep("along", unit_vector(owner, "direction", self.along, self.dimension))
        for key, known in (("strain", STRAINS), ("curvature", CURVATURES), ("integration", RULES)):
            if getattr(self, key) not in known:
                names = " or ".join(map(repr, known))
                raise ModelError(f"{owner}: {key} is {getattr(self, key)!r}; it must be {names}", element=self.name)
        damping = self.damping if isinstance(self.damping, (tuple, list)) else (self.damping, self.damping)
        if len(damping) != 2:
            raise ModelError(f"{owner}: damping is {self.damping!r}; it must be one number or two (axial, bending)", element=self.name)
        keep("damping", tuple(check_number(owner, "damping", x) for x in damping))
        if np.any(np.less(self.damping[0], 0.0)) or np.any(np.less(self.damping[1], 0.0)):
            raise ModelError(f"{owner}: damping is {self.damping!r}; it must be at least zero", element=self.name)
        self._check_stuff(owner)
        self.check_shape()
        self.at(0.0, key="start")
        self.at(self.length, key="end")

    def _check_stuff(self, owner):
        for key, what, names in (
            ("section", "a Section", ("area", "second_moment", "second_moment_y")),
            ("material", "a Material", ("E", "density")),
        ):
            thing = getattr(self, key)
            for name in names:
                if getattr(thing, name, None) is None:
                    raise ModelError(f"{owner}: {key} is {thing!r}; it must be {what} with '{name}'", element=self.name)
                check_number(owner, f"{name} of the {key}", getattr(thing, name), positive=True)
        if self.dimension == 3 and not np.allclose(self.section.second_moment, self.section.second_moment_y, rtol=1e-9, atol=0.0):
            raise ModelError(
                f"{owner}: the section has different second moments; a cable in space bends alike in all directions",
                element=self.name,
                remedy="take a round or square section",
            )

    # ---- description
    def parameters(self):
        """Length, axial stiffness EA, bending stiffness EI, mass per length, damping times, points."""
        material, section = self.material, self.section
        own = {
            "length": self.length,
            "EA": np.multiply(material.E, section.area),
            "EI": np.multiply(material.E, section.second_moment),
            "line_mass": np.multiply(material.density, section.area),
        }
        own |= dict(zip(("axial_damping", "bending_damping"), self.damping, strict=True)) if self.damped else {}
        if self.shape is not None:
            own |= {f"reference{e}.{k}": x for e, row in enumerate(reference(self, self.shape)) for k, x in enumerate(row)}
        return own | {key: x for point in self.points.values() for key, x in point.parameters().items()}

    @property
    def damped(self):
        """True unless both damping times are the number zero."""
        return any(np.ndim(x) or x for x in self.damping)

    def topology_key(self):
        """Number of elements, measures of strain, rule of integration, whether damped and curved, and where points are."""
        points = tuple((p.key, p.element, p.node) for p in self.points.values())
        return ("cable", self.elements, self.strain, self.curvature, self.integration, self.damped, self.shape is not None, points)

    def usual_shapes(self):
        """Its section along it."""
        return (Swept.of(self.section),)

    # ---- equations
    def apply(self, equations):
        """The elements: mass, weight, elastic forces and damping."""
        numbers = [
            equations.number(self, "line_mass"),
            self._element_length(equations),
            equations.number(self, "EA"),
            equations.number(self, "EI"),
        ]
        numbers += [equations.number(self, f"{key}_damping") for key in ("axial", "bending") if self.damped]
        size = 2 * self.dimension
        shaped = 0 if self.shape is None else len(reference(self, self.shape)[0])
        for e in range(self.elements):
            kind = (self.dimension, self.strain, self.curvature, self.integration, self.damped, bool(shaped))
            points = [equations.graph.const(x) for x in RULES[self.integration].points(e == 0, e == self.elements - 1)]
            own = [equations.number(self, f"reference{e}.{k}") for k in range(shaped)]
            equations.element(self, cable_element, kind, range(size * e, size * (e + 2)), numbers + points + own)

    def _vectors(self, equations, e, values):
        """Nodes of (r1 - r0)/l, r0', r1' of an element (or of their rates)."""
        size = 2 * self.dimension
        first = equations.first[self.name] + size * e
        return chord_and_slopes(values[first : first + 2 * size], self._element_length(equations))

    def outputs(self, equations):
        """Output name -> (function giving the node, unit)."""
        out = {f"{self.name}.strain_energy": (lambda: equations.quantity(self, "strain_energy"), "J")}
        for key, point in self.points.items():
            if key.startswith("#"):
                continue
            name = f"{self.name}.{key}"
            for i, axis in enumerate(AXES[: self.dimension]):
                out[f"{name}.slope_{axis}"] = (lambda p=point, i=i: equations.values(self.slope(equations, p))[i], "1")
            out[f"{name}.strain"] = (lambda p=point: self._measures(equations, p)[0], "1")
            out[f"{name}.curvature"] = (lambda p=point: self._measures(equations, p)[1], "1/m")
        return out

    def _measures(self, equations, point):
        """Axial strain and curvature (signed in the plane) by the cable's own measures; on a node of the element after it."""
        g, d, x = equations.graph, self.dimension, self._along(equations, point)
        y = self._vectors(equations, point.element, equations.q)
        c, a, b = y[:d], y[d : 2 * d], y[2 * d :]
        (na, nb), (u, v) = shapes(x)
        p = [k + na * (m - k) + nb * (n - k) for k, m, n in zip(c, a, b, strict=True)]
        s = [u * (m - k) + v * (n - k) for k, m, n in zip(c, a, b, strict=True)]
        P = g.select(g.greater(dot(p, p), 1e-12), dot(p, p), 1e-12)
        squared = bending(P, dot(p, s), dot(s, s), CURVATURES[self.curvature])
        size = g.sqrt(g.select(g.greater(squared, 0.0), squared, 0.0)) / self._element_length(equations)
        stretch = strain(P, STRAINS[self.strain], g.sqrt)
        return stretch, (g.select(g.greater(cross(p, s), 0.0), size, -size) if d == 2 else size)


def cable_element(element, dimension, strain, curvature, integration, damped, shaped=False):
    """One element of a cable.

    Its numbers: mass per length, length, EA, EI, two damping times if it is damped, the rule's points, the reference of one with a shape.
    """
    g, d = element.graph, dimension
    line_mass, le, axial, bending, *more = element.numbers
    times, more = (more[:2], more[2:]) if damped else ((), more)
    rule = RULES[integration]
    points, undeformed = more[: rule.given_numbers], more[rule.given_numbers :]
    mass, inverse = line_mass * le, 1.0 / le
    element.mass = consistent_mass(mass, le, d)
    element.add_gravity((0.5 * mass, le * mass * (1.0 / 12.0), 0.5 * mass, -(le * mass * (1.0 / 12.0))))
    if shaped:
        shaped_element(element, chord_and_slopes, strain, curvature, axial_points(integration, points), times, undeformed)
        return
    kernels, given = cable_kernels(dimension, strain, curvature, integration), rule.grouped(points)
    numbers = axial * le, bending * inverse
    y = chord_and_slopes(element.q, le)
    force = g.call(kernels.force, (in_vectors(y, d), *numbers, *given), len(y), _stiffness(g, kernels))
    energy = g.call(kernels.energy, (in_vectors(y, d), *numbers, *given), tangent=_force(g, kernels))
    element.add("potential", energy)
    element.add("strain_energy", energy)
    if element.before:
        arguments = in_vectors(y, d), in_vectors(chord_and_slopes(element.before, le), d), *numbers, *given
        mean = g.call(kernels.conserving, arguments, len(y), _mean_stiffness(g, kernels))
        element.discrete_gradients[force[0].args[0]] = mean[0].args[0]
    if damped:
        v = chord_and_slopes(element.v, le)
        losses = [n * time for n, time in zip(numbers, times, strict=True)]
        drag = g.call(kernels.damping, (in_vectors(y, d), in_vectors(v, d), *losses, *given), len(y), _viscosity(g, kernels))
        element.add("dissipated", g.dot((f, u) for f, u in zip(drag, v, strict=True)))
        force = [f + x for f, x in zip(force, drag, strict=True)]
    for i in range(d):
        pull = force[i] * inverse
        for at, f in ((0, -pull), (d, force[d + i]), (2 * d, pull), (3 * d, force[2 * d + i])):
            element.force[at + i] = element.force[at + i] - f


def consistent_mass(mass, le, d):
    """Upper triangle of the mass matrix of a cubic element of given mass and length in d dimensions."""
    m = mass * (1.0 / 420.0)
    pattern = (
        (156.0 * m, 22.0 * le * m, 54.0 * m, -13.0 * le * m),
        (4.0 * le * le * m, 13.0 * le * m, -3.0 * le * le * m),
        (156.0 * m, -22.0 * le * m),
        (4.0 * le * le * m,),
    )
    return {(d * j + i, d * k + i): x for j, row in enumerate(pattern) for k, x in enumerate(row, j) for i in range(d)}


def chord_and_slopes(values, le):
    """Nodes of (r1 - r0)/l, r0', r1' of r0, r0', r1, r1' (or of their rates)."""
    d, inverse = len(values) // 4, 1.0 / le
    r0, a, r1, b = (list(values[d * k : d * (k + 1)]) for k in range(4))
    return [(x - y) * inverse for x, y in zip(r1, r0, strict=True)] + a + b


def _force(graph, kernels):
    """Tangent of the energy."""

    def partial(arguments):
        size = len(arguments[0]) * len(arguments[0][0])
        return {(0, j): f for j, f in enumerate(graph.call(kernels.force, arguments, size, _stiffness(graph, kernels)))}

    return partial


def _tangent(graph, kernel, entries):
    """Tangent of a force from the kernel of its entries; ``entries(results, size)`` places them."""

    def partial(arguments):
        return entries(graph.call(kernel, arguments, kernel.results), len(arguments[0]) * len(arguments[0][0]))

    return partial


def _stiffness(graph, kernels):
    """Tangent of the force."""
    return _tangent(graph, kernels.tangent, symmetric)


def _mean_stiffness(graph, kernels):
    """Tangent of the conserving force."""
    return _tangent(graph, kernels.conserving_tangent, square)


def _viscosity(graph, kernels):
    """Tangent of the damping."""

    def entries(k, size):
        return square(k[: size * size], size) | symmetric(k[size * size :], size, size)

    return _tangent(graph, kernels.damping_tangent, entries)
