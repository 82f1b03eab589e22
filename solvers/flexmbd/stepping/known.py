"""Times that are known before a run: corners of tables, ends of pulses, samples of controllers. A step ends at each of them.

Times of a sample are in groups: an ascending list, or one that comes again with a period, of all samples or of each its own.  A step ends
just before a known time (`NEXT`), and the next one begins just behind it (`ROUND`): what jumps there has at a step's end the value before,
and at the next one's start the value behind.  Times closer together than `CLOSE` are one: a step between them would be all rounding.
"""

import numpy as np

from flexmbd.lanes.rows import doubles, get, put, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import KNOWN, KNOWNS, NEXT, T

GROUP = 5  # of a group: times, numbers from a sample's to the next one's (0: the same), addresses of times and of the period, and its own
ROUND, CLOSE = 1e-15, 1e-12  # of a time


@inner
def first_after(sample, t, at):
    """First known time of a sample behind t, s; infinite where there is none."""
    groups, found = words(at[KNOWN]), np.inf
    for g in range(at[KNOWNS]):
        count, first = groups[GROUP * g], groups[GROUP * g + 1] * sample
        times, period = doubles(groups[GROUP * g + 2]), doubles(groups[GROUP * g + 3])[groups[GROUP * g + 4] * sample]
        base = 0.0
        if period > 0.0:
            turns = max(np.floor((t - times[first]) / period), 0.0)
            while times[first + count - 1] + turns * period <= t:  # a quotient is rounded
                turns += 1.0
            base = turns * period
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            if times[first + middle] + base > t:
                high = middle
            else:
                low = middle + 1
        if low < count:
            found = min(found, times[first + low] + base)
    return found


@inner
def go_past(sample, lane, X, at):
    """Let a lane that has come to a known time go on just behind it, and behind all that are as good as the same."""
    t = first_after(sample, get(X, NEXT, lane), at)  # the end of a run may lie a little further
    later = first_after(sample, t, at)
    while later <= t * (1.0 + CLOSE):
        t = later
        later = first_after(sample, t, at)
    put(X, T, lane, max(t * (1.0 + ROUND), get(X, T, lane)))
    put(X, NEXT, lane, later * (1.0 - ROUND))
