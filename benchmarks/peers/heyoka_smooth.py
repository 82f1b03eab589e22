"""Smooth mechanisms in heyoka's batches of doubles, for `taylor_peers.py`: prints one JSON object.

Equations are written in minimal coordinates: absolute angles of rods, whose mass matrix is eliminated as expressions, and a quaternion with
body-fixed rates of the top. The reference is heyoka's scalar integrator in extended precision at its own rounding.
"""

import argparse
import json
import time

import heyoka as hy
import numpy as np

G = 9.81


def rods(count):
    """Uniform rods of 1 m in a chain, the last one of the mass par[0], the others of 1 kg, and the first one's end fixed; from the
    horizontal at 0.1 rad/s each: equations, start, and the horizontal place of the chain's end."""
    angles, rates = (hy.make_vars(*(f"{x}{k}" for k in range(count))) for x in "av")
    masses = [1.0] * (count - 1) + [hy.par[0]]
    beyond = [sum(masses[k + 1 :], 0.0) for k in range(count)]  # mass that hangs on the end of rod k
    shares = [masses[k] * 0.5 + beyond[k] for k in range(count)]
    matrix, side = [[None] * count for _ in range(count)], []
    for i in range(count):
        total = -shares[i] * G * hy.cos(angles[i])
        for j in range(count):
            if i == j:
                matrix[i][i] = masses[i] / 3.0 + beyond[i]
                continue
            share = shares[max(i, j)]
            matrix[i][j] = share * hy.cos(angles[i] - angles[j])
            total = total - share * hy.sin(angles[i] - angles[j]) * rates[j] * rates[j]
        side.append(total)
    accelerations = solved(matrix, side)
    equations = list(zip(angles, rates)) + list(zip(rates, accelerations))
    return equations, [0.0] * count + [0.1] * count, lambda x: np.cos(x[:count]).sum(axis=0)


def solved(matrix, side):
    """A symmetric system eliminated without pivoting."""
    n, matrix, side = len(side), [row[:] for row in matrix], side[:]
    for k in range(n):
        for i in range(k + 1, n):
            factor = matrix[k][i] / matrix[k][k]
            for j in range(i, n):
                matrix[i][j] = matrix[i][j] - factor * matrix[k][j]
            side[i] = side[i] - factor * side[k]
    found = [None] * n
    for k in reversed(range(n)):
        rest = side[k]
        for j in range(k + 1, n):
            rest = rest - matrix[k][j] * found[j]
        found[k] = rest / matrix[k][k]
    return found


def top():
    """The heavy top of Géradin and Cardona, of the mass par[0]: from upright its centre is 1 m along its second axis."""
    q = hy.make_vars("q0", "q1", "q2", "q3")
    w = hy.make_vars("wx", "wy", "wz")
    mass = hy.par[0]
    ix, iy, iz = 0.234375 + mass, 0.46875, 0.234375 + mass
    gx, gz = 2.0 * (q[1] * q[3] - q[0] * q[2]) * -G, (q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]) * -G
    turned = [
        0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]), 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
        0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]), 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]),
    ]  # fmt: skip
    spun = [
        ((iy - iz) * w[1] * w[2] + mass * gz) / ix, (iz - ix) * w[2] * w[0] / iy, ((ix - iy) * w[0] * w[1] - mass * gx) / iz,
    ]  # fmt: skip
    return list(zip((*q, *w), turned + spun)), [1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538], lambda x: 2.0 * (x[1] * x[2] - x[0] * x[3])


SYSTEMS = {"double pendulum": lambda: rods(2), "chain of six": lambda: rods(6), "rigid top": top}


def batch(equations, start, masses, end, tolerance):
    """Seconds of all samples, after a first one that compiles, and their states at the end."""
    size = hy.recommended_simd_size()
    start = np.array(start)[:, None]
    made = hy.taylor_adaptive_batch(equations, np.repeat(start, size, 1), pars=np.ones((1, size)), tol=tolerance)
    groups = masses.reshape(-1, size)
    found = np.empty((len(start), *groups.shape))
    for part in (groups[:1], groups):
        began = time.process_time()
        for k, own in enumerate(part):
            made.set_time(0.0)
            made.state[:] = start
            made.pars[0] = own
            made.propagate_until(end)
            found[:, k] = made.state
        seconds = time.process_time() - began
    return seconds, found.reshape(len(start), -1)


def main():
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("system")
    parser.add_argument("end", type=float)
    parser.add_argument("--masses", nargs=3, type=float, help="least, largest, and how many")
    parser.add_argument("--every", type=int, default=32, help="of how many samples one has a reference")
    parser.add_argument("--tolerances", nargs="*", type=float, default=[])
    parser.add_argument("--reference", action="store_true")
    options = parser.parse_args()
    low, high, count = options.masses
    masses = np.linspace(low, high, int(count))
    equations, start, output = SYSTEMS[options.system]()
    told = {"version": hy.__version__, "seconds": {}, "values": {}}
    for tolerance in options.tolerances:
        seconds, states = batch(equations, start, masses, options.end, tolerance)
        told["seconds"][tolerance], told["values"][tolerance] = seconds, output(states)[:: options.every].tolist()
    if options.reference:
        wide = np.longdouble
        made = hy.taylor_adaptive(equations, np.array(start, wide), pars=np.ones(1, wide), fp_type=wide, compact_mode=True)
        found = []
        for mass in masses[:: options.every]:
            made.time = wide(0)
            made.state[:] = np.array(start, wide)
            made.pars[0] = wide(mass)
            made.propagate_until(wide(options.end))
            found.append(float(output(made.state)))
        told["reference"] = found
    print(json.dumps(told))


if __name__ == "__main__":
    main()
