"""Outputs of a model as one compiled function of its state, apart from the equations: another list of outputs compiles this one anew."""

from flexmbd.codegen.functions import Functions
from flexmbd.codegen.group_loops import BATCH
from flexmbd.codegen.storage import Storage
from flexmbd.errors import ModelError
from flexmbd.language.ordering import called, ordered
from flexmbd.language.results import sources
from flexmbd.language.signs import at_most_one, nonnegative
from flexmbd.outputs import REDUCTIONS
from flexmbd.outputs.reductions import OF_SUMS, RUNNING, parts, percentile_of, unit_of
from flexmbd.registry import HOLDS, EnergyAccounts
from flexmbd.stepping import names
from flexmbd.suggest import unknown

POSITIVE = frozenset(("mass", "inertia", "clearance", "K"))  # numbers of elements and laws, which refuse others than positive ones


class Requests:
    """What is asked for, in an order that does not depend on that of the list.

    Attributes
    ----------
    reduced, histories : list of str
        Signals of which running sums are kept, and those that are kept over time.
    names : list of str
        All signals, the reduced ones first.
    wanted : dict output -> (signal, reduction or None)
    windows : dict output -> (signal, Window)
    percentiles : dict output -> float
        Per cent of the time.
    sections : dict name -> (kind, signal or None, signals that are taken)
    of_sections : list of str
        All these signals.
    units : dict output -> str

    Raises
    ------
    ModelError
        Unknown output or reduction, a window that is none, or a section of what is not there.
    """

    def __init__(self, outputs, catalogue, sections=None):
        self.wanted, self.windows, self.percentiles, reduced, histories = {}, {}, {}, set(), set()
        self.sections = {name: (*section.signal(catalogue), section.of) for name, section in (sections or {}).items()}
        taken = [name for _, _, of in self.sections.values() for name in of]
        if odd := next((name for name in taken if name not in catalogue), None):
            raise unknown("output", odd, catalogue)
        for kind, signal, of in self.sections.values():  # what has to be known at the ends of steps
            reduced |= {signal, *of} if kind == names.IMPACT else {signal} - {None}
        for out in outputs:
            name, how, window = parts(out)
            if name not in catalogue:
                raise unknown("output", name, catalogue)
            level = percentile_of(how)
            if how is not None and how not in REDUCTIONS and level is None:
                raise unknown("reduction", how, [*REDUCTIONS, "p95"])
            if window:
                self._check(out, how, window, catalogue)
                reduced |= {name, window.angle or name}
                self.windows[out] = name, window
            if how in RUNNING:
                reduced.add(name)
            else:
                histories.add(name)
            if level is not None:
                self.percentiles[out] = level
            self.wanted[out] = (name, how)
        self.reduced, self.histories = ([name for name in catalogue if name in chosen] for chosen in (reduced, histories))
        self.of_sections = [name for name in catalogue if name in taken]
        self.names = list(dict.fromkeys(self.reduced + self.histories + self.of_sections))
        units = {out: (how, catalogue[name][1]) for out, (name, how) in self.wanted.items()}
        self.units = {name: catalogue[name][1] for name in self.of_sections}
        self.units |= {out: unit if how is None else unit_of(how, unit) for out, (how, unit) in units.items()}

    def tables(self):
        """Of each window its signal and that of its angle (-1: none), and its begin and end, s."""
        place = self.reduced.index
        signals = [(place(name), place(window.angle) if window.angle else -1) for name, window in self.windows.values()]
        return signals, [(window.begin, window.end) for _, window in self.windows.values()]

    @staticmethod
    def _check(out, how, window, catalogue):
        """Raise `ModelError` for a window that this signal cannot be reduced over."""
        if how in (None, "final"):
            what = "a history" if how is None else "the final value"
            remedy = "name what it is reduced to within the window: name:max@0.1.., say"
            raise ModelError(f"output '{out}': {what} has no window", element=out, remedy=remedy)
        if window.angle and window.angle not in catalogue:
            raise unknown("output", window.angle, catalogue)
        if window.angle and catalogue[window.angle][1] != "rad":
            told = f"output '{out}': '{window.angle}' is in {catalogue[window.angle][1] or 'no unit'}, and turns are counted in rad"
            raise ModelError(told, element=out, remedy="name the angle of a body, crank.angle, say")


class Signals:
    """The compiled function, and the numbers that it reads.

    Parameters
    ----------
    problem : Problem
    requests : Requests
    nodes : list of Node
        The signals, in the order of `Requests.names`.
    layout : Layout
    storage : Storage
        Of the equations: parameters of the outputs follow theirs.

    Attributes
    ----------
    reactive : list of bool
        Signals that depend on accelerations or multipliers.
    nonnegative : list of str
        Signals that cannot be negative: norms, counts.
    at_most_one : list of str
        Signals between zero and one: whether bodies touch, say.
    """

    def __init__(self, problem, requests, nodes, layout, storage):
        graph, self.requests = problem.graph, requests
        self.kernels = called(graph, nodes)
        self.storage = Storage(BATCH if layout.width == 1 else 1, storage.rows, len(storage.matrices))
        functions = Functions(graph, self.storage, layout, (names.OUT_NUMBERS, names.OUT_TABLES))
        functions.add("outputs", [(("y", k), node) for k, node in enumerate(nodes)])
        self.code, self.rows = functions.code(), functions.rows
        books = {k for k, s in enumerate(problem.states) if s.name.startswith(f"{EnergyAccounts.name}.") and not s.rate.zero}
        between = {*requests.histories, *requests.of_sections}
        kept = [node for node, name in zip(nodes, requests.names, strict=True) if name in between]
        self.exactly = not books.isdisjoint(graph.space("s").of(*kept))  # of no interpolation: its error is not controlled
        solved = {x.id for x in (*sources(problem.a), *sources(problem.multipliers))}
        self.reactive = [any(x.id in solved for x in ordered(graph, [node])) for node in nodes]
        self.stepped = any(_steps(graph, node) for node, name in zip(nodes, requests.names, strict=True) if name in requests.reduced)
        positive = {path for path in problem.levels if path.rpartition(".")[2] in POSITIVE}
        self.nonnegative = [name for name, node in zip(requests.names, nodes, strict=True) if nonnegative(node, positive)]
        self.at_most_one = [name for name, node in zip(requests.names, nodes, strict=True) if at_most_one(node)]
        self.percussive = _percussive(problem, dict(zip(requests.names, nodes, strict=True)))

    @property
    def percussions(self):
        """Outputs asked for whose values are, in an impact, those of percussions by the length of a step, where the scheme has steps."""
        return [out for out, (name, how) in self.requests.wanted.items() if name in self.percussive and how not in OF_SUMS]

    @property
    def shown(self):
        """Places among the signals of those that are kept over time."""
        return [self.requests.names.index(name) for name in self.requests.histories]


def _percussive(problem, nodes):
    """Signals that follow from forces of contacts that can be struck: percussions are in them. Guides hold both ways at all times."""
    if all(contact.rule == HOLDS for contact in problem.unilaterals):
        return frozenset()
    forces = {force.value for contact in problem.unilaterals for force in contact.found.forces}
    return frozenset(name for name, node in nodes.items() if not forces.isdisjoint(problem.graph.variables(node)))


def _steps(graph, node):
    """True for a signal that changes at events only."""
    spaces = {x.space for x in graph.variables(node)}
    return bool(spaces) and spaces <= {"mode", "impact_velocity", "impacts"}
