"""A mechanism's linear equations ``x' = f + A x + B u``, ``y = C x + D u`` about a state, in independent coordinates.

Dependent coordinates are eliminated by the constraint rows to first order, at the levels of position, velocity and acceleration, so the
curvature of the rows counts.  An input that moves rows (the target of a drive, the length of a rod) acts through its second derivative:
it and its rate are states, and the input is its acceleration.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import qr

from flexmbd.analysis.equations import Equations
from flexmbd.analysis.path import Equilibrium, Path, described, equations_of
from flexmbd.analysis.refusals import refuse_states
from flexmbd.analysis.varied_parameters import parameters_of
from flexmbd.errors import ModelError
from flexmbd.formulation import formulation_of

OPEN = 1e-7  # what rows may be open at a state that is given, relative to the largest changes that coordinates can make


@dataclass(frozen=True, eq=False)
class StateSpace:
    """Linear equations about a state; x, u, y are changes from it.

    Attributes
    ----------
    A, B, C, D : ndarray (states, states), (states, inputs), (outputs, states), (outputs, inputs)
    states, inputs, outputs : list of str
        States are independent coordinates and their rates; an input that moves constraints is a state too, with its rate, and what enters
        is its second derivative.
    state_units, input_units, output_units : list of str
    drift : ndarray (states,)
        x' at the state itself: zero in an equilibrium.
    start : ndarray (outputs,)
        Outputs at the state itself.
    independent : ndarray of int
        Which coordinates of the system the states are.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> cart = s.body("cart", mass=2.0, inertia=0.1)
    >>> rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), cart.centre))
    >>> spring = s.add(fm.Spring("spring", s.ground.at(-1.0, 0.0), cart.centre, stiffness=200.0, length=1.0))
    >>> push = s.add(fm.PointForce("push", cart.centre, fx=0.0))
    >>> linear = fm.state_space(s, ["@push.fx.c0"], ["cart.x"])
    >>> (linear.A.round(6) + 0.0).tolist()
    [[0.0, 1.0], [-100.0, 0.0]]
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list
    inputs: list
    outputs: list
    state_units: list
    input_units: list
    output_units: list
    drift: np.ndarray
    start: np.ndarray
    independent: np.ndarray
    _own: np.ndarray = field(repr=False)  # states that are no inputs
    _moving: np.ndarray = field(repr=False)  # inputs that move constraints

    @property
    def poles(self):
        """Eigenvalues in 1/s of the mechanism with its inputs held, sorted by modulus, (2 degrees of freedom,)."""
        found = np.linalg.eigvals(self.A[np.ix_(self._own, self._own)])
        return found[np.lexsort((found.imag, np.abs(found)))]

    def transfer(self, s):
        """Outputs over inputs at a complex frequency s (1/s), (outputs, inputs).

        Of an input that moves constraints it is the response to the input itself, not to its second derivative.
        """
        free, given = self._own, np.setdiff1d(np.arange(len(self.A)), self._own)
        B, D = self.B.astype(complex)[free], self.D.astype(complex)
        place, rate = np.split(given, 2)
        moving = self._moving
        B[:, moving] = s * s * B[:, moving] + self.A[np.ix_(free, place)] + s * self.A[np.ix_(free, rate)]
        D[:, moving] = s * s * D[:, moving] + self.C[:, place] + s * self.C[:, rate]
        try:
            return self.C[:, free] @ np.linalg.solve(s * np.eye(len(free)) - self.A[np.ix_(free, free)], B) + D
        except np.linalg.LinAlgError:
            raise ModelError(f"there is no response at s = {s}: it is a pole of the system") from None

    def frequency_response(self, omega):
        """`transfer` at ``i omega``, omega in rad/s: complex (..., outputs, inputs)."""
        omega = np.asarray(omega, float)
        found = [self.transfer(1j * w) for w in omega.ravel()]
        return np.array(found).reshape(*omega.shape, len(self.outputs), len(self.inputs))


def state_space(build, inputs, outputs, *, sample=None, state=None, t=0.0, spinning=None):
    """Linear equations of a system, with constraints or without, about a state.

    Parameters
    ----------
    build : System, Equations or callable
    inputs : sequence of str
        Numbers that act from outside: paths of `System.parameters` of loads, drives, springs, joints and gravity, such as
        ``"@motor.moment.c0"``, or inputs of the callable that change only such numbers.
    outputs : sequence of str
        Names of the catalogue, without reductions.
    sample : mapping name -> float, optional
        Inputs of the callable.
    state : Path, State or pair of ndarray (n,), optional
        The last state of a path from `static` or `arc_length`, a state of rest, or coordinates and velocities that satisfy the constraints;
        the assembled start if left out.
    t : float
        Time in s at which loads and drives are taken, unless `state` has its own.
    spinning : float or tuple of three floats, optional
        See `static`: about a steady rotation, seen in the turning frame, as are the outputs.

    Returns
    -------
    StateSpace

    Raises
    ------
    ModelError
        If a name is not known, the state does not satisfy the constraints, constraints depend on each other, or forces have states of
        their own (bristles, temperatures).

    Notes
    -----
    About a state that is no equilibrium the matrices are those of that instant, and `StateSpace.drift` is not zero.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> cart = s.body("cart", mass=2.0, inertia=1.0)
    >>> guide = s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), cart.centre))
    >>> push = s.add(fm.PointForce("push", cart.centre))
    >>> found = fm.state_space(s, ["@push.fx.c0"], ["cart.vx"])
    >>> found.states, found.B.ravel().tolist()
    (['cart[0]', 'd/dt cart[0]'], [0.0, 0.5])
    """
    made = equations_of(build, sample, spinning)
    system, parameters = parameters_of(described(build), sample, inputs, formulation_of(made.formulation).initial)
    _check_inputs(system.parameters(), parameters)
    if isinstance(state, Path) and spinning is None and state.equations.coriolis.nnz:
        raise ModelError("the state is one of steady rotation", remedy="give its `spinning` here too")
    e = Equations(system, made.formulation, made.solver, spinning=made.spinning, outputs=outputs, varied=parameters)
    return _linearised(e, _values(e, state, t), list(outputs))


def _check_inputs(numbers, parameters):
    for path, slopes in parameters.slopes.items():
        if numbers.of_body(path):
            name = parameters.names[min(slopes)]
            raise ModelError(
                f"'{name}' changes '{path}'; an input must not change masses or places of points, whose rates are taken to be zero",
                remedy="take numbers of loads, drives, springs or gravity",
            )


def _values(e, state, t):
    """The state as values of the graph's variables."""
    refuse_states(e.problem)
    if isinstance(state, Path):
        state = state.state(-1)
    turns = None
    if isinstance(state, Equilibrium):
        q, v, t, turns = state.q, np.zeros(e.n), state.t, state.turns
    elif state is None:
        q, v = e.initial(t)
    else:
        q, v = (np.asarray(x, float) for x in state)
        if q.shape != (e.n,) or v.shape != (e.n,):
            raise ModelError(f"state has arrays of shapes {q.shape} and {v.shape}; the system has {e.n} coordinates")
    values = e.at(q, v, t, e.turned(q) if turns is None else turns)
    _, factors = e.scaled(e.jacobian(q, t))
    speed = 1.0 + np.abs(v / e.weights).max(initial=0.0)
    for level, allowed in (("rows", OPEN), ("rates", OPEN * speed)):
        gaps = np.abs(e.table[level].value(values)) * factors
        if np.any(gaps > allowed):
            rows = ", ".join(e.rows[k] for k in np.flatnonzero(gaps > allowed)[:4])
            raise ModelError(f"the state does not satisfy the constraints {rows}", remedy="give coordinates and velocities that do")
    return values


def independent_coordinates(G, weights):
    """Indices of independent and of dependent coordinates by QR with column pivoting of G (rows, n), columns times `weights`.

    What is left after the pivots changes the dependent ones least.
    """
    G = G * weights
    G = G / np.maximum(np.abs(G).max(axis=1, keepdims=True, initial=0.0), 1e-300)
    if not len(G):
        return np.arange(len(weights)), np.zeros(0, int)
    *_, order = qr(G, mode="economic", pivoting=True)
    return np.sort(order[len(G) :]), order[: len(G)]


def _linearised(e, values, outputs):
    """The matrices: all changes are written as linear functions of the columns [states, inputs]."""
    n, names = e.n, e.parameters.names
    saddle = e.solve(values)
    rows, rates, second, force = (
        e.table[name](values, kinds)[1] for name, kinds in (("rows", "qp"), ("rates", "qp"), ("accelerations", "qvp"), ("residual", "qvp"))
    )
    start, out = e.table["outputs"](values, "qvalsp")
    books = [e.states[k] for k in np.flatnonzero(out["s"].any(axis=0)) if not e.states[k].endswith(".angle")]
    if books:
        raise ModelError(f"an output is integrated along the motion ({', '.join(books)}); it is no output of linear equations")
    free, bound = independent_coordinates(rows["q"], e.weights)
    moving = e.table["rows"].depends_on("p")
    f, m, k = len(free), len(moving), len(names)
    place, shift, speed, rate, entering = np.split(np.arange(2 * (f + m) + k), np.cumsum([f, m, f, m]))
    columns = 2 * (f + m) + k

    def unit(size, at, where):
        matrix = np.zeros((size, columns))
        matrix[at, where] = 1.0
        return matrix

    steady = np.setdiff1d(np.arange(k), moving)
    p = unit(k, moving, shift) + unit(k, steady, entering[steady])
    p1, p2 = unit(k, moving, rate), unit(k, moving, entering[moving])
    G = rows["q"]

    def close(own, side):
        """Changes whose independent part is `own` and that give rows `side`."""
        x = unit(n, free, own)
        x[bound] = np.linalg.solve(G[:, bound], side - G @ x)
        return x

    dq = close(place, -rows["p"] @ p)
    dv = close(speed, -(rates["q"] @ dq + rates["p"] @ p + rows["p"] @ p1))
    da, dl = saddle.solve(
        -(force["q"] @ dq + force["v"] @ dv + force["p"] @ p),
        -(second["q"] @ dq + second["v"] @ dv + second["p"] @ p + 2.0 * rates["p"] @ p1 + rows["p"] @ p2),
    )
    dx = np.concatenate([dv[free], p1[moving], da[free], p2[moving]])
    dy = out["q"] @ dq + out["v"] @ dv + out["a"] @ da + out["l"] @ dl + out["p"] @ p
    count = 2 * (f + m)
    drift = np.concatenate([values["v"][free], np.zeros(m), values["a"][free], np.zeros(m)])
    coordinates = e.problem.coordinates
    measures = ["m" if e.problem.measures[i] == "length" else "1" for i in free]
    units = e.parameters.units
    x = [coordinates[i] for i in free] + [names[j] for j in moving]
    x_units = measures + [units[j] for j in moving]
    u = [f"d2/dt2 {name}" if j in moving else name for j, name in enumerate(names)]
    u_units = [_per(unit, "s^2") if j in moving else unit for j, unit in enumerate(units)]
    return StateSpace(
        dx[:, :count], dx[:, count:], dy[:, :count], dy[:, count:],
        x + [f"d/dt {name}" for name in x], u, outputs, x_units + [_per(unit, "s") for unit in x_units], u_units,
        [e.catalogue[name][1] for name in outputs], drift, start, free, np.r_[place, speed], moving,
    )  # fmt: skip


def _per(unit, time):
    return f"{unit}/{time}" if unit else ""
