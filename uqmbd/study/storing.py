"""Where results go; what `campaign.store` and `campaign.precision` mean for a method: what it needs, what rounding costs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.study.study import Study

HALF_A_STEP = 2.0**-24  # of float32, relative: the largest error of rounding
FELT = 1e-3  # share of the spread over the runs from which rounding is seen in standard deviations and quantiles


def results_directory(out: str | Path | None, name: str) -> Path:
    """Where the results of a study go."""
    if out is None:
        return Path("results") / name
    if not str(out).strip():
        raise StudyError("the place of the results is empty", key="--out", value=str(out), remedy=f"write --out results/{name}, say")
    return Path(out)


def check_store(study: Study, info: Mapping[str, OutputInfo]) -> None:
    """Raise `StudyError` when histories are not to be kept and the method needs all of them."""
    histories = [name for name, entry in info.items() if entry.history]
    if study.campaign.store == "all" or not histories or study.method.reduce_key() is not None:
        return
    raise StudyError(
        f"the method {study.method.name} needs the histories of all runs, and '{histories[0]}' is a history that would not be kept",
        key="campaign.store",
        value=study.campaign.store,
        remedy=f'remove campaign.store, or ask for numbers only ("{histories[0]}:max", say); '
        "montecarlo and the approach sobol of sensitivity do without",
    )


def rounding_cost(study: Study, result: Result) -> dict[str, str]:
    """Attributes of a result that say what histories stored as float32 cost; none where nothing was rounded.

    The rounding of a number is at most 2^-24 of it. It is compared with the spread over the runs at the same time, from group `inner`.
    """
    if study.campaign.precision != "float32" or study.campaign.store != "all":
        return {}
    shares = {}
    for name, ends in result.inner.data_vars.items():
        if "time" in ends.dims:
            lower, upper = ends.sel(bound="lower").values, ends.sel(bound="upper").values
            size, spread = np.maximum(abs(lower), abs(upper)), upper - lower
            seen = spread > 0
            shares[str(name)] = float((HALF_A_STEP * size[seen] / spread[seen]).max()) if seen.any() else np.inf * bool(size.any())
    if not shares:
        return {"precision": "float32"}
    worst = max(shares, key=lambda name: shares[name])
    if shares[worst] == np.inf:
        text = f"all runs of '{worst}' are the same after rounding"
    else:
        text = f"rounding is up to {shares[worst]:.1g} of the spread over the runs (of '{worst}')"
    found = {"precision": f"float32: {text}"}
    if shares[worst] > FELT:
        found["note"] = f'histories were stored as float32, and {text}: precision = "float64" keeps their digits'
    return found
