"""Force elements that are not contacts."""

from flexmbd.forces.bushing import Bushing
from flexmbd.forces.gears import GearMesh, Rack
from flexmbd.forces.loads import Force, PointForce, SectionTorque, Torque
from flexmbd.forces.nonlinear import NonlinearSpring, NonlinearTorsionSpring
from flexmbd.forces.springs import Spring, TorsionSpring
from flexmbd.forces.user import UserForce, UserTorque

FORCES = (
    PointForce,
    SectionTorque,
    Torque,
    Spring,
    TorsionSpring,
    NonlinearSpring,
    NonlinearTorsionSpring,
    Bushing,
    GearMesh,
    Rack,
    UserForce,
    UserTorque,
)

__all__ = [*(c.__name__ for c in FORCES), "FORCES", "Force"]
