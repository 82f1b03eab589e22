"""One writer: a lock on a file, which the system lets go when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from uqmbd.errors import StudyError

NAME = "lock"
MOMENT = 0.02  # s, far longer than `held` has the lock of a folder that it looks at


class Lock:
    """A file ``lock`` in a folder that this process holds, alone or (`shared`) with others; `StudyError` if another process holds it."""

    def __init__(self, folder: Path, *, shared: bool = False) -> None:
        self.path = folder / NAME
        self.stream = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        try:
            try:
                fcntl.flock(self.stream, how)
            except BlockingIOError:
                time.sleep(MOMENT)
                fcntl.flock(self.stream, how)
        except BlockingIOError:
            os.close(self.stream)
            raise StudyError("another uqmbd is writing here", file=folder, remedy="wait for it to end, or choose --out") from None

    def in_place(self) -> bool:
        """True as long as the file is the one in its folder; a folder can be moved or removed meanwhile."""
        try:
            there = os.stat(self.path)
        except OSError:
            return False
        own = os.fstat(self.stream)
        return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)

    def release(self) -> None:
        """Let go."""
        os.close(self.stream)


def held(folder: Path) -> bool:
    """Whether a process holds the lock of a folder."""
    try:
        with (folder / NAME).open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
