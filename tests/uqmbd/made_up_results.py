"""Made-up results with every group, in closed form: a linear model of inputs that are uniform over [0, 1]."""

from __future__ import annotations

import numpy as np
import xarray as xr

from uqmbd.result import Result

TIME = np.linspace(0.0, 2.0, 201)
WORDS = ("clearance", "friction", "stiffness", "damping", "length", "mass", "preload", "gap", "modulus", "width")
KINDS = ("first", "total", "first_lower", "first_upper", "total_lower", "total_upper", "mu", "mu_star", "sigma", "delta", "width_reduction")


def input_names(count: int, *, long: bool = False) -> list[str]:
    """Names of inputs; long ones are as models of many bodies make them."""
    if long:
        return [f"manipulator.joint_{k + 1}.{WORDS[k % 10]}_of_the_reduction_gear" for k in range(count)]
    return [WORDS[k] if k < 10 else f"{WORDS[k % 10]}_{k // 10}" for k in range(count)]


def weights(count: int, histories: bool) -> np.ndarray:
    """Weights of the inputs, (inputs,) or (inputs, time)."""
    base = 1.0 / (1 + np.arange(count))
    return base[:, None] * (1.2 + np.cos((1 + np.arange(count)[:, None]) * TIME)) if histories else base


def shares(count: int, histories: bool) -> np.ndarray:
    """First-order indices, which are those of total order too."""
    square = weights(count, histories) ** 2
    return square / square.sum(axis=0)


def sensitivity_table(names: list[str], histories: bool) -> xr.DataArray:
    """All kinds, as their definitions give them for the linear model."""
    weight, share = weights(len(names), histories), shares(len(names), histories)
    by_kind = {
        "first": 0.9 * share, "total": share, "first_lower": 0.85 * share, "first_upper": 0.95 * share, "total_lower": 0.9 * share,
        "total_upper": 1.1 * share, "mu": -weight, "mu_star": weight, "sigma": 0.5 * weight[::-1], "delta": 0.5 * share,
        "width_reduction": 0.5 * weight / weight.sum(axis=0),
    }  # fmt: skip
    dims = ("kind", "input", "time")[: 2 + histories]
    coords = {"kind": list(by_kind), "input": names} | ({"time": TIME} if histories else {})
    return xr.DataArray(np.array(list(by_kind.values())), dims=dims, coords=coords, attrs={"unit": "m"})


def rich(inputs: int = 3, histories: tuple[str, ...] = ("slider.x",), *, long: bool = False, runs: int = 60, failed: int = 0) -> Result:
    """A result with every group that sampling methods have, of `histories` and the scalar ``peak``.

    The runs with the largest first input fail.
    """
    names = input_names(inputs, long=long)
    u = np.random.default_rng(0).random((runs, inputs))
    written = {"kind": "interval", "text": "[0, 1000] mm", "unit": "mm", "factor": 1e-3, "offset": 0.0}
    result = Result(attrs={"study": "made up", "method": "pce", "inputs": {name: dict(written) for name in names}})
    status = np.zeros(runs, np.int8)
    status[np.argsort(-u[:, 0])[:failed]] = 1
    result.runs = xr.Dataset(coords={"time": TIME})
    for k, name in enumerate(names):
        result.runs[f"input:{name}"] = ("run", u[:, k], {"unit": "m"})
    pairs = [f"{a}*{b}" for i, a in enumerate(names) for b in names[i + 1 :]]
    count = np.array([20, 40, 80, 160])
    for name in (*histories, "peak"):
        history = name != "peak"
        weight = weights(inputs, history)
        values = u @ weight
        values[status != 0] = np.nan
        result.runs[name] = (("run", "time")[: values.ndim], values, {"unit": "m"})
        mean, std = weight.sum(axis=0) / 2, np.sqrt((weight**2).sum(axis=0) / 12)
        keys = {"mean": 0.0, "std": None, "q01": -2.326, "q05": -1.645, "q25": -0.674, "q50": 0.0, "q75": 0.674, "q95": 1.645, "q99": 2.326}
        table = np.array([std if z is None else mean + z * std for z in keys.values()])
        dims, coords = (("statistic", "time")[: table.ndim], {"statistic": list(keys)} | ({"time": TIME} if history else {}))
        result.statistics[name] = xr.DataArray(table, dims=dims, coords=coords, attrs={"unit": "m"})
        result.sensitivity[name] = sensitivity_table(names, history)
        pair = np.array([0.1 * shares(inputs, history)[names.index(p.split("*")[0])] / inputs for p in pairs])
        dims, coords = (("pair", "time")[: pair.ndim], {"pair": pairs} | ({"time": TIME} if history else {}))
        result.interaction[name] = xr.DataArray(pair, dims=dims, coords=coords)
        level = float(np.mean(mean)) * (1 + 1 / count)
        settled = np.array([level, 0.3 + 1 / count, level - 1 / count, level + 1 / count])
        words = ["mean", "std", "mean_lower", "mean_upper"]
        result.convergence[name] = xr.DataArray(settled.T, dims=("count", "statistic"), coords={"count": count, "statistic": words})
        if history:
            result.aggregated[name] = sensitivity_table(names, False).sel(kind=["first", "total"])
    result.cdf["peak"] = cdf(np.linspace(0, 1, 201), np.linspace(0, 1, 201) ** 2)
    result.runs["status"] = ("run", status)
    result.runs["message"] = ("run", np.where(status != 0, "diverged", "").astype(object))
    return result


def cdf(value: np.ndarray, lower: np.ndarray, upper: np.ndarray | None = None) -> xr.DataArray:
    """A distribution function as methods give it."""
    table = np.column_stack([value, lower, lower if upper is None else upper])
    return xr.DataArray(table, dims=("level", "column"), coords={"column": ["value", "lower", "upper"]}, attrs={"unit": "m"})


def fuzzy(levels: int = 11) -> Result:
    """Triangular membership: the bounds of level alpha are [alpha, 3 - 2 alpha] (scalar) and that times 1 + cos(t)/2 over time."""
    alpha = np.linspace(0, 1, levels)
    ends = np.stack([alpha, 3 - 2 * alpha], axis=1)
    result = Result(attrs={"study": "fuzzy", "method": "fuzzy"})
    coords = {"alpha": alpha, "bound": ["lower", "upper"]}
    wave = ends[:, :, None] * (1 + 0.5 * np.cos(3 * TIME))
    for group, shrink in ((result.bounds, 1.0), (result.inner, 0.98)):
        middle = ends.mean(axis=1, keepdims=True)
        scalar = middle + shrink * (ends - middle)
        group["peak"] = xr.DataArray(scalar, dims=("alpha", "bound"), coords=coords, attrs={"unit": "N"})
        history = xr.DataArray(wave, dims=("alpha", "bound", "time"), coords=coords | {"time": TIME})
        group["force"] = history.assign_attrs(unit="N")
    return result


def mixed() -> Result:
    """Mean in [0, 1], standard deviation 1: bounds of each statistic, and a probability box."""
    from statistics import NormalDist

    keys = {"mean": 0.0, "q05": -1.645, "q50": 0.0, "q95": 1.645}
    table = np.array([[z, z + 1] for z in keys.values()])
    result = Result(attrs={"study": "mixed", "method": "mixed"})
    coords = {"statistic": list(keys), "bound": ["lower", "upper"]}
    result.statistics["peak"] = xr.DataArray(table, dims=("statistic", "bound"), coords=coords, attrs={"unit": "m"})
    over_time = table[:, :, None] * np.ones(len(TIME)) + np.sin(4 * TIME)
    history = xr.DataArray(over_time, dims=("statistic", "bound", "time"), coords=coords | {"time": TIME}, attrs={"unit": "m"})
    result.statistics["slider.x"] = history
    value = np.linspace(-3, 4, 201)
    normal = np.vectorize(NormalDist().cdf)
    result.cdf["peak"] = cdf(value, normal(value - 1), normal(value))
    return result


def fuzzy_mixed(levels: int = 6) -> Result:
    """As `mixed`, but the mean is the triangular number (0, 0.5, 1): at level alpha it lies in [alpha, 2 - alpha] / 2."""
    from statistics import NormalDist

    alpha, keys = np.linspace(0, 1, levels), {"mean": 0.0, "q05": -1.645, "q50": 0.0, "q95": 1.645}
    ends = np.stack([alpha, 2 - alpha], axis=1) / 2
    table = np.array(list(keys.values()))[:, None] + ends[:, None, :]
    result = Result(attrs={"study": "fuzzy and random", "method": "mixed"})
    coords = {"alpha": alpha, "statistic": list(keys), "bound": ["lower", "upper"]}
    result.statistics["peak"] = xr.DataArray(table, dims=("alpha", "statistic", "bound"), coords=coords, attrs={"unit": "m"})
    over_time = table[..., None] + 2 * np.sin(4 * TIME)
    dims = ("alpha", "statistic", "bound", "time")
    result.statistics["slider.x"] = xr.DataArray(over_time, dims=dims, coords=coords | {"time": TIME}, attrs={"unit": "m"})
    value, normal = np.linspace(-3, 4, 201), np.vectorize(NormalDist().cdf)
    boxes = [cdf(value, normal(value - upper), normal(value - lower)) for lower, upper in ends]
    result.cdf["peak"] = xr.concat(boxes, "alpha").assign_coords(alpha=alpha)
    return result


def checked(checks: int = 12) -> Result:
    """A surrogate that misses the scalar ``peak`` by 1e-4, 2e-4, ... and the history by as much times the time; both range from 0 to 2."""
    numbers, runs = np.arange(checks) + 30, np.linspace(0.1, 1.9, checks)
    misses = 1e-4 * (1 + np.arange(checks))
    result = Result(attrs={"study": "checked", "method": "chebyshev", "trust_tolerance": 1e-3})
    scalar = np.column_stack([runs, runs + misses])
    wave = np.sin(TIME) + 0 * runs[:, None]
    attrs = {"unit": "m", "checks": 100, "largest_error_run": int(numbers[-1])}
    columns = {"column": ["run", "surrogate"]}
    result.validation["peak"] = xr.DataArray(
        scalar, dims=("check", "column"), coords=columns | {"check": numbers}, attrs=attrs | {"largest_error": misses[-1]}
    )
    history = np.stack([wave, wave - misses[:, None] * TIME], axis=1)
    result.validation["slider.x"] = xr.DataArray(
        history, dims=("history_check", "column", "time"), coords=columns | {"history_check": numbers, "time": TIME},
        attrs=attrs | {"largest_error": 2 * misses[-1], "thinned": f"{checks} of 100 checks, at 201 of 201 times"},
    )  # fmt: skip
    ends = xr.DataArray([0.0, 2.0], dims="bound", coords={"bound": ["lower", "upper"]}, attrs={"unit": "m"})
    result.inner["peak"], result.inner["slider.x"] = ends, ends.expand_dims(time=TIME).transpose("bound", "time")
    return result


def calibrated() -> Result:
    """Measured is sin(t), fitted is 0.01 t more; the scalar ``peak`` was measured as 2 and fitted as 2.5, and ``other`` was not."""
    words = ["fitted", "measured", "residual"]
    wave, miss = np.sin(TIME), 0.01 * TIME
    result = Result(attrs={"study": "calibrated", "method": "calibrate", "estimate": {"k": 10.25}, "estimate_std": {"k": 0.125}})
    result.attrs |= {"readings": 201, "starts": [{"cost": 0.5, "steps": 6, "end": "converged", "at": [10.25]}]}
    table = np.array([wave + miss, wave, miss])
    dims, coords = ("statistic", "time"), {"statistic": words, "time": TIME}
    result.statistics["slider.x"] = xr.DataArray(table, dims=dims, coords=coords, attrs={"unit": "m"})
    unmeasured = np.array([wave, np.nan * wave, np.nan * wave])
    result.statistics["other"] = xr.DataArray(unmeasured, dims=dims, coords=coords, attrs={"unit": "m"})
    result.statistics["peak"] = xr.DataArray([2.5, 2.0, 0.5], dims="statistic", coords={"statistic": words}, attrs={"unit": "N"})
    return result
