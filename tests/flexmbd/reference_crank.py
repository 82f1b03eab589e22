"""Flores' slider-crank with a dry clearance joint, written once more: minimal coordinates, scipy, located events.

Shares nothing with flexmbd: state (rod angle, slider position, their rates), crank angle prescribed, DOP853 between the times at
which contact begins and ends, which are polished by Newton steps of the integration itself.
"""

import numpy as np
from scipy.integrate import solve_ivp

CRANK, ROD, RADIUS = 0.05, 0.12, 10e-3
M2, I2, M3 = 0.21, 2.5e-4, 0.14
SPEED = 5000 * 2 * np.pi / 60
STIFFNESS = 6.6101983979e10  # N/m^1.5


class Crank:
    """One set of numbers; Lankarani-Nikravesh with each impact's own velocity, friction after Ambrosio."""

    def __init__(self, clearance=0.5e-3, restitution=0.9, mu=0.0, v0=1e-3, v1=1e-2, stiffness=STIFFNESS):
        self.clearance, self.factor, self.mu, self.v0, self.v1 = clearance, 0.75 * (1.0 - restitution**2), mu, v0, v1
        self.stiffness, self.approach = stiffness, None

    def joint(self, t, y):
        """Penetration, its rate, outward normal, journal's lever, journal's velocity against the bearing."""
        phi, x, w, v = y
        theta = SPEED * t
        lever = ROD * np.array([np.cos(phi), np.sin(phi)])
        swing = np.array([-lever[1], lever[0]])
        journal = CRANK * np.array([np.cos(theta), np.sin(theta)]) + lever
        speed = SPEED * CRANK * np.array([-np.sin(theta), np.cos(theta)]) + w * swing - np.array([v, 0.0])
        e = journal - np.array([x, 0.0])
        r = max(np.hypot(*e), 1e-12)
        out = e / r
        return r - self.clearance, speed @ out, out, swing, speed, r

    def rates(self, t, y, contact):
        """Right-hand side, in contact or free."""
        phi, _, w, v = y
        theta = SPEED * t
        delta, rate, out, swing, speed, r = self.joint(t, y)
        force, moment = np.zeros(2), 0.0  # on the journal, about its centre
        if contact and delta > 0:
            normal = max(self.stiffness * delta**1.5 * (1.0 + self.factor * rate / self.approach), 0.0)
            along = np.array([-out[1], out[0]])
            arm = RADIUS - r  # from the journal's centre outwards to the bearing's surface
            slip = speed @ along + w * arm
            share = np.clip((abs(slip) - self.v0) / (self.v1 - self.v0), 0.0, 1.0) * np.sign(slip)
            friction = -self.mu * normal * share
            force = -normal * out + friction * along
            moment = friction * arm
        drive = -(SPEED**2) * CRANK * np.array([np.cos(theta), np.sin(theta)])  # of the crank pin
        inertia = I2 + M2 * (ROD / 2) ** 2
        return [w, v, (force @ swing + moment - 0.5 * M2 * drive @ swing) / inertia, -force[0] / M3]

    def start(self):
        """Journal at the centre, velocities of the ideal mechanism, crank along the slider's axis."""
        return np.array([0.0, CRANK + ROD, -SPEED * CRANK / ROD, 0.0])

    def advance(self, t0, t1, y, contact):
        """State after a stretch of time without event."""
        if t1 == t0:
            return y
        run = solve_ivp(self.rates, (t0, t1), y, "DOP853", args=(contact,), rtol=1e-13, atol=1e-15)
        return run.y[:, -1]

    def run(self, times):
        """States at `times` (4, n), and list of (event time, begins?)."""
        t, y, contact, events, states = 0.0, self.start(), False, [], []
        times = list(times)
        while times:

            def gap(t, y, contact):
                return self.joint(t, y)[0]

            gap.terminal, gap.direction = True, -1.0 if contact else 1.0
            largest = 2e-6 if contact else 2e-5
            run = solve_ivp(self.rates, (t, times[-1]), y, "DOP853", args=(contact,), rtol=1e-13, atol=1e-15, events=gap, max_step=largest)
            until = run.t[-1]
            if run.status == 1:
                for _ in range(3):
                    state = self.advance(t, until, y, contact)
                    delta, rate = self.joint(until, state)[:2]
                    until -= delta / rate
            while times and times[0] <= until:
                states.append(self.advance(t, times.pop(0), y, contact))
            if run.status != 1:
                break
            y, t = self.advance(t, until, y, contact), until
            contact = not contact
            self.approach = self.joint(t, y)[1] if contact else None
            events.append((t, contact))
        return np.array(states).T, events
