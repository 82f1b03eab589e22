"""A ball that falls and bounces on the floor: the oldest example of a motion with infinitely many impacts in a finite time.

Flight by flight, in closed form. No time is stepped, and no formula for the n-th impact is used.
"""

import numpy as np

GRAVITY = 9.81  # m/s^2
LISTED = 10  # impacts whose times are outputs
WINDOW = 3.0  # time in which impacts are counted, s


def ball(height, restitution, time):
    """Drop a ball from rest.

    Parameters
    ----------
    height : float
        From which it falls, m.
    restitution : float
        Speed after an impact over the speed before it, below 1.
    time : ndarray of shape (points,)
        Times of the history, s.

    Returns
    -------
    dict
        Numbers: ``impact_1`` to ``impact_10`` (times, s), ``impacts`` in the first 3 s, ``rest`` (time at which the impacts accumulate and
        the ball stays on the floor, s). Array of shape (points,): ``y``, height of the ball (m).
    """
    if not (height > 0 and 0 <= restitution < 1):
        raise ValueError(f"the ball needs a height above 0 and a restitution below 1, not {height:g} m and {restitution:g}")
    starts = [(0.0, height, 0.0)]  # of the flights: time, height, speed upwards
    now = np.sqrt(2 * height / GRAVITY)
    speed = restitution * GRAVITY * now
    while now + 2 * speed / GRAVITY > now or len(starts) <= LISTED:  # until a flight is too short to change the time
        starts.append((now, 0.0, speed))
        now += 2 * speed / GRAVITY
        speed *= restitution
    starts.append((now, 0.0, 0.0))  # at rest
    begin, y, up = np.array(starts).T
    flight = np.maximum(np.searchsorted(begin, time, side="right") - 1, 0)
    since = np.where(flight < len(starts) - 1, time - begin[flight], 0.0)
    return {
        **{f"impact_{n}": (begin[n], "s") for n in range(1, LISTED + 1)},
        "impacts": int(np.count_nonzero(begin[1:-1] <= WINDOW)),
        "rest": (now, "s"),
        "y": (np.maximum(y[flight] + since * (up[flight] - 0.5 * GRAVITY * since), 0.0), "m"),
    }
