"""One call for all solvers of contact problems."""

import numpy as np

from flexmbd.errors import ModelError, check_range
from flexmbd.nonsmooth.admm import admm
from flexmbd.nonsmooth.apgd import apgd
from flexmbd.nonsmooth.ipm import ipm
from flexmbd.nonsmooth.lemke import lemke
from flexmbd.nonsmooth.newton import newton
from flexmbd.nonsmooth.nsgs import nsgs
from flexmbd.nonsmooth.problem import Solution

# name -> function (problem, tolerance, iterations or None, start (m, 3)) -> percussions (m, 3), iterations, message
SOLVERS = {function.__name__: function for function in (nsgs, apgd, newton, admm, ipm, lemke)}


def solve(problem, solver="nsgs", *, tolerance=1e-8, iterations=None, start=None):
    """Percussions of all contacts.

    Parameters
    ----------
    problem : ContactProblem
    solver : str
        ``"nsgs"``, ``"apgd"``, ``"newton"``, ``"admm"``, ``"ipm"`` or ``"lemke"``; docs/theory/contact_solvers.md says which when.
    tolerance : float
        What the residual, `ContactProblem.residual`, is to be at most.
    iterations : int, optional
        How many at most; left out, each solver's own number.
    start : array_like (m, d), optional
        Percussions to begin with, such as those of the step before; else zero.

    Returns
    -------
    Solution

    Raises
    ------
    ModelError
        If there is no such solver, or it does not treat such problems.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.nonsmooth import ContactProblem, solve
    >>> W = np.diag([1.0, 3.0, 1.0, 3.0])  # 1/kg: two contacts in the plane, normal and tangent of each
    >>> problem = ContactProblem(W, free=[[-1.0, 0.2], [0.5, 0.0]], friction=0.3)
    >>> solve(problem).percussions.round(6).tolist()  # N s: the first one is struck and sticks, the other opens
    [[1.0, -0.066667], [0.0, 0.0]]
    """
    if solver not in SOLVERS:
        raise ModelError(f"there is no contact solver '{solver}'", remedy=f"known are {', '.join(SOLVERS)}")
    check_range("contact problem", "tolerance", tolerance, above=0.0)
    wide = np.zeros((problem.count, 3))
    if start is not None:
        if np.shape(start) != problem.free.shape:
            raise ModelError(f"contact problem: start has the shape {np.shape(start)}; it must be {problem.free.shape}, as free has it")
        check_range("contact problem", "start", start)
        wide[:, : problem.dimension] = start
    wide, done, message = SOLVERS[solver](problem, tolerance, iterations, wide)
    found = wide[:, : problem.dimension]
    velocities, residual = problem.velocities(found), problem.residual(found)
    converged = bool(residual <= tolerance)
    if not converged and not message:
        message = f"{solver} came to a residual of {residual:.2g} in {done} iterations, and {tolerance:.2g} was asked for"
    return Solution(found, velocities, residual, done, converged, "" if converged else message)


__all__ = ["SOLVERS", "solve"]
