"""Energy, forces and tangents of one ANCF element (`ancf_elastic`) by Lobatto's rule (axial: 0, 1/2, 1) and Gauss's (bending: three)."""

from flexmbd.bodies.ancf_conserving import (
    cable_ahead,
    cable_axial_mean_stiffness,
    cable_axial_mean_stress,
    cable_bending_mean_stiffness,
    cable_bending_mean_stress,
    cable_mean_blocks,
)  # fmt: skip
from flexmbd.bodies.ancf_damping import (
    cable_axial_drag,
    cable_axial_drag_tangent,
    cable_bending_drag,
    cable_bending_drag_tangent,
    cable_joined,
)  # fmt: skip
from flexmbd.bodies.ancf_elastic import (
    cable_axial_energy,
    cable_axial_stress,
    cable_bending_energy,
    cable_bending_stress,
    cable_products,
    cable_pull,
    cable_vectors,
)  # fmt: skip
from flexmbd.bodies.ancf_stiffness import cable_axial_stiffness, cable_bending_stiffness, cable_blocks
from flexmbd.lanes import kernel


@kernel
def cable_energy_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, axial, bending, green, order):
    """Energy of an element, J."""
    G = cable_products(cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz))
    stretch = 0.16666666666666666 * (
        cable_axial_energy(G, 0.0, green) + cable_axial_energy(G, 1.0, green)
    ) + 0.6666666666666666 * cable_axial_energy(G, 0.5, green)
    bend = 0.2777777777777778 * (
        cable_bending_energy(G, 0.1127016653792583, order) + cable_bending_energy(G, 0.8872983346207417, order)
    ) + 0.4444444444444444 * cable_bending_energy(G, 0.5, order)
    return axial * stretch + bending * bend


@kernel
def cable_force_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, axial, bending, green, order):
    """Derivatives of the energy by c, a and b: nine numbers, J."""
    y = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz)
    G = cable_products(y)
    z = 0.0 * G[0]
    k = (z, z, z, z, z, z)
    k = cable_axial_stress(k, G, 0.0, 0.16666666666666666 * axial, green)
    k = cable_axial_stress(k, G, 0.5, 0.6666666666666666 * axial, green)
    k = cable_axial_stress(k, G, 1.0, 0.16666666666666666 * axial, green)
    k = cable_bending_stress(k, G, 0.1127016653792583, 0.2777777777777778 * bending, order)
    k = cable_bending_stress(k, G, 0.5, 0.4444444444444444 * bending, order)
    k = cable_bending_stress(k, G, 0.8872983346207417, 0.2777777777777778 * bending, order)
    return cable_pull(k, y)


@kernel
def cable_tangent_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, axial, bending, green, order):
    """Second derivatives of the energy: the blocks cc, ca, cb, aa, ab, bb of nine numbers each, row by row."""
    y = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz)
    G = cable_products(y)
    z = 0.0 * G[0]
    k = (z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z, z)
    k = cable_axial_stiffness(k, G, 0.0, 0.16666666666666666 * axial, green)
    k = cable_axial_stiffness(k, G, 0.5, 0.6666666666666666 * axial, green)
    k = cable_axial_stiffness(k, G, 1.0, 0.16666666666666666 * axial, green)
    k = cable_bending_stiffness(k, G, 0.1127016653792583, 0.2777777777777778 * bending, order)
    k = cable_bending_stiffness(k, G, 0.5, 0.4444444444444444 * bending, order)
    k = cable_bending_stiffness(k, G, 0.8872983346207417, 0.2777777777777778 * bending, order)
    return cable_blocks(k, y)


@kernel
def cable_damping_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz, axial, bending, green):
    """Derivatives of half the lost power by the rates of c, a and b: nine numbers."""
    y, v = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz), cable_vectors(vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    o = 0.0 * cx * vcx
    f = (o, o, o, o, o, o, o, o, o)
    f = cable_axial_drag(f, 0.0, y, v, 0.16666666666666666 * axial, green)
    f = cable_axial_drag(f, 0.5, y, v, 0.6666666666666666 * axial, green)
    f = cable_axial_drag(f, 1.0, y, v, 0.16666666666666666 * axial, green)
    f = cable_bending_drag(f, 0.1127016653792583, y, v, 0.2777777777777778 * bending)
    f = cable_bending_drag(f, 0.5, y, v, 0.4444444444444444 * bending)
    f = cable_bending_drag(f, 0.8872983346207417, y, v, 0.2777777777777778 * bending)
    return f


@kernel
def cable_damping_tangent_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz, axial, bending, green):
    """Blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of df/dy and cc, ca, cb, aa, ab, bb of df/dy_dot, nine numbers each."""
    y, v = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz), cable_vectors(vcx, vcy, vcz, vax, vay, vaz, vbx, vby, vbz)
    o = 0.0 * cx * vcx
    z = (o, o, o, o, o, o, o, o, o)
    k = (z, z, z, z, z, z, z, z, z, z, z, z, z, z, z)
    k = cable_axial_drag_tangent(k, 0.0, y, v, 0.16666666666666666 * axial, green)
    k = cable_axial_drag_tangent(k, 0.5, y, v, 0.6666666666666666 * axial, green)
    k = cable_axial_drag_tangent(k, 1.0, y, v, 0.16666666666666666 * axial, green)
    k = cable_bending_drag_tangent(k, 0.1127016653792583, y, v, 0.2777777777777778 * bending)
    k = cable_bending_drag_tangent(k, 0.5, y, v, 0.4444444444444444 * bending)
    k = cable_bending_drag_tangent(k, 0.8872983346207417, y, v, 0.2777777777777778 * bending)
    return cable_joined(k)


@kernel
def cable_conserving_reduced(cx, cy, cz, ax, ay, az, bx, by, bz, ocx, ocy, ocz, oax, oay, oaz, obx, oby, obz, axial, bending, green, order):
    """Force of a step from its middle and its start (o): nine numbers, J."""
    y, start = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz), cable_vectors(ocx, ocy, ocz, oax, oay, oaz, obx, oby, obz)
    G, H = cable_products(start), cable_products(cable_ahead(y, start))
    z = 0.0 * H[0]
    k = (z, z, z, z, z, z)
    k = cable_axial_mean_stress(k, G, H, 0.0, 0.16666666666666666 * axial, green)
    k = cable_axial_mean_stress(k, G, H, 0.5, 0.6666666666666666 * axial, green)
    k = cable_axial_mean_stress(k, G, H, 1.0, 0.16666666666666666 * axial, green)
    k = cable_bending_mean_stress(k, G, H, 0.1127016653792583, 0.2777777777777778 * bending, order)
    k = cable_bending_mean_stress(k, G, H, 0.5, 0.4444444444444444 * bending, order)
    k = cable_bending_mean_stress(k, G, H, 0.8872983346207417, 0.2777777777777778 * bending, order)
    return cable_pull(k, y)


@kernel
def cable_conserving_tangent_reduced(
    cx, cy, cz, ax, ay, az, bx, by, bz, ocx, ocy, ocz, oax, oay, oaz, obx, oby, obz, axial, bending, green, order
):
    """Its derivatives by the middle: the blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of nine numbers each."""
    y, start = cable_vectors(cx, cy, cz, ax, ay, az, bx, by, bz), cable_vectors(ocx, ocy, ocz, oax, oay, oaz, obx, oby, obz)
    end = cable_ahead(y, start)
    G, H = cable_products(start), cable_products(end)
    z = 0.0 * H[0]
    z = (z, z, z, z, z, z)
    k = (z, z, z, z, z, z, z)
    k = cable_axial_mean_stiffness(k, G, H, 0.0, 0.16666666666666666 * axial, green)
    k = cable_axial_mean_stiffness(k, G, H, 0.5, 0.6666666666666666 * axial, green)
    k = cable_axial_mean_stiffness(k, G, H, 1.0, 0.16666666666666666 * axial, green)
    k = cable_bending_mean_stiffness(k, G, H, 0.1127016653792583, 0.2777777777777778 * bending, order)
    k = cable_bending_mean_stiffness(k, G, H, 0.5, 0.4444444444444444 * bending, order)
    k = cable_bending_mean_stiffness(k, G, H, 0.8872983346207417, 0.2777777777777778 * bending, order)
    return cable_mean_blocks(k, y, end)
