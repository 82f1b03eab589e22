"""Revolute joint with clearance: a journal (on body a) in a bearing (on body b)."""

from dataclasses import dataclass

import numpy as np

from flexmbd.contact.film import apply_film, check_film, check_start, film_leaves, film_structure, handed_over
from flexmbd.contact.film_outputs import film_outputs
from flexmbd.contact.heat import apply_heat, check_temperature, heat_leaves, heat_structure
from flexmbd.contact.lined import apply_lined, check_liner, lined_outputs, liner_structure
from flexmbd.contact.mixed import apply_asperities, apply_friction, asperity_leaves, asperity_structure, check_asperities
from flexmbd.contact.pair import Contact, Geometry
from flexmbd.contact.worn import check_worn, worn_geometry, worn_numbers, worn_outputs
from flexmbd.errors import ModelError, check_number
from flexmbd.language.quadratic import Row


def check_play(joint, *keys):
    """Check and keep the sizes `keys` of a clearance joint, and how it starts."""
    owner = f"clearance joint '{joint.name}'"
    for key in keys:
        object.__setattr__(joint, key, check_number(owner, key, getattr(joint, key), positive=True))
    if "bearing_radius" in keys and np.any(joint.bearing_radius <= joint.clearance):
        raise ModelError(f"{owner}: bearing_radius must be greater than the clearance", element=joint.name)
    if joint.start not in ("as_given", "centred"):
        raise ModelError(f"{owner}: start is '{joint.start}'; it must be 'as_given' or 'centred'", element=joint.name)


@dataclass(frozen=True, eq=False)
class ClearanceRevolute(Contact):
    """Journal in a bearing, dry (Flores and Ambrósio 2004) or with an oil film (docs/theory/lubrication.md).

    Parameters
    ----------
    name : str
    a, b : Point
        Centre of the journal on its body, centre of the bearing on its body.
    clearance : float or ndarray
        Radial clearance in m.
    law : NormalLaw or None
        Normal force of the penetration. None with asperities: they are the contact. None with a film alone: there is no contact; a journal
        guessed beyond the clearance is refused, and one that is pressed to the bearing's surface ends its run (timeout or diverged), as its
        steps become ever smaller.
    friction : FrictionLaw, optional
        None is frictionless; with asperities one without a state, such as ``MixedFriction``: it acts on what law and asperities carry.
    bearing_radius : float or ndarray, optional
        In m; the arm of the friction force, needed with friction or a film. The journal's radius is this less the clearance.
    start : str
        ``"as_given"``, or ``"centred"``: positions and velocities are assembled as if the joint were ideal, whose rows may
        depend on others.
    minimum_impact_velocity : float, optional
        Lower bound of the approach speed that the law is given, in m/s; left out it is 1e-3, or less where the mechanism is small
        (docs/theory/contact_laws.md).
    film : Film, optional
        One of ``flexmbd.lubrication``; None is dry.
    transition : str or SmoothTransition or FloresTransition, optional
        How film and contact hand over to each other; None is ``"smooth"``; with asperities its `largest` is then so near to one that the
        film's formula holds down to a thickness of the roughness.
    asperities : GreenwoodTripp, optional
        Rough surfaces (docs/theory/mixed_lubrication.md), with a film or dry; their force adds to the film's and the law's.
    temperature : FilmTemperature, optional
        The film's, a state of the joint; None is a constant viscosity.
    worn : WornProfile, optional
        How much the clearance has grown over the bearing's circumference, angles from the x axis of its body (docs/theory/wear.md); dry
        joints only.
    liner : Bush, optional
        The bearing's elastic surface, with a film that is solved on a grid and nothing else (docs/theory/solved_films.md).
    """

    name: str
    a: object
    b: object
    clearance: object
    law: object
    friction: object = None
    bearing_radius: object = None
    start: str = "as_given"
    minimum_impact_velocity: object = None
    film: object = None
    transition: object = None
    asperities: object = None
    temperature: object = None
    worn: object = None
    liner: object = None

    def __post_init__(self):
        check_play(self, "clearance", *(() if self.bearing_radius is None else ("bearing_radius",)))
        check_asperities(self)
        object.__setattr__(self, "transition", check_film(self))
        if self.friction is not None and self.bearing_radius is None:
            raise ModelError(f"clearance joint '{self.name}': friction needs bearing_radius (m)", element=self.name)
        check_worn(self)
        check_temperature(self)
        check_liner(self)
        check_start(self)

    def sizes(self):
        """Clearance, bearing radius, and the numbers of a worn profile."""
        radius = {} if self.bearing_radius is None else {"bearing_radius": self.bearing_radius}
        return {"clearance": self.clearance, **radius, **worn_numbers(self.worn)}

    def parameters(self):
        """Numbers of geometry, laws and film."""
        dry = self.sizes() if self.law is None else super().parameters()
        return {**dry, **film_leaves(self), **asperity_leaves(self), **heat_leaves(self)}

    def topology_key(self):
        """Laws and film, and whether the joint starts as an ideal one."""
        dry = () if self.law is None else super().topology_key()
        worn = () if self.worn is None else ("worn", self.worn.order)
        return (*dry, *film_structure(self), *asperity_structure(self), *heat_structure(self), *worn, *liner_structure(self), self.start)

    def initial_rows(self, build):
        """Rows of the ideal joint, for the assembly of positions and velocities only."""
        if self.start == "as_given":
            return []
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return [Row(ax - bx, "length", f"{self.name}.x"), Row(ay - by, "length", f"{self.name}.y")]

    def _eccentricity(self, build):
        (ax, ay), (bx, by) = build.place(self.a), build.place(self.b)
        return (ax - bx, ay - by)

    def geometry(self, build):
        """Eccentricity less clearance; both force arms end at one point of the bearing's surface, so momentum balances."""
        if self.worn is not None:
            return worn_geometry(self, build)
        g = build.graph
        e = self._eccentricity(build)
        (x, y), (vx, vy) = build.values(e), build.rates(e)
        squared = x * x + y * y
        r = g.sqrt(g.select(g.greater(squared, 1e-24), squared, 1e-24))
        nx, ny = -x / r, -y / r
        slip, arm_a, arm_b = vy * nx - vx * ny, 0.0, 0.0
        if self.frictional:
            radius = build.number(self, "bearing_radius")
            arm_a, arm_b = r - radius, -radius
            slip = slip + build.spin(self.a.body) * arm_a - build.spin(self.b.body) * arm_b
        return Geometry(r - build.number(self, "clearance"), -(vx * nx + vy * ny), (nx, ny), slip, arm_a, arm_b)

    def normal_force(self, build, penetration, rate):
        """The contact's, of which a transition from the film may take a part."""
        pair, normal = super().normal_force(build, penetration, rate)
        return pair, handed_over(self, build, normal, penetration, rate)

    def friction_force(self, build, pair, slip, normal):
        """Friction on what contact and asperities carry."""
        load = normal if self.asperities is None else normal + build.recall(self)["asperity_load"]
        return super().friction_force(build, pair, slip, load)

    def apply(self, build):
        """Contact, asperities and film, and their energies."""
        known, forces = {}, []
        if self.asperities is not None:
            known = apply_asperities(self, build, self._eccentricity(build))
            forces.append(known["asperities"])
            build.remember(self, **known)
        if self.law is not None:
            super().apply(build)
            known |= build.recall(self)
            forces.append(known["force"])
        elif self.frictional:
            known |= apply_friction(self, build)
            forces.append(known["rubbing"])
        if self.film is not None:
            known |= (apply_film if self.liner is None else apply_lined)(self, build, self._eccentricity(build))
            forces.append(known["film"])
            apply_heat(self, build, known["film_power"] + (known["slip_force"] * known["geometry"].slip if self.frictional else 0.0))
        build.remember(self, **known | {"force": tuple(sum(parts) for parts in zip(*forces, strict=True))})

    @property
    def witness(self):
        """Output by which `explain` knows why a run failed; None where there is a contact."""
        alone = self.law is None and self.asperities is None
        return f"{self.name}.eccentricity_ratio:max" if alone else None

    def explain(self, ratio):
        """Sentence on a run that failed, by the largest eccentricity ratio; empty if that was not the reason."""
        if not ratio > 0.95:  # from there on the film's stiffness asks for ever smaller steps
            return ""
        return (
            f"clearance joint '{self.name}': the journal was pressed to {ratio:.5g} of the clearance, where the film's force grows "
            "without bound, and there is neither a contact law nor asperities (give law or asperities)"
        )

    def outputs(self, build):
        """The contact's and the film's outputs, and the orbit of the journal's centre in the inertial frame."""
        name = self.name
        forces = {} if self.law is None else super().outputs(build)
        if self.film is not None or self.asperities is not None:
            forces |= film_outputs(self, build)
        if self.worn is not None:
            forces |= worn_outputs(self, build)
        if self.liner is not None:
            forces |= lined_outputs(self, build)

        def orbit(axis):
            return lambda: build.values(self._eccentricity(build))[axis]

        def radius():
            x, y = build.values(self._eccentricity(build))
            return build.graph.sqrt(x * x + y * y)

        def ratio():
            return radius() / build.number(self, "clearance")

        more = {f"{name}.ex": (orbit(0), "m"), f"{name}.ey": (orbit(1), "m"), f"{name}.eccentricity": (radius, "m")}
        return {**forces, **more, f"{name}.eccentricity_ratio": (ratio, "1")}
