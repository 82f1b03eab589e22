"""Sensitivities from single steps, for many columns at once: Morris' elementary effects and mean squared derivatives (DGSM).

Morris, Technometrics 33 (1991) 161; Campolongo, Cariboni, Saltelli, Environ. Model. Softw. 22 (2007) 1509 (mu_star); Sobol', Kucherenko,
Math. Comput. Simul. 79 (2009) 3009 (DGSM).
"""

from __future__ import annotations

import numpy as np


def slopes(points: np.ndarray, values: np.ndarray, members: np.ndarray | None = None) -> np.ndarray:
    """Change of the output over that of the input along each ray: (stars, groups, columns), unit of the output over an input's range.

    Of `points` (stars, groups + 1, d) in the unit cube, those after the first differ from it in the inputs of one group each; `members`
    (groups, d) says which, each input alone unless given; `values` are (stars, groups + 1, columns). Inputs of a group go by steps of one
    size, up and down, so of their change only the size is taken.
    """
    members = np.eye(points.shape[2], dtype=bool) if members is None else members
    first = members.argmax(axis=1)
    step = points[:, np.arange(1, len(members) + 1), first] - points[:, :1, first][:, 0]
    slope = (values[:, 1:] - values[:, :1]) / step[..., None]
    return np.where(members.sum(axis=1)[:, None] > 1, np.abs(slope), slope)


def morris(effects: np.ndarray) -> dict[str, np.ndarray]:
    """Mean, mean size and standard deviation of the effects (stars, d, columns): ``mu mu_star sigma``, each (d, columns)."""
    return {"mu": effects.mean(axis=0), "mu_star": np.abs(effects).mean(axis=0), "sigma": effects.std(axis=0, ddof=1)}


def dgsm(squares: np.ndarray, base: np.ndarray) -> np.ndarray:
    """Upper bound of the total index of each input, (d, columns): ``E[(∂y/∂u)²] / (π² V)``; 0 where nothing varies.

    Of `squares` (stars, d, columns), ``(∂y/∂u_i)²`` by differences, and `base` (stars, columns), values at the centres of the stars.
    """
    return shares(squares.mean(axis=0) / np.pi**2, variance(base))


def variance(values: np.ndarray) -> np.ndarray:
    """Variance of each column of (runs, columns); exactly 0 where what there is can be rounding."""
    variances = values.var(axis=0)
    return np.where(variances > (16 * np.finfo(float).eps * np.abs(values).max(axis=0)) ** 2, variances, 0.0)


def shares(parts: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``parts / whole``, 0 where the whole is 0."""
    whole = np.broadcast_to(whole, parts.shape)
    return np.divide(parts, whole, out=np.zeros_like(parts), where=whole > 0)
