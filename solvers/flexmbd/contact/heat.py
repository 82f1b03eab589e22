"""Temperature of the oil in a clearance joint: one more state, heated by what film and friction dissipate.

It is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.temperature``.  The heat is the energy that is already in the
books as dissipated, so none of it is counted again.
"""

from flexmbd.contact.parts import Part, Rule


class HeatPart(Part):
    """Temperature of the film."""

    key = "temperature"
    wanted = "a FilmTemperature(law, start, ambient, heat_capacity, conductance)"
    needs = (Rule(("film",), "temperature is for joints with a film"),)

    @classmethod
    def accepts(cls, given):
        """What has the numbers of a balance."""
        return {"heat_capacity", "conductance"} <= set(getattr(given, "numbers", dict)())

    def apply(self, joint, build, nodes):
        """All that film and friction take up heats the film."""
        power = nodes.friction_power(build.graph, nodes.film_power)
        ambient, capacity, conductance = (build.number(joint, f"temperature.{k}") for k in ("ambient", "heat_capacity", "conductance"))
        build.state_rate(_rise(joint, build), (power - conductance * (film_temperature(joint, build) - ambient)) / capacity)

    def outputs(self, joint, build, nodes):
        """The temperature."""
        return {f"{joint.name}.temperature": (lambda: film_temperature(joint, build), "K")}


def film_temperature(joint, build):
    """Node of the temperature."""
    return build.number(joint, "temperature.start") + _rise(joint, build)


def film_viscosity(joint, build):
    """Node of the viscosity: the film's own, by the law where it has a temperature."""
    own = build.number(joint, "film.viscosity")
    if joint.temperature is None:
        return own
    g, kernels = build.graph, joint.temperature.kernels()
    build.use(kernels)
    reference, *law = (build.number(joint, f"temperature.{k}") for k in ("reference", *_law(joint)))
    arguments = (film_temperature(joint, build), reference, *law)
    return own * g.call(kernels.factor, arguments, None, lambda arguments: {(0, 0): g.call(kernels.slope, arguments)})


def _rise(joint, build):
    """State of the temperature above that of the start."""
    return build.state(joint, "rise", controlled=True)


def _law(joint):
    return [key for key in joint.temperature.numbers() if key.startswith("law.")]
