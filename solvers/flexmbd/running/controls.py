"""Inputs that change during a motion: which may, and what becomes of a state."""

import numpy as np

from flexmbd.errors import ModelError, check_number
from flexmbd.registry import CONTACT_ROWS
from flexmbd.running.outcome import penetrating
from flexmbd.running.scales import extents
from flexmbd.space import lengths
from flexmbd.stepping.changed import enter, leave
from flexmbd.stepping.names import VELOCITY_SCALE
from flexmbd.suggest import unknown

REMEDY = "change forces, stiffnesses, masses or laws; let a motion of time move what constraints hold"
JUMPS = ("positions", "m"), ("angles", "(directions)"), ("velocities", "m/s"), ("rates", "1/s")


def changed_samples(state, inputs):
    """Samples of a state with other inputs.

    Raises
    ------
    ModelError
        For an input that the model does not have, or values that are not one number for each sample.
    """
    count, samples = len(state.values), dict(state.samples)
    for name, value in inputs.items():
        if name not in samples:
            raise unknown("input", name, samples)
        value = np.atleast_1d(check_number("simulation", name, value))
        if len(value) not in (1, count):
            raise ModelError(f"input '{name}' has {len(value)} values; the state has {count} samples")
        samples[name] = np.broadcast_to(value, len(samples[name])).copy()
    return samples


def go_over(before, after, state, inputs):
    """Values of a state with the numbers of `after`.

    Parameters
    ----------
    before, after : Integration
        With the numbers of the state, and with the new ones.
    state : State
    inputs : collection of str
        Those that change, for what is said.

    Raises
    ------
    ModelError
        If the model would be another one, positions or velocities would have to jump, or a contact would open or close.
    """
    told = f"input{'s' * (len(inputs) > 1)} {', '.join(map(repr, inputs))}"
    if after.model.topology != before.model.topology:
        raise ModelError(f"{told} changes what the system consists of, which a motion cannot", remedy=REMEDY)
    length, away = extents(after.system, after.count), lengths(after.system, after.count)
    before.states[:] = state.values
    before.call(leave)
    after.states[:] = before.states
    was = _touching(after)
    after.call(enter)
    speed = after.column(VELOCITY_SCALE)[:, 0] + 1e-300
    sizes = (1e-9 * length + 1e-14 * away, 1e-9, 1e-9 * speed, 1e-9 * speed / length)
    for k, ((what, unit), most) in enumerate(zip(JUMPS, sizes, strict=True)):
        jump = after.residuals[:, k] - 2.0 * before.residuals[:, k]
        if not np.all(jump <= most):
            i = int(np.argmax(np.where(np.isfinite(jump), jump - most, np.inf)))
            off = after.residuals[i, k]
            raise ModelError(f"{told} of sample {i}: {what} would have to jump by {off:.3g} {unit} at once", remedy=REMEDY)
    words = penetrating(after, length, float(state.time[0]))
    if any(words):
        i = next(i for i, said in enumerate(words) if said)
        raise ModelError(f"{told} of sample {i}: {words[i]}", remedy=REMEDY)
    for j, (contact, (modes, gaps)) in enumerate(zip(after.model.problem.contacts, was, strict=True)):
        depth = _gap(after, j)
        other = (modes > 0.5) & (depth < np.minimum(gaps, 0.0)) | (modes < 0.5) & (depth > np.maximum(gaps, 0.0))
        if other.any():
            i = int(np.flatnonzero(other)[0])
            happens = "opens" if modes[i] > 0.5 else "closes"
            raise ModelError(f"{told} of sample {i}: contact '{contact.name}' {happens} at once, by {abs(depth[i]):.3g} m", remedy=REMEDY)
    return after.states.copy()


def _touching(made):
    """Of each contact its modes and penetrations."""
    first = made.model.layout.sizes["CONTACTS"]
    return [made.column(first + CONTACT_ROWS * j, 3).T[[0, 2]].copy() for j in range(len(made.model.problem.contacts))]


def _gap(made, j):
    """Penetrations of contact j by the new numbers."""
    sizes = made.model.layout.sizes
    return made.column(sizes["SLOTS"] + sizes["GAPS"] + 2 * j)[:, 0]
