"""Normal contact laws: force by penetration, its rate, and the approach speed at onset.

A new law is one file here and one entry in ``NORMAL_LAWS``; the generic tests read the same tuple.
"""

from flexmbd.contact.laws.base import NormalKernels, NormalLaw
from flexmbd.contact.laws.cylindrical import CylindricalLaw
from flexmbd.contact.laws.damped import DAMPED_LAWS
from flexmbd.contact.laws.esdu_78035 import Esdu78035
from flexmbd.contact.laws.flores import Flores
from flexmbd.contact.laws.goldsmith import Goldsmith
from flexmbd.contact.laws.gonthier import Gonthier
from flexmbd.contact.laws.herbert_mcwhannell import HerbertMcWhannell
from flexmbd.contact.laws.hertz import Hertz
from flexmbd.contact.laws.hu_guo import HuGuo
from flexmbd.contact.laws.hunt_crossley import HuntCrossley
from flexmbd.contact.laws.johnson import Johnson
from flexmbd.contact.laws.kelvin_voigt import KelvinVoigt
from flexmbd.contact.laws.lankarani_nikravesh import LankaraniNikravesh
from flexmbd.contact.laws.lee_wang import LeeWang
from flexmbd.contact.laws.power_law import PowerLaw
from flexmbd.contact.laws.radzimovsky import Radzimovsky
from flexmbd.contact.laws.restitution import factor_for_restitution, produced_restitution

CYLINDRICAL_LAWS = (Johnson, Radzimovsky, Goldsmith, Esdu78035)
NORMAL_LAWS = (KelvinVoigt, Hertz, *DAMPED_LAWS, *CYLINDRICAL_LAWS)

__all__ = [
    "CYLINDRICAL_LAWS",
    "DAMPED_LAWS",
    "NORMAL_LAWS",
    "CylindricalLaw",
    "Esdu78035",
    "Flores",
    "Goldsmith",
    "Gonthier",
    "HerbertMcWhannell",
    "Hertz",
    "HuGuo",
    "HuntCrossley",
    "Johnson",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "LeeWang",
    "NormalKernels",
    "NormalLaw",
    "PowerLaw",
    "Radzimovsky",
    "factor_for_restitution",
    "produced_restitution",
]
