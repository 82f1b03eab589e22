"""Momentum and angular momentum about the origin of rigid bodies in space, from their outputs."""

import numpy as np

KEYS = ("x", "y", "z", "vx", "vy", "vz", "omega_1", "omega_2", "omega_3", *(f"d{k}{a}" for k in "123" for a in "xyz"))


def outputs(bodies):
    """Names of the outputs that `momenta` needs; bodies are (name, mass, principal moments of inertia)."""
    return [f"{name}.{key}" for name, *_ in bodies for key in KEYS]


def momenta(found, bodies):
    """Both, (times, 3) each, by outputs by name."""
    momentum, turning = 0.0, 0.0
    for name, mass, inertia in bodies:
        numbers = np.stack([found[f"{name}.{key}"] for key in KEYS], axis=-1)
        place, speed, own, frame = np.split(numbers, (3, 6, 9), axis=-1)
        momentum = momentum + mass * speed
        turning = turning + mass * np.cross(place, speed) + np.einsum("tk,tki->ti", own * inertia, frame.reshape(-1, 3, 3))
    return momentum, turning


def keeps_momenta(found, bodies, near=(1e-9, 1e-8)):
    """Both are constant, to the shares `near` of their largest component."""
    for total, share in zip(momenta(found, bodies), near, strict=True):
        assert np.ptp(total, axis=0).max() < share * np.abs(total).max()
