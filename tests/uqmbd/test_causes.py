"""Which inputs decide, as the first screen says it: by which index, and nothing that the notes of the same result refute."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import kstest

from uqmbd.analysis.reliability.sampling import distances_of_unsafe
from uqmbd.inputs import Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE, Chebyshev, Reliability, Sensitivity
from uqmbd.methods.sensitivity import APPROACHES
from uqmbd.report.causes import DISTANCES, SHARES
from uqmbd.report.indices import indices_table
from uqmbd.report.summary import summary_of

from .loop import drive

NORMAL = {name: Random({"type": "normal", "mean": 0.0, "std": 1.0}) for name in ("speed", "bounce", "friction")}
BOX = {name: Interval(-1.0, 1.0) for name in ("speed", "bounce", "friction")}


def said(method, model, inputs=NORMAL, **keys):
    """The sentences of the first screen, and the result."""
    result, _ = drive(method, inputs, lambda time, **x: {"y": model(*x.values())}, **keys)
    return summary_of(result, {}).sentences, result


def plane(speed, bounce, friction):
    return 2 * speed + bounce


def two_ways(speed, bounce, friction):
    """Too slow, which is a plane near the medians, or, four times as often, rebound where bounce and speed are both large."""
    return np.maximum(-speed - 2.6 - 0.1 * friction, np.minimum(np.abs(bounce) - 1.3, speed + 0.2 - 0.05 * friction))


@pytest.mark.parametrize("approach", ["form", "importance"])
def test_shares_of_a_plane_that_holds(approach):
    keys = {"samples": 200} if approach == "importance" else {}
    sentences, result = said(Reliability(output="y", above=6.0, approach=approach, **keys), plane)
    assert not result.attrs["plane_refuted"] and not result.facts.notes
    assert f"It depends most on speed (80 %), then on bounce (20 %), by {SHARES['importance']}." in sentences
    assert "alpha squared" in SHARES["importance"]


def test_no_shares_of_a_plane_that_is_refuted():
    """The probability is not told as if it were known, and no input is blamed."""
    sentences, result = said(Reliability(output="y", above=0.0, approach="form"), two_ways)
    assert result.attrs["plane_refuted"] and result.facts.notes
    assert sentences[0].startswith("FORM puts the probability that y is") and "its own checks refute" in sentences[0]
    assert not any("depends most" in sentence or "%" in sentence for sentence in sentences)


def test_causes_from_unsafe_runs():
    """Where importance sampling gives way to subset simulation: the inputs in which its unsafe runs differ from all."""
    sentences, result = said(Reliability(output="y", above=0.0, approach="importance", samples=1000), two_ways)
    assert result.attrs["plane_refuted"] and result.attrs["estimated_by"] == "subset simulation"
    assert "by subset simulation; the plane through the design point (FORM) is refuted" in sentences[0]
    table = result.sensitivity["y"].sel(kind="unsafe_distance")
    rng = np.random.default_rng(2)
    z = rng.standard_normal((400_000, 3))
    unsafe = z[two_ways(*z.T) > 0]
    assert table.values == pytest.approx(distances_of_unsafe(ndtr(unsafe)), abs=0.12)
    words = [sentence for sentence in sentences if sentence.startswith("Unsafe runs differ from all runs most in")]
    assert words and "bounce" in words[0] and "friction" not in words[0]


@pytest.mark.parametrize(("approach", "samples"), [("subset", 1000), ("montecarlo", 3000)])
def test_distances_do_not_know_the_order_of_inputs(approach, samples):
    """Of inputs that depend on each other; those of inputs that are alike are alike."""
    for order in ("abc", "cba"):
        space = Space({name: NORMAL["speed"] for name in order}, dependence={"rank_correlation": [["a", "b", 0.8]]})
        method = Reliability(output="y", above=3.5, approach=approach, samples=samples)
        result, _ = drive(method, space, lambda time, **x: {"y": x["a"] + x["b"] + 0.1 * x["c"]})
        found = {name: float(result.sensitivity["y"].sel(kind="unsafe_distance", input=name)) for name in order}
        assert found["a"] == pytest.approx(found["b"], abs=0.1) and min(found["a"], found["b"]) > 0.5 and found["c"] < 0.35


def test_few_unsafe_runs_say_nothing():
    _, result = said(Reliability(output="y", above=6.5, approach="montecarlo", samples=1000), plane)
    assert not result.sensitivity and result.attrs.get("unsafe_runs", 0) < 20


def test_distance_is_that_of_scipy():
    u = np.random.default_rng(3).random((57, 3)) ** [1.0, 2.0, 0.3]
    assert distances_of_unsafe(u) == pytest.approx([kstest(column, "uniform").statistic for column in u.T])


NAMED = {
    "sobol": ({"samples": 64}, "total"), "morris": ({"samples": 10}, None), "fast": ({"samples": 129}, "total"),
    "rbd_fast": ({"samples": 200}, "first"), "delta": ({"samples": 200, "resamples": 3}, "delta"), "dgsm": ({"samples": 20}, "dgsm"),
    "pawn": ({"samples": 200, "resamples": 3}, "pawn"), "hdmr": ({"samples": 300, "degree": 2, "resamples": 3}, "total"),
    "shapley": ({"samples": 32}, "shapley"), "width": ({"degree": 3}, "width_reduction"), "derivative": ({}, ""),
}  # fmt: skip


@pytest.mark.parametrize("approach", APPROACHES)
def test_every_sentence_says_which_index(approach):
    keys, kind = NAMED[approach]
    sentences, _ = said(Sensitivity(approach=approach, **keys), lambda a, b, c: 3 * a + b, BOX)
    about = [sentence for sentence in sentences if "speed" in sentence and ("depends most" in sentence or "changes most" in sentence)]
    if kind == "":
        assert not about  # shares of no whole
    elif kind is None:
        assert about[0].endswith("(mu*).")
    else:
        assert about[0].endswith(f", by {(SHARES | DISTANCES)[kind]}.")


def test_expansions_say_which_index():
    for method, inputs, kind in (
        (PCE(samples=60, degree=2), BOX, "total"),
        (Chebyshev(degree=2, fallback_runs=0), BOX, "main_effect"),
        (PCE(samples=60, degree=2), Space(NORMAL, dependence={"rank_correlation": [["speed", "bounce", 0.5]]}), "shapley"),
    ):
        sentences, _ = said(method, lambda a, b, c: 3 * a + b, inputs)
        assert any("depends most on speed" in text and text.endswith(f", by {SHARES[kind]}.") for text in sentences)


def test_an_expansion_that_does_not_hold_blames_no_input():
    sentences, result = said(PCE(samples=60, degree=3), lambda a, b, c: np.sign(np.sin(9 * a)) + b, BOX)
    assert not result.trusted["y"] and not any("depends most" in sentence for sentence in sentences)
    assert any("expansion is not trusted (of y)" in note for note in result.facts.notes)


def test_bounds_of_a_search_blame_no_input():
    """Since the expansion, of which the main effects would be, does not hold."""
    sentences, result = said(Chebyshev(degree=2, fallback_runs=0), lambda a, b, c: 3 * a + b, BOX)
    assert any("depends most" in sentence for sentence in sentences)
    result.source = result.source + 1  # of a search
    assert not any("depends most" in sentence for sentence in summary_of(result, {}).sentences)


@pytest.mark.parametrize("approach", ["form", "sorm", "importance", "subset", "montecarlo"])
def test_probabilities_do_not_know_units(approach):
    keys = {"samples": 200} if approach in ("importance", "subset", "montecarlo") else {}
    found = []
    for unit in (1.0, 1e160, 1e-160):
        method = Reliability(output="y", above=3.0 * unit, approach=approach, **keys)
        result, _ = drive(method, NORMAL, lambda time, unit=unit, **x: {"y": unit * plane(**x)})
        found.append(float(result.statistics["y"].sel(statistic="probability")))
    assert found[1:] == pytest.approx([found[0]] * 2, rel=1e-6) and found[0] > 0.05


def test_main_effects_of_a_surrogate_that_does_not_hold_say_so():
    """The first sentence leaves them out; the table that shows them says why."""

    def steps(speed, bounce, friction):
        return np.sign(speed - 0.31) + np.abs(bounce - 0.2) + 0.1 * friction

    for model, holds in ((plane, True), (steps, False)):
        sentences, result = said(Chebyshev(degree=4), model, BOX)
        table = indices_table(result, "y")
        assert table.rows and any("depends most" in sentence for sentence in sentences) == holds
        assert (table.note == "") == holds, table.note
