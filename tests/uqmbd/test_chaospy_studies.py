"""Distributions of chaospy in studies: what methods make of them, files that name them, and the command."""

import doctest
import tomllib
from pathlib import Path

import chaospy
import jsonschema
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import uqmbd as uq
from uqmbd.inputs import Labelled
from uqmbd.inputs.space import Space
from uqmbd.spec.schema import schema

from .test_inputs_chaospy import made


def run(tmp_path, inputs, method, **more):
    more.setdefault("model", total)
    study = uq.Study(inputs=inputs, outputs=["y"], method=method, name="total", campaign=uq.CampaignSettings(workers=0), **more)
    return study.run(out=tmp_path / "total", report=False, progress=False)


def total(a, b):
    """A sum."""
    return {"y": a + b}


TWO = {"a": chaospy.Normal(0, 1) * 2 + 3, "b": 2 * chaospy.Gamma(2.0) - 4}


def test_an_expression_is_an_input_of_polynomial_chaos(tmp_path):
    """Mean 3 + (4 - 4) and variance 4 + 8 of a sum, to rounding."""
    found = run(tmp_path, TWO, uq.PCE(samples=60, degree=2)).statistics["y"]
    assert float(found.sel(statistic="mean")) == pytest.approx(3.0, abs=1e-10)
    assert float(found.sel(statistic="std")) == pytest.approx(np.sqrt(12.0), rel=1e-10)


def test_an_expression_is_an_input_of_monte_carlo(tmp_path):
    found = run(tmp_path, TWO, uq.MonteCarlo(samples=4000, design="lhs")).statistics["y"]
    assert float(found.sel(statistic="mean")) == pytest.approx(3.0, abs=0.1)


def test_an_expression_is_an_input_of_reliability(tmp_path):
    """Far out in both tails: the sum of two normal variables is beyond 5.6 standard deviations."""
    inputs = {"a": chaospy.Normal(0, 1) * 3 + 3, "b": 1 - 4 * chaospy.Normal(0, 1)}
    for side in ({"above": 32.0}, {"below": -24.0}):
        found = run(tmp_path / next(iter(side)), inputs, uq.Reliability(output="y", approach="form", **side)).statistics["y"]
        assert float(found.sel(statistic="beta")) == pytest.approx(5.6, rel=1e-6)


def test_what_chaospy_alone_knows_says_which_digits_reliability_has_lost(tmp_path):
    result = run(tmp_path, {"a": chaospy.Frechet(2.0) * 2, "b": uq.Normal(0, 1)}, uq.Reliability(output="y", approach="form", above=7.0))
    assert any(note.startswith("a has the quantiles of chaospy, which knows no survival quantile") for note in result.attrs["notes"])


@pytest.mark.usefixtures("tried_here")
def test_check_says_which_gauss_points_an_expression_is_run_at():
    inputs = {**TWO, "c": chaospy.GaussianKDE([1.0, 2.0, 4.0]), "d": 1 - chaospy.Uniform(0, 1)}
    method = uq.PCE(design="quadrature", degree=3, grid="sparse")
    study = uq.Study(model=lambda a, b, c, d: {"y": a + b + c * d}, inputs=inputs, outputs=["y"], method=method)
    cost = study.check()
    assert cost.design.startswith("sparse grid of 165 Gauss points instead of 256") and "sparse grid of 165" in str(
        cost.table().columns[1]._cells
    )


SUM = {"a": chaospy.Normal(0, 1) + chaospy.Uniform(0, 1), "b": uq.Uniform(0, 1)}


def test_a_sum_is_an_input_of_what_only_samples(tmp_path):
    found = run(tmp_path / "m", SUM, uq.MonteCarlo(samples=4000)).statistics["y"]
    assert float(found.sel(statistic="std")) == pytest.approx(np.sqrt(1 + 2 / 12), rel=0.05)
    counted = run(tmp_path / "r", SUM, uq.Reliability(output="y", above=1.0, approach="montecarlo", samples=2000)).statistics["y"]
    assert float(counted.sel(statistic="probability")) == pytest.approx(0.5, abs=0.05)


def test_a_parameter_that_is_another_input_in_reliability(tmp_path):
    """b is N(a, 1) and a is N(0, 1), so b alone has the variance 2: beyond 4 with the index 4/√2, whatever a method makes of it."""
    a = chaospy.Normal(0, 1)
    inputs, exact = {("a", "b"): chaospy.J(a, chaospy.Normal(a, 1))}, 4 / np.sqrt(2)
    form = run(tmp_path / "f", inputs, uq.Reliability(output="y", above=4.0, approach="form"), model=lambda a, b: {"y": b})
    assert float(form.statistics["y"].sel(statistic="beta")) == pytest.approx(exact, rel=1e-6)
    assert any("depends on their order" in note for note in form.attrs["notes"])
    counted = run(
        tmp_path / "c", inputs, uq.Reliability(output="y", above=2.0, approach="montecarlo", samples=4000), model=lambda a, b: {"y": b}
    )
    distances = counted.sensitivity["y"].sel(kind="unsafe_distance")
    assert float(counted.statistics["y"].sel(statistic="probability")) == pytest.approx(stats.norm.sf(np.sqrt(2)), rel=0.15)
    assert float(distances.sel(input="b")) == pytest.approx(stats.norm.cdf(np.sqrt(2)), abs=0.01)  # none below, all above the limit
    assert 0.2 < float(distances.sel(input="a")) < 0.7


@pytest.mark.parametrize("text", ["Normal(0, 1) + Uniform(0, 1)", "Normal(0, 1) ** 2"])
def test_what_is_drawn_by_its_parts_has_no_rank_correlation(text):
    with pytest.raises(uq.StudyError, match="the input 'a' has no rank correlation"):
        Space({"a": uq.Random(made(text)), "b": uq.Normal(0, 1)}, {"rank_correlation": [["a", "b", 0.5]]})


METHODS = [
    uq.PCE(samples=60), uq.Grid(points=3), uq.Sensitivity(approach="sobol", samples=64),
    uq.Reliability(output="y", above=3.0, approach="form"),
]  # fmt: skip


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_sum_is_refused_where_a_quantile_is_needed(method):
    with pytest.raises(uq.StudyError, match="quantiles of the input 'a'") as error:
        uq.Study(model=total, inputs=SUM, outputs=["y"], method=method)
    assert error.value.key == "inputs.a" and "inputs of their own" in error.value.remedy and "montecarlo" in error.value.remedy


FILE = """
[study]
model = "model.py:total"
name = "total"
[inputs.a]
distribution = "spread.py:cube"
unit = "mm"
[inputs."b, c"]
distribution = "spread.py:both"
[outputs]
include = ["y"]
[method]
type = "montecarlo"
samples = 50
[campaign]
workers = 0
"""
SPREAD = """
import chaospy
cube = chaospy.Normal(0, 1) ** 3
both = chaospy.Clayton(chaospy.J(chaospy.Normal(0, 1), chaospy.Uniform(0, 1)), 2.0)
"""


def written(folder):
    folder.mkdir()
    (folder / "spread.py").write_text(SPREAD)
    (folder / "model.py").write_text("def total(a, b, c):\n    return {'y': 1e3 * a + b + c}\n")
    (folder / "study.toml").write_text(FILE)
    return folder / "study.toml"


def test_a_study_file_names_a_distribution_in_a_file(tmp_path):
    """Loaded, in the identity, written back, and resumed from what was written."""
    path = written(tmp_path / "here")
    jsonschema.validate(tomllib.loads(path.read_text()), schema())
    study = uq.Study.from_file(path)
    assert study.inputs["a"].ppf(ndtr(2.0)) == pytest.approx(0.008)
    study.run(out=tmp_path / "r", report=False, progress=False)
    text = (tmp_path / "r/study.toml").read_text()
    assert f'distribution = "{tmp_path / "here/spread.py"}:cube"' in text and '[inputs."b, c"]' in text
    before = sorted((tmp_path / "r/runs").rglob("*"))
    again = uq.Study.from_file(tmp_path / "r/study.toml").run(out=tmp_path / "r", report=False, progress=False)
    assert sorted((tmp_path / "r/runs").rglob("*")) == before and len(again.runs.status) == 50


def test_made_in_python_and_named_in_a_file_are_one_study(tmp_path):
    study = uq.Study.from_file(written(tmp_path / "here"))
    space = {}
    exec(SPREAD, space)
    inputs = {"a": uq.Random(space["cube"], unit="mm"), ("b", "c"): space["both"]}
    same = uq.Study(model=lambda a, b, c: {"y": a + b + c}, inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=50))
    assert same.spec.asked_of_inputs() == study.spec.asked_of_inputs()


def test_a_distribution_of_a_module_is_found_by_the_command(tmp_path, monkeypatch):
    """Made in Python, gone on with from the study that was written: nothing is simulated."""
    (tmp_path / "springs_of_ours.py").write_text(
        "import chaospy\ncube = chaospy.Normal(0, 1) ** 3\n\ndef f(a, b):\n    return {'y': a + b}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import springs_of_ours as own

    inputs = {"a": own.cube, "b": uq.Uniform(0, 1)}
    study = uq.Study(model=own.f, inputs=inputs, outputs=["y"], method=uq.MonteCarlo(samples=20), name="f", campaign={"workers": 0})
    study.run(out=tmp_path / "r", report=False, progress=False)
    assert f'distribution = "{tmp_path / "springs_of_ours.py"}:cube"' in (tmp_path / "r/study.toml").read_text()
    before = sorted((tmp_path / "r/runs").rglob("*"))
    again = uq.Study.from_file(tmp_path / "r/study.toml")
    assert again == study and len(again.run(out=tmp_path / "r", report=False, progress=False).runs.status) == 20
    assert sorted((tmp_path / "r/runs").rglob("*")) == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("spread.py:cube", "spread.py:cubes", "there is no distribution of chaospy 'cubes'(?s:.)*cube"),
        ("spread.py:cube", "spred.py:cube", "there is no file(?s:.)*spread.py"),
        ("spread.py:cube", "cube", "a distribution is named by a file or module(?s:.)*distributions.py:name"),
        ("spread.py:cube", "<2 * X>", "made in a script(?s:.)*run that script again"),
    ],
)
def test_a_name_that_leads_nowhere_is_a_sentence(tmp_path, old, new, words):
    path = written(tmp_path / "here")
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(uq.StudyError, match=words) as error:
        uq.Study.from_file(path)
    assert error.value.key == "inputs.a.distribution" and error.value.file == str(path)


def test_an_object_with_a_name_is_written_by_its_name(tmp_path):
    run(tmp_path, {"a": chaospy.Normal(1.0, 0.1) * 2, "b": stats.gamma(2.0)}, uq.MonteCarlo(samples=20))
    text = (tmp_path / "total/study.toml").read_text()
    assert 'distribution = { type = "normal", mean = 2.0, std = 0.2 }' in text and 'type = "gamma"' in text
    assert uq.Study.from_file(tmp_path / "total/study.toml").inputs["a"].describe() == "N(2, 0.2)"
    assert uq.Random(Labelled(chaospy.Normal(1, 2), "file.py:name")).distribution["type"] == "normal"


def test_the_example_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).resolve().parents[2] / "docs" / "theory" / "dependence.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 10)


def density_of_clayton(u, v, theta):
    """Clayton (1978): of two uniform variables."""
    return (1 + theta) * (u * v) ** (-1 - theta) * (u**-theta + v**-theta - 1) ** (-2 - 1 / theta)


def test_pce_of_claytons_copula_has_the_moments_of_its_density(tmp_path):
    """Against its density, integrated over normal scores: the expansion converges to both moments."""
    theta, score = 2.0, np.linspace(-8.0, 8.0, 801)
    weight, u = stats.norm.pdf(score), stats.norm.cdf(score)
    weight = np.outer(weight, weight) * density_of_clayton(u[:, None], u[None, :], theta)
    y = (5 + 0.3 * score[:, None]) * (1 + u[None, :])
    mean = (weight * y).sum() / weight.sum()
    exact = {"mean": mean, "std": np.sqrt((weight * (y - mean) ** 2).sum() / weight.sum())}
    inputs = {("a", "b"): chaospy.Clayton(chaospy.J(chaospy.Normal(5, 0.3), chaospy.Uniform(1, 2)), theta)}
    error = {}
    for degree in (4, 12):
        found = run(tmp_path / str(degree), inputs, uq.PCE(design="quadrature", degree=degree), model=lambda a, b: {"y": a * b})
        error[degree] = {name: abs(float(found.statistics["y"].sel(statistic=name)) / value - 1) for name, value in exact.items()}
    assert error[12]["mean"] < 3e-6 and error[12]["std"] < 3e-5
    assert all(error[12][name] < 0.02 * error[4][name] for name in exact)
    assert any("Rosenblatt's transformation of a, b" in note and "depend on their order" in note for note in found.attrs["notes"])


def test_pce_in_rosenblatts_variables_is_exact_for_polynomials(tmp_path):
    """b is N(a, 1) and a is N(0, 1): b² has the mean 2 and the variance 8, of which a alone explains a quarter: Var(a² + 1) = 2."""
    a = chaospy.Normal(0, 1)
    inputs, method = {("a", "b"): chaospy.J(a, chaospy.Normal(a, 1))}, uq.PCE(design="quadrature", degree=2)
    found = run(tmp_path, inputs, method, model=lambda a, b: {"y": b**2})
    assert [float(found.statistics["y"].sel(statistic=name)) for name in ("mean", "std")] == pytest.approx([2, np.sqrt(8)], rel=1e-9)
    first = found.sensitivity["y"].sel(kind="first")
    assert [float(first.sel(input=name)) for name in "ab"] == pytest.approx([0.25, 0.25], rel=1e-9)
