"""Taylor series of nodes, coefficient after coefficient, by the recurrences of `language.ops`, `language.kinds` and `lanes.words`.

A recurrence is called with a `Series`, the node, and an order above zero, and gives the coefficient of that order from those of lower order
and those of the arguments.
"""

from __future__ import annotations

from collections import defaultdict
from math import prod

from flexmbd.lanes.recurrences import Rate, plus, times
from flexmbd.language.tracing import traced
from flexmbd.parameters import RUNTIME

AHEAD = {"q": 1, "a": -1, "l": -1, "j": -1}  # orders that variables of a space are known to, by those of velocities


class Series:
    """Series of nodes in time.

    Parameters
    ----------
    graph : Graph
    first : callable
        ``first(node)`` is the value of a node, its coefficient of order 0.
    select : callable
        ``select(condition, a, b)`` of values.
    together : int
        Orders whose products are begun together: what they have in common is read once.

    Attributes
    ----------
    given : dict int -> list
        Coefficients of variables, by id, which whoever made them extends.
    derived : dict int -> (Node, int)
        Of variables that are derivatives in time of nodes: the node and how often it is derived.
    factors : dict int -> Node or Rate
        Of products so far, by id.
    open : int or None
        Order whose unknowns are taken for zero now, as are all coefficients that are not known yet; what follows from that is not kept.
    """

    def __init__(self, graph, first, select, together=2):
        self.graph, self.first, self.select, self.together = graph, first, select, together
        self.given, self.derived, self.factors, self.open = {}, {}, {}, None
        self._known, self._draft, self._inverse, self._sums, self._begun, self._pairs = defaultdict(dict), {}, {}, {}, {}, {}
        self._rates, self._traced, self._ahead, self._guess, self._partial = {}, {}, {}, {}, {}

    @property
    def products(self):
        """How many products of two series there are."""
        return len(self._pairs)

    def __call__(self, node, k):
        """Coefficient of order k of a node, or of a `Rate`."""
        if type(node) is Rate:
            return times(self(node.node, k + 1), float(k + 1))
        if node.id in self.given:
            row = self.given[node.id]
            return row[k] if self.open is None or k < len(row) else self._guess.get(node.id, 0.0)
        if node.level < RUNTIME:
            return 0.0 if k else self.first(node)
        own, at = (self._known[node.id], k) if self.settled(node, k) else (self._draft, (node.id, k))
        if at not in own:
            own[at] = self._coefficient(node, k)
        return own[at]

    def _coefficient(self, node, k):
        if node.id in self.derived:
            of, count = self.derived[node.id]
            return times(self(of, k + count), float(prod(range(k + 1, k + count + 1))))
        return self.first(node) if k == 0 else node.kind.series(self, node, k)

    def settled(self, node, k):
        """Whether a coefficient follows from what is known for good."""
        if self.open is None:
            return True
        if type(node) is Rate:
            return self.settled(node.node, k + 1)
        return k <= self.open + self.ahead(node)

    def ahead(self, node):
        """Up to how many orders above that of the unknowns it is known."""
        if node.id not in self._ahead:
            self._ahead[node.id] = min((AHEAD.get(x.value.space, 0) for x in self.graph.sources.variables(node)), default=0)
        return self._ahead[node.id]

    def draft(self, guess):
        """Take these for the next coefficients of variables, which are open, in place of zero."""
        self._guess |= {x.id: value for x, value in guess.items()}
        self._draft = {}

    def settle(self):
        """What was open is known from here on."""
        self.open, self._draft, self._guess = None, {}, {}

    def inverse(self, node):
        """One over the first coefficient of a node."""
        if node.id not in self._inverse:
            self._inverse[node.id] = 1.0 / self(node, 0)
        return self._inverse[node.id]

    def moves(self, node):
        """Whether a node is other than a number of the system."""
        return node.level == RUNTIME

    def traced(self, call):
        """Nodes of the results of a call: what its kernel does."""
        if call.id not in self._traced:
            self._traced[call.id] = self.nodes_of(call.function, call.given)
        return self._traced[call.id]

    def nodes_of(self, kernel, arguments):
        """Nodes of the results of a kernel for these arguments."""
        found = traced(self.graph, kernel, arguments)
        return [self.graph.const(x) for x in (found if isinstance(found, tuple) else (found,))]

    def rate(self, node):
        """The time derivative of a node: of what is linear in coordinates the node that velocities make, which others may have too."""
        if node.id not in self._rates:
            self._rates[node.id] = self._rate(node)
        return self._rates[node.id]

    def _rate(self, node):
        g, found = self.graph, self.graph.const(0.0)
        for x in (x for x in g.sources.variables(node) if x.value.space != "displacement"):  # of which nothing depends in motion
            slope = g.derivative(node, x) if x.value.space in ("q", "t") else None
            if slope is None or slope.level == RUNTIME:
                return Rate(node)
            found = found + slope * (g.var("v", x.value.number) if x.value.space == "q" else 1.0)
        return found

    # ---- products
    def sum(self, a, b, k, first=0, last=None):
        """Sum of ``a[j] b[k - j]`` for j from `first` to `last` (k if left out), both at most 1 from the ends.

        It is begun with the terms that have neither end, together with sums of the orders around.
        """
        last = k if last is None else last
        self.factors |= {a.id: a, b.id: b}
        if b.id < a.id:
            a, b, first, last = b, a, k - last, k - first
        whole, key = (first, last) == (0, k), (a.id, b.id, k)
        if key in self._sums and whole:
            return self._sums[key]
        final = self.settled(a, k) and self.settled(b, k)
        if key in self._partial and whole and final:
            total, missing = self._partial[key]
            self._sums[key] = total = self._more(total, a, b, k, missing)
            return total
        total, low, high = self._start(a, b, k)
        if a.id == b.id and first + last == k:
            for j in range(first, min(low, (k + 1) // 2)):
                total = plus(total, times(2.0, times(self(a, j), self(a, k - j))))
            if k % 2 == 0 and first <= k // 2 and not low <= k // 2 <= high:
                total = plus(total, times(self(a, k // 2), self(a, k // 2)))
        else:
            rest = [*range(first, min(low, last + 1)), *range(max(high + 1, low, first), last + 1)]
            known = [j for j in rest if self.settled(a, j) and self.settled(b, k - j)]
            missing = [j for j in rest if j not in known]
            start = self._more(total, a, b, k, known)
            total = self._more(start, a, b, k, missing)
            if whole and not final and total is start:
                self._partial[key] = start, missing
        if whole and final:
            self._sums[key] = total
        return total

    def _more(self, total, a, b, k, which):
        for j in which:
            total = plus(total, times(self(a, j), self(b, k - j)))
        return total

    def _start(self, a, b, k):
        """What sums of an order are begun with, and the first and last j of that; where there is none these are k + 1 and k."""
        begin = 1 + (k - 1) // self.together * self.together if k else 0
        low, high = max(1, k - begin + 1), min(k - 1, begin - 1)
        if high < low:
            return 0.0, k + 1, k
        self._pairs.setdefault((a.id, b.id), (a, b))
        if (a.id, b.id, k) not in self._begun:
            self._begin(a, b, begin)
        return self._begun[a.id, b.id, k], low, high

    def _begin(self, a, b, begin):
        orders = range(begin, begin + self.together)
        totals, square = dict.fromkeys(orders, 0.0), a.id == b.id
        for j in range(1, begin):
            for k in orders:
                if 1 <= k - j < begin and not (square and 2 * j >= k):
                    totals[k] = plus(totals[k], times(self(a, j), self(b, k - j)))
        for k, total in totals.items():
            if square:
                total = times(2.0, total)
                if k % 2 == 0 and k // 2 < begin:
                    total = plus(total, times(self(a, k // 2), self(a, k // 2)))
            self._begun[a.id, b.id, k] = total

    def begin(self, order):
        """Begin all products known so far for an order, and for those that go with it."""
        if (order - 1) % self.together == 0:
            for a, b in list(self._pairs.values()):
                if (a.id, b.id, order) not in self._begun:
                    self._begin(a, b, order)
