"""The methods that come with uqmbd, by name; a method is imported when it is asked for, and with it all that its run needs."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any


class Names(UserDict[str, Any]):
    """Classes by name, each imported when it is asked for; made of ``module:Class`` of each, the module below `uqmbd.methods`."""

    def __getitem__(self, name: str) -> Any:
        module, _, cls = self.data[name].partition(":")
        return getattr(import_module(f"uqmbd.methods.{module}"), cls)

    @property
    def classes(self) -> dict[str, str]:
        """Names by the names of the classes."""
        return {home.partition(":")[2]: name for name, home in self.data.items()}


METHODS = Names(
    {
        "chebyshev": "intervals.chebyshev:Chebyshev",
        "montecarlo": "probabilistic.montecarlo:MonteCarlo",
        "multilevel": "probabilistic.multilevel:Multilevel",
        "multifidelity": "probabilistic.multifidelity:Multifidelity",
        "pce": "probabilistic.pce:PCE",
        "taylor1": "intervals.taylor:Taylor1",
        "taylor2": "intervals.taylor:Taylor2",
        "vertex": "intervals.vertex:Vertex",
        "search": "intervals.search:Search",
        "fuzzy": "sets.fuzzy:FuzzyBounds",
        "convex": "sets.convex:ConvexBounds",
        "mixed": "imprecise.mixed:Mixed",
        "evidence": "imprecise.evidence:Evidence",
        "sensitivity": "sensitivity.settings:Sensitivity",
        "reliability": "reliability.settings:Reliability",
        "grid": "parameter_studies.chosen:Grid",
        "list": "parameter_studies.chosen:List",
        "basins": "dynamics.basins:Basins",
        "bifurcation": "dynamics.bifurcation:Bifurcation",
        "calibrate": "parameter_studies.calibrate:Calibrate",
        "tolerances": "design.tolerances:Tolerances",
        "design": "design.reliable:Design",
        "posterior": "bayes.posterior:Posterior",
    }
)
