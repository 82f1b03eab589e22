"""Many spheres between walls: closed forms, balances, and piles that come to rest without penetration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbd.errors import ModelError
from flexmbd.nonsmooth import Spheres, box
from flexmbd.nonsmooth.spheres import near

FLOOR = (((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),)
G = 9.81


def test_a_sliding_sphere_comes_to_roll_at_five_sevenths():
    ball = Spheres([[0, 0, 0.05]], 0.05, 0.5, FLOOR, velocities=[[1, 0, 0]], friction=0.2).run(1.0, 5e-3, tolerance=1e-10)
    np.testing.assert_allclose(ball.velocities, [[5 / 7, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(ball.spins, [[0, 5 / 7 / 0.05, 0]], atol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_two_spheres_part_with_newtons_restitution(restitution):
    """Central impact of masses 1 and 3: momentum stays, separation is e times approach."""
    two = Spheres(
        [[0, 0, 0], [0.11, 0, 0]], 0.05, [1.0, 3.0], velocities=[[1, 0, 0], [0, 0, 0]], restitution=restitution, gravity=(0, 0, 0)
    )
    two.run(0.2, 2e-3, tolerance=1e-12)
    np.testing.assert_allclose(two.velocities[:, 0], [0.25 - 0.75 * restitution, 0.25 + 0.25 * restitution], atol=1e-10)


def test_a_dropped_sphere_bounces_to_the_square_of_restitution():
    """First order in the step: the height after an impact at e = 0.8 is 0.64 of that before."""
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        ball = Spheres([[0, 0, 0.05 + 1.0]], 0.05, 0.5, FLOOR, restitution=0.8)
        high = max(ball.run(k * step, step).places[0, 2] for k in range(int(0.6 / step), int(1.0 / step)))
        errors.append(abs(high - 0.05 - 0.64))
    assert errors[0] < 6e-3 and errors[2] < 2e-3


def test_a_column_rests():
    column = Spheres([[0, 0, 0.05 + 0.1 * k] for k in range(5)], 0.05, 0.5, FLOOR, friction=0.3).run(0.5, 5e-3, tolerance=1e-8)
    np.testing.assert_allclose(column.places[:, 2], 0.05 + 0.1 * np.arange(5), atol=1e-3 * 0.05)
    assert np.abs(column.velocities).max() < 1e-7


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_cells_find_all_pairs(seed):
    rng = np.random.default_rng(seed)
    places, radii = rng.uniform(-1, 1, (120, 3)), rng.uniform(0.03, 0.1, 120)
    found = near(places, radii, 0.26, 0.05)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    expected = np.argwhere(np.triu(distance <= radii[:, None] + radii[None] + 0.05, 1))
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))


def test_free_spheres_keep_momentum_and_spin():
    """Total momentum and angular momentum of a cloud that collapses, with friction."""
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(3)] * 3), -1).reshape(-1, 3) * 0.12
    cloud = Spheres(grid, 0.05, 0.5, velocities=rng.normal(size=(27, 3)) - 3.0 * (grid - 0.12), friction=0.4, gravity=(0, 0, 0))
    inertia = 0.4 * 0.5 * 0.05**2

    def momenta():
        linear = 0.5 * cloud.velocities.sum(axis=0)
        return linear, 0.5 * np.cross(cloud.places, cloud.velocities).sum(axis=0) + inertia * cloud.spins.sum(axis=0)

    (p0, l0), e0 = momenta(), cloud.energy
    cloud.run(0.2, 1e-3, tolerance=1e-8)
    p1, l1 = momenta()
    np.testing.assert_allclose(p1, p0, atol=1e-12)
    np.testing.assert_allclose(l1, l0, atol=2e-3 * np.linalg.norm(l0) + 2e-3)
    assert cloud.energy < e0


@pytest.mark.slow
def test_a_heap_comes_to_rest_in_its_box():
    """64 spheres: energy falls, nothing penetrates by more than a hundredth of a radius, nothing leaves."""
    rng = np.random.default_rng(0)
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3)
    heap = Spheres(0.06 + 0.115 * grid + rng.uniform(-4e-3, 4e-3, (64, 3)), 0.05, 0.5, box((0, 0, 0), (0.5, 0.5, 9)), friction=0.3)
    energies = [heap.run(t, 5e-3, iterations=1000).energy for t in np.arange(0.1, 2.5, 0.1)]
    assert np.all(np.diff(energies) < 1e-3 * abs(energies[0]))
    assert heap.penetration < 0.01 * 0.05
    assert np.all(heap.places > 0.0495) and np.all(heap.places[:, :2] < 0.4505)
    assert 0.5 * 0.5 * np.sum(heap.velocities**2) < 1e-3 * energies[0]


def test_bad_spheres_are_told():
    with pytest.raises(ModelError, match=r"sphere 0 penetrates sphere 1 by 0.02 m"):
        Spheres([[0, 0, 1], [0.08, 0, 1]], 0.05, 1.0)
    with pytest.raises(ModelError, match="penetrates a wall"):
        Spheres([[0, 0, 0.03]], 0.05, 1.0, FLOOR)
    with pytest.raises(ModelError, match=r"restitution is 1.2"):
        Spheres([[0, 0, 1]], 0.05, 1.0, restitution=1.2)
    with pytest.raises(ModelError, match=r"low .* must be below high"):
        box((0, 0, 0), (1, 0, 1))
