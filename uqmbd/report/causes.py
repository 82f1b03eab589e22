"""Which inputs an output depends on most, in a sentence that says by which index."""

import numpy as np

from uqmbd.analysis.statistics.trust import SEARCHED
from uqmbd.figures.marks import UNSEEN
from uqmbd.figures.sensitivities import kinds
from uqmbd.method_facts import Limit
from uqmbd.result_data import ResultData
from uqmbd.tables.scaling import scale_of
from uqmbd.tables.trust import trust_of

# in the order in which they are told
SHARES = {
    "shapley": "Shapley effects",
    "total": "total Sobol' indices",
    "main_effect": "main effects, as shares of the width",
    "first": "first-order Sobol' indices",
    "importance": "importance factors of the plane through the design point, alpha squared",
}
DISTANCES = {
    "delta": "Borgonovo's delta, from 0 to 1",
    "pawn": "the distance PAWN, from 0 to 1",
    "dgsm": "DGSM, an upper bound of the total Sobol' index",
    "width_reduction": "how much narrower the bounds become when its interval is halved, from 0 to 1",
}
UNSAFE = "unsafe_distance"
LEADING = 2
LEAST = 0.005  # shares and distances that are said to be some
SIGNIFICANT = 1.63  # of distances of Kolmogorov and Smirnov times the root of the number of runs: one in a hundred is larger by chance


def cause(result: ResultData, name: str, *, index: bool = True) -> str:
    """Which inputs the output depends on most; empty where no index says so, or where those that do are refuted.

    With `index` the sentence says by which index.
    """
    if doubt(result, name):
        return ""
    for key in ("sensitivity", "aggregated"):
        group = result[key]
        if name not in group or result.axis_of(name, key):
            continue
        table, known = group[name], kinds(group[name])
        if UNSAFE in known:
            return _unsafe(result, table, index=index)
        refuted = ("importance",) if result.facts_of(Limit).plane_refuted else ()
        kind = next((kind for kind in (*SHARES, *DISTANCES) if kind in known and kind not in refuted), None)
        if kind is None and "mu_star" in known:
            return _effects(result, name, table, index=index)
        if kind is None or table.sizes["input"] < 2:
            continue
        values = _values(table, kind)
        said = [(table["input"].values[k], values[k]) for k in leading(values) if values[k] >= LEAST]
        words = [
            f"{one} ({100 * (value if index else min(value, 1.0)):.0f} %)" if kind in SHARES else f"{one} ({value:.2f})"
            for one, value in said
        ]
        by = f", by {(SHARES | DISTANCES)[kind]}" if index else ""
        return f"It depends most on {', then on '.join(words)}{by}." if words else ""
    return ""


def doubt(result: ResultData, name: str) -> str:
    """Why indices of an output's surrogate say little; empty where they hold."""
    if name in result.source and (result.source[name].values == SEARCHED).any():
        return "These are of the surrogate, which does not hold here: the bounds are those of a search."
    trust = trust_of(result, name)
    return "" if trust is None or trust.share else "These are of the surrogate, which is not trusted here."


def leading(values: np.ndarray) -> np.ndarray:
    """Places of the greatest values (inputs,), greatest first."""
    return np.argsort(-values, kind="stable")[:LEADING]


def _values(table, kind: str) -> np.ndarray:
    return np.nan_to_num(np.asarray(table.sel(kind=kind).values, float))


def _unsafe(result: ResultData, table, *, index: bool) -> str:
    """In which inputs unsafe runs differ most from all, if by more than so many runs do by chance."""
    values, runs = _values(table, UNSAFE), float(result.facts_of(Limit).unsafe_runs)
    words = [f"{table['input'].values[k]} ({values[k]:.2f})" for k in leading(values) if values[k] ** 2 * runs > SIGNIFICANT**2]
    by = ", by the distance of Kolmogorov and Smirnov, from 0 to 1" if index else ""
    return f"Unsafe runs differ from all runs most in {', then in '.join(words)}{by}." if words else ""


def _effects(result: ResultData, name: str, table, *, index: bool) -> str:
    """By how much the leading inputs change the output, each over its whole range."""
    within, values = scale_of(result, name), _values(table, "mu_star")
    seen = [k for k in leading(values) if values[k] > UNSEEN * values.max()]
    words = [f"with {table['input'].values[k]}, by {within.said(f'{within.of(values[k]):.3g}')}" for k in seen]
    over = ", on average over the range of the input (mu*)" if index else ", each over its range"
    return f"It changes most {', then '.join(words)}{over}." if words else ""
