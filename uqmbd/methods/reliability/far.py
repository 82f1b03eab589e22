"""Limits that are so far from all runs that their unit is in doubt."""

from __future__ import annotations

from uqmbd.inputs.units import to_si

FAR = 5.0  # ranges of all runs, beyond which a limit is said to be far away
SLIPS = {  # what numbers may have been meant in
    "m": ("mm", "cm", "um", "km", "in"), "rad": ("deg", "mrad"), "rad/s": ("rpm", "deg/s"), "m/s": ("mm/s", "km/hour"),
    "s": ("ms", "us", "min"), "kg": ("g", "t"), "N": ("kN", "mN"), "N m": ("N mm", "kN m"), "Pa": ("MPa", "kPa", "GPa", "bar"),
    "J": ("mJ", "kJ"), "W": ("kW", "mW"),
}  # fmt: skip


def far_away(limit: float, low: float, high: float, runs: int, unit: str) -> str:
    """A sentence where a limit is more than `FAR` times the range of all runs, `low` to `high`, away from them; else empty."""
    away = max(low - limit, limit - high)
    size = max(abs(low), abs(high))
    if runs < 2 or not away > FAR * max(high - low, 1e-9 * size):
        return ""
    nearest = low if limit < low else high
    said = (
        f"the limit {limit:.6g} {unit}".rstrip()
        + f" is far from all {runs} runs, which lie between {low:.5g} and {high:.5g} {unit}".rstrip()
    )
    ratio = max(abs(limit), abs(nearest)) / min(abs(limit), abs(nearest)) if limit * nearest > 0 else 0.0
    if ratio >= 2:
        said += f": the nearest is a factor of {ratio:.3g} away"
    near = [other for other in SLIPS.get(unit, ()) if _among(limit, other, unit, low, high)]
    if near:
        return f'{said}; {limit:.6g} {near[0]} would be among them: write "{limit:.6g} {near[0]}" if that is meant'
    return f"{said}; see that it is in the unit of the output{f', {unit}' if unit else ''}"


def _among(limit: float, other: str, unit: str, low: float, high: float) -> bool:
    """Whether the limit, taken in another unit, would not be far from the runs."""
    value = to_si(unit).back(to_si(other).factor * limit + to_si(other).offset)
    return max(low - value, value - high) <= FAR * (high - low)
