"""Reliability-based design: two published cases to the digits of REFERENCES, probabilities by simulation, what is written wrongly."""

import numpy as np
import pytest

from uqmbd.decision_facts import Designed
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Design
from uqmbd.report.designs import design_answer, design_judged, design_said
from uqmbd.report.terminal import terminal_table

from .loop import drive


def normal(mean, std):
    return Random({"type": "normal", "mean": mean, "std": std})


LOADS = {"R": normal(40000.0, 2000.0), "E": normal(29e6, 1.45e6), "X": normal(500.0, 100.0), "Y": normal(1000.0, 100.0)}
CANTILEVER = {"w": Interval(1.0, 4.0), "t": Interval(2.0, 6.0), **LOADS}
THREE = {f"g{k}": "beta(< 0) >= 3" for k in (1, 2, 3)}


def cantilever(time, w, t, R, E, X, Y):
    sag = 4 * 100.0**3 / (E * w * t) * np.sqrt((Y / t**2) ** 2 + (X / w**2) ** 2)
    return {"area": w * t, "stress": 600 * Y / (w * t**2) + 600 * X / (w**2 * t) - R, "sag": sag}


def youn_choi(time, z1, z2):
    return {
        "cost": z1 + z2,
        "g1": z1**2 * z2 / 20 - 1,
        "g2": (z1 + z2 - 5) ** 2 / 30 + (z1 - z2 - 12) ** 2 / 120 - 1,
        "g3": 80 / (z1**2 + 8 * z2 + 5) - 1,
    }


def of_three(std, beta, **settings):
    limits = {name: f"beta(< 0) >= {beta}" for name in THREE}
    move = {"z1": [0.0, 10.0], "z2": [0.0, 10.0]}
    method = Design(minimise="cost", limits=limits, move=move, **settings)
    return drive(method, {"z1": normal(5.0, std), "z2": normal(5.0, std)}, youn_choi)


@pytest.fixture(scope="module")
def beam():
    limits = {"stress": "beta(> 0) >= 3", "sag": "P(> 2.2535) <= 0.0013498980316"}
    return drive(Design(minimise="area", limits=limits, samples=2000), CANTILEVER, cantilever)


def test_the_cantilever_is_that_of_the_references(beam):
    facts = beam[0].facts_of(Designed)
    np.testing.assert_allclose([facts.design["w"], facts.design["t"], facts.objective], [2.44838785, 3.88837527, 9.52025075], rtol=1e-7)
    assert facts.feasible and facts.verified and design_judged(beam[0]).state == "yes"
    assert beam[0].attrs["runs"] == beam[1] < 4000


@pytest.mark.parametrize(
    ("std", "beta", "design", "cost"),
    [(0.3, 3, (3.43908414, 3.28657529), 6.72565943), (0.6, 2, (3.60893981, 3.65931729), 7.26825710)],
)
def test_three_constraints_of_youn_and_choi(std, beta, design, cost):
    facts = of_three(std, beta)[0].facts_of(Designed)
    np.testing.assert_allclose([*facts.design.values(), facts.objective], [*design, cost], rtol=1e-7)
    assert facts.feasible and [limit.met for limit in facts.limits] == [True] * 3


def test_limits_at_the_nominals_and_none_make_a_plain_optimum():
    result, _ = drive(Design(minimise="cost", limits={"area": ">= 6"}, samples=0), {"a": Interval(1.0, 9.0), "b": Interval(1.0, 9.0)},
                      lambda time, a, b: {"cost": a + 2 * b, "area": a * b})  # fmt: skip
    np.testing.assert_allclose(list(result.attrs["design"].values()), [np.sqrt(12), np.sqrt(3)], rtol=1e-6)
    assert design_judged(result).state == "unsaid"


@pytest.mark.parametrize("ends", [[20.0, 60.0], ["20 mm", "6 cm"]])
def test_ranges_without_a_unit_are_in_that_of_the_input(ends):
    inputs = {"a": Random({"type": "normal", "mean": 30.0, "std": 1.0}, "mm")}
    method = Design(minimise="y", limits={"y": ">= 0"}, move={"a": ends}, samples=0)
    result, _ = drive(method, inputs, lambda time, a: {"y": (1e3 * a - 50.0) ** 2})
    assert result.attrs["design"]["a"] == pytest.approx(0.05, rel=1e-4)


def test_limits_that_cannot_be_met_are_said():
    inputs, limits = {"a": Interval(0.0, 1.0), "b": normal(0.5, 0.1)}, {"y": ["beta(> 1) >= 3", "beta(< 0.9) >= 3"]}
    result, _ = drive(Design(minimise="a", limits=limits), inputs, lambda time, a, b: {"a": a, "y": a + b})
    facts = result.facts_of(Designed)
    assert not facts.feasible and "no design was found that meets all limits; y" in result.facts.note
    assert design_answer(result)[0] == "No design was found that meets all limits." and design_judged(result).state == "no"


def test_a_limit_that_is_not_met_is_said_with_what_there_is_and_no_run_refutes_it():
    """y = a + b is 1.5 at most: its mean is 0.5 from 2, its worst point of an index of 3 is 0.6 from 1.8."""
    inputs, limits = {"a": Interval(0.0, 1.0), "b": normal(0.5, 0.1)}, {"y": ["mean >= 2", "beta(< 1.8) >= 3"]}
    result, _ = drive(Design(minimise="a", limits=limits), inputs, lambda time, a, b: {"a": a, "y": a + b})
    note = result.facts.note
    assert "y mean >= 2 is nearest to being met: it is 1.5" in note
    assert "refute" not in note


def test_fresh_runs_refute_what_is_no_plane():
    """Beyond |z| > 1 lies on two sides: twice what FORM has, and 4,000 runs see it."""
    inputs = {"a": Interval(1.0, 5.0), "b": normal(0.0, 1.0)}
    method = Design(minimise="a", limits={"y": "beta(> 0) >= 1"}, samples=4000)
    result, _ = drive(method, inputs, lambda time, a, b: {"a": a, "y": np.sqrt(b**2 + 1e-6) - a + 0.02 * b})
    assert not result.facts_of(Designed).verified and "fresh runs refute y beta(> 0) >= 1" in result.facts.note


def test_a_terminal_and_sentences_say_it(beam):
    result = beam[0]
    said = " ".join(design_said(result))
    assert "w = 2.448388 and t = 3.888375" in said and "95 % confidence" in said
    assert [frame.key for frame in result.tables() if frame.key in ("design", "chances")] == ["design", "chances"]
    assert terminal_table(result).renderables


WRONG = [
    ({"limits": {"stress": "width <= 3"}}, "no limits on widths"),
    ({"limits": {"stress": "beta(> 0) >= 30"}}, "the least reliability index of a limit is from 0 to 10"),
    ({"limits": {"strain": "<= 3"}}, "no output 'strain'"),
    ({"minimise": "weight"}, "no output 'weight'"),
    ({"move": {"R": [2.0, 1.0]}}, "'R' cannot move from 2 to 1"),
    ({"move": {"R": 2.0}}, "a range is a list of two numbers"),
    ({"move": {"Q": [1, 2]}}, "no input 'Q' to have a range"),
    ({"max_runs": 100}, "more than max_runs = 100"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_what_is_written_wrongly_is_said(changes, words):
    settings = {"minimise": "area", "limits": {"stress": "beta(> 0) >= 3"}, **changes}
    with pytest.raises(StudyError, match=words):
        drive(Design(**settings), CANTILEVER, cantilever)


def test_without_an_input_to_choose_it_says_so():
    with pytest.raises(StudyError, match="an input that may be chosen"):
        Design(minimise="area", limits={}).check(LOADS)
