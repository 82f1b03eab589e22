"""Outputs of the oil film of a clearance joint in space."""

from flexmbd.contact.film_outputs import regime, thickness
from flexmbd.language.quadratic import dot
from flexmbd.space import AXES


def film_outputs(joint, build):
    """Force, torque, smallest thickness, powers, and the regime: 0 film, 1 both carry, 2 dry."""
    g, name = build.graph, joint.name

    def got(key, axis=None):
        def node():
            value = build.recall(joint)[key]
            return value if axis is None else value[axis]

        return node

    def size():
        force = build.recall(joint)["film"]
        return g.sqrt(dot(force, force))

    def rubbed():
        known = build.recall(joint)
        return g.dot(((place["slip_force"], place["speed"]) for place in known["places"]), known["rubbed"])

    return {
        f"{name}.film_force": (size, "N"),
        **{f"{name}.film_f{axis}": (got("film", k), "N") for k, axis in enumerate(AXES)},
        **{f"{name}.film_torque_{axis}": (got("film_torque", k), "N m") for k, axis in enumerate(AXES)},
        f"{name}.film_thickness": (lambda: thickness(joint, build), "m"),
        f"{name}.film_power": (got("film_power"), "W"),
        f"{name}.friction_power": (rubbed, "W"),
        f"{name}.regime": (lambda: regime(joint, build), "1"),
    }
