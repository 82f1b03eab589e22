"""Which variables nodes depend on: a set of variables is an integer with a bit for each, so that those of long chains take little room."""

from flexmbd.language.kinds import VARIABLE


class Sources:
    """Sets of variables of a graph's nodes.

    Parameters
    ----------
    graph : Graph
    """

    def __init__(self, graph):
        self._graph, self._known, self._bits, self._spaces, self._standing = graph, {}, [], {}, {}

    def bit(self, variable):
        """The set of one variable, a node."""
        if variable.id not in self._known:
            self._known[variable.id] = found = 1 << len(self._bits)
            self._bits.append(variable)
            space = variable.value.space
            self._spaces[space] = self.space(space) | found
        return self._known[variable.id]

    def space(self, name):
        """The set of all variables of a space that have come up so far."""
        return self._spaces.get(name, 0)

    def of(self, node):
        """The set of a node."""
        known, stack = self._known, [node]
        while stack:
            x = stack[-1]
            if x.kind is VARIABLE:
                self.bit(x)
            if x.id in known:
                stack.pop()
                continue
            grouped = x.kind.grouped(x)
            open_ones = [a for a in (*x.args, *(a for *_, nodes in grouped for a in nodes)) if a.id not in known]
            if open_ones:
                stack += open_ones
                continue
            stack.pop()
            sets = [known[a.id] for a in x.args]
            for group, start, stop, nodes in grouped:
                own = {y.value for a in nodes for y in self.variables(a)}
                sets += [self.bit(self._graph.var(*y)) for y in group.of_system(own, start, stop)]
            total = 0
            for one in sets:
                total |= one
            if x.id in self._standing:
                variables = self._standing.pop(x.id)
                total = (total & ~self.space(variables[0].value.space)) | sum(map(self.bit, variables))
            known[x.id] = next((one for one in sets if one == total), total)  # nodes with the same ones share the set
        return known[node.id]

    def stands(self, node, variables):
        """Say of which variables a node depends in place of all of their space that its arguments depend on."""
        self._standing[node.id] = variables

    def variables(self, node, space=None):
        """Nodes of the variables that a node depends on, of a space or of all, in the order in which they came up."""
        rest, found = self.of(node), []
        if space is not None:
            rest &= self.space(space)
        while rest:
            low = rest & -rest
            found.append(self._bits[low.bit_length() - 1])
            rest ^= low
        return sorted(found, key=lambda x: x.id)
