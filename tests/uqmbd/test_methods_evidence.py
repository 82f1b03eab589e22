"""Belief and plausibility against structures worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.sets import evidence as analysis
from uqmbd.errors import StudyError
from uqmbd.inputs import Focal, Interval, Random, read_input
from uqmbd.methods import read_method
from uqmbd.methods.imprecise.evidence import Evidence

from .loop import drive

A = Focal({"intervals": [[1, 2], [2, 4], [1.5, 2.5]], "masses": [0.5, 0.3, 0.2]})
B = Focal({"intervals": [[0, 1], [0.5, 3]], "masses": [0.6, 0.4]})
HAND = {"a": A, "b": B}


def total(time, a, b):
    """A sum, and a history that is linear in both."""
    return {"y": a + b, "h": a[:, None] * np.array([1.0, 0.0, -1.0]) + b[:, None]}


def at(table, value):
    """Belief and plausibility at the level next to `value`."""
    rows = np.flatnonzero(table.sel(column="value").values <= value + 1e-9)
    return table.values[rows[-1], 1:] if rows.size else np.zeros(2)


def test_hand_example():
    """Ranges of a + b: [1,3] .3, [1.5,5] .2, [2,5] .18, [2.5,7] .12, [1.5,3.5] .12, [2,5.5] .08."""
    result, count = drive(Evidence(degree=1), HAND, total, time=[0, 1, 2])
    table = result.cdf["y"]
    assert count == 4 + 10 and result.attrs["focal_boxes"] == 6 and table.dims == ("level", "column") and len(table) == 201
    known = {
        1.0: (0, 0.3),
        1.5: (0, 0.62),
        2.0: (0, 0.88),
        2.5: (0, 1),
        3.0: (0.3, 1),
        3.5: (0.42, 1),
        5: (0.8, 1),
        5.5: (0.88, 1),
        7: (1, 1),
    }
    for value, both in known.items():
        assert at(table, value) == pytest.approx(both, abs=1e-12), value
        assert at(table, value - 1e-3)[0] <= both[0]
    statistics = result.statistics["y"]
    lower = 0.3 * 1 + 0.2 * 1.5 + 0.18 * 2 + 0.12 * 2.5 + 0.12 * 1.5 + 0.08 * 2
    upper = 0.3 * 3 + 0.2 * 5 + 0.18 * 5 + 0.12 * 7 + 0.12 * 3.5 + 0.08 * 5.5
    assert statistics.sel(statistic="mean").values == pytest.approx([lower, upper], abs=1e-12)
    assert statistics.sel(statistic="q05").values == pytest.approx([1, 3], abs=1e-12)
    assert statistics.sel(statistic="q50").values == pytest.approx([1.5, 5], abs=1e-12)
    assert statistics.sel(statistic="q95").values == pytest.approx([2.5, 7], abs=1e-12)
    assert result.bounds["y"].values == pytest.approx([1, 7], abs=1e-5)


def test_histories_have_bounds_of_statistics():
    result, _ = drive(Evidence(degree=1), HAND, total, time=[0, 1, 2])
    mean = result.statistics["h"].sel(statistic="mean")
    assert mean.dims == ("bound", "time") and "h" not in result.cdf
    assert mean.values[:, 0] == pytest.approx(result.statistics["y"].sel(statistic="mean").values, abs=1e-12)
    assert mean.values[:, 1] == pytest.approx([0.4 * 0.5, 0.6 * 1 + 0.4 * 3], abs=1e-12)


def test_an_interval_is_one_focal_element():
    one, _ = drive(Evidence(degree=2), {"a": A, "b": Interval(0, 3)}, total, time=[0, 1, 2])
    other, _ = drive(Evidence(degree=2), {"a": A, "b": Focal({"intervals": [[0, 3]], "masses": [1.0]})}, total, time=[0, 1, 2])
    assert one.cdf.identical(other.cdf)
    assert at(one.cdf["y"], 5.0) == pytest.approx([0.5, 1]) and at(one.cdf["y"], 5.5) == pytest.approx([0.7, 1])


def test_values_are_a_distribution():
    """Elements of no width: belief and plausibility are the same distribution function."""
    dice = Focal({"intervals": [[k, k] for k in range(1, 7)], "masses": [1 / 6] * 6})
    result, _ = drive(Evidence(degree=1), {"a": dice, "b": dice}, total, time=[0, 1, 2])
    table = result.cdf["y"]
    assert at(table, 7.0) == pytest.approx([21 / 36, 21 / 36]) and at(table, 2.0) == pytest.approx([1 / 36, 1 / 36])
    assert result.statistics["y"].sel(statistic="mean").values == pytest.approx([7, 7])


def test_a_function_with_inner_extremes():
    """``(a - b)²`` is [0, .] on boxes that hold the diagonal: a [0, 1] .5, [2, 3] .5; b [0, 1] .5, [1, 2.5] .5."""
    inputs = {
        "a": Focal({"intervals": [[0, 1], [2, 3]], "masses": [0.5, 0.5]}),
        "b": Focal({"intervals": [[0, 1], [1, 2.5]], "masses": [0.5, 0.5]}),
    }
    result, _ = drive(Evidence(degree=2, gap=1e-9), inputs, lambda time, a, b: {"y": (a - b) ** 2})
    # ranges [0, 1], [0, 6.25], [1, 9], [0, 4]
    table = result.cdf["y"]
    for value, both in {0.5: (0, 0.75), 1.001: (0.25, 1), 4.001: (0.5, 1), 6.251: (0.75, 1), 9.1: (1, 1)}.items():
        assert at(table, value) == pytest.approx(both, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0.01, 2), st.floats(0.1, 1)), min_size=1, max_size=4), st.floats(0.1, 0.9))
def test_wider_elements_make_wider_bounds(elements, wider):
    total_mass = sum(mass for _, _, mass in elements)
    masses = [mass / total_mass for _, _, mass in elements]

    def structure(extra):
        return Focal({"intervals": [[low - extra, low + width + extra] for low, width, _ in elements], "masses": masses})

    narrow, wide = (
        drive(Evidence(degree=3), {"a": structure(extra), "b": Interval(0, 1)}, lambda time, a, b: {"y": np.sin(a) + a * b})[0]
        for extra in (0.0, wider)
    )
    inner, outer = narrow.statistics["y"].values, wide.statistics["y"].values
    slack = 1e-4 + 4 * float(wide.error["y"]) + 4 * float(narrow.error["y"])
    if narrow.trusted["y"] and wide.trusted["y"]:
        assert np.all(outer[:, 0] <= inner[:, 0] + slack) and np.all(outer[:, 1] >= inner[:, 1] - slack)
    assert np.all(np.diff(narrow.cdf["y"].values, axis=0) >= -1e-12)
    assert np.all(narrow.cdf["y"].sel(column="lower") <= narrow.cdf["y"].sel(column="upper"))


def test_ranges_on_boxes_are_those_of_restricted_functions():
    """``x y + z`` on random boxes, points among them, against the values at their corners."""
    c = np.zeros((2, 2, 2, 1))
    c[1, 1, 0], c[0, 0, 1] = 1, 1
    ends = np.sort(np.random.default_rng(0).uniform(-1, 1, (40, 3, 2)), axis=2)
    ends[::7, 1] = ends[::7, 1, :1]
    ends[3:6, 0] = -1, 1
    found = analysis.ranges(c, ends, np.full(1, 1e-9))[..., 0]
    corners = np.array([[[x * y + z for x in box[0] for y in box[1] for z in box[2]]] for box in ends])[:, 0]
    assert found == pytest.approx(np.stack([corners.min(axis=1), corners.max(axis=1)]), abs=1e-9)


@pytest.mark.parametrize(("degrees", "columns"), [((5, 3), 11), ((4,), 3), ((2, 4, 3), 8), ((18, 2), 2)])
def test_ranges_on_boxes_enclose(degrees, columns):
    """Against the values on a grid in each box."""
    rng = np.random.default_rng(len(degrees))
    decay = 2.0 ** -np.indices([n + 1 for n in degrees]).sum(axis=0)
    c = rng.standard_normal((*decay.shape, columns)) * decay[..., None]
    elements = [(np.array([[-1, -0.3], [-1, 1], [0.2, 0.2], [0.1, 0.9]]), np.full(4, 0.25))] * len(degrees)
    ends, _ = analysis.boxes(elements)
    low, high = analysis.ranges(c, ends, np.full(columns, 1e-6))
    for box, lower, upper in zip(ends, low, high, strict=True):
        values = chebyshev.evaluate_grid(c, [np.linspace(*side, 11) for side in box]).reshape(-1, columns)
        assert np.all(lower <= values.min(axis=0) + 1e-12) and np.all(upper >= values.max(axis=0) - 1e-12)


def test_ranges_on_boxes_meet_the_gap():
    """Searched one by one, each box as an expansion of its own, to a gap that is a thousand times smaller."""
    rng = np.random.default_rng(5)
    c = rng.standard_normal((5, 4, 3, 9)) * 3.0 ** -np.indices((5, 4, 3)).sum(axis=0)[..., None]
    ends = np.sort(rng.uniform(-1, 1, (20, 3, 2)), axis=2)
    gap = np.geomspace(1e-2, 1e-8, 9)
    low, high = analysis.ranges(c, ends, gap)
    for box, lower, upper in zip(ends, low, high, strict=True):
        least, most = TensorExpansion(c).restricted(box).range("bernstein", gap / 1000)[0]
        assert np.all(lower <= least + 1e-3 * gap + 1e-12) and np.all(lower >= least - 1.001 * gap - 1e-12)
        assert np.all(upper >= most - 1e-3 * gap - 1e-12) and np.all(upper <= most + 1.001 * gap + 1e-12)


def test_untrusted_outputs_have_no_less_than_runs_and_expansion_say():
    """[2, 4] has only ones, the other two have both; the expansion knows that no better than its error."""
    result, _ = drive(Evidence(degree=2), HAND, lambda time, a, b: {"y": np.where(a > 1.9, 1.0, 0.0)})
    assert not result.trusted["y"]
    belief, plausibility = at(result.cdf["y"], 0.5)
    assert belief == 0 and 0.7 <= plausibility <= 1
    assert result.facts.note.startswith("where the expansion is not trusted (y), a focal box has its range widened by its error")


def exact_of(function, a, b, points=121):
    """Ends of the ranges on all products of focal elements, by a grid, and masses."""
    ends, masses = [], []
    for (low_a, high_a), mass_a in zip(*a.elements, strict=True):
        for (low_b, high_b), mass_b in zip(*b.elements, strict=True):
            values = function(*np.meshgrid(np.linspace(low_a, high_a, points), np.linspace(low_b, high_b, points)))
            ends.append((values.min(), values.max()))
            masses.append(mass_a * mass_b)
    return *np.array(ends).T, np.array(masses)


def hold(result, low, high, masses):
    """Whether belief is never too high, plausibility never too low, and the mean between its bounds."""
    value, belief, plausibility = result.cdf["y"].values.T
    tiny = 1e-9 * (high.max() - low.min())
    mean = result.statistics["y"].sel(statistic="mean").values
    right = np.all(belief <= (high <= value[:, None] + tiny) @ masses + 1e-9)
    right &= np.all(plausibility >= (low <= value[:, None] - tiny) @ masses - 1e-9)
    return right and mean[0] <= masses @ low + 1e-9 and mean[1] >= masses @ high - 1e-9


def narrow_and_wide(at):
    return Focal({"intervals": [[0, 1], [at, at + 0.03]], "masses": [0.5, 0.5]})


def test_a_box_with_few_runs_does_not_have_their_width():
    """A chequered response; the smallest boxes hold a run or none. Its mean lies in [-1.67, 1.67]."""

    def chequered(x, z):
        return np.sign(np.sin(40 * x) * np.sin(40 * z)) * (1 + x)

    x, z = narrow_and_wide(0.31), narrow_and_wide(0.21)
    exact = exact_of(chequered, x, z, points=601)
    for seed in range(20):
        result, _ = drive(Evidence(degree=8), {"x": x, "z": z}, lambda time, x, z: {"y": chequered(x, z)}, seed=seed)
        assert not result.trusted["y"] and "boxes hold fewer than 20 runs" in result.facts.note
        assert hold(result, *exact)
        assert np.ptp(result.statistics["y"].sel(statistic="mean").values) < 1.5 * 3.34


ROUGH = {
    "jump": lambda rng: (lambda w, c: lambda x, z: np.sign(w[0] * x + w[1] * z - c) * (1 + x))(rng.normal(size=2), 0.3 * rng.normal()),
    "chequers": lambda rng: (lambda k, m: lambda x, z: np.sign(np.sin(k * x) * np.sin(m * z)) * (1 + x))(*rng.uniform(5, 40, 2)),
    "wave": lambda rng: (lambda k, m: lambda x, z: np.sin(k * x + m * z) + z)(*rng.uniform(5, 60, 2)),
    "kink": lambda rng: (lambda a, b: lambda x, z: np.abs(x - a) + np.abs(z - b) * x)(*rng.random(2)),
    "hill": lambda rng: (lambda a, b, s: lambda x, z: np.exp(-((x - a) ** 2 + (z - b) ** 2) / s**2) + x / 5)(*rng.random(2), 0.3),
    "contact": lambda rng: (lambda a, b: lambda x, z: np.sqrt(np.maximum(x - a, 0)) * (1 + b * z))(rng.random(), rng.normal()),
}  # fmt: skip


@pytest.mark.slow
def test_belief_and_plausibility_hold_for_rough_responses():
    """200 random functions and structures, trusted or not: hold in at least 95 %."""
    held = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        function = list(ROUGH.values())[seed % len(ROUGH)](rng)
        inputs = {}
        for name in "xz":
            widths = rng.choice([0.03, 0.1, 0.3, 0.8], rng.integers(1, 4))
            starts = rng.uniform(0, 1 - widths)
            masses = rng.dirichlet(np.ones(len(widths)))
            inputs[name] = Focal({"intervals": np.column_stack([starts, starts + widths]).tolist(), "masses": masses.tolist()})
        model = lambda time, x, z, function=function: {"y": function(x, z)}  # noqa: E731
        result, _ = drive(Evidence(degree=int(rng.integers(3, 9))), inputs, model, seed=seed)
        held += hold(result, *exact_of(function, *inputs.values()))
    assert held >= 190


def test_units_and_notation():
    item = read_input({"focal": {"intervals": [[1, 2], [2, 2]], "masses": [0.25, 0.75]}, "unit": "mm"})
    assert item.describe() == "m: [1, 2] 0.25, [2, 2] 0.75 mm"
    assert item.to_si().elements[0] == pytest.approx(np.array([[1e-3, 2e-3], [2e-3, 2e-3]]))
    assert item.to_si().describe() == item.describe()
    assert item.ppf(np.array([0.0, 0.5, 1.0])).tolist() == [1, 1.5, 2]


def test_many_boxes_and_columns_are_taken_in_parts(monkeypatch):
    from uqmbd.regions import focal

    one, _ = drive(Evidence(degree=2), HAND, total, time=[0, 1, 2])
    monkeypatch.setattr(focal, "MEMORY", 12)
    other, _ = drive(Evidence(degree=2), HAND, total, time=[0, 1, 2])
    for (_, a), (_, b) in zip(one.groups(), other.groups()):
        for name in a:
            assert a[name].values == pytest.approx(b[name].values, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("how", [{"grid": "sparse", "trust_tolerance": 1e-6}, {"split": True, "degree": 3, "tolerance": 1e-5}])
def test_any_grid_says_the_same(how):
    """The hand example on other surrogates: belief and plausibility of a + b."""
    one, _ = drive(Evidence(degree=2), HAND, total, time=[0, 1, 2])
    other, _ = drive(Evidence(**how), HAND, total, time=[0, 1, 2])
    for name in ("y", "h"):
        assert other.statistics[name].values == pytest.approx(one.statistics[name].values, abs=2e-5)


def test_split_grid_follows_a_kink_in_every_focal_box():
    """|a - 2.2| is 0 to 1.2 on [1, 2] ..., exactly by hand; a single expansion of degree 8 is not trusted."""
    inputs, kink = {"a": A, "b": Interval(0, 1)}, lambda time, a, b: {"y": np.abs(a - 2.2) + 0 * b}
    result, _ = drive(Evidence(split=True, tolerance=1e-3, max_runs=2000), inputs, kink)
    # ranges on [1, 2], [2, 4], [1.5, 2.5]: [0.2, 1.2], [0, 1.8], [0, 0.7]
    lower, upper = 0.5 * 0.2, 0.5 * 1.2 + 0.3 * 1.8 + 0.2 * 0.7
    found = result.statistics["y"].sel(statistic="mean").values
    assert result.trusted["y"] and found == pytest.approx([lower, upper], abs=0.01)


def exponential(time, a, b):
    return {"y": np.exp(0.2 * a) * b}


def test_failures():
    whole, _ = drive(Evidence(degree=6), HAND, exponential)
    for fail in (lambda s: (s["a"] > 3.99) & (s["b"] > 2.99), lambda s: np.isclose(s["a"], 2.5) & (s["b"] > 1.4) & (s["b"] < 1.6)):
        result, _ = drive(Evidence(degree=6), HAND, exponential, fail=fail)
        assert 1 <= result.attrs["runs_failed"] <= 3 and "least-squares" in (result.facts.note or "least-squares")
        assert result.statistics["y"].values == pytest.approx(whole.statistics["y"].values, abs=2e-3)
    with pytest.raises(StudyError, match=r"runs failed, most of them where a > 3"):
        drive(Evidence(degree=6), HAND, exponential, fail=lambda s: s["a"] > 3.2)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Focal([[1, 2]]), "a table with intervals and masses"),
        (lambda: Focal({"intervals": [[1, 2]], "mass": [1]}), "no 'mass'"),
        (lambda: Focal({"intervals": [[1, 2]]}), "a list of masses"),
        (lambda: Focal({"intervals": [], "masses": []}), "a list of intervals"),
        (lambda: Focal({"intervals": [[1, 2]], "masses": [0.4]}), "add up to 0.4, not 1"),
        (lambda: Focal({"intervals": [[1, 2], [2, 3]], "masses": [1]}), "2 intervals have 1 masses"),
        (lambda: Focal({"intervals": [[1, 2], [2, 3]], "masses": [1.5, -0.5]}), "not positive"),
        (lambda: Focal({"intervals": [[2, 1]], "masses": [1]}), "lower 2 is above upper 1"),
        (lambda: Focal({"intervals": [[1, 2, 3]], "masses": [1]}), "a list of two numbers"),
        (lambda: Focal({"intervals": [[1, float("inf")]], "masses": [1]}), "finite number"),
        (lambda: Focal({"intervals": [[1, "2"]], "masses": [1]}), "a number is expected"),
        (lambda: Focal({"intervals": [[1, 1]], "masses": [1]}), "nothing else"),
        (lambda: read_input({"focal": 3}), "a table with intervals"),
        (lambda: Evidence(degree=2).check({"a": Interval(0, 1)}), "use the method chebyshev"),
        (lambda: Evidence(degree=2).check({"a": A, "b": Random({"type": "uniform", "lower": 0, "upper": 1})}), "of kind random"),
        (lambda: Evidence(degree=2, max_boxes=5).check(HAND), "6 boxes, more than max_boxes = 5"),
        (lambda: read_method({"type": "evidence", "max_box": 3}), 'did you mean "max_boxes"'),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(StudyError) as caught:
        make()
    assert words in str(caught.value)
