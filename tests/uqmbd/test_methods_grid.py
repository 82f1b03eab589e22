"""Parameter studies: all combinations, and samples from a list or a file."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval, Random
from uqmbd.methods import Grid, List, read_method

from .loop import drive

INPUTS = {"k": Interval(9, 11, unit="N/mm"), "c": Random({"type": "uniform", "lower": 0.0, "upper": 1.0})}


def line(time, k, c):
    return {"f": k / 1000 + 10 * c, "h": np.stack([k, -k], axis=1)}


def test_grid():
    """Ends of the interval, middles of the distribution's classes, the last input fastest; least, greatest and mean value."""
    asked = Grid(points={"k": 3, "c": 2})._start({n: x.to_si() for n, x in INPUTS.items()}, {}, np.zeros(0), 1).ask()
    assert asked["k"] == pytest.approx([9000, 9000, 10000, 10000, 11000, 11000], rel=1e-15)
    assert asked["c"] == pytest.approx([0.25, 0.75] * 3, rel=1e-12)
    result, runs = drive(Grid(points=3), INPUTS, line, time=[0, 1], batch=4)
    assert runs == 9 == Grid(points=3).planned_runs(INPUTS)[0]
    assert result.inner["f"].values == pytest.approx([9 + 10 / 6, 11 + 50 / 6])
    assert result.statistics["h"].sel(statistic="mean").values == pytest.approx([10000, -10000])
    assert "no probabilities" in result.facts.note


def test_grid_of_values():
    """Values are in the unit of the input; the rest has points."""
    result, runs = drive(Grid(values={"k": [9.5, 10.0, 11.0]}, points=4), INPUTS, line, time=[0, 1])
    assert runs == 12
    assert result.inner["h"].values[:, 0] == pytest.approx([9500, 11000])


def test_list(tmp_path):
    """A file and a table in the study give the same; columns in any order, others unread."""
    (tmp_path / "samples.csv").write_text("c,comment,k\n0.1,7,9\n0.9,8,11\n0.5,9,10.5\n")
    by_file = List(data=str(tmp_path / "samples.csv"))
    by_table = List(samples={"k": [9, 11, 10.5], "c": [0.1, 0.9, 0.5]})
    results = [drive(method, INPUTS, line, time=[0, 1], batch=2)[0] for method in (by_file, by_table)]
    for result in results:
        assert result.inner["f"].values == pytest.approx([10, 20])
        assert result.attrs["runs"] == 3
    asked = by_file.start(INPUTS, {}, np.zeros(0), 1).ask()
    assert asked["k"] == pytest.approx([9000, 11000, 10500]) and list(asked) == ["k", "c"]


def test_changed_file(tmp_path):
    """Settings change with the file; a resolved study refuses another file than its own."""
    file = tmp_path / "samples.csv"
    file.write_text("k,c\n9,0.1\n")
    first = List(data=str(file))
    file.write_text("k,c\n9,0.2\n")
    assert List(data=str(file)).content != first.content
    with pytest.raises(StudyError, match="has changed since") as error:
        List(**first.model_dump(exclude_none=True))
    assert error.value.key == "data"


@pytest.mark.parametrize("method", [Grid(points=10), List(samples={"k": np.linspace(9, 11, 100).tolist(), "c": [0.5] * 100})])
def test_failed_runs(method):
    one, _ = drive(method, INPUTS, line, time=[0, 1], fail=lambda x: np.arange(len(x["k"])) == 0)
    assert "1 of 100 runs failed and are left out" in one.facts.note
    assert np.isfinite(one.inner["f"].values).all()
    with pytest.raises(StudyError, match="most of them where k > 1"):
        drive(method, INPUTS, line, time=[0, 1], fail=lambda x: x["k"] > 10600)


MISTAKES = [
    (Grid, {}, None, "needs points"),
    (Grid, {"points": 1}, "points", "from 2 to 1000"),
    (Grid, {"points": {"q": 3}}, "method.points.q", "no input 'q'"),
    (Grid, {"points": {"k": 3}}, "method.points", "'c' has neither"),
    (Grid, {"points": 3, "values": {"k": []}}, "values.k", "no values"),
    (Grid, {"points": 3, "values": {"k": [9, 9]}}, "values.k", "twice"),
    (Grid, {"points": 3, "values": {"k": [9, 12]}}, "method.values.k", "number 2 of 'k' is outside its interval [9, 11] N/mm"),
    (Grid, {"points": {"k": 3, "c": 2}, "values": {"k": [9]}}, "method.points.k", "points and values"),
    (Grid, {"points": 400}, "method.max_runs", "400 x 400 values are 160000"),
    (List, {}, None, "needs data"),
    (List, {"data": "no_such.csv"}, "data", "cannot be read"),
    (List, {"samples": {"k": [9, 10], "c": [0.5]}}, "samples", "k has 2, c has 1"),
    (List, {"samples": {"k": [9.5]}}, "method.samples", "no samples of the input 'c'"),
    (List, {"samples": {"k": [9], "c": [0], "q": [1]}}, "method.samples.q", "no input 'q'"),
    (List, {"samples": {"k": [8], "c": [0]}}, "method.samples.k", "outside its interval"),
    (List, {"samples": {"k": [float("nan")], "c": [0]}}, "samples.k.0", "finite"),
]


@pytest.mark.parametrize(("kind", "table", "key", "words"), MISTAKES)
def test_mistakes(kind, table, key, words):
    with pytest.raises(StudyError) as error:
        read_method({"type": kind.name, **table}).check(INPUTS)
    assert words in error.value.message
    assert error.value.key == key


@pytest.mark.parametrize(
    ("text", "words"), [("k\n9\n", "no column 'c'"), ("k,c\n", "holds 0 rows"), ("k,c\n9,\n", "line 2"), ("k,c\n9,x\n", "'x'")]
)
def test_bad_files(tmp_path, text, words):
    (tmp_path / "samples.csv").write_text(text)
    with pytest.raises(StudyError, match=words) as error:
        List(data=str(tmp_path / "samples.csv")).check(INPUTS)
    assert error.value.key == "method.data"
