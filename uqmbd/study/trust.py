"""What takes the trust from a result, whatever its method: motions that have no end, outputs that are not what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.trust import horizon
from uqmbd.figures.outputs import axis_name, grid_of, listed
from uqmbd.figures.trust import CLAIMED, WHY
from uqmbd.outcomes import DIVERGED, DOUBT, TIME, WARNING, axis_of
from uqmbd.report.terminal import WARNINGS
from uqmbd.study.stopped import inputs_said

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.study.study import Study

BY_LEVEL = "trusted_share_by_level"


def take_trust(result: Result, study: Study, store: RunStore, rows: np.ndarray, simulator: Mapping[str, Any]) -> None:
    """Trust nothing of a box in which runs diverged, nor outputs of which the simulator says not to; notes say which and why.

    A run that diverged is a motion that the solver could not follow to its end: its book of energy is open, or it came to a singular
    position. Other runs near it may be as wrong without a sign of it, and what the motion goes on to do is in no bound.

    Parameters
    ----------
    result : Result
        Changed in place.
    rows : ndarray of int
        Of the store: the runs of which the result is made.
    simulator : mapping
        What the simulator said of itself: doubts (`uqmbd.outcomes.DOUBT`), and warnings, which are passed on.
    """
    for key in sorted(simulator):
        if key.startswith(WARNING):
            warn(result, str(simulator[key]))
    doubted: dict[str, list[str]] = {}
    for name in result.outputs:
        if why := simulator.get(DOUBT + name):
            doubted.setdefault(str(why), []).append(name)
    for why, names in doubted.items():
        warn(result, f"{listed(names)}: not trusted, since {why}")
        distrust(result, names, why)
        untrusted_leaves(result, names, None)
    lost = diverged(store, rows)
    if len(lost):
        first = f"the first at {inputs_said(study, store, int(lost[0]))}: {store.column('message', lost[:1])[0]}"
        told, runs = result.attrs.get("runs_diverged", len(lost)), result.attrs.get("runs", len(rows))  # some may be asked for twice
        counted = f"{told} of {runs} runs diverged"
        warn(result, f"{counted}, {first.rstrip('.')}; no result over inputs among which such runs lie is trusted")
        distrust(result, result.outputs, counted)
        samples = {name: store.column(f"input:{name}", lost) for name in store.inputs}
        untrusted_leaves(result, result.outputs, samples)
    if doubted or len(lost):
        share_anew(result)


def warn(result: Result, text: str) -> None:
    """A note that the terminal shows as well."""
    for key in ("notes", WARNINGS):
        result.attrs[key] = [*result.attrs.get(key, ()), text]


def diverged(store: RunStore, rows: np.ndarray) -> np.ndarray:
    """Which of the rows are runs that diverged; the heads of the pieces say whether there are any."""
    if not any(piece.head["counts"][DIVERGED] for piece in store.pieces):
        return rows[:0]
    return rows[store.column("status", rows) == DIVERGED]


def distrust(result: Result, names: Iterable[str], why: str, where: Mapping[str, np.ndarray] | None = None) -> None:
    """Take the trust from outputs, everywhere or where a mask says so; a method that makes no claim of trust makes this one.

    Parameters
    ----------
    why : str
        A part of a sentence.
    where : dict of str to ndarray of bool, optional
        Of each output, in the shape of its trust; other places keep theirs.
    """
    trusted, horizons, kinds = {}, {}, {}
    for name in names:
        known = result.trusted[name] if name in result.trusted else all_trusted(result, name)
        lost = np.ones(known.shape, bool) if where is None else where[name]
        if name in result.trusted and not lost.any():
            continue
        said = [known.attrs[WHY]] if known.attrs.get(WHY) else []
        more = {WHY: "; ".join([*said, why])} if lost.any() and why not in said else {}
        trusted[name] = (known & ~lost).assign_attrs(known.attrs | more)
        if axis_of(known.dims) == TIME.name:
            horizons[name] = ((), horizon(trusted[name].values, grid_of(known)), {"unit": TIME.unit})
        if name in result.regions_trusted:
            kinds[name] = (result.regions_trusted[name] & ~lost).assign_attrs(result.regions_trusted[name].attrs)
    result.trusted, result.trust_horizon = result.trusted.assign(trusted), result.trust_horizon.assign(horizons)
    result.regions_trusted = result.regions_trusted.assign(kinds)


def all_trusted(result: Result, name: str) -> xr.DataArray:
    """Trust in all places of an output."""
    import xarray as xr

    axis = axis_name(result, name)
    if axis is None:
        return xr.DataArray(True, attrs={"unit": "", CLAIMED: 0})
    along = next(group[name][axis] for _, group in result.groups() if name in group and axis in group[name].dims)
    return xr.DataArray(np.ones(along.size, bool), {axis: along}, (axis,), attrs={"unit": "", CLAIMED: 0})


def untrusted_leaves(result: Result, names: Iterable[str], samples: Mapping[str, np.ndarray] | None) -> None:
    """Take the trust from parts of the box: those that have one of the runs with these inputs (SI) in them, or all."""
    import xarray as xr

    if not result.leaves.data_vars:
        return
    leaves = result.leaves
    inside = np.ones((leaves.sizes["leaf"], 1 if samples is None else len(next(iter(samples.values())))), bool)
    for name, values in (samples or {}).items():
        inside &= (values >= leaves[f"lower:{name}"].values[:, None]) & (values <= leaves[f"upper:{name}"].values[:, None])
    lost = (leaves["part"] == "trusted") & xr.DataArray(inside.any(axis=1), dims=("leaf",))
    changed = {name: leaves[name].where(~lost, 0.0).assign_attrs(leaves[name].attrs) for name in names if name in leaves}
    result.leaves = leaves.assign(changed)


def share_anew(result: Result) -> None:
    """The shares of trusted columns and of the box, where the result says them, of what trust there is."""
    trusted, attrs = result.trusted, result.attrs
    if "trusted_share" in attrs and trusted.data_vars:
        attrs["trusted_share"] = float(np.concatenate([np.ravel(values.values) for values in trusted.data_vars.values()]).mean())
    whole = {name: bool(values.values.any()) for name, values in trusted.data_vars.items()}
    if BY_LEVEL in attrs and not any(whole.values()):
        attrs[BY_LEVEL] = [0.0] * len(attrs[BY_LEVEL])
    if "trusted_volume" in attrs:
        attrs["trusted_volume"] = {name: share_of_leaves(result, name, share) for name, share in attrs["trusted_volume"].items()}


def share_of_leaves(result: Result, name: str, share: float) -> float:
    """Share of the box in trusted leaves; of what has no leaves of its own what was said, or nothing where it is not trusted at all."""
    if name not in result.leaves:
        return share if result.trusted[name].values.any() else 0.0
    leaves = result.leaves
    inputs = [str(key).removeprefix("lower:") for key in leaves.coords if str(key).startswith("lower:")]
    sizes = np.prod([leaves[f"upper:{key}"].values - leaves[f"lower:{key}"].values for key in inputs], axis=0)
    return float(np.clip((sizes * leaves[name].sel(part="trusted").values).sum() / sizes.sum(), 0.0, 1.0))
