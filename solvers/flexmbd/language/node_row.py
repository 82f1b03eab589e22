"""Constraint rows of any expression in the coordinates and time: screws, racks, cams."""

from flexmbd.errors import ModelError


class NodeRow:
    """A node of coordinates and time with the interface of `Quadratic`; its derivatives are the graph's.

    Values and derivatives are those at the coordinates of its formulation, and velocities must not depend on these.

    Parameters
    ----------
    equations : Formulation
    node : Node
        Unit m, or 1 for the sine of an angle.

    Raises
    ------
    ModelError
        If the node depends on velocities, contacts or further states, an angle counted in full turns among them.
    """

    __slots__ = ("graph", "indices", "node", "q", "time")

    quadratic = False

    def __init__(self, equations, node):
        self.graph, self.q, self.time, self.node = equations.graph, equations.q, equations.time, equations.graph.const(node)
        for x in self.graph.variables(self.node):
            if x.space not in ("q", "t", "displacement"):
                raise ModelError(
                    f"a constraint row depends on '{x}'; it may depend on coordinates and time only",
                    remedy="write what angles have to obey as the sine of an angle, which needs no full turns",
                )
        self.indices = {*self.graph.space("q").of(self.node)}  # coordinates that occur

    def value(self, q):
        """Node of the value."""
        if any(q[i] is not self.q[i] for i in self.indices):
            raise TypeError("a row of nodes has values at the coordinates of its formulation only")
        return self.node

    def gradient(self, q):
        """Nodes of the partial derivatives, by coordinate."""
        return self._slopes(self.value(q))

    def hessian(self):
        """Nodes of the second derivatives, upper triangle by (i, j)."""
        slopes = self.gradient(self.q)
        found = {(i, j): self.graph.derivative(x, self.q[j]) for i, x in slopes.items() for j in slopes if j >= i}
        return {key: x for key, x in found.items() if not x.zero}

    def time_derivative(self, t):
        """The row of the partial derivative by time."""
        return NodeRow(self, self.graph.derivative(self.node, t))

    def rate(self, q, v, t):
        """Node of the total time derivative."""
        return self.graph.dot(((x, v[i]) for i, x in self.gradient(q).items()), self.graph.derivative(self.node, t))

    def convective(self, q, v, t):
        """Second time derivative less the part linear in the accelerations."""
        rate = self.rate(q, v, t)
        return self.graph.dot(((x, v[i]) for i, x in self._slopes(rate).items()), self.graph.derivative(rate, t))

    def acceleration(self, q, v, a, t):
        """Node of the second time derivative."""
        return self.graph.dot(((x, a[i]) for i, x in self.gradient(q).items()), self.convective(q, v, t))

    def _slopes(self, node):
        found = {i: self.graph.derivative(node, self.q[i]) for i in sorted(self.indices)}
        return {i: x for i, x in found.items() if not x.zero}


def free_row(equations, row):
    """A `Row` whose polynomials have coefficients that depend on the coordinates, as one of nodes."""
    polynomial, branch = (None if x is None else NodeRow(equations, *equations.values((x,))) for x in (row.polynomial, row.branch))
    return type(row)(polynomial, row.measure, row.label, branch, row.penalty, row.size)
