"""Compiled code is kept on disk: the next process loads it, and other source is another file."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from flexmbd.caching import cache_directory
from flexmbd.codegen import machine
from flexmbd.lanes.rows import get, put
from flexmbd.stepping import compiled

SCRIPT = textwrap.dedent(
    """
    import json
    import flexmbd as fm
    from flexmbd.stepping import compiled
    made, make = [], compiled._object
    compiled._object = lambda *x, **y: made.append(x) or make(*x, **y)
    def build(g=9.81):
        s = fm.System(gravity=(0.0, -g))
        s.body("stone", mass=1.0, inertia=1.0)
        return s
    y = fm.run(build, {}, end=1.0, points=2, outputs=["stone.y:final"], settings={"lanes": 1}).outputs["stone.y:final"][0]
    print(json.dumps([y, len(made)]))
    """
)


def start(directory, script=SCRIPT):
    """Run a process with this cache directory: its height, functions of the loop that it compiled, and the code files there."""
    import json

    environment = {**os.environ, "FLEXMBD_CACHE_DIR": str(directory)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    y, made = json.loads(done.stdout)
    return y, made, {p.relative_to(directory): p.stat().st_mtime_ns for p in directory.rglob("*") if p.suffix in (".nbc", ".nbi", ".o")}


def test_second_process_loads_what_the_first_compiled(tmp_path):
    y, made, files = start(tmp_path)
    assert y == pytest.approx(-9.81 / 2)
    assert made == 2 and sum(p.suffix == ".o" for p in files) == 4  # time loop and scheme; two of the model
    again, made_again, now = start(tmp_path)
    assert again == y
    assert now == files and made_again == 0  # nothing written: nothing compiled


def test_code_that_is_kept_makes_no_arrays():
    """They need Numba's runtime, which a process that reads the code from disk does not have."""

    def sums(X, P, W, at):
        a = np.zeros(at[0])
        for i in range(at[0]):
            a[i] = get(X, i, 0)
        put(W, 0, 0, a.sum())

    assert "rows of X or W" in failure(TypeError, compiled._object, (sums,), 1, kept=True)


def test_a_model_whose_compilation_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setenv("FLEXMBD_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(machine.llvm, "create_pass_builder", interrupt)
    failure(KeyboardInterrupt, machine.Code("define void @f() {\n  ret void\n}\n").address, "f")


def test_code_that_goes_with_other_garbage_leaves_nothing():
    """Its engine in a circle, as after an error that keeps its variables."""

    def once(X, P, W, at):
        put(W, 0, 0, get(X, 0, 0))

    engine = compiled._engine.__wrapped__((once,), 1)
    assert engine.get_function_address(f"{compiled.ENTRY}0")
    engine.itself = engine
    del engine
    gc.collect()  # a module that went after its context ended the process here


def failure(kind, call, *arguments, **named):
    """Words of an error that a call raises; the search for garbage finds it, with all variables where it was raised.

    A module that went after its context ended the process there.
    """
    try:
        call(*arguments, **named)
    except kind as error:
        error.itself, said = error, str(error)
    gc.collect()
    return said


TUMBLING = textwrap.dedent(
    """
    import json
    import numpy as np
    import flexmbd as fm
    def box(wx, e):
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        start = {"position": (0.0, 0.0, 0.4), "rotation": (0.3, -0.15, 0.0), "angular_velocity": (wx, 1.0, -2.0)}
        b = s.body("b", mass=1.5, inertia=(0.0104, 0.0082, 0.0122), **start)
        s.add(fm.BoxPlane("floor", b.centre, s.ground.at(0.0, 0.0, 0.0), (0.1, 0.12, 0.08), fm.Impenetrable(e, friction=0.4)))
        return s
    samples = {"wx": np.linspace(-3.0, 3.0, 12), "e": np.linspace(0.0, 0.5, 12)}
    settings = {"integrator": "event_driven", "lanes": 1}
    found = fm.run(box, samples, end=1.0, points=2, outputs=["b.x:final"], settings=settings)
    print(json.dumps([found["b.x:final"].tolist(), 0]))
    """
)


@pytest.mark.slow
def test_the_process_that_compiles_computes_what_later_ones_do(tmp_path):
    """To the bit, where corners that strike in turn make a difference of rounding grow to 1e-7."""
    first, _, _ = start(tmp_path, TUMBLING)
    assert start(tmp_path, TUMBLING)[0] == first


def test_cache_directory_that_cannot_be_written(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("FLEXMBD_CACHE_DIR", str(blocked / "below"))
    path = cache_directory()
    assert path.is_dir() and os.access(path, os.W_OK)


@pytest.mark.slow
def test_kernel_follows_a_change_of_one_that_it_calls_from_another_file(tmp_path):
    header = "from flexmbd.lanes import kernel\n"
    (tmp_path / "caller.py").write_text(f"{header}from called import twice\n@kernel\ndef f(x):\n    return twice(x) + 1.0\n")
    found = []
    for factor in (2.0, 20.0):
        (tmp_path / "called.py").write_text(f"{header}@kernel\ndef twice(x):\n    return {factor} * x\n")
        command = [sys.executable, "-c", "import caller; print(caller.f(1.0))"]
        found.append(float(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300).stdout))
    assert found == [3.0, 21.0]
