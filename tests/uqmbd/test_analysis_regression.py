"""Least squares, leave-one-out errors, sparse choices and principal components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.base import principal_components
from uqmbd.analysis.chaos import families, regression
from uqmbd.analysis.chaos.expansion import basis
from uqmbd.analysis.chaos.multi_index import index_set, level


def problem(d, degree, n, seed=1):
    """Multi-indices and the basis of Legendre polynomials at random points."""
    indices = index_set([degree] * d)
    return indices, basis([families.legendre()] * d, indices, np.random.default_rng(seed).random((n, d)))


def test_leave_one_out_by_the_hat_matrix_is_that_of_refitting():
    _, psi = problem(2, 3, 25)
    values = np.random.default_rng(2).normal(size=(25, 3))
    errors = np.empty((25, 3))
    for i in range(25):
        kept = np.arange(25) != i
        errors[i] = values[i] - psi[i] @ np.linalg.lstsq(psi[kept], values[kept], rcond=None)[0]
    factor = 25 / 15 * (1 + np.trace(np.linalg.inv(psi.T @ psi)))
    fit = regression.least_squares(psi, values)
    assert fit.loo == pytest.approx((errors**2).mean(axis=0) * factor, rel=1e-10)
    assert fit.missed == pytest.approx(np.abs(errors).max(axis=0), rel=1e-10)


def test_errors_along_a_path_are_those_of_separate_fits():
    _, psi = problem(3, 2, 30)
    values = np.random.default_rng(3).normal(size=(30, 2))
    errors = regression.prefix_errors(psi, values)
    separate = [regression.least_squares(psi[:, : k + 1], values).loo.sum() for k in range(10)]
    assert errors == pytest.approx(separate, rel=1e-9)


def test_many_columns_are_fitted_as_one_by_one():
    _, psi = problem(3, 3, 60)
    values = np.random.default_rng(4).normal(size=(60, 40))
    together = regression.least_squares(psi, values)
    assert together.c == pytest.approx(np.linalg.lstsq(psi, values, rcond=None)[0], abs=1e-12)
    assert together.loo[7:8] == pytest.approx(regression.least_squares(psi, values[:, 7:8]).loo, rel=1e-10)


def test_terms_that_are_almost_alike():
    """Where the normal equations lose the digits, QR keeps them."""
    x = np.linspace(-1, 1, 40)
    psi = np.stack([np.ones(40), x, x + 1e-7 * x**2], axis=1)
    exact = np.array([[1.0], [2.0], [3.0]])
    assert regression.least_squares(psi, psi @ exact).c == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("psi", "words"), [(np.ones((3, 4)), "4 terms need at least 4 runs"), (np.ones((5, 2)), "cannot tell the 2 terms")]
)
def test_too_few_runs_are_refused(psi, words):
    with pytest.raises(ValueError, match=words):
        regression.least_squares(psi, np.ones((len(psi), 1)))


def test_as_many_terms_as_runs_have_no_known_error():
    _, psi = problem(2, 3, 10)
    assert np.isinf(regression.least_squares(psi, np.ones((10, 1)) + psi[:, 1:2]).loo).all()


@pytest.mark.parametrize("how", ["lars", "omp"])
@given(seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None, derandomize=True)  # least angle regression misses a term for seeds 883 and 895 of 0 to 1000
def test_a_sparse_polynomial_is_found_exactly(how, seed):
    indices, psi = problem(6, 4, 100, seed)
    rng = np.random.default_rng(seed)
    c = np.zeros((len(indices), 1))
    some = rng.choice(np.arange(1, len(indices)), 6, replace=False)
    c[some, 0], c[0] = rng.choice([-1, 1], 6) * rng.uniform(0.5, 2, 6), 3.0
    found = regression.choose(psi, level(indices), [4], psi @ c, how)
    fit = regression.least_squares(psi[:, found.terms], psi @ c)
    assert len(indices) == 210 and set(some) <= set(found.terms) and found.loo < 1e-20
    assert fit.c == pytest.approx(c[found.terms], abs=1e-10)


@pytest.mark.parametrize("how", ["lars", "omp", "least_squares"])
def test_the_degree_is_that_of_the_polynomial(how):
    indices, psi = problem(2, 6, 90)
    c = np.where(indices.sum(axis=1) <= 3, 1.0, 0.0)[:, None]
    noise = 1e-3 * np.random.default_rng(5).normal(size=(90, 1))
    assert regression.choose(psi, level(indices), [1, 2, 3, 4, 5, 6], psi @ c + noise, how).degree == 3


def history(psi, columns=1000):
    """Smooth histories whose amplitudes are sparse polynomials."""
    t = np.linspace(0, 1, columns)
    shapes = np.stack([np.ones(columns), np.sin(7 * t), np.cos(5 * t), t**2])
    return psi[:, [1, 4, 9, 17]] @ (shapes * [[1.0], [2.0], [0.5], [0.1]])


@pytest.mark.parametrize("how", ["lars", "omp"])
def test_a_history_costs_few_paths_and_is_found(how, monkeypatch):
    indices, psi = problem(4, 4, 60)
    values, calls = history(psi), []
    lars_order = regression.lars_order
    monkeypatch.setattr(regression, "lars_order", lambda *args: calls.append(1) or lars_order(*args))
    found = regression.choose(psi, level(indices), [4], values, how)
    assert {1, 4, 9, 17} <= set(found.terms) and len(found.terms) < 10 and len(calls) <= 4
    assert psi[:, found.terms] @ regression.least_squares(psi[:, found.terms], values).c == pytest.approx(values, abs=1e-11)


@pytest.mark.parametrize("shape", [(30, 200), (200, 30)])
def test_components_leave_out_what_they_say(shape):
    rng = np.random.default_rng(6)
    values = rng.normal(size=(shape[0], 8)) * 0.3 ** np.arange(8) @ rng.normal(size=(8, shape[1])) + 5
    scores, left_out = principal_components.scores(values, energy=1e-4, most=100)
    total = ((values - values.mean(axis=0)) ** 2).sum()
    singular = np.linalg.svd(values - values.mean(axis=0), compute_uv=False)
    assert left_out <= 1e-4 and (scores**2).sum() / total == pytest.approx(1 - left_out)
    assert np.linalg.norm(scores, axis=0) == pytest.approx(singular[: scores.shape[1]])
    assert principal_components.scores(values, energy=0.0, most=2)[1] == pytest.approx((singular[2:] ** 2).sum() / total)


def test_a_constant_column_has_the_constant_only():
    indices, psi = problem(2, 3, 20)
    assert regression.choose(psi, level(indices), [3], np.full((20, 4), 2.0), "lars").terms.tolist() == [0]


@pytest.mark.parametrize("rows", [1, 37, 200, 1000])
def test_blocks_of_runs_give_the_fit_of_all_of_them(rows):
    random = np.random.default_rng(3)
    psi = np.column_stack([np.ones(200), random.normal(size=(200, 6))])
    values = psi @ random.normal(size=(7, 4)) + 0.1 * random.normal(size=(200, 4))
    groups = [(np.arange(7), slice(0, 2)), (np.array([0, 3, 5]), slice(2, 4))]
    for (terms, at), fit in zip(groups, regression.by_blocks(lambda part: psi[part], values, groups, rows), strict=True):
        whole = regression.least_squares(psi[:, terms], values[:, at])
        for ours, theirs in ((fit.c, whole.c), (fit.loo, whole.loo), (fit.missed, whole.missed)):
            np.testing.assert_allclose(ours, theirs, rtol=1e-11)


def test_blocks_with_terms_that_are_nearly_the_same_are_fitted_by_qr():
    random = np.random.default_rng(4)
    x = random.normal(size=60)
    psi = np.column_stack([np.ones(60), x, x + 1e-7 * random.normal(size=60)])
    values = psi @ np.array([[1.0], [2.0], [3.0]])
    (fit,) = regression.by_blocks(lambda part: psi[part], values, [(np.arange(3), slice(0, 1))], 16)
    np.testing.assert_allclose(psi @ fit.c, values, rtol=1e-12)
    with pytest.raises(ValueError, match="cannot tell the 2 terms apart"):
        regression.by_blocks(lambda part: psi[part][:, [1, 1]], values, [(np.arange(2), slice(0, 1))], 16)
