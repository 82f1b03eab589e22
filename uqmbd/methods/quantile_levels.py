"""Which quantiles a method reports, and which of them its runs can tell."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from uqmbd.analysis.statistics.order_statistics import LEVELS, level_name

MOST = 50


def checked_quantiles(value: Any) -> tuple[float, ...] | None:
    """Probabilities strictly between 0 and 1 in ascending order; None where nothing is said."""
    if value is None:
        return None
    good = isinstance(value, (list, tuple)) and all(isinstance(p, Real) and not isinstance(p, bool) and 0 < float(p) < 1 for p in value)
    if not good or not 1 <= len(value) <= MOST or len({level_name(p) for p in value}) < len(value):
        raise ValueError(f"quantiles are up to {MOST} different probabilities between 0 and 1 as in [0.001, 0.5, 0.999], not {value!r}")
    return tuple(sorted(float(p) for p in value))


_SHARE = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
_LIST = {"type": "array", "items": _SHARE, "minItems": 1, "maxItems": MOST, "uniqueItems": True}
Quantiles = Annotated[Any, BeforeValidator(checked_quantiles), WithJsonSchema(_LIST)]


def levels_of(asked: Sequence[float] | None) -> tuple[float, ...]:
    """The probabilities that are asked for, otherwise the usual five."""
    return LEVELS if asked is None else tuple(asked)


def too_far_out(levels: Sequence[float], points: int, least: float = 1.0) -> str:
    """Names of those quantiles beyond which fewer than `least` of so many points are expected; empty where there are none."""
    return ", ".join(level_name(p) for p in levels if min(p, 1 - p) * points < least)
