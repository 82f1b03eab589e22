"""xarray asks of each array whether it is one of dask, pint, sparse or cupy, and imports these packages to know.

What has not been imported has made no array. So the question is answered without an import, which takes longer than a small study's
result. Both places are xarray's own affair: where a version has them no more, it does as it likes. Only processes of the command do this.
"""

from __future__ import annotations

import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

MAKERS = {"dask": "dask.array"}  # modules without which there are no arrays of a package, where it is not the package itself


class Known(dict):
    """xarray's record of such packages, in which those that are not imported are absent, as if they were not installed."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or MAKERS.get(str(name), str(name)) not in sys.modules

    def __missing__(self, name: str) -> Any:
        from packaging.version import Version

        return SimpleNamespace(module=None, version=Version("0.0.0"), type=(), available=False)


@cache
def ask_only_what_is_imported() -> None:
    """Have xarray ask packages that are imported, from now on."""
    from xarray.namedarray import pycompat, utils

    if isinstance(modules := getattr(pycompat, "_cached_duck_array_modules", None), dict):
        pycompat._cached_duck_array_modules = Known(modules)
    if (installed := getattr(utils, "module_available", None)) is not None:  # asked before `dask.base` is imported

        def available(module: str, minversion: str | None = None) -> bool:
            return (module != "dask" or "dask.base" in sys.modules) and installed(module, minversion)

        utils.module_available = available
