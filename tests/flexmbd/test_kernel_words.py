"""Words of kernels: one table, whose columns agree; vectors; tables of numbers that kernels close over and loop over."""

import numpy as np
import pytest

from flexmbd import lanes
from flexmbd.lanes import WORDS, axpy, cross, dot, kernel, matvec, norm, outer, scale
from flexmbd.language.evaluation import on_arrays
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError, kernel_of
from flexmbd.language.tracing import traced


def rule(points):
    """A kernel over a table of (place, weight)."""

    @kernel
    def summed(x, y, z):
        total = 0.0 * x
        for at, weight in points:
            total = total + weight * (x + at * (y + at * z))
        return total

    return summed


GAUSS = ((0.25, 0.5), (0.75, 0.5))


@kernel
def vectors(x, y, z, a, b, c):
    """A number that every word for vectors is part of."""
    u, v = (x, y, z), (a, b, c)
    turned = matvec(outer(u, v), axpy(2.0, u, cross(u, v)))
    return dot(turned, scale(x, v)) + norm(turned) + cross((x, y), (a, b))


@kernel
def any_number(*numbers):
    """A dot product of two numbers, of however many."""
    return dot(numbers, numbers)


def by_numpy(x, y, z, a, b, c):
    u, v = np.array([x, y, z]), np.array([a, b, c])
    turned = np.outer(u, v) @ (2.0 * u + np.cross(u, v))
    return turned @ (x * v) + np.linalg.norm(turned) + x * b - y * a


@pytest.fixture
def numbers():
    return np.random.default_rng(1).normal(size=(6, 7))


def test_words_for_vectors_are_those_of_numpy(numbers, in_lanes):
    wanted = np.array([by_numpy(*x) for x in numbers.T])
    np.testing.assert_allclose(on_arrays(vectors)(*numbers), wanted, rtol=1e-13)
    np.testing.assert_allclose(in_lanes(vectors, 4, *numbers), wanted, rtol=1e-13)
    graph = Graph()
    own = [graph.var(name) for name in "abcdef"]
    node = traced(graph, vectors, own)
    values = graph.evaluate([node, *(graph.derivative(node, x) for x in own)], dict(zip("abcdef", numbers, strict=True)))
    np.testing.assert_allclose(values[0], wanted, rtol=1e-13)
    for k, slope in enumerate(values[1:]):
        moved = numbers + 0j
        moved[k] += 1e-30j
        exact = np.array([by_numpy_complex(*x) for x in moved.T]).imag / 1e-30
        np.testing.assert_allclose(slope, exact, rtol=1e-11)


def by_numpy_complex(x, y, z, a, b, c):
    """`by_numpy` with the norm as a root, for complex steps."""
    u, v = np.array([x, y, z]), np.array([a, b, c])
    turned = np.outer(u, v) @ (2.0 * u + np.cross(u, v))
    return turned @ (x * v) + np.sqrt(turned @ turned) + x * b - y * a


def test_kernels_loop_over_tables_of_numbers(numbers, in_lanes):
    x, y, z = numbers[:3]
    wanted = sum(weight * (x + at * (y + at * z)) for at, weight in GAUSS)
    np.testing.assert_allclose(on_arrays(rule(GAUSS))(x, y, z), wanted, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(in_lanes(rule(GAUSS), 4, x, y, z), wanted, rtol=0.0, atol=1e-15)


def test_a_kernel_is_known_by_the_table_that_it_closes_over():
    assert kernel_of(rule(GAUSS)).name == kernel_of(rule(tuple(map(tuple, GAUSS)))).name
    assert kernel_of(rule(GAUSS)).name != kernel_of(rule(((0.25, 0.5), (0.75, 0.25)))).name
    with pytest.raises(KernelError, match="which is list"):
        kernel_of(rule([list(x) for x in GAUSS]))


def test_a_kernel_may_take_any_number_of_arguments(numbers):
    assert kernel_of(any_number).arguments is None
    np.testing.assert_allclose(on_arrays(any_number)(*numbers), (numbers**2).sum(axis=0), rtol=1e-14)


def test_what_models_cannot_have_is_told():
    @kernel
    def some(x):
        return 1.0 * lanes.any_lane(x > 0.0)

    graph = Graph()
    with pytest.raises(KernelError, match="any_lane is for code that is compiled for lanes"):
        traced(graph, some, [graph.var("x")])


def test_every_word_has_a_row():
    assert set(lanes.VOCABULARY) == set(WORDS) and all(getattr(lanes, name) is word.plain for name, word in WORDS.items())
