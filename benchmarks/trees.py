#!/usr/bin/env python
"""Forward dynamics of trees: robots in lanes against compiled Pinocchio, and how time grows with the number of bodies.

- Robots of `tests/data/robots.json`: an arm of six joints, a quadruped of 12 on a free trunk, a humanoid of 30. Accelerations by
  coordinates, velocities and joints' forces, all of it: sines, frames, velocities, what they ask of forces, articulated bodies. That is
  what Pinocchio's ``aba(model, data, q, v, tau)`` does. Ours is the machine code of `formulation.trees.articulated` as a graph, `--lanes`
  samples side by side, masses and frames being numbers that it reads; theirs is the faster of the library of its wheel and of a build of
  its headers for this machine, both called from C++ (`peers/pinocchio_aba.py`). Processor seconds of passes over the same 512 states,
  which take turns; the least counts. Accelerations are compared to 1e-9. A single call, ours for one sample and theirs from Python, is in
  the notes.
- Chains of 8 to 8,192 links, one sample: articulated bodies, constraint forces in series, and the mass matrix assembled by composite
  bodies and eliminated as a full one, up to `--assembled` links. Exponents are slopes of log time against log links, of all sizes and of
  those that are written in units (`Tuning.units`; eight links are straight code, in registers); of the assembled form, whose cubic part
  grows out of a square one, also of the last doubling. `--figure` draws them.

Targets: four times as many samples a second and core; 2.5 µs a sample at 30 joints; exponents 1.0 ± 0.1, and 3. Prediction: the humanoid
takes 17,900 operations, of which a core with eight doubles side by side does one and a half a cycle at 2.5 GHz: 0.6 µs if all were in
registers, and twice that with what is loaded and stored; Pinocchio 13 µs. Exponents above 1 by a few hundredths where rows no longer fit
into the caches.

    python benchmarks/trees.py [--peer-python PYTHON] [--figure docs/images/tree_cost.svg] [--quick]
"""

import argparse
import ctypes
import json
import math
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from _common import ROOT, least, peer, report, short

sys.path.insert(0, str(ROOT))  # tests' graph in machine code

ROBOTS = {"arm": 6, "quadruped": 12, "humanoid": 30}
UNIT = [tuple(float(k == i) for k in range(6)) for i in range(6)]


class Rows:
    """A layout in which coordinates, velocities and forces of a sample follow one another."""

    work = 0

    def __init__(self, width, coordinates, velocities):
        self.width, self._first = width, {"q": 0, "v": coordinates, "a": coordinates + velocities}

    def place(self, variable):
        """Array and row."""
        return "x", self._first[variable.space] + variable.number


def links_of(graph, robot):
    """Table of a robot's links as nodes, its numbers by path, acceleration of ground, and the number of coordinates."""
    from flexmbd.formulation.interface import sincos
    from flexmbd.formulation.trees.linking import about, times_matrix
    from flexmbd.formulation.trees.links import Link, Table
    from flexmbd.formulation.trees.spatial import add, times
    from flexmbd.formulation.trees.walking import ball
    from flexmbd.parameters import UNIFORM

    numbers, links, first = {}, [], 0
    count = sum(7 if one["joint"] == "free" else 1 for one in robot["links"])
    q = graph.space("q").first(count)

    def known(value, path):
        if isinstance(value, list):
            return [known(x, f"{path}.{k}") for k, x in enumerate(value)]
        numbers[path] = value
        return graph.param(path, UNIFORM)

    for i, one in enumerate(robot["links"]):
        graph.mark()
        rotation, offset, mass, centre = (known(one[key], f"{i}.{key}") for key in ("rotation", "offset", "mass", "centre"))
        moments = known(one["inertia"], f"{i}.inertia")
        moments = [[moments[min(a, b)][max(a, b)] for b in range(3)] for a in range(3)]
        if one["joint"] == "free":
            x, y, z, w = q[first + 3 : first + 7]
            turn, _ = ball([w, x, y, z])
            motion, offset = UNIT[3:] + UNIT[:3], add(offset, times(rotation, q[first : first + 3]))
        else:
            axis = "xyz".index(one["joint"])
            s, c = sincos(graph, q[first])
            turn, motion = about(axis, c, s), (UNIT[axis],)
        first += 7 if one["joint"] == "free" else 1
        links.append(Link(one["parent"], times_matrix(rotation, turn), offset, motion, (0.0,) * 6, mass, centre, moments))
    base = (0.0, 0.0, 0.0, *known([-x for x in robot["gravity"]], "gravity"))
    return Table(links, graph.mark), numbers, base, count


def driven(table, v, base):
    """What accelerations take besides forces."""
    from flexmbd.formulation.trees import recursions

    moving = recursions.velocities(table, v)
    return {"turned": recursions.biases(table, v, moving), "pulled": recursions.loads(table, moving), "base": base}


def articulated(table, v, forces, base):
    """Articulated bodies."""
    from flexmbd.formulation.trees.articulated import Articulated

    return Articulated(table).accelerations(forces, **driven(table, v, base))[0]


def constraint_forces(table, v, forces, base):
    """Constraint forces in series; those of the joints come first, and are not stored."""
    from flexmbd.formulation.trees.constraint_force import ConstraintForces

    return ConstraintForces(table).accelerations(forces, **driven(table, v, base))[0]


def assembled(table, v, forces, base):
    """The mass matrix by composite bodies, eliminated as a full one."""
    from flexmbd.formulation.trees import recursions
    from flexmbd.formulation.trees.composite import mass_matrix
    from flexmbd.linalg.elimination import factorise

    bias, _ = recursions.inverse_dynamics(table, [0.0] * table.n, **driven(table, v, base))
    matrix = {(j, i): x for (i, j), x in mass_matrix(table).items()}
    table.mark()
    factors = factorise(forces[0].graph, matrix, [*range(table.n)])
    found = factors.solve({i: f - b for i, (f, b) in enumerate(zip(forces, bias, strict=True))})
    return [found[i] for i in range(table.n)]


class Evaluation:
    """Machine code of a robot's accelerations, `width` samples side by side, and its states.

    Attributes
    ----------
    operations : int
        Of an evaluation.
    """

    def __init__(self, robot, form, width):
        import numba
        import numpy as np

        from flexmbd.language.graph import Graph
        from flexmbd.parameters import RUNTIME
        from flexmbd.stepping import names
        from tests.flexmbd.generated import functions

        graph = Graph()
        table, numbers, base, count = links_of(graph, robot)
        v, forces = (graph.space(name).first(table.n) for name in "va")
        nodes = [graph.const(x) for x in form(table, v, forces, base)]
        self.operations = sum(1 for x in graph.needed(nodes) if x.level == RUNTIME and x.args)
        made, storage = functions(graph, nodes, width, lambda width: Rows(width, count, table.n))
        self._code, self._kept = made.code(), [storage.pack(graph, numbers, 1)[0], storage.tables, np.zeros(names.ENTRIES, np.int64)]
        self._kept[2][names.NUMBERS], self._kept[2][names.TABLES] = (x.ctypes.data for x in self._kept[:2])
        call = ctypes.CFUNCTYPE(None, *(ctypes.c_int64,) * 6)(self._code.address("f"))
        self._given = count + 2 * table.n
        states = np.array([[*state["q"], *state["v"], *state["forces"]] for state in robot["states"]])
        batches = max(1, len(states) // width)
        self._rows = aligned(batches, self._given + table.n, width)
        self._rows[:, : self._given] = np.swapaxes(states[: batches * width].reshape(batches, width, -1), 1, 2)
        self._more = aligned(1, width), aligned(max(1, made.rows), width)
        P, W, at, y = *(x.ctypes.data for x in self._more), self._kept[2].ctypes.data, self._given

        @numba.njit
        def once(start, size, batches):
            for k in range(batches):
                call(start + k * size, P, W, at, 0, y)

        self.samples, self._once = batches * width, partial(once, self._rows.ctypes.data, self._rows[0].nbytes, batches)
        self._once()

    def seconds(self, passes):
        """Least processor seconds a sample."""
        best = math.inf
        for _ in range(passes):
            start = time.process_time()
            self._once()
            best = min(best, time.process_time() - start)
        return best / self.samples

    @property
    def accelerations(self):
        """By sample."""
        import numpy as np

        return np.swapaxes(self._rows[:, self._given :], 1, 2).reshape(self.samples, -1)


def aligned(*shape):
    """Zeros that begin where a cache line does, as those of a run."""
    import numpy as np

    raw = np.zeros(math.prod(shape) + 8)
    first = -raw.ctypes.data % 64 // 8
    return raw[first : first + math.prod(shape)].reshape(shape)


def robot_named(name, states):
    """A robot and so many random states."""
    import numpy as np

    robot = json.loads((ROOT / "tests" / "data" / "robots.json").read_text(encoding="utf-8"))["robots"][name]
    rng, free = np.random.default_rng(1), robot["links"][0]["joint"] == "free"
    nq, nv = (len(robot["states"][0][key]) for key in "qv")
    drawn = []
    for _ in range(states):
        q = rng.uniform(-2.0, 2.0, nq)
        if free:
            q[3:7] /= np.linalg.norm(q[3:7])
        drawn.append({"q": q.tolist(), "v": rng.normal(size=nv).tolist(), "forces": (5.0 * rng.normal(size=nv)).tolist()})
    return robot | {"states": drawn}


def chain(count, states=8):
    """A chain whose joints turn about axes in all directions, and states of it."""
    import numpy as np

    rng, links = np.random.default_rng(0), []
    for i in range(count):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.linalg.det(turn)
        mass, size = rng.uniform(1.0, 2.0), rng.uniform(0.1, 0.3, 3) ** 2
        links.append(
            {
                "parent": i - 1, "joint": "z", "rotation": turn.tolist(), "offset": rng.uniform(-0.2, 0.2, 3).tolist(), "mass": mass,
                "centre": rng.uniform(-0.1, 0.1, 3).tolist(), "inertia": np.diag(mass * (size.sum() - size)).tolist(),
            }
        )  # fmt: skip
    drawn = rng.normal(size=(states, 3, count)) * [[[1.0], [0.1], [1.0]]]
    return {"gravity": [0.0, 0.0, -9.81], "links": links, "states": [dict(zip(("q", "v", "forces"), x.tolist())) for x in drawn]}


def against_pinocchio(options, notes):
    """Robots in lanes; the smallest ratio, ours and theirs, s a sample: NaN where there is no Pinocchio."""
    import numpy as np

    from flexmbd.caching import cache_directory

    ratios = []
    for name, joints in ROBOTS.items():
        robot = robot_named(name, options.states)
        ours = {width: Evaluation(robot, articulated, width) for width in sorted({1, 8, options.lanes})}
        with tempfile.TemporaryDirectory() as folder:
            (file := Path(folder) / "robot.json").write_text(json.dumps(robot), encoding="utf-8")
            ask = partial(peer, options.peer_python, "pinocchio_aba.py", file, cache_directory(), "--passes", 5)
            theirs = ask()  # compiles, if need be
            best = {width: math.inf for width in ours}
            for _ in range(options.repeats):
                best |= {width: min(best[width], one.seconds(10)) for width, one in ours.items()}
                again = theirs and ask()
                for way in again["seconds"] if theirs else ():
                    theirs["seconds"][way] = min(theirs["seconds"][way], again["seconds"][way])
        told = {f"{width} lanes" if width > 1 else "one": short(1e6 * seconds) for width, seconds in best.items()}
        notes[f"{name}, {joints} joints"] = own = {"operations": ours[1].operations, "us_per_sample": told}
        fastest = math.nan
        if theirs:
            for reason in theirs["left_out"].values():
                print(f"Pinocchio is called from Python alone: {reason}", flush=True)
            for accelerations in theirs["accelerations"].values():
                for one in ours.values():
                    wanted = np.array(accelerations)[: one.samples]
                    assert np.abs(one.accelerations - wanted).max() < 1e-9 * np.abs(wanted).max(), name
            notes["pinocchio"] = theirs["version"]
            own["pinocchio_us"] = {way: short(1e6 * x) for way, x in theirs["seconds"].items()}
            fastest = min(theirs["seconds"].values())
            own["ratio"], own["ratio_of_one"] = short(fastest / best[options.lanes]), short(fastest / best[1])
        ratios.append((fastest / best[options.lanes], best[options.lanes], fastest))
        print(name, own, flush=True)
    return min(ratios)


def growth(options, notes):
    """Microseconds an evaluation by form and number of links, and exponents."""
    import numpy as np

    sizes = [8 * 4**k for k in range(6) if 8 * 4**k <= options.links]
    doubled = [8 * 2**k for k in range(11) if 8 * 2**k <= options.assembled]
    forms = {"articulated": (articulated, sizes), "constraint forces": (constraint_forces, sizes), "assembled": (assembled, doubled)}
    found = {}
    for name, (form, counts) in forms.items():
        found[name] = {}
        for count in counts:
            made = Evaluation(chain(count), form, 1)
            seconds = least({0: partial(made.seconds, max(3, 20_000 // count))}, options.repeats)[0]
            found[name][count] = short(1e6 * seconds)
            print(name, count, "links:", found[name][count], "us,", short(made.operations / count), "operations a link", flush=True)
        counts, us = np.log([*found[name]]), np.log([*found[name].values()])
        slopes = {"of all": 0, "of the last doubling": -2} if form is assembled else {"of all": 0, "in units": 1}
        notes[f"exponent of {name}"] = {told: short(np.polyfit(counts[k:], us[k:], 1)[0], 3) for told, k in slopes.items()}
    notes["us_per_evaluation"] = found
    return found


def draw(found, path):
    """Time by links."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for (name, values), marker in zip(found.items(), "os^", strict=True):
        axes.loglog([*values], [*values.values()], marker + "-", label=name)
    axes.set(xlabel="links of a chain", ylabel="time of an evaluation, one sample (µs)")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", default=sys.executable, help="Python that has pin and cmeel-eigen")
    parser.add_argument("--lanes", type=int, default=16)
    parser.add_argument("--states", type=int, default=512)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--links", type=int, default=8192, help="of the longest chain; 0: robots alone")
    parser.add_argument("--assembled", type=int, default=256, help="the same where the matrix is assembled")
    parser.add_argument("--figure", type=Path, help="SVG or PNG of time by links")
    parser.add_argument("--quick", action="store_true", help="few states and short chains, to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.states, options.repeats, options.links, options.assembled = 64, 1, 128, 32
    notes = {}
    ratio, ours, theirs = against_pinocchio(options, notes)
    if options.links:
        grown = growth(options, notes)
        if options.figure:
            draw(grown, options.figure)
    report("trees", ratio, 4.0, 1e6 * ours, 1e6 * theirs, f"µs a sample, {options.lanes} lanes and Pinocchio", notes)


if __name__ == "__main__":
    main()
