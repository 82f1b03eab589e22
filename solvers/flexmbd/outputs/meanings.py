"""What each output means, in words: for lists of outputs, and for the page of elements.

An output's key is what follows the name of its body or element, without the letter of an axis: ``v{axis}`` of ``rod.tip.vx``. The words of
a class come first, then those of its bases. An element of one's own says them in its attribute `meanings`, in the same way.
"""

PLACE = {
    "{axis}": "place along the {axis} axis of the inertial frame",
    "v{axis}": "velocity along the {axis} axis",
    "a{axis}": "acceleration along the {axis} axis",
}
TURNS = {
    "omega_{axis}": "angular velocity about the {axis} axis of the inertial frame",
    "d2{axis}": "{axis} component of the second axis fixed in the body",
    "d3{axis}": "{axis} component of the third axis fixed in the body",
}
FILM = {
    "film_force": "size of the oil film's force",
    "film_f{axis}": "force of the oil film on a, along the {axis} axis",
    "film_torque": "torque of the oil film on a",
    "film_torque_{axis}": "torque of the oil film on a, about the {axis} axis",
    "film_thickness": "smallest thickness of the oil film",
    "film_power": "power that the oil film takes up",
    "max_pressure": "highest pressure in the film",
    "oil_flow": "oil that leaves the bearing",
    "friction_power": "power of all friction in the joint",
    "regime": "0 oil film, 1 film and contact both carry, 2 dry",
    "film": "1 while the film alone carries",
    "mixed": "1 while film and contact both carry",
    "dry": "1 while there is dry contact alone",
    "asperity_force": "force of the asperities",
    "asperity_load": "load that the asperities carry, by which they rub",
    "lambda_ratio": "smallest gap over roughness",
    "temperature": "temperature of the film",
    "worn_x": "place of the journal in axes fixed in the bearing, first",
    "worn_y": "place of the journal in axes fixed in the bearing, second",
    "worn_angle": "angle in the bearing at which the journal presses",
}
TOUCH = {
    "friction": "friction force, with the sign of the slip",
    "slip": "velocity of a's surface along the tangent, against b's",
    "normal": "normal force; zero without contact",
    "penetration": "depth to which the bodies overlap; negative is a gap",
    "rate": "rate of the penetration",
    "contact": "1 in contact, else 0; of several places how many touch",
    "impacts": "contacts that began so far",
    "impact_velocity": "speed of approach at the last impact",
    "sticking": "1 while it touches and does not slide",
    "sliding": "1 while it touches and slides",
    "impulse": "sum of the normal impulses of impacts so far",
    "dissipated": "energy that the contact took so far",
    "force": "size of the contact force",
    "f{axis}": "force on a, along the {axis} axis",
    "e{axis}": "place of a's centre from b's, along the {axis} axis of the inertial frame",
    "eccentricity": "distance of a's centre from b's",
    "eccentricity_ratio": "eccentricity over clearance",
}
GUIDED = {
    "moment": "moment of all contact forces on the slider, about point a",
    "gap": "smallest distance of a corner from its wall",
    "tilt": "angle of the slider against the guide, counter-clockwise",
    "offset": "place of the slider to the left of the guide's axis",
    "slide": "place of the slider along the guide",
}
REACTION = {
    "force": "size of the reaction",
    "f{axis}": "reaction on b's body (on a's where b is ground), along the {axis} axis",
    "moment": "moment of the reaction on that body, about the joint's point",
    "m{axis}": "moment of the reaction on that body about the joint's point, about the {axis} axis",
}
NEAREST_END = "way to the nearer end, by the whole length"

MEANINGS = {  # class -> key -> words
    "Body": PLACE,
    "RigidBody": {
        "angle": "angle, which counts full turns",
        "rate": "angular velocity",
        "alpha": "angular acceleration",
    },
    "SpatialBody": TURNS
    | {
        "d1{axis}": "{axis} component of the first axis fixed in the body",
        "omega_1": "angular velocity about the body's own first axis",
        "omega_2": "angular velocity about the body's own second axis",
        "omega_3": "angular velocity about the body's own third axis",
        **{f"quaternion_{k}": f"quaternion of the rotation, component {k} (0: scalar)" for k in range(4)},
        "rotation_{axis}": "rotation vector, {axis} component",
        "cardan_{axis}": "Cardan angle about the {axis} axis (x, y', z'')",
    },
    "Grains": {"rate": "angular velocity", "omega_{axis}": "angular velocity about the {axis} axis of the inertial frame"},
    "AncfCable": {
        "strain_energy": "elastic energy of the cable",
        "slope_{axis}": "derivative of the centre line along its length, {axis} component",
        "strain": "axial strain",
        "curvature": "curvature",
    },
    "AncfBeam": TURNS
    | {
        "strain_energy": "elastic energy of the beam",
        "strain": "axial strain",
        "shear_y": "shear strain across, along the section's second axis",
        "shear_z": "shear strain across, along the section's third axis",
        "twist": "twist for a unit of length",
        "curvature_y": "curvature about the section's second axis",
        "curvature_z": "curvature about the section's third axis",
    },
    "Joint": REACTION,
    "Distance": {"tension": "force along the rod; positive is tension"},
    "Rod": {
        **{f"a{k}": f"amplitude of its sine of {k} half wave{'s' * (k > 1)}" for k in range(1, 31)},
        **{f"va{k}": f"rate of the amplitude of its sine of {k} half wave{'s' * (k > 1)}" for k in range(1, 31)},
        "strain_energy": "elastic energy of its bending",
        "deflection": "deflection from the chord, to the left of the way from a to b",
        "{axis}": "place along the {axis} axis of the inertial frame",
    },
    "RackPinion": {"thrust": "force by which the pinion pushes the rack along the axis"},
    "Cam": {"thrust": "force by which the cam pushes the follower along the axis"},
    "Screw": {"thrust": "force of the thread on b along the axis", "torque": "torque of the thread on b about the axis"},
    "SlidingJoint": {"s": "arc length along the cable at which b is", "vs": "its rate", "room": f"{NEAREST_END} of the cable"},
    "JointFriction": {
        "force": "friction force, against the slip",
        "load": "force in the joint that presses the surfaces together",
        "slip": "velocity of the surfaces against each other",
        "torque": "torque of the friction",
    },
    "Spring": {"force": "force of spring and damper; positive is tension", "length": "length"},
    "TorsionSpring": {"moment": "moment of spring and damper", "angle": "twist of b against a beyond the free angle"},
    "NonlinearSpring": {
        "force": "force of spring and damper; positive is tension",
        "elongation": "length beyond the free length",
        "room": f"{NEAREST_END} of the table",
    },
    "NonlinearTorsionSpring": {
        "moment": "moment of spring and damper, against a positive twist",
        "twist": "twist of b against a beyond the free angle",
        "room": f"{NEAREST_END} of the table",
    },
    "Bushing": {
        "{axis}": "deflection of b along a's {axis} axis",
        "rotation_{axis}": "turn of b about a's {axis} axis",
        "f{axis}": "force that pulls b back, along a's {axis} axis",
        "m{axis}": "moment that turns b back, about a's {axis} axis",
    },
    "Mesh": {"force": "force of the teeth along the line of action", "deflection": "deflection of the teeth along the line of action"},
    "Actuator": {
        "force": "force on b",
        "moment": "moment on b",
        "command": "force or moment that was commanded",
        "error": "target less what is measured",
        "integral": "what the controller's integral part commands",
    },
    "UserForce": {"f{axis}": "force on b, along the {axis} axis"},
    "UserTorque": {"moment": "moment on b"},
    "ReducedInertia": {"inertia": "reduced inertia at the present place"},
    "Propellant": {"mass": "mass that is left", "thrust": "thrust along the axis"},
    "Condition": {"on": "1 while the switch is on"},
    "Lock": {
        "locked": "1 while it holds",
        "gap": "way to the place at which it locks or stops",
        "force": "force of the lock",
        "moment": "moment of the lock",
        "impacts": "times that it was struck so far",
        "dissipated": "energy that impacts took so far",
    },
    "Contact": TOUCH | FILM,
    "OfGrains": {
        "contacts": "contacts of grains with each other, with a wall, or with a body",
        "normal": "sum of their normal forces",
        "stored": "energy that they store",
    },
    "ClearanceTranslational": GUIDED,
    "FrictionGuide": GUIDED,
}
ENERGY = {
    "kinetic": "kinetic energy",
    "potential": "potential energy: gravity, springs, elastic bodies and contacts",
    "dissipated": "energy taken out by dampers, friction and impacts since the start",
    "drive": "work that drives and loads put in since the start",
    "total": "kinetic and potential energy",
    "balance": "kinetic + potential + dissipated - drive: constant but for errors",
    "numerical": "energy that the scheme itself took out",
    "gained": "energy by which impacts made the motion grow",
}


def output_meanings(system, names):
    """Words for outputs of a system.

    Parameters
    ----------
    system : System
    names : iterable of str
        Outputs without reductions, such as ``"rod.tip.vx"``.

    Returns
    -------
    dict of str to str
        Those that are known; an element of one's own without `meanings` has none.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> fm.output_meanings(s, ["rod.vx", "pin.force"])
    {'rod.vx': 'velocity along the x axis', 'pin.force': 'size of the reaction'}
    """
    owners = {x.name: x for x in (*system.bodies, *system.elements)}
    found = {name: _meaning(owners, system.aliases.get(name, name)) for name in names}
    return {name: words for name, words in found.items() if words}


def _meaning(owners, name):
    """Words for one output, or an empty string."""
    first, _, key = name.partition(".")
    if first == "energy" and first not in owners:
        return ENERGY.get(key, "")
    owner = next((x for x in _prefixes(name) if x in owners), None)
    if owner is None:
        return ""
    part, _, key = name[len(owner) + 1 :].rpartition(".")
    words = _words(owners[owner], key)
    if not words or not part:
        return words
    each = {"Grains": "grain", "GranularContact": "wall"}.get(type(owners[owner]).__name__, "place of contact")
    return f"{words}, {each} {part}" if part.isdigit() else f"{words}, of the point {part}"


def _prefixes(name):
    """All that a name can begin with, longest first."""
    parts = name.split(".")
    return (".".join(parts[:k]) for k in range(len(parts) - 1, 0, -1))


def _words(owner, key):
    own = getattr(owner, "meanings", {})
    tables = [own, *(MEANINGS.get(kind.__name__, {}) for kind in type(owner).__mro__)]
    for table in tables:
        if key in table:
            return table[key]
        stem, axis = key[:-1], key[-1]
        if axis in "xyz" and f"{stem}{{axis}}" in table:
            return table[f"{stem}{{axis}}"].format(axis=axis)
    return ""


__all__ = ["output_meanings"]
