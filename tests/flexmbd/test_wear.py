"""Archard's wear over the circumference: closed forms, conservation, and the worn profile."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbd.contact.worn_surface import WornSurface, contact_angle
from flexmbd.wear.archard import archard

from .sentences import names, said

K, HARDNESS, RADIUS, LENGTH = 2e-5, 1.2e9, 0.01, 0.02
SURFACE = {"coefficient": K, "hardness": HARDNESS, "radius": RADIUS, "length": LENGTH}
FORCE, SPIN, TIME = 250.0, 40.0, np.linspace(0.0, 3.0, 3001)


def test_a_journal_pressed_and_turning_wears_evenly_and_the_bearing_in_one_place():
    """Constant force down, journal turning: V = k/H F w R T on both; the journal's depth is k F w T/(2 pi H L) after whole turns."""
    time = np.linspace(0.0, 20 * 2 * np.pi / SPIN, 2001)
    slip, turned = SPIN * RADIUS * np.ones_like(time), SPIN * time
    place = contact_angle(0.0 * time, -3e-5 + 0.0 * time)
    bearing = archard(time, FORCE + 0.0 * time, slip, place, **SURFACE, bins=72)
    journal = archard(time, FORCE + 0.0 * time, slip, contact_angle(0.0 * time, -3e-5 + 0.0 * time, turned), **SURFACE, bins=72)
    volume = K / HARDNESS * FORCE * SPIN * RADIUS * time[-1]
    assert bearing.total == pytest.approx(volume, rel=1e-12) and journal.total == pytest.approx(volume, rel=1e-12)
    assert np.count_nonzero(bearing.volume) == 1 and bearing.volume[54] == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(journal.depth, K * FORCE * SPIN * time[-1] / (2 * np.pi * HARDNESS * LENGTH), rtol=1e-9)


def test_a_patch_has_the_depth_of_its_arc():
    half_width = 10 * np.pi / 180
    worn = archard(TIME, FORCE + 0.0 * TIME, 0.3 + 0.0 * TIME, 0.0 * TIME + 1.0, **SURFACE, bins=360, half_width=half_width)
    depth = K / HARDNESS * FORCE * 0.3 * TIME[-1] / (LENGTH * RADIUS * 2 * half_width)
    assert np.count_nonzero(worn.volume) in (20, 21) and worn.depth.max() == pytest.approx(depth, rel=1e-9)


def test_a_load_that_sweeps_with_sine_force_has_the_closed_profile():
    """F = F0 (1 + sin w t) going once round with w: depth(t) is proportional to 1 + sin t."""
    spin = 2 * np.pi / TIME[-1]
    worn = archard(TIME, FORCE * (1 + np.sin(spin * TIME)), -0.3 + 0.0 * TIME, spin * TIME, **SURFACE, bins=60)
    edges, scale = worn.edges, K / HARDNESS * FORCE * 0.3 / (spin * RADIUS * LENGTH)
    mean = scale * (1 - np.diff(np.cos(edges)) / np.diff(edges))
    np.testing.assert_allclose(worn.depth, mean, atol=1e-5 * scale)
    profile = worn.profile(4, smooth=False)
    assert profile.mean == pytest.approx(scale, rel=1e-9)
    assert profile.sine[0] == pytest.approx(scale * np.sinc(1 / 60) ** 2, rel=1e-5)  # the mean over a bin, twice
    assert abs(profile.cosine).max() < 1e-5 * scale


def test_flight_does_not_wear_and_does_not_smear():
    force = np.where((TIME < 1.0) | (TIME > 2.0), FORCE, 0.0)
    angle = np.where(TIME < 1.5, 0.5, 2.5)
    worn = archard(TIME, force, 0.3 + 0.0 * TIME, angle, **SURFACE, bins=100)
    assert np.count_nonzero(worn.volume) == 2
    trapezoid = np.trapezoid(force * 0.3, TIME)
    assert worn.total == pytest.approx(K / HARDNESS * trapezoid, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 400), st.integers(1, 400), st.floats(0.0, 3.0))
def test_volume_is_kept_in_any_bins(seed, bins, other, half_width):
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.uniform(1e-4, 1e-2, 60))
    force, slip = rng.uniform(0, 500, 60) * (rng.random(60) > 0.3), rng.normal(0, 1, 60)
    angle = rng.uniform(-20, 20, 60)
    worn = archard(time, force, slip, angle, **SURFACE, bins=bins, half_width=half_width)
    assert worn.total == pytest.approx(K / HARDNESS * np.trapezoid(force * np.abs(slip), time), rel=1e-13)
    assert np.all(worn.volume >= 0)
    again = worn.rebinned(other)
    assert again.total == pytest.approx(worn.total, rel=1e-13) and np.all(again.volume >= -1e-15 * worn.total)
    np.testing.assert_allclose(worn.rebinned(3 * bins).rebinned(bins).volume, worn.volume, atol=1e-13 * worn.total)


def test_turning_the_angles_turns_the_wear():
    rng = np.random.default_rng(2)
    time, angle = np.arange(200) * 1e-3, np.cumsum(rng.normal(0, 0.2, 200))
    force, slip = rng.uniform(0, 500, 200), rng.normal(0, 1, 200)
    a = archard(time, force, slip, angle, **SURFACE, bins=36)
    b = archard(time, force, slip, angle + 2 * np.pi * 5 / 36, **SURFACE, bins=36)
    np.testing.assert_allclose(b.volume, np.roll(a.volume, 5), atol=1e-12 * a.total)


def test_runs_and_samples_and_sums():
    rng = np.random.default_rng(4)
    force, slip, angle = rng.uniform(0, 500, (3, 3001)), rng.normal(0, 1, (3, 3001)), rng.uniform(0, 6, (3, 3001))
    k = np.array([1e-5, 2e-5, 5e-5])
    many = archard(TIME, force, slip, angle, **SURFACE | {"coefficient": k}, bins=24)
    for i in range(3):
        one = archard(TIME, force[i], slip[i], angle[i], **SURFACE | {"coefficient": k[i]}, bins=24)
        np.testing.assert_allclose(many.volume[i], one.volume, rtol=1e-12)
    np.testing.assert_allclose((many + many).depth, many.repeated(2.0).depth, rtol=1e-15)
    first = archard(TIME[:1501], force[:, :1501], slip[:, :1501], angle[:, :1501], **SURFACE | {"coefficient": k}, bins=24)
    rest = archard(TIME[1500:], force[:, 1500:], slip[:, 1500:], angle[:, 1500:], **SURFACE | {"coefficient": k}, bins=24)
    np.testing.assert_allclose((first + rest).volume, many.volume, rtol=1e-12)
    assert many.profile(5).depth(np.linspace(0, 6, 7)).shape == (3, 7)


def test_the_profile_keeps_the_volume_and_is_never_negative():
    volume = np.zeros(90)
    volume[20:31] = 1e-12
    surface = WornSurface(volume, RADIUS, LENGTH)
    angle = (np.arange(3600) + 0.5) * 2 * np.pi / 3600
    for order in (0, 3, 12, 45):
        profile = surface.profile(order)
        depth = profile.depth(angle)
        assert depth.mean() * 2 * np.pi * RADIUS * LENGTH == pytest.approx(surface.total, rel=1e-12)
        assert depth.min() > -1e-12 * surface.depth.max() and depth.max() < 1.0000001 * surface.depth.max()
        numeric = (profile.depth(angle + 1e-5) - profile.depth(angle - 1e-5)) / 2e-5
        np.testing.assert_allclose(profile.depth(angle, derivative=1), numeric, atol=1e-7 * surface.depth.max())
    sharp = surface.profile(45, smooth=False).depth(angle)
    there = np.repeat(surface.depth, 40)
    assert np.mean((sharp - there) ** 2) < np.mean((surface.profile(45).depth(angle) - there) ** 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coefficient": -1e-5}, ("wear", "coefficient is -1e-05")),
        ({"hardness": 0.0}, ("wear", "hardness is 0")),
        ({"bins": 0}, ("bins is 0", "at least 1")),
        ({"half_width": 4.0}, ("half_width is 4", "below 3.14")),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(change, words):
    names(said(lambda: archard(TIME, 1.0 + 0 * TIME, 0 * TIME, 0 * TIME, **{**SURFACE, **change})), *words)


def test_bad_histories_are_refused_in_one_sentence():
    one = np.ones_like(TIME)
    names(said(lambda: archard(TIME[::-1], one, one, one, **SURFACE)), "time must be an increasing array")
    names(said(lambda: archard(TIME, -one, one, one, **SURFACE)), "force is -1", "at least 0")
    names(said(lambda: archard(TIME, np.nan * one, one, one, **SURFACE)), "force is nan")
    worn = archard(TIME, one, one, one, **SURFACE, bins=10)
    names(said(lambda: worn.profile(6)), "order is 6", "at most 5")
    names(said(lambda: worn + worn.rebinned(7)), "different size or bins")
