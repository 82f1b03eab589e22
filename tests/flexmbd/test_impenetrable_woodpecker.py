"""Woodpecker toy: limit cycle of the time stepping against an independent event-driven solution in three coordinates.

No figure of the period with angles of any size is published, so the reference is computed here: sleeve's height y, its angle a and the
woodpecker's angle b; scipy between events; contact modes (open, sticking, sliding either way) by trying all of them.
"""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from .impenetrable_models import TOY, G, moved, toy_start, woodpecker

MU, E = TOY["mu"], np.array(TOY["e"])
OPEN, STICK, UP, DOWN = range(4)
REST = 1e-8  # m/s, below which a sliding velocity is none
LATE = 1e-8  # N, by which a mode outlives its end, so that the next one is not in doubt


def turned(angle, x, y):
    """Arm (x, y) of a body at an angle."""
    c, n = np.cos(angle), np.sin(angle)
    return np.array([c * x - n * y, n * x + c * y])


def across(arm):
    """Velocity of the end of an arm at one rad/s."""
    return np.array([-arm[1], arm[0]])


def equations(q, v):
    """Mass matrix and generalized forces."""
    _, a, b = q
    lever, arm = turned(a, TOY["lM"], 0.0), turned(b, TOY["lG"], 0.0)
    J = np.column_stack([[0.0, 1.0], across(lever), across(arm)])  # of the woodpecker's centre of mass
    M = TOY["mS"] * J.T @ J + np.diag([TOY["mM"], TOY["JM"], TOY["JS"]])
    bend = -lever * v[1] ** 2 - arm * v[2] ** 2
    twist = TOY["c"] * (b - a)
    f = np.array([-TOY["mM"] * G, twist, -twist]) + TOY["mS"] * J.T @ (np.array([0.0, -G]) - bend)
    return M, f


def contacts(q, v):
    """Gaps (3,), directions (3, 2, 3): normal, then along the pole; accelerations (3, 2) that velocities alone give."""
    _, a, b = q
    lever, beak = turned(a, TOY["lM"], 0.0), turned(b, TOY["lG"] - TOY["lS"], TOY["hS"])
    gaps, D, bend = np.zeros(3), np.zeros((3, 2, 3)), np.zeros((3, 2))
    gaps[0] = lever[0] + beak[0] - TOY["r0"]
    D[0] = np.column_stack([[0.0, 1.0], across(lever), across(beak)])
    bend[0] = -lever * v[1] ** 2 - beak * v[2] ** 2
    for k, side in ((1, -1.0), (2, 1.0)):
        edge = turned(a, TOY["rM"], side * TOY["hM"])
        gaps[k] = edge[0] - TOY["r0"]
        D[k] = np.column_stack([[0.0, 1.0], across(edge), [0.0, 0.0]])
        bend[k] = -edge * v[1] ** 2
    return gaps, D, bend


def solved(S, b, signs, slack):
    """Modes and forces (k, 2) of closed contacts from ``b + S f``: all combinations are tried; `signs` of sliding contacts are given."""
    count = len(b) // 2
    choices = [(OPEN, STICK, UP, DOWN) if not s else (OPEN, UP if s > 0 else DOWN) for s in signs]
    best = None
    for modes in product(*choices):
        A, c = np.eye(2 * count), np.zeros(2 * count)
        for k, mode in enumerate(modes):
            n, t = 2 * k, 2 * k + 1
            if mode != OPEN:
                A[n], c[n] = S[n], -b[n]
            if mode == STICK:
                A[t], c[t] = S[t], -b[t]
            elif mode != OPEN:
                A[t, n] = MU if mode == UP else -MU
        if abs(np.linalg.det(A)) < 1e-300 or np.linalg.cond(A) > 1e14:
            continue
        f = np.linalg.solve(A, c)
        u = b + S @ f
        wrong = 0.0
        for k, mode in enumerate(modes):
            (fn, ft), (un, ut) = f[2 * k : 2 * k + 2], u[2 * k : 2 * k + 2]
            if mode == OPEN:
                wrong = max(wrong, -un)
            else:
                wrong = max(wrong, -fn * S[2 * k, 2 * k])
            if mode == STICK:
                wrong = max(wrong, (abs(ft) - MU * fn) * S[2 * k + 1, 2 * k + 1])
            if not signs[k] and mode in (UP, DOWN):
                wrong = max(wrong, -ut if mode == UP else ut)
        if best is None or wrong < best[0]:
            best = wrong, modes, f
        if wrong <= slack:
            return modes, f
    raise AssertionError(f"no mode fits: {best}")


def accelerations(q, v, closed, modes=None):
    """Accelerations, and modes and forces of closed contacts; with modes given forces are those of these modes."""
    M, f = equations(q, v)
    _, D, bend = contacts(q, v)
    if not closed:
        return np.linalg.solve(M, f), (), np.zeros(0)
    W = D[closed].reshape(-1, 3)
    S, b = W @ np.linalg.solve(M, W.T), W @ np.linalg.solve(M, f) + bend[closed].ravel()
    if modes is None:
        slip = (W @ v)[1::2]
        modes, force = solved(S, b, np.where(abs(slip) < REST, 0.0, np.sign(slip)), 1e-9 * abs(b).max())
    else:
        A, c = np.eye(len(b)), np.zeros(len(b))
        for k, mode in enumerate(modes):
            n, t = 2 * k, 2 * k + 1
            A[n], c[n] = S[n], -b[n]
            if mode == STICK:
                A[t], c[t] = S[t], -b[t]
            else:
                A[t, n] = MU if mode == UP else -MU
        force = np.linalg.solve(A, c)
    return np.linalg.solve(M, f + W.T @ force), modes, force


def struck(q, v, closed):
    """Velocities after an impact, Newton's rule, all closed contacts as one problem."""
    M, _ = equations(q, v)
    _, D, _ = contacts(q, v)
    W = D[closed].reshape(-1, 3)
    S, b = W @ np.linalg.solve(M, W.T), W @ v
    b[0::2] += E[closed] * np.minimum(b[0::2], 0.0)
    _, p = solved(S, b, np.zeros(len(closed)), 1e-9 * abs(b).max())
    return v + np.linalg.solve(M, W.T @ p)


def event_driven(end):
    """Times of the beak's impacts, and the sleeve's height there; the motion by events from the start until `end`."""
    q, v = toy_start()
    t, closed, pecks = 0.0, [1], []
    for _ in range(10000):
        modes = accelerations(q, v, closed)[1]
        keep = [k for k, mode in enumerate(modes) if mode != OPEN]
        closed, modes = [closed[k] for k in keep], tuple(modes[k] for k in keep)

        def rate(_, z, closed=closed, modes=modes):
            return np.concatenate([z[3:], accelerations(z[:3], z[3:], closed, modes)[0]])

        def force(z, closed=closed, modes=modes):
            return accelerations(z[:3], z[3:], closed, modes)[2]

        events = []
        for k in range(3):
            if k not in closed:
                events.append((lambda _, z, k=k: contacts(z[:3], z[3:])[0][k], -1))
        for k, (contact, mode) in enumerate(zip(closed, modes, strict=True)):
            events.append((lambda _, z, k=k, force=force: force(z)[2 * k] + LATE, -1))
            if mode == STICK:
                events.append((lambda _, z, k=k, force=force: MU * force(z)[2 * k] - abs(force(z)[2 * k + 1]) + LATE, -1))
            else:
                events.append((lambda _, z, c=contact: contacts(z[:3], z[3:])[1][c, 1] @ z[3:], -1 if mode == UP else 1))
        functions = []
        for function, direction in events:
            function.__dict__.update(terminal=True, direction=direction)
            functions.append(function)
        run = solve_ivp(rate, (t, end), np.concatenate([q, v]), "DOP853", rtol=1e-9, atol=1e-12, max_step=2e-3, events=functions)
        t, q, v = run.t[-1], run.y[:3, -1], run.y[3:, -1]
        if run.status == 0:
            return np.array(pecks)
        gaps, D, _ = contacts(q, v)
        new = [k for k in range(3) if k not in closed and gaps[k] < 1e-9 and D[k, 0] @ v < 0.0]
        if new:
            closed = sorted({*closed, *new})
            before = v
            v = struck(q, v, closed)
            if 0 in new:
                pecks.append((t, q[0], D[0, 0] @ before))
            closed = [k for k in closed if D[k, 0] @ v < REST]
    raise AssertionError("too many events")


@pytest.fixture(scope="module")
def reference():
    """Period in s and fall in m of a cycle, speed of the beak's impact, once the motion repeats itself."""
    pecks = event_driven(1.5)
    cycles = np.diff(pecks[:, :2], axis=0)
    assert np.ptp(cycles[-3:, 0]) < 1e-6, cycles  # it repeats itself
    return cycles[-1, 0], -cycles[-1, 1], -pecks[-1, 2]


def cycle(step):
    """The same of the time stepping: means over the last six cycles."""
    run = moved(woodpecker(), ["sleeve.y", "beak.impacts", "beak.impact_velocity"], end=1.5, step=step, points=0)
    at = np.flatnonzero(np.diff(run["beak.impacts"]) > 0)[-7:]
    return (
        (run.time[at[-1]] - run.time[at[0]]) / 6.0,
        (run["sleeve.y"][at[0]] - run["sleeve.y"][at[-1]]) / 6.0,
        run["beak.impact_velocity"][-1],
    )


def test_the_cycles_period_and_fall_are_those_of_the_events(reference):
    period, fall, speed = cycle(2e-5)
    assert period == pytest.approx(reference[0], rel=1e-3)
    assert fall == pytest.approx(reference[1], rel=5e-3)
    assert speed == pytest.approx(reference[2], rel=5e-3)


def test_a_finer_step_comes_nearer(reference):
    coarse, fine = (abs(cycle(step)[0] - reference[0]) for step in (1e-4, 1e-5))
    assert fine < 0.2 * coarse


def test_energy_is_lost_only_in_the_contacts():
    """What weight gives in a cycle, contacts take; the drift of the balance is of the order of the step."""
    balance = [np.ptp(moved(woodpecker(), ["energy.balance"], end=0.5, step=h, points=51)["energy.balance"]) for h in (1e-4, 1e-5)]
    assert balance[1] < 0.2 * balance[0] and balance[0] < 0.01 * (TOY["mS"] + TOY["mM"]) * G * 0.0145 * 0.5 / 0.13
