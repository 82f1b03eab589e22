"""Which nodes a sparse grid runs: few where the response needs few, and none forgotten."""

import numpy as np
import pytest

from uqmbd.inputs import Interval
from uqmbd.methods import Chebyshev
from uqmbd.outcomes import OutputInfo


def grown(function, d, tolerance):
    """Error of the surrogate at 2,000 fresh points relative to the range, and the number of runs."""
    method = Chebyshev(grid="sparse", tolerance=tolerance, trust_tolerance=0.1, enclosure="cosine", fallback_runs=0)
    run = method.start({f"x{i}": Interval(-1, 1) for i in range(d)}, {"y": OutputInfo("", None)}, np.zeros(1), 1)
    count = 0
    while (samples := run.ask()) is not None:
        x = np.stack(list(samples.values()), axis=1)
        run.tell(samples, {"y": function(x)}, np.zeros(len(x), np.int8))
        count += len(x)
    run.result()
    x = np.random.default_rng(3).uniform(-1, 1, (2000, d))
    values = function(x)
    return np.abs(run.expansion.evaluate(x)[:, 0] - values).max() / np.ptp(values), count


def coupled_peak(x):
    return 1 / (1 + x[:, 0] ** 2 + 2 * x[:, 1] ** 2 + x[:, 0] * x[:, 2])


def product(x):
    return np.prod(1 + 0.3 * x / np.arange(1, 9), axis=1)


def wave(x):
    return np.cos(3 * x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * x[:, 3])


@pytest.mark.parametrize(("function", "d", "most"), [(coupled_peak, 3, 800), (product, 8, 600), (wave, 4, 900)])
def test_couplings_are_resolved_with_few_runs(function, d, most):
    """A neighbour that can be opened only later is opened then; without that `coupled_peak` takes 9,372 runs and is 2.6e-2 off."""
    error, count = grown(function, d, 1e-2)
    assert error < 1.5e-2 and count < most


@pytest.mark.parametrize("at", np.linspace(-0.9, 0.83, 12))
def test_a_kink_that_validation_runs_miss_is_not_trusted_beyond_its_error(at):
    method = Chebyshev(grid="sparse", tolerance=1e-4, fallback_runs=0)
    run = method.start({"x": Interval(-1, 1)}, {"y": OutputInfo("", None)}, np.zeros(1), 1)
    while (samples := run.ask()) is not None:
        run.tell(samples, {"y": np.abs(samples["x"] - at) + 0.1 * samples["x"]}, np.zeros(len(samples["x"]), np.int8))
    result = run.result()
    lower = float(result.bounds["y"].sel(bound="lower"))
    assert not bool(result.trusted["y"]) or lower <= 0.1 * at
