"""What LLVM has one switch of in a process is off only for a large module of the solver's own, and for nobody else."""

import threading

import llvmlite.binding as llvm
import pytest

from flexmbd import caching
from flexmbd.codegen import machine

TEXT = """
define void @"sums"(double* noalias %x, double* noalias %y) {{
entry:
{}
  ret void
}}
"""


def text(count=24):
    """A function whose instructions have a better order."""
    lines = []
    for k in range(count):
        lines += [f"  %p{k} = getelementptr double, double* %x, i64 {k}", f"  %a{k} = load double, double* %p{k}"]
    for k in range(count):
        lines += [f"  %b{k} = fdiv double %a{k}, %a{(7 * k + 3) % count}", f"  %c{k} = fmul double %b{k}, %a{(5 * k + 1) % count}"]
    for k in range(count):
        lines += [f"  %q{k} = getelementptr double, double* %y, i64 {k}", f"  store double %c{k}, double* %q{k}"]
    return TEXT.format("\n".join(lines))


def assembly():
    """What anybody's compiler makes of it."""
    module = llvm.parse_assembly(text(), llvm.create_context())
    return caching.machine(2).emit_assembly(module)


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """No machine code on disk."""
    monkeypatch.setattr(machine, "cache_directory", lambda: tmp_path)


def test_the_switch_is_what_it_was_after_small_and_large_modules(cold, monkeypatch):
    before, switched = assembly(), []
    monkeypatch.setattr(llvm, "set_option", lambda name, option: switched.append(option))
    assert machine.Code(text(4)).address("sums")
    assert not switched, "a small module leaves the switch alone"
    monkeypatch.undo()
    with machine._unordered():
        inside = assembly()
    assert inside != before, "the function shows the switch"
    assert assembly() == before
    with pytest.raises(KeyError), machine._unordered():
        raise KeyError
    assert assembly() == before


def test_a_large_module_is_compiled_with_the_switch_off_and_others_wait(cold, monkeypatch):
    monkeypatch.setattr(machine, "LARGE", 0)
    before, found, began = assembly(), [], threading.Event()
    other = threading.Thread(target=lambda: (began.set(), found.append(assembly())))
    set_option = llvm.set_option

    def watched(name, option):
        set_option(name, option)
        if option.endswith("false"):
            other.start()
            began.wait()
            other.join(0.2)
            assert not found, "another thread compiled while the switch was off"

    monkeypatch.setattr(llvm, "set_option", watched)
    assert machine.Code(text(5)).address("sums")
    other.join()
    assert found == [before]
