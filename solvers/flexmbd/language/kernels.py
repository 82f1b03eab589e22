"""Kernels as generated code knows them: by what they are, not by what they are called.

A kernel's name in generated code is its own name and a hash of its source, in which the kernels that it calls stand under such names and
the numbers of its module or closure, and tuples of them, by value. So two laws may name their kernels alike, and an edited kernel is
another one.
"""

import ast
import builtins
import dis
import hashlib
import inspect
import textwrap
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from types import FunctionType, ModuleType
from weakref import WeakKeyDictionary

import numpy as np

from flexmbd import lanes
from flexmbd.errors import ModelError

ALLOWED = f"a kernel may use its arguments, numbers and tuples of them, other kernels, and of flexmbd.lanes {', '.join(lanes.VOCABULARY)}"
_WORDS = {word.plain: name for name, word in lanes.WORDS.items()}
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.BitAnd, ast.BitOr, ast.USub, ast.UAdd)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_KNOWN = (
    ast.Assign, ast.AugAssign, ast.Return, ast.Pass, ast.For, ast.Name, ast.Constant, ast.Tuple, ast.Call, ast.BinOp, ast.UnaryOp,
    ast.Compare, ast.Subscript, ast.expr_context, *_OPERATORS, *_COMPARISONS,
)  # fmt: skip
_INSTEAD = {
    ast.If: ("if", "select(condition, a, b)"), ast.IfExp: ("if", "select(condition, a, b)"), ast.While: ("while", "for ... in range(n)"),
    ast.Pow: ("**", "power(x, y), or x * x"), ast.And: ("and", "&"), ast.Or: ("or", "|"), ast.Not: ("not", "lnot(condition)"),
    ast.Invert: ("~", "lnot(condition)"), ast.Eq: ("==", "< and >"), ast.NotEq: ("!=", "< and >"),
    ast.Mod: ("%", "x - y * floor(x / y)"), ast.FloorDiv: ("//", "floor(x / y)"),
}  # fmt: skip


class KernelError(ModelError):
    """What is wrong with a kernel; `function` is it."""

    def __init__(self, message, function, *, element=None, remedy=ALLOWED):
        super().__init__(message, element=element, remedy=remedy)
        self.function = function


@dataclass(frozen=True)
class Kernel:
    """A kernel in generated code.

    Attributes
    ----------
    name : str
        Its own name and a hash of what it is; two kernels of one name are the same.
    text : str
        Source of the function `name`, or its name if it is compiled elsewhere; "" for the words of `lanes`.
    calls : tuple of Kernel
        Kernels that the text names.
    arguments, results : int or None
        How many; None if the source does not say. One number is one result.
    function : callable
        As the law or element gave it.
    where : str
        File and line.
    """

    name: str
    text: str = field(compare=False)
    calls: tuple = field(compare=False)
    arguments: int | None = field(compare=False)
    results: int | None = field(compare=False)
    function: object = field(compare=False)
    where: str = field(compare=False)

    def describe(self):
        """What a message calls it."""
        return f"kernel '{getattr(self.function, '__name__', self.name)}'{f' ({self.where})' if self.where else ''}"


_read = WeakKeyDictionary()  # plain function -> (its code, what its names stood for, Kernel)


def kernel_of(function):
    """The `Kernel` of a function.

    Raises
    ------
    KernelError
        If its source cannot be found, or uses what does not work on lanes.
    """
    plain = getattr(function, "py_func", function)
    if plain in _WORDS:
        return Kernel(_WORDS[plain], "", (), None, lanes.WORDS[_WORDS[plain]].results, function, "")
    if hasattr(plain, "by_words"):  # `Derived`
        return Kernel(plain.__name__, plain.__name__, (), plain.arguments, plain.results, function, "")
    if hasattr(plain, "write"):  # it is compiled elsewhere, and says how it is called
        return Kernel(plain.__name__, plain.__name__, (), None, None, function, "")
    if not isinstance(plain, FunctionType):
        raise KernelError(f"{plain!r} is no kernel", function, remedy="a kernel is a function marked @kernel")
    code, meant, known = _read.get(plain, (None, {}, None))
    if code is plain.__code__ and all(_same(_meaning(plain, names), value) for names, value in meant.items()):
        return known
    reader = _Reader(plain, function)
    known = reader.kernel()
    _read[plain] = plain.__code__, reader.meant, known
    return known


def known_as(function):
    """What tells a kernel from others, hashable: its name in generated code; the function itself if that cannot be known."""
    try:
        return kernel_of(function).name
    except KernelError:
        return function


def with_called(kernels):
    """Kernels and all that they call, each once, in an order in which they can be defined."""
    found = {}

    def add(kernel):
        if kernel.name not in found and kernel.text:
            for x in kernel.calls:
                add(x)
            found[kernel.name] = kernel

    for kernel in kernels:
        add(kernel)
    return list(found.values())


def run_with(kernel, words, elsewhere):
    """The kernel as a function of whatever values `words`, by name, are for.

    Parameters
    ----------
    kernel : Kernel
    words : dict str -> callable
        The words of `lanes` for such values.
    elsewhere : callable
        Of a kernel's function that is compiled elsewhere, makes one of such values.
    """
    space = dict(words)
    for one in with_called([kernel]):
        plain = getattr(one.function, "py_func", one.function)
        if hasattr(plain, "by_words"):
            space[one.name] = plain.by_words(words)
        elif hasattr(plain, "write"):
            space[one.name] = elsewhere(plain)
        else:
            exec(compile(one.text, f"<{one.name}>", "exec"), space)
    return space[kernel.name]


def where(function):
    """File and line of a function, for messages; "" if it was made of text."""
    plain = getattr(function, "py_func", function)
    return "" if hasattr(plain, "source") else f"{Path(plain.__code__.co_filename).name}:{plain.__code__.co_firstlineno}"


_MISSING = object()


def _meaning(plain, names):
    """What a dotted name in a function stands for."""
    first, *rest = names.split(".")
    cells = dict(zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True))
    try:
        value = cells[first].cell_contents if first in cells else plain.__globals__.get(first, getattr(builtins, first, _MISSING))
    except ValueError:  # an empty cell
        return _MISSING
    for name in rest:
        value = getattr(value, name, _MISSING) if isinstance(value, ModuleType) else _MISSING
    return value


def _is_table(value):
    """True for a tuple of numbers, or of such tuples."""
    return isinstance(value, tuple) and all(isinstance(x, _NUMBERS) or _is_table(x) for x in value)


def _same(value, before):
    if isinstance(before, tuple):
        return value is before or (isinstance(value, tuple) and len(value) == len(before) and all(map(_same, value, before)))
    if isinstance(before, Kernel):
        return known_as(value) == before.name if callable(value) else False
    return value is before or (isinstance(value, _NUMBERS) and type(value) is type(before) and repr(value) == repr(before))


class _Reader(ast.NodeTransformer):
    """Reads the source of a kernel, and writes that of its copy."""

    def __init__(self, plain, function):
        self.plain, self.function, self.meant, self.calls, self.results = plain, function, {}, {}, []
        code = plain.__code__
        self.own, self.line = {*code.co_varnames, *code.co_cellvars}, code.co_firstlineno
        self.text = getattr(plain, "source", None)

    def fail(self, what, node=None, remedy=ALLOWED):
        """Raise a `KernelError` with the line."""
        place = "" if self.text else f" ({Path(self.plain.__code__.co_filename).name}:{self.line + (node.lineno - 1 if node else 0)})"
        raise KernelError(f"kernel '{self.plain.__name__}'{place} {what}", self.function, remedy=remedy)

    def kernel(self):
        """The `Kernel`."""
        if self.plain in _reading:
            self.fail("calls itself")
        _reading.append(self.plain)
        try:
            return self._kernel()
        finally:
            _reading.remove(self.plain)

    def _kernel(self):
        try:
            text = textwrap.dedent(self.text or inspect.getsource(self.plain))
            (tree,) = ast.parse(text).body
        except (OSError, SyntaxError, ValueError):
            self.fail("has no source that can be read", remedy="define it with def in a file or in a cell of a notebook")
        if not isinstance(tree, ast.FunctionDef):
            self.fail("is no function made with def", remedy="define it with def in a file or in a cell of a notebook")
        if not self.text and not _agrees(tree, self.plain.__code__):
            self.fail("is not what its file says now", remedy="its source was changed after it was imported: start again, or reload it")
        a = tree.args
        if a.kwarg or a.kwonlyargs or a.defaults:
            self.fail("has arguments with defaults or **", tree, remedy="name each argument: a number, or a tuple of numbers")
        tree.decorator_list, tree.returns = [], None
        for argument in (*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else ())):
            argument.annotation = None
        if isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant):
            del tree.body[0]
        tree.body = [self.visit(x) for x in tree.body]
        if not tree.body or not isinstance(tree.body[-1], ast.Return) or len(self.results) != 1:
            self.fail("must end with its one return", remedy="return a number, or numbers with commas between them")
        ast.fix_missing_locations(tree)
        stem = tree.name
        digest = hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:12]
        tree.name = f"{stem}_{digest}"
        text, calls = f"{ast.unparse(tree)}\n", tuple(self.calls.values())
        count = None if a.vararg else len(a.posonlyargs) + len(a.args)
        return Kernel(tree.name, text, calls, count, self.results[0], self.function, where(self.plain))

    def visit(self, node):
        """A node, if kernels may have it."""
        for kind, (word, instead) in _INSTEAD.items():
            if isinstance(node, kind) or isinstance(getattr(node, "op", None), kind):
                self.fail(f"uses `{word}`, which does not work on lanes", node, remedy=f"write {instead}")
        if isinstance(node, ast.Compare) and (len(node.ops) > 1 or not isinstance(node.ops[0], _COMPARISONS)):
            word, instead = _INSTEAD.get(type(node.ops[0]), (ast.unparse(node), "(a < b) & (b < c)"))
            self.fail(f"uses `{word}`, which does not work on lanes", node, remedy=f"write {instead}")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return None
        if not isinstance(node, (*_KNOWN, ast.Attribute)):
            shown = ast.unparse(node).splitlines()[0] if isinstance(node, (ast.stmt, ast.expr)) else type(node).__name__
            self.fail(f"uses `{shown}`, which does not work on lanes", node if hasattr(node, "lineno") else None)
        return super().visit(node)

    def visit_Return(self, node):
        """Counts what is returned."""
        if node.value is None:
            self.fail("returns nothing", node, remedy="return a number, or numbers with commas between them")
        self.results.append(self._count(self.generic_visit(node).value))
        return node

    def _count(self, value):
        """How many numbers an expression is; None if it does not say: a name, or a part of one, may be several."""
        if isinstance(value, ast.Tuple):
            return len(value.elts)
        if isinstance(value, (ast.Name, ast.Subscript)):
            return None
        if isinstance(value, ast.Call):
            called = self.calls.get(value.func.id)
            return called.results if called else lanes.WORDS[value.func.id].results if value.func.id in lanes.WORDS else 1
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):  # of numbers, or of tuples set behind each other
            left, right = self._count(value.left), self._count(value.right)
            return 1 if 1 in (left, right) else None if None in (left, right) else left + right
        return 1

    def visit_Name(self, node):
        """Names of others: kernels by their new names, numbers by value."""
        return node if node.id in self.own else self._other(node, node.id)

    def visit_Attribute(self, node):
        """Names in modules, such as ``math.pi``."""
        names = ast.unparse(node)
        if not names.replace(".", "").isidentifier() or names.split(".")[0] in self.own:
            self.fail(f"uses `{names}`, which does not work on lanes", node)
        return self._other(node, names)

    def _other(self, node, names):
        value = _meaning(self.plain, names)
        if value is _MISSING:
            self.fail(f"uses '{names}', which is not defined", node)
        plain = getattr(value, "py_func", value)
        if isinstance(value, _NUMBERS) or _is_table(value):
            self.meant[names] = value
            return ast.copy_location(self._written(value, names, node), node)
        if isinstance(plain, FunctionType) and plain in _WORDS:
            self.meant[names] = value
            return ast.copy_location(ast.Name(_WORDS[plain], ast.Load()), node)
        if value is range:
            return node
        if isinstance(plain, FunctionType) and (value is not plain or _is_own(plain)):
            known = kernel_of(value)
            self.meant[names], self.calls[known.name] = known, known
            return ast.copy_location(ast.Name(known.name, ast.Load()), node)
        word = names.rpartition(".")[2]
        if word in lanes.VOCABULARY:
            self.fail(f"uses '{names}', which does not work on lanes", node, remedy=f"take {word} from flexmbd.lanes")
        self.fail(f"uses '{names}', which is {type(value).__name__}", node)

    def _written(self, value, names, node):
        """A number, or a tuple of them, by value."""
        if isinstance(value, tuple):
            return ast.Tuple([self._written(x, names, node) for x in value], ast.Load())
        number = value.item() if isinstance(value, np.generic) else value
        if isnan(number):
            self.fail(f"uses '{names}', which is not a number", node)
        return ast.Constant(number)


_reading = []


def _is_own(plain):
    """True for functions that are written like kernels though none marked them: not those of numpy or of Python itself."""
    return (plain.__module__ or "").split(".")[0] not in ("numpy", "scipy", "numba", "math")


def _does(code):
    """What a function does, step by step, without what the compiler takes from the module around it (how it calls an imported name)."""
    steps = [i for i in dis.get_instructions(code) if i.opname.split("_")[0] not in ("PUSH", "PRECALL", "CALL", "CACHE", "RESUME", "COPY")]
    return [(i.opname.split("_")[0], "" if "JUMP" in i.opname or "FOR" in i.opname else repr(i.argval)) for i in steps]


def _agrees(tree, code):
    """True if a function's source is that of its code: files may be edited after they were imported."""
    alone = ast.parse(f"def _({', '.join(code.co_freevars)}): pass").body[0]
    body = ast.FunctionDef(**{f: getattr(tree, f, None) for f in tree._fields} | {"decorator_list": []})
    alone.body = [ast.copy_location(body, tree)]
    module = ast.fix_missing_locations(ast.Module([alone], []))
    outer = next(x for x in compile(module, code.co_filename, "exec").co_consts if hasattr(x, "co_code"))
    made = next(x for x in outer.co_consts if hasattr(x, "co_code"))
    return _does(made) == _does(code)
