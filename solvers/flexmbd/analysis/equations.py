"""Equations of one sample as numpy arrays and sparse matrices: forces, constraint rows and their derivatives.

Nothing is compiled: expressions are evaluated by numpy (`arrays.Program`).
"""

from functools import cached_property

import numpy as np
from scipy.sparse import block_array, csr_array, eye_array

from flexmbd.analysis.refusals import refuse_friction, refuse_unilateral
from flexmbd.analysis.rest import Rest
from flexmbd.analysis.row_arrays import Rows
from flexmbd.analysis.static_build import StaticBuild
from flexmbd.equations.assembly import assembled
from flexmbd.equations.index1 import inertial
from flexmbd.equations.start import Start
from flexmbd.equations.start_words import Changes
from flexmbd.errors import ModelError
from flexmbd.formulation.natural import Build
from flexmbd.language.arrays import Field, Pattern, Program
from flexmbd.linalg.direct import analyse
from flexmbd.outputs import bringing
from flexmbd.problem import LateState
from flexmbd.space import lengths, turning_matrix
from flexmbd.suggest import unknown


def output_units(system):
    """Every output that a system has, by name, with its unit; histories, which `run` also reduces (``name:max``). Nothing is compiled.

    Parameters
    ----------
    system : System

    Returns
    -------
    dict of str to str
    """
    return {name: unit for name, (_, unit) in Build(system).outputs.items()}


SLIGHT = 1e-12  # share of what has no mass, and of rows that depend on others


class Equations:
    """One sample of a system: ``M a = F(q, v, t) - G' l``, ``Phi(q, t) = 0`` with ``G = dPhi/dq``.

    Parameters
    ----------
    system : System
        All of its numbers must be numbers, not arrays over samples.
    spinning : float or tuple of three floats, optional
        Angular velocity in rad/s of the frame in which the system is seen, about an axis through the origin; ground and loads turn with it,
        and F has the centrifugal and Coriolis forces.
    outputs : sequence of str
        Names that will be asked for, of user's elements whose outputs bring states; those of the package are known.

    Attributes
    ----------
    problem : Problem
    n, count : int
        Coordinates, constraint rows.
    coordinates, rows : list of str
        Their names.
    measures : list of str
        Of the coordinates: ``"length"`` (m) or ``"angle"`` (1).
    mass : csr_array (n, n)
        kg, kg m, kg m²; where it depends on the coordinates, that of the start's guess.
    centrifugal, coriolis : csr_array (n, n)
        What the turning frame adds to ``-dF/dq`` and ``-dF/dv``.
    size : float
        Largest coordinate of a place, in m: what lengths are judged by.
    weights : ndarray (n,)
        What a coordinate's change is judged by: the system's size for lengths, else 1.
    solver : str
        Back end of `flexmbd.linalg.direct` that factors tangents.

    Notes
    -----
    Coordinates q are in m or 1, velocities v in m/s or 1/s, multipliers in N or N m, time t in s.  `turns` are the planar bodies' angles
    in rad, of which only the number of full turns matters: those of the start, unless `turned` gave newer ones.
    """

    def __init__(self, system, *, spinning=None, outputs=()):
        self.system = system
        self.numbers = [value for _, value in system.parameters()]
        for path, value in system.parameters():
            if np.ndim(value):
                raise ModelError(f"'{path}' is an array over samples; these equations are for one sample")
        build = StaticBuild(system)
        self._turning = list(system.angles())
        turning = [body for body in system.bodies if body.name in self._turning]
        self._full = [body.full_angle(build) for body in turning]
        self._states = [build.state(body, "angle").value.number for body in turning]
        self.problem = problem = build.problem([*bringing(build.outputs, system.aliases), *outputs])
        self.n, self.count, self.measures = problem.n, len(problem.rows), problem.measures
        self.coordinates = list(problem.coordinates)
        self.rows = [row.label for row in problem.rows]
        entries = {(i, j): m for (a, b), m in problem.mass.items() for i, j in {(a, b), (b, a)}}
        self._mass = self._field(entries, lambda pool: pool.mass, 2)
        if spinning is not None:
            problem.need_constant_mass("a turning frame")
        self.mass = self._mass_matrix(self._at(np.array(system.initial()[0], float), turns=np.array(list(system.angles().values()), float)))
        turn = turning_matrix(system, spinning)
        self.coriolis, self.centrifugal = csr_array(2.0 * self.mass @ turn), csr_array(self.mass @ turn @ turn)
        self.size = float(lengths(system, 1)[0])
        self.solver = "superlu"
        self.weights = np.where(np.array(self.measures) == "length", self.size, 1.0)

    # ---- at a state
    def _at(self, q, v=None, t=0.0, turns=None, multipliers=(), accelerations=0.0):
        q, turns = np.asarray(q), np.asarray(self.turns if turns is None else turns)
        s = np.zeros((len(self.problem.states), *turns.shape[1:]))
        s[self._states] = turns
        v, multipliers = np.float64(0.0) if v is None else v, np.asarray(multipliers, float)
        return {"q": q, "v": v, "a": np.asarray(accelerations, float), "t": t, "s": s, "l": multipliers}

    def at_rest(self, state):
        """Values of the graph's variables at a `State`."""
        return self._at(state.q, None, state.t, state.turns, state.multipliers)

    def mass_at(self, q, t=0.0, turns=None):
        """Mass matrix, csr (n, n)."""
        return self.mass if self.problem.constant_mass else self._mass_matrix(self._at(q, t=t, turns=turns))

    def _mass_matrix(self, values):
        return Pattern(*self._mass.places, (self.n, self.n)).fill(self._mass(values))

    def mass_stiffness(self, q, accelerations, t=0.0, turns=None):
        """``(M a)_q``, csr (n, n)."""
        field, pattern = self._mass_stiffness
        return pattern.fill(field(self._at(q, t=t, turns=turns, accelerations=accelerations)))

    def force(self, q, v=None, t=0.0, turns=None):
        """Generalized forces (n,): all but M a and constraints.

        Raises
        ------
        ModelError
            If impenetrable contacts, or with velocities friction in ideal joints, would be left out.
        """
        self._refuse(v)
        values = self._force(self._at(q, v, t, turns))
        total = np.zeros((self.n, *values.shape[1:]), values.dtype)
        np.add.at(total, self._force.places[0], values)
        total = total - self.centrifugal @ q
        return total if v is None else total - self.coriolis @ v

    def force_rate(self, q, v=None, t=0.0, turns=None):
        """Partial derivative of the forces by time, (n,)."""
        return self._force_rate(self._at(q, v, t, turns))

    def stiffness(self, q, v=None, t=0.0, turns=None):
        """``-dF/dq``, csr (n, n); raises as `force`."""
        self._refuse(v)
        program, pattern = self._stiffness
        return pattern.fill(np.r_[program(self._at(q, v, t, turns)), self.centrifugal.data])

    def damping(self, q, v=None, t=0.0, turns=None):
        """``-dF/dv``, csr (n, n); raises as `force` with velocities."""
        self._refuse(0.0 if v is None else v)
        program, pattern = self._damping
        return pattern.fill(np.r_[program(self._at(q, v, t, turns)), self.coriolis.data])

    def _refuse(self, v):
        """Raise `ModelError` for what has forces that are none of these; at rest friction of ideal joints, being regularised, has none."""
        refuse_unilateral(self.problem)
        if v is not None:
            refuse_friction(self.problem)

    def turned(self, q, turns=None):
        """Angles (rad) of the planar bodies at q, at most half a turn from those given."""
        return self._angles(self._at(q, turns=turns)) if self._turning else np.zeros(0)

    def output(self, name, q, v=None, t=0.0, turns=None, multipliers=(), accelerations=0.0):
        """A quantity of the catalogue by name; the arrays may have a second axis over states.

        Raises
        ------
        ModelError
            If it is not known, depends on reactions and there are no `multipliers`, or on what only a motion gives.
        """
        if name not in self.catalogue:
            raise unknown("output", name, self.catalogue)
        try:
            node = self.catalogue[name][0]()
        except LateState:
            told = f"output '{name}' brings a state, which the equations do not have"
            raise ModelError(told, remedy=f"make them by Equations(system, outputs=[{name!r}])") from None
        used = self.problem.graph.variables(node)
        if np.size(multipliers) == 0 and any(kind == "l" for kind, _ in used):
            told = f"output '{name}' depends on reactions"
            raise ModelError(told, remedy="give the `multipliers` of this state (and its `accelerations`), or take run")
        contacts = {k for contact in self.problem.unilaterals for k in contact.own_states}
        if any(kind == "s" and k in contacts for kind, k in used):
            raise ModelError(f"output '{name}' depends on impenetrable contacts, which only a motion gives", remedy="take run")
        return self.program([node])(self._at(q, v, t, turns, multipliers, accelerations))[0]

    def constraints(self, q, t=0.0):
        """``Phi`` (rows,) in m or 1."""
        return self._rows.value(q, t)

    def constraints_rate(self, q, t=0.0):
        """Partial derivative of the rows by time (rows,)."""
        return self._rates.value(q, t)

    def jacobian(self, q, t=0.0):
        """``G = dPhi/dq``, csr (rows, n)."""
        return self._rows.gradient(q, t)

    def jacobian_rate(self, q, t=0.0):
        """Partial derivative of G by time, csr (rows, n)."""
        return self._rates.gradient(q, t)

    def curvature(self, q, multipliers, t=0.0):
        """``sum_k l_k H_k`` with the rows' second derivatives, csr (n, n)."""
        return self._rows.hessian(q, multipliers, t)

    def jacobian_turning(self, q, v, t=0.0):
        """``(G v)_q``, csr (rows, n): how the rows' rates change with q."""
        return self._rows.turning(q, v, t)

    # ---- the start
    @cached_property
    def turns(self):
        """Angles at the start in rad."""
        return np.array([self.system.angles()[name] for name in self._turning], float)

    def initial(self, t=0.0):
        """Coordinates and velocities (n,) of the start, as `run`; `changed` then says what of the guess was, as a run's attributes do.

        Raises
        ------
        ModelError
            If rows stay open, by name, or what is fixed at the start cannot stay.
        """
        which = self.problem.rows + self.problem.initial_rows
        table, rates = Rows(self, which), Rows(self, which, rate=True)
        start, guess = Start(self.problem, self.system, 1, t), tuple(np.array(x, float)[:, None] for x in self.system.initial())
        q, v = start.places(guess[0])[:, 0], guess[1][:, 0]
        turning = np.array([measure == "angle" for measure in self.measures], bool)
        q = assembled(lambda q: (table.value(q, t), table.gradient(q, t)), self._orthogonal, q, turning)
        gaps, (_, scale) = np.abs(table.value(q, t)), self.scaled(table.gradient(q, t))
        if not np.all(scale * gaps < 1e-9):
            worst = [f"{table.labels[k]} (by {gaps[k]:.3g})" for k in np.argsort(-scale * gaps)[:4]]
            raise ModelError(
                f"the system cannot be assembled: these constraints stay open: {', '.join(worst)}",
                remedy="check lengths and the guess of positions and angles",
            )
        jacobian = table.gradient(q, t)
        for _ in range(2):
            v = v + self._orthogonal(q, jacobian, -(jacobian @ v + rates.value(q, t)))
        v = start.velocities(guess, q[:, None], v[:, None])[:, 0]
        changes = Changes(start, guess, (q[:, None], v[:, None]), self.size)
        changes.refuse()
        self.changed = changes.said()
        return q, v

    def scaled(self, jacobian):
        """Rows (rows, n) for changes of the coordinates over their `weights`, the largest entry of each 1; and the factors (rows,)."""
        data, largest = jacobian.data * self.weights[jacobian.indices], np.zeros(jacobian.shape[0])
        rows = np.repeat(np.arange(len(largest)), np.diff(jacobian.indptr))
        np.maximum.at(largest, rows, np.abs(data))
        factors = 1.0 / np.where(largest > 0.0, largest, 1.0)
        return csr_array((data * factors[rows], jacobian.indices, jacobian.indptr), jacobian.shape), factors

    def _orthogonal(self, q, jacobian, side):
        """Smallest x, by kinetic energy at q, with ``jacobian x = side``; rows that depend on others do no harm."""
        G, scale = self.scaled(jacobian)
        mass = self.mass_at(q) * self.weights[:, None] * self.weights
        mass = mass / max(np.abs(mass.data).max(initial=0.0), 1e-300) + SLIGHT * eye_array(self.n)
        matrix = block_array([[mass, G.T], [G, -SLIGHT * eye_array(len(side))]], format="csc")
        matrix.sum_duplicates()
        return self.weights * analyse(matrix).factorise(matrix.data).solve(np.r_[np.zeros(self.n), scale * side])[: self.n]

    # ---- made when first needed
    @cached_property
    def rest(self):
        """What of this sample is at rest in equilibrium (`analysis.rest`)."""
        return Rest(self, self._states)

    def program(self, roots):
        """A `Program` of nodes with this sample's numbers."""
        return Program(self.problem.graph, roots, self.numbers)

    @property
    def catalogue(self):
        """All outputs: name -> (function giving the node, unit)."""
        return self.problem.outputs

    @cached_property
    def _force(self):
        single = {(i,): x for i, x in enumerate(self.problem.generalized) if not x.zero}
        return self._field(single, lambda pool: {(i,): x for i, x in enumerate(pool.share.force) if not x.zero}, 1)

    @cached_property
    def _force_rate(self):
        return self.program([self.problem.graph.derivative(f, self.problem.time) for f in self.problem.generalized])

    @cached_property
    def _stiffness(self):
        return self._slopes(self.problem.generalized, self.problem.q, "x", self.centrifugal)

    @cached_property
    def _damping(self):
        return self._slopes(self.problem.generalized, self.problem.v, "y", self.coriolis)

    @cached_property
    def _mass_stiffness(self):
        resistance = [-x for x in inertial(self.problem, self.problem.a)]
        field = self._field(self._entries(resistance, self.problem.q), lambda pool: {}, 2)
        return field, Pattern(*field.places, (self.n, self.n))

    @cached_property
    def _angles(self):
        return self.program(self._full)

    @cached_property
    def _rows(self):
        return Rows(self, self.problem.rows)

    @cached_property
    def _rates(self):
        return Rows(self, self.problem.rows, rate=True)

    def _field(self, single, pooled, width):
        """A `Field` of nodes by coordinates, and of what a function gives for each pool."""
        return Field(self.problem.graph, single, [(pool, pooled(pool)) for pool in self.problem.pools], self.numbers, width)

    def _entries(self, forces, variables):
        """Nodes of the derivatives of forces, negative, by (i, j)."""
        g, entries, number = self.problem.graph, {}, {x.value: j for j, x in enumerate(variables)}
        for i, force in enumerate(forces):
            for j in sorted(number[name] for name in g.variables(force) if name in number):
                slope = g.derivative(force, variables[j])
                if not slope.zero:
                    entries[i, j] = -slope
        return entries

    def _slopes(self, forces, variables, kind, more):
        field = self._field(self._entries(forces, variables), lambda pool: self._entries(pool.share.force, pool.variables(kind)), 2)
        places = (np.r_[place, other] for place, other in zip(field.places, more.tocoo().coords, strict=True))
        return field, Pattern(*places, (self.n, self.n))


__all__ = ["Equations", "StaticBuild"]
