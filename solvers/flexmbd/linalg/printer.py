"""Straight-line source code of graph nodes, and the table of packed parameters that it reads."""

import base64
import zlib

import numpy as np

from flexmbd.linalg.graph import LANE, RUNTIME, UNIFORM, Node

_BINARY = {"+", "-", "*", "/", ">", "&"}


class ParameterTable:
    """Slots of the packed parameters: ``U[k]`` one number for all samples, ``P[k, lane]`` one per sample."""

    def __init__(self):
        self.uniform, self.lane, self._slot = [], [], {}

    def slot(self, node):
        """Source text that reads the node's slot; a new slot at first use."""
        if node.id not in self._slot:
            nodes, text = (self.uniform, "U[{}]") if node.level == UNIFORM else (self.lane, "ld(P, {})")
            self._slot[node.id] = text.format(len(nodes))
            nodes.append(node)
        return self._slot[node.id]

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


def straight_line(graph, table, name, arguments, inputs, stores, result=None):
    """Source of a function that computes nodes from run-time variables.

    Parameters
    ----------
    arguments : str
        Argument list of the function.
    inputs : mapping variable name -> source text that reads it
        Only the variables that are needed are read.
    stores : list of (str, Node)
        Statement with ``{}`` for the value, and the node.
    result : str, optional
        Text returned.
    """
    body, text, plans = [], {}, {}

    def of(node):
        if node.op == "const":
            return repr(node.value) if node.value >= 0 else f"({node.value!r})"
        return text[node.id]

    for node in ordered(graph, [n for _, n in stores]):
        if node.op == "const":
            continue
        target = text[node.id] = f"n{node.id}"
        if node.level in (UNIFORM, LANE):
            body.append(f"{target} = {table.slot(node)}")
        elif node.op == "var":
            body.append(f"{target} = {inputs(node.value)}")
        elif node.op in _BINARY:
            body.append(f"{target} = {of(node.args[0])} {node.op} {of(node.args[1])}")
        elif node.op == "neg":
            body.append(f"{target} = -{of(node.args[0])}")
        elif node.op.startswith("factors:"):
            plan, places = node.value
            target = text[node.id] = f"f{node.id}"
            body.append(f"{target} = np.zeros(({plan.size}, W))")
            body += [f"st({target}, {at}, {of(x)})" for at, x in zip(places, node.args, strict=True)]
            body.append(f"block_factorise({target}, {', '.join(tables(plan))})")
            plans[plan.name] = plan
        elif node.op.startswith("substitution:"):
            plan, rows = node.value
            target = text[node.id] = f"b{node.id}"
            body.append(f"{target} = np.zeros(({len(plan.place)}, W))")
            body += [f"st({target}, {row}, {of(x)})" for row, x in zip(rows, node.args[1:], strict=True)]
            body.append(f"block_substitute({of(node.args[0])}, {', '.join(tables(plan)[:2])}, {target})")
        elif node.op == "out":
            source = node.args[0]
            solved = source.op.startswith("substitution:")
            text[node.id] = f"ld({text[source.id]}, {node.value})" if solved else f"n{source.id}[{node.value}]"
        else:
            function = node.op.removeprefix("call:")
            body.append(f"{target} = {function}({', '.join(of(a) for a in node.args)})")
    body += [statement.format(of(node)) for statement, node in stores]
    body.append(f"return {result}" if result else "return")
    return "".join(map(table_source, plans.values())) + f"@inner\ndef {name}({arguments}):\n    " + "\n    ".join(body) + "\n"


def tables(plan):
    """Names of a plan's tables in the generated module."""
    return [f"{key}_{plan.name}" for key in ("pivots", "columns", "targets")]


def table_source(plan):
    """Source of a plan's tables."""
    widths = (6, 4, 1)
    parts = [f"{name} = {packed(x, w)}" for name, x, w in zip(tables(plan), plan.tables, widths, strict=True)]
    return "\n".join((*parts[:2], parts[2] + "[:, 0]")) + "\n"


def packed(rows, width):
    """Source of a table of integers."""
    data = np.array(rows if len(rows) else np.zeros((0, width)), np.int32).reshape(-1, width)
    return f"unpack({base64.b85encode(zlib.compress(data.tobytes(), 9)).decode()!r}, {width})"


def unpack(text, width):
    """Table of integers from its text."""
    return np.frombuffer(zlib.decompress(base64.b85decode(text)), np.int32).reshape(-1, width)


def ordered(graph, roots):
    """Needed nodes; what is known before run time is a leaf here."""
    seen, stack = set(), list(roots)
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.level == RUNTIME:
            stack.extend(a for a in node.args if isinstance(a, Node))
    return [graph.nodes[i] for i in sorted(seen)]


def called(graph, roots):
    """Kernels (with their order of first use) that the run-time part of the roots calls."""
    functions = {}
    for node in ordered(graph, roots):
        if node.op.startswith("call:") and node.level == RUNTIME:
            functions[node.op] = node.function
    return list(functions.values())
