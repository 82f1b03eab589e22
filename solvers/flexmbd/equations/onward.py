"""Places and velocities of a motion that goes on with other numbers, where rows no longer close or bodies overlap that cannot."""

from dataclasses import dataclass

import numpy as np

from flexmbd.equations.start import Start


@dataclass(frozen=True)
class Surface:
    """A gap that is closed, as a row: what `Start` asks of polynomials."""

    contact: object

    @property
    def polynomial(self):
        """Of the row."""
        return self

    def value(self, _q):
        """The gap."""
        return self.contact.gap

    def gradient(self, _q):
        """Its derivatives by coordinate."""
        return self.contact.normal


class Onward(Start):
    """Corrections of places and velocities, the smallest by kinetic energy; no coordinate counts more than another.

    Parameters
    ----------
    problem, system, count
        See `Start`.
    time : float
        s
    states : ndarray (states, count)
        Further states, which gaps may depend on.
    """

    def __init__(self, problem, system, count, time, states):
        super().__init__(problem, system, count, time)
        self._states = states

    def _further(self, which):
        return [np.ascontiguousarray(x) for x in self._states[:, which]]

    def moved(self, q, v, which, pressed):
        """Places with rows and gaps closed, and velocities with rows closed.

        Parameters
        ----------
        q, v : ndarray (n, count)
        which : ndarray of int
            Samples that are corrected.
        pressed : ndarray of bool (contacts, count)
            Gaps of contacts without penetration that become zero.

        Returns
        -------
        q, v : ndarray (n, count)
            NaN where there are no such places near.
        """
        q, v, joints, alike = q.copy(), v.copy(), self._rows, np.zeros(self.problem.n, int)
        for pattern in np.unique(pressed[:, which], axis=1).T:
            own = which[np.all(pressed[:, which] == pattern[:, None], axis=0)]
            self._rows = *joints, *(Surface(c) for c, on in zip(self.problem.unilaterals, pattern, strict=True) if on)
            for part in self._together(own):
                q[:, part] = self._placed(alike, q, part)
        self._rows = joints
        for part in self._together(which):
            for _ in range(2):
                v[:, part] += self._corrected(alike, q[:, part], v[:, part], part)
        return q, v
