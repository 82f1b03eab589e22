"""Jacobians of functions of many points at once: by complex steps, where a function takes complex numbers, or by central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from uqmbd.errors import StudyError

COMPLEX = "complex step"
CENTRAL = "central differences"
KINDS = (COMPLEX, CENTRAL)
_TINY = 1e-30  # imaginary step: its square is lost beside any number
_SIZE = 8e-4  # of a difference of fourth order, about the fifth root of the smallest number beside one
_AGREE = 1e-4  # of the derivatives' size: a complex step that differs more from a difference went through abs, a comparison or a real part

Function = Callable[[np.ndarray], np.ndarray]  # points (n, m) to values (n, d)


def by_complex_step(function: Function, at: np.ndarray, compare: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, d) and Jacobians (n, d, m) at the points `at` (n, m), exact to rounding (Squire, Trapp, SIAM Rev. 40 (1998) 110).

    One direction is compared with a difference, so that a function that complex numbers go through wrongly is found, unless `compare`
    says not to: of a known function, at many points. A point at which differences of two sizes do not agree says nothing of it.

    Raises
    ------
    StudyError
        The function does not take complex numbers, or drops their imaginary part.
    """
    remedy = f'write it without abs, comparisons and float(), or set derivatives = "{CENTRAL}"'
    try:
        values, jacobian = through(function, at)
    except TypeError as error:
        raise StudyError(f"the map does not take complex numbers ({error}): {remedy}") from None
    if not compare:
        return values, jacobian
    m, values = at.shape[1], np.asarray(function(at))
    step = 1e-6 * (1.0 + np.abs(at)) * np.where(np.arange(m) % 2, -1.0, 1.0)
    expected = _difference(function, at, step)
    along = np.einsum("ndm,nm->nd", jacobian, step)
    size = np.einsum("ndm,nm->nd", np.abs(jacobian), np.abs(step)).max(axis=1, initial=0.0) + np.abs(expected).max(axis=1, initial=0.0)
    wrong = np.isfinite(expected) & (np.abs(along - expected) > _AGREE * size[:, None] + 1e-9 * np.abs(values))
    if wrong.any():  # if not the difference is: at a kink, or where the map ends
        wrong &= np.abs(8.0 * _difference(function, at, step / 8.0) - expected) < 0.1 * np.abs(along - expected)
    if wrong.any():
        raise StudyError(f"complex steps and differences give other derivatives of the map: {remedy}")
    return values, jacobian


def through(function: Function, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, d) and Jacobians (n, d, m) by complex steps alone, which nothing is compared with."""
    n, m = at.shape
    moved = np.repeat(at.astype(complex)[None], m, axis=0)
    moved[np.arange(m), :, np.arange(m)] += 1j * _TINY
    found = np.asarray(function(moved.reshape(m * n, m)), complex).reshape(m, n, -1)
    return np.real(found[0]), np.moveaxis(np.imag(found), 0, 2) / _TINY


def _difference(function: Function, at: np.ndarray, step: np.ndarray) -> np.ndarray:
    return (np.asarray(function(at + step)) - np.asarray(function(at - step))) / 2.0


def by_differences(function: Function, at: np.ndarray, size: float = _SIZE) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, d) and Jacobians (n, d, m) at the points `at` (n, m) by central differences of fourth order.

    The steps are `size` times the larger of one and the point's size: about twelve digits of a smooth function of values near one.
    """
    n, m = at.shape
    step = size * np.maximum(1.0, np.abs(at))
    step = (at + step) - at  # what the computer really adds
    moved = np.repeat(np.broadcast_to(at, (4, *at.shape))[:, None], m, axis=1).copy()
    for k, factor in enumerate((-2.0, -1.0, 1.0, 2.0)):
        moved[k, np.arange(m), :, np.arange(m)] += factor * step.T
    found = np.asarray(function(np.concatenate([moved.reshape(4 * m * n, m), at])))
    values, found = found[4 * m * n :], found[: 4 * m * n].reshape(4, m, n, -1)
    slope = (found[0] - 8.0 * found[1] + 8.0 * found[2] - found[3]) / (12.0 * step.T[:, :, None])
    return values, np.moveaxis(slope, 0, 2)


def jacobian(kind: str, function: Function, at: np.ndarray, compare: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """By the `kind`, one of `KINDS`: values (n, d) and Jacobians (n, d, m)."""
    return by_complex_step(function, at, compare) if kind == COMPLEX else by_differences(function, at)
