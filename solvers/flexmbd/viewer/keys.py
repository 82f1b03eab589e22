"""Which times of a motion are kept: those between which a straight line, or a turn at a constant rate, is not told from the motion."""

import numpy as np


def chosen(tracks, tolerance):
    """Numbers of the times that are kept, rising, the first and the last among them.

    A time is added where the motion is farthest from what is interpolated, until it is nowhere farther than the tolerance (Ramer 1972,
    Douglas and Peucker 1973).

    Parameters
    ----------
    tracks : sequence of Track
        At least one, all of the same times.
    tolerance : float
        m
    """
    last = tracks[0].times - 1
    kept, open_ = {0, last}, [(0, last)]
    while open_:
        first, end = open_.pop()
        if end - first < 2:
            continue
        off = np.max([track.deviation(first, end) for track in tracks], axis=0)
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            middle = first + 1 + worst
            kept.add(middle)
            open_ += [(first, middle), (middle, end)]
    return np.array(sorted(kept))


def within(tracks, tolerance, most):
    """As `chosen`, by a tolerance that is doubled until there are at most so many numbers; both, times and tolerance."""
    channels = sum(track.channels.shape[1] for track in tracks)
    while True:
        found = chosen(tracks, tolerance)
        if len(found) * channels <= most or len(found) <= 2:
            return found, tolerance
        tolerance *= 2.0


class Track:
    """What moves: points by straight lines between keys, and, in one that turns, a rotation at a constant rate between them.

    Parameters
    ----------
    time : ndarray (times,)
        s
    points : ndarray (times, points, 3)
        m
    turn : ndarray (times, 4), optional
        Unit quaternions (x, y, z, w) of neighbouring signs.
    reach : float
        How far from its first point the rotation moves something, m.
    weights : ndarray (points,), optional
        By what share of a point's error the picture is wrong; 1 if left out.
    """

    def __init__(self, time, points, turn=None, reach=0.0, weights=1.0):
        self.time, self.points, self.turn, self.reach, self.weights = time, points, turn, reach, weights

    @property
    def times(self):
        """Number of times."""
        return len(self.points)

    @property
    def channels(self):
        """All its numbers, (times, channels)."""
        flat = self.points.reshape(self.times, -1)
        return flat if self.turn is None else np.hstack([flat, self.turn])

    def deviation(self, first, end):
        """How far the motion is from what is interpolated between two times, at those between them, m."""
        share = (self.time[first + 1 : end] - self.time[first]) / (self.time[end] - self.time[first])
        a, b = self.points[first], self.points[end]
        off = self.points[first + 1 : end] - a - share[:, None, None] * (b - a)
        found = np.max(self.weights * np.sqrt(np.einsum("tpi,tpi->tp", off, off)), axis=1)
        if self.turn is None or not self.reach:
            return found
        cosine = np.abs(np.einsum("ti,ti->t", slerp(self.turn[first], self.turn[end], share), self.turn[first + 1 : end]))
        return found + self.reach * 2.0 * np.arccos(np.minimum(cosine, 1.0))


def slerp(a, b, share):
    """Quaternions (shares, 4) on the shorter way from a to b at a constant rate (Shoemake 1985)."""
    cosine = float(np.clip(a @ b, -1.0, 1.0))
    if cosine < 0.0:
        b, cosine = -b, -cosine
    angle = np.arccos(cosine)
    if angle < 1e-6:
        mixed = a + share[:, None] * (b - a)
    else:
        mixed = (np.sin((1.0 - share) * angle)[:, None] * a + np.sin(share * angle)[:, None] * b) / np.sin(angle)
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def quaternions(rotation):
    """Unit quaternions (times, 4), x y z w, of rotation matrices (times, 3, 3), each of the sign that is nearer to the one before."""
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(rotation).as_quat()
    flips = np.cumprod(np.concatenate([[1.0], np.where(np.einsum("ti,ti->t", found[1:], found[:-1]) < 0.0, -1.0, 1.0)]))
    return found * flips[:, None]
