"""Functions of the time loop and of schemes as machine code: compiled once for a width, and kept on disk."""

import ctypes
import functools
import hashlib
from pathlib import Path

from numba import config, types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from flexmbd.lanes import rows
from flexmbd.lanes.vector import OPTIONS

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("lanes/*.py", "stepping/*.py", "integrators/*.py", "registry.py")  # that these functions are made of
CALL = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)


@functools.cache
def _stamp():
    """Hash of the sources."""
    files = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


@functools.cache
def _made(function, width):
    """The compiled function, whose code is read from disk if it is there."""
    of_rows = rows.Rows(width)
    signature = types.void(of_rows, of_rows, of_rows, types.CPointer(types.int64))
    made = CFunc(function, normalize_signature(signature), locals={}, options=dict(OPTIONS))
    made.enable_caching()
    made._cache._cache_file._source_stamp = _stamp()
    return made


@functools.cache
def address(function, width):
    """Address of ``void f(X, P, W, at)`` for rows of so many lanes."""
    if config.DISABLE_JIT:
        number = len(rows.FUNCTIONS) + 1
        rows.FUNCTIONS[number] = function
        return number
    made = _made(function, width)
    made.compile()
    return made.address


def on_disk(functions, width):
    """True if the machine code of all functions is kept."""
    if config.DISABLE_JIT:
        return True
    found = []
    for function in functions:
        made = _made(function, width)
        index = made._cache._cache_file
        name = Path(index._cache_path) / index._index_name
        found.append(name.exists() and made._sig in {key[0] for key in index._load_index()})
    return all(found)


def caller(function, width):
    """The compiled function, to be called with four addresses; of arrays, without compilation."""
    return function if config.DISABLE_JIT else CALL(address(function, width))
