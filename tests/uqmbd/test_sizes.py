"""Sizes that no memory holds, ranges that no number holds, and keys that Python has a use for: a sentence each, before anything is run."""

import resource
import subprocess
import sys

import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.processes import memory_there
from uqmbd.study.naming import naming_file

NUMBERS = (("model.py:oscillator", "model.py:scalar"), ('["x", "peak", "x:rms"]', '["y"]'))
SCALAR = (*NUMBERS, ("[time]\nend = 2.0\npoints = 21\n", ""))
UNIFORM = (
    'distribution = { type = "uniform", lower = 9.0, upper = 11.0 }\nunit = "N/m"',
    'distribution = { type = "uniform", lower = 0.1, upper = 0.2 }',
)
BOX = (*SCALAR, (UNIFORM[0], "interval = [9.0, 11.0]"), (UNIFORM[1], "interval = [0.1, 0.2]"))
MC = 'type = "montecarlo"\nsamples = 40'


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ((*NUMBERS, ("points = 21", "points = 1000000000000")), "time.points"),
        ((*NUMBERS, ("points = 21", "points = 1000000000000000000000")), "time.points"),
        ((*SCALAR, ("samples = 40", "samples = 1000000000000")), "method"),
        ((*SCALAR, ("samples = 40", "samples = 9223372036854775808")), "method"),
        ((*BOX, (MC, 'type = "chebyshev"\ndegree = 3\nfallback_runs = 1000000000000')), "method.fallback_runs"),
        ((*SCALAR, (MC, 'type = "sensitivity"\napproach = "sobol"\nsamples = 1000000000000')), "method"),
    ],
)
def test_sizes_that_do_not_fit_are_told_before_the_first_run(changes, key, write_study, tmp_path):
    study = uq.Study.from_file(write_study(*changes))
    for ask in (lambda: study.run(out=tmp_path / "r"), study.check):
        with pytest.raises(StudyError, match=r"are [\d,]+ GB, and this machine has \d+") as caught:
            ask()
        assert caught.value.key == key and caught.value.file.endswith("study.toml") and caught.value.remedy
    assert not (tmp_path / "r").exists()


def test_a_usual_study_fits(write_study, tmp_path):
    uq.Study.from_file(write_study(*SCALAR)).run(out=tmp_path / "r", report=False)


def test_limits_of_the_process_count():
    code = "import resource as r; r.setrlimit(r.RLIMIT_AS, (3 << 30,) * 2); from uqmbd.processes import memory_there as m; print(m())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert int(done.stdout) == 3 << 30 or resource.getrlimit(resource.RLIMIT_AS)[1] < 3 << 30, done.stderr
    assert memory_there() > 1 << 28


def test_want_of_memory_in_the_middle_is_a_sentence(write_study):
    study = uq.Study.from_file(write_study(*SCALAR))
    with pytest.raises(StudyError, match="there is not enough memory: unable to allocate 7 GiB") as caught, naming_file(study):
        raise MemoryError("Unable to allocate 7 GiB for an array")
    assert caught.value.file.endswith("study.toml")


@pytest.mark.parametrize("ends", ["[-1e308, 1e308]", "[1e308, 1.7e308]"])
def test_an_interval_whose_width_is_no_number_is_refused(ends, write_study):
    with pytest.raises(StudyError, match="beyond what a computer can hold") as caught:
        uq.Study.from_file(write_study(*SCALAR, (UNIFORM[1], f"interval = {ends}")))
    assert caught.value.key == "inputs.c.interval"


def test_a_distribution_whose_numbers_are_none_is_refused(write_study, tmp_path):
    study = uq.Study.from_file(write_study(*SCALAR, ("lower = 0.1, upper = 0.2", "lower = -1e308, upper = 1e308")))
    with pytest.raises(StudyError, match="beyond what a computer can hold") as caught:
        study.run(out=tmp_path / "r")
    assert caught.value.key == "inputs.c"


METHODS = {
    "montecarlo": "samples = 40", "pce": "samples = 40", "grid": "points = 3", "list": "samples = { k = [1.0], c = [1.0] }",
    "sensitivity": 'approach = "sobol"\nsamples = 8', "reliability": 'approach = "form"\noutput = "y"\nabove = 1.0',
}  # fmt: skip


@pytest.mark.parametrize(
    "name", ["self", "cls", "__init__", "__class__", "model_config", "model_fields", "copy", "None", "class", "kwargs"]
)
@pytest.mark.parametrize("method", METHODS)
def test_no_key_of_a_method_meets_python(name, method, write_study):
    with pytest.raises(StudyError) as caught:
        uq.Study.from_file(write_study(*SCALAR, (MC, f'type = "{method}"\n{METHODS[method]}\n{name} = 1')))
    assert caught.value.key == f"method.{name}" and caught.value.file


@pytest.mark.parametrize("name", ["self", "cls", "__init__", "model_config"])
@pytest.mark.parametrize("section", ["study", "outputs", "campaign", "report", "inputs.k", "time", "dependence", "sets.s"])
def test_no_key_of_a_section_meets_python(name, section, write_study):
    text = write_study().read_text()
    text = text.replace(f"[{section}]\n", f"[{section}]\n{name} = 1\n") if f"[{section}]" in text else f"{text}\n[{section}]\n{name} = 1\n"
    path = write_study(text=text)
    with pytest.raises(StudyError) as caught:
        uq.Study.from_file(path)
    assert name in caught.value.key


@pytest.mark.parametrize("name", ["self", "cls", "function", "inputs", "model"])
def test_an_input_may_have_any_name_that_a_function_takes(name, tmp_path):
    space = {"Interval": uq.Interval(1, 2)}
    exec(f"def f({name}, a):\n    return {{'y': {name} + a}}", space)
    inputs = {name: uq.Interval(1, 2), "a": uq.Interval(0, 1)}
    study = uq.Study(model=space["f"], inputs=inputs, outputs=["y"], method=uq.Chebyshev(degree=2), name="s", campaign={"workers": 0})
    result = study.run(out=tmp_path / "r", report=False)
    assert result.bounds["y"].values.tolist() == pytest.approx([1.0, 3.0])
    assert result.surrogate("y")(**{name: 1.5, "a": 0.5}) == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["self", "cls"])
def test_a_command_may_have_an_input_of_any_name(name):
    from uqmbd.simulators.command import Command

    command = Command(("sh", "-c", f"echo '{{\"y\": {{{{{name}}}}}}}' > result.json"), "", "result.json")
    assert command(**{name: 2.5}) == {"y": 2.5}
