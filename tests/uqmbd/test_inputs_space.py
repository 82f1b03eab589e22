"""What binds inputs: the copula of random ones, convex sets over intervals."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gamma, norm, spearmanr

from uqmbd.errors import StudyError
from uqmbd.inputs import ConvexSet, Dependence, Interval, Random, Space
from uqmbd.inputs.correlation import nearest
from uqmbd.inputs.ellipsoids import minimum_volume
from uqmbd.methods import PCE, MonteCarlo

from .loop import drive

INPUTS = {
    "a": Random({"type": "normal", "mean": 1, "std": 2}),
    "b": Random({"type": "uniform", "lower": 0, "upper": 3}, "mm"),
    "c": Random({"type": "lognormal", "mean": 1, "std": 1}),
    "i": Interval(1, 2),
}
PAIRS = [["a", "c", 0.6], ["b", "c", -0.3]]


def test_rank_correlation_of_samples():
    """Within five standard errors of 1/√n."""
    n = 100_000
    space = Space(INPUTS, {"rank_correlation": PAIRS}).to_si()
    x = space.samples(np.random.default_rng(0).random((n, 4)))
    found = spearmanr(np.column_stack([x[name] for name in "abci"])).statistic
    exact = np.array([[1, 0, 0.6, 0], [0, 1, -0.3, 0], [0.6, -0.3, 1, 0], [0, 0, 0, 1]])
    assert np.abs(found - exact).max() < 5 / np.sqrt(n)


def test_margins_stay_what_they_are():
    space = Space(INPUTS, {"rank_correlation": PAIRS}).to_si()
    n = 40_000
    x = space.samples(np.random.default_rng(1).random((n, 4)))
    for name in "abc":
        u = np.linspace(0.02, 0.98, 49)
        below = np.mean(x[name][:, None] <= space[name].ppf(u), axis=0)
        assert np.abs(below - u).max() < 2 / np.sqrt(n)


def test_inputs_that_depend_on_nothing_are_sampled_as_ever():
    u = np.random.default_rng(2).random((50, 4))
    bent, plain = Space(INPUTS, {"rank_correlation": [["a", "b", 0.5]]}).samples(u), Space.of(INPUTS).samples(u)
    assert np.array_equal(bent["c"], plain["c"]) and np.array_equal(bent["i"], plain["i"])
    assert not np.array_equal(bent["b"], plain["b"])
    assert all(
        np.isfinite(x).all()
        for x in Space({k: INPUTS[k] for k in "ab"}, {"rank_correlation": [["a", "b", 0.5]]}).samples(np.eye(2)).values()
    )


@pytest.mark.parametrize("points", ["samples", "from_normal"])
def test_inputs_that_are_alike_are_found_in_one_call(points, monkeypatch):
    """And have scipy's values, each at its own column; a unit or a parameter that differs is another distribution."""
    table, calls = {"type": "gamma", "shape": 2.0, "scale": 3.0}, []
    inputs = {f"x{i}": Random(table) for i in range(5)}
    inputs |= {"mm": Random(table, "mm"), "wide": Random({**table, "scale": 4.0})}
    inputs |= {"i": Interval(1, 2), "j": Interval(1, 2), "last": Random(table)}
    ppf = Random.ppf
    monkeypatch.setattr(Random, "ppf", lambda self, u: calls.append(u) or ppf(self, u))
    z = np.random.default_rng(4).normal(size=(7, 10))
    space = Space(inputs).to_si()
    found = getattr(space, points)(norm.cdf(z) if points == "samples" else z)
    assert len(calls) == 3 and list(found) == list(inputs)
    for i, name in enumerate(inputs):
        scale = {"mm": 3e-3, "wide": 4.0}.get(name, 3.0)
        exact = 1 + norm.cdf(z[:, i]) if name in "ij" else gamma(2.0, scale=scale).ppf(norm.cdf(z[:, i]))
        np.testing.assert_allclose(found[name], exact, rtol=1e-12)


def test_monte_carlo_with_dependence():
    """Variance of a sum of two normal variables: s² + s² + 2 r s², r = 2 sin(π ρ/6)."""
    inputs = {name: Random({"type": "normal", "mean": 0, "std": 1}) for name in "ab"}
    space = Space(inputs, {"rank_correlation": [["a", "b", 0.7]]})
    result, _ = drive(MonteCarlo(samples=40_000), space, lambda time, a, b: {"y": a + b})
    exact = np.sqrt(2 + 4 * np.sin(np.pi * 0.7 / 6))
    assert float(result.statistics["y"].sel(statistic="std")) == pytest.approx(exact, rel=0.02)


def test_expansion_with_dependence():
    """The same sum by a chaos expansion: exact, for it is linear in the germs."""
    inputs = {name: Random({"type": "normal", "mean": 0, "std": 1}) for name in "ab"}
    space = Space(inputs, {"rank_correlation": [["a", "b", 0.7]]})
    result, _ = drive(PCE(degree=2, samples=80), space, lambda time, a, b: {"y": a + b})
    exact = np.sqrt(2 + 4 * np.sin(np.pi * 0.7 / 6))
    assert float(result.statistics["y"].sel(statistic="std")) == pytest.approx(exact, rel=1e-6)


def test_a_space_is_a_mapping_that_travels():
    space = Space(INPUTS, Dependence(rank_correlation=PAIRS)).to_si()
    assert dict(space) == dict(space.items()) and list(space) == ["a", "b", "c", "i"] and len(space) == 4
    again = pickle.loads(pickle.dumps(space))
    u = np.random.default_rng(3).random((5, 4))
    assert all(np.array_equal(again.samples(u)[name], x) for name, x in space.samples(u).items())
    assert Space.of(space) is space and Space.of(INPUTS).dependence is None and space.bindings()["dependence"]
    assert Space(INPUTS, {"rank_correlation": []}).dependence is None and Space(INPUTS).bindings() == {}


def test_nearest_correlation_matrix_against_an_example_of_higham():
    """Higham (2002), section 4: the tridiagonal example."""
    a = np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]])
    exact = np.array([[1, 0.760689917, 0.157298], [0.760689917, 1, 0.760689917], [0.157298, 0.760689917, 1]])
    assert nearest(a) == pytest.approx(exact, abs=2e-3) and np.linalg.eigvalsh(nearest(a))[0] > 0


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**31))
def test_minimum_volume_ellipsoid_of_points_on_an_ellipsoid(d, seed):
    rng = np.random.default_rng(seed)
    factor, centre = np.tril(rng.uniform(0.5, 2, (d, d))), rng.normal(size=d)
    # ±axes alone fix the ellipsoid; further points are on it or inside
    inner = rng.normal(size=(30, d))
    inner *= rng.uniform(0.3, 1, (30, 1)) / np.linalg.norm(inner, axis=1)[:, None]
    directions = np.concatenate([np.eye(d), -np.eye(d), inner])
    found, matrix = minimum_volume(centre + directions @ factor.T)
    assert found == pytest.approx(centre, abs=1e-5) and matrix == pytest.approx(factor @ factor.T, rel=1e-4, abs=1e-4)


def test_minimum_volume_ellipsoid_holds_all_points_and_no_smaller_one_about_them_is_known():
    """Löwner's conditions: the points on the surface, weighted, have the centre as mean (here: random points, by the determinant)."""
    points = np.random.default_rng(4).normal(size=(200, 3))
    centre, matrix = minimum_volume(points)
    distance = np.einsum("ij,jk,ik->i", points - centre, np.linalg.inv(matrix), points - centre)
    assert distance.max() == pytest.approx(1, abs=1e-9) and np.count_nonzero(distance > 1 - 1e-5) >= 4
    for step in np.random.default_rng(5).normal(size=(50, 3, 3)) * 0.02:
        other = (np.eye(3) + step) @ matrix @ (np.eye(3) + step).T
        other *= np.einsum("ij,jk,ik->i", points - centre, np.linalg.inv(other), points - centre).max()
        assert np.linalg.det(other) >= np.linalg.det(matrix) * (1 - 1e-6)


def test_a_set_by_data_brings_its_intervals(tmp_path):
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    rows = np.array([10.0, 0.5]) + np.column_stack([2 * np.cos(t), 0.1 * np.cos(t - 1.0)])
    np.savetxt(tmp_path / "set.csv", rows, delimiter=";", header="length;force", comments="", fmt="%.17g")
    made = ConvexSet(inputs=["l", "f"], data=str(tmp_path / "set.csv"), columns=["length", "force"], units=["mm", "kN"])
    space = Space({}, sets={"s": made}).to_si()
    assert (space["l"].lower, space["l"].upper) == pytest.approx((8e-3, 12e-3), rel=1e-5)
    assert (space["f"].lower, space["f"].upper) == pytest.approx((400, 600), rel=1e-5)
    assert made.matrix[0, 1] == pytest.approx(np.cos(1.0), abs=1e-4)
    assert space.written == {}


BOX = {"a": Interval(0, 1), "b": Interval(0, 2), "r": INPUTS["a"], "s": INPUTS["c"]}
COVARIANCE = {"inputs": ["x", "y"], "covariance": [[1, 0.5], [0.5, 1]], "center": [0, 0], "radius": 2}


@pytest.mark.parametrize(
    ("table", "key", "words"),
    [
        ({"inputs": ["a", "q"]}, "sets.s.inputs", "there is no input 'q' to be in a set"),
        ({"inputs": ["a", "a"]}, "sets.s.inputs", "named twice"),
        ({"inputs": ["a"]}, "sets.s.inputs", "at least two inputs"),
        ({"inputs": "ab"}, "sets.s.inputs", "a list of names"),
        ({"inputs": ["a", "r"]}, "sets.s.inputs", "is of kind random; sets are over intervals"),
        ({}, "sets.s.inputs", "missing"),
        (["a", "b"], "sets.s", "a set is a table"),
        ({"inputs": ["a", "b"], "shape": "sphere"}, "sets.s.shape", "'ellipsoid' or 'box'"),
        ({"inputs": ["a", "b"], "correlations": []}, "sets.s.correlations", 'did you mean "correlation"'),
        ({"inputs": ["a", "b"], "correlation": [["a", "c", 0.5]]}, "sets.s.correlation", "no input 'c' here to be correlated"),
        ({"inputs": ["a", "b"], "correlation": [["a", "b", 1.5]]}, "sets.s.correlation", "between -1 and 1"),
        ({"inputs": ["a", "b"], "correlation": [["a", "b"]]}, "sets.s.correlation", "two names and a number"),
        ({"inputs": ["a", "b"], "correlation": [["a", "b", 0.1], ["b", "a", 0.1]]}, "sets.s.correlation", "given twice"),
        ({"inputs": ["a", "b"], "correlation": [["a", "a", 0.1]]}, "sets.s.correlation", "correlated with itself"),
        ({"inputs": ["a", "b"], "radius": 2}, "sets.s.radius", "does not go with a set by correlation"),
        ({**COVARIANCE, "inputs": ["a", "y"]}, "inputs.a", "so does its own entry"),
        ({**COVARIANCE, "covariance": [[1, 2], [2, 1]]}, "sets.s.covariance", "not positive definite"),
        ({**COVARIANCE, "covariance": [[1, 2], [3, 1]]}, "sets.s.covariance", "symmetric with a positive diagonal"),
        ({**COVARIANCE, "covariance": [[1, 0.5]]}, "sets.s.covariance", "as many numbers as there are rows"),
        ({**COVARIANCE, "radius": 0}, "sets.s.radius", "not positive"),
        ({**COVARIANCE, "center": [0]}, "sets.s.center", "needs 2 entries"),
        ({**COVARIANCE, "shape": "box"}, "sets.s.shape", "is an ellipsoid"),
        ({**COVARIANCE, "correlation": []}, "sets.s.covariance", "one of correlation, covariance and data"),
        ({"inputs": ["x", "y"], "covariance": [[1, 0], [0, 1]]}, "sets.s.covariance", "needs its center and its radius"),
        ({"inputs": ["x", "y"], "data": "none.csv"}, "sets.s.data", "there is no file"),
        ({**COVARIANCE, "units": ["mm", "furlongg"]}, "sets.s.units", "furlongg"),
    ],
)
def test_bad_sets(table, key, words):
    with pytest.raises(StudyError) as error:
        Space(BOX, sets={"s": table})
    assert words in str(error.value) and error.value.key == key


def test_an_input_is_in_one_set():
    box = {name: Interval(0, 1) for name in "abc"}
    with pytest.raises(StudyError, match="is in the set") as error:
        Space(box, sets={"s": {"inputs": ["a", "b"]}, "t": {"inputs": ["b", "c"]}})
    assert error.value.key.startswith("sets.")


def test_data_in_a_plane(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n" + "\n".join(f"{i},{2 * i}" for i in range(9)))
    with pytest.raises(StudyError, match="lie in a plane"):
        ConvexSet(inputs=["x", "y"], data=str(tmp_path / "d.csv"))


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([["a", "q", 0.5]], "there is no input 'q' to depend on another"),
        ([["a", "i", 0.5]], "only random inputs have a rank correlation"),
        ([["a", "b", 1.0]], "between -1 and 1 without the ends"),
        ([["a", "b", "much"]], "a number is expected"),
        ([["a", "b", 0.5, 1]], "two names and a number"),
        (["a", "b", 0.5], "two names and a number"),
        ("ab", "a list of pairs"),
        ([["a", "b", 0.9], ["b", "c", 0.9], ["a", "c", -0.9]], "a and b 0.9, a and c -0.9, b and c 0.9 (the matrix"),
    ],
)
def test_bad_dependence(pairs, words):
    with pytest.raises(StudyError) as error:
        Space(INPUTS, {"rank_correlation": pairs})
    assert words in str(error.value) and error.value.key == "dependence.rank_correlation"


def test_the_nearest_correlations_that_are_offered_are_accepted():
    pairs = [["a", "b", 0.9], ["b", "c", 0.9], ["a", "c", -0.9]]
    with pytest.raises(StudyError) as error:
        Space(INPUTS, {"rank_correlation": pairs})
    Space(INPUTS, {"rank_correlation": eval("[" + error.value.remedy.split(": ")[1] + "]")})
