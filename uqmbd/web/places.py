"""Names in an address, as files below a folder: nothing above it, beside it, hidden in it, or behind a link in it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from uqmbd.errors import StudyError


class Refused(StudyError):
    """A request that is not answered as it was meant; `status` is that of the answer (HTTP)."""

    def __init__(self, message: str, status: int, *, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


def inside(folder: Path, place: str) -> Path:
    """The file or folder that `place`, names with ``/`` between, means below `folder`; it need not be there.

    Raises
    ------
    Refused
        For ``..``, absolute paths, hidden names, names that cannot be printed, and symbolic links below `folder`.
    """
    path = folder
    for name in place.split("/"):
        if not name or name.startswith(".") or "\\" in name or not name.isprintable():
            raise Refused("this is no place in the folder of results", 404, remedy="go back to the list")
        path = path / name
        if path.is_symlink():
            raise Refused("links are not followed", 404, remedy="open what it leads to by a `uqmbd view` of its own")
    return path


def address(*names: str) -> str:
    """The path of an address: names, of which each may hold ``/``, and nothing in them is more than a letter."""
    return "/" + "/".join(quote(name) for name in names)
