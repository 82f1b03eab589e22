"""Several impacts at once: cradles, chains, a block on two corners; energy and momentum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd.impacts import multiple_impacts


def row(masses):
    """Matrix of balls in a row that touch, and the directions of their contacts."""
    directions = np.array([[-1.0 * (k == i) + (k == i + 1) for k in range(len(masses))] for i in range(len(masses) - 1)])
    return directions @ np.diag(1.0 / np.asarray(masses)) @ directions.T, directions


def struck(masses, restitution, **how):
    """Velocities of balls after the first one, at 1 m/s, has struck the others, and what was found."""
    w, directions = row(masses)
    before = np.eye(len(masses))[0]
    found = multiple_impacts(w, (directions @ before)[:, None], restitution, **how)
    return before + directions.T @ found.percussions[:, 0] / masses, found


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_of_newtons_cradle_the_last_ball_leaves(count):
    after, found = struck(np.ones(count), 1.0)
    np.testing.assert_allclose(after, np.eye(count)[-1], atol=1e-12)
    assert found.sequence == tuple(range(count - 1))


@pytest.mark.parametrize("count", [3, 5])
def test_all_at_once_all_balls_move(count):
    """Newton's rule of all contacts, which stay together but for the first: 1 - 2 (n - 1)/n and 2/n."""
    after, _ = struck(np.ones(count), 1.0, order="simultaneous")
    np.testing.assert_allclose(after, [1.0 - 2.0 * (count - 1) / count, *[2.0 / count] * (count - 1)], atol=1e-12)


def test_a_chain_of_falling_masses_speeds_up():
    """Each impact gives 2 m/(m + m') of the speed before."""
    masses = np.array([8.0, 4.0, 2.0, 1.0])
    after, _ = struck(masses, 1.0)
    assert after[-1] == pytest.approx((2.0 * 2.0 / 3.0) ** 3)


def test_three_balls_with_little_restitution_come_to_move_together():
    """Infinitely many impacts: they end with the common velocity."""
    after, found = struck(np.ones(3), 0.05)
    np.testing.assert_allclose(after, 1.0 / 3.0, atol=1e-8)
    assert len(found.sequence) > 10
    np.testing.assert_array_less(found.gains, 1e-15)


def test_a_block_that_comes_down_on_a_corner_is_housners():
    """A slender block turns about one corner and strikes with the other: the rate falls to 1 - 3/2 sin² a, the first corner opens."""
    b, h, rate = 0.1, 0.4, 1.0
    size, alpha = np.hypot(b, h), np.arctan2(b, h)
    inertia = size**2 / 3.0
    arms = np.array([[-b, -h], [b, -h]])  # corners from the centre; it turns about the second
    directions = np.array([[[0.0, 1.0, x], [1.0, 0.0, -y]] for x, y in arms]).reshape(4, 3)
    w = directions @ np.diag([1.0, 1.0, 1.0 / inertia]) @ directions.T
    before = rate * np.array([-h, -b, 1.0])  # about the second corner, the first one comes down
    before *= -1.0 if (directions @ before)[0] > 0 else 1.0
    found = multiple_impacts(w, (directions @ before).reshape(2, 2), 0.0, 10.0)
    after = before + np.diag([1.0, 1.0, 1.0 / inertia]) @ directions.T @ found.percussions.ravel()
    assert found.sequence == (0,)
    assert after[2] / before[2] == pytest.approx(1.0 - 1.5 * np.sin(alpha) ** 2, abs=1e-12)
    assert found.velocities[1, 0] > 0.0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([1, 2, 3]), st.floats(0.3, 1.0), st.floats(0.0, 0.4))
def test_energy_never_grows_in_any_impact(seed, count, d, restitution, friction):
    """By the energetic rule, checked at each; contacts never approach afterwards."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(count, d, 14))
    directions[:, 0, 0] += 3.0
    directions = directions.reshape(d * count, 14)
    velocities = (directions @ (rng.normal(size=14) - 2.0 * np.eye(14)[0])).reshape(count, d)
    found = multiple_impacts(directions @ directions.T, velocities, restitution, friction)
    scale = np.sum(velocities**2)
    assert np.all(np.array(found.gains) <= 1e-9 * scale)
    assert np.all(found.velocities[:, 0] >= -1e-7 * np.sqrt(scale))
    assert not found.creates_energy
    w = directions @ directions.T
    np.testing.assert_allclose(found.velocities.ravel(), velocities.ravel() + w @ found.percussions.ravel(), atol=1e-9 * np.sqrt(scale))


def test_bad_impacts_are_told():
    with pytest.raises(fm.ModelError, match="velocities has the shape"):
        multiple_impacts(np.eye(4), np.zeros((1, 4)), 0.5)
    with pytest.raises(fm.ModelError, match=r"restitution is 1\.5"):
        multiple_impacts(np.eye(1), [[-1.0]], 1.5)
    with pytest.raises(fm.ModelError, match="order is 'random'"):
        multiple_impacts(np.eye(1), [[-1.0]], 0.5, order="random")
    with pytest.raises(fm.ModelError, match="a sequence of 5 impacts does not end"):
        struck(np.ones(3), 0.05, most=5)
    found = multiple_impacts(np.eye(1), [[1.0]], 0.5)
    assert found.sequence == () and found.velocities[0, 0] == 1.0
