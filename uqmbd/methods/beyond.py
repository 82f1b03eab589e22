"""Limits that outputs may pass, as they are written, and the probability of outputs to be beyond them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.statistics.moment_limits import proportion_limits
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import GroupSpec
from uqmbd.inputs.quantity import in_unit, level
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    import xarray as xr

WRITTEN = re.compile(r"\s*(?P<sign><|>)\s*(?P<level>[^<>=]+?)\s*")
PARTS = ("probability", "lower", "upper")
BEYOND = GroupSpec(
    "beyond",
    ("part",),
    "probability to be beyond a limit, attribute ``limit``; ``part``: probability, and its confidence limits, lower and upper",
    "1",
    caption="",
)


def limit_of(text: str, key: str) -> tuple[bool, Any]:
    """Whether values above it are meant, and the limit, of ``"> 18 kN"``; `key` is that of the setting."""
    match = WRITTEN.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        remedy = 'write "> 18 kN" where values above are meant, or "< 2 mm"'
        raise StudyError("a limit of an output is a text", key=key, value=text, remedy=remedy)
    try:
        return match["sign"] == ">", float(match["level"])
    except ValueError:
        pass
    try:
        return match["sign"] == ">", level(match["level"])
    except ValueError as error:
        raise StudyError(str(error), key=key, value=text) from None


def _checked(value: Any) -> Any:
    for name, text in value.items() if isinstance(value, Mapping) else ():
        limit_of(text, f"beyond.{name}")
    return value


Beyond = Annotated[dict[str, str] | None, BeforeValidator(_checked)]  # limits by output: {"x:max": "> 18 kN"}


@dataclass(frozen=True)
class Passed:
    """A limit of one output."""

    output: str
    above: bool
    level: float  # in the unit of the output
    text: str

    def by(self, values: np.ndarray) -> np.ndarray:
        """Which of `values` are beyond it; same shape, bool."""
        return values > self.level if self.above else values < self.level

    def share(self, values: np.ndarray, confidence: float) -> np.ndarray:
        """Share of `values` (n,) beyond it, of those that are there, with its limits (Clopper and Pearson): (3,); NaN of none."""
        there = values[~np.isnan(values)]
        if not len(there):
            return np.full(3, np.nan)
        hits = np.array([np.count_nonzero(self.by(there))])
        return np.array([hits / len(there), *proportion_limits(hits, len(there), confidence)])[:, 0]


def passed(beyond: Mapping[str, str] | None, outputs: Mapping[str, OutputInfo]) -> tuple[Passed, ...]:
    """The limits of a study, in the units of its outputs; raises `StudyError` unless these are there, and numbers."""
    found = []
    for name, text in (beyond or {}).items():
        key = f"method.beyond.{name}"
        if name not in outputs:
            raise StudyError(f"there is no output '{name}'", key=key, remedy=did_you_mean(name, outputs, noun="output"))
        if outputs[name].axis is not None:
            remedy = f'take a number of it, "{name}:max", say, here and in [outputs]'
            raise StudyError(f"'{name}' is {outputs[name].noun}, and limits are of numbers", key=key, remedy=remedy)
        above, value = limit_of(text, key)
        found.append(Passed(name, above, in_unit(value, outputs[name].unit, of=name, key=key), " ".join(text.split())))
    return tuple(found)


def beyond_group(limits: Sequence[Passed], shares: Mapping[str, np.ndarray], outputs: Mapping[str, OutputInfo]) -> xr.Dataset:
    """Group `BEYOND` of a result, from the probability of each output and its limits, (3,)."""
    beside = Columns({one.output: outputs[one.output] for one in limits}, np.zeros(1))
    rows = np.stack([shares[one.output] for one in limits], axis=1) if limits else np.empty((3, 0))
    group = beside.dataset(rows, {"part": list(PARTS)}, unit="")
    for one in limits:
        group[one.output].attrs |= {"limit": one.text, "level": one.level, "above": int(one.above)}
    return group


def drivers_table(result: Any) -> Any:
    """Inputs in which runs beyond a limit differ from the others, by output, with the distances; None where they are too few."""
    import pandas as pd

    from uqmbd.tables.drivers import drivers
    from uqmbd.tables.frames import Frame

    if BEYOND.name not in result.specs or "status" not in result.runs:
        return None
    ok, rows = result.runs["status"].values == 0, []
    for name, array in result[BEYOND.name].data_vars.items():
        if name in result.runs and (limit := array.attrs.get("level")) is not None:
            values = result.runs[name].values
            found = drivers(result, values > limit if array.attrs["above"] else values < limit, ok & ~np.isnan(values))
            rows += [[str(name), key, far, found.chance] for key, far in found.distance.items()] if found is not None else []
    if not rows:
        return None
    table = pd.DataFrame(rows, columns=["output", "input", "distance", "once in 100 by chance"]).set_index("output")
    title = "Inputs that drive runs beyond a limit: distance of their distributions there from those of the other runs"
    return Frame("drivers", title, table)


def beyond_table(result: Any) -> Any:
    """Output, limit, probability to be beyond it, and its confidence limits; None where there are none."""
    import pandas as pd

    from uqmbd.tables.frames import Frame

    if BEYOND.name not in result.specs:
        return None
    group = result[BEYOND.name]
    rows = {str(name): [array.attrs["limit"], *array.values.tolist()] for name, array in group.data_vars.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["limit", *PARTS]).rename_axis("output")
    return Frame("beyond", "Probability of outputs to be beyond a limit, with 95 % confidence limits", table)
