"""The archive of extremes holds what sorting all runs would, whatever the batches; tops of quadratics are found exactly."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.search.extreme_search import ascents
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.search.outside import exceedance, leaving, share_at_most


@given(st.integers(1, 60), st.integers(1, 7), st.integers(1, 25), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_the_best_runs_are_those_that_sorting_finds(runs, keep, batch, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(-4, 5, (runs, 6)).astype(float)  # many are equal
    values[rng.random((runs, 6)) < 0.1] = np.nan
    found = Extremes(6, keep)
    for first in range(0, runs, batch):
        found.take(values[first : first + batch], np.arange(first, min(first + batch, runs)))
    for side, sign in enumerate((-1.0, 1.0)):
        for column in range(6):
            known = np.flatnonzero(~np.isnan(values[:, column]))
            best = known[np.argsort(-sign * values[known, column], kind="stable")][:keep]
            np.testing.assert_array_equal(found.runs[side, column, : len(best)], best)
            np.testing.assert_array_equal(found.values[side, column, : len(best)], sign * values[best, column])
            assert (found.runs[side, column, len(best) :] == -1).all()


def test_tops_of_quadratic_functions_are_found():
    rng = np.random.default_rng(3)
    places = rng.uniform(-1, 1, (40, 14, 3))
    tops = rng.uniform(-0.5, 0.5, (40, 3))
    bends = np.array([1.0, 0.1, 3.0])
    away = places - tops[:, None]
    values = 5.0 - (bends * away**2).sum(-1) + 0.1 * away[..., 0] * away[..., 1]
    best = np.argsort(-values, axis=1)
    places, values = np.take_along_axis(places, best[..., None], 1), np.take_along_axis(values, best, 1)

    class Whole:
        """Takes no way shorter."""

        def choice(self, _, size):
            return np.ones(size)

    np.testing.assert_allclose(ascents(places, values, Whole()), tops, atol=1e-4)


def test_what_lies_outside():
    bounds = np.array([[0.0, 0.0], [1.0, 1.0]])
    values = np.array([[0.5, -0.3], [1.2, np.nan], [np.nan, 0.5]])
    np.testing.assert_allclose(exceedance(values, bounds), [[0.0, 0.3], [0.2, 0.0]])
    np.testing.assert_array_equal(leaving(values, bounds, np.array([0.1, 0.5])), [[False, False], [True, False], [False, False]])
    assert exceedance(values[:0], bounds).shape == (2, 2)


def test_the_share_is_that_of_clopper_and_pearson():
    np.testing.assert_allclose(share_at_most(0, 1000), 1 - 0.05 ** (1 / 1000), rtol=1e-9)  # exact where nothing was seen
    np.testing.assert_allclose(share_at_most(2, 100), 0.061617, atol=1e-5)
    assert share_at_most(0, 0) == 1.0
