"""Assembly of one sample: Newton's iteration on constraint rows, from a guess, with numpy (in lanes: `stepping.assembly`)."""

import numpy as np

TURN = 0.4  # rad: largest change of an angle in one iteration


def assembled(rows, solve, q, turning, *, iterations=80):
    """Coordinates that satisfy constraint rows; where they cannot be satisfied, the last ones.

    Parameters
    ----------
    rows : callable
        ``rows(q) -> (residual (rows,), jacobian)``
    solve : callable
        ``solve(q, jacobian, side)`` gives one of the x (n,) with ``jacobian x = side``.
    q : ndarray (n,)
        The guess.
    turning : ndarray (n,) of bool
        Coordinates that are directions: their changes are angles in rad.
    iterations : int

    Returns
    -------
    ndarray (n,)
    """
    before = np.inf
    for _ in range(iterations):
        residual, jacobian = rows(q)
        step = solve(q, jacobian, -residual)
        q = q + step * min(1.0, TURN / max(np.abs(step[turning]).max(initial=0.0), 1e-300))
        largest = np.max(np.abs(step) / (1.0 + np.abs(q)), initial=0.0)
        if largest <= 1e-14 or 0.5 * before <= largest < 1e-10:  # nothing but rounding is left
            break
        before = largest
    return q
