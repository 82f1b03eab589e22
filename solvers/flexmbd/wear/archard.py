"""Wear of a journal bearing by Archard, from a run's histories: depth over the circumference; theory: docs/theory/wear.md."""

import numpy as np

from flexmbd.contact.worn_surface import TURN, WornSurface
from flexmbd.errors import ModelError, check_number, check_range


def archard(time, force, slip, angle, *, coefficient, hardness, radius, length, bins=360, half_width=0.0):
    """Wear of one surface: ``V = k/H integral F |v| dt`` (Archard 1953, J. Appl. Phys. 24, 981-988), over its circumference.

    `force` is what solids carry: the normal force of dry contact and the asperities' load. An oil film does not wear. Each
    half of an interval of time has its volume (trapezoidal rule) laid out evenly over the arc that the contact passes in it;
    contact that begins or ends in an interval does not smear over the flight. The volume is kept to round-off. Wear of bearing
    and journal: two calls, each with its coefficient and its angle.

    Parameters
    ----------
    time : ndarray (points,)
        Increasing, s.
    force, slip, angle : ndarray (points,) or (n, points)
        Normal force >= 0 (N), sliding speed (m/s; its size counts), angle on the surface (rad; the shorter way round is taken
        from point to point, so the points must be dense enough for that).
    coefficient : float or ndarray (n,)
        k of Archard's law, >= 0, -.
    hardness : float or ndarray (n,)
        H of the surface, Pa.
    radius, length : float or ndarray (n,)
        Of the surface, m.
    bins : int
    half_width : float
        Half of the angle over which a contact spreads, rad, below pi.

    Returns
    -------
    WornSurface

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.wear.archard import archard
    >>> time = np.linspace(0.0, 1.0, 401)
    >>> load, speed, angle = np.full(401, 100.0), np.full(401, 0.5), 2 * np.pi * time
    >>> worn = archard(time, load, speed, angle, coefficient=1e-4, hardness=2e9, radius=0.01, length=0.02)
    >>> f"{float(worn.volume.sum()):.3e}"  # m³: k F v t / H
    '2.500e-12'
    """
    check_surface(coefficient, hardness, radius, length, bins)
    check_range("wear", "half_width", half_width, at_least=0.0, below=np.pi)
    time, force, slip, angle = check_history(time, force=force, slip=slip, angle=angle)
    numbers = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (coefficient, hardness, radius, length)))
    shape = np.broadcast_shapes(force.shape, slip.shape, angle.shape, (*numbers[0].shape, len(time)))
    scale = np.broadcast_to((numbers[0] / numbers[1])[..., None], shape[:-1] + (1,))
    rate = np.broadcast_to(scale * force * np.abs(slip), shape).reshape(-1, len(time))
    place = np.broadcast_to(angle, shape).reshape(-1, len(time))
    half = 0.5 * np.diff(time) * np.stack([rate[:, :-1], rate[:, 1:]])
    step = np.remainder(np.diff(place) + np.pi, TURN) - np.pi
    step = np.where((rate[:, :-1] > 0) & (rate[:, 1:] > 0), step, 0.0)
    start = np.stack([place[:, :-1], place[:, 1:] - 0.5 * step])  # the first half from the point, the second half to the next
    low, high = np.minimum(start, start + 0.5 * step), np.maximum(start, start + 0.5 * step)
    run = np.broadcast_to(np.arange(len(rate))[:, None], half.shape)
    volume = _lay_out(half.ravel(), low.ravel() - half_width, high.ravel() + half_width, run.ravel(), len(rate), bins)
    return WornSurface(volume.reshape(*shape[:-1], bins), radius, length)


def check_surface(coefficient, hardness, radius, length, bins):
    """Check the numbers of Archard's law and of the surface; errors as of `archard`."""
    check_range("wear", "coefficient", coefficient, at_least=0.0)
    check_range("wear", "bins", bins, at_least=1)
    for key, value in (("hardness", hardness), ("radius", radius), ("length", length)):
        check_number("wear", key, value, positive=True)


def check_history(time, **histories):
    """Time and histories as arrays, checked: finite, the force not negative, the time increasing."""
    for key, value in histories.items():
        check_range("wear", key, value, at_least=0.0 if key == "force" else None)
    time = np.asarray(time, dtype=float)
    if time.ndim != 1 or len(time) < 2 or not np.all(np.diff(time) > 0):
        raise ModelError("time must be an increasing array of at least two points", element="wear")
    return time, *(np.asarray(value, dtype=float) for value in histories.values())


def _lay_out(volume, low, high, run, runs, bins):
    """(runs, bins) sums of `volume`, each spread evenly over its arc [low, high]."""
    worn = volume > 0
    volume, run, low, high = volume[worn], run[worn], low[worn] * bins / TURN, high[worn] * bins / TURN
    first = np.floor(low)
    count = np.floor(high).astype(int) - first.astype(int) + 1
    owner = np.repeat(np.arange(len(volume)), count)
    cell = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    part = np.minimum(high[owner], cell + 1.0) - np.maximum(low[owner], cell)
    width = (high - low)[owner]
    share = np.where(count[owner] == 1, 1.0, np.divide(part, width, out=np.ones_like(part), where=width > 0))
    target = run[owner] * bins + np.remainder(cell, bins).astype(int)
    return np.bincount(target, volume[owner] * share, minlength=runs * bins).reshape(runs, bins)
