"""Sensitivities by all approaches: exact values and SALib's, histories, failed runs, symmetries; every wrong setting."""

import warnings

import numpy as np
import pytest

from uqmbd.analysis.sensitivity import distances, elementary, frequency
from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Sensitivity, read_method
from uqmbd.outcomes import OutputInfo

from .loop import drive
from .sensitivity_models import ANGLES, FIRST, PI, PROBLEM, TOTAL, UNIT, ishigami, morris_function, pick, sobol, waves


# exact values -----------------------------------------------------------------------------------------------------------------------------
def line(time, x1, x2, x3):
    return {"f": 2 * x1 - 3 * x2 + 0 * x3}


def test_morris():
    """A line has its slopes, without scatter; Morris' function: three inputs act alone, seven with others, ten hardly at all."""
    result, runs = drive(Sensitivity(approach="morris", samples=10), ANGLES, line)
    assert runs == 40
    assert pick(result, "mu") == pytest.approx([4 * PI, -6 * PI, 0], abs=1e-12)
    assert pick(result, "sigma") == pytest.approx(0, abs=1e-12)
    inputs = {f"x{i}": Interval(0, 1) for i in range(1, 21)}
    result, _ = drive(Sensitivity(approach="morris", samples=40), inputs, morris_function)
    star, sigma = pick(result, "mu_star"), pick(result, "sigma")
    assert star[:10].min() > 2 * star[10:].max()  # ten active inputs of twenty
    assert star[7:10] == pytest.approx([40, 40, 40], abs=5) and sigma[7:10].max() < 5  # β_i = 20 on [-1, 1], and hardly anything else
    assert sigma[:7].min() > 3 * sigma[7:10].max()


APPROACHES = {
    "fast": (dict(samples=1000), {"first": (FIRST, 0.03), "total": (TOTAL, 0.05)}),
    "rbd_fast": (dict(samples=2000), {"first": (FIRST, 0.05)}),
    "dgsm": (dict(samples=2000), {"dgsm": ([2.2311, 7.0787, 3.1745], 0.25)}),
}


@pytest.mark.parametrize("approach", APPROACHES)
def test_ishigami_other_approaches(approach):
    """Exact first and total indices and DGSM (π² E[f_i²] over the variance, on the unit cube). Delta, PAWN: `test_methods_distances`."""
    given, expected = APPROACHES[approach]
    result, _ = drive(Sensitivity(approach=approach, **given), ANGLES, ishigami, seed=2)
    for kind, (exact, error) in expected.items():
        assert pick(result, kind) == pytest.approx(exact, abs=error)
    if approach == "dgsm":
        assert (pick(result, "dgsm") >= TOTAL).all()


def bilinear(time, a, b):
    return {"f": a + 2 * b + 3 * (a - 0.5) * (b - 0.5)}


def test_hdmr():
    """A polynomial of second order is its own expansion."""
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    result, _ = drive(
        Sensitivity(approach="hdmr", samples=300, degree=2, resamples=3), {"a": Interval(0, 1), "b": Interval(0, 1)}, bilinear
    )
    v = np.array([1 / 12, 4 / 12, 9 / 144])
    assert pick(result, "first") == pytest.approx(v[:2] / v.sum(), abs=0.03)
    assert pick(result, "total") == pytest.approx((v[:2] + v[2]) / v.sum(), abs=0.03)
    assert result.interaction["f"].values == pytest.approx(v[2:] / v.sum(), abs=0.03)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002 - numpy's global generator is left alone


def cubic(time, a, b):
    return {"f": a**2 * b, "h": np.stack([a + b, a - b], axis=1)}


def test_derivative():
    """Of a polynomial; one-sided where a side fails, and said so."""
    inputs = {"a": Interval(1, 3), "b": Random({"type": "normal", "mean": 0.5, "std": 0.1})}
    result, runs = drive(Sensitivity(approach="derivative"), inputs, cubic, time=[0, 1])
    assert runs == 5
    spread = np.array([2 / np.sqrt(12), 0.1])
    assert pick(result, "derivative") == pytest.approx([2 * 2 * 0.5 * spread[0] / 2, 4 * spread[1] / 2], rel=1e-3)
    assert pick(result, "derivative", "h") == pytest.approx(np.array([[1, 1], [1, -1]]) * spread[:, None] / 2.5, rel=1e-3)
    given = Sensitivity(approach="derivative", max_failed=0.5)
    result, _ = drive(given, inputs, cubic, time=[0, 1], fail=lambda x: x["a"] > 2.0001)
    assert pick(result, "derivative", "h")[0] == pytest.approx(spread[0] / 2.5, rel=1e-6)
    assert "by a are one-sided" in result.facts.note
    with pytest.raises(StudyError, match="at the medians of the inputs failed"):
        drive(given, inputs, cubic, time=[0, 1], fail=lambda x: abs(x["a"] - 2) < 1e-9)


def bowl(time, a, b, c):
    return {"f": 3 * a + 0 * c + 2 * b**2, "h": np.stack([a + c, 0 * a], axis=1)}


def test_width():
    """Halving an interval takes half of a linear input's share of the width; of x² about 0 it takes three quarters."""
    inputs = {"a": Interval(0, 2), "b": Interval(-1, 1), "c": Interval(0, 1)}
    result, runs = drive(Sensitivity(approach="width", degree=2), inputs, bowl, time=[0, 1])
    assert runs == 27 + 10
    assert pick(result, "width_reduction") == pytest.approx([3 / 8, 1.5 / 8, 0], abs=1e-3)
    assert pick(result, "width_reduction", "h") == pytest.approx(np.array([[1 / 3, 0], [0, 0], [1 / 6, 0]]), abs=1e-3)
    assert bool(result.trusted["f"])
    rough, _ = drive(Sensitivity(approach="width", degree=2), {"a": Interval(-1, 1)}, lambda time, a: {"f": abs(a) + 0 * a})
    assert not bool(rough.trusted["f"])
    few, _ = drive(Sensitivity(approach="width", degree=4), inputs, bowl, time=[0, 1], fail=lambda x: (x["a"] == 2) & (x["c"] == 1))
    assert "nodes failed" in few.facts.note
    assert pick(few, "width_reduction") == pytest.approx([3 / 8, 1.5 / 8, 0], abs=1e-3)


# the same as SALib ------------------------------------------------------------------------------------------------------------------------
def test_morris_is_salibs():
    from SALib.analyze import morris
    from SALib.sample import morris as trajectories

    x = trajectories.sample(PROBLEM, 12, num_levels=6, seed=2)
    y = np.column_stack([np.sin(5 * x[:, 0]) * x[:, 1], x[:, 2] ** 2 - x[:, 0]])
    steps, rises = np.diff(x.reshape(12, 4, 3), axis=1), np.diff(y.reshape(12, 4, 2), axis=1)
    effects = np.stack(
        [(rises * (steps[..., i] != 0)[..., None]).sum(axis=1) / steps[..., i].sum(axis=1)[:, None] for i in range(3)], axis=1
    )
    ours = elementary.morris(effects)
    for i in range(2):
        theirs = morris.analyze(PROBLEM, x, y[:, i], num_levels=6, num_resamples=2, seed=1)
        for kind, values in ours.items():
            assert values[:, i] == pytest.approx(np.asarray(theirs[kind], float), rel=1e-10, abs=1e-10)


def test_others_are_salibs():
    """DGSM, FAST, RBD-FAST (even and odd numbers of runs), PAWN (also with ties); delta, of normal scores, is nearly theirs."""
    from SALib.analyze import delta, dgsm, fast, pawn, rbd_fast

    rng = np.random.default_rng(5)

    def f(x):
        return np.column_stack([np.sin(5 * x[:, 0]) + x[:, 1] * x[:, 2], np.round(3 * x[:, 1])])

    x = Sensitivity(approach="dgsm", samples=40, step=1e-2).design(3, rng)
    stars = f(x).reshape(40, 4, 2)
    ours = elementary.dgsm(elementary.slopes(x.reshape(40, 4, 3), stars) ** 2, stars[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(2):
            assert ours[:, i] == pytest.approx(dgsm.analyze(PROBLEM, x, f(x)[:, i], num_resamples=2)["dgsm"], rel=1e-10, abs=1e-10)
        for n in (200, 201):
            x = Sensitivity(approach="fast", samples=n).design(3, rng)
            ours = frequency.fast(f(x), 3, 4)
            theirs = [fast.analyze(PROBLEM, column, num_resamples=2) for column in f(x).T]
            assert ours["first"].T == pytest.approx(np.array([found["S1"] for found in theirs]), rel=1e-10, abs=1e-10)
            assert ours["total"].T == pytest.approx(np.array([found["ST"] for found in theirs]), rel=1e-10, abs=1e-10)
            x = rng.random((n, 3))
            theirs = [rbd_fast.analyze(PROBLEM, x, column, num_resamples=2, seed=1)["S1"] for column in f(x).T]
            assert frequency.rbd_fast(x, f(x), 10).T == pytest.approx(np.array(theirs), rel=1e-10, abs=1e-10)
        theirs = [pawn.analyze(PROBLEM, x, column, S=8)["median"] for column in f(x).T]
        assert distances.pawn(x, f(x), 8).T == pytest.approx(np.array(theirs), rel=1e-10, abs=1e-10)
        x, edges, grid = rng.random((2000, 3)), np.linspace(0, 2000, 8), np.linspace(-4.5, 4.5, 181)
        scores = distances.Ranked.of(f(x)[:, 0])
        theirs = [delta.calc_delta(scores.score, grid, column, edges) for column in x.T]  # takes the density everywhere from runs
        assert distances.shift_of_distribution(x, scores, np.floor(edges).astype(int)) == pytest.approx(theirs, abs=0.01)


# histories --------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("approach", ["sobol", "morris", "fast", "rbd_fast", "dgsm", "pawn"])
def test_history_is_column_by_column(approach):
    """A history has at each time what the scalar has; what does not vary has no sensitivity, and no NaN."""
    result, _ = drive(Sensitivity(approach=approach, samples=128), ANGLES, waves, time=np.arange(4.0))
    for kind in result.sensitivity["kind"].values:
        if not kind.endswith(("lower", "upper")):  # limits of histories come from groups of blocks or fewer resamples
            assert pick(result, kind, "h")[:, 0] == pytest.approx(pick(result, kind), rel=1e-10, abs=1e-12)
    values = result.sensitivity["h"].values
    assert np.isfinite(values).all() and not values[..., 3].any()
    if approach == "sobol":
        assert pick(result, "first", "h")[:, 1] == pytest.approx([1, 0, 0], abs=0.05)  # 1e6 + x1


def two_lines(time, x1, x2, x3):
    return {"h": np.stack([3 * x1, x2], axis=1)}


def test_aggregated():
    """Weighted with the variance: what a large and a small part contribute."""
    for approach in ("sobol", "rbd_fast", "dgsm"):
        result, _ = drive(Sensitivity(approach=approach, samples=1024), ANGLES, two_lines, time=[0, 1])
        kind = "dgsm" if approach == "dgsm" else "first"
        scale = 12 / PI**2 if approach == "dgsm" else 1
        assert pick(result, kind, "h", "aggregated") == pytest.approx(np.array([0.9, 0.1, 0]) * scale, abs=0.02)
    low, high = (
        pick(drive(sobol(1024), ANGLES, two_lines, time=[0, 1])[0], f"first_{end}", "h", "aggregated") for end in ("lower", "upper")
    )
    assert (low <= [0.9, 0.1, 0]).all() and (high >= [0.9, 0.1, 0]).all() and (high - low).max() < 0.3


# failed runs ------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("approach", ["sobol", "morris", "fast", "rbd_fast", "delta", "dgsm", "pawn"])
def test_failed_runs(approach):
    """1 %: close to the clean result. 20 %: stops and says where."""
    more = {"resamples": 5} if approach in ("delta", "pawn", "rbd_fast") else {}
    given = Sensitivity(approach=approach, samples=400, **more)
    clean, _ = drive(given, ANGLES, waves, time=np.arange(4.0), batch=10**6)
    rng = np.random.default_rng(1)
    few, _ = drive(given, ANGLES, waves, time=np.arange(4.0), batch=10**6, fail=lambda x: rng.random(len(x["x1"])) < 0.01)
    what = {"sobol": "blocks hold a failed run", "fast": "failed runs are replaced"}
    what |= dict.fromkeys(("morris", "dgsm"), f"{few.attrs.get('stars_dropped')} of 400 stars hold a failed run")
    runs = f"{few.attrs['runs_failed']} of {few.attrs['runs']} runs failed and are left out"
    assert 0 < few.attrs["runs_failed"] and what.get(approach, runs) in few.facts.note
    scale = np.abs(clean.sensitivity["f"].values).max()
    for kind in clean.sensitivity["kind"].values:
        if not kind.endswith(("lower", "upper")):
            assert pick(few, kind) == pytest.approx(pick(clean, kind), abs=0.1 * scale)
    with pytest.raises(StudyError, match=r"most of them where .*x2 > ") as error:
        drive(given, ANGLES, waves, time=np.arange(4.0), fail=lambda x: x["x2"] > 0.6 * PI)
    assert error.value.key == "method.max_failed"


# symmetries -------------------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("approach", ["sobol", "dgsm", "width", "derivative"])
def test_scaling_an_output(approach):
    more = {} if approach in ("width", "derivative") else {"samples": 64}
    given = Sensitivity(approach=approach, **more)
    once, _ = drive(given, ANGLES, lambda time, **x: {"f": ishigami(0, **x)["f"] + x["x1"] + 9})
    thousand, _ = drive(given, ANGLES, lambda time, **x: {"f": -1000 * (ishigami(0, **x)["f"] + x["x1"] + 9)})
    sign = -1 if approach == "derivative" else 1
    assert sign * thousand.sensitivity["f"].values == pytest.approx(once.sensitivity["f"].values, rel=1e-6, abs=1e-9)


def product(time, x1, x2, x3):
    return {"f": np.exp(0.3 * x1) * (2 + 0.2 * x2) + 0.3 * x3}


@pytest.mark.parametrize("approach", ["sobol", "morris", "width", "derivative"])
def test_permuting_inputs(approach):
    """Another order of the inputs gives the same indices in that order, within the noise of another design."""
    more = {"sobol": {"samples": 2048}, "morris": {"samples": 4000}}.get(approach, {})
    given = Sensitivity(approach=approach, **more)
    one, _ = drive(given, ANGLES, product)
    other, _ = drive(given, dict(reversed(ANGLES.items())), product)
    kind = {"sobol": "total", "morris": "mu_star", "width": "width_reduction", "derivative": "derivative"}[approach]
    error = 0.02 if approach in ("sobol", "morris") else 1e-4
    found, swapped = pick(one, kind), pick(other, kind)[::-1]
    assert swapped == pytest.approx(found, abs=error * np.abs(found).max())


def plane(time, a, b):
    return {"f": 2 * a + 2 * b}


def test_unbounded_inputs():
    """Designs with levels at 0 and 1 do not ask a distribution for its ends; indices of a line of normal inputs."""
    inputs = {"a": Random({"type": "normal", "mean": 0, "std": 1}), "b": Random({"type": "lognormal", "mean": 2, "std": 0.5})}
    for approach in ("morris", "fast", "sobol", "dgsm"):
        result, _ = drive(Sensitivity(approach=approach, samples=512), inputs, plane)
        assert np.isfinite(result.sensitivity["f"].values).all()
        if approach in ("sobol", "fast"):
            assert pick(result, "first") == pytest.approx([0.8, 0.2], abs=0.05)


# mistakes ---------------------------------------------------------------------------------------------------------------------------------
MISTAKES = [
    ({}, "approach", "the key 'approach' is missing"),
    ({"approach": "sobel", "samples": 9}, "approach", "input should be 'sobol'"),
    ({"approach": "sobol"}, "samples", "needs samples"),
    ({"approach": "sobol", "samples": 3}, "samples", "greater than or equal to 4"),
    ({"approach": "sobol", "samples": 64, "levels": 4}, "levels", "the approach sobol has no key 'levels'; morris has it"),
    ({"approach": "morris", "samples": 64, "second_order": True}, "second_order", "sobol has it"),
    ({"approach": "derivative", "samples": 64}, "samples", "no key 'samples'"),
    ({"approach": "morris", "samples": 8, "levels": 1}, "levels", "greater than or equal to 2"),
    ({"approach": "fast", "samples": 64}, "samples", "more than 64 samples"),
    ({"approach": "rbd_fast", "samples": 20}, "samples", "need 80 samples"),
    ({"approach": "hdmr", "samples": 200}, "samples", "300 samples"),
    ({"approach": "hdmr", "samples": 300, "degree": 11}, "degree", "up to 10"),
    ({"approach": "hdmr", "samples": 300, "resamples": 200}, "resamples", "up to 100"),
    ({"approach": "pawn", "samples": 40}, "samples", "10 slices need 50"),
    ({"approach": "delta", "samples": 20}, "samples", "50 samples"),
    ({"approach": "dgsm", "samples": 20, "step": 0.3}, "step", "less than or equal"),
    ({"approach": "sobol", "samples": 64, "confidence": 1.0}, "confidence", "less than 1"),
    ({"approach": "sobol", "samples": 64, "resamples": 1}, "resamples", "greater than or equal to 2"),
    ({"approach": "sobol", "samples": 64, "order": 2}, "order", "there is no key 'order'"),
]


@pytest.mark.parametrize(("table", "key", "words"), MISTAKES)
def test_mistakes(table, key, words):
    with pytest.raises(StudyError) as error:
        read_method({"type": "sensitivity", **table})
    assert error.value.key == key
    assert words in error.value.message


def test_mistakes_about_inputs_and_outputs():
    normal = {"a": Random({"type": "normal", "mean": 0, "std": 1})}
    for table, inputs, key, words in (
        ({"approach": "width"}, normal, "inputs.a", "no width"),
        ({"approach": "width", "degree": 9}, UNIT, "method.degree", "100000000 runs"),
        ({"approach": "hdmr", "samples": 300}, normal, "method.approach", "two inputs"),
    ):
        with pytest.raises(StudyError, match=words) as error:
            Sensitivity(**table).check(inputs)
        assert error.value.key == key and error.value.remedy
    with pytest.raises(StudyError, match="treats scalars only") as error:
        Sensitivity(approach="delta", samples=50).start(ANGLES, {"h": OutputInfo("m")}, np.arange(3.0), 1)
    assert "name" not in error.value.remedy and "pawn" in error.value.remedy
