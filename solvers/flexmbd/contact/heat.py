"""Temperature of the oil in a clearance joint: one more state, heated by what film and friction dissipate.

It is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.temperature``.  The heat is the energy that is already in the
books as dissipated, so none of it is counted again.
"""

from flexmbd.contact.parts import Part, Requirement


class HeatPart(Part):
    """Temperature of the film."""

    key = "temperature"
    wanted = "a FilmTemperature(law, start, ambient, heat_capacity, conductance)"
    needs = (Requirement(("film",), "temperature is for joints with a film"),)

    @classmethod
    def accepts(cls, given):
        """What has the numbers of a balance."""
        return {"heat_capacity", "conductance"} <= set(getattr(given, "numbers", dict)())

    def apply(self, joint, equations, nodes):
        """All that film and friction take up heats the film."""
        power = nodes.friction_power(equations.graph, nodes.film_power)
        ambient, capacity, conductance = (equations.number(joint, f"temperature.{k}") for k in ("ambient", "heat_capacity", "conductance"))
        equations.state_rate(_rise(joint, equations), (power - conductance * (film_temperature(joint, equations) - ambient)) / capacity)

    def outputs(self, joint, equations, nodes):
        """The temperature."""
        return {f"{joint.name}.temperature": (lambda: film_temperature(joint, equations), "K")}


def film_temperature(joint, equations):
    """Node of the temperature."""
    return equations.number(joint, "temperature.start") + _rise(joint, equations)


def film_viscosity(joint, equations):
    """Node of the viscosity: the film's own, by the law where it has a temperature."""
    own = equations.number(joint, "film.viscosity")
    if joint.temperature is None:
        return own
    g, kernels = equations.graph, joint.temperature.kernels()
    equations.use(kernels)
    reference, *law = (equations.number(joint, f"temperature.{k}") for k in ("reference", *_law(joint)))
    arguments = (film_temperature(joint, equations), reference, *law)
    return own * g.call(kernels.factor, arguments, None, lambda arguments: {(0, 0): g.call(kernels.slope, arguments)})


def _rise(joint, equations):
    """State of the temperature above that of the start."""
    return equations.state(joint, "rise", controlled=True)


def _law(joint):
    return [key for key in joint.temperature.numbers() if key.startswith("law.")]
