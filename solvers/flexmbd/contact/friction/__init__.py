"""Friction laws: tangential force by sliding velocity, normal force and, for bristle laws, one state.

The force has the sign of the velocity and opposes it (the caller subtracts it). A new law is one file here and one entry
in ``FRICTION_LAWS``; the generic tests read the same tuple.
"""

from flexmbd.contact.friction.ambrosio import Ambrosio
from flexmbd.contact.friction.base import FrictionKernels, FrictionLaw
from flexmbd.contact.friction.coulomb_exponential import CoulombExponential
from flexmbd.contact.friction.lugre import LuGre
from flexmbd.contact.friction.stribeck import Stribeck
from flexmbd.contact.friction.threlfall import Threlfall

FRICTION_LAWS = (CoulombExponential, Ambrosio, Threlfall, Stribeck, LuGre)

__all__ = [
    "FRICTION_LAWS",
    "Ambrosio",
    "CoulombExponential",
    "FrictionKernels",
    "FrictionLaw",
    "LuGre",
    "Stribeck",
    "Threlfall",
]
