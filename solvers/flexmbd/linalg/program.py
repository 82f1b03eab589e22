"""Graph nodes as an index program: tables of operations that one compiled loop runs for all lanes.

Straight-line code is faster, but the time to compile it grows faster than its length; the loop is compiled once.  A program is

- loads of run-time variables, parameters and constants into a workspace ``X[slot, lane]``;
- runs of operations of one kind, row ``(destination, a, b, c)`` each;
- between them calls of kernels (laws, sincos), grouped by kernel;
- stores.

Slots are used again after the last use of their value; products used once are fused with the sum they go into.
"""

# ruff: noqa: F821 - names in `execute` are bound in the generated module
import re
from collections import Counter

import numpy as np

from flexmbd.lanes import fabs, select, sqrt
from flexmbd.linalg.nodes import Node
from flexmbd.linalg.printer import (
    LINEAR,
    STORE,
    function_source,
    leaf,
    linear,
    operations,
    ordered,
    solved_stores,
    source_text,
    straight_line,
    total,
)

OPS = ("+", "-", "*", "/", "neg", "sqrt", "fabs", ">", "&", "select", "a+bc", "a-bc", "bc-a")


def execute(code, runs, first, last, X):
    """Run operations; truth values are 1 and 0."""
    for r in range(first, last):
        kind, start, stop = runs[r, 0], runs[r, 1], runs[r, 2]
        if kind == 0:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) + ld(X, code[k, 2]))
        elif kind == 1:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) - ld(X, code[k, 2]))
        elif kind == 2:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) * ld(X, code[k, 2]))
        elif kind == 3:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) / ld(X, code[k, 2]))
        elif kind == 4:
            for k in range(start, stop):
                st(X, code[k, 0], -ld(X, code[k, 1]))
        elif kind == 5:
            for k in range(start, stop):
                st(X, code[k, 0], sqrt(ld(X, code[k, 1])))
        elif kind == 6:
            for k in range(start, stop):
                st(X, code[k, 0], fabs(ld(X, code[k, 1])))
        elif kind == 7:
            for k in range(start, stop):
                st(X, code[k, 0], select(ld(X, code[k, 1]) > ld(X, code[k, 2]), 1.0, 0.0))
        elif kind == 8:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) * ld(X, code[k, 2]))
        elif kind == 9:
            for k in range(start, stop):
                st(X, code[k, 0], select(ld(X, code[k, 1]) > 0.5, ld(X, code[k, 2]), ld(X, code[k, 3])))
        elif kind == 10:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) + ld(X, code[k, 2]) * ld(X, code[k, 3]))
        elif kind == 11:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 1]) - ld(X, code[k, 2]) * ld(X, code[k, 3]))
        else:
            for k in range(start, stop):
                st(X, code[k, 0], ld(X, code[k, 2]) * ld(X, code[k, 3]) - ld(X, code[k, 1]))


def source(graph, storage, name, arguments, inputs, stores, given=None, *, switch=None):
    """Source of a function by the better back end, from `switch` operations on the second; others as of `printer.straight_line`."""
    roots, given, switch = [x for _, x in stores], given or {}, graph.tuning.index_program if switch is None else switch
    entries = sum(len(x.value[1]) for x in ordered(graph, roots, given) if x.op.startswith(LINEAR) and x.id not in given)
    back_end = index_program if operations(roots, graph, given) + entries > switch else straight_line
    return back_end(graph, storage, name, arguments, inputs, stores, given)


def elements(graph, storage):
    """Sources of the functions of one element that the other functions call."""
    for name, arguments, inputs, stores, batch in storage.functions.values():
        summed = stores[0][0].startswith("return")
        text = source(graph, storage, name, arguments, inputs, stores, switch=np.inf if summed else graph.tuning.element_program)
        yield side_by_side(text) if batch > 1 else text


def side_by_side(text):
    """Source of a function that works on elements side by side (`lanes.elements`), from that of one that works on lanes."""
    text = re.sub(r"\b(ld|st)\((X|space),", r"\1_batch(\2,", text)
    return re.sub(r"\bexecute\(", "execute_batch(", text).replace(", W))", ", BATCH))")


def index_program(graph, storage, name, arguments, inputs, stores, given=None):
    """Source of a function that runs nodes as an index program; parameters as of `printer.straight_line`."""
    given = given or {}
    nodes = ordered(graph, [x for _, x in stores], given)
    leaves = [(x, source_text(x, storage, inputs)) for x in nodes if leaf(x)]
    kept = [x for _, x in stores if not _solution(x)]
    users = [a for x in nodes if not leaf(x) and x.id not in given for a in x.args if isinstance(a, Node)]
    copied = {x.id for x in (*kept, *users)}  # unknowns that are only stored stay where they are
    nodes = [x for x in nodes if x.id in copied or not (x.op == "out" and _solution(x))]
    fused = _fuse(nodes, kept) | dict.fromkeys(given, ("given", ()))
    levels = _levels(nodes, fused)
    steps = []  # (kind, key, [nodes]) in the order of execution
    for level in range(max(levels.values(), default=0) + 1):
        here = [x for x in nodes if not leaf(x) and x.op != "out" and levels[x.id] == level and fused.get(x.id, 0) is not None]
        operations, calls = [x for x in here if not _alone(x)], [x for x in here if _alone(x)]
        some = graph.tuning.gathered
        runs = [run for k in range(0, len(operations), some) for run in _gather(operations[k : k + some], fused)]
        steps += [("run", kind, members) for kind, members in runs]
        for kernel in dict.fromkeys(x.op for x in calls):
            steps.append(("call", kernel, [x for x in calls if x.op == kernel]))
    outs = {}
    for x in nodes:
        if x.op == "out":
            outs.setdefault(x.args[0].id, []).append(x)
    slot, size = _allocate(leaves, steps, fused, outs, kept)
    room = {"scratch": 0, "unknowns": 0}

    def alone(node, body, loop):
        """Statements of linear equations, or of a sum over a pool."""
        if node.id in given:
            body.append(f"n{node.id} = {given[node.id]}")
        elif node.op.startswith("total:"):
            body += total(graph, storage, inputs, node, f"n{node.id}")
            loop([(slot[node.id],)], f"st(space, code[k, 0], n{node.id})")
        else:
            solves = node.op.startswith("substitution:")
            fill, args = [], node.args[1:] if solves else node.args
            loop(
                [(slot[a.id], at) for a, at in zip(args, node.value[1], strict=True)],
                f"st(n{node.id}, code[k, 1], ld(space, code[k, 0]))",
                fill,
            )
            body += linear(graph, storage, inputs, node, f"n{node.id}", fill, room, f"n{node.args[0].id}" if solves else None)
            if solves:
                loop([(slot[y.id], y.value) for y in outs.get(node.id, [])], f"st(space, code[k, 0], ld(n{node.id}, code[k, 1]))")

    singles, loops = solved_stores(storage, stores, lambda x: f"n{x.id}")
    body, code, runs, calls = _body(leaves, steps, fused, outs, singles, slot, size, alone)
    code = [(*row, 0, 0, 0)[:4] for row in code]
    first, runs_first, calls_first = (storage.lay(np.array(table, np.int32))[0] for table in (code, runs, calls))
    head = [
        f"code = tables[{first}:{first + 4 * len(code)}].reshape(({len(code)}, 4))",
        f"runs = tables[{runs_first}:{runs_first + 3 * len(runs)}].reshape(({len(runs)}, 3))",
        f"calls = tables[{calls_first}:{calls_first + len(calls)}]",
    ]
    return function_source(name, arguments, [f"space = np.empty(({size + 1}, W))", *head, *body, *loops])


def _solution(node):
    return node.op == "out" and node.args[0].op.startswith("substitution:")


def _alone(node):
    """True for what is not an operation of the loop: kernels, linear equations and sums over pools."""
    return node.op.startswith(("call:", "total:", *LINEAR))


def _fuse(nodes, roots):
    """By node id: (kind, arguments) of sums that swallow a product; None for the products swallowed."""
    uses, fused = Counter(x.id for x in roots), {}
    for x in nodes:
        if not leaf(x):
            uses.update(a.id for a in x.args if isinstance(a, Node))

    def single(x):
        return x.op == "*" and not leaf(x) and uses[x.id] == 1 and x.id not in fused

    for x in nodes:
        if x.op in "+-" and not leaf(x):
            a, b = x.args
            if single(b):
                fused[x.id], fused[b.id] = ("a+bc" if x.op == "+" else "a-bc", (a, *b.args)), None
            elif single(a):
                fused[x.id], fused[a.id] = ("a+bc" if x.op == "+" else "bc-a", (b, *a.args)), None
    return fused


def _operands(node, fused):
    return fused[node.id][1] if fused.get(node.id) else node.args


def _kind(node, fused):
    return OPS.index(fused[node.id][0] if fused.get(node.id) else node.op)


def _levels(nodes, fused):
    """How many calls lie below each node; the results of a call belong to the next level."""
    levels = {}
    for x in nodes:
        below = () if leaf(x) else (levels[a.id] + _alone(a) for a in _arguments(x, fused))
        levels[x.id] = max(below, default=0)
    return levels


def _gather(operations, fused):
    """Order operations so that those of one kind follow each other: always the kind with most operations ready."""
    inside = {x.id: x for x in operations}
    waiting, users, ready = {}, {}, {}
    for x in operations:
        sources = {a.id for a in _operands(x, fused) if a.id in inside}
        waiting[x.id] = len(sources)
        for a in sources:
            users.setdefault(a, []).append(x)
        if not sources:
            ready.setdefault(_kind(x, fused), []).append(x)
    while ready:
        kind = max(ready, key=lambda k: len(ready[k]))
        members, queue = [], ready.pop(kind)
        while queue:
            x = queue.pop(0)
            members.append(x)
            for y in users.get(x.id, ()):
                waiting[y.id] -= 1
                if not waiting[y.id]:
                    other = _kind(y, fused)
                    (queue if other == kind else ready.setdefault(other, [])).append(y)
        yield kind, members


def _arguments(node, fused):
    return [a for a in _operands(node, fused) if isinstance(a, Node)]


def _allocate(leaves, steps, fused, outs, roots):
    """Workspace slot of each value, and the number of slots."""
    sequence = [x for _, _, members in steps for x in members]
    last = {}
    for k, x in enumerate(sequence):
        last.update((a.id, k) for a in _arguments(x, fused))
    last.update((x.id, len(sequence)) for x in roots)
    slot, free, size = {}, [], 0

    def take(x):
        nonlocal size
        if free:
            slot[x.id] = free.pop()
        else:
            slot[x.id], size = size, size + 1

    for x, _ in leaves:
        take(x)
    for k, x in enumerate(sequence):
        free += [slot[i] for i in {a.id for a in _arguments(x, fused)} if last[i] == k]
        results = outs.get(x.id, [x])
        for y in results:
            take(y)
        free += [slot[y.id] for y in results if y.id not in last]
    return slot, size


def _body(leaves, steps, fused, outs, stores, slot, spare, alone):
    """Statements, rows of operations, runs, and slots of kernels' arguments and results; nobody reads the `spare` slot."""
    body, code, runs, calls = [], [], [], []

    def loop(rows, statement, to=body):
        """A statement for many rows; its ``code[k, j]`` are entries of the row."""
        start = len(code)
        code.extend(rows)
        to.extend((f"for k in range({start}, {len(code)}):", f"    {statement}"))

    groups = {}
    for x, text in leaves:
        head, index, tail = _INDEX.fullmatch(text).groups() if _INDEX.fullmatch(text) else (text, None, "")
        groups.setdefault((head, tail, index is None), []).append((slot[x.id], int(index or 0)))
    for (head, tail, whole), rows in groups.items():
        loop(rows, f"st(space, code[k, 0], {head if whole else f'{head}code[k, 1]{tail}'})")
    pending = 0
    for kind, key, members in steps:
        if kind == "run":
            start = len(code)
            code.extend(tuple(slot[y.id] for y in (x, *_arguments(x, fused))) for x in members)
            runs.append((key, start, len(code)))
            continue
        if len(runs) > pending:
            body.append(f"execute(code, runs, {pending}, {len(runs)}, space)")
            pending = len(runs)
        if key.startswith("call:"):
            _calls(key.removeprefix("call:"), members, slot, outs, spare, body, calls)
        else:
            for x in members:
                alone(x, body, loop)
    if len(runs) > pending:
        body.append(f"execute(code, runs, {pending}, {len(runs)}, space)")
    groups = {}
    for statement, x in stores:
        if x.op.startswith("factors:"):
            body.append(statement.format(f"n{x.id}"))
            continue
        head, index, tail = STORE.fullmatch(statement).groups()
        groups.setdefault((head, tail), []).append((slot[x.id], int(index)))
    for (head, tail), rows in groups.items():
        loop(rows, f"{head}code[k, 1]{tail.format('ld(space, code[k, 0])')}")
    return body, code, runs, calls


def _calls(kernel, members, slot, outs, spare, body, calls):
    """Statements of the calls of one kernel, a loop over the rows of a table: so their code does not grow with their number."""
    wanted = sorted({y.value for x in members for y in outs.get(x.id, [])})
    count = len(members[0].args)
    start, width = len(calls), count + max(len(wanted), 1)
    for x in members:
        results = {y.value: slot[y.id] for y in outs.get(x.id, [])}
        calls += [slot[a.id] for a in x.args]
        calls += [results.get(k, spare) for k in wanted] or [slot[x.id]]
    body.append(f"for k in range({start}, {len(calls)}, {width}):")
    body.append(f"    results = {kernel}({', '.join(f'ld(space, calls[k + {j}])' for j in range(count))})")
    parts = [(j, f"results[{k}]") for j, k in enumerate(wanted)] or [(0, "results")]
    body += [f"    st(space, calls[k + {count + j}], {text})" for j, text in parts]


_INDEX = re.compile(r"(ld2?\(.*?|numbers\[)(\d+)([)\]])")
