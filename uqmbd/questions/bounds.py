"""Bounds of a surrogate whose method asks for statistics: its range over the box, widened by its error."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.statistics.trust import joined
from uqmbd.questions.base import Answer, SurrogateContext

GAP = 1e-6  # of the range, as a share of what runs reached
SAFETY = 2.0  # times the validated error


def bounds(context: SurrogateContext) -> Answer:
    """Lower and upper end of every column; they hold all runs."""
    ranges = context.range(np.maximum(GAP * np.ptp(context.reached, axis=0), np.where(context.trusted, 0.0, 0.01 * context.error)))
    outer = joined(ranges + SAFETY * context.error * np.array([[-1.0], [1.0]]), context.reached)
    return Answer(groups={"bounds": context.columns.dataset(outer, {"bound": ["lower", "upper"]})})
