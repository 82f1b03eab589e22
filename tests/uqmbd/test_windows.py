"""Windows, percentiles and wildcards in names of outputs, of models that return arrays and of mechanisms."""

import json
import sys

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.simulators.windows import percentile
from uqmbd.study import Study
from uqmbd.study.trial import Trial

TIME = uq.TimeGrid(end=2.5, points=501)


def wave(size, time):
    """A falling line with a wave, and a shaft that turns twice in a second."""
    return {
        "down": size * (3.0 - time), "wave": size * np.sin(2.0 * np.pi * 2.0 * time) + time, "shaft.angle": 4.0 * np.pi * time,
        "left.force": size * time, "right.force": -size * time, "teeth": 3.0, "count": 3.0,
    }  # fmt: skip


@uq.vectorized
def waves(size, time):
    found = wave(size[:, None], time)
    return {name: np.broadcast_to(x, (len(size), len(time))) if np.ndim(x) else np.full(len(size), x) for name, x in found.items()}


def response(size):
    f = np.linspace(1.0, 11.0, 101)
    return {"gain": uq.Curve(size * f, f, "frequency", unit="m", axis_unit="Hz")}


def study_of(outputs, model=wave, time=TIME):
    return uq.Study(
        model=model, inputs={"size": uq.Interval(1.0, 2.0)}, outputs=outputs, method=uq.Chebyshev(degree=2), time=time, name="wave"
    )


def one(outputs, size=2.0, model=wave, time=TIME):
    """Outputs of one run."""
    simulator = Trial(study_of(outputs, model, time)).checked()
    found = simulator.simulate({"size": np.array([size, 1.0])})
    assert not found.status[0], found.message
    return {name: float(values[0]) for name, values in found.outputs.items()}


WANTED = {
    "down:max@0.1031..": 2.0 * (3.0 - 0.1031),
    "down:min@..0.3": 2.0 * 2.7,
    "down:mean@103 ms..0.2031 s": 2.0 * (3.0 - 0.15305),
    "down:time_of_max@0.1031..0.3": 0.1031,
    "down:p50@1..2": 2.0 * 1.5,
    "down:p0": 1.0,
    "down:p100": 6.0,
    "wave:max@last turn of shaft.angle": 2.0 * np.sin(0.5 * np.pi) + 2.125,
    "wave:mean@last turn of shaft.angle": 2.25,
    "wave:time_of_min@last turn of shaft.angle": 2.375,
}


@pytest.mark.parametrize("model", (wave, waves))
def test_windows_of_models_that_return_arrays(model):
    found = one(list(WANTED), model=model)
    for name, value in WANTED.items():
        assert found[name] == pytest.approx(value, rel=3e-3 if name.startswith("wave") else 1e-9), name


def test_windows_of_a_curve_are_of_its_axis():
    found = one(["gain:max@2..5.25", "gain:frequency_of_max@..0.006 kHz", "gain:p25"], model=response, time=None)
    assert found == pytest.approx({"gain:max@2..5.25": 10.5, "gain:frequency_of_max@..0.006 kHz": 6.0, "gain:p25": 7.0})


def test_percentiles_are_those_of_numpy_on_an_even_grid_and_weighted_on_others():
    generator = np.random.default_rng(1)
    values, even = generator.normal(size=(3, 201)), np.linspace(0.0, 1.0, 201)
    for level in (0.0, 12.5, 50.0, 99.9, 100.0):
        assert percentile(level, values, even) == pytest.approx(np.percentile(values, level, axis=1), rel=1e-12)
    grid = np.linspace(0.0, 1.0, 2001) ** 3
    assert percentile(30.0, grid, grid) == pytest.approx(0.3, abs=1e-3)  # of a ramp, whatever its points


@pytest.mark.parametrize(
    ("output", "words"),
    (
        ("down:max@soon", "'soon' is no window of time"),
        ("down:max@3..", "the window '3..' is not within time from 0 to 2.5 s"),
        ("down:max@0.3..0.1", "does not end after its begin"),
        ("down:max@1 kg..", "a window of time [s] cannot be in kg"),
        ("down:max@1 sek..", "the window has an unknown unit"),
        ("down:final@0.1..", "the final value has no window"),
        ("down@0.1..", "has a window and no reduction"),
        ("down:p101", "there is no reduction 'p101'"),
        ("down:max@last turn of wheel.angle", "the model returned no output 'wheel.angle'"),
        ("down:max@last turn of down", "'down' makes no whole turn"),
        ("down:max@last turn of teeth", "'teeth' is no history"),
        ("*.moment:max", "no output of the model matches '*.moment'"),
    ),
)
def test_what_cannot_be_had_is_a_sentence_with_its_key(output, words):
    def small(size, time):
        return wave(size, time) | {"down": 0.1 * (3.0 - time)}

    with pytest.raises(StudyError) as caught:
        Trial(study_of([output], model=small)).checked()
    assert words in str(caught.value) and caught.value.key == "outputs.include" and caught.value.remedy


def test_wildcards_stand_for_what_the_model_has():
    assert study_of(["*.force:max", "left.force"]).outputs == ["left.force:max", "right.force:max", "left.force"]
    assert study_of(["*:p95@1.."]).outputs == [f"{n}:p95@1.." for n in ("down", "wave", "shaft.angle", "left.force", "right.force")]
    assert study_of(["t*", "le?t.force"]).outputs == ["teeth", "left.force"]


def test_a_study_file_with_windows_and_wildcards_runs_and_is_opened_again(tmp_path):
    (tmp_path / "model.py").write_text(
        "import numpy as np\n"
        "def model(size, time):\n"
        "    return {'a.force': size * (1.0 - time), 'b.force': size * time, 'a.angle': 30.0 * time}\n"
    )
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "w"\nmodel = "model.py:model"\n[time]\nend = 1.0\npoints = 101\n[inputs.size]\ninterval = [1.0, 2.0]\n'
        '[outputs]\ninclude = ["*.force:max@100 ms..", "b.force:mean@last turn of a.angle", "a.force:p95"]\n'
        '[method]\ntype = "chebyshev"\ndegree = 2\n[campaign]\nworkers = 0\n'
    )
    study = Study.from_file(tmp_path / "study.toml")
    result = study.run(out=tmp_path / "out", progress=False)
    names = ["a.force:max@100 ms..", "b.force:max@100 ms..", "b.force:mean@last turn of a.angle", "a.force:p95"]
    assert result.outputs == names
    assert result.bounds[names[0]].values == pytest.approx([0.9, 1.8]) and result.bounds[names[1]].values == pytest.approx([1.0, 2.0])
    turns = 2.0 * np.pi / 30.0
    assert result.bounds[names[2]].values == pytest.approx([3.5 * turns, 7.0 * turns], rel=1e-6)
    again = uq.open_results(tmp_path / "out")
    assert again.outputs == names and again.bounds[names[3]].values == pytest.approx([0.95, 1.9])
    stored = Study.from_file(tmp_path / "out" / "study.toml")
    assert stored.outputs == names


def test_windows_of_a_command(tmp_path):
    program = "import json,sys; t=[0.0,0.5,1.0]; json.dump({'time':t,'y':[float(sys.argv[1])*(1-x) for x in t]}, open('result.json','w'))"
    (tmp_path / "study.toml").write_text(
        f'[study]\nname = "c"\ncommand = ["{sys.executable}", "-c", {json.dumps(program)}, "{{{{size}}}}"]\n[time]\nend = 1.0\npoints = 5\n'
        '[inputs.size]\ninterval = [1.0, 2.0]\n[outputs]\ninclude = ["y:max@0.1..", "y:p50"]\n[method]\ntype = "chebyshev"\ndegree = 1\n'
    )
    found = Trial(Study.from_file(tmp_path / "study.toml")).checked().simulate({"size": np.array([2.0])})
    assert not found.status.any(), found.message
    assert {name: float(x[0]) for name, x in found.outputs.items()} == pytest.approx({"y:max@0.1..": 1.8, "y:p50": 1.0})
