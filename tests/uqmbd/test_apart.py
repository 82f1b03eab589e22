"""Work done by another process: what it returns, raises, logs, prints and how it ends, and the trial run of a model."""

import inspect
import logging
import os
import pickle
import signal
import subprocess
import sys
from functools import partial, reduce

import cloudpickle
import pytest

from uqmbd.errors import StudyError
from uqmbd.simulators.apart import Ended, apart, packed
from uqmbd.simulators.model import wrap_callable

MODEL = """
import flexmbd as fm
from pathlib import Path

STIFFNESS = Path(__file__).parent / "stiffness.txt"

def oscillator(c):
    k = float(open(STIFFNESS).read())
    system = fm.System()
    rod = system.body("rod", mass=1.0, inertia=1.0, points={"E": (0.5, 0.0)}, position=(0.5, 0.0), angle=0.0)
    system.add(fm.Spring("coil", system.ground.at(0.0, 0.0), rod["E"], k, c))
    return system
"""
STUDY = """
[study]
name = "apart"
model = "model.py:oscillator"
[time]
end = 0.1
points = 3
[inputs.c]
interval = [0.1, 0.2]
[outputs]
include = ["rod.x:final"]
[method]
type = "grid"
points = 3
[campaign]
workers = 1
"""
LOCKED = """{}
    import threading, uqmbd as uq
    lock = threading.Lock()
    inputs = {{"a": uq.Interval(1.0, 2.0)}}
    uq.Study(model=lambda a: {{"y": lock and a}}, inputs=inputs, outputs=["y"], method=uq.Vertex()).run(workers=1)
"""


def test_what_a_function_returns_comes_from_another_process():
    factor = 3
    pid, product = apart(lambda: (os.getpid(), factor * 2))
    assert pid != os.getpid() and product == 6


def test_work_is_sent_from_deep_in_a_program():
    """Thirty calls before Python's limit, which is less than it takes."""
    work = reduce(lambda inner, _: [inner], range(50), [])

    def after(calls, send):
        return after(calls - 1, send) if calls else send(work)

    assert pickle.loads(packed(work)) == work
    calls = sys.getrecursionlimit() - len(inspect.stack()) - 30
    with pytest.raises(pickle.PicklingError, match="recursion"):
        after(calls, cloudpickle.dumps)
    assert pickle.loads(after(calls, packed)) == work


def test_a_model_made_by_exec_leaves_all_else_sent_by_name():
    """Python says that it is of `builtins`; sent by value, these would take all that there is with them, in every message after it."""
    names: dict = {}
    exec("class Twice:\n    def __call__(self, a):\n        return {'y': 2 * a}", names)
    for thing in (names["Twice"], names["Twice"]()):
        assert thing.__module__ == "builtins"
        model = wrap_callable(thing)
        assert "builtins" not in cloudpickle.list_registry_pickle_by_value()
    assert len(cloudpickle.dumps(ValueError)) < 100
    assert apart(partial(model.load(), 3.0)) == {"y": 6.0}


def test_what_it_prints_is_no_answer(capfd):
    assert apart(lambda: print("said aloud") or 1) == 1
    assert "said aloud" in capfd.readouterr().err


def test_it_imports_what_this_process_can(tmp_path, monkeypatch):
    (tmp_path / "beside_the_script.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)

    def value():
        import beside_the_script

        return beside_the_script.VALUE

    assert apart(value) == 7


@pytest.mark.parametrize("solver", ["", "import flexmbd"])
def test_a_model_that_cannot_be_sent_is_told(tmp_path, solver):
    found = uqmbd(tmp_path, LOCKED.format(solver))
    text = "the model holds what cannot be sent to worker processes: TypeError: cannot pickle '_thread.lock' object"
    assert text in found.stderr, found.stderr


def test_what_it_raises_is_raised_here():
    def wrong():
        raise StudyError("no such output", key="outputs.include", value="x", remedy="name another")

    with pytest.raises(StudyError, match="no such output") as caught:
        apart(wrong)
    assert caught.value.key == "outputs.include" and "in wrong" in str(caught.value.__cause__)


def test_what_it_logs_is_logged_here(caplog):
    with caplog.at_level(logging.INFO, "uqmbd"):
        apart(lambda: logging.getLogger("uqmbd").info("compiling"))
    assert "compiling" in caplog.text


@pytest.mark.parametrize(
    ("end", "how"), [(lambda: os._exit(3), "with code 3"), (lambda: os.kill(os.getpid(), signal.SIGSEGV), "by signal SIGSEGV")]
)
def test_how_it_ended_is_said(end, how):
    with pytest.raises(Ended, match=how):
        apart(end)


@pytest.fixture
def study(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "stiffness.txt").write_text("100.0")
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def uqmbd(folder, code):
    """What a script prints."""
    script = folder / "script.py"
    script.write_text(f"import sys\nfrom uqmbd.study import Study\nif __name__ == '__main__':\n    {code}\n")
    return subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=folder)


def test_a_study_of_other_processes_leaves_the_solver_to_them(study):
    """Its files are seen all the same: another stiffness is another model."""
    run = "Study.from_file('study.toml').run(out='out', report=False)"
    once = f"result = {run}; print(result.attrs['runs_simulated_last'], [m for m in ('flexmbd', 'numba', 'llvmlite') if m in sys.modules])"
    found = uqmbd(study, once)
    assert found.stdout == "3 ['flexmbd']\n", found.stderr
    (study / "stiffness.txt").write_text("200.0")
    assert "stiffness.txt" in uqmbd(study, run).stderr


def test_a_model_that_ends_its_process_is_told(study):
    (study / "model.py").write_text("import os\nimport flexmbd as fm\n\ndef oscillator(c):\n    os._exit(7)\n")
    found = uqmbd(study, "Study.from_file('study.toml').run(out='out', report=False)")
    assert "the model ended the process in which it was tried, with code 7" in found.stderr
