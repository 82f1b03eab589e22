"""What multi-level studies state of their sums: errors that are asked for, statistics, and probabilities, with limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.statistics.order_statistics import level_name
from uqmbd.analysis.statistics.telescoped_shares import Inverted
from uqmbd.inputs.quantity import in_unit
from uqmbd.methods.accuracy import allowed, is_share
from uqmbd.methods.beyond import Passed
from uqmbd.methods.probabilistic.multilevel_sums import Sums, said
from uqmbd.methods.settling import Estimated, of_shares

NOUNS = {"mean": "mean", "std": "standard deviation", "quantile": "quantile", "probability": "probability"}
CLOSER = 0.5  # times as close the distribution function is to be where that of now does not bound a quantile
LEAST_CLOSER = 0.05  # and at least, in one step


def wanted_of(what: str, asked: Any, sums: Sums, columns: Columns) -> np.ndarray:
    """Largest error of each column of a part of the sums, (columns,), in what that sums: means, variances or shares.

    An error of a standard deviation becomes one of the variance, 2 std times as large; one of a quantile one of the distribution function,
    as large as the slope says by which limits of the one have become limits of the other.
    """
    part, key = sums.part(what), f"method.error.{what}"
    if what == "mean":
        return allowed(asked, columns, part.value, "method.error")
    if what == "std":
        std = np.sqrt(np.maximum(part.value, 0.0))
        return 2 * std * allowed(asked, columns, std, key)
    if what == "probability":
        return float(asked) * (np.maximum(part.value, 0.0) if is_share(asked) else np.ones(len(part.value)))
    found = []
    for ((name, _), one), half in zip(sums.quantiles.items(), part.half, strict=True):
        wanted = _wanted_of_quantile(asked, one, name, columns)
        closer = CLOSER if np.isinf(one.half) else wanted / one.half if one.half > 0 else np.inf
        found.append(half * max(closer, LEAST_CLOSER))
    return np.array(found)


def _wanted_of_quantile(asked: Any, one: Inverted, name: str, columns: Columns) -> float:
    """Largest error of a quantile of an output that is a number."""
    if is_share(asked):
        return float(asked) * abs(one.value)
    return in_unit(asked, columns.outputs[name].unit, of=name, key="method.error.quantile", difference=True)


def settled(sums: Sums, errors: Mapping[str, Any], limits: Sequence[Passed], columns: Columns) -> dict[str, Estimated]:
    """How well means are known now, standard deviations where they are asked for, and all probabilities, and quantiles of numbers."""
    part, wanted = sums.part("mean"), errors.get("mean")
    goal = None if wanted is None else wanted_of("mean", wanted, sums, columns)
    found = {"mean": Estimated(part.value, part.value - part.half, part.value + part.half, goal)}
    if (wanted := errors.get("std")) is not None:
        part = sums.part("std")
        std, lower, upper = (np.sqrt(np.maximum(part.value + times * part.half, 0.0)) for times in (0, -1, 1))
        found["std"] = Estimated(std, lower, upper, allowed(wanted, columns, std, "method.error.std"))
    if limits:
        found["probability"] = of_shares(columns, probabilities(sums, limits), errors.get("probability"))
    wanted, rows = errors.get("quantile"), {}
    for (name, level), one in sums.quantiles.items():
        goal = np.inf if wanted is None else _wanted_of_quantile(wanted, one, name, columns)
        row = rows.setdefault(level_name(level), np.full((4, columns.count), np.nan))
        row[:, columns.slices[name]] = np.array([one.value, one.lower, one.upper, goal])[:, None]
    return found | {name: Estimated(row[0], row[1], row[2], None if wanted is None else row[3]) for name, row in rows.items()}


def statistics_rows(sums: Sums, levels: Sequence[float], columns: Columns) -> dict[str, np.ndarray]:
    """Statistics with limits by name, (columns,); quantiles of histories are those at each of their times."""
    mean, spread = sums.part("mean"), sums.part("std")
    value, half, variance, error = mean.value, mean.half, spread.value, spread.half
    rows = {"mean": value, "std": sums.std, "mean_lower": value - half, "mean_upper": value + half, "mean_bias": mean.bias()}
    rows |= {"std_lower": np.sqrt(np.maximum(variance - error, 0.0)), "std_upper": np.sqrt(np.maximum(variance + error, 0.0))}
    over = {name: sums.quantiles_over(name) for name in columns.axes} if levels else {}
    for k, level in enumerate(levels):
        for i, word in enumerate(("", "_lower", "_upper")):
            row = rows[level_name(level) + word] = np.empty(columns.count)
            for name, at in columns.slices.items():
                row[at] = over[name][k, i] if name in over else sums.quantiles[name, level][i]
    return rows


def probabilities(sums: Sums, limits: Sequence[Passed]) -> dict[str, np.ndarray]:
    """Probability of each output to be beyond its limit, with its limits, (3,): from 0 to 1."""
    part = sums.part("probability")
    rows = np.clip([part.value, part.value - part.half, part.value + part.half], 0.0, 1.0)
    return {one.output: rows[:, part.slices[said(one)]][:, 0] for one in limits}
