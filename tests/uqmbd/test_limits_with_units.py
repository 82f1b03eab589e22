"""Limits and measured numbers with a unit of their own, and limits that are far from all runs."""

import json
import tomllib

import numpy as np
import pytest
from scipy.stats import norm

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.inputs.quantity import Quantity, in_unit, level
from uqmbd.methods import read_method
from uqmbd.methods.reliability.far import far_away
from uqmbd.outcomes import OutputInfo
from uqmbd.report.summary import summary_of
from uqmbd.spec.tables import method_table
from uqmbd.spec.toml import write_toml

EXACT = norm.sf(0.7, scale=np.hypot(0.3, 0.1))  # of y beyond 2.7 mm
IN_MM = {"a": uq.Normal(2, 0.3, unit="mm"), "b": uq.Normal(0, 0.1, unit="mm")}
PLAIN = {"a": uq.Normal(2, 0.3), "b": uq.Normal(0, 0.1)}


def total(a, b):
    return {"y": a + b}


def found(folder, limit, unit="m", inputs=IN_MM, approach="form", **more):
    method = uq.Reliability(output="y", approach=approach, **({"above": limit} if "below" not in more else {}), **more)
    study = uq.Study(model=total, inputs=inputs, outputs=["y"], units={"y": unit} if unit else {}, method=method)
    return study.run(workers=0, out=folder / "out", progress=False, report=False)


@pytest.mark.parametrize(
    ("text", "value"), [("2.7 mm", 2.7e-3), ("-3e2 N/mm", -3e5), ("20 degC", 293.15), ("90deg", np.pi / 2), (".5 kN", 500)]
)
def test_quantities(text, value):
    assert float(level(text)) == pytest.approx(value, rel=1e-12)
    assert Quantity.read(text).written == text


@pytest.mark.parametrize("text", ["2.7", "mm", "", "1 2 mm", "nan mm", "2.7 nonsense", True, float("inf")])
def test_what_is_no_quantity(text):
    with pytest.raises((ValueError, StudyError)):
        level(text)


def test_differences_have_no_offset():
    assert in_unit(level("0.5 degC"), "K", of="T", key="k", difference=True) == pytest.approx(0.5)
    assert in_unit(level("20 degC"), "degC", of="T", key="k") == pytest.approx(20)


@pytest.mark.parametrize(
    ("limit", "unit", "inputs"),
    [
        ("2.7 mm", "m", IN_MM),
        (2.7e-3, "m", IN_MM),
        ("0.27 cm", "", IN_MM),
        ("2.7 mm", "mm", PLAIN),
        ("2700 um", "mm", PLAIN),
        (2.7, "mm", PLAIN),
    ],
)
def test_a_limit_is_in_the_unit_of_the_output(tmp_path, limit, unit, inputs):
    """Also where the study says that the model's numbers are in mm; the sentence and the file that `resume` reads say the same."""
    result = found(tmp_path, limit, unit, inputs)
    assert result.statistics["y"].sel(statistic="probability").item() == pytest.approx(EXACT, rel=1e-6)
    said = summary_of(result, {}).sentences[0]
    assert ("is above 2.7 mm is" if unit else "is above 0.0027 is") in said
    kept = tomllib.loads((tmp_path / "out" / "study.toml").read_text())["method"]["above"]
    assert kept == limit and json.dumps(result.attrs["settings"]["above"]) == json.dumps(limit)


def test_another_dimension_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"'y' is in m, which 2.7 kg is not") as error:
        found(tmp_path, "2.7 kg")
    assert error.value.key == "method.above" and error.value.remedy == "give it in m"


def test_limits_that_are_no_number():
    for wrong in ("2.7", "far", True):
        with pytest.raises(StudyError) as error:
            read_method({"type": "reliability", "approach": "form", "output": "y", "above": wrong})
        assert error.value.key == "above"


@pytest.mark.parametrize(
    "approach", ["montecarlo", pytest.param("subset", marks=pytest.mark.slow), pytest.param("ak_mcs", marks=pytest.mark.slow)]
)
def test_a_limit_far_from_all_runs_is_said(tmp_path, approach):
    """2.7 where 2.7 mm was meant."""
    result = found(tmp_path, 2.7, approach=approach)
    note = result.facts.notes[0]
    assert "is far from all" in note and "a factor of" in note and 'write "2.7 mm" if that is meant' in note
    assert result.attrs["warnings"] == [note]
    assert not any("far from all" in note for note in found(tmp_path / "other", 2.7e-3, approach=approach).facts.notes)


def test_a_limit_that_a_search_cannot_reach_is_said(tmp_path):
    with pytest.raises(StudyError) as error:
        found(tmp_path, 2.7)
    assert "2.7 mm would be among them" in error.value.remedy


def test_a_limit_far_from_intervals_is_said(tmp_path):
    inputs = {"a": uq.Interval(1, 2, unit="mm"), "b": uq.Interval(0, 1, unit="mm")}
    result = found(tmp_path, 2.7, inputs=inputs, approach="interval")
    assert "2.7 mm would be among them" in result.facts.notes[0]
    assert not any("far from" in note for note in found(tmp_path / "other", "2.7 mm", inputs=inputs, approach="interval").facts.notes)


@pytest.mark.parametrize(
    ("limit", "low", "high", "unit", "words"),
    [
        (300.0, 1.0, 6.0, "rad", "300 deg would be"),
        (3000.0, 250.0, 360.0, "rad/s", "3000 rpm would be"),
        (-5.0, 1.0, 1.1, "m", "see that it is in the unit of the output, m"),
        (2.0, 1.0, 1.0, "", "see that it is in the unit of the output"),
    ],
)
def test_words_of_far_limits(limit, low, high, unit, words):
    assert words in far_away(limit, low, high, 100, unit)
    assert not far_away(high + 4 * (high - low), low, high, 100, unit)


def test_measured_numbers_with_units():
    """Of a calibration; deviations too."""
    given = uq.Calibrate(scalars={"y": "3 mm"}, deviations={"y": "10 um"})
    assert write_toml({"method": method_table(given)}).count('"3 mm"') == 1
    run = given.start({"a": uq.Interval(1, 5, unit="mm")}, {"y": OutputInfo("m", None)}, np.zeros(0), 1)
    while (x := run.ask()) is not None:
        run.tell(x, {"y": x["a"]}, np.zeros(len(x["a"]), np.int8))
    attrs = run.result().attrs
    assert attrs["estimate"]["a"] == pytest.approx(3e-3) and attrs["estimate_std"]["a"] == pytest.approx(1e-5, rel=1e-6)
    with pytest.raises(StudyError, match=r"'y' is in m, which 1 kg is not"):
        uq.Calibrate(scalars={"y": "1 kg"}).start({"a": uq.Interval(1, 5)}, {"y": OutputInfo("m", None)}, np.zeros(0), 1)
