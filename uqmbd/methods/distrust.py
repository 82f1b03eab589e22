"""Take the trust from outputs of a result: bounds hold for a whole box, or are not trusted where runs of it failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.statistics.trust import horizon
from uqmbd.facts import WARNINGS
from uqmbd.inputs import Input
from uqmbd.method_facts import CLAIMED, WHY
from uqmbd.methods.failures import fills_region, how_many
from uqmbd.outcomes import TIME

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.result import Result

BY_LEVEL = "trusted_share_by_level"


def without_trust_where_runs_failed(
    result: Result, inputs: Mapping[str, Input], samples: Mapping[str, np.ndarray], failed: np.ndarray
) -> None:
    """Take the trust of a result where runs failed among the values for which it speaks; a note says how many and where.

    What is said of intervals is said of every value of them, and no run tells what the response is where runs fail. Where all inputs are
    random, failed runs are left out and counted; there trust is lost where they fill a region, into which a surrogate only guesses.

    The result is changed in place; `samples` and `failed`, (runs,) each and in SI, are those of the runs in the region of which it speaks.
    """
    names = [name for name in result.outputs if name in result.trusted or name in result.bounds]
    whole = any(item.kind != "random" for item in inputs.values())
    if not failed.any() or not names or not (whole or fills_region(inputs, samples, failed)):
        return
    counted = how_many(inputs, samples, failed)
    what = "bounds" if result.bounds.data_vars else "results"
    warn(result, f"{counted}: {what} over inputs among which such runs lie are not trusted, for no run tells what happens there")
    distrust(result, names, counted)
    untrusted_leaves(result, names, {name: values[failed] for name, values in samples.items()})
    share_anew(result)


def warn(result: Result, text: str) -> None:
    """A note that the terminal shows as well."""
    for key in ("notes", WARNINGS):
        result.attrs[key] = [*result.attrs.get(key, ()), text]


def distrust(result: Result, names: Iterable[str], why: str, where: Mapping[str, np.ndarray] | None = None) -> None:
    """Take the trust from outputs, everywhere or where a mask of each, in the shape of its trust, says so; `why` is a part of a sentence.

    A method that makes no claim of trust makes this one.
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
        if result.axis_of(name) == TIME.name:
            horizons[name] = ((), horizon(trusted[name].values, known[TIME.name].values), {"unit": TIME.unit})
        if name in result.regions_trusted:
            kinds[name] = (result.regions_trusted[name] & ~lost).assign_attrs(result.regions_trusted[name].attrs)
    result.trusted, result.trust_horizon = result.trusted.assign(trusted), result.trust_horizon.assign(horizons)
    result.regions_trusted = result.regions_trusted.assign(kinds)


def all_trusted(result: Result, name: str) -> xr.DataArray:
    """Trust in all places of an output."""
    import xarray as xr

    axis = result.axis_of(name)
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
