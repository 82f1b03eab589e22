"""Which integrator and coordinates suit a system (settings that are "auto"), and what makes the steps of explicit schemes short."""

from dataclasses import replace

import numpy as np

from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rigid import RigidBody
from flexmbd.bodies.spatial import SpatialBody
from flexmbd.contact.guide import FrictionGuide
from flexmbd.contact.pair import Contact
from flexmbd.equations.index1 import KINDS
from flexmbd.errors import ModelError
from flexmbd.forces.actuators import Actuator
from flexmbd.forces.conditions import Condition
from flexmbd.forces.loads import PointForce
from flexmbd.forces.lock import Lock
from flexmbd.forces.propellant import Propellant
from flexmbd.forces.springs import Spring
from flexmbd.forces.user import UserFunction
from flexmbd.formulation import taken
from flexmbd.integrators import INTEGRATORS
from flexmbd.joints.distance import Distance
from flexmbd.joints.ideal import Fixed, Revolute, Translational
from flexmbd.joints.spatial import Cylindrical, Spherical, Universal
from flexmbd.motion import Fourier, Harmonic, Motion, Polynomial
from flexmbd.stepping import names

EXPLICIT, IMPLICIT, IMPACTS, EVENTS, CONSERVING = "dormand_prince", "generalized_alpha", "moreau", "event_driven", "energy_momentum"
TIGHT, SERIES = "dop853", "taylor"  # of smooth motions at tight tolerances, and at the tightest
# unless the settings say another: what the errors of schemes of order 5 and 2 are worth
TOLERANCE = {EXPLICIT: 1e-8, TIGHT: 1e-8, SERIES: 1e-8, IMPACTS: 1e-8, IMPLICIT: 1e-5}
PLAIN = {  # kinds of parts that all have series
    RigidBody, SpatialBody, PointMass, Revolute, Translational, Fixed, Spherical, Universal, Cylindrical, Distance, Spring, PointForce,
}  # fmt: skip
STABLE = 3.3  # steps of an explicit scheme, times the fastest rate, beyond which it is not stable
AFFORDABLE = 0.25  # of the steps that a run may have: an explicit scheme that needs more for stability alone is not taken


def chosen(settings, system, end):
    """Settings whose integrator and formulation have names, and why it is those.

    Nothing in this depends on numbers that differ between samples, so all batches of a study are of one scheme, in one kind of coordinates.

    Parameters
    ----------
    settings : Settings
    system : System or Stack
    end : float
        Of the run, in s.

    Returns
    -------
    Settings
    dict of str to str
        Reasons by key of a run's attributes.
    """
    if settings.integrator != "auto":
        why = "as set"
    elif walls := impenetrable(system):
        settings, why = replace(settings, integrator=IMPACTS), f"time stepping: contact '{walls[0]}' cannot be penetrated"
    elif rubbing := frictions(system):
        settings, why = replace(settings, integrator=EXPLICIT), f"explicit: implicit schemes do not treat {rubbing[0]}"
    elif bodies := flexible(system):
        settings, why = replace(settings, integrator=IMPLICIT), f"implicit: {bodies[0]} is flexible, and explicit steps would be too short"
    else:
        rate, name = max(springs(system), default=(0.0, ""))
        if rate * end / STABLE > AFFORDABLE * settings.max_steps:
            words = f"{name} is so stiff that an explicit scheme would need {rate * end / STABLE:.2g} steps"
            settings, why = replace(settings, integrator=IMPLICIT), f"implicit: {words}"
        elif scheme := smooth_scheme(system, settings):
            kind = "by series" if scheme == SERIES else "of order 8"
            words = f"at a tolerance of {settings.tolerance:g}: all forces are smooth, and no spring is too stiff for it"
            settings, why = replace(settings, integrator=scheme), f"explicit, {kind} {words}"
        else:
            settings, why = replace(settings, integrator=EXPLICIT), "explicit: there is no flexible body and no spring too stiff for it"
    check_impacts(settings, system)
    if settings.tolerance is None:
        usual = TOLERANCE[settings.integrator] if why != "as set" else TOLERANCE[EXPLICIT]
        settings = replace(settings, tolerance=usual)
    return _in_coordinates(settings, system, {"solver.integrator.reason": why})


def _in_coordinates(settings, system, reasons):
    """`chosen` once the integrator is known."""
    if settings.formulation != "auto":
        return settings, reasons
    scheme = INTEGRATORS[settings.integrator]
    linear = scheme.generated is not None and "unilateral" not in scheme.treats and names.PROPOSE not in scheme.functions
    implicit = scheme.correction is not None or linear
    needs = "sparse direct libraries are for many rows" if settings.linear_solver else ""
    needs = f"'{scheme.name}' needs constant masses" if scheme.name == CONSERVING else needs
    name, why = taken(settings.formulation, system, settings.tuning, needs=needs, implicit=implicit)
    return replace(settings, formulation=name), reasons | {"solver.formulation.reason": why}


def has_events(system):
    """Whether the event-driven scheme treats all that is in a system, in steps of a sensible length."""
    for element in system.elements:
        law = getattr(element, "law", None)
        if getattr(element, "impenetrable", False) and (law.rolling is not None or law.pivoting is not None):
            return False
        if isinstance(element, (Lock, FrictionGuide)):
            return False
    return not flexible(system)


def not_treated(name, scheme, system):
    """The `ModelError` of a contact, lock or guide that a scheme without percussions cannot treat."""
    contact = not any(element.name == name and isinstance(element, (Lock, FrictionGuide)) for element in system.elements)
    what = "bodies that cannot penetrate each other" if contact else "what locks or sticks"
    told = f"{'contact ' * contact}'{name}': the integrator '{scheme.name}' does not treat {what}"
    events, law = "'event_driven', or " * has_events(system), ", or give the contact a law" * contact
    return ModelError(told, element=name, remedy=f"take {events}'moreau' with a step{law}")


def check_impacts(settings, system):
    """Refuse fixed steps without a length, and static friction above kinetic in schemes that step over the moment it acts in."""
    scheme = INTEGRATORS[settings.integrator]
    walls = impenetrable(system)
    if scheme.adaptive or "unilateral" not in scheme.treats:
        return
    if settings.step == 0.0:
        other = f", or take '{EVENTS}', which chooses its own" if has_events(system) else ""
        whose = f"contact '{walls[0]}' cannot be penetrated, and " if walls else ""
        raise ModelError(
            f"{whose}the integrator '{settings.integrator}' goes in fixed steps: setting 'step' is {settings.step!r}; "
            "it must be a time in s greater than zero",
            element=walls[0] if walls else None,
            remedy=f"give step=..., by the accuracy that is wanted{other}",
        )
    numbers = system.parameters()
    for name in walls:
        static, kinetic = (numbers.get(f"@{name}.law.{key}") for key in ("static_friction", "friction"))
        if static is not None and np.any(np.asarray(static) > np.asarray(kinetic)):
            told = f"contact '{name}': static_friction is above friction, which is for the integrator 'event_driven'"
            raise ModelError(
                f"{told}; '{settings.integrator}' steps over the moment it acts in",
                element=name,
                remedy="take 'event_driven', or leave static_friction out",
            )


def flexible(system):
    """Flexible bodies, as words."""
    return [f"{body.kind} '{body.name}'" for body in system.bodies if body.flexible]


def impenetrable(system):
    """Names of contacts that cannot be penetrated."""
    return [element.name for element in system.elements if getattr(element, "impenetrable", False)]


def smooth(system):
    """Whether all forces are known to be smooth, so that one polynomial of high order is the motion in a long step.

    Contacts, conditions, controllers, functions of one's own and tables are not: a spline has a kink in its third derivative.
    """
    rough = Contact, Condition, UserFunction, Actuator, Propellant
    analytic = Polynomial, Harmonic, Fourier
    motions = (x for element in system.elements for x in vars(element).values() if isinstance(x, Motion))
    return not any(isinstance(element, rough) for element in system.elements) and all(isinstance(x, analytic) for x in motions)


def smooth_scheme(system, settings):
    """The scheme of high order that pays for a smooth motion at the tolerance that was asked for; "" if there is none."""
    if settings.tolerance is None or not smooth(system):
        return ""
    if in_series(system, settings):
        return SERIES
    return TIGHT if settings.tolerance <= settings.tuning.order_8 else ""


def in_series(system, settings):
    """Whether Taylor series pay: few rigid bodies on plain parts; in space tops, or in natural coordinates where order 8 pays."""
    tuning, everywhere = settings.tuning, system.dimension == 2 or (settings.formulation != "natural" and tops(system))
    wanted = settings.tolerance <= (tuning.by_series if everywhere else min(tuning.by_series, tuning.order_8))
    few = len(system.bodies) <= tuning.by_series_bodies and (everywhere or settings.formulation == "natural")
    plain = {type(part) for part in (*system.bodies, *system.elements)} <= PLAIN
    return wanted and few and plain and settings.constraints == KINDS[0] and not settings.linear_solver


def tops(system):
    """Whether all bodies turn by themselves in space, free or on a ball on ground, and nothing acts but weight."""
    ends = [{end.body.name for end in (e.a, e.b)} for e in system.elements if type(e) is Spherical]
    carried = [name for pair in ends for name in pair - {system.ground.name}]
    alone = all(system.ground.name in pair for pair in ends) and len(set(carried)) == len(ends) == len(system.elements)
    return alone and all(type(body) is SpatialBody for body in system.bodies)


def frictions(system):
    """Elements whose forces depend on reactions, friction of ideal joints above all, as words; implicit schemes refuse them."""
    return [f"{element.couples} '{element.name}'" for element in system.elements if element.couples]


def springs(system, sample=None):
    """Rate in 1/s at which each spring-damper moves its bodies, and its name; those alone whose numbers are the same for all samples.

    With a `sample` given, the rates of that sample.
    """
    parameters, found = system.parameters(), []
    masses = {body.name: body for body in system.bodies}

    def number(path):
        value = parameters.get(path)
        if sample is not None and value is not None and np.ndim(value):
            return float(value[sample])
        return None if value is None or np.ndim(value) else float(value)

    for element in system.elements:
        stiffness, damping = (number(f"@{element.name}.{key}") for key in ("stiffness", "damping"))
        if stiffness is None or damping is None or getattr(element, "free", None) is None:
            continue
        key, inverse = ("mass" if element.free == "length" else "inertia"), 0.0
        for end in (element.a, element.b):
            body = getattr(end, "body", end)
            inertia = number(f"{body.name}.{key}") if body.name in masses else np.inf
            inverse = np.nan if inertia is None else inverse + 1.0 / inertia
        if inverse > 0.0:
            rate = max(np.sqrt(max(stiffness, 0.0) * inverse), max(damping, 0.0) * inverse)
            found.append((float(rate), f"spring '{element.name}'"))
    return found
