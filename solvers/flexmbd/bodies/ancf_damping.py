"""Kelvin-Voigt damping of one gradient-deficient ANCF element at a point (notation of `ancf_elastic`), as scalar kernels.

The rate of the axial strain is ``eps'(P) 2 p.p_dot``.  The rate of the curvature is the change of r'' seen from a frame that
turns with the tangent and does not spin about it; l times that rate is, to first order in the strain::

    rho = (I - p p'/P) a,    a = s_dot - tau p_dot,    tau = T/P

In the plane this is the rate of the signed curvature; in space it vanishes in every rigid motion but the spin of a bent cable
about its own tangent, which a cable without torsion cannot tell from a whirl.  The generalized force on ``y_a = (c, a, b)``, with the
factors p_a, s_a of the vectors in p and s, and its tangents are::

    f_a = A lambda X p_a p + B w_a rho,    lambda = (2 eps'(P))²,  X = p.p_dot,  w_a = s_a - tau p_a
    df_a/dy_b = A p_a p_b (lambda (X I + p p_dot') + 2 lambda' X p p')
                - B ((p_a rho + w_a n) t_b' + w_a p_b (alpha I + p g'))
    df_a/dy_b_dot = A lambda p_a p_b p p' + B w_a w_b (I - p p'/P)
    n = (I - p p'/P) p_dot,  alpha = p.a/P,  g = (a - 2 alpha p)/P,  t_b = (p_b (s - 2 tau p) + s_b p)/P
"""

from flexmbd.bodies.ancf_elastic import cable_axial, cable_shape_slopes, cable_shapes
from flexmbd.lanes import kernel, maximum


@kernel
def cable_stretching(x, y, v):
    """p and p_dot at x; y are c, d, e and v their rates."""
    na, nb = cable_shapes(x)
    return (
        y[0] + na * y[3] + nb * y[6], y[1] + na * y[4] + nb * y[7], y[2] + na * y[5] + nb * y[8],
        v[0] + na * v[3] + nb * v[6], v[1] + na * v[4] + nb * v[7], v[2] + na * v[5] + nb * v[8],
    )  # fmt: skip


@kernel
def cable_turning(x, y, v):
    """p, s, p_dot, a = s_dot - tau p_dot, 1/P and tau at x: fourteen numbers."""
    px, py, pz, vx, vy, vz = cable_stretching(x, y, v)
    sa, sb = cable_shape_slopes(x)
    sx, sy, sz = sa * y[3] + sb * y[6], sa * y[4] + sb * y[7], sa * y[5] + sb * y[8]
    gx, gy, gz = sa * v[3] + sb * v[6], sa * v[4] + sb * v[7], sa * v[5] + sb * v[8]
    i = 1.0 / maximum(px * px + py * py + pz * pz, 1e-12)
    tau = i * (px * sx + py * sy + pz * sz)
    return px, py, pz, sx, sy, sz, vx, vy, vz, gx - tau * vx, gy - tau * vy, gz - tau * vz, i, tau


@kernel
def cable_axial_drag(f, x, y, v, axial, green):
    """Add one point's axial part to the force."""
    px, py, pz, vx, vy, vz = cable_stretching(x, y, v)
    slope = 2.0 * cable_axial(px * px + py * py + pz * pz, green)[1]
    pull = axial * slope * slope * (px * vx + py * vy + pz * vz)
    fx, fy, fz = pull * px, pull * py, pull * pz
    na, nb = cable_shapes(x)
    nc = 1.0 - na - nb
    return (
        f[0] + nc * fx, f[1] + nc * fy, f[2] + nc * fz, f[3] + na * fx, f[4] + na * fy, f[5] + na * fz,
        f[6] + nb * fx, f[7] + nb * fy, f[8] + nb * fz,
    )  # fmt: skip


@kernel
def cable_bending_drag(f, x, y, v, bending):
    """Add one point's bending part to the force."""
    px, py, pz, _, _, _, _, _, _, gx, gy, gz, i, tau = cable_turning(x, y, v)
    alpha = i * (px * gx + py * gy + pz * gz)
    mx, my, mz = bending * (gx - alpha * px), bending * (gy - alpha * py), bending * (gz - alpha * pz)
    (na, nb), (sa, sb) = cable_shapes(x), cable_shape_slopes(x)
    wa, wb = sa - tau * na, sb - tau * nb
    wc = -tau - wa - wb
    return (
        f[0] + wc * mx, f[1] + wc * my, f[2] + wc * mz, f[3] + wa * mx, f[4] + wa * my, f[5] + wa * mz,
        f[6] + wb * mx, f[7] + wb * my, f[8] + wb * mz,
    )  # fmt: skip


@kernel
def cable_outer(k, m, u, v, p, h):
    """Add m I + u v' + p h' to a block of nine numbers."""
    return (
        k[0] + m + u[0] * v[0] + p[0] * h[0], k[1] + u[0] * v[1] + p[0] * h[1], k[2] + u[0] * v[2] + p[0] * h[2],
        k[3] + u[1] * v[0] + p[1] * h[0], k[4] + m + u[1] * v[1] + p[1] * h[1], k[5] + u[1] * v[2] + p[1] * h[2],
        k[6] + u[2] * v[0] + p[2] * h[0], k[7] + u[2] * v[1] + p[2] * h[1], k[8] + m + u[2] * v[2] + p[2] * h[2],
    )  # fmt: skip


@kernel
def cable_more(k, w, x):
    """k + w x of blocks."""
    return (
        k[0] + w * x[0], k[1] + w * x[1], k[2] + w * x[2], k[3] + w * x[3], k[4] + w * x[4], k[5] + w * x[5],
        k[6] + w * x[6], k[7] + w * x[7], k[8] + w * x[8],
    )  # fmt: skip


@kernel
def cable_axial_drag_tangent(k, x, y, v, axial, green):
    """Add one point's axial part to the nine blocks of df/dy and the six upper ones of df/dy_dot."""
    px, py, pz, vx, vy, vz = cable_stretching(x, y, v)
    _, first, second = cable_axial(px * px + py * py + pz * pz, green)
    X, factor = px * vx + py * vy + pz * vz, 4.0 * axial * first * first
    change = 16.0 * axial * first * second * X
    hx, hy, hz = factor * vx + change * px, factor * vy + change * py, factor * vz + change * pz
    m, rx, ry, rz = factor * X, factor * px, factor * py, factor * pz
    by_place = (m + px * hx, px * hy, px * hz, py * hx, m + py * hy, py * hz, pz * hx, pz * hy, m + pz * hz)
    by_rate = (px * rx, px * ry, px * rz, py * rx, py * ry, py * rz, pz * rx, pz * ry, pz * rz)
    na, nb = cable_shapes(x)
    nc = 1.0 - na - nb
    return (
        cable_more(k[0], nc * nc, by_place), cable_more(k[1], nc * na, by_place), cable_more(k[2], nc * nb, by_place),
        cable_more(k[3], na * nc, by_place), cable_more(k[4], na * na, by_place), cable_more(k[5], na * nb, by_place),
        cable_more(k[6], nb * nc, by_place), cable_more(k[7], nb * na, by_place), cable_more(k[8], nb * nb, by_place),
        cable_more(k[9], nc * nc, by_rate), cable_more(k[10], nc * na, by_rate), cable_more(k[11], nc * nb, by_rate),
        cable_more(k[12], na * na, by_rate), cable_more(k[13], na * nb, by_rate), cable_more(k[14], nb * nb, by_rate),
    )  # fmt: skip


@kernel
def cable_bending_drag_block(k, z, pa, sa, pb, sb, bending):
    """Add one point's bending part of df_a/dy_b to a block; `z` from `cable_turning`."""
    px, py, pz, sx, sy, sz, vx, vy, vz, gx, gy, gz, i, tau = z
    wa = sa - tau * pa
    alpha, beta = i * (px * gx + py * gy + pz * gz), i * (px * vx + py * vy + pz * vz)
    rx, ry, rz = gx - alpha * px, gy - alpha * py, gz - alpha * pz
    u = (pa * rx + wa * (vx - beta * px), pa * ry + wa * (vy - beta * py), pa * rz + wa * (vz - beta * pz))
    along, across = sb - 2.0 * tau * pb, -bending * i
    t = (across * (pb * sx + along * px), across * (pb * sy + along * py), across * (pb * sz + along * pz))
    turn = -bending * wa * pb
    own, same = turn * i, -2.0 * turn * i * alpha
    h = (own * gx + same * px, own * gy + same * py, own * gz + same * pz)
    return cable_outer(k, turn * alpha, u, t, (px, py, pz), h)


@kernel
def cable_bending_viscosity_block(k, z, pa, sa, pb, sb, bending):
    """Add one point's bending part of df_a/dy_b_dot to a block."""
    px, py, pz, _, _, _, _, _, _, _, _, _, i, tau = z
    m = bending * (sa - tau * pa) * (sb - tau * pb)
    sx, sy, sz = -m * i * px, -m * i * py, -m * i * pz
    return (
        k[0] + m + sx * px, k[1] + sx * py, k[2] + sx * pz, k[3] + sy * px, k[4] + m + sy * py, k[5] + sy * pz,
        k[6] + sz * px, k[7] + sz * py, k[8] + m + sz * pz,
    )  # fmt: skip


@kernel
def cable_bending_drag_tangent(k, x, y, v, bending):
    """Add one point's bending part to the nine blocks of df/dy and the six upper ones of df/dy_dot."""
    z = cable_turning(x, y, v)
    (na, nb), (sa, sb) = cable_shapes(x), cable_shape_slopes(x)
    nc, sc = 1.0 - na - nb, -sa - sb
    return (
        cable_bending_drag_block(k[0], z, nc, sc, nc, sc, bending),
        cable_bending_drag_block(k[1], z, nc, sc, na, sa, bending),
        cable_bending_drag_block(k[2], z, nc, sc, nb, sb, bending),
        cable_bending_drag_block(k[3], z, na, sa, nc, sc, bending),
        cable_bending_drag_block(k[4], z, na, sa, na, sa, bending),
        cable_bending_drag_block(k[5], z, na, sa, nb, sb, bending),
        cable_bending_drag_block(k[6], z, nb, sb, nc, sc, bending),
        cable_bending_drag_block(k[7], z, nb, sb, na, sa, bending),
        cable_bending_drag_block(k[8], z, nb, sb, nb, sb, bending),
        cable_bending_viscosity_block(k[9], z, nc, sc, nc, sc, bending),
        cable_bending_viscosity_block(k[10], z, nc, sc, na, sa, bending),
        cable_bending_viscosity_block(k[11], z, nc, sc, nb, sb, bending),
        cable_bending_viscosity_block(k[12], z, na, sa, na, sa, bending),
        cable_bending_viscosity_block(k[13], z, na, sa, nb, sb, bending),
        cable_bending_viscosity_block(k[14], z, nb, sb, nb, sb, bending),
    )


@kernel
def cable_joined(k):
    """All numbers of fifteen blocks."""
    return k[0] + k[1] + k[2] + k[3] + k[4] + k[5] + k[6] + k[7] + k[8] + k[9] + k[10] + k[11] + k[12] + k[13] + k[14]


HELPERS = (
    cable_stretching, cable_turning, cable_axial_drag, cable_bending_drag, cable_outer, cable_more, cable_axial_drag_tangent,
    cable_bending_drag_block, cable_bending_viscosity_block, cable_bending_drag_tangent, cable_joined,
)  # fmt: skip
