"""Worn surfaces of a journal bearing: depth over the circumference, and the profile that a joint takes.

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

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbd as fm
    >>> worn = fm.WornProfile(5e-6, cosine=[3e-6], sine=[0.0])
    >>> worn.depth([0.0, np.pi]).round(9).tolist()  # m, at 0 and 180 degrees
    [8e-06, 2e-06]
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
