"""A driven oscillator that hits a stop: ``x'' + 2 z x' + x = cos(w t)`` for x < d, restitution r at x = d.

Shaw, Holmes, Journal of Sound and Vibration 90 (1983) 129. Time in radians of the free oscillation, w the drive's frequency beside its
own, lengths in static deflections.
"""

import numpy as np

import uqmbd as uq


def impact(phase, v, w, z, r, d):
    """Phase of the drive, less a turn, and velocity behind the next impact, after one with the velocity v < 0 behind it: in closed form."""
    own, square = np.sqrt(1.0 - z**2), (1.0 - w**2) ** 2 + (2.0 * z * w) ** 2
    p, q = (1.0 - w**2) / square, 2.0 * z * w / square  # of the forced motion, p cos + q sin
    a = d - p * np.cos(phase) - q * np.sin(phase)
    b = (v + z * a + w * (p * np.sin(phase) - q * np.cos(phase))) / own

    def motion(t):
        turn, decay, c, s = w * t + phase, np.exp(-z * t), np.cos(own * t), np.sin(own * t)
        place = decay * (a * c + b * s) + p * np.cos(turn) + q * np.sin(turn)
        velocity = decay * ((own * b - z * a) * c - (own * a + z * b) * s) + w * (q * np.cos(turn) - p * np.sin(turn))
        return place, velocity

    t = 2.0 * np.pi / w + 0.0 * phase  # an orbit of one impact a period, or a neighbour: Newton's method from a period on
    for _ in range(12):
        place, velocity = motion(t)
        t = t - (place - d) / velocity
    return phase + w * t - 2.0 * np.pi, -r * motion(t)[1]


def rates(x, v, phase, w, z, r, d):
    """The same motion by its equation: of place, velocity and the phase of the drive."""
    return v, np.cos(phase) - 2.0 * z * v - x, w + 0.0 * x


def oscillator():
    """The map of that, integrated: from behind an impact to behind the next, in place, velocity and phase."""
    return uq.ReturnMap(
        flow=uq.Flow(function=rates, names=("x", "v", "phase")),
        surface=lambda x, v, phase, w, z, r, d: d - x,
        direction=-1,
        reset=lambda x, v, phase, w, z, r, d: (d + 0.0 * x, -r * v, phase),
        turns={"phase": 2.0 * np.pi},
        dt=0.1,
        longest=300,
    )
