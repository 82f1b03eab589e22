"""The damping that nearly all laws share: elastic force times ``1 + c rate / v0``."""

from flexmbd.lanes import kernel, select


@kernel
def rate_factor(rate, v0, c):
    """(1 + c rate / v0 but not below 0, its derivative by rate); no damping where v0 is not positive."""
    approached = v0 > 0.0
    slope = select(approached, c, 0.0) / select(approached, v0, 1.0)
    factor = 1.0 + slope * rate
    pushes = factor > 0.0
    return select(pushes, factor, 0.0), select(pushes, slope, 0.0)
