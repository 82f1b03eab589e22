"""Long curves as a screen can show them: of each stretch the least and the greatest value, and gaps where there are gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from uqmbd.figures.marks import Band, Curve, Dots, Figure, Mark, Panel

STRETCHES = 1500  # more than a screen has pixels across a figure
LONG = 4 * STRETCHES  # points: what has no more is drawn as it is
DOTS = 40_000  # points
SPANS = 300  # not trusted: what lies closer together than a pixel is one


def thinned(figure: Figure) -> Figure:
    """The figure with its long curves and bands reduced to what can be told apart; others are the same."""
    panels = tuple(replace(panel, marks=tuple(map(thinned_mark, panel.marks)), shades=merged(panel)) for panel in figure.panels)
    return replace(figure, panels=panels)


def thinned_mark(mark: Mark) -> Mark:
    """A mark with fewer points, if it is very many dots, or a long curve or band over ascending values."""
    if isinstance(mark, Dots):
        return fewer(mark)
    if not isinstance(mark, (Curve, Band)) or len(mark.x) <= LONG or (np.diff(mark.x) < 0).any() or np.isnan(mark.x).any():
        return mark
    if isinstance(mark, Curve):
        at = extremes(mark.y, STRETCHES)
        return replace(mark, x=mark.x[at], y=mark.y[at])
    at = np.union1d(extremes(mark.lower, STRETCHES), extremes(mark.upper, STRETCHES))
    return replace(mark, x=mark.x[at], lower=mark.lower[at], upper=mark.upper[at])


def fewer(mark: Dots) -> Dots:
    """Dots with one in each cell of a picture that is as fine as leaves no more than `DOTS` of them."""
    up = 500
    thin = mark.thinned(STRETCHES, up) if len(mark.x) > DOTS else mark
    while len(thin.x) > DOTS and up > 1:
        up = int(0.8 * up)
        thin = mark.thinned(STRETCHES, up)
    return thin


def extremes(values: np.ndarray, stretches: int) -> np.ndarray:
    """Positions, ascending, of the first and the last of values (points,), of the least and the greatest of each stretch, and of one gap.

    A gap is NaN, or infinite.
    """
    edges = np.linspace(0, len(values), stretches + 1).astype(int)
    starts, length = edges[:-1], int(np.diff(edges).max())
    table = np.minimum(starts[:, None] + np.arange(length), edges[1:, None] - 1)  # the last one of a shorter stretch twice
    known, row = np.isfinite(values[table]), np.arange(stretches)
    kept = [np.array([0, len(values) - 1])]
    for sign in (1.0, -1.0):
        column = np.where(known, sign * values[table], np.inf).argmin(axis=1)
        kept.append(table[row, column][known[row, column]])
    gaps = (~known).argmax(axis=1)
    kept.append(table[row, gaps][~known[row, gaps]])
    return np.unique(np.concatenate(kept))


def merged(panel: Panel) -> tuple[tuple[float, float], ...]:
    """The spans of a panel that are not trusted, those together that lie closer to each other than can be seen."""
    spans = panel.shades
    if len(spans) <= SPANS:
        return spans
    least = (spans[-1][1] - spans[0][0]) / STRETCHES
    together = [spans[0]]
    for begin, end in spans[1:]:
        if begin - together[-1][1] < least:
            together[-1] = (together[-1][0], end)
        else:
            together.append((begin, end))
    return tuple(together)
