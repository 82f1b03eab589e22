"""Oil film between ball and socket: force and torques on both bodies; theory: docs/theory/spherical_films.md.

The film is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.spherical``.
"""

from flexmbd.contact.film import FilmPart, on_both, slopes
from flexmbd.language.quadratic import cross3, dot

ASIDE = 1e-6  # of the clearance: the film is asked so far off the line of V, where its force has changed by the square of that
SLOWEST = 1e-12  # m/s, the same for its speed


class SocketFilmPart(FilmPart):
    """Film between ball and socket."""

    shape = "spherical"

    def apply(self, joint, equations, nodes):
        """Force and torques of the film on both bodies, and their power.

        By symmetry the force lies in the plane of eccentricity e and velocity ``V = de/dt - s x e``, s half the sum of both spins; the
        film is asked there, with V as first axis: regular where e is zero or along V.  As in the plane the pressure shears both surfaces
        by ``-(e x F)/2`` each.
        """
        g, apart = equations.graph, joint.apart(equations)
        e, rate = equations.values(apart), equations.rates(apart)
        c, radius = (equations.number(joint, key) for key in ("clearance", "bearing_radius"))
        viscosity = equations.number(joint, "film.viscosity")
        spins = equations.spin(joint.a.body), equations.spin(joint.b.body)
        turning = tuple(0.5 * (p + q) for p, q in zip(*spins, strict=True))
        slip = tuple(p - q for p, q in zip(*spins, strict=True))
        velocity = tuple(v - x for v, x in zip(rate, cross3(turning, e), strict=True))
        r = g.length(e)
        inside, share = self.faded(joint, equations, r)
        place = tuple(inside * x for x in e)
        kernels = self.given.kernels()
        equations.use(kernels)
        speed = g.sqrt(dot(velocity, velocity) + SLOWEST * SLOWEST)
        x = dot(place, velocity) / speed
        across = tuple(p - x / speed * v for p, v in zip(place, velocity, strict=True))
        y = g.sqrt(dot(across, across) + (ASIDE * ASIDE) * c * c)
        along, aside = g.call(kernels.force, (x, y, speed, 0.0, c, radius, viscosity, radius), 2, slopes(g, kernels.tangent, 2, 4))
        force = tuple(share * (along / speed * v + aside / y * p) for v, p in zip(velocity, across, strict=True))
        ratio = tuple(p / c for p in place)
        every, more = g.call(kernels.shear, (dot(ratio, ratio), c, radius, viscosity), 2, slopes(g, kernels.shear_tangent, 2, 1))
        turned = dot(ratio, slip)
        shear = tuple(share * (every * w + more * turned * p) for w, p in zip(slip, ratio, strict=True))
        couple = tuple(0.5 * m for m in cross3(e, force))
        torques = [tuple(sign * m - k for m, k in zip(shear, couple, strict=True)) for sign in (-1.0, 1.0)]
        power, rubbed = dot(shear, slip) - dot(force, velocity), dot(shear, slip) + 2.0 * dot(couple, turning)
        on_both(joint, equations, nodes, force, torques, power=power, rubbed=rubbed, gap=c - r, share=share)
