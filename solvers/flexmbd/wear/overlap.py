"""Archard's wear laid out where journal and wall overlap: the journal sinks into the bed that it wears; theory: docs/theory/wear.md."""

import numpy as np

from flexmbd.contact.worn_surface import TURN, WornSurface
from flexmbd.errors import ModelError, check_number, check_range
from flexmbd.wear.archard import check_history, check_surface

SMALLEST = 1e-6  # overlap by the clearance that any contact has at least: an arc of 0.0014 rad half width


def overlap_wear(
    time, force, slip, x, y, penetration, *, clearance, coefficient, hardness, radius, length, angle=None, before=None, bins=180, most=0.5
):
    """Wear of a bearing by ``V = k/H integral F |v| dt``, each volume over the arc on which journal and wall overlap.

    The overlap at angle t on the bearing is ``e.n(t) - clearance - depth(t)`` where it is positive, and the pressure there is taken
    as proportional to it (elastic foundation: Johnson 1985, Contact Mechanics, section 4.3).  The depth grows in steps; after each the
    journal is moved along the normal of its contact until its largest overlap is the run's penetration again.  As long as a step's depth
    stays below the overlap, the places that the journal's centre can reach stay a convex region, so that the worn profile is one that
    ``ClearanceRevolute`` takes.  The volume is that of the trapezoidal rule to round-off.

    Parameters
    ----------
    time : ndarray (points,)
        Increasing, s; so dense that the contact moves by less than its own arc between points.
    force, slip : ndarray (points,) or (n, points)
        Normal force >= 0 (N), sliding speed (m/s; its size counts).
    x, y : like `force`
        Journal's centre from the bearing's in axes fixed to the bearing, m: outputs ``worn_x``, ``worn_y`` of a worn joint, ``ex``, ``ey``
        of one on ground.
    penetration : like `force`
        m; its size where there is no force does not matter.
    clearance : float or ndarray (n,)
        Radial, of the joint before any wear, m.
    coefficient, hardness, radius, length
        See `archard`.
    angle : like `force`, optional
        Of the contact's normal on the bearing, rad (output ``worn_angle``); that of (x, y) if left out.
    before : WornSurface, optional
        Wear so far; the result is what comes on top.
    bins : int
        Of the circumference, unless `before` says it.
    most : float
        Share of the overlap that one step may wear, at most 1.

    Returns
    -------
    WornSurface

    Raises
    ------
    ModelError
        If a number or a history is out of its range, or `before` is of another surface.
    """
    owner = "wear"
    bins = bins if before is None else before.volume.shape[-1]
    check_surface(coefficient, hardness, radius, length, bins)
    check_number(owner, "clearance", clearance, positive=True)
    check_range(owner, "most", most, above=0.0, at_most=1.0)
    time, force, slip, x, y, penetration = check_history(time, force=force, slip=slip, x=x, y=y, penetration=penetration)
    (angle,) = check_history(time, angle=np.arctan2(y, x) if angle is None else angle)[1:]
    numbers = np.broadcast_arrays(*(np.asarray(k, dtype=float) for k in (coefficient, hardness, radius, length, clearance)))
    shape = np.broadcast_shapes(*(k.shape for k in (force, slip, x, y, penetration, angle)), (*numbers[0].shape, len(time)))
    factor, _, radii, lengths, clearances = (np.broadcast_to(k[..., None], (*shape[:-1], 1)).reshape(-1) for k in numbers)
    factor = factor / np.broadcast_to(numbers[1][..., None], (*shape[:-1], 1)).reshape(-1)
    histories = [np.broadcast_to(k, shape).reshape(-1, len(time)) for k in (force, slip, x, y, penetration, angle)]
    depth = np.zeros((len(factor), bins))
    if before is not None:
        if not np.array_equal(before.radius, radius) or not np.array_equal(before.length, length):
            raise ModelError("the wear before is of a surface of another radius or length", element=owner)
        depth = depth + before.depth.reshape(-1, bins)
    weight = np.zeros_like(time)
    weight[:-1] += 0.5 * np.diff(time)
    weight[1:] += 0.5 * np.diff(time)
    volume = np.empty_like(depth)
    for i, (f, v, *place) in enumerate(zip(*histories, strict=True)):
        share = factor[i] * f * np.abs(v) * weight
        area = TURN * radii[i] * lengths[i] / bins
        volume[i] = area * _sunk(share / area, clearances[i] + depth[i], *place, SMALLEST * clearances[i], most)
    return WornSurface(volume.reshape(*shape[:-1], bins), radius, length)


def _sunk(wear, wall, x, y, penetration, angle, smallest, most):
    """Depth added in each bin.

    Parameters
    ----------
    wear : ndarray (points,)
        Volume that each point of time wears, by the area of a bin, m.
    wall : ndarray (bins,)
        Clearance and depth so far, m.
    x, y, penetration, angle : ndarray (points,)
    smallest : float
        Least overlap, m.
    most : float
    """
    bins = len(wall)
    added, left = np.zeros(bins), 1.0
    worn = wear > 0.0
    if not worn.any():
        return added
    wear, x, y, angle = wear[worn], x[worn], y[worn], angle[worn]
    wanted = np.maximum(penetration[worn], smallest)
    centre = (np.arange(bins) + 0.5) * TURN / bins
    reach = x[:, None] * np.cos(centre) + y[:, None] * np.sin(centre)
    sink = np.cos(centre - angle[:, None])  # change of `reach` as the journal moves along its contact's normal
    rows = np.arange(len(wear))
    while left > 0.0:
        over = reach - (wall + added)
        for _ in range(4):  # Newton on the largest overlap, a convex function of the way
            top = np.argmax(over, axis=1)
            way = ((wanted - over[rows, top]) / np.maximum(sink[rows, top], 0.2))[:, None]
            reach, over = reach + way * sink, over + way * sink
        over = np.maximum(over, 0.0)
        rate = wear / over.sum(axis=1)  # of depth by overlap
        share = min(left, most / (rate @ (over > 0.0)).max())
        added += share * (rate @ over)
        left -= share
    return added
