"""Planar impact with friction at one contact, in closed form.

Routh's graph: with the normal percussion as the independent variable the velocity is piecewise linear
(Keller 1986, J. Appl. Mech. 53, 1-4; Stronge 1990, Proc. R. Soc. A 431, 169-181).
"""

import numpy as np

from flexmbd.impacts.result import Impact, Phase, energy_change


def rays(w, slip, friction, static_friction):
    """The phases of Routh's graph: list of (kind, ratio, length).

    `ratio` is tangential over normal percussion, `length` N s of normal percussion (infinite for the last phase).
    """
    found = []
    if slip:
        ratio = -friction * np.sign(slip)
        rate = w[0, 1] + w[1, 1] * ratio
        if slip * rate >= 0.0:
            return [("slip", ratio, np.inf)]
        found.append(("slip", ratio, -slip / rate))
    if abs(w[0, 1]) <= static_friction * w[1, 1]:
        return [*found, ("stick", -w[0, 1] / w[1, 1] if w[1, 1] else 0.0, np.inf)]
    return [*found, ("slip", -friction * np.sign(w[0, 1]), np.inf)]


def planar_impact(w, u, friction, static_friction, restitution, rule):
    """Impact at one planar contact; arguments as checked by `impact`.

    With ``w_nn - friction |w_nt| < 0`` while slipping (jamming, Painleve) the normal velocity first falls; slip then ends within a finite
    percussion and the contact sticks, so the end of compression is always reached.
    """
    now, percussion, compression, start = u.copy(), np.zeros(2), None, u[0]
    work, phases = [0.0, 0.0], []
    for kind, ratio, length in rays(w, u[1], friction, static_friction):
        step = np.array([1.0, ratio])
        rate, used, done = w @ step, 0.0, False
        if compression is None:
            need = -now[0] / rate[0] if rate[0] > 0.0 else np.inf
            used = min(need, length)
            work[0] += used * (now[0] + 0.5 * used * rate[0])
            if need <= length:
                compression = percussion[0] + used
        if compression is not None:
            first = now[0] + used * rate[0] if used == 0.0 else 0.0
            more = _restitution(rule, restitution, start, first, rate[0], percussion[0] + used, compression, work)
            done = used + more <= length
            more = min(more, length - used)
            work[1] += more * (first + 0.5 * more * rate[0])
            used += more
        percussion, now = percussion + used * step, now + used * rate
        if kind == "stick" or (used == length and not done):
            now[1] = 0.0
        phases.append(Phase(kind, used * step, now))
        if done:
            break
    change = energy_change(u, now, percussion)
    return Impact(now, percussion, compression, tuple(phases), work[0], work[1], change - sum(work), change)


def _restitution(rule, restitution, start, speed, rate, percussion, compression, work):
    """Normal percussion still to come in restitution, N s, if the phase does not end before."""
    if rule == "poisson":
        return max((1.0 + restitution) * compression - percussion, 0.0)
    if rule == "newton":
        return max(-restitution * start - speed, 0.0) / rate
    left = max(-(restitution**2) * work[0] - work[1], 0.0)
    return (np.sqrt(speed**2 + 2.0 * rate * left) - speed) / rate
