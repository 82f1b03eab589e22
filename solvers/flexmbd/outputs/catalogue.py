"""Every quantity of a system that can be asked for, by name: expression (made when asked for) and unit."""

from flexmbd.language.quadratic import cross, cross3
from flexmbd.registry import EnergyAccounts
from flexmbd.space import AXES

TAKEN, DRIVE = "energy.dissipated", "energy.drive"
ENERGY_ACCOUNTS = {TAKEN: (TAKEN,), DRIVE: (DRIVE,), "energy.balance": (TAKEN, DRIVE), "energy.numerical": (TAKEN, DRIVE)}


def bringing(names, aliases):
    """Outputs that are known to bring states which those named need (energy taken up, work of drives, angles counted in full turns)."""
    names = [aliases.get(name, name) for name in names]
    return sorted({part for name in names for part in ENERGY_ACCOUNTS.get(name, (name,) if name.endswith(".angle") else ())})


def catalogue(equations):
    """Output name -> (function giving the node, unit) for a `Formulation`."""
    out = {}
    for body in equations.system.bodies:
        out |= _body(equations, body)
    for element in equations.system.elements:
        if element.reacts:
            out |= _joint(equations, element)
        out |= element.outputs(equations)
    out |= _energy(equations)
    for name, target in equations.system.aliases.items():
        if target in out:
            out[name] = out[target]
    return out


def _point(equations, name, point):
    def part(function, axis):
        return lambda: function()[axis]

    kinds = (
        ("", lambda: equations.values(equations.place(point)), "m"),
        ("v", lambda: equations.velocity(point), "m/s"),
        ("a", lambda: equations.acceleration(point), "m/s^2"),
    )
    axes = list(enumerate(AXES[: equations.system.dimension]))
    return {f"{name}.{prefix}{axis}": (part(function, k), unit) for prefix, function, unit in kinds for k, axis in axes}


def _body(equations, body):
    out = equations.outputs_of(body)
    for key, point in body.points.items():
        if not key.startswith("#"):
            out |= _point(equations, f"{body.name}.{key}", point)
    return out


def _joint(equations, joint):
    """Reaction on b's body (on a's if b is ground): force at the joint's point, its size, and moment about that point."""
    end = joint.a if joint.b.body is equations.system.ground else joint.b
    body, name = end.body, joint.name
    dimension = equations.system.dimension
    forces, moments = [f"{name}.f{axis}" for axis in AXES[:dimension]], [f"{name}.m{axis}" for axis in AXES]

    def force(axis):
        return lambda: equations.reaction(joint, body)[axis]

    def size():
        return equations.graph.sqrt(equations.graph.dot((f, f) for f in equations.reaction(joint, body)[:dimension]))

    def moment():
        """About the joint's point: that about the centre of mass less the force's."""
        wrench = equations.reaction(joint, body)
        force, about_centre = wrench[:dimension], wrench[dimension:]
        arm = [p - c for p, c in zip(equations.values(equations.place(end)), equations.values(equations.centre(body)), strict=True)]
        turned = cross3(arm, force) if dimension == 3 else (cross(arm, force),)
        return [m - x for m, x in zip(about_centre, turned, strict=True)]

    out = {key: (force(k), "N") for k, key in enumerate(forces)} | {f"{name}.force": (size, "N")}
    if dimension == 2:
        return out | {f"{name}.moment": (lambda: moment()[0], "N m")}
    return out | {key: (lambda k=k: moment()[k], "N m") for k, key in enumerate(moments)}


def _energy(equations):
    def kinetic():
        return equations.kinetic_energy()

    def integral(key, power):
        def node():
            state = equations.state(EnergyAccounts, key)
            equations.state_rate(state, power())
            return state

        return node

    taken = integral("taken", lambda: equations.power_of("dissipated", "contact"))

    def dissipated():
        return sum((contact.found.loss for contact in equations.unilaterals), taken() - equations.stored_energy)

    work = integral("work", equations.drive_power)

    def balance():
        return kinetic() + equations.potential_energy + dissipated() - work()

    def numerical():
        return equations.graph.var("booked") - balance()

    return {
        "energy.kinetic": (kinetic, "J"),
        "energy.potential": (lambda: equations.potential_energy, "J"),
        "energy.dissipated": (dissipated, "J"),
        "energy.drive": (work, "J"),
        "energy.total": (lambda: kinetic() + equations.potential_energy, "J"),
        "energy.balance": (balance, "J"),
        "energy.numerical": (numerical, "J"),
    } | ({"energy.gained": (lambda: equations.state(EnergyAccounts, "gained"), "J")} if equations.unilaterals else {})
