"""Bounds, distributions and sensitivities of multibody mechanisms with uncertain joints."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Beta": "uqmbd.inputs.variables",
    "Calibrate": "uqmbd.methods",
    "CampaignSettings": "uqmbd.study",
    "Chebyshev": "uqmbd.methods",
    "ConvexBounds": "uqmbd.methods",
    "ConvexSet": "uqmbd.inputs",
    "Curve": "uqmbd.simulators.curve",
    "Events": "uqmbd.simulators.events",
    "Dependence": "uqmbd.inputs",
    "Evidence": "uqmbd.methods",
    "Exponential": "uqmbd.inputs.variables",
    "Fixed": "uqmbd.inputs",
    "Focal": "uqmbd.inputs",
    "Fuzzy": "uqmbd.inputs",
    "FuzzyBounds": "uqmbd.methods",
    "Gamma": "uqmbd.inputs.variables",
    "Grid": "uqmbd.methods",
    "Gumbel": "uqmbd.inputs.variables",
    "Interval": "uqmbd.inputs",
    "List": "uqmbd.methods",
    "Lognormal": "uqmbd.inputs.variables",
    "Mixed": "uqmbd.methods",
    "MonteCarlo": "uqmbd.methods",
    "Normal": "uqmbd.inputs.variables",
    "PCE": "uqmbd.methods",
    "Random": "uqmbd.inputs",
    "Reliability": "uqmbd.methods",
    "Result": "uqmbd.result",
    "Results": "uqmbd.results",
    "Search": "uqmbd.methods",
    "Sensitivity": "uqmbd.methods",
    "Study": "uqmbd.study",
    "StudyError": "uqmbd.errors",
    "StudySpec": "uqmbd.spec",
    "Taylor1": "uqmbd.methods",
    "Taylor2": "uqmbd.methods",
    "TimeGrid": "uqmbd.study",
    "Triangular": "uqmbd.inputs.variables",
    "Uniform": "uqmbd.inputs.variables",
    "Vertex": "uqmbd.methods",
    "Weibull": "uqmbd.inputs.variables",
    "open_each": "uqmbd.results",
    "open_results": "uqmbd.result",
    "open_surrogate": "uqmbd.surrogates.opening",
    "vectorized": "uqmbd.simulators.vectorized",
    "write_report": "uqmbd.report",
}

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
