"""Names and units of the outputs that a system has."""

from flexmbd.formulation import formulation_of, taken


def output_units(system, formulation="natural"):
    """Every output that a system has, by name, with its unit; histories, which `run` also reduces (``name:max``). Nothing is compiled.

    Parameters
    ----------
    system : System
    formulation : str
        Key of `flexmbd.formulation.FORMULATIONS`, or "auto".

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> units = fm.output_units(s)
    >>> units["rod.vx"], units["pin.force"], units["energy.total"]
    ('m/s', 'N', 'J')
    """
    return {name: unit for name, (_, unit) in formulation_of(taken(formulation, system)[0])(system).outputs.items()}


__all__ = ["output_units"]
