"""Spectra of Lyapunov exponents of maps of scalar formulas, in machine code: the orbits one after the other, each with its directions.

The same as `uqmbd.analysis.dynamics.exponents.spectrum`, with complex steps and Gram and Schmidt's method in one loop. Numbers of a chaotic
orbit differ from those of the arrays by rounding that grows; they do not depend on what else is in a batch.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics.exponents import BLOCKS, Exponents, averaged
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.errors import StudyError

_TINY = 1e-30  # imaginary step
_AGAIN = 1e-2  # a direction that is shorter than this share after the projections is projected once more


def stepping(base: FunctionMap, parameters: Sequence[str]) -> Any:
    """The map in machine code, ``step(state, parameters, result)``, of arrays (d,), (p,), (d,).

    Raises
    ------
    StudyError
        When Numba cannot compile its function, or it returns no tuple of its coordinates.
    """
    import numba

    taken = list(inspect.signature(base.function).parameters)
    unknown = [name for name in taken if name not in (*base.names, *parameters)]
    if unknown:
        raise StudyError(f"the map has an argument '{unknown[0]}', which is no input and not in 'fixed'", key="solver.fixed")
    places = [f"s[{base.names.index(name)}]" if name in base.names else f"p[{list(parameters).index(name)}]" for name in taken]
    lines = [f"    found = f({', '.join(places)})"]
    lines += [f"    out[{k}] = found[{k}]" for k in range(len(base.names))]
    scope: dict[str, Any] = {"f": numba.njit(base.function, error_model="numpy")}
    tries = [lines] if len(base.names) > 1 else [[lines[0], "    out[0] = found"], lines]
    why = ""
    for body in tries:
        exec("\n".join(["def step(s, p, out):", *body]), scope)
        step: Any = numba.njit(scope["step"], error_model="numpy")
        try:
            step(np.full(len(base.names), 0.1 + 0j), np.full(len(parameters), 0.1), np.empty(len(base.names), complex))
        except Exception as error:  # Numba has several of its own, and the function may raise what it likes
            why = (str(error).strip() or type(error).__name__).splitlines()[0]  # one may have no words
        else:
            return step
    remedy = "leave compiled out, or write the map with formulas of numbers that return a tuple"
    raise StudyError(f"the map cannot be compiled ({why})", key="solver.compiled", remedy=remedy)


def compiled_spectrum(
    step: Any, states: np.ndarray, parameters: Mapping[str, np.ndarray], period: float | None, *, steps: int = 4096, transient: int = 512
) -> Exponents:
    """All exponents of the map that `stepping` has compiled with these parameters, in their order; see `exponents.spectrum`."""
    (n, d), length = states.shape, -(-steps // BLOCKS)
    given = np.column_stack([np.broadcast_to(np.asarray(value, float), n) for value in parameters.values()] or [np.empty((n, 0))])
    sums, lost, end = np.zeros((BLOCKS, n, d)), np.full(n, -1), np.array(states, np.float64)
    _loop()(step, np.ascontiguousarray(given), transient, length, sums, lost, end)
    sums[:, lost >= 0] = np.nan
    end[lost >= 0] = np.nan
    return averaged((sums / length, lost, end), period, steps)


_KEPT: dict[str, Any] = {}


def _loop() -> Any:
    """The loop over orbits in machine code, made once in a process."""
    if "loop" not in _KEPT:
        import numba

        turned = numba.njit(_turned(numba.njit(_projected)), error_model="numpy")
        _KEPT["loop"] = numba.njit(_written(turned), error_model="numpy")
    return _KEPT["loop"]


def _projected(moved: np.ndarray, k: int) -> float:
    """Take what row k of `moved` (d, d) has of the rows before it away; the length of what is left."""
    d, square = len(moved), 0.0
    for j in range(k):
        along = 0.0
        for r in range(d):
            along += moved[j, r] * moved[k, r]
        for r in range(d):
            moved[k, r] -= along * moved[j, r]
    for r in range(d):
        square += moved[k, r] * moved[k, r]
    return math.sqrt(square)


def _turned(projected: Any) -> Any:
    """Of `projected` in machine code: makes the rows of (d, d) orthonormal, adds logarithms of what each adds to those before it."""

    def turned(moved, grown):
        d = len(moved)
        for k in range(d):
            before = 0.0
            for r in range(d):
                before += moved[k, r] * moved[k, r]
            left = projected(moved, k)
            if left <= _AGAIN * math.sqrt(before):
                left = projected(moved, k)
            grown[k] = math.log(left) if left > 0.0 else -math.inf
            axis = 0
            while not left > 0.0 and axis < d:  # a direction that vanished: any other that is orthogonal
                for r in range(d):
                    moved[k, r] = 1.0 if r == axis else 0.0
                left = projected(moved, k)
                if left < 1e-3:
                    left = 0.0
                axis += 1
            for r in range(d):
                moved[k, r] /= left

    return turned


def _written(turned: Any) -> Any:
    """The loop, of `turned` in machine code."""

    def loop(step, parameters, transient, length, sums, lost, end):
        n, d = end.shape
        for i in range(n):
            x, directions, moved = end[i].copy(), np.eye(d), np.empty((d, d))
            z, image, slope, grown = np.empty(d, np.complex128), np.empty(d, np.complex128), np.empty((d, d)), np.zeros(d)
            for k in range(transient + BLOCKS * length):
                fine = True
                for c in range(d):
                    for r in range(d):
                        z[r] = x[r]
                    z[c] += 1j * _TINY
                    step(z, parameters[i], image)
                    for r in range(d):
                        slope[r, c] = image[r].imag / _TINY
                        fine &= math.isfinite(slope[r, c])
                for r in range(d):
                    x[r] = image[r].real
                    fine &= math.isfinite(x[r])
                if not fine:
                    lost[i] = k
                    break
                for c in range(d):
                    for r in range(d):
                        moved[c, r] = 0.0
                        for q in range(d):
                            moved[c, r] += slope[r, q] * directions[c, q]
                turned(moved, grown)
                for c in range(d):
                    for r in range(d):
                        directions[c, r] = moved[c, r]
                    if k >= transient:
                        sums[(k - transient) // length, i, c] += grown[c]
            for r in range(d):
                end[i, r] = x[r]

    return loop
