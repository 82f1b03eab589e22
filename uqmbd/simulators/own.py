"""What belongs to the user and what to libraries: files, modules, the modules that a source text imports, and hashes of them."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

PACKAGE = str(Path(__file__).resolve().parent.parent)
LIBRARY = tuple(str(Path(sysconfig.get_path(key)).resolve()) for key in ("stdlib", "platstdlib", "purelib", "platlib"))
PREFIXES = {str(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix)}
SYSTEM = ("proc", "sys", "dev", "etc", "usr", "lib", "lib64", "bin", "run")
FOREIGN = (
    *(f"{path}{os.sep}" for path in (*LIBRARY, PACKAGE)),
    *(f"{prefix}{os.sep}{part}{os.sep}" for prefix in sorted(PREFIXES) for part in ("lib", "lib64", "bin", "share", "etc", "include")),
    *(f"{os.sep}{part}{os.sep}" for part in SYSTEM),
)
INSTALLED = ("site-packages", "dist-packages")
SMALL = 1 << 20  # bytes of a file that is read each time: its times are too coarse to tell that it is as it was
OURS = ("uqmbd", "flexmbd")


@lru_cache(maxsize=4096)
def is_own_file(file: str) -> bool:
    """True for a file of the user: neither installed, nor part of Python, of the system or of this project."""
    path = os.path.realpath(file)
    return not (path.startswith((*FOREIGN, solver())) or any(part in INSTALLED for part in path.split(os.sep)))


@cache
def solver() -> str:
    """Folder of flexmbd, which counts as a whole."""
    file = file_of("flexmbd")
    return f"{Path(file).resolve().parent}{os.sep}" if file else PACKAGE


def is_own(module: ModuleType) -> bool:
    """True for a module of the user that lies in a file."""
    file = getattr(module, "__file__", None)
    return bool(file) and module.__name__.partition(".")[0] not in OURS and module.__name__ != "__main__" and is_own_file(file)


def file_of(name: str) -> str | None:
    """File of the module `name`, found without importing it (nor what it lies in); None where there is none."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    places: list[str] | None = None
    parts = name.split(".")
    for k in range(len(parts)):
        try:
            spec = PathFinder.find_spec(".".join(parts[: k + 1]), places)
        except (ImportError, ValueError, AttributeError):
            return None
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or [])
    return spec.origin if spec.has_location else None


def python_source(file: str) -> str:
    """The ``.py`` that a compiled ``.pyc`` was made of; any other file is itself."""
    if file.endswith(".pyc"):
        with suppress(ValueError):
            return importlib.util.source_from_cache(file)
    return file


@lru_cache(maxsize=256)
def text_digest(text: str) -> str:
    """Hash of a Python source by what it says: comments, blank lines and line breaks do not count."""
    try:
        text = dumped(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        pass
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def dumped(tree: ast.Module) -> str:
    """What a module says, in the same words in every version of Python."""
    for node in ast.walk(tree):
        if not getattr(node, "type_params", True):  # which 3.12 has added
            delattr(node, "type_params")
    return ast.dump(tree, **({"show_empty": True} if sys.version_info >= (3, 13) else {}))


def _digest(file: str) -> str:
    data = Path(file).read_bytes()
    if file.endswith(".py"):
        with suppress(UnicodeDecodeError):
            return text_digest(data.decode())
    return hashlib.sha256(data).hexdigest()


@lru_cache(maxsize=256)
def _digest_at(file: str, _stamp: tuple[int, int, int]) -> str:
    return _digest(file)


def file_digest(file: str) -> str:
    """Hash of a file's content (of a Python source by what it says), ``"missing"`` if it cannot be read."""
    try:
        stat = os.stat(file)
        if stat.st_size <= SMALL:
            return _digest(file)
        return _digest_at(file, (stat.st_mtime_ns, stat.st_size, stat.st_ino))
    except OSError:
        return "missing"


@lru_cache(maxsize=256)
def imports(text: str, package: str) -> tuple[str, ...]:
    """Names of all modules that a source text may import, also within functions; what is imported from one may be a module or not."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(dict.fromkeys(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            found.update(dict.fromkeys(imported(node.module or "", node.level, tuple(alias.name for alias in node.names), package)))
    return tuple(found)


def imported(name: str, level: int, names: tuple[str, ...], package: str) -> Iterator[str]:
    """Absolute names of the modules that ``from name import names`` may mean, in a module of `package`."""
    if level:
        with suppress(ImportError, ValueError):
            name = importlib.util.resolve_name("." * level + name, package)
    if not name or name.startswith("."):
        return
    yield name
    yield from (f"{name}.{entry}" for entry in names if entry != "*")


def parents(name: str) -> list[str]:
    """``a.b.c`` -> ``a``, ``a.b``, ``a.b.c``."""
    parts = name.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


@cache
def tree_digest(package: str) -> str:
    """Hash of all sources of an installed package: a changed solver does not share runs with the old one."""
    file = file_of(package)
    digest = hashlib.sha256()
    for source in sorted(Path(file).parent.rglob("*.py")) if file else []:
        digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def version(package: str) -> str:
    """Installed version of the distribution that the top-level module `package` belongs to."""
    from importlib import metadata

    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    for name in distributions().get(package, []):
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    return "unknown"


@cache
def distributions() -> dict[str, list[str]]:
    """Distributions by the modules they bring."""
    from importlib.metadata import packages_distributions

    return dict(packages_distributions())
