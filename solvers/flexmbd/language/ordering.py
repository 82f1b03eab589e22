"""Which nodes a function computes, in which order, and where it is cut."""

from __future__ import annotations

from flexmbd.language.nodes import LANE, RUNTIME, UNIFORM, Node

LINEAR = ("factors:", "substitution:")


class Pieces:
    """Nodes of a function in pieces.

    Parameters
    ----------
    graph : Graph
    stores : list of (where, Node)
    given : dict int -> int, optional
        By id, rows of factors that are there already.
    longest : int
        Nodes of a piece.

    Attributes
    ----------
    nodes : list of list of Node
        By piece, those to compute.
    stores : dict int -> list
        By id of a computed node, where it goes.
    loose : list of (where, Node)
        Stores of what is only read.
    handed : list of int
        Ids of the nodes that a later piece uses.
    """

    def __init__(self, graph, stores, given, longest):
        self.given = given or {}
        nodes = [x for x in ordered(graph, [node for _, node in stores], self.given) if not leaf(x) and x.id not in self.given]
        of, self.nodes, weight = {}, [[]], 0
        for node in nodes:
            if weight >= longest and node.op != "out":
                self.nodes.append([])
                weight = 0
            k = of[node.id] = of[node.args[0].id] if node.op == "out" and node.args[0].id in of else len(self.nodes) - 1
            self.nodes[k].append(node)
            weight += cost(node)
        self.count, self.stores, self.loose, handed = len(self.nodes), {}, [], {}
        for where, node in stores:
            if node.id in of and not solution(node):
                self.stores.setdefault(node.id, []).append(where)
            else:
                self.loose.append((where, node))
        for k, members in enumerate(self.nodes):
            for node in members:
                for x in (a for a in node.args if isinstance(a, Node)):
                    if of.get(x.id, k) != k and not solution(x) and not x.op.startswith(LINEAR):
                        handed[x.id] = None
        self.handed = list(handed)


def cost(node):
    """About how many instructions a node is."""
    if node.op.startswith("call:"):
        return 4 + len(node.args)
    return 30 + len(node.args) if node.op.startswith((*LINEAR, "total:", "lookup:")) else 1


def solution(node):
    """True for an unknown of linear equations."""
    return node.op == "out" and node.args[0].op.startswith("substitution:")


def leaf(node):
    """True for what is read, not computed, at run time."""
    return node.op in ("const", "var") or node.level in (UNIFORM, LANE)


def operations(roots, graph, given=()):
    """Number of operations and calls that the roots need at run time."""
    return sum(not leaf(x) and x.op != "out" for x in ordered(graph, roots, given))


def ordered(graph, roots, given=()):
    """Needed nodes; what is known before run time, or given, is a leaf here."""
    seen, stack = set(), list(roots)
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.level == RUNTIME and node.id not in given:
            stack.extend(a for a in node.args if isinstance(a, Node))
    return [graph.nodes[i] for i in sorted(seen)]


def called(graph, roots):
    """Each `Kernel` that the run-time part of the roots calls, in the order of first use."""
    kernels = {}
    for node in ordered(graph, roots):
        for *_, nodes in in_pools(node):
            kernels |= {kernel.name: kernel for kernel in called(graph, nodes)}
        if node.op.startswith("call:") and node.level == RUNTIME:
            name = node.op.removeprefix("call:")
            kernels[name] = graph.kernels[name]
    return list(kernels.values())


def in_pools(node):
    """What linear equations or a sum take from pools: (pool, first element, element behind the last or None, nodes of one element)."""
    if node.op.startswith("total:"):
        pool, one, start, stop = node.value
        return [(pool, start, stop, [one])]
    parts = node.value[2] if node.op.startswith(LINEAR) else ()
    return [(pool, 0, None, list(part.values()) if isinstance(part, dict) else part) for pool, part in parts]
