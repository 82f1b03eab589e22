"""Straight-line source code of graph nodes."""

import base64
import re
import zlib

import numpy as np

from flexmbd.linalg.nodes import LANE, RUNTIME, UNIFORM, Node
from flexmbd.linalg.sparse import SOLVE, SparsePlan

_BINARY = {"+", "-", "*", "/", ">", "&"}


def straight_line(graph, storage, name, arguments, inputs, stores, given=None):
    """Source of a function that computes nodes from run-time variables.

    Parameters
    ----------
    arguments : str
        Argument list of the function.
    inputs : mapping variable name -> source text that reads it
        Only the variables that are needed are read.
    stores : list of (str, Node)
        Statement with ``{}`` for the value, and the node.
    given : dict int -> str, optional
        By id, text of nodes that are there already.
    """
    body, text, given, room = [], {}, given or {}, {"scratch": 0, "unknowns": 0}

    def of(node):
        if node.op == "const":
            return repr(node.value) if node.value >= 0 else f"({node.value!r})"
        return text[node.id]

    for node in ordered(graph, [n for _, n in stores], given):
        if node.op == "const":
            continue
        target = text[node.id] = f"n{node.id}"
        if node.id in given:
            body.append(f"{target} = {given[node.id]}")
        elif node.level in (UNIFORM, LANE):
            body.append(f"{target} = {storage.slot(node)}")
        elif node.op == "var":
            body.append(f"{target} = {inputs(node.value)}")
        elif node.op in _BINARY:
            body.append(f"{target} = {of(node.args[0])} {node.op} {of(node.args[1])}")
        elif node.op == "neg":
            body.append(f"{target} = -{of(node.args[0])}")
        elif node.op.startswith(LINEAR):
            args = node.args[1:] if node.op.startswith("substitution:") else node.args
            fill = [f"st({target}, {at}, {of(x)})" for at, x in zip(node.value[1], args, strict=True)]
            body += linear(graph, storage, inputs, node, target, fill, room, of(node.args[0]) if args is not node.args else None)
        elif node.op.startswith("total:"):
            body += total(graph, storage, inputs, node, target)
        elif node.op == "out":
            source = node.args[0]
            solved = source.op.startswith("substitution:")
            text[node.id] = f"ld({text[source.id]}, {node.value})" if solved else f"n{source.id}[{node.value}]"
        else:
            function = node.op.removeprefix("call:")
            body.append(f"{target} = {function}({', '.join(of(a) for a in node.args)})")
    singles, loops = solved_stores(storage, stores, of)
    body += loops + [statement.format(of(node)) for statement, node in singles]
    return function_source(name, arguments, body)


LINEAR = ("factors:", "substitution:")
STORE = re.compile(r"((?:st2?|put)\(.*?)(\d+)(, \{\}\))")


def function_source(name, arguments, body):
    """Source of a generated function from its statements."""
    used = any("numbers" in line or "tables" in line for line in body)
    unpack = ["numbers, tables = U[0], U[1]"] if used and "U" in arguments.split(", ") else []
    return f"@inner\ndef {name}({arguments}):\n    " + "\n    ".join([*unpack, *body, "return"]) + "\n"


def solved_stores(storage, stores, of):
    """Stores that are not unknowns of linear equations, and statements that store those that are, in loops over a table."""
    singles, groups = [], {}
    for statement, node in stores:
        if node.op == "out" and node.args[0].op.startswith("substitution:"):
            head, index, tail = STORE.fullmatch(statement).groups()
            groups.setdefault((head, tail, node.args[0].id, of(node.args[0])), []).append((int(index), node.value))
        else:
            singles.append((statement, node))
    loops = []
    for (head, tail, _, solution), rows in groups.items():
        start, stop = storage.lay(rows)
        loops += [f"for k in range({start}, {stop}, 2):", f"    {head}tables[k]{tail.format(f'ld({solution}, tables[k + 1])')}"]
    return singles, loops


def taken(storage, room, kind, size):
    """Source text of rows of ``P`` of a `kind`, ``scratch`` or ``unknowns``, that nothing else in the function works in."""
    begin = room[kind]
    room[kind] += size
    setattr(storage, kind, max(getattr(storage, kind), room[kind]))
    return f"P[{kind.upper()} + {begin}:{kind.upper()} + {room[kind]}]"


def linear(graph, storage, inputs, node, target, fill, room, factors=None):
    """Statements that factorise a matrix, or with `factors` solve for a right-hand side, in rows of ``P``; `fill` sets entries.

    `room` counts the rows that the function has taken, since its solutions are stored at its end, one after another.
    """
    plan, _, pooled = node.value
    if isinstance(plan, SparsePlan):
        return _direct(graph, storage, inputs, node, target, fill, room)
    columns, targets = (f"tables[{a}:{b}]" for a, b in map(storage.lay, plan.tables[1:]))
    begin = storage.lay(plan.pivots)[0]
    columns, runs = f"{columns}.reshape(({len(plan.columns)}, 4))", plan.runs()
    storage.sizes |= {size for _, _, size in runs if size}

    def step(kernel, start, stop, size, *more):
        table = f"tables[{begin + 6 * start}:{begin + 6 * stop}].reshape(({stop - start}, 6))"
        return f"{kernel}{f'_{size}' if size else ''}({', '.join((factors or target, table, columns, *more))})"

    if factors:
        rows = taken(storage, room, "unknowns", len(plan.place))
        end = [step("block_forward", *run, target) for run in runs] + [step("block_backward", *run, target) for run in reversed(runs)]
    else:
        rows = taken(storage, room, "scratch", plan.size)
        end = [step("block_factorise", *run, targets) for run in runs]
    body = [f"{target} = {rows}", f"clear({target})", *fill]
    for pool, part in pooled:
        body += _pooled(graph, storage, inputs, plan, pool, part, target)
    return body + end


def _direct(graph, storage, inputs, node, target, fill, room):
    """Statements that have a library factorise or solve."""
    plan, _, pooled = node.value
    solves = node.op.startswith("substitution:")
    matrix = node.args[0] if solves else node
    number = storage.matrices.setdefault(matrix.id, (storage.before + len(storage.matrices), plan))[0]
    rows = taken(storage, room, "unknowns", plan.unknowns) if solves else taken(storage, room, "scratch", plan.size)
    body = [f"{target} = {rows}", f"clear({target})", *fill]
    for pool, part in pooled:
        body += _pooled(graph, storage, inputs, plan, pool, part, target)
    return [*body, f"call_address(U[2][0], {number + SOLVE * solves}, {target}.ctypes.data)"]


def total(graph, storage, inputs, node, target):
    """Statements that sum a node of one element over a pool."""
    pool, one, start, stop = node.value
    call, rows = _element(graph, storage, inputs, pool, [("return {}", one)], np.zeros((len(pool.coordinates), 0), int))
    begin, end = storage.lay(rows[start:stop])
    return [f"{target} = 0.0 * ld(q, 0)", f"for row in range({begin}, {end}, {rows.shape[1]}):", f"    {target} = {target} + {call}"]


ARGUMENTS = ("row", "q", "v", "K", "icm", "cd", "hh", "P", "U", "A")  # that a function of one element may have; `row` is where its table is


def _pooled(graph, storage, inputs, plan, pool, part, target):
    """Statements that add a pool's share to a matrix (`part` a dict) or to a right-hand side (a list)."""
    unknowns = pool.unknowns()
    if isinstance(part, dict):
        kept = {ij: x for ij, x in part.items() if not x.zero}
        i, j = np.array(list(kept)).T
        places, nodes = plan.places(unknowns[:, i], unknowns[:, j]), list(kept.values())
    else:
        kept = [k for k, x in enumerate(part) if not x.zero]
        places, nodes = plan.rows_of(unknowns[:, kept]), [part[k] for k in kept]
    batch, width = storage.batch, places.shape[1]
    read = pool.size + (len(pool.varying[0]) if pool.varying else 0)
    if batch == 1 and operations(nodes, graph) <= graph.tuning.element_program:
        at = [f"tables[row + {read + k}]" for k in range(width)]
        stores, head, tail = [(f"st(A, {a}, ld(A, {a}) + {{}})", x) for a, x in zip(at, nodes, strict=True)], [f"A = {target}"], []
    else:  # values first, then their places
        storage.shares = max(storage.shares, batch * width)
        stores = [(f"{'put' if batch > 1 else 'st'}(A, {batch * k}, {{}})", x) for k, x in enumerate(nodes)]
        head = [f"A = P[SHARES:SHARES + {batch * width}]"]
        tail = [f"    {'spread' if batch > 1 else 'scatter'}({target}, A, tables, row + {batch * read}, {width})"]
    call, rows = _element(graph, storage, inputs, pool, stores, places, batch)
    begin, end = storage.lay(rows)
    return [*head, f"for row in range({begin}, {end}, {rows.shape[1]}):", f"    {call}", *tail]


def _element(graph, storage, inputs, pool, stores, places, batch=1):
    """Call of the function of one element, or of a batch, with the given stores, and its table."""
    numbers = np.array([[storage.row(x) for x in own] for own in pool.varying], np.int32).reshape(len(pool.coordinates), -1)
    names = {"x": "q", "y": "v", "n": "P"} | {own: inputs(f"{all_}0") for own, all_ in (("z", "a"), ("b", "o"))}

    def read(variable):
        kind, index = variable[0], variable[1:]
        if kind not in names:
            return inputs(variable)
        at = f"row + {batch * (int(index) + pool.size * (kind == 'n'))}"
        array = re.sub(r"ld2\((\w+), (\w+), 0\)", r"\1[\2]", names[kind])
        return f"ld({array}, tables[{at}])" if batch == 1 else f"gather({array}, tables, {at})"

    key = (pool.name, *((statement, x.id) for statement, x in stores))
    if key not in storage.functions:
        leaves = [x for x in ordered(graph, [x for _, x in stores]) if leaf(x)]
        text = " ".join([*(source_text(x, storage, read) for x in leaves), *(statement for statement, _ in stores), "row U"])
        arguments = ", ".join(x for x in ARGUMENTS if re.search(rf"\b{x}\b", text))
        storage.functions[key] = f"{pool.name}_{len(storage.functions)}", arguments, read, stores, batch
    name, arguments, *_ = storage.functions[key]
    return f"{name}({arguments})", _rows(np.hstack([pool.coordinates, numbers]), places, batch)


def _rows(read, places, batch):
    """Table of the function of one element: what it reads, then places; of a batch: what it reads side by side, how many elements, places.

    The last batch is filled up with its last element, which has no places.
    """
    if batch == 1:
        return np.hstack([read, places])
    count = len(read)
    which = np.minimum(np.arange(-(-count // batch) * batch), count - 1).reshape(-1, batch)
    real = np.minimum(count - which[:, :1], batch)
    return np.hstack([read[which].transpose(0, 2, 1).reshape(len(which), -1), real, places[which].reshape(len(which), -1)])


def leaf(node):
    """True for what is read, not computed, at run time."""
    return node.op in ("const", "var") or node.level in (UNIFORM, LANE)


def operations(roots, graph, given=()):
    """Number of operations and calls that the roots need at run time."""
    return sum(not leaf(x) and x.op != "out" for x in ordered(graph, roots, given))


def source_text(node, storage, inputs):
    """Source text that reads a leaf."""
    if node.op == "const":
        return repr(node.value)
    return storage.slot(node) if node.level in (UNIFORM, LANE) else inputs(node.value)


def packed(rows, width):
    """Source of a table of integers."""
    data = np.array(rows if len(rows) else np.zeros((0, width)), np.int32).reshape(-1, width)
    return f"unpack({base64.b85encode(zlib.compress(data.tobytes(), 9)).decode()!r}, {width})"


def unpack(text, width):
    """Table of integers from its text."""
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), np.int32).reshape(-1, width)


def ordered(graph, roots, given=()):
    """Needed nodes; what is known before run time, or given, is a leaf here."""
    seen, stack = set(), list(roots)
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.level == RUNTIME and node.id not in given:
            stack.extend(a for a in node.args if isinstance(a, Node))
    return [graph.nodes[i] for i in sorted(seen)]


def called(graph, roots):
    """Each `Kernel` that the run-time part of the roots calls, in the order of first use."""
    kernels = {}
    for node in ordered(graph, roots):
        for x in pooled_nodes(node):
            kernels |= {kernel.name: kernel for kernel in called(graph, x)}
        if node.op.startswith("call:") and node.level == RUNTIME:
            name = node.op.removeprefix("call:")
            kernels[name] = graph.kernels[name]
    return list(kernels.values())


def pooled_nodes(node):
    """Lists of the nodes of one element that linear equations or a sum take from pools."""
    if node.op.startswith("total:"):
        return [[node.value[1]]]
    parts = [part for _, part in node.value[2]] if node.op.startswith(LINEAR) else []
    return [list(part.values()) if isinstance(part, dict) else part for part in parts]
