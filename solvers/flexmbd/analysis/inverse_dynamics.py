"""Forces that make a motion which drives prescribe completely: no integration, only the rows and ``M a + G' l = F``."""

import numpy as np

from flexmbd.analysis.grid import time_grid
from flexmbd.analysis.path import equations_of
from flexmbd.analysis.refusals import refuse_contacts, refuse_coupled, refuse_states, refuse_unilateral
from flexmbd.errors import ModelError
from flexmbd.linalg.saddle import Singular
from flexmbd.trajectory import OK, Trajectory

REACH = 0.3  # largest change of a coordinate over its weight that one step predicts
CORRECTION = 0.1  # largest change by which the rows may correct a prediction; beyond it the step is halved
ITERATIONS, HALVINGS = 12, 30
SINGULAR = 1e-10  # smallest over largest singular value of the scaled rows


def inverse_dynamics(build, inputs=None, *, end, points, outputs):
    """Moments and forces of drives, reactions and all else along the motion that drives prescribe.

    Parameters
    ----------
    build : System, Equations or callable
        Its drives (rows that depend on time) prescribe every degree of freedom.
    inputs : mapping name -> float, optional
        Of the callable.
    end, points : float, int
        Time grid ``linspace(0, end, points)`` in s.
    outputs : sequence of str
        Names of the catalogue without reductions: ``"drive.moment"``, ``"pin.fx"``, ``"rod.ax"`` ...

    Returns
    -------
    Trajectory
        Of one run: histories (points,).

    Raises
    ------
    ModelError
        If drives leave something free, or constraints are more than there are coordinates, each with their number; if the mechanism cannot
        follow its drives; if forces have states or contacts, or an output is integrated along the motion.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -10.0))
    >>> arm = s.body("arm", mass=2.0, inertia=0.5, position=(1.0, 0.0), points={"O": (-1.0, 0.0)})
    >>> pivot = s.ground.at(0.0, 0.0)
    >>> joints = s.add(fm.Revolute("pin", pivot, arm["O"])), s.add(fm.AngleDrive("drive", pivot, arm["O"], fm.Polynomial((0.0, 0.0, 2.0))))
    >>> float(fm.inverse_dynamics(s, end=1.0, points=2, outputs=["drive.moment"])["drive.moment"][0])
    30.0
    """
    time = time_grid(end, points)
    e = equations_of(build, inputs)
    _check(e, outputs)
    motion = Prescribed(e)
    states = [motion.state]
    for t in time[1:]:
        motion.advance(t)
        states.append(motion.state)
    q, v, a, multipliers, turns = (np.array(x).T for x in zip(*states, strict=True))
    values = {}
    for name in outputs:
        values[name] = np.broadcast_to(e.output(name, q, v, time, turns.reshape(-1, points), multipliers, a), points).copy()
    units = {name: e.catalogue[name][1] for name in outputs}
    return Trajectory(time, values, units, OK, "", {"solver.integrator": "none: the drives prescribe the motion"})


def _check(e, outputs):
    """Raise `ModelError` for what has no place here."""
    refuse_coupled(e.problem)
    refuse_unilateral(e.problem)
    refuse_contacts(e.problem, "their forces depend on the motion before")
    refuse_states(e.problem)
    for name in outputs:
        used = e.problem.graph.space("s").of(e.node(name))
        books = [state.name for k, state in enumerate(e.problem.states) if k in used and not state.name.endswith(".angle")]
        if books:
            raise ModelError(f"output '{name}' is integrated along the motion ({', '.join(books)})", remedy="use run")


class Prescribed:
    """The motion that drives prescribe, followed from its start.

    Parameters
    ----------
    equations : Equations

    Attributes
    ----------
    t : float
        s
    q, v, a : ndarray (n,)
        Coordinates, velocities, accelerations.
    multipliers : ndarray (rows,)
        N or N m
    turns : ndarray
        Angles of the planar bodies, rad.

    Raises
    ------
    ModelError
        If the motion is not prescribed, or more than prescribed.
    """

    def __init__(self, equations):
        self.equations, self.t = equations, 0.0
        e = equations
        self.q, _ = e.initial(0.0)
        rows = e.scaled(e.jacobian(self.q, 0.0))[0].toarray()
        _, sizes, directions = np.linalg.svd(rows)
        rank = int(np.count_nonzero(sizes > SINGULAR * sizes.max(initial=0.0)))
        free, more = e.n - rank, e.count - rank
        if free:
            moving = np.abs(directions[rank:]).max(axis=0) > 0.1
            bodies = dict.fromkeys(repr(e.coordinates[i].partition("[")[0]) for i in np.flatnonzero(moving))
            raise ModelError(
                f"drives prescribe the motion but for {free} degree{'s' * (free != 1)} of freedom, of {', '.join(bodies)}",
                remedy=f"add {'a drive' if free == 1 else f'{free} drives'}, or use run",
            )
        if more:
            raise ModelError(
                f"{more} constraint{'s' * (more != 1)} of {e.count} depend{'s' * (more == 1)} on the others, so reactions are not unique",
                remedy="remove redundant joints or drives",
            )
        self.turns = e.turned(self.q)
        self._follow()

    def _follow(self):
        """Velocities, and accelerations with multipliers."""
        e, values = self.equations, self.equations.at(self.q, np.zeros(self.equations.n), self.t, self.turns)
        saddle = e.saddle(values)
        values["v"] = self.v = saddle.least(-e.constraints_rate(self.q, self.t))
        e.solve(values, saddle)
        self.a, self.multipliers = values["a"], values["l"]

    @property
    def state(self):
        """q, v, a, multipliers, turns."""
        return self.q, self.v, self.a, self.multipliers, self.turns

    def advance(self, t):
        """Follow the motion to a time, in steps short enough to stay on this way of assembly."""
        whole, halvings = t - self.t, 0
        while self.t < t:
            step = min(t - self.t, whole * 0.5**halvings)
            moved = np.abs(self.v) * step + 0.5 * np.abs(self.a) * step * step
            q = None
            if np.max(moved / self.equations.weights, initial=0.0) <= REACH:
                q = self._closed(self.q + step * self.v + 0.5 * step * step * self.a, self.t + step)
            if q is None:
                halvings += 1
                if halvings > HALVINGS:
                    raise ModelError(
                        f"the mechanism cannot follow its drives beyond t = {self.t:.6g} s",
                        remedy="does it reach a dead position, or is a target out of reach?",
                    )
                continue
            self.turns = self.equations.turned(q, self.turns)
            self.q, self.t = q, t if step == t - self.t else self.t + step
            self._follow()

    def _closed(self, q, t):
        """Coordinates near a prediction that satisfy the rows, or None."""
        e, first = self.equations, q
        for _ in range(ITERATIONS):
            try:
                dq = e.saddle(e.at(q, None, t, self.turns)).least(-e.constraints(q, t))
            except Singular:
                return None
            q = q + dq
            if not np.max(np.abs(q - first) / e.weights, initial=0.0) <= CORRECTION:
                return None
            if np.max(np.abs(dq) / e.weights, initial=0.0) <= 1e-13:
                return q
        return q if np.max(np.abs(dq) / e.weights, initial=0.0) <= 1e-11 else None
