"""Constraint rows of a tree: of nodes, with derivatives by way of the bodies that they join."""

from flexmbd.errors import ModelError
from flexmbd.language.node_row import NodeRow
from flexmbd.language.quadratic import dot
from flexmbd.language.tracing import substitute


class PlacedRow(NodeRow):
    """A row of places of bodies.

    Parameters
    ----------
    equations : TreeCoordinates
    node : Node
    within : set of Placed, optional
        Those by whose coordinates it has derivatives, where it does not change when all that is further inwards moves.

    Attributes
    ----------
    slopes : dict Placed -> list of Node
        Derivatives by displacements of each body.
    """

    __slots__ = ("_equations", "_gradient", "_within", "slopes")

    def __init__(self, equations, node, within=None):
        super().__init__(equations, node)
        self._equations, self._within, self.slopes = equations, within, equations.slopes_of(self.node)
        found = enumerate(equations.inwards(self.slopes, within))
        self._gradient = {i: x for i, x in found if not x.zero}
        self.indices = set(self._gradient)

    def gradient(self, q):
        """Nodes of the partial derivatives, by coordinate."""
        self.value(q)
        return dict(self._gradient)

    @property
    def alone(self):
        """What the pivot of the row would be if it joined free bodies: not zero where joints of the tree already keep it."""
        total = self.graph.const(0.0)
        for made, slopes in self.slopes.items():
            total = total + dot([x * x for x in slopes], made.mobilities()[: len(slopes)])
        return total

    def time_derivative(self, t):
        """The row of the partial derivative by time."""
        return PlacedRow(self._equations, self.graph.derivative(self.node, t), self._within)

    def rate(self, q, v, t):
        """Node of the total time derivative."""
        return self._at(v, self._equations.time_derivative(self.node))

    def convective(self, q, v, t):
        """Second time derivative less the part linear in the accelerations."""
        rate = self._equations.time_derivative
        total = rate(self.graph.derivative(self.node, t))
        for made, slopes in self.slopes.items():
            total = total + dot([rate(x) for x in slopes], made.twist) + dot(slopes, [*made.drift[1], *made.drift[0]])
        return self._at(v, total)

    def _at(self, v, node):
        """A node of the coordinates' rates, with others in place of these: those at the start of a step, say."""
        own = self._equations.v
        return node if not own or v[0] is own[0] else substitute(self.graph, [node], dict(zip(own, v, strict=True)))[0]


class TurnRow(PlacedRow):
    """A row of an angle between bodies in the plane, which holds where its sine is zero; derivatives are those of the angle: numbers.

    Parameters
    ----------
    equations : TreeCoordinates
    node, sine : Node
        The angle, rad, and its sine.
    within : set of Placed, optional
    """

    __slots__ = ("sine",)

    def __init__(self, equations, node, sine, within=None):
        super().__init__(equations, node, within)
        self.sine = sine

    def value(self, q):
        """Node of the sine."""
        super().value(q)
        return self.sine


def of_places(equations, row, within=None):
    """A `Row` of nodes, or of a `NodeRow`, as one whose derivatives go by way of the bodies where it is of their places."""
    polynomial, branch = (_as_row(equations, x, within) for x in (row.polynomial, row.branch))
    return type(row)(polynomial, row.measure, row.label, branch, row.penalty, row.size)


def check_opened(joint, rows):
    """Refuse a joint that closes a loop in a direction in which no joint of it leaves anything to move."""
    if held := [row.label for row in rows if not row.polynomial.indices]:
        raise ModelError(
            f"joint '{joint.name}' closes a loop that cannot be opened there: {', '.join(held)} cannot change by any joint of the loop",
            element=joint.name,
            remedy="take a joint out of the loop, or let it hold less; or keep rows that depend on others: constraints = 'augmented'",
        )


def _as_row(equations, x, within):
    if x is None:
        return None
    if isinstance(x, TurnRow):
        return TurnRow(equations, x.node, x.sine, within)
    node = x.node if isinstance(x, NodeRow) else equations.values((x,))[0]
    return NodeRow(equations, node) if equations.slopes_of(node) is None else PlacedRow(equations, node, within)
