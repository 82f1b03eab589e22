"""Whether the answer may be relied on, in one line, and why."""

from dataclasses import dataclass

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.sensitivities import kinds
from uqmbd.method_facts import Estimates, Evidence, Limit, Walked
from uqmbd.report import basins, diagrams
from uqmbd.report.words import listed, runs_said
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import brief
from uqmbd.tables.outputs import has_probability, widest
from uqmbd.tables.trust import Trust, percent, trust_of

WORDS = {"yes": "Trusted", "partly": "Partly trusted", "no": "Not trusted", "unsaid": "Not judged"}
WIDE = 0.5  # half the width of limits, as a share of the estimate: from there on it is a size alone
UNSURE = 0.1  # of indices, from 0 to 1


@dataclass(frozen=True)
class Judged:
    """Trust in the answer."""

    state: str  # yes, partly, no, or unsaid where the method makes no such claim
    why: str  # the rest of a sentence

    @property
    def label(self) -> str:
        """The word for it."""
        return WORDS[self.state]


def judged(result: ResultData, name: str | None) -> Judged | None:
    """Trust in what is said of the key output; None of a result that says nothing."""
    if name is None:
        return None
    if result.facts_of(Estimates):
        return _of_estimates(result)
    if result.facts.about == "diagram":
        return _of_diagram(result, name)
    if result.facts.about == "basins":
        return _of_basins(result)
    trust = trust_of(result, name)
    if trust is not None and (trust.claimed or trust.share < 1.0):
        return _of_trust(result, name, trust)
    if has_probability(result, name):
        return _of_probability(result, name)
    if result.facts.about == "indices" and name in result.sensitivity:
        return _of_indices(result, name)
    if name in result.statistics and not samples.are_chosen(result):
        return _of_sample(result, name)
    return Judged("unsaid", "runs at chosen values, and nothing is said of what lies between them")


def _of_trust(result: ResultData, name: str, trust: Trust) -> Judged:
    if trust.share < 1.0 and trust.axis and trust.share > 0.0:
        return Judged("partly", f"for {percent(trust.share)} of the {trust.axis}; elsewhere {trust.reason()}")
    if trust.share < 1.0:
        return Judged("no", trust.reason())
    why = _evidence(result, trust)
    doubted = [other for other in result.outputs if (about := trust_of(result, other)) is not None and about.share < 1.0]
    if doubted:
        which = listed(doubted) if len(doubted) <= 2 else f"{len(doubted)} other outputs"
        why = f"{why}; {which} {'is' if len(doubted) == 1 else 'are'} not, or not everywhere"
    return Judged("yes", why)


def _evidence(result: ResultData, trust: Trust) -> str:
    """What speaks for bounds, or a surrogate, that are trusted."""
    known = result.facts_of(Evidence)
    if trust.statistic:
        return f"the limits of the {trust.statistic} are within the error that was asked for"
    if trust.alone or trust.searched == 1.0:
        fresh, outside = known.runs_fresh, known.outside_found
        which = f"{fresh:,} fresh runs" if fresh else "fresh runs"
        return f"{'none' if not outside else f'{outside:,}'} of {which} left {'them' if trust.bounds else 'it'} by more than is allowed"
    checks = known.runs_validation
    at = f"{checks:,} runs that it was not fitted to" if checks else "runs that it was not fitted to"
    return f"the surrogate's error at {at} is below the tolerance"


def _of_diagram(result: ResultData, name: str) -> Judged:
    if share := diagrams.unsure(result, name):
        which = "the transient is not over, or there are too few section points"
        return Judged("partly" if share < 1.0 else "no", f"in {percent(share)} of the runs {which}")
    return Judged("unsaid", "no transient is seen any more, and other motions may attract other starts")


def _of_basins(result: ResultData) -> Judged:
    if share := basins.unsure(result):
        return Judged("partly", f"{share} no attractor is told; upper limits of shares take them in")
    return Judged("unsaid", "every run comes to an attractor; limits of shares are those of a random sample of starts")


def _plus_minus(share: float) -> str:
    """Half the width of limits, as a share: ``± 1.2 %``."""
    return f"± {brief(100 * share, 100 * share)} %"


def _of_probability(result: ResultData, name: str) -> Judged:
    if result.facts_of(Limit).unknown:
        return Judged("no", "the limit is no plane, and the estimate takes it for one")
    table = widest(result.statistics[name])
    known = [word for word in ("probability_lower", "probability_upper") if word in table["statistic"]]
    limits = [float(np.nanmax(table.sel(statistic=word).values)) for word in known]
    estimate = float(np.nanmax(table.sel(statistic="probability").values))
    if len(limits) < 2 or not np.isfinite(limits).all():
        return Judged("unsaid", "the limit is taken for a plane or a parabola, and no run far from it has checked that")
    half = (limits[1] - limits[0]) / 2
    said = f"the estimate is known to {_plus_minus(half / estimate)}" if estimate else f"the limit is {brief(limits[1])}"
    state = "yes" if estimate and half < WIDE * estimate else "partly"
    return Judged(state, f"from {runs_said(result)} runs {said} (95 % confidence)")


def _of_indices(result: ResultData, name: str) -> Judged:
    table = result.sensitivity[name]
    shown = kinds(table)
    every = [str(kind) for kind in table["kind"].values]
    widths = []
    for kind in shown:
        if {f"{kind}_lower", f"{kind}_upper"} <= set(every) and kind not in ("mu", "sigma"):
            ends = [np.asarray(table.sel(kind=f"{kind}_{side}").values, float) for side in ("lower", "upper")]
            whole = np.nanmax(table.sel(kind=kind).values) if kind == "mu_star" else 1.0  # which has the unit of the output
            half = (ends[1] - ends[0]) / 2 / whole
            widths.append(np.nanmax(half) if np.isfinite(half).any() else np.nan)
    known = [width for width in widths if np.isfinite(width)]
    if not known:
        return Judged("unsaid", f"from {runs_said(result)} runs; these indices have no limits, so read them as an order")
    state = "yes" if max(known) < UNSURE else "partly"
    return Judged(state, f"from {runs_said(result)} runs the indices are known to ± {brief(max(known), max(known))}")


def _of_sample(result: ResultData, name: str) -> Judged:
    """A sample speaks for itself, as far as its limits go."""
    table = widest(result.statistics[name])
    known, runs = [str(word) for word in table["statistic"].values], runs_said(result)
    if {"mean", "std", "mean_lower", "mean_upper"} <= set(known) and "bound" not in table.dims:
        lower, upper, std = (np.asarray(table.sel(statistic=word).values, float) for word in ("mean_lower", "mean_upper", "std"))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = (upper - lower) / 2 / std
        if np.isfinite(share).any():
            worst = float(np.nanmax(np.where(np.isfinite(share), share, np.nan)))
            state = "yes" if worst < WIDE else "partly"
            return Judged(state, f"{runs} random runs tell the mean to {_plus_minus(worst)} of the scatter")
        return Judged("no", f"{runs} random runs are too few for limits of the mean")
    return Judged("unsaid", f"from {runs} runs, with no limits of their own")


def _of_estimates(result: ResultData) -> Judged:
    estimates = result.facts_of(Estimates)
    if estimates.fit_doubted:
        return Judged("no", "what is left between model and measurement is not as large as the readings' deviations say")
    walked = result.facts_of(Walked)
    if walked.chains_converged is False:
        return Judged("no", "the chains have not converged")
    if walked.surrogate_converged is False:
        return Judged("no", "the surrogate on which the chains walked has not converged")
    if leaning := list(walked.leaning):
        return Judged("partly", f"the posterior of {listed(leaning)} lies at an end of the prior")
    starts = estimates.ended
    if starts and min(starts, key=lambda start: start.cost).end != "converged":
        return Judged("no", "the search for the best values ended before it converged")
    if held := list(estimates.at_bound):
        return Judged("partly", f"{listed(held)} {'is' if len(held) == 1 else 'are'} at the end of the given range")
    pairs = [f"{a} and {b}" for a, b, _ in estimates.correlated]
    together = f"; the readings tell {listed(pairs)} better together than each by itself" if pairs else ""
    if estimates.fit:
        return Judged("yes", f"the model fits {estimates.readings or 'the'} readings within their deviations{together}")
    if not estimates.estimate_lower:
        return Judged("unsaid", "no readings are left over that would tell how well the estimates are known")
    return Judged("yes", f"the limits rest on the scatter of {estimates.readings or 'the'} readings about the model{together}")
