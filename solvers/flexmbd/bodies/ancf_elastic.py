"""Elastic energy, forces and damping of one gradient-deficient ANCF element; the graph differentiates (docs/theory/ancf_cables.md).

An element from node 0 to node 1 of length l has the vectors ``c = (r1 - r0)/l``, ``a = r0'``, ``b = r1'``; with
``d = a - c``, ``e = b - c`` and x from 0 to 1 the tangent and l times its derivative are::

    p = r' = c + na d + nb e,    na = 1 - 4x + 3x², nb = 3x² - 2x
    s = l r'' = u d + v e,       u = 6x - 4,        v = 6x - 2

The energy depends on ``P = p.p, T = p.s, S = s.s`` alone (in the plane as in space), and these are linear in the six scalar
products ``G = (c.c, c.d, c.e, d.d, d.e, e.e)``::

    U = integral over x of  1/2 EA l eps(P)² + 1/2 EI/l Q,   Q = (P S - T²) F(P)

- strain "green": ``eps = (P - 1)/2``; "engineering": ``eps = sqrt(P) - 1``.
- curvature of order m: ``F = P^-m``.  m = 3 is the exact geometric curvature ``|r' x r''|/|r'|³``; 2 the turn of the tangent per length
  of the undeformed line, ``|r' x r''|/|r'|²`` (Gerstmayr and Irschik 2008, J. Sound Vib. 318, 461-487); 0 that of small strain.

(Berzeri and Shabana 2000, J. Sound Vib. 235, 539-565; Gerstmayr and Shabana 2006, Nonlinear Dyn. 45, 109-130.)

Kelvin-Voigt damping: the rate of the axial strain is ``eps'(P) 2 p.p_dot``.  The rate of the curvature is the change of r'' seen from
a frame that turns with the tangent and does not spin about it; l times that rate is, to first order in the strain::

    rho = (I - p p'/P) a,    a = s_dot - tau p_dot,    tau = T/P

In the plane this is the rate of the signed curvature; in space it vanishes in every rigid motion but the spin of a bent cable
about its own tangent, which a cable without torsion cannot tell from a whirl.

A step that conserves energy: the change of U from the products ``G0`` at its start to ``G1`` at its end is written as a sum over its
factors, ``U1 - U0 = sum_k D_k (G1_k - G0_k)``, and the force is ``D_k dG_k/dy`` in the middle of the step.  G is quadratic in the
coordinates, so ``G1 - G0 = dG/dy(y_m) (y1 - y0)``: the work of that force is the change of the energy, exactly (discrete gradient;
Gonzalez 1996, J. Nonlinear Sci. 6, 449-467; by invariants Gonzalez 2000, Comput. Methods Appl. Mech. Eng. 190, 1763-1783).  It depends on
products of vectors only, so it has no resultant and no moment.  D comes without a division by a difference that may vanish.
"""

from flexmbd.language.derived import added, composed, congruent, expanded, product, pulled
from flexmbd.language.quadratic import dot


def shapes(x):
    """na and nb at x, u and v."""
    return (1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0)), (6.0 * x - 4.0, 6.0 * x - 2.0)


def measures(x):
    """P, T, S at x by G, rows of coefficients."""
    (na, nb), (u, v) = shapes(x)
    return (
        (1.0, 2.0 * na, 2.0 * nb, na * na, 2.0 * (na * nb), nb * nb),
        (0.0, u, v, na * u, na * v + nb * u, nb * v),
        (0.0, 0.0, 0.0, u * u, 2.0 * (u * v), v * v),
    )


def strain(P, green, sqrt):
    """Axial strain."""
    return 0.5 * (P - 1.0) if green else sqrt(P) - 1.0


def inverse_power(P, order):
    """P^-order, for orders 0, 2 and 3."""
    i = 1.0 / P
    return i * i * i if order == 3 else i * i if order == 2 else 1.0


def bending(P, T, S, order):
    """Q, the square of curvature times length."""
    return (P * S - T * T) * inverse_power(P, order)


class CableElement:
    """Expressions of an element in a graph.

    Its points are pairs (x, weight): `axial` ones for strain, `bending` ones for curvature.
    """

    def __init__(self, graph, green, order, axial, bending):
        self.graph, self.green, self.order = graph, green, order
        self.points = [(x, w, measures(x)) for x, w in axial], [(x, w, measures(x)) for x, w in bending]

    def products(self, *y):
        """G of c, d, e."""
        d = len(y) // 3
        c, d, e = y[:d], y[d : 2 * d], y[2 * d :]
        return [dot(a, b) for a, b in ((c, c), (c, d), (c, e), (d, d), (d, e), (e, e))]

    @staticmethod
    def vectors(*z):
        """c, d, e of c, a, b, numbers one after another."""
        n = len(z) // 3
        c, a, b = z[:n], z[n : 2 * n], z[2 * n :]
        return [*c, *(x - y for x, y in zip(a, c, strict=True)), *(x - y for x, y in zip(b, c, strict=True))]

    def guarded(self, P):
        """P, above zero."""
        g = self.graph
        return g.select(g.greater(P, 1e-12), P, 1e-12)

    def at(self, G, rows):
        """Measures of products."""
        P, *rest = [self.graph.dot(zip(row, G, strict=True)) for row in rows]
        return [self.guarded(P), *rest]

    def axial_energy(self, P):
        """eps²/2"""
        eps = strain(P, self.green, self.graph.sqrt)
        return [0.5 * eps * eps]

    def bending_energy(self, P, T, S):
        """Q/2"""
        return [0.5 * bending(P, T, S, self.order)]

    def energy(self, z, axial, stiffness):
        """U"""
        g, G, total = self.graph, self.products(*self.vectors(*z)), []
        for points, law, count in zip(self.points, (self.axial_energy, self.bending_energy), (1, 3), strict=True):
            total.append(g.dot((weight, law(*self.at(G, rows[:count]))[0]) for _, weight, rows in points))
        return g.add(g.mul(axial, total[0]), g.mul(stiffness, total[1]))

    def derivatives(self, z, axial, stiffness, second):
        """First derivatives of U by c, a, b; with `second` second ones as well, else None."""
        g, y = self.graph, self.vectors(*z)
        G, slopes, curves = self.products(*y), [g.const(0.0)] * 6, [[g.const(0.0)] * 6 for _ in range(6)]
        parts = zip(self.points, (axial, stiffness), (self.axial_energy, self.bending_energy), (1, 3), strict=True)
        for points, factor, law, count in parts:
            for _, weight, rows in points:
                rows, weight = rows[:count], g.mul(weight, factor)
                _, (first,), more = expanded(g, law, self.at(G, rows), 1 + second)
                slopes = added(g, slopes, pulled(g, [weight * x for x in first], rows))
                if second:
                    own = [[weight * x for x in row] for row in more[0]]
                    curves = added(g, curves, congruent(g, rows, own, rows, symmetric=True))
        if not second:
            slopes = pulled(g, slopes, expanded(g, self.products, y, 1)[1])
            return pulled(g, slopes, expanded(g, self.vectors, z, 1)[1]), None
        return composed(g, *composed(g, slopes, curves, self.products, y), self.vectors, z)

    # ---- damping
    def drag(self, z, v, axial, stiffness, tangents):
        """Derivatives of half the lost power by the rates of c, a, b; with `tangents` theirs by c, a, b and by the rates, else None."""
        g, n = self.graph, len(z)
        force, by_place, by_rate = [g.const(0.0)] * n, [[g.const(0.0)] * n for _ in z], [[g.const(0.0)] * n for _ in z]
        for points, factor, law, parts in zip(self.points, (axial, stiffness), (self.axial_drag, self.bending_drag), (1, 2), strict=True):
            for x, weight, _ in points:
                (na, nb), (u, v_) = shapes(x)
                left = interpolating(((1.0 - na - nb, na, nb), (-u - v_, u, v_))[:parts], n // 3)
                places, rates = ([g.dot(zip(row, y, strict=True)) for row in left] for y in (z, v))
                found, slopes = law(places, rates, tangents)
                weight = g.mul(weight, factor)
                force = added(g, force, pulled(g, [weight * x for x in found], left))
                if tangents:
                    own = [[weight * x for x in row] for row in slopes]
                    size = len(places)
                    by_place = added(g, by_place, congruent(g, left, [row[:size] for row in own], left))
                    by_rate = added(g, by_rate, congruent(g, left, [row[size:] for row in own], left, symmetric=True))
        return force, by_place, by_rate

    def axial_drag(self, p, v, tangents):
        """(2 eps')² X p of p and its rate v, with ``X = p.v``, and its slopes."""
        g, n, (i, slopes) = self.graph, len(p), self.reciprocal(p)
        stretch = (lambda i: 1.0) if self.green else (lambda i: i)
        known = [*p, *v, i]
        (*force,), by_known, _ = expanded(g, lambda *x: [stretch(x[-1]) * dot(x[:n], x[n:-1]) * a for a in x[:n]], known, 1)
        return force, [added(g, row[:n], [row[-1] * x for x in slopes]) + [*row[n:-1]] for row in by_known] if tangents else None

    def bending_drag(self, places, rates, tangents):
        """Forces along p and s of these and their rates: ``-tau rho`` and ``rho``, and their slopes."""
        g, n = self.graph, len(places) // 2
        i, slopes = self.reciprocal(places[:n])

        def motion(*x):
            p, s, v, w, i = x[:n], x[n : 2 * n], x[2 * n : 3 * n], x[3 * n : -1], x[-1]
            tau = i * dot(p, s)
            return [*p, *(b - tau * a for a, b in zip(v, w, strict=True)), i, tau]

        def law(*x):
            p, a, i, tau = x[:n], x[n:-2], x[-2], x[-1]
            along = i * dot(p, a)
            rho = [b - along * c for b, c in zip(a, p, strict=True)]
            return [*(-(tau * b) for b in rho), *rho]

        moving, by_known, _ = expanded(g, motion, [*places, *rates, i], 1)
        force, by_motion, _ = expanded(g, law, moving, 1)
        if not tangents:
            return force, None
        by_known = product(g, by_motion, by_known)
        return force, [added(g, row[:n], [row[-1] * x for x in slopes]) + [*row[n:-1]] for row in by_known]

    def reciprocal(self, p):
        """1/P, and its slopes by p."""
        i = 1.0 / self.guarded(dot(p, p))
        slope = -2.0 * (i * i)
        return i, [slope * x for x in p]

    # ---- steps that conserve energy
    def mean(self, z, start, axial, stiffness, tangents):
        """Force of a step from c, a, b in its middle and at its start; with `tangents` its derivatives by the middle, else None."""
        g, y = self.graph, self.vectors(*z)
        first = self.vectors(*start)
        last = [2.0 * a - b for a, b in zip(y, first, strict=True)]
        G, H = self.products(*first), self.products(*last)
        factors, slopes = [g.const(0.0)] * 6, [[g.const(0.0)] * 6 for _ in range(6)]
        parts = zip(self.points, (axial, stiffness), (self.axial_change, self.bending_change), (1, 3), strict=True)
        for points, factor, law, count in parts:
            for _, weight, rows in points:
                rows, weight, before = rows[:count], g.mul(weight, factor), self.at(G, rows[:count])
                found, by_end, _ = expanded(g, lambda *x, law=law, before=before: law(*before, *x), self.at(H, rows), 1)
                factors = added(g, factors, pulled(g, [weight * x for x in found], rows))
                if tangents:
                    slopes = added(g, slopes, congruent(g, rows, [[weight * x for x in row] for row in by_end], rows))
        inner, turned = expanded(g, self.products, y)[1:], expanded(g, self.vectors, z, 1)[1]
        force = pulled(g, pulled(g, factors, inner[0]), turned)
        if not tangents:
            return force, None
        ends = [[2.0 * x for x in row] for row in expanded(g, self.products, last, 1)[1]]
        out = congruent(g, inner[0], slopes, ends)
        for f, curves in zip(factors, inner[1], strict=True):
            out = added(g, out, curves, f)
        return force, congruent(g, turned, out, turned)

    def axial_change(self, P0, P1):
        """Change of eps²/2 over that of P."""
        sqrt = self.graph.sqrt
        return [0.125 * (P0 + P1 - 2.0) if self.green else 0.5 - 1.0 / (sqrt(P0) + sqrt(P1))]

    def bending_change(self, P0, T0, S0, P1, T1, S1):
        """Factors of the changes of P, T and S in that of Q/2; with the means of both ends ``S F - D E, -2 T F, P F``."""
        i, j, order = 1.0 / P0, 1.0 / P1, self.order
        F = 0.5 * (inverse_power(P0, order) + inverse_power(P1, order))
        E = i * j * (i * i + i * j + j * j) if order == 3 else i * j * (i + j) if order == 2 else 0.0
        P, T, S = 0.5 * (P0 + P1), 0.5 * (T0 + T1), 0.5 * (S0 + S1)
        D = 0.5 * (P0 * S0 - T0 * T0 + P1 * S1 - T1 * T1)
        return [0.5 * (S * F - D * E), -(T * F), 0.5 * (P * F)]


def interpolating(weights, size):
    """Matrix that makes vectors of `size` numbers of others: row by row their weights."""
    return [[w * (i == j) for w in row for j in range(size)] for row in weights for i in range(size)]
