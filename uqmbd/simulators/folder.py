"""The working folder while a model runs: a model that changes it, as one that calls an old program does, changes it for that call alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

IMPORTED: dict[str, str] = {}  # by a file's module: the folder to which its import has changed, in which its functions are called


def working_folder() -> str:
    """The working folder; empty when it was removed."""
    with suppress(OSError):
        return os.getcwd()
    return ""


@contextmanager
def kept_folder(*functions: Callable[..., Any] | None) -> Iterator[None]:
    """The working folder after the block is that of before; within it, the one in which the first of some functions expects to be."""
    before = working_folder()
    own = next((IMPORTED[key] for one in functions if IMPORTED and (key := getattr(one, "__module__", "")) in IMPORTED), "")
    if own and own != before:
        go_to(own)
    try:
        yield
    finally:
        if before and working_folder() != before:
            go_to(before)


@contextmanager
def import_of(name: str) -> Iterator[None]:
    """Execute a module's file in the block; to which folder it changes is kept for calls of its functions."""
    before = working_folder()
    IMPORTED.pop(name, None)
    try:
        yield
        after = working_folder()
        if after and after != before:
            IMPORTED[name] = after
    finally:
        if before and working_folder() != before:
            go_to(before)


def go_to(folder: str) -> None:
    """Change the working folder, if it is still there."""
    with suppress(OSError):
        os.chdir(folder)
