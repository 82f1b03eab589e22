"""The iteration as Wu, Gao and Zhong (2014) print it, (28) to (31), for example 2: coupling forces are constant in a step.

Large motion by the action of straight ways, closed in its velocities too; vibration with the masses R of a rod whose ends stand still;
F_q and F_a are the means of both ends.
"""

import numpy as np
from scipy.linalg import eigh

from .rods import EI_2, STEEL

LENGTH, LINE, SHARE, BALL = 2.0, STEEL * 0.01, 0.4, 10.0
ORDER = np.arange(1, 4)
SINES = np.sin(ORDER * np.pi * SHARE)
OWN = 0.5 * LINE * LENGTH * np.eye(3) + BALL * np.outer(SINES, SINES)
LEFT = LINE * LENGTH / (ORDER * np.pi) + BALL * (1.0 - SHARE) * SINES
RIGHT = LINE * LENGTH * (-1.0) ** (ORDER + 1) / (ORDER * np.pi) + BALL * SHARE * SINES
NEAR, FAR = (1.0 - SHARE) * BALL, SHARE * BALL
LUMPED = LINE * LENGTH / 6.0 * np.array([[2, 1], [1, 2]]) + np.array([[NEAR * (1.0 - SHARE), NEAR * SHARE], [NEAR * SHARE, FAR * SHARE]])
MASS = np.kron(LUMPED + np.diag([15.0 * 1.0 / 3.0, 15.0 * 10.0 / 3.0]), np.eye(2))
INVERSE = np.linalg.inv(MASS)


def coupling(q):
    """W(q) of (21), linear in q."""
    normal = np.array([q[1] - q[3], q[2] - q[0]]) / LENGTH
    return np.hstack([np.outer(LEFT, normal), np.outer(RIGHT, normal)])


def turning(rates, v):
    """Derivatives of ``rates.W(q) v`` by q."""
    return np.array([rates @ coupling(e) @ v for e in np.eye(4)])


def rows(q):
    """Halves of the rows (36), and their gradients."""
    chord, crank, rocker = q[2:] - q[:2], q[:2], q[2:] - [3.0, -10.0]
    zero = np.zeros(2)
    gradients = np.array([np.hstack([-chord, chord]), np.hstack([crank, zero]), np.hstack([zero, rocker])])
    return 0.5 * np.array([chord @ chord - 4.0, crank @ crank - 1.0, rocker @ rocker - 100.0]), gradients


def held(q, impulse):
    """Velocities by an impulse that the rows allow."""
    gradients, free = rows(q)[1], INVERSE @ impulse
    return free - INVERSE @ gradients.T @ np.linalg.solve(gradients @ INVERSE @ gradients.T, gradients @ free)


def energy(q, v, a, b, stiffness):
    """Of (21), J."""
    return 0.5 * v @ MASS @ v + b @ coupling(q) @ v + 0.5 * b @ OWN @ b + 0.5 * a @ stiffness @ a


def constant_coupling(share, step, count, tries=60):
    """Energies of so many steps with a share of the stiffness; fewer where they run away."""
    stiffness = np.diag(share * EI_2 * (ORDER * np.pi / LENGTH) ** 4 * 0.5 * LENGTH)
    squares, shapes = eigh(stiffness, OWN)
    w, back = np.sqrt(squares), shapes.T @ OWN
    even, odd = (shapes @ np.diag(x) @ back for x in (np.cos(w * step), np.sin(w * step) / w))
    q, v, a, b = np.array([1.0, 0.0, 3.0, 0.0]), np.array([0.0, np.pi, 0.0, 0.0]), np.zeros(3), np.zeros(3)
    found = [energy(q, v, a, b, stiffness)]
    for _ in range(count):
        before, q1, v1, a1, b1 = coupling(q), q + step * v, v, a, b
        push = rows(q)[1].T
        for _ in range(tries):
            now = coupling(q1)
            force = 0.5 * (turning(b, v) + turning(b1, v1)) - (now.T @ b1 - before.T @ b) / step
            open_by, gradients = rows(q1)
            left = MASS @ (q - q1 + step * v) + 0.5 * step * step * force
            forces = np.linalg.solve(gradients @ INVERSE @ push, gradients @ INVERSE @ left + open_by)
            change = INVERSE @ (left - push @ forces)
            q1 = q1 + change
            v1 = held(q1, MASS @ (q1 - q) / step + 0.5 * step * force)
            still = np.linalg.solve(stiffness, -(coupling(q1) @ v1 - before @ v) / step)
            new = still + even @ (a - still) + odd @ b
            b1 = even @ b - np.linalg.solve(OWN, stiffness @ odd @ (a - still))
            shift, a1 = np.abs(new - a1).max(), new
            if np.abs(change).max() < 1e-12 and shift < 1e-14:
                break
        q, v, a, b = q1, v1, a1, b1
        found.append(energy(q, v, a, b, stiffness))
        if not abs(found[-1]) < 10.0 * found[0]:
            break
    return np.array(found)
