"""A program as the model: its result is that run's own, inputs and places belong together, and no shell reads the command."""

import json
import sys

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.simulators.command import Command, CommandFailed, command_line, words_of
from uqmbd.simulators.filling import fill

STUDY = """
[study]
name = "s"
command = {command}
template = "case"
{more}
[inputs.clearance]
interval = [1.0, 2.0]
[inputs.load]
interval = [3.0, 4.0]
[outputs]
include = ["y"]
[method]
type = "vertex"
[campaign]
workers = 0
"""
PROGRAM = """
import json, sys
numbers = dict(line.split("=") for line in open("input.txt"))
if float(numbers["clearance"]) < 1.5:  # ends without an error, and without a result
    sys.exit()
json.dump({"y": float(numbers["clearance"]) * float(sys.argv[1])}, open("result.json", "w"))
"""


@pytest.fixture
def study(tmp_path):
    """Write a study of a command whose template is sound: `study(command, more)`, and its folder."""
    case = tmp_path / "case"
    case.mkdir()
    (case / "input.txt").write_text("clearance={{clearance}}\n")
    (case / "solve.py").write_text(PROGRAM)

    def write(command=f'["{sys.executable}", "solve.py", "{{{{load}}}}"]', more=""):
        (tmp_path / "s.toml").write_text(STUDY.format(command=command, more=more))
        return uq.Study.from_file(tmp_path / "s.toml")

    return write


@pytest.mark.parametrize("result", ["result.json", "out/result.json"])
def test_a_result_of_before_is_that_of_no_run(study, tmp_path, result):
    """Half of the runs leave no result: they have failed, and do not have the number that lies in the template."""
    old = tmp_path / "case" / result
    old.parent.mkdir(exist_ok=True)
    (tmp_path / "case" / "solve.py").write_text(PROGRAM.replace('"result.json"', f'"{result}"'))
    found = study(more=f'result = "{result}"')
    before = found.model.digest
    old.write_text('{"y": 42.0}')
    assert study(more=f'result = "{result}"').model.digest == before  # what is not copied is no part of the model
    command = found.model.bare
    assert command(clearance=2.0, load=3.0) == {"y": 6.0}
    with pytest.raises(CommandFailed, match=r"the program left no file result.json"):
        command(clearance=1.0, load=3.0)
    assert json.loads(old.read_text()) == {"y": 42.0}  # the user's own stays


@pytest.mark.parametrize("result", ["/tmp/old.json", "../old.json", "a/../../old.json", "", ".", "a/..", "{{load}}.json"])
def test_a_result_outside_the_folder_of_the_run_is_refused(study, result):
    with pytest.raises(StudyError) as caught:
        study(more=f'result = "{result}"')
    assert caught.value.key == "study.result" and caught.value.remedy


def test_a_link_to_a_place_outside_is_no_result(tmp_path):
    old = tmp_path / "old.json"
    old.write_text('{"y": 42.0}')
    with pytest.raises(CommandFailed, match="outside the folder of the run"):
        Command(("ln", "-s", str(old), "result.json"), "", "result.json")()


def test_a_place_without_an_input_is_named(study, tmp_path):
    (tmp_path / "case" / "input.txt").write_text("clearance={{clearence}}\n{{clearance}}")
    with pytest.raises(StudyError) as caught:
        study()
    assert caught.value.file.endswith("input.txt") and "{{clearence}}" in str(caught.value)
    assert caught.value.remedy == 'did you mean "clearance"?'
    (tmp_path / "case" / "input.txt").write_text("clearance={{clearance}}\n")
    with pytest.raises(StudyError, match=r"study.command = .*\{\{laod\}\}"):
        study('"solve.py {{laod}}"')


@pytest.mark.parametrize("lost", ["clearance", "load"])
def test_an_input_without_a_place_is_named(study, tmp_path, lost):
    (tmp_path / "case" / "result.json").write_text("{{clearance}} {{load}}")  # it is not copied
    if lost == "clearance":
        (tmp_path / "case" / "input.txt").write_text("clearance=1\n")
    with pytest.raises(StudyError, match="occurs nowhere in the command") as caught:
        study() if lost == "clearance" else study('"python solve.py"')
    assert caught.value.key == f"inputs.{lost}"


def test_a_place_in_a_file_of_another_coding_is_named(study, tmp_path):
    (tmp_path / "case" / "notes.txt").write_bytes("Größe {{load}}\n".encode("latin-1"))
    with pytest.raises(StudyError, match="no text in UTF-8"):
        study()
    (tmp_path / "case" / "notes.txt").write_bytes(b"\xff\0{{load}}")  # a binary file is left alone
    study()


def test_numbers_read_back_exactly_and_are_filled_in_once():
    assert float(fill("{{a}}", {"a": np.nextafter(0.1, 1)})) == np.nextafter(0.1, 1)
    assert fill("{{ a }} {{b}} {{c}} {a} {{{{a}}}}", {"a": 1.0, "b": 2.0}) == "1.0 2.0 {{c}} {a} {{1.0}}"


@pytest.mark.parametrize("command", ["a {{x}} && b", "a; b", "a | b", "a > out", "a 2>&1", "a &"])
def test_no_shell_reads_the_command(command):
    with pytest.raises(StudyError, match="no shell reads the command") as caught:
        words_of(command)
    assert caught.value.key == "study.command" and '"sh", "-c"' in caught.value.remedy
    assert words_of(command.split()) == command.split()  # a list is taken as it is
    assert words_of(f"sh -c '{command}'") == ["sh", "-c", command]


@pytest.mark.parametrize("command", ["", "  ", "a 'b", [], [""]])
def test_a_command_that_cannot_be_read_is_named(command, tmp_path):
    with pytest.raises(StudyError, match="the command ") as caught:
        command_line(command, None, "result.json", tmp_path)
    assert caught.value.key == "study.command"


def test_the_template_of_new_studies_has_all_places(tmp_path, uqmbd):
    assert uqmbd("new", "fresh", "--mechanism", "command")[0] == 0
    uq.Study.from_file(tmp_path / "fresh" / "study.toml")


def test_what_fails_in_the_trial_run_is_of_the_command(study):
    with pytest.raises(StudyError) as caught:
        study('["false", "{{load}}"]').check()
    assert caught.value.key == "study.command"
