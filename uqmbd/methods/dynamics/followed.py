"""Branches of periodic orbits through the section points of a diagram: followed past what attracts, with their special points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.dynamics.branches import Branch, follow
from uqmbd.analysis.dynamics.curves import Steps
from uqmbd.analysis.dynamics.located import Located
from uqmbd.analysis.dynamics.maps import ChangedMap, Map
from uqmbd.analysis.dynamics.of_study import map_of
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import GroupSpec, beside
from uqmbd.methods.dynamics.sweep import Sweep
from uqmbd.plugins import load_plugin, locate_plugin, plugin_name

if TYPE_CHECKING:
    import xarray as xr

FOLLOWED = beside(
    "followed",
    ("orbit_point",),
    "points of followed orbits: ``branch``, ``value`` of the parameter, SI, ``period``, ``phase`` of the point in its orbit, ``stable``, "
    "``multiplier``: size of the largest, ``kind``: fold, flip, neimark_sacker, branch_point or empty, and each coordinate as ``state:x``",
)
LOCATED = GroupSpec(
    "located",
    ("orbit", "of_orbit"),
    "special points of the followed branches: the parameter, in its unit, coordinates, and the size of the largest multiplier",
    per_output=False,
    caption="Located points over {}",
)
MOST = 12  # branches
POINTS = 400  # of a branch, to each side
ALIKE = 1e-7  # of the range of the parameter: special points of one kind this near are one
SAME = 0.02  # of the size of a coordinate: section points this near to a branch are on it


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the map under a name by which it is found from anywhere, and the fingerprint of its code.

    Raises
    ------
    StudyError
        Where there is no such map, or it is another one than that with which a resolved study was made.
    """
    name, before = values["follow"], values.get("follow_code")
    now = locate_plugin(name, (), "map", key="follow", directory=Path()).digest
    if before not in (None, now):
        remedy = "restore it, or run the study again with --overwrite or in another place"
        raise StudyError("the map has changed since this study was run", key="follow", value=name, remedy=remedy)
    return {**values, "follow": plugin_name(name, (), "map", key="follow", directory=Path()), "follow_code": now}


def map_named(name: str, sections: Sequence[str]) -> Map:
    """The map that a study follows, its coordinates under the names of the outputs that have their section points.

    A coordinate ``slider.vx`` is the output of this name, or that of a section, ``turn.slider.vx``.

    Raises
    ------
    StudyError
        Where the name is not that of a function that returns a map, or one of its coordinates has no section points.
    """
    try:
        base = map_of(load_plugin(name, {}, "map", key="method.follow"), {})
    except StudyError as error:
        remedy = "name a function of nothing that returns a map: uqmbd.PeriodMap, uqmbd.ReturnMap, fm.section_map"
        raise StudyError(error.message, key="method.follow", value=name, remedy=remedy) from error.__cause__
    outputs = tuple(output_of(coordinate, sections, name) for coordinate in base.names)
    return base if outputs == base.names else ChangedMap(base=base, names=outputs)


def output_of(coordinate: str, sections: Sequence[str], name: str) -> str:
    """The output with the section points of a coordinate of the map `name`.

    Raises
    ------
    StudyError
        There is none, or more than one.
    """
    found = [coordinate] if coordinate in sections else [section for section in sections if section.endswith(f".{coordinate}")]
    if len(found) == 1:
        return found[0]
    if found:
        text = f"the map has the coordinate '{coordinate}', which {' and '.join(found)} have section points of"
        raise StudyError(text, key="method.follow", value=name, remedy="ask for the sections of the map alone: method.sections")
    text = f"the map has the coordinate '{coordinate}', and no output of this name has section points"
    remedy = did_you_mean(coordinate, sections, noun="output with section points")
    raise StudyError(text, key="method.follow", value=name, remedy=remedy)


@dataclass(frozen=True, eq=False)
class Seed:
    """An orbit in a diagram: a value of the parameter, and its section points (period, d), one after the other."""

    value: float
    points: np.ndarray


def seeds(base: Map, branches: xr.Dataset, periods: xr.Dataset, longest: int) -> Iterator[Seed]:
    """Of one sample an orbit for each stretch of values with the same period up to the `longest`, in its middle; the long ones first."""
    points = np.stack([branches[name].values for name in base.names], axis=-1)  # (values, ways, starts, points, d)
    each = np.stack([periods[name].values for name in base.names], axis=-1)
    period = np.where((each > 0).all(axis=-1), np.lcm.reduce(np.maximum(each, 1), axis=-1), 0)
    found = []
    for way, start in np.ndindex(period.shape[1:]):
        column = period[:, way, start]
        cuts = [0, *(np.flatnonzero(np.diff(column)) + 1).tolist(), len(column)]
        for first, last in pairwise(cuts):
            at = (first + last - 1) // 2
            if 0 < column[at] <= longest:
                there = points[at, way, start][np.isfinite(points[at, way, start]).all(axis=-1)]
                found.append((first - last, Seed(float(branches["value"].values[at]), there[-column[at] :])))
    yield from (seed for _, seed in sorted(found, key=lambda pair: pair[0]))


def followed(settings: Any, base: Map, sweep: Sweep, groups: Mapping[str, xr.Dataset]) -> tuple[dict[str, xr.Dataset], list[str]]:
    """Groups with the branches and what is located on them, and notes on orbits that are not followed."""
    branches, periods = groups["branches"], groups["motion_period"]
    parameters = {name: value for name, value in sweep.middle.items() if name not in base.names}
    size = np.array([np.nanmax(branches[name]) - np.nanmin(branches[name]) for name in base.names])
    steps = Steps(points=POINTS, largest=settings.follow_step, scale=np.where(size > 0, size, 1.0))
    between, found, notes = (float(sweep.values[0]), float(sweep.values[-1])), [], []
    for seed in seeds(base, branches.isel(sample=sweep.nearest), periods.isel(sample=sweep.nearest), settings.follow_period):
        if len(found) == MOST:
            notes.append(f"no more than {MOST} branches are followed")
            break
        if any(holds(branch, seed, steps.scale) for branch in found):
            continue
        given = {**parameters, sweep.parameter: seed.value}
        branch = follow(base, sweep.parameter, seed.points[-1], given, between, period=len(seed.points), steps=steps)
        if len(branch.values):
            found.append(branch)
        else:
            notes.append(
                f"the orbit of period {len(seed.points)} at {sweep.parameter} = {seed.value:.6g} is not followed: {branch.ends[0]}"
            )
    return groups_of(base, sweep, parameters, found), notes


def holds(branch: Branch, seed: Seed, scale: np.ndarray) -> bool:
    """Whether an orbit is one of a branch, which may come by its value several times."""
    if branch.period != len(seed.points):
        return False
    before, after = branch.values[:-1], branch.values[1:]
    for k in np.flatnonzero((before - seed.value) * (after - seed.value) <= 0):
        share = (seed.value - before[k]) / ((after[k] - before[k]) or 1.0)
        state = branch.states[k] + share * (branch.states[k + 1] - branch.states[k])
        if (np.abs(seed.points - state) <= SAME * scale).all(axis=1).any():
            return True
    return False


def specials(found: Sequence[Branch], near: float) -> list[tuple[int, Located]]:
    """Special points with the period of their branch, each once: a branch ends where it is born, on one of a smaller period."""
    kept: list[tuple[int, Located]] = []
    for branch in sorted(found, key=lambda branch: branch.period):
        for point in branch.specials:
            if all(point.kind != other.kind or abs(point.parameter - other.parameter) > near for _, other in kept):
                kept.append((branch.period, point))
    return kept


def groups_of(base: Map, sweep: Sweep, parameters: Mapping[str, float], found: Sequence[Branch]) -> dict[str, xr.Dataset]:
    """The groups `followed` and `located`, those that there are."""
    import xarray as xr

    from uqmbd.inputs.units import to_si

    columns: dict[str, list[np.ndarray]] = {}
    names, table = [], []
    for number, branch in enumerate(found):
        states, largest = branch.states, np.abs(branch.multipliers).max(axis=1)
        for phase in range(branch.period):
            rows: dict[str, Any] = {
                "branch": np.full(len(states), number), "phase": np.full(len(states), phase), "value": branch.values,
                "period": np.full(len(states), branch.period), "stable": branch.stable, "multiplier": largest,
                "kind": np.array(branch.kinds, object),
            }  # fmt: skip
            rows |= {f"state:{name}": states[:, k] for k, name in enumerate(base.names)}
            for key, values in rows.items():
                columns.setdefault(key, []).append(values)
            states = base.step(states, {**parameters, sweep.parameter: branch.values})
    for period, point in specials(found, ALIKE * float(np.ptp(sweep.values))):
        names.append(f"{point.kind.replace('neimark_sacker', 'Neimark-Sacker').replace('_', ' ')} of period {period}")
        value = float(to_si(sweep.unit).back(point.parameter))
        table.append([value, *point.state, float(np.abs(point.multipliers).max())])
    if not columns:
        return {}
    groups = {"followed": xr.Dataset({key: (FOLLOWED.dims, np.concatenate(values)) for key, values in columns.items()})}
    if table:
        at = {"orbit": np.array(names, object), "of_orbit": np.array([sweep.parameter, *base.names, "largest multiplier"], object)}
        groups["located"] = xr.Dataset({sweep.parameter: (LOCATED.dims, np.array(table), {"unit": ""})}, at)
    return groups
