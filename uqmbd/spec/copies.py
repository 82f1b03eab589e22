"""A model whose files have gone is found in the copies that its results keep of them."""

from __future__ import annotations

import json
import logging
from importlib.machinery import PathFinder
from pathlib import Path

from uqmbd.runs.where import MANIFEST


def model_or_copy(name: str, directory: Path) -> str:
    """The name of a model as it is; that of its copy where its file, or module, is not there and `directory` holds results of it.

    Results of several methods are in folders of `directory`.
    """
    where, _, function = name.rpartition(":")
    if where.endswith(".py"):
        there = (directory / where).is_file()
    else:
        there = not where or where.startswith("<") or PathFinder.find_spec(where.partition(".")[0]) is not None
    if there:
        return name
    try:
        manifest = next(file for file in (directory / MANIFEST, *sorted(directory.glob(f"*/{MANIFEST}"))) if file.is_file())
        model = json.loads(manifest.read_text(encoding="utf-8"))["model"]
        copy = manifest.parent / model["files"][0]["copy"]
    except (OSError, ValueError, KeyError, IndexError, TypeError, StopIteration):
        return name
    if model.get("name") != name or copy.suffix != ".py" or not copy.resolve().is_file():
        return name
    logging.getLogger("uqmbd").info("%s is not there: the copy of it in %s is taken", where, copy.parent)
    return f"{copy.resolve()}:{function}"
