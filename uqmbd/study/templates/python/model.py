"""A damped pendulum released at 0.1 rad. Replace it by a model of your own.

A model is a function of the study's inputs. It returns a `flexmbd.System`, or, as here, a dict of numbers and arrays over time.
"""

import numpy as np

G = 9.81  # m/s2


def pendulum(length, damping, time):
    """Small oscillation, closed form: the angle [rad] over time, and the energy per mass left at the end [J/kg]."""
    frequency = np.sqrt(G / length - damping**2 / 4)
    angle = 0.1 * np.exp(-damping * time / 2) * np.cos(frequency * time)
    return {"angle": angle, "energy": 0.5 * G * length * 0.1**2 * np.exp(-damping * time[-1])}
