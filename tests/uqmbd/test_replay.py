"""What reached a bound is run again, and shown: command, table, figure, first sentences."""

import numpy as np
import pandas as pd
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures.build import sections
from uqmbd.report.lead import lead_of
from uqmbd.report.tables import outputs_table, worst_table
from uqmbd.study.replay import replay


def bend(a, b, time):
    u = a * np.sin(3 * time) + (b - 0.02) ** 2 * time
    return {"u": u, "peak": u.max()}


@pytest.fixture(scope="module")
def study():
    inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(0.0, 50.0, unit="mm")}
    time = uq.TimeGrid(end=1.0, points=11)
    method = uq.Search(max_runs=600, fresh=100)
    return uq.Study(model=bend, inputs=inputs, outputs=["u", "peak"], method=method, time=time, name="bend")


@pytest.fixture(scope="module")
def result(study, tmp_path_factory):
    return study.run(workers=0, out=tmp_path_factory.mktemp("bend") / "results", progress=False)


BOUNDS = ("peak", "upper", None), ("peak", "lower", None), ("u", "upper", None), ("u", "lower", 0.72)


@pytest.mark.parametrize("name, bound, time", BOUNDS)
def test_the_run_that_reached_a_bound_reaches_it_again(study, result, tmp_path, name, bound, time):
    found = replay(study, result, tmp_path, name, bound, time)
    assert found.again == found.reached
    inner = result.inner[name].sel(bound=bound)
    if "time" in inner.dims:
        inner = inner.max() if time is None else inner.sel(time=time, method="nearest")
    assert found.reached == float(inner)
    written = pd.read_csv(found.file, index_col=0)
    np.testing.assert_allclose(written["u worst"], bend(**found.inputs, time=written.index.values)["u"], rtol=1e-12)
    np.testing.assert_allclose(written["u middle"], bend(1.5, 0.025, written.index.values)["u"], rtol=1e-12)


def test_the_corner_is_known(result):
    assert result.worst["peak"].sel(bound="upper").values.tolist() == [2.0, 0.05]


def test_wrong_questions(study, result, tmp_path):
    for arguments, words in (
        (("peek",), 'did you mean "peak"'), (("peak", "top"), "upper or lower"), (("peak", "upper", 0.1), "has no time"),
    ):  # fmt: skip
        with pytest.raises(StudyError) as caught:
            replay(study, result, tmp_path, *arguments)
        assert words in str(caught.value)
    with pytest.raises(StudyError, match="does not say which run reached a bound"):
        replay(study, uq.Result(attrs={"method": "vertex"}), tmp_path, "peak")


def test_the_report_says_where_bounds_were_reached(result):
    table = worst_table(result)
    assert table.header == ("output", "reached", "a", "b [mm]") and table.rows[1][2:] == ("2", "50")
    assert "gap" in outputs_table(result).header
    text = " ".join(lead_of(result, sections(result)).sentences)
    assert "has a = 2, b = 50 mm" in text and "of 50 fresh runs left the bounds" in text
    (figure,) = sections(result)["Where bounds were reached"]
    assert [panel.y_label for panel in figure.panels] == ["a", "b [mm]"]
