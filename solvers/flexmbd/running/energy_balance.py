"""Whether the book of energy of a run closes: the balance at its end against that at its start (`flexmbd.outputs.energy_account`)."""

import numpy as np

OFF, SCALE, NEAREST, WHEN, ADDENDS = 7, 8, 9, 10, 11  # places in the counters of a run
ADDED, EACH = 2e3, 2.0  # times the tolerance: by which share of the energy books may be open, and more for each step
LEAST, MOST = 1e-9, 0.05  # shares that are always, and never, allowed
FIXED = 0.1  # share where steps do not follow the error
ROUNDING = 1e-13  # of what is added up
PASSED = 1e6  # nearness of rows that is a passage through a singular position


def damps(scheme):
    """Whether a scheme takes energy out of a motion by itself: what it takes is an entry of the book."""
    return scheme.setting in ("spectral_radius", "decay")


def allowed(model, settings, counters):
    """By how much books may be open, J; `counters` of one run or of several.

    The energy by which it is judged is what the largest velocities so far would make of all masses, as errors are judged by these, and
    what was passed on.
    """
    share = np.clip(settings.tolerance * (ADDED + EACH * counters[..., 0]), LEAST, MOST)
    if settings.fixed or not model.scheme.adaptive:
        share = FIXED
    return share * counters[..., SCALE] + ROUNDING * counters[..., ADDENDS]


def open_books(model, settings, counters):
    """Runs whose books do not close.

    Parameters
    ----------
    model : Model
    settings : Settings
    counters : ndarray (count, COUNTER_ROWS)

    Returns
    -------
    ndarray (count,) of bool
    """
    if model.unkept:
        return np.zeros(len(counters), bool)
    off, most = counters[:, OFF], allowed(model, settings, counters)
    return (off if damps(model.scheme) else np.abs(off)) > most


def told(model, settings, counters):
    """What to say of a run whose book does not close."""
    off, scale, nearest, when = (counters[k] for k in (OFF, SCALE, NEAREST, WHEN))
    most = allowed(model, settings, counters)
    what = "came from nothing" if off > 0 else "got lost"
    passage = f"; it passed a singular position at t = {when:.6g} s, where a small error decides" if nearest > PASSED else ""
    step = settings.fixed or not model.scheme.adaptive
    return (
        f"the book of energy does not close: at the end, t = {counters[4]:.6g} s, {abs(off):.3g} J of {scale:.3g} J {what} "
        f"(allowed: {most:.2g} J){passage}; take a smaller {'step' if step else 'tolerance'}"
    )


def noted(model, settings, counters, good):
    """Words on the books of a batch, by key of the attributes; `good` are the runs that went well."""
    if model.unkept:
        return {"energy.book": f"not kept: {model.unkept}"}
    off, scale = counters[good, OFF], np.maximum(counters[good, SCALE], 1e-300)
    if not off.size:
        return {}
    k = int(np.argmax(np.abs(off) / scale))
    found = {"energy.book": f"off by {abs(off[k]):.2g} of {scale[k]:.2g} J at most"}
    lost = np.maximum(-off, 0.0)
    if damps(model.scheme) and np.any(lost > allowed(model, settings, counters[good])):
        k = int(np.argmax(lost / scale))
        found["energy.numerical"] = f"'{model.scheme.name}' itself damped {lost[k]:.2g} of {scale[k]:.2g} J in one of the runs"
    return found


__all__ = ["allowed", "damps", "noted", "open_books", "told"]
