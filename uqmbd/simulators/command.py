"""An external program as the model: a template directory is copied, inputs are filled in, the program runs, a result file is read.

Files of the template that are text may hold ``{{name}}``; so may the arguments of the command, which no shell reads. The result file is
JSON (a mapping from output to number or list, or to what makes a `Curve`) or CSV (a header line, one column an output: numbers and
histories only). Where it has ``time`` other than the study's, histories are interpolated. A result is that run's own: one that lies in
the template is not copied, and one outside the run's folder is not read.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.processes import descendants, kill
from uqmbd.simulators.curve import Curve
from uqmbd.simulators.events import Events
from uqmbd.simulators.filling import files_of, fill, fill_file
from uqmbd.simulators.limit import RunTimeout
from uqmbd.simulators.model import Model
from uqmbd.simulators.own import file_digest, is_own_file

SHELL = {"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"}  # words that only a shell knows
KEPT = 1 << 16  # bytes of the beginning and of the end of what a program writes


class CommandFailed(Exception):
    """The program ended with an error or left no readable result.

    Attributes
    ----------
    remedy : str
        What helps, where that is known.
    """

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy

    def __reduce__(self) -> tuple:
        return type(self), (*self.args, self.remedy)


@dataclass(frozen=True)
class Command:
    """A picklable function of keyword inputs that runs a program in a fresh copy of its template directory.

    Attributes
    ----------
    arguments : tuple of str
        The command line; ``{{name}}`` is replaced.
    template : str
        Directory to copy; empty for none.
    result : str
        File the program writes, relative to its directory.
    timeout : float, optional
        Longest time a run may take [s].
    """

    arguments: tuple[str, ...]
    template: str
    result: str
    timeout: float | None = None

    def __call__(self, /, time: np.ndarray | None = None, **inputs: float) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="uqmbd-") as folder:
            work = Path(folder) / "run"
            if self.template:
                shutil.copytree(self.template, work)
                remove(work / self.result)
                for file in work.rglob("*"):
                    fill_file(file, inputs)
            else:
                work.mkdir()
            self.execute(work, inputs)
            return on_grid(read_result(own(work, self.result)), time)

    def execute(self, work: Path, inputs: Mapping[str, float]) -> None:
        """Run the program; its failure carries the last line it wrote. What it has started ends with it, or at the time limit."""
        arguments = [fill(argument, inputs) for argument in self.arguments]
        try:
            program = subprocess.Popen(
                arguments, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
            )
        except OSError as error:
            remedy = f"see that `{arguments[0]}` starts in a terminal: installed, in PATH or with its whole path, and executable"
            raise CommandFailed(f"cannot start {arguments[0]}: {error.strerror}", remedy) from None
        errors, output = Listener(program.stderr), Listener(program.stdout)
        try:
            code = program.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise RunTimeout(f"stopped after {self.timeout:g} s") from None
        finally:
            end_group(program)
        if code:
            said = (errors.heard() or output.heard()).splitlines()
            raise CommandFailed(f"{arguments[0]} ended with code {code}" + (f": {said[-1][:200]}" if said else ""))


class Listener(threading.Thread):
    """Reads what a program writes, as long as it writes, and keeps the beginning and the end."""

    def __init__(self, stream: Any) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self.head, self.tail, self.left_out = b"", b"", 0
        self.start()

    def run(self) -> None:
        """Read until the last process that could write is gone."""
        with self.stream, suppress(OSError, ValueError):
            while data := self.stream.read1(KEPT):
                room = KEPT - len(self.head)
                self.head, rest = self.head + data[:room], self.tail + data[room:]
                self.left_out += max(len(rest) - KEPT, 0)
                self.tail = rest[-KEPT:]

    def heard(self) -> str:
        """What was written: the beginning and the end when it was too much to be kept."""
        self.join(timeout=1.0)  # something that has left the program's group may hold the stream open
        gap = f"\n... {self.left_out} bytes are left out ...\n".encode() if self.left_out else b""
        return (self.head + gap + self.tail).decode(errors="replace").strip()


def end_group(program: subprocess.Popen) -> None:
    """End a program and all that it has started."""
    started = descendants(program.pid)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    kill(started)
    program.wait()
    with suppress(ChildProcessError):  # no more of the group is ours
        for _ in range(100):
            if os.waitpid(-program.pid, os.WNOHANG) == (0, 0):
                sleep(0.01)


def remove(place: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def own(work: Path, result: str) -> Path:
    """The result file of a run; `CommandFailed` where it is a link to a place outside the run's folder."""
    file = work / result
    if not file.resolve().is_relative_to(work.resolve()):
        raise CommandFailed(f"{result} is a link to {file.resolve()}, outside the folder of the run")
    return file


def command_line(command: str | Sequence[str], template: str | None, result: str, directory: Path) -> tuple[list[str], str]:
    """The words of a command and the folder of its template, with whole paths; those given are relative to the study's directory."""
    arguments = words_of(command)
    refuse_outside(result)
    folder = "" if template is None else str((directory / template).resolve())
    if folder and not Path(folder).is_dir():
        raise StudyError(f"there is no directory {folder}", key="study.template", value=template, remedy="name the directory to copy")
    local = directory / arguments[0]
    if "/" in arguments[0] and local.is_file():
        arguments[0] = str(local.resolve())
    return arguments, folder


def command_model(arguments: Sequence[str], folder: str, result: str, timeout: float | None) -> Model:
    """The model of a study that names a command, see `command_line`."""
    digest = hashlib.sha256(json.dumps([list(arguments), result]).encode())
    for argument in arguments:  # a program, or data, of the user
        if os.path.isabs(argument) and os.path.isfile(argument) and is_own_file(argument):
            digest.update(file_digest(argument).encode())
    for file in files_of(folder, result):
        digest.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return Model(shlex.join(arguments), digest.hexdigest(), bare=Command(tuple(arguments), folder, result, timeout))


def words_of(command: str | Sequence[str]) -> list[str]:
    """The words of a command line.

    Raises
    ------
    StudyError
        When there are none, a quote is open, or a word is for a shell, which there is not.
    """
    key, remedy = "study.command", 'write it as "program argument {{input}}"'
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise StudyError(f"the command cannot be read: {error}", key=key, value=command, remedy="close the quotation") from None
    if not words or not words[0].strip():
        raise StudyError("the command is empty", key=key, value=command, remedy=remedy)
    shell = next((word for word in words if word in SHELL or word.endswith(";")), None) if isinstance(command, str) else None
    if shell is not None:
        text = f"no shell reads the command: the program would get '{shell}' as a word"
        remedy = 'write ["sh", "-c", "a && b"] for a line of the shell; a list of words is taken as it is'
        raise StudyError(text, key=key, value=command, remedy=remedy)
    return words


def refuse_outside(result: str) -> None:
    """`StudyError` for a result that is no file in the folder of the run."""
    if os.path.isabs(result) or os.path.normpath(result).split(os.sep)[0] in ("..", ".") or not result.strip():
        text = "a run leaves its result in its own folder, a copy of the template; another place would be that of all runs"
        raise StudyError(text, key="study.result", value=result, remedy='name a file relative to the template, such as "result.json"')
    if "{{" in result:
        raise StudyError("the name of the result is the same in all runs", key="study.result", value=result, remedy="leave {{}} out")


def read_result(file: Path) -> dict[str, Any]:
    """Outputs by name from a JSON or CSV file."""
    if not file.is_file():
        raise CommandFailed(f"the program left no file {file.name}")
    try:
        if file.suffix == ".json":
            found = json.loads(file.read_text(encoding="utf-8"))
            if not isinstance(found, dict):
                raise CommandFailed(f"{file.name} does not hold a mapping from output to number or list")
            return {name: as_curve(name, value) if isinstance(value, dict) else value for name, value in found.items()}
        with file.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.reader(stream))
        columns = np.array(rows[1:], dtype=np.float64).T
        return {name.strip(): column if len(column) > 1 else column[0] for name, column in zip(rows[0], columns, strict=True)}
    except (ValueError, IndexError) as error:
        raise CommandFailed(f"{file.name} cannot be read: {error}") from None


def as_curve(name: str, written: dict[str, Any]) -> Curve | Events:
    """An output over an axis of its own: ``{"values": [...], "grid": [...], "axis": "frequency", "unit": "m", "axis_unit": "Hz"}``.

    Without a grid it is of events.
    """
    try:
        return Curve(**written) if "grid" in written or "axis_unit" in written else Events(**written)
    except TypeError:
        keys = ", ".join(field.name for field in fields(Curve))
        raise CommandFailed(f"the output '{name}' is a table with {', '.join(written)}; an output over an axis has {keys}") from None


def on_grid(found: dict[str, Any], time: np.ndarray | None) -> dict[str, Any]:
    """Histories interpolated from the program's own times to the study's."""
    if time is None or "time" not in found:
        return found
    own = np.asarray(found["time"], dtype=np.float64)
    if own.shape == time.shape and np.allclose(own, time, rtol=1e-9, atol=0.0):
        return found
    if own.ndim != 1 or np.any(np.diff(own) <= 0) or own[-1] < time[-1] * (1 - 1e-9):
        raise CommandFailed("the times in the result do not rise up to the study's end")
    return {name: np.interp(time, own, value) if np.shape(value) == own.shape else value for name, value in found.items()}
