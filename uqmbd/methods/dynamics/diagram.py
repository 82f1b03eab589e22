"""What a bifurcation diagram says: section points by value and way, periods and their windows, where up and down differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.groups import GroupSpec, plain
from uqmbd.inputs.units import to_si
from uqmbd.methods.base import count_failures
from uqmbd.methods.dynamics.recurrence import DEPENDS, DRIFTS, FAILED, FEW, NONE, UNTOLD, apart, periods_of, stretches
from uqmbd.methods.dynamics.sections import Section, no_points
from uqmbd.methods.dynamics.sweep import FRESH, Sweep
from uqmbd.methods.failures import left_out

if TYPE_CHECKING:
    import xarray as xr

DIMS = ("value", "way", "start", "sample")
BRANCHES = plain(
    "branches",
    (*DIMS, "section_point"),
    "section points of the long-term motion, the last of each run in their order, NaN behind the last; ``value``: of the parameter, SI; "
    "``way``: up, down, or each run from time zero; ``start``, ``sample``: of the other inputs",
)
PERIOD = plain(
    "motion_period",
    DIMS,
    "after how many section points the motion returns; 0: no period up to the largest, -1: its transient is not over, -2: too few points, "
    "-3: the run failed, -4: it is not there yet",
    "1",
)
HYSTERESIS = plain(
    "hysteresis",
    ("value", "start", "sample"),
    "largest distance of a section point on the way up or down to the nearest one of the other way; NaN where one has none",
)
SECTION_BOUNDS = plain(
    "section_bounds",
    ("value", "way", "bound"),
    "least and greatest section point of all samples of the other inputs and all starts; these are reached, and no outer bounds",
)
PERIOD_SHARE = plain(
    "period_share",
    ("value", "way", "of_period"),
    "share of the ok runs, over samples and starts, whose motion has each period; ``of_period``: as `motion_period` says it",
    "1",
)
WINDOWS = GroupSpec(
    "windows",
    ("window", "edge"),
    "ranges of the parameter, in its unit, in which neighbouring values have the same period: the first and the last of them",
    per_output=False,
    caption="Windows of {}: first and last of neighbouring values with the same period",
)
GROUPS = (BRANCHES, PERIOD, WINDOWS, HYSTERESIS, SECTION_BOUNDS, PERIOD_SHARE)
SHORTEST = 2  # values of a window
DIFFERENT = 0.02  # of the range of all section points: sets of points farther apart are different motions
WORDS = {
    NONE: "no period up to {most}",
    DRIFTS: "transient not over",
    FEW: "too few section points",
    FAILED: "failed",
    DEPENDS: "depends on the other inputs",
}


@dataclass(frozen=True, eq=False)
class Told:
    """What a method was told so far.

    Attributes
    ----------
    sections : sequence of Section
    kept : dict of str to ndarray, shape (runs, points)
        Section points of each.
    status : ndarray, shape (runs,)
        `UNTOLD` where a run is not there yet.
    columns, reached : Columns, ndarray of shape (2, columns)
        Outputs that are no events, and what ok runs reached of them.
    """

    sweep: Sweep
    sections: Sequence[Section]
    kept: Mapping[str, np.ndarray]
    status: np.ndarray
    columns: Columns
    reached: np.ndarray


def diagram(settings: Any, told: Told) -> tuple[dict[str, xr.Dataset], dict[str, Any]]:
    """Groups and attributes of the result."""
    import xarray as xr

    sweep, status = told.sweep, told.status
    crossed = {section.name: int(np.isfinite(told.kept[section.name]).any(axis=1).sum()) for section in told.sections}
    ok = int(np.count_nonzero(status == 0))
    if not any(crossed.values()):
        raise no_points(list(crossed), ok, settings.skip)
    at = {"value": sweep.values, "way": np.array(sweep.ways, object), "start": np.arange(sweep.starts), "sample": np.arange(sweep.draws)}
    branches, periods, distances = xr.Dataset(coords=at), xr.Dataset(coords=at), xr.Dataset(coords=at)
    sizes = {}
    for section in told.sections:
        points = told.kept[section.name]
        sizes[section.name] = size = float(np.nanmax(points) - np.nanmin(points)) if crossed[section.name] else 0.0
        period = periods_of(points, settings.most_period, settings.near * size, size)
        period = np.where(status == 0, period, np.where(status == UNTOLD, UNTOLD, FAILED)).astype(np.int16)
        arranged = sweep.arranged(points)
        branches[section.name] = (BRANCHES.dims, arranged, {"unit": section.unit})
        periods[section.name] = (PERIOD.dims, sweep.arranged(period), {"unit": "1"})
        if {"up", "down"} <= set(sweep.ways):
            way = [sweep.ways.index(word) for word in ("up", "down")]
            distances[section.name] = (HYSTERESIS.dims, between(arranged[:, way[0]], arranged[:, way[1]]), {"unit": section.unit})
    groups = {"inner": reached_of(told.columns, told.reached, told.sections, told.kept), "branches": branches, "motion_period": periods}
    if distances.data_vars:
        groups["hysteresis"] = distances
    if sweep.draws > 1:
        groups |= over_samples(branches, periods)
    if (found := windows(settings, periods, sweep)).data_vars:
        groups["windows"] = found
    differs = differing(distances, sizes)
    about = {"parameter": sweep.parameter, "most_period": settings.most_period, "hysteresis": differs}
    counts = count_failures(status[status != UNTOLD])
    notes = [*notes_of(settings, told, periods, crossed), *left_out(counts)]
    attrs = {"method": settings.name, "about": "diagram", "sampling": "chosen", "diagram": about, "notes": notes, **counts}
    return groups, attrs


def reached_of(columns: Columns, reached: np.ndarray, sections: Sequence[Section], kept: Mapping[str, np.ndarray]) -> xr.Dataset:
    """What runs reached, (2, columns): of events the section points that are kept."""
    found = columns.dataset(reached, {"bound": ["lower", "upper"]})
    for section in sections:
        points = kept[section.name]
        if section.name not in columns.outputs and np.isfinite(points).any():
            found[section.name] = (("bound",), np.array([np.nanmin(points), np.nanmax(points)]), {"unit": section.unit})
    return found


def over_samples(branches: xr.Dataset, periods: xr.Dataset) -> dict[str, xr.Dataset]:
    """What all samples and starts together reach at each value, and the shares of periods among them; NaN where no run is ok."""
    import xarray as xr

    at = {"value": branches["value"], "way": branches["way"]}
    codes = sorted({code for array in periods.data_vars.values() for code in np.unique(array).tolist()} - {FAILED, UNTOLD})
    bounds = xr.Dataset(coords={**at, "bound": np.array(["lower", "upper"], object)})
    shares = xr.Dataset(coords={**at, "of_period": np.array(codes, int)})
    for name, array in branches.data_vars.items():
        points = array.values.reshape(*array.shape[:2], -1)
        there = np.asarray(np.isfinite(points))
        ends = [end(points, axis=-1, where=there, initial=-sign * np.inf) for end, sign in ((np.min, -1.0), (np.max, 1.0))]
        found = np.where(np.expand_dims(there.any(axis=-1), -1), np.stack(ends, axis=-1), np.nan)
        bounds[name] = (SECTION_BOUNDS.dims, found, {"unit": array.attrs["unit"]})
        period = periods[name].values.reshape(*array.shape[:2], -1)
        ok = ((period != FAILED) & (period != UNTOLD)).sum(axis=-1)
        with np.errstate(invalid="ignore"):
            share = np.stack([(period == code).sum(axis=-1) / ok for code in codes], axis=-1)
        shares[name] = (PERIOD_SHARE.dims, share, {"unit": "1"})
    return {"section_bounds": bounds, "period_share": shares}


def between(up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Distance of the sets of points (values, starts, draws, points) on both ways, (values, starts, draws)."""
    found = np.empty(up.shape[:-1])
    for place in np.ndindex(found.shape):
        found[place] = apart(up[place], down[place])
    return found


def differing(distances: xr.Dataset, sizes: Mapping[str, float]) -> dict[str, list[list[float]]]:
    """Ranges of the parameter, SI, in which up and down differ in some start and sample, by output; those of one value as well."""
    values = distances["value"].values
    found = {}
    for name, array in distances.data_vars.items():
        wide = np.any(np.reshape(array.values > DIFFERENT * sizes[str(name)], (len(values), -1)), axis=1)
        found[str(name)] = [[float(values[first]), float(values[last])] for first, last in stretches(wide)]
    return found


def windows(settings: Any, periods: xr.Dataset, sweep: Sweep) -> xr.Dataset:
    """Ranges of the parameter, as it is written, with the same period in all samples, of all outputs; those of one value are left out."""
    import xarray as xr

    names, edges, values = [], [], to_si(sweep.unit).back(sweep.values)
    for output, array in periods.data_vars.items():
        several = [str(output)] if len(periods.data_vars) > 1 else []
        alike = (array.values == array.values[..., :1]).all(axis=-1)
        agreed = np.where(alike, array.values[..., 0], DEPENDS)
        for way, start in np.ndindex(agreed.shape[1:]):
            lane = [*several, *([str(array["way"].values[way])] if array.sizes["way"] > 1 else [])]
            lane += [f"start {start + 1}"] if array.sizes["start"] > 1 else []
            for period, first, last in same(agreed[:, way, start]):
                if last - first + 1 >= SHORTEST and period != UNTOLD:
                    word = f"period {period}" if period > 0 else WORDS[period].format(most=settings.most_period)
                    names.append(", ".join([*lane, word]))
                    edges.append([values[first], values[last]])
    at = {"window": np.array(names, object), "edge": np.array(["first", "last"], object)}
    return xr.Dataset({sweep.parameter: (WINDOWS.dims, np.array(edges), {"unit": sweep.unit})} if names else {}, at)


def same(period: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Each period with the first and the last place of a stretch (values,) in which it is the same."""
    ends = np.flatnonzero(np.diff(period, append=period[-1] + 1))
    first = 0
    for last in ends.tolist():
        yield int(period[last]), first, last
        first = last + 1


def notes_of(settings: Any, told: Told, periods: xr.Dataset, crossed: Mapping[str, int]) -> list[str]:
    """What a reader has to know."""
    sweep, ok = told.sweep, int(np.count_nonzero(told.status == 0))
    notes = ["a diagram by brute force shows motions that attract, and changes of them between two neighbouring values"]
    if sweep.draws > 1:
        drawn = f"{sweep.draws} samples of the other inputs, a Latin hypercube of their ranges or distributions"
        notes.append(f"bounds of section points and shares of periods are those of {drawn}; section points beyond them are possible")
    if sweep.ways == (FRESH,):
        notes.append("each value is run from time zero, none goes on from another: where motions coexist the starts decide which is seen")
    elif jumped := sweep.jumped(told.status):
        which = "1 run started" if jumped == 1 else f"{jumped} runs started"
        notes.append(f"{which} from the end of an earlier value, or from time zero, since the run of the value before failed")
    for name, array in periods.data_vars.items():
        drifting, few = (int(np.count_nonzero(array.values == code)) for code in (DRIFTS, FEW))
        if drifting:
            still = f"in {drifting} of {ok} runs the section points of '{name}' still drift"
            notes.append(f"{still}: their transient is not over, so they are not trusted; let runs last longer")
        if few:
            never = ok - crossed[str(name)]
            none = f", in {never} there is none" if never else ""
            notes.append(f"in {few} of {ok} runs there are too few section points of '{name}' for a period{none}; let runs last longer")
    return notes
