"""What runs from many starts say: the attractors, the share of the starts that come to each, and which start came to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.statistics.moment_limits import proportion_limits
from uqmbd.groups import GroupSpec, beside, plain
from uqmbd.methods.base import count_failures
from uqmbd.methods.dynamics.attractors import FAILED, UNTOLD, Motions, last, motions
from uqmbd.methods.dynamics.diagram import reached_of
from uqmbd.methods.dynamics.sections import Section, no_points
from uqmbd.methods.failures import left_out

if TYPE_CHECKING:
    import xarray as xr

ATTRACTORS = GroupSpec(
    "attractors",
    ("attractor", "of_attractor"),
    "share of the runs that come to each attractor, with 95 % limits, their number, the period, and of the shares of each sample of the "
    "other inputs the least and the greatest; rows of runs that come to none, and of those that failed",
    per_output=False,
    caption="Attractors: {} of the starts",
)
ATTRACTOR_POINTS = plain(
    "attractor_points",
    ("attractor", "section_point"),
    "section points of one run of each attractor: those of a period, or all that are kept of a motion without one; NaN behind the last",
)
BASINS = beside(
    "basins",
    ("basin_run",),
    "of each run ``attractor``: its number, from 0 on, -1: not told, -2: failed; ``sample`` of the other inputs; ``start:<input>``, SI",
)
GROUPS = (ATTRACTORS, ATTRACTOR_POINTS, BASINS)
TOLD = 4  # digits of section points in the name of an attractor


@dataclass(frozen=True, eq=False)
class Told:
    """What a method was told so far, of n runs.

    Attributes
    ----------
    starts : Starts
    sections : sequence of Section
    kept : dict of str to ndarray, shape (n, points)
        Section points of each.
    ends : dict of str to (float, float)
        Least and greatest section point, transients too.
    status : ndarray, shape (n,)
    columns, reached : Columns, ndarray of shape (2, columns)
        Outputs that are no events, and what ok runs reached of them.
    """

    starts: Any
    sections: Sequence[Section]
    kept: Mapping[str, np.ndarray]
    ends: Mapping[str, tuple[float, float]]
    status: np.ndarray
    columns: Columns
    reached: np.ndarray


def shares(settings: Any, told: Told) -> tuple[dict[str, xr.Dataset], dict[str, Any]]:
    """Groups and attributes of the result."""
    import xarray as xr

    names, points = list(told.kept), list(told.kept.values())
    if not any(np.isfinite(one).any() for one in points):
        raise no_points(names, int((told.status == 0).sum()), settings.skip)
    crossed = [name for name, one in told.kept.items() if np.isfinite(one).any()]
    sizes = [size_of(*told.ends[name]) for name in crossed]
    found = motions([told.kept[name] for name in crossed], sizes, told.status == 0, settings.most_period, settings.near)
    words = [named(k, found, told, crossed) for k in range(len(found.first))]
    table, rows = table_of(found, told)
    at = {"attractor": np.array([*words, *rows], object), "of_attractor": np.array([*table], object)}
    attractors = xr.Dataset({"shares": (ATTRACTORS.dims, np.stack(list(table.values()), axis=1), {"unit": ""})}, at)
    sample = np.arange(len(told.status)) // told.starts.count
    columns = {"attractor": found.attractor, "sample": sample}
    columns |= {f"start:{name}": told.starts.rows[name][: len(told.status)] for name in told.starts.coordinates}
    groups = {
        "inner": reached_of(told.columns, told.reached, told.sections, told.kept),
        "attractors": attractors,
        "basins": xr.Dataset({name: (BASINS.dims, values) for name, values in columns.items()}),
    }
    if words:
        groups["attractor_points"] = points_of(found, told, words)
    counts = count_failures(told.status)
    about = {"coordinates": list(told.starts.coordinates), "attractors": words, "draws": told.starts.draws, "edges": told.starts.edges}
    notes = [*notes_of(settings, told, found), *left_out(counts, " of the attractors")]
    attrs = {"method": settings.name, "about": "basins", "sampling": "chosen", "notes": notes, **about, **counts}
    return groups, attrs


def size_of(low: float, high: float) -> float:
    """Against what distances of section points between two values are measured: their range, or where there is none their size."""
    return max(high - low, 1e-9 * max(abs(low), abs(high)), 1e-300)


def table_of(found: Motions, told: Told) -> tuple[dict[str, np.ndarray], list[str]]:
    """Columns of the table of attractors, each (rows,), and the words of its last rows, of runs that are of none."""
    count, labels = len(told.status), [*range(len(found.first))]
    rest = [(UNTOLD, "not told"), (FAILED, "failed")]
    rows = [word for label, word in rest if (found.attractor == label).any()]
    labels += [label for label, word in rest if word in rows]
    hits = np.array([int((found.attractor == label).sum()) for label in labels])
    missing = int((found.attractor < 0).sum())
    none = np.array(labels) < 0
    lower = proportion_limits(hits, count)[0]
    upper = proportion_limits(hits + np.where(none, 0, missing), count)[1]  # what is not told may be of any attractor
    draws = np.arange(count) // told.starts.count
    each = np.array([[(found.attractor[draws == draw] == label).mean() for draw in np.unique(draws)] for label in labels])
    period = np.array([found.period[found.first[label]] if label >= 0 else np.nan for label in labels], float)
    columns = {"share": hits / count, "lower": lower, "upper": upper, "runs": hits.astype(float), "period": period}
    if each.shape[1] > 1:
        columns |= {"least of a sample": each.min(axis=1), "greatest of a sample": each.max(axis=1)}
    return columns, rows


def named(number: int, found: Motions, told: Told, sections: Sequence[str]) -> str:
    """An attractor in words: ``1: period 2, x = 0.2, 0.8``; of many points, or of samples in which it moves, their range."""
    rows, period = found.attractor == number, int(found.period[found.first[number]])
    kind = f"period {period}" if period else "no period"
    of = next(name for name in sections if np.isfinite(told.kept[name][rows]).any())
    points = told.kept[of][rows]
    some = last(points, min(period, int(np.isfinite(points).sum(axis=1).min()))) if period else points
    low, high = float(np.nanmin(some)), float(np.nanmax(some))
    size = size_of(*told.ends[of])
    moves = bool(np.ptp(np.sort(some, axis=1), axis=0).max() > 1e-3 * size) if period else True
    if period in (1, 2) and not moves:
        middle = np.sort(some, axis=1).mean(axis=0)
        where = "= " + ", ".join(f"{0.0 if abs(value) < 1e-9 * size else value:.{TOLD}g}" for value in middle)
    else:
        where = f"{low:.{TOLD}g} to {high:.{TOLD}g}"
    return f"{number + 1}: {kind}, {of} {where}"


def points_of(found: Motions, told: Told, words: Sequence[str]) -> xr.Dataset:
    """Section points of the first run of each attractor."""
    import xarray as xr

    columns = {}
    for section in told.sections:
        rows = [(one[np.isfinite(one)], int(found.period[run])) for run in found.first for one in [told.kept[section.name][run]]]
        columns[section.name] = [one[-period:] if period else one for one, period in rows]
    longest = max(len(one) for rows in columns.values() for one in rows)
    dataset = xr.Dataset(coords={"attractor": np.array(words, object)})
    for section in told.sections:
        values = np.stack([np.pad(one, (0, longest - len(one)), constant_values=np.nan) for one in columns[section.name]])
        dataset[section.name] = (ATTRACTOR_POINTS.dims, values, {"unit": section.unit})
    return dataset


def notes_of(settings: Any, told: Told, found: Motions) -> list[str]:
    """What a reader has to know."""
    count, missing = len(told.status), int((found.attractor == UNTOLD).sum())
    kind = "a start at a random place in each of equal cells" if settings.random is None else "independent random starts"
    notes = [f"limits of shares are those of a binomial proportion (Clopper, Pearson); there is {kind}"]
    if settings.random is not None:
        notes = [notes[0].replace("there is independent", "there are independent")]
    if told.starts.draws > 1:
        notes.append(
            f"shares are over {told.starts.draws} samples of the other inputs, of which each has all starts; their limits hold for these "
            "samples"
        )
    if missing:
        notes.append(
            f"{missing} of {count} runs are not told: their transient is not over, or they have too few section points; upper limits hold "
            "whatever attractor these are of, and let runs last longer"
        )
    if (found.attractor >= 0).any() and (found.period[found.attractor >= 0] == 0).any():
        notes.append(f"a motion without period up to {settings.most_period} may be chaotic, on a torus, or of a larger period")
    return notes
