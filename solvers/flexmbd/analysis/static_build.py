"""The equations of a system as analyses read them: accelerations and multipliers are unknowns."""

from flexmbd.formulation.natural import Build
from flexmbd.tuning import Tuning

POOLED = Tuning(single_elements=0)


class StaticBuild(Build):
    """A `Build` whose accelerations ``a0...`` and multipliers ``l0...`` are variables, not the index-1 solution; elements in pools."""

    def __init__(self, system, *, tuning=POOLED):
        super().__init__(system, tuning=tuning)

    def _accelerations(self):
        a, multipliers = (self.graph.space(name).first(count) for name, count in (("a", self.n), ("l", len(self.rows))))
        loads = [friction.load(self.graph, multipliers)[0] for friction in self.frictions]
        self._rub([friction.force(self.graph, load)[0] for friction, load in zip(self.frictions, loads, strict=True)])
        return a, multipliers
