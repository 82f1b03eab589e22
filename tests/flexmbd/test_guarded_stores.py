"""Stores of a generated function that are done only where a row of W is not zero in some lane."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest

from flexmbd.codegen.functions import Functions
from flexmbd.codegen.machine import Code
from flexmbd.codegen.storage import Storage
from flexmbd.language.graph import Graph
from flexmbd.language.ordering import Guarded
from flexmbd.linalg.elimination import factorise
from flexmbd.stepping import names
from flexmbd.tuning import USUAL

from .generated import Flat


class Behind(Flat):
    """The first three rows of W are the guards'."""

    work = 3


def nodes(g):
    """What is always stored, and three groups that share some of it: with what only they need, what all know, numbers, and what is read."""
    x, y, z = (g.var("q", k) for k in range(3))
    factors = factorise(g, {(0, 0): x * x + 2.0, (0, 1): y, (1, 1): z * z + 3.0}, [0, 1])
    first, second = factors.solve({0: x}), factors.solve({1: z})
    shared = g.sqrt(x * x + y * y + 1.0)
    always = [x + y, x * y]
    groups = [[first[0], first[1], shared * z, x + y], [second[0], shared + z, g.const(7.0)], [second[1] * 0.5 + x * y, z]]
    return always, groups


@pytest.mark.parametrize("piece", [3, 3000])
@pytest.mark.parametrize("width", [1, 4, 16])
def test_groups_are_done_where_they_are_wanted(width, piece):
    g = Graph(tuning=replace(USUAL, piece=piece)) if piece != USUAL.piece else Graph()
    always, groups = nodes(g)
    every = [*always, *(x for members in groups for x in members)]
    numbers = iter(range(len(every)))
    stores = [[(("y", next(numbers)), x) for x in members] for members in (always, *groups)]
    for guards in ([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]):
        made = Functions(g, storage := Storage(), Behind(width), (names.NUMBERS, names.TABLES))
        made.add("f", Guarded(stores[0], list(enumerate(stores[1:]))))
        call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4, ctypes.c_int64, ctypes.c_int64)(Code(made.text()).address("f"))
        values = np.random.default_rng(3).uniform(0.5, 2.0, (3, width))
        X, W, at = np.full((3 + len(every), width), -1.0), np.zeros((max(4, made.rows), width)), np.zeros(names.ENTRIES, np.int64)
        X[:3], W[:3, -1] = values, guards  # wanted in the last lane alone
        uniform, parameters = storage.pack(g, [], width)
        P, tables = np.zeros((parameters.shape[1] + 1, width)), storage.tables
        at[names.NUMBERS], at[names.TABLES] = uniform.ctypes.data, tables.ctypes.data
        call(*(a.ctypes.data for a in (X, P, W, at)), 0, 3)
        x, y, z = values
        a, b, determinant = x * x + 2.0, z * z + 3.0, (x * x + 2.0) * (z * z + 3.0) - y * y
        shared = np.sqrt(x * x + y * y + 1.0)
        exact = [x + y, x * y, b * x / determinant, -y * x / determinant, shared * z, x + y, -y * z / determinant, shared + z]
        exact += [7.0 + 0.0 * x, 0.5 * a * z / determinant + x * y, z]
        done = [True] * 2 + [guards[0] == 1] * 4 + [guards[1] == 1] * 3 + [guards[2] == 1] * 2
        np.testing.assert_allclose(X[3:], [v if d else v * 0.0 - 1.0 for v, d in zip(exact, done, strict=True)], rtol=1e-13)
