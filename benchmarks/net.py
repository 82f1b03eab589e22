#!/usr/bin/env python
"""An implicit step of one large system: a net of spatial cables that sags, its linear equations solved by a sparse direct library.

128 cables each way, pinned at one end, joined where they cross, one element between crossings: 199,680 coordinates, the size of the hoop
antenna of Li et al. (2016), and 49,920 rows.  Generalized-alpha keeps the factors of its matrix from step to step
(`docs/theory/integrators.md`); where there was less than one factorisation a step, what lacks is added.

The first step of all, with everything that is written and compiled for it, is measured first: seconds of the processor and the most
memory that the process has held. The generic part is there already (a net of two cables), machine code of the net is not.
Targets: 20 s and 4 GB for 128 cables. Prediction: 80 microseconds and 15 kB a coordinate.

Target of a step: 2 s on 2 cores, a factorisation counted.  Prediction from half the size: 0.3 s a step with PARDISO, 2 s a factorisation;
SuperLU 1 s and 10 s.

    python benchmarks/net.py [--solvers pardiso superlu] [--cables 128] [--steps 20]     (--steps 0: the first step only)
"""

import argparse
import os
import resource
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "2"
PITCH, STEP = 0.1, 1e-3


def net(modulus, cables):
    """The net; cable k of each direction is `PITCH` from the next."""
    import flexmbd as fm

    system = fm.System(gravity=(0.0, 0.0, -9.81))
    form = {"section": fm.Section.circle(0.002), "material": fm.Material(E=modulus, density=1500.0, nu=0.3), "elements": cables + 1}
    form["length"] = (cables + 1) * PITCH
    along, across = [], []
    for k in range(cables):
        far = (k + 1) * PITCH
        along.append(system.cable(f"x{k}", position=(0.0, far, 0.0), direction=(1.0, 0.0, 0.0), **form))
        across.append(system.cable(f"y{k}", position=(far, 0.0, 0.0), direction=(0.0, 1.0, 0.0), **form))
    for cable in along + across:
        system.add(fm.Spherical(f"{cable.name}pin", system.ground.at(*cable.position), cable.start))
    for i, one in enumerate(along):
        for j, other in enumerate(across):
            system.add(fm.Spherical(f"knot{i}_{j}", one.at(PITCH * (j + 1)), other.at(PITCH * (i + 1))))
    return system


def watched(times):
    """Have all factorisations and solutions noted: (number of the matrix, seconds) by kind."""
    from flexmbd.linalg import sparse

    for kind in ("_factorise", "_solve"):
        own = getattr(sparse.Solver, kind)

        def timed(self, *given, work=own, kind=kind):
            start = time.perf_counter()
            work(self, *given)
            times[kind].append((given[0], time.perf_counter() - start))

        setattr(sparse.Solver, kind, timed)


def run(cables, solver, steps):
    """Seconds of a run, and the height of the middle of the net at its end."""
    import flexmbd as fm

    settings = {"integrator": "generalized_alpha", "step": STEP, "fixed": True, "lanes": 1, "spectral_radius": 0.8, "linear_solver": solver}
    output = f"x{cables // 2}.end.z"
    start = time.perf_counter()
    done = fm.run(lambda E: net(E, cables), {"E": [1e9]}, end=steps * STEP, points=2, outputs=[output], settings=settings)
    assert not done.status.any(), done.message
    return time.perf_counter() - start, float(done.outputs[output][0, -1])


def first(cables, solver):
    """Processor seconds of a net's first step of all, and the most memory so far in MB."""
    run(2, solver, 1)
    kept = os.environ.get("FLEXMBD_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLEXMBD_CACHE_DIR"] = folder
        start = time.process_time()
        run(cables, solver, 1)
        spent = time.process_time() - start
    os.environ.pop("FLEXMBD_CACHE_DIR")
    if kept is not None:
        os.environ["FLEXMBD_CACHE_DIR"] = kept
    return spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    """Measure and report."""
    sys.path.insert(0, os.path.dirname(__file__))
    from _common import report, short

    from flexmbd.linalg.direct import available

    parser = argparse.ArgumentParser()
    parser.add_argument("--solvers", nargs="+", default=[name for name in ("pardiso", "superlu") if name in available()])
    parser.add_argument("--cables", type=int, default=128)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    times, notes, best = {"_factorise": [], "_solve": []}, {"coordinates": 12 * options.cables * (options.cables + 2)}, float("inf")
    watched(times)
    for solver in options.solvers:
        began, memory = first(options.cables, solver)
        print(f"{solver}: {options.cables**2} knots, first step {began:.1f} s of the processor, {memory:.0f} MB", flush=True)
        if not options.steps:
            continue
        warm = run(options.cables, solver, 1)[0]
        for kind in times.values():
            kind.clear()
        total, height = run(options.cables, solver, options.steps + 1)
        begun = len(times["_factorise"])
        step = (total - warm) / options.steps
        again = [x for k, x in enumerate(times["_factorise"]) if x[0] in {y[0] for y in times["_factorise"][:k]}]  # the first analyses
        spent = [seconds for _, seconds in again]
        worst = step + max(0.0, 1.0 - len(spent) / options.steps) * (sum(spent) / len(spent) if spent else 0.0)
        best = min(best, worst)
        solution = sum(seconds for _, seconds in times["_solve"]) / len(times["_solve"])
        notes[solver] = {
            "first_step_cpu_s": short(began), "memory_MB": short(memory),
            "build_and_first_step_s": short(warm), "step_s": short(step), "step_with_new_factors_s": short(worst), "height_m": height,
            "factorisations": begun, "factorisation_s": short(sum(spent) / max(len(spent), 1)), "longest": short(max(spent, default=0.0)),
            "solutions": len(times["_solve"]), "solution_s": short(solution),
        }  # fmt: skip
        print(solver, notes[solver], flush=True)
    if not options.steps:
        return 0
    report("net", 2.0 / best, 1.0, best, 2.0, "s a step with a factorisation; the other figure is the target", notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
