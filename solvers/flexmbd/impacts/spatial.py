"""Spatial impact with friction at one contact; slip turns while the normal percussion grows. Stands alone: no model uses it.

``du/dp = W (1, -mu s)`` with the unit vector s of the slip (Keller 1986; Batlle 1993; Bhatt and Koechling 1995), by a Runge-Kutta pair of
order 8 with the end of slip, of compression and of restitution located.  Where slip has ended, contacts stick if friction can hold them;
else slip goes on along the one direction in which it does not turn, and the velocity is a straight line over p.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from flexmbd.errors import ModelError
from flexmbd.impacts.result import Impact, Phase, check_contact, check_delassus, energy_change

ACCURACY = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}
ENDED = 1e-10  # of the velocity at the start: slip that is none
N, T, PN, PT, WORK = 0, slice(1, 3), 3, slice(4, 6), 6  # of the state: velocities, percussions, work of the normal one


def resumed(w, mu, static):
    """Tangential over normal percussion once slip has ended, and whether the contact sticks."""
    hold = -np.linalg.solve(w[1:, 1:], w[1:, 0])
    if np.hypot(*hold) <= static:
        return hold, True

    def turns(angle):
        s = np.array([np.cos(angle), np.sin(angle)])
        return (w[1:, 0] - mu * w[1:, 1:] @ s) @ np.array([-s[1], s[0]])

    angles = np.linspace(0.0, 2.0 * np.pi, 361)
    values = np.array([turns(a) for a in angles])
    for k in np.flatnonzero(values[:-1] * values[1:] <= 0.0):
        angle = brentq(turns, angles[k], angles[k + 1], xtol=1e-15) if values[k] else angles[k]
        s = np.array([np.cos(angle), np.sin(angle)])
        if (w[1:, 0] - mu * w[1:, 1:] @ s) @ s > 0.0:
            return -mu * s, False
    raise ModelError("slip that has ended can neither stick nor go on", element="impact", remedy="check friction and matrix")


def spatial_impact(delassus, velocity, friction, restitution, rule="energetic", *, static_friction=None):
    """Impact at one spatial contact, normal first, positive when separating.

    Parameters
    ----------
    delassus : (3, 3) 1/kg, inverse inertia at the contact, regular.
    velocity : (3,) m/s, relative velocity before.  Separating bodies do not collide: it comes back unchanged, without phases.
    friction, static_friction, restitution, rule : as of `planar_impact`.

    Returns
    -------
    Impact

    Raises
    ------
    ModelError : bad arguments; normal percussion that never ends compression.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.impacts import spatial_impact
    >>> ball = np.diag([1.0, 3.5, 3.5])  # 1/kg
    >>> spatial_impact(ball, (-2.0, 0.6, 0.8), friction=0.2, restitution=0.5).velocity.round(6).tolist()  # m/s, after
    [1.0, 0.0, 0.0]
    """
    w = check_delassus(delassus, 3)
    friction, static = check_contact(friction, static_friction, restitution, rule)
    u = np.asarray(velocity, float)
    if u.shape != (3,) or not np.all(np.isfinite(u)):
        raise ModelError(f"velocity is {velocity!r}", element="impact", remedy="give three finite numbers, normal and tangential")
    if np.linalg.eigvalsh(w)[0] <= 1e-12 * np.trace(w):
        raise ModelError("the Delassus matrix is singular", element="impact", remedy="give a regular one")
    if u[0] > 0.0 or not np.any(u):
        return Impact(u.copy(), np.zeros(3), 0.0, (), 0.0, 0.0, 0.0, 0.0)
    if u[0] == 0.0 and not _jams(w, u, friction):
        return Impact(u.copy(), np.zeros(3), 0.0, (), 0.0, 0.0, 0.0, 0.0)
    # in units in which matrix and velocity are about 1: tolerances of the integration are absolute
    speed, yields = np.linalg.norm(u), np.trace(w)
    mass = speed / yields
    found = _integrated(w / yields, u / speed, friction, static, restitution, rule)
    phases = tuple(Phase(one.kind, mass * one.percussion, speed * one.velocity) for one in found.phases)
    works = (mass * speed * x for x in (found.work_compression, found.work_restitution, found.work_tangential, found.energy_change))
    return Impact(speed * found.velocity, mass * found.percussion, mass * found.compression, phases, *works)


def _jams(w, u, friction):
    """Whether friction of the present slip presses a contact together that only touches."""
    size = np.hypot(*u[1:])
    return size > 0.0 and w[0, 0] - friction * (w[0, 1:] @ u[1:]) / size < 0.0


def _integrated(w, u, friction, static, restitution, rule):
    """The impact in units of its own."""
    state, phases = np.array([*u, 0.0, 0.0, 0.0, 0.0]), []
    ray = None if np.hypot(*u[1:]) > ENDED else resumed(w, friction, static)
    goals = [lambda p, y: y[N], None]
    for goal in range(2):
        if goal == 1:
            pressed, work = state[PN], state[WORK]
            goals[1] = {
                "newton": lambda p, y: y[N] + restitution * u[0],
                "poisson": lambda p, y, end=(1.0 + restitution) * pressed: y[PN] - end,
                "energetic": lambda p, y, end=(1.0 - restitution**2) * work: y[WORK] - end,
            }[rule]
            if restitution == 0.0:
                break
        state, ray = _until(w, friction, static, state, goals[goal], ray, phases)
    after, percussion = state[:3], np.array([state[PN], *state[PT]])
    change = energy_change(u, after, percussion)
    return Impact(after, percussion, float(pressed), tuple(phases), work, state[WORK] - work, change - state[WORK], change)


def _until(w, mu, static, state, goal, ray, phases):
    """State where the goal rises through zero, and the ray it moves along then (None while slip turns)."""
    goal.terminal, goal.direction = True, 1.0

    def ends(p, y):
        return np.hypot(*y[T]) - ENDED

    ends.terminal, ends.direction = True, -1.0
    for _ in range(3):

        def rates(p, y, ray=ray):
            ratio = -mu * y[T] / max(np.hypot(*y[T]), 1e-300) if ray is None else ray[0]
            change = w @ np.array([1.0, *ratio])
            return np.array([*change, 1.0, *ratio, y[N]])

        most = 1e4 / np.linalg.eigvalsh(w)[0]
        found = solve_ivp(rates, (state[PN], state[PN] + most), state, events=[goal] if ray else [goal, ends], **ACCURACY)
        before, state = state, found.y[:, -1].copy()
        step = np.array([state[PN] - before[PN], *(state[PT] - before[PT])])
        met = len(found.t_events[0]) > 0
        phases.append(Phase("stick" if ray and ray[1] else "slip", step, state[:3].copy()))
        if met:
            return state, ray
        if found.status < 0:
            raise ModelError(f"the integration of this impact failed: {found.message}", element="impact")
        if found.status != 1:
            break
        state[T] = 0.0
        ray = resumed(w, mu, static)
    raise ModelError("the normal percussion never ends this impact", element="impact", remedy="check the Delassus matrix and the friction")


__all__ = ["resumed", "spatial_impact"]
