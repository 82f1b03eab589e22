"""Linearly implicit Runge-Kutta method of order 4 with an embedded one of order 3, for strongly damped joints (oil films).

A W-method (Steihaug and Wolfbrandt 1979, Math. Comput. 33, 521-534; Hairer and Wanner 1996, Solving ODEs II, IV.7): for ``y' = f(y)``
and any matrix J::

    (1 - gamma h J) k_i = h f(y0 + sum_j<i A_ij k_j) + h J sum_j<i (B - A)_ij k_j,     y1 = y0 + sum_i b_i k_i

A and B are the explicit and the implicit tableau of ARK4(3)6L[2]SA (Kennedy and Carpenter 2003, Appl. Numer. Math. 44, 139-181), B with
gamma = 1/4 on its diagonal below the first row of zeros.  They have the same nodes and weights, so conditions of order of a W-method,
in which an edge of a tree carries A or B as J is on its lower side or not, are among those of the additive pair: order 4 and 3 with any J
(`tests/flexmbd/test_rosenbrock.py` computes them all).  B is L-stable and its last row is b: at rates far above 1/h the velocities at a
step's end are those at which the damping carries the load, and positions follow as by the explicit tableau.

y is (q, v), f is (v, index-1 accelerations), J that of `equations.linearised` at the step's start: one matrix a step, made of F_q and
F_v.  With accelerations as stages, ``k_i = h (V_i, K_i)``, ``V_i = v0 + h sum_j B_ij K_j``, no stage velocities are kept, and with
``C = (B - A)/gamma`` below the diagonal no product with J is needed::

    K_i = (1 - gamma h J)^-1 [a_i + sum_j C_ij K_j | h sum_j (A + C B)_ij K_j] - sum_j C_ij K_j

The first stage is the acceleration at the end of the step before.  Where a rate is 1e9 1/s that has the rate times whatever velocities
are off by.  Handed on is ``K + (1 - gamma h J)^-1 (a - K)``, K the one combination of stages 2 to 6 that is the acceleration at the end
to third order with any J: as far from a as the order allows, and of a disturbance 0.29 is left after a step.

Further states (bristles, books) follow the explicit tableau, their rates linearised like accelerations.
"""

import numpy as np

from flexmbd.integrators.base import Slot
from flexmbd.integrators.explicit import runge_kutta
from flexmbd.lanes.rows import evaluate, ld, st
from flexmbd.equations.linearised import linearised_functions
from flexmbd.stepping.names import (
    CLOSES, END, STEP_SHARE, LAST, LINEARISE, MIDDLE, PROJECT, REFINE, RELAX, RELINEARISE, RESPOND, RHS, PREPARE_STAGE, SLOTS, STAGE, START,
    STRIDE, H, N,
)  # fmt: skip

RATE, CHANGE = 1, 2  # slots after the last one of the stages

GAMMA = 1 / 4
EXPLICIT = [
    [],
    [1 / 2],
    [13861 / 62500, 6889 / 62500],
    [-116923316275 / 2393684061468, -2731218467317 / 15368042101831, 9408046702089 / 11113171139209],
    [-451086348788 / 2902428689909, -2682348792572 / 7519795681897, 12662868775082 / 11960479115383, 3355817975965 / 11060851509271],
    [647845179188 / 3216320057751, 73281519250 / 8382639484533, 552539513391 / 3454668386233, 3354512671639 / 8306763924573, 4040 / 17871],
]
WEIGHTS = [82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, GAMMA]
EMBEDDED = [4586570599 / 29645900160, 0, 178811875 / 945068544, 814220225 / 1159782912, -3700637 / 11593932, 61727 / 225920]
IMPLICIT = [
    [],
    [1 / 4, GAMMA],
    [8611 / 62500, -1743 / 31250, GAMMA],
    [5012029 / 34652500, -654441 / 2922500, 174375 / 388108, GAMMA],
    [15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, GAMMA],
    WEIGHTS,
    [*WEIGHTS, 0],
]


def tableaux(explicit, implicit, weights, embedded, gamma):
    """Rows of the explicit tableau with the step's, weights of the error, and the numbers of the functions below."""
    rows, stages = [*explicit, weights], len(weights) + 1
    a, b = np.zeros((stages, stages)), np.zeros((stages, stages))
    for matrix, table in ((a, rows), (b, implicit)):
        for i, row in enumerate(table):
            matrix[i, : len(row)] = row
    # weights of the acceleration at the end: of 1, f'f, f''(f, f), and f'f'f with A and with B on the lower edge
    mixed, c = np.tril(b - a, -1) / gamma, a[:-1, :-1].sum(1)
    smooth = np.array([np.ones(stages - 1), c, c * c, a[:-1, :-1] @ c, b[:-1, :-1] @ c])[:, 1:]
    mixed[-1, 1:-1] = -np.linalg.solve(smooth, [1.0, 1.0, 1.0, 0.5, 0.5])
    error = [*np.subtract(weights, embedded), 0.0]
    return rows, error, {"AA": a @ b, "GAMMA": gamma, "MIXED": mixed, "LIFTED": a + mixed @ b}


ROWS, ERROR, CONSTANTS = tableaux(EXPLICIT, IMPLICIT, WEIGHTS, EMBEDDED, GAMMA)
MIXED, LIFTED = CONSTANTS["MIXED"], CONSTANTS["LIFTED"]


def prepare_stage(X, P, W, at):
    """Close the rows at the step's end, by the least motion of masses and dampers.

    Steps are so long that rows open by more than the gap within which events are located: closed by the loop after the step, a contact
    found free at its end could penetrate.  Corrections by the masses alone would push velocities off what the damping allows.
    """
    if at[CLOSES] > 0 and at[STAGE] == at[LAST]:
        n, end, last = at[N], at[END] + 1, at[SLOTS] + at[LAST] * at[STRIDE]
        rate, change = last + RATE * at[STRIDE], last + CHANGE * at[STRIDE]
        evaluate(at[PROJECT], X, P, W, at, at[END], 0)
        for i in range(n):
            st(X, change + i, ld(W, i))
            st(X, rate + i, ld(W, n + i))
            st(X, end + i, ld(X, end + i) + ld(W, i))
        st(X, STEP_SHARE, GAMMA * ld(X, H))
        evaluate(at[RESPOND], X, P, W, at, at[END], rate)
        for i in range(n):
            st(X, end + n + i, ld(X, end + n + i) + ld(W, i))


def relax(X, P, W, at):
    """A stage of the W-method from its index-1 accelerations; those of the step's end without what the damping will take back at once."""
    n, j, stride, first = at[N], at[STAGE], at[STRIDE], at[SLOTS]
    last, here, h = first + at[LAST] * stride, first + j * stride, ld(X, H)
    rate, change = last + RATE * stride, last + CHANGE * stride
    st(X, STEP_SHARE, GAMMA * h)
    if j == 1:
        evaluate(at[LINEARISE], X, P, W, at, START, 0)
    for i in range(n):
        r, e = ld(X, here + i), 0.0 * h
        for k in range(j):
            x = ld(X, first + k * stride + i)
            r = r + MIXED[j, k] * x
            if j < at[LAST]:
                e = e + LIFTED[j, k] * x
        st(X, rate + i, r)
        st(X, change + i, h * e)
    to = here
    if j == at[LAST]:
        to = rate
    evaluate(at[RESPOND], X, P, W, at, START, to)
    for i in range(n):
        r = ld(W, i)
        for k in range(j):
            r = r - MIXED[j, k] * ld(X, first + k * stride + i)
        st(X, here + i, r)


def relinearise(X, P, W, at):
    """J at the point `START`."""
    st(X, STEP_SHARE, GAMMA * ld(X, H))
    evaluate(at[LINEARISE], X, P, W, at, START, 0)


def refine(X, P, W, at):
    """Give velocities of the point `MIDDLE` what the damping takes of them at the accelerations of the interpolation, in W from row N on.

    Forces are rates of 1e9 1/s times velocities: those of an interpolation alone would be off by as much.
    """
    n, last, v = at[N], at[SLOTS] + at[LAST] * at[STRIDE], at[MIDDLE] + 1 + at[N]
    rate, change = last + RATE * at[STRIDE], last + CHANGE * at[STRIDE]
    st(X, STEP_SHARE, GAMMA * ld(X, H))
    for _ in range(2):  # J also moves places, by h times what velocities change: once leaves some thousandths
        evaluate(at[RHS], X, P, W, at, at[MIDDLE], rate)
        for i in range(n):
            st(X, rate + i, GAMMA * ld(X, H) * (ld(X, rate + i) - ld(W, n + i)))
            st(X, change + i, 0.0)
        evaluate(at[RESPOND], X, P, W, at, at[MIDDLE], rate)
        for i in range(n):
            st(X, v + i, ld(X, v + i) + ld(W, i))


ROSENBROCK = runge_kutta(
    "rosenbrock", 4, ROWS, ERROR, places=CONSTANTS["AA"], generated=linearised_functions,
    first=1e-9,  # within a longer step strong damping catches the motion, unseen
    reads={"e": ("change", ""), "r": ("rate", ""), "f": ("kept", ""), "d": ("y", "rates")},
    functions={PREPARE_STAGE: prepare_stage, RELAX: relax, RELINEARISE: relinearise, REFINE: refine},
    slots=(Slot("rate", "velocities or accelerations to be given what damping takes"), Slot("change", "changes of places")),
)  # fmt: skip
