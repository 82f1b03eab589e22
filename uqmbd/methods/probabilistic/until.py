"""Runs until the limits of statistics are narrow enough: what is asked for, and limits that hold although runs are looked at on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.statistics.moment_limits import LEAST
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import Checked
from uqmbd.inputs.quantity import Level
from uqmbd.methods.accuracy import allowed, is_share, require_positive, require_pure
from uqmbd.methods.beyond import Passed
from uqmbd.methods.settling import Estimated, Settling, of_shares
from uqmbd.outcomes import OutputInfo

MISSED = 0.05  # probability with which the limits at any of the looks may miss
LEAST_MORE, MOST_MORE = 1.3, 4.0  # times as many runs at the next look
STATISTICS = ("mean", "std", "quantile", "probability")
TINY = np.finfo(float).tiny
STEPS, CONVERGING = 16, 200  # numbers of runs that show convergence, and outputs up to which it is shown
SPARE = 1.1  # runs beyond what the widths so far say


class Until(Checked):
    """How narrow limits are to be before no more runs are asked for.

    Attributes
    ----------
    mean, std, quantile : float or str, optional
        Half the width of the limits: a share of the largest size of the statistic, ``"1 %"``, or a number in the output's unit. That of
        quantiles is of all that are reported, of outputs that are numbers.
    probability : float or str, optional
        The same of the probability of each output to be beyond its limit: a share of it, ``"10 %"``, or a number.
    outputs : list of str, optional
        Which are looked at; all unless said.
    most : int
        Largest number of runs.
    """

    mean: Level = None
    std: Level = None
    quantile: Level = None
    probability: Level = None
    outputs: list[str] | None = None
    most: int = Field(default=100_000, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.asked:
            raise StudyError("nothing is asked for", key="until", remedy=f'give one of {", ".join(STATISTICS)}: until = {{ mean = "1 %" }}')
        for key, wanted in self.asked.items():
            require_positive(wanted, f"until.{key}")
        require_pure(self.probability, "until.probability", "a probability")
        return self

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, by statistic."""
        return {key: value for key in STATISTICS if (value := getattr(self, key)) is not None}

    @property
    def of_rows(self) -> list[str]:
        """Those of them that are statistics of all outputs."""
        return [key for key in self.asked if key != "probability"]

    def check(self, outputs: Mapping[str, OutputInfo], limits: Sequence[Passed] = ()) -> None:
        """Raise `StudyError` unless its outputs are there, with numbers, or limits, where quantiles, or probabilities, are asked for."""
        if self.probability is not None and not any(self.looks_at(one.output) for one in limits):
            remedy = 'write beyond = { "x:max" = "> 18 kN" } in [method]'
            raise StudyError("no output that is looked at has a limit to be beyond", key="method.until.probability", remedy=remedy)
        for name in self.outputs or ():
            if name not in outputs:
                remedy = did_you_mean(name, outputs, noun="output")
                raise StudyError(f"there is no output '{name}'", key="method.until.outputs", remedy=remedy)
        numbers = [name for name, info in outputs.items() if info.axis is None and self.looks_at(name)]
        if self.quantile is not None and not numbers:
            remedy = "ask for a number too, x:max, say; or for mean and std"
            raise StudyError("no output is a number, whose quantiles are looked at", key="method.until.quantile", remedy=remedy)

    def looks_at(self, name: str) -> bool:
        """Whether an output is looked at."""
        return self.outputs is None or name in self.outputs

    def widths(self, columns: Columns, rows: Mapping[str, np.ndarray], doubtful: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Half the width of the limits of each statistic, over what is asked for, by output: the largest of its columns.

        Infinite where there are no limits, or none that can be relied upon.

        Parameters
        ----------
        columns : Columns
        rows, doubtful : dict of str to ndarray, shape (columns,)
            Statistics with their limits by name, and which of them are doubtful.
        """
        found = np.zeros(columns.count)
        for key in self.of_rows:
            names, limit = self.of_statistic(key, rows), self.goal(key, columns, rows)
            found = np.fmax(found, np.max([half_width(rows, name) for name in names], axis=0) / np.maximum(limit, TINY))
            found[doubtful.get(f"{key}_doubtful", np.zeros(columns.count, bool))] = np.inf
        return {name: float(found[at].max()) for name, at in columns.slices.items() if self.looks_at(name)}

    @staticmethod
    def of_statistic(key: str, rows: Mapping[str, np.ndarray]) -> list[str]:
        """Which of the `rows` are meant by a key."""
        return [key] if key != "quantile" else [name for name in rows if name[:1] == "q" and "_" not in name]

    def goal(self, key: str, columns: Columns, rows: Mapping[str, np.ndarray]) -> np.ndarray:
        """Half the width of limits that is asked for, (columns,); infinite of quantiles of histories, of which only some runs are kept."""
        largest = np.max([np.abs(rows[name]) for name in self.of_statistic(key, rows)], axis=0)
        limit = allowed(self.asked[key], columns, np.nan_to_num(largest), f"method.until.{key}")
        for name, at in columns.slices.items():
            if key == "quantile" and name in columns.axes:
                limit[at] = np.inf
        return limit

    def widths_of_shares(self, shares: Mapping[str, np.ndarray]) -> dict[str, float]:
        """The same of probabilities: `shares` are the probability of each output and its limits, (3,)."""
        if self.probability is None:
            return {}
        found = {}
        for name, (share, lower, upper) in shares.items():
            if self.looks_at(name):
                limit = float(self.probability) * (share if is_share(self.probability) else 1.0)
                found[name] = float(np.nan_to_num((upper - lower) / 2 / max(limit, TINY), nan=np.inf))
        return found


def half_width(rows: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """Half the width of the limits of a statistic, (columns,); infinite where there are none."""
    with np.errstate(invalid="ignore"):
        half = (rows[f"{name}_upper"] - rows[f"{name}_lower"]) / 2
    return np.where(np.isnan(half), np.inf, half)


def confidence(look: int, last: bool) -> float:
    """Confidence of the limits at a look, counted from 1, so that those at all looks hold together with 95 % at least.

    The first may miss with half of the 5 %, the next with half of what is left, and so on; the last one has all that is left (Bonferroni's
    inequality). So they hold at the look at which the runs end, whatever decides that.
    """
    return 1.0 - MISSED * 0.5 ** (look - 1 if last else look)


def next_count(count: int, width: float, look: int, most: int) -> int:
    """Runs at the next look, where limits are `width` times as wide as is asked for at this one, of `count` runs."""
    from scipy.special import ndtri

    wider = ndtri((1 + confidence(look + 1, last=False)) / 2) / ndtri((1 + confidence(look, last=False)) / 2)
    return runs_for(count, (min(width, MOST_MORE) * wider) ** 2, most)


def runs_for(count: int, times: float, most: int) -> int:
    """Runs at the next look, where those so far, `count`, are to be about `times` as many."""
    return min(most, int(np.ceil(count * np.clip(SPARE * times, LEAST_MORE, MOST_MORE))))


def sentences(until: Until, widths: Mapping[str, float], most: int) -> list[str]:
    """On outputs of which it was not reached."""
    beyond: Sequence[str] = [name for name, width in widths.items() if not width <= 1.0]
    if not beyond:
        return []
    what = " or ".join(until.asked)
    return [f"the limits of {what} that until asks for are not reached with most = {most} runs, of {', '.join(beyond[:6])}"]


def estimated(
    until: Until | None, columns: Columns, rows: Mapping[str, np.ndarray], shares: Mapping[str, np.ndarray] | None = None
) -> dict[str, Estimated]:
    """Statistics whose limits are asked for, with the goal of each, infinite of outputs that are not looked at; else the mean alone.

    Probabilities of outputs, `shares` (3,) with limits, wherever there are some.
    """
    found = {}
    wanted = [] if until is None else until.of_rows
    for key in wanted or ("mean",):
        goal = until.goal(key, columns, rows) if until is not None and wanted else None
        for name, at in columns.slices.items():
            if until is not None and goal is not None and not until.looks_at(name):
                goal[at] = np.inf
        for name in Until.of_statistic(key, rows):
            found[name] = Estimated(rows[name], rows[f"{name}_lower"], rows[f"{name}_upper"], goal)
    if shares:
        found["probability"] = of_shares(columns, shares, *(() if until is None else (until.probability, until.outputs)))
    return found


def settling(columns: Columns, runs: int, of: Callable[[int], Sequence[Any]], until: Until | None) -> dict[str, Any]:
    """The group `convergence` of so many ok runs; none of few runs or very many outputs.

    `of` the first of them gives statistics, by name (columns,), and probabilities with their limits, by output (3,).
    """
    found = Settling(columns)
    if runs < 2 * LEAST or columns.count > CONVERGING:
        return found.groups()
    for count in np.unique(np.geomspace(LEAST, runs, STEPS).astype(int)).tolist():
        found.add(count, estimated(until, columns, *of(count)))
    return found.groups()
