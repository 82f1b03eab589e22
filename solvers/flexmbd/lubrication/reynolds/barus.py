"""Viscosity that grows with the pressure, mu exp(a p) (Barus 1893). For bearings that stand alone: films of models do not use it.

The reduced pressure q = (1 - exp(-a p))/a has grad q = exp(-a p) grad p, so it satisfies Reynolds' equation with the viscosity at
p = 0, and q >= 0 where p >= 0: full and ruptured places are the same. It cannot reach 1/a, where p has no bound.
"""

import numpy as np

from flexmbd.errors import ModelError


def reduced_pressure(pressure, a):
    """q in Pa of p in Pa, `a` in 1/Pa."""
    return -np.expm1(-a * np.asarray(pressure, float)) / a if a > 0.0 else pressure


def true_pressure(reduced, a):
    """p in Pa of q in Pa, and the factor exp(a p) of the viscosity.

    Raises
    ------
    ModelError : q of 1/a or above, which no pressure has.
    """
    if a == 0.0:
        return reduced, 1.0
    highest = float(np.max(reduced)) * a
    if highest >= 1.0:
        raise ModelError(
            f"film: with viscosity growing as exp({a:g}/Pa p) the pressure has no bound (reduced pressure {highest:.3g} times its limit)",
            remedy="the load is too high for Barus' law in a rigid bearing: lower pressure_viscosity, viscosity or eccentricity",
        )
    return -np.log1p(-a * reduced) / a, 1.0 / (1.0 - a * reduced)
