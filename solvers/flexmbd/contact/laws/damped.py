"""The laws with a published damping factor c(e), which cylindrical laws can borrow by name."""

from flexmbd.contact.laws.flores import Flores
from flexmbd.contact.laws.gonthier import Gonthier
from flexmbd.contact.laws.herbert_mcwhannell import HerbertMcWhannell
from flexmbd.contact.laws.hu_guo import HuGuo
from flexmbd.contact.laws.hunt_crossley import HuntCrossley
from flexmbd.contact.laws.lankarani_nikravesh import LankaraniNikravesh
from flexmbd.contact.laws.lee_wang import LeeWang

DAMPED_LAWS = (HuntCrossley, HerbertMcWhannell, LeeWang, LankaraniNikravesh, Gonthier, Flores, HuGuo)
PUBLISHED_FACTORS = {law.name: law.published_factor for law in DAMPED_LAWS}
