"""Natural coordinates: from a `System` to graph expressions.

`NaturalCoordinates` is what joints, forces and contacts are handed; each writes its own share.
"""

from itertools import combinations

from flexmbd.errors import ModelError
from flexmbd.formulation.base import Formulation, written
from flexmbd.formulation.element_equations import ElementEquations
from flexmbd.formulation.groups import Group
from flexmbd.formulation.neighbours import Pairs
from flexmbd.joints.ideal import turn_row
from flexmbd.space import turning_matrix

FEW = 3  # members whose pairs are written one by one


class NaturalCoordinates(Formulation):
    """Natural coordinates: places are linear in them, so that ideal joints are quadratic rows (García de Jalón and Bayo 1994)."""

    @staticmethod
    def parts(system):
        """Coordinates of each body."""
        return {body.name: list(body.measures) for body in system.bodies}

    @staticmethod
    def initial(system):
        """Those of the bodies."""
        return system.initial()

    def bodies(self):
        """Those of the system."""
        self.write(self.system.bodies)

    def write(self, bodies):
        """Each body's share, and elements of flexible bodies."""
        self._written, self._alike, self._quantities = bodies, {}, {}
        for body in bodies:
            self.graph.mark()
            i = self.first[body.name]
            self.add_mass({(i + j, i + k): x for (j, k), x in body.mass_matrix(self).items()})
            self.rows += body.rows(self)
            with written(body):
                body.apply(self)
        for (write, kind, *_), elements in self._alike.items():
            with written(next(body for body in bodies if body.name == elements[0][0])):
                self.elements(write, kind, elements)

    def rows_of(self, element, written):
        """Rows of a joint."""
        try:
            return written(self)
        except ValueError as error:  # products of directions of bodies whose directions are products themselves
            raise ModelError(
                f"joint '{element.name}': {error}; these bodies' directions are not linear in their coordinates",
                element=element.name,
                remedy="put a small rigid body between them, or choose an axis across the beam",
            ) from error

    def turn(self, joint, angle):
        """Row that turns b's frame by an angle, a node of time, against a's, in the plane."""
        return turn_row(self, joint, *self.sincos(angle))

    def natural(self):
        """Its own."""
        return *self.q, *self.v

    # ---- what elements read
    def direction(self, body, *components):
        """A vector fixed in a body, in the inertial frame, as polynomials."""
        return body.direction(self, *components)

    def place(self, point):
        """Inertial position of a body-fixed point, as polynomials."""
        return point.body.place(self, point)

    def slope(self, point):
        """Derivative of a cable's place by its arc length, at a point of it, as polynomials."""
        return point.body.slope(self, point)

    def between(self, a, b):
        """Vector from point a to point b, as polynomials."""
        return [q - p for p, q in zip(self.place(a), self.place(b), strict=True)]

    def values(self, polynomials):
        """Nodes of the values of polynomials."""
        return tuple(p.value(self.q) for p in polynomials)

    def rates(self, polynomials):
        """Nodes of the total time derivatives of polynomials."""
        return tuple(p.rate(self.q, self.v, self.time) for p in polynomials)

    def velocity(self, point):
        """Nodes of the velocity of a point."""
        return self.rates(self.place(point))

    def acceleration(self, point):
        """Nodes of the acceleration of a point (available to outputs)."""
        return tuple(p.acceleration(self.q, self.v, self.a, self.time) for p in point.body.place(self, point))

    def spin(self, body):
        """Node of a body's angular velocity; in space its three components in the inertial frame."""
        return body.spin(self)

    def angle(self, body):
        """Node of a planar body's angle, counting full turns."""
        return body.full_angle(self)

    # ---- what elements write
    def force(self, point, *components):
        """Add a force at a point, by virtual work."""
        for place, f in zip(point.body.place(self, point), components, strict=True):
            for i, x in place.gradient(self.q).items():
                self.generalized[i] = self.generalized[i] + x * f

    def turning(self, *, every=True):
        """Those of planar rigid bodies."""
        bodies = [body for body in self._written if body.name in self.system.angles()]
        bodies = [body for body in bodies if every or f"{body.name}.angle" in self._state_index]
        nodes = [body.full_angle(self) for body in bodies]
        return {body.name: (x, self._number_of(self.state(body, "angle"))) for body, x in zip(bodies, nodes, strict=True)}

    @staticmethod
    def turning_matrix(system, spinning):
        """Coordinates are those of vectors, which turn, or stay out of it."""
        return turning_matrix(system, spinning)

    def torque(self, body, *moment):
        """Add a torque on a body; in space its components in the inertial frame."""
        body.torque(self, *moment)

    def element(self, body, write, kind, coordinates, numbers):
        """Add an element of a flexible body.

        Parameters
        ----------
        body : Body
        write : callable
            ``write(element, *kind)`` writes it into an `ElementEquations`; a function of a module, so that elements that are alike are
            known as such.
        kind : tuple
            What of the element decides its code: plain values.
        coordinates : sequence of int
            Which of the body's coordinates are the element's.
        numbers : sequence of Node
        """
        first = self.first[body.name]
        places = tuple(first + k for k in coordinates)
        self._alike.setdefault((write, kind, len(places), len(numbers)), []).append((body.name, places, tuple(numbers)))

    def elements(self, write, kind, elements):
        """Write elements that are alike, a list of (owner, coordinates of the system, numbers): many as a group."""
        tuning = self.graph.tuning
        if len(elements) > tuning.single_elements or len(elements[0][1]) > tuning.single_size or self.direct:
            self._add_group(Group(self, f"pool{len(self.groups)}", write, kind, elements))
        else:
            for element in elements:
                self._single(write, kind, *element)

    def pairs(self, owner, write, kind, members, reach):
        """Write what acts between all pairs of members that are near each other (`formulation.neighbours.Pairs`)."""
        if len(members) > FEW or self.direct:
            self._add_group(Pairs(self, f"pool{len(self.groups)}", write, kind, owner, members, reach))
        else:
            for (a, of_a), (b, of_b) in combinations(members, 2):
                self._single(write, kind, owner, a + b, of_a + of_b)

    def _single(self, write, kind, body, places, numbers):
        before = (self.graph.var("o", i) for i in places)
        element = ElementEquations(self.graph, (self.q[i] for i in places), (self.v[i] for i in places), numbers, self.gravity, before)
        element.written(write, kind)
        self.discrete_gradients |= element.discrete_gradients
        self._use(element.helpers)
        for i, f in zip(places, element.force, strict=True):
            self.generalized[i] = self.generalized[i] + f
        for (j, k), m in element.mass.items():
            self.add_mass({tuple(sorted((places[j], places[k]))): m})
        for key, node in element.quantities.items():
            self._keep(body, key, node)
            self._book_quantity(key, node)

    def _add_group(self, group):
        self.groups.append(group)
        self.inertia.add({}, varying=not group.constant)
        self._use(group.element.helpers)
        for key, node in group.element.quantities.items():
            for body in group.owners:
                self._keep(body, key, group.sum(node, body))
            self._book_quantity(key, group.sum(node))

    def _keep(self, body, key, node):
        self._quantities[body, key] = self._quantities.get((body, key), self.graph.const(0.0)) + node

    def _book_quantity(self, key, node):
        if key == "potential":
            self.potential(node)
        elif key == "stored":
            self.contact_energy(node)
        elif key in ("dissipated", "contact"):
            self.power(key, node)

    def quantity(self, owner, key):
        """Node of the sum of a quantity over elements of a body, or of an owner of this name."""
        return self._quantities.get((getattr(owner, "name", owner), key), self.graph.const(0.0))

    def reaction(self, element, body):
        """Force and moment about the centre of mass that a joint's multipliers exert on a body, as one tuple."""
        i, k0 = self.first[body.name], self.owner[element.name]
        force = [self.graph.const(0.0)] * body.coordinates
        for k in range(k0, k0 + len(element.rows(self))):
            for j, x in self.rows[k].polynomial.gradient(self.q).items():
                if i <= j < i + body.coordinates:
                    force[j - i] = force[j - i] - self.multipliers[k] * x
        return body.wrench(self, force)
