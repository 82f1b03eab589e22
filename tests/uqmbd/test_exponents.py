"""Lyapunov exponents and the 0-1 test against maps and flows of which they are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.dynamics.exponents import kaplan_yorke, largest, orthonormal, spectrum
from uqmbd.errors import StudyError
from uqmbd.simulators.zero_one import chaotic, too_fine, zero_one

from .dynamic_models import HENON, LOGISTIC, LORENZ, ROESSLER, SKEWED_TENT, Known


def starts(n: int, d: int, seed: int = 1, size: float = 0.1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.01, size, (n, d))


def constant(n: int, **values: float) -> dict[str, np.ndarray]:
    return {name: np.full(n, value) for name, value in values.items()}


def test_logistic_map_at_four_has_the_exponent_ln_2() -> None:
    found = spectrum(LOGISTIC, starts(20, 1), constant(20, r=4.0), steps=8000)
    assert np.abs(found.values - np.log(2)).max() < 2e-3
    assert (np.abs(found.values - np.log(2)) <= found.error).mean() > 0.9
    assert found.chaotic.tolist() == [1.0] * 20


def test_henon_map_sums_to_ln_of_b_and_its_largest_is_the_known_one() -> None:
    found = spectrum(HENON, starts(200, 2), constant(200, a=1.4, b=0.3), steps=5000)
    assert np.abs(found.values.sum(axis=1) - np.log(0.3)).max() < 1e-12
    assert found.values[:, 0].mean() == pytest.approx(0.41917, abs=4e-4)
    assert (np.abs(found.values[:, 0] - 0.41917) <= found.error[:, 0]).mean() > 0.85


@pytest.mark.slow
def test_lorenz_and_roessler_have_the_known_spectra_within_their_limits() -> None:
    lorenz = spectrum(LORENZ, starts(8, 3), {}, steps=3008, transient=400)
    assert np.abs(lorenz.values.sum(axis=1) + 41 / 3).max() < 1e-4
    for k, known in enumerate((0.9056, 0.0, -14.5723)):
        assert np.all(np.abs(lorenz.values[:, k] - known) < 2 * lorenz.error[:, k] + 1e-3)
    roessler = spectrum(ROESSLER, starts(8, 3), {}, steps=2000, transient=200)
    for k, known in enumerate((0.0714, 0.0, -5.39)):
        assert np.all(np.abs(roessler.values[:, k] - known) < 2 * roessler.error[:, k] + 5e-3)


def test_limits_hold_the_exponent_of_the_skewed_tent_map_as_often_as_they_say() -> None:
    c = 0.3
    found = spectrum(SKEWED_TENT, starts(2000, 1, size=0.99), constant(2000, c=c), steps=1024, transient=32)
    exact = -c * np.log(c) - (1 - c) * np.log(1 - c)
    assert (np.abs(found.values[:, 0] - exact) <= found.error[:, 0]).mean() >= 0.95


def test_a_periodic_orbit_has_the_logarithms_of_its_multipliers() -> None:
    r = 3.3  # a period of two, multiplier 4 + 2 r - r^2
    found = spectrum(LOGISTIC, starts(1, 1), constant(1, r=r), steps=64, transient=2000)
    assert found.values[0, 0] == pytest.approx(np.log(abs(4 + 2 * r - r * r)) / 2, abs=1e-12)
    assert found.error[0, 0] < 1e-10
    assert found.chaotic[0] == 0


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-3, 1), min_size=2, max_size=4, unique=True), st.integers(0, 99))
def test_a_linear_map_has_the_logarithms_of_its_eigenvalues(logs: list[float], seed: int) -> None:
    d = len(logs)
    basis = np.eye(d) + 0.3 * np.triu(np.random.default_rng(seed).uniform(-1, 1, (d, d)), 1)
    step = basis @ np.diag(np.exp(logs)) @ np.linalg.inv(basis)
    linear = Known(tuple("xyzw"[:d]), lambda *x: [0 * one for one in x], lambda *x: [list(row) for row in step])
    found = spectrum(linear, np.zeros((1, d)), {}, steps=64, transient=0)
    # the basis is triangular, and so is the step: what QR finds is exact from the first step
    assert np.allclose(found.values[0], sorted(logs, reverse=True), atol=1e-12)


def test_two_orbits_give_the_largest_exponent_that_the_tangent_gives() -> None:
    start, values = starts(4, 2), constant(4, a=1.4, b=0.3)
    by_pairs, by_tangent = (way(HENON, start, values, steps=8192) for way in (largest, spectrum))
    assert np.abs(by_pairs.values[:, 0] - by_tangent.values[:, 0]).max() < 0.01
    assert np.all(by_pairs.error > 0)


def test_orbits_that_leave_all_bounds_are_said_and_the_others_stay_as_they_are() -> None:
    alone = spectrum(HENON, starts(1, 2), constant(1, a=1.4, b=0.3), steps=256)
    both = spectrum(HENON, np.array([starts(1, 2)[0], [9.0, 9.0]]), constant(2, a=1.4, b=0.3), steps=256)
    assert both.lost[0] == -1
    assert 0 < both.lost[1] < 20
    assert np.isnan(both.values[1]).all()
    assert np.isnan(both.chaotic[1])
    assert np.array_equal(both.values[0], alone.values[0])


def test_a_fixed_point_at_which_the_derivative_vanishes_has_minus_infinity() -> None:
    found = spectrum(LOGISTIC, np.array([[0.5]]), constant(1, r=2.0), steps=64)
    assert np.isneginf(found.values[0, 0])
    assert found.error[0, 0] == 0
    assert found.chaotic[0] == 0


def test_too_few_steps_are_refused() -> None:
    with pytest.raises(StudyError, match="63 steps have no limits"):
        spectrum(LOGISTIC, starts(1, 1), constant(1, r=3.0), steps=63)


def test_dimension_of_kaplan_and_yorke() -> None:
    values = np.array([[0.9056, 0.0, -14.5723], [-0.1, -0.2, -0.3], [0.3, 0.2, 0.1], [np.nan] * 3])
    assert np.allclose(kaplan_yorke(values), [2 + 0.9056 / 14.5723, 0, 3, np.nan], equal_nan=True)


def orbit(r: float, points: int = 2000) -> np.ndarray:
    x = np.empty(points + 500)
    x[0] = 0.3
    for k in range(1, len(x)):
        x[k] = r * x[k - 1] * (1 - x[k - 1])
    return x[500:]


def test_zero_one_test_tells_regular_from_chaotic_orbits_of_the_logistic_map() -> None:
    # the example of Gottwald and Melbourne 2009: regular 3.55, chaotic 3.97
    k = zero_one(np.stack([orbit(r) for r in (3.55, 3.97, 4.0, 2.9)]))
    assert chaotic(k).tolist() == [0, 1, 1, 0]
    assert abs(k[1] - 1) < 0.01
    assert abs(k[0]) < 0.05


def test_zero_one_test_leaves_out_what_is_behind_the_last_point_and_says_nothing_of_few() -> None:
    long = np.full(3000, np.nan)
    long[:2000] = orbit(3.9)
    few = np.full(3000, np.nan)
    few[:100] = long[:100]
    gap = long.copy()
    gap[7] = np.nan
    k = zero_one(np.stack([long, few, gap]))
    assert k[0] == zero_one(long[:2000])[0]
    assert np.isnan(k[1:]).all()


def test_zero_one_test_is_that_of_the_defining_sums() -> None:
    signal, c = orbit(3.8, 300), 1.1
    phi = signal - signal.mean()
    phi = signal / np.abs(phi).max()
    j = np.arange(1, 301)
    p, q = np.cumsum(phi * np.cos(c * j)), np.cumsum(phi * np.sin(c * j))
    n = np.arange(1, 31)
    square = np.array([np.mean((p[k : 270 + k] - p[:270]) ** 2 + (q[k : 270 + k] - q[:270]) ** 2) for k in n])
    damped = square - phi.mean() ** 2 * (1 - np.cos(n * c)) / (1 - np.cos(c))
    from uqmbd.simulators.zero_one import correlations

    assert correlations(phi, np.array([c]))[0] == pytest.approx(np.corrcoef(damped, n)[0, 1], abs=1e-9)


def test_signals_that_are_sampled_too_finely_are_found() -> None:
    time = np.linspace(0, 20, 4000)
    assert too_fine(np.stack([np.sin(time), np.cos(2.0 * np.arange(4000))])).tolist() == [True, False]


def test_directions_are_orthogonal_and_do_not_depend_on_how_many_there_are() -> None:
    """Growths are those of Householder's reflections; a column in the span of those before it adds nothing."""
    matrices = np.random.default_rng(0).normal(size=(40, 3, 3))
    matrices[7, :, 2] = matrices[7, :, 0] - 2.0 * matrices[7, :, 1]
    before = matrices.copy()
    directions, added = orthonormal(matrices)
    assert np.abs(directions.transpose(0, 2, 1) @ directions - np.eye(3)).max() < 1e-12 and (matrices == before).all()
    upper = np.abs(np.diagonal(np.linalg.qr(matrices)[1], axis1=1, axis2=2))
    np.testing.assert_allclose(added, upper, rtol=1e-12, atol=1e-14)
    alone = orthonormal(matrices[5:6])
    assert (alone[0] == directions[5]).all() and (alone[1] == added[5]).all()
