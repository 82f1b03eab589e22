"""Force of one gradient-deficient ANCF element over a step that conserves energy, at a point (notation of `ancf_elastic`).

The change of the energy U from the products ``G0`` at the step's start to ``G1`` at its end is written as a sum over its factors::

    U1 - U0 = sum_k D_k (G1_k - G0_k)

and the force is ``D_k dG_k/dy`` in the middle of the step.  G is quadratic in the coordinates, so ``G1 - G0 = dG/dy(y_m) (y1 - y0)``: the
work of that force is the change of the energy, exactly (discrete gradient; Gonzalez 1996, J. Nonlinear Sci. 6, 449-467; by invariants
Gonzalez 2000, Comput. Methods Appl. Mech. Eng. 190, 1763-1783).  It depends on products of vectors only, so it has no resultant and no
moment.  D comes without a division by a difference that may vanish.  With m for the mean of the ends, ``i = 1/P``,
``i^m = a + b i² + c i³`` and ``D = P S - T²``::

    eps²/2:    (P0 + P1 - 2)/8 or 1/2 - 1/(sqrt(P0) + sqrt(P1))
    D i^m:     by P  S_m F_m - D_m E,    by T  -2 T_m F_m,    by S  P_m F_m
               E = i0 i1 (b (i0 + i1) + c (i0² + i0 i1 + i1²))

Unknown is the state y in the middle, with ``y1 = 2 y - y0``.
"""

from flexmbd.bodies.ancf_elastic import cable_axial_added, cable_bending_added, cable_mixed, cable_shape_slopes, cable_shapes, cable_square
from flexmbd.bodies.ancf_stiffness import cable_block, cable_less, cable_row
from flexmbd.lanes import kernel, maximum, sqrt


@kernel
def cable_ahead(y, start):
    """Nine numbers at the step's end from those in its middle and at its start."""
    return (
        2.0 * y[0] - start[0], 2.0 * y[1] - start[1], 2.0 * y[2] - start[2], 2.0 * y[3] - start[3], 2.0 * y[4] - start[4],
        2.0 * y[5] - start[5], 2.0 * y[6] - start[6], 2.0 * y[7] - start[7], 2.0 * y[8] - start[8],
    )  # fmt: skip


@kernel
def cable_axial_change(P0, P1, green):
    """Change of eps²/2 over that of P, and its derivative by P1."""
    n0, n1 = sqrt(maximum(P0, 1e-12)), sqrt(maximum(P1, 1e-12))
    other, i = 1.0 - green, 1.0 / (n0 + n1)
    return green * 0.125 * (P0 + P1 - 2.0) + other * (0.5 - i), green * 0.125 + other * 0.5 * i * i / n1


@kernel
def cable_bending_change(P0, T0, S0, P1, T1, S1, order):
    """Factors of the changes of P, T and S in that of Q, and their derivatives: PP, PT, PS, TP, TT, SP by P1, T1, S1 (others are zero)."""
    i, j = 1.0 / maximum(P0, 1e-12), 1.0 / maximum(P1, 1e-12)
    a, b, c = (2.0 - order) * (3.0 - order) / 6.0, 0.5 * order * (3.0 - order), order * (order - 2.0) / 3.0
    F = a + 0.5 * (i * i * (b + c * i) + j * j * (b + c * j))
    F1 = -0.5 * j * j * j * (2.0 * b + 3.0 * c * j)
    E = i * j * (b * (i + j) + c * (i * i + i * j + j * j))
    E1 = -j * j * i * (b * (i + 2.0 * j) + c * (i * i + 2.0 * i * j + 3.0 * j * j))
    P, T, S = 0.5 * (P0 + P1), 0.5 * (T0 + T1), 0.5 * (S0 + S1)
    D = 0.5 * (P0 * S0 - T0 * T0 + P1 * S1 - T1 * T1)
    return (
        S * F - D * E, -2.0 * T * F, P * F,
        S * F1 - 0.5 * S1 * E - D * E1, T1 * E, 0.5 * (F - P1 * E), -2.0 * T * F1, -F, 0.5 * F + P * F1,
    )  # fmt: skip


@kernel
def cable_axial_mean_stress(k, G, H, x, weight, green):
    """Add one point's axial part to D; products G at the start, H at the end."""
    return cable_axial_added(k, x, weight * cable_axial_change(cable_square(G, x), cable_square(H, x), green)[0])


@kernel
def cable_bending_mean_stress(k, G, H, x, weight, order):
    """Add one point's bending part to D."""
    T0, S0 = cable_mixed(G, x)
    T1, S1 = cable_mixed(H, x)
    q = cable_bending_change(cable_square(G, x), T0, S0, cable_square(H, x), T1, S1, order)
    w = 0.5 * weight
    return cable_bending_added(k, x, w * q[0], w * q[1], w * q[2])


@kernel
def cable_row_added(k, x, y, z, na, nb, u, v):
    """k plus a row of `cable_row`."""
    r = cable_row(x, y, z, na, nb, u, v)
    return k[0] + r[0], k[1] + r[1], k[2] + r[2], k[3] + r[3], k[4] + r[4], k[5] + r[5]


@kernel
def cable_axial_row_added(k, g, na, nb):
    """The same for P alone."""
    g = 2.0 * g
    return k[0] + g, k[1] + g * na, k[2] + g * nb, k[3] + g * na * na, k[4] + g * na * nb, k[5] + g * nb * nb


@kernel
def cable_axial_mean_stiffness(k, G, H, x, weight, green):
    """Add one point's axial part to seven rows of six numbers: w_k D_k, and for each k the 2 w_k w_l dD_k/dH_l."""
    na, nb = cable_shapes(x)
    first, second = cable_axial_change(cable_square(G, x), cable_square(H, x), green)
    h = 4.0 * weight * second
    return (
        cable_axial_row_added(k[0], weight * first, na, nb),
        cable_axial_row_added(k[1], h, na, nb),
        cable_axial_row_added(k[2], h * na, na, nb),
        cable_axial_row_added(k[3], h * nb, na, nb),
        cable_axial_row_added(k[4], h * na * na, na, nb),
        cable_axial_row_added(k[5], h * na * nb, na, nb),
        cable_axial_row_added(k[6], h * nb * nb, na, nb),
    )


@kernel
def cable_bending_mean_stiffness(k, G, H, x, weight, order):
    """Add one point's bending part to those seven rows."""
    (na, nb), (u, v) = cable_shapes(x), cable_shape_slopes(x)
    T0, S0 = cable_mixed(G, x)
    T1, S1 = cable_mixed(H, x)
    q = cable_bending_change(cable_square(G, x), T0, S0, cable_square(H, x), T1, S1, order)
    w = 0.5 * weight
    pp, pt, ps, tp, tt, sp = weight * q[3], weight * q[4], weight * q[5], weight * q[6], weight * q[7], weight * q[8]
    t3, t4, t5 = 2.0 * na * u, na * v + nb * u, 2.0 * nb * v
    p3, p4, p5 = 2.0 * na * na, 2.0 * na * nb, 2.0 * nb * nb
    s3, s4, s5 = 2.0 * u * u, 2.0 * u * v, 2.0 * v * v
    return (
        cable_row_added(k[0], w * q[0], w * q[1], w * q[2], na, nb, u, v),
        cable_row_added(k[1], 2.0 * pp, 2.0 * pt, 2.0 * ps, na, nb, u, v),
        cable_row_added(k[2], 2.0 * na * pp + u * tp, 2.0 * na * pt + u * tt, 2.0 * na * ps, na, nb, u, v),
        cable_row_added(k[3], 2.0 * nb * pp + v * tp, 2.0 * nb * pt + v * tt, 2.0 * nb * ps, na, nb, u, v),
        cable_row_added(k[4], p3 * pp + t3 * tp + s3 * sp, p3 * pt + t3 * tt, p3 * ps, na, nb, u, v),
        cable_row_added(k[5], p4 * pp + t4 * tp + s4 * sp, p4 * pt + t4 * tt, p4 * ps, na, nb, u, v),
        cable_row_added(k[6], p5 * pp + t5 * tp + s5 * sp, p5 * pt + t5 * tt, p5 * ps, na, nb, u, v),
    )


@kernel
def cable_mean_row(m0, m1, m2, h, i, j, y, z):
    """Three blocks beside each other, from three rows."""
    return (
        cable_block(m0, (h[0], h[1], h[2]), (i[0], i[1], i[2]), (j[0], j[1], j[2]), y, z),
        cable_block(m1, (h[1], h[3], h[4]), (i[1], i[3], i[4]), (j[1], j[3], j[4]), y, z),
        cable_block(m2, (h[2], h[4], h[5]), (i[2], i[4], i[5]), (j[2], j[4], j[5]), y, z),
    )


@kernel
def cable_mean_blocks(k, y, z):
    """The blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of nine numbers each; y are c, d, e in the middle, z at the end."""
    m, h0, h1, h2, h3, h4, h5 = k
    cc, cd, ce = cable_mean_row(m[0], m[1], m[2], h0, h1, h2, y, z)
    dc, dd, de = cable_mean_row(m[1], m[3], m[4], h1, h3, h4, y, z)
    ec, ed, ee = cable_mean_row(m[2], m[4], m[5], h2, h4, h5, y, z)
    ac, bc = cable_less(dc, dd, de), cable_less(ec, ed, ee)
    cc = cable_less(cable_less(cc, cd, ce), ac, bc)
    return cc + cable_less(cd, dd, ed) + cable_less(ce, de, ee) + ac + dd + de + bc + ed + ee


HELPERS = (
    cable_ahead, cable_axial_change, cable_bending_change, cable_axial_mean_stress, cable_bending_mean_stress, cable_row_added,
    cable_axial_row_added, cable_axial_mean_stiffness, cable_bending_mean_stiffness, cable_mean_row, cable_mean_blocks,
)  # fmt: skip
