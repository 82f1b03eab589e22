"""What a calibration found is an input of the next study: posteriors, estimates with their covariance, what is refused."""

from shutil import copytree

import numpy as np
import pytest
from scipy.stats import spearmanr

import uqmbd as uq
from uqmbd.inputs.space import Space

from .loop import drive

TIME = np.linspace(0.0, 2.0, 21)
PRIOR = {"a": uq.Normal(2.0, 2.0, unit="mm"), "b": uq.Normal(0.0, 0.01)}


def line(time, a, b):
    return {"y": a[:, None] + b[:, None] * time}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of readings of a straight line, a posterior `p` of it and a least squares estimate `s`, with `a` in mm."""
    folder = tmp_path_factory.mktemp("calibrated")
    y = 0.003 + 0.001 * TIME + 2e-4 * np.random.default_rng(2).standard_normal(21)
    rows = "\n".join(f"{t!r},{v!r}" for t, v in zip(TIME.tolist(), y.tolist(), strict=True))
    (folder / "line.csv").write_text("time,y\n" + rows + "\n")
    kept(folder / "p", uq.Posterior(**readings(folder), draws=800))
    kept(folder / "s", uq.Calibrate(**readings(folder)))
    return folder


def readings(folder):
    return {"data": str(folder / "line.csv"), "deviations": {"y": 2e-4}}


def kept(where, method, inputs=PRIOR, model=line):
    """Keep a result of a method as a study does."""
    result, _ = drive(method, inputs, model, time=TIME)
    result.attrs["inputs"] = Space.of(inputs).to_si().described()
    result.save(where)


def next_study(folder, named, more=""):
    (folder / "after.py").write_text("def after(a, b, c=0.0):\n    return {'sum': a + 2 * b + c}\n")
    head = '[study]\nmodel = "after.py:after"\n[outputs]\ninclude = ["sum"]\n[method]\ntype = "montecarlo"\nsamples = 4000\n'
    (folder / "after.toml").write_text(f"{head}[inputs]\nfrom = {named}\n{more}\n")
    return uq.Study.from_file(folder / "after.toml")


@pytest.mark.parametrize("which", ["p", "s"])
def test_moments_and_correlation_are_those_of_the_calibration(folder, which):
    """Standard deviation of a + 2 b, which is twice as large if the correlation of -0.87 is lost."""
    calibrated = uq.open_results(folder / which)
    covariance, direction = np.array(calibrated.attrs["covariance"]), np.array([1.0, 2.0])
    mean, std = direction @ list(calibrated.attrs["estimate"].values()), np.sqrt(direction @ covariance @ direction)
    study = next_study(folder, f'"{which}"')
    assert study.inputs["a"].written.unit == "mm"
    samples = study.spec.space.samples(np.random.default_rng(1).random((4000, 2)))
    total = samples["a"] + 2 * samples["b"]
    independent = 400 if which == "p" else 4000  # draws of the posterior, or samples
    assert total.mean() == pytest.approx(mean, abs=4 * std / np.sqrt(independent)) and total.std() == pytest.approx(std, rel=0.08)
    assert spearmanr(samples["a"], samples["b"]).statistic == pytest.approx(study.spec.dependence.rank_correlation[0][2], abs=0.03)


def test_python_and_a_file_ask_the_same(folder):
    asked = next_study(folder, '"p"').spec
    given = {"from": folder / "p"}
    made = uq.Study(model="after.py:after", directory=folder, inputs=given, outputs=["sum"], method=uq.MonteCarlo(samples=4000))
    assert made.spec == asked and asked == type(asked)(None, **asked.document())


@pytest.mark.parametrize("more", [{}, {"as": "draws"}, {"inputs": ["a"]}])
def test_a_result_in_python_is_its_folder(folder, more):
    def asked(result):
        given = {"from": {"result": result, **more} if more else result, "b" if "inputs" in more else "c": uq.Fixed(0.0)}
        return uq.Study(model="after.py:after", directory=folder, inputs=given, outputs=["sum"], method=uq.MonteCarlo(samples=40)).spec

    next_study(folder, '"p"')
    assert asked(uq.open_results(folder / "p")) == asked(folder / "p")


def test_a_result_that_lies_nowhere_is_refused(folder):
    result, _ = drive(uq.Posterior(scalars={"y": 1.0}, deviations={"y": 1.0}, max_steps=20), PRIOR, lambda time, a, b: {"y": a + b})
    with pytest.raises(uq.StudyError, match="lies in no folder") as error:
        uq.Study(model=line, inputs={"from": result}, outputs=["y"], method=uq.MonteCarlo(samples=40))
    assert "result.save" in error.value.remedy


def test_another_posterior_is_another_study(folder):
    """The identity holds the draws themselves, wherever they lie."""
    asked = next_study(folder, '"p"').spec
    copytree(folder / "p", folder / "q")
    assert next_study(folder, '"q"').spec == asked
    table = folder / "q" / "tables" / "posterior.csv"
    table.write_text("\n".join([*table.read_text().splitlines()[:-1], "799,3.0,0.001"]) + "\n")
    assert next_study(folder, '"q"').spec != asked


def test_some_inputs_beside_others(folder):
    others = '[inputs.a]\nvalue = 0.0\n[inputs.c]\ndistribution = { type = "normal", mean = 0, std = 1 }'
    study = next_study(folder, '{ result = "p", inputs = ["b"] }', others)
    assert set(study.inputs) == {"a", "b", "c"} and study.spec.dependence is None


def test_draws_themselves_are_rows_of_the_posterior(folder):
    """Every sample is a draw, with both of its numbers; a Latin hypercube takes each as often as the others."""
    study = next_study(folder, '{ result = "p", as = "draws" }')
    draws = uq.open_results(folder / "p").posterior
    count = draws.sizes["draw"]
    samples = study.spec.space.samples(np.column_stack([(np.arange(3 * count) + 0.5) / (3 * count), np.full(3 * count, 0.5)]))
    taken, known = (np.array([rows[f"{led}{name}"] for name in "ab"]).T for rows, led in ((samples, ""), (draws, "input:")))
    np.testing.assert_allclose(taken, np.repeat(known, 3, axis=0), rtol=1e-12)
    assert study.spec.space.sampled.keys() == {"a", "b"} and type(study.spec)(None, **study.spec.document()) == study.spec


def test_draws_of_one_input_are_its_values(folder):
    others = "[inputs.a]\nvalue = 0.0"
    study = next_study(folder, '{ result = "p", inputs = ["b"], as = "draws" }', others)
    draws = uq.open_results(folder / "p").posterior["input:b"].values
    assert study.inputs["b"].ppf(np.array([0.5]))[0] == pytest.approx(np.median(draws), rel=1e-3)


def test_a_bent_ridge_is_kept_and_run(tmp_path, monkeypatch):
    """Rows on a circle: sums of squares of all runs are 1, where rank correlations would be 0 and the sums anything."""
    monkeypatch.chdir(tmp_path)
    angle = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    (tmp_path / "ring.csv").write_text("x,y\n" + "\n".join(f"{c!r},{s!r}" for c, s in zip(np.cos(angle).tolist(), np.sin(angle).tolist())))
    ring = uq.Random({"data": str(tmp_path / "ring.csv"), "columns": ["x", "y"]}, unit="mm")
    study = uq.Study(model=square, inputs={"a, b": ring}, outputs=["r"], method=uq.MonteCarlo(samples=100), name="ring", directory=tmp_path)
    result = study.run(workers=0, report=False, progress=False)
    assert result.statistics["r"].sel(statistic="mean") == pytest.approx(1e-6, rel=1e-9)
    with pytest.raises(uq.StudyError, match="it is drawn by the rows of a table, together with others"):
        uq.Study(model=square, inputs={"a, b": ring}, outputs=["r"], method=uq.PCE(samples=50), name="ring").check()


def square(a, b):
    return {"r": a**2 + b**2}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"columns": ["x"]}, "two or more"),
        ({"columns": ["x", "z"]}, "'z'"),
        ({"columns": ["x", "y"], "smooth": True}, "has no key 'smooth'"),
    ],
)
def test_bad_rows(tmp_path, table, words):
    (tmp_path / "few.csv").write_text("x,y\n" + "\n".join(f"{k},{k}" for k in range(30)))
    with pytest.raises(uq.StudyError, match=words):
        uq.Random({"data": str(tmp_path / "few.csv"), **table})


def test_a_prior_that_ends_is_an_end(folder):
    """Smoothing goes beyond no end of the prior that the draws come near."""
    box = {"a": uq.Uniform(2.95, 4.0, unit="mm"), "b": uq.Normal(0.001, 1e-4)}
    kept(folder / "e", uq.Posterior(**readings(folder), draws=320), box)
    ends = {name: item.ppf(np.array([1e-12]))[0] for name, item in next_study(folder, '"e"').inputs.items()}
    assert 2.95e-3 <= ends["a"] < 2.97e-3 and np.isfinite(ends["b"])


@pytest.mark.parametrize(
    ("named", "more", "words"),
    [
        ('"nothing"', "", "there is no result here"),
        ("3", "", "is named by its folder of results"),
        ('{ result = "p", inputs = ["d"] }', "", "the calibration has no input 'd'"),
        ('"p"', "[inputs.a]\nvalue = 1.0", "'a' is given twice"),
        ('{ result = "p", as = "draws" }', "[inputs.b]\nvalue = 1.0", "'b' is given twice"),
        ('{ result = "p", as = "drawn" }', "", "taken smoothed, or as they are"),
        ('{ result = "s", as = "draws" }', "", "a least squares estimate has no draws"),
        ('["p", "s"]', "", "'a' is given twice"),
        ('"short"', "", "its chains have not converged"),
        ('"plain"', "", "result of the method montecarlo, which estimates no inputs"),
    ],
)
def test_what_is_refused(folder, named, more, words):
    if named == '"short"':
        kept(folder / "short", uq.Posterior(**readings(folder), max_steps=20, walkers=8))
    if named == '"plain"':
        kept(folder / "plain", uq.MonteCarlo(samples=10))
    with pytest.raises(uq.StudyError, match=words) as error:
        next_study(folder, named, more)
    assert error.value.remedy and "inputs.from" in str(error.value)


def test_an_estimate_without_a_variance_is_refused(folder):
    kept(folder / "h", uq.Calibrate(**readings(folder)), {"a": uq.Interval(0.0, 1e-3), "b": uq.Interval(-1.0, 1.0)})
    with pytest.raises(uq.StudyError, match="knows no standard deviation of 'a'") as error:
        next_study(folder, '"h"')
    assert 'inputs = ["b"]' in error.value.remedy
