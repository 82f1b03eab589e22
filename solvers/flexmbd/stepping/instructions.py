"""Instructions of LLVM's language for numbers and lane values, and what the words of the time loop are in it."""

import math
import struct
from typing import NamedTuple

import numpy as np

from flexmbd import lanes
from flexmbd.lanes import rows

VOID, LANES, MASK = "void", "lanes", "mask"
POINTERS = ("rows", "doubles", "words")
ENTRIES = {"doubles": "double", "words": "i64"}  # what such a place has
RANK = {"i1": 0, "i64": 1, "double": 2, LANES: 3}  # each fits in those behind it
FLAG = "contract"


class Unreadable(Exception):
    """What is not known here, in words."""


class Value(NamedTuple):
    """A value: its register or the constant, and its kind."""

    text: str
    kind: str


def real(x):
    """A number in LLVM's language."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def constant(x):
    """Value of a number of Python."""
    if isinstance(x, bool | np.bool_):
        return Value(str(bool(x)).lower(), "i1")
    return Value(str(int(x)), "i64") if isinstance(x, int | np.integer) else Value(real(float(x)), "double")


class Instructions:
    """Writes instructions, one a line."""

    def __init__(self, module):
        self.module, self.width, self.lines, self.count = module, module.width, [], 0
        self.lane_kind = LANES if module.width > 1 else "double"

    def type(self, kind):
        """LLVM's type of a kind of value."""
        if kind in POINTERS:
            return "ptr"
        if kind in (LANES, MASK):
            return f"<{self.width} x {'double' if kind == LANES else 'i1'}>"
        return "{" + ", ".join(map(self.type, kind)) + "}" if isinstance(kind, tuple) else kind

    def value(self, instruction, kind):
        """Write an instruction that gives a value."""
        self.count += 1
        self.lines.append(f"%.{self.count} = {instruction}")
        return Value(f"%.{self.count}", kind)

    def label(self):
        """A label that nothing else has."""
        self.count += 1
        return f"L{self.count}"

    def begin(self, label, jump=False):
        """Begin a block; `jump`: and go on there."""
        self.lines += [f"br label %{label}"] * jump + [f"{label}:"]

    def intrinsic(self, name, kind, *arguments):
        """Call one of LLVM's own functions: of ``double`` or lanes to the same."""
        name += f".v{self.width}f64" if kind == LANES else ".f64"
        typed = self.type(kind)
        self.module.declared.add(f"declare {typed} @{name}({', '.join([typed] * len(arguments))})")
        given = ", ".join(f"{typed} {self.cast(x, kind).text}" for x in arguments)
        return self.value(f"call {FLAG} {typed} @{name}({given})", kind)

    # ---- kinds
    def common(self, *kinds):
        """The kind that all fit in; None if there is none."""
        if len(set(kinds)) == 1:
            return kinds[0]
        return max(kinds, key=RANK.get) if all(kind in RANK for kind in kinds) else None

    def cast(self, value, kind):
        """The value as one of another kind."""
        text, own = value
        if own == kind:
            return value
        if own not in RANK or kind not in RANK or (kind == "i1" and own != kind):
            raise Unreadable(f"{own} as {kind}")
        literal = not text.startswith("%")
        if kind == "i64":
            if own != "i1":
                raise Unreadable("a number as an integer")
            return Value(str(int(text == "true")), kind) if literal else self.value(f"zext i1 {text} to i64", kind)
        if own in ("i1", "i64"):
            number = self.cast(value, "i64")
            made = constant(float(number.text)) if literal else self.value(f"sitofp i64 {number.text} to double", "double")
            return self.cast(made, kind)
        if literal:
            return Value("<" + ", ".join([f"double {text}"] * self.width) + ">", kind)
        whole = self.type(kind)
        first = self.value(f"insertelement {whole} undef, double {text}, i32 0", kind).text
        return self.value(f"shufflevector {whole} {first}, {whole} undef, <{self.width} x i32> zeroinitializer", kind)

    def alike(self, *values):
        """Values as of the kind that all fit in."""
        kind = self.common(*(x.kind for x in values))
        if kind is None:
            raise Unreadable(f"{' and '.join(x.kind for x in values)} together")
        return kind, [self.cast(x, kind).text for x in values]

    def truth(self, value):
        """Whether a value is something, as a condition of a branch."""
        if value.kind == "i1":
            return value.text
        if value.kind == "i64":
            return self.value(f"icmp ne i64 {value.text}, 0", "i1").text
        raise Unreadable(f"a condition of {value.kind}")

    # ---- operators
    def binary(self, name, a, b):
        """Result of an operator of two values."""
        if a.kind == b.kind and a.kind in ("i1", MASK) and name in ("and", "or", "xor"):
            return self.value(f"{name} {self.type(a.kind)} {a.text}, {b.text}", a.kind)
        kind, (x, y) = self.alike(a, b)
        if kind == "i1" or (kind == "i64" and name == "div"):
            kind = "i64" if name != "div" else "double"
            x, y = self.cast(a, kind).text, self.cast(b, kind).text
        if kind == "i64":
            if name in ("floordiv", "rem"):
                return self.divided(name, x, y)
            return self.value(f"{name}{' nsw' * (name in ('add', 'sub', 'mul'))} i64 {x}, {y}", kind)
        if kind not in ("double", LANES) or name not in ("add", "sub", "mul", "div"):
            raise Unreadable(f"{name} of {kind}")
        return self.value(f"f{name} {FLAG} {self.type(kind)} {x}, {y}", kind)

    def divided(self, name, x, y):
        """Quotient rounded down, or what is left, of integers; the divisor is above zero."""
        rest = self.value(f"srem i64 {x}, {y}", "i64").text
        below = self.value(f"icmp slt i64 {rest}, 0", "i1").text
        if name == "rem":
            lifted = self.value(f"add nsw i64 {rest}, {y}", "i64").text
            return self.value(f"select i1 {below}, i64 {lifted}, i64 {rest}", "i64")
        down = self.value(f"sext i1 {below} to i64", "i64").text
        return self.value(f"add nsw i64 {self.value(f'sdiv i64 {x}, {y}', 'i64').text}, {down}", "i64")

    def compare(self, which, a, b):
        """Truth value, or mask, of a comparison."""
        kind, (x, y) = self.alike(a, b)
        if kind in ("i1", "i64"):
            x, y = self.cast(a, "i64").text, self.cast(b, "i64").text
            return self.value(f"icmp {which if which in ('eq', 'ne') else 's' + which} i64 {x}, {y}", "i1")
        if kind not in ("double", LANES):
            raise Unreadable(f"a comparison of {kind}")
        return self.value(f"fcmp {'une' if which == 'ne' else 'o' + which} {self.type(kind)} {x}, {y}", MASK if kind == LANES else "i1")

    def negative(self, value):
        """A number, or lane value, with the other sign."""
        if value.kind in ("i1", "i64"):
            x = self.cast(value, "i64").text
            return constant(-int(x)) if not x.startswith("%") else self.value(f"sub nsw i64 0, {x}", "i64")
        return self.value(f"fneg {self.type(value.kind)} {value.text}", value.kind)

    # ---- places
    def entry(self, address, number):
        """Where the number is that so many are before, and its kind."""
        if address.kind not in ENTRIES:
            raise Unreadable(f"an entry of {address.kind}")
        kind = ENTRIES[address.kind]
        return self.value(f"getelementptr {kind}, ptr {address.text}, i64 {self.cast(number, 'i64').text}", "ptr").text, kind

    def row(self, address, number, lane=None):
        """Where a row is, or the number of a lane in it."""
        k = self.value(f"mul i64 {self.cast(number, 'i64').text}, {self.width}", "i64")
        if lane is not None:
            k = self.value(f"add i64 {k.text}, {self.cast(lane, 'i64').text}", "i64")
        return self.entry(Value(address.text, "doubles"), k)[0]


# ---- words: each writes what it is of values
def _load(w, a, i):
    kind = w.lane_kind
    return w.value(f"load {w.type(kind)}, ptr {w.row(a, i)}, align 8", kind)


def _store(w, a, i, value):
    kind = w.lane_kind
    w.lines.append(f"store {w.type(kind)} {w.cast(value, kind).text}, ptr {w.row(a, i)}, align 8")


def _get(w, a, i, lane):
    return w.value(f"load double, ptr {w.row(a, i, lane)}", "double")


def _put(w, a, i, lane, value):
    w.lines.append(f"store double {w.cast(value, 'double').text}, ptr {w.row(a, i, lane)}")


def _at(kind):
    return lambda w, address, *_: w.value(f"inttoptr i64 {w.cast(address, 'i64').text} to ptr", kind)


def _call(w, address, *arguments):
    where = w.value(f"inttoptr i64 {address.text} to ptr", "ptr").text
    given = ", ".join(f"ptr {x.text}" if x.kind in POINTERS else f"i64 {w.cast(x, 'i64').text}" for x in arguments)
    w.lines.append(f"call void {where}({given})")


def _select(w, c, a, b):
    kind, (x, y) = w.alike(a, b)
    if c.kind == MASK:
        kind, x, y = LANES, w.cast(a, LANES).text, w.cast(b, LANES).text
    elif c.kind != "i1":
        raise Unreadable(f"a choice by {c.kind}")
    return w.value(f"select {w.type(c.kind)} {c.text}, {w.type(kind)} {x}, {w.type(kind)} {y}", kind)


def _not(w, c):
    if c.kind == MASK:
        return w.value(f"xor {w.type(MASK)} {c.text}, <{', '.join(['i1 true'] * w.width)}>", MASK)
    return w.value(f"xor i1 {w.truth(c)}, true", "i1")


def _any(w, c):
    if c.kind != MASK:
        return Value(w.truth(c), "i1")
    bits = w.value(f"bitcast {w.type(MASK)} {c.text} to i{w.width}", "bits").text
    return w.value(f"icmp ne i{w.width} {bits}, 0", "i1")


def _of_number(name):
    return lambda w, x: w.intrinsic(f"llvm.{name}", LANES if x.kind == LANES else "double", x)


def _absolute(w, x):
    if x.kind != "i64":
        return w.intrinsic("llvm.fabs", x.kind, x)
    return _select(w, w.compare("lt", x, constant(0)), w.negative(x), x)


def _extreme(which):
    """The first value unless another one is beyond it, as Python has it."""

    def write(w, first, *others):
        for x in others:
            first = _select(w, w.compare(which, x, first), x, first)
        return first

    return write


def _integer(w, x):
    return w.value(f"fptosi double {x.text} to i64", "i64") if x.kind == "double" else w.cast(x, "i64")


WORDS = {
    rows.ld: _load, rows.st: _store, rows.get: _get, rows.put: _put, rows.width_of: lambda w, _: constant(w.width),
    rows.doubles: _at("doubles"), rows.words: _at("words"), rows.rows_at: _at("rows"), rows.call: _call, rows.evaluate: _call,
    lanes.select: _select, lanes.lnot: _not, lanes.any_lane: _any, lanes.fabs: _absolute, lanes.sqrt: _of_number("sqrt"),
    lanes.floor: _of_number("floor"), lanes.maximum: lambda w, a, b: _select(w, w.compare("gt", a, b), a, b),
    lanes.minimum: lambda w, a, b: _select(w, w.compare("lt", a, b), a, b),
    np.floor: _of_number("floor"), math.floor: lambda w, x: _integer(w, _of_number("floor")(w, x)),
    int: _integer, float: lambda w, x: w.cast(x, "double"), abs: _absolute, min: _extreme("lt"), max: _extreme("gt"),
}  # fmt: skip
