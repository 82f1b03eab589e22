"""The cheapest tolerances: closed forms through the method, limits that cannot be met or that runs tighten, what is written wrongly."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.decision_facts import Allocated
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import Tolerances
from uqmbd.report.terminal import notes_below
from uqmbd.report.tolerances import tolerances_answer, tolerances_judged

from .loop import drive

BOX = {name: Interval(-1.0, 1.0, "mm") for name in "abc"}
COSTS = {"a": {"reciprocal": 1.0, "at": "1 mm"}, "b": {"reciprocal": 2.0}, "c": {"reciprocal": 4.0}}
CLOSED = {  # a/t with a (1, 2, 4), slopes (1, 1/2, 2), 0.3 mm: Lagrange conditions, see docs/theory/tolerances.md
    "worst_case": ((0.06213203, 0.12426407, 0.08786797), 77.71236166),
    "root_of_squares": ((0.12247449, 0.24494897, 0.12247449), 48.98979486),
}


def stack(time, a, b, c):
    return {"gap": 1e3 * (a + 0.5 * b + 2 * c)}


def hill(time, a, b, c):
    return {"gap": 1e3 * a + 0.5 - 5e5 * c**2}


def found(model=stack, limits="<= 0.3", fail=None, **settings):
    settings = {"costs": COSTS, "limits": {"gap": limits}, "degree": 2, **settings}
    return drive(Tolerances(**settings), BOX, model, fail=fail)[0]


@pytest.mark.parametrize("how", CLOSED)
def test_reciprocal_costs_of_a_linear_stack_are_least_where_the_closed_forms_say(how):
    facts = found(stack=how).facts_of(Allocated)
    tolerances, cost = CLOSED[how]
    np.testing.assert_allclose([1e3 * t for t in facts.tolerance.values()], tolerances, atol=6e-9)
    np.testing.assert_allclose(facts.total_cost, cost, rtol=1e-9)
    assert facts.feasible and facts.verified and facts.limits[0].met
    np.testing.assert_allclose([facts.limits[0].surrogate, facts.limits[0].runs], 0.3, rtol=1e-9)


def test_tolerances_without_a_unit_are_in_that_of_the_input():
    table = {"a": {"table": [[0.05, 9.0], [0.5, 2.0], [1.0, 1.0]]}, "b": {"exponential": 4.0, "per": 0.3, "smallest": 0.02}}
    written = {
        "a": {"table": [["50 um", 9.0], ["0.5 mm", 2.0], ["1 mm", 1.0]]},
        "b": {"exponential": 4.0, "per": "0.3 mm", "smallest": "20 um"},
    }
    bare, said = (found(costs=costs, limits="<= 2.7").facts_of(Allocated) for costs in (table, written))
    assert bare.tolerance == pytest.approx(said.tolerance, rel=1e-6) and bare.total_cost == pytest.approx(said.total_cost, rel=1e-6)


@pytest.mark.parametrize(("limits", "same"), [(">= -0.3", True), ("width <= 0.6", True), (["<= 0.3", ">= -0.4", "width <= 0.9"], True)])
def test_lower_ends_and_widths_are_limits_like_upper_ends(limits, same):
    facts = found(limits=limits).facts_of(Allocated)
    np.testing.assert_allclose(facts.total_cost, 77.71236166, rtol=1e-8)


def test_an_input_without_a_cost_keeps_its_interval():
    facts = found(limits="<= 1.3", costs={name: COSTS[name] for name in "bc"}).facts_of(Allocated)
    roots = np.sqrt(np.array([2.0, 4.0]) * [0.5, 2.0])
    np.testing.assert_allclose(facts.total_cost, roots.sum() ** 2 / 0.3, rtol=1e-8)
    assert list(facts.tolerance) == ["b", "c"]


def test_limits_that_cannot_be_met_are_said_with_the_least_violated():
    result = found(limits=["<= -0.2", ">= 0.1"], smallest=0.01)
    facts = result.facts_of(Allocated)
    assert not facts.feasible and not facts.verified
    np.testing.assert_allclose(list(facts.tolerance.values()), 1e-5)
    assert "gap has -0.035 m with them, and >= 0.1 is asked; it is the least violated of 2" in facts.least_violated
    assert result.attrs["warnings"] == [facts.least_violated] and "not even the smallest" in tolerances_answer(result)[0].lower()
    assert tolerances_judged(result).state == "no" and len(notes_below(result))


def test_limits_that_fresh_runs_pass_are_tightened():
    """A plane through the foot of a hill: only runs know that the response is above it."""
    loose = {"limits": "<= 0.9", "degree": 1, "trust_tolerance": 1e-6}
    once, often = (found(hill, rounds=rounds, **loose) for rounds in (0, 20))
    assert not once.facts_of(Allocated).verified and "not verified: runs within them pass gap <= 0.9" in once.facts.note
    facts = often.facts_of(Allocated)
    assert facts.verified and facts.limits[0].runs <= 0.9 + 1e-5
    assert facts.total_cost > once.facts_of(Allocated).total_cost
    assert "the surrogate of gap is not trusted" in often.facts.note


def test_failed_fresh_runs_leave_tolerances_unverified():
    small = {name: 1e-4 for name in "abc"}
    result = found(fail=lambda x: np.all([(np.abs(x[n]) < small[n]) & (x[n] != 0) for n in "abc"], axis=0), max_failed=0.9)
    facts = result.facts_of(Allocated)
    assert facts.feasible and not facts.verified and "of the fresh runs within them failed" in result.facts.note


def test_the_worst_runs_reach_what_the_surrogate_says():
    result = found(lambda time, a, b, c: {"gap": 1e3 * a + 1e6 * b * c + np.cos(1e3 * c)}, limits="<= 1.5", degree=6)
    limit = result.facts_of(Allocated).limits[0]
    np.testing.assert_allclose(limit.runs, limit.surrogate, rtol=1e-3)
    assert result.facts_of(Allocated).verified


def test_a_front_of_a_linear_stack_has_its_closed_form():
    """The least cost of each width is 2 (Σ √(a s))² / width; a run at each end has it."""
    result = found(limits="<= 0.3", front="gap", compromises=4, smallest=0.001)
    group = result["front"]
    np.testing.assert_allclose(group["cost"][:-1] * group["width"][:-1], 2 * 0.3 * 77.71236166, rtol=1e-7)
    np.testing.assert_allclose(group["width_runs"], group["width"], rtol=1e-9)
    np.testing.assert_allclose(group["width"][[0, -1]], [0.6, 0.007], rtol=1e-6)
    assert (np.diff(group["cost"]) > 0).all() and "front" in {frame.key for frame in result.tables()}


def test_a_limit_on_a_probability_has_the_tolerances_of_its_closed_form():
    """Two uniform parts of one tolerance t: P(a + b > L) = (2t - L)² / 8t², so t = L / (2 - √(8p))."""
    costs = {name: {"reciprocal": 1.0} for name in "ab"}
    method = Tolerances(costs=costs, limits={"gap": "P(> 0.3 m) <= 0.02"}, degree=2, scatter="uniform", fresh=200)
    result, _ = drive(method, {name: BOX[name] for name in "ab"}, lambda time, a, b: {"gap": 1e3 * (a + b)})
    facts = result.facts_of(Allocated)
    np.testing.assert_allclose(list(facts.tolerance.values()), 0.3e-3 / (2 - np.sqrt(8 * 0.02)), rtol=5e-3)
    limit = facts.limits[0]
    assert limit.lower < 0.02 < limit.higher and abs(limit.surrogate - 0.02) < 1e-3
    assert facts.verified and limit.runs is not None and abs(limit.runs - 0.02) < 3 * np.sqrt(0.02 / 200)


WRONG = [
    ({"limits": {"gap": "P(> 3) <= 0.7"}}, "the largest probability of a limit is from 0 to 0.5"),
    ({"limits": {"gap": "P(> 3) <= 1e-4"}}, "of a limit is from 0.001 to 0.5"),
    ({"limits": {"gap": "P(>= 3) <= 0.1"}}, "a limit is a text"),
    ({"limits": {}, "front": "gaps"}, "no output 'gaps'"),
    ({"limits": {"gap": "< 3"}}, "a limit is a text"),
    ({"limits": {"gap": 3.0}}, "a limit is a text, or a list"),
    ({"limits": {}}, "an output with a limit"),
    ({"costs": {}}, "an input with a cost"),
    ({"costs": {"a": {"reciprocal": 1.0, "exponential": 2.0}}}, "a cost is one of"),
    ({"costs": {"a": {"exponential": 2.0}}}, "falls by the factor e"),
    ({"costs": {"a": {"reciprocal": -1.0}}}, "greater than 0"),
    ({"costs": {"a": {"table": [[0.1, 2.0], [0.2, 3.0]]}}}, "which falls as tolerances rise"),
    ({"costs": {"a": {"recipocal": 1.0}}}, "no key 'recipocal'"),
    ({"costs": {"a": 1.0}}, "a cost is a table"),
    ({"costs": {"x": {"reciprocal": 1.0}}}, "no input 'x' to have a cost"),
    ({"limits": {"gaps": "<= 3"}}, "no output 'gaps'"),
    ({"limits": {"gap": "<= 3 kg"}}, "'gap' is in m, which 3 kg is not"),
    ({"costs": {"a": {"reciprocal": 1.0, "at": "1 s"}}}, "'a' is in m, which 1 s is not"),
    ({"costs": {"a": {"reciprocal": 1.0, "smallest": "2 mm"}}}, "the smallest tolerance of 'a'"),
    ({"costs": {"a": {"table": [["2 mm", 2.0], ["1 mm", 1.0]]}}}, "tolerances of a table rise"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_what_is_written_wrongly_is_said(changes, words):
    with pytest.raises(StudyError, match=words):
        found(**{**{"limits": "<= 0.3"}, **changes}) if "limits" not in changes else drive(
            Tolerances(**{"costs": COSTS, "degree": 2, **changes}), BOX, stack
        )


def test_a_study_file_has_it(tmp_path):
    (tmp_path / "model.py").write_text("def gap(a, b, c):\n    return {'gap': a + 0.5 * b + 2 * c}\n", encoding="utf-8")
    inputs = "".join(f'[inputs.{name}]\ninterval = [-1.0, 1.0]\nunit = "mm"\n' for name in "abc")
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "gap"\nmodel = "model.py:gap"\n' + inputs + '[outputs]\ninclude = ["gap"]\n[outputs.units]\ngap = "m"\n'
        '[method]\ntype = "tolerances"\ndegree = 2\nlimits = { gap = "<= 0.3 mm" }\n[method.costs]\n'
        'a = { reciprocal = 1.0 }\nb = { table = [["0.01 mm", 9.0], ["0.1 mm", 5.0], ["1 mm", 1.0]] }\n'
        'c = { exponential = 4.0, per = "0.1 mm", smallest = "2 um" }\n[campaign]\nworkers = 0\n',
        encoding="utf-8",
    )
    study = uq.Study.from_file(tmp_path / "study.toml")
    result = study.run(out=tmp_path / "results", progress=False)
    facts = result.facts_of(Allocated)
    assert facts.verified and facts.tolerance_least["c"] == pytest.approx(2e-6)
    again = uq.open_results(tmp_path / "results")
    assert again.facts_of(Allocated) == facts
    assert {"tolerances", "limits"} <= {frame.key for frame in again.tables()}
