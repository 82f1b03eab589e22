"""Force elements that are not contacts."""

from flexmbd.forces.actuators import Actuator
from flexmbd.forces.bushing import Bushing
from flexmbd.forces.conditions import Latch, StopWhen, Switched
from flexmbd.forces.control import PID
from flexmbd.forces.coordinates import AngleOf, Coordinate, PlaceOf
from flexmbd.forces.gears import GearMesh, Rack
from flexmbd.forces.loads import Force, PointForce, SectionTorque, Torque
from flexmbd.forces.lock import Lock
from flexmbd.forces.nonlinear import NonlinearSpring, NonlinearTorsionSpring
from flexmbd.forces.propellant import Propellant
from flexmbd.forces.reduced_inertia import ReducedInertia
from flexmbd.forces.springs import Spring, TorsionSpring
from flexmbd.forces.user import UserForce, UserTorque

FORCES = (
    PointForce, SectionTorque, Torque, Spring, TorsionSpring, NonlinearSpring, NonlinearTorsionSpring, Bushing, GearMesh, Rack, Actuator,
    UserForce, UserTorque, ReducedInertia, Propellant,
)  # fmt: skip

__all__ = [
    *(c.__name__ for c in FORCES), "FORCES", "PID", "AngleOf", "Coordinate", "Force", "Latch", "Lock", "PlaceOf", "StopWhen", "Switched",
]  # fmt: skip
