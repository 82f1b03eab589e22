"""Elastic energy, forces and damping at one integration point of an ANCF beam with section gradients; the graph differentiates.

Arguments z are the vectors ``p, a, b, u, w``: the derivatives ``r', a', b'`` by the element's coordinate (p, u, w) and the section's
gradients ``a = r_y``, ``b = r_z``; `inverse` makes derivatives by arc length of them, c are six stiffnesses, o six strains of the start.
With ``A = a/|a|``, ``U = a'/|a|``, ``B = b/|b|``, ``W = b'/|b|`` and ``n = A x B`` the six measures of strain are
(docs/theory/ancf_beams.md, B2)::

    m = (p.n,  p.A,  p.B,  (U.B - W.A)/2,  W.n,  -U.n)

stretch, two shears, twist, two bendings.  The energy is ``sum c_k (m_k - o_k)²/2``.  Each measure resists its rate: with the gradients g
of m by the arguments and their rates v, the damping force is ``d (g.v) g``.

Derivatives go over the vectors divided by their directors' lengths, y = (p, A, B, U, W), and these over ``a.a`` and ``b.b``.
"""

from functools import cached_property

from flexmbd.lanes import cross, dot, kernel, maximum, scale, sqrt
from flexmbd.language.derived import Derived, added, composed, congruent, expanded, product, pulled, times
from flexmbd.language.nodes import flat


@kernel
def beam_scaled(z, inverse):
    """The vectors y."""
    p, a, b, u, w = z
    i, j = 1.0 / sqrt(maximum(dot(a, a), 1e-12)), 1.0 / sqrt(maximum(dot(b, b), 1e-12))
    return scale(inverse, p), scale(i, a), scale(j, b), scale(i * inverse, u), scale(j * inverse, w)


@kernel
def beam_measures(y):
    """The six measures."""
    p, a, b, u, w = y
    n = cross(a, b)
    return dot(p, n), dot(p, a), dot(p, b), 0.5 * (dot(u, b) - dot(w, a)), dot(w, n), -dot(u, n)


@kernel
def beam_strain(z, inverse):
    """The six measures."""
    return beam_measures(beam_scaled(z, inverse))


class BeamPoint:
    """Expressions of a point in a graph: of 15 numbers z, stage by stage.

    The stages are z, then x = (z, a.a, b.b), then the 15 numbers y.
    """

    def __init__(self, graph, z, inverse):
        self.graph, self.z, self.inverse = graph, z, inverse
        self.x = [a if k < 15 else graph.select(graph.greater(a, 1e-12), a, 1e-12) for k, a in enumerate(self.squares(*z))]
        self.y = self.scaled(*self.x)

    @staticmethod
    def squares(*z):
        """x of z."""
        return [*z, dot(z[3:6], z[3:6]), dot(z[6:9], z[6:9])]

    def scaled(self, *x):
        """y of x."""
        i, j = (1.0 / self.graph.sqrt(size) for size in x[15:])
        factors = self.inverse, i, j, i * self.inverse, j * self.inverse
        return [f * a for k, f in enumerate(factors) for a in x[3 * k : 3 * k + 3]]

    @staticmethod
    def measures(*y):
        """The six measures of y."""
        p, a, b, u, w = (y[k : k + 3] for k in range(0, 15, 3))
        n = cross(a, b)
        return [dot(p, n), dot(p, a), dot(p, b), 0.5 * (dot(u, b) - dot(w, a)), dot(w, n), -dot(u, n)]

    def stress(self, c, o):
        """c_k (m_k - o_k)"""
        return [k * (m - start) for k, m, start in zip(c, self.measures(*self.y), o, strict=True)]

    def pulled(self, slopes):
        """First derivatives by z from those by y."""
        for function, at in ((self.scaled, self.x), (self.squares, self.z)):
            slopes = pulled(self.graph, slopes, expanded(self.graph, function, at, 1)[1])
        return slopes

    def energy(self, c, o):
        """Energy of the point."""
        strains = [m - start for m, start in zip(self.measures(*self.y), o, strict=True)]
        return 0.5 * self.graph.dot((k * e, e) for k, e in zip(c, strains, strict=True))

    def force(self, c, o):
        """Its derivatives by z."""
        return self.pulled(pulled(self.graph, self.stress(c, o), expanded(self.graph, self.measures, self.y, 1)[1]))

    def tangent(self, c, o):
        """Its second derivatives, ``c g g' + s H`` with gradients g and second derivatives H of the measures, and stresses s."""
        graph, s = self.graph, self.stress(c, o)
        _, by_y, bent = expanded(graph, self.measures, self.y)
        g = by_y
        for function, at in ((self.scaled, self.x), (self.squares, self.z)):
            g = product(graph, g, expanded(graph, function, at, 1)[1])
        return added(graph, congruent(graph, g, diagonal(c), g, symmetric=True), self.bending(s, by_y, bent))

    def bending(self, s, by_y, bent):
        """Sum of s_k times second derivatives of the measures by z."""
        curves = [[self.graph.const(0.0)] * 15] * 15
        for f, block in zip(s, bent, strict=True):
            curves = added(self.graph, curves, block, f)
        slopes = pulled(self.graph, s, by_y)
        for function, at in ((self.scaled, self.x), (self.squares, self.z)):
            slopes, curves = composed(self.graph, slopes, curves, function, at)
        return curves

    def drag(self, v, d):
        """Derivatives of half the lost power by the rates v of z."""
        graph = self.graph
        _, g, _ = expanded(graph, self.measures, self.y, 1)
        rates = v
        for function, at in ((self.squares, self.z), (self.scaled, self.x)):
            rates = times(graph, expanded(graph, function, at, 1)[1], rates)
        return self.pulled(pulled(graph, [k * r for k, r in zip(d, times(graph, g, rates), strict=True)], g))

    def drag_tangent(self, v, d):
        """Derivatives of `drag` by z, and by v: ``d (g (dg/dt)' + (g.v) H)`` and ``d g g'``, with second derivatives H of the measures."""
        graph, zero = self.graph, self.graph.const(0.0)
        _, by_y, bent = expanded(graph, self.measures, self.y)
        _, outer, second = expanded(graph, self.scaled, self.x)
        _, inner, _ = expanded(graph, self.squares, self.z, 1)
        moving = times(graph, inner, v)
        rates = times(graph, outer, moving)
        lost = [k * r for k, r in zip(d, times(graph, by_y, rates), strict=True)]
        # g stage by stage, and rates of all three
        by_x = product(graph, by_y, outer)
        turned_y, turning = ([times(graph, block, x) for block in blocks] for blocks, x in ((bent, rates), (second, moving)))
        turned_x = added(graph, product(graph, turned_y, outer), product(graph, by_y, turning))
        stretching = [*[[zero] * 15] * 15, *expanded(graph, lambda *z: self.squares(*z)[15:], v, 1)[1]]
        g = product(graph, by_x, inner)
        turned = added(graph, product(graph, turned_x, inner), product(graph, by_x, stretching))
        own = diagonal(d)
        by_place = added(graph, congruent(graph, g, own, turned), self.bending(lost, by_y, bent))
        return by_place, congruent(graph, g, own, g, symmetric=True)


def diagonal(numbers):
    """Matrix of numbers on the diagonal."""
    return [[x if n == m else 0.0 for m in range(len(numbers))] for n, x in enumerate(numbers)]


class BeamKernels:
    """Kernels of a point, made when they are asked for.

    Their arguments are z, for damping their rates too, `inverse`, and six stiffnesses and strains of the start, or six dampings. Tangents
    are entries, given with their places (row, column): those of a symmetric one from the diagonal on.
    """

    @staticmethod
    def _made(name, results, states, numbers):
        def write(graph, z, *rest):
            *rates, inverse = rest[:states]
            return results(BeamPoint(graph, flat(z), inverse), *map(flat, rates), *rest[states:])

        return Derived(f"beam_{name}", write, *[((0.0,) * 3,) * 5] * states, 0.0, *[(0.0,) * 6] * numbers)

    @cached_property
    def energy(self):
        """Energy of the point."""
        return self._made("energy", lambda point, *x: [point.energy(*x)], 1, 2)

    @cached_property
    def force(self):
        """Derivatives of the energy: fifteen numbers."""
        return self._made("force", BeamPoint.force, 1, 2)

    @cached_property
    def tangent(self):
        """Second derivatives of the energy, and their places."""
        places = []
        return self._made("tangent", lambda point, *x: _filled(point.tangent(*x), places, upper=True), 1, 2), places

    @cached_property
    def drag(self):
        """Derivatives of half the lost power by the rates: fifteen numbers."""
        return self._made("drag", BeamPoint.drag, 2, 1)

    @cached_property
    def drag_tangent(self):
        """Derivatives of `drag`, the places of those by z, and of those by the rates."""
        places, viscous = [], []

        def both(point, v, d):
            by_place, by_rate = point.drag_tangent(v, d)
            return [*_filled(by_place, places), *_filled(by_rate, viscous, upper=True)]

        return self._made("drag_tangent", both, 2, 1), places, viscous


def _filled(matrix, places, *, upper=False):
    """Entries that are not zero; their places go to a list."""
    found = [(i, j) for i, row in enumerate(matrix) for j, x in enumerate(row) if not x.zero and not (upper and j < i)]
    places += found
    return [matrix[i][j] for i, j in found]


KERNELS = BeamKernels()
