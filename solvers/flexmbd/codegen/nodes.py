"""A function that computes graph nodes and stores them, as LLVM's intermediate language."""

from __future__ import annotations

from llvmlite import ir

from flexmbd.codegen.values import DOUBLE, WORD, Untraceable, Value, Writer
from flexmbd.kernels import with_called
from flexmbd.linalg.nodes import RUNTIME, UNIFORM, Node
from flexmbd.linalg.printer import called, operations, ordered
from flexmbd.registry import CONTACT_ROWS

LONGEST = 8000  # instructions of one function: the time to compile it grows faster than its length
INTEGER = ir.IntType(32)
ARGUMENTS = {name: DOUBLE for name in ("t", "q", "v", "s", "C", "P", "numbers")} | {"tables": INTEGER, "solver": WORD, "y": DOUBLE}
CONTACT = {"mode": 0, "vz": 1, "vl": 5, "count": 4}  # row of C within those of a contact


def outputs_function(graph, storage, nodes, width):
    """Text of a module with the function ``outputs``, which stores the nodes in rows of ``y``; arguments are pointers, `ARGUMENTS`.

    Raises
    ------
    Untraceable
        If that needs Numba: linear equations, pools of elements, kernels that stay where they are, or a function so long that there it
        is an index program.
    """
    if operations(nodes, graph) > graph.tuning.index_program:
        raise Untraceable("a long function")
    module = ir.Module("outputs")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [kind.as_pointer() for kind in ARGUMENTS.values()]), "outputs")
    for argument in function.args:
        argument.add_attribute("noalias")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    writer, arrays = Writer(builder, width), dict(zip(ARGUMENTS, function.args, strict=True))

    def row(array, k):
        where = builder.gep(arrays[array], [ir.Constant(WORD, k * width)])
        return where if width == 1 else builder.bitcast(where, writer.kind.as_pointer())

    def load(array, k):
        return Value(writer, builder.load(row(array, k), align=8))

    def number(k):
        return Value(writer, writer.spread(builder.load(builder.gep(arrays["numbers"], [ir.Constant(WORD, k)]))))

    space, found = kernels_of(writer, called(graph, nodes)), {}
    for node in ordered(graph, nodes):
        args = [found[x.id] for x in node.args if isinstance(x, Node)] if node.level == RUNTIME else []
        if node.op == "const":
            found[node.id] = node.value
        elif node.level != RUNTIME:
            at = storage.index(node)
            found[node.id] = number(at) if node.level == UNIFORM else load("P", at)
        elif node.op == "var":
            found[node.id] = load(*place(node.value))
        elif node.op == "out":
            found[node.id] = args[0][node.value]
        elif node.op.startswith("call:"):
            found[node.id] = _called(space, node, [writer.value(x) for x in args])
        elif node.op in OPERATIONS:
            found[node.id] = OPERATIONS[node.op](writer, *args)
        else:
            raise Untraceable(node.op.partition(":")[0])
        if len(builder.block.instructions) > LONGEST:
            raise Untraceable(f"more than {LONGEST} instructions")
    for k, node in enumerate(nodes):
        builder.store(writer.value(found[node.id]).ir, row("y", k), align=8)
    builder.ret_void()
    return str(module)


def _called(space, node, args):
    """Results of a kernel; what is wrong with one Numba says better."""
    try:
        return space[node.op.removeprefix("call:")](*args)
    except (AttributeError, LookupError, NameError, TypeError, ValueError) as error:
        raise Untraceable(str(error)) from error


OPERATIONS = {
    "+": lambda w, a, b: w.value(a) + b,
    "-": lambda w, a, b: w.value(a) - b,
    "*": lambda w, a, b: w.value(a) * b,
    "/": lambda w, a, b: w.value(a) / b,
    "neg": lambda w, a: -w.value(a),
    "sqrt": lambda w, a: w.intrinsic("sqrt", a),
    "fabs": lambda w, a: w.intrinsic("fabs", a),
    ">": lambda w, a, b: w.value(a) > b,
    "&": lambda w, a, b: a & b,
    "select": lambda w, c, a, b: w.select(c, a, b),
}


def place(name):
    """Array and row of a run-time variable."""
    if name == "t":
        return "t", 0
    for prefix, k in CONTACT.items():
        if name.startswith(prefix):
            return "C", CONTACT_ROWS * int(name.removeprefix(prefix)) + k
    if name[0] not in "qvs" or not name[1:].isdigit():
        raise Untraceable(f"the variable {name}")
    return name[0], int(name[1:])


def kernels_of(writer, kernels):
    """Kernels by their names in generated code, as functions of values."""
    space = {"inner": lambda f: f, **writer.words_of_kernels}
    for kernel in with_called(kernels):
        if not kernel.text.startswith("@inner"):
            raise Untraceable(f"{kernel.describe()}, which is compiled elsewhere")
        exec(compile(kernel.text, f"<{kernel.name}>", "exec"), space)
    return space
