"""Every quantity of a system that can be asked for, by name: expression (made when asked for) and unit."""

from flexmbd.language.quadratic import cross, cross3
from flexmbd.registry import Books
from flexmbd.space import AXES

TAKEN, DRIVE = "energy.dissipated", "energy.drive"
BOOKS = {TAKEN: (TAKEN,), DRIVE: (DRIVE,), "energy.balance": (TAKEN, DRIVE), "energy.numerical": (TAKEN, DRIVE)}


def bringing(names, aliases):
    """Outputs that are known to bring states which those named need (energy taken up, work of drives, angles counted in full turns)."""
    names = [aliases.get(name, name) for name in names]
    return sorted({part for name in names for part in BOOKS.get(name, (name,) if name.endswith(".angle") else ())})


def catalogue(build):
    """Output name -> (function giving the node, unit) for a `Build`."""
    out = {}
    for body in build.system.bodies:
        out |= _body(build, body)
    for element in build.system.elements:
        if element.reacts:
            out |= _joint(build, element)
        out |= element.outputs(build)
    out |= _energy(build)
    for name, target in build.system.aliases.items():
        if target in out:
            out[name] = out[target]
    return out


def _point(build, name, point):
    def part(function, axis):
        return lambda: function()[axis]

    kinds = (
        ("", lambda: build.values(build.place(point)), "m"),
        ("v", lambda: build.velocity(point), "m/s"),
        ("a", lambda: build.acceleration(point), "m/s^2"),
    )
    axes = list(enumerate(AXES[: build.system.dimension]))
    return {f"{name}.{prefix}{axis}": (part(function, k), unit) for prefix, function, unit in kinds for k, axis in axes}


def _body(build, body):
    out = build.outputs_of(body)
    for key, point in body.points.items():
        if not key.startswith("#"):
            out |= _point(build, f"{body.name}.{key}", point)
    return out


def _joint(build, joint):
    """Reaction on b's body (on a's if b is ground): force at the joint's point, its size, and moment about that point."""
    end = joint.b if joint.b.body.name in build.first else joint.a
    body, name = end.body, joint.name
    dimension = build.system.dimension
    forces, moments = [f"{name}.f{axis}" for axis in AXES[:dimension]], [f"{name}.m{axis}" for axis in AXES]

    def force(axis):
        return lambda: build.reaction(joint, body)[axis]

    def size():
        return build.graph.sqrt(build.graph.dot((f, f) for f in build.reaction(joint, body)[:dimension]))

    def moment():
        """About the joint's point: that about the centre of mass less the force's."""
        wrench = build.reaction(joint, body)
        force, about_centre = wrench[:dimension], wrench[dimension:]
        arm = [p - c for p, c in zip(build.values(build.place(end)), build.values(body.origin(build)), strict=True)]
        turned = cross3(arm, force) if dimension == 3 else (cross(arm, force),)
        return [m - x for m, x in zip(about_centre, turned, strict=True)]

    out = {key: (force(k), "N") for k, key in enumerate(forces)} | {f"{name}.force": (size, "N")}
    if dimension == 2:
        return out | {f"{name}.moment": (lambda: moment()[0], "N m")}
    return out | {key: (lambda k=k: moment()[k], "N m") for k, key in enumerate(moments)}


def _energy(build):
    def kinetic():
        return build.kinetic_energy()

    def integral(key, power):
        def node():
            state = build.state(Books, key)
            build.state_rate(state, power())
            return state

        return node

    taken = integral("taken", lambda: build.power_of("dissipated", "contact"))

    def dissipated():
        return sum((contact.found.loss for contact in build.unilaterals), taken() - build.stored_energy)

    work = integral("work", build.drive_power)

    def balance():
        return kinetic() + build.potential_energy + dissipated() - work()

    def numerical():
        return build.graph.var("booked") - balance()

    return {
        "energy.kinetic": (kinetic, "J"),
        "energy.potential": (lambda: build.potential_energy, "J"),
        "energy.dissipated": (dissipated, "J"),
        "energy.drive": (work, "J"),
        "energy.total": (lambda: kinetic() + build.potential_energy, "J"),
        "energy.balance": (balance, "J"),
        "energy.numerical": (numerical, "J"),
    } | ({"energy.gained": (lambda: build.state(Books, "gained"), "J")} if build.unilaterals else {})
