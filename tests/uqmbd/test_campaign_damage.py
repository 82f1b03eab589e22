"""Files of a result that are damaged or gone: they are noticed, named, and run again."""

import pytest

from uqmbd.errors import StudyError
from uqmbd.runs.chunk import Chunk

from .campaigns import LOGGED, assert_identical, chunks, numbers


def blocks(file) -> dict[str, tuple[int, int]]:
    """Where in a file the blocks of the columns are, and the head."""
    chunk = Chunk.read(file.name, file.read_bytes(), file.stat().st_size)
    found = {name: (chunk.base + entry[0], chunk.base + entry[0] + entry[1]) for name, entry in chunk.head["blocks"].items()}
    return found | {"head": (0, chunk.base)}


@pytest.mark.parametrize("part", ["x", "status", "input:k", "head", "partial:status"])
@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "delete"])
def test_a_damaged_file_is_run_again(harm, part, write_study, uqmbd, tmp_path, runs_done):
    study = write_study(model=LOGGED)
    uqmbd("run", study, "--out", "r")
    whole = numbers(tmp_path / "r")
    runs_done()
    file = chunks(tmp_path / "r")[3]
    data = bytearray(file.read_bytes())
    begin, end = blocks(file)[part]
    data[(begin + end) // 2] ^= 0xFF
    file.unlink() if harm == "delete" else file.write_bytes({"flip": data, "cut": data[:-1], "empty": b""}[harm])
    read = part not in ("x", "message") or harm != "flip"  # the method is told a partial instead of the history
    if part == "head" or harm != "flip":
        code, output = uqmbd("report", "r")
        assert (code == 2 and "missing" in output) or file.name in output
    (tmp_path / "r" / "done.json").unlink()  # a finished result is not looked through again
    code, output = uqmbd("run", study, "--out", "r")
    assert code == 0
    if read:
        assert harm == "delete" or file.name in output
        assert runs_done() == 2  # the run of the file, and one to see what the model returns
    else:
        assert runs_done() == 0
        with pytest.raises(StudyError, match="x does not agree with its checksum"):
            numbers(tmp_path / "r")
        code, output = uqmbd("verify", "r")
        assert code == 2 and file.name in output and "resume" in output
        code, output = uqmbd("resume", "r")
        assert code == 0 and runs_done() == 2
    assert_identical(numbers(tmp_path / "r"), whole)
    assert uqmbd("verify", "r")[0] == 0


def test_verify_misses_a_file_that_is_gone(write_study, uqmbd, tmp_path, runs_done):
    study = write_study(model=LOGGED)
    uqmbd("run", study, "--out", "r")
    whole = numbers(tmp_path / "r")
    runs_done()
    chunks(tmp_path / "r")[3].unlink()
    code, output = uqmbd("verify", "r")
    assert code == 2 and "1 files are damaged" in output and "a file that is missing, of runs 3 to 3 with 1 runs" in output, output
    assert uqmbd("resume", "r")[0] == 0 and runs_done() == 2
    assert_identical(numbers(tmp_path / "r"), whole)
    assert uqmbd("verify", "r")[0] == 0


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"text"])
def test_a_damaged_list_of_the_runs_of_a_result_is_said(content, write_study, uqmbd, tmp_path):
    uqmbd("run", write_study(), "--out", "r")
    (tmp_path / "r" / "rows.npy").write_bytes(content)
    for command in (("export", "r", "x.csv"), ("report", "r"), ("verify", "r")):
        code, output = uqmbd(*command)
        assert code == 2 and "rows.npy" in output and "damaged" in output and "fault of" not in output, output
