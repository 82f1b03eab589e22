"""Compiled code is kept on disk: the next process loads it, and other source is another file."""

import os
import subprocess
import sys
import textwrap

import pytest

from flexmbd.caching import cache_directory

SCRIPT = textwrap.dedent(
    """
    import json, time
    import flexmbd as fm
    def build(g=9.81):
        s = fm.System(gravity=(0.0, -g))
        s.body("stone", mass=1.0, inertia=1.0)
        return s
    start = time.perf_counter()
    y = fm.run(build, {}, end=1.0, points=2, outputs=["stone.y:final"], settings={"lanes": 1}).outputs["stone.y:final"][0]
    print(json.dumps([y, time.perf_counter() - start]))
    """
)


def start(directory, script=SCRIPT):
    """Run a process with this cache directory: its height, seconds, and the code files there."""
    import json

    environment = {**os.environ, "FLEXMBD_CACHE_DIR": str(directory)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    y, seconds = json.loads(done.stdout)
    return y, seconds, {p.relative_to(directory): p.stat().st_mtime_ns for p in directory.rglob("*") if p.suffix in (".nbc", ".nbi", ".o")}


def test_second_process_loads_what_the_first_compiled(tmp_path):
    y, cold, files = start(tmp_path)
    assert y == pytest.approx(-9.81 / 2)
    assert sum(p.suffix == ".nbc" for p in files) >= 5 and sum(p.suffix == ".o" for p in files) == 2  # time loop and scheme; model
    again, warm, now = start(tmp_path)
    assert again == y
    assert now == files  # nothing written: nothing compiled
    assert warm < 0.5 * cold


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
