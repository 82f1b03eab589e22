"""Temperature of the oil in a clearance joint: one more state, heated by what film and friction dissipate.

It is any object with `numbers()` and `kernels()` as in ``flexmbd.lubrication.temperature``.  The heat is the energy that is already in the
books as dissipated, so none of it is counted again.
"""

from flexmbd.errors import ModelError


def check_temperature(joint):
    """Check that a clearance joint has the film that its temperature is of."""
    owner = f"clearance joint '{joint.name}'"
    if joint.temperature is None:
        return
    if not {"heat_capacity", "conductance"} <= set(getattr(joint.temperature, "numbers", dict)()):
        raise ModelError(
            f"{owner}: temperature is {joint.temperature!r}; it must be a FilmTemperature(law, start, ambient, heat_capacity, conductance)",
            element=joint.name,
        )
    if joint.film is None:
        raise ModelError(f"{owner}: temperature is for joints with a film", element=joint.name)


def heat_leaves(joint):
    """Numbers of the temperature's balance."""
    return {} if joint.temperature is None else {f"temperature.{k}": x for k, x in joint.temperature.numbers().items()}


def heat_structure(joint):
    """Name of the viscosity's kernel."""
    return () if joint.temperature is None else (joint.temperature.kernels().factor.__name__,)


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


def apply_heat(joint, build, power):
    """Let a power heat the film."""
    if joint.temperature is None:
        return
    ambient, capacity, conductance = (build.number(joint, f"temperature.{k}") for k in ("ambient", "heat_capacity", "conductance"))
    build.state_rate(_rise(joint, build), (power - conductance * (film_temperature(joint, build) - ambient)) / capacity)


def _rise(joint, build):
    """State of the temperature above that of the start."""
    return build.state(joint, "rise", controlled=True)


def _law(joint):
    return [key for key in joint.temperature.numbers() if key.startswith("law.")]
