"""How a search for a design went, and where the limits stand at the design that it found."""

import numpy as np

from uqmbd.decision_facts import Designed
from uqmbd.figures.marks import Curve, Figure, Panel, Points, Rows
from uqmbd.result_data import ResultData
from uqmbd.tables.decided import minimised_said
from uqmbd.tables.outputs import in_unit

KEY = "design"
MOST = 12  # limits that are drawn: those that are nearest to being passed at the end
SEEN = 1e-3  # of its largest: where no margin is larger, no figure says where limits stand


def design_figures(result: ResultData) -> list[Figure]:
    """The search, and the limits if there are any; none of other methods."""
    found = result.facts_of(Designed)
    if not found or "designs" not in result.specs or not result["designs"].data_vars:
        return []
    group = result["designs"]
    margins, scale = group["margin"].values, _scale(group["margin"].values)
    names = [str(name) for name in group["limit"].values]
    final = _final(found)
    nearest = sorted(np.argsort(final / scale, kind="stable")[:MOST]) if names else []
    shares = 100 * margins[:, nearest] / scale[nearest]
    looks, start = np.arange(1.0, len(margins) + 1), group["start"].values
    unit = "" if found.measure.startswith("P(") else in_unit(result, found.minimised)
    panels = [Panel("design looked at", f"objective{unit}", _objective(looks, group["objective"].values, start), height=1.6, counted=True)]
    if nearest:
        shown = np.clip(shares, -100.0, None)
        lines = tuple(Curve(*_apart(looks, share, start), names[k], n) for n, (k, share) in enumerate(zip(nearest, shown.T, strict=True)))
        panels.append(Panel("design looked at", "margin [%]", (*lines, _zero(looks)), height=1.6, counted=True))
    caption = (
        "In the order in which the search looked at them; a gap is where it begins anew.",
        "A margin is in per cent of the largest one; below 0 the limit is passed, by 100 % or more at the bottom.",
    )
    figures = [
        Figure(KEY, f"Designs that the search looked at: {minimised_said(found)}", tuple(panels), caption[: len(panels)], growing=True)
    ]
    if (final / scale > SEEN).any():
        bars = Panel("margin [%]", "", (Rows(np.round(100 * (final / scale)[nearest], 1), "at the design that was found", 0),),
                     names=tuple(names[k] for k in nearest))  # fmt: skip
        said = ("A limit at 0 is reached: it holds the design up.", "100 % is the largest margin among the designs that were looked at.")
        figures.append(Figure(f"{KEY}.limits", "Where the limits stand", (bars,), said))
    return figures


def _objective(looks: np.ndarray, values: np.ndarray, start: np.ndarray) -> tuple[Curve | Points, ...]:
    nameless = ("",) * len(looks)
    return Curve(*_apart(looks, values, start), "search", "outer"), Points(looks, values, nameless, nameless, "design", 1, small=True)


def _apart(looks: np.ndarray, values: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A curve with a gap where a search begins anew."""
    gaps = np.flatnonzero(np.diff(start)) + 1
    return np.insert(looks, gaps, np.nan), np.insert(np.array(values, float), gaps, np.nan)


def _zero(looks: np.ndarray) -> Curve:
    return Curve(looks, np.zeros(len(looks)), "limit", "limit")


def _scale(margins: np.ndarray) -> np.ndarray:
    """The largest margin (limits,) that was looked at, or else the largest shortfall; 1 where there is none."""
    size = np.nanmax(np.abs(margins), axis=0, initial=0.0)
    best = np.nanmax(margins, axis=0, initial=0.0)
    scale = np.where(best > 0, best, size)
    return np.where(scale > 0, scale, 1.0)


def _final(found: Designed) -> np.ndarray:
    """Margins (limits,) at the design that was found."""
    return np.array([(limit.level - limit.surrogate) * (1 if limit.upper else -1) for limit in found.limits])
