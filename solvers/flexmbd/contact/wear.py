"""Wear of a journal bearing by Archard, from a run's histories: depth over the circumference, and the worn profile.

Theory: docs/theory/wear.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbd.errors import ModelError, check_number, check_range

TURN = 2.0 * np.pi


@dataclass(frozen=True)
class WornSurface:
    """Material lost over the circumference of one surface (bearing or journal), in equal bins from angle 0.

    Attributes
    ----------
    volume : ndarray (bins,) or (n, bins)
        Lost in each bin, m^3.
    radius, length : float or ndarray (n,)
        Of the surface, m.
    """

    volume: Any
    radius: Any
    length: Any

    @property
    def edges(self):
        """(bins + 1,) angles, rad."""
        return np.linspace(0.0, TURN, self.volume.shape[-1] + 1)

    @property
    def total(self):
        """Volume lost, m^3; float or (n,)."""
        return self.volume.sum(-1)

    @property
    def depth(self):
        """Mean depth in each bin, m; like `volume`."""
        area = np.asarray(self.radius * self.length) * TURN / self.volume.shape[-1]
        return self.volume / area[..., None]

    def __add__(self, other):
        """Wear of two histories, in bins of one number."""
        same = np.array_equal(self.radius, other.radius) and np.array_equal(self.length, other.length)
        if not same or self.volume.shape[-1] != other.volume.shape[-1]:
            raise ModelError("two worn surfaces of different size or bins cannot be added", element="wear", remedy="use `rebinned` first")
        return WornSurface(self.volume + other.volume, self.radius, self.length)

    def repeated(self, cycles):
        """The wear of that many equal cycles (the change of the clearance within them is not felt)."""
        return WornSurface(
            self.volume * np.asarray(check_number("wear", "cycles", cycles, positive=True))[..., None], self.radius, self.length
        )

    def rebinned(self, bins):
        """The same in another number of bins, each bin's volume spread evenly over it; the total stays."""
        check_range("wear", "bins", bins, at_least=1)
        sums = np.concatenate([np.zeros((*self.volume.shape[:-1], 1)), np.cumsum(self.volume, axis=-1)], axis=-1)
        place = np.linspace(0.0, self.volume.shape[-1], bins + 1)
        cell = np.minimum(place.astype(int), self.volume.shape[-1] - 1)
        at = sums[..., cell] + (place - cell) * self.volume[..., cell]
        return WornSurface(np.diff(at, axis=-1), self.radius, self.length)

    def profile(self, order, *, smooth=True):
        """The depth as a Fourier series to `order`, at most half the bins; its mean is the mean depth.

        `smooth` takes Jackson's means (Weisse et al. 2006, Rev. Mod. Phys. 78, 275-306, eq. 71), an average over about pi/order with a
        kernel that is never negative: so the depth is not either, and a play region stays convex. Without it the series is the closest
        in the mean square, and rings at edges.
        """
        bins = self.volume.shape[-1]
        check_range("wear", "order", order, at_least=0, at_most=bins / 2)
        k = np.arange(1, order + 1)
        ends = np.exp(-1j * np.outer(k, self.edges))
        modes = 1j / (k[:, None] * np.pi) * np.diff(ends, axis=-1)  # 1/pi times the integral of exp(-i k t) over each bin
        series = self.depth @ modes.T * (_jackson(k, order + 2.0) if smooth else 1.0)
        return WornProfile(self.depth.mean(-1), series.real, -series.imag)


def _jackson(k, n):
    """Factors of Jackson's kernel with n - 1 harmonics."""
    turn = np.pi / n
    return ((n - k) * np.cos(turn * k) + np.sin(turn * k) / np.tan(turn)) / n


@dataclass(frozen=True)
class WornProfile:
    """``d(t) = mean + sum_k cosine_k cos(k t) + sine_k sin(k t)``, m: how much the clearance has grown at angle t.

    Attributes
    ----------
    mean : float or ndarray (n,)
    cosine, sine : ndarray (order,) or (n, order)
    """

    mean: Any
    cosine: Any
    sine: Any

    def __post_init__(self):
        for key in ("cosine", "sine"):
            object.__setattr__(self, key, np.asarray(getattr(self, key), dtype=float))
        if not self.cosine.ndim or self.cosine.shape != self.sine.shape:
            shapes = f"cosine has shape {self.cosine.shape} and sine {self.sine.shape}"
            raise ModelError(f"{shapes}; both must be (order,) or (n, order)", element="worn profile")

    @property
    def order(self):
        """Number of harmonics."""
        return self.cosine.shape[-1]

    def depth(self, angle, derivative=0):
        """Depth (m), or its derivative by the angle (m/rad), at `angle` (rad): (points,) or (n, points)."""
        k = np.arange(1, self.order + 1)
        phase = k * np.asarray(angle, dtype=float)[..., None] + 0.5 * np.pi * derivative
        factor = k.astype(float) ** derivative
        waves = (self.cosine * factor)[..., None, :] * np.cos(phase) + (self.sine * factor)[..., None, :] * np.sin(phase)
        return waves.sum(-1) + (np.asarray(self.mean)[..., None] if derivative == 0 else 0.0)

    def tightest(self, clearance):
        """Least of ``clearance + depth + depth''`` (m) on the circumference, and its angle (rad): floats, or (n,).

        It is the radius of curvature of the region in which the journal's centre can be; where it is negative the wall is hollower than
        the journal, which cannot touch it there.
        """
        points = 64 * max(1, self.order)
        angle = np.arange(points) * TURN / points
        radius = np.asarray(clearance)[..., None] + self.depth(angle) + self.depth(angle, derivative=2)
        place = np.argmin(radius, axis=-1)
        return np.take_along_axis(radius, place[..., None], -1)[..., 0], angle[place]

    def rounded(self, clearance, least=0.02):
        """The profile with harmonics above the first shrunk as far as is needed for `tightest` to be `least` of clearance and mean depth.

        The volume stays, and so does a shift of the whole bore (the first harmonic).
        """
        check_range("wear", "least", least, at_least=0.0, below=1.0)
        whole = np.asarray(clearance + self.mean)
        radius = self.tightest(clearance)[0]
        low = radius < least * whole
        factor = np.where(low, (1.0 - least) * whole / np.where(low, whole - radius, 1.0), 1.0)[..., None]
        factor = np.where(np.arange(1, self.order + 1) > 1, factor, 1.0)
        return WornProfile(self.mean, self.cosine * factor, self.sine * factor)


def contact_angle(ex, ey, body_angle=0.0):
    """Angle at which a journal at (ex, ey) (m, from the bearing's centre) touches, on a body turned by `body_angle` (rad).

    Histories of any shape, all in the inertial frame: with the bearing's angle the place on the bearing, with the
    journal's that on the journal.
    """
    return np.arctan2(ey, ex) - body_angle


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
