"""Pendula against elliptic functions, an independent integration in minimal coordinates, and published numbers."""

import numpy as np
import pytest

from .pendula import OUTPUTS, G, double_swing, pendula, period, swing
from .running import column, simulate

STARTS = np.radians([90.0, 10.0, 60.0, 150.0])


@pytest.fixture(scope="module")
def swings():
    """Ten seconds of four starts, the first from the horizontal."""
    return simulate(
        pendula, OUTPUTS, end=10.0, points=101, samples={"start": STARTS, "upper": STARTS, "lower": [np.pi / 2, 0.0, 1.0, 0.3]},
        tolerance=1e-12,
    )  # fmt: skip


def test_swings_as_the_elliptic_functions_say(swings):
    for i, start in enumerate(STARTS):
        got = column(swings, i)
        angle, rate = swing(start, swings.time)
        np.testing.assert_allclose(got["rod.angle"] + np.pi / 2, angle, rtol=0, atol=1e-8)
        np.testing.assert_allclose(got["rod.rate"], rate, rtol=0, atol=1e-8 * np.abs(rate).max() + 1e-9)
        np.testing.assert_allclose(got["rod.alpha"], -G * np.sin(angle), rtol=0, atol=1e-7)
        np.testing.assert_allclose(got["rod.E.x"], np.sin(angle), rtol=0, atol=1e-8)
        np.testing.assert_allclose(got["rod.E.y"], -np.cos(angle), rtol=0, atol=1e-8)
        np.testing.assert_allclose(got["rod.E.vx"], np.cos(angle) * rate, rtol=0, atol=1e-7)
        np.testing.assert_allclose(got["rod.E.vy"], np.sin(angle) * rate, rtol=0, atol=1e-7)


def test_position_of_the_published_pendulum(swings):
    """REFERENCES 1, mirrored: released from (1, 0)."""
    got = column(swings)
    for t, x, y in (
        (1, 0.986291751131875, -0.165010853125541),
        (2, -0.793566195343322, -0.608483930443792),
        (5, -0.942305435043757, -0.334754338414001),
        (10, -0.275087462576117, -0.961419205099125),
    ):
        assert abs(got["rod.E.x"][10 * t] + x) < 1e-8
        assert abs(got["rod.E.y"][10 * t] - y) < 1e-8


@pytest.mark.parametrize("degrees, ratio", [(10, 1.001907188143217), (60, 1.073182007149364), (150, 1.762203729503756)])
def test_period_over_that_of_small_swings(degrees, ratio):
    start = np.radians(degrees)
    end = ratio * 2 * np.pi / np.sqrt(G)
    assert end == pytest.approx(period(start), rel=1e-13)
    got = column(simulate(pendula, OUTPUTS, end=end, samples={"start": [start], "upper": [0.0], "lower": [0.0]}, tolerance=1e-12))
    assert got["rod.angle"][-1] + np.pi / 2 == pytest.approx(start, abs=1e-9)
    assert abs(got["rod.rate"][-1]) < 1e-8


def test_pin_carries_weight_and_centrifugal_force(swings):
    angle, rate = swing(STARTS[0], swings.time)
    along, across = G * np.cos(angle) + 0.5 * rate**2, 0.5 * G * np.sin(angle)  # on 1 kg, towards the pivot; in swing direction
    got = column(swings)
    np.testing.assert_allclose(got["pin.fx"], -along * np.sin(angle) + across * np.cos(angle), atol=1e-6)
    np.testing.assert_allclose(got["pin.fy"], along * np.cos(angle) + across * np.sin(angle), atol=1e-6)
    np.testing.assert_allclose(got["pin.force"], np.hypot(along, across), atol=1e-6)


def test_double_pendulum_of_point_masses(swings):
    """REFERENCES 1: both at 90 degrees, at rest; after one second."""
    got = column(swings)
    assert got["upper.angle"][10] + np.pi / 2 == pytest.approx(-0.6250876998063912, abs=1e-8)
    assert got["lower.angle"][10] + np.pi / 2 == pytest.approx(-1.0345850856800123, abs=1e-8)


def test_double_pendulum_against_minimal_coordinates(swings):
    """Three seconds; later the motion is chaotic and errors grow without meaning."""
    for i, lower in enumerate([np.pi / 2, 0.0, 1.0, 0.3]):
        upper_angle, lower_angle = double_swing(STARTS[i], lower, swings.time[:31])
        got = column(swings, i)
        np.testing.assert_allclose(got["upper.angle"][:31] + np.pi / 2, upper_angle, atol=2e-8)
        np.testing.assert_allclose(got["lower.angle"][:31] + np.pi / 2, lower_angle, atol=2e-8)


def test_energy_of_pendula_stays(swings):
    balance = swings.outputs["energy.balance"]
    assert np.abs(balance - balance[:, :1]).max() < 1e-8
