"""Every quantity of a system that can be asked for, by name: expression (made when asked for) and unit."""

from flexmbd.linalg.quadratic import cross


def catalogue(build):
    """Output name -> (function giving the node, unit) for a `Build`."""
    out = {}
    for body in build.system.bodies:
        out |= _body(build, body)
    for element in build.system.elements:
        if hasattr(element, "rows"):
            out |= _joint(build, element)
        if hasattr(element, "outputs"):
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
    return {f"{name}.{prefix}{axis}": (part(function, k), unit) for prefix, function, unit in kinds for k, axis in enumerate("xy")}


def _body(build, body):
    i, name = build.first[body.name], body.name
    q, v, a = build.q, build.v, build.a

    out = {}
    for prefix, values, unit in (("", q, "m"), ("v", v, "m/s"), ("a", a, "m/s^2")):
        for k, axis in enumerate("xy"):
            out[f"{name}.{prefix}{axis}"] = (lambda values=values, k=k: values[i + k], unit)
    out[f"{name}.angle"] = (lambda: build.angle(body), "rad")
    out[f"{name}.rate"] = (lambda: build.spin(body), "rad/s")
    out[f"{name}.alpha"] = (lambda: cross(q[i + 2 : i + 4], a[i + 2 : i + 4]), "rad/s^2")
    for key, point in body.points.items():
        if not key.startswith("#"):
            out |= _point(build, f"{name}.{key}", point)
    return out


def _joint(build, joint):
    """Reaction on b's body (on a's if b is ground): force at the joint's point, its size, and moment about that point."""
    end = joint.b if joint.b.body.name in build.first else joint.a
    body = end.body

    def force(axis):
        return lambda: build.reaction(joint, body)[axis]

    def size():
        fx, fy, _ = build.reaction(joint, body)
        return build.graph.sqrt(fx * fx + fy * fy)

    def moment():
        fx, fy, about_centre = build.reaction(joint, body)
        i = build.first[body.name]
        x, y = build.values(build.place(end))
        return about_centre - cross((x - build.q[i], y - build.q[i + 1]), (fx, fy))

    name = joint.name
    return {
        f"{name}.fx": (force(0), "N"),
        f"{name}.fy": (force(1), "N"),
        f"{name}.force": (size, "N"),
        f"{name}.moment": (moment, "N m"),
    }


def _energy(build):
    g = build.graph

    class _Books:
        name = "energy"

    def kinetic():
        return 0.5 * g.dot((m, v * v) for m, v in zip(build.mass, build.v, strict=True))

    def integral(key, power):
        def node():
            state = build.state(_Books, key)
            build.state_rate(state, power())
            return state

        return node

    taken = integral("taken", lambda: build.power_of("dissipated", "contact"))

    def dissipated():
        return taken() - build.stored_energy

    work = integral("work", build.drive_power)

    def balance():
        return kinetic() + build.potential_energy + dissipated() - work()

    return {
        "energy.kinetic": (kinetic, "J"),
        "energy.potential": (lambda: build.potential_energy, "J"),
        "energy.dissipated": (dissipated, "J"),
        "energy.drive": (work, "J"),
        "energy.total": (lambda: kinetic() + build.potential_energy, "J"),
        "energy.balance": (balance, "J"),
    }
