"""Direct solve of a five-point system on (n, m) cells, open or closed to a ring along the first index.

Band elimination without pivots: the matrices here are M-matrices (by rows or by columns), for which it is stable. A ring is cut
where nothing couples across it, which any ruptured row of cells gives; otherwise its last row of cells is a border.
"""

import numpy as np

from flexmbd.lanes import kernel


@kernel
def seam(n, m, ring, west, east):
    """First row of cells of the cut ring, and whether it is cut there (1) or needs a border (0)."""
    if not ring:
        return 0, 1
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        coupled = False
        for j in range(m):
            coupled = coupled or west[i, j] != 0.0 or east[before, j] != 0.0
        if not coupled:
            return i, 1
    return 0, 0


@kernel
def load(n, m, first, rows, border, centre, west, east, south, north, right, band, columns, x):
    """Write the rows of cells `first`, `first` + 1, ... into the band, the border into `columns` and the right side into `x`."""
    for k in range(rows):
        i = (first + k) % n
        for j in range(m):
            r = k * m + j
            for b in range(band.shape[1]):
                band[r, b] = 0.0
            if border:
                for b in range(m):
                    columns[r, b] = 0.0
            band[r, m] = centre[i, j]
            if k > 0:
                band[r, 0] = west[i, j]
            elif border:
                columns[r, j] = west[i, j]
            if k < rows - 1:
                band[r, 2 * m] = east[i, j]
            elif border:
                columns[r, j] = east[i, j]
            # with m = 1 these are zero, and would fall upon the neighbours along
            if j > 0:
                band[r, m - 1] = south[i, j]
            if j < m - 1:
                band[r, m + 1] = north[i, j]
            x[r] = right[i, j]


@kernel
def eliminate(size, m, border, band, columns, x, row):
    """Solve the band for `x`, and for the m columns of the border, in place.

    Row by row, four pivots at a time: one pass over the row instead of four. The band is 3 wider than 2 m + 1, with zeros, so that
    the four pivot rows end together; `row` is work space of a band row's length.
    """
    for i in range(size):
        for k in range(2 * m + 4):
            row[k] = band[i, k]
        p, right = max(0, i - m), x[i]
        while p + 3 < i:
            a = p - i + m
            f0 = row[a]
            f1 = row[a + 1] - f0 * band[p, m + 1]
            f2 = row[a + 2] - f0 * band[p, m + 2] - f1 * band[p + 1, m + 1]
            f3 = row[a + 3] - f0 * band[p, m + 3] - f1 * band[p + 1, m + 2] - f2 * band[p + 2, m + 1]
            if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for k in range(m):
                    one = f0 * band[p, m + 4 + k] + f1 * band[p + 1, m + 3 + k]
                    row[a + 4 + k] -= one + f2 * band[p + 2, m + 2 + k] + f3 * band[p + 3, m + 1 + k]
                right -= f0 * x[p] + f1 * x[p + 1] + f2 * x[p + 2] + f3 * x[p + 3]
                if border:
                    for k in range(m):
                        columns[i, k] -= f0 * columns[p, k] + f1 * columns[p + 1, k] + f2 * columns[p + 2, k] + f3 * columns[p + 3, k]
            p += 4
        while p < i:
            a = p - i + m
            f0 = row[a]
            if f0 != 0.0:
                for k in range(1, m + 1):
                    row[a + k] -= f0 * band[p, m + k]
                right -= f0 * x[p]
                if border:
                    for k in range(m):
                        columns[i, k] -= f0 * columns[p, k]
            p += 1
        pivot = 1.0 / row[m]
        x[i] = right * pivot
        for k in range(m + 1, 2 * m + 1):
            band[i, k] = row[k] * pivot
        if border:
            for k in range(m):
                columns[i, k] *= pivot
    for i in range(size - 1, -1, -1):
        reach = min(m, size - 1 - i)
        total = x[i]
        for d in range(1, reach + 1):
            factor = band[i, m + d]
            total -= factor * x[i + d]
            if border and factor != 0.0:
                for k in range(m):
                    columns[i, k] -= factor * columns[i + d, k]
        x[i] = total


def workspace(n, m):
    """Band, border, right side, corner and one row, for `solve_rows`."""
    return np.empty((n * m, 2 * m + 4)), np.empty((n * m, m)), np.empty(n * m), np.empty((m, m + 1)), np.empty(2 * m + 4)


@kernel
def solve_rows(ring, centre, west, east, south, north, right, space, out):
    """Solve for `out` (n, m) in the work space `space` of `workspace(n, m)`."""
    n, m = centre.shape
    band, columns, x, corner, row = space
    first, cut = seam(n, m, ring, west, east)
    border = cut == 0
    rows = n - 1 if border else n
    load(n, m, first, rows, border, centre, west, east, south, north, right, band, columns, x)
    eliminate(rows * m, m, border, band, columns, x, row)
    if border:
        last, top = n - 1, (rows - 1) * m
        for j in range(m):
            # the unknowns before the border are x - columns @ border
            for k in range(m):
                corner[j, k] = -east[last, j] * columns[j, k] - west[last, j] * columns[top + j, k]
            corner[j, m] = right[last, j] - east[last, j] * x[j] - west[last, j] * x[top + j]
            corner[j, j] += centre[last, j]
            if j > 0:
                corner[j, j - 1] += south[last, j]
            if j < m - 1:
                corner[j, j + 1] += north[last, j]
        for r in range(m):
            for d in range(r + 1, m):
                factor = corner[d, r] / corner[r, r]
                for k in range(r, m + 1):
                    corner[d, k] -= factor * corner[r, k]
        for r in range(m - 1, -1, -1):
            total = corner[r, m]
            for k in range(r + 1, m):
                total -= corner[r, k] * out[last, k]
            out[last, r] = total / corner[r, r]
    for k in range(rows):
        i = (first + k) % n
        for j in range(m):
            total = x[k * m + j]
            if border:
                for b in range(m):
                    total -= columns[k * m + j, b] * out[n - 1, b]
            out[i, j] = total
