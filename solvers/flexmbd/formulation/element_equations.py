"""What an element of a flexible body writes: its share of a system's equations."""

from functools import cache
from itertools import product

from flexmbd.language.derived import expanded


class ElementEquations:
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
        Sums over elements that can be asked for (`NaturalCoordinates.quantity`): ``"potential"`` is potential energy (J), ``"dissipated"``
        power taken up by damping (W); others as the body likes. Their derivatives are known wherever those of the element's nodes are.
    helpers : list of functions
        Kernels to be read at once, so that what is wrong with them is said; those that other kernels call are found by themselves.
    before : tuple of Node
        Coordinates at the start of the step, for discrete gradients.
    discrete_gradients : dict Node -> Node
        Calls in the force, and what an integrator that conserves energy takes for them, with q in the middle of the step.
    points : dict (law, vectors of a node) -> list of (weights, numbers)
        What was given to `point`.
    acts : Node or None
        Where it is zero all that the element adds is zero, and need not be computed.
    """

    def __init__(self, graph, q, v, numbers, gravity, before=()):
        self.graph, self.q, self.v, self.numbers, self.gravity = graph, tuple(q), tuple(v), tuple(numbers), tuple(gravity)
        self.force = [graph.const(0.0)] * len(self.q)
        self.mass, self.quantities, self.helpers, self.acts = {}, {}, [], None
        self.before, self.discrete_gradients, self.points, self._of_points = tuple(before), {}, {}, list(self.force)

    def written(self, write, kind):
        """Have the element written; a list of the forces that do not come from points."""
        write(self, *kind)
        apart = self.force
        self.force = [f - x for f, x in zip(apart, self._of_points, strict=True)]
        return apart

    def point(self, law, vectors, numbers=()):
        """Add what a law does at a point.

        Parameters
        ----------
        law : callable
            ``law(graph, values, rates, numbers)`` gives the forces that resist changes of `values`, and quantities as a dict; a function
            of a module.
        vectors : sequence of (int, sequence of float)
            By vector of the point: which one of a node it is made of, and with which weights, one for each node.  Their components one
            after another are the values.
        numbers : sequence of Node or float
            They do not depend on the coordinates.
        """
        d, (which, weights) = len(self.gravity), zip(*vectors, strict=True)
        values, rates = (self.graph.interpolated(vectors, x, d) for x in (self.q, self.v))
        numbers = tuple(self.graph.const(x) for x in numbers)
        force, quantities = law(self.graph, values, rates, numbers)
        for key, node in quantities.items():
            self.add(key, node)
        step, total = len(self.q) // len(weights[0]), list(self._of_points)
        for k, (vector, by_node) in enumerate(vectors):
            for (n, weight), i in product(enumerate(by_node), range(d)):
                at = step * n + d * vector + i
                total[at] = total[at] + weight * force[d * k + i]
        self._of_points = total
        self.points.setdefault((law, which), []).append((weights, numbers))

    def elastic(self, energy, vectors, numbers=()):
        """Add the energy at a point, J; the forces that it gives are its derivatives.

        Parameters
        ----------
        energy : callable
            ``energy(values, numbers)`` gives a node; a function of a module.
        vectors, numbers
            As those of `point`.
        """
        self.point(_resisting(energy), vectors, numbers)

    def add_gravity(self, shares):
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


@cache
def _resisting(energy):
    """Law of a point that stores an energy."""

    def law(graph, values, rates, numbers):
        (value,), (slopes,), _ = expanded(graph, lambda *x: [energy(x, numbers)], values, order=1)
        return slopes, {"potential": value}

    return law
