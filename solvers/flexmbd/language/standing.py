"""Nodes that stand for places and velocities of bodies: their derivatives by displacements of these bodies are told, not derived."""

from flexmbd.language import kinds
from flexmbd.language.nodes import Node
from flexmbd.parameters import RUNTIME


class Told:
    """Derivatives of nodes that stand for others, made when one is asked for."""

    __slots__ = ("_found", "_given")

    def __init__(self, nodes, variables, slopes):
        self._given, self._found = (nodes, variables, slopes), None

    def derivative(self, graph, node, variable):
        """The node of one, None where the variable is none of those told of."""
        if self._found is None:
            nodes, variables, slopes = self._given
            rows = zip(nodes, slopes(nodes), strict=True)
            self._found = {(made.id, x.id): graph.const(slope) for made, row in rows for x, slope in zip(variables, row, strict=True)}
        return self._found.get((node.id, variable.id))


def stands_for(graph, nodes, variables, slopes):
    """Nodes of the values of nodes, with derivatives by variables of one space that their terms do not have.

    They depend on no other variable of that space, whatever their terms depend on: the place of a body by displacements of this body alone,
    not by those of the bodies that it hangs on.  Each call makes other nodes.

    Parameters
    ----------
    nodes : sequence of Node
    variables : sequence of Node
    slopes : callable
        ``slopes(made)`` gives by node its derivatives, nodes or numbers, by the variables.

    Returns
    -------
    list of Node
    """
    zero = graph.const(0.0)
    found = [Node(graph, kinds.ADD, (graph.const(node), zero), RUNTIME) for node in nodes]
    told = Told(found, variables, slopes)
    for made in found:
        graph.told[made.id] = told
        graph.sources.stands(made, variables)
    return found
