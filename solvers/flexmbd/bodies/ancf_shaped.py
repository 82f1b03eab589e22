"""Planar cable elements whose undeformed line is curved: strain and turn count from those of a reference (docs/theory/ancf_cables.md).

With the strain ``e`` of `ancf_elastic`, and ``w = (p x s)/P``, the turn of the tangent by x, the energy of an element is

    U = 1/2 EA l sum_g w_g (e_g - e0_g)² + 1/2 EI/l sum_h w_h F(P_h) (w_h - w0_h)²

over the same points as a straight element's, so the reference is without stress to rounding.  A stretch that turns no tangent changes no
w; the curvature of the line, ``w/|r'|``, it would change by the strain times the curvature at rest.  F is 1, and P² for "small".
"""

from itertools import pairwise

import numpy as np

from flexmbd.bodies.ancf_rules import GAUSS_3, GAUSS_5, RULES
from flexmbd.errors import ModelError
from flexmbd.language.quadratic import cross, dot


def axial_points(integration, given):
    """Places and weights of the axial part: those that an element is given (`Rule.points`), or else those of its rule."""
    return tuple(zip(given[::2], given[1::2], strict=True)) if RULES[integration].given else GAUSS_5


def measures(c, a, b, strain, curvature, axial, sqrt):
    """(strain, 1, weight) at the `axial` points, (turn of the tangent, root of F, weight) at those of bending, by chord and slopes."""
    stretch, bend = [], []
    for x, weight in axial:
        P = dot(*(_mixed(c, a, b, x),) * 2)
        stretch.append((0.5 * (P - 1.0) if strain == "green" else sqrt(P) - 1.0, 1.0, weight))
    for x, weight in GAUSS_3:
        p, u, v = _mixed(c, a, b, x), 6.0 * x - 4.0, 6.0 * x - 2.0
        s = [u * (m - k) + v * (n - k) for k, m, n in zip(c, a, b, strict=True)]
        P = dot(p, p)
        bend.append((cross(p, s) / P, P if curvature == "small" else 1.0, weight))
    return stretch, bend


def _mixed(c, a, b, x):
    """Slope r' at x."""
    na, nb = 1.0 + x * (3.0 * x - 4.0), x * (3.0 * x - 2.0)
    return [k + na * (m - k) + nb * (n - k) for k, m, n in zip(c, a, b, strict=True)]


def reference(cable, nodes):
    """Strains, then turns of the tangent, of all elements of a cable whose undeformed line goes through `nodes`: a list of lists.

    Raises
    ------
    ModelError
        If the line's arc length is not what it is said to be.
    """
    length, last, out = cable.length / cable.elements, cable.elements - 1, []
    for e, ((r0, a), (r1, b)) in enumerate(pairwise(nodes)):
        c = [(x - y) / length for x, y in zip(r1, r0, strict=True)]
        axial = axial_points(cable.integration, RULES[cable.integration].points(e == 0, e == last))
        stretch, bend = measures(c, a, b, cable.strain, cable.curvature, axial, np.sqrt)
        worst = max(float(np.max(np.abs(x))) for x, *_ in stretch)
        if not worst < 0.02:
            raise ModelError(
                f"{cable.owner}: shape is not given by its arc length: in element {e} the line is stretched by {worst:.3g}",
                element=cable.name,
                remedy="slopes of the undeformed line have the size 1, and its length is the cable's; or take more elements",
            )
        out.append([x for x, *_ in (*stretch, *bend)])
    return out


def shaped_element(element, vectors, strain, curvature, points, times, reference):
    """Force and energy of an element with the axial `points`, damping `times` (or none) and `reference` of `reference`.

    Its first numbers are mass per length, length, EA, EI. `vectors` gives nodes of chord and slopes by coordinates and length.
    """
    g, (_, le, axial, bending, *_) = element.graph, element.numbers
    reference = iter(reference)
    y = vectors(element.q, le)
    c, a, b = y[0:2], y[2:4], y[4:6]
    parts = zip(measures(c, a, b, strain, curvature, points, g.sqrt), (axial * le, bending / le), times or (None, None), strict=True)
    for summed, stiffness, time in parts:
        for measure, factor, weight in summed:
            change = factor * (measure - next(reference))
            slopes = [g.derivative(change, x) for x in element.q]
            force = stiffness * weight * change
            element.add("potential", 0.5 * force * change)
            element.add("strain_energy", 0.5 * force * change)
            if time is not None:
                rate = g.dot(zip(slopes, element.v, strict=True))
                drag = stiffness * weight * time * rate
                element.add("dissipated", drag * rate)
                force = force + drag
            element.force = [f - force * slope for f, slope in zip(element.force, slopes, strict=True)]
