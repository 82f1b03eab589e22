"""Values of graph nodes by numpy: of one node, numbers or arrays over samples, and of kernels on arrays."""

from functools import cache

import numpy as np

from flexmbd import lanes
from flexmbd.language.kernels import kernel_of, run_with
from flexmbd.language.nodes import of_numbers
from flexmbd.parameters import Matrix

_VOCABULARY = {word.plain: word.numpy for word in lanes.WORDS.values()}


def evaluated(nodes, roots, variables, parameters):
    """Values of the roots; `nodes` are those that they need, in an order in which they can be computed (see `Graph.evaluate`)."""
    value = {}
    for node in nodes:
        args = [value[a.id] for a in node.args]
        value[node.id] = node.kind.numpy(node, args, variables, parameters)
    return [value[r.id] for r in roots]


def on_arrays(function):
    """A kernel as a function of numpy arrays: its source, run on numpy's own vocabulary."""
    return _VOCABULARY[function] if function in _VOCABULARY else _on_arrays(kernel_of(function))


@cache
def _on_arrays(kernel):
    return run_with(kernel, {name: word.numpy for name, word in lanes.WORDS.items()}, lambda plain: plain)  # what is elsewhere knows arrays


def called(node, values):
    """Values of a call's kernel: a word by numpy, any other one number by number, as its author wrote it."""
    function = getattr(node.function, "py_func", node.function)
    if function not in _VOCABULARY:
        return np.vectorize(of_numbers(function, node.shape))(*values)
    with np.errstate(all="ignore"):  # like the words of numbers
        return of_numbers(_VOCABULARY[function], node.shape)(*(np.asarray(x, float) for x in values))


def columns(table, x):
    """All columns of a table in the rows where x is."""
    return tuple(table.row(x))


def multiplied(node, parameters):
    """A product's rows as a function of arrays of the vector's numbers, whose last axis is that of samples where each has its matrix."""
    matrix = numbers_of(node.value[0].table, parameters)
    form = "sij,j...s->i...s" if matrix.ndim else "ij,j...->i..."
    return lambda *vector: tuple(np.einsum(form, matrix.values, np.stack(np.broadcast_arrays(*vector))))


def numbers_of(table, parameters):
    """The `Matrix` of a table."""
    return table.graph.evaluate([table], parameters=parameters)[0]


def assembled(node, values):
    """The `Matrix` of its entries."""
    places, (rows, columns) = node.value
    numbers = np.broadcast_arrays(*(np.asarray(x, float) for x in values))
    matrix = np.zeros((*numbers[0].shape, rows, columns))
    for place, x in zip(places, numbers, strict=True):
        matrix[(..., *place)] = x
    return Matrix(matrix)


def summed(node, variables, parameters, together=sum):
    """Sum of a node of one element of a group over its elements, or what else puts them together."""
    group, one, start, stop = node.value
    return together(group.values(one, start, stop, variables, parameters), 0.0)


def largest(values, least):
    """Largest of values and a least one."""
    return np.max([*values], axis=0, initial=least)


def dense(node, values, parameters):
    """Matrix of a node of factors, ``(..., n, n)``."""
    plan, places, grouped, placed = node.value
    if grouped:
        raise TypeError("groups of elements are not evaluated node by node")
    inverse = plan.entries()
    numbers = np.broadcast_arrays(*(np.asarray(x, float) for x in values))
    matrix = np.zeros((*numbers[0].shape, len(plan.place), len(plan.place)))
    for at, x in zip(places, numbers, strict=False):  # those of `placed` come last
        if at in inverse:
            matrix[(..., *inverse[at])] = x
    for one, x in zip(placed, numbers[len(numbers) - len(placed) :], strict=True):
        values = numbers_of(one.matrix.table, parameters).values
        rows, columns = (plan.rows_of(unknowns) for unknowns in one.places[:2])
        np.add.at(
            matrix,
            (..., rows, columns),
            np.multiply.outer(x, np.ones(len(rows))) * values.reshape(*values.shape[:-2], -1)[..., one.places[2]],
        )
    return matrix


def solved(node, values):
    """Unknowns of a substitution, the unknown first."""
    _, rows, _ = node.value
    matrix, *numbers = values
    numbers = [np.asarray(x, float) for x in numbers]
    shape = np.broadcast_shapes(matrix.shape[:-2], *(x.shape for x in numbers))
    side = np.zeros((*shape, matrix.shape[-1]))
    for row, x in zip(rows, numbers, strict=True):
        side[..., row] = x
    solution = np.linalg.solve(np.broadcast_to(matrix, (*shape, *matrix.shape[-2:])), side[..., None])[..., 0]
    return np.moveaxis(solution, -1, 0)
