"""Rows of a table that is a parameter, looked up by a value: each lane searches its own."""

from __future__ import annotations

from flexmbd.codegen.text import DOUBLE, TRUTH, UNDEFINED, WORD, Instructions, pointer
from flexmbd.codegen.values import Value
from flexmbd.parameters import UNIFORM


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
    start, step = (piece.moved("P", first), piece.stride) if own else (b.gep(DOUBLE, piece.pointer("numbers"), first), 1)
    search = writer.module.functions.get("lookup") or _search(writer.module)
    found, kind = [UNDEFINED] * columns, writer.kind
    for lane in range(writer.width):
        number = b.extract(kind, writer.value(x).ir, lane) if writer.width > 1 else writer.value(x).ir
        mine = b.gep(DOUBLE, start, lane) if own and piece.batch == 1 else start
        row = b.call(search, [mine, columns * step, rows, number])
        at = b.gep(DOUBLE, mine, b.op("mul", WORD, row, columns * step))
        for k in range(columns):
            value = b.load(DOUBLE, b.gep(DOUBLE, at, k * step))
            found[k] = value if writer.width == 1 else b.insert(kind, found[k], DOUBLE, value, lane)
    return [Value(writer, x) for x in found]


def _search(module):
    """The last of so many numbers, so far apart, that is less than x; the first if none is."""
    function = module.function("lookup", WORD, [pointer(DOUBLE), WORD, WORD, DOUBLE], inside=True)
    start, step, count, x = function.args
    b = Instructions(function)
    entry, head, body, done = b.entry, b.append(), b.append(), b.append()
    last = b.op("sub", WORD, count, 1)
    b.branch(head)
    b.block = head
    (low, lowest), (high, highest) = b.phi(WORD), b.phi(WORD)
    b.choose(b.op("icmp slt", WORD, low, high), body, done)
    b.block = body
    middle = b.op("lshr", WORD, b.op("add", WORD, b.op("add", WORD, low, high), 1), 1)
    less = b.op("fcmp olt", DOUBLE, b.load(DOUBLE, b.gep(DOUBLE, start, b.op("mul", WORD, middle, step))), x)
    upper = b.select(TRUTH, less, WORD, middle, low)
    lower = b.select(TRUTH, less, WORD, high, b.op("sub", WORD, middle, 1))
    lowest((0, entry), (upper, body))
    highest((last, entry), (lower, body))
    b.branch(head)
    b.block = done
    b.give(low)
    return function
