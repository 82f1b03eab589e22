"""The identity of a model: everything that it reaches, the same in every process, and another one when any of it changes."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from uqmbd.simulators.model import find_model
from uqmbd.simulators.own import text_digest
from uqmbd.simulators.reads import watching

from . import reaches

SCRIPT = Path(reaches.__file__)
KINDS = [*reaches.models(), *reaches.FILES]


@pytest.fixture(scope="module")
def digests(tmp_path_factory):
    """Digests of all kinds in three processes of different hash seeds: twice the same models, then with what they reach changed."""
    folder = tmp_path_factory.mktemp("reaches")

    def process(seed: int, changed: bool) -> dict:
        reaches.write_files(folder, changed)
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "CHANGED": str(int(changed))}
        command = [sys.executable, str(SCRIPT), "7" if changed else "2"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return process(1, False), process(2, False), process(3, True)


@pytest.mark.parametrize("kind", KINDS)
def test_unchanged_in_another_process(kind, digests):
    first, again, _ = digests
    assert first[kind] == again[kind] and not first[kind][1]


@pytest.mark.parametrize("kind", KINDS)
def test_changed(kind, digests):
    first, _, changed = digests
    assert first[kind][0] != changed[kind][0]


def test_parts_have_names_that_a_user_knows(digests):
    parts = {kind: set(entry[2]) for kind, entry in digests[0].items()}
    assert {"K in the script", "number in the script"} <= parts["helper"]
    assert {"MASS in model.py", "pars_top.py", "model.py"} <= parts["import_at_top"]
    assert {"pars_inner.py", "pars_outer.py", "twice in pars_outer.py"} <= parts["module_of_module"]
    assert "numpy" in parts["closure"] and "scipy" in parts["spline"] and "pandas" in parts["data_frame"]


def test_what_the_model_does_not_reach_does_not_count():
    before = find_model(reaches.number, Path()).digest
    reaches.POINT, kept = None, reaches.POINT
    try:
        import fractions  # noqa: F401  # whatever else the process imports

        assert find_model(reaches.number, Path()).digest == before
    finally:
        reaches.POINT = kept


def test_comments_do_not_count():
    assert text_digest("a = 1  # one\n\n\nb = (2,\n 3)") == text_digest("a = 1\nb = (2, 3)") != text_digest("a = 1\nb = (2, 4)")


def test_solver_counts_only_if_the_model_reaches_it(tmp_path):
    import flexmbd  # noqa: F401  # the process has it

    (tmp_path / "plain.py").write_text("def f(a):\n    return a\n")
    (tmp_path / "steel.py").write_text("def f(a):\n    import flexmbd as fm\n    return fm.Material(E=a, nu=0.3)\n")
    assert "flexmbd" not in find_model("plain.py:f", tmp_path).reached().parts
    assert "flexmbd" in find_model("steel.py:f", tmp_path).reached().parts


@pytest.mark.parametrize(
    ("thing", "words"), [((x for x in "ab"), "generator"), (threading.Thread(), "Thread"), (memoryview(b"ab"), "memoryview")]
)
def test_what_cannot_be_known_is_said(thing, words):
    reach = find_model(lambda a: thing and a, Path()).reached()
    assert words in reach.unknown and "thing closed over by" in reach.unknown


@pytest.mark.parametrize("body", ["getattr(sys.modules[__name__], 'K')", "Base.__subclasses__()[0].K", "model.__globals__['K']"])
def test_what_a_script_finds_without_naming_it_cannot_be_known(body):
    space = {"__name__": "__main__"}
    exec(f"import sys\nK = 1.0\nclass Base:\n    K = 2.0\ndef model(a):\n    return {{'y': {body}}}", space)
    assert find_model(space["model"], Path()).reached().unknown.startswith("model in the script calls ")


def test_what_holds_no_content_is_known():
    lock, where = threading.Lock(), sys.stdout
    assert not find_model(lambda a: (lock, a), Path()).reached().unknown
    assert where is sys.stdout


def test_random_objects_of_libraries_are_known_by_name():
    from scipy.stats import norm

    def model(a):
        return norm.cdf(a) + np.random.normal() + np.mean(a)  # noqa: NPY002

    first = find_model(model, Path()).digest
    np.random.normal()  # noqa: NPY002
    assert find_model(model, Path()).digest == first


def test_two_files_of_one_name_are_two(tmp_path):
    paths = [tmp_path / name / "k.csv" for name in ("one", "two")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("1\n")
    first = find_model(lambda a: (paths, a), Path()).reached()
    paths[1].write_text("2\n")
    assert first.digest != find_model(lambda a: (paths, a), Path()).digest and {"file k.csv", "file k.csv (2)"} <= set(first.parts)


def test_a_changed_value_in_one_process(monkeypatch):
    before = find_model(reaches.below, Path()).digest
    monkeypatch.setattr(reaches, "K", 3.0)
    assert find_model(reaches.below, Path()).digest != before


def test_files_that_are_read_are_seen(tmp_path):
    (tmp_path / "in.txt").write_text("1")
    (tmp_path / "both.txt").write_text("2")
    with watching() as reads:
        (tmp_path / "in.txt").read_text()
        (tmp_path / "out.txt").write_text("3")
        (tmp_path / "out.txt").read_text()
        with (tmp_path / "both.txt").open("r+") as stream:
            stream.read()
        (tmp_path / "gone.txt").write_text("4")
        (tmp_path / "gone.txt").unlink()
    assert list(reads.files) == [str(tmp_path / "in.txt")]
    (tmp_path / "in.txt").read_text()
    assert len(reads.files) == 1


def test_files_that_another_thread_reads_are_seen_if_it_began_within(tmp_path):
    (tmp_path / "ours").write_text("1")
    (tmp_path / "theirs").write_text("2")
    with ThreadPoolExecutor(1) as before, ThreadPoolExecutor(1) as within:
        before.submit(int).result()
        with watching() as reads:
            before.submit((tmp_path / "theirs").read_text).result()
            within.submit((tmp_path / "ours").read_text).result()
    assert list(reads.files) == [str(tmp_path / "ours")]


def test_files_of_libraries_are_not_seen(tmp_path):
    import flexmbd
    import uqmbd

    with watching() as reads:
        for module in (flexmbd, uqmbd, np, json):
            Path(module.__file__).read_text()
    assert reads.files == {}


def test_files_may_be_read_in_a_block_within_a_block(tmp_path):
    (tmp_path / "a").write_text("1")
    with watching() as outer, watching() as inner:
        (tmp_path / "a").read_text()
    assert outer.files == inner.files != {}
