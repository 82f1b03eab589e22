"""What a kernel must not use: each mistake is one sentence with kernel, file and line, and what is allowed."""

import math

import numpy as np
import pytest

from flexmbd.errors import ModelError
from flexmbd.lanes import kernel, select
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError, kernel_of

from .own_laws import Law, Linear, deepest

SHAPE = [1.0, 2.0]


@kernel
def uses_if(x):
    if x > 0.0:
        x = 2.0 * x
    return x


@kernel
def uses_math(x):
    return math.sqrt(x)


@kernel
def uses_power(x):
    return x**2


@kernel
def uses_list(x):
    return SHAPE[0] * x


@kernel
def uses_unknown(x):
    return x * STIFFNES  # noqa: F821


@kernel
def uses_chain(x):
    return select(0.0 < x < 1.0, x, 0.0)


@kernel
def uses_numpy(x):
    return np.sin(x)


@kernel
def without_return(x):
    y = 2.0 * x  # noqa: F841


MISTAKES = {
    uses_if: ("uses `if`", "select(condition, a, b)"),
    uses_math: ("math.sqrt", "take sqrt from flexmbd.lanes"),
    uses_power: (r"\*\*", "power"),
    uses_list: ("SHAPE", "numbers"),
    uses_unknown: ("'STIFFNES', which is not defined", "numbers"),
    uses_chain: ("0.0 < x < 1.0", "&"),
    uses_numpy: ("np.sin", "flexmbd.lanes"),
    without_return: ("return", "return a number"),
}


@pytest.mark.parametrize("function", MISTAKES, ids=lambda f: f.__name__)
def test_a_mistake_is_said_with_kernel_and_line(function):
    what, remedy = MISTAKES[function]
    with pytest.raises(KernelError, match=what) as caught:
        kernel_of(function)
    first = function.py_func.__code__.co_firstlineno
    assert any(f"'{function.__name__}' (test_kernel_mistakes.py:{line})" in str(caught.value) for line in range(first, first + 5))
    assert remedy in str(caught.value) and "\n" not in str(caught.value)


class ThreeResults(Linear):
    """One result too many."""

    @staticmethod
    @kernel
    def force(delta, rate, v0, K):
        return K * delta, K * delta, 0.0 * K


class OneArgumentLess(Linear):
    """One argument too few."""

    @staticmethod
    @kernel
    def force(delta, rate, v0):
        return delta, delta


class Untypable(Linear):
    """What only Numba finds: a tuple plus a number."""

    @staticmethod
    @kernel
    def force(delta, rate, v0, K):
        pair = (delta, rate)
        total = pair + K
        return total, K * delta


class WrongTangent(Linear):
    """Only schemes with a tangent call it."""

    @staticmethod
    @kernel
    def tangent(delta, rate, v0, K):
        return K if delta > 0.0 else 0.0, 0.0 * rate


@pytest.mark.parametrize(
    "made, what",
    [
        (ThreeResults, "has 3 results, but 2 are needed"),
        (OneArgumentLess, "has 3 arguments, but 4 are needed"),
        (Untypable, "cannot be compiled"),
        (WrongTangent, "uses `if`"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_mistake_in_a_law_names_contact_law_and_kernel(made, what):
    with pytest.raises(ModelError, match=what) as caught:
        deepest(Law(made, 100.0))
    for part in ("'c0'", "law 'own'", "kernel '", "test_kernel_mistakes.py:"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arguments_and_results_are_counted_where_a_kernel_is_called():
    g = Graph()
    with pytest.raises(KernelError, match="2 results"):
        g.call(Linear.force, [g.var("x")] * 4)
    assert len(g.call(Linear.force, [g.var("x")] * 4, 2)) == 2
