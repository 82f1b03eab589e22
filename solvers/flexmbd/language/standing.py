"""Nodes that stand for places and velocities of bodies: their derivatives by displacements of these bodies are told, not derived."""

from flexmbd.language import kinds
from flexmbd.language.nodes import Node
from flexmbd.parameters import RUNTIME


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
    space, zero, found = variables[0].value.space, graph.const(0.0), []
    own = sum(map(graph.sources.bit, variables))
    for node in map(graph.const, nodes):
        made = Node(graph, kinds.ADD, (node, zero), RUNTIME)
        graph.sources.told(made, (graph.sources.of(node) & ~graph.sources.space(space)) | own)
        found.append(made)
    for made, row in zip(found, slopes(found), strict=True):
        graph.told |= {(made.id, x.id): graph.const(slope) for x, slope in zip(variables, row, strict=True)}
    return found
