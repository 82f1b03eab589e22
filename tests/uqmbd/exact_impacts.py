"""The impact oscillator ``x'' + 2 z x' + x = cos wt`` below a stop at d, from impact to impact in closed form."""

import numpy as np


def impact(phase, v, w, z, r, d=0.0):
    """Phase of the drive, less a turn, and velocity after the next impact, after one with the velocity v < 0 behind it."""
    own, denominator = np.sqrt(1.0 - z**2), (1.0 - w**2) ** 2 + (2.0 * z * w) ** 2
    p, q = (1.0 - w**2) / denominator, 2.0 * z * w / denominator

    def motion(t):
        turn, decay = w * t + phase, np.exp(-z * t)
        a = d - p * np.cos(phase) - q * np.sin(phase)
        b = (v + z * a + w * (p * np.sin(phase) - q * np.cos(phase))) / own
        c, s = np.cos(own * t), np.sin(own * t)
        x = decay * (a * c + b * s) + p * np.cos(turn) + q * np.sin(turn)
        speed = decay * ((own * b - z * a) * c - (own * a + z * b) * s) + w * (q * np.cos(turn) - p * np.sin(turn))
        return x, speed

    t = 2.0 * np.pi / w + 0.0 * phase  # orbits of one impact a period, and their neighbours
    for _ in range(30):
        x, speed = motion(t)
        t = t - (x - d) / speed
    return phase + w * t - 2.0 * np.pi, -r * motion(t)[1]
