"""Expressions of functions of the time loop in LLVM's language."""

import ast
import builtins
from types import ModuleType

import numpy as np

from flexmbd.stepping.instructions import VOID, WORDS, Instructions, Unreadable, Value, constant

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.FloorDiv: "floordiv", ast.Mod: "rem", ast.LShift: "shl", ast.RShift: "ashr",
}  # fmt: skip
COMPARED = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}


class Expressions(Instructions):
    """Writes expressions: each method gives the `Value`, or a tuple of such, of a node."""

    def __init__(self, module, function):
        super().__init__(module)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        self.own, self.of_closure = set(function.__code__.co_varnames), dict(zip(function.__code__.co_freevars, cells, strict=True))
        self.of_module = function.__globals__
        self.kinds, self.slots = {}, {}  # kinds: of the variables here; None where nothing gets to

    def of(self, node):
        """Write a node."""
        write = getattr(self, f"_{type(node).__name__.lower()}", None)
        if write is None:
            raise Unreadable(f"'{ast.unparse(node)}'")
        return write(node)

    # ---- variables, and names from outside
    def assign(self, name, value):
        """Let a variable be a value."""
        if not isinstance(value, Value):
            raise Unreadable(f"several values in '{name}'")
        slot = self.slots.setdefault((name, value.kind), f"%{name}.{len(self.slots)}")
        self.lines.append(f"store {self.type(value.kind)} {value.text}, ptr {slot}")
        self.kinds[name] = value.kind

    def read(self, name):
        """Value of a variable."""
        if name not in self.kinds:
            raise Unreadable(f"'{name}' before it has a value of one kind")
        kind = self.kinds[name]
        return self.value(f"load {self.type(kind)}, ptr {self.slots[name, kind]}", kind)

    def meaning(self, node):
        """What a name from outside stands for."""
        if isinstance(node, ast.Attribute):
            owner = self.meaning(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr)
        elif isinstance(node, ast.Name) and node.id not in self.own:
            for names in (self.of_closure, self.of_module, vars(builtins)):
                if node.id in names:
                    return names[node.id]
        raise Unreadable(f"'{ast.unparse(node)}'")

    def known(self, node):
        """A number that is known when the function is read."""
        sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
        node = node.operand if sign < 0 else node
        found = node.value if isinstance(node, ast.Constant) else self.meaning(node)
        if not isinstance(found, bool | int | float | np.number):
            raise Unreadable(f"'{ast.unparse(node)}'")
        return sign * found if sign < 0 else found

    def _name(self, node):
        return self.read(node.id) if node.id in self.own else constant(self.known(node))

    def _attribute(self, node):
        return constant(self.known(node))

    _constant = _attribute

    def _tuple(self, node):
        return tuple([self.of(x) for x in node.elts])

    # ---- operators
    def _binop(self, node):
        name, (a, b) = BINARY.get(type(node.op)), (self.of(node.left), self.of(node.right))
        if name is None or not isinstance(a, Value) or not isinstance(b, Value):
            raise Unreadable(f"'{ast.unparse(node)}'")
        return self.binary(name, a, b)

    def _unaryop(self, node):
        if isinstance(node.op, ast.Not):
            return self.value(f"xor i1 {self.truth(self.of(node.operand))}, true", "i1")
        if not isinstance(node.op, ast.USub):
            raise Unreadable(f"'{ast.unparse(node)}'")
        return self.negative(self.of(node.operand))

    def _compare(self, node):
        values, whole = [self.of(x) for x in (node.left, *node.comparators)], None
        for op, a, b in zip(node.ops, values, values[1:], strict=False):
            if type(op) not in COMPARED:
                raise Unreadable(f"'{ast.unparse(node)}'")
            found = self.compare(COMPARED[type(op)], a, b)
            whole = found if whole is None else self.binary("and", whole, found)
        return whole

    def _boolop(self, node):
        """Truth values; the next one is looked at only if those before do not decide."""
        name, decides = f".{len(self.slots)}", constant(isinstance(node.op, ast.Or))

        def look(first, *others):
            value = self.of(first)
            if value.kind != "i1":
                raise Unreadable(f"'{ast.unparse(node)}' of {value.kind}")
            if not others:
                return self.assign(name, value)
            ways = (lambda: self.assign(name, decides)), (lambda: look(*others))
            return self.ways(value.text, *(ways if decides.text == "true" else ways[::-1]))

        look(*node.values)
        return self.read(name)

    def _ifexp(self, node):
        name = f".{len(self.slots)}"
        self.ways(self.truth(self.of(node.test)), *(lambda x=x: self.assign(name, self.of(x)) for x in (node.body, node.orelse)))
        return self.read(name)

    # ---- entries and calls
    def _subscript(self, node):
        if isinstance(node.value, ast.Name) and node.value.id not in self.own:
            return self.kept(self.meaning(node.value), self.of(node.slice))
        where, kind = self.entry(self.of(node.value), self.of(node.slice))
        return self.value(f"load {kind}, ptr {where}", kind)

    def kept(self, array, index):
        """An entry of an array that is part of the code."""
        indices = (index,) if isinstance(index, Value) else index
        if not isinstance(array, np.ndarray) or array.dtype not in (np.int64, np.float64) or array.ndim != len(indices):
            raise Unreadable("an entry of what is no array of numbers")
        place = Value("0", "i64")
        for size, i in zip(array.shape, indices, strict=True):
            place = self.binary("add", self.binary("mul", place, constant(size)), i)
        where, kind = self.entry(self.module.array(array), place)
        return self.value(f"load {kind}, ptr {where}", kind)

    def _call(self, node):
        function = self.meaning(node.func)
        if node.keywords or any(isinstance(x, ast.Starred) for x in node.args):
            raise Unreadable(f"'{ast.unparse(node)}'")
        arguments = [self.of(x) for x in node.args]
        if function in WORDS:
            return WORDS[function](self, *arguments)
        plain = getattr(function, "py_func", None)
        if plain is None or not all(isinstance(x, Value) for x in arguments):
            raise Unreadable(f"'{ast.unparse(node)}'")
        name, kind = self.module.function(plain, tuple(x.kind for x in arguments))
        call = f"call {self.type(kind)} @{name}({', '.join(f'{self.type(x.kind)} {x.text}' for x in arguments)})"
        if kind == VOID:
            self.lines.append(call)
            return ()
        found = self.value(call, kind)
        if not isinstance(kind, tuple):
            return found
        return tuple(self.value(f"extractvalue {self.type(kind)} {found.text}, {k}", x) for k, x in enumerate(kind))
