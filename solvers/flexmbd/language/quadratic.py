"""Polynomials of degree two in the coordinates: the language in which ideal joints write their constraint rows."""

from dataclasses import dataclass


class Quadratic:
    """``c + b.q + 1/2 q.A q`` with graph nodes as coefficients, which may depend on time.

    `terms` maps sorted index tuples ``()``, ``(i,)``, ``(i, j)`` to coefficient nodes.
    """

    __slots__ = ("_slopes", "graph", "terms")

    quadratic = True  # a fact of rows: schemes that need quadratic ones refuse others

    def __init__(self, graph, terms):
        self.graph, self._slopes = graph, (None, None)
        self.terms = {k: c for k, c in ((k, graph.const(c)) for k, c in terms.items()) if not c.zero}

    def _lift(self, other):
        return other if isinstance(other, Quadratic) else Quadratic(self.graph, {(): other})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, c in self._lift(other).terms.items():
            terms[key] = terms[key] + c if key in terms else c
        return Quadratic(self.graph, terms)

    def __neg__(self):
        return Quadratic(self.graph, {k: -c for k, c in self.terms.items()})

    def __sub__(self, other):
        return self + -self._lift(other)

    def __mul__(self, other):
        terms = {}
        for i, a in self.terms.items():
            for j, b in self._lift(other).terms.items():
                key = tuple(sorted(i + j))
                if len(key) > 2:
                    raise ValueError("a constraint row is at most quadratic in the coordinates")
                terms[key] = terms[key] + a * b if key in terms else a * b
        return Quadratic(self.graph, terms)

    __radd__, __rmul__ = __add__, __mul__

    @property
    def indices(self):
        """Coordinates that occur."""
        return {i for key in self.terms for i in key}

    def value(self, q):
        """Node of the value at coordinate nodes `q`."""
        return self.graph.dot((_product(c, (q[i] for i in key)), 1.0) for key, c in self.terms.items())

    def gradient(self, q):
        """Nodes of the partial derivatives, by coordinate; those of the same coordinates are kept, because many ask for them."""
        known, out = self._slopes
        if known is q:
            return out
        out = {}

        def put(i, x):
            out[i] = out[i] + x if i in out else x

        for key, c in self.terms.items():
            if len(key) == 1:
                put(key[0], c)
            elif len(key) == 2:
                put(key[0], c * q[key[1]])
                put(key[1], c * q[key[0]])
        self._slopes = q, {i: x for i, x in out.items() if not x.zero}
        return self._slopes[1]

    def hessian(self):
        """Nodes of the second derivatives, upper triangle by (i, j)."""
        return {key: c * (2.0 if key[0] == key[1] else 1.0) for key, c in self.terms.items() if len(key) == 2}

    def time_derivative(self, t):
        """The polynomial whose coefficients are the time derivatives of this one's."""
        return Quadratic(self.graph, {k: self.graph.derivative(c, t) for k, c in self.terms.items()})

    def rate(self, q, v, t):
        """Node of the total time derivative."""
        return self.graph.dot(((g, v[i]) for i, g in self.gradient(q).items()), self.time_derivative(t).value(q))

    def convective(self, q, v, t):
        """Second time derivative less the part linear in the accelerations."""
        dot = self.time_derivative(t)
        total = dot.time_derivative(t).value(q) + 2.0 * self.graph.dot((g, v[i]) for i, g in dot.gradient(q).items())
        for key, c in self.terms.items():
            if len(key) == 2:
                total = total + 2.0 * c * v[key[0]] * v[key[1]]
        return total

    def acceleration(self, q, v, a, t):
        """Node of the second time derivative."""
        return self.graph.dot(((g, a[i]) for i, g in self.gradient(q).items()), self.convective(q, v, t))


@dataclass(frozen=True)
class Row:
    """One constraint row: a `Quadratic` or a `NodeRow`, whether it measures a length (m) or an angle, and who wrote it.

    `branch` is another that must be positive where the row holds: a row that is the sine of an angle also holds half a
    turn away. `penalty` is a node: such a row is added to the equations of its coordinates, times penalty and gradient, before
    elimination, because the mass matrix alone may be singular there. `size` is a node by which the value is divided where it is not of its
    measure: a distance whose row has squares.
    """

    polynomial: object
    measure: str
    label: str
    branch: object = None
    penalty: object = None
    size: object = None


def _product(start, factors):
    for f in factors:
        start = start * f
    return start


def cross(a, b):
    """z component of the product of two plane vectors (pairs of polynomials or nodes)."""
    return a[0] * b[1] - a[1] * b[0]


def cross3(a, b):
    """Product of two vectors in space."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a, b):
    """Scalar product of two vectors."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total
