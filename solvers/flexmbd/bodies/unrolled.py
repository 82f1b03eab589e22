"""Kernels that sum over a table of numbers, written out: no loop is left, and numbers are constants of the code.

What a table has as a text instead of a number is a part of a further argument of the kernel.
"""

import ast
import inspect
from copy import deepcopy

from flexmbd.lanes import kernel


def unrolled(function, name, **tables):
    """Kernel of the given name made of a function whose loops run over tables: ``for x, weight in AXIAL: ...``.

    Parameters
    ----------
    function : function
        Plain Python; a loop names a table and has a tuple of targets.
    name : str
        Of the kernel.
    tables : tuple of tuples of float or str
        By the name in the loops. Texts are parts of last arguments, ``points[0]`` of ``points``.

    Returns
    -------
    kernel, whose Python function has its text as attribute `source` (`flexmbd.language.kernels.source_of`).
    """
    tree = _Unrolled(tables).visit(ast.parse(inspect.getsource(function)))
    tree.body[0].name = name
    names = dict.fromkeys(x.partition("[")[0] for table in tables.values() for row in table for x in row if isinstance(x, str))
    tree.body[0].args.args += [ast.arg(x) for x in names]
    source, space = ast.unparse(tree), dict(function.__globals__)
    exec(compile(source, function.__code__.co_filename, "exec"), space)  # the file beside which Numba keeps machine code
    space[name].source = source
    return kernel(space[name])


class _Unrolled(ast.NodeTransformer):
    """Writes out loops over tables."""

    def __init__(self, tables):
        self.tables, self.numbers = tables, {}

    def visit_For(self, node):
        """The body, once for each row."""
        out = []
        for row in self.tables[node.iter.id]:
            self.numbers = {target.id: x for target, x in zip(node.target.elts, row, strict=True)}
            out += [self.visit(deepcopy(line)) for line in node.body]
        self.numbers = {}
        return out

    def visit_Name(self, node):
        """The number, or the part of an argument, that a loop's variable stands for."""
        x = self.numbers.get(node.id, node)
        return x if x is node else ast.parse(x, mode="eval").body if isinstance(x, str) else ast.Constant(x)
