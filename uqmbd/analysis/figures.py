"""Figures of one output (matplotlib), without pyplot and its global state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

RUNS_SHOWN = 40
OUTER, INNER, DOUBT, RUN = "#1f5fa8", "#d1731c", "#8a8a8a", "#9aa7b4"


def history_figure(name: str, parts: Mapping[str, xr.DataArray], runs: xr.DataArray | None) -> Figure:
    """Bounds, or mean and quantiles, over time, with some runs behind and the untrusted times shaded.

    Parameters
    ----------
    parts : dict
        Groups of a `uqmbd.result.Result` for this output, dims [..., time].
    runs : DataArray (run, time), optional
        Runs that were ok.
    """
    figure, axes = _canvas()
    any_part = next(iter(parts.values()))
    time = any_part["time"].values
    if runs is not None and "time" in runs.dims and runs.sizes["run"]:
        shown = runs.isel(run=np.linspace(0, runs.sizes["run"] - 1, min(RUNS_SHOWN, runs.sizes["run"])).astype(int))
        lines = axes.plot(time, shown.transpose("time", "run").values, color=RUN, lw=0.5, alpha=0.5, zorder=1)
        lines[0].set_label("runs")
    if "bounds" in parts:
        lower, upper = (parts["bounds"].sel(bound=end).values for end in ("lower", "upper"))
        axes.fill_between(time, lower, upper, color=OUTER, alpha=0.25, lw=0, zorder=2)
        axes.plot(time, lower, color=OUTER, lw=1.1, label="outer bounds", zorder=4)
        axes.plot(time, upper, color=OUTER, lw=1.1, zorder=4)
        if "inner" in parts:
            for end, label in (("lower", "reached by runs"), ("upper", None)):
                axes.plot(time, parts["inner"].sel(bound=end).values, color=INNER, lw=0.9, ls="--", label=label, zorder=5)
    elif "statistics" in parts:
        statistic = {str(word): parts["statistics"].sel(statistic=word).values for word in parts["statistics"]["statistic"].values}
        axes.fill_between(time, statistic["min"], statistic["max"], color=OUTER, alpha=0.12, lw=0, label="all runs", zorder=2)
        axes.fill_between(time, statistic["q05"], statistic["q95"], color=OUTER, alpha=0.28, lw=0, label="5 % to 95 %", zorder=3)
        axes.plot(time, statistic["q50"], color=OUTER, lw=0.9, ls="--", label="median", zorder=4)
        axes.plot(time, statistic["mean"], color=INNER, lw=1.1, label="mean", zorder=5)
    if "trusted" in parts:
        _shade(axes, time, ~parts["trusted"].values)
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time in s")
    axes.set_ylabel(_label(name, parts))
    _legend(axes)
    return figure


def scalar_figure(name: str, parts: Mapping[str, xr.DataArray], runs: xr.DataArray | None) -> Figure:
    """Histogram of the runs with bounds, or with mean and quantiles."""
    figure, axes = _canvas()
    values = np.empty(0) if runs is None else np.asarray(runs.values, float)
    if values.size > 1 and np.ptp(values) > 0:
        axes.hist(values, bins=min(60, max(8, int(np.sqrt(values.size)))), color=RUN, label=f"{values.size} runs")
        axes.set_ylabel("number of runs")
    else:
        axes.set_yticks([])
    if "bounds" in parts:
        trusted = "trusted" not in parts or bool(parts["trusted"].values)
        lower, upper = (float(parts["bounds"].sel(bound=end)) for end in ("lower", "upper"))
        label = "outer bounds" if trusted else "sampled envelope, not trusted"
        axes.axvspan(lower, upper, color=OUTER if trusted else DOUBT, alpha=0.15, lw=0, label=label)
        for end in (lower, upper):
            axes.axvline(end, color=OUTER if trusted else DOUBT, lw=1.2)
    elif "statistics" in parts:
        statistic = parts["statistics"]
        low, mean, high = (float(statistic.sel(statistic=word)) for word in ("q05", "mean", "q95"))
        axes.axvspan(low, high, color=OUTER, alpha=0.2, lw=0, label="5 % to 95 %")
        axes.axvline(mean, color=INNER, lw=1.4, label="mean")
    axes.set_xlabel(_label(name, parts))
    _legend(axes)
    return figure


def _canvas():
    figure = Figure(figsize=(7.5, 4.0), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(True, lw=0.4, alpha=0.5)
    return figure, axes


def _label(name: str, parts: Mapping[str, xr.DataArray]) -> str:
    unit = next((parts[key].attrs.get("unit", "") for key in ("bounds", "inner", "statistics") if key in parts), "")
    return f"{name} in {unit}" if unit else name


def _shade(axes, time: np.ndarray, doubtful: np.ndarray) -> None:
    """Grey bands over runs of True, half a step wider on both sides."""
    edges = np.concatenate([time[:1], (time[1:] + time[:-1]) / 2, time[-1:]])
    change = np.flatnonzero(np.diff(np.concatenate([[False], doubtful, [False]]).astype(int)))
    for i, (start, stop) in enumerate(zip(change[::2], change[1::2], strict=True)):
        label = "not trusted: envelope of runs" if i == 0 else None
        axes.axvspan(edges[start], edges[stop], color=DOUBT, alpha=0.25, lw=0, label=label, zorder=0)


def _legend(axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=5, frameon=False, fontsize=8)
