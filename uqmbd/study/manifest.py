"""What a result says of its study, and what it was made with, so that its folder stands alone: files of the model, machine, packages ..."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from uqmbd.plugins import label_of
from uqmbd.runs.files import replace, replacing, write
from uqmbd.runs.keys import without_key
from uqmbd.runs.where import MANIFEST, MODEL
from uqmbd.simulators.own import file_digest, is_own_file
from uqmbd.spec.showing import written as section_of
from uqmbd.study.data import StudyData
from uqmbd.study.identity import versions

FORMAT = 1
LARGEST = 1 << 20  # bytes of a data file that is copied; of larger ones there is the hash only
PATIENCE = 5.0  # seconds for git


def metadata_of(study: StudyData) -> dict[str, Any]:
    """Attributes of a result that follow from its study: words, inputs, settings, seed, model, versions."""
    return {
        **study.said(),
        "settings": study.method.model_dump(exclude_none=True),
        "seed": study.campaign.seed,
        "model": study.model.label,
        "versions": versions(),
    }


def shown_by(study: StudyData) -> tuple[dict[str, Any], list[str]]:
    """What the report of a result shows, as its attribute ``report`` has it: the section, and what the method brings; and notes."""
    table, lost = dict(section_of(study.report)), []
    for what in ("figures", "tables"):
        names = list(map(label_of, getattr(study.method, what)))
        named = [name for name in names if not name.startswith("<")]
        lost += [what] if len(named) < len(names) else []
        if named:
            table[what] = [*table.get(what, ()), *named]
    why = "they are of a script, and can be found under no name: write the method into a file"
    return table, [f"the {' and '.join(lost)} of the method {study.method.name} are left out: {why}"] if lost else []


def keep_manifest(study: StudyData, directory: Path, identity: Mapping[str, str], digest: str, began: datetime) -> dict[str, Any]:
    """Copy the files of the model into ``model``, write ``manifest.json``, and return what is in it.

    Runs follow from `identity`, the result from `digest` (see `uqmbd.study.identity`); its run `began` then.
    """
    manifest = {
        "format": FORMAT,
        "study": study.name,
        "method": study.method.name,
        "seed": study.campaign.seed,
        "started": began.isoformat(timespec="seconds"),
        "ended": now().isoformat(timespec="seconds"),
        "command": shlex.join(map(without_key, sys.argv)),
        "folder": os.getcwd(),
        "machine": machine(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": packages(),
        "identity": {"result": digest, **identity},
        "model": {"name": study.model.label, "files": copy_model(study, directory / MODEL)},
        "git": repository(home_of(study)),
    }
    replace(directory / MANIFEST, json.dumps(manifest, indent=1).encode())
    return manifest


def now() -> datetime:
    """This moment, with its time zone."""
    return datetime.now().astimezone()


def machine() -> dict[str, str | int]:
    """Name, operating system and processor of this computer."""
    return {"host": platform.node(), "system": platform.platform(), "processor": processor(), "cores": os.cpu_count() or 0}


@cache
def processor() -> str:
    """The processor in words, as the system has it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return platform.processor() or platform.machine()


def packages() -> dict[str, str]:
    """Versions of all distributions of which this process has imported a module, by name."""
    loaded = {name.partition(".")[0] for name in sys.modules}
    wanted = {id(one): one for module, owners in brought().items() if module in loaded for one in owners}
    installed = dict(map(name_and_version, reversed(wanted.values())))  # of two of a name the first one is imported
    with suppress(importlib.metadata.PackageNotFoundError):  # an editable installation does not name it as the owner of its modules
        installed["uqmbd"] = importlib.metadata.version("uqmbd")
    return dict(sorted(installed.items(), key=lambda entry: entry[0].lower()))


@cache
def name_and_version(one: importlib.metadata.Distribution) -> tuple[str, str]:
    """What the first lines of a distribution's metadata say; the library reads all of them as an e-mail, which takes ten times as long."""
    text = one.read_text("METADATA") or ""
    head = text.partition("\n\n")[0]
    name, version = (re.search(rf"^{key}:[ \t]*(\S+)[ \t]*$", head, re.MULTILINE) for key in ("Name", "Version"))
    return (name[1], version[1]) if name and version else (one.metadata["Name"], one.version)


@cache
def brought() -> Mapping[str, list[importlib.metadata.Distribution]]:
    """Distributions by the modules that they bring, as their files say; `packages_distributions` of the library takes ten times as long."""
    owners: dict[str, list[importlib.metadata.Distribution]] = {}
    for one in importlib.metadata.distributions():
        top = (one.read_text("top_level.txt") or "").split()
        if not top:
            files = (line.partition(",")[0] for line in (one.read_text("RECORD") or "").splitlines())
            firsts = {file.partition("/")[0] if "/" in file else inspect.getmodulename(file) for file in files}
            top = [name for name in firsts if name and "." not in name]
        for name in top:
            owners.setdefault(name, []).append(one)
    return owners


# the model --------------------------------------------------------------------------------------------------------------------------------
def copy_model(study: StudyData, folder: Path) -> list[dict[str, str]]:
    """Copy the source and data files of a model into `folder`: of each its path, hash, and the copy if there is one.

    A file that has changed since the study was begun is not what was run: it has no copy, and the entry says so.
    """
    model, home = study.model, home_of(study)
    digests = {**model.reads, **model.sources}
    with replacing(folder) as new:
        new.mkdir()
        if model.path:
            entries = [entry(model.path, model.source.encode(), new, home)]
        else:
            entries = [entry(*written, new, home)] if (written := source_of(model.bare)) else []
        for file, digest in digests.items():
            if file in [known["path"] for known in entries]:
                continue
            if file_digest(file) != digest:
                entries.append({"path": file, "sha256": digest, "note": "was missing or not as it had been when the result was written"})
            else:
                entries.append(entry(file, Path(file).read_bytes(), new, home))
    return entries


def entry(file: str, data: bytes, folder: Path, home: Path | None) -> dict[str, str]:
    """Copy the content of a file, and say where."""
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > LARGEST:
        return {"path": file, "sha256": digest, "note": f"not copied: {len(data):,} bytes"}
    path = Path(file)
    below = path.relative_to(home) if home is not None and path.is_relative_to(home) else Path("elsewhere", digest[:8], path.name)
    write(folder / below, data, mode=mode_of(path))
    return {"path": file, "sha256": digest, "copy": (Path(MODEL) / below).as_posix()}


def mode_of(file: Path) -> int:
    """Who may read a file: a copy is no wider."""
    with suppress(OSError):
        return file.stat().st_mode & 0o777
    return 0o666  # of what is in no file


def source_of(function: Any) -> tuple[str, bytes] | None:
    """File and text of a function that is in no model file: the user's file in which it is written, or the text of the function alone."""
    if function is None:
        return None
    with suppress(OSError, TypeError):
        file = inspect.getsourcefile(function)
        if file and os.path.isfile(file) and is_own_file(file):
            return os.path.realpath(file), Path(file).read_bytes()
        name = re.sub(r"\W+", "_", getattr(function, "__name__", "")).strip("_") or "function"
        return f"{name}.py", inspect.getsource(function).encode()  # of a notebook
    return None


def home_of(study: StudyData) -> Path | None:
    """Folder of the model; None if it lies in no file."""
    if study.model.path:
        return Path(study.model.path).parent
    written = source_of(study.model.bare)
    return Path(written[0]).parent if written and os.path.isabs(written[0]) else None


# the repository ---------------------------------------------------------------------------------------------------------------------------
def repository(folder: Path | None) -> dict[str, str | int | bool]:
    """Commit of the git repository in which a folder lies, and whether all of it is committed; empty if there is none, or no git."""
    if folder is None:
        return {}
    commit = git(folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    changed = git(folder, "status", "--porcelain")
    return {"commit": commit} if changed is None else {"commit": commit, "clean": not changed, "changed": len(changed.splitlines())}


def git(folder: Path, *words: str) -> str | None:
    """What git says, without asking anything; None if it fails."""
    command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", *words]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, check=True)
        return done.stdout.strip()
    return None
