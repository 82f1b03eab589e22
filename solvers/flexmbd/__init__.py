"""flexmbd: deterministic multibody dynamics, many samples at once.

Names are imported when they are asked for: `import flexmbd` alone costs nothing, so what only reads a model's file need not wait.
"""

from __future__ import annotations

import importlib
from typing import Any

from flexmbd.material import Material as Material
from flexmbd.properties import Lubricant as Lubricant
from flexmbd.properties import lubricant as lubricant
from flexmbd.properties import material as material  # last: there is a module of this name as well

_NAMES = {  # module -> what comes from it
    "analysis": "Sensitivities StateSpace arc_length inverse_dynamics modes sensitivities state_space static",
    "analysis.equations": "Equations",
    "analysis.output_names": "output_units",
    "analysis.reference": "reference",
    "bodies.ancf_beam": "AncfBeam",
    "bodies.ancf_cable": "AncfCable",
    "bodies.base": "Point",
    "bodies.grains": "Grains",
    "bodies.point_mass": "PointMass",
    "bodies.rigid": "RigidBody",
    "bodies.poses": "CentreLine Poses",
    "bodies.section": "Section",
    "bodies.shapes": "Balls Box Cylinder Mesh Polyline Sphere Swept",
    "bodies.spatial": "SpatialBody",
    "contact": (
        "BoxPlane CableContact ClearanceCylindrical ClearanceRevolute ClearanceSpherical ClearanceTranslational DiscDisc DiscPlane "
        "FrictionGuide GrainsBox GrainsCylinder GrainsPlane GrainsRound GranularContact PointPlane SphereCylinder SpherePlane SphereSphere "
        "ThinDiscPlane"
    ),
    "contact.friction": "Ambrosio CoulombExponential LuGre Stribeck Threlfall",
    "contact.impenetrable": "Impenetrable",
    "contact.laws": (
        "Esdu78035 Flores Goldsmith Gonthier HerbertMcWhannell Hertz HuGuo HuntCrossley Johnson KelvinVoigt LankaraniNikravesh "
        "LeeWang Radzimovsky"
    ),
    "contact.stiffness": "hertz_sphere_stiffness",
    "contact.transition": "FloresTransition SmoothTransition",
    "contact.worn_surface": "WornProfile",
    "dynamics.section": "Passage SectionMap section_map",
    "errors": "ModelError",
    "forces": (
        "Actuator AngleOf Bushing GearMesh Latch Lock NonlinearSpring NonlinearTorsionSpring PID PlaceOf PointForce Propellant "
        "Rack ReducedInertia SectionTorque Spring StopWhen Switched Torque TorsionSpring UserForce UserTorque"
    ),
    "joints": (
        "AngleDrive Cam Clamp Cylindrical Distance DistanceDrive Fixed Gear JointFriction Planar RackPinion Revolute "
        "RevoluteTranslational Rod Screw SlideDrive SlidingJoint Spherical Translational Universal"
    ),
    "lubrication": "LongFilm PinkusSternlicht ShortFilm",
    "lubrication.asperities": "GreenwoodTripp",
    "lubrication.solved": "ReynoldsFilm",
    "lubrication.spherical": "SphericalFilm",
    "lubrication.stribeck": "MixedFriction",
    "lubrication.temperature": "FilmTemperature",
    "lubrication.tilted": "TiltedFilm",
    "lubrication.viscosity": "Vogel Walther",
    "motion": "ConstantSpeed Fourier Harmonic Polynomial",
    "outputs.meanings": "output_meanings",
    "outputs.sections": "PoincareSection SectionPoints",
    "running.arguments": "argument_units",
    "running.simulate": "Prepared Settings compiled prepare run",
    "running.simulation": "Simulation compile",
    "state": "State",
    "system": "System",
    "table": "Table",
    "trajectory": "Trajectory",
    "viewer": "Viewer show",
    "wear.cycles": "wear_cycles",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_HOME, "Lubricant", "Material", "lubricant", "material"])


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("uqmbd")  # one package brings both
    if name not in _HOME:
        raise AttributeError(f"module 'flexmbd' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"flexmbd.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
