"""Elements of flexible bodies: what one writes, and pools of elements that are alike.

An element is written once, for coordinates and numbers that it is handed.  Where a system has few of them, each is written into the
system's own expressions; where it has many, one of them is compiled and run in a loop over a table (`Pool`), so that neither the size of
the code nor the time to build it grows with their number.
"""


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
        Kernels that the kernels called here call themselves, in the order in which they are needed.
    """

    def __init__(self, graph, q, v, numbers, gravity):
        self.graph, self.q, self.v, self.numbers, self.gravity = graph, tuple(q), tuple(v), tuple(numbers), tuple(gravity)
        self.force = [graph.const(0.0)] * len(self.q)
        self.mass, self.quantities, self.helpers = {}, {}, []

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
