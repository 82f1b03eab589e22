"""Outputs of a clearance joint with oil or rough surfaces: forces, thickness, powers, and the regime it is in."""

from flexmbd.contact.heat import film_temperature

FULL_FILM, BOUNDARY = 3.0, 1.0  # thickness by roughness: film above, boundary below (Tallian 1967, ASLE Trans. 10, 418-439), mixed between


def film_outputs(joint, build):
    """Outputs of film and asperities; without a contact law those of the joint's force and friction too."""
    g, name = build.graph, joint.name

    def got(key):
        return lambda: build.recall(joint)[key]

    def part(key, axis):
        return lambda: build.recall(joint)[key][axis]

    def size(key):
        def node():
            fx, fy = build.recall(joint)[key]
            return g.sqrt(fx * fx + fy * fy)

        return node

    def only(number):
        def node():
            above, further = (g.select(g.greater(regime(joint, build), number + d), 1.0, 0.0) for d in (-0.5, 0.5))
            return above - further

        return node

    def rubbed():
        known = build.recall(joint)
        dry = known["slip_force"] * known["geometry"].slip if joint.frictional else 0.0
        return known.get("rubbed", g.const(0.0)) + dry

    def forces(prefix, key):
        parts = {f"{name}.{prefix}f{axis}": (part(key, k), "N") for k, axis in enumerate("xy")}
        return {f"{name}.{prefix}force": (size(key), "N")} | parts

    out = {}
    if joint.law is None:
        out |= forces("", "force")
        if joint.frictional:
            out |= {f"{name}.friction": (got("slip_force"), "N"), f"{name}.slip": (lambda: got("geometry")().slip, "m/s")}
    if joint.film is not None:
        out |= forces("film_", "film")
        out |= {
            f"{name}.film_torque": (got("film_torque"), "N m"),
            f"{name}.film_thickness": (lambda: thickness(joint, build), "m"),
            f"{name}.film_power": (got("film_power"), "W"),
        }
        kernels = joint.film.kernels()
        for key, kernel, unit in (("max_pressure", kernels.peak, "Pa"), ("oil_flow", kernels.flow, "m^3/s")):
            if kernel is not None:
                out[f"{name}.{key}"] = (lambda kernel=kernel: _of_film(joint, build, kernel), unit)
    if joint.temperature is not None:
        out[f"{name}.temperature"] = (lambda: film_temperature(joint, build), "K")
    if joint.asperities is not None:
        out |= {
            f"{name}.asperity_force": (size("asperities"), "N"),
            f"{name}.asperity_load": (got("asperity_load"), "N"),
            f"{name}.lambda_ratio": (lambda: got("gap")() / got("roughness")(), "1"),
        }
    out |= {f"{name}.friction_power": (rubbed, "W"), f"{name}.regime": (lambda: regime(joint, build), "1")}
    return out | {f"{name}.{key}": (only(k), "1") for k, key in enumerate(("film", "mixed", "dry"))}


def _of_film(joint, build, kernel):
    """Node of what a kernel of the film gives, of which the film's share is there."""
    known = build.recall(joint)
    return known["film_share"] * build.graph.call(kernel, known["film_arguments"])


def thickness(joint, build):
    """Node of the smallest thickness, 0 where journal and bearing touch."""
    g, gap = build.graph, build.recall(joint)["gap"]
    return g.select(g.greater(gap, 0.0), gap, 0.0)


def regime(joint, build):
    """Node that is 0 for a film, 1 where both carry, 2 for boundary friction or dry contact."""
    g, known = build.graph, build.recall(joint)
    if joint.asperities is not None:
        ratio = known["gap"] / known["roughness"]
        return g.select(g.greater(ratio, BOUNDARY), g.select(g.greater(ratio, FULL_FILM), 0.0, 1.0), 2.0)
    contact = g.select(g.greater(known["gap"], 0.0), 0.0, 1.0)
    return contact if joint.law is None else contact + g.select(g.greater(known["film_share"], 0.0), 0.0, 1.0)
