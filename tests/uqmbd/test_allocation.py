"""Tolerances at the least cost: closed forms, slopes against differences, and limits that cannot be met."""

import numpy as np
import pytest
from scipy.special import ndtri

from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.search.allocation import (
    Bounded,
    Exponential,
    Extremes,
    Narrow,
    Quantiles,
    Reciprocal,
    RootOfSquares,
    Tabulated,
    allocate,
)

A, SLOPES, LIMIT = np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.5, 2.0]), 0.3
LEAST, HALF = np.full(3, 1e-3), np.ones(3)


def linear(slopes):
    c = np.zeros((*(2,) * len(slopes), 1))
    for axis, slope in enumerate(slopes):
        c[(*np.eye(len(slopes), dtype=int)[axis], 0)] = slope
    return TensorExpansion(c)


def bent():
    return TensorExpansion(np.random.default_rng(3).normal(size=(4, 4, 1)))


@pytest.mark.parametrize(
    ("response", "s", "cost"),
    [
        (Extremes, (0.06213203, 0.12426407, 0.08786797), 77.71236166),
        (RootOfSquares, (0.12247449, 0.24494897, 0.12247449), 48.98979486),
    ],
)
def test_reciprocal_costs_of_a_linear_stack_are_least_where_the_closed_forms_say(response, s, cost):
    costs = [Reciprocal(a, 1.0) for a in A]
    found = allocate(costs, HALF, [Bounded(response(linear(SLOPES)), LIMIT, upper=True, size=1.0)], LEAST)
    assert found.feasible
    assert found.converged
    np.testing.assert_allclose(found.s, s, atol=6e-9)
    np.testing.assert_allclose(found.cost, cost, rtol=1e-10)


def test_exponential_costs_of_a_linear_stack_are_least_where_slopes_balance():
    # a/b exp(-t/b) = λ s, so t = b log(a / (b λ s)), and Σ s t = T gives λ
    b = np.array([0.1, 0.2, 0.05])
    log_rate = (SLOPES @ (b * np.log(A / (b * SLOPES))) - LIMIT) / (SLOPES @ b)
    exact = b * (np.log(A / (b * SLOPES)) - log_rate)
    costs = [Exponential(a, per) for a, per in zip(A, b, strict=True)]
    found = allocate(costs, HALF, [Bounded(Extremes(linear(SLOPES)), LIMIT, upper=True, size=1.0)], LEAST)
    np.testing.assert_allclose(found.s, exact, rtol=1e-6)


def test_a_limit_of_the_width_is_one_of_twice_the_half_width():
    costs = [Reciprocal(a, 1.0) for a in A]
    found = allocate(costs, HALF, [Narrow(Extremes(linear(SLOPES)), 2 * LIMIT)], LEAST)
    np.testing.assert_allclose(found.cost, 77.71236166, rtol=1e-9)


def test_a_limit_that_the_smallest_tolerances_break_is_said_and_named():
    responses = [Extremes(linear(SLOPES)) for _ in range(2)]
    limits = [Bounded(responses[0], -0.5, upper=True, size=1.0), Bounded(responses[1], -0.1, upper=True, size=1.0)]
    found = allocate([Reciprocal(a, 1.0) for a in A], HALF, limits, LEAST)
    assert not found.feasible
    assert found.least_violated == 1
    np.testing.assert_array_equal(found.s, LEAST)


def test_tolerances_that_need_not_shrink_stay_the_largest():
    found = allocate([Reciprocal(a, 1.0) for a in A], HALF, [Bounded(Extremes(linear(SLOPES)), 10.0, upper=True, size=1.0)], LEAST)
    np.testing.assert_allclose(found.s, 1.0, rtol=1e-12)


def test_slopes_of_extremes_root_of_squares_and_quantiles_are_those_of_differences():
    points = np.clip(np.random.default_rng(1).normal(size=(500, 2)) / 3, -1, 1)
    s, h = np.array([0.4, 0.7]), 1e-6
    for response in (Extremes(bent()), RootOfSquares(bent()), Quantiles(bent(), points, 0.05)):
        slopes = response(s)[1]
        steps = np.stack([(response(s + h * e)[0] - response(s - h * e)[0]) / (2 * h) for e in np.eye(2)], axis=1)
        np.testing.assert_allclose(slopes, steps, rtol=1e-6, atol=1e-8)


def test_extremes_are_those_of_a_fine_grid():
    s, surrogate = np.array([0.4, 0.7]), bent()
    grid = np.stack(np.meshgrid(*(np.linspace(-each, each, 401) for each in s)), axis=-1).reshape(-1, 2)
    values = surrogate.evaluate(grid)[:, 0]
    ends = Extremes(surrogate)(s)[0]
    assert ends[0] <= values.min()
    assert ends[1] >= values.max()
    np.testing.assert_allclose(ends, [values.min(), values.max()], atol=1e-4)


def test_quantiles_of_a_normal_response_are_those_of_its_distribution():
    count = 20001
    points = ndtri((np.arange(count) + 0.5) / count)[:, None]
    ends = Quantiles(linear([2.0]), points, 0.01)(np.array([0.5]))[0]
    np.testing.assert_allclose(ends, ndtri([0.01, 0.99]), atol=2e-3)


def test_costs_of_a_table_go_through_it_and_never_rise_between():
    cost = Tabulated((0.1, 0.2, 0.4, 0.8), (9.0, 5.0, 4.0, 3.5))
    np.testing.assert_allclose([cost.of(t)[0] for t in cost.t], cost.cost)
    assert all(cost.of(t)[1] <= 0 for t in np.linspace(0.1, 0.8, 50))
    assert cost.of(2.0) == (3.5, 0.0)
