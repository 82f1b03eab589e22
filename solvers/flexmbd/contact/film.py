"""Oil film of a clearance joint: its force and torques on both bodies, and how it gives way to dry contact.

The film is any object with `name`, `numbers()` and `kernels()` as in ``flexmbd.lubrication.base``.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range


@dataclass(frozen=True, eq=False)
class SmoothTransition:
    """Dry contact adds to the film from the first touch, and the film fades away: continuous in force and tangent.

    Parameters
    ----------
    fade : float or ndarray
        Penetration at which the film is gone, by the clearance.
    largest : float or ndarray
        Eccentricity ratio below one that the film's formula is given at most.
    """

    name: ClassVar[str] = "smooth"

    fade: object = 0.05
    largest: object = 0.99

    def __post_init__(self):
        _check(self, "fade")

    def numbers(self):
        """fade, largest."""
        return {"fade": self.fade, "largest": self.largest}

    def film_share(self, graph, penetration, clearance, number):
        """Node of the part of the film's force that acts: 1 less the cubic step."""
        z = _ramp(graph, penetration / (number("fade") * clearance))
        return 1.0 - z * z * (3.0 - 2.0 * z)

    def dry_share(self, graph, penetration, number):
        """Node of the part of the contact law's force that acts."""
        return graph.const(1.0)


@dataclass(frozen=True, eq=False)
class FloresTransition:
    """Film up to the clearance, then a sum of both whose shares change linearly with the penetration (the hybrid model of Flores, Ambrósio,
    Claro, Lankarani and Koshy 2006, Mech. Mach. Theory 41, 247-261): continuous in force, with kinks.

    Parameters
    ----------
    film_tolerance, dry_tolerance : float or ndarray
        Penetrations in m at which the film is gone, and at which the contact law acts with its whole force.
    largest : float or ndarray
        Eccentricity ratio below one that the film's formula is given at most.
    """

    name: ClassVar[str] = "flores"

    film_tolerance: object
    dry_tolerance: object
    largest: object = 0.99

    def __post_init__(self):
        _check(self, "film_tolerance", "dry_tolerance")

    def numbers(self):
        """film_tolerance, dry_tolerance, largest."""
        return {"film_tolerance": self.film_tolerance, "dry_tolerance": self.dry_tolerance, "largest": self.largest}

    def film_share(self, graph, penetration, clearance, number):
        """Node of the part of the film's force that acts."""
        return 1.0 - _ramp(graph, penetration / number("film_tolerance"))

    def dry_share(self, graph, penetration, number):
        """Node of the part of the contact law's force that acts."""
        return _ramp(graph, penetration / number("dry_tolerance"))


TRANSITIONS = (SmoothTransition, FloresTransition)


def _check(transition, *keys):
    owner = f"transition '{transition.name}'"
    for key in (*keys, "largest"):
        object.__setattr__(transition, key, check_number(owner, key, getattr(transition, key), positive=True))
    check_range(owner, "largest", transition.largest, above=0.5, below=1.0)


def _ramp(graph, x):
    """x between 0 and 1."""
    return graph.select(graph.greater(x, 0.0), graph.select(graph.greater(x, 1.0), 1.0, x), 0.0)


def check_film(joint):
    """Check that a clearance joint has what its film needs; returns its transition, None without a contact law."""
    owner, transition = f"clearance joint '{joint.name}'", joint.transition
    if joint.film is None:
        if joint.law is None:
            raise ModelError(f"{owner}: it has neither a contact law nor a film", element=joint.name)
        if transition is not None:
            raise ModelError(f"{owner}: transition is for joints with a film", element=joint.name)
        return None
    if not callable(getattr(joint.film, "kernels", None)):
        raise ModelError(f"{owner}: film is {joint.film!r}; it must be a film such as ShortFilm(viscosity, length)", element=joint.name)
    if joint.bearing_radius is None:
        raise ModelError(f"{owner}: a film needs bearing_radius (m)", element=joint.name)
    if joint.law is None:
        for key in ("friction", "transition"):
            if getattr(joint, key) is not None:
                raise ModelError(f"{owner}: {key} needs a contact law", element=joint.name, remedy="give law, or leave it out")
        return None
    if transition is None or (isinstance(transition, str) and transition == "smooth"):
        return SmoothTransition()
    if not isinstance(transition, TRANSITIONS):
        raise ModelError(
            f"{owner}: transition is {transition!r}; it must be 'smooth', a SmoothTransition or a FloresTransition", element=joint.name
        )
    return transition


def check_start(joint):
    """Refuse a joint without a contact law whose journal is guessed beyond the clearance, where a film has no value."""
    if joint.law is not None or joint.start != "as_given":
        return
    places = [_guess(point) for point in (joint.a, joint.b)]
    if any(place is None for place in places):
        return
    (ax, ay), (bx, by) = places
    worst = float(np.max(np.hypot(ax - bx, ay - by) / joint.clearance))
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


def dry_share(joint, build, penetration):
    """Node of the part of the contact law's force that acts."""
    return joint.transition.dry_share(build.graph, penetration, lambda key: build.number(joint, f"transition.{key}"))


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
    if joint.law is not None:
        inside = _kept_inside(g, r / c, build.number(joint, "transition.largest"))
        share = joint.transition.film_share(g, r - c, c, lambda key: build.number(joint, f"transition.{key}"))
    place = (x * inside, y * inside)
    u, w = vx + turning * y, vy - turning * x
    kernels = joint.film.kernels()
    numbers = {k: build.number(joint, f"film.{k}") for k in joint.film.numbers()}
    build.use(kernels)

    def force_tangent(arguments):
        values = g.call(kernels.tangent, arguments, 8)
        return {(k, j): values[4 * k + j] for k in range(2) for j in range(4)}

    def shear_tangent(arguments):
        return {(0, j): slope for j, slope in enumerate(g.call(kernels.shear_tangent, arguments, 2))}

    fx, fy = (share * f for f in g.call(kernels.force, (*place, u, w, c, radius, *numbers.values()), 2, force_tangent))
    shear = share * g.call(kernels.shear, (*place, c, radius, numbers["viscosity"], numbers["length"]), None, shear_tangent) * slip
    couple = 0.5 * (x * fy - y * fx)
    build.force(joint.a, fx, fy)
    build.force(joint.b, -fx, -fy)
    build.torque(joint.a.body, -shear - couple)
    build.torque(joint.b.body, shear - couple)
    power = shear * slip - (fx * u + fy * w)
    build.power("dissipated", power)
    rubbed = shear * slip + 2.0 * couple * turning
    return {"film": (fx, fy), "film_share": share, "film_power": power, "film_torque": -shear - couple, "rubbed": rubbed, "gap": c - r}


def _kept_inside(g, eps, largest):
    """Factor on the place that the film is given: 1 up to ``2 largest - 1``, from there on the ratio tends to `largest`, C1."""
    width = 1.0 - largest
    start = largest - width
    over = g.select(g.greater(eps, start), eps - start, 0.0)
    return g.select(g.greater(eps, start), (largest - width * width / (width + over)) / eps, 1.0)


def film_outputs(joint, build):
    """Outputs of the film; without a contact law those of the joint's force too."""
    g, name = build.graph, joint.name

    def got(key):
        return lambda: build.recall(joint)[key]

    def part(key, axis):
        return lambda: build.recall(joint)[key][axis]

    def size():
        fx, fy = build.recall(joint)["film"]
        return g.sqrt(fx * fx + fy * fy)

    def thickness():
        gap = build.recall(joint)["gap"]
        return g.select(g.greater(gap, 0.0), gap, 0.0)

    def regime():
        known = build.recall(joint)
        contact = g.select(g.greater(known["gap"], 0.0), 0.0, 1.0)
        return contact if joint.law is None else contact + g.select(g.greater(known["film_share"], 0.0), 0.0, 1.0)

    def rubbed():
        known = build.recall(joint)
        dry = known["slip_force"] * known["geometry"].slip if joint.frictional else 0.0
        return known["rubbed"] + dry

    whole = {f"{name}.force": (size, "N"), f"{name}.fx": (part("force", 0), "N"), f"{name}.fy": (part("force", 1), "N")}
    return {
        **(whole if joint.law is None else {}),
        f"{name}.film_force": (size, "N"),
        f"{name}.film_fx": (part("film", 0), "N"),
        f"{name}.film_fy": (part("film", 1), "N"),
        f"{name}.film_torque": (got("film_torque"), "N m"),
        f"{name}.film_thickness": (thickness, "m"),
        f"{name}.film_power": (got("film_power"), "W"),
        f"{name}.friction_power": (rubbed, "W"),
        f"{name}.regime": (regime, "1"),
    }
