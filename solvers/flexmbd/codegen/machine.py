"""Machine code of LLVM's intermediate language, kept on disk by its content."""

from __future__ import annotations

import contextlib
import hashlib
import threading

import llvmlite
import llvmlite.binding as llvm
from llvmlite.binding import ffi

from flexmbd.caching import cache_directory, host, keep, machine

# Lines of a module from which on less is optimised: a third of the time to compile; large right-hand sides are as fast (20,000 operations:
# 21.6 against 22.9 us), small ones would take up to half as long again.
LARGE = 15_000
_LOCK = threading.RLock()  # for a llvmlite without one


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


def _few_passes():
    """What large code without loops and kernels needs. Of an arm of six joints it takes a third of the time of level 1's, and makes
    41,969 instructions in place of 41,507; the sums and products are the same but for eight.
    """
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_instruction_combine_pass()
    return passes


class Code:
    """Machine code of a module.

    Parameters
    ----------
    text : str
        The module.
    loops : bool
        It has loops over elements or blocks of a matrix. Of others LLVM's passes of level 1 and 2 make the same machine code: byte for
        byte in 26 of 26 element scenes, rows of 9, 21 and 81 bodies and an arm of six joints; level 2 takes 1.1 to 1.8 times as long.
    kernels : bool
        It calls functions that LLVM may put in where they are called.
    """

    def __init__(self, text, loops=True, kernels=True):
        self._text, self._engine = text, None
        self._level = 1 if text.count("\n") > LARGE else 2
        self._passes = self._level if loops else 1 if kernels else self._level - 1
        stamp = "\n".join((text, *host(), llvmlite.__version__, str(llvm.llvm_version_info), str(self._level), str(self._passes)))
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
        made_for = machine(self._level)
        # whatever ends this, Ctrl-C too: a module must be gone before its context
        with llvm.create_context() as context, llvm.parse_assembly(self._text, context) as module:
            module.triple = made_for.triple
            if not self.on_disk():
                builder = llvm.create_pass_builder(made_for, llvm.create_pipeline_tuning_options(speed_level=self._passes))
                (builder.getModulePassManager() if self._passes else _few_passes()).run(module, builder)
            engine = llvm.create_mcjit_compiler(module, made_for)
            try:
                engine.set_object_cache(lambda _, data: keep(self.path, data), lambda _: self.path.read_bytes() if self.on_disk() else None)
                with contextlib.nullcontext() if self._level > 1 or self.on_disk() else _unordered():
                    engine.finalize_object()
            finally:
                engine.remove_module(module)  # some megabytes, which nothing needs beside the machine code
        self._text = None
        return engine
