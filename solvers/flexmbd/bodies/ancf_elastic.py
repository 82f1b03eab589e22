"""Elastic energy and force of one gradient-deficient ANCF element at a point, as scalar kernels; `ancf_rules` sums over points.

An element from node 0 to node 1 of length l has the vectors ``c = (r1 - r0)/l``, ``a = r0'``, ``b = r1'``; with
``d = a - c``, ``e = b - c`` and x from 0 to 1 the tangent and l times its derivative are::

    p = r' = c + na d + nb e,    na = 1 - 4x + 3x², nb = 3x² - 2x
    s = l r'' = u d + v e,       u = 6x - 4,        v = 6x - 2

The energy depends on ``P = p.p, T = p.s, S = s.s`` alone (in the plane as in space), and these are linear in the six scalar
products ``G = (c.c, c.d, c.e, d.d, d.e, e.e)``::

    U = integral over x of  1/2 EA l eps(P)² + 1/2 EI/l Q,   Q = (P S - T²) F(P)

- `green` 1: ``eps = (P - 1)/2``; 0: ``eps = sqrt(P) - 1``.
- `order` m: ``F = P^-m``.  m = 3 is the exact geometric curvature ``|r' x r''|/|r'|³``; 2 the turn of the tangent per length of the
  undeformed line, ``|r' x r''|/|r'|²`` (Gerstmayr and Irschik 2008, J. Sound Vib. 318, 461-487); 0 that of small strain.

(Berzeri and Shabana 2000, J. Sound Vib. 235, 539-565; Gerstmayr and Shabana 2006, Nonlinear Dyn. 45, 109-130.)  In the plane the
third components are zero.
"""

from flexmbd.lanes import kernel, maximum, sqrt


@kernel
def cable_axial(P, green):
    """Axial strain, and its first and second derivative by P = r'.r'."""
    P = maximum(P, 1e-12)
    n = sqrt(P)
    other = 1.0 - green
    return green * 0.5 * (P - 1.0) + other * (n - 1.0), green * 0.5 + other * 0.5 / n, -other * 0.25 / (P * n)


@kernel
def cable_bending(P, T, S, order):
    """Q = (P S - T²) P^-m; its derivatives by P, T, S, and second ones by PP, PT, PS, TT (the others are zero)."""
    i = 1.0 / maximum(P, 1e-12)
    F = (2.0 - order) * (3.0 - order) / 6.0 + i * i * (0.5 * order * (3.0 - order) + i * (order * (order - 2.0) / 3.0))
    F1 = -order * F * i
    F2 = -(order + 1.0) * F1 * i
    D = P * S - T * T
    return (
        D * F, S * F + D * F1, -2.0 * T * F, P * F, 2.0 * S * F1 + D * F2, -2.0 * T * F1, F + P * F1, -2.0 * F,
    )  # fmt: skip


@kernel
def cable_vectors(z):
    """The vectors c, d = a - c, e = b - c of c, a, b: nine numbers."""
    c, a, b = z
    return c[0], c[1], c[2], a[0] - c[0], a[1] - c[1], a[2] - c[2], b[0] - c[0], b[1] - c[1], b[2] - c[2]


@kernel
def cable_products(y):
    """The six scalar products of c, d, e."""
    cx, cy, cz, dx, dy, dz, ex, ey, ez = y
    return (
        cx * cx + cy * cy + cz * cz, cx * dx + cy * dy + cz * dz, cx * ex + cy * ey + cz * ez, dx * dx + dy * dy + dz * dz,
        dx * ex + dy * ey + dz * ez, ex * ex + ey * ey + ez * ez,
    )  # fmt: skip


@kernel
def cable_shapes(x):
    """na, nb at x."""
    return 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0)


@kernel
def cable_shape_slopes(x):
    """u, v at x, their derivatives by x."""
    return 6.0 * x - 4.0, 6.0 * x - 2.0


@kernel
def cable_square(G, x):
    """P at x."""
    na, nb = cable_shapes(x)
    return G[0] + 2.0 * (na * G[1] + nb * G[2]) + na * na * G[3] + 2.0 * na * nb * G[4] + nb * nb * G[5]


@kernel
def cable_mixed(G, x):
    """T and S at x."""
    (na, nb), (u, v) = cable_shapes(x), cable_shape_slopes(x)
    T = u * G[1] + v * G[2] + na * u * G[3] + (na * v + nb * u) * G[4] + nb * v * G[5]
    return T, u * u * G[3] + 2.0 * u * v * G[4] + v * v * G[5]


@kernel
def cable_axial_energy(G, x, green):
    """eps²/2 at x."""
    strain = cable_axial(cable_square(G, x), green)[0]
    return 0.5 * strain * strain


@kernel
def cable_bending_energy(G, x, order):
    """Q/2 at x."""
    T, S = cable_mixed(G, x)
    return 0.5 * cable_bending(cable_square(G, x), T, S, order)[0]


@kernel
def cable_axial_added(k, x, g):
    """Add g times the derivatives of P by G."""
    na, nb = cable_shapes(x)
    return (
        k[0] + g, k[1] + 2.0 * na * g, k[2] + 2.0 * nb * g, k[3] + na * na * g, k[4] + 2.0 * na * nb * g, k[5] + nb * nb * g,
    )  # fmt: skip


@kernel
def cable_bending_added(k, x, gp, gt, gs):
    """Add gp, gt, gs times the derivatives of P, T, S by G."""
    (na, nb), (u, v) = cable_shapes(x), cable_shape_slopes(x)
    return (
        k[0] + gp,
        k[1] + 2.0 * na * gp + u * gt,
        k[2] + 2.0 * nb * gp + v * gt,
        k[3] + na * na * gp + na * u * gt + u * u * gs,
        k[4] + 2.0 * na * nb * gp + (na * v + nb * u) * gt + 2.0 * u * v * gs,
        k[5] + nb * nb * gp + nb * v * gt + v * v * gs,
    )


@kernel
def cable_axial_stress(k, G, x, weight, green):
    """Add one point's axial part to the derivatives of U by G."""
    strain, first, _ = cable_axial(cable_square(G, x), green)
    return cable_axial_added(k, x, weight * strain * first)


@kernel
def cable_bending_stress(k, G, x, weight, order):
    """Add one point's bending part to the derivatives of U by G."""
    T, S = cable_mixed(G, x)
    q = cable_bending(cable_square(G, x), T, S, order)
    w = 0.5 * weight
    return cable_bending_added(k, x, w * q[1], w * q[2], w * q[3])


@kernel
def cable_pull(k, y):
    """Derivatives of the energy by c, a and b from those by G: nine numbers."""
    cx, cy, cz, dx, dy, dz, ex, ey, ez = y
    cc, cd, ce, dd, de, ee = 2.0 * k[0], k[1], k[2], 2.0 * k[3], k[4], 2.0 * k[5]
    fax, fay, faz = cd * cx + dd * dx + de * ex, cd * cy + dd * dy + de * ey, cd * cz + dd * dz + de * ez
    fbx, fby, fbz = ce * cx + de * dx + ee * ex, ce * cy + de * dy + ee * ey, ce * cz + de * dz + ee * ez
    fcx, fcy, fcz = cc * cx + cd * dx + ce * ex, cc * cy + cd * dy + ce * ey, cc * cz + cd * dz + ce * ez
    return fcx - fax - fbx, fcy - fay - fby, fcz - faz - fbz, fax, fay, faz, fbx, fby, fbz


HELPERS = (
    cable_axial, cable_bending, cable_vectors, cable_products, cable_shapes, cable_shape_slopes, cable_square, cable_mixed,
    cable_axial_energy, cable_bending_energy, cable_axial_added, cable_bending_added, cable_axial_stress, cable_bending_stress, cable_pull,
)  # fmt: skip
