"""Units of what Python models return, and what a model says wrongly."""

import numpy as np
import pytest

import uqmbd as uq
from flexmbd.outputs.reductions import REDUCTIONS as OF_FLEXMBD
from uqmbd.errors import StudyError
from uqmbd.inputs.units import to_si
from uqmbd.outcomes import STATUS
from uqmbd.simulators.curve import REDUCTIONS

TIME = uq.TimeGrid(end=1.0, points=11)


def force(k, time):
    return {"force": (k * time, "N"), "travel": k * time}


def study(model=force, outputs=("force", "force:max", "travel"), **more):
    inputs, here = {"k": uq.Interval(1.0, 2.0)}, {"workers": 0}
    return uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=uq.Vertex(), time=TIME, campaign=here, **more)


def test_units_come_from_the_model_and_from_the_study(tmp_path):
    result = study(outputs=["force", "force:max", "force:time_of_min", "travel"], units={"travel": "mm"}).run(out=tmp_path / "r")
    units = {name: result.bounds[name].attrs["unit"] for name in result.outputs}
    assert units == {"force": "N", "force:max": "N", "force:time_of_min": "s", "travel": "mm"}
    assert result.runs["force"].attrs["unit"] == "N" and float(result.bounds["force:time_of_min"].max()) == 0.0
    said = result.runs["status"].attrs
    assert said["flag_values"] == [0, 1, 2, 3] and said["flag_meanings"].split() == list(STATUS)


def test_units_of_a_study_file(write_study, uqmbd):
    path = write_study(('include = ["x", "peak", "x:rms"]', 'include = ["x", "peak", "x:rms"]\nunits = { x = "mm", "x:rms" = "m" }'))
    code, output = uqmbd("run", path)
    assert code == 0, output
    result = uq.open_results(path.parent / "results" / "osc")
    assert [result.statistics[name].attrs["unit"] for name in ("x", "peak", "x:rms")] == ["mm", "", "m"]


@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize(
    ("units", "words"),
    [
        ({"forse": "N"}, "'forse' is none of outputs.include"),
        ({"force": 3}, "a unit as text"),
        ({"force": "kN"}, "gives 'force' in N, the study in kN"),
    ],
)
def test_wrong_units_are_named(units, words):
    with pytest.raises(StudyError, match=words) as raised:
        study(units=units).check()
    assert raised.value.key.startswith("outputs.units")


def test_python_models_have_the_reductions_of_flexmbd():
    assert set(REDUCTIONS) == set(OF_FLEXMBD)
    y, t = np.array([1.0, -2.0, 3.0]), np.array([0.0, 1.0, 2.0])
    assert (REDUCTIONS["time_of_min"](y, t), REDUCTIONS["time_of_max"](y, t)) == (1.0, 2.0)


@pytest.mark.usefixtures("tried_here")
def test_a_forgotten_return_is_named():
    with pytest.raises(StudyError, match=r"returned nothing \(None\); end it with a `return`"):
        study(lambda k: None, ["y"]).check()


@pytest.mark.usefixtures("tried_here")
def test_a_type_error_inside_the_model_is_not_one_of_its_arguments():
    def inside(k, time):
        return {"y": dict(1, 2, 3)}

    def other_name(stiffness, time):
        return {"y": time}

    with pytest.raises(StudyError) as raised:
        study(inside, ["y"]).check()
    assert "run it by hand" in raised.value.remedy
    with pytest.raises(StudyError) as raised:
        study(other_name, ["y"]).check()
    assert "called with the study's inputs by name: k" in raised.value.remedy


@pytest.mark.parametrize(
    ("wrong", "meant"), [("milimeter", "millimeter"), ("Newtn", "newton"), ("kilopascl", "kilopascal"), ("degre", "degree")]
)
def test_a_misspelt_unit_is_answered_with_its_prefix(wrong, meant):
    with pytest.raises(StudyError) as raised:
        to_si(wrong)
    assert f'did you mean "{meant}"?' in str(raised.value)
