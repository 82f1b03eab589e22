"""Contact problems of one step of rigid bodies under gravity: stacks, towers, chains, piles; for benchmarks and tests."""

import numpy as np
from scipy import sparse

from flexmbd.nonsmooth import ContactProblem

GRAVITY, STEP = np.array([0.0, 0.0, -9.81]), 1e-2


def problem(bodies, contacts, friction, velocities=None, step=STEP):
    """Contact problem of the end of a step.

    Parameters
    ----------
    bodies : list of (mass, moments of inertia (3,), centre (3,))
    contacts : list of (body a, body b or -1, point (3,), normal (3,))
        The normal points from b to a.
    friction : float
    velocities : ndarray (bodies, 6), optional
        At the start of the step: of the centre, then angular.
    """
    n, m = len(bodies), len(contacts)
    rows, columns, values = [], [], []
    for c, (a, b, point, normal) in enumerate(contacts):
        frame = np.stack([normal, *tangents(normal)])
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body < 0:
                continue
            arm = np.asarray(point) - bodies[body][2]
            block = sign * np.hstack([frame, np.cross(arm, frame)])
            rows.append(np.repeat(np.arange(3 * c, 3 * c + 3), 6))
            columns.append(np.tile(np.arange(6 * body, 6 * body + 6), 3))
            values.append(block.ravel())
    directions = sparse.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(3 * m, 6 * n))
    inverse = np.concatenate([[1.0 / mass] * 3 + list(1.0 / np.asarray(inertia)) for mass, inertia, _ in bodies])
    start = np.zeros((n, 6)) if velocities is None else np.array(velocities, dtype=float)
    start[:, :3] += step * GRAVITY
    return ContactProblem.of_bodies(directions, sparse.diags_array(inverse), (directions @ start.ravel()).reshape(m, 3), friction)


def tangents(normal):
    """Two unit vectors across a unit vector."""
    other = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = np.cross(normal, other)
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)


def box(sides, centre, density=1000.0):
    """Mass, moments of inertia and centre of a box."""
    x, y, z = sides
    mass = density * x * y * z
    return mass, mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y]), np.asarray(centre, dtype=float)


def ball(radius, centre, density=1000.0):
    """Mass, moments of inertia and centre of a sphere."""
    mass = density * 4.0 / 3.0 * np.pi * radius**3
    return mass, np.full(3, 0.4 * mass * radius**2), np.asarray(centre, dtype=float)


def stack(count, friction=0.5, push=0.0):
    """Cubes on each other, four corners an interface; the top one is pushed sideways with a velocity."""
    up, side = np.array([0.0, 0.0, 1.0]), 0.1
    bodies = [box((side,) * 3, (0.0, 0.0, (k + 0.5) * side)) for k in range(count)]
    corners = [(0.5 * side * i, 0.5 * side * j) for i in (-1, 1) for j in (-1, 1)]
    contacts = [(k, k - 1, np.array([x, y, k * side]), up) for k in range(count) for x, y in corners]
    velocities = np.zeros((count, 6))
    velocities[-1, 0] = push
    return problem(bodies, contacts, friction, velocities)


def tower(layers, friction=0.3, push=0.0):
    """Planks in pairs across each other (16 contacts a layer), the lowest pair on the ground (8); the top pair is pushed."""
    long, wide, thick = 0.12, 0.024, 0.008
    up, off = np.array([0.0, 0.0, 1.0]), 0.04
    bodies, contacts = [], []
    for layer in range(layers):
        for s in (-off, off):
            centre, sides = ((0.0, s), (long, wide, thick)) if layer % 2 else ((s, 0.0), (wide, long, thick))
            bodies.append(box(sides, (*centre, (layer + 0.5) * thick), density=600.0))
    for layer in range(layers):
        for k, s in enumerate((-off, off)):
            for j, t in enumerate((-off, off)):
                for x in (-0.5 * wide, 0.5 * wide):
                    for y in (-0.5 * wide, 0.5 * wide):
                        point = (t + x, s + y) if layer % 2 else (s + x, t + y)
                        below = 2 * (layer - 1) + j if layer else -1
                        contacts.append((2 * layer + k, below, np.array([*point, layer * thick]), up))
    velocities = np.zeros((len(bodies), 6))
    velocities[-2:, 0] = push
    return problem(bodies, contacts, friction, velocities)


def chain(count, friction=0.3, push=1.0):
    """Spheres in a row on a floor, the first thrown at the others, which touch."""
    r, up, along = 0.05, np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    bodies = [ball(r, (2.0 * r * k, 0.0, r)) for k in range(count)]
    contacts = [(k, -1, np.array([2.0 * r * k, 0.0, 0.0]), up) for k in range(count)]
    contacts += [(k + 1, k, np.array([2.0 * r * k + r, 0.0, r]), along) for k in range(count - 1)]
    velocities = np.zeros((count, 6))
    velocities[0, 0] = push
    return problem(bodies, contacts, friction, velocities)


def pile(edge, layers, friction=0.3, seed=0):
    """Spheres in square layers, each in the hollow of four below, walls around; small velocities of a seed."""
    r, up = 0.05, np.array([0.0, 0.0, 1.0])
    rise = np.sqrt(2.0) * r
    bodies, contacts, number = [], [], {}
    for layer in range(layers):
        size, shift = edge - layer % 2, r * (layer % 2)
        for i in range(size):
            for j in range(size):
                number[layer, i, j] = len(bodies)
                bodies.append(ball(r, (2.0 * r * i + shift, 2.0 * r * j + shift, r + layer * rise)))
    for (layer, i, j), a in number.items():
        centre, size = bodies[a][2], edge - layer % 2
        if layer == 0:
            contacts.append((a, -1, centre - r * up, up))
        if layer % 2 == 0:
            for k, axis in ((i, 0), (j, 1)):
                for end, sign in ((0, 1.0), (size - 1, -1.0)):
                    if k == end:
                        normal = sign * np.eye(3)[axis]
                        contacts.append((a, -1, centre - r * normal, normal))
        for di in (0, 1):
            for dj in (0, 1):
                low = (layer - 1, i + di - (layer + 1) % 2, j + dj - (layer + 1) % 2)
                if low in number:
                    b = number[low]
                    normal = (centre - bodies[b][2]) / (2.0 * r)
                    contacts.append((a, b, bodies[b][2] + r * normal, normal))
    velocities = np.zeros((len(bodies), 6))
    velocities[:] = np.random.default_rng(seed).normal(scale=0.05, size=velocities.shape) * [1, 1, 1, 1, 1, 1]
    return problem(bodies, contacts, friction, velocities)
