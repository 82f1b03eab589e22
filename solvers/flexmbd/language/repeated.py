"""Functions of nodes that are called again and again, for one link of a chain after another: done once, and repeated for arguments alike.

Arguments are alike if the same ones are constants, with the same values, negatives, and equal to each other: then the graph folds the same
operations.  What is repeated is what the function itself would make, node by node in the same order, at a fraction of the time.
"""

from contextlib import contextmanager

from flexmbd.language.kinds import ADD, CONST, MUL, NEG
from flexmbd.language.nodes import Node
from flexmbd.parameters import CONSTANT

SWAPPED = (ADD, MUL)  # kinds whose arguments come in the order in which they were made


def repeated(function, given, *args):
    """``function(*args)``, lists or tuples of numbers and nodes; `given` has all numbers and nodes that it reads."""
    key, plain, number = [function], [], {}
    if not _told(given, key, plain, number) or not number:
        return function(*args)
    sources = list(number)
    graph = sources[0].graph
    if graph.watched:
        return function(*args)
    key = *key, *plain
    if key not in graph.tapes:
        tape = _Tape(graph, sources)
        with tape.recording():
            found = function(*args)
        graph.tapes[key] = tape.closed(found)
        return found
    tape = graph.tapes[key]
    return function(*args) if tape is None else tape.again(sources)


def _told(given, key, plain, number):
    """Add to a key what decides which operations are done, to `number` the nodes that are none of constants; whether there are no arrays.

    Nodes are numbers above zero, constants below, plain numbers zeros, and by themselves in `plain`.
    """
    for x in given:
        kind = type(x)
        if kind is Node:
            if x.level == CONSTANT:
                key.append(-1 - x.id)
                continue
            key.append(4 * number.setdefault(x, len(number)) + x.level)
            if x.kind is NEG:
                key += "-", number.setdefault(x.args[0], len(number))
        elif kind is list or kind is tuple:
            key.append("(")
            if not _told(x, key, plain, number):
                return False
            key.append(")")
        elif x is None or isinstance(x, (float, int)):
            key.append(0)
            plain.append(x)
        else:
            return False
    return True


class _Tape:
    """What a function does to nodes."""

    def __init__(self, graph, sources):
        self._graph, self._consts, self._ops, self._good = graph, {}, [], True
        self._place = {x: k for k, x in enumerate(sources)}
        self._done = {(NEG, self._place[x.args[0]]): k for x, k in self._place.items() if x.kind is NEG and x.args[0] in self._place}

    @contextmanager
    def recording(self):
        """Within it operations of the graph are kept; others than these cannot be repeated."""
        graph, own = self._graph, (self._graph.op, self._graph.make)

        def op(kind, *args):
            made = own[0](kind, *args)
            self._keep(kind, args, made)
            return made

        def make(kind, *more, **named):
            self._good = self._good and kind is CONST
            return own[1](kind, *more, **named)

        graph.watched, graph.op, graph.make = True, op, make
        try:
            yield
        finally:
            graph.watched = False
            del graph.op, graph.make

    def _keep(self, kind, args, made):
        if made.level == CONSTANT:
            return
        places = [self._of(a) for a in args]
        if not self._good:
            return
        key = (kind, *(sorted(places) if kind in SWAPPED else places))
        if made not in self._place:
            self._place[made] = len(self._place)
            self._ops.append((kind, *places, made.level))
            self._done[key] = self._place[made]
        self._good = self._done.get(key) == self._place[made]  # else it is equal to another by chance

    def _of(self, node):
        """Place of a node: of constants below zero."""
        if node.level == CONSTANT:
            return self._consts.setdefault(node, -1 - len(self._consts))
        self._good = self._good and node in self._place
        return self._place.get(node)

    def closed(self, found):
        """Itself, made fit to be repeated; None if it cannot be."""
        self._found, first = self._told(found), len(self._consts)
        if not self._good:
            return None

        def moved(k):
            return k + first if k >= 0 else -1 - k

        self._ops = [
            (kind, moved(places[0]), moved(places[1]) if len(places) > 1 else -1, kind in SWAPPED, level)
            for kind, *places, level in self._ops
        ]
        self._consts, self._first, self._place, self._done = list(self._consts), first, None, None
        return self

    def _told(self, found):
        if type(found) is list or type(found) is tuple:
            return type(found)([self._told(x) for x in found])
        if type(found) is Node and found.level != CONSTANT:
            return self._of(found)
        self._good = self._good and type(found) is not int
        return found

    def again(self, sources):
        """What the function gives for other nodes."""
        graph, values = self._graph, [*self._consts, *sources]
        known, get, append = graph.known, graph.known.get, values.append
        for kind, i, j, swapped, level in self._ops:
            a = values[i]
            if j < 0:
                key = (kind, a)
            else:
                b = values[j]
                key = (kind, b, a) if swapped and a.id > b.id else (kind, a, b)
            node = get(key)
            if node is None:
                node = known[key] = Node(graph, kind, key[1:], level)
            append(node)
        return _filled(self._found, values, self._first)


def _filled(found, values, first):
    if type(found) is int:
        return values[found + first]
    if type(found) is list:
        return [_filled(x, values, first) for x in found]
    return tuple([_filled(x, values, first) for x in found]) if type(found) is tuple else found
