"""Kelvin-Voigt damping of one gradient-deficient ANCF element (notation of `ancf_elastic`), as scalar kernels.

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

Gauss's rule with three points for both parts.
"""

from flexmbd.bodies.ancf_elastic import cable_axial
from flexmbd.lanes import kernel, maximum


@kernel
def cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz):
    """p, s, p_dot, a = s_dot - tau p_dot, 1/P and tau at x: fourteen numbers."""
    na, nb, u, v = 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0), 6.0 * x - 4.0, 6.0 * x - 2.0
    dx, dy, dz, ex, ey, ez = ax - cx, ay - cy, az - cz, bx - cx, by - cy, bz - cz
    vdx, vdy, vdz, vex, vey, vez = vax - vcx, vay - vcy, vaz - vcz, vbx - vcx, vby - vcy, vbz - vcz
    px, py, pz = cx + na * dx + nb * ex, cy + na * dy + nb * ey, cz + na * dz + nb * ez
    sx, sy, sz = u * dx + v * ex, u * dy + v * ey, u * dz + v * ez
    vpx, vpy, vpz = vcx + na * vdx + nb * vex, vcy + na * vdy + nb * vey, vcz + na * vdz + nb * vez
    i = 1.0 / maximum(px * px + py * py + pz * pz, 1e-12)
    tau = i * (px * sx + py * sy + pz * sz)
    return (
        px, py, pz, sx, sy, sz, vpx, vpy, vpz,
        u * vdx + v * vex - tau * vpx, u * vdy + v * vey - tau * vpy, u * vdz + v * vez - tau * vpz, i, tau,
    )  # fmt: skip


@kernel
def cable_damping_point(f, x, z, axial, bending, green):
    """Add one point's part to the force; `z` from `cable_rates`."""
    px, py, pz, _, _, _, vpx, vpy, vpz, gx, gy, gz, i, tau = z
    slope = 2.0 * cable_axial(1.0 / i, green)[1]
    pull = axial * slope * slope * (px * vpx + py * vpy + pz * vpz)
    alpha = i * (px * gx + py * gy + pz * gz)
    mx, my, mz = bending * (gx - alpha * px), bending * (gy - alpha * py), bending * (gz - alpha * pz)
    fx, fy, fz = pull * px - tau * mx, pull * py - tau * my, pull * pz - tau * mz
    na, nb, u, v = 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0), 6.0 * x - 4.0, 6.0 * x - 2.0
    nc, w = 1.0 - na - nb, -u - v
    return (
        f[0] + nc * fx + w * mx, f[1] + nc * fy + w * my, f[2] + nc * fz + w * mz,
        f[3] + na * fx + u * mx, f[4] + na * fy + u * my, f[5] + na * fz + u * mz,
        f[6] + nb * fx + v * mx, f[7] + nb * fy + v * my, f[8] + nb * fz + v * mz,
    )  # fmt: skip


@kernel
def cable_damping(cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz, axial, bending, green):
    """Derivatives of half the lost power by the rates of c, a and b: nine numbers; `axial` = eta EA l, `bending` = eta EI/l."""
    o = 0.0 * cx * vcx
    f = (o, o, o, o, o, o, o, o, o)
    x = 0.1127016653792583
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    f = cable_damping_point(f, x, z, 0.2777777777777778 * axial, 0.2777777777777778 * bending, green)
    x = 0.5
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    f = cable_damping_point(f, x, z, 0.4444444444444444 * axial, 0.4444444444444444 * bending, green)
    x = 0.8872983346207417
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    return cable_damping_point(f, x, z, 0.2777777777777778 * axial, 0.2777777777777778 * bending, green)


@kernel
def cable_outer(k, m, ux, uy, uz, vx, vy, vz, px, py, pz, hx, hy, hz):
    """Add m I + u v' + p h' to a block of nine numbers."""
    return (
        k[0] + m + ux * vx + px * hx, k[1] + ux * vy + px * hy, k[2] + ux * vz + px * hz,
        k[3] + uy * vx + py * hx, k[4] + m + uy * vy + py * hy, k[5] + uy * vz + py * hz,
        k[6] + uz * vx + pz * hx, k[7] + uz * vy + pz * hy, k[8] + m + uz * vz + pz * hz,
    )  # fmt: skip


@kernel
def cable_damping_block(k, z, pa, sa, pb, sb, axial, bending, green):
    """Add one point's share of df_a/dy_b to a block."""
    px, py, pz, sx, sy, sz, vpx, vpy, vpz, gx, gy, gz, i, tau = z
    _, first, second = cable_axial(1.0 / i, green)
    factor, change = 4.0 * first * first, 16.0 * first * second
    X = px * vpx + py * vpy + pz * vpz
    wa = sa - tau * pa
    alpha, beta = i * (px * gx + py * gy + pz * gz), i * X
    rx, ry, rz = gx - alpha * px, gy - alpha * py, gz - alpha * pz
    ux, uy, uz = pa * rx + wa * (vpx - beta * px), pa * ry + wa * (vpy - beta * py), pa * rz + wa * (vpz - beta * pz)
    along, across = sb - 2.0 * tau * pb, -bending * i
    vx, vy, vz = across * (pb * sx + along * px), across * (pb * sy + along * py), across * (pb * sz + along * pz)
    pull, turn = axial * pa * pb, -bending * wa * pb
    own, same = turn * i, pull * change * X - 2.0 * turn * i * alpha
    hx = own * gx + pull * factor * vpx + same * px
    hy = own * gy + pull * factor * vpy + same * py
    hz = own * gz + pull * factor * vpz + same * pz
    return cable_outer(k, pull * factor * X + turn * alpha, ux, uy, uz, vx, vy, vz, px, py, pz, hx, hy, hz)


@kernel
def cable_viscosity_block(k, z, pa, sa, pb, sb, axial, bending, green):
    """Add one point's share of df_a/dy_b_dot to a block."""
    px, py, pz, _, _, _, _, _, _, _, _, _, i, tau = z
    first = cable_axial(1.0 / i, green)[1]
    m = bending * (sa - tau * pa) * (sb - tau * pb)
    s = 4.0 * first * first * axial * pa * pb - m * i
    o = 0.0 * s
    return cable_outer(k, m, o, o, o, o, o, o, px, py, pz, s * px, s * py, s * pz)


@kernel
def cable_damping_tangent_point(k, x, z, axial, bending, green):
    """Add one point's part to the nine blocks of df/dy and the six upper ones of df/dy_dot."""
    na, nb, u, v = 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0), 6.0 * x - 4.0, 6.0 * x - 2.0
    nc, w = 1.0 - na - nb, -u - v
    return (
        cable_damping_block(k[0], z, nc, w, nc, w, axial, bending, green),
        cable_damping_block(k[1], z, nc, w, na, u, axial, bending, green),
        cable_damping_block(k[2], z, nc, w, nb, v, axial, bending, green),
        cable_damping_block(k[3], z, na, u, nc, w, axial, bending, green),
        cable_damping_block(k[4], z, na, u, na, u, axial, bending, green),
        cable_damping_block(k[5], z, na, u, nb, v, axial, bending, green),
        cable_damping_block(k[6], z, nb, v, nc, w, axial, bending, green),
        cable_damping_block(k[7], z, nb, v, na, u, axial, bending, green),
        cable_damping_block(k[8], z, nb, v, nb, v, axial, bending, green),
        cable_viscosity_block(k[9], z, nc, w, nc, w, axial, bending, green),
        cable_viscosity_block(k[10], z, nc, w, na, u, axial, bending, green),
        cable_viscosity_block(k[11], z, nc, w, nb, v, axial, bending, green),
        cable_viscosity_block(k[12], z, na, u, na, u, axial, bending, green),
        cable_viscosity_block(k[13], z, na, u, nb, v, axial, bending, green),
        cable_viscosity_block(k[14], z, nb, v, nb, v, axial, bending, green),
    )


@kernel
def cable_damping_tangent(cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz, axial, bending, green):
    """Blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of df/dy and cc, ca, cb, aa, ab, bb of df/dy_dot, nine numbers each."""
    o = 0.0 * cx * vcx
    zero = (o, o, o, o, o, o, o, o, o)
    k = (zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero)
    x = 0.1127016653792583
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    k = cable_damping_tangent_point(k, x, z, 0.2777777777777778 * axial, 0.2777777777777778 * bending, green)
    x = 0.5
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    k = cable_damping_tangent_point(k, x, z, 0.4444444444444444 * axial, 0.4444444444444444 * bending, green)
    x = 0.8872983346207417
    z = cable_rates(x, cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    k = cable_damping_tangent_point(k, x, z, 0.2777777777777778 * axial, 0.2777777777777778 * bending, green)
    return k[0] + k[1] + k[2] + k[3] + k[4] + k[5] + k[6] + k[7] + k[8] + k[9] + k[10] + k[11] + k[12] + k[13] + k[14]


HELPERS = (
    cable_rates, cable_damping_point, cable_outer, cable_damping_block, cable_viscosity_block, cable_damping_tangent_point,
)  # fmt: skip
