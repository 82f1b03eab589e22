"""Inputs that count and inputs that choose: what a model gets, what is stored and shown, and exact moments and indices with them."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.exporting import export
from uqmbd.inputs import read_input
from uqmbd.methods import METHODS
from uqmbd.report.failures import failures_table, failures_where

MODEL = """
import uqmbd as uq
OFFSET = {"soft": 1.0, "hard": 3.0}
def of_values(law, n, x=0.0):
    if not (isinstance(law, str) and isinstance(n, int)):
        raise TypeError((law, n))
    return {"y": OFFSET[law] + n * (1 if law == "soft" else 2) + x}
@uq.vectorized
def of_arrays(law, n, x=0.0):
    return {"y": 1.0 + 2.0 * (law == "hard") + n * (1 + (law == "hard")) + x}
def fails(law, n, x=0.0):
    if law == "hard" and n > 2:
        raise ValueError("too hard")
    return {"y": 1.0 + n}
"""
LAW, N, X = uq.Choice(["soft", "hard"], weights=[3, 1]), uq.Integers(1, 3), uq.Uniform(0.0, 1.0)


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)

    def make(method, function="of_values", **changes):
        given = dict(inputs={"law": LAW, "n": N, "x": X}, outputs=["y"], name="s", campaign={"workers": 0})
        return uq.Study(model=f"{tmp_path}/model.py:{function}", method=method, **{**given, **changes})

    return make


def run(study, **how):
    return study.run(report=False, progress=False, **how)


def test_moments_of_a_mixture_are_exact(study):
    """Mean and variance of ``o_k + c_k n`` with k of a choice: sums over the six pairs with their weights."""
    result = run(study(uq.MonteCarlo(samples=1024, design="sobol"), "of_arrays", inputs={"law": LAW, "n": N}))
    values = np.array([[1.0 + n, 3.0 + 2 * n] for n in (1, 2, 3)])  # n, law
    mean = values.mean(axis=0) @ [0.75, 0.25]
    variance = (values**2).mean(axis=0) @ [0.75, 0.25] - mean**2
    known = result.statistics["y"].sel(statistic=["mean", "std"]).values
    assert known == pytest.approx([mean, np.sqrt(variance)], rel=6e-3)


def test_sobol_indices_with_a_choice_and_a_count_are_the_exact_ones(study):
    """``y = 1 + 2 H + (1 + H) n + x`` with H of probability p: V_H = p (1 - p) (2 + E n)^2, V_n = (1 + p)^2 V(n), V_Hn = p (1 - p) V(n)."""
    result = run(study(uq.Sensitivity(approach="sobol", samples=1024), "of_arrays"))
    p, mean, var = 0.25, 2.0, 2 / 3
    parts = np.array([p * (1 - p) * (2 + mean) ** 2, (1 + p) ** 2 * var, 1 / 12])
    both = p * (1 - p) * var
    whole = parts.sum() + both
    first, total = (result.sensitivity["y"].sel(kind=kind).values for kind in ("first", "total"))
    assert first == pytest.approx(parts / whole, abs=0.03)
    assert total == pytest.approx((parts + [both, both, 0]) / whole, abs=0.03)
    for kind, exact in (("first", parts / whole), ("total", (parts + [both, both, 0]) / whole)):
        assert (result.sensitivity["y"].sel(kind=f"{kind}_lower").values < exact).all()
        assert (result.sensitivity["y"].sel(kind=f"{kind}_upper").values > exact).all()


def test_functions_of_arrays_get_arrays_of_values(study):
    method = uq.MonteCarlo(samples=64)
    one, many = (run(study(method, function), out=function, overwrite=True) for function in ("of_values", "of_arrays"))
    assert one.runs["y"].values.tolist() == many.runs["y"].values.tolist()


BOTH = {"law": LAW, "n": N, "x": X}


def test_a_grid_has_all_values_of_a_choice_and_a_count_unless_told():
    assert len(np.unique(uq.Grid(points={"x": 2}).rows(BOTH), axis=0)) == 2 * 3 * 2
    rows = uq.Grid(points={"x": 2}, values={"law": ["hard"]}).rows(BOTH)
    assert set(rows[:, 0]) == {1.0} and len(rows) == 6


def test_a_list_names_values_in_the_study_and_in_a_file(tmp_path):
    (tmp_path / "runs.csv").write_text("x,law,n\n0.5,hard,1\n0.25, soft,3\n")
    samples = {"law": ["hard", "soft"], "n": [1, 3], "x": [0.5, 0.25]}
    for method in (uq.List(samples=samples), uq.List(data=f"{tmp_path}/runs.csv")):
        assert method.rows(BOTH).tolist() == [[1.0, 1.0, 0.5], [0.0, 3.0, 0.25]]


@pytest.mark.parametrize(
    "method, sentence",
    [
        (lambda: uq.List(samples={"law": ["hrad"], "n": [1], "x": [0.1]}), "'hrad' is no value of the choice"),
        (lambda: uq.List(samples={"law": ["hard"], "n": [4], "x": [0.1]}), "'n' has no such number"),
        (lambda: uq.List(samples={"law": ["hard"], "n": [1], "x": ["hard"]}), "a number is expected"),
        (lambda: uq.Chebyshev(degree=2), "chebyshev cannot treat the input 'law' of kind choice; methods that can: grid, list, montecarlo"),
        (lambda: uq.Sensitivity(approach="derivative"), "cannot treat the input 'law' of kind choice"),
    ],
)
def test_what_methods_refuse(study, method, sentence):
    with pytest.raises(StudyError, match=sentence):
        study(method()).run(progress=False, report=False)


def test_search_finds_the_extremes_over_counts(study):
    study = study(uq.Search(max_runs=160, fresh=30), "of_values", inputs={"n": uq.Integers(1, 9), "x": uq.Interval(0.0, 1.0)})
    study = study.changed(study={"model": study.spec.study.model.replace("of_values", "square")})
    with open(study.spec.study.model.rpartition(":")[0], "a") as file:
        file.write("def square(n, x):\n    return {'y': (n - 4) ** 2 + x}\n")
    assert run(study).inner["y"].values == pytest.approx([0.0, 26.0], abs=1e-6)


def test_a_killed_study_goes_on_and_other_values_are_other_runs(study):
    whole = run(study(uq.MonteCarlo(samples=40)), out="a").runs["y"].values
    run(study(uq.MonteCarlo(samples=10)), out="b")
    more = study(uq.MonteCarlo(samples=40)).run(out="b", report=False, progress=False)
    assert more.runs["y"].values.tolist() == whole.tolist()
    other = {"law": uq.Choice(["hard", "soft"]), "n": N, "x": X}
    with pytest.raises(StudyError, match="values of choices"):
        run(study(uq.MonteCarlo(samples=40), inputs=other), out="b")


def test_pages_and_exports_show_the_values(study, tmp_path):
    result = run(study(uq.MonteCarlo(samples=120, max_failed=0.5), "fails"), out=str(tmp_path / "out"))
    assert "law is hard and n > 2.5" in failures_where(result)
    assert {row[3] for row in failures_table(result).rows} == {"hard"}
    with open(export(tmp_path / "out", tmp_path / "runs.csv")) as file:
        rows = list(csv.DictReader(file))
    assert {row["input:law"] for row in rows} == {"soft", "hard"} and {row["input:n"] for row in rows} == {"1.0", "2.0", "3.0"}


def test_axes_of_a_choice_have_its_values(study):
    from uqmbd.figures import matplotlib_view
    from uqmbd.figures.relations import scatter_figures
    from uqmbd.report import plotly_view

    result = run(study(uq.MonteCarlo(samples=40), "of_arrays"))
    (figure,) = scatter_figures(result, ["y"])
    layout = plotly_view.draw(figure)["layout"]
    assert layout["xaxis"]["ticktext"] == ["soft", "hard"] and "ticktext" not in layout["xaxis2"]
    axis = matplotlib_view.draw(figure).axes[6]  # of y over law
    assert [text.get_text() for text in axis.get_xticklabels()] == ["soft", "hard"]


def test_a_command_is_filled_in_with_the_value(tmp_path):
    code = "import json,sys; json.dump({'y': len(sys.argv[1]) + int(sys.argv[2])}, open('result.json', 'w'))"
    asked = dict(study={"command": ["python3", "-c", code, "{{law}}", "{{n}}"]}, outputs={"include": ["y"]}, campaign={"workers": 0})
    spec = uq.StudySpec(tmp_path, inputs={"law": uq.Choice(["a", "four"]), "n": N}, method=uq.Grid(), **asked)
    result = uq.Study.of(spec).run(out=tmp_path / "out", report=False, progress=False)
    assert sorted(result.runs["y"].values) == [2, 3, 4, 5, 6, 7]


def test_a_simulator_from_outside_is_handed_numbers():
    study = uq.Study(
        model=lambda x, law: x, simulator="orbits", inputs={"law": LAW}, outputs=["orbit.period"], method=uq.MonteCarlo(samples=4), name="s"
    )
    with pytest.raises(StudyError, match="is handed numbers, and the input 'law' is one of several values"):
        study.run(progress=False, report=False)


@pytest.mark.parametrize(
    "table, frozen",
    [
        ({"integers": {"type": "poisson", "mean": 3.5}}, stats.poisson(3.5)),
        ({"integers": {"type": "binomial", "size": 6, "prob": 0.3}}, stats.binom(6, 0.3)),
        ({"integers": [2, 7]}, stats.randint(2, 8)),
    ],
)
def test_quantiles_are_those_of_the_law(table, frozen):
    u = np.linspace(1e-4, 1 - 1e-4, 401)
    item = read_input(table)
    assert item.ppf(u).tolist() == frozen.ppf(u).tolist()
    assert item.isf(u).tolist() == frozen.isf(u).tolist()


@given(st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(any), st.integers(-3, 3))
def test_shares_of_evenly_spread_points_are_the_weights(weights, first):
    item = uq.Integers(first, first + len(weights) - 1, weights=weights)
    n = 1000 * sum(weights)
    found = np.bincount((item.ppf((np.arange(n) + 0.5) / n) - first).astype(int), minlength=len(weights))
    assert found.tolist() == [1000 * weight for weight in weights]
    ends = item.ppf(np.array([0.0, 1.0])) - first
    assert all(weights[int(end)] for end in ends)


@pytest.mark.parametrize(
    "table, sentence",
    [
        ({"choice": ["a"]}, "a list of two values or more"),
        ({"choice": ["a", "a"]}, "'a' is there twice"),
        ({"choice": ["a", 1.0, float("nan")]}, "a finite number is expected"),
        ({"choice": {"values": ["a", "b"], "weights": [1]}}, "2 values have 1 weights"),
        ({"choice": {"values": ["a", "b"], "weights": [-1, 2]}}, "weights are 0 or more"),
        ({"choice": {"weights": [1]}}, "a list of two values or more"),
        ({"choice": {"values": ["a", "b"], "probs": [1]}}, "no key 'probs'"),
        ({"choice": ["a", "b"], "unit": "mm"}, "a choice has no unit"),
        ({"integers": [3]}, "by the first and the last"),
        ({"integers": [3, 3]}, "lower 3 is not below upper 3; a number that is known is written value = 3"),
        ({"integers": [3, 4.5]}, "upper 4.5 is no whole number"),
        ({"integers": {"lower": 1, "upper": 3, "weights": [1, 2]}}, "3 numbers have 2 weights"),
        ({"integers": {"lower": 1}}, "need lower and upper"),
        ({"integers": {"type": "poison", "mean": 2}}, "no law 'poison'"),
        ({"integers": {"type": "poisson"}}, "needs mean"),
        ({"integers": {"type": "poisson", "mean": -1}}, "lies between 0 and"),
        ({"integers": {"type": "binomial", "size": 2.5, "prob": 0.5}}, "size is a whole number"),
        ({"integers": [1, 2], "unit": "mm"}, "whole numbers have no unit"),
    ],
)
def test_what_cannot_be_read(table, sentence):
    with pytest.raises(StudyError, match=sentence):
        read_input(table)


@pytest.mark.parametrize(
    "item", [LAW, N, uq.Choice([True, False]), uq.Choice([1, 2.5]), uq.Integers(law={"type": "poisson", "mean": 2.0}),
             uq.Integers(0, 2, weights=[1, 0, 2])]
)  # fmt: skip
def test_written_and_read_again_it_is_the_same(item):
    from uqmbd.spec.tables import input_table

    again = read_input(input_table(item))
    assert again == item and again.content() == item.content()


def test_kinds_that_methods_say_they_take_are_known():
    known = {"interval", "random", "fuzzy", "focal", "integers", "choice"}
    assert all(method.accepts <= known for method in METHODS.values())


def test_runs_with_equal_values_go_together_and_come_back_in_their_order():
    from uqmbd.outcomes import Outcomes
    from uqmbd.simulators.chosen import apart, combined

    samples = {"law": np.array([1.0, 0.0, 1.0, 0.0]), "n": np.array([2.0, 2.0, 2.0, 3.0]), "x": np.arange(4.0)}
    values, seen = {"law": ["a", "b"], "n": range(1, 4)}, []

    def part(some, rows):
        seen.append(rows.tolist())
        return Outcomes({"x": some["x"]}, np.zeros(len(rows), np.int8), [""] * len(rows))

    assert apart(samples, values, part).outputs["x"].tolist() == [0.0, 1.0, 2.0, 3.0] and seen == [[0, 2], [1], [3]]
    assert apart({**samples, "law": np.zeros(4), "n": np.ones(4)}, values, part) is None
    every = [(one["law"][0], one["n"][0]) for one in combined(samples, values)]
    assert every[0] == (1.0, 2.0) and len(set(every)) == len(every) == 6
