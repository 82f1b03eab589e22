"""Runs side by side: lane widths, neighbours, order, failures and refill change nothing of a sample's result."""

import numpy as np
import pytest

import flexmbd as fm

from .room import OUTPUTS, numbers, room
from .running import simulate
from .test_conservation import DISC_OUTPUTS, discs

END = 1.0


def batch(count, seed=7):
    """Balls thrown into the room, each with some bounces."""
    rng = np.random.default_rng(seed)

    def between(low, high):
        return rng.uniform(low, high, count)

    return numbers(
        height=between(0.01, 0.5), vx=between(-4, 4), vy=between(-2, 2), ceiling=between(0.6, 0.9), restitution=between(0.3, 1.0),
        stiffness=between(1e8, 1e10),
    )  # fmt: skip


def part(samples, index):
    """Some of the samples."""
    return {k: x[index] for k, x in samples.items()}


def run(samples, lanes, **settings):
    """Trajectory of any status."""
    settings = {"lanes": lanes, "tolerance": 1e-9, **settings}
    return fm.run(room, samples, end=END, points=11, outputs=OUTPUTS, settings=settings)


def same(a, b):
    """Bit for bit."""
    return all(np.array_equal(a.outputs[k], b.outputs[k]) for k in a.outputs) and list(a.message) == list(b.message)


def pick(trajectory, index):
    """Outputs and messages of some samples, in the shape of a trajectory."""
    outputs = {k: x[index] for k, x in trajectory.outputs.items()}
    chosen = [trajectory.message[i] for i in np.atleast_1d(index)]
    return fm.Trajectory(trajectory.time, outputs, {}, trajectory.status[index], chosen, {})


@pytest.fixture(scope="module")
def hundred():
    """A hundred samples and their results in 16 lanes."""
    samples = batch(100)
    trajectory = run(samples, 16)
    assert not trajectory.status.any()
    assert np.ptp(trajectory.statistics["steps"]) > 100  # they end at different times
    return samples, trajectory


def test_lane_widths_agree(hundred):
    samples, wide = hundred
    few = part(samples, slice(0, 24))
    single, four = run(few, 1), run(few, 4)
    for name, x in wide.outputs.items():
        scale = np.abs(x).max() + 1.0
        np.testing.assert_allclose(single.outputs[name], x[:24], rtol=0, atol=1e-7 * scale, err_msg=name)
        np.testing.assert_allclose(four.outputs[name], x[:24], rtol=0, atol=1e-7 * scale, err_msg=name)


def test_refill_in_any_order(hundred):
    samples, trajectory = hundred
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(100)
        assert same(run(part(samples, order), 16), pick(trajectory, order))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 15, 17])
def test_short_batches_are_padded(hundred, count):
    samples, trajectory = hundred
    index = np.arange(40, 40 + count)
    assert same(run(part(samples, index), 16), pick(trajectory, index))
    four = run(part(samples, np.arange(60)), 4)
    assert same(run(part(samples, index), 4), pick(four, np.minimum(index, 59)))


def test_neighbours_do_not_matter(hundred):
    samples, trajectory = hundred
    others = batch(100, seed=11)
    for place in (0, 5, 15, 31):
        mixed = {k: x.copy() for k, x in others.items()}
        for k in mixed:
            mixed[k][place] = samples[k][3]
        assert same(pick(run(mixed, 16), [place]), pick(trajectory, [3]))


def test_size_of_neighbours_does_not_matter():
    """Error scales belong to the sample: a neighbour a hundred kilometres away changes nothing."""
    near = {"x": [0.1], "spin": [5.0], "mu": [0.3], "restitution": [0.6], "mass": [1.0]}
    far = {k: [*x, *x] for k, x in near.items()} | {"x": [0.1, 1e5]}
    alone, together = (simulate(discs, DISC_OUTPUTS, end=0.5, samples=x) for x in (near, far))
    assert together.outputs["touch.impacts"][:, -1].tolist() == [1, 0]
    assert same(alone, pick(together, [0]))


def test_failing_samples_leave_neighbours_alone(hundred):
    """Number 4 runs away on a spring that pushes; number 9 bounces on until its steps are used up."""
    samples, trajectory = hundred
    broken = {k: x.copy() for k, x in samples.items()}
    broken["spring"][4] = -1e250
    broken["height"][9], broken["vx"][9], broken["vy"][9], broken["restitution"][9] = 1e-6, 0.0, 0.0, 1.0
    got = run(broken, 16, max_steps=3000)
    assert trajectory.statistics["steps"].max() + trajectory.statistics["rejected"].max() < 3000
    assert got.status[4] == 1 and "diverged" in got.message[4]
    assert got.status[9] == 2 and "max_steps = 3000" in got.message[9]
    for x in got.outputs.values():
        if x.ndim == 1:
            assert np.isnan(x[[4, 9]]).all()
        else:  # what was computed before stays
            assert np.isfinite(x[9, 0]) and np.isnan(x[9, -1])
            assert all((np.diff(np.isnan(row).astype(int)) >= 0).all() for row in x[[4, 9]])
    assert any(np.isnan(x[4]).any() for x in got.outputs.values())
    others = np.setdiff1d(np.arange(100), [4, 9])
    assert not got.status[others].any()
    assert same(pick(got, others), pick(trajectory, others))


def test_model_that_branches_on_a_value_gives_the_same(hundred):
    """Called sample by sample; only rounding differs, since numbers are not folded into the code."""
    samples, _ = hundred

    def branching(**p):
        return room(**p) if p["vx"] > 0 else room(**{**p, "gravity": 1.0 * p["gravity"]})

    few = part(samples, slice(0, 6))
    settings = {"lanes": 4, "tolerance": 1e-9}
    arrays, single = (fm.run(f, few, end=0.5, points=11, outputs=OUTPUTS, settings=settings) for f in (room, branching))
    assert not arrays.status.any() and not single.status.any()
    assert np.all(arrays.outputs["floor.impacts"][:, -1] >= 1)
    for name in OUTPUTS:
        np.testing.assert_allclose(single.outputs[name], arrays.outputs[name], rtol=0, atol=1e-12, err_msg=name)


def test_one_bad_sample_in_a_batch_is_recorded(hundred):
    samples, trajectory = hundred

    def fragile(**p):
        if p["vx"] == few["vx"][3]:
            raise ValueError("no such ball")
        return room(**p)

    few = part(samples, slice(0, 6))
    bad = {k: x.copy() for k, x in few.items()}
    bad["restitution"][1] = 0.0
    got = fm.run(fragile, bad, end=0.2, points=11, outputs=OUTPUTS, settings={"lanes": 4, "tolerance": 1e-9})
    assert got.status.tolist() == [0, 3, 0, 3, 0, 0]
    assert "restitution is 0" in got.message[1]
    assert got.message[3] == "ValueError: no such ball"
    assert all(np.isnan(x[[1, 3]]).all() and np.isfinite(x[[0, 2, 4, 5]]).all() for x in got.outputs.values())
