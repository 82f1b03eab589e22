"""Every sensitivity index, of every method that has one: between which ends it lies, what leaves it as it is, and when it is nothing."""

import numpy as np
import pytest

from uqmbd.inputs import Interval, Random
from uqmbd.methods import PCE, Chebyshev, Sensitivity
from uqmbd.methods.sensitivity import APPROACHES

from .loop import drive

UNIFORM = {name: Random({"type": "uniform", "lower": 0.0, "upper": 1.0}) for name in "abc"}
BOX = {name: Interval(0.0, 1.0) for name in "abc"}
SETTINGS = {
    "sobol": {"samples": 64, "second_order": True, "resamples": 20}, "morris": {"samples": 20}, "fast": {"samples": 129},
    "rbd_fast": {"samples": 300, "resamples": 10}, "delta": {"samples": 300, "resamples": 4}, "dgsm": {"samples": 40, "resamples": 20},
    "pawn": {"samples": 300, "resamples": 10}, "hdmr": {"samples": 300, "degree": 2, "resamples": 3}, "derivative": {},
    "shapley": {"samples": 64, "resamples": 10}, "width": {"degree": 3},
}  # fmt: skip
METHODS = {name: Sensitivity(approach=name, **keys) for name, keys in SETTINGS.items()} | {
    "pce": PCE(samples=150, degree=4),
    "chebyshev": Chebyshev(degree=3, questions=["indices", "width"], fallback_runs=0),
}
RANKED = ("delta", "pawn")  # know the output by its ranks alone
SHARES = {"delta": 1.0, "pawn": 1.0, "main_effect": 1.0, "width_reduction": 1.0}  # exact ends: from 0 to this
NOISE = 0.3  # of estimates of shares of the variance by so few runs, of outputs with a variance
EVERY = pytest.mark.parametrize("name", METHODS)


def smooth(a, b, c):
    """c does nothing."""
    return np.sin(2 * a) + 0.3 * b * a


def classes(a, b, c):
    """Constant in two of three classes of a."""
    return np.where(a < 0.5, 0.0, np.where(a < 0.8, 1.0, 2.0 + 0.01 * b))


def outlier(a, b, c):
    return a + 0.05 * b + np.where(a > 0.99, 1e6, 0.0)


def heavy(a, b, c):
    """A Cauchy variable, nearly: no moments."""
    return np.tan(np.pi * (a - 0.5) * 0.99999) + b


def rounding(a, b, c):
    """0.3, in two ways that differ by rounding alone."""
    return np.where(a < 0.5, 0.1 + 0.2, 0.3)


MODELS = smooth, classes, outlier, heavy


def indices(name, model, inputs=None, seed=3):
    """Indices of a scalar y and of a history h, of which y is the first time: {(output, kind): (d,) or (d, times)}, and the result."""

    def both(time, **x):
        y = model(*x.values())
        return {"y": y, "h": np.stack([y, 2 * y + 0.1 * x["a"] * np.abs(y).max()], axis=1)}

    result, _ = drive(METHODS[name], inputs or (BOX if name in ("width", "chebyshev") else UNIFORM), both, time=[0.0, 1.0], seed=seed)
    found = {}
    for group in ("sensitivity", "aggregated"):
        table = getattr(result, group)
        for output in table:
            for kind in table["kind"].values:
                found[output + "." + group, kind] = table[output].sel(kind=kind).values
    for output in result.interaction:
        found[output + ".interaction", "second"] = result.interaction[output].values
    return found, result


def test_every_approach_is_here():
    assert set(SETTINGS) == set(APPROACHES)


@EVERY
@pytest.mark.parametrize("model", MODELS)
def test_ends(name, model):
    """All indices are numbers, shares and distances lie in their ends, and limits hold what they are limits of."""
    found, result = indices(name, model)
    assert found and all(np.isfinite(values).all() for values in found.values())
    for (output, kind), values in found.items():
        if kind in SHARES:
            assert values.min() >= 0 and values.max() <= SHARES[kind], (output, kind)
        if kind in ("total", "dgsm", "mu_star", "sigma"):
            assert values.min() >= (-NOISE if name == "hdmr" else 0.0), (output, kind)
        if kind in ("first", "total") and model in (smooth, classes):
            assert values.min() >= -NOISE and values.max() <= 1 + NOISE, (output, kind)
        if (output, f"{kind}_lower") in found:
            assert (found[output, f"{kind}_lower"] <= values).all() and (values <= found[output, f"{kind}_upper"]).all()
    if name == "chebyshev":
        assert found["y.sensitivity", "main_effect"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("model", [classes, outlier, heavy])
def test_what_decides_is_first(name, model):
    """Whatever a few runs or many equal ones do to means and densities."""
    found = indices(name, model)[0]["y.sensitivity", name]
    assert found[0] > 0.4 and found[0] > 2 * found[1:].max() and found[2] < {"delta": 0.1, "pawn": 0.2}[name]


def test_delta_of_classes():
    """Given a the probabilities .5, .25, .25 become 0 and 1; given b what is spread out in the upper class becomes a point."""

    def quarters(time, a, b, c):
        return {"y": np.where(a < 0.5, 0.0, np.where(a < 0.75, 1.0, 2.0 + b))}

    found = drive(Sensitivity(approach="delta", samples=4096, resamples=4), UNIFORM, quarters)[0]  # 16 classes: none is across a step
    a, b, c = found.sensitivity["y"].sel(kind="delta").values
    assert a == pytest.approx(0.5 * 0.5 + 0.5 * 0.75, abs=0.02) and b == pytest.approx(0.25, abs=0.05) and c < 0.05


@pytest.mark.parametrize("scale", [1e155, 1e-155, 1e300])
@EVERY
def test_units(name, scale):
    """The indices of an output do not depend on its unit, far beyond where a square is a number; effects have that unit."""
    (one, _), (other, result) = (indices(name, lambda a, b, c, by=by: by * smooth(a, b, c)) for by in (1.0, scale))
    for (output, kind), values in one.items():
        wanted = values * (scale if kind.startswith(("mu", "sigma")) else 1.0)
        reach = np.abs(wanted).max()
        assert other[output, kind] == pytest.approx(wanted, rel=1e-6, abs=1e-7 * reach), (output, kind)
    for table in (result.statistics, result.inner):
        assert all(np.isfinite(table[output].values).all() for output in table)


@pytest.mark.parametrize("model", [smooth, classes, heavy])
@pytest.mark.parametrize("name", RANKED)
def test_increasing_functions(name, model):
    """Of the output change nothing, to the last digit but rounding."""
    one = indices(name, model)[0]["y.sensitivity", name]
    for increasing in (np.arctan, lambda y: 1e155 * (5 * y**3 + y)):
        assert indices(name, lambda *x, f=increasing: f(model(*x)))[0]["y.sensitivity", name] == pytest.approx(one, abs=1e-9)


@EVERY
def test_input_without_influence(name):
    """Has an index of 0 where runs that differ in it alone are compared, or a polynomial has it; else what noise gives."""
    found, result = indices(name, smooth)
    for (output, kind), values in found.items():
        if kind == "second":
            continue
        dead, most = np.abs(values[2]), np.abs(values).max()
        if kind.endswith(("_lower", "_upper")):
            continue
        if name in ("rbd_fast", "fast", "delta", "pawn", "hdmr", "shapley", "pce") or (name == "sobol" and kind == "first"):
            assert (dead < 0.15 * most + 0.08).all(), (output, kind)
        else:
            assert (dead <= 1e-12 * most).all(), (output, kind)
    if f"{name}_without_influence" in result.attrs:
        noise = result.attrs[f"{name}_without_influence"]
        assert found["y.sensitivity", name][2] < 4 * (noise["y"] if isinstance(noise, dict) else noise)


@pytest.mark.parametrize("model", [lambda a, b, c: np.full_like(a, 7.3e155), lambda a, b, c: 0.0 * a, rounding])
@EVERY
def test_constant(name, model):
    """Nothing depends on anything where nothing varies but rounding, and no index is NaN."""
    for (output, kind), values in indices(name, model)[0].items():
        if output.startswith("y"):
            assert (np.abs(values) <= 1e-12).all(), (output, kind)


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_units_of_warped_histories(scale):
    def swings(by):
        return lambda time, a, b, c: {"h": by * np.sin((5 + a)[:, None] * time + 0.1 * b[:, None])}

    method, time = PCE(samples=40, degree=2, warp="linear"), np.linspace(0, 1, 31)
    one, other = (drive(method, BOX, swings(by), time=time)[0] for by in (1.0, scale))
    assert one.aggregated["h"].sel(kind="total", input="a") > 0.9
    assert other.aggregated["h"].values == pytest.approx(one.aggregated["h"].values, abs=1e-6)
    assert other.statistics["h"].sel(statistic="std").values / scale == pytest.approx(
        one.statistics["h"].sel(statistic="std").values, abs=1e-6
    )
