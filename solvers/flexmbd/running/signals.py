"""Outputs of a model as one compiled function of its state, apart from the equations: another list of outputs compiles this one anew."""

from flexmbd.codegen.functions import Functions
from flexmbd.codegen.machine import Code
from flexmbd.codegen.pools import BATCH
from flexmbd.codegen.storage import Storage
from flexmbd.language.ordering import called, ordered
from flexmbd.outputs import REDUCTIONS
from flexmbd.outputs.reductions import RUNNING, unit_of
from flexmbd.stepping import names
from flexmbd.suggest import unknown


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


class Signals:
    """The compiled function, and the numbers that it reads.

    Parameters
    ----------
    problem : Problem
        Nodes of signals are added to its graph.
    requests : Requests
    layout : Layout
    storage : Storage
        Of the equations: parameters of the outputs follow theirs.

    Attributes
    ----------
    reactive : list of bool
        Signals that depend on accelerations or multipliers.
    """

    def __init__(self, problem, requests, layout, storage):
        graph, self.requests = problem.graph, requests
        nodes = [problem.outputs[name][0]() for name in requests.names]
        self.kernels = called(graph, nodes)
        self.storage = Storage(BATCH if layout.width == 1 else 1, storage.rows, len(storage.matrices))
        functions = Functions(graph, self.storage, layout, (names.OUT_NUMBERS, names.OUT_TABLES))
        functions.add("outputs", [(("y", k), node) for k, node in enumerate(nodes)])
        self.code, self.rows = Code(functions.text()), functions.rows
        solved = {x.id for x in (*problem.a, *problem.multipliers)}
        self.reactive = [any(x.id in solved for x in ordered(graph, [node])) for node in nodes]
        self.stepped = any(_steps(graph, node) for node, name in zip(nodes, requests.names, strict=True) if name in requests.reduced)

    @property
    def shown(self):
        """Places among the signals of those that are kept over time."""
        return [self.requests.names.index(name) for name in self.requests.histories]


def _steps(graph, node):
    """True for a signal that changes at events only."""
    names = graph.variables(node)
    return bool(names) and all(name.startswith(("mode", "vz", "count")) for name in names)
