"""By how much the bounds narrow when one interval is halved: what a designer gets for a tighter tolerance."""

from __future__ import annotations

import numpy as np

from uqmbd.questions.base import Answer, Ranged

GAP = 1e-4  # of the bounds, as a share of the width
ROUNDING = 64 * np.finfo(float).eps  # of an output: its width is nothing


def width(asked: Ranged) -> Answer:
    """``1 - (width with the input halved about its middle) / width``, of the surrogate's range over the box."""
    d = len(asked.inputs)
    gap = GAP * np.ptp(asked.reached, axis=0)
    whole = np.ptp(asked.range(gap), axis=0)
    wide = whole > ROUNDING * np.abs(asked.reached).max(axis=0)
    reduction = np.zeros((d, len(whole)))
    for axis in range(d):
        half = np.tile([-1.0, 1.0], (d, 1))
        half[axis] = [-0.5, 0.5]
        reduction[axis] = np.where(wide, 1 - np.ptp(asked.range(gap, half), axis=0) / np.where(wide, whole, 1.0), 0.0)
    return Answer({"width_reduction": reduction})
