"""Equations of one sample as numpy arrays and sparse matrices: forces, constraint rows and their derivatives.

Nothing is compiled: expressions are evaluated by numpy (`arrays.Program`).
"""

from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array

from flexmbd.analysis.beginning import beginning
from flexmbd.analysis.derivatives import ParametricGraph, Table
from flexmbd.analysis.refusals import of_one_sample, refuse_coupled, refuse_unilateral
from flexmbd.analysis.rest import Rest
from flexmbd.analysis.tangent import words
from flexmbd.analysis.varied_parameters import check_used, check_varied
from flexmbd.errors import ModelError
from flexmbd.formulation import formulation_of, taken
from flexmbd.language.arrays import Program
from flexmbd.linalg.direct import analyse
from flexmbd.linalg.saddle import Saddle, Singular, scaled
from flexmbd.outputs import bringing
from flexmbd.space import lengths
from flexmbd.suggest import unknown
from flexmbd.tuning import USUAL, Tuning

POOLED = Tuning(single_elements=0)  # elements of flexible bodies are evaluated together
SINGLE = replace(USUAL, single_elements=10**9, single_size=10**9)  # every element is written out: parameters are in no group


class Equations:
    """One sample of a system: ``M a = F(q, v, t) - G' l``, ``Phi(q, t) = 0`` with ``G = dPhi/dq``.

    Parameters
    ----------
    system : System
        All of its numbers must be numbers, not arrays over samples.
    formulation : str
        Key of `flexmbd.formulation.FORMULATIONS`: the coordinates in which the equations are written; "auto": those that suit the system.
    solver : str
        Back end of `flexmbd.linalg.direct` that factors tangents: "superlu", "klu", "umfpack", "pardiso".
    spinning : float or tuple of three floats, optional
        Angular velocity in rad/s of the frame in which the system is seen, about an axis through the origin; ground and loads turn with it,
        and F has the centrifugal and Coriolis forces.
    outputs : sequence of str
        Names that will be asked for, of user's elements whose outputs bring states; those of the package are known.
    varied : analysis.parameters.Parameters, optional
        Numbers by which the equations have derivatives, which are then full matrices; `outputs` are in the table.

    Attributes
    ----------
    problem : Problem
    n, count : int
        Coordinates, constraint rows.
    coordinates, rows : list of str
        Their names.
    turning : list of str
        Bodies whose angles count full turns.
    measures : list of str
        Of the coordinates: ``"length"`` (m) or ``"angle"`` (1).
    states : list of str
        Names of the further states (integrated angles, books of energy).
    table : Table
        Functions of the equations and their partial derivatives (`analysis.derivatives`).
    mass : csr_array (n, n)
        kg, kg m, kg m²; where it depends on the coordinates, that of the start's guess.
    centrifugal, coriolis : csr_array (n, n)
        What the turning frame adds to ``-dF/dq`` and ``-dF/dv``.
    size : float
        Largest coordinate of a place, in m: what lengths are judged by.
    weights : ndarray (n,)
        What a coordinate's change is judged by: the system's size for lengths, else 1.
    solver, formulation : str
    analyses : dict
        Patterns of tangents and what solvers have found out about them, kept with the equations that they are of.

    Raises
    ------
    ModelError
        A formulation or solver that there is not, or a solver that is not installed or takes definite matrices only.

    Notes
    -----
    Coordinates q are in m or 1, velocities v in m/s or 1/s, multipliers in N or N m, time t in s.  `turns` are the planar bodies' angles
    in rad, of which only the number of full turns matters: those of the start, unless `turned` gave newer ones.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> e = fm.Equations(s)
    >>> q, v = e.initial()
    >>> e.n, e.count, e.mass.diagonal().round(4).tolist()
    (4, 3, [1.0, 1.0, 0.0833, 0.0833])
    """

    def __init__(self, system, formulation="natural", solver="superlu", *, spinning=None, outputs=(), varied=None):
        formulation, _ = taken(formulation, system, needs="" if spinning is None else "a turning frame")
        self.system, self.formulation, self.solver, self.analyses = system, formulation, _known(solver), {}
        self.numbers, self.spinning, self.parameters = of_one_sample(system), spinning, varied
        how = {"tuning": POOLED} if varied is None else {"tuning": SINGLE, "graph": ParametricGraph(SINGLE), "varied": varied.slopes}
        equations = formulation_of(formulation)(system, solved=False, **how)
        if varied is None:
            equations.turning()  # brings the states of all angles
        else:
            check_varied(equations, outputs)
        known = outputs if varied is not None else equations.outputs
        self.problem = problem = equations.problem([*bringing(known, system.aliases), *outputs])
        turning = equations.turning(every=varied is None)
        self.turning, self._full, self._states = list(turning), [x for x, _ in turning.values()], [k for _, k in turning.values()]
        self.n, self.count, self.measures, self.states = problem.n, len(problem.rows), problem.measures, [s.name for s in problem.states]
        self.coordinates = list(problem.coordinates)
        self.rows = [row.label for row in problem.rows]
        turn = equations.turning_matrix(system, spinning)
        if spinning is not None:
            problem.need_constant_mass("a turning frame")
        turn = csr_array((self.n, self.n)) if turn is None else turn
        self.table = Table(problem, self.numbers, 0 if varied is None else len(varied.names), dense=varied is not None)
        if varied is not None:
            nodes = [problem.outputs[name][0]() for name in outputs]
            self.table.add("outputs", lambda: nodes, "an output")
            problem.graph.whole = True
            check_used(problem, self.table, varied)
        self.mass = csr_array(self._mass(self.at(np.array(problem.initial(system)[0], float))))
        self.coriolis, self.centrifugal = csr_array(2.0 * self.mass @ turn), csr_array(self.mass @ turn @ turn)
        if spinning is not None:
            self.table.frame |= {"q": self.centrifugal, "v": self.coriolis}
        self.size = float(lengths(system, 1)[0])
        self.weights = np.where(np.array(self.measures) == "length", self.size, 1.0)

    def using(self, solver):
        """The equations with another solver for their tangents, those given keep theirs; these if it is theirs, or None."""
        if solver is None or (name := _known(solver)) == self.solver:
            return self
        other = copy(self)
        other.solver = name
        return other

    # ---- at a state
    def at(self, q, v=None, t=0.0, turns=None, multipliers=(), accelerations=0.0):
        """Values of the graph's variables by space; without velocities these are zero."""
        q, turns = np.asarray(q), np.asarray(self.turns if turns is None else turns)
        s = np.zeros((len(self.problem.states), *turns.shape[1:]))
        s[self._states] = turns
        v, multipliers = np.float64(0.0) if v is None else v, np.asarray(multipliers, float)
        return {"q": q, "v": v, "a": np.asarray(accelerations, float), "t": t, "s": s, "l": multipliers}

    def at_rest(self, state):
        """Values of the graph's variables at a `State`."""
        return self.at(state.q, None, state.t, state.turns, state.multipliers)

    def _mass(self, values):
        return self.table["inertia"].by(values, "a")

    def mass_at(self, q, t=0.0, turns=None):
        """Mass matrix, csr (n, n)."""
        return self.mass if self.problem.inertia.constant else csr_array(self._mass(self.at(q, t=t, turns=turns)))

    def mass_stiffness(self, q, accelerations, t=0.0, turns=None):
        """``(M a)_q``, csr (n, n)."""
        return self.table["inertia"].by(self.at(q, t=t, turns=turns, accelerations=accelerations), "q")

    def force(self, q, v=None, t=0.0, turns=None):
        """Generalized forces (n,): all but M a and constraints.

        Raises
        ------
        ModelError
            If impenetrable contacts, forces that depend on reactions, or with velocities friction in ideal joints, would be left out.
        """
        self._refuse(v)
        return -self._load(self.at(q, v, t, turns))

    def _load(self, values):
        total = self.table["load"].value(values)
        if self.coriolis.nnz:
            total = total + self.centrifugal @ values["q"]
            total = total + self.coriolis @ values["v"] if np.ndim(values["v"]) else total
        return total

    def force_rate(self, q, v=None, t=0.0, turns=None):
        """Partial derivative of the forces by time, (n,)."""
        return -self.table["load"].by_time(self.at(q, v, t, turns))

    def stiffness(self, q, v=None, t=0.0, turns=None):
        """``-dF/dq``, csr (n, n); raises as `force`."""
        self._refuse(v)
        return self.table["load"].by(self.at(q, v, t, turns), "q")

    def damping(self, q, v=None, t=0.0, turns=None):
        """``-dF/dv``, csr (n, n); raises as `force` with velocities."""
        self._refuse(0.0 if v is None else v)
        return self.table["load"].by(self.at(q, v, t, turns), "v")

    def mass_of(self, values):
        """Mass matrix at values of the graph's variables, full if the equations have parameters."""
        if not self.problem.inertia.constant:
            return self._mass(values)
        return self.mass.toarray() if self.table.dense else self.mass

    def saddle(self, values):
        """`linalg.saddle.Saddle` of the mass matrix and the rows at values of the graph's variables."""
        M = self.mass_of(values)
        if self.table.dense:
            return Saddle(M, self.table["rows"].by(values, "q"))
        G, known = self.jacobian(values["q"], values["t"]), self.analyses.setdefault("mass", {})
        return Saddle(M, G, columns=self.weights, solver=self.solver, analyses=known)

    def solve(self, values, saddle=None):
        """Adds accelerations and multipliers to values of the graph's variables (q, v, t, s); returns the `Saddle` that gives them.

        Raises
        ------
        ModelError
            Where they are not unique, naming what has no mass and which rows depend on each other.
        """
        values |= {"a": np.zeros(self.n), "l": np.zeros(self.count)}
        saddle = self.saddle(values) if saddle is None else saddle
        try:
            values["a"], values["l"] = saddle.solve(-self._load(values), -self.table["accelerations"].value(values))
        except Singular:
            told = f"accelerations are not unique here: {words(self, saddle.loose(), 'mass')}"
            raise ModelError(told, remedy="remove redundant joints") from None
        return saddle

    def _refuse(self, v):
        """Raise `ModelError` for what has forces that are none of these; at rest friction of ideal joints, being regularised, has none."""
        refuse_unilateral(self.problem)
        refuse_coupled(self.problem, moving=v is not None)

    def turned(self, q, turns=None):
        """Angles (rad) of the planar bodies at q, at most half a turn from those given."""
        return self._angles(self.at(q, turns=turns)) if self.turning else np.zeros(0)

    def output(self, name, q, v=None, t=0.0, turns=None, multipliers=(), accelerations=0.0):
        """A quantity of the catalogue by name; the arrays may have a second axis over states.

        Raises
        ------
        ModelError
            If it is not known, depends on reactions and there are no `multipliers`, or on what only a motion gives.
        """
        node = self.node(name)
        used = self.problem.graph.variables(node)
        if np.size(multipliers) == 0 and any(kind == "l" for kind, _ in used):
            told = f"output '{name}' depends on reactions"
            raise ModelError(told, remedy="give the `multipliers` of this state (and its `accelerations`), or take run")
        contacts = {k for contact in self.problem.unilaterals for k in contact.own_states}
        if any(kind == "s" and k in contacts for kind, k in used):
            raise ModelError(f"output '{name}' depends on impenetrable contacts, which only a motion gives", remedy="take run")
        return self.program([node])(self.at(q, v, t, turns, multipliers, accelerations))[0]

    def node(self, name):
        """Node of an output; raises `ModelError` if it is not known, or brings a state that the equations do not have."""
        if name not in self.catalogue:
            raise unknown("output", name, self.catalogue)
        node, states = self.catalogue[name][0](), len(self.problem.states)
        if any(kind == "s" and k >= states for kind, k in self.problem.graph.variables(node)):
            told = f"output '{name}' brings a state, which the equations do not have"
            raise ModelError(told, remedy=f"make them by Equations(system, outputs=[{name!r}])")
        return node

    def constraints(self, q, t=0.0):
        """``Phi`` (rows,) in m or 1."""
        return self.table["rows"].value(self.at(q, t=t))

    def constraints_rate(self, q, t=0.0):
        """Partial derivative of the rows by time (rows,)."""
        return self.table["rows"].by_time(self.at(q, t=t))

    def jacobian(self, q, t=0.0):
        """``G = dPhi/dq``, csr (rows, n)."""
        return self._jacobian(self.at(q, t=t))

    def jacobian_rate(self, q, t=0.0):
        """Partial derivative of G by time, csr (rows, n)."""
        return csr_array(self.table["drift"].by(self.at(q, t=t), "q"))

    def curvature(self, q, multipliers, t=0.0):
        """``sum_k l_k H_k`` with the rows' second derivatives, csr (n, n)."""
        return csr_array(self.table["held"].by(self.at(q, t=t, multipliers=multipliers), "q"))

    def jacobian_turning(self, q, v, t=0.0):
        """``(G v)_q``, csr (rows, n): how the rows' rates change with q."""
        return csr_array(self.table["rates"].by(self.at(q, v, t), "q")) - self.jacobian_rate(q, t)

    # ---- the start
    @cached_property
    def turns(self):
        """Angles at the start in rad."""
        return np.array([self.system.angles()[name] for name in self.turning], float)

    def initial(self, t=0.0):
        """Coordinates and velocities (n,) of the start, as `run`; `changed` then says what of the guess was, as a run's attributes do.

        Raises
        ------
        ModelError
            If rows stay open, by name, or what is fixed at the start cannot stay.
        """
        q, v, self.changed = beginning(self, t)
        return q, v

    def scaled(self, jacobian):
        """Rows (rows, n) for changes of the coordinates over their `weights`, the largest entry of each 1; and the factors (rows,)."""
        return scaled(jacobian, self.weights)

    # ---- made when first needed
    @cached_property
    def rest(self):
        """What of this sample is at rest in equilibrium (`analysis.rest`)."""
        return Rest(self, self._states)

    def program(self, roots):
        """A `Program` of nodes with this sample's numbers."""
        return Program(self.problem.graph, roots, self.numbers)

    @property
    def turning_states(self):
        """Numbers of the further states that are angles which count turns."""
        return self._states

    @property
    def catalogue(self):
        """All outputs: name -> (function giving the node, unit)."""
        return self.problem.outputs

    @cached_property
    def _angles(self):
        return self.program(self._full)

    def _jacobian(self, values):
        return csr_array(self.table["rows"].by(values, "q"))


def _known(solver):
    """Name of a solver; raises if there is none of that name, or it cannot be used."""
    return analyse(csc_array(np.eye(1)), solver).name


__all__ = ["Equations"]
