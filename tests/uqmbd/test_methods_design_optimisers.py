"""Turns of optimisation and assessment, several starts, and optimisers behind one door: published optima, and one of several optima."""

import numpy as np
import pytest
from scipy.stats import norm

from uqmbd.decision_facts import Designed
from uqmbd.errors import StudyError
from uqmbd.figures.designs import design_figures
from uqmbd.inputs import Interval
from uqmbd.methods import Design
from uqmbd.methods.design import reliable

from .loop import drive
from .test_methods_design import CANTILEVER, THREE, cantilever, normal, youn_choi

LIMITS = {"stress": "beta(> 0) >= 3", "sag": "beta(> 2.2535) >= 3"}
PUBLISHED = {(0.3, 3): (3.43908414, 3.28657529, 6.72565943), (0.6, 2): (3.60893981, 3.65931729, 7.26825710)}


def of_three(std, beta, **keys):
    limits = {name: f"beta(< 0) >= {beta}" for name in THREE}
    method = Design(minimise="cost", limits=limits, move={"z1": [0.0, 10.0], "z2": [0.0, 10.0]}, samples=0, **keys)
    return drive(method, {"z1": normal(5.0, std), "z2": normal(5.0, std)}, youn_choi)[0]


def waves(time, a, b):
    """Four local optima in the square, the least of 0 at (0.8, 0.8)."""
    return {"y": 1 - np.cos(4 * (a - 0.8)) + 0.4 * (a - 0.8) ** 2 + 1 - np.cos(4 * (b - 0.8)) + 0.4 * (b - 0.8) ** 2, "z": a + b}


SQUARE = {"a": Interval(-2.5, 1.5), "b": Interval(-2.5, 1.5)}


def test_turns_end_at_the_published_cantilever():
    result, runs = drive(Design(minimise="area", limits=LIMITS, approach="sora", samples=200), CANTILEVER, cantilever)
    facts = result.facts_of(Designed)
    np.testing.assert_allclose([facts.design["w"], facts.design["t"], facts.objective], [2.44838785, 3.88837527, 9.52025075], rtol=1e-7)
    assert facts.verified and facts.runs_searching + facts.runs_verifying == runs == result.attrs["runs"]


@pytest.mark.parametrize("case", PUBLISHED)
def test_turns_end_at_the_published_designs_of_youn_and_choi(case):
    facts = of_three(*case, approach="sora").facts_of(Designed)
    np.testing.assert_allclose([*facts.design.values(), facts.objective], PUBLISHED[case], rtol=1e-7)


def test_a_search_from_the_middle_may_end_at_a_worse_design_than_several_do():
    one = drive(Design(minimise="y", limits={}, samples=0), SQUARE, waves)[0].facts_of(Designed)
    several = drive(Design(minimise="y", limits={}, samples=0, starts=8), SQUARE, waves)[0]
    best = several.facts_of(Designed)
    assert one.objective > 0.1 and best.objective == pytest.approx(0.0, abs=1e-9)
    assert 1 <= best.starts_alike < best.starts_tried == 8 and set(several["designs"]["start"].values) == set(range(8))


def test_searches_without_slopes_end_at_the_same_design():
    method = Design(minimise="y", limits={"z": "<= 1"}, samples=0, optimiser="cobyqa", steps=20)
    facts = drive(method, {"a": Interval(0.4, 1.2)}, lambda time, a: waves(time, a, 0.5))[0].facts_of(Designed)
    assert facts.design["a"] == pytest.approx(0.5, abs=1e-3) and facts.feasible


def test_populations_find_the_least_of_several_optima_within_limits():
    pytest.importorskip("cmaes", reason="cmaes is not installed: pip install -e '.[optimisers]'")
    method = Design(minimise="y", limits={"z": "<= 1.5"}, samples=0, optimiser="cma-es", starts=3)
    first, again = (drive(method, SQUARE, waves)[0].facts_of(Designed) for _ in range(2))
    assert sum(first.design.values()) == pytest.approx(1.5, abs=1e-3) and first.feasible
    np.testing.assert_allclose(list(first.design.values()), [0.75, 0.75], atol=3e-3)
    assert first == again, "the same populations for the same seed"


def test_populations_go_on_where_runs_fail():
    pytest.importorskip("cmaes", reason="cmaes is not installed: pip install -e '.[optimisers]'")
    method = Design(minimise="y", limits={}, samples=0, optimiser="cma-es", starts=3)
    facts = drive(method, SQUARE, waves, fail=lambda x: x["a"] > 1.2)[0].facts_of(Designed)
    assert facts.objective < 1e-3


def test_an_optimiser_whose_package_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(reliable, "find_spec", lambda name: None)
    with pytest.raises(StudyError, match="the optimiser cma-es needs the package cmaes"):
        Design(minimise="y", limits={}, optimiser="cma-es").check(SQUARE)


def test_an_optimum_at_the_end_of_a_range_is_said():
    facts = drive(Design(minimise="y", limits={}, samples=0), {"a": Interval(1.0, 2.0)}, lambda time, a: {"y": a})[0].facts_of(Designed)
    assert facts.design == {"a": 1.0} and list(facts.design_at_end) == ["a"]


def test_figures_have_each_search_apart_and_the_limits_at_the_end():
    limits = {"stress": "beta(> 0) >= 3", "sag": "mean + 2 std <= 3"}
    result = drive(Design(minimise="area", limits=limits, starts=2, samples=0), CANTILEVER, cantilever)[0]
    searches, ends = design_figures(result)
    objective, margins = searches.panels
    assert np.isnan(objective.marks[0].y).sum() == 1 and len(objective.marks[1].x) == result["designs"].sizes["look"]
    assert [mark.label for mark in margins.marks][-1] == "limit" and len(margins.marks) == 3
    bars = dict(zip(ends.panels[0].names, ends.panels[0].marks[0].values, strict=True))
    assert bars["stress beta(> 0) >= 3"] == 0.0 < bars["sag mean + 2 std <= 3"] <= 100.0


@pytest.mark.slow
@pytest.mark.parametrize("case", [*PUBLISHED, "cantilever"])
def test_ten_million_points_say_how_true_the_index_is(case):
    """The cantilever's stress is linear, and has the probability of β = 3; the curved limits have an index within 0.1 of theirs."""
    rng, count, chunks = np.random.default_rng(11), np.zeros(2), 40
    for _ in range(chunks):
        if case == "cantilever":
            means, stds = np.array([40000.0, 29e6, 500.0, 1000.0]), np.array([2000.0, 1.45e6, 100.0, 100.0])
            drawn = means[:, None] + stds[:, None] * rng.standard_normal((4, 250_000))
            said = cantilever(0.0, 2.44838785, 3.88837527, *drawn)
            count += [np.count_nonzero(said["stress"] > 0), np.count_nonzero(said["sag"] > 2.2535)]
        else:
            nominal = np.array(PUBLISHED[case][:2])
            said = youn_choi(0.0, *(nominal[:, None] + case[0] * rng.standard_normal((2, 250_000))))
            count += [np.count_nonzero(said[name] < 0) for name in ("g1", "g2")]  # the third is not reached
    share, beta = count / (chunks * 250_000), 3 if case == "cantilever" else case[1]
    np.testing.assert_allclose(-norm.ppf(share), beta, atol=0.1)
    if case == "cantilever":
        assert abs(share[0] - norm.sf(3)) < 4 * np.sqrt(norm.sf(3) / 1e7)


def test_turns_of_populations_end_at_the_cantilever():
    """A search that is content with 1e-4 of the ranges never finds the same design twice, and yet the turns end."""
    pytest.importorskip("cmaes", reason="cmaes is not installed: pip install -e '.[optimisers]'")
    method = Design(minimise="area", limits=LIMITS, samples=50, optimiser="cma-es", approach="sora")
    facts = drive(method, CANTILEVER, cantilever, seed=3)[0].facts_of(Designed)
    assert facts.verified and facts.objective == pytest.approx(9.52025075, rel=1e-6)
