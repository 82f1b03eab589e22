"""Force elements that are not contacts."""

from flexmbd.forces.loads import Force, PointForce, Torque
from flexmbd.forces.springs import Spring, TorsionSpring

FORCES = (PointForce, Torque, Spring, TorsionSpring)

__all__ = [*(c.__name__ for c in FORCES), "FORCES", "Force"]
