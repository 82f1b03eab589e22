"""What every formulation does: parameters, joints, forces and contacts of a system, and the finished `Problem`."""

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import fields

from flexmbd.equations.index1 import solution
from flexmbd.equations.inertia import NaturalInertia
from flexmbd.equations.saddle import singles
from flexmbd.errors import ModelError
from flexmbd.formulation.interface import Interface
from flexmbd.formulation.mass_matrix import MassMatrix
from flexmbd.formulation.row_groups import grouped
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.variables import OF_SYSTEMS
from flexmbd.outputs import catalogue
from flexmbd.parameters import RUNTIME
from flexmbd.problem import Problem
from flexmbd.space import AXES
from flexmbd.tuning import USUAL


@contextmanager
def written(owner):
    """Say whose an error is that names nobody: the element's or body's, and of a kernel the law's."""
    try:
        yield
    except KernelError as error:
        if error.element is not None:
            raise
        law = law_of(owner, error.function)
        whose = f"'{owner.name}'{f', law {law!r}' if law else ''}"
        raise KernelError(f"{whose}: {error.message}", error.function, element=owner.name, remedy=error.remedy) from error
    except ModelError as error:
        error.element = error.element or owner.name
        raise


def law_of(owner, function):
    """Name of the law, film or other part of an element that a kernel belongs to, else None."""
    for part in list(getattr(owner, "__dict__", {}).values()):
        if callable(getattr(part, "kernels", None)) and not isinstance(part, type):
            kernels = part.kernels()
            if function in kernels or function in getattr(kernels, "helpers", ()):
                return getattr(part, "name", type(part).__name__)
    return None


class Forces(list):
    """Generalized forces, and whether one has been set to another node."""

    added = False

    def __setitem__(self, i, force):
        self.added |= force is not self[i]
        super().__setitem__(i, force)


class Formulation(Interface, MassMatrix, ABC):
    """Equations of a system while they are written: what elements are handed (`Interface` says what of it they use).

    A formulation is a subclass. It gives `parts`, `initial` and `bodies`, and the words about places and forces that `Interface` names.

    Parameters
    ----------
    system : System
    shift : float
        Above zero: keep constraint rows that depend on others (see `equations.index1`).
    direct : bool
        Linear equations are solved by a sparse direct library, and all elements of flexible bodies are in groups.
    tuning : Tuning
    graph : Graph, optional
        Of another kind than `Graph`.
    varied : mapping of str to dict of int to float, optional
        Numbers by path to which multiples of the variables ``p0, p1...`` are added (`analysis.varied_parameters`).
    solved : bool
        Accelerations and multipliers are the solution of the equations; else variables ``a0...``, ``l0...``, as analyses read them.

    Attributes
    ----------
    groups : list of Group
        Elements of flexible bodies that are many and alike; what they add is in none of the nodes below.
    generalized : list of Node
        Generalized forces.
    rows : list of Row
    row_groups : list of RowGroup
        Rows of joints that are many and alike, of `rows`; where a sparse direct library solves.
    states : list of ExtraState
    contacts : list of Event
    unilaterals : list of UnilateralContact
    times : list of Node
        Known times that no comparison in the equations says.
    notes : dict str -> str
        What is notable of how the equations are written, by key of a run's attributes.
    """

    def __init__(self, system, *, shift=0.0, direct=False, tuning=USUAL, graph=None, varied=None, solved=True):
        self.system, self.graph, self.shift, self.direct = system, Graph(tuning) if graph is None else graph, shift, direct
        self._varied, self._solved = varied or {}, solved
        parameters, self._state_index, self.graph.spaces = system.parameters(), {}, OF_SYSTEMS
        self.levels = {path: parameters.level(path) for path in parameters}
        self._numbers = {path: self._number(path, level) for path, level in self.levels.items()}
        self._owners = {element.name: "@" for element in system.elements}
        g = self.graph
        self.time = g.var("t")
        self.first, self.coordinates, self.measures = {}, [], []
        for name, own in self.parts(system).items():
            self.first[name] = len(self.measures)
            self.coordinates += [f"{name}[{k}]" for k in range(len(own))]
            self.measures += own
        self.n = len(self.measures)
        self.q, self.v = (g.space(name).first(self.n) for name in "qv")
        self.generalized = Forces([g.const(0.0)] * self.n)
        self.gravity = [self._numbers[f"gravity.{axis}"] for axis in AXES[: system.dimension]]
        self.states, self.contacts, self.unilaterals, self.coupled, self._memory = [], [], [], [], {}
        self.potential_energy, self.stored_energy, self.powers = g.const(0.0), g.const(0.0), {}
        self.late, self.notes = {}, {}
        self.rows, self.initial_rows, self.owner, self.inertia = [], [], {}, NaturalInertia(g, self.q)
        self.groups, self.discrete_gradients, self.times, self.unbooked = self.inertia.groups, {}, [], []
        self.bodies()
        joints = []
        for element in system.elements:
            g.mark()
            with written(element):
                if element.reacts:
                    self.owner[element.name] = len(self.rows)
                    own = self.rows_of(element, element.rows)
                    joints.append((len(self.rows), own))
                    self.rows += own
                self.initial_rows += self.rows_of(element, element.initial_rows)
        alike = direct and not shift and isinstance(self.inertia, NaturalInertia)
        self.row_groups = grouped(g, self.n, joints, self.graph.tuning.single_elements) if alike else []
        for element in system.elements:
            g.mark()
            with written(element):
                energies = self._energies()
                self.generalized.added = False
                element.apply(self)
                if self._energies() == energies and self.generalized.added:
                    self.unbooked.append(element.name)
        self.a, self.multipliers = self._accelerations()
        self.outputs = catalogue(self)

    def _energies(self):
        """What elements have said so far of the energy of their forces."""
        powers = [(k, x.id) for k, x in self.powers.items()]
        return self.potential_energy.id, self.stored_energy.id, powers, len(self.unilaterals)  # these have losses of their own

    balance = None  # see `Problem`

    # ---- what a formulation gives
    @staticmethod
    @abstractmethod
    def parts(system):
        """What each coordinate measures, "length" or "angle" (or another pure number), by the name of what has the coordinates."""

    @staticmethod
    @abstractmethod
    def initial(system):
        """Guesses of coordinates and velocities: two lists of numbers or arrays over samples."""

    @abstractmethod
    def bodies(self):
        """Mass, rows and forces of the bodies."""

    def rows_of(self, element, written):
        """Rows of an element that are left of those that its method `written` gives: in motion, or at the start only."""
        return written(self)

    def reaction(self, element, body):
        """Force and moment about the centre of mass that a joint exerts on a body."""
        raise ModelError(f"the formulation does not know reactions of joint '{element.name}'", element=element.name)

    def natural(self):
        """Nodes of the natural coordinates of all bodies, and then of their rates, in which starts are told; none if not known."""
        return ()

    @property
    def speeds(self):
        """Of each body mass, velocity, moments of inertia, angular velocity, where rates of coordinates do not tell how fast it moves."""
        return ()

    def outputs_of(self, body):
        """Outputs of a body: name -> (function giving the node, unit)."""
        return body.outputs(self)

    def centre(self, body):
        """Place of a body's centre of mass."""
        return body.origin(self)

    def pose(self, body):
        """Nodes of what says where a body is, for poses of a run."""
        return body.pose(self)

    def turning(self, *, every=True):
        """Angles that count full turns, by body: their node, and the number of the state near it; `every` body's, or where there is one."""
        return {}

    @staticmethod
    def turning_matrix(system, spinning):
        """Matrix (n, n) of the cross product of all coordinates with the angular velocity of a turning frame; None if there is none."""
        if spinning is not None:
            raise ModelError("a turning frame is for natural coordinates", remedy="leave `spinning` out, or take formulation 'natural'")

    # ---- the finished equations
    def _accelerations(self):
        """Nodes of accelerations and multipliers, which outputs read."""
        if not self._solved:
            counts = ("a", self.n), ("l", len(self.rows))
            a, multipliers = (self.graph.space(name).first(count) for name, count in counts)
            loads = [one.load(self.graph, multipliers)[0] for one in self.coupled]
            self._book([one.force(self.graph, load)[0] for one, load in zip(self.coupled, loads, strict=True)])
            return a, multipliers
        a, multipliers, forces = solution(self)
        self._book(forces)
        return a, multipliers

    def _book(self, forces):
        """Have what depends on reactions say its power."""
        for one, force in zip(self.coupled, forces, strict=True):
            one.book(self, force)

    def _number(self, path, level):
        """Node of a number of the system, of a level or folded; of a matrix that of its table."""
        if path in self._varied:
            g = self.graph
            return g.dot(((g.const(slope), g.var("p", j)) for j, slope in self._varied[path].items()), g.param(path, RUNTIME - 1))
        if isinstance(level, tuple):
            return self.graph.table(path, *level)
        return self.graph.const(level) if isinstance(level, float) else self.graph.param(path, level)

    def drive_power(self):
        """Power that time-dependent rows put in (multiplier times the row's explicit rate), and that of external loads."""
        total = self.power_of("external")
        for k, row in singles(self, self.rows):
            self.graph.mark()
            total = total + self.multipliers[k] * row.polynomial.time_derivative(self.time).value(self.q)
        return total

    def problem(self, outputs=(), last=None):
        """The finished equations; outputs named are made before them, because they may bring states, and then what `last` makes."""
        for name in self.outputs:
            if name in outputs:
                self.outputs[name][0]()
        if last is not None:
            last()
        found = Problem(**{field.name: getattr(self, field.name) for field in fields(Problem)})
        self.states = found.states
        return found
