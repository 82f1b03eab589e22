"""What is said and drawn of the kinds of runs that a study found, each of which has a region of the box."""

import numpy as np

from uqmbd.method_facts import Kinds
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import unit_of
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
        said = f"{bounds['region'].values[k]} in {percent(share)}{'' if parts else ' of the box'} ({_limits(low, high)})"
        if not bounds["searched"].values[k]:
            said += f", known from {int(bounds['runs'].values[k])} fresh runs alone"
        parts.append(f"{said}: {'' if parts else f'{name} '}{_between(texts[k][0], texts[k][1], unit)}" if number else said)
    if len(order) > TOLD:
        parts.append(f"{len(order) - TOLD} more")
    parts += [f"no run lies between {low} and {high} {unit}".rstrip() for low, high in gaps(ends, texts)]
    return f"{sequence} {'; '.join(parts)}"


def _limits(low: float, high: float) -> str:
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def _between(low: str, high: str, unit: str) -> str:
    return (low if low == high else f"{low} to {high}") + (f" {unit}" if unit else "")


def outward(ends: np.ndarray) -> list[tuple[str, str]]:
    """Lower and upper ends (intervals, 2) as text, rounded outward, with as many decimals as tell them and what is between them apart."""
    known = np.unique(ends[np.isfinite(ends)])
    apart = np.concatenate([ends[:, 1] - ends[:, 0], np.diff(np.sort(ends, axis=0)[:, 0])])
    size = np.abs(known).max(initial=0.0)
    apart = apart[np.isfinite(apart) & (apart > 1e-9 * size)]
    decimals = int(np.clip(np.ceil(-np.log10(apart.min())) + 1, 0, 15)) if len(apart) else max(0, 4 - _magnitude(size))
    scale = 10.0**decimals
    found = []
    for low, high in ends.tolist():
        if low == high:
            found.append((f"{low:.6g}",) * 2)
        else:
            found.append((f"{np.floor(low * scale) / scale:.{decimals}f}", f"{np.ceil(high * scale) / scale:.{decimals}f}"))
    return found


def _magnitude(size: float) -> int:
    return int(np.floor(np.log10(size))) if size > 0 else 0


def gaps(ends: np.ndarray, texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """What lies between intervals (intervals, 2) and in none of them, as text; nothing of single numbers, which count something."""
    found, order = [], np.argsort(ends[:, 0], kind="stable")
    if np.all(ends[:, 0] == ends[:, 1]):
        return found
    for below, k in enumerate(order[1:], 1):
        last = order[:below][np.argmax(ends[order[:below], 1])]
        if ends[last, 1] < ends[k, 0]:
            found.append((texts[last][1], texts[k][0]))
    return found
