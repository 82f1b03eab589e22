"""Functions of the time loop and of schemes as machine code: compiled once for a width, and kept on disk.

Functions that belong together, as those of a scheme, and all that they call are one module of LLVM's language, written by `reading`: what
several of them call is compiled once, and taken in where it is called if it is small. Of somebody else's scheme that is written in more
of Python than that knows, Numba writes the module. Its copies of what is called are shared by name in a process; each is optimised within
another function, so which one runs, and how its sums are contracted, would depend on what was compiled or read before. So here the copies
are private to their module, and the code that runs is the file's, also in the process that compiled it.
"""

import ctypes
import functools
import hashlib
import sys
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba
from numba import config, types
from numba.core import compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUTargetOptions
from numba.core.registry import cpu_target

from flexmbd.caching import cache_directory, host, keep, machine
from flexmbd.lanes import rows
from flexmbd.lanes.vector import OPTIONS
from flexmbd.stepping.instructions import Unreadable
from flexmbd.stepping.reading import Module

PACKAGE = Path(__file__).resolve().parents[1]
# what these functions are made of
SOURCES = ("lanes/*.py", "stepping/*.py", "integrators/*.py", "dynamics/*.py", "nonsmooth/one_contact.py", "registry.py")
CALL = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)
ENTRY, OPTIMISED = "flexmbd_entry", 3
CALLED = """
define void @{entry}(ptr %X, ptr %P, ptr %W, ptr %at) {{
  %result = alloca ptr
  %error = alloca ptr
  %status = call i32 @{name}(ptr %result, ptr %error, ptr %X, ptr %P, ptr %W, ptr %at)
  ret void
}}
"""  # nothing in these functions raises


@functools.cache
def _stamp():
    """Hash of the sources and of what compiles them."""
    files = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    made_with = "\n".join((numba.__version__, llvmlite.__version__, sys.version, *host()))
    return hashlib.sha256(b"".join([made_with.encode(), *(path.read_bytes() for path in files)])).hexdigest()[:16]


@functools.cache
def _ours(function):
    return Path(function.__code__.co_filename).is_relative_to(PACKAGE)


def _module(function, together):
    """Functions that are compiled with this one: those of the package among `together`. One of a user's scheme is alone."""
    module = tuple(dict.fromkeys(filter(_ours, together)))
    return module if function in module else (function,)


def _path(functions, width):
    """File of the machine code; none of a user's scheme: nobody knows what it is made of."""
    first, names = functions[0], "\n".join(f"{f.__module__}.{f.__name__}" for f in functions)
    if not _ours(first):
        return None
    which = hashlib.sha256(names.encode()).hexdigest()[:8]
    return cache_directory() / f"flexmbd_{first.__module__.rpartition('.')[2]}_{first.__name__}_{which}_{width}_{_stamp()}.o"


def _text_of_numba(function, width):
    """LLVM's text, as Numba writes it and optimises it, of a function and of all that it calls; what is called is private to it."""
    of_rows = rows.Rows(width)
    arguments = (of_rows, of_rows, of_rows, types.CPointer(types.int64))
    flags = CPUTargetOptions.parse_as_flags(compiler.Flags(), {"nopython": True, **OPTIONS})
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    with global_compiler_lock:
        made = compiler.compile_extra(cpu_target.typing_context, cpu_target.target_context, function, arguments, types.void, flags, {})
        text = made.library.get_llvm_str()
    private = text.replace("define linkonce_odr ", "define internal ").replace("\ndefine range(", "\ndefine internal range(")
    return private + CALLED.format(entry=f"{ENTRY}0", name=made.fndesc.llvm_func_name)


@functools.cache
def _engine(functions, width):
    """An engine with the machine code, which is read from disk if it is there."""
    path = _path(functions, width)
    code = path.read_bytes() if path and path.exists() else _object(functions, width, kept=path is not None)
    if path and not path.exists():
        keep(path, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(OPTIMISED))  # its module is of the one context that is never freed
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _object(functions, width, kept):
    """Machine code of functions and of all that they call.

    Loops are over rows of lanes: unrolled they are no faster, and take half of the time.

    What is kept does without Numba's runtime (arrays of its own): a process that only reads the code has none.
    """
    made_for, entries = machine(OPTIMISED), [f"{ENTRY}{k}" for k in range(len(functions))]
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_unrolling = tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    passes = llvm.create_pass_builder(made_for, tuning)
    try:
        text, all_passes = Module(functions, width, entries).text, passes.getModulePassManager()
    except Unreadable as unreadable:
        if _ours(functions[0]):
            raise RuntimeError(f"flexmbd's files have changed since this process began ({unreadable}); start it again") from None
        (function,) = functions
        text, all_passes = _text_of_numba(function, width), llvm.create_new_module_pass_manager()
        all_passes.add_global_dead_code_eliminate_pass()  # what all have taken in
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:  # a module must be gone before its context
        module.triple, module.data_layout = made_for.triple, str(made_for.target_data)
        all_passes.run(module, passes)
        needs = []
        for called in module.functions:
            if not called.is_declaration and called.name not in entries:
                called.linkage = "internal"
            if kept and called.is_declaration and called.name.startswith(("NRT_", "numba_")):
                needs.append(called.name)
        if needs:
            raise TypeError(f"a function of the time loop makes arrays ({', '.join(needs)}); use rows of X or W")
        return made_for.emit_object(module)


def address(function, width, together=()):
    """Address of ``void f(X, P, W, at)`` for rows of so many lanes; `together`: functions that are compiled at once with it."""
    if config.DISABLE_JIT:
        return _number(function)
    module = _module(function, together)
    return _engine(module, width).get_function_address(f"{ENTRY}{module.index(function)}")


def called_by_models(function, width):
    """Address of a function for the code of models, which calls it itself, with a table of its own."""
    return ctypes.cast(_plain(function), ctypes.c_void_p).value if config.DISABLE_JIT else address(function, width)


@functools.cache
def _plain(function):
    return CALL(lambda X, P, W, at: function(*(rows.rows_at(x, None) for x in (X, P, W)), rows.words(at)))


@functools.cache
def _number(function):
    number = len(rows.FUNCTIONS) + 1
    rows.FUNCTIONS[number] = function
    return number


def on_disk(functions, width):
    """True if the machine code of functions that are compiled together is kept."""
    paths = [] if config.DISABLE_JIT else [_path(_module(function, functions), width) for function in functions]
    return all(path is None or path.exists() for path in paths)


def caller(function, width, together=()):
    """The compiled function, to be called with four addresses; of arrays, without compilation."""
    return function if config.DISABLE_JIT else CALL(address(function, width, together))
