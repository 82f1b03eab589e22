"""Energy, forces and tangents of one gradient-deficient ANCF element (notation of `ancf_elastic`): sums over the points of a rule.

- full: Gauss's rule with five points for the axial part (exact for Green's strain), with three for bending.
- reduced: three points for the axial part (Lobatto's 0, 1/2, 1; in the cable's first and last element Radau's, which leave out the cable's
  end; Gauss's if there is no other element), Gauss's with three points for bending.

A cubic line cannot bend without stretching somewhere.  Five points see all of that, and coarse elements are too stiff (membrane locking);
the strain at the nodes and in the middle is what the coordinates can make zero.  In a straight element the strain is quadratic in x and
the curvature linear, so three points each leave no motion without energy.

The tension of a free end is zero.  A point there would feel none, and the motion of a slender element that leaves the slope zero at both
other points would have no stiffness.

The functions that sum are written for any rule, and `unrolled` makes a kernel of each with a rule's numbers as constants.
"""

from dataclasses import dataclass

from flexmbd.bodies import ancf_conserving, ancf_damping, ancf_elastic, ancf_stiffness
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
from flexmbd.bodies.unrolled import unrolled

AXIAL, BENDING = (), ()  # points of a rule: place from 0 to 1, weight; `unrolled` writes them in


def cable_energy(z, axial, bending, green, order):
    """Energy of an element, J."""
    G = cable_products(cable_vectors(z))
    stretch = bend = 0.0 * G[0]
    for x, weight in AXIAL:
        stretch = stretch + weight * cable_axial_energy(G, x, green)
    for x, weight in BENDING:
        bend = bend + weight * cable_bending_energy(G, x, order)
    return axial * stretch + bending * bend


def cable_force(z, axial, bending, green, order):
    """Derivatives of the energy by c, a and b: nine numbers, J."""
    y = cable_vectors(z)
    G = cable_products(y)
    o = 0.0 * G[0]
    k = (o, o, o, o, o, o)
    for x, weight in AXIAL:
        k = cable_axial_stress(k, G, x, weight * axial, green)
    for x, weight in BENDING:
        k = cable_bending_stress(k, G, x, weight * bending, order)
    return cable_pull(k, y)


def cable_tangent(z, axial, bending, green, order):
    """Second derivatives of the energy: the blocks cc, ca, cb, aa, ab, bb of nine numbers each, row by row."""
    y = cable_vectors(z)
    G = cable_products(y)
    o = 0.0 * G[0]
    k = (o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o)
    for x, weight in AXIAL:
        k = cable_axial_stiffness(k, G, x, weight * axial, green)
    for x, weight in BENDING:
        k = cable_bending_stiffness(k, G, x, weight * bending, order)
    return cable_blocks(k, y)


def cable_damping(z, v, axial, bending, green):
    """Derivatives of half the lost power by the rates of c, a and b: nine numbers."""
    y, v = cable_vectors(z), cable_vectors(v)
    o = 0.0 * y[0] * v[0]
    f = (o, o, o, o, o, o, o, o, o)
    for x, weight in AXIAL:
        f = cable_axial_drag(f, x, y, v, weight * axial, green)
    for x, weight in BENDING:
        f = cable_bending_drag(f, x, y, v, weight * bending)
    return f


def cable_damping_tangent(z, v, axial, bending, green):
    """Blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of df/dy and cc, ca, cb, aa, ab, bb of df/dy_dot, nine numbers each."""
    y, v = cable_vectors(z), cable_vectors(v)
    o = 0.0 * y[0] * v[0]
    n = (o, o, o, o, o, o, o, o, o)
    k = (n, n, n, n, n, n, n, n, n, n, n, n, n, n, n)
    for x, weight in AXIAL:
        k = cable_axial_drag_tangent(k, x, y, v, weight * axial, green)
    for x, weight in BENDING:
        k = cable_bending_drag_tangent(k, x, y, v, weight * bending)
    return cable_joined(k)


def cable_conserving(z, start, axial, bending, green, order):
    """Force of a step from its middle and its start (o): nine numbers, J."""
    y, start = cable_vectors(z), cable_vectors(start)
    G, H = cable_products(start), cable_products(cable_ahead(y, start))
    o = 0.0 * H[0]
    k = (o, o, o, o, o, o)
    for x, weight in AXIAL:
        k = cable_axial_mean_stress(k, G, H, x, weight * axial, green)
    for x, weight in BENDING:
        k = cable_bending_mean_stress(k, G, H, x, weight * bending, order)
    return cable_pull(k, y)


def cable_conserving_tangent(z, start, axial, bending, green, order):
    """Its derivatives by the middle: the blocks cc, ca, cb, ac, aa, ab, bc, ba, bb of nine numbers each."""
    y, start = cable_vectors(z), cable_vectors(start)
    end = cable_ahead(y, start)
    G, H = cable_products(start), cable_products(end)
    o = 0.0 * H[0]
    n = (o, o, o, o, o, o)
    k = (n, n, n, n, n, n, n)
    for x, weight in AXIAL:
        k = cable_axial_mean_stiffness(k, G, H, x, weight * axial, green)
    for x, weight in BENDING:
        k = cable_bending_mean_stiffness(k, G, H, x, weight * bending, order)
    return cable_mean_blocks(k, y, end)


GAUSS_3 = ((0.1127016653792583, 0.2777777777777778), (0.5, 0.4444444444444444), (0.8872983346207417, 0.2777777777777778))
GAUSS_5 = (
    (0.046910077030668004, 0.11846344252809454), (0.23076534494715845, 0.23931433524968324), (0.5, 0.28444444444444444),
    (0.7692346550528415, 0.23931433524968324), (0.953089922969332, 0.11846344252809454),
)  # fmt: skip
LOBATTO_3 = ((0.0, 0.16666666666666666), (0.5, 0.6666666666666666), (1.0, 0.16666666666666666))
RADAU_3 = ((0.0, 0.1111111111111111), (0.3550510257216822, 0.5124858261884216), (0.8449489742783178, 0.3764030627004673))
GIVEN_3 = tuple((f"points[{k}][0]", f"points[{k}][1]") for k in range(3))  # an argument: elements of one pool may have different points


@dataclass(frozen=True)
class Rule:
    """Kernels of a rule.

    The vectors (c, a, b) of an element come first, then their rates (damping) or those at the step's start (conserving), then ``EA l`` and
    ``EI/l`` (for damping times its times), then the numbers of the measures, then `points` if they are given.
    """

    energy: object
    force: object
    tangent: object
    damping: object
    damping_tangent: object
    conserving: object
    conserving_tangent: object
    given: bool

    @property
    def given_numbers(self):
        """How many numbers `points` are."""
        return 2 * len(GIVEN_3) if self.given else 0

    def grouped(self, points):
        """The last argument, if there is one, of the numbers that `points` gives."""
        return (tuple(zip(points[::2], points[1::2], strict=True)),) if self.given else ()

    def points(self, first, last):
        """Axial places and weights in turn that kernels are given, for an element that is or is not a cable's first, last one."""
        if not self.given:
            return ()
        mirrored = tuple((1.0 - x, weight) for x, weight in reversed(RADAU_3))
        table = GAUSS_3 if first and last else mirrored if first else RADAU_3 if last else LOBATTO_3
        return tuple(number for row in table for number in row)


def _rule(name, axial, bending):
    """The kernels for points of the axial part and of bending: places from 0 to 1, and weights."""
    sums = cable_energy, cable_force, cable_tangent, cable_damping, cable_damping_tangent, cable_conserving, cable_conserving_tangent
    return Rule(*(unrolled(f, f"{f.__name__}_{name}", AXIAL=axial, BENDING=bending) for f in sums), given=axial is GIVEN_3)


RULES = {"reduced": _rule("reduced", GIVEN_3, GAUSS_3), "full": _rule("full", GAUSS_5, GAUSS_3)}
HELPERS = (*ancf_elastic.HELPERS, *ancf_stiffness.HELPERS, *ancf_conserving.HELPERS)
DAMPING_HELPERS = ancf_damping.HELPERS
