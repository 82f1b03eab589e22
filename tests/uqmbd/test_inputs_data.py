"""Distributions from data and distributions cut off."""

import numpy as np
import pytest
from scipy import stats

from uqmbd.errors import StudyError
from uqmbd.inputs import Random

RNG = np.random.default_rng(5)
SAMPLE = RNG.lognormal(1.0, 0.6, 400)
U = np.linspace(0.001, 0.999, 997)


@pytest.fixture
def rods(tmp_path):
    """A file of 400 values, with another column, an empty line and a byte order mark."""
    lines = ["name, k", *(f"rod {i}, {float(value)!r}" for i, value in enumerate(SAMPLE))]
    path = tmp_path / "rods.csv"
    path.write_text("\ufeff" + "\n".join([*lines[:50], "", *lines[50:]]), encoding="utf-8")
    return str(path)


def random(rods, **keys):
    return Random({"data": rods, "column": "k", **keys}, "mm")


def test_empirical_quantiles_are_those_of_numpy(rods):
    item = random(rods).to_si()
    assert item.ppf(U) == pytest.approx(1e-3 * np.quantile(SAMPLE, U), rel=1e-12)
    assert item.describe() == "empirical mm, of k of rods.csv, 400 values"


def test_a_fitted_normal_has_the_mean_and_the_deviation_of_the_sample(rods):
    item = random(rods, fit="normal")
    assert item.named["mean"] == pytest.approx(SAMPLE.mean(), rel=1e-12) and item.named["std"] == pytest.approx(SAMPLE.std(), rel=1e-12)
    ks = stats.kstest(SAMPLE, stats.norm(SAMPLE.mean(), SAMPLE.std()).cdf).statistic
    assert item.fitted.ks == pytest.approx(ks, abs=1e-12)
    assert item.describe() == f"N({SAMPLE.mean():.4g}, {SAMPLE.std():.4g}) mm, fitted to k of rods.csv, 400 values, KS distance {ks:.3f}"


def test_a_fitted_lognormal_is_that_of_the_logarithms(rods):
    logs = np.log(SAMPLE)
    assert random(rods, fit="lognormal").ppf(U) == pytest.approx(np.exp(logs.mean() + logs.std() * stats.norm.ppf(U)), rel=1e-6)


@pytest.mark.parametrize(
    ("family", "law", "held"),
    [
        ("weibull", stats.weibull_min, {"floc": 0}),
        ("gamma", stats.gamma, {"floc": 0}),
        ("exponential", stats.expon, {"floc": 0}),
        ("gumbel", stats.gumbel_r, {}),
        ("logistic", stats.logistic, {}),
        ("uniform", stats.uniform, {}),
    ],
)
def test_other_families_are_fitted_by_scipy(rods, family, law, held):
    assert random(rods, fit=family).ppf(U) == pytest.approx(law(*law.fit(SAMPLE, **held)).ppf(U), rel=1e-9)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_the_best_fit_is_that_of_the_largest_likelihood(rods, criterion):
    item = random(rods, fit="best", criterion=criterion)
    assert item.fitted.family == "lognormal"
    assert item.ppf(U) == pytest.approx(random(rods, fit="lognormal").ppf(U), rel=1e-12)


def test_kernel_estimate(rods):
    """The distribution function is that of scipy's kernel estimate with the same width."""
    x = random(rods, fit="kde").ppf(U)
    assert x == pytest.approx(x[np.argsort(x)])
    kernel = stats.gaussian_kde(SAMPLE)
    assert [kernel.integrate_box_1d(-np.inf, value) for value in x[::100]] == pytest.approx(U[::100], abs=1e-4)


def test_truncation_is_the_law_under_a_condition():
    item = Random({"type": "normal", "mean": 10, "std": 2, "truncate": [9, 15]}, "mm").to_si()
    reference = stats.truncnorm(-0.5, 2.5, 10, 2)
    assert item.ppf(U) == pytest.approx(1e-3 * reference.ppf(U), rel=1e-9)
    assert item.ppf(np.array([0.0, 1.0])) == pytest.approx([9e-3, 15e-3], rel=1e-12)
    assert item.describe() == "N(10, 2) on [9, 15] mm" and item.named is None
    open_end = Random({"type": "normal", "mean": 0, "std": 1, "truncate": [0, float("inf")]})
    assert open_end.ppf(U) == pytest.approx(stats.halfnorm.ppf(U), rel=1e-6)


@pytest.mark.parametrize(("truncate", "lower", "upper"), [(None, 0, 6), ([1, 3], 1, 3), ([2, float("inf")], 2, 6), ([0.5, 2.5], 1, 2)])
def test_whole_numbers(truncate, lower, upper):
    """A binomial variable has whole values with scipy's probabilities, cut off or not; numbers at the ends belong to it."""
    table = {"type": "binomial", "size": 6, "prob": 0.3}
    item = Random(table if truncate is None else table | {"truncate": truncate})
    numbers = np.arange(lower, upper + 1)
    p = stats.binom.pmf(numbers, 6, 0.3)
    below = np.cumsum(p / p.sum())
    assert np.array_equal(item.ppf(below - 1e-9), numbers) and np.array_equal(item.ppf(below[:-1] + 1e-9), numbers[1:])


def test_truncation_keeps_the_ties_at_its_ends(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("k\n" + "\n".join(["1"] * 60 + ["2"] * 30 + ["3"] * 10))
    x = Random({"data": str(path), "column": "k", "truncate": [1, 2]}).ppf((np.arange(1000) + 0.5) / 1000)
    assert np.mean(x == 1) == pytest.approx(60 / 90, abs=0.02) and np.mean(x == 2) == pytest.approx(30 / 90, abs=0.02)


def test_truncated_data(rods):
    x = random(rods, truncate=[2, 3]).ppf(U)
    assert x.min() >= 2 and x.max() <= 3
    within = SAMPLE[(SAMPLE > 2) & (SAMPLE < 3)]
    assert np.median(x) == pytest.approx(np.median(within), abs=0.02)


def test_fingerprint_is_that_of_the_numbers_and_not_of_their_place(rods, tmp_path):
    """What identity sees: the same numbers elsewhere are the same input; a changed number is another."""
    first = random(rods).model_dump()
    other = tmp_path / "elsewhere.csv"
    text = (tmp_path / "rods.csv").read_text(encoding="utf-8")
    other.write_text(text, encoding="utf-8")
    assert random(str(other)).model_dump() == first
    other.write_text(text.replace(repr(float(SAMPLE[7])), "2.5"), encoding="utf-8")
    assert random(str(other)).model_dump() != first


def test_the_file_is_read_once(rods, tmp_path):
    item = random(rods)
    (tmp_path / "rods.csv").unlink()
    assert item.to_si().ppf(np.array([0.5])) == pytest.approx(1e-3 * np.median(SAMPLE))


@pytest.mark.parametrize(
    ("text", "keys", "words"),
    [
        (None, {}, "there is no file"),
        ("k\n1\n2\n3\n", {}, "holds 3 rows of numbers; at least 5"),
        ("k\n1\n2\nthree\n4\n5\n6", {}, "line 4 of 'd.csv' holds 'three', which is not a finite number"),
        ("k\n1\n2\nnan\n4\n5\n6", {}, "line 4 of 'd.csv' holds 'nan'"),
        ("i,k\n1,2\n2\n3,4\n4,5\n5,6\n6,7", {}, "line 3 of 'd.csv' holds nothing in the column 'k'"),
        ("stiffness\n1\n2\n3\n4\n5", {}, "has no column 'k'"),
        ("k,k\n1,1\n2,2\n3,3\n4,4\n5,5", {}, "more than one column 'k'"),
        ("k\n2\n2\n2\n2\n2", {}, "all values of the column 'k' are 2"),
        ("k\n-1\n2\n3\n4\n5", {"fit": "lognormal"}, "a lognormal variable is positive, and the data begin at -1"),
        ("k\n1\n2\n3\n4\n5", {"fit": "nromal"}, 'did you mean "normal"'),
        ("k\n1\n2\n3\n4\n5", {"criterion": "dic"}, "there is no criterion 'dic'"),
        ("k\n1\n2\n3\n4\n5", {"fits": "normal"}, 'did you mean "fit"'),
        ("k\n1\n2\n3\n4\n5", {"column": 3}, "needs its column, a text"),
        ("k\n1\n2\n3\n4\n5", {"truncate": [6, 7]}, "has a probability of 0 between 6 and 7"),
    ],
)
def test_bad_data(tmp_path, text, keys, words):
    path = tmp_path / "d.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(StudyError) as error:
        random(str(path), **keys)
    assert words in str(error.value) and error.value.key.startswith("distribution.") and error.value.remedy


@pytest.mark.parametrize(
    ("value", "words"),
    [([3, 2], "lower 3 is not below upper 2"), ([1], "list of two numbers"), (2, "list of two numbers"), ([9, 10], "probability of")],
)
def test_bad_truncation(value, words):
    with pytest.raises(StudyError, match=words) as error:
        Random({"type": "normal", "mean": 0, "std": 1, "truncate": value})
    assert error.value.key == "distribution.truncate"
