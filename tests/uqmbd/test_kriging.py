"""Kriging against what holds exactly: interpolation, derivatives of the likelihood, scaling, and the spread it states."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import qmc

from uqmbd.analysis.statistics import gaussian_process
from uqmbd.analysis.statistics.gaussian_process import KERNELS, TRENDS
from uqmbd.errors import StudyError
from uqmbd.surrogates import kriging
from uqmbd.surrogates.kriging import Kriging


def wave(x):
    return np.sin(3 * x[:, 0]) + x[:, 1] ** 2


def design(n, seed=0, d=2):
    return 2 * qmc.LatinHypercube(d, rng=seed).random(n) - 1


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("trend", TRENDS)
def test_the_gradient_of_the_likelihood(kernel, trend):
    x = design(12, d=3)
    y = np.stack([wave(x) + x[:, 2], x[:, 0] * x[:, 2]], axis=1)
    data = (x, y, KERNELS[kernel], TRENDS[trend](x))
    place = np.log([0.4, 0.6, 0.9])
    loss, slope = lambda p: gaussian_process.loss(p, *data)[0], lambda p: gaussian_process.loss(p, *data)[1]
    assert check_grad(loss, slope, place) < 1e-5 * np.linalg.norm(slope(place))


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_goes_through_the_runs_and_converges(kernel):
    fresh, errors = design(500, seed=9), []
    for n in (20, 40, 80):
        x = design(n)
        model = Kriging.fit(x, wave(x), kernel=kernel)
        errors.append(np.abs(model.evaluate(fresh)[:, 0] - wave(fresh)).max())
        assert np.abs(model.evaluate(x)[:, 0] - wave(x)).max() < 0.1 * errors[-1]  # what the nugget costs
        assert model.std(x).max() < 0.1 * model.std(fresh).max()
    assert errors[0] > errors[1] > errors[2] and errors[2] < 0.02


def test_units_change_nothing_but_units():
    x, fresh = design(25), design(50, seed=4)
    plain = Kriging.fit(x, wave(x))
    factors, shift = np.array([1e-4, 3e5]), np.array([2.0, -7e5])
    other = Kriging.fit(x * factors + shift, 1e-3 * wave(x) + 5)
    assert other.evaluate(fresh * factors + shift) == pytest.approx(1e-3 * plain.evaluate(fresh) + 5, rel=1e-6)
    assert other.std(fresh * factors + shift) == pytest.approx(1e-3 * plain.std(fresh), rel=1e-3)
    assert other.lengths == pytest.approx(plain.lengths * factors, rel=1e-3)


def test_a_linear_trend_extrapolates_a_plane():
    x = design(10)
    model = Kriging.fit(x, 2 + x @ [3.0, -1.0], trend="linear")
    assert model.evaluate(np.array([[5.0, -5.0]]))[0, 0] == pytest.approx(22, abs=1e-6)


def test_the_stated_spread_is_the_real_one():
    """Of functions drawn from the process itself."""
    rng, x, fresh = np.random.default_rng(3), design(30), design(40, seed=8)
    both = np.concatenate([x, fresh])
    correlation = KERNELS["matern52"](gaussian_process.squares(both / 0.8, both / 0.8))[0]
    drawn = np.linalg.cholesky(correlation + 1e-10 * np.eye(70)) @ rng.standard_normal((70, 12))
    model = Kriging.fit(x, drawn[:30], restarts=1)
    off = (drawn[30:] - model.evaluate(fresh)) / model.std(fresh)
    assert 0.8 < off.std() < 1.3 and 0.9 < (np.abs(off) < 2).mean() < 0.99


def test_covariance_has_the_squares_of_std_and_blocks_do_not_matter(monkeypatch):
    x, fresh = design(20), design(30, seed=2)
    model = Kriging.fit(x, wave(x))
    whole = model.evaluate(fresh), model.std(fresh)
    assert np.sqrt(np.diag(model.covariance(fresh))) == pytest.approx(whole[1][:, 0], rel=1e-6, abs=1e-9)
    monkeypatch.setattr(kriging, "BLOCK", 7 * 20)
    assert model.evaluate(fresh) == pytest.approx(whole[0], rel=1e-12) and model.std(fresh) == pytest.approx(whole[1], rel=1e-9)


def test_the_same_seed_gives_the_same_fit():
    x = design(20)
    one, other = (Kriging.fit(x, wave(x), seed=5) for _ in range(2))
    assert np.array_equal(one.evaluate(x), other.evaluate(x)) and np.array_equal(one.lengths, other.lengths)


@pytest.mark.parametrize(
    ("points", "values", "keys", "key"),
    [
        (np.zeros((4, 2)), np.zeros(3), {}, "points"),
        (np.zeros((4, 2)), np.array([0, 1, np.nan, 2]), {}, "values"),
        (np.zeros((2, 2)), np.zeros(2), {"trend": "linear"}, "points"),
        (np.zeros((4, 2)), np.zeros(4), {"kernel": "matern"}, "kernel"),
    ],
)
def test_bad_data_is_refused(points, values, keys, key):
    with pytest.raises(StudyError) as error:
        Kriging.fit(points, values, **keys)
    assert error.value.key == key and error.value.remedy


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("trend", TRENDS)
def test_slopes_and_known_lengths(kernel, trend):
    """Slopes against central differences; with the lengths of a fit the fit comes back without a search."""
    random = np.random.default_rng(5)
    points = 3 * random.random((25, 2)) + 1
    values = np.sin(points[:, 0]) * points[:, 1] + 2 * points[:, 0]
    model = Kriging.fit(points, values, kernel=kernel, trend=trend)
    at, step = 2 * random.random((10, 2)) + 1.5, 1e-3  # weights of 1e9 leave few digits to shorter ones
    slopes = model.gradient(at)
    for i in range(2):
        ahead, behind = (model.evaluate(at + h * np.eye(2)[i])[:, 0] for h in (step, -step))
        np.testing.assert_allclose(slopes[:, i, 0], (ahead - behind) / (2 * step), rtol=1e-5, atol=2e-5)
    again = Kriging.known(points, values, model.lengths[0], kernel=kernel, trend=trend)
    np.testing.assert_allclose(again.evaluate(at), model.evaluate(at), rtol=1e-6)
    np.testing.assert_allclose(again.std(at), model.std(at), rtol=1e-3, atol=1e-7)


def test_columns_that_share_their_lengths():
    """A history takes one set of lengths; its columns, some of them, and their slopes are those of Krigings with these lengths alone."""
    x, fresh = design(30), design(20, seed=6)
    values = np.stack([wave(x), np.zeros(30), 2 * wave(x) + x[:, 0], np.cos(x[:, 1])], axis=1)
    model = Kriging.fit(x, values, slices=[slice(0, 3), slice(3, 4)])
    assert np.array_equal(model.lengths[0], model.lengths[2]) and not np.allclose(model.lengths[0], model.lengths[3])
    for column, y in enumerate(values.T):
        alone = Kriging.known(x, y, model.lengths[column], kernel="matern52", trend="constant")
        part = model.select(np.array([column]))
        for found in (model.evaluate(fresh)[:, [column]], part.evaluate(fresh)):
            np.testing.assert_allclose(found, alone.evaluate(fresh), atol=1e-8)
        np.testing.assert_allclose(model.gradient(fresh)[:, :, column], alone.gradient(fresh)[:, :, 0], atol=1e-6)
        np.testing.assert_allclose(model.std(fresh)[:, column], alone.std(fresh)[:, 0], rtol=1e-6, atol=1e-12)
    owner = np.arange(20) % 4
    value, slope = model.value_and_slope(owner, fresh)
    np.testing.assert_allclose(value, model.evaluate(fresh)[np.arange(20), owner], atol=1e-12)
    np.testing.assert_allclose(slope, model.gradient(fresh)[np.arange(20), :, owner], atol=1e-9)
    back = model.select(np.array([3, 0, 0]))
    np.testing.assert_allclose(back.evaluate(fresh), model.evaluate(fresh)[:, [3, 0, 0]], atol=1e-12)
