"""What machine code is made for: lanes of this processor, or threads of a graphics processor."""

from __future__ import annotations

from dataclasses import dataclass

import llvmlite.binding as llvm

from flexmbd.codegen.text import DOUBLE, INTEGER, VOID, WORD, Instructions

TRIPLE = "nvptx64-nvidia-cuda"
REGISTER = 8  # numbers of a vector register, where they are largest
FAR = 64  # numbers between rows up to which tables have places as numbers, not as rows


class Rows:
    """How tables say where rows are."""

    @property
    def scale(self):
        """What places of rows in tables are multiplied by."""
        return self.stride if self.stride <= FAR else 1

    @property
    def apart(self):
        """Numbers from one place to the next."""
        return self.stride // self.scale


@dataclass(frozen=True)
class Cpu(Rows):
    """Samples side by side in vector registers.

    Attributes
    ----------
    width : int
        Lanes.
    """

    width: int

    @property
    def stride(self):
        """Numbers from one row to the next."""
        return self.width

    @property
    def part(self):
        """Lanes that elements of groups do at once.

        Their code has so many values that more than a register of each do not stay in registers: with 16 lanes at once it takes twice as
        long to compile, and a beam runs 8, a rope 4 % slower.
        """
        return self.width if self.width % REGISTER else REGISTER

    @property
    def polynomials(self):
        """Whether elementary functions are polynomials, or those of C's library."""
        return self.width > 1

    def export(self, module, name, inside, width):
        """A function ``name(X, P, W, at, x, y)`` that calls the inner one, for so many lanes after one another."""
        outside = module.function(name, VOID, inside.kinds[:6])
        builder = Instructions(outside)
        rows, rest = outside.args[:3], outside.args[3:]
        for lane in range(0, self.width, width):
            own = [builder.gep(DOUBLE, x, lane) for x in rows] if lane else rows
            builder.call(inside, [*own, *rest, 0, "null"])
        builder.give()


@dataclass(frozen=True)
class Cuda(Rows):
    """One sample a thread: a number of thread k is k behind the beginning of its row.

    Attributes
    ----------
    stride : int
        Samples, a multiple of the threads of a block.
    """

    stride: int
    width: int = 1
    part: int = 1
    polynomials: bool = True

    def export(self, module, name, inside, width):
        """A kernel ``name(X, P, W, at, x, y)``."""
        outside = module.function(name, VOID, inside.kinds[:6])
        b = Instructions(outside)
        block, threads, thread = (self._register(module, b, what) for what in ("ctaid.x", "ntid.x", "tid.x"))
        k = b.cast("zext", INTEGER, b.op("add", INTEGER, b.op("mul", INTEGER, block, threads), thread), WORD)
        X, P, W, *rest = outside.args
        b.call(inside, [*(b.gep(DOUBLE, rows, k) for rows in (X, P, W)), *rest, 0, "null"])
        b.give()
        module.kernel(outside)

    def _register(self, module, builder, what):
        return builder.call(module.declared(f"llvm.nvvm.read.ptx.sreg.{what}", INTEGER, []), [])


def ptx(text, processor="sm_70"):
    """PTX of a module that was written for `Cuda`.

    Parameters
    ----------
    text : str
    processor : str
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=processor, opt=1)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes.getModulePassManager().run(module, passes)
    return machine.emit_assembly(module)
