"""Derivatives of a motion by parameters, integrated with it (the direct method).

The variational equations of index 1 hold where the motion is smooth: at the onset of a contact derivatives jump, so systems with located
contacts are refused.  The derivatives of the start are those of its assembly, iteration by iteration.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag

from flexmbd.analysis.equations import Equations
from flexmbd.analysis.grid import time_grid
from flexmbd.analysis.path import described
from flexmbd.analysis.refusals import refuse_contacts
from flexmbd.analysis.varied_parameters import parameters_of
from flexmbd.equations.assembly import TURN
from flexmbd.equations.start import Start
from flexmbd.equations.start_words import Changes
from flexmbd.errors import ModelError, check_number
from flexmbd.formulation import formulation_of
from flexmbd.linalg.saddle import Saddle
from flexmbd.suggest import unknown

ITERATIONS = 80  # of the assembly, which carries derivatives along
DIFFERENCES = "take differences of runs, or a surrogate"
EXPLICIT, IMPLICIT = ("DOP853", "RK45", "RK23"), ("Radau", "BDF")


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Outputs along a motion and their derivatives; ``found["rod.angle", "length"]`` is one derivative (points,).

    Attributes
    ----------
    time : ndarray (points,)
        s
    values : dict of str to ndarray (points,)
        Outputs by name.
    derivatives : dict of str to ndarray (points, parameters)
    parameters : list of str
    units, parameter_units : dict of str to str
        Of outputs and of parameters; "" where it is not known. A derivative has the output's unit over the parameter's.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.sensitivities(s, ["gravity.y"], ["rod.angle"], end=0.3, points=3)
    >>> found["rod.angle", "gravity.y"].round(3).tolist(), found.parameter_units
    ([0.0, 0.017, 0.065], {'gravity.y': 'm/s^2'})
    """

    time: np.ndarray
    values: dict
    derivatives: dict
    parameters: list
    units: dict
    parameter_units: dict

    def __getitem__(self, key):
        output, parameter = key
        return self.derivatives[output][:, self.parameters.index(parameter)]

    def to_xarray(self):
        """An `xarray.Dataset`: each output (time), and ``d_<output>`` (time, parameter), with the attribute ``unit``."""
        import xarray as xr

        found = {}
        for name, values in self.values.items():
            found[name] = ("time", values, {"unit": self.units[name]})
            found[f"d_{name}"] = (("time", "parameter"), self.derivatives[name], {"unit": f"{self.units[name]} over the parameter's"})
        units = [self.parameter_units[name] for name in self.parameters]
        places = {"time": ("time", self.time, {"unit": "s"}), "parameter": self.parameters, "parameter_unit": ("parameter", units)}
        return xr.Dataset(found, places)


def sensitivities(build, parameters, outputs, *, end, points, inputs=None, rtol=1e-9, atol=1e-10, method="DOP853"):
    """Derivatives of outputs by parameters along a motion.

    Parameters
    ----------
    build : System, Equations or callable
        Of equations the coordinates are kept (`Equations.formulation`), else they are natural ones.
    parameters : sequence of str
        Inputs of the callable, whose effect on the guess of the start counts, or paths of `System.parameters`: ``"@spring.stiffness"``,
        ``"rod.mass"``, ``"rod.A.x"``, ``"gravity.y"``.
    outputs : sequence of str
        Names of the catalogue, without reductions.
    end, points : float, int
        Time grid ``linspace(0, end, points)`` in s.
    inputs : mapping name -> float, optional
        Of the callable; its defaults if left out.
    rtol, atol : float
        Local error of coordinates, velocities, and their derivatives times the parameters' sizes; relative and absolute, in their units.
    method : str
        Of `scipy.integrate.solve_ivp`: "DOP853", "RK45", "RK23"; "Radau" or "BDF" for what is stiff, flexible bodies above all.

    Returns
    -------
    Sensitivities

    Raises
    ------
    ModelError
        If a name is not known, nothing depends on a parameter, a law does not say its derivative, the system has contacts or friction in
        ideal joints, constraints depend on each other, or the integration fails.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> ball = s.point_mass("ball", mass=2.0)
    >>> push = s.add(fm.PointForce("push", ball.centre, fx=3.0))
    >>> found = fm.sensitivities(s, ["@push.fx.c0", "ball.mass"], ["ball.x"], end=2.0, points=2)
    >>> [round(float(x), 9) for x in found.derivatives["ball.x"][-1]]
    [1.0, -1.5]
    """
    if method not in (*EXPLICIT, *IMPLICIT):
        raise unknown("method", method, (*EXPLICIT, *IMPLICIT))
    time = time_grid(end, points)
    for key, value in (("rtol", rtol), ("atol", atol)):
        check_number("sensitivities", key, value, positive=True)
    if not len(parameters):
        raise ModelError("no parameter is given", remedy="name at least one; without, take run")
    motion = Varied(varied_equations(build, inputs, parameters, outputs))
    y = motion.start()
    found, step, implicit = [motion.outputs(0.0, y)], None, {} if method in EXPLICIT else {"jac": motion.jacobian}
    for before, t in pairwise(time):
        step = None if step is None else min(step, t - before)
        done = solve_ivp(motion.rates, (before, t), y, method, rtol=rtol, atol=atol, first_step=step, **implicit)
        if not done.success:
            raise ModelError(f"the integration failed at t = {done.t[-1]:.6g} s: {done.message}")
        step = np.diff(done.t).max()
        y = motion.closed(t, done.y[:, -1])
        found.append(motion.outputs(t, y))
    values, slopes = (np.array(x) for x in zip(*found, strict=True))
    if not np.all(np.isfinite(values)) or not np.all(np.isfinite(slopes)):
        raise ModelError("an output or its derivative is not finite")
    names = list(outputs)
    return Sensitivities(
        time,
        {name: values[:, i] for i, name in enumerate(names)},
        {name: slopes[:, i] for i, name in enumerate(names)},
        motion.varied.names,
        {name: motion.equations.catalogue[name][1] for name in names},
        dict(zip(motion.varied.names, motion.varied.units, strict=True)),
    )


def varied_equations(build, inputs, parameters, outputs):
    """`Equations` with derivatives by parameters, in the coordinates of those given, else in natural ones."""
    made = build if isinstance(build, Equations) else None
    if made is not None and made.coriolis.nnz:
        raise ModelError("sensitivities are of motions seen from rest, and these equations are of a turning frame")
    formulation = "natural" if made is None else made.formulation
    system, varied = parameters_of(described(build), inputs, parameters, formulation_of(formulation).initial)
    e = Equations(system, formulation, outputs=outputs, varied=varied)
    refuse_contacts(e.problem, "at their onset derivatives of the motion jump, which these equations do not know", DIFFERENCES)
    return e


class Varied:
    """The variational equations, unknowns y: q, v, s, and the derivatives of each by the parameters, times the parameters' sizes.

    Parameters
    ----------
    equations : Equations
        With parameters.
    """

    def __init__(self, equations):
        e, self.table = equations, equations.table
        self.equations, self.varied, values = e, e.parameters, e.parameters.values
        self._sizes = np.where(values != 0.0, np.abs(values), 1.0)
        self._turning = np.array([measure == "angle" for measure in e.problem.measures], bool)

    def _split(self, t, y):
        """Values of the graph's variables, and the derivatives of q, v, s by the parameters."""
        n, k = self.equations.n, len(self._sizes)
        m = len(self.equations.states)
        x, slopes = y[: 2 * n + m], y[2 * n + m :].reshape(-1, k) / self._sizes
        q, v, s = np.split(x, [n, 2 * n])
        return {"q": q, "v": v, "s": s, "t": t}, dict(zip("qvs", np.split(slopes, [n, 2 * n]), strict=True))

    def _joined(self, values, slopes):
        x, dx = ([part[kind] for kind in "qvs"] for part in (values, slopes))
        return np.concatenate([*x, (np.concatenate(dx) * self._sizes).ravel()])

    def _solved(self, values, slopes):
        """Adds accelerations and multipliers to values and slopes."""
        saddle = self.equations.solve(values)
        force, rows = self.table["residual"](values, "qvsp")[1], self.table["accelerations"](values, "qvp")[1]
        slopes["a"], slopes["l"] = saddle.solve(-_along(force, slopes, "qvs"), -_along(rows, slopes, "qv"))

    def rates(self, t, y):
        """y'"""
        values, slopes = self._split(t, y)
        self._solved(values, slopes)
        s, by = self.table["books"](values, "qvalsp")
        rates = {"q": values["v"], "v": values["a"], "s": s}
        return self._joined(rates, {"q": slopes["v"], "v": slopes["a"], "s": _along(by, slopes, "qvals")})

    def jacobian(self, t, y):
        """dy'/dy without the second derivatives of the motion, which Newton's iteration of an implicit method does not need."""
        values, _ = self._split(t, y)
        n, m, k = self.equations.n, len(self.equations.states), len(self._sizes)
        one = np.eye(2 * n + m)
        slopes, saddle = dict(zip("qvs", np.split(one, [n, 2 * n]), strict=True)), self.equations.solve(values)
        force, rows = self.table["residual"](values, "qvsp")[1], self.table["accelerations"](values, "qvp")[1]
        by = self.table["books"](values, "qvalsp")[1]
        side = -sum(force[kind] @ slopes[kind] for kind in "qvs"), -sum(rows[kind] @ slopes[kind] for kind in "qv")
        slopes["a"], slopes["l"] = saddle.solve(*side)
        J = np.concatenate([slopes["v"], slopes["a"], sum(by[kind] @ slopes[kind] for kind in "qvals")])
        return block_diag(J, np.kron(J, np.eye(k)))

    def outputs(self, t, y):
        """Outputs (outputs,) and their derivatives (outputs, parameters)."""
        values, slopes = self._split(t, y)
        self._solved(values, slopes)
        found, by = self.table["outputs"](values, "qvalsp")
        return found, _along(by, slopes, "qvals")

    # ---- the rows, at the start and where the integration has left them
    def start(self):
        """y at time zero: the guess, assembled by mass-orthogonal corrections like that of `run`."""
        e = self.equations
        q, v = (np.array(x, float) for x in e.problem.initial(e.system))
        first, angles, s = (q, v), e.system.angles(), np.zeros(len(e.states))
        for k, name in enumerate(e.states):
            owner, _, key = name.rpartition(".")
            s[k] = angles[owner] if key == "angle" and owner in angles else 0.0
        values = {"q": q, "v": v, "s": s, "t": 0.0}
        slopes = {"q": e.parameters.guess.copy(), "v": e.parameters.speed.copy(), "s": np.zeros((len(s), len(self._sizes)))}
        for _ in range(ITERATIONS):
            step = self._correct("q", values, slopes)
            if np.all(np.abs(step) <= 1e-14 * (1.0 + np.abs(values["q"]))):
                break
        else:
            raise ModelError("the system cannot be assembled", remedy="check lengths and the guess of positions and angles")
        for _ in range(2):
            self._correct("v", values, slopes)
        self._follow(values, slopes, *zip(first, (e.parameters.guess, e.parameters.speed), strict=True))
        return self._joined(values, slopes)

    def _follow(self, values, slopes, places, speeds):
        """Let velocities that are left out follow from those given (`equations.start`), from the guesses with their derivatives."""
        e, (q0, dq0), (v0, dv0) = self.equations, places, speeds
        start = Start(e.problem, e.system, 1)

        wanted = start.carried(q0[:, None], v0[:, None], values["q"][:, None])
        if len(start.touched(wanted, values["v"][:, None])):
            levels, which = start.of(1), np.zeros(1, int)
            (weights,), (back,) = start.weights(levels, which)
            (ahead,) = start.origins(which)
            by = _along_carried(start, (q0, v0, values["q"]), (dq0, dv0, slopes["q"]))
            values["v"], slopes["v"] = wanted[:, 0], by
            for put in start.passes(levels):
                if put is not None:
                    values["v"], slopes["v"] = (
                        ahead @ np.where(put[(...,) + (None,) * (x.ndim - 1)], back @ y, back @ x)
                        for x, y in ((values["v"], wanted[:, 0]), (slopes["v"], by))
                    )
                self._correct("v", values, slopes, weights)
        Changes(start, (values["q"][:, None], values["v"][:, None]), np.ones(1)).refuse()

    def closed(self, t, y):
        """y with rows and their rates closed, and their derivatives too."""
        values, slopes = self._split(t, y)
        for kind in "qv":
            self._correct(kind, values, slopes)
        return self._joined(values, slopes)

    def _correct(self, kind, values, slopes, weights=None):
        """One mass-orthogonal correction x of q or v, ``M x + G' l = 0``, ``G x = -Phi`` (or ``-Phi'``), with its derivative.

        With `weights` W (n, n) the mass matrix is ``W' M W``.
        """
        e, table = self.equations, self.table
        rows, rates = table["rows"](values, "qp"), table["rates"](values, "qvp")
        value, by = rows if kind == "q" else rates
        mass = e.mass_of(values)
        saddle = Saddle(mass if weights is None else weights.T @ mass @ weights, rows[1]["q"])
        x, multipliers = saddle.solve(np.zeros(e.n), -value)
        if weights is None:
            inertia = table["balance"](values | {"a": x, "l": multipliers}, "qp")[1]
        else:
            moved, held = (
                table["balance"](values | {"a": a, "l": b}, "qp")[1] for a, b in ((weights @ x, 0.0 * multipliers), (0.0 * x, multipliers))
            )
            inertia = {kind: weights.T @ moved[kind] + held[kind] for kind in "qp"}
        moved, rest = (table["rates"](values | {"v": v}, "qp")[1] for v in (x, 0.0 * x))
        turned = {kind: moved[kind] - rest[kind] for kind in "qp"}  # derivatives of G x at fixed x
        side = _along(by, slopes, kind if kind == "q" else "qv") + _along(turned, slopes, "q")
        dx, _ = saddle.solve(-_along(inertia, slopes, "q"), -side)
        if kind == "q":
            turn = np.abs(x) * self._turning
            worst = int(np.argmax(turn)) if len(turn) else 0
            if turn[worst] > TURN:
                part = TURN / turn[worst]
                dx = part * dx - np.outer(x, part / x[worst] * dx[worst])
                x = part * x
        values[kind], slopes[kind] = values[kind] + x, slopes[kind] + dx
        return x


def _along_carried(start, values, slopes):
    """Derivative of `Start.carried`, a rotation of vectors, along the derivatives of its arguments: by differences of fourth order."""

    def at(side):
        columns = [x[:, None] + side * d * step for x, d in zip(values, slopes, strict=True)]
        return start.carried(*columns)

    step = 1e-3 / np.maximum(np.max([np.abs(d).max(axis=0, initial=0.0) for d in slopes], axis=0), 1e-300)
    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * step)


def _along(by, slopes, kinds):
    """Derivative of what has the partial derivatives `by`, along the derivatives of these kinds of variables; parameters count."""
    total = by["p"]
    for kind in kinds:
        total = total + by[kind] @ slopes[kind]
    return total
