"""Taylor series of nodes, coefficient after coefficient, by the recurrences of `language.ops`, `language.kinds` and `lanes.words`.

A recurrence is called with a `Series`, the node, and an order above zero, and gives the coefficient of that order from those of lower order
and those of the arguments.
"""

from __future__ import annotations

from collections import defaultdict

from flexmbd.lanes.recurrences import Rate, plus, times
from flexmbd.language.tracing import traced
from flexmbd.parameters import RUNTIME


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
    loose : set of int
        Ids of nodes whose coefficient of the order at work is not final yet.
    """

    def __init__(self, graph, first, select, together=2):
        self.graph, self.first, self.select, self.together = graph, first, select, together
        self.given, self.loose = {}, frozenset()
        self._known, self._draft, self._inverse, self._sums, self._begun, self._pairs = defaultdict(dict), {}, {}, {}, {}, {}
        self._rates, self._traced = {}, {}

    @property
    def products(self):
        """How many products of two series there are."""
        return len(self._pairs)

    def __call__(self, node, k):
        """Coefficient of order k of a node, or of a `Rate`."""
        if type(node) is Rate:
            return times(self(node.node, k + 1), float(k + 1))
        if node.id in self.given:
            return self.given[node.id][k]
        if node.level < RUNTIME:
            return 0.0 if k else self.first(node)
        own = self._draft if node.id in self.loose else self._known[node.id]
        at = (node.id, k) if node.id in self.loose else k
        if at not in own:
            own[at] = self.first(node) if k == 0 else node.kind.series(self, node, k)
        return own[at]

    def settle(self):
        """What was loose is final from here on."""
        self.loose, self._draft = frozenset(), {}

    def inverse(self, node):
        """One over the first coefficient of a node."""
        if node.id not in self._inverse:
            self._inverse[node.id] = 1.0 / self(node, 0)
        return self._inverse[node.id]

    def traced(self, call):
        """Nodes of the results of a call: what its kernel does."""
        if call.id not in self._traced:
            found = traced(self.graph, call.function, call.given)
            self._traced[call.id] = [self.graph.const(x) for x in (found if isinstance(found, tuple) else (found,))]
        return self._traced[call.id]

    def rate(self, node):
        """The time derivative of a node: of what is linear in coordinates the node that velocities make, which others may have too."""
        if node.id not in self._rates:
            self._rates[node.id] = self._rate(node)
        return self._rates[node.id]

    def _rate(self, node):
        g, found = self.graph, self.graph.const(0.0)
        for x in g.sources.variables(node):
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
        if b.id < a.id:
            a, b, first, last = b, a, k - last, k - first
        whole, key = (first, last) == (0, k), (a.id, b.id, k)
        if key in self._sums and whole:
            return self._sums[key]
        total, low, high = self._start(a, b, k)
        if a.id == b.id and first + last == k:
            for j in range(first, min(low, (k + 1) // 2)):
                total = plus(total, times(2.0, times(self(a, j), self(a, k - j))))
            if k % 2 == 0 and first <= k // 2 and not low <= k // 2 <= high:
                total = plus(total, times(self(a, k // 2), self(a, k // 2)))
        else:
            for j in (*range(first, min(low, last + 1)), *range(max(high + 1, low, first), last + 1)):
                total = plus(total, times(self(a, j), self(b, k - j)))
        if whole and not self.loose.intersection((a.id, b.id)):
            self._sums[key] = total
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
