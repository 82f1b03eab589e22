#!/usr/bin/env python
"""Lyapunov spectrum of the clearance slider-crank: by the tangent of its section map, against finite differences of runs in Python.

The crank of `studies/slider_crank_clearance` at 5000 rpm, clearance 0.5 mm, with the law of Lankarani and Nikravesh, friction, and
impacts: the map over a turn, its Jacobian by the variational equations (`flexmbd.section_map`), and after each turn a QR decomposition.
Against it the same equations by numpy (`flexmbd.Equations`), integrated by scipy's DOP853 with onsets and ends of contact as events, at the
same tolerance: a run from the state and one from each neighbour, by each coordinate. Seconds of CPU of a turn; only one turn is done
in Python. Both begin in the same state, behind ten turns; by how much their ends differ is noted, and the largest growth by both Jacobians.

Target: at least 100. Prediction (made before measuring): 200. An evaluation of the accelerations takes numpy half a millisecond and machine
code two microseconds; the tangent of five coordinates costs what six evaluations do, as six runs do in Python.

    python benchmarks/spectrum.py [--quick]
"""

import argparse
import time

from _common import crank_model, report, short

TURNS, BEFORE = 40, 10
SHIFT = (1e-7, 1e-9, 1e-2, 1e-5)  # of neighbours, by each coordinate


def crank(**given):
    """The mechanism, its impacts damped as the law says."""
    return crank_model().slider_crank(**given, calibrated=True)


class InPython:
    """A turn of the crank by numpy and scipy."""

    def __init__(self, period, tolerance):
        import flexmbd as fm

        self.e, self.period = fm.Equations(crank()), period
        self.accuracy = {"rtol": tolerance, "atol": 1e-2 * tolerance, "max_step": period / 20}
        self.contact = self.e.problem.contacts[0]
        self.depth = self.e.program([self.contact.penetration, self.contact.rate])

    def closed(self, q, v, fixed):
        """Coordinates and velocities that satisfy the rows, those in `fixed` kept."""
        import numpy as np

        bound = np.setdiff1d(np.arange(len(q)), fixed)
        for _ in range(20):
            q[bound] -= np.linalg.solve(self.e.jacobian(q).toarray()[:, bound], self.e.constraints(q))
        G = self.e.jacobian(q).toarray()
        v[bound] -= np.linalg.solve(G[:, bound], G @ v + self.e.constraints_rate(q))
        return np.concatenate([q, v])

    def turn(self, y, speed):
        """State after a turn from y, in contact if `speed` is the approach speed of its onset, else 0; and that at the end."""
        import numpy as np
        from scipy.integrate import solve_ivp

        n, t, mode = self.e.n, 0.0, float(speed > 0.0)

        def values(t, y):
            return self.e.at(y[:n], y[n:], t) | {"mode": [mode], "impact_velocity": [speed]}

        def rates(t, y):
            found = values(t, y)
            self.e.solve(found)
            return np.concatenate([y[n:], found["a"]])

        def gap(t, y):
            return float(self.depth(values(t, y))[0])

        gap.terminal = True
        while t < self.period:
            gap.direction = -1.0 if mode else 1.0
            done = solve_ivp(rates, (t, self.period), y, "DOP853", events=gap, **self.accuracy)
            t, y = done.t[-1], done.y[:, -1]
            if done.status == 1:
                mode = 1.0 - mode
                speed = max(float(self.depth(values(t, y))[1]), 1e-3) if mode else speed
        return y, speed


def main():
    """Measure and report."""
    import numpy as np

    import flexmbd as fm

    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="few turns at a coarse tolerance, to see that it works")
    turns, tolerance = (3, 1e-4) if parser.parse_args().quick else (TURNS, 1e-8)
    period = 60.0 / 5000.0
    section = fm.section_map(crank, period, memory=True, tolerance=tolerance)
    state = section.start
    for _ in range(BEFORE):
        state = section.tangent(state, {})[0]
    first, directions, logs = state, np.eye(state.shape[1]), np.zeros(4)
    began = time.process_time()
    for _ in range(turns):
        state, by_state, _ = section.tangent(state, {})
        directions, upper = np.linalg.qr(by_state[0] @ directions)
        logs += np.log(np.maximum(np.abs(np.diag(upper))[:4], 1e-300))
    ours = (time.process_time() - began) / turns

    plain, n = InPython(period, tolerance), len(section.names) // 2
    free = [plain.e.coordinates.index(name.replace(".x", "[0]")) for name in section.names[:n]]
    began = time.process_time()
    ends = []
    for j in range(-1, len(SHIFT)):
        x = first[0].copy()
        x[j] += SHIFT[j] if j >= 0 else 0.0
        q, v = (part.copy() for part in plain.e.initial())
        q[free], v[free] = x[:n], x[n : 2 * n]
        y, _ = plain.turn(plain.closed(q, v, free), x[-1] * (x[-1] > 0.0))
        ends.append(np.concatenate([y[: plain.e.n][free], y[plain.e.n :][free]]))
    theirs = time.process_time() - began
    differences = np.array([(end - ends[0]) / shift for end, shift in zip(ends[1:], SHIFT, strict=True)]).T
    own = section.tangent(first, {})
    report(
        "spectrum", theirs / ours, 100.0, ours, theirs, "s of CPU a turn; at least target",
        {"turns": turns, "exponents_per_second": [short(x / turns / period) for x in logs],
         "point_differs": short(np.abs(own[0][0, : 2 * n] - ends[0]).max()),
         "largest_growth": [short(np.linalg.norm(x, 2)) for x in (own[1][0, :4, :4], differences)]},
    )  # fmt: skip


if __name__ == "__main__":
    main()
