"""The kinds of runs that a study found, each of which has a region of the box: as a table, and in a sentence."""

import numpy as np

from uqmbd.method_facts import Kinds
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import apart, bracketed
from uqmbd.tables.outputs import chosen, output_names, unit_of
from uqmbd.tables.scaling import scale_of
from uqmbd.tables.text import Table, only
from uqmbd.tables.trust import percent

TOLD = 6  # kinds that a sentence names


def regions_said(result: ResultData, name: str) -> str:
    """How much of the box each kind of runs has, the bounds of a scalar output there, and where no run lies; empty without regions."""
    if name not in result.regions:
        return ""
    bounds, sequence = result.regions[name], Kinds.of(result.regions.attrs).sequence
    number = not result.axis_of(name, "regions") and name != sequence
    unit, parts = unit_of(result, name), []
    ends = bounds.sel(bound=["lower", "upper"]).values if number else np.empty((0, 2))
    texts = outward(ends)
    order = np.argsort(-bounds["share"].values, kind="stable")
    for k in order[:TOLD]:
        share, low, high = (float(bounds[key].values[k]) for key in ("share", "share_lower", "share_upper"))
        limits = f"{percent(low).removesuffix(' %')} to {percent(high)}"
        said = f"{bounds['region'].values[k]} in {percent(share)}{'' if parts else ' of the box'} ({limits})"
        if not bounds["searched"].values[k]:
            said += f", known from {int(bounds['runs'].values[k])} fresh runs alone"
        if number:
            said += f": {'' if parts else f'{name} '}{' to '.join(dict.fromkeys(texts[k]))} {unit}".rstrip()
        parts.append(said)
    if len(order) > TOLD:
        parts.append(f"{len(order) - TOLD} more")
    parts += [f"no run lies between {low} and {high} {unit}".rstrip() for low, high in gaps(ends, texts)]
    return f"{sequence} {'; '.join(parts)}"


def outward(ends: np.ndarray) -> list[tuple[str, str]]:
    """Lower and upper ends (intervals, 2) as text, rounded outward, with as many decimals as tell them and what is between them apart."""
    known = np.unique(ends[np.isfinite(ends)])
    widths = np.concatenate([ends[:, 1] - ends[:, 0], np.diff(np.sort(ends, axis=0)[:, 0])])
    size = np.abs(known).max(initial=0.0)
    widths = widths[np.isfinite(widths) & (widths > 1e-9 * size)]
    magnitude = int(np.floor(np.log10(size or 1.0)))
    decimals = int(np.clip(np.ceil(-np.log10(widths.min())) + 1, 0, 15)) if len(widths) else max(0, 4 - magnitude)
    scale = 10.0**decimals
    texts = []
    for low, high in ends.tolist():
        if low == high:
            texts.append((f"{low:.6g}",) * 2)
        else:
            texts.append((f"{np.floor(low * scale) / scale:.{decimals}f}", f"{np.ceil(high * scale) / scale:.{decimals}f}"))
    return texts


def gaps(ends: np.ndarray, texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What lies between intervals (intervals, 2) and in none of them, as text; nothing of single numbers, which count something."""
    between, order = [], np.argsort(ends[:, 0], kind="stable")
    if np.all(ends[:, 0] == ends[:, 1]):
        return between
    for below, k in enumerate(order[1:], 1):
        last = order[:below][np.argmax(ends[order[:below], 1])]
        if ends[last, 1] < ends[k, 0]:
            between.append((texts[last][1], texts[k][0]))
    return between


def regions_table(result: ResultData) -> Table:
    """A row for each kind of runs: share of the box with its limits, runs, and the bounds of every scalar."""
    groups, sequence = result.regions, Kinds.of(result.regions.attrs).sequence
    every = [name for name in output_names(result)[1] if name in groups and name != sequence]
    names = chosen(result, every)
    if not groups.data_vars:
        return Table("Regions", (), (), ())
    scales = {name: scale_of(result, name) for name in names}
    ends = {name: scales[name].of(groups[name].sel(bound=["lower", "upper"]).values) for name in names}
    texts = {name: np.reshape(apart(*ends[name].ravel()), ends[name].shape) for name in names}
    trusted = {name: result.regions_trusted[name].values for name in names}
    rows = []
    for k, value in enumerate(groups["region"].values):
        share, low, high = (percent(float(groups[key].values[k])) for key in ("share", "share_lower", "share_upper"))
        cells = (" to ".join(dict.fromkeys(texts[name][k])) + ("" if trusted[name][k] else "*") for name in names)
        rows.append((str(value), share, f"{low} to {high}", str(groups["runs"].values[k]), *cells))
    header = (sequence, "share of the box", "95 % limits", "runs", *(name + bracketed(scales[name].unit) for name in names))
    note = "Outer bounds of each kind of runs. Shares are those of the fresh runs."
    if not all(each.all() for each in trusted.values()):
        note = f"{note} *: not trusted."
    if not groups["searched"].values.all():
        alone = ", ".join(str(value) for value in groups["region"].values[~groups["searched"].values])
        note = f"{note} Known from fresh runs alone, and not widened: {alone}."
    note = f"{note} {only(names, every)}".strip()
    return Table("Regions", header, tuple(rows), (False, *(True,) * (len(header) - 1)), note)
