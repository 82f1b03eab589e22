"""What is seen of tolerances and designs while they are searched for, and that looking on changes nothing."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.decision_facts import Allocated, Designed
from uqmbd.figures import growing_figures
from uqmbd.inputs.space import Space
from uqmbd.outcomes import OutputInfo

from .loop import drive, told


def hill(time, a, b):
    """A plane through the foot of a hill, where an expansion of degree one says too little: limits are passed, and tightened."""
    return {"y": a + 0.5 - 0.5 * b * b, "cost": a * a}


COSTS = {name: {"reciprocal": 1.0} for name in "ab"}
TOLERANCES = uq.Tolerances(costs=COSTS, limits={"y": "<= 0.9"}, degree=1, trust_tolerance=1e-6, fallback_runs=0)
DESIGN = uq.Design(minimise="cost", limits={"y": "beta(< 1) >= 2"}, samples=50)
CASES = {
    "tolerances": (TOLERANCES, {name: uq.Interval(-1.0, 1.0) for name in "ab"}),
    "design": (DESIGN, {"a": uq.Interval(0.0, 4.0), "b": uq.Normal(0.0, 0.1)}),
}


def followed(method, inputs):
    """The result, and what there was of it after each ask."""
    run, seen = method.start(Space.of(inputs), {name: OutputInfo(axis=None) for name in ("y", "cost")}, np.zeros(0), 1), []
    run.watch()
    while (asked := run.ask()) is not None:
        seen.append(run.so_far())
        samples = told(asked)
        run.tell(samples, hill(None, **samples), np.zeros(len(samples["a"]), np.int8))
    return run.result(), [one for one in seen if one is not None]


@pytest.fixture(scope="module")
def courses():
    return {name: followed(*case) for name, case in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_who_looks_on_changes_nothing(name, courses):
    method, inputs = CASES[name]
    result, parts = courses[name]
    alone, _ = drive(method, Space.of(inputs), hill)
    assert len(parts) > 1 and alone.attrs == result.attrs
    group = {"tolerances": "rounds", "design": "designs"}[name]
    assert alone[group].equals(result[group]) and alone.inner.equals(result.inner)


def test_each_round_of_tolerances_is_seen_as_the_result_has_it(courses):
    result, parts = courses["tolerances"]
    rounds = result["rounds"]
    assert rounds.sizes["round"] > 2 and (np.diff(rounds["cost"]) > 0).all(), "tighter limits cost more"
    assert (rounds["passed"].values[:-1] > 0).all(), "each round but the last had runs beyond the limit"
    for part in parts:
        assert part["rounds"].equals(rounds.isel(round=slice(part["rounds"].sizes["round"])))
        found = part.facts_of(Allocated)
        assert found.total_cost == part["rounds"]["cost"].values[-1] and not found.verified and "warnings" not in part.attrs
    assert result.attrs["total_cost"] == rounds["cost"].values[-1]


def test_the_best_design_so_far_is_seen(courses):
    result, parts = courses["design"]
    assert [part["designs"].sizes["look"] for part in parts] == sorted(part["designs"].sizes["look"] for part in parts)
    feasible = [part.facts_of(Designed) for part in parts if part.facts_of(Designed).feasible]
    objectives = [found.objective for found in feasible]
    assert objectives == sorted(objectives, reverse=True) and not any(found.verified for found in feasible)
    assert objectives[-1] == pytest.approx(result.attrs["objective"], rel=1e-6)


@pytest.mark.parametrize(("name", "key"), [("tolerances", "tolerances.rounds"), ("design", "design")])
def test_the_course_is_a_figure_that_grows(name, key, courses):
    result, parts = courses[name]
    growing = [figure for figure in growing_figures(result, "y") if figure.key == key]
    assert len(growing) == 1
    lengths = [len(figure.panels[0].marks[0].x) for part in parts for figure in growing_figures(part, "y") if figure.key == key]
    assert lengths == sorted(lengths) and lengths[0] < len(growing[0].panels[0].marks[0].x)
