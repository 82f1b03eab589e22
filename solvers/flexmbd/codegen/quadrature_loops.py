"""Tangents of points of elements (`flexmbd.formulation.groups.QuadraturePoints`): the law's, once for each point, and a loop over pairs of
nodes.

Rows of W hold, for one point after another, its variables and then K, the tangent of the law, block by block.
"""

from __future__ import annotations

from flexmbd.codegen.group_loops import each, placed, placed_at, put
from flexmbd.codegen.text import DOUBLE
from flexmbd.codegen.values import Value
from flexmbd.language.kinds import VARIABLE
from flexmbd.language.ordering import ordered


def interpolated(piece, points, matrix, places, A):
    """Add the sum of ``B' K B`` over the points to rows of A, for all elements of a group.

    Parameters
    ----------
    piece : functions.Piece
        Where the loop over elements is written.
    points : Points
    matrix : dict (i, j) -> Node
        K of one point.
    places : ndarray (elements, entries)
        Rows of A, in the order of `Points.entries`.
    """
    key = (points.name, *((ij, x.id) for ij, x in matrix.items()))
    each(piece, points.group, key, _Tangent(points, matrix, piece.storage.batch).written, places, A)


class _Tangent:
    """Writes the function of one element."""

    def __init__(self, points, matrix, batch):
        self.points, self.matrix, self.batch, d = points, matrix, batch, points.dimension
        self.count, vectors, self.nodes = points.weights.shape
        nodes = ordered(points.graph, matrix.values())
        self.names = [x.value for x in nodes if x.kind is VARIABLE and x.value in points.given[0]]
        self.blocks = {pair: len(self.names) + d * d * n for n, pair in enumerate(points.blocks(matrix))}  # first rows
        self.size, self.vectors = len(self.names) + d * d * len(self.blocks), range(vectors)

    def written(self, functions, name, read):
        """The function, and how many rows it works in."""
        points, d, own = self.points, self.points.dimension, {x: k for k, x in enumerate(self.names)}
        others = placed(functions.layout, points.group, self.batch)
        stores = [(put(self.size * p + k), given[x]) for p, given in enumerate(points.given) for x, k in own.items()]
        variables, behind = functions.function(f"{name}.variables", stores, others, self.batch)

        def place(x):
            return (lambda piece: piece.loops.load(piece.arguments["A"], own[x])) if x in own else others(x)

        zero, across = points.graph.const(0.0), [(i, j) for i in range(d) for j in range(d)]
        stores = [
            (put(first + d * i + j), self.matrix.get((d * k + i, d * c + j), zero))
            for (k, c), first in self.blocks.items()
            for i, j in across
        ]
        law, further = functions.function(f"{name}.point", stores, place, self.batch)

        def body(piece):
            loops, W = piece.loops, piece.arguments["W"]
            *given, row, _ = (piece.arguments | {"W": loops.moved(W, self.size * self.count)}).values()
            piece.builder.call(variables, [*given, row, W])
            with loops.loop(0, self.count) as p:
                piece.builder.call(law, [*given, row, loops.moved(W, p * self.size)])
            _Pairs(self, piece, name, read).write()

        return functions.written(name, self.batch, body), self.size * self.count + max(behind, further)


class _Pairs:
    """Writes the loop over pairs of nodes: a row of ``B' K`` stays in registers while it meets one node after another."""

    def __init__(self, tangent, piece, name, read):
        self.tangent, self.piece, self.loops, self.read = tangent, piece, piece.loops, read
        numbers = tangent.points.weights.transpose(2, 0, 1).ravel().tolist()  # by node, point and vector
        self.table, self.kind = piece.writer.module.numbers(f"{name}.weights", numbers)

    def write(self):
        """All of it."""
        tangent, loops, first = self.tangent, self.loops, 0
        nodes, d = tangent.nodes, tangent.points.dimension
        for own, columns in tangent.points.rows(tangent.matrix).values():
            width = d * len(columns)
            with loops.loop(0, nodes) as n:
                weights = self._weights(n, own)
                with loops.loop(0, d) as i:
                    row = self._row(own, columns.values(), weights, loops.moved(self.piece.arguments["W"], i * d))
                    with loops.loop(0, nodes) as m:
                        self._add(columns.values(), row, self._weights(m, tangent.vectors), ((n * d + i) * nodes + m) * width + first)
            first += nodes * d * nodes * width

    def _weights(self, node, vectors):
        """Weights at a node, by point and vector."""
        b, writer, out, count = self.piece.builder, self.piece.writer, {}, len(self.tangent.vectors)
        for p in range(self.tangent.count):
            for k in vectors:
                at = node * (self.tangent.count * count) + (count * p + k)
                out[p, k] = Value(writer, writer.spread(b.load(DOUBLE, b.member(self.kind, self.table, at.ir))))
        return out

    def _row(self, own, columns, weights, rows):
        """A row of ``B' K`` by point, column and component."""
        tangent, out = self.tangent, {}
        for p in range(tangent.count):
            for c in (c for of in columns for c in of):
                blocks = {k: tangent.size * p + tangent.blocks[k, c] for k in own if (k, c) in tangent.blocks}
                for j in range(tangent.points.dimension):
                    out[p, c, j] = _sum(weights[p, k] * self.loops.load(rows, first + j) for k, first in blocks.items())
        return out

    def _add(self, columns, row, weights, at):
        """Add what a row has at a node, or put it there for elements side by side."""
        tangent, A, k = self.tangent, self.piece.arguments["A"], 0
        places = None if tangent.batch > 1 else self.loops.part(self.piece.pointer("own"), at + self.read)
        for of in columns:
            for j in range(tangent.points.dimension):
                terms = (weights[p, c % len(tangent.vectors)] * row[p, c, j] for p in range(tangent.count) for c in of)
                if places is None:
                    self.loops.store(A, at + k, _sum(terms))
                else:
                    self.loops.add_at(placed_at(self.piece, A, places, k), _sum(terms))
                k += 1


def _sum(terms):
    first, *rest = terms
    return sum(rest, first)


__all__ = ["interpolated"]
