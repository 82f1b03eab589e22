"""Surrogates of a result: asked again without runs, against the functions they stand for."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Interval, Random
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE, Chebyshev, ConvexBounds, FuzzyBounds, Mixed, MonteCarlo, Reliability, Taylor2, Vertex
from uqmbd.result import open_results
from uqmbd.surrogates.opening import open_surrogate

from .loop import drive

TIME = np.linspace(0, 1, 5)
BOX = {"a": Interval(1, 2), "b": Interval(-1, 1)}
RNG = np.random.default_rng(3)
A, B = 1 + RNG.random(20), 2 * RNG.random(20) - 1


def model(time, a, b):
    return {"y": np.sin(a) * np.exp(0.3 * b), "h": np.cos(np.outer(a, time)) + b[:, None] * time}


@pytest.mark.parametrize(
    "method",
    [
        Chebyshev(degree=9),
        Chebyshev(grid="sparse", tolerance=1e-7),
        Chebyshev(split=True, degree=7, tolerance=1e-7),
        FuzzyBounds(degree=9, levels=3),
        PCE(samples=150, degree=8),
    ],
)
def test_values_and_slopes_are_those_of_the_model(method):
    inputs = BOX | {"b": Fuzzy({"type": "triangular", "lower": -1, "mode": 0, "upper": 1})} if method.name == "fuzzy" else BOX
    result, _ = drive(method, inputs, model, time=TIME)
    y, h = result.surrogate("y"), result.surrogate("h")
    assert y(a=A, b=B) == pytest.approx(model(TIME, A, B)["y"], abs=1e-5)
    assert h(a=A, b=B) == pytest.approx(model(TIME, A, B)["h"], abs=1e-5) and h(a=1.5, b=0.0).shape == (5,)
    slope = y.gradient(a=A, b=B)
    assert slope["a"] == pytest.approx(np.cos(A) * np.exp(0.3 * B), abs=1e-3)
    assert slope["b"] == pytest.approx(0.3 * np.sin(A) * np.exp(0.3 * B), abs=1e-3)


def test_random_inputs_keep_their_coordinates():
    """Lognormal, normal and Weibull variables; a polynomial of the germs is met exactly."""
    inputs = {
        "a": Random({"type": "normal", "mean": 2, "std": 0.5}),
        "b": Random({"type": "lognormal", "mean": 1, "std": 0.3}),
        "w": Random({"type": "weibull", "shape": 2, "scale": 3}),
    }
    result, _ = drive(PCE(samples=200, degree=3), inputs, lambda time, a, b, w: {"y": a**2 + 0.5 * a * np.log(b) + w})
    a, b, w = (item.ppf(RNG.random(30)) for item in inputs.values())
    y = result.surrogate("y")
    assert y(a=a, b=b, w=w) == pytest.approx(a**2 + 0.5 * a * np.log(b) + w, abs=1e-3)
    assert y.gradient(a=2.0, b=1.0, w=3.0)["a"] == pytest.approx(4.0, abs=1e-3)


def load_over_strength(time, load, strength):
    return {"g": 10 * load - strength * np.sqrt(strength), "other": load}


def test_kriging_of_a_limit_is_kept(tmp_path):
    """Near the limit that it learnt; it meets its runs, and its slopes are those of differences."""
    inputs = {
        "load": Random({"type": "normal", "mean": 1, "std": 0.2}),
        "strength": Random({"type": "lognormal", "mean": 8, "std": 1}),
    }
    method = Reliability(output="g", above=0.0, approach="ak_mcs", max_runs=200)
    result, _ = drive(method, inputs, load_over_strength)
    g = result.surrogate("g")
    load = np.linspace(1.0, 2.0, 9)
    strength = (10 * load) ** (2 / 3)
    assert g(load=load, strength=strength) == pytest.approx(np.zeros(9), abs=0.05)
    assert np.abs(g(load=load, strength=strength)).max() < 5 * g.std(load=load, strength=strength).max() + 0.01
    runs = {name: result.surrogates["coordinate"].values[:, i] for i, name in enumerate(inputs)}
    at = {name: item.from_normal(runs[name]) for name, item in inputs.items()}
    assert g(**at) == pytest.approx(result.surrogates["g"].values, abs=1e-5) and g.std(**at).max() < 1e-3
    slope = g.gradient(load=load, strength=strength)
    for name, step in (("load", 1e-5), ("strength", 1e-4)):
        ahead, behind = ({"load": load, "strength": strength} | {name: (load if name == "load" else strength) + h} for h in (step, -step))
        assert slope[name] == pytest.approx((g(**ahead) - g(**behind)) / (2 * step), rel=1e-4)
    result.save(tmp_path)
    for again in (open_results(tmp_path).surrogate("g"), open_surrogate(g.save(tmp_path / "g.json"))):
        assert np.array_equal(again(load=load, strength=strength), g(load=load, strength=strength)) and again.unit == "m"
        assert np.isnan(again.error) and repr(again) == "<surrogate of g [m], a number, of load, strength>"
    asked = {"load": np.where(np.arange(9) == 2, np.nan, load), "strength": strength}
    for found in (g(**asked), g.std(**asked), *g.gradient(**asked).values()):
        assert np.flatnonzero(np.isnan(found)).tolist() == [2]
    assert np.isnan(g(load=1.0, strength=np.nan)) and g(**asked)[3:] == pytest.approx(g(load=load, strength=strength)[3:], abs=1e-6)
    with pytest.raises(StudyError, match=r"shapes that do not fit together: load \(9,\), strength \(2,\)"):
        g.std(load=load, strength=strength[:2])
    with pytest.raises(StudyError, match="needs numbers for 'load'"):
        g(load="soft", strength=8.0)
    with pytest.raises(StudyError, match="no surrogate of 'other'"):
        result.surrogate("other")
    with pytest.raises(StudyError, match="only a surrogate of intervals has bounds"):
        g.bounds()


def test_mixed_inputs():
    inputs = {"a": Interval(1, 2), "b": Random({"type": "normal", "mean": 0, "std": 0.2})}
    result, _ = drive(Mixed(samples=100, degree=6, germs=256), inputs, model, time=TIME)
    assert result.surrogate("y")(a=A, b=0.2 * B) == pytest.approx(model(TIME, A, 0.2 * B)["y"], abs=1e-4)


def test_bounds_over_a_smaller_box_hold_the_model():
    for method in (Chebyshev(degree=9), Chebyshev(split=True, degree=5, tolerance=1e-6)):
        result, _ = drive(method, BOX, model, time=TIME)
        low, high = result.surrogate("y").bounds(a=(1.2, 1.4), b=(0.0, 0.5))
        assert [low, high] == pytest.approx([np.sin(1.2), np.sin(1.4) * np.exp(0.15)], abs=1e-6)
        assert result.surrogate("y").bounds(b=0.0) == pytest.approx([np.sin(1), 1.0], abs=1e-6)
        assert result.surrogate("h").bounds().shape == (2, 5)


@pytest.mark.parametrize("method", [Chebyshev(degree=4), Chebyshev(split=True, degree=3, tolerance=1e-2), PCE(samples=60, degree=3)])
def test_an_input_that_is_nan_gives_nan(method):
    """Values and slopes, of numbers and histories; the others of an array are what they are without it."""
    result, _ = drive(method, BOX, model, time=TIME)
    y, h = result.surrogate("y"), result.surrogate("h")
    assert np.isnan(y(a=np.nan, b=0.0)) and np.isnan(h(a=1.5, b=np.nan)).all() and h(a=1.5, b=np.nan).shape == (5,)
    a = A.copy()
    a[3] = np.nan
    rest = np.arange(20) != 3
    for surrogate in (y, h):
        for found, known in [(surrogate(a=a, b=B), surrogate(a=A, b=B))] + [
            (surrogate.gradient(a=a, b=B)[name], surrogate.gradient(a=A, b=B)[name]) for name in "ab"
        ]:
            assert np.isnan(found[3]).all() and found[rest] == pytest.approx(known[rest], rel=1e-12, abs=1e-12)
    if method.name == "chebyshev":
        assert np.isnan(y.bounds(a=np.nan)).tolist() == [True, True] and np.isnan(h.bounds(b=(0.0, np.nan))).all()


def test_at_the_edge_of_the_box_rounding_finds_a_part():
    """As far outside as is let pass, 1e-9 of the width, values are those of the part at the edge."""
    result, _ = drive(Chebyshev(split=True, degree=3, tolerance=1e-3), BOX, model, time=TIME)
    y = result.surrogate("y")
    assert y(a=2 + 0.9e-9, b=0.0) == pytest.approx(y(a=2.0, b=0.0), rel=1e-8)


def test_it_survives_the_disk_and_a_file_of_its_own(tmp_path):
    result, _ = drive(Chebyshev(split=True, degree=3, tolerance=1e-3), BOX, model, time=TIME)
    result.save(tmp_path)
    again = open_results(tmp_path).surrogate("h")
    alone = open_surrogate(result.surrogate("h").save(tmp_path / "h.json"))
    for other in (again, alone):
        assert np.array_equal(other(a=A, b=B), result.surrogate("h")(a=A, b=B)) and other.unit == "m"
        assert np.array_equal(other.error, result.error["h"].values)


def test_what_there_is_no_surrogate_of():
    normal = {name: Random({"type": "normal", "mean": 0, "std": 1}) for name in "ab"}
    bound = Space(normal, {"rank_correlation": [["a", "b", 0.5]]})
    square = Space(BOX, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.5]]}})
    for method, inputs in ((MonteCarlo(samples=20), normal), (Vertex(), BOX), (PCE(samples=80, degree=2, warp=None), bound)):
        result, _ = drive(method, inputs, lambda time, a, b: {"y": a + b})
        with pytest.raises(StudyError, match="no surrogate of 'y'"):
            result.surrogate("y")
    for method, inputs in ((ConvexBounds(degree=2), square), (Taylor2(), BOX)):
        result, _ = drive(method, inputs, lambda time, a, b: {"y": a + b})
        assert result.surrogate("y")(a=1.5, b=0.25) == pytest.approx(1.75)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"a": 1.5}, "needs b"),
        ({"a": 1.5, "b": 0, "c": 1}, "no input 'c'"),
        ({"a": 2.5, "b": 0}, "from 1 to 2 only"),
        ({"a": [np.nan, 2.5], "b": 0}, "from 1 to 2 only"),
        ({"a": "soft", "b": 0}, "needs numbers for 'a'"),
        ({"a": "1.5", "b": 0}, "needs numbers for 'a'"),
        ({"a": [[1.5], [1.5, 1.6]], "b": 0}, "needs numbers for 'a'"),
        ({"a": np.full(3, 1.5), "b": np.zeros(2)}, r"shapes that do not fit together: a \(3,\), b \(2,\)"),
    ],
)
def test_mistakes_are_one_sentence(inputs, words):
    result, _ = drive(Chebyshev(degree=3), BOX, model, time=TIME)
    for asked in (result.surrogate("y"), result.surrogate("y").gradient):
        with pytest.raises(StudyError, match=words):
            asked(**inputs)
    with pytest.raises(StudyError, match="needs numbers for 'a'"):
        result.surrogate("y").bounds(a="soft")
    with pytest.raises(StudyError, match="no output 'z'"):
        result.surrogate("z")


def test_a_file_that_is_no_surrogate(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    for name, words in (("x.json", "is no surrogate"), ("z.json", "no such file")):
        with pytest.raises(StudyError, match=words):
            open_surrogate(tmp_path / name)
