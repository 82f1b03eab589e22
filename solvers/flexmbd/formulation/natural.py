"""From a `System` to graph expressions: generalized forces, constraint rows, accelerations, outputs.

`Build` is what joints, forces and contacts are handed; each writes its own share.
"""

from contextlib import contextmanager
from dataclasses import fields

import numpy as np

from flexmbd.equations.index1 import accelerations
from flexmbd.errors import ModelError
from flexmbd.formulation.interface import Interface
from flexmbd.formulation.mass_matrix import MassMatrix
from flexmbd.formulation.pools import Pool, Share
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.nodes import LANE, UNIFORM
from flexmbd.outputs import catalogue
from flexmbd.parameters import Matrix
from flexmbd.problem import Problem
from flexmbd.space import AXES
from flexmbd.tuning import USUAL


def level_of(value, fold):
    """Level of a number: folded constant (only 0, 1, -1), one for all samples, or one per sample; of a matrix with its shape."""
    level = LANE if np.ndim(value) else UNIFORM
    if isinstance(value, Matrix):
        return level, value.shape
    if level == LANE:
        return level
    return value if fold and value in (0.0, 1.0, -1.0) else UNIFORM


@contextmanager
def _written(owner):
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


class Build(Interface, MassMatrix):
    """Expressions of one topology.

    Parameters
    ----------
    system : System
    fold : bool
        Fold the numbers 0, 1 and -1 into the code (not when numbers were stacked from single samples).
    shift : float
        Above zero: keep constraint rows that depend on others (see `index1`).
    direct : bool
        Linear equations are solved by a sparse direct library, and all elements of flexible bodies are in pools.
    tuning : Tuning

    Attributes
    ----------
    pools : list of Pool
        Elements of flexible bodies that are many and alike; what they add is in none of the nodes below.
    generalized : list of Node
        Generalized forces.
    rows : list of Row
    states : list of ExtraState
    contacts : list of LocatedContact
    unilaterals : list of UnilateralContact
    """

    graph_kind = Graph

    def __init__(self, system, *, fold=True, shift=0.0, direct=False, tuning=USUAL):
        self.system, self.graph, self.shift, self.direct = system, self.graph_kind(tuning), shift, direct
        self.kinds, self._numbers, self._state_index = [], {}, {}
        for k, (path, value) in enumerate(system.parameters()):
            kind = level_of(value, fold)
            self.kinds.append(kind)
            self._numbers[path.removeprefix("@")] = self._number(k, path, kind)
        g = self.graph
        self.time = g.var("t")
        self.first, n = {}, 0
        for body in system.bodies:
            self.first[body.name] = n
            n += body.coordinates
        self.n = n
        self.q, self.v = [g.var(f"q{i}") for i in range(n)], [g.var(f"v{i}") for i in range(n)]
        self.measures = [measure for body in system.bodies for measure in body.measures]
        self.generalized = [g.const(0.0)] * n
        self.gravity = [self._numbers[f"gravity.{axis}"] for axis in AXES[: system.dimension]]
        self.states, self.contacts, self.unilaterals, self.frictions, self._memory = [], [], [], [], {}
        self.potential_energy, self.stored_energy, self.powers = g.const(0.0), g.const(0.0), {}
        self.mass, self.constant_mass, self.rows, self.initial_rows, self.owner = {}, True, [], [], {}
        self.pools, self.exchanges, self._alike, self._quantities = [], {}, {}, {}
        for body in system.bodies:
            i = self.first[body.name]
            self.add_mass({(i + j, i + k): x for (j, k), x in body.mass_matrix(self).items()})
            self.rows += body.rows(self)
            with _written(body):
                body.apply(self)
        for (write, kind, size, _), elements in self._alike.items():
            with _written(next(body for body in system.bodies if body.name == elements[0][0])):
                if len(elements) > tuning.single_elements or size > tuning.single_size or direct:
                    self._pool(Pool(self, f"pool{len(self.pools)}", write, kind, elements))
                else:
                    for element in elements:
                        self._single(write, kind, *element)
        for element in system.elements:
            if element.reacts:
                self.owner[element.name] = len(self.rows)
                self.rows += self._rows(element)
            with _written(element):
                self.initial_rows += element.initial_rows(self)
        for element in system.elements:
            with _written(element):
                element.apply(self)
        self.a, self.multipliers = self._accelerations()
        self.outputs = catalogue(self)

    def _accelerations(self):
        """Nodes of accelerations and multipliers, which outputs read."""
        return accelerations(self)

    def _number(self, k, path, kind):
        """Node of number k of the system, of a level or folded; of a matrix that of its table."""
        if isinstance(kind, tuple):
            return self.graph.table(k, *kind)
        return self.graph.const(kind) if isinstance(kind, float) else self.graph.param(k, kind)

    def _rows(self, element):
        try:
            with _written(element):
                return element.rows(self)
        except ValueError as error:  # products of directions of bodies whose directions are products themselves
            raise ModelError(
                f"joint '{element.name}': {error}; these bodies' directions are not linear in their coordinates",
                element=element.name,
                remedy="put a small rigid body between them, or choose an axis across the beam",
            ) from error

    # ---- what elements read
    def direction(self, body, *components):
        """A vector fixed in a body, in the inertial frame, as polynomials."""
        return body.direction(self, *components)

    def place(self, point):
        """Inertial position of a body-fixed point, as polynomials."""
        return point.body.place(self, point)

    def between(self, a, b):
        """Vector from point a to point b, as polynomials."""
        return [q - p for p, q in zip(self.place(a), self.place(b), strict=True)]

    def values(self, polynomials):
        """Nodes of the values of polynomials."""
        return tuple(p.value(self.q) for p in polynomials)

    def rates(self, polynomials):
        """Nodes of the total time derivatives of polynomials."""
        return tuple(p.rate(self.q, self.v, self.time) for p in polynomials)

    def velocity(self, point):
        """Nodes of the velocity of a point."""
        return self.rates(self.place(point))

    def acceleration(self, point):
        """Nodes of the acceleration of a point (available to outputs)."""
        return tuple(p.acceleration(self.q, self.v, self.a, self.time) for p in self.place(point))

    def spin(self, body):
        """Node of a body's angular velocity; in space its three components in the inertial frame."""
        return body.spin(self)

    def angle(self, body):
        """Node of a planar body's angle, counting full turns."""
        return body.full_angle(self)

    # ---- what elements write
    def force(self, point, *components):
        """Add a force at a point, by virtual work."""
        for place, f in zip(self.place(point), components, strict=True):
            for i, x in place.gradient(self.q).items():
                self.generalized[i] = self.generalized[i] + x * f

    def torque(self, body, *moment):
        """Add a torque on a body; in space its components in the inertial frame."""
        body.torque(self, *moment)

    def element(self, body, write, kind, coordinates, numbers):
        """Add an element of a flexible body.

        Parameters
        ----------
        body : Body
        write : callable
            ``write(share, *kind)`` writes it into a `Share`; a function of a module, so that elements that are alike are known as such.
        kind : tuple
            What of the element decides its code: plain values.
        coordinates : sequence of int
            Which of the body's coordinates are the element's.
        numbers : sequence of Node
        """
        first = self.first[body.name]
        places = tuple(first + k for k in coordinates)
        self._alike.setdefault((write, kind, len(places), len(numbers)), []).append((body.name, places, tuple(numbers)))

    def _single(self, write, kind, body, places, numbers):
        before = (self.graph.var(f"o{i}") for i in places)
        share = Share(self.graph, (self.q[i] for i in places), (self.v[i] for i in places), numbers, self.gravity, before)
        write(share, *kind)
        self.exchanges |= share.exchanges
        self._use(share.helpers)
        for i, f in zip(places, share.force, strict=True):
            self.generalized[i] = self.generalized[i] + f
        for (j, k), m in share.mass.items():
            self.add_mass({tuple(sorted((places[j], places[k]))): m})
        self._count({(body, key): node for key, node in share.quantities.items()})

    def _pool(self, pool):
        self.pools.append(pool)
        self._use(pool.share.helpers)
        for key, node in pool.share.quantities.items():
            self._count({(body, key): pool.sum(node, body) for body in pool.owners})

    def _count(self, quantities):
        for (body, key), node in quantities.items():
            self._quantities[body, key] = self._quantities.get((body, key), self.graph.const(0.0)) + node
            if key == "potential":
                self.potential(node)
            elif key == "dissipated":
                self.power(key, node)

    def problem(self, outputs=()):
        """The finished equations; outputs named are made before them, because they may bring states.

        Raises
        ------
        LateState
            Later, from an output that brings a state and was not named.
        """
        for name in self.outputs:
            if name in outputs:
                self.outputs[name][0]()
        found = Problem(**{field.name: getattr(self, field.name) for field in fields(Problem)})
        self.states = found.states
        return found

    def quantity(self, body, key):
        """Node of the sum of a quantity over a body's elements."""
        return self._quantities.get((body.name, key), self.graph.const(0.0))

    def reaction(self, element, body):
        """Force and moment about the centre of mass that a joint's multipliers exert on a body, as one tuple."""
        i, k0 = self.first[body.name], self.owner[element.name]
        force = [self.graph.const(0.0)] * body.coordinates
        for k in range(k0, k0 + len(element.rows(self))):
            for j, x in self.rows[k].polynomial.gradient(self.q).items():
                if i <= j < i + body.coordinates:
                    force[j - i] = force[j - i] - self.multipliers[k] * x
        return body.wrench(self, force)

    def drive_power(self):
        """Power that time-dependent rows put in (multiplier times the row's explicit rate), and that of external loads."""
        total = self.power_of("external")
        for row, multiplier in zip(self.rows, self.multipliers, strict=True):
            total = total + multiplier * row.polynomial.time_derivative(self.time).value(self.q)
        return total
