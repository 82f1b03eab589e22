"""Pressure of a film of given thickness and rate within the time loop: the coefficients of ``reynolds.problem`` from a few numbers, and
full cells remembered from similar films, from which ``reynolds.active_set`` starts.

It ends at the same solution whatever it starts from: with the same full cells the same operations are done, so pressures are the same to
the last bit; only a cell whose pressure (or overflow) is within 1e-13 of the film's largest may be full or not by its past, and changes
results by as little.
"""

import numpy as np

from flexmbd.lubrication.reynolds.active_set import settle
from flexmbd.lubrication.reynolds.simd import inlined, inner
from flexmbd.lubrication.solved.room import GUMBEL, REYNOLDS, SLOTS, WAYS

MOST, PATIENCE = 60, 20  # linear solves


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
    h, gx, gz, base = room.thickness, room.cells.gx, room.cells.gz, room.cells.base
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
    supply, base, gx, gz = room.cells.supply, room.cells.base, room.cells.gx, room.cells.gz
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
    model, place, on = int(room.head[5]), room.place, room.cells.on
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
                    wet = wet or room.cells.base[a, j] > 0.0
            if speed == 0.0 and room.head[3] == 0.0:
                wet = room.shapes[0, i, 0] < 0.0  # at rest there is no pressure, and the tangent is that of the first amplitude's growth
        for j in range(m):
            full = room.memory[slot, way, i, j] if known else (1.0 if wet else 0.0)
            on[i, j] = 0.0 if room.cells.supply[i, j] >= 0.0 else full
    return way


@inlined
def solve_pressure(room, slot, wanted):
    """Thickness, and if `wanted` the pressure in all cells and in `share` 1.0 where it acts.

    Returns whether there is a film and its full cells settled, the number of listed rows, and True for a closed ring, with the factors of
    the last solve.
    """
    n, m, count, model = int(room.head[0]), int(room.head[1]), int(room.head[2]), int(room.head[5])
    room.head[6] = 0.0
    open_gap = coefficients(room)
    if not open_gap or not wanted:
        return open_gap, 0, False
    slot = min(slot, SLOTS - 1)
    way = begin(room, slot)
    settled, found, closed, solves = settle(room.cells, model == REYNOLDS, MOST, PATIENCE)
    room.head[6] = solves
    p = room.cells.pressure
    if settled and model == REYNOLDS:
        for k in range(2 * count):
            room.keys[slot, way, k] = room.place[k]
        room.keys[slot, way, 2 * count] = 1.0
    for i in range(n):
        for j in range(m):
            if settled and model == REYNOLDS:
                room.memory[slot, way, i, j] = room.cells.on[i, j]
            if room.cells.supply[i, j] >= 0.0:
                p[i, j] = room.numbers[2 * count + 5 + int(room.cells.supply[i, j])]
            room.cells.share[i, j] = 0.0 if model == GUMBEL and p[i, j] <= 0.0 else 1.0
    return settled, found, closed
