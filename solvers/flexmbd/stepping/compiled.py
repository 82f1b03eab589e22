"""Functions of the time loop and of schemes as machine code: compiled once for a width, and kept on disk."""

import ctypes
import functools
import hashlib
import sys
from pathlib import Path

import llvmlite
import numba
from numba import config, types
from numba.core.caching import IndexDataCacheFile
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from flexmbd.caching import cache_directory
from flexmbd.lanes import rows
from flexmbd.lanes.vector import OPTIONS

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("lanes/*.py", "stepping/*.py", "integrators/*.py", "registry.py")  # that these functions are made of
CALL = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)


@functools.cache
def _stamp():
    """Hash of the sources and of what compiles them."""
    files = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    made_with = "\n".join((numba.__version__, llvmlite.__version__, sys.version))
    return hashlib.sha256(b"".join([made_with.encode(), *(path.read_bytes() for path in files)])).hexdigest()[:16]


@functools.cache
def _made(function, width):
    """The compiled function, whose code is read from disk if it is there."""
    of_rows = rows.Rows(width)
    signature = types.void(of_rows, of_rows, of_rows, types.CPointer(types.int64))
    made = CFunc(function, normalize_signature(signature), locals={}, options=dict(OPTIONS))
    if not Path(function.__code__.co_filename).is_relative_to(PACKAGE):  # a user's scheme: nobody knows what it is made of
        return made
    made.enable_caching()  # beside the machine code of models, and by what it is made of
    folder, name = str(cache_directory()), f"flexmbd_{function.__module__.rpartition('.')[2]}_{function.__name__}_{_stamp()}"
    made._cache._cache_path, made._cache._cache_file = folder, IndexDataCacheFile(folder, name, _stamp())
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
        index = getattr(_made(function, width)._cache, "_cache_file", None)
        found.append(index is None or _made(function, width)._sig in {key[0] for key in index._load_index()})
    return all(found)


def caller(function, width):
    """The compiled function, to be called with four addresses; of arrays, without compilation."""
    return function if config.DISABLE_JIT else CALL(address(function, width))
