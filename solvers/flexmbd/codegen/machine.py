"""Machine code of LLVM's intermediate language, kept on disk by its content."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile

import llvmlite
import llvmlite.binding as llvm

from flexmbd.caching import cache_directory

LEVEL = 1  # of optimisation: 2 compiles for twice as long, and runs no faster (right-hand sides of `benchmarks/compile.py`)


llvm.set_option("flexmbd", "--enable-misched=false")  # ordering instructions anew takes 40 % of the time to compile, and gains nothing here


@functools.cache
def _host():
    """Name and features of this processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine():
    """What code is made for; an engine takes it over, so each has its own."""
    name, features = _host()
    return llvm.Target.from_default_triple().create_target_machine(cpu=name, features=features, opt=LEVEL, jit=True)


class Code:
    """Machine code of a module.

    Parameters
    ----------
    text : str
        The module.
    """

    def __init__(self, text):
        self._text, self._engine = text, None
        stamp = "\n".join((text, *_host(), llvmlite.__version__, str(llvm.llvm_version_info), str(LEVEL)))
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
        machine = _machine()
        module = llvm.parse_assembly(self._text)
        module.triple = machine.triple
        if not self.on_disk():
            passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=LEVEL))
            passes.getModulePassManager().run(module, passes)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.set_object_cache(lambda _, data: self._keep(data), lambda _: self.path.read_bytes() if self.on_disk() else None)
        engine.finalize_object()
        self._text = None
        return engine

    def _keep(self, data):
        """Write the file whole or not at all."""
        with contextlib.suppress(OSError):
            handle, temporary = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(temporary, self.path)
