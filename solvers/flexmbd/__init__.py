"""flexmbd: deterministic multibody dynamics, many samples at once."""

from flexmbd.bodies.rigid import Point, RigidBody
from flexmbd.contact import ClearanceRevolute, DiscDisc, DiscPlane
from flexmbd.errors import ModelError
from flexmbd.forces import PointForce, Spring, TorsionSpring, Torque
from flexmbd.joints import (
    AngleDrive,
    ConstantSpeed,
    DistanceDrive,
    Fixed,
    Fourier,
    Harmonic,
    Polynomial,
    Revolute,
    RevoluteTranslational,
    SlideDrive,
    Translational,
)
from flexmbd.simulate import Prepared, Settings, prepare, run
from flexmbd.system import System
from flexmbd.trajectory import Trajectory

__all__ = [
    "AngleDrive", "ClearanceRevolute", "ConstantSpeed", "DiscDisc", "DiscPlane", "DistanceDrive", "Fixed", "Fourier", "Harmonic",
    "ModelError", "Point", "PointForce", "Polynomial", "Prepared", "Revolute", "RevoluteTranslational", "RigidBody", "Settings",
    "SlideDrive", "Spring", "System", "Torque", "TorsionSpring", "Trajectory", "Translational", "prepare", "run",
]  # fmt: skip
