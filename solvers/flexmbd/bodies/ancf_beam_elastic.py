"""Elastic forces and stiffness at one integration point of an ANCF beam with section gradients, as scalar kernels.

Arguments z are the vectors ``p, a, b, u, w``: the derivatives ``r', a', b'`` by the element's coordinate (p, u, w) and the section's
gradients ``a = r_y``, ``b = r_z``; `inverse` makes derivatives by arc length of them, c are six stiffnesses, o six strains of the start.
With ``A = a/|a|``, ``U = a'/|a|``, ``B = b/|b|``, ``W = b'/|b|`` and ``n = A x B`` the six measures of strain are
(docs/theory/ancf_beams.md, B2)::

    m = (p.n,  p.A,  p.B,  (U.B - W.A)/2,  W.n,  -U.n)

stretch, two shears, twist, two bendings.  Each is a product, linear in each vector, divided by ``|a|^h |b|^g``; h and g are small
integers, which is all that the derivatives by a and b need.  The energy is ``sum c_k (m_k - o_k)²/2``.

Vectors are tuples of three, blocks tuples of nine numbers, row by row.  Vectors of gradients are "scaled": to be multiplied by ``1/|a|``
for a and u, by ``1/|b|`` for b and w, and by `inverse` for p, u and w.
"""

from flexmbd.lanes import kernel, maximum, sqrt


@kernel
def beam_cross(x, y):
    """x x y"""
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


@kernel
def beam_dot(x, y):
    """x.y"""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def beam_scale(s, x):
    """s x"""
    return s * x[0], s * x[1], s * x[2]


@kernel
def beam_sum(s, x, t, y):
    """s x + t y"""
    return s * x[0] + t * y[0], s * x[1] + t * y[1], s * x[2] + t * y[2]


@kernel
def beam_outer(s, x, y):
    """s x y'"""
    u, v, w = s * x[0], s * x[1], s * x[2]
    return u * y[0], u * y[1], u * y[2], v * y[0], v * y[1], v * y[2], w * y[0], w * y[1], w * y[2]


@kernel
def beam_add(k, x, y):
    """k + x y'"""
    return (
        k[0] + x[0] * y[0], k[1] + x[0] * y[1], k[2] + x[0] * y[2], k[3] + x[1] * y[0], k[4] + x[1] * y[1], k[5] + x[1] * y[2],
        k[6] + x[2] * y[0], k[7] + x[2] * y[1], k[8] + x[2] * y[2],
    )  # fmt: skip


@kernel
def beam_skew(d, s, x):
    """d I + s [x]"""
    u, v, w = s * x[0], s * x[1], s * x[2]
    return d, -w, v, w, d, -u, -v, u, d


@kernel
def beam_join(s, k, m):
    """s (k + m)"""
    return (
        s * (k[0] + m[0]), s * (k[1] + m[1]), s * (k[2] + m[2]), s * (k[3] + m[3]), s * (k[4] + m[4]),
        s * (k[5] + m[5]), s * (k[6] + m[6]), s * (k[7] + m[7]), s * (k[8] + m[8]),
    )  # fmt: skip


@kernel
def beam_times(s, k):
    """s k"""
    return s * k[0], s * k[1], s * k[2], s * k[3], s * k[4], s * k[5], s * k[6], s * k[7], s * k[8]


@kernel
def beam_point(z, inverse):
    """p, A, B, U, W, n, 1/|a|, 1/|b|."""
    p, a, b, u, w = z
    i, j = 1.0 / sqrt(maximum(beam_dot(a, a), 1e-12)), 1.0 / sqrt(maximum(beam_dot(b, b), 1e-12))
    a, b = beam_scale(i, a), beam_scale(j, b)
    return beam_scale(inverse, p), a, b, beam_scale(i * inverse, u), beam_scale(j * inverse, w), beam_cross(a, b), i, j


@kernel
def beam_measures(y):
    """The six measures."""
    p, a, b, u, w, n, i, j = y
    twist = 0.5 * (beam_dot(u, b) - beam_dot(w, a))
    return beam_dot(p, n), beam_dot(p, a), beam_dot(p, b), twist, beam_dot(w, n), -beam_dot(u, n)


@kernel
def beam_gradients(y, m):
    """Scaled gradients of the measures: 1 by p, a, b; 2 by p, a; 3 by p, b; 4 by a, b, u, w; 5 by a, b, w; 6 by a, b, u."""
    p, a, b, u, w, n, i, j = y
    return (
        n, beam_sum(1.0, beam_cross(b, p), -m[0], a), beam_sum(1.0, beam_cross(p, a), -m[0], b),
        a, beam_sum(1.0, p, -m[1], a),
        b, beam_sum(1.0, p, -m[2], b),
        beam_sum(-0.5, w, -m[3], a), beam_sum(0.5, u, -m[3], b), beam_scale(0.5, b), beam_scale(-0.5, a),
        beam_sum(1.0, beam_cross(b, w), -m[4], a), beam_sum(1.0, beam_cross(w, a), -2.0 * m[4], b), n,
        beam_sum(1.0, beam_cross(u, b), -2.0 * m[5], a), beam_sum(1.0, beam_cross(a, u), -m[5], b), beam_scale(-1.0, n),
    )  # fmt: skip


@kernel
def beam_pull(y, g, s, inverse):
    """Sum of s_k times the gradients of m_k by p, a, b, u, w: fifteen numbers."""
    i, j = y[6], y[7]
    p = beam_sum(1.0, beam_sum(s[0], g[0], s[1], g[3]), s[2], g[5])
    a = beam_sum(1.0, beam_sum(s[0], g[1], s[1], g[4]), s[3], g[7])
    a = beam_sum(1.0, a, 1.0, beam_sum(s[4], g[11], s[5], g[14]))
    b = beam_sum(1.0, beam_sum(s[0], g[2], s[2], g[6]), s[3], g[8])
    b = beam_sum(1.0, b, 1.0, beam_sum(s[4], g[12], s[5], g[15]))
    u, w = beam_sum(s[3], g[9], s[5], g[16]), beam_sum(s[3], g[10], s[4], g[13])
    ki, kj = i * inverse, j * inverse
    return (
        inverse * p[0], inverse * p[1], inverse * p[2], i * a[0], i * a[1], i * a[2], j * b[0], j * b[1], j * b[2],
        ki * u[0], ki * u[1], ki * u[2], kj * w[0], kj * w[1], kj * w[2],
    )  # fmt: skip


@kernel
def beam_products(c, x, y):
    """Sum of c_k times gradient k of x by gradient k of y: blocks pp pa pb aa ab au aw bb bu bw uu uw ww."""
    x4a, x4b, x4u = beam_scale(c[3], x[7]), beam_scale(c[3], x[8]), beam_scale(c[3], x[9])
    x5a, x5b = beam_scale(c[4], x[11]), beam_scale(c[4], x[12])
    x6a, x6b = beam_scale(c[5], x[14]), beam_scale(c[5], x[15])
    x1p, x2p, x3p = beam_scale(c[0], x[0]), beam_scale(c[1], x[3]), beam_scale(c[2], x[5])
    x1a, x1b = beam_scale(c[0], x[1]), beam_scale(c[0], x[2])
    aa = beam_add(beam_outer(c[1], x[4], y[4]), x1a, y[1])
    bb = beam_add(beam_outer(c[2], x[6], y[6]), x1b, y[2])
    return (
        beam_add(beam_add(beam_outer(c[2], x[5], y[5]), x1p, y[0]), x2p, y[3]),
        beam_add(beam_outer(c[1], x[3], y[4]), x1p, y[1]),
        beam_add(beam_outer(1.0, x3p, y[6]), x1p, y[2]),
        beam_add(beam_add(beam_add(aa, x4a, y[7]), x5a, y[11]), x6a, y[14]),
        beam_add(beam_add(beam_add(beam_outer(1.0, x1a, y[2]), x4a, y[8]), x5a, y[12]), x6a, y[15]),
        beam_add(beam_outer(1.0, x4a, y[9]), x6a, y[16]),
        beam_add(beam_outer(1.0, x4a, y[10]), x5a, y[13]),
        beam_add(beam_add(beam_add(bb, x4b, y[8]), x5b, y[12]), x6b, y[15]),
        beam_add(beam_outer(1.0, x4b, y[9]), x6b, y[16]),
        beam_add(beam_outer(1.0, x4b, y[10]), x5b, y[13]),
        beam_add(beam_outer(c[5], x[16], y[16]), x4u, y[9]),
        beam_outer(1.0, x4u, y[10]),
        beam_add(beam_outer(c[4], x[13], y[13]), beam_scale(c[3], x[10]), y[10]),
    )  # fmt: skip


@kernel
def beam_bent(y, m, s):
    """Sum of s_k times the second derivatives of m_k, scaled: blocks pa pb aa ab au aw bb bu bw."""
    p, a, b, u, w, n, i, j = y
    s1, s2, s3, s4, s5, s6 = s
    bp, pa, bw, wa, ub, au = beam_cross(b, p), beam_cross(p, a), beam_cross(b, w), beam_cross(w, a), beam_cross(u, b), beam_cross(a, u)
    base = s1 * m[0] + s4 * m[3]
    e2, e3, e5, e6 = s2 * m[1], s3 * m[2], s5 * m[4], s6 * m[5]
    both_a, both_b = beam_sum(s1, bp, -0.5 * s4, w), beam_sum(s1, pa, 0.5 * s4, u)  # of h = g = 1
    ah = beam_sum(1.0, beam_sum(1.0, both_a, s2, p), 1.0, beam_sum(s5, bw, 2.0 * s6, ub))
    ag = beam_sum(1.0, both_a, 1.0, beam_sum(2.0 * s5, bw, s6, ub))
    bh = beam_sum(1.0, both_b, 1.0, beam_sum(s5, wa, 2.0 * s6, au))
    bg = beam_sum(1.0, beam_sum(1.0, both_b, s3, p), 1.0, beam_sum(2.0 * s5, wa, s6, au))
    ah = beam_sum(-1.0, ah, 0.5 * (3.0 * (base + e2 + e5) + 8.0 * e6), a)
    bg = beam_sum(-1.0, bg, 0.5 * (3.0 * (base + e3 + e6) + 8.0 * e5), b)
    bh = beam_sum(-1.0, bh, base + 2.0 * (e5 + e6), b)
    turn = beam_sum(1.0, beam_sum(s1, p, s5, w), -s6, u)
    zero = 0.0 * s1
    aa = beam_add(beam_skew(-(base + e2 + e5 + 2.0 * e6), zero, a), ah, a)
    bb = beam_add(beam_skew(-(base + e3 + e6 + 2.0 * e5), zero, b), bg, b)
    return (
        beam_add(beam_skew(s2, -s1, b), beam_sum(-s1, n, -s2, a), a),
        beam_add(beam_skew(s3, s1, a), beam_sum(-s1, n, -s3, b), b),
        beam_add(aa, a, ah),
        beam_add(beam_add(beam_skew(zero, -1.0, turn), beam_scale(-1.0, ag), b), a, bh),
        beam_add(beam_skew(zero, -s6, b), a, beam_sum(-0.5 * s4, b, 2.0 * s6, n)),
        beam_add(beam_skew(-0.5 * s4, s5, b), a, beam_sum(0.5 * s4, a, -s5, n)),
        beam_add(bb, b, bg),
        beam_add(beam_skew(0.5 * s4, s6, a), b, beam_sum(-0.5 * s4, b, s6, n)),
        beam_add(beam_skew(zero, -s5, a), b, beam_sum(0.5 * s4, a, -2.0 * s5, n)),
    )


@kernel
def beam_unscaled(k, h, i, j, inverse):
    """Blocks of `beam_products` plus those of `beam_bent`, by the arguments themselves: 13 blocks in a row."""
    ki, kj = i * inverse, j * inverse
    return (
        beam_times(inverse * inverse, k[0]) + beam_join(inverse * i, k[1], h[0]) + beam_join(inverse * j, k[2], h[1])
        + beam_join(i * i, k[3], h[2]) + beam_join(i * j, k[4], h[3]) + beam_join(i * ki, k[5], h[4]) + beam_join(i * kj, k[6], h[5])
        + beam_join(j * j, k[7], h[6]) + beam_join(j * ki, k[8], h[7]) + beam_join(j * kj, k[9], h[8])
        + beam_times(ki * ki, k[10]) + beam_times(ki * kj, k[11]) + beam_times(kj * kj, k[12])
    )  # fmt: skip


@kernel
def beam_strain(z, inverse):
    """The six measures."""
    return beam_measures(beam_point(z, inverse))


@kernel
def beam_stress(m, c, o):
    """c_k (m_k - o_k)"""
    return (
        c[0] * (m[0] - o[0]), c[1] * (m[1] - o[1]), c[2] * (m[2] - o[2]),
        c[3] * (m[3] - o[3]), c[4] * (m[4] - o[4]), c[5] * (m[5] - o[5]),
    )  # fmt: skip


@kernel
def beam_energy(z, inverse, c, o):
    """Energy of the point."""
    m = beam_strain(z, inverse)
    s = beam_stress(m, c, o)
    return 0.5 * (
        s[0] * (m[0] - o[0]) + s[1] * (m[1] - o[1]) + s[2] * (m[2] - o[2])
        + s[3] * (m[3] - o[3]) + s[4] * (m[4] - o[4]) + s[5] * (m[5] - o[5])
    )  # fmt: skip


@kernel
def beam_force(z, inverse, c, o):
    """Derivatives of the energy by p, a, b, u, w: fifteen numbers."""
    y = beam_point(z, inverse)
    m = beam_measures(y)
    return beam_pull(y, beam_gradients(y, m), beam_stress(m, c, o), inverse)


@kernel
def beam_tangent(z, inverse, c, o):
    """Second derivatives of the energy: blocks pp pa pb aa ab au aw bb bu bw uu uw ww (those of p with u and w are zero)."""
    y = beam_point(z, inverse)
    m = beam_measures(y)
    g = beam_gradients(y, m)
    return beam_unscaled(beam_products(c, g, g), beam_bent(y, m, beam_stress(m, c, o)), y[6], y[7], inverse)


HELPERS = (
    beam_cross, beam_dot, beam_scale, beam_sum, beam_outer, beam_add, beam_skew, beam_join, beam_times, beam_point, beam_measures,
    beam_strain, beam_stress, beam_gradients, beam_pull, beam_products, beam_bent, beam_unscaled,
)  # fmt: skip
