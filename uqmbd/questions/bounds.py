"""Bounds of a surrogate whose method asks for statistics: its range over the box, widened by its error."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.statistics.trust import joined
from uqmbd.questions.base import Answer, Asked

GAP = 1e-6  # of the range, as a share of what runs reached
SAFETY = 2.0  # times the validated error


def bounds(asked: Asked) -> Answer:
    """Lower and upper end of every column; they hold all runs."""
    found = asked.range(np.maximum(GAP * np.ptp(asked.reached, axis=0), np.where(asked.trusted, 0.0, 0.01 * asked.error)))
    outer = joined(found + SAFETY * asked.error * np.array([[-1.0], [1.0]]), asked.reached)
    return Answer(groups={"bounds": asked.columns.dataset(outer, {"bound": ["lower", "upper"]})})
