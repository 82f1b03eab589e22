"""Where machine code is kept, and for which processor it is made."""

import contextlib
import functools
import os
import tempfile
from pathlib import Path

import llvmlite.binding as llvm


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


@functools.cache
def host():
    """Name and features of this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def machine(level):
    """What code is made for; an engine takes it over, so each has its own."""
    name, features = host()
    return llvm.Target.from_default_triple().create_target_machine(cpu=name, features=features, opt=level, jit=True)


def keep(path, data):
    """Write a file whole or not at all."""
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)


__all__ = ["cache_directory", "host", "keep", "machine"]
