"""Which of many round bodies are near each other, found as the motion goes on: cells, and lists that serve until something has moved.

A list has all pairs whose gap is at most a margin in some lane, and serves as long as none of its members has moved by half of that in any
(Verlet 1967, Phys. Rev. 159, 98-103; cells: Allen and Tildesley 1987, Computer Simulation of Liquids, section 5.3).  What is in it beyond
the pairs that touch adds zero, and pairs come in the order of their numbers: forces depend neither on when the list was made nor on other
lanes.  Where it has no room for all pairs it is handed out in parts, and made anew every time.
"""

import math

from flexmbd.lanes import any_lane, lnot, maximum
from flexmbd.lanes.rows import doubles, get, ld, put, rows_at, width_of, words
from flexmbd.lanes.vector import inner

MARGIN = 0.2  # by the smallest reach
ROOM = 12  # pairs of a list by members and lanes
LARGEST = 1e9  # cells so far from the origin are one: what is in a cell is looked at anyway

# Words of a group: members, axes, pairs that there is room for, size of the hash table (a power of two); addresses of the list, of rows of
# X with places, of rows of P with reaches; of rows of lanes with places and reaches when the list was made, and with margins; of marks, of
# where entries of the hash tables end, of members by these; then pairs of the list, whether more come, the member that they begin with,
# and whether the list serves on.
(
    MEMBERS, AXES, SPACE, TABLE, LIST, PLACES, REACHES, BEFORE, MARKS, ENDS, SORTED, COUNT, MORE, CURSOR, SERVES,
) = range(15)  # fmt: skip
WORDS = 15


@inner
def moved(X, P, at):
    """Whether in some lane a member has moved by half the margin, or grown, since the list was made."""
    n, d, places, reaches, before = at[MEMBERS], at[AXES], words(at[PLACES]), words(at[REACHES]), rows_at(at[BEFORE], X)
    margin = ld(before, n * (d + 1))
    stale = margin < margin
    for i in range(n):
        own, way = i * (d + 1), 0.0 * margin
        most = 0.5 * margin - maximum(ld(P, reaches[i]) - ld(before, own + d), 0.0)
        for k in range(d):
            step = ld(X, places[i * d + k]) - ld(before, own + k)
            way = way + step * step
        stale = stale | lnot((way <= most * most) & (most >= 0.0))
    return any_lane(stale)


@inner
def cell(x, size):
    """Number of the cell of a place along an axis."""
    return int(math.floor(min(max(x / size, -LARGEST), LARGEST)))  # noqa: RUF046 (a float to Numba)


@inner
def entry(a, b, c, table):
    """Entry of the hash table of a cell."""
    return ((a * 73856093) ^ (b * 19349663) ^ (c * 83492791)) & (table - 1)


@inner
def cells(i, lane, size, before, d):
    """Numbers of the cell of a member."""
    own = i * (d + 1)
    depth = cell(get(before, own + d - 1, lane), size) if d > 2 else 0
    return cell(get(before, own, lane), size), cell(get(before, own + 1, lane), size), depth


@inner
def keep(lane, X, P, at):
    """Keep places, reaches and margin of a lane; the size of its cells, 0 where places are not finite."""
    n, d, places, reaches, before = at[MEMBERS], at[AXES], words(at[PLACES]), words(at[REACHES]), rows_at(at[BEFORE], X)
    smallest, largest, finite = 1e300, 0.0, True
    for i in range(n):
        own, reach = i * (d + 1), get(P, reaches[i], lane)
        put(before, own + d, lane, reach)
        smallest, largest = min(smallest, reach), max(largest, reach)
        for k in range(d):
            x = get(X, places[i * d + k], lane)
            put(before, own + k, lane, x)
            finite = finite and abs(x) < 1e100
    margin = MARGIN * smallest if finite else -1.0
    put(before, n * (d + 1), lane, margin)
    return 2.0 * largest + margin if finite else 0.0


@inner
def sort(lane, size, X, at):
    """Sort the members of a lane by entries of its hash table."""
    n, d, table, before = at[MEMBERS], at[AXES], at[TABLE], rows_at(at[BEFORE], X)
    ends, members = words(at[ENDS] + 8 * lane * (table + 1)), words(at[SORTED] + 8 * lane * n)
    for k in range(table + 1):
        ends[k] = 0
    for i in range(n if size > 0.0 else 0):
        a, b, c = cells(i, lane, size, before, d)
        ends[entry(a, b, c, table) + 1] += 1
    for k in range(table):
        ends[k + 1] += ends[k]
    for i in range(n if size > 0.0 else 0):  # from where an entry begins to where it ends
        a, b, c = cells(i, lane, size, before, d)
        k = entry(a, b, c, table)
        members[ends[k]] = i
        ends[k] += 1


@inner
def near(i, lane, first, count, X, at):
    """Add the members behind i that are near it in a lane to its pairs, which begin at `first` of the list; how many these are then."""
    n, d, table, before, pairs, marks = at[MEMBERS], at[AXES], at[TABLE], rows_at(at[BEFORE], X), words(at[LIST]), words(at[MARKS])
    ends, members, margin = words(at[ENDS] + 8 * lane * (table + 1)), words(at[SORTED] + 8 * lane * n), get(before, n * (d + 1), lane)
    if not margin > 0.0:
        return count
    own = i * (d + 1)
    size, reach = doubles(at[ENDS] + 8 * (lane * (table + 1) + table))[0], get(before, own + d, lane) + margin
    a, b, c = cells(i, lane, size, before, d)
    for x in range(a - 1, a + 2):
        for y in range(b - 1, b + 2):
            for z in range(c - (d > 2), c + 1 + (d > 2)):
                k = entry(x, y, z, table)
                for m in range(ends[k - 1] if k > 0 else 0, ends[k]):
                    j = members[m]
                    if j <= i or marks[j] == i + 1:
                        continue
                    apart, most = 0.0, reach + get(before, j * (d + 1) + d, lane)
                    for axis in range(d):
                        way = get(before, own + axis, lane) - get(before, j * (d + 1) + axis, lane)
                        apart += way * way
                    if apart <= most * most:
                        marks[j] = i + 1
                        at_pair = first + count
                        while at_pair > first and pairs[at_pair - 1] >> 32 > j:
                            pairs[at_pair] = pairs[at_pair - 1]
                            at_pair -= 1
                        pairs[at_pair] = i | (j << 32)
                        count += 1
    return count


def neighbours(X, P, W, at):
    """The next part of the list of pairs that are near each other; X begins with the coordinates, and `at` are the words of the group."""
    n, start = at[MEMBERS], at[CURSOR]
    if start == 0:
        if at[SERVES] > 0 and not moved(X, P, at):
            return
        marks, table = words(at[MARKS]), at[TABLE]
        for i in range(n):
            marks[i] = 0
        for lane in range(width_of(X)):
            size = keep(lane, X, P, at)
            sort(lane, size, X, at)
            doubles(at[ENDS] + 8 * (lane * (table + 1) + table))[0] = size
    total, i = 0, start
    while i < n and total + n <= at[SPACE]:
        count = 0
        for lane in range(width_of(X)):
            count = near(i, lane, total, count, X, at)
        total += count
        i += 1
    at[COUNT], at[MORE], at[CURSOR] = total, i < n, i if i < n else 0
    at[SERVES] = start == 0 and i == n
