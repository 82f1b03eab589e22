"""By how much the bounds narrow when one interval is halved: what a designer gets for a tighter tolerance."""

from __future__ import annotations

import numpy as np

from uqmbd.questions.base import Answer, SurrogateContext

GAP = 1e-4  # of the bounds, as a share of the width
ROUNDING = 64 * np.finfo(float).eps  # of an output: its width is nothing


def width(context: SurrogateContext) -> Answer:
    """``1 - (width with the input halved about its middle) / width``, of the surrogate's range over the box."""
    d, reached = len(context.inputs), context.reached
    gap = GAP * np.ptp(reached, axis=0)
    whole = np.ptp(context.range(gap), axis=0)
    wide = whole > ROUNDING * np.abs(reached).max(axis=0)
    reduction = np.zeros((d, len(whole)))
    for axis in range(d):
        half = np.tile([-1.0, 1.0], (d, 1))
        half[axis] = [-0.5, 0.5]
        part = np.ptp(context.range(gap, half), axis=0) / np.where(wide, whole, 1.0)
        reduction[axis] = np.where(wide, np.maximum(1 - part, 0.0), 0.0)  # a part is wider by rounding alone
    return Answer({"width_reduction": reduction})
