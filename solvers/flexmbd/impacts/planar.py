"""Planar impact with friction at one contact, in closed form. Stands alone: no model uses it.

Routh's graph: with the normal percussion as the independent variable the velocity is piecewise linear
(Keller 1986, J. Appl. Mech. 53, 1-4; Stronge 1990, Proc. R. Soc. A 431, 169-181).
"""

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.impacts.result import Impact, Phase, check_contact, check_delassus, energy_change

NEVER = 1e-300  # of the slip, kg/(N s): its rate is so small that it does not end


def rays(w, slip, friction, static_friction):
    """The phases of Routh's graph: list of (kind, ratio, length).

    `ratio` is tangential over normal percussion, `length` N s of normal percussion (infinite for the last phase).
    """
    found = []
    if slip:
        ratio = -friction * np.sign(slip)
        rate = w[0, 1] + w[1, 1] * ratio
        if np.sign(slip) * rate >= 0.0 or abs(rate) <= NEVER * abs(slip):
            return [("slip", ratio, np.inf)]
        found.append(("slip", ratio, -slip / rate))
    if abs(w[0, 1]) <= static_friction * w[1, 1]:
        return [*found, ("stick", -w[0, 1] / w[1, 1] if w[1, 1] else 0.0, np.inf)]
    return [*found, ("slip", -friction * np.sign(w[0, 1]), np.inf)]


def planar_impact(delassus, velocity, friction, restitution, rule="energetic", *, static_friction=None, conserving=False):
    """Impact at one planar contact, normal first, positive when separating.

    Parameters
    ----------
    delassus : (2, 2) 1/kg, inverse inertia at the contact.
    velocity : (2,) m/s, relative velocity before.  Separating bodies do not collide: it comes back unchanged, without phases.
    friction, static_friction : Coulomb coefficients; the static one, equal to the kinetic one if not given, says when slip can end.
    restitution : in [0, 1]; of the normal velocity ("newton"), percussion ("poisson"), or, squared, work ("energetic").
    conserving : refuse an outcome with more kinetic energy than before.

    Returns
    -------
    Impact

    Raises
    ------
    ModelError : bad arguments; a wedged contact; with `conserving`, a rule that created energy.

    With ``w_nn - friction |w_nt| < 0`` while slipping (jamming, Painleve) the normal velocity first falls; slip then ends within a finite
    percussion and the contact sticks, so the end of compression is always reached.

    Examples
    --------
    >>> import numpy as np
    >>> from flexmbd.impacts import planar_impact
    >>> ball = np.diag([1.0, 3.5])  # 1/kg, a ball of 1 kg at its contact
    >>> planar_impact(ball, (-2.0, 1.0), friction=0.2, restitution=0.5).velocity.round(6).tolist()  # m/s, after
    [1.0, 0.0]
    """
    w = check_delassus(delassus, 2)
    friction, static_friction = check_contact(friction, static_friction, restitution, rule)
    u = np.asarray(velocity, float)
    if u.shape != (2,) or not np.all(np.isfinite(u)):
        raise ModelError(f"velocity is {velocity!r}", element="impact", remedy="give two finite numbers, normal and tangential")
    if u[0] > 0.0:
        return Impact(u.copy(), np.zeros(2), 0.0, (), 0.0, 0.0, 0.0, 0.0)
    now, percussion, compression, start = u.copy(), np.zeros(2), None, u[0]
    work, phases = [0.0, 0.0], []
    for kind, ratio, length in rays(w, u[1], friction, static_friction):
        step = np.array([1.0, ratio])
        rate, used, done = w @ step, 0.0, False
        if length == np.inf and not rate[0] > 1e-12 * w[0, 0]:
            raise ModelError("the contact is wedged: no percussion changes its normal velocity", remedy="give a regular Delassus matrix")
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
    outcome = Impact(now, percussion, float(compression), tuple(phases), work[0], work[1], change - sum(work), change)
    if conserving and outcome.creates_energy:
        raise ModelError(f"restitution by rule '{rule}' creates {change:g} J in this impact", remedy="use rule='energetic'")
    return outcome


def _restitution(rule, restitution, start, speed, rate, percussion, compression, work):
    """Normal percussion still to come in restitution, N s, if the phase does not end before."""
    if rule == "poisson":
        return max((1.0 + restitution) * compression - percussion, 0.0)
    if rule == "newton":
        return max(-restitution * start - speed, 0.0) / rate
    left = max(-(restitution**2) * work[0] - work[1], 0.0)
    return (np.sqrt(speed**2 + 2.0 * rate * left) - speed) / rate
