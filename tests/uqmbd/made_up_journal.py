"""A made-up result of a journal in its bearing, whose regimes and shares are known: it leaves the film for good at a time of its own."""

from __future__ import annotations

import numpy as np
import xarray as xr

from uqmbd.result import Result

TIME = np.linspace(0.0, 2.0, 201)


def journal(runs: int = 40, method: str = "montecarlo") -> Result:
    """Run k of n has clearance 1 + k/n mm; it is in mixed lubrication from 0.8 s + 0.4 s k/n to 1.6 s, and dry from then on.

    Its place is 0.2 of the clearance at the start, on the clearance from 1.6 s on, and turns once in 0.5 s, within 0.15 rad of the mean.
    """
    share = np.arange(runs) / runs
    clearance = 1e-3 * (1 + share)
    ratio = np.minimum(0.2 + 0.5 * TIME, 1.0)
    result = Result(attrs={"study": "journal", "method": method})
    result.runs = xr.Dataset(coords={"time": TIME})
    result.runs["input:clearance"] = ("run", clearance, {"unit": "m"})
    turn = 4 * np.pi * TIME + 0.3 * (share[:, None] - 0.5)
    for name, wave in (("B.ex", np.cos(turn)), ("B.ey", np.sin(turn))):
        result.runs[name] = (("run", "time"), clearance[:, None] * ratio * wave, {"unit": "m"})
    mixed = 0.8 + 0.4 * share[:, None]
    codes = np.where(TIME >= 1.6, 2.0, np.where(TIME >= mixed, 1.0, 0.0))
    result.runs["B.regime"] = (("run", "time"), codes, {"unit": "1"})
    result.runs["status"] = ("run", np.zeros(runs, np.int8))
    result.runs["message"] = ("run", np.full(runs, "", object))
    for name in ("B.ex", "B.ey", "B.regime"):
        values = result.runs[name].values
        table = xr.DataArray(np.array([values.mean(axis=0), values.std(axis=0)]), dims=("statistic", "time"))
        result.statistics[name] = table.assign_coords(statistic=["mean", "std"], time=TIME).assign_attrs(result.runs[name].attrs)
    angle = np.linspace(0, 2 * np.pi, 60)
    bump = np.maximum(np.cos(angle[:, None] - 4 * np.pi * TIME), 0.0) ** 2 * TIME
    at = {"angle": ("angle", angle, {"unit": "rad"}), "time": ("time", TIME, {"unit": "s"})}
    result.fields["B.pressure"] = (("angle", "time"), 1e6 * bump, {"unit": "Pa", "title": "Pressure in the bearing"})
    result.fields["B.shear"] = (("angle", "time"), bump - 0.5 * TIME, {"unit": "Pa"})
    result.fields["B.flow"] = ("time", 1e-6 * (1 + TIME), {"unit": "m^3/s"})
    result.fields = result.fields.assign_coords(at).assign_attrs(inputs={"clearance": 1.5e-3})
    return result
