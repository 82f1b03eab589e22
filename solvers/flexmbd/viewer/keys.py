"""Which times of a motion are kept: those between which a straight line, or a turn at a constant rate, is not told from the motion."""

from heapq import heapify, heappop, heappush

import numpy as np

AT_ONCE = 400_000  # points and turns that are compared in one go


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
    weights : float or ndarray (points,)
        By what share of a point's error the picture is wrong.
    """

    def __init__(self, time, points, turn=None, reach=0.0, weights=1.0):
        self.time, self.points, self.turn, self.reach = time, points, turn, reach
        self.weights = np.broadcast_to(np.asarray(weights, float), points.shape[1])

    @property
    def channels(self):
        """All its numbers, (times, channels)."""
        flat = self.points.reshape(len(self.time), -1)
        return flat if self.turn is None else np.hstack([flat, self.turn])


def chosen(tracks, tolerance, most=np.inf):
    """Numbers of the times that are kept, rising, the first and the last among them; and how far the motion is then from its keys, m.

    A time is added where the motion is farthest from what is interpolated, until it is nowhere farther than the tolerance (Ramer 1972,
    Douglas and Peucker 1973), or there are so many times; the intervals that are worst come first.

    Parameters
    ----------
    tracks : sequence of Track
        At least one, all of the same times.
    tolerance : float
        m
    most : float
        Times at most, two at least.
    """
    all_ = _Together(tracks)
    kept, open_ = {0, len(all_.time) - 1}, [all_.worst(0, len(all_.time) - 1)]
    heapify(open_)
    while -open_[0][0] > tolerance and len(kept) < most:
        _, middle, first, last = heappop(open_)
        kept.add(middle)
        heappush(open_, all_.worst(first, middle))
        heappush(open_, all_.worst(middle, last))
    return np.array(sorted(kept)), -open_[0][0]


class _Together:
    """All tracks as arrays: points (times, points, 3) and turns (times, bodies, 4)."""

    def __init__(self, tracks):
        self.time = tracks[0].time
        self.points = np.concatenate([track.points for track in tracks], axis=1)
        self.weights = np.concatenate([track.weights for track in tracks])
        turning = [track for track in tracks if track.turn is not None and track.reach > 0.0]
        self.turn = np.stack([track.turn for track in turning], axis=1) if turning else np.zeros((len(self.time), 0, 4))
        self.reach = np.array([track.reach for track in turning])
        starts = np.cumsum([0, *(track.points.shape[1] for track in tracks)])
        self.first = [start for start, track in zip(starts, tracks, strict=False) if track in turning]

    def worst(self, first, last):
        """Minus the largest error between two keys (m), the time that has it, and both keys."""
        step = max(1, AT_ONCE // (len(self.weights) + len(self.reach)))
        parts = [self._off(first, last, k, min(k + step, last)) for k in range(first + 1, last, step)]
        if not parts:
            return 0.0, first, first, last
        off = np.concatenate(parts)
        k = int(np.argmax(off))
        return -float(off[k]), first + 1 + k, first, last

    def _off(self, first, last, begin, end):
        """How far the motion is from what is interpolated between two keys, at the times from `begin` to before `end`, m."""
        share = ((self.time[begin:end] - self.time[first]) / (self.time[last] - self.time[first]))[:, None]
        away = self.points[begin:end] - self.points[first] - share[..., None] * (self.points[last] - self.points[first])
        found = self.weights * np.sqrt(np.einsum("tpi,tpi->tp", away, away))
        if len(self.reach):
            between = slerp(self.turn[first], self.turn[last], share)
            cosine = np.abs(np.einsum("tbi,tbi->tb", between, self.turn[begin:end]))
            found[:, self.first] += self.reach * 2.0 * np.arccos(np.minimum(cosine, 1.0))
        return found.max(axis=1)


def slerp(a, b, share):
    """Quaternions (shares, bodies, 4) at shares (shares, 1) of the shorter way from a to b, at a constant rate (Shoemake 1985)."""
    cosine = np.einsum("bi,bi->b", a, b)
    b, cosine = np.where(cosine[:, None] < 0.0, -b, b), np.minimum(np.abs(cosine), 1.0)
    angle = np.maximum(np.arccos(cosine), 1e-9)
    mixed = np.sin((1.0 - share) * angle)[..., None] * a + np.sin(share * angle)[..., None] * b
    return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)


def quaternions(rotation):
    """Unit quaternions (times, 4), x y z w, of rotation matrices (times, 3, 3), each of the sign that is nearer to the one before."""
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(rotation).as_quat()
    flips = np.cumprod(np.concatenate([[1.0], np.where(np.einsum("ti,ti->t", found[1:], found[:-1]) < 0.0, -1.0, 1.0)]))
    return found * flips[:, None]
