"""An independent check for small systems: BDF of orders 1 to 5 by SUNDIALS' IDA, with numpy alone and no generated code.

The equations are those of Gear, Gupta and Leimkuhler (1985, J. Comput. Appl. Math. 12-13, 77-90), of index 2, and the books s::

    q' = v - G' m,    M v' = F(q, v, s, t) - G' l,    s' = r(q, v, s, l, t),    Phi(q, t) = 0,    G v + Phi_t = 0

m vanishes with the error of the integration.  Multipliers stay out of the test of the local error: at index 2 their error of one step
does not become small with the step (Petzold 1982, SIAM J. Sci. Stat. Comput. 3, 367-384).  Accelerations and reactions in outputs are
those that the index-1 equations give to q and v.
"""

from itertools import pairwise

import numpy as np

from flexmbd.analysis.equations import Equations
from flexmbd.analysis.grid import time_grid
from flexmbd.analysis.path import equations_of
from flexmbd.analysis.refusals import refuse_contacts, refuse_coupled, refuse_unilateral
from flexmbd.errors import ModelError
from flexmbd.trajectory import OK, Trajectory

FREE = 1e100  # absolute tolerance of what is not tested


def reference(build, inputs=None, *, end, points, outputs, rtol=1e-9, atol=1e-10):
    """Motion of one sample without contacts, by another method than those of `run`.

    Parameters
    ----------
    build : System, Equations or callable
    inputs : mapping name -> float, optional
        Of the callable.
    end, points : float, int
        Time grid ``linspace(0, end, points)`` in s.
    outputs : sequence of str
        Names without reductions.
    rtol, atol : float
        Local error of coordinates, velocities and books, relative and absolute, in their units.

    Returns
    -------
    Trajectory
        Of one run: histories of shape (1, points).

    Raises
    ------
    ModelError
        If scikit-sundae is not installed, the system has contacts, an output is unknown, or the integration fails.

    Notes
    -----
    Matrices are dense: meant for up to some hundred coordinates.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.reference(s, end=0.5, points=3, outputs=["rod.angle"])
    >>> found["rod.angle"].round(3).tolist()  # rad
    [[0.0, -0.457, -1.661]]
    """
    try:
        from sksundae.ida import IDA
    except ImportError:
        raise ModelError("this check needs scikit-sundae", remedy="pip install scikit-sundae") from None
    time = time_grid(end, points)
    problem = Stabilised(equations_of(build, inputs), outputs)
    y, rates = problem.start()
    tested = np.full(problem.size, FREE)
    tested[: problem.multiplied] = atol
    options = {"rtol": rtol, "atol": tested, "algebraic_idx": np.arange(problem.multiplied, problem.size), "max_num_steps": 1_000_000}
    grid = time if points > 2 else np.linspace(0.0, end, 3)  # two times would mean: all of the solver's own
    found = IDA(problem.residual, jacfn=problem.jacobian, **options).solve(grid, y, rates)
    if not found.success or len(found.t) < len(grid) or not np.isfinite(found.y).all():
        raise ModelError(f"the integration failed at t = {found.t[-1]:.6g} s: {found.message}", remedy="are constraints redundant?")
    values = problem.values(time, found.y if points > 2 else found.y[::2])
    attributes = {"solver.integrator": "ida", "solver.rtol": rtol, "solver.atol": atol, **problem.equations.changed}
    statistics = {"residuals": np.array([float(found.nfev)]), "jacobians": np.array([float(found.njev)])}
    return Trajectory(time, values, problem.units, np.array([OK], np.int8), [""], attributes, statistics)


class Stabilised:
    """Residual and Jacobian of the equations above, unknowns ``y = (q, v, s, l, m)``.

    Parameters
    ----------
    equations : Equations
    outputs : sequence of str

    Attributes
    ----------
    size, multiplied : int
        Unknowns, and those before the multipliers.
    units : dict name -> str
    """

    def __init__(self, equations: Equations, outputs):
        self.equations, problem = equations, equations.problem
        refuse_coupled(problem)
        refuse_unilateral(problem)
        refuse_contacts(problem, "this check locates no events")
        nodes = [equations.node(name) for name in outputs]
        self.units = {name: equations.catalogue[name][1] for name in outputs}
        self.names, self._outputs = list(outputs), equations.program(nodes)
        n, rows, books = equations.n, equations.count, len(problem.states)
        self.size, self.multiplied = 2 * n + books + 2 * rows, 2 * n + books
        ends = np.cumsum([0, n, n, books, rows, rows])
        self._q, self._v, self._s, self._l, self._m = (slice(a, b) for a, b in pairwise(ends))
        place = [state.name for state in problem.states]
        self._turning = [place.index(f"{body}.angle") for body in equations.turning]
        if further := [place[k] for k in sorted(self._read(problem.generalized).difference(self._turning))]:
            told = f"forces depend on further states ({', '.join(further)}), which this check does not know"
            raise ModelError(told, remedy="use run")
        self._books = equations.table.add("needed", lambda: self._needed(nodes), "a rate")

    def _read(self, nodes):
        """Numbers of the states that nodes depend on."""
        return {*self.equations.problem.graph.space("s").of(*nodes)}

    def _needed(self, outputs):
        """Rates of the states; zero of those that nothing reads."""
        problem, rest = self.equations.problem, {*self._turning}
        found, nodes = set(), list(outputs)
        while rest or nodes:
            found |= rest
            nodes += [problem.states[k].rate for k in rest]
            rest, nodes = self._read(nodes) - found, []
        return [state.rate if k in found else problem.graph.const(0.0) for k, state in enumerate(problem.states)]

    def _split(self, y):
        return tuple(y[part] for part in (self._q, self._v, self._s, self._l, self._m))

    def residual(self, t, y, rates, res):
        """Left-hand sides less right-hand sides, into `res`."""
        e, (q, v, s, lam, mu) = self.equations, self._split(y)
        G = e.jacobian(q, t)
        res[self._q] = rates[self._q] - v + G.T @ mu
        res[self._v] = e.mass_at(q, t, s[self._turning]) @ rates[self._v] - e.force(q, v, t, s[self._turning]) + G.T @ lam
        res[self._s] = rates[self._s] - self._books.value({"q": q, "v": v, "a": rates[self._v], "s": s, "l": lam, "t": t})
        res[self._l] = e.constraints(q, t)
        res[self._m] = G @ v + e.constraints_rate(q, t)

    def jacobian(self, t, y, rates, res, cj, J):
        """``dF/dy + cj dF/dy'``, into `J`."""
        e, (q, v, s, lam, mu) = self.equations, self._split(y)
        turns, G = s[self._turning], e.jacobian(q, t).toarray()
        one = np.eye(e.n)
        J[:] = 0.0
        J[self._q, self._q] = cj * one + e.curvature(q, mu, t).toarray()
        J[self._q, self._v], J[self._q, self._m] = -one, G.T
        inertia = e.mass_stiffness(q, rates[self._v], t, turns)
        J[self._v, self._q] = (inertia + e.stiffness(q, v, t, turns) + e.curvature(q, lam, t)).toarray()
        J[self._v, self._v] = cj * e.mass_at(q, t, turns).toarray() + e.damping(q, v, t, turns).toarray()
        J[self._v, self._l], J[self._l, self._q], J[self._m, self._v] = G.T, G, G
        J[self._m, self._q] = (e.jacobian_turning(q, v, t) + e.jacobian_rate(q, t)).toarray()
        J[self._s, self._s] = cj * np.eye(len(s))
        state = {"q": q, "v": v, "a": rates[self._v], "s": s, "l": lam, "t": t}
        for kind, part in {"q": self._q, "v": self._v, "s": self._s, "l": self._l}.items():
            J[self._s, part] -= self._books.by(state, kind).toarray()

    def start(self):
        """Unknowns and their rates at time zero."""
        q, v = self.equations.initial()
        y, rates = np.zeros(self.size), np.zeros(self.size)
        y[self._q], y[self._v] = q, v
        y[self._s][self._turning] = self.equations.turns
        rates[self._q] = v
        state = {"q": q, "v": v, "s": y[self._s], "t": 0.0}
        self.equations.solve(state)
        rates[self._v], y[self._l] = state["a"], state["l"]
        rates[self._s] = self._books.value(state)
        return y, rates

    def values(self, time, history):
        """Outputs by name, of shape (1, points), along a history (points, size) of the unknowns."""
        parts = self._split(history.T)
        state = {"q": parts[0], "v": parts[1], "s": parts[2], "t": time}
        each = [{kind: x[..., k] for kind, x in state.items()} for k in range(len(time))]
        for one in each:
            self.equations.solve(one)
        state |= {kind: np.array([one[kind] for one in each]).T for kind in "al"}
        found = self._outputs(state)
        return {name: np.broadcast_to(x, time.shape)[None].copy() for name, x in zip(self.names, found, strict=True)}


__all__ = ["Stabilised", "reference"]
