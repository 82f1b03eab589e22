"""flexmbd: deterministic multibody dynamics, many samples at once."""

from flexmbd.analysis import Sensitivities, StateSpace, arc_length, inverse_dynamics, modes, sensitivities, state_space, static
from flexmbd.analysis.equations import Equations, output_units
from flexmbd.analysis.reference import reference
from flexmbd.bodies.ancf_beam import AncfBeam
from flexmbd.bodies.ancf_cable import AncfCable
from flexmbd.bodies.base import Point
from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rigid import RigidBody
from flexmbd.bodies.section import Section
from flexmbd.bodies.spatial import SpatialBody
from flexmbd.contact import (
    BoxPlane,
    CableContact,
    ClearanceCylindrical,
    ClearanceRevolute,
    ClearanceSpherical,
    ClearanceTranslational,
    DiscDisc,
    DiscPlane,
    FrictionGuide,
    PointPlane,
    SphereCylinder,
    SpherePlane,
    SphereSphere,
    ThinDiscPlane,
)
from flexmbd.contact.friction import Ambrosio, CoulombExponential, LuGre, Stribeck, Threlfall
from flexmbd.contact.impenetrable import Impenetrable
from flexmbd.contact.laws import (
    Esdu78035,
    Flores,
    Goldsmith,
    Gonthier,
    HerbertMcWhannell,
    Hertz,
    HuGuo,
    HuntCrossley,
    Johnson,
    KelvinVoigt,
    LankaraniNikravesh,
    LeeWang,
    Radzimovsky,
)
from flexmbd.contact.stiffness import hertz_sphere_stiffness
from flexmbd.contact.transition import FloresTransition, SmoothTransition
from flexmbd.contact.worn_surface import WornProfile
from flexmbd.errors import ModelError
from flexmbd.forces import (
    PID,
    Actuator,
    AngleOf,
    Bushing,
    GearMesh,
    Latch,
    Lock,
    NonlinearSpring,
    NonlinearTorsionSpring,
    PlaceOf,
    PointForce,
    Propellant,
    Rack,
    ReducedInertia,
    SectionTorque,
    Spring,
    StopWhen,
    Switched,
    Torque,
    TorsionSpring,
    UserForce,
    UserTorque,
)
from flexmbd.joints import (
    AngleDrive,
    Cam,
    Clamp,
    Cylindrical,
    Distance,
    DistanceDrive,
    Fixed,
    Gear,
    JointFriction,
    Planar,
    RackPinion,
    Revolute,
    RevoluteTranslational,
    Screw,
    SlideDrive,
    SlidingJoint,
    Spherical,
    Translational,
    Universal,
)
from flexmbd.lubrication import LongFilm, PinkusSternlicht, ShortFilm
from flexmbd.lubrication.asperities import GreenwoodTripp
from flexmbd.lubrication.solved import ReynoldsFilm
from flexmbd.lubrication.spherical import SphericalFilm
from flexmbd.lubrication.stribeck import MixedFriction
from flexmbd.lubrication.temperature import FilmTemperature
from flexmbd.lubrication.tilted import TiltedFilm
from flexmbd.lubrication.viscosity import Vogel, Walther
from flexmbd.material import Material
from flexmbd.motion import ConstantSpeed, Fourier, Harmonic, Polynomial
from flexmbd.properties import Lubricant, lubricant, material
from flexmbd.running.simulate import Prepared, Settings, compiled, prepare, run
from flexmbd.running.simulation import Simulation, compile
from flexmbd.state import State
from flexmbd.system import System
from flexmbd.table import Table
from flexmbd.trajectory import Trajectory
from flexmbd.wear.cycles import wear_cycles

__all__ = [
    "Actuator", "Ambrosio", "AncfBeam", "AncfCable", "AngleDrive", "AngleOf", "BoxPlane", "Bushing", "CableContact",
    "Cam", "Clamp", "ClearanceCylindrical",
    "ClearanceRevolute", "ClearanceSpherical", "ClearanceTranslational", "ConstantSpeed", "CoulombExponential", "Cylindrical",
    "DiscDisc", "DiscPlane", "Distance", "DistanceDrive", "Equations", "Esdu78035", "FilmTemperature", "Fixed", "Flores",
    "FloresTransition", "Fourier", "FrictionGuide",
    "Gear", "GearMesh", "Goldsmith", "Gonthier", "GreenwoodTripp", "Harmonic", "HerbertMcWhannell",
    "Hertz", "HuGuo", "HuntCrossley", "Impenetrable", "Johnson", "JointFriction", "KelvinVoigt", "LankaraniNikravesh", "Latch",
    "LeeWang", "Lock", "LongFilm", "LuGre", "Lubricant", "Material", "MixedFriction", "ModelError", "NonlinearSpring",
    "NonlinearTorsionSpring", "PID", "PinkusSternlicht", "PlaceOf", "Planar", "Point", "PointForce", "PointMass", "PointPlane",
    "Polynomial", "Prepared", "Propellant", "Rack", "RackPinion", "Radzimovsky", "ReducedInertia", "Revolute", "RevoluteTranslational",
    "ReynoldsFilm", "RigidBody", "Screw", "Section", "SectionTorque", "Sensitivities", "Settings", "ShortFilm", "Simulation",
    "SlideDrive", "SlidingJoint", "SmoothTransition", "SpatialBody", "SphereCylinder", "SpherePlane", "SphereSphere", "Spherical",
    "SphericalFilm", "Spring", "State", "StateSpace", "StopWhen", "Stribeck", "Switched", "System", "Table", "ThinDiscPlane", "Threlfall",
    "TiltedFilm", "Torque", "TorsionSpring", "Trajectory", "Translational", "Universal", "UserForce", "UserTorque", "Vogel",
    "Walther", "WornProfile", "arc_length", "compile", "compiled", "hertz_sphere_stiffness", "inverse_dynamics", "lubricant",
    "material", "modes", "output_units", "prepare", "reference", "run", "sensitivities", "state_space", "static", "wear_cycles",
]  # fmt: skip
