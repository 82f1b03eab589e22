"""Where a result may be relied on: the trusted share of the time, or another axis, its gaps, and the sentence that explains them."""

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.statistics.trust import SEARCHED as BY_SEARCH
from uqmbd.method_facts import Trusting
from uqmbd.outcomes import TIME
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import axis_unit, picked

BEYOND = "its validated error exceeds the tolerance"
WIDENED = "the error of the surrogate exceeds the tolerance, and the bounds are widened by that"
SEARCHED = "fresh runs lay further outside of what a search reached than is allowed, or are too few, and the bounds are widened by that"


@dataclass(frozen=True)
class Trust:
    """Trust in one output's bounds, or in the surrogate of a method that gives none."""

    share: float  # of the time, or of another axis, that is trusted; 0 or 1 of a scalar
    horizon: float  # time [s] from which trust stays lost; inf if it holds at the end, NaN of what is not over time
    spans: tuple[tuple[float, float], ...]  # times [s], or values of another axis, that are not trusted, merged
    bounds: bool = True  # whether there are some to be trusted
    searched: float = 0.0  # share of the axis at which a search has found them
    widened: str = "surrogate"  # where bounds that are not trusted come from: search, surrogate or both
    alone: bool = False  # whether nothing but a search has been asked
    axis: str = ""  # of the output; empty of a scalar
    unit: str = ""  # of that, to stand after a number
    why: str = ""  # what takes the trust away besides the method's own error
    claimed: bool = True  # whether the method says what it trusts; else only what holds for all methods is known
    statistic: str = ""  # of which it speaks, where that are not bounds

    def sentence(self) -> str:
        """Explain it in words."""
        return self._trusted() + self._origin()

    def _origin(self) -> str:
        """Where the bounds come from, if not all from the same."""
        if not self.searched or self.alone:
            return ""
        where = f" at {percent(self.searched)} of the {self.axis}" if self.axis and self.searched < 1 else ""
        return f" They come from a search{where}, since the surrogate was not close enough."

    def _trusted(self) -> str:
        what = "The bounds are" if self.bounds else "The surrogate is" if self.claimed else "The result is"
        what = f"The {self.statistic} is" if self.statistic else what
        if self.share == 1.0:
            return f"{what} trusted" + (f" at all {'times' if self.axis == TIME.name else f'values of {self.axis}'}." if self.axis else ".")
        if not self.axis:
            return f"{what} not trusted: {self.reason()}."
        if self.share == 0.0:
            return f"{what} trusted at no {'time' if self.axis == TIME.name else f'value of {self.axis}'}: {self.reason()}."
        if len(self.spans) == 1:
            where = f"from {self.spans[0][0]:.4g}{self.unit} to {self.spans[0][1]:.4g}{self.unit}"
        else:
            longest = max(self.spans, key=lambda span: span[1] - span[0])
            where = f"in {len(self.spans)} spans, the longest from {longest[0]:.4g}{self.unit} to {longest[1]:.4g}{self.unit}"
        text = f"{what} not trusted for {percent(1 - self.share)} of the {self.axis} ({where}): there {self.reason()}."
        if np.isfinite(self.horizon):
            text += f" Trust is lost for good at {self.horizon:.4g} s (the trust horizon)."
        return text

    def reason(self) -> str:
        """Why it is not trusted, as a part of a sentence."""
        if self.why:
            return self.why
        if not self.bounds:
            return BEYOND
        return {"search": SEARCHED, "surrogate": WIDENED}.get(self.widened, f"{WIDENED}; or {SEARCHED}")


def percent(share: float) -> str:
    """Write a share in percent without rounding a gap away."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "> 99.9 %"
    if text == "0.0" and share > 0:
        return "< 0.1 %"
    return text.removesuffix(".0") + " %"


def trust_of(result: ResultData, name: str) -> Trust | None:
    """Trust in one output; None where the method makes no such claim."""
    if name not in result.trusted:
        return None
    array = result.trusted.variables[name]
    trusted = np.atleast_1d(array.values).astype(bool)
    searched, widened = 0.0, "surrogate"
    if name in result.source:
        taken = np.atleast_1d(picked(result.source, name)) == BY_SEARCH
        searched, doubtful = float(taken.mean()), np.unique(taken[~trusted])
        widened = "both" if len(doubtful) > 1 else "search" if doubtful.any() else "surrogate"
    origin = name in result.bounds, searched, widened, result.facts.by_search
    axis, said = result.axis_of(name, "trusted"), Trusting.of(array.attrs)
    about = said.why, bool(said.claimed), said.statistic
    if axis is None:
        return Trust(float(trusted[0]), np.nan, (), *origin, "", "", *about)
    array = result.trusted[name]
    horizon = float(result.trust_horizon[name]) if name in result.trust_horizon else np.inf if axis == TIME.name else np.nan
    return Trust(float(trusted.mean()), horizon, _spans(array[axis].values, ~trusted), *origin, axis, axis_unit(array, axis), *about)


def marked(result: ResultData, name: str, title: str) -> str:
    """The title of a figure of one scalar, which says when the scalar is not trusted."""
    trust = trust_of(result, name)
    return f"{title} (not trusted)" if trust and not trust.axis and not trust.share else title


def _spans(time: np.ndarray, flagged: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Runs of flagged grid points as spans of time, each point standing for the half step on either side."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flagged.astype(np.int8), [0]))))
    middle = np.concatenate((time[:1], 0.5 * (time[1:] + time[:-1]), time[-1:]))
    return tuple((float(middle[a]), float(middle[b])) for a, b in edges.reshape(-1, 2))
