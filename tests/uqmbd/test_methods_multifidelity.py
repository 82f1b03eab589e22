"""Multi-fidelity Monte Carlo: a linear Gaussian pair, of which all is known in closed form, and cheaper models that are not worth it."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.statistics.control_variates import best_plan, combined
from uqmbd.errors import StudyError
from uqmbd.methods.probabilistic.multifidelity_shown import removed

from .loop import drive

NORMALS = {"u": uq.Normal(0.0, 1.0), "v": uq.Normal(0.0, 1.0)}


def pair(time, u, v, fidelity=1):
    """5 + 3u + v, and u: their correlation is 3 / sqrt(10)."""
    return {"y": np.where(np.asarray(fidelity) == 1, 5.0 + 3.0 * u + v, u)}


def method(**more):
    return uq.Multifidelity(**{"fidelities": [1, 0], "error": 0.2, "costs": [100, 1], **more})


def limits(result, name="y"):
    return tuple(float(result.statistics[name].sel(statistic=f"mean_{end}")) for end in ("lower", "upper"))


def test_runs_of_the_linear_pair():
    """Ratio sqrt(100 0.9 / 0.1) = 30, cost (sqrt(0.1) + sqrt(0.9 / 100))^2 = 0.169 of runs of the first alone; mean 5, std sqrt(10)."""
    result, runs = drive(method(error=0.1, pilot=100, most=10**6), NORMALS, pair, batch=10**5)
    first, cheap = result.attrs["fidelity_runs"]
    assert cheap / first == pytest.approx(30.0, rel=0.15) and runs == first + cheap == result.attrs["runs"]
    low, high = limits(result)
    assert low <= 5.0 <= high and high - low <= 0.2 and bool(result["trusted"]["y"])
    assert float(result.correlation["y"].sel(fidelity=0.0)) == pytest.approx(3 / np.sqrt(10), abs=0.02)
    assert float(result.statistics["y"].sel(statistic="std")) == pytest.approx(np.sqrt(10.0), rel=0.05)
    alone = 10.0 * (1.96 / 0.1) ** 2
    assert 100 * first + cheap < 0.25 * 100 * alone and "costs 0.1" in result.attrs["notes"][0]


def test_limits_hold_over_seeds():
    """At 100 seeds the limits hold the exact mean in 91 or more: 95 % less two standard deviations of the count."""
    held = 0
    for seed in range(100):
        low, high = limits(drive(method(error=0.4, pilot=12), NORMALS, pair, seed=seed, batch=10**5)[0])
        held += low <= 5.0 <= high and high - low <= 0.8
    assert held >= 91


def test_scatter_of_the_estimate_is_what_it_says():
    """The variance of the closed form, 10 (0.1 / n + 0.9 / N), with what the regressed weight costs, (n - 2) / (n - 3)."""
    rng = np.random.default_rng(1)
    n, many = 20, 200
    u, v = rng.standard_normal((2, many, 4000))
    estimate = combined([5.0 + 3.0 * u[:n] + v[:n], u])
    exact = (n - 2) / (n - 3) * 1.0 / n + 9.0 / many
    assert estimate.mean.var() == pytest.approx(exact, rel=0.06) and estimate.variance.mean() == pytest.approx(exact, rel=0.06)
    assert estimate.freedom == n - 2


def test_plan_of_three_models():
    """Peherstorfer, Willcox and Gunzburger: r_i = sqrt(w_1 (rho_i^2 - rho_i+1^2) / (w_i (1 - rho_2^2)))."""
    plan = best_plan(np.array([0.5, 0.95]), np.array([1000.0, 1.0, 50.0]))
    assert plan.models == (2, 1)
    np.testing.assert_allclose(plan.ratios, [1.0, np.sqrt(1000 * 0.45 / (50 * 0.05)), np.sqrt(1000 * 0.5 / 0.05)])
    total = (np.sqrt(1000 * 0.05) + np.sqrt(50 * 0.45) + np.sqrt(0.5)) ** 2 / 1000
    assert plan.cost == pytest.approx(total)


def test_models_that_are_not_worth_it_are_left_out():
    assert best_plan(np.array([0.9, 0.95]), np.array([10.0, 9.0, 1.0])).models == (2,)
    assert best_plan(np.array([0.1]), np.array([2.0, 1.0])).models == ()
    result, _ = drive(method(costs=[2, 1.9], pilot=40), NORMALS, pair, batch=10**5)
    assert "no cheaper model is worth its runs" in result.attrs["notes"][0] and result.attrs["fidelity_runs"][1] == 40
    low, high = limits(result)
    assert low <= 5.0 <= high and high - low <= 0.4


def test_histories_and_a_second_output():
    """Each column has a weight of its own."""
    time = np.linspace(0.0, 1.0, 5)

    def model(time, u, v, fidelity=1):
        fine = (np.asarray(fidelity) == 1) * 1.0
        return {"y": pair(time, u, v, fidelity)["y"], "h": 2.0 + u[:, None] * np.cos(time) + (fine * v)[:, None] * time / 4}

    result, _ = drive(method(error=0.3), NORMALS, model, time=time, batch=10**5)
    low, high = (result.statistics["h"].sel(statistic=f"mean_{end}").values for end in ("lower", "upper"))
    assert ((low <= 2.0) & (high >= 2.0) & (high - low <= 0.6)).all() and result["trusted"]["h"].values.all()


def test_failed_runs_and_too_few_are_said():
    """A sample of which a run of any model fails is left out of all."""
    result, runs = drive(method(error=0.01, most=600, max_failed=0.2), NORMALS, pair, fail=lambda part: part["u"] > 1.6)
    notes = result.attrs["notes"]
    assert runs <= 600 and "samples of which a run fails are left out" in notes[0] and "needs more than most = 600 runs" in notes[1]
    assert not bool(result["trusted"]["y"])


def test_a_study_has_costs_and_the_table(tmp_path):
    def model(u, v, fidelity=1):
        return {"y": 5.0 + 3.0 * u + v if fidelity else u}

    study = uq.Study(model=model, inputs=NORMALS, outputs=["y"], method=method(error=0.5), name="s")
    result = study.run(out=tmp_path / "r", workers=0, report=False, progress=False)
    assert [cost.runs for cost in result.facts.costs] == result.attrs["fidelity_runs"][::-1]
    panels = type(study.method).figures[0](result).panels
    assert [mark.label for mark in panels[1].marks] == ["runs", "costs"] and panels[1].names == ("fidelity 1", "fidelity 0")
    frame = type(study.method).tables[0](result)
    assert frame.table["runs"].tolist() == result.attrs["fidelity_runs"] and frame.table["share of the cost"].sum() == pytest.approx(1.0)


def test_share_of_the_variance_that_cheaper_models_take_away():
    """10 runs of the first, 40 and 80 of others: (1 - 10/40) 0.8, (10/40 - 10/80) 0.4; one that is left out takes away nothing."""
    np.testing.assert_allclose(removed(np.array([10, 40, 80, 10]), np.array([0.8, 0.4, 0.9])), [0.6, 0.05, 0.0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"fidelities": [1, 1]}, "there twice"),
        ({"error": 0.0}, "above zero"),
        ({"costs": [1.0]}, "one positive number"),
        ({"most": 10}, "first runs alone"),
    ],
)
def test_bad_settings_are_said(settings, words):
    with pytest.raises(StudyError, match=words):
        method(**settings)
