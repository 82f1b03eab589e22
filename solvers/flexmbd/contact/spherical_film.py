"""Oil film between ball and socket: force and torques on both bodies; theory: docs/theory/spherical_films.md.

The film is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.spherical``.
"""

from flexmbd.contact.transition import kept_inside
from flexmbd.language.quadratic import cross3, dot

ASIDE = 1e-6  # of the clearance: the film is asked so far off the line of V, where its force has changed by the square of that
SLOWEST = 1e-12  # m/s, the same for its speed


def apply_socket_film(joint, build, apart):
    """Force and torques of the film on both bodies, and their power; what the outputs need of them, by name.

    By symmetry the force lies in the plane of eccentricity e and velocity ``V = de/dt - s x e``, s half the sum of both spins; the film is
    asked there, with V as first axis: regular where e is zero or along V.  As in the plane the pressure shears both surfaces by
    ``-(e x F)/2`` each.
    """
    g = build.graph
    e, rate = build.values(apart), build.rates(apart)
    c, radius = (build.number(joint, key) for key in ("clearance", "bearing_radius"))
    viscosity = build.number(joint, "film.viscosity")
    spins = build.spin(joint.a.body), build.spin(joint.b.body)
    turning = tuple(0.5 * (p + q) for p, q in zip(*spins, strict=True))
    slip = tuple(p - q for p, q in zip(*spins, strict=True))
    velocity = tuple(v - x for v, x in zip(rate, cross3(turning, e), strict=True))
    squared = dot(e, e)
    r = g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
    share, place = g.const(1.0), e
    if joint.transition is not None:
        inside = kept_inside(g, r / c, build.number(joint, "transition.largest"))
        share = joint.transition.film_share(g, r - c, c, lambda key: build.number(joint, f"transition.{key}"))
        place = tuple(inside * x for x in e)
    kernels = joint.film.kernels()
    build.use(kernels)

    def force_tangent(arguments):
        values = g.call(kernels.tangent, arguments, 8)
        return {(k, j): values[4 * k + j] for k in range(2) for j in range(4)}

    def shear_tangent(arguments):
        return {(k, 0): slope for k, slope in enumerate(g.call(kernels.shear_tangent, arguments, 2))}

    speed = g.sqrt(dot(velocity, velocity) + SLOWEST * SLOWEST)
    x = dot(place, velocity) / speed
    across = tuple(p - x / speed * v for p, v in zip(place, velocity, strict=True))
    y = g.sqrt(dot(across, across) + (ASIDE * ASIDE) * c * c)
    along, aside = g.call(kernels.force, (x, y, speed, 0.0, c, radius, viscosity, radius), 2, force_tangent)
    force = tuple(share * (along / speed * v + aside / y * p) for v, p in zip(velocity, across, strict=True))
    ratio = tuple(p / c for p in place)
    every, more = g.call(kernels.shear, (dot(ratio, ratio), c, radius, viscosity), 2, shear_tangent)
    turned = dot(ratio, slip)
    shear = tuple(share * (every * w + more * turned * p) for w, p in zip(slip, ratio, strict=True))
    couple = tuple(0.5 * m for m in cross3(e, force))
    build.force(joint.a, *force)
    build.force(joint.b, *(-f for f in force))
    torque = tuple(-m - k for m, k in zip(shear, couple, strict=True))
    build.torque(joint.a.body, *torque)
    build.torque(joint.b.body, *(m - k for m, k in zip(shear, couple, strict=True)))
    power = dot(shear, slip) - dot(force, velocity)
    build.power("dissipated", power)
    rubbed = dot(shear, slip) + 2.0 * dot(couple, turning)
    return {"film": force, "film_share": share, "film_power": power, "film_torque": torque, "rubbed": rubbed, "gap": c - r}
