"""Workers that are killed as they start: once more, and then what was seen."""

import logging

import pytest

from uqmbd.campaign import cluster, starting
from uqmbd.campaign.pool import open_pool
from uqmbd.errors import StudyError

DIES = """
import os, signal
from pathlib import Path

def dask_setup(worker):
    marks = Path({marks!r})
    if len(list(marks.iterdir())) < {times}:
        (marks / str(os.getpid())).touch()
        {how}
"""


@pytest.fixture
def dying(tmp_path, monkeypatch):
    """Have the first few workers end as they start."""

    def prepare(times: int, how: str) -> None:
        (tmp_path / "marks").mkdir()
        (tmp_path / "dies.py").write_text(DIES.format(marks=str(tmp_path / "marks"), times=times, how=how))
        monkeypatch.setattr(cluster, "PRELOAD", [*cluster.PRELOAD, str(tmp_path / "dies.py")])

    return prepare


def double(x):
    return 2 * x


def test_a_worker_that_is_killed_as_it_starts_is_started_again(dying, caplog):
    dying(1, "os.kill(os.getpid(), signal.SIGKILL)")
    with caplog.at_level(logging.INFO, "uqmbd"), open_pool(1) as pool:
        assert pool.call(double, 21) == 42
    assert "a worker process was killed (SIGKILL) as it started; trying once more" in caplog.text


@pytest.mark.parametrize(
    ("how", "seen"), [("os.kill(os.getpid(), signal.SIGKILL)", r"one was killed \(SIGKILL\)"), ("os._exit(3)", "one ended with code 3")]
)
def test_workers_that_never_start_are_told_with_what_was_seen(dying, how, seen):
    dying(9, how)
    with pytest.raises(StudyError, match=seen) as caught, open_pool(1):
        pass
    assert "__main__" not in str(caught.value) and "memory" in caught.value.remedy and caught.value.key == "campaign.workers"


@pytest.mark.parametrize("text", ["study.run()", 'if __name__ == "__main__":\n    study.run()'])
def test_only_a_script_without_a_guard_is_told_of_it(text, tmp_path, monkeypatch):
    (tmp_path / "script.py").write_text(text)
    monkeypatch.setattr(starting.sys.modules["__main__"], "__file__", str(tmp_path / "script.py"), raising=False)
    tries = []

    def make():
        tries.append(1)
        raise RuntimeError("Nanny failed to start.")

    with pytest.raises(StudyError) as caught:
        starting.started(make)
    guarded = "if" in text
    assert ("__main__" not in caught.value.remedy, len(tries)) == (guarded, 1 + guarded)
