"""Time integration schemes, one file each."""

from flexmbd.integrators.base import Integrator
from flexmbd.integrators.dormand_prince import DORMAND_PRINCE
from flexmbd.integrators.generalized_alpha import GENERALIZED_ALPHA
from flexmbd.integrators.rk4 import RK4

INTEGRATORS = {scheme.name: scheme for scheme in (DORMAND_PRINCE, RK4, GENERALIZED_ALPHA)}

__all__ = ["INTEGRATORS", "Integrator"]
