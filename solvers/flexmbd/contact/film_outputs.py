"""Outputs of a clearance joint with oil or rough surfaces, in the plane and in space: forces, thickness, powers, regime."""

from flexmbd.space import AXES

FULL_FILM, BOUNDARY = 3.0, 1.0  # thickness by roughness: film above, boundary below (Tallian 1967, ASLE Trans. 10, 418-439), mixed between


def film_outputs(joint, equations, nodes):
    """Outputs of the film; those of the regime."""
    g, name = equations.graph, joint.name
    axes = AXES[: len(nodes.film)]

    def part(key, k):
        return lambda: getattr(nodes, key)[k]

    out = {f"{name}.film_force": (lambda: size(g, nodes.film), "N")}
    out |= {f"{name}.film_f{axis}": (part("film", k), "N") for k, axis in enumerate(axes)}
    if len(axes) == 2:
        out[f"{name}.film_torque"] = (part("film_torque", 0), "N m")
    else:
        out |= {f"{name}.film_torque_{axis}": (part("film_torque", k), "N m") for k, axis in enumerate(axes)}
    out |= {f"{name}.film_thickness": (lambda: thickness(g, nodes), "m"), f"{name}.film_power": (lambda: nodes.film_power, "W")}
    if nodes.film_arguments is not None:
        kernels = joint.film.kernels()
        for key, kernel, unit in (("max_pressure", kernels.peak, "Pa"), ("oil_flow", kernels.flow, "m^3/s")):
            if kernel is not None:
                out[f"{name}.{key}"] = (lambda kernel=kernel: nodes.film_share * g.call(kernel, nodes.film_arguments), unit)
    return out | regime_outputs(joint, equations, nodes)


def regime_outputs(joint, equations, nodes):
    """Power of all friction, and the regime: 0 film, 1 both carry, 2 dry; in the plane a number for each that is 1 while it holds."""
    g, name = equations.graph, joint.name

    def now():
        return regime(joint, g, nodes)

    def only(number):
        def node():
            above, further = (g.greater(now(), number + d) for d in (-0.5, 0.5))
            return g.select(further, 0.0, g.select(above, 1.0, 0.0))

        return node

    out = {f"{name}.friction_power": (lambda: nodes.friction_power(g, nodes.rubbed), "W"), f"{name}.regime": (now, "1")}
    kinds = ("film", "mixed", "dry") if 2 in joint.dimensions else ()
    return out | {f"{name}.{key}": (only(k), "1") for k, key in enumerate(kinds)}


def size(graph, force):
    """Node of the size of a force."""
    return graph.sqrt(graph.dot((f, f) for f in force))


def thickness(g, nodes):
    """Node of the smallest thickness, 0 where journal and bearing touch."""
    return g.select(g.greater(nodes.gap, 0.0), nodes.gap, 0.0)


def regime(joint, g, nodes):
    """Node that is 0 for a film, 1 where both carry, 2 for boundary friction or dry contact."""
    if joint.asperities is not None:
        ratio = nodes.gap / nodes.roughness
        return g.select(g.greater(ratio, BOUNDARY), g.select(g.greater(ratio, FULL_FILM), 0.0, 1.0), 2.0)
    contact = g.select(g.greater(nodes.gap, 0.0), 0.0, 1.0)
    return contact if joint.law is None else contact + g.select(g.greater(nodes.film_share, 0.0), 0.0, 1.0)
