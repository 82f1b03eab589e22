"""Small dense linear equations within compiled loops: factors with row exchanges, rows scaled by their largest entries."""

from flexmbd.dynamics.names import MATRIX, ORDER, SCALE, SIDES, WIDE, BROAD
from flexmbd.lanes.rows import doubles, words
from flexmbd.lanes.vector import inner

LEAST = 1e-14  # of a pivot, beside the largest entry of its row


@inner
def factorise(n, at):
    """Factors of the leading n rows of the matrix, in place; False where it is singular."""
    a, order, scale, wide = doubles(at[MATRIX]), words(at[ORDER]), doubles(at[SCALE]), at[WIDE]
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(a[i * wide + j]))
        if not 0.0 < largest < 1e300:
            return False
        scale[i] = 1.0 / largest
    for k in range(n):
        best, which = -1.0, k
        for i in range(k, n):
            size = scale[i] * abs(a[i * wide + k])
            if size > best:
                best, which = size, i
        if not best > LEAST:
            return False
        order[k] = which
        if which != k:
            for j in range(n):
                kept = a[which * wide + j]
                a[which * wide + j] = a[k * wide + j]
                a[k * wide + j] = kept
            scale[which] = scale[k]
        for i in range(k + 1, n):
            if a[i * wide + k] != 0.0:
                share = a[i * wide + k] / a[k * wide + k]
                a[i * wide + k] = share
                for j in range(k + 1, n):
                    a[i * wide + j] = a[i * wide + j] - share * a[k * wide + j]
    return True


@inner
def substitute(n, columns, at):
    """Solutions for the first columns of the right-hand sides, in place."""
    a, order, b, wide, broad = doubles(at[MATRIX]), words(at[ORDER]), doubles(at[SIDES]), at[WIDE], at[BROAD]
    for k in range(n):
        which = order[k]
        if which != k:
            for c in range(columns):
                kept = b[which * broad + c]
                b[which * broad + c] = b[k * broad + c]
                b[k * broad + c] = kept
    for i in range(n):
        for j in range(i):
            share = a[i * wide + j]
            if share != 0.0:
                for c in range(columns):
                    b[i * broad + c] = b[i * broad + c] - share * b[j * broad + c]
    for step in range(n):
        i = n - 1 - step
        for j in range(i + 1, n):
            share = a[i * wide + j]
            if share != 0.0:
                for c in range(columns):
                    b[i * broad + c] = b[i * broad + c] - share * b[j * broad + c]
        for c in range(columns):
            b[i * broad + c] = b[i * broad + c] / a[i * wide + i]


@inner
def clear(n, columns, at):
    """Zeros in the first columns of n right-hand sides."""
    b, broad = doubles(at[SIDES]), at[BROAD]
    for i in range(n):
        for c in range(columns):
            b[i * broad + c] = 0.0
