"""Rows of a table that is a parameter, looked up by a value: each lane searches its own."""

from __future__ import annotations

from llvmlite import ir

from flexmbd.codegen.values import DOUBLE, WORD, Value
from flexmbd.language.nodes import UNIFORM

ROWS = DOUBLE.as_pointer()


def lookup(piece, node):
    """Values of all columns in the row where each lane's value is (`Graph.lookup`).

    Parameters
    ----------
    piece : functions.Piece
        Where it is written.
    node : Node
        Of the operation.

    Returns
    -------
    list of Value
    """
    table, b, writer = node.value, piece.builder, piece.writer
    rows, columns = table.value[1]
    first, x = piece.storage.block(table), piece.value(node.args[0])
    own = table.level != UNIFORM
    start, step = (piece.moved("P", first), piece.stride) if own else (b.gep(piece.pointer("numbers"), [ir.Constant(WORD, first)]), 1)
    search = writer.module.globals.get("lookup") or _search(writer.module)
    found = [ir.Constant(writer.kind, ir.Undefined) if writer.width > 1 else None] * columns
    for lane in range(writer.width):
        place = ir.Constant(ir.IntType(32), lane)
        number = b.extract_element(writer.value(x).ir, place) if writer.width > 1 else writer.value(x).ir
        mine = b.gep(start, [ir.Constant(WORD, lane)]) if own and piece.batch == 1 else start
        row = b.call(search, [mine, ir.Constant(WORD, columns * step), ir.Constant(WORD, rows), number])
        at = b.gep(mine, [b.mul(row, ir.Constant(WORD, columns * step))])
        for k in range(columns):
            value = b.load(b.gep(at, [ir.Constant(WORD, k * step)]))
            found[k] = value if writer.width == 1 else b.insert_element(found[k], value, place)
    return [Value(writer, x) for x in found]


def _search(module):
    """The last of so many numbers, so far apart, that is less than x; the first if none is."""
    function = ir.Function(module, ir.FunctionType(WORD, [ROWS, WORD, WORD, DOUBLE]), "lookup")
    function.linkage = "internal"
    start, step, count, x = function.args
    entry, head, body, done = (function.append_basic_block(name) for name in ("entry", "head", "body", "done"))
    b, one = ir.IRBuilder(entry), ir.Constant(WORD, 1)
    last = b.sub(count, one)
    b.branch(head)
    b.position_at_end(head)
    low, high = b.phi(WORD), b.phi(WORD)
    b.cbranch(b.icmp_signed("<", low, high), body, done)
    b.position_at_end(body)
    middle = b.lshr(b.add(b.add(low, high), one), one)
    less = b.fcmp_ordered("<", b.load(b.gep(start, [b.mul(middle, step)])), x)
    upper, lower = b.select(less, middle, low), b.select(less, high, b.sub(middle, one))
    for phi, first, following in ((low, ir.Constant(WORD, 0), upper), (high, last, lower)):
        phi.add_incoming(first, entry)
        phi.add_incoming(following, body)
    b.branch(head)
    b.position_at_end(done)
    b.ret(low)
    return function
