"""Functions of the time loop in LLVM's language, read from their source.

They are written in little: integers, numbers, truth values, lane values and masks of them, places in memory, ``if``, loops, calls. So they
are read here, once for the kinds of arguments that they are called with, in a small part of the time that Numba takes, which knows all of
Python. What is not known here (`Unreadable`), in a scheme that somebody else wrote, Numba compiles.

A variable has a place on the stack for each kind of value that it takes on. Where ways through a function meet, values become of the kind
that all of them fit in: an integer before a loop that is a lane value behind it is one from the start.
"""

import ast
import functools
import linecache

import numpy as np

from flexmbd.stepping.expressions import Expressions
from flexmbd.stepping.instructions import ENTRIES, VOID, Unreadable, Value, constant


@functools.cache
def _definitions(file, text):
    """Definitions in a file, by name and first line."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return {(node.name, min([node.lineno, *(x.lineno for x in node.decorator_list)])): node for node in found}


def _source(function):
    """Definition of a function."""
    code = function.__code__
    node = _definitions(code.co_filename, "".join(linecache.getlines(code.co_filename))).get((code.co_name, code.co_firstlineno))
    if node is None or len(node.args.args) != len(code.co_varnames[: code.co_argcount]) or node.args.vararg or node.args.kwarg:
        raise Unreadable(f"the source of '{code.co_name}'")
    return node


class Module:
    """Functions of rows of a width and all that they call, each for the kinds of arguments that it is called with.

    Attributes
    ----------
    text : str
        The module; the functions have the names given.

    Raises
    ------
    Unreadable
        If one of them is not written in what is known here.
    """

    def __init__(self, functions, width, names):
        self.width, self.declared, self._functions, self._arrays, self._known = width, set(), [], {}, {}
        for function, name in zip(functions, names, strict=True):
            self._write(function, ("rows", "rows", "rows", "words"), name, "")
        arrays = [f"{name} = private unnamed_addr constant {text}" for text, name in self._arrays.items()]
        self.text = "\n".join([*sorted(self.declared), *arrays, *self._functions])

    def _write(self, function, kinds, name, local):
        writer = Writer(self, function, kinds)
        writer.run()
        if writer.varied:  # again, now that it is known what kind its results are of
            writer = Writer(self, function, kinds, writer.result)
            writer.run()
        self._functions.append(writer.text(name, local))
        return writer.result

    def function(self, function, kinds):
        """Name and kind of the result of a function for such arguments."""
        key = function, kinds
        if key not in self._known:
            self._known[key] = None
            name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}.{len(self._known)}"
            self._known[key] = name, self._write(function, kinds, name, "linkonce_odr ")
        if self._known[key] is None:
            raise Unreadable(f"'{function.__name__}', which calls itself")
        return self._known[key]

    def array(self, array):
        """Where an array is that is part of the code."""
        numbers = [constant(x) for x in array.ravel()]
        kind = numbers[0].kind
        text = f"[{array.size} x {kind}] [{', '.join(f'{kind} {x.text}' for x in numbers)}]"
        name = self._arrays.setdefault(text, f"@array.{len(self._arrays)}")
        return Value(name, next(pointer for pointer, entry in ENTRIES.items() if entry == kind))


class Writer(Expressions):
    """Writes the statements of a function."""

    def __init__(self, module, function, kinds, result=None):
        super().__init__(module, function)
        self.node, self.given = _source(function), kinds
        self.result, self.fixed, self.varied, self.loops = result, result is not None, False, []

    def run(self):
        """Read the function."""
        for k, (x, kind) in enumerate(zip(self.node.args.args, self.given, strict=True)):
            self.assign(x.arg, Value(f"%arg.{k}", kind))
        self.block(self.node.body)
        if self.kinds is not None:
            self.give(())

    def text(self, name, local):
        """The function, in LLVM's language."""
        arguments = ", ".join(f"{self.type(kind)} %arg.{k}" for k, kind in enumerate(self.given))
        slots = [f"{register} = alloca {self.type(kind)}" for (_, kind), register in self.slots.items()]
        body = "\n  ".join(["entry:", *slots, *self.lines])
        return f"define {local}{self.type(self.result)} @{name}({arguments}) nounwind {{\n{body}\n}}\n"

    def block(self, body):
        """Write statements, as far as something gets to them."""
        for node in body:
            if self.kinds is not None:
                self.of(node)

    # ---- statements
    def _expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.of(node.value)

    def _pass(self, node):
        pass

    def _assign(self, node):
        value = self.of(node.value)
        for target in node.targets:
            self.give_to(target, value)

    def _augassign(self, node):
        self.give_to(node.target, self.of(ast.BinOp(node.target, node.op, node.value)))

    def give_to(self, target, value):
        """Give a value to what stands left of a ``=``."""
        if isinstance(target, ast.Name):
            self.assign(target.id, value)
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and not isinstance(value, Value):
            for x, y in zip(target.elts, value, strict=True):
                self.give_to(x, y)
        elif isinstance(target, ast.Subscript):
            where, kind = self.entry(self.of(target.value), self.of(target.slice))
            self.lines.append(f"store {kind} {self.cast(value, kind).text}, ptr {where}")
        else:
            raise Unreadable(f"'{ast.unparse(target)} ='")

    def _return(self, node):
        self.give(() if node.value is None else self.of(node.value))

    def give(self, values):
        """Return values."""
        single = isinstance(values, Value)
        kind = values.kind if single else tuple(x.kind for x in values) or VOID
        if not self.fixed:
            self.varied |= self.result not in (None, kind)
            self.result = kind if self.result is None else self.fitting(self.result, kind)
            if self.varied:  # what is written is not used
                self.kinds = None
                return
        whole = self.type(self.result)
        if single:
            self.lines.append(f"ret {whole} {self.cast(values, self.result).text}")
        elif not values:
            self.lines.append("ret void")
        else:
            made = "undef"
            for k, (x, kind) in enumerate(zip(values, self.result, strict=True)):
                made = self.value(f"insertvalue {whole} {made}, {self.type(kind)} {self.cast(x, kind).text}, {k}", whole).text
            self.lines.append(f"ret {whole} {made}")
        self.kinds = None

    def fitting(self, a, b):
        """Kind of results that are once of one kind and once of another."""
        several = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        kinds = tuple(self.common(*pair) for pair in zip(a, b, strict=True)) if several else (self.common(a, b),)
        if None in kinds:
            raise Unreadable(f"results of different kinds of '{self.node.name}'")
        return kinds if several else kinds[0]

    # ---- ways that part and meet
    def join(self, ways):
        """Kinds of variables where ways meet; without those that are of no common one."""
        names = {name: None for way in ways for name in way}
        joined = {name: self.common(*(way[name] for way in ways if name in way)) for name in names}
        return {name: kind for name, kind in joined.items() if kind is not None}

    def become(self, kinds):
        """Let variables be of these kinds, and others unknown."""
        for name, kind in kinds.items():
            if self.kinds.get(name, kind) != kind:
                self.assign(name, self.cast(self.read(name), kind))
        self.kinds = dict(kinds)

    def ways(self, condition, yes, no):
        """Go one of two ways."""
        labels, after, before, lines, ends = (self.label(), self.label()), self.label(), self.kinds, self.lines, []
        lines.append(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        for label, write in zip(labels, (yes, no), strict=True):
            self.kinds, self.lines = dict(before), [f"{label}:"]
            write()
            ends.append((self.kinds, self.lines))
        joined = self.join([kinds for kinds, _ in ends if kinds is not None])
        for self.kinds, self.lines in ends:
            if self.kinds is not None:
                self.become(joined)
                self.lines.append(f"br label %{after}")
            lines += self.lines
        self.lines = lines
        self.kinds = joined if any(kinds is not None for kinds, _ in ends) else None
        if self.kinds is not None:
            self.begin(after)

    def _if(self, node):
        self.ways(self.truth(self.of(node.test)), lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _while(self, node):
        self.loop(node, lambda: self.truth(self.of(node.test)), lambda: None, lambda: None)

    def _for(self, node):
        counter = f".{len(self.slots)}"
        if isinstance(node.iter, ast.Tuple):
            numbers = np.array([self.known(x) for x in node.iter.elts])
            arguments, item = [constant(len(numbers))], lambda: self.kept(numbers, self.read(counter))
        elif isinstance(node.iter, ast.Call) and self.meaning(node.iter.func) is range:
            arguments, item = [self.cast(self.of(x), "i64") for x in node.iter.args], lambda: self.read(counter)
        else:
            raise Unreadable(f"a loop over '{ast.unparse(node.iter)}'")
        first, stop, by = (constant(0), *arguments, constant(1)) if len(arguments) == 1 else (*arguments, constant(1))[:3]
        if by.text.startswith(("-", "%")):
            raise Unreadable(f"a loop by '{by.text}'")
        self.assign(counter, first)
        self.loop(
            node,
            lambda: self.compare("lt", self.read(counter), stop).text,
            lambda: self.give_to(node.target, item()),
            lambda: self.assign(counter, self.binary("add", self.read(counter), by)),
        )

    def loop(self, node, test, start, advance):
        """A loop; written anew where a variable that it begins with is of another kind behind a turn."""
        if node.orelse:
            raise Unreadable("'else' of a loop")
        before, head, kept = dict(self.kinds), dict(self.kinds), len(self.lines)
        while True:
            again, body, following, after = labels = [self.label() for _ in range(4)]
            self.become(head)
            self.begin(again, jump=True)
            self.loops.append((labels, ends := []))
            self.lines.append(f"br i1 {test()}, label %{body}, label %{after}")
            self.begin(body)
            start()
            self.block(node.body)
            self.leave(following)
            self.loops.pop()
            joined = self.join([head, *ends])
            wanted = {name: joined[name] for name in head if name in joined}
            if wanted == head:
                break
            del self.lines[kept:]
            self.kinds, head = dict(before), wanted
        self.begin(following)
        self.kinds = {name: kind for name, kind in joined.items() if all(end.get(name, kind) == kind for end in ends)}
        known = dict(self.kinds)
        advance()
        self.lines.append(f"br label %{again}")
        self.begin(after)
        self.kinds = known

    def leave(self, label):
        """Go to the next turn of the loop, or behind it."""
        if self.kinds is not None:
            self.loops[-1][1].append(self.kinds)
            self.lines.append(f"br label %{label}")
            self.kinds = None

    def _break(self, node):
        self.leave(self.loops[-1][0][3])

    def _continue(self, node):
        self.leave(self.loops[-1][0][2])
