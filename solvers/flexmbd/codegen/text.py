"""Modules of LLVM's intermediate language as lines of text.

An operand is the text that stands for it: ``%v7``, ``3``, ``<double 0x..., ...>``; whoever writes an instruction knows of what kind it is.
`codegen.values` has numbers that write themselves, `codegen.loops` loops and tables. llvmlite has builders of such text, whose
objects took a third of the time to the first result of a large model.
"""

from __future__ import annotations

from contextlib import contextmanager
from struct import pack

DOUBLE, WORD, INTEGER, TRUTH, VOID = "double", "i64", "i32", "i1", "void"
UNDEFINED = "undef"
# Of the branch that closes a loop of lanes whose bounds are known at run time only: its body is written once. A tenth of the time to
# compile a beam, which runs 5 % faster.
ONCE = ", !llvm.loop !0"
_SAID = ["!0 = distinct !{!0, !1}", '!1 = !{!"llvm.loop.unroll.runtime.disable"}']


def pointer(kind):
    """Kind of a pointer to values of a kind."""
    return f"{kind}*"


def vector(kind, width):
    """Kind of so many values side by side; for one, of a value."""
    return f"<{width} x {kind}>" if width > 1 else kind


def number(x):
    """A double with all its bits."""
    return f"0x{pack('>d', x).hex()}"


def filled(kind, x, width):
    """A vector of constants of a kind that are all x; for one, x."""
    return f"<{', '.join([f'{kind} {x}'] * width)}>" if width > 1 else x


class Module:
    """Functions, constants and kinds that belong together, each by its name."""

    def __init__(self):
        self.functions, self._globals, self._structures, self._kernels = {}, {}, {}, []

    def function(self, name, result, kinds, names=(), *, inside=False, attributes=""):
        """A new `Function`; `inside`: for the module's own use."""
        made = self.functions[name] = self._globals[name] = Function(self, name, result, kinds, names, inside, attributes)
        return made

    def declared(self, name, result, kinds):
        """A function of that name that is there, or that others have."""
        return self.functions.get(name) or self.function(name, result, kinds)

    def structure(self, kind, count):
        """Kind of several values of a kind; its name is by how many, and by their length: it has one for each."""
        name = f'%"results.{count}.{kind}"'
        self._structures[name] = f"{name} = type {{{', '.join([kind] * count)}}}"
        return name

    def numbers(self, name, values):
        """A table of constant doubles: its place and its kind."""
        kind, values = f"[{len(values)} x {DOUBLE}]", ", ".join(f"{DOUBLE} {number(x)}" for x in values)
        self._globals[name] = f'@"{name}" = internal constant {kind} [{values}]'
        return f'@"{name}"', kind

    def symbol(self, name):
        """Place of a double that others have."""
        self._globals.setdefault(name, f'@"{name}" = external global {DOUBLE}')
        return f'@"{name}"'

    def kernel(self, function):
        """Say that a function is a kernel of a graphics processor."""
        self._kernels.append(f'{{{VOID} ({", ".join(function.kinds)})* @"{function.name}", !"kernel", {INTEGER} 1}}')

    @property
    def kernels(self):
        """Whether some functions are written for this module's own use, and LLVM decides whether they are put in where they are called."""
        return any(x.free for x in self.functions.values())

    def text(self):
        """The module."""
        parts = ['target triple = "unknown-unknown-unknown"', 'target datalayout = ""', *self._structures.values()]
        parts += [x if isinstance(x, str) else x.text() for x in self._globals.values()]
        first = len(_SAID)
        parts += _SAID + [f"!{k} = !{x}" for k, x in enumerate(self._kernels, first)]
        if self._kernels:
            parts.append(f"!nvvm.annotations = !{{{', '.join(f'!{first + k}' for k in range(len(self._kernels)))}}}")
        return "\n".join((*parts, ""))


class Function:
    """A function of a module; one without blocks is somebody else's.

    Attributes
    ----------
    args : list of str
        Its arguments, as operands.
    result : str
        Kind of what it gives.
    results : int
        How many values that is; 0 for a value that is no structure, or for none.
    kind : str
        Kind of the array that its last argument points to, of one that stores its results there; else none.
    """

    def __init__(self, module, name, result, kinds, names, inside, attributes):
        self.module, self.name, self.result, self.kinds, self.results, self.kind = module, name, result, kinds, 0, None
        self.args = [f"%{x}" for x in names] if names else [f"%a{k}" for k in range(len(kinds))]
        self.blocks, self.values = [], 0
        self._inside, self._attributes, self._alone = inside, attributes, set()

    @property
    def free(self):
        """Whether LLVM decides where it is put in."""
        return self._inside and not self._attributes

    def apart(self, *names):
        """Nothing else points to where these arguments point to."""
        self._alone.update(f"%{x}" for x in names)

    def text(self):
        """Its lines."""
        if not self.blocks:
            return f'declare {self.result} @"{self.name}"({", ".join(self.kinds)})'
        given = [f"{k} {'noalias ' * (x in self._alone)}{x}" for k, x in zip(self.kinds, self.args, strict=True)]
        head = f'define {"internal " * self._inside}{self.result} @"{self.name}"({", ".join(given)}) {self._attributes}'
        return "\n".join((f"{head} {{", *(line for block in self.blocks for line in block.text()), "}"))


class Block:
    """Instructions of a function without a branch, and the one they end with."""

    __slots__ = ("end", "lines", "name")

    def __init__(self, function):
        self.name, self.lines, self.end = f"b{len(function.blocks)}", [], None
        function.blocks.append(self)

    def text(self):
        """Its lines."""
        return (f"{self.name}:", *self.lines, self.end)


class Instructions:
    """Writes instructions at the end of a block; each gives its value as an operand.

    Parameters
    ----------
    function : Function
        Without blocks so far.
    """

    def __init__(self, function):
        self.function, self.module = function, function.module
        self.entry = self.block = Block(function)

    def new(self, code):
        """Any instruction that gives a value."""
        f = self.function
        f.values += 1
        name = f"%v{f.values}"
        self.block.lines.append(f"{name} = {code}")
        return name

    def op(self, name, kind, a, b):
        """Of two values of a kind, by its name and flags."""
        f = self.function  # `new`, once less called: half of all instructions are of this form
        f.values += 1
        value = f"%v{f.values}"
        self.block.lines.append(f"{value} = {name} {kind} {a}, {b}")
        return value

    # ---- memory: pointers are of no kind for LLVM, those written here say what is read there
    def gep(self, kind, place, index):
        """The place so many values of a kind further."""
        return self.new(f"getelementptr {kind}, {kind}* {place}, {WORD} {index}")

    def member(self, kind, place, k):
        """The place of a member of an array of a kind."""
        return self.new(f"getelementptr {kind}, {kind}* {place}, {WORD} 0, {WORD} {k}")

    def load(self, kind, place, align=0):
        """Value at a place."""
        return self.new(f"load {kind}, {kind}* {place}{f', align {align}' if align else ''}")

    def store(self, kind, value, place, align=0):
        """Put a value at a place."""
        self.block.lines.append(f"store {kind} {value}, {kind}* {place}{f', align {align}' if align else ''}")

    def alloca(self, kind, count=0):
        """Place of a value, or of so many, that is there until the function ends."""
        with self.at_entry():
            return self.new(f"alloca {kind}{f', {INTEGER} {count}' if count else ''}")

    # ---- values
    def cast(self, name, kind, value, to):
        """A value as one of another kind, by the instruction's name."""
        return self.new(f"{name} {kind} {value} to {to}")

    def select(self, truths, condition, kind, a, b):
        """a where the condition, of a kind of truths, holds, else b."""
        return self.new(f"select {truths} {condition}, {kind} {a}, {kind} {b}")

    def extract(self, kind, vector, k):
        """An element of a vector."""
        return self.new(f"extractelement {kind} {vector}, {INTEGER} {k}")

    def insert(self, kind, vector, of, x, k):
        """A vector with another element."""
        return self.new(f"insertelement {kind} {vector}, {of} {x}, {INTEGER} {k}")

    def call(self, function, args):
        """Call of a `Function`: its value, if it gives one."""
        code = f'call {function.result} @"{function.name}"({", ".join([f"{k} {x}" for k, x in zip(function.kinds, args, strict=True)])})'
        if function.result != VOID:
            return self.new(code)
        self.block.lines.append(code)
        return None

    def line(self, code):
        """Any instruction that gives no value."""
        self.block.lines.append(code)

    # ---- blocks
    def append(self):
        """A new block behind all others."""
        return Block(self.function)

    @contextmanager
    def at_entry(self):
        """What is written within goes to the end of the function's first block."""
        here, self.block = self.block, self.entry
        yield
        self.block = here

    def branch(self, to, said=""):
        """End the block: go on in another; `said`: of the loop that this closes."""
        self.block.end = f"br label %{to.name}{said}"

    def choose(self, condition, yes, no):
        """End the block: go on in one of two."""
        self.block.end = f"br {TRUTH} {condition}, label %{yes.name}, label %{no.name}"

    def switch(self, x, cases, other):
        """End the block: go on where an integer says, one of 0, 1 ..., or else in another block."""
        to = " ".join([f"{INTEGER} {k}, label %{block.name}" for k, block in enumerate(cases)])
        self.block.end = f"switch {INTEGER} {x}, label %{other.name} [{to}]"

    def phi(self, kind):
        """What depends on the block one comes from: the value, and a function that says so with all (operand, block) in the end."""
        block, k, value = self.block, len(self.block.lines), self.new("")

        def complete(*ways):
            block.lines[k] = f"{value} = phi {kind} {', '.join(f'[{x}, %{before.name}]' for x, before in ways)}"

        return value, complete

    def give(self, value=None):
        """End the function, with a value of its kind if it gives one."""
        self.block.end = f"ret {VOID}" if value is None else f"ret {self.function.result} {value}"
