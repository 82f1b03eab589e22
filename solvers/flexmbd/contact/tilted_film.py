"""Oil film of a journal that may tilt in its bearing: forces and torques on both bodies; theory: docs/theory/spherical_films.md.

The film is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.tilted``.
"""

import numpy as np

from flexmbd.contact.film import FilmPart, slopes
from flexmbd.language.quadratic import dot

ENDS = (-1.0, 1.0)


class TiltedFilmPart(FilmPart):
    """Film of a journal that may tilt."""

    shape = "cylindrical"

    def apply(self, joint, equations, nodes):
        """Force and torques of the film on both bodies, and their power.

        Place and tilt ``s = (x, y, tx, ty)`` of the journal's centre line in the bearing's axes are functions of both bodies' places to
        each other only, so forces by virtual work along them balance. The film is given their rates in the frame that turns with half of
        the relative spin and slides with half of the relative speed along the axis; what that adds to the power is a torque and a force
        along it.
        """
        g = equations.graph
        c, radius, length = (equations.number(joint, key) for key in ("clearance", "bearing_radius", "length"))
        half = 0.5 * length
        along, axis, *across = (
            equations.values(joint.axis(equations, key, end.body))
            for key, end in (("axis_a", joint.a), ("axis_b", joint.b), ("n1", joint.b), ("n2", joint.b))
        )
        e = equations.values(joint.apart(equations))
        lean, shift = dot(along, axis), dot(e, axis)
        slope = [x / lean for x in along]
        middle = [p - shift * q for p, q in zip(e, slope, strict=True)]
        s = (*(dot(n, middle) for n in across), *(half * dot(n, slope) for n in across))
        spins = [dot(equations.spin(end.body), axis) for end in (joint.a, joint.b)]
        slip, slide = spins[0] - spins[1], equations.time_derivative(shift)
        x, y, tx, ty = s
        turned = [0.5 * slip * p for p in (y, -x, ty, -tx)]
        carried = [0.5 * slide * p / half for p in (tx, ty)] + [g.const(0.0)] * 2
        rates = [equations.time_derivative(p) + q + r for p, q, r in zip(s, turned, carried, strict=True)]

        ends = [(x + k * tx, y + k * ty) for k in ENDS]
        sizes = [g.length(end) for end in ends]
        share, place = g.const(1.0), s
        if joint.transition is not None:
            (near, one), (far, other) = (self.faded(joint, equations, r) for r in sizes)
            first, last = ([inside * p for p in end] for inside, end in zip((near, far), ends, strict=True))
            place = [0.5 * (q + p) for p, q in zip(first, last, strict=True)] + [0.5 * (q - p) for p, q in zip(first, last, strict=True)]
            share = 0.5 * (one + other)
        kernels = self.given.kernels()
        equations.use(kernels)
        numbers = {k: equations.number(joint, f"film.{k}") for k in self.given.numbers()}
        viscosity = numbers.pop("viscosity")
        arguments = (*place, *rates, c, radius, viscosity, length, *numbers.values())
        Q = [share * f for f in g.call(kernels.force, arguments, 4, slopes(g, kernels.tangent, 4, 8))]
        for node, f in zip(s, Q, strict=True):
            equations.force_on(node, f)
        shear = share * _shear(g, equations, kernels, place, (c, radius, viscosity, length))
        drag = shear / (radius * radius)
        twist = 0.5 * (y * Q[0] - x * Q[1] + ty * Q[2] - tx * Q[3])
        push = 0.5 * (tx * Q[0] + ty * Q[1]) / half
        equations.force_on(shift, push - drag * slide)
        for end, sign in ((joint.a, 1.0), (joint.b, -1.0)):
            equations.torque(end.body, *(sign * (twist - shear * slip) * p for p in axis))
        rubbed = shear * slip * slip + drag * slide * slide
        power = rubbed - g.dot(zip(Q, rates, strict=True))
        equations.power("dissipated", power)
        n1, n2 = across
        nodes.film = tuple(Q[0] * p + Q[1] * q - (push + drag * slide) * r for p, q, r in zip(n1, n2, axis, strict=True))
        nodes.forces.append(lambda: nodes.film)
        nodes.film_torque = tuple(half * (Q[2] * q - Q[3] * p) + (twist - shear * slip) * r for p, q, r in zip(n1, n2, axis, strict=True))
        nodes.film_share, nodes.film_power, nodes.rubbed = share, power, rubbed - twist * (spins[0] + spins[1])
        nodes.gap = c - g.select(g.greater(*sizes), *sizes)


def _shear(g, equations, kernels, place, sizes):
    """Torque of the shear by difference of the spins: that of narrow bearings side by side, by Gauss' rule over the length."""
    x, y, tx, ty = place
    c, radius, viscosity, length = sizes
    total, partial = g.const(0.0), slopes(g, kernels.shear_tangent, 1, 2)
    for zeta, weight in zip(*np.polynomial.legendre.leggauss(5), strict=True):
        zeta, weight = float(zeta), 0.5 * float(weight)
        total = total + g.call(kernels.shear, (x + zeta * tx, y + zeta * ty, c, radius, viscosity, weight * length), None, partial)
    return total
