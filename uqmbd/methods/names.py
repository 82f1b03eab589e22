"""The methods that come with uqmbd, by name; a method is imported when it is asked for, and with it all that its run needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any


class Names(Mapping[str, Any]):
    """Classes by name, each imported when it is asked for.

    Parameters
    ----------
    homes : dict of str to str
        ``module:Class`` of each, the module below `uqmbd.methods`.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = dict(homes)

    def __getitem__(self, name: str) -> Any:
        module, _, found = self._homes[name].partition(":")
        return getattr(import_module(f"uqmbd.methods.{module}"), found)

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    @property
    def classes(self) -> dict[str, str]:
        """Names by the names of the classes."""
        return {home.partition(":")[2]: name for name, home in self._homes.items()}


METHODS = Names(
    {
        "chebyshev": "intervals.chebyshev:Chebyshev",
        "montecarlo": "probabilistic.montecarlo:MonteCarlo",
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
        "grid": "parameter_studies.grid:Grid",
        "list": "parameter_studies.list_samples:List",
        "calibrate": "parameter_studies.calibrate:Calibrate",
    }
)
