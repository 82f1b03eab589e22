"""Direct solve of a band matrix without symmetry, by elimination without pivots: for M-matrices (by rows or by columns), for which it is
stable.

``band[r * width(reach) + reach + d]`` is the entry of row r and column r + d, d from -reach to reach, with zeros behind.
"""

from flexmbd.lanes import kernel
from flexmbd.lubrication.reynolds.simd import EIGHT, load, store


@kernel
def width(reach):
    """Length of a row of the band: its entries, and zeros up to where the first of four pivot rows is read."""
    return reach + 4 + (reach + EIGHT - 1) // EIGHT * EIGHT


@kernel
def eliminate(band, reach, x, row):
    """Solve for the right side `x` in place; the band is changed, and `row` is room for one of its rows.

    Row by row, four pivots at a time: one pass over the row instead of four.
    """
    m, wide = reach, width(reach)
    for i in range(len(x)):
        own = i * wide
        for k in range(wide):
            row[k] = band[own + k]
        p, right = max(0, i - m), x[i]
        while p < i:
            a, at = p - i + m, p * wide + m
            if p + 3 < i:
                one, two, three = at + wide, at + 2 * wide, at + 3 * wide
                f0 = row[a]
                f1 = row[a + 1] - f0 * band[at + 1]
                f2 = row[a + 2] - f0 * band[at + 2] - f1 * band[one + 1]
                f3 = row[a + 3] - f0 * band[at + 3] - f1 * band[one + 2] - f2 * band[two + 1]
                if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                    for k in range(0, m, EIGHT):
                        part = f0 * load(band, at + 4 + k) + f1 * load(band, one + 3 + k)
                        part = part + f2 * load(band, two + 2 + k) + f3 * load(band, three + 1 + k)
                        store(row, a + 4 + k, load(row, a + 4 + k) - part)
                    right -= f0 * x[p] + f1 * x[p + 1] + f2 * x[p + 2] + f3 * x[p + 3]
                p += 4
            else:
                f0 = row[a]
                if f0 != 0.0:
                    for k in range(1, m + 1):
                        row[a + k] -= f0 * band[at + k]
                    right -= f0 * x[p]
                p += 1
        pivot = 1.0 / row[m]
        x[i] = right * pivot
        for k in range(m + 1, 2 * m + 1):
            band[own + k] = row[k] * pivot
    for i in range(len(x) - 1, -1, -1):
        total = x[i]
        for d in range(1, min(m, len(x) - 1 - i) + 1):
            total -= band[i * wide + m + d] * x[i + d]
        x[i] = total
