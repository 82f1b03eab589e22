"""Cones of friction of many contacts: projections, the natural map, products with rows of blocks; compiled."""

import math

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lanes.vector import inner


@inner
def projected(n, x, y, mu):
    """Nearest point with ``hypot(x, y) <= mu n``."""
    size = math.sqrt(x * x + y * y)
    if mu * size <= -n:
        return 0.0, 0.0, 0.0
    if size <= mu * n:
        return n, x, y
    new = (n + mu * size) / (1.0 + mu * mu)
    return new, mu * new / size * x, mu * new / size * y


@inner
def row_times(i, starts, columns, blocks, p, b):
    """Velocities of contact i."""
    n, x, y = b[i, 0], b[i, 1], b[i, 2]
    for k in range(starts[i], starts[i + 1]):
        j, w = columns[k], blocks[k]
        pn, px, py = p[j, 0], p[j, 1], p[j, 2]
        n += w[0, 0] * pn + w[0, 1] * px + w[0, 2] * py
        x += w[1, 0] * pn + w[1, 1] * px + w[1, 2] * py
        y += w[2, 0] * pn + w[2, 1] * px + w[2, 2] * py
    return n, x, y


@kernel
def rows_times(starts, columns, blocks, p, b):
    """``W p + b`` (m, 3)."""
    found = np.empty_like(p)
    for i in range(len(p)):
        found[i, 0], found[i, 1], found[i, 2] = row_times(i, starts, columns, blocks, p, b)
    return found


@kernel
def project(points, mu):
    """Nearest points (m, 3) in the cones."""
    found = np.empty_like(points)
    for i in range(len(mu)):
        found[i, 0], found[i, 1], found[i, 2] = projected(points[i, 0], points[i, 1], points[i, 2], mu[i])
    return found


@kernel
def natural_map(p, u, mu, scales, divided):
    """Norm of ``p - P_K(p - r (u + mu |u_t| n))``, each contact's divided by its r where asked."""
    total = 0.0
    for i in range(len(mu)):
        r = scales[i]
        lifted = u[i, 0] + mu[i] * math.sqrt(u[i, 1] * u[i, 1] + u[i, 2] * u[i, 2])
        n, x, y = projected(p[i, 0] - r * lifted, p[i, 1] - r * u[i, 1], p[i, 2] - r * u[i, 2], mu[i])
        share = (p[i, 0] - n) ** 2 + (p[i, 1] - x) ** 2 + (p[i, 2] - y) ** 2
        total += share / (r * r) if divided else share
    return math.sqrt(total)


__all__ = ["natural_map", "project", "projected", "row_times", "rows_times"]
