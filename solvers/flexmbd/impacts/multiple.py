"""Several impacts at once, by a stated rule, one after the other or as one problem (Brogliato 2016, ch. 6). Stands alone: no model."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_range
from flexmbd.impacts.planar import planar_impact
from flexmbd.impacts.result import check_delassus, energy_change
from flexmbd.impacts.spatial import spatial_impact
from flexmbd.nonsmooth import ContactProblem, solve

ORDERS = ("sequential", "simultaneous")
SINGLE = {2: planar_impact, 3: spatial_impact}  # by the velocities of a contact
REST = 1e-9  # of the fastest approach at the start: what is left of it ends without restitution
EXACT = 1e-12


@dataclass(frozen=True)
class Impacts:
    """Outcome of the impacts of m contacts; normal first in every row.

    velocities : (m, d) m/s after them.
    percussions : (m, d) N s, sums.
    sequence : contacts in the order in which they struck; empty of the simultaneous rule.
    gains : J, change of the kinetic energy in each impact.
    """

    velocities: np.ndarray
    percussions: np.ndarray
    sequence: tuple
    gains: tuple

    @property
    def energy_change(self):
        """J, of the kinetic energy in all of them."""
        return float(sum(self.gains))

    @property
    def creates_energy(self):
        """Whether one of them gained kinetic energy by more than rounding: Newton's restitution with friction may."""
        return max(self.gains, default=0.0) > 1e-9 * max(map(abs, self.gains), default=0.0) + 1e-300


def multiple_impacts(delassus, velocities, restitution, friction=0.0, *, order="sequential", rule="energetic", most=10_000):
    """Impacts of m contacts at the same time.

    "sequential": the contact that approaches fastest strikes alone, by `planar_impact` or `spatial_impact`, which changes the velocities of
    all others; then again, until none approaches.  What is left of the approach when it is below 1e-9 of that at the start (three balls
    with little restitution never come to an end) is taken in one impact of all without restitution.

    Of equal approaches the first in the list strikes first.

    "simultaneous": Newton's restitution of all contacts as one complementarity problem, with Coulomb's friction on the velocities after.
    With friction it may gain energy (`Impacts.creates_energy`).

    Parameters
    ----------
    delassus : (m d, m d) 1/kg, of each contact the normal, then its d - 1 tangents; d is 1, 2 or 3.
    velocities : (m, d) m/s before, normals positive when separating.
    restitution, friction : float or (m,)
    order : "sequential" or "simultaneous"
    rule : of single impacts, for "sequential": "newton", "poisson" or "energetic".
    most : impacts of a sequence at most.

    Returns
    -------
    Impacts

    Raises
    ------
    ModelError : bad arguments; a sequence of more than `most` impacts; a simultaneous problem without a solution.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.impacts import multiple_impacts
    >>> chain = np.array([[2.0, -1.0], [-1.0, 2.0]])  # 1/kg: three balls of 1 kg in a row
    >>> found = multiple_impacts(chain, [[-1.0], [0.0]], 1.0)
    >>> found.velocities.round(6).tolist()  # m/s: the last one leaves
    [[0.0], [1.0]]
    """
    u = np.array(velocities, dtype=float)
    if u.ndim != 2 or u.shape[1] not in (1, 2, 3) or not np.all(np.isfinite(u)):
        told = f"impacts: velocities has the shape {u.shape}; it must be (contacts, 1), (contacts, 2) or (contacts, 3)"
        raise ModelError(told, remedy="give finite numbers")
    w = check_delassus(delassus, u.size)
    for key, value in (("restitution", restitution), ("friction", friction)):
        check_range("impacts", key, value, at_least=0.0, at_most=1.0 if key == "restitution" else None)
    e, mu = (np.broadcast_to(np.asarray(x, dtype=float), u.shape[:1]) for x in (restitution, friction))
    if order not in ORDERS:
        raise ModelError(f"impacts: order is {order!r}", remedy=f"use one of {', '.join(ORDERS)}")
    if order == "simultaneous":
        return _together(w, u, e, mu)
    return _in_turn(w, u, e, mu, rule, most)


def _together(w, u, e, mu):
    """All contacts as one problem."""
    free = u.copy()
    free[:, 0] += e * np.minimum(u[:, 0], 0.0)
    found = solve(ContactProblem(w, free, mu if u.shape[1] > 1 else 0.0), "newton" if u.shape[1] == 3 else "lemke", tolerance=1e-9)
    if not found.converged:
        raise ModelError(f"impacts: {found.message}", remedy="take order='sequential'")
    after = u + (w @ found.percussions.ravel()).reshape(u.shape)
    return Impacts(after, found.percussions, (), (energy_change(u.ravel(), after.ravel(), found.percussions.ravel()),))


def _in_turn(w, u, e, mu, rule, most):
    """The fastest approach first, one at a time."""
    d, total, sequence, gains = u.shape[1], np.zeros_like(u), [], []
    first = max(-u[:, 0].min(), 0.0)
    while (fastest := -u[:, 0].min()) > EXACT * first and first > 0.0:
        if fastest <= REST * first:
            last = _together(w, u, 0.0 * e, mu)
            return Impacts(last.velocities, total + last.percussions, tuple(sequence), (*gains, *last.gains))
        if len(sequence) == most:
            told = f"impacts: a sequence of {most} impacts does not end; approach is still {fastest:.3g} m/s"
            raise ModelError(told, remedy="give more with most=..., or take order='simultaneous'")
        k = int(np.argmin(u[:, 0]))
        own = slice(k * d, k * d + d)
        if d == 1:
            p = np.array([-(1.0 + e[k]) * u[k, 0] / w[own, own][0, 0]])
        else:
            p = SINGLE[d](w[own, own], u[k], mu[k], e[k], rule).percussion
        after = u + (w[:, own] @ p).reshape(u.shape)
        gains.append(energy_change(u[k], after[k], p))
        u, total[k] = after, total[k] + p
        sequence.append(k)
    return Impacts(u, total, tuple(sequence), tuple(gains))


__all__ = ["Impacts", "multiple_impacts"]
