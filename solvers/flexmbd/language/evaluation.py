"""Values of graph nodes by numpy, one node after another: numbers, or arrays over samples."""

import numpy as np

from flexmbd.language.nodes import of_numbers
from flexmbd.language.ops import OPS


def evaluated(nodes, roots, variables, parameters):
    """Values of the roots; `nodes` are those that they need, in an order in which they can be computed (see `Graph.evaluate`)."""
    value = {}
    for node in nodes:
        if node.op == "const":
            value[node.id] = node.value
        elif node.op == "param":
            value[node.id] = parameters[node.value]
        elif node.op == "table":
            value[node.id] = parameters[node.value[0]]
        elif node.op == "entry":
            value[node.id] = value[node.args[0].id].values[(..., *node.value)]
        elif node.op.startswith("lookup:"):
            value[node.id] = parameters[node.value.value[0]].row(value[node.args[0].id])
        elif node.op == "var":
            value[node.id] = variables[node.value]
        elif node.op == "out":
            value[node.id] = value[node.args[0].id][node.value]
        elif node.op.startswith("factors:"):
            value[node.id] = _dense(node, value)
        elif node.op.startswith("substitution:"):
            value[node.id] = _solved(node, value)
        elif node.op.startswith("total:"):
            value[node.id] = _summed(node, variables or {}, parameters)
        elif node.op.startswith("call:"):
            scalar = getattr(node.function, "py_func", node.function)
            value[node.id] = np.vectorize(of_numbers(scalar, node.shape))(*(value[a.id] for a in node.args))
        else:
            value[node.id] = OPS[node.op].numpy(*(value[a.id] for a in node.args))
    return [value[r.id] for r in roots]


def _summed(node, variables, parameters):
    """Sum of a node of one element of a pool over its elements."""
    pool, one, start, stop = node.value
    total = 0.0
    for e in range(start, stop):
        total = total + pool.graph.evaluate([one], pool.of_element(e, variables, parameters), parameters)[0]
    return total


def _dense(node, value):
    """Matrix of a node of factors, ``(..., n, n)``."""
    plan, places, pooled = node.value
    if pooled:
        raise TypeError("pools of elements are not evaluated node by node")
    inverse = plan.entries()
    numbers = np.broadcast_arrays(*(np.asarray(value[a.id], float) for a in node.args))
    matrix = np.zeros((*numbers[0].shape, len(plan.place), len(plan.place)))
    for at, x in zip(places, numbers, strict=True):
        matrix[(..., *inverse[at])] = x
    return matrix


def _solved(node, value):
    """Unknowns of a substitution, the unknown first."""
    _, rows, _ = node.value
    matrix = value[node.args[0].id]
    numbers = [np.asarray(value[a.id], float) for a in node.args[1:]]
    shape = np.broadcast_shapes(matrix.shape[:-2], *(x.shape for x in numbers))
    side = np.zeros((*shape, matrix.shape[-1]))
    for row, x in zip(rows, numbers, strict=True):
        side[..., row] = x
    solution = np.linalg.solve(np.broadcast_to(matrix, (*shape, *matrix.shape[-2:])), side[..., None])[..., 0]
    return np.moveaxis(solution, -1, 0)
