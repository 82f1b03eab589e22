"""Outputs of a model as one compiled function of its state, apart from the equations: another list of outputs compiles this one anew.

The compiled equations call it by its address; what it reads and works in lies behind their own rows of ``P``.
"""

import numpy as np
from numba import types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from flexmbd import modules
from flexmbd.codegen.machine import Code
from flexmbd.codegen.nodes import outputs_function
from flexmbd.codegen.values import Untraceable
from flexmbd.generated import STATE, Functions, head, stores
from flexmbd.lanes.elements import BATCH
from flexmbd.lanes.vector import OPTIONS
from flexmbd.linalg.printer import called
from flexmbd.linalg.storage import Storage
from flexmbd.outputs import REDUCTIONS
from flexmbd.outputs.reductions import RUNNING, unit_of
from flexmbd.suggest import unknown

TAKEN, DRIVE = "energy.dissipated", "energy.drive"
BOOKS = {TAKEN: (TAKEN,), DRIVE: (DRIVE,), "energy.balance": (TAKEN, DRIVE)}
DOUBLES, INTEGERS, WORDS = (types.CPointer(x) for x in (types.float64, types.int32, types.int64))
SIGNATURE = types.void(*(DOUBLES,) * 7, INTEGERS, WORDS, DOUBLES)
ENTRY = """
def outputs(t, q, v, s, C, P, numbers, tables, solver, y):
    U = (carray(numbers, ({numbers},)), carray(tables, ({tables},)), carray(solver, (1,)))
    signals(
        ld(carray(t, (1, W)), 0), carray(q, ({q}, W)), carray(v, ({q}, W)), carray(s, ({s}, W)), carray(C, ({C}, W)), carray(P, ({P}, W)),
        U, carray(y, ({y}, W))
    )
"""


class NumbaCode:
    """Machine code of generated source with the function ``outputs``, by Numba; as `codegen.machine.Code`."""

    def __init__(self, text):
        self.text, self.module, self._function = text, modules.load(text), None

    @property
    def name(self):
        """Of the generated module."""
        return self.module.__name__

    def on_disk(self):
        """True if it need not be compiled."""
        return modules.on_disk(self.module, [self.module.outputs])

    def address(self, function):
        """Address of the function."""
        if self._function is None:
            compiled = CFunc(getattr(self.module, function), normalize_signature(SIGNATURE), locals={}, options=dict(OPTIONS))
            compiled.enable_caching()
            compiled.compile()
            self._function = compiled
        return self._function.address


class Requests:
    """What is asked for, in an order that does not depend on that of the list.

    Attributes
    ----------
    reduced, histories : list of str
        Signals of which running sums are kept, and those that are kept over time.
    names : list of str
        All signals, the reduced ones first.
    wanted : dict output -> (signal, reduction or None)
    units : dict output -> str

    Raises
    ------
    ModelError
        Unknown output or reduction.
    """

    def __init__(self, outputs, catalogue):
        self.wanted, reduced, histories = {}, set(), set()
        for out in outputs:
            name, _, how = out.partition(":")
            if name not in catalogue:
                raise unknown("output", name, catalogue)
            if how and how not in REDUCTIONS:
                raise unknown("reduction", how, REDUCTIONS)
            (reduced if how in RUNNING else histories).add(name)
            self.wanted[out] = (name, how or None)
        self.reduced, self.histories = ([name for name in catalogue if name in chosen] for chosen in (reduced, histories))
        self.names = list(dict.fromkeys(self.reduced + self.histories))
        units = {out: (how, catalogue[name][1]) for out, (name, how) in self.wanted.items()}
        self.units = {out: unit if how is None else unit_of(how, unit) for out, (how, unit) in units.items()}

    def bringing(self, aliases):
        """Signals that are known to add states to the equations (energy taken up, work of drives, angles counted in full turns)."""
        names = [aliases.get(name, name) for name in self.names]
        found = {part for name in names for part in BOOKS.get(name, (name,) if name.endswith(".angle") else ())}
        return sorted(found)


class Signals:
    """The compiled function, and the numbers that it reads.

    Parameters
    ----------
    build : Build
        Nodes of signals are added to it.
    catalogue : dict
        Of the build.
    requests : Requests
    width : int
    matrices : int
        How many matrices of the equations a sparse direct library factorises: these are numbered after them.
    """

    def __init__(self, build, catalogue, requests, width, matrices):
        self.build, self.requests = build, requests
        nodes = [catalogue[name][0]() for name in requests.names]
        batch = BATCH if width == 1 else 1
        self.storage = Storage(batch, matrices)
        try:
            self.code = Code(outputs_function(build.graph, self.storage, nodes, width))
            self.kernels = called(build.graph, nodes)
        except Untraceable:
            self.storage = Storage(batch, matrices)
            self.code = self._by_numba(nodes, width)
        self.source, self.parameters = self.code.text, max(1, len(self.storage.lane))
        self.rows = self.parameters + self.storage.scratch + self.storage.unknowns + self.storage.shares
        self.stepped = any(_steps(build.graph, node) for node, name in zip(nodes, requests.names, strict=True) if name in requests.reduced)

    def _by_numba(self, nodes, width):
        """Code of what needs linear equations, pools of elements, films that are compiled elsewhere, or is long."""
        build, storage = self.build, self.storage
        functions = Functions(build, storage)
        functions.add("signals", f"{STATE}, y", stores("st(y", nodes))
        body = functions.text()
        self.kernels = functions.kernels
        sizes = {"W": width, "SCRATCH": max(1, len(storage.lane))}
        sizes["UNKNOWNS"] = sizes["SCRATCH"] + storage.scratch
        sizes["SHARES"] = sizes["UNKNOWNS"] + storage.unknowns
        lengths = {
            "q": max(1, build.n), "s": max(1, len(build.states)), "C": max(1, 6 * len(build.contacts)),
            "P": sizes["SHARES"] + storage.shares,
            "y": max(1, len(nodes)), "numbers": max(1, len(storage.uniform)), "tables": len(storage.tables),
        }  # fmt: skip
        text = [*head(width, sizes), "from numba import carray", *body, ENTRY.format(**lengths)]
        return NumbaCode("\n".join(text) + "\n")

    def compile(self):
        """Compile the function, or take it from disk."""
        self.code.address("outputs")

    def pack(self, leaves, count):
        """What compiled equations are told of it, its numbers and its tables; and its parameters per sample (`Storage.pack`)."""
        numbers, lane = self.storage.pack(self.build.graph, leaves, count)
        places = [self.requests.names.index(name) for name in self.requests.histories]
        counts = [self.parameters, len(self.requests.reduced), len(places), int(self.stepped)]
        return (np.array([self.code.address("outputs"), *counts, *places], np.int64), numbers, self.storage.tables), lane


def _steps(graph, node):
    """True for a signal that changes at events only."""
    names = graph.variables(node)
    return bool(names) and all(name.startswith(("mode", "vz", "count")) for name in names)
