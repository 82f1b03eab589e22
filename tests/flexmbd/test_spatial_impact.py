"""Spatial impacts with friction: against the planar one, a sphere, invariance, energy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd.impacts import planar_impact, spatial_impact

RULES = ["newton", "poisson", "energetic"]


def body(seed, lean=1.0):
    """Matrix at a random point of a random body: 1/m + r x I^-1 r x."""
    rng = np.random.default_rng(seed)
    r, turn = lean * rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inverse = turn @ np.diag(rng.uniform(0.5, 2.0, 3)) @ turn.T
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    return np.eye(3) - cross @ inverse @ cross


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("slip", [0.2, 1.0, 5.0])
def test_planar_data_give_the_planar_impact(rule, slip):
    """Slip throughout, slip that ends in compression or in restitution, sticking and reversal."""
    for w in ([[2.5, 1.5], [1.5, 2.5]], [[1.5, -0.4], [-0.4, 3.0]], [[1.2, 0.0], [0.0, 3.5]]):
        for mu in (0.1, 0.45, 0.8):
            wide = np.zeros((3, 3))
            wide[:2, :2], wide[2, 2] = w, 2.0
            flat = planar_impact(np.array(w), np.array([-1.0, slip]), mu, 0.7, rule)
            found = spatial_impact(wide, [-1.0, slip, 0.0], mu, 0.7, rule)
            np.testing.assert_allclose(found.velocity, [*flat.velocity, 0.0], atol=1e-8)
            np.testing.assert_allclose(found.percussion, [*flat.percussion, 0.0], atol=1e-8)
            assert [phase.kind for phase in found.phases][-1] == flat.phases[-1].kind


def test_a_sphere_keeps_its_direction_and_rolls_off():
    """Solid sphere: slip loses 7/2 mu (1 + e) of the normal speed, up to rolling with 5/7 of the tangential one."""
    w = np.diag([1.0, 3.5, 3.5])
    slides = spatial_impact(w, [-1.0, 3.0, 4.0], 0.2, 0.5)
    np.testing.assert_allclose(slides.velocity, [0.5, *(np.array([3.0, 4.0]) * (1.0 - 3.5 * 0.2 * 1.5 / 5.0))], atol=1e-9)
    rolls = spatial_impact(w, [-1.0, 0.3, 0.4], 0.5, 0.5)
    np.testing.assert_allclose(rolls.velocity, [0.5, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(rolls.percussion[1:], np.array([-0.3, -0.4]) / 3.5, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 0.6), st.floats(0.0, 1.0), st.floats(0.0, 6.28))
def test_energy_never_grows_and_axes_do_not_matter(seed, mu, restitution, angle):
    """Energetic rule: works W_r = -e² W_c, no gain, percussion in its cone; other tangential axes turn the result with them."""
    w, u = body(seed), np.array([-1.0, *np.random.default_rng(seed + 1).normal(size=2)])
    found = spatial_impact(w, u, mu, restitution)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    turned = spatial_impact(turn @ w @ turn.T, turn @ u, mu, restitution)
    scale = np.abs(found.percussion).max()
    np.testing.assert_allclose(turn.T @ turned.percussion, found.percussion, atol=1e-6 * scale)
    assert found.energy_change <= 1e-9 * scale
    assert found.work_restitution == pytest.approx(-(restitution**2) * found.work_compression, abs=1e-8 * scale)
    assert np.hypot(*found.percussion[1:]) <= mu * found.percussion[0] * (1.0 + 1e-8)
    np.testing.assert_allclose(found.velocity, u + w @ found.percussion, atol=1e-7 * scale)


@pytest.mark.parametrize(("lighter", "faster"), [(1e-3, 1e2), (1e3, 1e-3), (1e9, 1e-6)])
def test_other_units_change_units_only(lighter, faster):
    """Kilograms at metres a second, or micrograms at micrometres."""
    w, u = body(3), np.array([-1.0, 0.7, -0.4])
    one, other = spatial_impact(w, u, 0.3, 0.6), spatial_impact(lighter * w, faster * u, 0.3, 0.6)
    np.testing.assert_allclose(other.percussion, faster / lighter * one.percussion, rtol=1e-8)
    assert other.work_restitution == pytest.approx(-0.36 * other.work_compression, rel=1e-7)


def test_a_jammed_rod_strikes_without_approach_in_space_as_in_the_plane():
    """W of a rod whose friction presses it down (tangent 1/2, mu = 2), u = (0, 1): the percussion of the plane."""
    w = np.array([[1.0 + 3.0 * 0.2, -3.0 * 0.4], [-3.0 * 0.4, 1.0 + 3.0 * 0.8]])
    wide = np.zeros((3, 3))
    wide[:2, :2], wide[2, 2] = w, 1.0
    for slip in (1.0, -1.0):
        flat = planar_impact(w, np.array([0.0, slip]), 2.0, 0.5)
        found = spatial_impact(wide, [0.0, slip, 0.0], 2.0, 0.5)
        np.testing.assert_allclose(found.percussion, [*flat.percussion, 0.0], atol=1e-8)


def test_bad_spatial_impacts_are_told():
    with pytest.raises(fm.ModelError, match="three finite numbers"):
        spatial_impact(np.eye(3), [-1.0, 0.0], 0.1, 0.5)
    with pytest.raises(fm.ModelError, match="singular"):
        spatial_impact(np.diag([1.0, 1.0, 0.0]), [-1.0, 0.0, 0.0], 0.1, 0.5)
    assert spatial_impact(np.eye(3), [1.0, 0.0, 0.0], 0.1, 0.5).phases == ()
