"""Pressure of a film of given thickness and rate: finite volumes as in ``reynolds.problem``, full cells by the primal-dual active set
method as in ``reynolds.active_set`` (Hintermüller, Ito and Kunisch, *SIAM J. Optim.* 13, 2002), in one compiled function.

Only rows with full cells are eliminated. The method ends at the one solution of the complementarity problem, whatever it starts from:
with the same full cells the same operations are done, so pressures are the same to the last bit; only a cell whose pressure (or
overflow) is within 1e-13 of the film's largest may be full or not by its past, and changes results by as little.
"""

import numpy as np

from flexmbd.lubrication.solved.band import factorise, padded, stride_of, substitute
from flexmbd.lubrication.solved.room import GUMBEL, REYNOLDS, SLOTS, WAYS
from flexmbd.lubrication.solved.simd import inlined, inner

MOST = 60  # linear solves; from the 20th on a cell needs ever more to change sides, so that round-off does not go round in circles


@inner
def coefficients(room):
    """Thickness, conductances and known inflow from the film's numbers; False where the gap is closed."""
    head, numbers = room.head, room.numbers
    n, m, count, half = int(head[0]), int(head[1]), int(head[2]), head[4] > 0.0
    gap, radius, viscosity, length, side = (
        numbers[2 * count], numbers[2 * count + 1], numbers[2 * count + 2], numbers[2 * count + 3], numbers[2 * count + 4],
    )  # fmt: skip
    dx, dz = 2.0 * np.pi * radius / n, (0.5 if half else 1.0) * length / m
    area, twelfth = dx * dz, 1.0 / (12.0 * viscosity)
    along, across = dz / dx * twelfth, dx / dz * twelfth
    h, gx, gz, base = room.thickness, room.gx, room.gz, room.base
    for i in range(n):
        for j in range(m):
            h[i, j], base[i, j] = gap, 0.0
    for k in range(count):
        amplitude, speed = numbers[k], -area * numbers[count + k]
        for i in range(n):
            for j in range(m):
                h[i, j] += amplitude * room.shapes[k, i, j]
                base[i, j] += speed * room.shapes[k, i, j]
    smallest = gap
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        for j in range(m):
            face = 0.5 * (h[i, j] + h[before, j])
            gx[i, j] = along * face * face * face
            smallest = min(smallest, h[i, j])
        for j in range(1, m):
            face = 0.5 * (h[i, j] + h[i, j - 1])
            gz[i, j] = across * face * face * face
        gz[i, 0] = 0.0 if half else 2.0 * across * h[i, 0] * h[i, 0] * h[i, 0]
        gz[i, m] = 2.0 * across * h[i, m - 1] * h[i, m - 1] * h[i, m - 1]
        base[i, 0] += gz[i, 0] * side
        base[i, m - 1] += gz[i, m] * side
    if head[3] > 0.0:
        _supplies(room, n, m, 2 * count + 5)
    return smallest > 0.0 and viscosity > 0.0


@inner
def _supplies(room, n, m, first):
    """Inflow from grooves, whose cells are no unknowns."""
    supply, base, gx, gz = room.supply, room.base, room.gx, room.gz
    for i in range(n):
        before, after = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
        for j in range(m):
            if supply[i, j] < 0.0:
                continue
            p = room.numbers[first + int(supply[i, j])]
            base[before, j] += gx[i, j] * p
            base[after, j] += gx[after, j] * p
            if j > 0:
                base[i, j - 1] += gz[i, j] * p
            if j < m - 1:
                base[i, j + 1] += gz[i, j + 1] * p


@inner
def begin(room, slot):
    """Full cells to start from; the way of the slot's memory that they come from and go back to, and whether they come from it."""
    n, m, count, gap = int(room.head[0]), int(room.head[1]), int(room.head[2]), room.numbers[2 * int(room.head[2])]
    model, place, on = int(room.head[5]), room.place, room.on
    speed = 0.0
    for k in range(count):
        speed = max(speed, abs(room.numbers[count + k]))
    for k in range(count):
        place[k] = room.numbers[k] / gap
        place[count + k] = room.numbers[count + k] / speed if speed > 0.0 else 0.0
    best, way = 1e300, 0
    for w in range(WAYS):
        away = 1e290
        if room.keys[slot, w, 2 * count] > 0.0:
            away = 0.0
            for k in range(2 * count):
                away += (room.keys[slot, w, k] - place[k]) ** 2
        if away < best:
            best, way = away, w
    known = model == REYNOLDS and best < 0.1 and (speed > 0.0 or room.head[3] > 0.0)
    if best >= 0.1:  # a film unlike those remembered takes the place of the next
        way = int(room.head[7])
        room.head[7] = (way + 1) % WAYS
    reach = n // 8  # the film ends behind the narrowest gap
    for i in range(n):
        wet = model < REYNOLDS
        if not known and not wet:
            for step in range(-reach, reach + 1):
                a = (i + step) % n
                for j in range(m):
                    wet = wet or room.base[a, j] > 0.0
            if speed == 0.0 and room.head[3] == 0.0:
                wet = room.shapes[0, i, 0] < 0.0  # at rest there is no pressure, and the tangent is that of the first amplitude's growth
        for j in range(m):
            full = room.memory[slot, way, i, j] if known else (1.0 if wet else 0.0)
            on[i, j] = 0.0 if room.supply[i, j] >= 0.0 else full
    return way


@inner
def list_rows(room):
    """Rows with full cells from the first place on where nothing couples across; their number, and True if there is no such place."""
    n, m, on, rows = int(room.head[0]), int(room.head[1]), room.on, room.rows
    first = -1
    for i in range(n):
        before = i - 1 if i > 0 else n - 1
        coupled = False
        for j in range(m):
            coupled = coupled or on[i, j] * on[before, j] > 0.0
        if not coupled:
            first = i
            break
    closed = first < 0
    found = 0
    for step in range(n - 1 if closed else n):
        i = (first + step) % n if not closed else step
        wet = closed
        for j in range(m):
            wet = wet or on[i, j] > 0.0
        if wet:
            rows[found] = i
            found += 1
    if closed:
        rows[found] = n - 1
    return found, closed


@inner
def assemble(room, found, closed):
    """Write the listed rows' equations; cells that are not full get ``p = 0``."""
    n, m, on, gx, gz, rows = int(room.head[0]), int(room.head[1]), room.on, room.gx, room.gz, room.rows
    band, border, corner, stride, wide = room.band, room.border, room.corner, stride_of(m), padded(m)
    for k in range(found + (1 if closed else 0)):
        i = int(rows[k])
        after = i + 1 if i < n - 1 else 0
        joined = k < found - 1 and int(rows[k + 1]) == after
        for j in range(m):
            full = on[i, j]
            centre = full * (gx[i, j] + gx[after, j] + gz[i, j] + gz[i, j + 1]) + (1.0 - full)
            north = -full * on[i, j + 1] * gz[i, j + 1] if j < m - 1 else 0.0
            if k == found:
                corner[j * wide + j] = centre
                if j < m - 1:
                    corner[j * wide + j + 1] = corner[(j + 1) * wide + j] = north
                continue
            own = (m + k * m + j) * stride
            for d in range(1, m + 1):
                band[own + d] = 0.0
            band[own] = centre
            band[own + 1] += north
            if joined:
                band[own + m] -= full * on[after, j] * gx[after, j]
            if closed:
                at = (m + k * m + j) * wide
                for b in range(wide):
                    border[at + b] = 0.0
                if k == 0:
                    border[at + j] -= full * on[n - 1, j] * gx[i, j]
                if k == found - 1:
                    border[at + j] -= full * on[n - 1, j] * gx[after, j]


@inner
def take(room, found, closed, field):
    """Right side from a field, zero in cells that are not full."""
    n_rows, m = found + (1 if closed else 0), int(room.head[1])
    for k in range(n_rows):
        i = int(room.rows[k])
        for j in range(m):
            room.x[m + k * m + j] = room.on[i, j] * field[i, j]
    for j in range(m + 8):
        room.x[m + n_rows * m + j] = 0.0


@inner
def solve_rows(room, found, closed, field, out):
    """Solve for `out` (n, m) with the factors there are; zero in cells that are not full."""
    n, m = int(room.head[0]), int(room.head[1])
    take(room, found, closed, field)
    substitute(found, m, closed, room.band, room.inverse, room.border, room.corner, room.x)
    for i in range(n):
        for j in range(m):
            out[i, j] = 0.0
    for k in range(found + (1 if closed else 0)):
        i = int(room.rows[k])
        for j in range(m):
            out[i, j] = room.x[m + k * m + j]


@inner
def _swap(room, tolerance):
    """Full cells without pressure rupture, others that overflow become full; the number of changes."""
    n, m, on, p, gx, gz = int(room.head[0]), int(room.head[1]), room.on, room.pressure, room.gx, room.gz
    highest = flow = 0.0
    for i in range(n):
        for j in range(m):
            highest, flow = max(highest, abs(p[i, j])), max(flow, abs(room.base[i, j]))
    changes = 0
    for i in range(n):
        before, after = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
        for j in range(m):
            if on[i, j] > 0.0:
                change = p[i, j] < -tolerance * highest
            elif room.supply[i, j] >= 0.0:
                change = False
            else:
                inflow = room.base[i, j] + gx[i, j] * p[before, j] + gx[after, j] * p[after, j]
                inflow += gz[i, j] * p[i, j - 1] if j > 0 else 0.0
                inflow += gz[i, j + 1] * p[i, j + 1] if j < m - 1 else 0.0
                change = inflow > tolerance * flow
            if change:
                room.share[i, j] = 1.0
                changes += 1
            else:
                room.share[i, j] = 0.0
    if changes > 0:
        for i in range(n):
            for j in range(m):
                if room.share[i, j] > 0.0:
                    on[i, j] = 1.0 - on[i, j]
    return changes


@inlined
def solve_pressure(room, slot, wanted):
    """Thickness, and if `wanted` the pressure in all cells and in `share` 1.0 where it acts.

    Returns whether there is a film and its full cells settled, the number of listed rows, and True for a closed ring, with the factors of
    the last solve.
    """
    n, m, count, model = int(room.head[0]), int(room.head[1]), int(room.head[2]), int(room.head[5])
    settled, found, closed, tolerance = False, 0, False, 1e-13
    room.head[6] = 0.0
    open_gap = coefficients(room)
    if not open_gap or not wanted:
        return open_gap, found, closed
    slot = min(slot, SLOTS - 1)
    way = begin(room, slot)
    for turn in range(MOST):
        found, closed = list_rows(room)
        if closed:
            for a in range(m * padded(m)):
                room.corner[a] = 0.0
        assemble(room, found, closed)
        factorise(found, m, closed, room.band, room.inverse, room.border, room.corner, room.factors)
        solve_rows(room, found, closed, room.base, room.pressure)
        room.head[6] = turn + 1.0
        if model < REYNOLDS or _swap(room, tolerance) == 0:
            settled = True
            break
        if turn >= 20:
            tolerance *= 2.0
    p = room.pressure
    if settled and model == REYNOLDS:
        for k in range(2 * count):
            room.keys[slot, way, k] = room.place[k]
        room.keys[slot, way, 2 * count] = 1.0
    for i in range(n):
        for j in range(m):
            if settled and model == REYNOLDS:
                room.memory[slot, way, i, j] = room.on[i, j]
            if room.supply[i, j] >= 0.0:
                p[i, j] = room.numbers[2 * count + 5 + int(room.supply[i, j])]
            room.share[i, j] = 0.0 if model == GUMBEL and p[i, j] <= 0.0 else 1.0
    return settled, found, closed
