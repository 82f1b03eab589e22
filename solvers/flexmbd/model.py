"""`Model`: one topology compiled for one set of outputs, one integrator, one lane width."""

import hashlib

import numpy as np

from flexmbd import assembly, loop, modules
from flexmbd.expressions import CONTACT_ROWS, Build
from flexmbd.kernels import declarations
from flexmbd.lanes.elements import BATCH
from flexmbd.linalg import blocks
from flexmbd.linalg.printer import LINEAR, called, ordered, packed
from flexmbd.linalg.program import elements, execute, side_by_side, source
from flexmbd.linalg.sparse import Solver
from flexmbd.linalg.storage import Storage
from flexmbd.outputs import REDUCTIONS, catalogue
from flexmbd.outputs.reductions import ROWS, RUNNING, unit_of
from flexmbd.suggest import unknown

ENTRIES = (*assembly.ENTRIES, loop.campaign)
STATE = "t, q, v, s, C, P, U"
NEWTON_READS = {
    "a": "ld2(K, NEXT_ACCELERATION, {})", "l": "ld2(K, NEXT_MULTIPLIER, {})", "u": "ld2(K, NEXT_MULTIPLIER, NM // 2 + {})",
    "o": "ld2(K, ORIGIN, {})", "p": "ld2(D, KNOWN, {})",
}  # fmt: skip
KEEP = False  # factors of Newton's matrix in small systems too, if those are in blocks: for tests


class Model:
    """Generated code of a topology and what it reads.

    Parameters
    ----------
    system : System
        Any system of the topology; its numbers do not matter beyond being arrays or not, and 0, 1, -1 or not.
    outputs : sequence of str
        ``"name"`` or ``"name:reduction"``.
    scheme : Integrator
    width : int
        Lanes, 1 to 64.
    fold : bool
        See `Build`.
    shift : float
        See `Build`.
    direct : str
        Sparse direct library that solves the linear equations of a single lane; "" for elimination in compiled code.

    Raises
    ------
    ModelError
        Unknown output or reduction.
    """

    def __init__(self, system, outputs, scheme, *, width=16, fold=True, shift=0.0, direct=""):
        self.scheme, self.width, self.fold = scheme, width, fold
        self.build = build = Build(system, fold=fold, shift=shift, direct=bool(direct))
        self.catalogue = catalogue(build)
        self.histories, self.reduced, self.requests = self._requests(outputs)
        signals = {name: self.catalogue[name][0]() for name in dict.fromkeys(self.reduced + self.histories)}
        self.units = {
            out: self.catalogue[name][1] if how is None else unit_of(how, self.catalogue[name][1])
            for out, (name, how) in self.requests.items()
        }
        self.storage = Storage(BATCH if width == 1 else 1)
        self.structure, self.kinds = system.structure(), tuple(build.kinds)
        self.state_names = [s["name"] for s in build.states]
        self.source = self._source(signals)
        self.topology = hashlib.sha256(repr((self.structure, self.kinds)).encode()).hexdigest()[:16]
        self.module = modules.load(self.source)
        self.solver = Solver([plan for _, plan in self.storage.matrices.values()], direct) if direct else None

    def _requests(self, outputs):
        histories, reduced, requests = [], [], {}
        for out in outputs:
            name, _, how = out.partition(":")
            if name not in self.catalogue:
                raise unknown("output", name, self.catalogue)
            if how and how not in REDUCTIONS:
                raise unknown("reduction", how, REDUCTIONS)
            target = reduced if how in RUNNING else histories
            if name not in target:
                target.append(name)
            requests[out] = (name, how or None)
        return histories, reduced, requests

    def matches(self, system):
        """True if a system has this model's topology."""
        return system.structure() == self.structure

    def pack(self, system, count):
        """What is the same for all samples, ``U``, and parameters per sample of a system of this topology (`Storage.pack`)."""
        numbers, lane = self.storage.pack(self.build.graph, [value for _, value in system.leaves()], count)
        return (numbers, self.storage.tables, np.array([self.solver.address if self.solver else 0], np.int64)), lane

    # ---- generated source
    def _source(self, signals):
        b = self.build
        rows, together = b.rows, b.rows + b.initial_rows
        n, zero = b.n, b.graph.const(0.0)
        rates = [s["rate"] for s in b.states]
        accelerations = b.a if self.scheme.accelerations is None else self.scheme.accelerations(b)
        gaps = [x for c in b.contacts for x in (c["penetration"], c["rate"])]
        parts = []

        def function(name, arguments, stores, given=None):
            code = source(b.graph, self.storage, name, arguments, _read, stores, given, switch=200 if b.direct else None)
            parts.append((code, [x for _, x in stores]))

        function(
            "rhs",
            f"{STATE}, K, slot, D, g",
            _stores("st2(K, slot", accelerations) + _stores("st2(D, slot", rates) + _stores("st(g", gaps),
        )
        sets = [("", rows), ("assemble_", together)] if b.initial_rows else [("", rows)]
        for prefix, which in sets:
            dq, dv = b.corrections(which)
            function(f"{prefix}project", "t, q, v, P, U, w", _stores("st(w", dq + dv))
            function(f"{prefix}residual", "t, q, v, P, U, w", _stores("st(w", b.residuals(which)))
        function("signals", f"{STATE}, y", _stores("st(y", signals.values()))
        function("limits", "P, U, C", [(f"st(C, {CONTACT_ROWS * j + 5}, {{}})", c["minimum"] + zero) for j, c in enumerate(b.contacts)])
        kept, factors = 0, ()
        if self.scheme.correction is not None:
            function("multipliers", f"{STATE}, K, slot", _stores("st2(K, slot", b.multipliers))
            step, states = self.scheme.correction(b)
            stores = _stores("st(w", step) + [(f"st2(D, CORRECTION, {k}, {{}})", x) for k, x in states.items()]
            large = KEEP or bool(b.pools) or b.direct  # others keep a tangent of their own in every iteration
            factors = [x for x in ordered(b.graph, [x for _, x in stores]) if large and x.op.startswith(LINEAR[0])]
            kept = factors[0].value[0].size if factors and not b.direct else 0
            given = {x.id: f"P[FACTORS:FACTORS + {kept}]" for x in factors}
            function("newton", f"{STATE}, K, D, icm, cd, hh, w", stores, given)
            if factors:
                function("observe", f"{STATE}, slot, D, g", _stores("st2(D, slot", rates) + _stores("st(g", gaps))
                done = "{}" if b.direct else f"keep({{}}, {given[factors[0].id]}, who)"
                function("tangent", f"{STATE}, K, icm, cd, hh, who", [(done, factors[0])])
        if self.scheme.generated:
            functions, kept = self.scheme.generated(b)
            for name, (arguments, stores) in functions.items():
                function(name, arguments, stores)
        storage = self.storage
        pools = list(elements(b.graph, storage))
        kernels = called(b.graph, [node for _, nodes in parts for node in nodes])
        scheme = self.scheme
        kinks = [scheme.adaptive and scheme.order <= 2 and c["element"].continuous for c in b.contacts]
        self.sizes = {
            "N": n, "M": len(b.states), "NC": len(b.contacts), "W": self.width,
            "NR": len(self.reduced), "NY": len(self.histories), "NS": len(signals),
            "STEPPED": any(_steps(b.graph, signals[name]) for name in self.reduced),
            "LAST": scheme.slots - 1, "CARRY": scheme.carry, "LANE_ROWS": loop.LANE_ROWS, **loop.NAMES,
            "KINKS": any(kinks),
            "JUMPS": any(not c["element"].law.continuous_onset for c in b.contacts), "PROJECT": bool(rows) and scheme.projects,
            "FROZEN": bool(factors), "FLAT": all(row.polynomial.convective(b.q, b.v, b.time).zero for row in rows),
            "RESTART": scheme.correction is not None, "NM": len(rows) * scheme.multipliers, "DRIFT": 0.1 if b.shift else 30.0,
            "REFINED": any(f.__name__ == "refine" for f in scheme.functions),
        }  # fmt: skip
        scratch = max(1, len(storage.lane)) + loop.FROZEN_ROWS
        self.sizes |= {"NP": max(1, len(storage.lane)), "FACTORS": scratch, "KEPT": kept, "SCRATCH": scratch + kept}
        self.sizes["UNKNOWNS"] = self.sizes["SCRATCH"] + storage.scratch
        self.sizes["SHARES"] = self.sizes["UNKNOWNS"] + storage.unknowns
        self.rows = self.sizes["SHARES"] + storage.shares
        constants = {**self.sizes, **scheme.constants}
        text = ["import numpy as np", f"ld, ld2, st, st2 = accessors({self.width})"]
        text += [f"{k} = {_literal(v)}" for k, v in constants.items()]
        place = list(signals)
        text += [f"HISTORY = {_literal(np.array([place.index(name) for name in self.histories] or [0]))}"]
        text += [
            "from flexmbd.lanes.access import call_address",
            "from flexmbd.lanes.elements import BATCH, gather, ld_batch, put, spread, st_batch",
            "from flexmbd.linalg.printer import unpack",
        ]
        text += [f"TURNS = {packed([measure == 'angle' for measure in b.measures], 1)}[:, 0] > 0"]
        text += [f"STATE_CONTROLLED = {_literal(np.array([int(s['controlled']) for s in b.states] or [0]))}"]
        text += [f"STATE_CONTACT = {_literal(np.array([-1 if s['contact'] is None else s['contact'].index for s in b.states] or [-1]))}"]
        text += [f"KINK = {_literal(np.array(kinks or [False]))}"]
        text += declarations(kernels)
        text += [f"@inner\n{modules.source_of(f)}" for f in (execute, *blocks.KERNELS)]
        text += [f"@inner\n{side_by_side(modules.source_of(execute))}"]
        text += [f"@inner\n{blocks.sized(modules.source_of(f), size)}" for size in sorted(storage.sizes) for f in blocks.SIZED]
        text += pools
        text += [code for code, _ in parts]
        if not b.initial_rows:
            text += ["assemble_project, assemble_residual = project, residual"]
        own = {f.__name__ for f in scheme.functions}
        text += [f"@inner\n{modules.source_of(f)}" for f in (*scheme.functions, *(f for f in loop.FUNCTIONS if f.__name__ not in own))]
        text += [f"@entry\n{modules.source_of(f)}" for f in ENTRIES]
        return "\n".join(text) + "\n"


def _stores(target, nodes):
    """Statements that store nodes in consecutive rows: ``target`` is the call up to the row."""
    return [(f"{target}, {i}, {{}})", node) for i, node in enumerate(nodes)]


def _steps(graph, node):
    """True for a signal that changes at events only."""
    names = graph.variables(node)
    return bool(names) and all(name.startswith(("mode", "vz", "count")) for name in names)


def _read(name):
    """Source that reads a run-time variable."""
    if name in ("t", "icm", "cd", "hh") or name.isupper():
        return name
    if name[0] in NEWTON_READS:
        return NEWTON_READS[name[0]].format(name[1:])
    for prefix, row in (("mode", 0), ("vz", 1), ("count", 4)):
        if name.startswith(prefix):
            return f"ld(C, {CONTACT_ROWS * int(name.removeprefix(prefix)) + row})"
    return f"ld({name[0]}, {name[1:]})"


def _literal(value):
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    return repr(value)


__all__ = ["ENTRIES", "ROWS", "Model"]
