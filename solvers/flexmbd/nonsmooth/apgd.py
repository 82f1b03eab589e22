"""Accelerated projected gradient (APGD; Mazhar, Heyn, Negrut and Tasora 2015, ACM Trans. Graph. 34:32): many contacts, no factors."""

import math

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lanes.vector import inner
from flexmbd.nonsmooth.cones import natural_map, projected, rows_times
from flexmbd.nonsmooth.problem import TINY

ITERATIONS = 50_000
LOOK = 5  # iterations between two looks at the residual
DEEPER = 0.2  # of the residual of the true problem: what the one with the lift held is solved to


@inner
def dots(a, b):
    """Sum of products of (m, 3) arrays."""
    total = 0.0
    for i in range(len(a)):
        total += a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1] + a[i, 2] * b[i, 2]
    return total


@inner
def stepped(y, gradient, scales, length, mu, out):
    """Projected step of each contact by its scale."""
    for i in range(len(mu)):
        r = scales[i] / length
        n, a, b = projected(y[i, 0] - r * gradient[i, 0], y[i, 1] - r * gradient[i, 1], y[i, 2] - r * gradient[i, 2], mu[i])
        out[i, 0], out[i, 1], out[i, 2] = n, a, b


@inner
def lifted_map(p, u, lift, mu, scales):
    """Natural map of the convex problem: ``u + lift n`` in place of ``u + mu |u_t| n``."""
    total = 0.0
    for i in range(len(mu)):
        r = scales[i]
        n, a, b = projected(p[i, 0] - r * (u[i, 0] + lift[i]), p[i, 1] - r * u[i, 1], p[i, 2] - r * u[i, 2], mu[i])
        total += ((p[i, 0] - n) ** 2 + (p[i, 1] - a) ** 2 + (p[i, 2] - b) ** 2) / (r * r)
    return math.sqrt(total)


@kernel
def accelerated(starts, columns, blocks, b, mu, scales, wanted, most, p):
    """Minimise with the lift of sliding held, renew it, and so on: iterations and natural map."""
    y, u = p.copy(), rows_times(starts, columns, blocks, p, b)
    none = np.zeros_like(b)
    uy, new = u.copy(), np.empty_like(p)
    lift = np.empty(len(mu))
    length, momentum, done = 1.0, 1.0, 0
    error = natural_map(p, u, mu, scales, True)
    while done < most and error > wanted:
        for i in range(len(mu)):
            lift[i] = mu[i] * math.sqrt(u[i, 1] ** 2 + u[i, 2] ** 2)
        deep, momentum = max(DEEPER * error, 0.5 * wanted), 1.0
        y[:], uy[:] = p, u
        while done < most:
            done += 1
            for i in range(len(mu)):
                uy[i, 0] += lift[i]
            while True:
                stepped(y, uy, scales, length, mu, new)
                turn = new - y
                bent, flat = rows_times(starts, columns, blocks, turn, none), 0.0
                for i in range(len(mu)):
                    flat += (turn[i, 0] ** 2 + turn[i, 1] ** 2 + turn[i, 2] ** 2) / scales[i]
                if dots(turn, bent) <= length * flat * (1.0 + 1e-12) or flat == 0.0:
                    break
                length *= 2.0
            back = dots(uy, new - p)
            for i in range(len(mu)):
                uy[i, 0] -= lift[i]
            after = uy + bent
            ahead = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
            share = (momentum - 1.0) / ahead
            if back > 0.0:
                share, ahead = 0.0, 1.0
            y = new + share * (new - p)
            uy = after + share * (after - u)
            p[:], u[:], momentum = new, after, ahead
            length *= 0.97
            if done % LOOK == 0 and lifted_map(p, u, lift, mu, scales) <= deep:
                break
        u = rows_times(starts, columns, blocks, p, b)
        error = natural_map(p, u, mu, scales, True)
    return done, error


def apgd(problem, tolerance, iterations, start):
    """Nesterov's accelerated projected gradient with restarts and a step length found on the way; an iteration is a gradient.

    The convex problem in which sliding contacts lift is solved with its lift taken off, ``b_n + mu |u_t|`` (de Saxcé), which is renewed
    until nothing changes: so the solution has Coulomb's friction, not the associated one.
    """
    most = ITERATIONS if iterations is None else iterations
    starts, columns, blocks, _ = problem.blocks
    wanted = tolerance * max(problem.speed, TINY)
    done, _ = accelerated(starts, columns, blocks, problem.wide, problem.friction, 1.0 / problem.yields, wanted, most, start)
    return start, done, ""


__all__ = ["apgd"]
