"""Oil film of a clearance joint: its force and torques on both bodies.

The film is any object with `name`, `numbers()` and `kernels()` as in ``flexmbd.lubrication.base``.
"""

import numpy as np

from flexmbd.contact.heat import film_viscosity
from flexmbd.contact.transition import TRANSITIONS, SmoothTransition, kept_inside
from flexmbd.errors import ModelError


def check_film(joint):
    """Check that a clearance joint has what its film needs; returns its transition, None where there is nothing to hand over to."""
    owner, transition = f"clearance joint '{joint.name}'", joint.transition
    walled = joint.law is not None or joint.asperities is not None
    if joint.film is None and not walled:
        raise ModelError(f"{owner}: it has neither a contact law nor a film", element=joint.name)
    if not walled:
        for key in ("friction", "transition"):
            if getattr(joint, key) is not None:
                raise ModelError(f"{owner}: {key} needs a contact law or asperities", element=joint.name, remedy="give one or leave it out")
    if joint.film is None:
        if transition is not None:
            raise ModelError(f"{owner}: transition is for joints with a film", element=joint.name)
        return None
    if isinstance(joint.film, type) or not callable(getattr(joint.film, "kernels", None)):
        raise ModelError(f"{owner}: film is {joint.film!r}; it must be a film such as ShortFilm(viscosity, length)", element=joint.name)
    shape, wanted = (getattr(x, key, "planar") for x, key in ((joint.film, "shape"), (joint, "film_shape")))
    if shape != wanted:
        raise ModelError(f"{owner}: film is '{joint.film.name}', which is for {shape} joints; this one is {wanted}", element=joint.name)
    if joint.bearing_radius is None:
        raise ModelError(f"{owner}: a film needs bearing_radius (m)", element=joint.name)
    if check := getattr(joint.film, "check_bearing", None):
        check(owner, joint.bearing_radius)
    if not walled:
        return None
    if transition is None or (isinstance(transition, str) and transition == "smooth"):
        if joint.asperities is None:
            return SmoothTransition()
        ratio = np.asarray(joint.asperities.roughness) / np.asarray(joint.clearance)  # the film's formula holds down to h = sigma
        return SmoothTransition(largest=1.0 - np.minimum(0.01, 0.5 * ratio))
    if not isinstance(transition, TRANSITIONS):
        raise ModelError(
            f"{owner}: transition is {transition!r}; it must be 'smooth', a SmoothTransition or a FloresTransition", element=joint.name
        )
    return transition


def check_start(joint):
    """Refuse a joint with a film only whose journal is guessed beyond the clearance, where a film has no value."""
    if joint.law is not None or joint.asperities is not None or joint.start != "as_given":
        return
    places = [_guess(point) for point in (joint.a, joint.b)]
    if any(place is None for place in places):
        return
    (ax, ay), (bx, by) = places
    refuse_start(joint, np.hypot(ax - bx, ay - by))


def refuse_start(joint, distance):
    """Refuse guessed distances (m, number or array over samples) of the clearance and more."""
    worst = float(np.max(distance / joint.clearance))
    if worst >= 1.0:
        raise ModelError(
            f"clearance joint '{joint.name}': the guess of positions puts the journal {worst:.4g} times the clearance "
            "off the bearing's centre, and there is no contact law",
            element=joint.name,
            remedy="give law, start='centred', or other positions",
        )


def _guess(point):
    """Place of a point of ground or a rigid body by the guess of the start; None for flexible bodies."""
    if not point.body.measures:
        return point.at
    q = point.body.initial()[0]
    if len(q) != 4:
        return None
    x, y, ux, uy = q
    px, py = point.at
    return x + ux * px - uy * py, y + uy * px + ux * py


def film_leaves(joint):
    """Numbers of film and transition."""
    if joint.film is None:
        return {}
    numbers = {f"film.{k}": x for k, x in joint.film.numbers().items()}
    return numbers | {f"transition.{k}": x for k, x in ({} if joint.transition is None else joint.transition.numbers()).items()}


def film_structure(joint):
    """Names of film and transition."""
    if joint.film is None:
        return ()
    return (joint.film.name, joint.film.kernels().force.__name__, None if joint.transition is None else joint.transition.name)


def handed_over(joint, build, normal, penetration, rate):
    """Node of what is left of the contact law's force beside a film; the law's whole power is in the books already."""
    if joint.film is None:
        return normal
    part = joint.transition.dry_share(build.graph, penetration, lambda key: build.number(joint, f"transition.{key}"))
    build.power("contact", (part - 1.0) * normal * rate)
    return part * normal


def _axes(joint, build):
    """Functions that turn a vector into the axes in which the film is given its arguments, and back.

    A `framed` film, of a bearing with grooves, has the axes of the bearing's body; any other is the same in all axes.
    """
    if not getattr(joint.film, "framed", False):
        return (lambda x, y: (x, y),) * 2
    cos, sin = build.values(build.direction(joint.b.body, 1.0, 0.0))
    return (lambda x, y: (cos * x + sin * y, cos * y - sin * x)), (lambda x, y: (cos * x - sin * y, sin * x + cos * y))


def apply_film(joint, build, eccentricity):
    """Force and torques of the film on both bodies, and their power; what the outputs need of them, by name.

    The force acts at the centres of journal and bearing.  The film's pressure also shears both surfaces by ``-(e x F)/2`` each, so that
    force, torques and the couple of both forces balance about any point; all power is ``F.V`` less that of the shear.
    """
    g = build.graph
    (x, y), (vx, vy) = build.values(eccentricity), build.rates(eccentricity)
    c, radius = (build.number(joint, key) for key in ("clearance", "bearing_radius"))
    spin_a, spin_b = build.spin(joint.a.body), build.spin(joint.b.body)
    turning, slip = 0.5 * (spin_a + spin_b), spin_a - spin_b
    squared = x * x + y * y
    r = g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
    share, inside = g.const(1.0), g.const(1.0)
    if joint.transition is not None:
        inside = kept_inside(g, r / c, build.number(joint, "transition.largest"))
        share = joint.transition.film_share(g, r - c, c, lambda key: build.number(joint, f"transition.{key}"))
    u, w = vx + turning * y, vy - turning * x
    into, back = _axes(joint, build)
    place, velocity = into(x * inside, y * inside), into(u, w)
    kernels = joint.film.kernels()
    numbers = {k: build.number(joint, f"film.{k}") for k in joint.film.numbers()} | {"viscosity": film_viscosity(joint, build)}
    arguments = (*place, *velocity, c, radius, *numbers.values())
    build.use(kernels)

    def force_tangent(arguments):
        values, thick = g.call(kernels.tangent, arguments, 8), 6 + list(numbers).index("viscosity")
        slopes = {(k, j): values[4 * k + j] for k in range(2) for j in range(4)}
        _x, _y, u, w = arguments[:4]  # Reynolds' equation knows viscosity times V only
        return slopes | {(k, thick): (slopes[k, 2] * u + slopes[k, 3] * w) / arguments[thick] for k in range(2)}

    def shear_tangent(arguments):
        slopes = {(0, j): slope for j, slope in enumerate(g.call(kernels.shear_tangent, arguments, 2))}
        return slopes | {(0, 4): g.call(kernels.shear, arguments, None, shear_tangent) / arguments[4]}

    fx, fy = (share * f for f in back(*g.call(kernels.force, arguments, 2, force_tangent)))
    shear = share * g.call(kernels.shear, (*place, c, radius, numbers["viscosity"], numbers["length"]), None, shear_tangent) * slip
    couple = 0.5 * (x * fy - y * fx)
    build.force(joint.a, fx, fy)
    build.force(joint.b, -fx, -fy)
    build.torque(joint.a.body, -shear - couple)
    build.torque(joint.b.body, shear - couple)
    power = shear * slip - (fx * u + fy * w)
    build.power("dissipated", power)
    rubbed = shear * slip + 2.0 * couple * turning
    known = {"film": (fx, fy), "film_share": share, "film_power": power, "film_torque": -shear - couple, "rubbed": rubbed, "gap": c - r}
    return known | {"film_arguments": arguments}
