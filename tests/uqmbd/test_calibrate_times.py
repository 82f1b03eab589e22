"""Readings off the study's grid: their times become times of the runs where the model has them; else histories are interpolated."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.methods import Calibrate, read_method
from uqmbd.outcomes import OutputInfo
from uqmbd.study import Study, TimeGrid
from uqmbd.study.identity import identity_of, said_of_times

K, C, MASS, LENGTH, START = 40e3, 900.0, 10.0, 0.5, 0.02
INPUTS = {"k": uq.Interval(30e3, 50e3), "c": uq.Interval(500, 1080)}


def motion(time, k=K, c=C):
    """Free vibration of `MASS` from `START`, at rest."""
    rate = c / (2 * MASS)
    omega = np.sqrt(k / MASS - rate**2)
    return START * np.exp(-rate * time) * (np.cos(omega * time) + rate / omega * np.sin(omega * time))


def mechanism(k, c):
    """The same by the solver."""
    import flexmbd as fm

    system = fm.System()
    mass = system.point_mass("m", mass=MASS, position=(LENGTH + START, 0.0))
    system.add(fm.Spring("s", system.ground.at(0.0, 0.0), mass.centre, stiffness=k, damping=c, length=LENGTH))
    return system


def takes(time, k, c):
    return {"m.x": LENGTH + motion(time, k, c), "own": (k, "N/m")}


@uq.vectorized
def arrays(time, k, c):
    return {"m.x": LENGTH + motion(time, k[:, None], c[:, None])}


def first_step(time, k, c):
    """Another model where the times are not equal: it takes its step from the first two."""
    return takes(np.arange(len(time)) * (time[1] - time[0]), k, c)


def has_own(k, c):
    return takes(np.linspace(0, 0.15, 26), k, c)


def written(folder, time, name="measured.csv", unit="s"):
    factor = {"s": 1.0, "ms": 1e3}[unit]
    rows = "\n".join(f"{factor * float(t)!r},{float(LENGTH + motion(t))!r}" for t in time)
    (folder / name).write_text(f"time [{unit}],m.x\n{rows}\n")
    return str(folder / name)


def study(model, data, points=11, end=0.15, **more):
    how = {"campaign": {"workers": 0}, "outputs": ["m.x"], **more}
    return Study(model=model, inputs=INPUTS, method=Calibrate(data=data), time=TimeGrid(end=end, points=points), name="fit", **how)


def run(tmp_path, *what, **more):
    return study(*what, **more).run(out=tmp_path / "out", report=False, progress=False)


def recovered(result, near):
    for name, value in {"k": K, "c": C}.items():
        assert result.attrs["estimate"][name] == pytest.approx(value, rel=near)
        assert result.attrs["estimate_lower"][name] <= value <= result.attrs["estimate_upper"][name]


OFF = np.arange(0.0013, 0.15, 0.0037)
LATE = np.sort(np.random.default_rng(5).uniform(0.06, 0.1499, 30))


@pytest.mark.parametrize("points", [2, 11, 40])
@pytest.mark.parametrize("at", [OFF, LATE], ids=["equal", "late and unequal"])
def test_mechanism_has_the_times_of_the_readings(tmp_path, at, points):
    """Interpolated, 11 points gave 895.8 with a standard deviation of 39; readings at the times of a grid of any size give 900."""
    result = run(tmp_path, mechanism, written(tmp_path, at), points)
    recovered(result, 1e-5)
    assert result.attrs["interpolated"] == 0 and not any("between" in note for note in result.attrs["notes"])
    time = result.statistics["time"].values
    assert np.isin(at, time).all() and np.isin(np.linspace(0, 0.15, points), time).all()
    fitted = result.statistics["m.x"].sel(statistic="fitted").values
    np.testing.assert_allclose(fitted, LENGTH + motion(time), atol=1e-7 * START)


@pytest.mark.parametrize("model", [takes, arrays])
def test_functions_that_take_the_times(tmp_path, model):
    result = run(tmp_path, model, written(tmp_path, OFF))
    recovered(result, 1e-7)
    assert result.attrs["interpolated"] == 0


@pytest.mark.parametrize("model", [first_step, has_own])
def test_fixed_times_are_interpolated_and_said(tmp_path, model):
    """A function without the times, or one that is another model at unequal ones, gives the grid's, and the spline between them."""
    from uqmbd.report.estimates import estimates_table

    result = run(tmp_path, model, written(tmp_path, OFF), 26)
    assert result.attrs["interpolated"] == len(OFF) - 1 and len(result.statistics["time"]) == 26
    recovered(result, 1e-3)
    assert "cubic splines" in estimates_table(result).note
    again = study(model, written(tmp_path, OFF), 26).run(out=tmp_path / "out", report=False, progress=False)
    assert again.attrs["estimate"] == result.attrs["estimate"]


def test_command_is_interpolated(tmp_path):
    (tmp_path / "run.py").write_text(
        "import json, math\n"
        "k, c = {{k}}, {{c}}\n"
        "d = c / 20; w = math.sqrt(k / 10 - d * d); t = [0.15 * i / 50 for i in range(51)]\n"
        "x = [0.5 + 0.02 * math.exp(-d * s) * (math.cos(w * s) + d / w * math.sin(w * s)) for s in t]\n"
        'json.dump({"m.x": x}, open("result.json", "w"))\n'
    )
    (tmp_path / "case").mkdir()
    (tmp_path / "run.py").rename(tmp_path / "case" / "run.py")
    written(tmp_path, OFF)
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "fit"\ncommand = "python3 run.py"\ntemplate = "case"\n[time]\nend = 0.15\npoints = 51\n'
        "[inputs.k]\ninterval = [30e3, 50e3]\n[inputs.c]\ninterval = [500, 1080]\n"
        '[outputs]\ninclude = ["m.x"]\n[method]\ntype = "calibrate"\ndata = "measured.csv"\n[campaign]\nworkers = 0\n'
    )
    result = Study.from_file(tmp_path / "study.toml").run(out=tmp_path / "out", report=False, progress=False)
    assert result.attrs["interpolated"] == len(OFF) - 1
    recovered(result, 1e-3)


def test_several_files_with_times_of_their_own(tmp_path):
    """Each is read by itself, in its own unit of time; the readings of one output are one measurement."""
    files = [written(tmp_path, OFF[:12], "first.csv"), written(tmp_path, LATE[:15], "second.csv", "ms")]
    result = run(tmp_path, takes, files)
    recovered(result, 1e-6)
    assert result.attrs["readings"] == 27
    (tmp_path / "scalars.csv").write_text("time,q\n0,1\n")
    for more, words in ((str(tmp_path / "scalars.csv"), "no output 'q'"), (written(tmp_path, [0.2], "late.csv"), "reading 1 is at 0.2 s")):
        with pytest.raises(StudyError, match=words) as error:
            run(tmp_path / "again", takes, [*files, more])
        assert error.value.key == "method.data" and error.value.value == more and error.value.remedy
    table = {"type": "calibrate", "data": ["first.csv", "second.csv"]}
    with pytest.raises(StudyError, match="cannot be read") as error:
        read_method(table)
    assert error.value.value == "first.csv"


def test_one_output_in_two_units_has_no_plain_deviation(tmp_path):
    (tmp_path / "a.csv").write_text("time,m.x [m]\n0,0.5\n0.1,0.5\n")
    (tmp_path / "b.csv").write_text("time,m.x [mm]\n0.05,500\n")
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    for deviation, fails in ((0.2, True), ("0.2 mm", False)):
        method = Calibrate(data=files, deviations={"m.x": deviation})
        outputs = {"m.x": OutputInfo("m")}
        if fails:
            with pytest.raises(StudyError, match="in two units"):
                method.start(INPUTS, outputs, np.linspace(0, 0.15, 11), 1)
        else:
            method.start(INPUTS, outputs, np.linspace(0, 0.15, 11), 1)


def test_times_are_part_of_the_runs_and_values_are_not(tmp_path):
    """Other values at the same times use the runs that are there; other times are other runs; a grid that has them all is only itself."""
    first = study(takes, written(tmp_path, OFF))
    before = identity_of(first)
    runs = first.run(out=tmp_path / "out", report=False, progress=False).attrs["runs_simulated_last"]
    path = written(tmp_path, OFF)
    text = (tmp_path / "measured.csv").read_text()
    (tmp_path / "measured.csv").write_text(text.replace(text.splitlines()[-1], f"{float(OFF[-1])!r},{LENGTH - 1e-5!r}"))
    second = study(takes, path)
    assert identity_of(second) == before
    result = second.run(out=tmp_path / "out", report=False, progress=False)
    assert 0 < result.attrs["runs_simulated_last"] < runs and result.attrs["sum_of_squares"] > 1e-9
    third = study(takes, written(tmp_path, OFF[:-1]))
    assert identity_of(third) != before
    with pytest.raises(StudyError, match="it differs in: time"):
        third.run(out=tmp_path / "out", report=False, progress=False)
    grid = np.linspace(0, 0.15, 11)
    assert said_of_times(study(takes, written(tmp_path, grid[2:7]))) == "0.15 s, 11 points"


def test_methods_that_share_their_runs_share_their_times(tmp_path):
    """Each of them resumed by itself, too."""
    data = written(tmp_path, OFF)
    methods = {"fit": Calibrate(data=data), "look": uq.Vertex()}
    both = Study(
        model=f"{__file__}:mechanism", inputs=INPUTS, outputs=["m.x"], method=methods, time=TimeGrid(end=0.15, points=11),
        name="both", campaign={"workers": 0},
    )  # fmt: skip
    found = both.run(out=tmp_path / "out", report=False, progress=False)
    assert len(found["look"].inner["time"]) == len(np.union1d(OFF, np.linspace(0, 0.15, 11)))
    stored = Study.from_file(tmp_path / "out" / "look" / "study.toml")
    assert len(stored.time.also) == len(OFF)
    assert identity_of(stored) == identity_of(both)


def test_further_times_of_a_study(tmp_path):
    """They are a key of [time]; a resumed study has them; a store with them is read without a trial."""
    times = TimeGrid(end=0.15, points=11, also=[0.0131, 0.1])
    how = {"outputs": ["m.x"], "method": uq.Vertex(), "name": "also", "campaign": {"workers": 0}}
    one = Study(model=f"{__file__}:takes", inputs=INPUTS, time=times, **how)
    result = one.run(out=tmp_path / "out", report=False, progress=False)
    assert result.inner["time"].values == pytest.approx(np.union1d(np.linspace(0, 0.15, 11), [0.0131, 0.1]))
    again = Study.from_file(tmp_path / "out" / "study.toml")
    assert again.time.also == [0.0131, 0.1] and identity_of(again) == identity_of(one)
    for wrong in ([0.2], [-0.1]):
        with pytest.raises(StudyError, match="not within the study's times") as error:
            TimeGrid(end=0.15, points=11, also=wrong)
        assert error.value.key == "also" and error.value.remedy


@pytest.mark.usefixtures("tried_here")
def test_readings_beyond_the_end(tmp_path):
    """Said before the model is run, and by `check`."""
    for ask in (lambda one: one.run(out=tmp_path / "out"), lambda one: one.check()):
        with pytest.raises(StudyError, match=r"reading 2 is at 0.16 s, outside the study's times from 0 to 0.15 s") as error:
            ask(study(lambda k, c: 1 / 0, written(tmp_path, [0.01, 0.16, 0.17])))
        assert error.value.key == "method.data" and error.value.remedy
