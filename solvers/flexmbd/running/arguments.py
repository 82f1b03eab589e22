"""What the arguments of a model function become: numbers of bodies and elements whose units are known."""

import numpy as np

from flexmbd.running.batch import describe

LENGTHS = dict.fromkeys("clearance bearing_radius radius radius_a radius_b cylinder_radius length width backlash".split(), "m")
OF_BODIES = {
    "mass": "kg", "inertia": "kg m^2", "length": "m", "line_mass": "kg/m", "EA": "N", "EI": "N m^2", "EI_y": "N m^2", "EI_z": "N m^2",
    "GA": "N", "GA_y": "N", "GA_z": "N", "GJ": "N m^2",
}  # fmt: skip
OF_PARTS = {  # of elements, by part and name
    "law": {"restitution": "1", "tangential_restitution": "1", "friction": "1", "mu": "1"},
    "friction": {"mu": "1", "v0": "m/s", "v1": "m/s"},
    "film": {"viscosity": "Pa s", "length": "m"},
}
OF_CLASSES = {
    "Spring": {"stiffness": "N/m", "damping": "N s/m"},
    "TorsionSpring": {"stiffness": "N m/rad", "damping": "N m s/rad"},
}


def argument_units(build, samples):
    """Where arguments of a model function arrive unchanged as a number whose unit is known.

    Parameters
    ----------
    build : callable
        ``build(**inputs) -> System``.
    samples : mapping name -> ndarray (n,)
        Something the function can be called with.

    Returns
    -------
    dict name -> list of (what, unit)
        As ``{"c": [("pin.clearance", "m")]}``; arguments that are changed on their way, or of unknown unit, are not in it, and nothing is
        known of functions that cannot take arrays. An array that arrives is the very one that was given: what is equal may be another
        quantity, such as the mass of a metre of something with 1 kg/m.
    """
    samples = {name: np.atleast_1d(np.array(x, float)) for name, x in samples.items()}
    system, good, _ = describe(build, samples)
    if not len(good):
        return {}
    numbers = [(path, value, unit_of(path, system)) for path, value in system.parameters()]
    numbers = [(path.removeprefix("@"), value, unit) for path, value, unit in numbers if unit is not None]
    found = {name: [(path, unit) for path, value, unit in numbers if value is x] for name, x in samples.items()}
    return {name: places for name, places in found.items() if places}


def unit_of(path, system):
    """Unit of a number of a system by its path, such as ``@pin.clearance``; None where it is not known."""
    owner, *parts = path.split(".")
    if not owner.startswith("@"):
        return OF_BODIES.get(parts[0])
    if len(parts) == 1:
        kind = next((type(element).__name__ for element in system.elements if element.name == owner[1:]), "")
        return OF_CLASSES.get(kind, {}).get(parts[0], LENGTHS.get(parts[0]))
    return OF_PARTS.get(parts[0], {}).get(parts[1]) if len(parts) == 2 else None
