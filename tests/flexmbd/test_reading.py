"""Functions of the time loop are read from their source: all that the package has, and what that means is what Numba makes of it."""

import ctypes
import math

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import config

from flexmbd.integrators import SCHEMES
from flexmbd.lanes import any_lane, fabs, floor, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping import compiled
from flexmbd.stepping.campaign import LOOP
from flexmbd.stepping.changed import count_anew, enter, leave
from flexmbd.stepping.names import M, N
from flexmbd.stepping.neighbours import neighbours
from flexmbd.stepping.reading import Module
from flexmbd.stepping.sections import jumped, sectioned
from flexmbd.stepping.windows import met, windowed

OF_SCHEMES = {f for scheme in SCHEMES for f in (*scheme.functions.values(), *scheme.passing.values())}
TABLE = np.array([[0.5, -2.0], [3.0, 0.25]])
pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


@pytest.mark.parametrize("width", [1, 4])
def test_all_functions_of_the_package_are_read(width):
    """No one of them waits for Numba."""
    asked = windowed, met, sectioned, jumped
    for function in (*LOOP, leave, enter, count_anew, neighbours, *asked, *sorted(OF_SCHEMES, key=lambda f: f.__name__)):
        llvm.parse_assembly(Module([function], width, ["entry"]).text, llvm.create_context()).verify()


# ---- one function for each thing that is known, X[0:3] lanes, at = integers
def integers(X, P, W, at):
    """Quotients and remainders are rounded down, shifts and bits, extremes, truth values as numbers."""
    a, b = at[0], at[1]
    put(W, 0, 0, (a // 3) + 100 * (a % 3))
    put(W, 1, 0, (a << 2) + (a >> 1) - (a ^ b) + (a & b) + (a | b))
    put(W, 2, 0, max(a, b, 2) - min(a, b) + abs(a - b) + (a > b) + float(a) / b - int(2.75 * a))
    at[2] = a > b
    words(at[3])[1] += 5
    doubles(at[4])[0] = 1 if a == b or not a else 2


@inner
def first_above(X, level):
    """Row of the first number above a level; some of its results are integers, some numbers."""
    for i in range(3):
        if get(X, i, 0) > level:
            return i, 1.0
    return 0.5, 0


def ways(X, P, W, at):
    """Loops that are left and gone on with, conditions that are not looked at, values by condition, several results."""
    total, x, k = 0, 0, 0
    while True:
        k += 1
        if k % 2 == 0:
            continue
        if k > 9 or (k > 5 and get(X, 0, 0) > 0.0):
            break
        total = total + k  # an integer at first
        x = x + 0.5 * ld(X, 1)  # a lane value behind the first turn
    st(W, 0, x)
    row, sure = first_above(X, 0.25)
    put(W, 1, 0, total + 10.0 * row + 100.0 * sure)
    near = 0.0 < get(X, 1, 0) <= 1.0
    y = 0.0
    for sign in (1.0, -1.0):
        for row in (N, M):
            y += get(X, row, 0)
        for j in range(1, 8, 3):
            y += sign * j * TABLE[j % 2, 0 if sign > 0.0 else 1] if near and any_lane(ld(X, 2) > 0.0) else math.floor(get(X, 1, 0)) + np.inf
    put(W, 2, 0, y)


def lanes(X, P, W, at):
    """Words of lanes, of lane values and of numbers; NaN as each of them has it."""
    a, b, c = ld(X, 0), ld(X, 1), ld(X, 2)
    mask = ((a < b) | (b >= c)) & lnot(a > 0.5)
    st(W, 0, select(mask, maximum(a, b) + sqrt(fabs(c)), minimum(a, -c) / (b - 3)))
    st(W, 1, maximum(a, 0.25) - floor(minimum(b, 3.0)) * select(at[0] > at[1], 2, c))
    st(W, 2, width_of(X) + max(get(X, 0, 0), get(X, 1, 0)) - min(get(X, 2, 0), np.nan, 1) + select(any_lane(mask), 1, -1))


def compute(function, width, by_numba, monkeypatch):
    """What a function puts into W, and its integers, for several numbers."""
    if by_numba:

        def unreadable(*_):
            raise compiled.Unreadable("on purpose")

        monkeypatch.setattr(compiled, "Module", unreadable)
    engine, found = compiled._engine.__wrapped__((function,), width), []  # no other engine goes: runs of this process hold their addresses
    address = engine.get_function_address(f"{compiled.ENTRY}0")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, W, integers_, numbers = rng.normal(size=(3, width)), np.zeros((3, width)), np.arange(3), np.zeros(1)
        if seed % 5 == 4:
            X[seed % 3, 0] = np.nan
        at = np.array([*rng.integers(-9, 10, 2), 0, integers_.ctypes.data, numbers.ctypes.data])
        at[1] += at[1] == 0
        compiled.CALL(address)(*(ctypes.c_void_p(x.ctypes.data) for x in (X, X, W, at)))
        found.append((W, [*at[:3], *integers_, *numbers]))
    monkeypatch.undo()
    return found


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("function", [integers, ways, lanes])
def test_what_is_read_is_what_numba_makes_of_it(function, width, monkeypatch):
    for (ours, our_integers), (wanted, integers_) in zip(
        compute(function, width, False, monkeypatch), compute(function, width, True, monkeypatch), strict=True
    ):
        np.testing.assert_array_equal(ours, wanted)
        assert our_integers == integers_


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("a = np.zeros(3)", "np.zeros"),
        ("for i in reversed(range(3)):\n        pass", "a loop over"),
        ("with_both = (1, 2)", "several values"),
        ("if at[0] > 0:\n        x = 1.0\n    else:\n        x = X\n    st(W, 0, x)", "'x' before"),
        ("st(W, 0, sin(1.0))", "sin"),
    ],
)
def test_what_is_not_known_is_said(body, what, tmp_path):
    path = tmp_path / "scheme.py"
    path.write_text(f"from math import sin\nimport numpy as np\nfrom flexmbd.lanes.rows import st\ndef f(X, P, W, at):\n    {body}\n")
    space = {"__name__": "scheme"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with pytest.raises(compiled.Unreadable, match=what):
        Module([space["f"]], 4, ["entry"])


def test_a_scheme_in_more_of_python_than_is_known_is_compiled_all_the_same(monkeypatch):
    def pairs(X, P, W, at):
        both = (get(X, 0, 0), get(X, 1, 0))
        put(W, 0, 0, both[0] - both[1])

    with pytest.raises(compiled.Unreadable):
        Module([pairs], 1, ["entry"])
    (W, _), *_ = compute(pairs, 1, False, monkeypatch)
    X = np.random.default_rng(0).normal(size=(3, 1))
    assert W[0, 0] == X[0, 0] - X[1, 0]
