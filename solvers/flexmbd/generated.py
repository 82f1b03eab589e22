"""Text of generated modules: functions that compute nodes, with all that they name."""

import numpy as np

from flexmbd.kernels import declarations
from flexmbd.linalg import blocks
from flexmbd.linalg.printer import called
from flexmbd.linalg.program import elements, execute, side_by_side, source
from flexmbd.modules import source_of
from flexmbd.registry import CONTACT_ROWS

STATE = "t, q, v, s, C, P, U"
NEWTON_READS = {
    "a": "ld2(K, NEXT_ACCELERATION, {})", "l": "ld2(K, NEXT_MULTIPLIER, {})", "u": "ld2(K, NEXT_MULTIPLIER, NM // 2 + {})",
    "o": "ld2(K, ORIGIN, {})", "p": "ld2(D, KNOWN, {})",
}  # fmt: skip


class Functions:
    """Functions of one generated module.

    Parameters
    ----------
    build : Build
    storage : Storage
        What they read and work in.

    Attributes
    ----------
    kernels : list of Kernel
        Those called; known after `text`.
    """

    def __init__(self, build, storage):
        self.build, self.storage, self.kernels, self._parts = build, storage, [], []

    def add(self, name, arguments, stores, given=None):
        """A function that stores nodes; `stores` and `given` as of `linalg.printer.straight_line`."""
        switch = self.build.graph.tuning.index_program_direct if self.build.direct else None
        code = source(self.build.graph, self.storage, name, arguments, _read, stores, given, switch=switch)
        self._parts.append((code, [node for _, node in stores]))

    def text(self):
        """Lines of the module that define the functions, and what they call."""
        graph, storage = self.build.graph, self.storage
        pools = list(elements(graph, storage))  # first: they lay tables, and name sizes of blocks
        self.kernels = called(graph, [node for _, nodes in self._parts for node in nodes])
        lines = declarations(self.kernels)
        lines += [f"@inner\n{source_of(f)}" for f in (execute, *blocks.KERNELS)]
        lines += [f"@inner\n{side_by_side(source_of(execute))}"]
        lines += [f"@inner\n{blocks.sized(source_of(f), size)}" for size in sorted(storage.sizes) for f in blocks.SIZED]
        return lines + pools + [code for code, _ in self._parts]


def head(width, constants):
    """First lines of a generated module: what all functions name."""
    lines = ["import numpy as np", f"ld, ld2, st, st2 = accessors({width})"]
    lines += [f"{k} = {literal(v)}" for k, v in constants.items()]
    return lines + [
        "from flexmbd.lanes.access import call_address, call_outputs",
        "from flexmbd.lanes.elements import BATCH, gather, ld_batch, put, spread, st_batch",
        "from flexmbd.linalg.printer import unpack",
    ]


def stores(target, nodes):
    """Statements that store nodes in consecutive rows: ``target`` is the call up to the row."""
    return [(f"{target}, {i}, {{}})", node) for i, node in enumerate(nodes)]


def literal(value):
    """Source of a number or of an array."""
    return f"np.array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)


def _read(name):
    """Source that reads a run-time variable."""
    if name in ("t", "icm", "cd", "hh") or name.isupper():
        return name
    if name[0] in NEWTON_READS:
        return NEWTON_READS[name[0]].format(name[1:])
    for prefix, row in (("mode", 0), ("vz", 1), ("count", 4), ("vl", 5)):
        if name.startswith(prefix):
            return f"ld(C, {CONTACT_ROWS * int(name.removeprefix(prefix)) + row})"
    return f"ld({name[0]}, {name[1:]})"
