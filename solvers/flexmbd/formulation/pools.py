"""Elements of flexible bodies: what one writes, and pools of elements that are alike.

An element is written once, for coordinates and numbers that it is handed.  Where a system has few of them, each is written into the
system's own expressions; where it has many, one of them is compiled and run in a loop over a table (`Pool`), so that neither the size of
the code nor the time to build it grows with their number.
"""

from copy import copy

import numpy as np

from flexmbd.errors import ModelError


class Share:
    """What an element is handed, and what it writes: its share of a system's equations.

    Attributes
    ----------
    graph : Graph
    q, v : tuple of Node
        The element's own coordinates and their rates.
    numbers : tuple of Node
        The numbers that its body gave.
    gravity : tuple of Node
        Two or three components, m/s².
    force : list of Node
        Generalized force on its coordinates; add to it.
    mass : dict (i, j) -> Node
        Upper triangle of its constant mass matrix; set it.
    quantities : dict str -> Node
        Sums over elements that can be asked for (`Build.quantity`): ``"potential"`` is potential energy (J), ``"dissipated"`` power taken
        up by damping (W); others as the body likes.
    helpers : list of functions
        Kernels to be read at once, so that what is wrong with them is said; those that other kernels call are found by themselves.
    before : tuple of Node
        Coordinates at the start of the step, for exchanges.
    exchanges : dict Node -> Node
        Calls in the force, and what an integrator that conserves energy takes for them, with q in the middle of the step.
    """

    def __init__(self, graph, q, v, numbers, gravity, before=()):
        self.graph, self.q, self.v, self.numbers, self.gravity = graph, tuple(q), tuple(v), tuple(numbers), tuple(gravity)
        self.force = [graph.const(0.0)] * len(self.q)
        self.mass, self.quantities, self.helpers = {}, {}, []
        self.before, self.exchanges = tuple(before), {}

    def weigh(self, shares):
        """Add weight: `shares` of mass (kg, or kg m for slopes) of the vectors that the coordinates are, one after another."""
        d = len(self.gravity)
        for k, share in enumerate(shares):
            for i, weight in enumerate(self.gravity):
                at = d * k + i
                self.force[at] = self.force[at] + share * weight
                self.add("potential", -(share * weight * self.q[at]))

    def add(self, key, node):
        """Add to a quantity."""
        self.quantities[key] = self.quantities.get(key, self.graph.const(0.0)) + node


class Pool:
    """Elements that are alike: one written for variables of its own, and a table of which coordinates and numbers these are.

    In the expressions of the one element coordinates are ``x0, x1, ...``, rates ``y0...``, accelerations ``z0...``, coordinates at the
    start of the step ``b0...``, and numbers that differ between elements ``n0...``.

    Parameters
    ----------
    build : Build
    name : str
    write, kind
        See `Build.element`.
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
    share : Share
        What the one element wrote.
    """

    def __init__(self, build, name, write, kind, elements):
        g = build.graph
        self.name, self.graph, self.total, self._build, self._write, self._kind = name, g, build.n, build, write, kind
        self.coordinates = np.array([places for _, places, _ in elements], np.int32)
        self._numbers = [numbers for _, _, numbers in elements]
        columns = list(zip(*self._numbers, strict=True))
        shared = [all(x is column[0] for x in column) for column in columns]
        self.varying = list(zip(*(c for c, same in zip(columns, shared, strict=True) if not same), strict=True))
        names = iter(range(len(columns)))
        numbers = [column[0] if same else g.var(f"n{next(names)}") for column, same in zip(columns, shared, strict=True)]
        self.owners = {}
        for k, (body, _, _) in enumerate(elements):
            self.owners[body] = (self.owners.get(body, (k, k))[0], k + 1)
        self.share = self._written(numbers)
        self.mass = {ij: m for (i, j), m in self.share.mass.items() for ij in {(i, j), (j, i)}}
        if any(name[0] in "xyt" for m in self.mass.values() for name in g.variables(m)):
            raise ModelError("the mass matrix of a flexible body's element must be constant", remedy="add what varies by `Build.add_mass`")

    def _written(self, numbers):
        x, y, before = (self.variables(kind) for kind in "xyb")
        share = Share(self.graph, x, y, numbers, self._build.gravity, before)
        self._write(share, *self._kind)
        return share

    def under(self, force):
        """The pool with another force on the one element."""
        other = copy(self)
        other.share = copy(self.share)
        other.share.force = force
        return other

    @property
    def size(self):
        """Coordinates of an element."""
        return self.coordinates.shape[1]

    def variables(self, kind):
        """The one element's variables of a kind."""
        return [self.graph.var(f"{kind}{k}") for k in range(self.size)]

    def inertial(self, accelerations):
        """Mass matrix times accelerations, nodes of the one element."""
        total = [self.graph.const(0.0)] * self.size
        for (i, j), m in self.mass.items():
            total[i] = total[i] + m * accelerations[j]
        return total

    def diagonal(self, wanted):
        """Nodes of the diagonal of the mass matrix by coordinate, where wanted."""
        out, zero = {}, self.graph.const(0.0)
        for places, numbers in zip(self.coordinates.tolist(), self._numbers, strict=True):
            if wanted.intersection(places):
                mass = self._written(numbers).mass
                out |= {i: out.get(i, zero) + mass[k, k] for k, i in enumerate(places) if i in wanted}
        return out

    def unknowns(self):
        """Which unknown the one element's are, ``(elements, 2 size)``: its coordinates', then those that are as many further on."""
        return np.hstack([self.coordinates, self.coordinates + self.total])

    def couplings(self, keys):
        """Unknowns that entries (i, j) of an element's matrix couple: arrays (elements, members), one for each connected part."""
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
        return self.graph.total(self, node, *((0, len(self.coordinates)) if body is None else self.owners.get(body, (0, 0))))
