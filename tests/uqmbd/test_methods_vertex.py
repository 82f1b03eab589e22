"""Whether the extremes are at corners: slopes there tell, for responses that turn inside and for those that do not."""

import numpy as np
import pytest

from uqmbd.inputs import Interval
from uqmbd.methods import Vertex

from .loop import drive

SEEDS = 200
TURNING = {  # each has its greatest value inside, 1 to 4 % of the width above that of any corner
    "one": lambda p: p[:, 0] - 0.6 * p[:, 0] ** 2 + 0.3 * p[:, 1],
    "all of four": lambda p: (p - 0.6 * p**2).sum(axis=1),
    "all of three": lambda p: (p - 0.55 * p**2).sum(axis=1),
}
INPUTS = {"one": "xz", "all of four": "xzwv", "all of three": "xzw"}


def unit(names):
    return {name: Interval(0, 1) for name in names}


def of_points(function):
    return lambda time, **samples: {"y": function(np.column_stack(list(samples.values())))}


@pytest.mark.parametrize("name", TURNING)
def test_a_response_that_turns_inside_is_not_trusted(name):
    for seed in range(SEEDS):
        result, _ = drive(Vertex(fallback_runs=0), unit(INPUTS[name]), of_points(TURNING[name]), seed=seed)
        assert not result.trusted["y"]
    turning = "x" if name == "one" else " and ".join(INPUTS[name])
    assert result.facts.note == f"the response turns inside the box in {turning}: extremes of y are not at corners"
    points = np.stack(np.meshgrid(*[np.linspace(0, 1, 25)] * len(INPUTS[name])), axis=-1).reshape(-1, len(INPUTS[name]))
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * len(INPUTS[name])), axis=-1).reshape(-1, len(INPUTS[name]))
    assert float(result.error["y"]) >= TURNING[name](points).max() - TURNING[name](corners).max() > 0


def test_monotonic_responses_stay_trusted_and_exact():
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 5))
        a, b = rng.normal(size=d), rng.uniform(0, 2, d)

        def rising(p, a=a, b=b):
            return np.tanh(p @ a) + p**3 @ (np.sign(a) * b)

        result, count = drive(Vertex(), unit("xzwv"[:d]), of_points(rising), seed=seed)
        assert result.trusted["y"] and not result.facts.notes and count == 2**d + 10 + 2 * d
        ends = [rising(np.where(way * a > 0, 1.0, 0.0)[None])[0] for way in (-1, 1)]
        assert result.bounds["y"].values == pytest.approx(ends, abs=1e-12)


def test_trusted_bounds_of_random_cubics_are_rarely_too_narrow():
    """Truth by 20,000 points, most of them on the sides of the box."""
    trusted = missed = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 5))
        a, b, c, pairs = rng.normal(size=d), 0.8 * rng.normal(size=d), 0.3 * rng.normal(size=d), 0.2 * rng.normal(size=(d, d))

        def cubic(p, a=a, b=b, c=c, pairs=pairs):
            return p @ a + p**2 @ b + p**3 @ c + np.einsum("ni,ij,nj->n", p, pairs, p)

        result, _ = drive(Vertex(fallback_runs=0), unit("xzwv"[:d]), of_points(cubic), seed=seed)
        if result.trusted["y"]:
            trusted += 1
            p = rng.random((20_000, d))
            values = cubic(np.where(rng.random(p.shape) < 0.4, p.round(), p))
            lower, upper = result.bounds["y"].values
            missed += max(lower - values.min(), values.max() - upper) > 1e-4 * np.ptp(values)
    assert trusted > 50 and missed <= 0.03 * trusted


def test_runs_beside_corners_are_shared_by_all_times():
    """All times have their extremes at the same two corners, or swap them: two corners, not two for every time."""
    time = np.linspace(0, 6, 61)
    result, count = drive(Vertex(), unit("xz"), lambda time, x, z: {"h": np.sin(time) * (x + 2 * z)[:, None]}, time=time)
    assert result.trusted["h"].all() and result.attrs["runs_beside_corners"] == 4 and count == 4 + 10 + 4


def test_where_nothing_is_known_beside_a_corner_it_is_said():
    def rising(time, x, z):
        return {"y": x + z}

    inside = lambda s: np.isclose(s["x"], 0.99) & (s["z"] == 1)  # noqa: E731 - the run beside the greatest corner
    result, _ = drive(Vertex(max_failed=0.1), unit("xz"), rising, fail=inside)
    assert result.attrs["runs_failed"] == 1 and not result.trusted["y"]
    assert result.facts.note.startswith("beside corners at which y have extremes runs failed")
