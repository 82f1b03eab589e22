"""Solve Reynolds' equation with a cavitation model given by name or as an object."""

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.lubrication.reynolds.checks import check_level
from flexmbd.lubrication.reynolds.elrod_adams import ElrodAdams
from flexmbd.lubrication.reynolds.giacopini import Giacopini
from flexmbd.lubrication.reynolds.quasi_static import QUASI_STATIC

CAVITATION = (*QUASI_STATIC, ElrodAdams, Giacopini)


def cavitation_model(given):
    """The model of a name of `CAVITATION` with its own defaults, or `given` itself if it is one."""
    if isinstance(given, CAVITATION):
        return given
    for model in CAVITATION:
        if model.name == given:
            return model()
    names = ", ".join(f"'{model.name}'" for model in CAVITATION)
    raise ModelError(f"film: cavitation is {given!r}", remedy=f"it must be one of {names}")


def solve_film(problem, cavitation, start=None):
    """`Pressure` of a `Problem` (see `reynolds_problem`).

    Parameters
    ----------
    problem : Problem
    cavitation : str or one of `CAVITATION`
    start : (films, n, m) bool, optional
        Full cells to begin with: `full` of a similar solution.

    Raises
    ------
    ModelError : no level of pressure, a history that is missing, films whose ruptured region does not settle or that have no solution.
    """
    check_level(problem)
    model = cavitation_model(cavitation)
    found = model.solve(problem, start)
    if not found.converged.all():
        worst = int((~found.converged).argmax())
        raise ModelError(
            f"film {worst}: the ruptured region did not settle in {int(found.solves[worst])} solves with cavitation '{model.name}'",
            remedy="start from the solution of a similar film, or use a finer grid",
        )
    if not np.isfinite(found.pressure).all():
        worst = int((~np.isfinite(found.pressure)).any(axis=(1, 2)).argmax())
        raise ModelError(f"film {worst}: its equations have no solution", remedy="check its thickness, pressures and time step")
    return found
