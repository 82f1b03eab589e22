#!/usr/bin/env python
"""Flexible cables against Exudyn's fast module, on one core: one large system, and campaigns of small ones.

The mechanism is `../shared/peers/ancf_pendulum.py`'s: a soft cable of 1.2 m falls from the horizontal, pinned at one end. Both tools take
generalized-alpha with spectral radius 0.9 at the same fixed step, so that their errors are alike; the error of the tip at the end is
estimated by a run at half the step, and both are in the notes (their elements integrate alike, not equally).

- One run of 512 and of 4,096 elements: time per step in the time loop (the time of more steps less that of few), against
  Exudyn's solver alone. With 4,096 elements Exudyn cuts steps of 1 ms up again and again, and those of 0.1 ms from about 5 ms on; both
  are compared at 0.1 ms over the first 4 ms, where it does not, and at 1 ms in the notes, over the first 5 steps.
- Campaigns of 8 and of 32 elements: 256 samples in 16 lanes, a modulus for each, all counted but compilation.
- Time per element and step from 64 to 16,384 elements of one size, that of 512 in the pendulum, so that the cable grows with them; finer
  meshes of the pendulum itself are stiffer, take more iterations, and are in the notes up to 4,096. Memory per element is the growth of the
  process from 4,096 to 16,384 elements.

Targets: 4 times at 512, 10 times at 4,096, 12 times for the campaigns, cost flat within 30 %. Prediction, from single functions timed on
a loaded machine: 0.9 µs an element and step at W = 1, so ratios of 4 and 12; 0.06 µs at W = 16, ratios of 40 and 50; 20 % more at 16,384
elements than at 64 because the data no longer fit the caches; 3 kB an element.

    python benchmarks/flexible_peers.py [--peer-python PYTHON] [--quick]
"""

import argparse
import subprocess
import sys
import time

from _common import least, peer, report, short

STEP, END = 1e-3, 0.2
LENGTH = 1.2  # m
PIECE = LENGTH / 512  # m, where the cost of all sizes is compared
ONE_RUN = {512: (STEP, END), 4096: (1e-4, 4e-3)}  # step and end: at larger ones Exudyn cuts the steps of 4,096 elements up


def cable(modulus, elements, length=LENGTH):
    """The pendulum."""
    import flexmbd as fm

    system = fm.System(gravity=(0.0, -9.81))
    section, material = fm.Section(area=0.0018, second_moment=1.215e-8), fm.Material(E=modulus, density=5540.0, nu=0.3)
    rope = system.cable("rope", length=length, elements=elements, section=section, material=material)
    system.add(fm.Revolute("pin", system.ground.at(0.0, 0.0), rope.start))
    return system


def run(elements, modulus, lanes, end=END, step=STEP, length=LENGTH):
    """Tip of every sample at the end."""
    import flexmbd as fm

    settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "lanes": lanes, "spectral_radius": 0.9}
    names = ["rope.end.x", "rope.end.y"]
    done = fm.run(lambda E: cable(E, elements, length), {"E": modulus}, end=end, points=2, outputs=names, settings=settings)
    assert not done.status.any(), done.message
    return [done.outputs[name][:, -1] for name in names]


def per_step(elements, repeats, step=STEP, length=LENGTH, few=20, many=120):
    """Least seconds a step of one run, in the time loop: making a large system takes longer than its first steps, and varies by more."""
    from flexmbd.running.integration import Integration

    def looped(count):
        spent, original = [], Integration.run

        def timed(*arguments):
            start = time.perf_counter()
            done = original(*arguments)
            spent.append(time.perf_counter() - start)
            return done

        Integration.run = timed
        try:
            run(elements, [0.7e6], 1, count * step, step, length)
        finally:
            Integration.run = original
        return sum(spent)

    seconds = least({count: lambda count=count: looped(count) for count in (few, many)}, repeats)
    return (seconds[many] - seconds[few]) / (many - few)


def memory(elements):
    """Largest resident memory of a fresh process that makes a run, bytes."""
    code = f"import flexible_peers as f; f.run({elements}, [0.7e6], 1, 5e-3, length={elements} * f.PIECE); "
    code += "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=sys.path[0])
    return 1024 * int(done.stdout.split()[-1])


def main():
    """Measure and report."""
    import numpy as np

    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", default=sys.executable, help="Python that has exudyn")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small meshes only, to see that it works")
    options = parser.parse_args()
    large, sizes = ((64,), (64, 256)) if options.quick else ((512, 4096), (64, 512, 4096, 16384))
    notes, ratios = {"step": STEP, "end": END}, {}

    def theirs(elements, *steps, end=END):
        return peer(options.peer_python, "exudyn_cable.py", "--elements", elements, "--end", end, "--step", *steps)

    for elements in large:
        targets = {512: 4.0, 4096: 10.0}
        step, end = ONE_RUN.get(elements, (STEP, END))
        run(elements, [0.7e6], 1, end=5 * step, step=step)
        found = theirs(elements, step, step / 2, end=end)
        if found is None:
            return 1
        best = {"theirs": float("inf"), "ours": float("inf")}
        for _ in range(options.repeats):
            best["theirs"] = min(best["theirs"], theirs(elements, step, end=end)[0][1] / round(end / step))
            best["ours"] = min(best["ours"], per_step(elements, 1, step))
        tips = [run(elements, [0.7e6], 1, end=end, step=h) for h in (step, step / 2)]
        own = [4 / 3 * np.hypot(*(a - b for a, b in zip(*tips))).item()]
        own.append(4 / 3 * float(np.hypot(found[0][2] - found[1][2], found[0][3] - found[1][3])))
        notes[f"{elements} elements"] = {
            "step": step, "us_per_step": {key: short(1e6 * x) for key, x in best.items()},
            "error_of_tip": dict(zip(("ours", "theirs"), map(short, own))),
            "peer_came_to_the_end": [row[4] for row in found], "target": targets.get(elements),
        }  # fmt: skip
        if step != STEP:
            coarse = theirs(elements, STEP, end=5 * STEP)[0]
            notes[f"{elements} elements"]["peer_us_per_step_of_1_ms"] = short(1e6 * coarse[1] / 5)
            notes[f"{elements} elements"]["our_us_per_step_of_1_ms"] = short(1e6 * per_step(elements, options.repeats))
        ratios[f"{elements} elements"] = (best["theirs"] / best["ours"], targets.get(elements, 4.0), best["ours"], best["theirs"])
        print(elements, notes[f"{elements} elements"], flush=True)
    count = 32 if options.quick else 256
    for elements in (8, 32):
        moduli = np.linspace(0.6e6, 0.8e6, count)
        run(elements, moduli[:16], 16, end=5e-3)

        def single(elements=elements):
            return float(theirs(elements, STEP)[0][1])

        seconds = least({"ours": lambda elements=elements, moduli=moduli: run(elements, moduli, 16), "theirs": single}, options.repeats)
        mine, other = count / seconds["ours"], 1 / seconds["theirs"]
        notes[f"campaign of {elements}"] = {"samples/s": {"ours": short(mine), "theirs": short(other)}, "target": 12}
        ratios[f"campaign of {elements}"] = (mine / other, 12.0, 1 / mine, 1 / other)
        print(elements, notes[f"campaign of {elements}"], flush=True)
    cost, refined = {}, {}
    for elements in sizes:
        run(elements, [0.7e6], 1, end=5e-3, length=elements * PIECE)
        cost[elements] = short(1e9 * per_step(elements, options.repeats, length=elements * PIECE) / elements)
        if elements <= 4096:
            refined[elements] = short(1e9 * per_step(elements, options.repeats) / elements)
        print(elements, "elements:", cost[elements], refined.get(elements), "ns an element and step", flush=True)
    notes["ns_per_element_and_step"], notes["flat_within"] = cost, short(max(cost.values()) / min(cost.values()) - 1)
    notes["ns_per_element_and_step_of_finer_meshes"] = refined
    ends = sizes[-2:]
    notes["bytes_per_element"] = short((memory(ends[1]) - memory(ends[0])) / (ends[1] - ends[0]))
    notes["ratios"] = {key: short(x[0]) for key, x in ratios.items()}
    ratio, target, mine, other = min(ratios.values(), key=lambda x: x[0] / x[1])
    report("flexible_peers", ratio, target, mine, other, "s a step, or s a sample", notes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
