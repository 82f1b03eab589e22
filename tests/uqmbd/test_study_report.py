"""The section [report]: functions of the nominal run, what changes when it changes, and a sentence for every mistake."""

import json

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.result import open_results
from uqmbd.study.nominal import fields_of
from uqmbd.study.trial import Trial

from .conftest import STUDY

MODEL = """
import numpy as np

def oscillator(k, c, time):
    if k > 10.7:
        raise RuntimeError("too stiff")
    wave = np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": wave, "B.ex": wave, "B.ey": 0.5 * wave, "B.regime": (wave > 0) * 1.0, "peak": 1.0, "hidden": k * time}
"""
FIELDS = """
import numpy as np
import xarray as xr

def map(run):
    angle = np.linspace(0.0, 6.0, 7)
    values = np.cos(angle)[:, None] * run.outputs["hidden"]
    at = {"angle": angle, "time": ("time", run.time, {"unit": "s"})}
    return xr.DataArray(values, dims=("angle", "time"), coords=at, name="map", attrs={"unit": "Pa", "note": object()})

def curve(run):
    return xr.Dataset({"curve": ("time", run.outputs["x"] * run.inputs["k"])}, {"time": run.time})

def number(run):
    return 3

def nameless(run):
    return xr.DataArray([1.0], dims="a", coords={"a": [0.0]})

def deep(run):
    return xr.Dataset({"deep": (("a", "b", "c"), np.ones((2, 2, 2)))})

def falling(run):
    return xr.Dataset({"falling": ("time", run.time)}, {"time": -run.time})

def bare(run):
    return xr.Dataset({"bare": ("time", run.time)})

def endless(run):
    return xr.Dataset({"endless": ("time", run.time + np.inf)}, {"time": run.time})

def otherwise(run):
    return xr.Dataset({"otherwise": ("time", run.time)}, {"time": 2 * run.time})

def broken(run):
    return run.outputs["x"] / {}["key"]

def asking(run):
    return run.outputs["hiddn"]

def failing(run):
    raise ValueError("no oil")

def empty(run):
    return xr.Dataset()
"""
OUTPUTS = ('include = ["x", "peak", "x:rms"]', 'include = ["x", "peak", "B.ex", "B.ey", "B.regime"]')
REPORT = """
[report]
orbits = [["B.ex", "B.ey", "k"]]
regimes = ["B.regime"]
fields = ["fields.py:map", "fields.py:curve"]
needs = ["hidden"]
"""


@pytest.fixture
def asked(write_study, tmp_path):
    """Write a study with this section, and its functions beside it."""

    def write(report: str = REPORT, *changes: tuple[str, str], fields: str = FIELDS):
        (tmp_path / "fields.py").write_text(fields)
        return write_study(OUTPUTS, ("samples = 40", "samples = 4"), *changes, model=MODEL, text=STUDY + report)

    return write


def test_fields_are_those_of_the_nominal_run(asked, uqmbd, tmp_path):
    """k = 10 and c = 0.15 are in the middle; the function is told what it needs and what the study asks for."""
    code, output = uqmbd("run", asked())
    assert code == 0, output
    result = open_results(tmp_path / "results/osc")
    time = np.linspace(0, 2, 21)
    wanted = np.cos(np.linspace(0, 6, 7))[:, None] * 10.0 * time
    assert list(result.fields) == ["map", "curve"] and "hidden" not in result.outputs and "hidden" not in result.runs
    np.testing.assert_allclose(result.fields["map"].values, wanted, rtol=1e-12)
    np.testing.assert_allclose(result.fields["curve"].values, 10 * np.exp(-0.15 * time) * np.cos(np.sqrt(10) * time), rtol=1e-9)
    assert result.fields["map"].attrs == {"unit": "Pa"} and result.fields["time"].attrs == {"unit": "s"}
    assert result.fields.attrs["inputs"] == pytest.approx({"k": 10.0, "c": 0.15})
    assert result.attrs["report"]["orbits"] == [["B.ex", "B.ey", "k"]]


def test_a_changed_report_does_no_run_again(asked, uqmbd, tmp_path):
    assert uqmbd("run", asked(""))[0] == 0
    done = json.loads((tmp_path / "results/osc/done.json").read_text())
    code, output = uqmbd("run", asked())
    assert code == 0 and "4 runs (0 simulated, 4 were there)" in output and "report:" in output, output
    assert "nothing to simulate" in uqmbd("run", asked())[1] and json.loads((tmp_path / "results/osc/done.json").read_text()) != done
    code, output = uqmbd("run", asked(fields=FIELDS.replace("np.cos(angle)", "np.sin(angle)")))
    assert code == 0 and "0 simulated" in output
    assert open_results(tmp_path / "results/osc").fields["map"].values[0].max() == 0.0
    assert "nothing to simulate" in uqmbd("resume", tmp_path / "results/osc")[1], "the stored study names its functions"


def test_a_study_made_in_python_takes_functions(tmp_path):
    def doubled(run):
        return xr.DataArray(2 * run.outputs["y"], dims="time", coords={"time": run.time}, name="doubled")

    study = uq.Study(
        model=lambda a, time: {"y": a * time}, inputs={"a": uq.Interval(1.0, 3.0)}, outputs=["y"], method=uq.Vertex(),
        time=uq.TimeGrid(end=1.0, points=3), campaign={"workers": 0}, report={"fields": doubled, "orbits": [("y", "y")]},
    )  # fmt: skip
    result = study.run(out=tmp_path)
    assert result.fields["doubled"].values.tolist() == [0.0, 2.0, 4.0] and result.attrs["report"]["orbits"] == [["y", "y"]]


def test_a_nominal_run_that_fails_is_replaced_by_one_near_it(asked):
    """The middle, 11, is too stiff; 10.6, at three tenths of the range, is not. If all are, a sentence says so."""
    study = uq.Study.from_file(asked(REPORT, ("lower = 9.0, upper = 11.0", "lower = 10.0, upper = 12.0")))
    trial = Trial(study)
    found = fields_of(study, trial, trial.info)
    assert found.attrs["inputs"]["k"] == pytest.approx(10.6)
    tried = Trial(study).tried
    samples = {"k": np.full(4, 11.0), "c": np.full(4, 0.1)}
    trial = Trial(study)
    trial.__dict__ |= {"samples": samples, "tried": tried}
    study = study.changed(report=study.report.model_copy(update={"needs": []}))
    with pytest.raises(StudyError, match=r"the nominal run fails, and so do 3 near it: .*RuntimeError: too stiff"):
        fields_of(study, trial, tried.info)


FUNCTION = 'fields = "fields.py:{}"'
CASES = {
    # name: (section, words the message must hold)
    "unknown key": ('orbit = [["B.ex", "B.ey"]]', ["report.orbit", 'did you mean "orbits"']),
    "no list": ("orbits = 3", ["report.orbits = 3", "valid list"]),
    "no pair": ('orbits = ["B.ex"]', ["report.orbits", "two outputs", "'B.ex'"]),
    "not names": ('orbits = [["B.ex", 2]]', ["report.orbits", "two outputs", "2"]),
    "no such output": ('orbits = [["B.ex", "B.ez"]]', ["report.orbits", "no output 'B.ez'", "did you mean"]),
    "no such input": ('orbits = [["B.ex", "B.ey", "gap"]]', ["report.orbits", "no input 'gap'", "use one of: c, k"]),
    "divided by nothing": ('orbits = [["B.ex", "B.ey", 0.0]]', ["report.orbits", "divided by 0.0", "above 0"]),
    "divided by nan": ('orbits = [["B.ex", "B.ey", nan]]', ["report.orbits", "finite number"]),
    "no such regime": ('regimes = ["A.regime"]', ["report.regimes", "no output 'A.regime'", 'did you mean "B.regime"']),
    "a number is no regime": ('regimes = ["x:rms"]', ["report.regimes", "no output 'x:rms'"]),
    "a number is no orbit": ('orbits = [["B.ex", "peak"]]', ["report.orbits", "'peak' is a number, not a history"]),
    "not stored": ('regimes = ["B.regime"]\n[campaign]\nstore = "scalars"', ["report.regimes", "does not store", 'campaign.store = "all"']),
    "labels": ("regime_labels = []", ["report.regime_labels", "at least 1"]),
    "no file": ('fields = "feilds.py:map"', ["report.fields", "feilds.py", 'did you mean "fields.py"']),
    "no function": (FUNCTION.format("mapp"), ["report.fields", "no function 'mapp'", 'did you mean "map"']),
    "not a name": ("fields = [3]", ["report.fields = 3", "name of a function"]),
    "no colon": ('fields = "fields.py"', ["report.fields", "file or module and a function"]),
    "asks for what is not there": (FUNCTION.format("asking"), ["report.fields", "asks for the output 'hiddn'", "report.needs"]),
    "needs what is not there": (FUNCTION.format("map") + '\nneeds = ["hiden"]', ["report.needs", "hiden", 'did you mean "hidden"']),
    "returns a number": (FUNCTION.format("number"), ["report.fields", "returns int", "xarray.DataArray"]),
    "nameless": (FUNCTION.format("nameless"), ["report.fields", "DataArray without a name", "with a name"]),
    "three dimensions": (FUNCTION.format("deep"), ["report.fields", "'deep' of shape (2, 2, 2)", "one or two dimensions"]),
    "falling": (FUNCTION.format("falling"), ["report.fields", "'falling'", "'time' has no ascending coordinate"]),
    "bare": (FUNCTION.format("bare"), ["report.fields", "'bare'", "'time' has no ascending coordinate"]),
    "endless": (FUNCTION.format("endless"), ["report.fields", "'endless' with infinite values", "NaN"]),
    "empty": (FUNCTION.format("empty"), ["report.fields", "returns no field"]),
    "two grids": ('fields = ["fields.py:curve", "fields.py:otherwise"]', ["report.fields", "'otherwise' at other values of time"]),
    "one name twice": ('fields = ["fields.py:curve", "fields.py:curve"]', ["report.fields", "'curve'", "another function has given"]),
    "broken": (FUNCTION.format("broken"), ["report.fields", "raises KeyError", "fields.py"]),
    "failing": (FUNCTION.format("failing"), ["report.fields", "ValueError: no oil", "fields.py:", "leave it out"]),
}


@pytest.mark.usefixtures("tried_here")
@pytest.mark.parametrize("case", CASES)
def test_wrong_report(case, asked, uqmbd):
    section, words = CASES[case]
    section, _, campaign = section.partition("[campaign]")
    code, output = uqmbd("check", asked(f"\n[report]\n{section}\n", ("[campaign]", f"[campaign]{campaign}")))
    assert code == 2 and "Traceback" not in output and output.count("error:") == 1, output
    assert [word for word in [*words, "study.toml", "remedy:"] if word not in output] == [], output


def test_a_mistake_shows_before_the_runs(asked, uqmbd, tmp_path):
    code, output = uqmbd("run", asked("\n[report]\n" + FUNCTION.format("failing")))
    assert code == 2 and "no oil" in output and not (tmp_path / "results/osc/done.json").exists()
