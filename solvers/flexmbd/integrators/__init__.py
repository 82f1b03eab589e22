"""Time integration schemes, one file each."""

from flexmbd.integrators.base import Integrator
from flexmbd.integrators.baumgarte import BAUMGARTE
from flexmbd.integrators.composed_perturbation import SYMPLECTIC_PERTURBATION_4, SYMPLECTIC_PERTURBATION_6
from flexmbd.integrators.dop853 import DOP853
from flexmbd.integrators.dormand_prince import DORMAND_PRINCE
from flexmbd.integrators.energy_momentum import ENERGY_MOMENTUM
from flexmbd.integrators.event_driven import EVENT_DRIVEN
from flexmbd.integrators.exponential import EXPONENTIAL
from flexmbd.integrators.gauss import GAUSS_8, GAUSS_16
from flexmbd.integrators.generalized_alpha import GENERALIZED_ALPHA, GENERALIZED_ALPHA_2
from flexmbd.integrators.ggl import GGL
from flexmbd.integrators.hht import HHT
from flexmbd.integrators.moreau import MOREAU
from flexmbd.integrators.newmark import NEWMARK, NEWMARK_DAMPED
from flexmbd.integrators.nonsmooth_alpha import NONSMOOTH_ALPHA, NONSMOOTH_GGL
from flexmbd.integrators.partitioning import PARTITIONING
from flexmbd.integrators.rk4 import RK4
from flexmbd.integrators.rosenbrock import ROSENBROCK
from flexmbd.integrators.symplectic_perturbation import SYMPLECTIC_PERTURBATION
from flexmbd.integrators.taylor import TAYLOR
from flexmbd.integrators.variational import VARIATIONAL

SCHEMES = (
    DORMAND_PRINCE,
    DOP853,
    RK4,
    BAUMGARTE,
    PARTITIONING,
    ROSENBROCK,
    TAYLOR,
    GAUSS_8,
    GAUSS_16,
    NEWMARK,
    NEWMARK_DAMPED,
    HHT,
    GENERALIZED_ALPHA,
    GENERALIZED_ALPHA_2,
    GGL,
    ENERGY_MOMENTUM,
    VARIATIONAL,
    MOREAU,
    NONSMOOTH_ALPHA,
    NONSMOOTH_GGL,
    EVENT_DRIVEN,
    SYMPLECTIC_PERTURBATION,
    SYMPLECTIC_PERTURBATION_4,
    SYMPLECTIC_PERTURBATION_6,
    EXPONENTIAL,
)
INTEGRATORS = {scheme.name: scheme for scheme in SCHEMES}

__all__ = ["INTEGRATORS", "Integrator"]
