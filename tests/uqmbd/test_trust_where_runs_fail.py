"""Trusted means the whole box: no bounds are trusted over inputs among which runs failed, and fits to the others say what they lack."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.inputs.space import Space
from uqmbd.methods.failures import fills_region
from uqmbd.report.summary import summary_of
from uqmbd.tables.trust import trust_of

from .loop import drive
from .method_gallery import BOX, CASES, ELLIPSE, NAMED, TIME, UNIFORM

RANDOM = "random", "integers", "choice"  # which have probabilities, and no bounds
CLAIMING = [each for each in CASES if any(item.kind not in RANDOM for item in each.inputs.values())]
# of a range: they show what runs reached, or one design, whose own test is in test_methods_design_measures.py
NO_BOUNDS = "sensitivity", "grid", "list", "calibrate", "posterior", "bifurcation", "basins", "design"
CLAIMING = [each for each in CLAIMING if each.method.name not in NO_BOUNDS]
QUICK = ("chebyshev-box", "chebyshev-split", "chebyshev-sparse", "taylor2-box", "vertex-box", "search-box", "fuzzy-triangular",
         "convex-ellipse", "evidence-focal", "pce-asked", "mixed-interval", "reliability-interval-box")  # fmt: skip
EACH = [pytest.param(each, id=each.name, marks=() if each.name in QUICK else pytest.mark.slow) for each in CLAIMING]


def corner(samples):
    return (samples["a"] > 1.9) & (samples["b"] > 0.5) if "a" in samples else samples["b"] > 0.9


@pytest.mark.parametrize("case", EACH)
def test_no_method_trusts_bounds_over_a_corner_that_fails(case):
    try:
        result, _ = drive(case.with_(max_failed=0.5), case.inputs, case.model, time=TIME, fail=corner)
    except StudyError as error:
        assert "fail" in str(error)
        return
    if not result.attrs["runs_failed"]:
        return  # no run of a set's, whose corner this is not
    assert set(result.bounds) <= set(result.trusted) and result.trusted.data_vars
    for name in result.trusted:
        assert not result.trusted[name].any() and "runs failed" in trust_of(result, name).sentence()
    assert any("not trusted, for no run tells what happens there" in note for note in result.facts.notes)
    assert result.attrs.get("trusted_share", 0.0) == 0.0
    assert not any("failed" in note for note in case.result.facts.notes)


def test_a_headline_does_not_call_it_trusted(tmp_path):
    """Runs fail above 1.95 of [1, 2]: the upper bound is where nothing can be run, and the error at the others is rounding."""

    def model(a):
        if a > 1.95:
            raise ValueError("no equilibrium")
        return {"force": 20.0 * a}

    method = uq.Chebyshev(degree=20, validation=0.9, max_failed=0.3)
    study = uq.Study(model=model, inputs={"a": Interval(1.0, 2.0)}, outputs=["force"], method=method, name="plug")
    result = study.run(workers=0, out=tmp_path, progress=False, report=False)
    assert 3 <= result.attrs["runs_failed"] <= 12 and float(result.error["force"]) < 1e-9
    assert not bool(result.trusted["force"])
    said = " ".join(summary_of(result, {}).sentences)
    reached = float(result.inner["force"].sel(bound="upper"))
    assert f"force was seen between 20 and {reached:.4g}" in said and "Its bounds, 20 and 40, are not trusted." in said
    assert "stays between" not in said and "trusted for 0 of 1 numbers" in said
    assert "runs failed, most of them where a > 1.9" in trust_of(result, "force").sentence()
    again = uq.open_results(tmp_path)
    assert not bool(again.trusted["force"]) and again.facts.notes == result.facts.notes


def test_leaves_without_failed_runs_stay_trusted():
    method = uq.Chebyshev(degree=3, split=True, max_runs=400, fallback_runs=0, max_failed=0.3)
    case = NAMED["chebyshev-split"]
    result, _ = drive(method, BOX, case.model, time=TIME, fail=lambda s: (s["a"] > 1.97) & (s["b"] > 0.95))
    trusted = result.leaves["t"].sel(part="trusted").values == 1.0
    corner_of = (result.leaves["upper:a"].values > 1.99) & (result.leaves["upper:b"].values > 0.99)
    assert result.attrs["runs_failed"] and not trusted[corner_of].any() and trusted.any()
    assert 0 < result.attrs["trusted_volume"]["t"] < 1 and not bool(result.trusted["t"])


def test_runs_outside_of_a_set_take_no_trust_from_it():
    """A grid is run in the whole box; its corners are none of the ellipse's."""
    case = NAMED["convex-ellipse"]
    fail = lambda s: (s["a"] > 1.95) & (s["b"] < 0.05)  # noqa: E731
    result, _ = drive(case.with_(max_failed=0.5), Space.of(ELLIPSE), case.model, time=TIME, fail=fail)
    assert result.attrs["runs_failed"] == 1 and bool(result.trusted["t"])


def test_random_inputs_lose_trust_where_failed_runs_fill_a_region():
    method = uq.PCE(samples=200, degree=3, max_failed=0.3)
    model = NAMED["pce-uniform"].model
    apart, _ = drive(method, UNIFORM, model, time=TIME, fail=lambda s: (s["a"] > 1.8) & (s["b"] > 0.6))
    here_and_there, _ = drive(method, UNIFORM, model, time=TIME, fail=lambda s: np.modf(4321.0987 * (s["a"] + s["b"]))[0] < 0.03)
    assert apart.attrs["runs_failed"] > 5 < 10 * here_and_there.attrs["runs_failed"]
    assert not bool(apart.trusted["s"]) and bool(here_and_there.trusted["s"])


@pytest.mark.parametrize(("fail", "region"), [(lambda x: x[:, 0] > 0.9, True), (lambda x: np.modf(977.1 * x.sum(axis=1))[0] < 0.02, False)])
def test_what_a_region_is(fail, region):
    x = np.random.default_rng(0).random((400, 2))
    assert fills_region(dict.fromkeys("ab"), dict(zip("ab", x.T, strict=True)), fail(x)) is region


# fits to what is there -------------------------------------------------------------------------------------------------------------------
NOTES = {
    "chebyshev-box": "of 16 terms the lowest 10 are fitted (rank 10); the others are not determined",
    "chebyshev-split": "terms the lowest",
    "chebyshev-sparse": "terms are not determined by runs",
    "vertex-box": "of 4 terms the lowest 3 are fitted (rank 3)",
    "fuzzy-triangular": "are not determined",
    "convex-ellipse": "are not determined",
    "evidence-focal": "are not determined",
}


@pytest.mark.parametrize("name", NOTES)
def test_a_fit_without_some_of_its_nodes_says_which_terms_it_has(name):
    case = NAMED[name]
    result, _ = drive(case.with_(max_failed=0.5), case.inputs, case.model, time=TIME, fail=corner)
    assert NOTES[name] in result.facts.note


def test_taylor_says_which_terms_are_left():
    result, _ = drive(
        uq.Taylor2(max_failed=0.9), BOX, NAMED["taylor2-box"].model, time=TIME, fail=lambda s: (s["a"] > 1.5) & (s["a"] < 1.6)
    )
    assert "runs of the differences failed; their terms are one-sided or zero: the others determine" in result.facts.note


def test_half_of_the_nodes_are_no_expansion():
    """6 of 13 nodes fail: 13 terms cannot be told from 7 runs, and bounds of what is fitted are not trusted."""
    method = uq.Chebyshev(degree=12, max_failed=0.6, fallback_runs=0)
    result, _ = drive(method, {"a": Interval(0, 1)}, lambda time, a: {"y": np.sin(5 * a)}, fail=lambda s: s["a"] > 0.62)
    assert "of 13 terms the lowest 4 are fitted (rank 4); the others are not determined" in result.facts.note
    assert not bool(result.trusted["y"])


def test_the_rank_of_runs_on_a_line():
    """Five points of a grid with the same y tell nothing of y: of the three lowest terms they tell two apart."""
    points = np.column_stack([chebyshev.nodes(4), np.zeros(5)])
    assert chebyshev.determined(points, (4, 4)) == (3, 2)
    assert chebyshev.determined(np.array([[x, y] for x in chebyshev.nodes(2) for y in chebyshev.nodes(2)]), (2, 2)) == (6, 6)
