"""exp, log, power, sincos, atan2, tanh in lanes: within 2 units in the last place of numpy's long double."""

import math

import numpy as np
import pytest
from numba import njit

from flexmbd.lanes.functions import atan2, exp, log, power, sincos, tanh

RNG = np.random.default_rng(7)
N = 40_000
LONG = np.longdouble

pytestmark = pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="needs an extended long double as reference")


@njit
def sine(x):
    return sincos(x)[0]


@njit
def cosine(x):
    return sincos(x)[1]


def ulps(value, reference):
    """Largest error in units of the last place of the double nearest to the reference."""
    spacing = np.spacing(np.abs(reference.astype(float)))
    return float(np.max(np.abs(value - reference) / spacing))


def decades(low, high, n=N):
    return 10.0 ** RNG.uniform(low, high, n)


UNARY = [
    (exp, np.exp, [RNG.uniform(-745, 709.7, N), RNG.uniform(-1, 1, N), decades(-300, 0)]),
    (log, np.log, [decades(-307, 307), RNG.uniform(0.5, 2, N), 1 + RNG.uniform(-1, 1, N) * 1e-7, decades(-322, -308)]),
    (tanh, np.tanh, [RNG.uniform(-20, 20, N), RNG.uniform(-1, 1, N), decades(-300, 0)]),
    (sine, np.sin, [RNG.uniform(-1e6, 1e6, N), RNG.uniform(-4, 4, N), decades(-300, 0), np.arange(1, N) * (np.pi / 2)]),
    (cosine, np.cos, [RNG.uniform(-1e6, 1e6, N), RNG.uniform(-4, 4, N), decades(-300, 0), np.arange(1, N) * (np.pi / 2)]),
]
BINARY = [
    (power, np.power, [(decades(-12, 0), RNG.uniform(0, 4, N)), (decades(-100, 100), RNG.uniform(-3, 3, N))]),
    (power, np.power, [(1 + RNG.uniform(-1, 1, N) * 1e-5, RNG.uniform(-1e6, 1e6, N)), (decades(-322, -308), RNG.uniform(0, 1, N))]),
    (atan2, np.arctan2, [(RNG.normal(size=N), RNG.normal(size=N)), (decades(-100, 100), RNG.normal(size=N))]),
]


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize(("function", "reference", "samples"), UNARY, ids=["exp", "log", "tanh", "sin", "cos"])
def test_unary_accuracy(in_lanes, function, reference, samples, width):
    for x in samples:
        assert ulps(in_lanes(function, width, x), reference(x.astype(LONG))) < 2.0


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize(("function", "reference", "samples"), BINARY, ids=["power", "power-hard", "atan2"])
def test_binary_accuracy(in_lanes, function, reference, samples, width):
    for x, y in samples:
        assert ulps(in_lanes(function, width, x, y), reference(x.astype(LONG), y.astype(LONG))) < 2.0


SPECIAL = np.array([0.0, -math.inf, math.inf, math.nan, -1.0, 1e-320, 720.0, -800.0])


def test_special_values_in_lanes(in_lanes):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(in_lanes(exp, 8, SPECIAL), np.exp(SPECIAL), rtol=1e-15)
        np.testing.assert_allclose(in_lanes(log, 8, SPECIAL), np.log(SPECIAL), rtol=1e-15)
        np.testing.assert_allclose(in_lanes(tanh, 8, SPECIAL), np.tanh(SPECIAL), rtol=1e-15)
    expected = [0.0, 0.0, math.inf, math.nan, 0.0, 0.0, 720.0**1.5, 0.0]
    np.testing.assert_allclose(in_lanes(power, 8, SPECIAL, 1.5), expected, rtol=1e-15)
    assert np.isnan(in_lanes(sine, 8, np.array([2e9, math.inf, math.nan]))).all()


def test_atan2_signed_zeros_and_axes(in_lanes):
    y = np.array([0.0, 0.0, -0.0, -0.0, 1.0, -1.0, 0.0, 1e-300])
    x = np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0, -0.0])
    value = in_lanes(atan2, 8, y, x)
    np.testing.assert_allclose(value, np.arctan2(y, x), rtol=3e-16)
    np.testing.assert_array_equal(np.signbit(value), np.signbit(np.arctan2(y, x)))


@pytest.mark.parametrize(
    ("function", "args"),
    [(exp, (0.3,)), (log, (0.3,)), (power, (0.3, 1.7)), (atan2, (0.3, -0.7)), (tanh, (0.3,)), (sine, (0.3,))],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_numbers_compiled_and_plain(in_lanes, function, args):
    plain = getattr(function, "py_func", function)(*args)
    compiled = njit(lambda *a: function(*a))(*args) if function is not power else njit(lambda a, b: power(a, b))(*args)
    assert compiled == pytest.approx(plain, rel=4e-16)
    assert in_lanes(function, 4, *(np.array([a]) for a in args))[0] == pytest.approx(plain, rel=4e-16)


def test_plain_functions_do_not_raise():
    assert exp(1e4) == math.inf and exp(-1e4) == 0.0
    assert log(0.0) == -math.inf and math.isnan(log(-1.0))
    assert power(0.0, 1.5) == 0.0 and power(-1.0, 1.5) == 0.0 and power(1e300, 2.0) == math.inf


def test_no_lane_is_taken_out_of_its_vector(in_lanes):
    """The vector code calls no scalar library function."""
    from flexmbd.lanes.vector import OPTIONS

    from .lane_arrays import accessors

    ld2, st2 = accessors(8)

    @njit(**OPTIONS)
    def run(a):
        x = ld2(a, 0, 0)
        s, c = sincos(x)
        st2(a, 0, 0, exp(x) + log(x) + power(x, 1.3) + atan2(s, c) + tanh(x))

    run(np.ones((1, 1, 8)))
    code = "".join(run.inspect_llvm().values())
    for name in ("exp", "log", "pow", "sin", "cos", "atan2", "tanh"):
        assert f"@{name}(" not in code and f"llvm.{name}." not in code
