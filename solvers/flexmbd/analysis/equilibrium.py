"""Equilibrium under loads that grow with time: Newton's method, load step by load step."""

import numpy as np
from scipy.sparse.linalg import lsqr

from flexmbd.analysis.path import Equilibrium, Path, StaticsError, equations_of
from flexmbd.analysis.tangent import Singular, Tangent, free_motion
from flexmbd.errors import ModelError, check_number

HALVINGS = 12
TOLERANCE, ITERATIONS = 1e-9, 30  # of `static`, unless said


class NotConverged(Exception):
    """Newton's method did not find an equilibrium."""


def static(
    build,
    inputs=None,
    *,
    start=0.0,
    end=1.0,
    steps=10,
    spinning=None,
    settle=False,
    tolerance=TOLERANCE,
    iterations=ITERATIONS,
    solver=None,
):
    """Equilibria of a system at rest while the time goes from `start` to `end`.

    Velocities and accelerations are zero; the time is the load parameter.  A system without functions of time has one equilibrium, near
    its position at the start.  Newton's method finds stable and unstable ones alike, and under load control it may jump past a limit
    point: `modes` tells whether a state is stable, and `arc_length` follows the path.

    Parameters
    ----------
    build : System, Equations or callable
        ``build(**inputs) -> System``.
    inputs : mapping name -> float, optional
        Of the callable.
    start, end : float
        Load parameter, in s.
    steps : int
        Load steps; a step that fails is halved, up to 12 times.
    spinning : float or tuple of three floats, optional
        Angular velocity in rad/s of a frame in which the system rests, about an axis through the origin: steady rotation.  Ground, loads
        and drives turn with the frame.
    settle : bool
        Let the system creep into its first equilibrium, which is then a stable one; otherwise only where Newton's method fails.
    tolerance : float
        Newton's last correction: lengths relative to the system's size, other coordinates absolute.
    iterations : int
        Most iterations of a step.
    solver : str, optional
        Back end of `flexmbd.linalg.direct` that factors the tangents: "superlu" (if left out, unless equations have
        another), "klu", "umfpack", "pardiso".

    Returns
    -------
    Path

    Raises
    ------
    StaticsError
        If the tangent is singular at the start (naming what can move freely), or no equilibrium is found; its `path` holds what was
        found before.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> rod = s.body("rod", mass=1.0, inertia=1.0, points={"A": (1.0, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod.centre))
    >>> spring = s.add(fm.TorsionSpring("spring", s.ground, rod, stiffness=2.0))
    >>> load = s.add(fm.Torque("load", s.ground, rod, moment=fm.Polynomial((0.0, 1.0))))
    >>> float(fm.static(s)["rod.angle"][-1])
    0.5
    """
    equations = equations_of(build, inputs, spinning)
    equations = equations.using(solver)
    whole("steps", steps)
    check_limits(tolerance, iterations)
    if not np.isfinite(end - start):
        raise ModelError(f"the load steps go from {start!r} to {end!r}; both ends must be finite")
    first, count = at_start(equations, start, tolerance, iterations, settle=settle)
    states, counts = [first], [count]
    if not depends_on_time(equations):
        return Path(equations, states, np.array(counts))
    step = nominal = (end - start) / steps
    state = first
    while (end - state.t) * np.sign(nominal) > 1e-12 * abs(end - start):
        step = end - state.t if abs(end - state.t) < 1.001 * abs(step) else step
        try:
            state, count = newton(equations, predict(equations, state, step), tolerance, iterations)
        except (NotConverged, Singular):
            step = 0.5 * step
            if abs(step) < 0.5**HALVINGS * abs(nominal):
                raise _lost(equations, Path(equations, states, np.array(counts)), state) from None
            continue
        states.append(state)
        counts.append(count)
        if count <= 6:
            step = np.sign(nominal) * min(2 * abs(step), abs(nominal))
    return Path(equations, states, np.array(counts))


def whole(key, value):
    """Raise `ModelError` unless a value is a whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ModelError(f"{key} is {value!r}; it must be a whole number from 1")


def check_limits(tolerance, iterations):
    """Raise `ModelError` unless Newton's method can end."""
    whole("iterations", iterations)
    check_number("statics", "tolerance", tolerance, positive=True)


def assembled(equations, t):
    """The assembled position with the multipliers that balance the forces there best."""
    q, _ = equations.initial(t)
    turns = equations.turned(q)
    force = equations.force(q, None, t, turns)
    rows, factors = equations.scaled(equations.jacobian(q, t))
    multipliers = factors * lsqr(rows.T, force * equations.weights, atol=1e-14, btol=1e-14)[0] if equations.count else np.zeros(0)
    return Equilibrium(q, multipliers, t, turns)


def at_start(equations, t, tolerance, iterations, *, settle=False):
    """First equilibrium, from the assembled position; where Newton's method fails the system is first let settle (`creep`)."""
    state = assembled(equations, t)
    if not settle:
        try:
            return newton(equations, state, tolerance, iterations)
        except (NotConverged, Singular):
            pass
    try:
        return creep(equations, state, tolerance, iterations)
    except Singular:
        why = free_motion(equations, state)
        raise StaticsError(
            f"there is no unique equilibrium near the start: the tangent is singular, {why}",
            remedy="add a support or a stiffness, or start from a position closer to equilibrium",
        ) from None
    except NotConverged as error:
        raise StaticsError(
            f"no equilibrium was found at the start (t = {t:g}): {error}",
            remedy="start from a position closer to equilibrium, or let the loads grow with time from zero",
        ) from None


def creep(equations, state, tolerance, iterations, trials=300):
    """Equilibrium that the system creeps into when each coordinate resists its change in proportion to its mass.

    Implicit Euler steps, longer as the forces vanish (pseudo-transient continuation, Kelley and Keyes 1998, SIAM J. Numer. Anal. 35,
    508-523), then Newton's method.

    Raises
    ------
    NotConverged, Singular
    """
    mass = equations.mass.diagonal() * equations.weights**2
    mass = np.maximum(mass, 1e-3 * mass.max()) / equations.weights**2
    force = equations.force(state.q, None, state.t, state.turns) - equations.jacobian(state.q, state.t).T @ state.multipliers
    pull = largest(equations, force / mass)
    if pull == 0.0:
        raise Singular
    step, before = 0.1 / pull, None
    for k in range(1, trials + 1):
        tangent = Tangent(equations, state, resistance=mass / step)
        dq, dl = tangent.solve(*tangent.residual)
        size = largest(equations, dq)
        if not np.isfinite(size):
            break
        part = min(1.0, 0.3 / max(size, 1e-300))
        state = state.moved(equations, part * dq, part * dl)
        speed = size / step
        if before is not None:
            step *= min(2.0, max(0.5, before / max(speed, 1e-300)))
        before = speed
        if k > 3 and size < 1e-3 and speed < 1e-3 * pull:
            try:
                state, more = newton(equations, state, tolerance, iterations)
                return state, k + more
            except (NotConverged, Singular):
                continue
    newton(equations, state, tolerance, iterations)
    raise NotConverged("it does not settle")


def _lost(equations, path, state):
    try:
        Tangent(equations, state)
        why = "Newton's method does not converge beyond it"
    except Singular:
        why = f"the tangent is singular there, {free_motion(equations, state)}"
    return StaticsError(
        f"no equilibrium was found beyond t = {state.t:.8g}: {why}",
        path=path,
        remedy="follow the path through a limit point with arc_length; the states found are in the error's `path`",
    )


def predict(equations, state, step):
    """The state a load step further along the path's tangent."""
    tangent = Tangent(equations, state)
    dq, dl = tangent.solve(*tangent.load)
    part = min(1.0, 0.5 / max(largest(equations, dq * step), 1e-300))
    return state.moved(equations, part * step * dq, part * step * dl, step)


def newton(equations, state, tolerance, iterations, border=None, resistance=None):
    """Equilibrium near a state at the same time, or (with a border) on the plane through the state across the border.

    A small `resistance` (n,), added to the stiffness, keeps what can move without a force where it is.

    Raises
    ------
    NotConverged, Singular
    """
    origin = state
    for k in range(1, iterations + 1):
        tangent = Tangent(equations, state, border, resistance)
        if border is None:
            dq, dl = tangent.solve(*tangent.residual)
            dt = 0.0
        else:
            row, by_time = border
            off = -row @ (state.q - origin.q) - by_time * (state.t - origin.t)
            dq, dl, dt = tangent.solve(*tangent.residual, off)
        size = largest(equations, dq)
        if not np.isfinite(size) or size > 1e6:
            raise NotConverged(f"the corrections grow without bounds at iteration {k}")
        at_rounding = k > 1 and tangent.at_rounding
        part = min(1.0, 0.5 / max(size, 1e-300))
        state = state.moved(equations, part * dq, part * dl, part * dt)
        if size <= tolerance or at_rounding:
            equations.rest.check(equations.at_rest(state))
            return state, k
    raise NotConverged(f"after {iterations} iterations the corrections are still {size:.3g}")


def largest(equations, dq):
    """Largest change: lengths relative to the system's size, others absolute."""
    return np.abs(dq / equations.weights).max(initial=0.0)


def depends_on_time(equations):
    """True if a load or a constraint is a function of time."""
    return any(len(equations.table[name].depends_on("t")) for name in ("load", "rows"))
