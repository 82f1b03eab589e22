"""Every file of a result, harmed in any way: reading says so or gives what was written, and `verify` names the file."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import uqmbd as uq
from uqmbd import overview, report
from uqmbd.errors import StudyError
from uqmbd.exporting import export
from uqmbd.runs.chunk import Chunk, beginning
from uqmbd.runs.listing import LISTING
from uqmbd.runs.where import check_study, integers_in, spans_in
from uqmbd.sealing import sealed, unsealed
from uqmbd.study.reuse import done_in, remembered
from uqmbd.verifying import verify

MODEL = """
import numpy as np
from pathlib import Path

FACTOR = float(Path(__file__).with_name("factor.txt").read_text())

def oscillator(k, c, time):
    if k > 10.9:
        raise ValueError("spring broken")
    x = FACTOR * np.exp(-c * time) * np.cos(np.sqrt(k) * time)
    return {"x": x, "peak": float(abs(x[len(x) // 2 :]).max())}
"""


def study_in(home: Path, samples: int, seed: int) -> uq.Study:
    from .conftest import STUDY

    text = STUDY.replace("samples = 40", f"samples = {samples}\nmax_failed = 0.5").replace("seed = 3", f"seed = {seed}\nbatch = 8")
    (home / "study.toml").write_text(text)
    (home / "model.py").write_text(MODEL)
    (home / "factor.txt").write_text("2.0")
    return uq.Study.from_file(home / "study.toml")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A finished study, whose store holds runs of another question too; what is read of it; its files."""
    home = tmp_path_factory.mktemp("whole")
    folder = home / "results" / "osc"
    study_in(home, 12, 3).run(out=folder, progress=False, report=False)
    study = study_in(home, 20, 4)
    study.run(out=folder, progress=False, report=False)
    (folder / "figures").mkdir()
    (folder / "figures" / "x.png").write_bytes(b"a picture")
    (folder / "report.html").write_text("a page")
    report.entered(folder / "report.html")
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file() and file.name != "lock")
    names = {"study.toml", "done.json", "manifest.json", "rows.npy", "report.html", "runs/head.json", "runs/about.json", "runs/reads.json"}
    assert names | {LISTING, "model/model.py", "model/factor.txt", "result.zarr/zarr.json"} <= set(files)
    digest = json.loads((folder / "done.json").read_text())["study"]
    return study, folder, digest, files, read(study, folder, digest, folder.parent / "before.csv")


def read(study, folder: Path, digest: str, out: Path) -> dict[str, object]:
    """All that reading says of a folder; `StudyError` where it refuses."""
    check_study(folder)
    result = uq.open_results(folder)
    groups = {f"{key} {name}": x.values for key, group in (*result.groups(), ("runs", result.runs)) for name, x in group.variables.items()}
    export(folder, out)
    entry = overview.entry(folder)
    return {
        "groups": groups,
        "units": {name: x.attrs for name, x in result.runs.data_vars.items()},
        "attrs": result.attrs,
        "runs": result.runs.attrs,
        "manifest": result.manifest,
        "exported": out.read_bytes(),
        "entry": (entry.name, entry.method, entry.runs, entry.failed, entry.state),
        "done": done.date if (done := done_in(folder)) is not None and done.result == digest else "",
        "reads": remembered(study, folder),
    }


def same(first: object, second: object) -> bool:
    if isinstance(first, dict):
        return isinstance(second, dict) and first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.shape == second.shape and first.tolist().__repr__() == second.tolist().__repr__()
    return first == second


def told(before: dict, after: dict, name: str) -> bool:
    """Whether reading says the same, or says what it does not know: in a note, in a state, or by making the result again."""
    notes = after["attrs"].get("notes", [])
    if any(Path(name).name in note for note in notes):
        after["attrs"] = {**after["attrs"], "notes": before["attrs"].get("notes", [])} | (
            {} if "notes" in before["attrs"] else {"notes": after["attrs"]["notes"]}
        )
        after["attrs"] = {key: value for key, value in after["attrs"].items() if key in before["attrs"]}
        after["manifest"] = before["manifest"] if name == "manifest.json" else after["manifest"]
    if after["entry"][-1] in ("damaged", "stopped"):
        after["entry"] = before["entry"]
    if name.endswith(".runs") and after["entry"][2] < before["entry"][2]:  # of another question; verify names it
        after["entry"] = before["entry"]
    after["done"] = after["done"] or before["done"]  # none: the result is made again
    return same(before, after)


def harm(file: Path, rng: np.random.Generator) -> str:
    """Damage a file in one of the ways that happen, and say how."""
    data = bytearray(file.read_bytes())
    kind = str(rng.choice(["flip", "flip", "flip", "cut", "cut", "remove", "empty", "zeros", "longer"]))
    at = int(rng.integers(max(len(data), 1)))
    if kind == "remove" or not data:
        file.unlink()
        return "remove"
    if kind == "flip":
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == "zeros" and any(data[at : at + 64]):
        data[at : at + 64] = bytes(len(data[at : at + 64]))
    elif kind == "longer":
        data += bytes(rng.integers(0, 256, 8, dtype=np.uint8))
    else:
        del data[0 if kind == "empty" else at :]
    file.write_bytes(bytes(data))
    return f"{kind} at {at}"


def state(place: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file."""
    files = {str(file.relative_to(place)): file.stat() for file in place.rglob("*") if file.is_file()}
    return {name: (found.st_size, found.st_mtime_ns) for name, found in files.items()}


def damages(whole, tmp_path: Path, count: int, seed: int) -> list[str]:
    """What went unsaid over so many damages: files chosen evenly, and by their sizes, in turn."""
    study, folder, digest, files, before = whole
    rng = np.random.default_rng(seed)
    sizes = np.array([(folder / name).stat().st_size for name in files], float)
    wrong, place = [], tmp_path / "osc"
    shutil.copytree(folder, place)
    there = state(place)
    for number in range(count):
        name = files[rng.choice(len(files), p=sizes / sizes.sum())] if number % 2 else files[number // 2 % len(files)]
        how = f"{name}: {harm(place / name, rng)}"
        try:
            after = read(study, place, digest, tmp_path / "x.csv")
            if not told(before, after, name):
                wrong.append(f"{how}: silent")
        except StudyError as error:
            if not error.remedy or not error.file:
                wrong.append(f"{how}: no remedy or file in {error}")
        except Exception as error:
            wrong.append(f"{how}: {type(error).__name__} {error} when read")
        try:
            found = verify(place)
            known = " ".join(found.files)
            if Path(name).name not in known and not (name.endswith(".runs") and "missing, of runs" in known):
                wrong.append(f"{how}: not named by verify, which has {known}")
            if found.files and not found.remedies(place):
                wrong.append(f"{how}: no remedy")
        except Exception as error:
            wrong.append(f"{how}: {type(error).__name__} {error} when verified")
        now = state(place)
        for other in (other for other in {**there, **now} if there.get(other) != now.get(other)):  # what was harmed, and what `verify` did
            shutil.copy2(folder / other, place / other) if other in there else (place / other).unlink()
        assert state(place) == there
    return wrong


def test_a_lost_run_of_another_question_is_named(whole, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    first = sorted((place / "runs").glob("*.runs"))[0]
    first.unlink()
    assert uq.open_results(place).runs.sizes["run"] == 20
    assert list(verify(place).files) == ["a file that is missing, of runs 0 to 0"]


def test_a_whole_folder_is_said_to_be_whole(whole, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    found = verify(place)
    assert found.files == {} and found.notes == [] and found.runs == 32
    assert whole[-1]["entry"] == ("osc", "montecarlo", 32, whole[-1]["entry"][3], "finished")


def test_no_damage_goes_unsaid(whole, tmp_path):
    assert damages(whole, tmp_path, 60, seed=1) == []


@pytest.mark.slow
def test_no_damage_of_a_thousand_goes_unsaid(whole, tmp_path):
    assert damages(whole, tmp_path, 1000, seed=2) == []


@pytest.mark.report
@pytest.mark.parametrize("how", ["missing", "cut", "head"])
def test_all_commands_say_the_same_of_runs_that_are_lost(how, whole, uqmbd, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    file = sorted((place / "runs").glob("*.runs"))[-1]
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.unlink() if how == "missing" else file.write_bytes(data[:-1] if how == "cut" else data)
    with pytest.raises(StudyError, match="a file of these results is") as found:
        uq.open_results(place)
    for command in (("show", place), ("export", place, "x.csv"), ("report", place)):
        code, output = uqmbd(*command)
        assert code == 2 and found.value.message in output and str(found.value.file) in output and "uqmbd resume" in output, output
    assert not (tmp_path / "x.csv").exists()
    code, output = uqmbd("verify", place)
    assert code == 2 and found.value.message.split(": ")[1] in output and "uqmbd resume" in output, output


def test_the_command_makes_again_what_is_damaged(whole, write_study, uqmbd, tmp_path):
    study, folder, digest, files, before = whole
    for name in ("result.zarr/zarr.json", "rows.npy", "runs/about.json", "runs/head.json", "manifest.json", "done.json", LISTING):
        place = tmp_path / "osc"
        shutil.copytree(folder, place)
        data = (place / name).read_bytes()
        (place / name).write_bytes(data[: len(data) // 2])
        code, output = uqmbd("verify", place)
        assert code == 2 and name in output, output
        if name == LISTING:
            (place / name).unlink()  # as it says
        code, output = uqmbd("resume", place)
        assert code == 0 and "20 runs (0 simulated" in output, (name, output)
        assert uqmbd("verify", place)[0] == 0, name
        after = read(study, place, digest, tmp_path / "x.csv")
        assert same(before["groups"], after["groups"]) and before["attrs"]["simulator"] == after["attrs"]["simulator"], name
        shutil.rmtree(place)


# sizes from a file that somebody else has sealed ------------------------------------------------------------------------------------------
def test_sizes_in_a_list_of_rows_are_compared_with_what_is_there():
    good = np.array([[0, 4], [8, 12]])
    import io

    stream = io.BytesIO()
    np.save(stream, good)
    data = stream.getvalue()
    assert np.array_equal(spans_in(data), good)
    huge = data.replace(b"(2, 2)", b"(2999999999, 2)").replace(b" " * 9, b"", 1)
    for wrong in (data[:-1], data + b"x", huge, data.replace(b"<i8", b"|O8"), data.replace(b"<i8", b"<f8")):
        with pytest.raises(ValueError, match=r"another|no header"):
            integers_in(wrong)
    for spans in ([[4, 0]], [[-1, 3]], [[0, 4], [2, 6]], [[3, 3]]):
        stream = io.BytesIO()
        np.save(stream, np.array(spans))
        with pytest.raises(ValueError, match="not rising"):
            spans_in(stream.getvalue())


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head.update(rows=[[0, 1 << 40]]),
        lambda head: head.update(rows=[[5, 2]]),
        lambda head: head.update(rows="many"),
        lambda head: head.update(counts=[1, 1, 1, 1]),
        lambda head: head["blocks"]["x"].__setitem__(0, 1 << 50),
        lambda head: head["blocks"]["x"].__setitem__(3, "|O"),
        lambda head: head["blocks"]["status"].__setitem__(4, [1 << 40]),
        lambda head: head.pop("blocks"),
        lambda head: head.pop("timeout"),
    ],
)
def test_heads_that_cannot_be_true_are_damaged(change, whole):
    file = sorted((whole[1] / "runs").glob("*.runs"))[0]
    data = file.read_bytes()
    chunk = Chunk.read(file.name, data, len(data))
    head = json.loads(json.dumps(chunk.head))
    change(head)
    new = beginning(head) + data[chunk.base :]
    assert Chunk.read(file.name, new, len(new)) is None


@pytest.mark.parametrize(
    "entry", [["x", "float64", 1 << 40, ""], ["peak", "int8", 0, ""], ["peak", "str", 0, ""], ["peak", "float64", 3, ""]]
)
def test_columns_that_are_not_those_of_the_files_are_refused(entry, whole, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    file = place / "runs" / "head.json"
    header = unsealed(file.read_bytes())[0]
    header["columns"] = [entry if column[0] == entry[0] else column for column in header["columns"]]
    file.write_bytes(sealed(header))
    with pytest.raises(StudyError, match="damaged"):
        uq.open_results(place)


@pytest.mark.parametrize("attrs", [{"inputs": 3}, {"inputs": {"k": 3}}, {"notes": 4}, 7])
def test_what_a_later_version_might_say_of_itself_is_a_sentence(attrs, whole, tmp_path):
    from .test_foreign_results import change_root

    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    change_root(place / "result.zarr", lambda root: root.update(attrs=attrs))
    with pytest.raises(StudyError, match="the result cannot be read"):
        uq.open_results(place)


def test_rows_beyond_memory_are_refused(whole, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    file = sorted((place / "runs").glob("*.runs"))[0]
    data = file.read_bytes()
    chunk = Chunk.read(file.name, data, len(data))
    head = chunk.head | {"rows": [[1 << 50, (1 << 50) + chunk.runs]]}
    file.write_bytes(beginning(head) + data[chunk.base :])
    with pytest.raises(StudyError, match="than this machine has memory for"):
        uq.open_results(place)


def test_a_sealed_document_that_lost_a_mark_is_no_old_one():
    data = sealed({"a": 1})
    assert unsealed(data) == ({"a": 1}, True) and unsealed(b'{"a": 1}') == ({"a": 1}, False)
    marks = [data.replace(b'"sealed"', b'"seared"'), data.replace(b'"seal"', b'"real"'), data.replace(b"1", b"2", 1)]
    for wrong in (*marks, data[:-30] + b"}"):
        with pytest.raises(ValueError, match=r"checksum|Expecting|Extra|delimiter"):
            unsealed(wrong)


# results of the edition before ------------------------------------------------------------------------------------------------------------
def as_before(place: Path) -> None:
    """Take from a folder what the edition before did not write: the list of checksums, the seals of documents, the number of the format."""
    (place / LISTING).unlink()
    for name in ("head.json", "about.json", "reads.json"):
        file = place / "runs" / name
        file.write_text(json.dumps(unsealed(file.read_bytes())[0]))
    done = json.loads((place / "done.json").read_text())
    (place / "done.json").write_text(json.dumps({key: done[key] for key in ("study", "date")}))
    from .test_foreign_results import change_root

    change_root(place / "result.zarr", lambda root: root.pop("format"))


def test_a_folder_of_the_edition_before_is_read_gone_on_with_and_verified(whole, uqmbd, tmp_path):
    study, folder, digest, _, before = whole
    place = tmp_path / "osc"
    shutil.copytree(folder, place)
    as_before(place)
    after = read(study, place, digest, tmp_path / "x.csv")
    assert not after["done"]  # of such a result it is not known whether a limit of time stopped runs: it is made again from them
    assert same(before, after | {"done": before["done"]})
    code, output = uqmbd("verify", place)
    assert code == 0 and "before results had checksums" in output and "every file" in output
    code, output = uqmbd("resume", place)
    assert code == 0 and "0 simulated" in output, output
    assert uqmbd("verify", place) == (0, "32 runs: every file is as it was written\n")


def test_a_damaged_head_of_the_edition_before_is_said(whole, uqmbd, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    as_before(place)
    head = place / "runs" / "head.json"
    head.write_text(head.read_text().replace('"time": [0.0, 0.1', '"time": [0.0, 0.5'))
    with pytest.raises(StudyError, match="damaged"):
        uq.open_results(place)
    code, output = uqmbd("verify", place)
    assert code == 2 and "head.json" in output


def test_runs_of_an_earlier_version_are_verified_as_far_as_they_can_be(whole, uqmbd, tmp_path):
    place = tmp_path / "osc"
    shutil.copytree(whole[1], place)
    as_before(place)
    runs = uq.open_results(place).runs.load()
    shutil.rmtree(place / "runs")
    (place / "rows.npy").unlink()
    runs.drop_vars("message").to_zarr(place / "runs.zarr", consolidated=False, zarr_format=3)
    code, output = uqmbd("verify", place)
    assert code == 0 and "runs.zarr is of an earlier version" in output, output
    (place / "result.zarr" / "zarr.json").unlink()
    code, output = uqmbd("verify", place)
    assert code == 2 and "result.zarr/zarr.json" in output, output
