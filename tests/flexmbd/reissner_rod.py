"""A geometrically exact rod by integration along it: what beam elements must converge to."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root


def rod(length, frame, curvature, stiffness, *, force=(0.0, 0.0, 0.0), moment=(0.0, 0.0, 0.0), guess=None):
    """End of a rod clamped at the origin under a dead force and moment at its end (Reissner 1973, Simo 1985), by shooting.

    With the directors as rows of R, ``Gamma = R n/(EA, GA, GA) + (1, 0, 0)``, ``K = R m/(GJ, EI, EI) + K0``: ``r' = Gamma R``,
    ``R' = (K R) x R``, ``m' = -r' x n`` with constant n.

    Returns
    -------
    ndarray (15,)
        Place, directors, moment at the end.
    ndarray (3,)
        Moment at the clamp: a guess for a higher load.
    """
    force, stiffness, curvature = (np.asarray(x, float) for x in (force, stiffness, curvature))

    def along(s, y):
        frame, moment = y[3:12].reshape(3, 3), y[12:]
        slope = (frame @ force / stiffness[:3] + [1.0, 0.0, 0.0]) @ frame
        turn = (frame @ moment / stiffness[3:] + curvature) @ frame
        return np.r_[slope, np.cross(turn, frame).ravel(), -np.cross(slope, force)]

    def end(start):
        y = np.r_[np.zeros(3), np.ravel(frame), start]
        return solve_ivp(along, (0.0, length), y, "DOP853", rtol=1e-11, atol=1e-9).y[:, -1]

    found = root(lambda start: end(start)[12:] - moment, np.zeros(3) if guess is None else guess, tol=1e-10)
    assert np.abs(found.fun).max() < 1e-6 * max(1.0, np.abs(found.x).max()), found.message
    return end(found.x), found.x
