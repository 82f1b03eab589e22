"""Machine code of LLVM's intermediate language, kept on disk by its content."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
import threading

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from flexmbd.caching import cache_directory

# Lines of a module from which on less is optimised: a third of the time to compile; large right-hand sides are as fast (20,000 operations:
# 21.6 against 22.9 us), small ones would take up to half as long again.
LARGE = 15_000
_LOCK = threading.RLock()  # for a llvmlite without one


@functools.cache
def _host():
    """Name and features of this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine(level):
    """What code is made for; an engine takes it over, so each has its own."""
    name, features = _host()
    return llvm.Target.from_default_triple().create_target_machine(cpu=name, features=features, opt=level, jit=True)


@contextlib.contextmanager
def _unordered():
    """Within it instructions are not put into a better order, which takes 40 % of the time to compile.

    LLVM has one such switch in a process. It is turned back in any case, and nobody else compiles while it is off: all of llvmlite's calls,
    Numba's among them, take its lock.
    """
    with getattr(ffi.lib, "_lock", _LOCK):
        llvm.set_option("flexmbd", "--enable-misched=false")
        try:
            yield
        finally:
            llvm.set_option("flexmbd", "--enable-misched=true")


class Code:
    """Machine code of a module.

    Parameters
    ----------
    text : str
        The module.
    loops : bool
        It has loops over elements or blocks of a matrix. Of others LLVM's passes of level 1 and 2 make the same machine code: byte for
        byte in 26 of 26 element scenes, rows of 9, 21 and 81 bodies and an arm of six joints; level 2 takes 1.1 to 1.8 times as long.
    """

    def __init__(self, text, loops=True):
        self._text, self._engine = text, None
        self._level = 1 if text.count("\n") > LARGE else 2
        self._passes = self._level if loops else 1
        stamp = "\n".join((text, *_host(), llvmlite.__version__, str(llvm.llvm_version_info), str(self._level), str(self._passes)))
        self.name = "flexmbd_" + hashlib.sha256(stamp.encode()).hexdigest()[:20]

    @property
    def path(self):
        """File of the machine code."""
        return cache_directory() / f"{self.name}.o"

    def on_disk(self):
        """True if it need not be compiled."""
        return self.path.exists()

    def address(self, function):
        """Address of a function, valid as long as this object is there."""
        if self._engine is None:
            self._engine = self._compiled()
        return self._engine.get_function_address(function)

    def _compiled(self):
        machine = _machine(self._level)
        module = llvm.parse_assembly(self._text, llvm.create_context())
        module.triple = machine.triple
        if not self.on_disk():
            passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=self._passes))
            passes.getModulePassManager().run(module, passes)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.set_object_cache(lambda _, data: self._keep(data), lambda _: self.path.read_bytes() if self.on_disk() else None)
        with contextlib.nullcontext() if self._level > 1 or self.on_disk() else _unordered():
            engine.finalize_object()
        engine.remove_module(module)  # some megabytes, which nothing needs beside the machine code
        self._text = None
        return engine

    def _keep(self, data):
        """Write the file whole or not at all."""
        with contextlib.suppress(OSError):
            handle, temporary = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(temporary, self.path)
