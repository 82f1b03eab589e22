"""Dense linear equations in rows of lanes: elimination without pivoting, for matrices whose diagonal is about 1."""

from flexmbd.lanes import any_lane, fabs, lnot, select
from flexmbd.lanes.rows import ld, st
from flexmbd.lanes.vector import inner

LEAST = 1e-12  # of a pivot


@inner
def eliminate(first, n, W):
    """Factors, in place, of the matrix of n rows that begins at row `first`; entries that are zero in all lanes cost nothing."""
    for k in range(n):
        row = first + n * k
        pivot = ld(W, row + k)
        pivot = select(fabs(pivot) > LEAST, pivot, LEAST)
        st(W, row + k, pivot)
        for i in range(k + 1, n):
            below = first + n * i
            x = ld(W, below + k)
            if any_lane(fabs(x) > 0.0):
                x = x / pivot
                st(W, below + k, x)
                for c in range(k + 1, n):
                    st(W, below + c, ld(W, below + c) - x * ld(W, row + c))


@inner
def substitute(first, n, side, W):
    """Solve with such factors, in place, for the right-hand side that begins at row `side`.

    Column by column: what is zero in all lanes costs nothing, and no sum waits for its last term.
    """
    for k in range(n - 1):
        x = ld(W, side + k)
        if any_lane(lnot(fabs(x) <= 0.0)):
            for i in range(k + 1, n):
                st(W, side + i, ld(W, side + i) - ld(W, first + n * i + k) * x)
    for back in range(n):
        k = n - 1 - back
        x = ld(W, side + k)
        if any_lane(lnot(fabs(x) <= 0.0)):
            x = x / ld(W, first + n * k + k)
            st(W, side + k, x)
            for i in range(k):
                st(W, side + i, ld(W, side + i) - ld(W, first + n * i + k) * x)


__all__ = ["eliminate", "substitute"]
