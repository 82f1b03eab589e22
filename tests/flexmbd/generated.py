"""Nodes of a graph computed by machine code, for tests."""

import ctypes

import numpy as np

from flexmbd.codegen.functions import Functions
from flexmbd.codegen.machine import Code
from flexmbd.codegen.storage import Storage
from flexmbd.stepping import names


class Flat:
    """A layout in which the variables of all spaces are rows of the point, by their numbers."""

    work = 0

    def __init__(self, width):
        self.width = width

    def place(self, variable):
        """Array and row."""
        return "x", variable.number


def functions(graph, nodes, width, layout=Flat, batch=1):
    """`Functions` and `Storage` with the function ``f`` of the nodes."""
    storage = Storage(batch)
    made = Functions(graph, storage, layout(width), (names.NUMBERS, names.TABLES))
    made.add("f", [(("y", k), x) for k, x in enumerate(nodes)])
    return made, storage


def computed(graph, nodes, values, given=(), *, width, layout=Flat, batch=1):
    """Values (nodes, samples) of nodes for variables (rows, samples); samples are a multiple of the lanes, or fewer."""
    made, storage = functions(graph, nodes, width, layout, batch)
    code, samples = Code(made.text()), values.shape[1]
    call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4, ctypes.c_int64, ctypes.c_int64)(code.address("f"))
    numbers, parameters = storage.pack(graph, given, samples)
    tables, at, found = storage.tables, np.zeros(names.ENTRIES, np.int64), np.zeros((len(nodes), samples))
    at[names.NUMBERS], at[names.TABLES] = numbers.ctypes.data, tables.ctypes.data
    for start in range(0, samples, width):
        part = slice(start, start + width)
        X, W = np.zeros((len(values) + len(nodes), width)), np.zeros((max(1, made.rows), width))
        X[: len(values)] = values[:, part]
        P = np.ascontiguousarray(np.vstack([parameters[part].T, np.zeros((1, width))]))
        call(*(x.ctypes.data for x in (X, P, W, at)), 0, len(values))
        found[:, part] = X[len(values) :]
    return found
