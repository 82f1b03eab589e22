"""Elements of flexible bodies: what one writes, and groups of elements that are alike.

An element is written once, for coordinates and numbers that it is handed.  Where a system has few of them, each is written into the
system's own expressions; where it has many, one of them is compiled and run in a loop over a table (`Group`), so that neither the size of
the code nor the time to build it grows with their number.  Where an element's forces are those of a law at several points, whose vectors
are interpolated from its nodes (`ElementEquations.point`), the tangent of the law at one point is compiled, and runs in a loop over points
(`QuadraturePoints`).
"""

import itertools
from copy import copy
from functools import cached_property
from itertools import product

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.formulation.element_equations import ElementEquations
from flexmbd.language.variables import OWN, Variable


class Group:
    """Elements that are alike: one written for variables of its own, and a table of which coordinates and numbers these are.

    In the expressions of the one element coordinates are ``x0, x1, ...``, rates ``y0...``, accelerations ``z0...``, coordinates at the
    start of the step ``b0...``, and numbers that differ between elements ``n0...``.

    Parameters
    ----------
    equations : NaturalCoordinates
    name : str
    write, kind
        See `NaturalCoordinates.element`.
    elements : list of (str, tuple of int, tuple of Node)
        Name of the body, coordinates of the system, numbers.

    Attributes
    ----------
    coordinates : ndarray (elements, size)
        Of the system.
    varying : list of tuple of Node
        By element, the numbers that differ.
    owners : dict str -> (int, int)
        By body, the range of its elements.
    element : ElementEquations
        What the one element wrote.
    points : list of QuadraturePoints
    force : list of Node
        Less what comes from points.
    constant : bool
        Its mass depends neither on coordinates nor on time; else the forces that follow from that are among `force`.
    """

    sign, constant = 1.0, True  # of `force`
    further = ()  # columns of the table behind coordinates and numbers

    def __init__(self, equations, name, write, kind, elements):
        g = equations.graph
        self.name, self.graph, self.total, self._equations, self._write, self._kind = name, g, equations.n, equations, write, kind
        self.element, self.force = self._written(self._tabulated(elements))
        self.points = [QuadraturePoints(self, f"{name}.points{k}", *key, of) for k, (key, of) in enumerate(self.element.points.items())]
        self.mass = {ij: m for (i, j), m in self.element.mass.items() if not m.zero for ij in {(i, j), (j, i)}}
        if needed := {x.space for m in self.mass.values() for x in g.variables(m)}.difference("n"):
            if not needed <= {"x", "t"}:
                raise ModelError("masses of a flexible body's element may depend on its coordinates and on time alone")
            self.constant = False
            self._add_gyroscopic(equations)

    def _tabulated(self, elements):
        """Keep tables of coordinates, numbers and owners; the numbers of the one element."""
        self.coordinates = np.array([places for _, places, _ in elements], np.int32)
        self._numbers = [numbers for _, _, numbers in elements]
        numbers, self.varying = self._told_apart(self._numbers)
        self.owners = {}
        for k, (body, _, _) in enumerate(elements):
            self.owners[body] = (self.owners.get(body, (k, k))[0], k + 1)
        return numbers

    def _told_apart(self, rows, first=0):
        """Numbers of the one element, variables from `first` on where they differ, and by element those that differ."""
        columns = list(zip(*rows, strict=True))
        shared = [all(x is column[0] for x in column) for column in columns]
        names = itertools.count(first)
        numbers = [column[0] if same else self.graph.var("n", next(names)) for column, same in zip(columns, shared, strict=True)]
        return numbers, list(zip(*(c for c, same in zip(columns, shared, strict=True) if not same), strict=True))

    def _add_gyroscopic(self, equations):
        """Forces of the one element's kinetic energy that are no accelerations, as `MassMatrix` adds them of the system's."""
        g, x, y = self.graph, self.variables("x"), self.variables("y")
        momenta = self.inertial(y)
        kinetic = 0.5 * g.dot(zip(momenta, y, strict=True))
        rates = [g.dot(((g.derivative(p, a), b) for a, b in zip(x, y, strict=True)), g.derivative(p, equations.time)) for p in momenta]
        found = [g.derivative(kinetic, a) - rate for a, rate in zip(x, rates, strict=True)]
        self.force, self.element.force = (
            [f + more for f, more in zip(one, found, strict=True)] for one in (self.force, self.element.force)
        )
        equations.power("external", -self.sum(g.derivative(kinetic, equations.time)))

    def _written(self, numbers, *own):
        x, y = own or (self.variables(kind) for kind in "xy")
        before = self.variables("b")
        element = ElementEquations(self.graph, x, y, numbers, self._equations.gravity, before)
        return element, element.written(self._write, self._kind)

    def under(self, force):
        """The group with another force on the one element."""
        if force == self.element.force:
            return self
        other = copy(self)
        other.element, other.force, other.points = copy(self.element), force, []
        other.element.force = force
        return other

    @property
    def parts(self):
        """What adds to the tangent."""
        return [self, *self.points]

    @property
    def size(self):
        """Coordinates of an element."""
        return self.coordinates.shape[1]

    @property
    def count(self):
        """Elements."""
        return len(self.coordinates)

    @cached_property
    def touched(self):
        """Coordinates of the system that are some element's."""
        return set(self.coordinates.ravel().tolist())

    def variables(self, space):
        """The one element's variables of a space."""
        return self.graph.space(space).first(self.size)

    def inertial(self, accelerations):
        """Mass matrix times accelerations, nodes of the one element."""
        total = [self.graph.const(0.0)] * self.size
        for (i, j), m in self.mass.items():
            total[i] = total[i] + m * accelerations[j]
        return total

    def slopes(self, vector):
        """Derivatives of the mass matrix times a vector by the one element's coordinates, the vector held, by (i, j)."""
        found = {}
        for (i, j), m in {} if self.constant else self.mass.items():
            for k, slope in self.graph.slopes(m, self.variables("x")):
                found[i, k] = found.get((i, k), 0.0) + slope * vector[j]
        return found

    def diagonal(self, wanted):
        """Nodes of the diagonal of the mass matrix by coordinate, where wanted."""
        out, zero = {}, self.graph.const(0.0)
        for places, numbers in zip(self.coordinates.tolist(), self._numbers, strict=True) if self.mass else ():
            if wanted.intersection(places):
                own = () if self.constant else [[x[i] for i in places] for x in (self._equations.q, self._equations.v)]
                mass = self._written(numbers, *own)[0].mass
                out |= {i: out.get(i, zero) + mass[k, k] for k, i in enumerate(places) if i in wanted}
        return out

    # ---- variables of the one element, and those of the system
    def of_system(self, variables, start=0, stop=None):
        """The system's variables that elements' nodes depend on, whose own variables are given."""
        out = set()
        for x in variables:
            if x.space in OWN:
                out |= {Variable(OWN[x.space], i) for i in self.coordinates[start:stop, x.number].tolist()}
            elif x.space != "n":
                out.add(x)
        return out

    def elements_of(self, variable, start, stop):
        """(variable of the one element, element) wherever it is this variable of the system."""
        space, i = variable.value
        for own in (own for own, of in OWN.items() if of == space):
            for e, k in np.argwhere(self.coordinates[start:stop] == i).tolist():
                yield self.graph.var(own, k), start + e

    def of_element(self, e, variables, parameters):
        """Values of an element's variables by space, from those of the system's and the parameters."""
        own = {one: [variables[of][i] for i in self.coordinates[e]] for one, of in OWN.items() if of in variables}
        return {**variables, **own, "n": self.graph.evaluate(self.varying[e], parameters=parameters) if self.varying else ()}

    def values(self, node, start, stop, variables, parameters):
        """Values of a node of the one element, for one element after another."""
        return self._values(node, self.coordinates[start:stop], self.varying[start:stop], variables, parameters)

    def _values(self, node, coordinates, varying, variables, parameters):
        """The same by a table of coordinates and one of numbers."""
        if not len(coordinates):
            return []
        own, count = {}, len(coordinates)
        for one, of in OWN.items():
            if of in variables:
                own[one] = by_element([variables[of][i] for i in coordinates.ravel().tolist()], count)
        if varying:
            own["n"] = by_element(self.graph.evaluate([x for numbers in varying for x in numbers], parameters=parameters), count)
        found = np.asarray(self.graph.evaluate([node], {**variables, **own}, parameters)[0])
        found = np.broadcast_to(found, (count, *np.shape(found)[1:]))
        return found[:, 0] if found.shape[1:] == (1,) else found

    def unknowns(self):
        """Which unknown the one element's are, ``(elements, 2 size)``: its coordinates', then those that are as many further on."""
        return np.hstack([self.coordinates, self.coordinates + self.total])

    def entries(self, matrix):
        """Entries of an element's matrix, a list of (i, j), for one that is given by (i, j)."""
        return list(matrix)

    def couplings(self, matrix):
        """Unknowns that entries of an element's matrix couple: arrays (elements, members), one for each connected part."""
        keys = self.entries(matrix)
        left = {k: {k} for ij in keys for k in ij}
        for i, j in keys:
            if left[i] is not left[j]:
                left[i] |= left[j]
                for k in left[j]:
                    left[k] = left[i]
        parts = {id(part): sorted(part) for part in left.values()}
        return [self.unknowns()[:, part] for part in parts.values()]

    def sum(self, node, body=None):
        """Node of the sum of the one element's node over all elements, or over a body's."""
        return self.graph.total(self, node, *((0, self.count) if body is None else self.owners.get(body, (0, 0))))


def by_element(values, count):
    """Values of so many elements, numbers or arrays over samples, one element's after another's: an array (elements, samples) for each."""
    return list(np.array(np.broadcast_arrays(*values), float).reshape(count, len(values) // count, -1).transpose(1, 0, 2))


class QuadraturePoints(Group):
    """Points of a group's one element at which a law acts; what its tangent adds to the element's follows from the weights.

    In the expressions of the one point values are ``x0, x1, ...``, rates ``y0...``, and numbers that differ between points ``c0...``.  Its
    matrix is by values; further columns are those of rates, or of other unknowns that follow the coordinates.

    Parameters
    ----------
    group : Group
    name : str
    law, vectors, points
        Of `ElementEquations.points`.

    Attributes
    ----------
    weights : ndarray (points, vectors, nodes)
    force : list of Node
        Of the one point, resisting.
    given : list of dict Variable -> Node
        By point, its variables, in the element's.
    dimension : int
        Of a vector.
    """

    sign, mass = -1.0, {}

    def __init__(self, group, name, law, vectors, points):
        g = self.graph = group.graph
        self.group, self.name, self.vectors, self.dimension = group, name, vectors, len(group.element.gravity)
        self.weights = np.array([weights for weights, _ in points], float)
        columns = list(zip(*(numbers for _, numbers in points), strict=True))
        differ = {k: Variable("c", k) for k, column in enumerate(columns) if any(x is not column[0] for x in column)}
        self.given = [{x: columns[k][p] for k, x in differ.items()} for p in range(len(points))]
        for given, (weights, _) in zip(self.given, points, strict=True):
            for space in "xy":
                values = g.interpolated(list(zip(vectors, weights, strict=True)), group.variables(space), self.dimension)
                given |= {Variable(space, k): x for k, x in enumerate(values)}
        if any(own.space in OWN for column in columns for x in column for own in g.variables(x)):
            raise ModelError("the numbers of a point of a flexible body's element must not depend on its coordinates")
        numbers = [g.var(*differ[k]) if k in differ else column[0] for k, column in enumerate(columns)]
        self.force, _ = law(g, self.variables("x"), self.variables("y"), numbers)

    @property
    def size(self):
        """Values of a point."""
        return self.dimension * len(self.vectors)

    def of_system(self, variables, start=0, stop=None):
        """The system's variables that points' nodes depend on."""
        nodes = [x for given in self.given for x in given.values()] if variables else []
        inner = {variable for x in nodes for variable in self.graph.variables(x)}
        rest = {x for x in variables if x.space not in ("x", "y", "c")}
        return self.group.of_system(inner | rest, start, stop)

    def unknowns(self):
        """Those of the group."""
        return self.group.unknowns()

    def blocks(self, matrix):
        """Pairs of vectors that a matrix couples, in order; a column from `vectors` on is of rates or further unknowns."""
        d = self.dimension
        return sorted({(i // d, j // d) for i, j in matrix})

    def rows(self, matrix):
        """By vector of a node: the point's vectors that are of it, and the columns that these are coupled to.

        The columns are a dict (0, or 1 for further unknowns; vector of a node) -> list.
        """
        out, count = {v: ([k for k, x in enumerate(self.vectors) if x == v], {}) for v in sorted(set(self.vectors))}, len(self.vectors)
        for k, c in self.blocks(matrix):
            of = out[self.vectors[k]][1].setdefault((c // count, self.vectors[c % count]), [])
            of += [] if c in of else [c]
        return out

    def entries(self, matrix):
        """Entries of the element's matrix: by vector of a node, node, component, other node, its vectors, their components."""
        nodes, d = range(self.weights.shape[2]), self.dimension
        step, out = self.group.size // len(nodes), []
        for v, (_, columns) in self.rows(matrix).items():
            for n, i, m in product(nodes, range(d), nodes):
                at = step * n + d * v + i
                out += [(at, self.group.size * more + step * m + d * w + j) for more, w in columns for j in range(d)]
        return out
