"""Film and liner in turn: the film for a given deflection, the deflection for its pressure, with damping (fixed point)."""

from dataclasses import replace

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.lubrication.elastic.strong import solve_strong


def solve_weak(path, w, y, *, relaxation, turns, grows=True, tolerance=1e-11, start=None):
    """(`FilmState`, changes of the deflection by turn over the gap, turns) of the equations ``path(1)``.

    Parameters
    ----------
    path, w, y, grows : as for `solve_strong`.
    relaxation : float
        Share of the new deflection that is taken, above 0 to 1.
    turns : int
        At most.
    start : (n, m) ndarray, optional
        Deflection to begin with, m.

    Raises
    ------
    ModelError : it diverges or does not end.
    """
    whole = path(1.0)
    unit = float(np.mean(whole.gap))
    deflection = np.zeros_like(w) if start is None else start
    changes = []

    def stop(words):
        raise ModelError(
            f"elastic bearing: the weak coupling {words} (relaxation {relaxation:g})",
            remedy="use another relaxation or more turns, or coupling 'strong'",
        )

    while True:
        held = deflection

        def rigid(fraction, held=held):
            equations = path(fraction)
            return replace(equations, compliance=None, gap=equations.gap + held)

        try:
            state, _, _ = solve_strong(rigid, w, y, grows=grows and not changes, tolerance=tolerance)
        except ModelError as failed:
            stop(f"diverges at turn {len(changes) + 1}: {failed.message}")
        w, y = state.w, state.y
        pushed = whole.compliance.deflection(state.pressure)
        changes.append(float(np.max(np.abs(pushed - deflection))) / unit)
        if changes[-1] <= 10.0 * tolerance:
            return whole.state(w, y), changes, len(changes)
        if changes[-1] > 1e3 * max(1.0, changes[0]):
            stop(f"diverges: the deflection of turn {len(changes)} is wrong by {changes[-1]:.1e} of the gap")
        if len(changes) == turns:
            stop(f"has not converged in {turns} turns: the deflection still changes by {changes[-1]:.1e} of the gap")
        deflection = deflection + relaxation * (pushed - deflection)
