"""Tangent of the elastic force of one gradient-deficient ANCF element at a point (notation of `ancf_elastic`), as scalar kernels.

With the derivatives ``U_k`` and ``U_kl`` of the energy by the six scalar products G of the vectors ``y = (c, d, e)``, the block of
the stiffness that couples two of the vectors is::

    K_ab = M_ab I + sum over f, g of  y_f y_g' H[af, bg],    M_ab = w_ab U_ab,   H_kl = w_k w_l U_kl,   w = (2, 1, 1, 2, 1, 2)
"""

from flexmbd.bodies.ancf_elastic import cable_axial, cable_bending, cable_mixed, cable_shape_slopes, cable_shapes, cable_square
from flexmbd.lanes import kernel


@kernel
def cable_axial_stiffness(k, G, x, weight, green):
    """Add one point's axial part to (w_k U_k, w_k w_l U_kl for k <= l)."""
    na, nb = cable_shapes(x)
    strain, first, second = cable_axial(cable_square(G, x), green)
    g, h = 2.0 * weight * strain * first, 4.0 * weight * (first * first + strain * second)
    a3, a4, a5 = na * na, na * nb, nb * nb
    h1, h2, h3, h4, h5 = h * na, h * nb, h * a3, h * a4, h * a5
    return (
        k[0] + g, k[1] + g * na, k[2] + g * nb, k[3] + g * a3, k[4] + g * a4, k[5] + g * a5,
        k[6] + h, k[7] + h1, k[8] + h2, k[9] + h3, k[10] + h4, k[11] + h5,
        k[12] + h1 * na, k[13] + h1 * nb, k[14] + h1 * a3, k[15] + h1 * a4, k[16] + h1 * a5,
        k[17] + h2 * nb, k[18] + h2 * a3, k[19] + h2 * a4, k[20] + h2 * a5,
        k[21] + h3 * a3, k[22] + h3 * a4, k[23] + h3 * a5,
        k[24] + h4 * a4, k[25] + h4 * a5,
        k[26] + h5 * a5,
    )  # fmt: skip


@kernel
def cable_row(x, y, z, na, nb, u, v):
    """x times the coefficients of P in G, plus y times those of T, plus z times those of S (each times w)."""
    return (
        2.0 * x,
        2.0 * na * x + u * y,
        2.0 * nb * x + v * y,
        2.0 * (na * na * x + na * u * y + u * u * z),
        2.0 * na * nb * x + (na * v + nb * u) * y + 2.0 * u * v * z,
        2.0 * (nb * nb * x + nb * v * y + v * v * z),
    )


@kernel
def cable_bending_stiffness(k, G, x, weight, order):
    """Add one point's bending part to (w_k U_k, w_k w_l U_kl for k <= l)."""
    (na, nb), (u, v) = cable_shapes(x), cable_shape_slopes(x)
    T, S = cable_mixed(G, x)
    q = cable_bending(cable_square(G, x), T, S, order)
    w = 0.5 * weight
    pp, pt, ps, tt = w * q[4], w * q[5], w * q[6], w * q[7]
    g = cable_row(w * q[1], w * q[2], w * q[3], na, nb, u, v)
    t1, t2, t3, t4, t5 = u, v, 2.0 * na * u, na * v + nb * u, 2.0 * nb * v
    r0 = cable_row(2.0 * pp, 2.0 * pt, 2.0 * ps, na, nb, u, v)
    r1 = cable_row(2.0 * na * pp + t1 * pt, 2.0 * na * pt + t1 * tt, 2.0 * na * ps, na, nb, u, v)
    r2 = cable_row(2.0 * nb * pp + t2 * pt, 2.0 * nb * pt + t2 * tt, 2.0 * nb * ps, na, nb, u, v)
    p3, p4, p5 = 2.0 * na * na, 2.0 * na * nb, 2.0 * nb * nb
    s3, s4, s5 = 2.0 * u * u, 2.0 * u * v, 2.0 * v * v
    r3 = cable_row(p3 * pp + t3 * pt + s3 * ps, p3 * pt + t3 * tt, p3 * ps, na, nb, u, v)
    r4 = cable_row(p4 * pp + t4 * pt + s4 * ps, p4 * pt + t4 * tt, p4 * ps, na, nb, u, v)
    r5 = cable_row(p5 * pp + t5 * pt + s5 * ps, p5 * pt + t5 * tt, p5 * ps, na, nb, u, v)
    return (
        k[0] + g[0], k[1] + g[1], k[2] + g[2], k[3] + g[3], k[4] + g[4], k[5] + g[5],
        k[6] + r0[0], k[7] + r0[1], k[8] + r0[2], k[9] + r0[3], k[10] + r0[4], k[11] + r0[5],
        k[12] + r1[1], k[13] + r1[2], k[14] + r1[3], k[15] + r1[4], k[16] + r1[5],
        k[17] + r2[2], k[18] + r2[3], k[19] + r2[4], k[20] + r2[5],
        k[21] + r3[3], k[22] + r3[4], k[23] + r3[5],
        k[24] + r4[4], k[25] + r4[5],
        k[26] + r5[5],
    )  # fmt: skip


@kernel
def cable_block(m, h, i, j, y, z):
    """m I + sum of y_f z_g' times row f, column g of the rows h, i, j: nine numbers, row by row; y and z are three vectors each."""
    cx, cy, cz, dx, dy, dz, ex, ey, ez = z
    ux, uy, uz = h[0] * cx + h[1] * dx + h[2] * ex, h[0] * cy + h[1] * dy + h[2] * ey, h[0] * cz + h[1] * dz + h[2] * ez
    vx, vy, vz = i[0] * cx + i[1] * dx + i[2] * ex, i[0] * cy + i[1] * dy + i[2] * ey, i[0] * cz + i[1] * dz + i[2] * ez
    wx, wy, wz = j[0] * cx + j[1] * dx + j[2] * ex, j[0] * cy + j[1] * dy + j[2] * ey, j[0] * cz + j[1] * dz + j[2] * ez
    cx, cy, cz, dx, dy, dz, ex, ey, ez = y
    return (
        m + cx * ux + dx * vx + ex * wx, cx * uy + dx * vy + ex * wy, cx * uz + dx * vz + ex * wz,
        cy * ux + dy * vx + ey * wx, m + cy * uy + dy * vy + ey * wy, cy * uz + dy * vz + ey * wz,
        cz * ux + dz * vx + ez * wx, cz * uy + dz * vy + ez * wy, m + cz * uz + dz * vz + ez * wz,
    )  # fmt: skip


@kernel
def cable_less(x, y, z):
    """x - y - z of blocks."""
    return (
        x[0] - y[0] - z[0], x[1] - y[1] - z[1], x[2] - y[2] - z[2], x[3] - y[3] - z[3], x[4] - y[4] - z[4],
        x[5] - y[5] - z[5], x[6] - y[6] - z[6], x[7] - y[7] - z[7], x[8] - y[8] - z[8],
    )  # fmt: skip


@kernel
def cable_turned(x):
    """Transpose of a block."""
    return x[0], x[3], x[6], x[1], x[4], x[7], x[2], x[5], x[8]


@kernel
def cable_blocks(k, y):
    """The blocks cc, ca, cb, aa, ab, bb of nine numbers each, from (w_k U_k, w_k w_l U_kl); y are c, d, e."""
    m0, m1, m2, m3, m4, m5, k00, k01, k02, k03, k04, k05, k11, k12, k13, k14, k15, k22, k23, k24, k25, k33, k34, k35, k44, k45, k55 = k
    cc = cable_block(m0, (k00, k01, k02), (k01, k11, k12), (k02, k12, k22), y, y)
    cd = cable_block(m1, (k01, k03, k04), (k11, k13, k14), (k12, k23, k24), y, y)
    ce = cable_block(m2, (k02, k04, k05), (k12, k14, k15), (k22, k24, k25), y, y)
    dd = cable_block(m3, (k11, k13, k14), (k13, k33, k34), (k14, k34, k44), y, y)
    de = cable_block(m4, (k12, k14, k15), (k23, k34, k35), (k24, k44, k45), y, y)
    ee = cable_block(m5, (k22, k24, k25), (k24, k44, k45), (k25, k45, k55), y, y)
    ca, cb = cable_less(cd, dd, cable_turned(de)), cable_less(ce, de, ee)
    return cable_less(cable_less(cc, cable_turned(cd), cable_turned(ce)), ca, cb) + ca + cb + dd + de + ee


HELPERS = (cable_axial_stiffness, cable_row, cable_bending_stiffness, cable_block, cable_less, cable_turned, cable_blocks)
