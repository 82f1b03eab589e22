"""Straight-line code or index program: compile and run times of the right-hand side of a chain pendulum, W = 16.

The last line printed is one JSON object; ``ratio`` is run time of the index program over that of straight-line code at the
largest chain that both back ends were compiled for (both times are ours), and the notes hold the whole table.

Prediction (made before measuring): compile time of straight-line code grows like n^1.3 and passes a minute between 20 and 50
rods; that of the index program stays below 3 s. The index program runs 3 times slower on short chains (each operation goes
through memory: two or three loads and one store of 128 bytes), and less than 2 times slower on long ones, where straight-line
code no longer fits the instruction cache. So the switch lies where compiling costs more than a minute.

Measured (2 shared cores with AVX-512, another process running, least of 7; microseconds an evaluation and lane)::

    rods  operations  compile s: straight, program   run us: straight, program   ratio
       2         134        0.4   1.9                  0.003   0.034              11
       5         452        0.9   1.4                  0.011   0.052               4.7
      10         992        2.1   1.6                  0.024   0.143               5.9
      20        2072        5.1   1.8                  0.064   0.22                3.4
      50        5312       11.7   1.7                  0.144   0.57                4.0
     100       10712       42.5   1.6                  0.415   1.5                 3.7

The elimination order makes the work linear in the number of rods.  Compile times grow as predicted at first (n^1.1 up to 50 rods, then
n^1.9), and pass a minute only above 100 rods.  The program is slower than predicted, also on long chains: 2.4 ns an operation against
0.6 ns.  But a whole model compiles its right-hand side into several functions: at 20 rods it took 49 s as straight-line code and 18 s
as programs.  So `flexmbd.tuning.Tuning.index_program` is 2,000 operations.

    python benchmarks/lanes_switch.py [--rods 2 5 10 20] [--limit SECONDS]
"""

import argparse
import json
import os
import tempfile
import time

import numpy as np

WIDTH = 16
DRIVER = """
@entry
def drive(count, t, q, v, s, C, P, U, K, D, g):
    for _ in range(count):
        rhs(ld(t, 0), q, v, s, C, P, U, K, np.int64(0), D, g)
"""


def chain(rods):
    """Rods of 1 m and 1 kg, hinged to each other, horizontal at the start."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, -9.81))
    end = s.ground.at(0.0, 0.0)
    for k in range(rods):
        rod = s.body(f"rod{k}", mass=1.0, inertia=1 / 12, position=(k + 0.5, 0.0))
        s.add(fm.Revolute(f"pin{k}", end, rod.at(-0.5, 0.0)))
        end = rod.at(0.5, 0.0)
    return s


def measure(rods, back_end):
    """Operations, seconds to compile, microseconds an evaluation and lane, accelerations."""
    from flexmbd import modules
    from flexmbd.expressions import Build
    from flexmbd.linalg.program import execute, index_program, operations, straight_line
    from flexmbd.linalg.storage import Storage
    from flexmbd.model import STATE, _read

    system = chain(rods)
    build, table = Build(system), Storage()
    stores = [(f"st2(K, slot, {i}, {{}})", x) for i, x in enumerate(build.a)]
    printer = {"straight": straight_line, "program": index_program}[back_end]
    code = printer(build.graph, table, "rhs", f"{STATE}, K, slot, D, g", _read, stores)
    head = f"import numpy as np\nW = {WIDTH}\nld, ld2, st, st2 = accessors({WIDTH})\nfrom flexmbd.linalg.printer import unpack\n"
    module = modules.load(f"{head}@inner\n{modules.source_of(execute)}{code}{DRIVER}")
    uniform, lane = table.pack(build.graph, [value for _, value in system.leaves()], WIDTH)
    q, v = (np.ascontiguousarray(np.repeat(np.array(x, float)[:, None], WIDTH, axis=1)) for x in system.initial())
    empty = np.zeros((1, WIDTH))
    K, D = np.zeros((1, build.n, WIDTH)), np.zeros((1, 1, WIDTH))
    arguments = (empty, q, v, empty, empty, np.ascontiguousarray(lane), uniform, K, D, empty)
    start = time.perf_counter()
    module.drive(1, *arguments)
    compiled = time.perf_counter() - start
    count, best = max(20, 20000 // rods), np.inf
    for _ in range(7):
        start = time.perf_counter()
        module.drive(count, *arguments)
        best = min(best, (time.perf_counter() - start) / count)
    return operations([x for _, x in stores], build.graph), compiled, 1e6 * best / WIDTH, K[0, :, 0].copy()


def main():
    """Print the table and the JSON line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rods", type=int, nargs="+", default=[2, 5, 10, 20, 50, 100])
    parser.add_argument("--limit", type=float, default=60.0, help="no longer straight-line code once one took this many seconds to compile")
    options = parser.parse_args()
    rows, slow = [], False
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLEXMBD_CACHE_DIR"] = folder
        for rods in options.rods:
            size, compiled, run, a = measure(rods, "program")
            row = {"rods": rods, "operations": size, "program_compile_s": round(compiled, 2), "program_us": round(run, 4)}
            if not slow:
                _, compiled, run, b = measure(rods, "straight")
                row |= {"straight_compile_s": round(compiled, 2), "straight_us": round(run, 4)}
                row["difference"] = float(np.abs(a - b).max() / np.abs(b).max())
                slow = compiled > options.limit
            rows.append(row)
            print(row, flush=True)
    both = [row for row in rows if "straight_us" in row][-1]
    print(
        json.dumps(
            {
                "name": "lanes_switch", "ratio": both["program_us"] / both["straight_us"], "target": 2.0, "ours": both["program_us"],
                "theirs": both["straight_us"], "unit": "us per right-hand side and lane", "notes": rows,
            }
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
