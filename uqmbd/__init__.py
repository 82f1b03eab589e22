"""Bounds, distributions and sensitivities of multibody mechanisms with uncertain joints."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {  # by their module
    "analysis.dynamics.flows": "Flow",
    "analysis.dynamics.maps": "ChangedMap",
    "analysis.dynamics.returns": "PeriodMap ReturnMap",
    "analysis.dynamics.surfaces": "Stop",
    "errors": "StudyError",
    "given_data": "TableIndices indices_of_table",
    "inputs": "Choice ConvexSet Dependence Fixed Focal Fuzzy Integers Interval Random",
    "inputs.variables": "Beta Exponential Gamma Gumbel Lognormal Normal Triangular Uniform Weibull",
    "methods": "Basins Bifurcation Calibrate Chebyshev ConvexBounds Design Evidence FuzzyBounds Grid List Mixed MonteCarlo Multifidelity "
    "Multilevel PCE Posterior Reliability Search Sensitivity Taylor1 Taylor2 Tolerances Vertex",
    "report": "write_report",
    "result": "Result open_results",
    "results": "Results open_each",
    "simulators.curve": "Curve",
    "simulators.events": "Events",
    "simulators.sections": "Section",
    "simulators.vectorized": "vectorized",
    "spec": "StudySpec",
    "study": "CampaignSettings Study TimeGrid",
    "surrogates.opening": "open_surrogate",
}
_HOME = {name: f"uqmbd.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for: `import uqmbd` costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("uqmbd")
    if name not in _HOME:
        raise AttributeError(f"module 'uqmbd' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
