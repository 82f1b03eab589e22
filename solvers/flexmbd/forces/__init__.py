"""Force elements that are not contacts."""

from flexmbd.forces.gears import GearMesh, Rack
from flexmbd.forces.loads import Force, PointForce, SectionTorque, Torque
from flexmbd.forces.springs import Spring, TorsionSpring

FORCES = (PointForce, SectionTorque, Torque, Spring, TorsionSpring, GearMesh, Rack)

__all__ = [*(c.__name__ for c in FORCES), "FORCES", "Force"]
