"""What the arguments of a model function become: numbers of bodies and elements whose units are known."""

import numpy as np

from flexmbd.running.batch import describe


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

    Examples
    --------
    >>> import flexmbd as fm
    >>> def pendulum(m, length):
    ...     s = fm.System(gravity=(0.0, -9.81))
    ...     bob = s.point_mass("bob", mass=m, position=(length, 0.0))
    ...     string = s.add(fm.Distance("string", s.ground.at(0.0, 0.0), bob.centre))
    ...     return s
    >>> fm.argument_units(pendulum, {"m": [1.0], "length": [0.5]})
    {'m': [('bob.mass', 'kg')]}
    """
    samples = {name: np.atleast_1d(np.array(x, float)) for name, x in samples.items()}
    system, good, _ = describe(build, samples)
    if not len(good):
        return {}
    parameters = system.parameters()
    numbers = [(path.removeprefix("@"), value, unit) for path, value in parameters.items() if (unit := parameters.unit(path))]
    found = {name: [(path, unit) for path, value, unit in numbers if value is x] for name, x in samples.items()}
    return {name: places for name, places in found.items() if places}
