"""A block that slides over a rough floor to a wall and back: Coulomb friction and restitution, in closed form."""

import numpy as np

GRAVITY = 9.81  # m/s^2
WALL = 0.5  # m from where the block begins


def block(friction, restitution, time, speed=2.5):
    """Throw a block at the wall.

    Parameters
    ----------
    friction, restitution : float
        Coulomb's coefficient between block and floor, above 0; speed after the impact over the speed before it.
    time : ndarray of shape (points,)
        Times of the history, s.
    speed : float
        With which it begins, m/s.

    Returns
    -------
    dict
        ``x``, array of shape (points,): where the block is, m; ``rest``: where it stops, m.
    """
    slowing = friction * GRAVITY
    if speed**2 <= 2 * slowing * WALL:  # it does not reach the wall
        end = speed / slowing
        at = np.minimum(time, end)
        return {"x": (at * (speed - 0.5 * slowing * at), "m"), "rest": (0.5 * speed**2 / slowing, "m")}
    arriving = np.sqrt(speed**2 - 2 * slowing * WALL)
    impact, leaving = (speed - arriving) / slowing, restitution * arriving
    before, after = np.minimum(time, impact), np.clip(time - impact, 0.0, leaving / slowing)
    x = np.where(time < impact, before * (speed - 0.5 * slowing * before), WALL - after * (leaving - 0.5 * slowing * after))
    return {"x": (x, "m"), "rest": (WALL - 0.5 * leaving**2 / slowing, "m")}
