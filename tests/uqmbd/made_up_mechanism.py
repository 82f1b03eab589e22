"""Made-up results of a mechanism with spikes in its force: of a surrogate method, and of Monte Carlo."""

from __future__ import annotations

import numpy as np
import xarray as xr

from uqmbd.result import Result

TIME = np.linspace(0.0, 0.024, 481)
HISTORIES = {"slider.x": "m", "slider.v": "m/s", "B.force": "N", "B.ex": "m", "B.ey": "m", "crank.moment": "N*m"}


def outputs_of_one_run(clearance: float, restitution: float) -> dict[str, np.ndarray | float]:
    """A made-up mechanism with spikes in its force."""
    phase = 523.6 * TIME
    force = 400 * np.abs(np.sin(phase)) + 3e4 * restitution * np.exp(-(((TIME - 0.004 - 20 * clearance) / 2e-5) ** 2))
    return {
        "slider.x": 0.12 + 0.05 * np.cos(phase) + clearance * np.sin(7 * phase),
        "slider.v": -26 * np.sin(phase) + 4e3 * clearance * np.cos(7 * phase) * restitution,
        "B.force": force,
        "B.ex": clearance * np.cos(5 * phase) * (1 - np.exp(-TIME / 5e-4)),
        "B.ey": clearance * np.sin(5 * phase) * (1 - np.exp(-TIME / 5e-4)),
        "crank.moment": 12 * np.sin(2 * phase) + 1e4 * clearance,
        "B.force:max": float(force.max()),
    }


def made_up_runs(count: int, failures: tuple[int, ...] = (3, 17)) -> xr.Dataset:
    rng = np.random.default_rng(1)
    inputs = {"clearance": rng.uniform(2e-5, 5e-5, count), "restitution": rng.uniform(0.45, 0.55, count)}
    every = [outputs_of_one_run(*values) for values in zip(*inputs.values(), strict=True)]
    runs = xr.Dataset(coords={"time": TIME})
    for name, values in inputs.items():
        runs[f"input:{name}"] = ("run", values)
    for name in every[0]:
        values = np.array([run[name] for run in every])
        values[list(failures)] = np.nan
        unit = HISTORIES.get(name.partition(":")[0])
        runs[name] = (("run", "time") if values.ndim == 2 else ("run",), values, {"unit": unit})
    runs["status"] = ("run", np.isin(np.arange(count), failures).astype(np.int8))
    runs["message"] = ("run", np.array(["step size fell <below> 1e-14 s" if bad else "" for bad in runs["status"].values], object))
    return runs


def empty_groups() -> dict[str, xr.Dataset]:
    groups = ("bounds", "inner", "error", "trusted", "trust_horizon", "statistics", "sensitivity", "runs")
    return {group: xr.Dataset() for group in groups}


def attributes(method: str, runs: xr.Dataset) -> dict:
    failed = int((runs["status"] != 0).sum())
    return {
        "study": "made_up_crank", "method": method, "settings": {"degree": 8}, "seed": 1, "wall_time": 3.21, "runs_simulated_last": 100,
        "runs": runs.sizes["run"], "runs_ok": runs.sizes["run"] - failed, "runs_failed": failed, "versions": {"python": "3.11"},
        "inputs": {"clearance": {"kind": "interval", "text": "[0.02, 0.05] mm"}}, "notes": ["2 runs are left out"],
    }  # fmt: skip


def bounded() -> Result:
    """Like the result of a surrogate method: bounds, error and trust."""
    runs = made_up_runs(80)
    groups = empty_groups() | {"runs": runs}
    for name in [*HISTORIES, "B.force:max"]:
        inner = xr.concat([runs[name].min("run"), runs[name].max("run")], "bound").assign_coords(bound=["lower", "upper"])
        width = 0.02 * float(inner.max() - inner.min())
        unit = {"unit": runs[name].attrs["unit"]}
        groups["inner"][name] = inner.assign_attrs(unit)
        groups["bounds"][name] = (inner + xr.DataArray([-width, width], {"bound": ["lower", "upper"]})).assign_attrs(unit)
        if name in HISTORIES:
            error = 1e-4 * width * (1 + 1e4 * np.exp(-(((TIME - 0.005) / 3e-4) ** 2)))
            groups["error"][name] = ("time", error, unit)
            groups["trusted"][name] = (("time",), (error < 0.05 * width) & ~((name == "B.force") & (TIME > 0.02)))
            groups["trust_horizon"][name] = 0.02 if name == "B.force" else np.inf
            share = 0.5 + 0.4 * np.sin(300 * TIME)
            table = xr.DataArray(np.array([[share, 1 - share]]), dims=("kind", "input", "time"))
            groups["sensitivity"][name] = table.assign_coords(kind=["main_effect"], input=["clearance", "restitution"], time=TIME)
        else:
            groups["error"][name], groups["trusted"][name] = 0.3, False
    for group in ("error", "trusted", "bounds", "inner"):
        groups[group] = groups[group].assign_coords(time=TIME)
    return Result(**groups, attrs=attributes("chebyshev", runs))


def counted() -> Result:
    """Like the result of a Monte Carlo study: statistics only."""
    runs = made_up_runs(200)
    groups = empty_groups() | {"runs": runs}
    good = runs.isel(run=np.flatnonzero(runs["status"].values == 0))
    keys = ["mean", "std", "min", "max", "q05", "q25", "q50", "q75", "q95", "mean_lower", "mean_upper"]
    for name in [*HISTORIES, "B.force:max"]:
        values = good[name]
        half = 1.96 * values.std("run") / 14
        quantiles = [values.quantile(q / 100, "run").drop_vars("quantile") for q in (5, 25, 50, 75, 95)]
        mean = values.mean("run")
        every = [mean, values.std("run"), values.min("run"), values.max("run"), *quantiles, mean - half, mean + half]
        groups["statistics"][name] = xr.concat(every, "statistic").assign_coords(statistic=keys).assign_attrs(unit=runs[name].attrs["unit"])
    return Result(**groups, attrs=attributes("montecarlo", runs))
