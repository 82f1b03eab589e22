"""Which nodes a function computes, in which order, and where it is cut."""

from __future__ import annotations

from collections import Counter

from flexmbd.language.kinds import CALL, FACTORS, LINEAR, PRODUCT, RESULT, SUBSTITUTION, SUMS, VARIABLE
from flexmbd.parameters import RUNTIME


class Guarded(list):
    """Stores of a function, and further ones in groups: those of a group are done only where a row of W is not zero in some lane.

    Attributes
    ----------
    groups : list of (int, list)
        That row, and the stores.
    """

    def __init__(self, stores, groups):
        super().__init__(stores)
        self.groups = groups


def groups_of(stores):
    """Groups of stores that are guarded, if any."""
    return stores.groups if isinstance(stores, Guarded) else []


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
    groups : list of (int, list), optional
        Of `Guarded` stores.

    Attributes
    ----------
    nodes : list of list of Node
        By piece, those to compute.
    stores : dict int -> list
        By id of a computed node, where it goes.
    guards : list of int
        By piece, the row of W that says whether it is done; -1: always.
    loose : dict int -> list of (where, Node)
        By piece, stores of what is only read.
    handed : list of int
        Ids of the nodes that a later piece uses.
    """

    def __init__(self, graph, stores, given, longest, groups=()):
        self.given, self._longest = given or {}, longest
        self.nodes, self.guards, self.stores, self.loose, self._of = [], [], {}, {}, {}
        needs = [{x.id for x in self._computed(graph, [node for _, node in members])} for _, members in groups]
        users = Counter(x for need in needs for x in need)
        shared = [graph.nodes[x] for x, count in users.items() if count > 1]
        self._cut(self._computed(graph, [node for _, node in stores] + shared), -1, stores)
        for guard, members in groups:
            found = self._computed(graph, [node for _, node in members])
            self._cut([x for x in found if x.id not in self._of], guard, members)
        self.count, handed = len(self.nodes), {}
        for k, members in enumerate(self.nodes):
            for node in members:
                for x in node.args:
                    if self._of.get(x.id, k) != k and not solution(x) and x.kind not in LINEAR:
                        handed[x.id] = None
        for k, loose in self.loose.items():  # what a group stores may belong to another piece
            handed |= {x.id: None for _, x in loose if self._of.get(x.id, k) != k and not solution(x)}
        self.handed = list(handed)

    def _computed(self, graph, roots):
        """Nodes to compute for these."""
        return [x for x in ordered(graph, roots, self.given) if not leaf(x) and x.id not in self.given]

    def _cut(self, nodes, guard, stores):
        """Further pieces for these nodes and stores."""
        first, weight = len(self.nodes), 0
        self.nodes.append([])
        for node in nodes:
            if weight >= self._longest and node.kind is not RESULT:
                self.nodes.append([])
                weight = 0
            k = self._of[node.id] = self._of.get(node.args[0].id, len(self.nodes) - 1) if node.kind is RESULT else len(self.nodes) - 1
            self.nodes[k].append(node)
            weight += cost(node)
        self.guards += [guard] * (len(self.nodes) - first)
        for where, node in stores:
            if self._of.get(node.id, -1) >= first and not solution(node):
                self.stores.setdefault(node.id, []).append(where)
            else:
                self.loose.setdefault(len(self.nodes) - 1, []).append((where, node))


def cost(node):
    """About how many instructions a node is."""
    return node.kind.cost + node.kind.each * len(node.args)


def solution(node):
    """True for an unknown of linear equations, or a number of a product: it stays in the row where a loop has put it."""
    return node.kind is RESULT and node.args[0].kind in (SUBSTITUTION, PRODUCT)


def rows_of(node):
    """How many rows a loop works in."""
    if node.kind in SUMS:
        return 1
    return (
        len(node.value[0].place) if node.kind is SUBSTITUTION else node.value[0].size + len(node.value[3] if node.kind is FACTORS else ())
    )


def leaf(node):
    """True for what is read, not computed, at run time."""
    return node.level < RUNTIME or node.kind is VARIABLE


def operations(roots, graph, given=()):
    """Number of operations and calls that the roots need at run time."""
    return sum(not leaf(x) and x.kind is not RESULT for x in ordered(graph, roots, given))


def ordered(graph, roots, given=()):
    """Needed nodes; what is known before run time, or given, is a leaf here."""
    seen, stack = set(), list(roots)
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.level == RUNTIME and node.id not in given:
            stack += [a for a in node.args if a.id not in seen]
    return [graph.nodes[i] for i in sorted(seen)]


def called(graph, roots):
    """Each `Kernel` that the run-time part of the roots calls, in the order of first use."""
    if not graph.kernels:
        return []
    columns, kernels = graph.columns.extended(graph.nodes), {}
    ids = columns.needed(roots)
    for node in (graph.nodes[i] for i in ids[columns.are(ids, CALL, *LINEAR, *SUMS)].tolist()):
        for *_, nodes in node.kind.grouped(node):
            kernels |= {kernel.name: kernel for kernel in called(graph, nodes)}
        if node.kind is CALL and node.level == RUNTIME:
            kernels[node.value.name] = node.value
    return list(kernels.values())
