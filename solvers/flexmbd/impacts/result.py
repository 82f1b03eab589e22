"""What an impact at one contact gives, and the checks of what it is given. For impacts that stand alone, outside of any model."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_range

RULES = ("newton", "poisson", "energetic")


@dataclass(frozen=True)
class Phase:
    """Part of an impact in which friction acts in one way.

    kind : "slip" or "stick".
    percussion : (d,) N s, in this phase.
    velocity : (d,) m/s at its end.
    """

    kind: str
    percussion: np.ndarray
    velocity: np.ndarray


@dataclass(frozen=True)
class Impact:
    """Outcome of an impact at one contact; normal first in every array.

    velocity : (d,) m/s relative velocity after it.
    percussion : (d,) N s.
    compression : N s, normal percussion up to the greatest compression.
    phases : slip and stick, in order.
    work_compression, work_restitution : J, of the normal percussion (the first is not positive).
    work_tangential : J, of friction.
    energy_change : J, of the kinetic energy.
    """

    velocity: np.ndarray
    percussion: np.ndarray
    compression: float
    phases: tuple
    work_compression: float
    work_restitution: float
    work_tangential: float
    energy_change: float

    @property
    def creates_energy(self):
        """Whether the kinetic energy grew by more than rounding (Newton's rule with friction: Kane & Levinson 1985)."""
        return self.energy_change > 1e-12 * max(abs(self.work_compression), abs(self.work_tangential))


def energy_change(velocity, after, percussion):
    """Change of the kinetic energy, J: p.(u + u+)/2, for any number of contacts; the mass matrix is not needed."""
    return 0.5 * float(np.dot(percussion, np.asarray(velocity) + np.asarray(after)))


def check_delassus(delassus, size):
    """(size, size) array, symmetric and positive semi-definite; raises `ModelError`."""
    try:
        w = np.asarray(delassus, float)
    except (TypeError, ValueError):
        w = np.empty(0)
    if w.shape != (size, size) or not np.all(np.isfinite(w)):
        raise ModelError(f"the Delassus matrix is {delassus!r}", remedy=f"give {size} x {size} finite numbers, as the velocity has {size}")
    big = np.abs(w).max(initial=0.0)
    if np.abs(w - w.T).max(initial=0.0) > 1e-10 * big:
        raise ModelError("the Delassus matrix is not symmetric", remedy="give G M^-1 G^T with the symmetric mass matrix M")
    low = float(np.linalg.eigvalsh(w)[0])
    if low < -1e-10 * big:
        raise ModelError(f"the Delassus matrix has the negative eigenvalue {low:g}", remedy="it must be positive semi-definite")
    return 0.5 * (w + w.T)


def check_contact(friction, static_friction, restitution, rule):
    """Kinetic and static coefficient as floats; raises `ModelError` on bad coefficients or an unknown rule."""
    static_friction = friction if static_friction is None else static_friction
    check_range("impact", "friction", friction, at_least=0.0)
    check_range("impact", "static_friction", static_friction, at_least=friction)
    check_range("impact", "restitution", restitution, at_least=0.0, at_most=1.0)
    if rule not in RULES:
        raise ModelError(f"rule is {rule!r}", element="impact", remedy=f"use one of {', '.join(RULES)}")
    return float(friction), float(static_friction)
