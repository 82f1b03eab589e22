"""Film, cavitation, liner and journal solved together by Newton's method for piecewise smooth equations (semismooth Newton).

Near the solution the step is exact and convergence quadratic (Qi and Sun, *Math. Programming* 58, 1993). From afar a step is cut so
that no film becomes thinner than `KEEP` of what it was; if full steps do not come to an end, the sum of squares must fall; if that
does not either, load or place grow from zero.
"""

import numpy as np

from flexmbd.errors import ModelError

KEEP = 0.2  # smallest ratio of a cell's thickness after a step to that before
MEMORY = 3  # residuals that a monotone search looks back upon
SHORTEST = 0.01  # of Newton's step


class Unsolved(ModelError):
    """Newton's method has found no solution.

    Parameters
    ----------
    reason : str
    steps : int
        Taken.
    """

    def __init__(self, reason, steps):
        super().__init__(f"elastic bearing: {reason} after {steps} steps")
        self.steps = steps


def newton(equations, w, y, *, tolerance, most, monotone):
    """(`FilmState`, residual sizes before each step and at the end) from unknowns w (n, m), y (k,).

    Raises
    ------
    Unsolved : no convergence in `most` steps, or none that keeps the film open.
    """
    state = equations.state(w, y)
    sizes = [state.size]
    while not state.size <= tolerance:
        if len(sizes) > most or not np.isfinite(state.size):
            raise Unsolved(f"Newton's method has a residual of {state.size:.1e}", len(sizes) - 1)
        try:
            dw, dy = equations.step(state)
        except (RuntimeError, np.linalg.LinAlgError):
            raise Unsolved("Newton's matrix is singular", len(sizes) - 1) from None
        share, best, limit = 1.0, None, max(sizes[-MEMORY:])
        while share >= SHORTEST:
            tried = equations.state(state.w + share * dw, state.y + share * dy)
            if np.isfinite(tried.size) and np.min(tried.thickness / state.thickness) > KEEP:
                if not monotone or tried.size < (1.0 - 1e-4 * share) * limit:
                    best = tried
                    break
                best = tried if best is None or tried.size < best.size else best
            share *= 0.5
        if best is None:
            raise Unsolved("no step of Newton's method keeps the film open", len(sizes) - 1)
        state = best
        sizes.append(state.size)
    return state, sizes


def solve_strong(path, w, y, *, grows=True, tolerance=1e-11):
    """(`FilmState`, residual sizes of the last run, Newton steps of all) of the equations ``path(1)``.

    Parameters
    ----------
    path : callable
        Fraction of load or place, above 0 to 1, -> `FilmEquations`.
    w, y : ndarray
        Where to begin: (n, m) Pa and (k,) m.
    grows : bool
        False: the path is the same for all fractions.

    Raises
    ------
    ModelError : no solution found.
    """
    taken = 0
    patience = 20 + w.shape[0] // 2  # where the film forms again after the first step, it gains a cell a step
    for monotone, most in ((False, patience), (True, 30)):
        try:
            state, sizes = newton(path(1.0), w, y, tolerance=tolerance, most=most, monotone=monotone)
            return state, sizes, taken + len(sizes) - 1
        except Unsolved as failed:
            reason, taken = failed, taken + failed.steps
    if not grows:
        raise ModelError(reason.message, remedy="take a smaller time step or a finer grid")
    done, stride = 0.0, 0.1
    w, y = path(1.0).quiet(), np.zeros_like(y)
    while done < 1.0:
        reach = min(1.0, done + stride)
        for monotone, most in ((False, 12), (True, 25)):
            try:
                state, sizes = newton(path(reach), w, y, tolerance=tolerance, most=most, monotone=monotone)
            except Unsolved as failed:
                reason, taken = failed, taken + failed.steps
                continue
            taken += len(sizes) - 1
            w, y, done = state.w, state.y, reach
            stride *= 2.0 if len(sizes) < 10 else 1.0
            break
        else:
            stride /= 4.0
            if stride < 1e-3:
                raise ModelError(
                    f"{reason.message} at {reach:.3g} of the load or place",
                    remedy="start from a similar film, take a finer grid or a stiffer liner",
                )
    return state, sizes, taken
