"""Runs that are kept elsewhere: in another folder, in memory, in an object store; killed and gone on with, as in a folder."""

import os
import subprocess
import sys

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.runs.storage import storage_of
from uqmbd.study.session import run_study

BATCHES = ("workers = 0", "workers = 0\nbatch = 4")
KILLED = """
import os, signal, sys
from uqmbd.runs import storage
from uqmbd.study import Study

left, put = int(sys.argv[3]), storage.Remote.put

def put_or_die(self, name, *parts):
    global left
    left -= name.endswith(".runs")
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    put(self, name, *parts)

storage.Remote.put = put_or_die
Study.from_file(sys.argv[1]).run(out=sys.argv[2], report=False)
"""


def numbers(result) -> dict[str, bytes]:
    groups = {f"{key}/{name}": group[name].values.tobytes() for key, group in result.groups() for name in group.data_vars}
    return groups | {name: result.runs[name].values.tobytes() for name in result.runs.data_vars if name != "message"}


@pytest.fixture(scope="module")
def server():
    """The address of an S3 server on this machine."""
    moto = pytest.importorskip("moto.server", reason="moto, an S3 server for tests, is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    serving = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    serving.start()
    yield "http://{}:{}".format(*serving.get_host_and_port())
    serving.stop()


@pytest.fixture
def bucket(server, monkeypatch, request):
    """An empty bucket."""
    import boto3
    import fsspec

    for key, value in {
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": server,
    }.items():  # fmt: skip
        monkeypatch.setenv(key, value)
    name = f"runs-{abs(hash(request.node.name)) % 10**8}"
    client = boto3.client("s3")
    client.create_bucket(Bucket=name)
    client.close()
    yield f"s3://{name}"
    fsspec.get_filesystem_class("s3").clear_instance_cache()


def place(kind, tmp_path, request) -> str:
    if kind == "s3":
        return request.getfixturevalue("bucket") + "/osc"
    return {"folder": str(tmp_path / "elsewhere"), "file": f"file://{tmp_path}/elsewhere", "memory": f"memory://{tmp_path.name}"}[kind]


@pytest.mark.parametrize("store", ["all", "scalars"])
@pytest.mark.parametrize("kind", ["folder", "file", "memory", pytest.param("s3", marks=pytest.mark.slow)])
def test_runs_elsewhere_are_those_beside_the_results(kind, store, write_study, tmp_path, request):
    chosen = (BATCHES, ("seed = 3", f'seed = 3\nstore = "{store}"'))
    beside = uq.Study.from_file(write_study(*chosen)).run(out=tmp_path / "beside")
    there = place(kind, tmp_path, request)
    study = uq.Study.from_file(write_study(*chosen, ("seed = 3", f'seed = 3\nruns = "{there}"')))
    first = run_study(study, out=tmp_path / "r")
    assert first.tally.simulated == 40 and not list((tmp_path / "r").glob("runs/*"))
    assert numbers(first.result) == numbers(beside) == numbers(uq.open_results(tmp_path / "r"))
    names = sorted(name for name in storage_of(there).names() if name.endswith(".runs"))
    storage_of(there).remove(*names[3:6])
    (tmp_path / "r" / "done.json").unlink()
    again = run_study(study, out=tmp_path / "r")
    assert 0 < again.tally.simulated < 40 and numbers(again.result) == numbers(beside)


def test_another_folder_of_results_uses_the_same_runs(write_study, tmp_path):
    study = uq.Study.from_file(write_study(("seed = 3", f'seed = 3\nruns = "{tmp_path}/shared"')))
    assert run_study(study, out=tmp_path / "a").tally.simulated == 40
    assert run_study(study, out=tmp_path / "b").tally.simulated == 0


def test_a_relative_place_is_one_of_the_results(write_study, tmp_path):
    study = uq.Study.from_file(write_study(("seed = 3", 'seed = 3\nruns = "../shared"')))
    study.run(out=tmp_path / "r")
    assert list((tmp_path / "shared").glob("*.runs")) and uq.open_results(tmp_path / "r").runs.sizes["run"] == 40


@pytest.mark.slow
def test_a_damaged_object_is_run_again(bucket, write_study, tmp_path, uqmbd):
    study = uq.Study.from_file(write_study(BATCHES, ("seed = 3", f'seed = 3\nruns = "{bucket}/osc"')))
    whole = numbers(study.run(out=tmp_path / "r"))
    there = storage_of(f"{bucket}/osc")
    name = sorted(name for name in there.names() if name.endswith(".runs"))[2]
    data = bytearray(there.read(name))
    data[-20] ^= 0xFF
    there.put(name, bytes(data))
    code, said = uqmbd("verify", tmp_path / "r")
    assert code == 2 and name in said
    again = run_study(study, out=tmp_path / "r")
    assert 0 < again.tally.simulated <= 4 and numbers(again.result) == whole


@pytest.mark.slow
def test_killed_while_it_writes_to_an_object_store(bucket, write_study, tmp_path):
    whole = numbers(uq.Study.from_file(write_study(BATCHES)).run(out=tmp_path / "whole"))
    study = write_study(BATCHES, ("seed = 3", f'seed = 3\nruns = "{bucket}/osc"'))
    (tmp_path / "killed.py").write_text(KILLED)
    for left in (0, 2, 3):
        command = [sys.executable, tmp_path / "killed.py", study, tmp_path / "r", left]
        done = subprocess.run([str(word) for word in command], env=dict(os.environ))
        assert done.returncode == -9
    finished = run_study(uq.Study.from_file(study), out=tmp_path / "r")
    assert numbers(finished.result) == whole and 0 < finished.tally.simulated < 40


@pytest.mark.parametrize(("where", "words"), [("nowhere://x", "nowhere"), ("", "empty")])
def test_a_place_that_nobody_knows_is_a_sentence(where, words, write_study, uqmbd):
    code, said = uqmbd("run", write_study(("seed = 3", f'seed = 3\nruns = "{where}"')))
    assert code == 2 and "campaign.runs" in said and words in said


def test_an_object_store_that_cannot_be_reached_is_a_sentence(bucket, write_study, uqmbd, monkeypatch):
    import fsspec

    study = write_study(("seed = 3", f'seed = 3\nruns = "{bucket}/osc"'))
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    for word in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(word)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    code, said = uqmbd("run", study)
    assert code == 2 and "credentials" in said.lower() and "fault" not in said


def test_results_themselves_lie_in_a_folder(write_study, uqmbd):
    code, said = uqmbd("run", write_study(), "--out", "s3://bucket/osc")
    assert code == 2 and '[campaign] runs = "s3://bucket/osc"' in said
    with pytest.raises(StudyError, match="runs"):
        uq.Study.from_file(write_study()).run(out="memory://x")


def test_names_of_a_place(bucket):
    for address in (f"{bucket}/a", "memory://names"):
        there = storage_of(address)
        assert there.names() == {}
        there.put("one", b"12", np.arange(3, dtype=np.uint8))
        assert there.names() == {"one": 5} and there.read("one") == b"12\0\1\2" and there.read("one", 1, 3) == b"2\0"
        assert there.beginnings(["one"], 2) == [b"12"]
        there.remove("one", "two")
        assert there.names() == {}
        with pytest.raises(FileNotFoundError):
            there.read("one")
