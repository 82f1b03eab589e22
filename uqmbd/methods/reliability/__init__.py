"""How likely, or how far away, an output is from its limit: the method `reliability`, each approach named once."""

from uqmbd.methods.reliability.ak_mcs import AkMcs
from uqmbd.methods.reliability.importance import Importance
from uqmbd.methods.reliability.interval import Intervals
from uqmbd.methods.reliability.search import Form, Sorm
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.methods.reliability.simulation import MonteCarloCount, Subset

APPROACHES = Reliability.take(Form, Sorm, Importance, Subset, MonteCarloCount, AkMcs, Intervals)
