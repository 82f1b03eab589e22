"""`Model`: one topology compiled for one integrator and one lane width, and its outputs compiled for a list of them."""

import hashlib
import logging
from contextlib import contextmanager

import numpy as np
from numba.core.errors import NumbaError

from flexmbd import assembly, loop, modules
from flexmbd.errors import ModelError
from flexmbd.expressions import Build, law_of
from flexmbd.generated import STATE, Functions, head, literal, stores
from flexmbd.joints.friction import check_scheme
from flexmbd.kernels import ALLOWED, with_called
from flexmbd.lanes.elements import BATCH
from flexmbd.linalg.printer import LINEAR, ordered, packed
from flexmbd.linalg.sparse import Solver
from flexmbd.linalg.storage import Storage
from flexmbd.outputs import catalogue
from flexmbd.outputs.reductions import ROWS
from flexmbd.registry import CONTACT_ROWS
from flexmbd.signals import Requests, Signals
from flexmbd.tuning import USUAL

ENTRIES = (*assembly.ENTRIES, loop.campaign)
CALL = """@inner
def signals(t, q, v, s, C, P, U, y):
    call_outputs(U[3], t, q, v, s, C, P[OUTPUTS:], U[4], U[5], U[2], y)
"""
log = logging.getLogger("flexmbd")


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
    tuning : Tuning

    Raises
    ------
    ModelError
        Unknown output or reduction.
    """

    def __init__(self, system, outputs, scheme, *, width=16, fold=True, shift=0.0, direct="", tuning=USUAL):
        self.scheme, self.width, self.fold = scheme, width, fold
        self._arguments = {"fold": fold, "shift": shift, "direct": bool(direct), "tuning": tuning}
        made = self._build(system, outputs, ())
        if made is None:  # outputs bring states that are not known to do so: these come into being before the equations are written
            made = self._build(system, outputs, tuple(outputs))
        self.structure, self.kinds = system.structure(), tuple(self.build.kinds)
        self.state_names = [s.name for s in self.build.states]
        self.topology = hashlib.sha256(repr((self.structure, self.kinds)).encode()).hexdigest()[:16]
        self.module = modules.load(self.source)
        plans = [plan for storage in (self.storage, self.signals.storage) for _, plan in storage.matrices.values()]
        self.solver = Solver(plans, direct) if direct else None

    def _build(self, system, outputs, first):
        """Write equations, then outputs; None if an output that is not among those made `first` added a state to equations written."""
        self.build = build = Build(system, **self._arguments)
        self.catalogue = catalogue(build)
        self.requests = Requests(outputs, self.catalogue)
        wanted = [self.requests.wanted[out][0] for out in first] or self.requests.bringing(system.aliases)
        for name in [x for x in self.catalogue if x in wanted]:
            self.catalogue[name][0]()
        count = len(build.states)
        self.storage = Storage(BATCH if self.width == 1 else 1)
        self.source = self._source()
        self.signals = Signals(build, self.catalogue, self.requests, self.width, len(self.storage.matrices))
        self.rows = self.sizes["OUTPUTS"] + self.signals.rows
        return self if len(build.states) == count else None

    @property
    def modules(self):
        """Names of its generated modules; other lists of outputs share the first."""
        return self.module.__name__, self.signals.code.name

    @property
    def units(self):
        """Unit of each output."""
        return self.requests.units

    def pack(self, system, count):
        """What is the same for all samples, ``U``, and parameters per sample of a system of this topology (`Storage.pack`)."""
        leaves = [value for _, value in system.leaves()]
        numbers, lane = self.storage.pack(self.build.graph, leaves, count)
        of_outputs, outputs_lane = self.signals.pack(leaves, count)
        solver = np.array([self.solver.address if self.solver else 0], np.int64)
        return (numbers, self.storage.tables, solver, *of_outputs), np.concatenate([lane, outputs_lane])

    def compile(self):
        """Compile the outputs, or take them from disk; the equations are compiled when they are first called, see `compiling`."""
        if not self.on_disk():
            log.info("compiling (once): %s", self.describe())
        with self.compiling():
            self.signals.compile()

    def on_disk(self):
        """True if all machine code is in the cache directory."""
        return modules.on_disk(self.module, ENTRIES) and self.signals.code.on_disk()

    def describe(self):
        """What is compiled, in a few words."""
        b = self.build
        parts = (len(b.system.bodies), "bodies"), (len(b.system.elements), "elements"), (len(self.requests.names), "signals")
        known = " (equations are there already)" if modules.on_disk(self.module, ENTRIES) else ""
        return f"{', '.join(f'{n} {what}' for n, what in parts)}; {self.scheme.name}, {self.width} lanes{known}"

    @contextmanager
    def compiling(self):
        """Say whose kernel it is that Numba cannot compile."""
        try:
            yield
        except NumbaError as error:
            raise self._mistake(error) from error

    def _mistake(self, error):
        text = str(error)
        used = {kernel.name: kernel for kernel in with_called((*self.kernels, *self.signals.kernels))}
        found = next((used[name] for name in modules.functions_named(text) if name in used), None)
        reason = " ".join(modules.reason_of(text).split())[:200]
        if found is None:
            remedy = "this is a fault of flexmbd, or of a kernel that it was given"
            return ModelError(f"generated code cannot be compiled: {reason}", remedy=remedy)
        for owner in (*self.build.system.elements, *self.build.system.bodies):
            if law := law_of(owner, found.function):
                told = f"'{owner.name}', law '{law}': {found.describe()} cannot be compiled: {reason}"
                return ModelError(told, element=owner.name, remedy=ALLOWED)
        return ModelError(f"{found.describe()} cannot be compiled: {reason}", remedy=ALLOWED)

    # ---- generated source
    def _source(self):
        b = self.build
        check_scheme(b, self.scheme)
        rows, together = b.rows, b.rows + b.initial_rows
        n, zero = b.n, b.graph.const(0.0)
        rates = [s.rate for s in b.states]
        accelerations = b.a if self.scheme.accelerations is None else self.scheme.accelerations(b)
        gaps = [x for c in b.contacts for x in (c.penetration, c.rate)]
        functions = Functions(b, self.storage)
        function = functions.add
        function(
            "rhs",
            f"{STATE}, K, slot, D, g",
            stores("st2(K, slot", accelerations) + stores("st2(D, slot", rates) + stores("st(g", gaps),
        )
        sets = [("", rows), ("assemble_", together)] if b.initial_rows else [("", rows)]
        for prefix, which in sets:
            dq, dv = b.corrections(which)
            function(f"{prefix}project", "t, q, v, P, U, w", stores("st(w", dq + dv))
            function(f"{prefix}residual", "t, q, v, P, U, w", stores("st(w", b.residuals(which)))
        function("limits", "P, U, C", [(f"st(C, {CONTACT_ROWS * j + 5}, {{}})", c.minimum + zero) for j, c in enumerate(b.contacts)])
        kept, factors = 0, ()
        if self.scheme.correction is not None:
            function("multipliers", f"{STATE}, K, slot", stores("st2(K, slot", b.multipliers))
            step, states = self.scheme.correction(b)
            written = stores("st(w", step) + [(f"st2(D, CORRECTION, {k}, {{}})", x) for k, x in states.items()]
            large = b.graph.tuning.kept_factors or bool(b.pools) or b.direct  # others keep a tangent of their own in every iteration
            factors = [x for x in ordered(b.graph, [x for _, x in written]) if large and x.op.startswith(LINEAR[0])]
            kept = factors[0].value[0].size if factors and not b.direct else 0
            given = {x.id: f"P[FACTORS:FACTORS + {kept}]" for x in factors}
            function("newton", f"{STATE}, K, D, icm, cd, hh, w", written, given)
            if factors:
                function("observe", f"{STATE}, slot, D, g", stores("st2(D, slot", rates) + stores("st(g", gaps))
                done = "{}" if b.direct else f"keep({{}}, {given[factors[0].id]}, who)"
                function("tangent", f"{STATE}, K, icm, cd, hh, who", [(done, factors[0])])
        if self.scheme.generated:
            generated, kept = self.scheme.generated(b)
            for name, (arguments, written) in generated.items():
                function(name, arguments, written)
        code, storage = functions.text(), self.storage
        self.kernels = functions.kernels
        scheme = self.scheme
        kinks = [scheme.adaptive and scheme.order <= 2 and c.element.continuous for c in b.contacts]
        augmented = bool(b.shift) and scheme.correction is None  # near singular positions what is open grows fast, whatever the step
        self.sizes = {
            "N": n, "M": len(b.states), "NC": len(b.contacts), "W": self.width,
            "LAST": scheme.slots - 1, "CARRY": scheme.carry, "LANE_ROWS": loop.LANE_ROWS, **loop.NAMES,
            "KINKS": any(kinks),
            "JUMPS": any(not c.element.law.continuous_onset for c in b.contacts),
            "PROJECT": bool(rows) and (scheme.projects or augmented), "AUGMENTED": augmented,
            "FROZEN": bool(factors), "FLAT": all(row.polynomial.convective(b.q, b.v, b.time).zero for row in rows),
            "RESTART": scheme.correction is not None, "NM": len(rows) * scheme.multipliers, "DRIFT": 0.1 if b.shift else 30.0,
            "REFINED": any(f.__name__ == "refine" for f in scheme.functions),
        }  # fmt: skip
        scratch = max(1, len(storage.lane)) + loop.FROZEN_ROWS
        self.sizes |= {"NP": max(1, len(storage.lane)), "FACTORS": scratch, "KEPT": kept, "SCRATCH": scratch + kept}
        self.sizes["UNKNOWNS"] = self.sizes["SCRATCH"] + storage.scratch
        self.sizes["SHARES"] = self.sizes["UNKNOWNS"] + storage.unknowns
        self.sizes["OUTPUTS"] = self.sizes["SHARES"] + storage.shares
        constants = {**self.sizes, **scheme.constants}
        text = head(self.width, constants)
        text += [f"TURNS = {packed([measure == 'angle' for measure in b.measures], 1)}[:, 0] > 0"]
        text += [f"STATE_CONTROLLED = {literal(np.array([int(s.controlled) for s in b.states] or [0]))}"]
        text += [f"STATE_CONTACT = {literal(np.array([-1 if s.contact is None else s.contact.index for s in b.states] or [-1]))}"]
        text += [f"KINK = {literal(np.array(kinks or [False]))}"]
        text += [*code, CALL]
        if not b.initial_rows:
            text += ["assemble_project, assemble_residual = project, residual"]
        own = {f.__name__ for f in scheme.functions}
        text += [f"@inner\n{modules.source_of(f)}" for f in (*scheme.functions, *(f for f in loop.FUNCTIONS if f.__name__ not in own))]
        text += [f"@entry\n{modules.source_of(f)}" for f in ENTRIES]
        return "\n".join(text) + "\n"


__all__ = ["ENTRIES", "ROWS", "Model"]
