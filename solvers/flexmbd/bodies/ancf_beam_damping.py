"""Kelvin-Voigt damping at one integration point of an ANCF beam (notation of `ancf_beam_elastic`), as scalar kernels.

Rates of the arguments z are v, in the same order; d are six dampings. Each measure of strain m resists its rate: with the gradients g
of m by the arguments and their rates v, the force is ``d (g.v) g``, its tangents are ``d g g'`` by v and ``d (g (dg/dt)' + (g.v) H)``
by the arguments, where ``dg/dt = H v`` and H are second derivatives.
"""

from flexmbd.bodies.ancf_beam_elastic import (
    beam_bent,
    beam_cross,
    beam_dot,
    beam_gradients,
    beam_measures,
    beam_point,
    beam_products,
    beam_pull,
    beam_scale,
    beam_sum,
    beam_unscaled,
)
from flexmbd.lanes import kernel


@kernel
def beam_motion(y, v, inverse):
    """Rates v of the arguments, scaled as gradients are."""
    p, a, b, u, w = v
    i, j = y[6], y[7]
    return beam_scale(inverse, p), beam_scale(i, a), beam_scale(j, b), beam_scale(i * inverse, u), beam_scale(j * inverse, w)


@kernel
def beam_rates(g, v):
    """Rates of the six measures."""
    p, a, b, u, w = v
    return (
        beam_dot(g[0], p) + beam_dot(g[1], a) + beam_dot(g[2], b),
        beam_dot(g[3], p) + beam_dot(g[4], a),
        beam_dot(g[5], p) + beam_dot(g[6], b),
        beam_dot(g[7], a) + beam_dot(g[8], b) + beam_dot(g[9], u) + beam_dot(g[10], w),
        beam_dot(g[11], a) + beam_dot(g[12], b) + beam_dot(g[13], w),
        beam_dot(g[14], a) + beam_dot(g[15], b) + beam_dot(g[16], u),
    )


@kernel
def beam_crossed(x, y, vx, vy):
    """Rate of x x y."""
    return beam_sum(1.0, beam_cross(x, vy), 1.0, beam_cross(vx, y))


@kernel
def beam_turned(x, rate, y, m, vy, rho, g):
    """Rate of a scaled gradient g, a vector less m y, of which x is the vector's rate; it shrinks as its director stretches at rho."""
    return beam_sum(1.0, beam_sum(1.0, x, -rate, y), -1.0, beam_sum(m, vy, rho, g))


@kernel
def beam_gradient_rates(y, m, g, v, rate):
    """Rates of `beam_gradients`, scaled as these."""
    p, a, b, u, w, n, i, j = y
    vp, va, vb, vu, vw = v
    ra, rb = beam_dot(a, va), beam_dot(b, vb)
    va, vu = beam_sum(1.0, va, -ra, a), beam_sum(1.0, vu, -ra, u)
    vb, vw = beam_sum(1.0, vb, -rb, b), beam_sum(1.0, vw, -rb, w)
    vn = beam_crossed(a, b, va, vb)
    return (
        vn,
        beam_turned(beam_crossed(b, p, vb, vp), rate[0], a, m[0], va, ra, g[1]),
        beam_turned(beam_crossed(p, a, vp, va), rate[0], b, m[0], vb, rb, g[2]),
        va, beam_turned(vp, rate[1], a, m[1], va, ra, g[4]),
        vb, beam_turned(vp, rate[2], b, m[2], vb, rb, g[6]),
        beam_turned(beam_scale(-0.5, vw), rate[3], a, m[3], va, ra, g[7]),
        beam_turned(beam_scale(0.5, vu), rate[3], b, m[3], vb, rb, g[8]),
        beam_sum(0.5, vb, -ra, g[9]), beam_sum(-0.5, va, -rb, g[10]),
        beam_turned(beam_crossed(b, w, vb, vw), rate[4], a, m[4], va, ra, g[11]),
        beam_turned(beam_crossed(w, a, vw, va), 2.0 * rate[4], b, 2.0 * m[4], vb, rb, g[12]),
        beam_sum(1.0, vn, -rb, g[13]),
        beam_turned(beam_crossed(u, b, vu, vb), 2.0 * rate[5], a, 2.0 * m[5], va, ra, g[14]),
        beam_turned(beam_crossed(a, u, va, vu), rate[5], b, m[5], vb, rb, g[15]),
        beam_sum(-1.0, vn, -ra, g[16]),
    )  # fmt: skip


@kernel
def beam_resistance(d, r):
    """d_k r_k"""
    return d[0] * r[0], d[1] * r[1], d[2] * r[2], d[3] * r[3], d[4] * r[4], d[5] * r[5]


@kernel
def beam_drag(z, v, inverse, d):
    """Derivatives of half the lost power by the rates of p, a, b, u, w: fifteen numbers."""
    y = beam_point(z, inverse)
    g = beam_gradients(y, beam_measures(y))
    return beam_pull(y, g, beam_resistance(d, beam_rates(g, beam_motion(y, v, inverse))), inverse)


@kernel
def beam_drag_tangent(z, v, inverse, d):
    """Derivatives of `beam_drag`: blocks of `beam_tangent` above the diagonal, transposes of those below it, and those by the rates."""
    y = beam_point(z, inverse)
    m = beam_measures(y)
    g, v = beam_gradients(y, m), beam_motion(y, v, inverse)
    r = beam_rates(g, v)
    h, bent = beam_gradient_rates(y, m, g, v, r), beam_bent(y, m, beam_resistance(d, r))
    i, j, zero = y[6], y[7], 0.0 * d[0] * r[0]
    o = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    none = (o, o, o, o, o, o, o, o, o)
    above = beam_unscaled(beam_products(d, g, h), bent, i, j, inverse)
    below = beam_unscaled(beam_products(d, h, g), bent, i, j, inverse)
    return above + below + beam_unscaled(beam_products(d, g, g), none, i, j, inverse)


HELPERS = (beam_motion, beam_resistance, beam_rates, beam_crossed, beam_turned, beam_gradient_rates)
