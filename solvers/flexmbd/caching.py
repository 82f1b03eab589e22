"""Where machine code is kept."""

import os
import tempfile
from pathlib import Path


def cache_directory():
    """Directory of compiled code: ``FLEXMBD_CACHE_DIR`` or ``~/.cache/flexmbd``; a temporary one if that is not writable."""
    wanted = os.environ.get("FLEXMBD_CACHE_DIR")
    path = Path(wanted) if wanted else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flexmbd"
    try:
        path.mkdir(parents=True, exist_ok=True)
        if os.access(path, os.W_OK):
            return path
    except OSError:
        pass
    path = Path(tempfile.gettempdir()) / f"flexmbd-{os.getuid()}"
    path.mkdir(exist_ok=True)
    return path


__all__ = ["cache_directory"]
