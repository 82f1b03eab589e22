"""Machine code on disk, made anew when any source that it is made of has changed: Numba itself looks at a function's own file only."""

import functools
import hashlib
from pathlib import Path

from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

PACKAGE = Path(__file__).resolve().parents[1]


@functools.cache
def sources_around(file):
    """Hash of names, sizes and times of the sources that a function of `file` may draw on.

    They are those of its part of the package and of the lanes, or of its own folder if it lies outside.
    """
    path = Path(file).resolve()
    inside = path.relative_to(PACKAGE).parts if path.is_relative_to(PACKAGE) else ()
    around = [path.parent.glob("*.py")] if len(inside) < 2 else [(PACKAGE / inside[0]).rglob("*.py")]
    files = {source for found in (*around, (PACKAGE / "lanes").glob("*.py")) for source in found}
    known = [(str(source), stat.st_size, stat.st_mtime_ns) for source in sorted(files) for stat in (source.stat(),)]
    return hashlib.sha256(repr(known).encode()).hexdigest()


def stamped(compiled, function):
    """Let what Numba keeps of a compiled function be of all sources around it; returns the former."""
    kept = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # none without compilation
    if kept is not None:
        kept._source_stamp = (kept._source_stamp, sources_around(function.__code__.co_filename))
    return compiled


def c_function(result, *arguments):
    """Decorator of a function for C callers, kept on disk."""

    def decorate(function):
        compiled = CFunc(function, normalize_signature(result(*arguments)), locals={}, options={})
        compiled.enable_caching()
        stamped(compiled, function).compile()
        return compiled

    return decorate
