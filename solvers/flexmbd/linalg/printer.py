"""Straight-line source code of graph nodes, and what generated code reads and works in (`Storage`)."""

import base64
import re
import zlib

import numpy as np

from flexmbd.linalg.graph import LANE, RUNTIME, UNIFORM, Node
from flexmbd.linalg.sparse import SOLVE, SparsePlan

_BINARY = {"+", "-", "*", "/", ">", "&"}


class Storage:
    """What the generated functions of a model read and work in.

    Packed parameters are ``numbers[k]``, one number for all samples, and ``P[k, lane]``, one per sample; below the parameters ``P`` has
    rows to work in.  ``U`` is `numbers`, `tables`, all tables of integers one after another, and the address of a function that solves.

    Attributes
    ----------
    scratch, unknowns : int
        Rows to work in for a matrix and for a right-hand side.
    matrices : dict
        Node of a matrix that a library factorises -> (number, plan).
    sizes : set of int
        Sizes of supernodes that have kernels of their own.
    functions : dict
        Functions of one element of a pool: what tells them apart -> (name, source).
    """

    def __init__(self):
        self.uniform, self.lane, self._slot = [], [], {}
        self._tables, self._laid, self._length = [], {}, 0
        self.scratch, self.unknowns, self.sizes, self.matrices, self.functions = 0, 0, set(), {}, {}

    def slot(self, node):
        """Source text that reads the node's slot; a new slot at first use."""
        if node.id not in self._slot:
            nodes, text = (self.uniform, "numbers[{}]") if node.level == UNIFORM else (self.lane, "ld(P, {})")
            self._slot[node.id] = text.format(len(nodes))
            nodes.append(node)
        return self._slot[node.id]

    def row(self, node):
        """Row of ``P`` with a node that is known before run time."""
        if ("row", node.id) not in self._slot:
            self._slot["row", node.id] = len(self.lane)
            self.lane.append(node)
        return self._slot["row", node.id]

    def lay(self, table):
        """Range of a table of integers among all tables; equal ones are kept once."""
        table = np.ascontiguousarray(table, np.int32).ravel()
        key = table.tobytes()
        if key not in self._laid:
            self._laid[key] = self._length
            self._tables.append(table)
            self._length += len(table)
        return self._laid[key], self._laid[key] + len(table)

    @property
    def tables(self):
        """All tables."""
        return np.concatenate([*self._tables, np.zeros(1, np.int32)])

    def pack(self, graph, leaves, count):
        """Numbers of all slots.

        Parameters
        ----------
        leaves : sequence of float or ndarray (count,)
            Leaf parameters by index.

        Returns
        -------
        U : ndarray (max(1, uniform),)
        P : ndarray (max(1, lane), count)
        """
        values = graph.evaluate(self.uniform + self.lane, parameters=leaves)
        split = len(self.uniform)
        uniform = np.array([float(v) for v in values[:split]] or [0.0])
        lane = np.zeros((max(1, len(self.lane)), count))
        for k, v in enumerate(values[split:]):
            lane[k] = v
        return uniform, lane


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
    body, text, given = [], {}, given or {}

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
            body += linear(graph, storage, inputs, node, target, fill, of(node.args[0]) if args is not node.args else None)
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
STORE = re.compile(r"(st2?\(.*?)(\d+)(, \{\}\))")


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


def linear(graph, storage, inputs, node, target, fill, factors=None):
    """Statements that factorise a matrix, or with `factors` solve for a right-hand side, in rows of ``P``; `fill` sets entries."""
    plan, _, pooled = node.value
    if isinstance(plan, SparsePlan):
        return _direct(graph, storage, inputs, node, target, fill)
    columns, targets = (f"tables[{a}:{b}]" for a, b in map(storage.lay, plan.tables[1:]))
    begin = storage.lay(plan.pivots)[0]
    columns, runs = f"{columns}.reshape(({len(plan.columns)}, 4))", plan.runs()
    storage.sizes |= {size for _, _, size in runs if size}

    def step(kernel, start, stop, size, *more):
        table = f"tables[{begin + 6 * start}:{begin + 6 * stop}].reshape(({stop - start}, 6))"
        return f"{kernel}{f'_{size}' if size else ''}({', '.join((factors or target, table, columns, *more))})"

    size = len(plan.place) if factors else plan.size
    if factors:
        storage.unknowns, first = max(storage.unknowns, size), "UNKNOWNS"
        end = [step("block_forward", *run, target) for run in runs] + [step("block_backward", *run, target) for run in reversed(runs)]
    else:
        storage.scratch, first = max(storage.scratch, size), "SCRATCH"
        end = [step("block_factorise", *run, targets) for run in runs]
    body = [f"{target} = P[{first}:{first} + {size}]", f"clear({target})", *fill]
    for pool, part in pooled:
        body += _pooled(graph, storage, inputs, plan, pool, part, target)
    return body + end


def _direct(graph, storage, inputs, node, target, fill):
    """Statements that have a library factorise or solve."""
    plan, _, pooled = node.value
    solves = node.op.startswith("substitution:")
    matrix = node.args[0] if solves else node
    number = storage.matrices.setdefault(matrix.id, (len(storage.matrices), plan))[0]
    size, first = (plan.unknowns, "UNKNOWNS") if solves else (plan.size, "SCRATCH")
    storage.scratch, storage.unknowns = max(storage.scratch, plan.size), max(storage.unknowns, plan.unknowns)
    body = [f"{target} = P[{first}:{first} + {size}]", f"clear({target})", *fill]
    for pool, part in pooled:
        body += _pooled(graph, storage, inputs, plan, pool, part, target)
    return [*body, f"call_address(U[2][0], {number + SOLVE * solves}, {target}.ctypes.data)"]


def total(graph, storage, inputs, node, target):
    """Statements that sum a node of one element over a pool."""
    pool, one, start, stop = node.value
    call, rows = _element(graph, storage, inputs, pool, [("return {}", one)], np.zeros((len(pool.coordinates), 0), int))
    begin, end = storage.lay(rows[start:stop])
    return [f"{target} = 0.0 * ld(q, 0)", f"for k in range({begin}, {end}, {rows.shape[1]}):", f"    {target} = {target} + {call}"]


ARGUMENTS = ("q", "v", "K", "icm", "cd", "hh", "P", "U")  # that a function of one element may have, besides its row of the table


def _pooled(graph, storage, inputs, plan, pool, part, target):
    """Statements that add a pool's share to a matrix (`part` a dict) or to a right-hand side (a list)."""
    unknowns = pool.unknowns()
    if isinstance(part, dict):
        kept = {ij: x for ij, x in part.items() if not x.zero}
        i, j = np.array(list(kept)).T
        places, nodes = plan.places(unknowns[:, i], unknowns[:, j]), kept.values()
    else:
        kept = [k for k, x in enumerate(part) if not x.zero]
        places, nodes = plan.rows_of(unknowns[:, kept]), [part[k] for k in kept]
    first = pool.size + len(pool.varying[0] if pool.varying else ())
    at = [f"tables[k + {first + k}]" for k in range(places.shape[1])]
    stores = [(f"st(A, {a}, ld(A, {a}) + {{}})", x) for a, x in zip(at, nodes, strict=True)]
    call, rows = _element(graph, storage, inputs, pool, stores, places)
    begin, end = storage.lay(rows)
    return [f"A = {target}", f"for k in range({begin}, {end}, {rows.shape[1]}):", f"    {call}"]


def _element(graph, storage, inputs, pool, stores, places):
    """Call of the function of one element with the given stores, and its table: coordinates, rows of its numbers, places."""
    numbers = np.array([[storage.row(x) for x in own] for own in pool.varying], np.int32).reshape(len(pool.coordinates), -1)
    kinds = {"x": "ld(q, tables[k + {}])", "y": "ld(v, tables[k + {}])"}
    kinds |= {own: inputs(f"{all_}0").replace("0)", "tables[k + {}])") for own, all_ in (("z", "a"), ("b", "o"))}

    def read(variable):
        kind, index = variable[0], variable[1:]
        if kind == "n":
            return f"ld(P, tables[k + {pool.size + int(index)}])"
        return kinds[kind].format(index) if kind in kinds else inputs(variable)

    key = (pool.name, *((statement, x.id) for statement, x in stores))
    if key not in storage.functions:
        name = f"{pool.name}_{len(storage.functions)}"
        arguments = ["k", *ARGUMENTS, *(["A"] if "st(A" in stores[0][0] else [])]
        code = straight_line(graph, storage, name, ", ".join(arguments), read, stores)
        body = code.partition(":\n")[2]
        used = [x for x in arguments if re.search(rf"\b{x}\b", body)]
        storage.functions[key] = f"{name}({', '.join(used)})", code.replace(", ".join(arguments), ", ".join(used), 1)
    return storage.functions[key][0], np.hstack([pool.coordinates, numbers, places])


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
    """Kernels (with their order of first use) that the run-time part of the roots calls."""
    functions = {}
    for node in ordered(graph, roots):
        for x in pooled_nodes(node):
            functions |= {f"call:{f.__name__}": f for f in called(graph, x)}
        if node.op.startswith("call:") and node.level == RUNTIME:
            functions[node.op] = node.function
    return list(functions.values())


def pooled_nodes(node):
    """Lists of the nodes of one element that linear equations or a sum take from pools."""
    if node.op.startswith("total:"):
        return [[node.value[1]]]
    parts = [part for _, part in node.value[2]] if node.op.startswith(LINEAR) else []
    return [list(part.values()) if isinstance(part, dict) else part for part in parts]
