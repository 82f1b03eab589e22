"""What stored runs and results are used again, and what is not: nothing stale, nothing mixed, and nothing done twice."""

import json
import subprocess
import sys
import textwrap

import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.study.session import run_study

STUDY = """
[study]
name = "s"
model = "model.py:model"
[inputs.a]
distribution = { type = "uniform", lower = 1.0, upper = 2.0 }
[outputs]
include = ["y"]
[method]
type = "montecarlo"
samples = 20
[campaign]
workers = 0
seed = 1
"""


@pytest.fixture
def run(uqmbd, tmp_path):
    """Write files, and run the study that is there by the command line: its code and what it said."""
    (tmp_path / "study.toml").write_text(STUDY)

    def call(*arguments, **files):
        for name, text in files.items():
            (tmp_path / name.replace("_py", ".py").replace("_csv", ".csv").replace("_toml", ".toml")).write_text(textwrap.dedent(text))
        return uqmbd("run", tmp_path / "study.toml", *arguments)

    return call


def mean(tmp_path) -> float:
    return float(uq.open_results(tmp_path / "results" / "s").statistics["y"].sel(statistic="mean"))


IN_A_FILE = {
    "import": ("from pars_of_reuse import MASS\ndef model(a):\n    return {'y': MASS * a}\n", "pars_of_reuse_py", "MASS = {}\n"),
    "import_inside": (
        "def model(a):\n    from pars_within import MASS\n    return {'y': MASS * a}\n",
        "pars_within_py",
        "MASS = {}\n",
    ),
    "csv_at_import": (
        "from pathlib import Path\nK = float((Path(__file__).parent / 'k.csv').read_text())\ndef model(a):\n    return {'y': K * a}\n",
        "k_csv",
        "{}\n",
    ),
    "csv_in_the_call": (
        "import os\ndef model(a):\n    with open(os.path.join(os.path.dirname(__file__), 'c.csv')) as f:\n"
        "        return {'y': float(f.read()) * a}\n",
        "c_csv",
        "{}\n",
    ),
}


@pytest.mark.parametrize("kind", IN_A_FILE)
def test_what_a_model_reads_has_changed(kind, run, tmp_path):
    source, name, text = IN_A_FILE[kind]
    assert run(model_py=source, **{name: text.format(2.0)})[0] == 0
    code, output = run()
    assert code == 0 and "nothing to simulate" in output and "reused" in output
    more = STUDY.replace("samples = 20", "samples = 40")
    code, output = run(study_toml=more, **{name: text.format(500.0)})
    seen = "K in model.py" if kind == "csv_at_import" else name.replace("_csv", ".csv").replace("_py", ".py")
    assert code == 2 and "another study" in output and seen in output
    assert run("--overwrite")[0] == 0 and mean(tmp_path) > 500.0
    code, output = run(**{name: text.format(2.0)})
    assert code == 2


SCRIPT = """
import sys
import uqmbd as uq

K = float(sys.argv[1])

def model(a):
    return {"y": K * a}

study = uq.Study(model=model, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Chebyshev(degree=2), campaign={"workers": 0})
print(study.run(overwrite=%s, report=False).bounds["y"].values.tolist())
"""


def script(folder, argument, overwrite):
    (folder / "script.py").write_text(SCRIPT % overwrite)
    return subprocess.run([sys.executable, "script.py", argument], cwd=folder, capture_output=True, text=True)


def test_a_script_run_again(tmp_path):
    assert json.loads(script(tmp_path, "2", "False").stdout) == pytest.approx([2.0, 4.0])
    again = script(tmp_path, "2", "'if_changed'")
    assert json.loads(again.stdout) == pytest.approx([2.0, 4.0]) and "uqmbd: result of 20" in again.stderr and "reused" in again.stderr
    refused = script(tmp_path, "7", "False")
    assert refused.returncode and "K in the script" in refused.stderr and "if_changed" in refused.stderr
    changed = script(tmp_path, "7", "'if_changed'")
    assert json.loads(changed.stdout) == pytest.approx([7.0, 14.0]) and "reused" not in changed.stderr


def test_a_notebook_whose_cell_changed(tmp_path, capsys):
    cell = {"__name__": "__main__"}
    exec("L = 0.2\ndef length(a):\n    return L * a\ndef model(a):\n    return {'y': length(a)}", cell)

    def study():
        return uq.Study(
            model=cell["model"],
            inputs={"a": uq.Interval(1.0, 2.0)},
            outputs=["y"],
            method=uq.Chebyshev(degree=1),
            campaign={"workers": 0},
        )

    first = study()
    assert first.run(out=tmp_path / "r").bounds["y"].values.tolist() == pytest.approx([0.2, 0.4])
    assert "reused" not in capsys.readouterr().err
    assert study().run(out=tmp_path / "r").bounds["y"].values.tolist() == pytest.approx([0.2, 0.4])
    assert "reused" in capsys.readouterr().err
    exec("L = 0.4", cell)
    for again in (study(), first):  # made anew, and made before
        with pytest.raises(StudyError, match="L in the script"):
            again.run(out=tmp_path / "r")
    assert study().run(out=tmp_path / "r", overwrite="if_changed").bounds["y"].values.tolist() == pytest.approx([0.4, 0.8])


def test_overwrite_is_one_of_three(tmp_path):
    study = uq.Study(model=lambda a: a, inputs={"a": uq.Interval(0, 1)}, outputs=["y"], method=uq.Chebyshev(degree=1))
    with pytest.raises(StudyError, match="if_changed"):
        study.run(out=tmp_path / "r", overwrite="changed")


def test_a_model_that_cannot_be_known_is_not_reused(tmp_path):
    cell = {"__name__": "__main__"}
    exec("def model(a):\n    return {'y': a * eval('2.0')}", cell)

    def run(**settings):
        study = uq.Study(
            model=cell["model"],
            inputs={"a": uq.Interval(1.0, 2.0)},
            outputs=["y"],
            method=uq.Chebyshev(degree=1),
            campaign={"workers": 0},
        )
        return run_study(study, out=tmp_path / "r", **settings)

    run()
    with pytest.raises(StudyError, match="cannot be told: model in the script calls eval") as raised:
        run()
    assert "overwrite" in raised.value.remedy
    assert run(overwrite="if_changed").tally.simulated > 0


# the folder of a model --------------------------------------------------------------------------------------------------------------------
SHADOW = """
from mass_of_folder import MASS

def model(a):
    import late_of_folder
    return {"y": MASS * a + late_of_folder.ZERO}
"""


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_file_beside_the_model_shadows_no_library(workers, tmp_path):
    """`colorsys` and `report` beside the model; the standard library's is found by all who ask for it, in workers too."""
    for name, text in {
        "model.py": SHADOW + "\ndef names(a):\n    import colorsys, signal\n    return {'y': a * hasattr(colorsys, 'rgb_to_hsv')}\n",
        "mass_of_folder.py": "MASS = 3.0\n",
        "late_of_folder.py": "ZERO = 0.0\n",
        "colorsys.py": "raise RuntimeError('not this one')\n",
        "signal.py": "raise RuntimeError('not this one')\n",
        "report.py": "raise RuntimeError('not this one')\n",
        "study.toml": STUDY.replace("workers = 0", f"workers = {workers}"),
        "names.toml": STUDY.replace(":model", ":names").replace('"s"', '"names"').replace("workers = 0", f"workers = {workers}"),
    }.items():
        (tmp_path / name).write_text(text)
    program = (
        "import sys; import uqmbd as uq; from uqmbd.study import Study\n"
        "if __name__ == '__main__':\n"
        "    for name in ('study', 'names'):\n"
        "        print(float(Study.from_file(f'{sys.argv[1]}/{name}.toml').run(report=False).statistics['y'].sel(statistic='mean')))\n"
        "    import colorsys; colorsys.rgb_to_hsv; assert sys.path[0] != sys.argv[1] and sys.path[-1] == sys.argv[1]\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "go.py").write_text(program)
    done = subprocess.run([sys.executable, "go.py", str(tmp_path)], cwd=tmp_path / "elsewhere", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = map(float, done.stdout.split())
    assert first == pytest.approx(3 * second) and 1.0 < second < 2.0


def test_a_module_named_like_an_installed_package_is_refused(run):
    code, output = run(model_py="import rich\ndef model(a):\n    return {'y': rich.MASS * a}\n", rich_py="MASS = 1\n")
    assert code == 2 and "rename rich.py" in output and "imports rich" in output


def test_models_of_two_folders_have_each_their_own_modules(tmp_path):
    found = {}
    for name, value in (("one", 1.0), ("two", 2.0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "pars_of_two.py").write_text(f"K = {value}\n")
        (folder / "model.py").write_text(
            "from pars_of_two import K\ndef model(a):\n    import pars_of_two\n    return {'y': K + pars_of_two.K}\n"
        )
        found[name] = uq.Study(model="model.py:model", inputs={"a": uq.Interval(0, 1)}, outputs=["y"], method=uq.Vertex(), directory=folder)
    for name, value in (("one", 2.0), ("two", 4.0), ("one", 2.0)):
        assert found[name].model.load()(a=0.0)["y"] == value


def test_a_worker_notices_that_a_source_has_changed(tmp_path):
    import cloudpickle

    from uqmbd.simulators.model import CHECKED, find_model

    (tmp_path / "pars_running.py").write_text("K = 1.0\n")
    (tmp_path / "model.py").write_text("from pars_running import K\ndef model(a):\n    return {'y': K * a}\n")
    model = find_model("model.py:model", tmp_path)
    model.reached()
    packed = cloudpickle.dumps(model)
    (tmp_path / "pars_running.py").write_text("K = 2.0\n")
    CHECKED.clear()  # as in a new process
    with pytest.raises(StudyError, match="has changed while the study ran"):
        cloudpickle.loads(packed).load()
