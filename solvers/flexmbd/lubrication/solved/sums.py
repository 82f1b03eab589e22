"""Generalised forces of a film's pressure, and their tangent by the adjoint at fixed full cells.

With ``h = c + sum s_k phi_k`` and the rate ``sum r_k phi_k`` the force along s_k is ``Q_k = int (p - p_side) phi_k dA``, so that
``sum Q_k r_k`` is the pressure's power on the surfaces. Where ``A(s) p = b(s, r)`` and ``A l_k = dA_k`` (phi_k times the area, in each
full cell): ``dQ_k = l_k . (db - dA p)``. The full cells change only where pressure and overflow are both zero, which changes neither the
force nor, but for a kink, its tangent.
"""

import numpy as np
from numba import carray

from flexmbd.lubrication.reynolds.active_set import solve_rows
from flexmbd.lubrication.reynolds.simd import inner
from flexmbd.lubrication.solved.cavities import solve_pressure
from flexmbd.lubrication.solved.room import HEAD, views

FORCE, TANGENT, PEAK, SHEAR, SHEAR_TANGENT, THINNEST = range(6)


@inner
def area_of(room):
    """Area that a cell stands for in m^2."""
    n, m, count = int(room.head[0]), int(room.head[1]), int(room.head[2])
    return 2.0 * np.pi * room.numbers[2 * count + 1] * room.numbers[2 * count + 3] / (n * m)


@inner
def forces(room, out):
    """Q_k (K,)."""
    n, m, count, p = int(room.head[0]), int(room.head[1]), int(room.head[2]), room.cells.pressure
    area, side = area_of(room), room.numbers[2 * count + 4]
    for k in range(count):
        q = 0.0
        for i in range(n):
            for j in range(m):
                q += (room.cells.share[i, j] * p[i, j] - side) * room.shapes[k, i, j]
        out[k] = area * q


@inner
def tangents(room, found, closed, out):
    """For each k the derivatives of Q_k by all s, then by all r: (2 K K,)."""
    n, m, count, half = int(room.head[0]), int(room.head[1]), int(room.head[2]), room.head[4] > 0.0
    numbers, h, p, base, v, g = room.numbers, room.thickness, room.cells.pressure, room.cells.base, room.adjoint, room.cells.share
    radius, viscosity, length, side = numbers[2 * count + 1], numbers[2 * count + 2], numbers[2 * count + 3], numbers[2 * count + 4]
    dx, dz = 2.0 * np.pi * radius / n, (0.5 if half else 1.0) * length / m
    along, across = 0.25 * dz / dx / viscosity, 0.25 * dx / dz / viscosity  # derivative of h^3/12 by h is h^2/4
    area = area_of(room)
    for i in range(n):  # the pressure below zero that was cut off is part of the equations
        for j in range(m):
            v[i, j] = g[i, j]
    for k in range(count):
        for i in range(n):
            for j in range(m):
                base[i, j] = area * room.shapes[k, i, j] * v[i, j]
        solve_rows(room.cells, found, closed, base, g)
        # g is the adjoint; base collects the derivative of Q_k by the thickness of each cell
        for i in range(n):
            before, after = (i - 1 if i > 0 else n - 1), (i + 1 if i < n - 1 else 0)
            for j in range(m):
                face, next_face = 0.5 * (h[i, j] + h[before, j]), 0.5 * (h[i, j] + h[after, j])
                one = along * face * face * (p[i, j] - p[before, j]) * (g[i, j] - g[before, j])
                one += along * next_face * next_face * (p[i, j] - p[after, j]) * (g[i, j] - g[after, j])
                if j > 0:
                    face = 0.5 * (h[i, j] + h[i, j - 1])
                    one += across * face * face * (p[i, j] - p[i, j - 1]) * (g[i, j] - g[i, j - 1])
                elif not half:
                    one += 4.0 * across * h[i, j] * h[i, j] * (p[i, j] - side) * g[i, j]
                if j < m - 1:
                    face = 0.5 * (h[i, j] + h[i, j + 1])
                    one += across * face * face * (p[i, j] - p[i, j + 1]) * (g[i, j] - g[i, j + 1])
                else:
                    one += 4.0 * across * h[i, j] * h[i, j] * (p[i, j] - side) * g[i, j]
                base[i, j] = -0.5 * one
        for other in range(count):
            by_place = by_rate = 0.0
            for i in range(n):
                for j in range(m):
                    by_place += base[i, j] * room.shapes[other, i, j]
                    by_rate -= g[i, j] * room.shapes[other, i, j]
            out[2 * count * k + other] = by_place
            out[2 * count * k + count + other] = dx * dz * by_rate


@inner
def shears(room, slope, out):
    """Torque of the film's shear by difference of the spins, ``int viscosity R^2/h dA`` in N m s, or its derivatives by all s (K,)."""
    n, m, count, h = int(room.head[0]), int(room.head[1]), int(room.head[2]), room.thickness
    radius, viscosity = room.numbers[2 * count + 1], room.numbers[2 * count + 2]
    scale = area_of(room) * viscosity * radius * radius
    for k in range(count if slope else 1):
        torque = 0.0
        for i in range(n):
            for j in range(m):
                torque += -room.shapes[k, i, j] / (h[i, j] * h[i, j]) if slope else 1.0 / h[i, j]
        out[k] = scale * torque


@inner
def _size(count, what):
    """Number of results."""
    if what == TANGENT:
        return 2 * count * count
    return count if what in (FORCE, SHEAR_TANGENT) else 1


size_of = getattr(_size, "py_func", _size)


def evaluate(block, given, lanes, what, results):
    """Films side by side, by pointers to float64: a block (see ``room``), (numbers, lanes) and (results, lanes); lane l remembers its own
    films. Results are forces, tangent, largest pressure (Pa), torque of the shear or its derivatives, or smallest thickness (m); nan where
    there is no solution.

    All in one function: what calls compiled code is optimised again together with it.
    """
    room = views(carray(block, (int(carray(block, (HEAD,))[8]),)))
    count, out = int(room.head[2]), room.results
    numbers, size = len(room.numbers), _size(count, what)
    every, found_all = carray(given, (numbers * lanes,)), carray(results, (size * lanes,))
    for lane in range(lanes):
        for k in range(numbers):
            room.numbers[k] = every[k * lanes + lane]
        settled, found, closed = solve_pressure(room, lane, what < SHEAR)
        if what == THINNEST:
            out[0] = np.min(room.thickness)
        elif not settled:
            for k in range(size):
                out[k] = np.nan
        elif what == FORCE:
            forces(room, out)
        elif what == TANGENT:
            tangents(room, found, closed, out)
        elif what == PEAK:
            out[0] = max(np.max(room.cells.pressure), 0.0)
        else:
            shears(room, what == SHEAR_TANGENT, out)
        for k in range(size):
            found_all[k * lanes + lane] = out[k]


__all__ = ["FORCE", "PEAK", "SHEAR", "SHEAR_TANGENT", "TANGENT", "THINNEST", "evaluate", "size_of"]
