"""Searches that know nothing of each other until they are joined, and what their disagreement says."""

import numpy as np

from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.search.populations import LEAST_AROUND, Populations, doubt, joined, populations


def told(seed=0, runs=40, columns=5):
    """Two populations of one output that have been told of random runs, each of its own half."""
    rng = np.random.default_rng(seed)
    both = Populations(columns, 2, np.zeros(columns, int), np.arange(columns))
    values = rng.integers(-6, 7, (runs, columns)).astype(float)
    both.take(values, np.arange(runs), both.split(runs), slice(0, columns))
    both.remember(runs)
    return both, values


def test_bounds_are_those_of_all_populations():
    both, values = told()
    np.testing.assert_array_equal(both.bounds, [values.min(axis=0), values.max(axis=0)])
    np.testing.assert_array_equal(both.places, [values.argmin(axis=0), values.argmax(axis=0)])


def test_the_disagreement_is_the_distance_between_their_bounds():
    both, values = told()
    low, high = (np.stack([getattr(half, name)(axis=0) for half in (values[:20], values[20:])]) for name in ("min", "max"))
    np.testing.assert_array_equal(both.disagreements()[1], [np.ptp(low, axis=0), np.ptp(high, axis=0)])


def test_joining_keeps_the_bounds_and_the_disagreement():
    both, _ = told()
    bounds, disagreement = both.bounds, both.disagreements()[1]
    both.join()
    both.join()
    assert both.count == 1
    np.testing.assert_array_equal(both.bounds, bounds)
    np.testing.assert_array_equal(both.disagreements()[1], disagreement)


def test_joined_extremes_are_those_of_all_runs():
    values = np.random.default_rng(4).integers(-4, 5, (30, 6)).astype(float)  # many are equal
    all_runs, halves = Extremes(6, 7), [Extremes(6, 7), Extremes(6, 7)]
    all_runs.take(values, np.arange(30))
    for half, rows in zip(halves, (np.arange(0, 30, 2), np.arange(1, 30, 2)), strict=True):
        half.take(values[rows], rows)
    found = joined(halves, 7)
    np.testing.assert_array_equal(found.values, all_runs.values)
    np.testing.assert_array_equal(found.runs, all_runs.runs)


def test_a_population_without_a_run_disagrees_by_all_the_band():
    both = Populations(1, 2, np.zeros(1, int), np.arange(1))
    both.take(np.array([[1.0], [3.0]]), np.arange(2), np.zeros(2, int), slice(0, 1))
    both.remember(2)
    np.testing.assert_array_equal(both.disagreements()[1], [[2.0], [2.0]])


def test_runs_of_each_population_stand_together_in_a_round():
    both, _ = told()
    ways = both.ways_of(7, np.random.default_rng(1))
    np.testing.assert_array_equal(both.group(ways), both.split(7))


def test_what_times_around_disagree_about_is_doubted():
    """One time of forty where populations agree among others where they do not."""
    width, count = np.full(40, 2.0), 40
    bounds = np.stack([np.zeros(count), width])
    apart = np.full((2, count), 0.1)
    apart[:, 20] = 0.0
    doubted = doubt(apart, apart, bounds, width, [slice(0, count)])
    around = 2 * LEAST_AROUND
    np.testing.assert_allclose(doubted[:, 20], 0.1 * np.sqrt(around / (around + 1)))


def test_doubt_shrinks_as_the_disagreement_has_shrunk():
    width, now = np.ones(40), np.full((2, 40), 0.04)
    bounds = np.stack([np.zeros(40), width])
    np.testing.assert_allclose(doubt(4 * now, now, bounds, width, [slice(0, 40)]), now / 4)
    np.testing.assert_allclose(doubt(now / 4, now, bounds, width, [slice(0, 40)]), now)


def test_the_doubt_about_a_number_does_not_shrink():
    now = np.array([[0.0], [0.04]])
    doubted = doubt(10 * now, now, np.array([[0.0], [1.0]]), np.ones(1), [slice(0, 1)])
    np.testing.assert_allclose(doubted, 0.04 / np.sqrt(2))


def test_where_the_band_is_a_point_its_neighbours_say_nothing():
    width = np.full(20, 1e-9)
    bounds = np.zeros((2, 20))
    bounds[1, 1:], width[1:] = 1.0, 1.0
    doubted = doubt(np.full((2, 20), 0.5), np.full((2, 20), 0.5), bounds, width, [slice(0, 20)])
    assert doubted[:, 0].max() <= 0.5
    assert not doubt(np.zeros((2, 20)), np.zeros((2, 20)), bounds, width, [slice(0, 20)]).any()


def test_a_few_runs_are_one_population():
    assert populations(2 * 15, 3) == 2 and populations(2 * 15 - 1, 3) == 1
    one = Populations(3, 2, np.zeros(3, int), np.arange(3), count=1)
    one.take(np.ones((4, 3)), np.arange(4), one.split(4), slice(0, 3))
    one.remember(4)
    assert not np.any(one.disagreements())
