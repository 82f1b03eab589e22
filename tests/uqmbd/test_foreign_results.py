"""Folders of results that other people made: reading executes nothing that lies in them; what a folder tells of its maker."""

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.plain_zarr import CODECS, require_plain
from uqmbd.runs.keys import OF_THIS_PROCESS, with_key, without_key
from uqmbd.runs.listing import LISTING, ROOT, list_files
from uqmbd.runs.storage import storage_of
from uqmbd.sealing import seal

FAST = (("[time]\nend = 2.0\npoints = 21\n", ""), ("model.py:oscillator", "model.py:scalar"), ('["x", "peak", "x:rms"]', '["y"]'))


@pytest.fixture
def stranger(write_study, tmp_path):
    """A folder of results, and a file that is there as soon as its code is executed."""
    uq.Study.from_file(write_study(*FAST)).run(out=tmp_path / "r", progress=False)
    return tmp_path / "r", tmp_path / "executed"


def change_root(store: Path, change) -> None:
    """Change the document of the root, and seal the store again, as anybody can."""
    head = store / "zarr.json"
    document = json.loads(head.read_text())
    for key in ("checksums", "seal"):
        document["attributes"].pop(key)
    change(document["attributes"])
    head.write_text(json.dumps(document))
    seal(store)
    if (store.parent / LISTING).is_file():
        list_files(store.parent, ROOT)


@pytest.mark.report
def test_figures_of_a_folder_are_drawn_only_when_it_is_trusted(stranger, uqmbd):
    folder, executed = stranger
    (folder / "figs.py").write_text(f"open({str(executed)!r}, 'w').close()\ndef f(result):\n    return []\n")
    change_root(folder / "result.zarr", lambda root: root["attrs"].update(report={"figures": [f"{folder / 'figs.py'}:f"]}))
    code, output = uqmbd("report", folder)
    assert code == 0 and not executed.exists() and "figs.py:f are left out" in output and "--trust" in output
    assert "are left out: they are code" in (folder / "report.html").read_text()
    for command in (
        ("show", folder),
        ("export", folder, "x.csv"),
        ("compare", folder, folder),
        ("list", folder.parent),
        ("verify", folder),
    ):
        uqmbd(*command)
        assert not executed.exists(), command
    code, output = uqmbd("report", folder, "--trust")
    assert code == 0 and executed.exists() and "left out" not in output


HOSTILE = """
[study]
name = "osc"
model = "{0}:f"
simulator = "{0}:f"

[inputs.k]
"{0}:f" = 3

[outputs]
include = ["y"]

[method]
type = "{0}:f"

[report]
figures = ["{0}:f"]
fields = ["{0}:f"]
"""


@pytest.mark.report
def test_what_only_reads_executes_nothing_that_a_study_names(stranger, uqmbd, tmp_path):
    folder, executed = stranger
    evil = folder / "evil.py"
    evil.write_text(f"open({str(executed)!r}, 'w').close()\ndef f(*_, **__):\n    return {{}}\n")
    (folder / "sitecustomize.py").write_text(evil.read_text())
    (folder / "study.toml").write_text(HOSTILE.format(evil))
    list_files(folder, "study.toml")
    shutil.copytree(folder, tmp_path / "other")
    for command, *more in (("show",), ("export", "x.csv"), ("compare", "other"), ("list",), ("report",), ("verify",), ("merge", "other")):
        code, output = uqmbd(command, folder, *more)
        assert not executed.exists() and (code == 0 or output.startswith("error: ")), (command, output)
        assert code == 0 or command == "verify", (command, output)
    code, output = uqmbd("resume", folder)
    assert executed.exists()


class Load:
    """Executes something when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return exec, (f"open({str(self.marker)!r}, 'w').close()",)


def of_format_2(group: Path, marker: Path) -> None:
    """A group whose filter unpickles."""
    shutil.rmtree(group)
    (group / "y").mkdir(parents=True)
    (group / ".zgroup").write_text('{"zarr_format": 2}')
    array = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|O", "compressor": None, "fill_value": "", "order": "C"}
    (group / "y" / ".zarray").write_text(json.dumps(array | {"filters": [{"id": "vlen-utf8"}, {"id": "pickle"}]}))
    (group / "y" / "0").write_bytes(pickle.dumps(Load(marker)))


def with_codec(name):
    def change(group: Path, marker: Path) -> None:
        file = group / "y" / "zarr.json"
        document = json.loads(file.read_text())
        document["codecs"] = [*document["codecs"], {"name": name, "configuration": {}}]
        file.write_text(json.dumps(document))

    return change


def changed(**entries):
    def change(group: Path, marker: Path) -> None:
        file = group / "y" / "zarr.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | entries))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of_format_2, "zarr format 2"),
        (with_codec("numcodecs.pickle"), "numcodecs.pickle"),
        (with_codec("anything"), "anything"),
        (changed(data_type="object"), "type that uqmbd does not write"),
        (changed(storage_transformers=[{"name": "x"}]), "storage transformer"),
        (changed(shape=[10**14]), "larger than the memory"),
        (changed(shape=[-1]), "a shape that is none"),
        (changed(shape="many"), "shape that is none"),
        (changed(chunk_grid=3), "describes no array"),
    ],
)
def test_a_store_that_uqmbd_would_not_write_is_not_opened(change, words, stranger):
    folder, executed = stranger
    change(folder / "result.zarr" / "inner", executed)
    change_root(folder / "result.zarr", lambda root: None)
    with pytest.raises(uq.StudyError, match=words) as found:
        uq.open_results(folder)
    assert not executed.exists() and "result.zarr" in found.value.file and found.value.remedy
    with pytest.raises(uq.StudyError, match=words):
        require_plain(folder / "result.zarr")


def test_the_codecs_of_the_list_are_those_that_are_written(stranger):
    documents = [json.loads(file.read_text()) for file in (stranger[0] / "result.zarr").rglob("zarr.json")]
    written = {codec["name"] for document in documents for codec in document.get("codecs", ())}
    assert written and written <= CODECS


@pytest.mark.parametrize("address", ["reference://x", "simplecache::reference://x", "dask::s3://b/x"])
def test_addresses_that_execute_are_refused(address):
    with pytest.raises(uq.StudyError, match="may execute code"):
        storage_of(address)


# later versions --------------------------------------------------------------------------------------------------------------------------
def test_what_a_later_version_says_besides_is_left_out(stranger):
    folder, _ = stranger
    before = uq.open_results(folder)

    def later(root) -> None:
        root["attrs"]["inputs"]["k"] |= {"lower": 1.0, "colour": "red"}
        root["attrs"]["more"] = {"a": 1}
        root["more"] = 3

    change_root(folder / "result.zarr", later)
    found = uq.open_results(folder)
    assert found.facts.inputs["k"] == before.facts.inputs["k"] and repr(found) == repr(before)


def test_a_later_format_is_said(stranger, uqmbd):
    folder, _ = stranger
    change_root(folder / "result.zarr", lambda root: root.update(format=99))
    code, output = uqmbd("show", folder)
    assert code == 2 and "later version of uqmbd" in output and "update uqmbd" in output


# what a folder tells of its maker ---------------------------------------------------------------------------------------------------------
def test_copies_of_the_model_are_no_wider_than_its_files(write_study, tmp_path):
    model = (
        "from pathlib import Path\nTOKEN = Path(__file__).with_name('token.txt').read_text()\ndef scalar(k, c):\n    return {'y': k * c}\n"
    )
    study = write_study(*FAST, model=model)
    (tmp_path / "token.txt").write_text("a token\n")
    os.chmod(tmp_path / "token.txt", 0o600)
    os.chmod(tmp_path / "model.py", 0o640)
    uq.Study.from_file(study).run(out=tmp_path / "r", progress=False)
    modes = {name: (tmp_path / "r" / "model" / name).stat().st_mode & 0o777 for name in ("token.txt", "model.py")}
    assert modes["token.txt"] == 0o600 and not modes["model.py"] & ~0o640
    assert (tmp_path / "r" / "model" / "token.txt").read_text() == "a token\n"


KEYED = "memory://KEYID:TOP/SECRET@bucket/{}?sig=ALSOSECRET"


@pytest.mark.report
def test_keys_of_storage_are_in_no_file(write_study, uqmbd, tmp_path, monkeypatch):
    address = KEYED.format(tmp_path.name)
    study = write_study(*FAST, ("workers = 0", f'workers = 0\nruns = "{address}"'))
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 0, output
    written = [file for file in (tmp_path / "r").rglob("*") if file.is_file()]
    secret = ("SECRET", "KEYID")
    assert len(written) > 5 and [file for file in written if any(word.encode() in file.read_bytes() for word in secret)] == []
    assert not any(word in output for word in secret) and "UQMBD_RUNS" in output
    runs = uq.open_results(tmp_path / "r").runs
    assert runs.sizes["run"] == 40
    OF_THIS_PROCESS.clear()  # as another process
    with pytest.raises(uq.StudyError, match="missing"):
        uq.open_results(tmp_path / "r")
    monkeypatch.setenv("UQMBD_RUNS", address)
    assert np.array_equal(uq.open_results(tmp_path / "r").runs["y"], runs["y"])
    code, output = uqmbd("resume", "r")
    assert code == 0 and "nothing to simulate" in output


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3://KEY:SEC/RET@bucket/a/b", "s3://bucket/a/b"),
        ("sftp://me@host/a", "sftp://host/a"),
        ("https://host/a?sig=x&y=z", "https://host/a"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("s3://bucket/a", "s3://bucket/a"),
        ("../shared", "../shared"),
        ("me@host:folder", "me@host:folder"),
    ],
)
def test_what_is_said_of_an_address(address, said, monkeypatch):
    monkeypatch.setattr("uqmbd.runs.keys.OF_THIS_PROCESS", {})
    assert without_key(address) == said == without_key(said) and with_key(address) == address
    assert with_key(said) == address


# places that cannot be written or read ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".nc"])
def test_export_to_a_place_that_cannot_be_written(suffix, stranger, uqmbd, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (f"/proc/x{suffix}", tmp_path / "file" / f"x{suffix}"):
        code, output = uqmbd("export", stranger[0], out)
        assert code == 2 and "cannot be written" in output and str(out) in output and "fault of uqmbd" not in output, output
    (tmp_path / f"taken{suffix}").mkdir()
    code, output = uqmbd("export", stranger[0], f"taken{suffix}")
    assert code == 2 and "cannot be written" in output, output
    assert not list(tmp_path.glob(".*.new"))


def test_export_of_what_cannot_be_read(stranger, uqmbd, tmp_path, monkeypatch):
    from uqmbd.runs.storage import Folder

    def refuse(self, name, start=0, stop=None):
        raise PermissionError(13, "Permission denied", name)

    (tmp_path / "empty").mkdir()
    code, output = uqmbd("export", tmp_path / "empty", "x.csv")
    assert code == 2 and "there are no runs here" in output
    monkeypatch.setattr(Folder, "read", refuse)
    code, output = uqmbd("export", stranger[0], "x.csv")
    assert code == 2 and "Permission denied" in output and "fault of uqmbd" not in output
