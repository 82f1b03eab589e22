"""Time maps and events against closed forms; reading, completing and extending histories against functions that are known."""

import numpy as np
import pytest
from scipy.special import ellipj

from uqmbd.analysis.warping import event_alignment, time_warping, warped_history

TURN = 2 * np.pi


def bouncing(restitution, time, height=1.0, gravity=9.81):
    """Height (n, times) of a ball dropped at rest, and its impact times (n, 12): exact."""
    e = np.asarray(restitution, float)[:, None]
    fall = np.sqrt(2 * height / gravity)
    y = np.where(time < fall, height - gravity * time**2 / 2, 0.0)
    start, speed = np.full(e.shape, fall), gravity * fall * e
    impacts = [start]
    for _ in range(11):
        since, flight = time - start, 2 * speed / gravity
        y = np.where((since >= 0) & (since < flight), speed * since - gravity * since**2 / 2, y)
        start, speed = start + flight, speed * e
        impacts.append(start)
    return y, np.concatenate(impacts, axis=1)


@pytest.mark.parametrize("periods", [3, 7, 60])
def test_scaled_cosines_give_their_numbers_back(periods):
    rng = np.random.default_rng(1)
    t = np.linspace(0, periods, int(40 * periods) + 1)
    k, phi = rng.uniform(0.85, 1.15, 20), rng.uniform(-0.2, 0.2, 20)
    found = time_warping.align(t, 3 + 0.5 * np.cos(TURN * (k[:, None] * t + phi[:, None])), np.cos(TURN * t))
    assert found.numbers == pytest.approx(np.column_stack([phi, k]), abs=2e-5)
    assert found.similarity == pytest.approx(1, abs=1e-8)


def test_quadratic_map_and_damping():
    rng = np.random.default_rng(2)
    t = np.linspace(0, 30, 1201)
    wanted = np.column_stack([rng.uniform(-0.1, 0.1, 20), rng.uniform(0.95, 1.05, 20), rng.uniform(-2e-3, 2e-3, 20)])
    tau = wanted[:, :1] + wanted[:, 1:2] * t + wanted[:, 2:] * t**2
    found = time_warping.align(t, np.cos(TURN * tau), np.cos(TURN * t), order=2)
    assert found.numbers == pytest.approx(wanted, abs=1e-5)
    decay = np.exp(-rng.uniform(0.01, 0.05, (20, 1)) * t)
    found = time_warping.align(t, decay * np.cos(TURN * wanted[:, 1:2] * t), np.exp(-0.03 * t) * np.cos(TURN * t))
    assert found.numbers[:, 1] == pytest.approx(wanted[:, 1], abs=2e-4)


def test_duffing_frequency_that_depends_on_amplitude():
    """x'' + x + kappa x³ = 0 from rest at a: frequency pi sqrt(1 + kappa a²) / (2 K(m)), closed form."""
    from scipy.special import ellipk

    rng = np.random.default_rng(3)
    kappa, a = rng.uniform(0.5, 1.5, 20), rng.uniform(0.9, 1.1, 20)
    kappa[0], a[0] = 1.0, 1.0
    w2 = 1 + kappa * a**2
    m = kappa * a**2 / (2 * w2)
    t = np.linspace(0, 120, 2001)
    x = a[:, None] * ellipj(np.sqrt(w2)[:, None] * t, m[:, None])[1]
    frequency = np.pi * np.sqrt(w2) / (2 * ellipk(m))
    found = time_warping.align(t, x, x[0])
    assert found.numbers[:, 1] == pytest.approx(frequency / frequency[0], rel=1e-5)
    assert found.numbers[:, 0] == pytest.approx(0, abs=1e-3)


def test_alignment_refuses():
    t = np.linspace(0, 1, 50)
    with pytest.raises(ValueError, match="constant"):
        time_warping.align(t, np.ones((2, 50)), np.ones(50))
    with pytest.raises(ValueError, match="order"):
        time_warping.align(t, np.ones((2, 50)), t, order=3)


def test_map_and_its_inverse():
    numbers = np.array([[0.1, 1.02, 0.0], [-0.1, 0.98, 1e-3], [0.0, 1.0, -1e-3]])
    t = np.linspace(0, 10, 101)
    for part in (numbers, numbers[:, :2]):
        grid = time_warping.PolynomialMap.of(t, part)
        nodes = grid.physical(part)
        for row, one in zip(nodes, part):
            assert grid.position(one[None], row)[0][0] == pytest.approx(np.arange(grid.nodes), abs=1e-9)


def test_warped_runs_are_completed_beyond_their_ends():
    """Runs of one mode with different decay and frequency: beyond its end each is what it would have been."""
    rng = np.random.default_rng(4)
    k, d = rng.uniform(0.93, 1.07, 60), rng.uniform(0.01, 0.03, 60)
    t = np.linspace(0, 20, 801)
    y = np.exp(-d[:, None] * t) * np.cos(TURN * k[:, None] * t)
    grid, warped = time_warping.warp(t, y, np.column_stack([np.zeros(60), k]))
    tau = grid.start + grid.step * np.arange(grid.nodes)
    true = np.exp(-(d / k)[:, None] * tau) * np.cos(TURN * tau)
    assert tau[-1] > 20 * k.max()
    assert np.abs(warped - true)[:, tau < 20 * np.quantile(k, 0.9)].max() < 2e-3
    assert np.abs(warped - true).max() < 0.05
    parts = warped_history.components(warped)
    assert parts.left_out < 1e-7 and parts.mean + parts.scores @ parts.vectors == pytest.approx(warped, abs=1e-2)


def test_maps_that_leave_too_little_in_common():
    t = np.linspace(0, 10, 201)
    k = np.array([0.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="of the warped time line to some run"):
        time_warping.warp(t, np.cos(k[:, None] * t), np.column_stack([np.zeros(7), k]))


def test_interpolation_is_exact_for_polynomials_and_respects_pieces():
    x = np.arange(20.0)
    values = np.stack([x**3 - x, 2 * x**5])
    at = np.tile(np.linspace(0, 19, 77), (2, 1))
    assert warped_history.interpolate(values, at, 0, 19, points=6)[1] == pytest.approx(2 * at[1] ** 5, rel=1e-9)
    broken = np.where(x < 9.5, x**2, 100 - x)[None]
    t = np.array([[8.9, 9.4, 9.6, 12.3]])
    ends = np.array([[0, 0, 9.5, 9.5]]), np.array([[9.5, 9.5, 19, 19]])
    assert warped_history.read(x, broken, t, ends)[0] == pytest.approx([8.9**2, 9.4**2, 90.4, 87.7])


def test_linear_prediction_goes_on_with_oscillations():
    t = np.linspace(0, 20, 1601)
    rows = np.stack([np.cos(TURN * t + p) * np.exp(-d * t) for p, d in [(0, 0.01), (1, 0.03), (2, 0.02)]])
    assert warped_history.extend(rows[:, :-120], 120, 6) == pytest.approx(rows, abs=1e-4)


def test_kinks_are_found_where_they_are_and_nowhere_else():
    t = np.linspace(0, 2.4, 601)
    y, impacts = bouncing(np.linspace(0.75, 0.85, 9), t)
    found = event_alignment.kinks(t, y)
    wanted = np.where(impacts < 2.4 - 5 * t[1], impacts, np.nan)[:, : found.shape[1]]
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    smooth = np.stack([np.cos(9 * t), t**4, np.exp(-3 * t), 0 * t, np.sin(5 * t) + np.cos(13 * t)])
    assert event_alignment.kinks(t, smooth).shape == (5, 0)
    jump = np.where(t < 1.0013, 0.3 * t, 1 - t)[None]
    assert event_alignment.kinks(t, jump)[0] == pytest.approx([1.0013], abs=t[1])
    assert event_alignment.kinks(t[:7], y[:, :7]).shape == (9, 0)


def test_crossings_both_ways():
    t = np.linspace(0, 2, 201)
    found = event_alignment.crossings(t, np.stack([np.cos(TURN * t), np.cos(np.pi * t), 2 + t]))
    assert found[0] == pytest.approx([0.25, 0.75, 1.25, 1.75], abs=1e-6)
    assert found[1, :2] == pytest.approx([0.5, 1.5], abs=1e-6)
    assert np.isnan(found[1, 2:]).all() and np.isnan(found[2]).all()
    assert event_alignment.crossings(t, t[None], 0.333)[0] == pytest.approx([0.333])


def test_common_events_and_where_they_end():
    events = np.array([[1.0, 2.0, 3.0], [1.1, 2.4, np.nan], [0.9, 1.8, 2.7]])
    shared = event_alignment.common(events)
    assert shared.events.shape == (3, 2) and shared.differ == 2.7
    assert shared.ends.tolist() == [3.0, np.inf, 2.7]
    assert event_alignment.common(events[:, :2]).differ == np.inf
    with pytest.raises(ValueError, match="1 of 2 runs have no event"):
        event_alignment.common(np.array([[1.0], [np.nan]]))
    with pytest.raises(ValueError, match="3 of 3"):
        event_alignment.common(np.empty((3, 0)))


def test_aligned_runs_come_back():
    t = np.linspace(0, 2.4, 601)
    y, impacts = bouncing(np.linspace(0.76, 0.84, 40), t)
    shared = event_alignment.common(np.where(impacts < 2.4, impacts, np.nan))
    grid, numbers, warped = event_alignment.warp(t, y, shared)
    assert grid.events(numbers) == pytest.approx(shared.events)
    parts = warped_history.components(warped)

    class Given:
        def evaluate(self, u):
            return np.hstack([numbers, parts.scores])

    limits = warped_history.limits_of(np.hstack([numbers, parts.scores]))
    back = warped_history.WarpedHistory(t, grid, numbers.shape[1], Given(), parts, limits).evaluate(np.zeros((40, 1)))
    before = t < shared.differ
    assert np.abs(back - y)[:, before].max() < 1e-4
    with pytest.raises(ValueError, match="same time"):
        event_alignment.warp(t, y[:1], event_alignment.Common(np.array([[0.5, 0.5]]), np.array([np.inf]), np.inf))
