"""Clusters of others: by address, client or object; workers that come late, leave and are replaced; and who may reach a cluster of ours."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.campaign.campaign import Campaign
from uqmbd.campaign.cluster import Cluster
from uqmbd.campaign.pool import open_pool
from uqmbd.errors import StudyError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"


@pytest.fixture
def quick(monkeypatch):
    """Look at the workers all the time."""
    monkeypatch.setattr(Cluster, "look", 0.1)


@pytest.fixture
def cluster(tmp_path):
    """A Dask cluster of somebody else, without workers yet."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address="127.0.0.1:0", local_directory=tmp_path / "dask") as there:
        yield there


def equal(first, second) -> bool:
    names = sorted(first.runs.data_vars)
    return names == sorted(second.runs.data_vars) and all(
        np.array_equal(first.runs[name].values, second.runs[name].values) for name in names
    )


def product(a, b):
    return {"y": a * b}


def study(samples=60, **campaign):
    inputs = {"a": uq.Uniform(1.0, 2.0), "b": uq.Uniform(3.0, 4.0)}
    method = uq.MonteCarlo(samples=samples)
    return uq.Study(model=product, inputs=inputs, outputs=["y"], method=method, name="product", campaign={"batch": 2, **campaign})


def test_workers_come_late_die_leave_and_come_again(cluster, quick, tmp_path, monkeypatch, capfd):
    """The numbers are those of one process, whoever does the runs."""
    commit, done = Campaign.commit, []

    def eventful(self, *arguments):
        commit(self, *arguments)
        done.append(self.pool.workers)
        match len(done):
            case 4:
                cluster.scale(2)
            case 10:
                os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            case 20:
                cluster.scale(0)

    def come(self, seconds):
        if seconds:
            cluster.scale(1)

    monkeypatch.setattr(Campaign, "commit", eventful)
    monkeypatch.setattr("uqmbd.campaign.campaign.Watcher.waiting", come)
    there = study().run(out=tmp_path / "there", cluster=cluster, progress=False)
    monkeypatch.setattr(Campaign, "commit", commit)
    here = study().run(out=tmp_path / "here", workers=0, progress=False)
    assert len(done) == 30
    assert there.attrs["runs_failed"] == 0
    assert equal(here, there)
    assert cluster.status.name == "running"


def test_what_is_under_way_follows_the_workers(cluster, quick):
    cluster.scale(1)
    with open_pool(0, cluster) as pool:
        assert pool.call(int, "7") == 7
        assert pool.count() == pool.workers == 1
        cluster.scale(2)
        while pool.workers < 2:
            assert pool.next() == (None, None)  # nothing is under way: more could be
        assert pool.workers == 2
        cluster.scale(0)
        while pool.count():
            pass
        assert pool.workers == 1  # one batch is at hand for the first that comes


def test_a_client_that_is_given_stays_open(cluster, tmp_path):
    from distributed import Client

    cluster.scale(1)
    with Client(cluster, set_as_default=False) as client:
        there = study(8).run(out=tmp_path / "there", cluster=client, progress=False)
        assert client.status == "running" and client.submit(int, "7").result() == 7
    assert there.attrs["runs"] == 8
    with pytest.raises(StudyError, match="client is not connected"):
        study(9).run(out=tmp_path / "closed", cluster=client)


@pytest.mark.parametrize(("wrong", "words"), [(42, "no address, Client or cluster"), ("nowhere.json", "no such file of a scheduler")])
def test_what_is_no_cluster_is_said(wrong, words, tmp_path):
    with pytest.raises(StudyError, match=words):
        study(4).run(out=tmp_path / "r", cluster=wrong)


def test_progress_says_that_it_waits(cluster, quick, tmp_path, capfd):
    with pytest.raises(StudyError, match=r"no workers for 0\.3 s(?s:.)*campaign\.wait"):
        study(4, wait=0.3).run(out=tmp_path / "r", cluster=cluster)
    assert re.search(r"product: 0/4 runs.*no workers for \d+ s, waiting", capfd.readouterr().err)


def test_a_cluster_of_ours_is_reached_by_its_owner_alone():
    """Whoever else connects, without a certificate or with one of his own making, is refused."""
    import ssl

    from distributed import Client
    from distributed.security import Security

    with open_pool(1) as pool:
        address = pool.client.scheduler_info()["address"]
        assert address.startswith("tls://127.0.0.1:")
        stranger = Security.temporary().get_connection_args("client")["ssl_context"]
        stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
        place = ("127.0.0.1", int(address.rpartition(":")[2]))
        with (
            socket.create_connection(place) as raw,
            stranger.wrap_socket(raw) as line,
            pytest.raises(ssl.SSLError, match=r"(?i)unknown.ca|certificate|decrypt"),
        ):
            line.recv(1)
        with pytest.raises(OSError, match=r"Timed out|reset by peer|closed"):
            Client(address.replace("tls", "tcp"), timeout="1s")
        workers = pool.client.scheduler_info()["workers"]
        assert workers and all(name.startswith("tls://127.0.0.1:") for name in workers)
        assert pool.call(int, "7") == 7


def test_workers_started_by_hand(write_study, tmp_path, uqmbd):
    """The first recipe of docs/clusters.md, as it stands there."""
    lines = block("sh", "dask scheduler --").splitlines()
    commands = [line.split("#")[0].rstrip(" &").split() for line in lines if line.startswith("dask ")]
    assert [command[1] for command in commands] == ["scheduler", "worker", "worker"]
    processes = []
    try:
        for command in commands:
            more = (
                ["--port", "0", "--dashboard-address", "127.0.0.1:0"] if command[1] == "scheduler" else ["--local-directory", str(tmp_path)]
            )
            program = [sys.executable, "-m", "dask", *command[1:], *more]
            processes.append(
                subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            )
            while command[1] == "scheduler" and not (tmp_path / "scheduler.json").is_file():
                assert processes[0].poll() is None
        path = write_study()
        code, output = uqmbd("run", path, "--scheduler", "scheduler.json", "--out", "there")
        assert code == 0, output
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert equal(uq.open_results(tmp_path / "there"), uq.Study.from_file(path).run(out=tmp_path / "here"))


def block(language: str, word: str) -> str:
    """The first block of code in the page that holds a word."""
    found = [part.split("```")[0] for part in DOCS.read_text().split(f"```{language}\n")[1:]]
    return next(part for part in found if word in part)


def test_slurm_is_asked_for_what_the_recipe_says():
    before = signal.getsignal(signal.SIGINT)
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed (extra `clusters`)")
    signal.signal(signal.SIGINT, before)  # which it takes for itself when it is imported, for all tests after this one
    names: dict = {}
    code = block("python", "SLURMCluster").split("with Client")[0].replace("SLURMCluster(", "SLURMCluster(scheduler_options=dict(port=0), ")
    exec(code, names)
    with names["cluster"] as cluster:
        script = cluster.job_script()
    lines = [line for line in script.splitlines() if line.startswith("#SBATCH")]
    assert {"#SBATCH -p standard", "#SBATCH --cpus-per-task=4", "#SBATCH -t 02:00:00"} <= set(lines)
    assert any(re.fullmatch(r"#SBATCH --mem=\d+G", line) for line in lines)
    worker = script.splitlines()[-1]
    assert "--nworkers 4" in worker and "--nthreads 1" in worker
    assert "--lifetime 110m" in worker and "--lifetime-stagger 5m" in worker  # it leaves before SLURM ends the job
    assert "OMP_NUM_THREADS=1" in script


@pytest.mark.slow  # forty packages: `.ci/run` installs them for the slow tests
def test_kubernetes_is_asked_for_what_the_recipe_says():
    pytest.importorskip("dask_kubernetes", reason="dask-kubernetes is not installed (extra `clusters`)")
    names: dict = {}
    exec(block("python", "make_cluster_spec").split("with KubeCluster")[0], names)
    spec = names["spec"]
    assert spec["kind"] == "DaskCluster" and spec["metadata"]["name"] == "uqmbd"
    worker = spec["spec"]["worker"]
    assert worker["replicas"] == 20
    (container,) = worker["spec"]["containers"]
    assert container["image"] == spec["spec"]["scheduler"]["spec"]["containers"][0]["image"] == "registry.example.org/uqmbd:1"
    assert container["args"][:2] == ["dask", "worker"] and container["args"][-2:] == ["--nthreads", "1"]
    assert container["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "1", "memory": "2Gi"}}
