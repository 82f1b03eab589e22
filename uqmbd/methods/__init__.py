"""Methods: what to run, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uqmbd.doors import find
from uqmbd.errors import StudyError
from uqmbd.methods.base import Method, MethodRun
from uqmbd.methods.imprecise.evidence import Evidence
from uqmbd.methods.imprecise.mixed import Mixed
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.methods.intervals.search import Search
from uqmbd.methods.intervals.taylor import Taylor1, Taylor2
from uqmbd.methods.intervals.vertex import Vertex
from uqmbd.methods.parameter_studies.calibrate import Calibrate
from uqmbd.methods.parameter_studies.grid import Grid
from uqmbd.methods.parameter_studies.list_samples import List
from uqmbd.methods.probabilistic.montecarlo import MonteCarlo
from uqmbd.methods.probabilistic.pce import PCE
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.methods.sensitivity.settings import Sensitivity
from uqmbd.methods.sets.convex import ConvexBounds
from uqmbd.methods.sets.fuzzy import FuzzyBounds

METHODS: tuple[type[Method], ...] = (
    Chebyshev,
    MonteCarlo,
    PCE,
    Taylor1,
    Taylor2,
    Vertex,
    Search,
    FuzzyBounds,
    ConvexBounds,
    Mixed,
    Evidence,
    Sensitivity,
    Reliability,
    Grid,
    List,
    Calibrate,
)


def read_method(table: Mapping[str, Any], directory: Path = Path()) -> Method:
    """The method that the table ``[method]`` of a study file in `directory` describes: one of `METHODS`, or one from outside.

    Raises
    ------
    StudyError
        With `key` relative to the table.
    """
    known = {method.name: method for method in METHODS}
    name = table.get("type") if isinstance(table, Mapping) else None
    if name is None:
        raise StudyError("a method needs its type", key="type", remedy=f"use one of: {', '.join(known)}")
    if not isinstance(name, str):
        raise StudyError("the type of a method is a word", key="type", value=name, remedy=f"use one of: {', '.join(known)}")
    kind = find(name, known, "method", key="type", directory=directory, kind=Method)
    return kind(**{key: value for key, value in table.items() if key != "type"})


__all__ = [
    "METHODS",
    "PCE",
    "Calibrate",
    "Chebyshev",
    "ConvexBounds",
    "Evidence",
    "FuzzyBounds",
    "Grid",
    "List",
    "Method",
    "MethodRun",
    "Mixed",
    "MonteCarlo",
    "Reliability",
    "Search",
    "Sensitivity",
    "Taylor1",
    "Taylor2",
    "Vertex",
    "read_method",
]
