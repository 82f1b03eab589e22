"""Clusters that vanish while a study runs: new workers, or a sentence, and never a wait without end."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import uqmbd.campaign.cluster as cluster_module
from uqmbd.campaign.pool import open_pool
from uqmbd.errors import StudyError

CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.readline()
        cluster.scale(0)
        sys.stdin.read()
"""


@pytest.fixture
def limits(monkeypatch):
    """Shorten how long a cluster is waited for."""

    def set_limits(**seconds: float) -> None:
        monkeypatch.setattr(cluster_module, "REACH", "1s")
        for name, value in seconds.items():
            monkeypatch.setattr(cluster_module.Cluster, name, value)

    return set_limits


def double(x):
    return 2 * x


def finished(pool):
    """The next task that is done; a pool whose workers have just come says first that more could be done at once."""
    while (found := pool.next()) == (None, None):
        pass
    return found


def known_workers(pool):
    """Workers that the scheduler knows, however long a busy machine takes to say so."""
    return len(pool.client.sync(pool.client.scheduler.ncores))


@pytest.fixture
def cluster(tmp_path):
    """A scheduler with one worker in a process of its own: its address, and the process."""
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    yield process.stdout.readline().strip(), process
    process.kill()
    process.communicate()


def test_workers_that_vanish_are_replaced(limits):
    limits(look=0.2, renew=0.5)
    with open_pool(1) as pool:
        assert pool.call(double, 1) == 2
        pool.local.scale(0)
        pool.local.sync(pool.local._correct_state)
        assert known_workers(pool) == 0
        task = pool.start(double, 21)
        assert finished(pool) == (task, 42)


PATHS = """
import sys
from uqmbd.campaign.pool import EarlyPool

if __name__ == "__main__":
    before = list(sys.path)
    for _ in range(2):
        early = EarlyPool(1)
        early.get()
        meanwhile = list(sys.path)
        early.let_go().result()
        print(sys.path == meanwhile, set(sys.path) == set(before))
        early.close()
        print(sys.path == before)
"""


def test_folders_of_imports_keep_their_places_when_a_pool_closes(tmp_path):
    """An import of another thread misses a package where one before it is taken away meanwhile."""
    script = tmp_path / "paths.py"
    script.write_text(PATHS)
    said = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True"] * 6


def test_workers_that_vanish_for_good_are_told(limits):
    limits(look=0.1, patience=0.5)
    with open_pool(1) as pool:
        pool.local.scale(0)
        pool.local.sync(pool.local._correct_state)
        pool.start(double, 21)
        with pytest.raises(StudyError, match=r"worker processes are gone(?s:.)*uqmbd resume"):
            pool.next()
        with pytest.raises(StudyError, match="worker processes are gone"):
            pool.call(double, 21)


@pytest.mark.slow
def test_a_scheduler_that_dies_while_a_study_runs(cluster, limits, write_study, uqmbd, monkeypatch):
    import uqmbd.campaign.campaign as campaign

    address, process = cluster
    limits(look=0.2, patience=1.0)
    commit, left = campaign.Campaign.commit, [3]

    def commit_and_kill(self, *arguments):
        commit(self, *arguments)
        left[0] -= 1
        if left[0] == 0:
            os.killpg(process.pid, signal.SIGKILL)

    monkeypatch.setattr(campaign.Campaign, "commit", commit_and_kill)
    study = write_study(("workers = 0", "workers = 0\nbatch = 2"), ("samples = 40", "samples = 100"))
    code, output = uqmbd("run", study, "--scheduler", address, "--out", "r")
    assert code == 2, output
    assert "--scheduler" in output and "cannot be reached any more" in output and "uqmbd resume" in output
    monkeypatch.setattr(campaign.Campaign, "commit", commit)
    code, output = uqmbd("resume", "r")
    assert code == 0 and "were there" in output, output


def test_a_scheduler_whose_workers_leave(cluster, limits):
    address, process = cluster
    limits(look=0.2, patience=0.5)
    with open_pool(0, address, wait=2.0) as pool:
        assert pool.call(double, 1) == 2
        process.stdin.write("let the worker go\n")
        process.stdin.flush()
        while known_workers(pool):
            assert process.poll() is None
        pool.start(double, 2)
        with pytest.raises(StudyError, match="has had no workers"):
            pool.next()


def test_nothing_hangs_when_the_pool_is_left_in_the_middle():
    """A campaign that ends with an error has tasks under way."""
    before = threading.active_count()
    with open_pool(0) as here:
        here.start(double, 1)
        here.cancel()
        assert not here.queue
    with pytest.raises(ZeroDivisionError), open_pool(1) as pool:
        for i in range(3):
            pool.start(double, i)
        raise ZeroDivisionError
    assert threading.active_count() <= before + 6
