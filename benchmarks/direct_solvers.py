"""Direct solution of one large sparse system by all installed back ends of `flexmbd.linalg.direct`: chain and square nets.

Each case is a graph whose edges carry random positive definite blocks: a chain of 16,384 nodes with 4 unknowns (as of planar ANCF
elements), and nets of 100 x 100 and 182 x 182 nodes with 6 unknowns.  The definite systems are held by a weak support and declared
definite.  The saddle points are the same nets held by constraint rows only: one side's nodes clamped, and one row between two neighbours
in a hundred.  Times are of the analysis, of a factorisation with new values of an analysed pattern, and of a solution for one side.

Prediction (made before measuring): on the chain KLU and CHOLMOD need a third of SuperLU's time.  On definite nets CHOLMOD needs a fifth of
it, and PARDISO, if there, a third of CHOLMOD's.  On saddle points PARDISO leads too; UMFPACK needs a third of SuperLU's time, and KLU,
which has no dense kernels, is behind SuperLU and hopeless on the larger net.  SuperLU's analysis and PARDISO's look free, because they are
part of the factorisation (PARDISO's of the first only).

The last line printed is one JSON object; ``ours`` is the least time of a factorisation and a solution of the largest saddle point, and
``theirs`` that of SuperLU, the default; the notes hold the whole table.

    python benchmarks/direct_solvers.py [--quick] [--solvers superlu klu] [--limit SECONDS]
"""

import argparse
import time

from _common import least, report, short

# isort: split
import numpy as np
from scipy.sparse import block_array, csc_array

from flexmbd.linalg.direct import analyse, available, back_end

ROUNDING = 1e-10  # residual over size that a solution must reach


def line(nodes):
    """Edges of a chain."""
    return np.arange(nodes - 1), np.arange(1, nodes)


def net(side):
    """Edges of a square net."""
    number = np.arange(side * side).reshape(side, side)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
    return tuple(np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1))


def stiffness(edges, size, support, seed):
    """Matrix of the edges' blocks, ``(x_a - x_b)' B (x_a - x_b)`` each, with `support` on the diagonal; the seed changes values only."""
    a, b = edges
    nodes, count = b.max() + 1, len(a)
    random = np.random.default_rng(seed)
    blocks = random.normal(size=(count, size, size))
    blocks = blocks @ blocks.transpose(0, 2, 1) + size * np.eye(size)
    own = np.tile(support * size * np.eye(size), (nodes, 1, 1))
    np.add.at(own, a, blocks)
    np.add.at(own, b, blocks)
    row, column = np.r_[a, b, np.arange(nodes)], np.r_[b, a, np.arange(nodes)]
    values = np.concatenate([-blocks, -blocks, own])
    k = np.arange(size)
    rows, columns = np.broadcast_arrays(size * row[:, None, None] + k[:, None], size * column[:, None, None] + k)
    return csc_array((values.ravel(), (rows.ravel(), columns.ravel())), (size * nodes, size * nodes))


def saddle(edges, size, side, seed):
    """The matrix without support, bordered by rows that clamp one side and tie one pair of neighbours in a hundred."""
    K = stiffness(edges, size, 0.0, seed)
    random = np.random.default_rng(seed)
    scale = np.abs(K.data).max()
    clamped = size * side
    a, b = (nodes[edges[0] >= side][::100] for nodes in edges)  # two clamped nodes must not be tied
    ties = np.repeat(np.arange(len(a)), 2 * size)
    unknowns = np.concatenate([size * x[:, None] + np.arange(size) for x in (a, b)], axis=1).ravel()
    rows, columns = np.r_[np.arange(clamped), clamped + ties], np.r_[np.arange(clamped), unknowns]
    values = scale * np.r_[np.ones(clamped), random.uniform(0.5, 1.0, len(ties)) * random.choice([-1.0, 1.0], len(ties))]
    G = csc_array((values, (rows, columns)), (clamped + len(a), K.shape[0]))
    return csc_array(block_array([[K, G.T], [G, None]]))


def measure(make, definite, solver, repeats):
    """Seconds of analysis, of a factorisation with the pattern known, and of a solution; number of unknowns."""
    first, again = make(1), make(2)
    assert np.array_equal(first.indices, again.indices)
    side = np.random.default_rng(0).normal(size=first.shape[0])
    start = time.perf_counter()
    symbolic = analyse(first, solver, definite=definite)
    analysed = time.perf_counter() - start
    symbolic.factorise(first.data)
    held = {}

    def factorise():
        held["factors"] = symbolic.factorise(again.data)

    def solve():
        held["x"] = held["factors"].solve(side)

    best = least({"factorise": factorise, "solve": solve}, repeats)
    left = np.abs(again @ held["x"] - side).max() / (np.abs(again.data).max() * np.abs(held["x"]).max() + np.abs(side).max())
    if not left < ROUNDING:
        raise RuntimeError(f"{solver} leaves a residual of {left:.2g}")
    return {"analyse": analysed, **best}, first.shape[0]


def main():
    """Print the table and the JSON line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small systems, one repetition: does it run?")
    parser.add_argument("--solvers", nargs="+", default=list(available()))
    parser.add_argument("--limit", type=float, default=5.0, help="no larger net for a solver that took this many seconds for a smaller")
    options = parser.parse_args()
    repeats = 1 if options.quick else 5
    nodes, sides = (100, [6, 12]) if options.quick else (16384, [100, 182])
    cases = [(f"chain {nodes}", True, lambda seed: stiffness(line(nodes), 4, 0.01, seed))]
    for n in sides:
        cases.append((f"definite net {n}", True, lambda seed, n=n: stiffness(net(n), 6, 0.01, seed)))
        cases.append((f"saddle net {n}", False, lambda seed, n=n: saddle(net(n), 6, n, seed)))
    table, slow = {}, set()
    for case, definite, make in cases:
        kind = case.rpartition(" ")[0]
        for solver in options.solvers:
            if (back_end(solver).definite_only and not definite) or (solver, kind) in slow:
                continue
            row, unknowns = measure(make, definite, solver, repeats)
            if sum(row.values()) > options.limit:
                slow.add((solver, kind))
            table.setdefault(f"{case}, {unknowns} unknowns", {})[solver] = {key: short(value, 3) for key, value in row.items()}
            print(f"{case:18} {unknowns:7d} {solver:8} " + "  ".join(f"{key} {value:.4f} s" for key, value in row.items()), flush=True)
    last = list(table.values())[-1]
    totals = {solver: row["factorise"] + row["solve"] for solver, row in last.items()}
    ours, theirs = min(totals.values()), totals.get("superlu", np.nan)
    notes = {"seconds": table, "installed": list(available()), "quick": options.quick}
    report("direct_solvers", theirs / ours, 3.0, ours, theirs, "s per factorisation and solution", notes)


if __name__ == "__main__":
    main()
