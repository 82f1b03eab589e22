"""Bounds, distributions and sensitivities of multibody mechanisms with uncertain joints."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "CampaignSettings": "uqmbd.study",
    "Chebyshev": "uqmbd.methods",
    "Interval": "uqmbd.inputs",
    "MonteCarlo": "uqmbd.methods",
    "Random": "uqmbd.inputs",
    "Result": "uqmbd.result",
    "Study": "uqmbd.study",
    "StudyError": "uqmbd.errors",
    "TimeGrid": "uqmbd.study",
    "open_results": "uqmbd.result",
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
