"""Linear equations at run time, and sums over pools of elements, as instructions."""

from __future__ import annotations

import numpy as np

from flexmbd.codegen.blocks import elimination
from flexmbd.codegen.points import interpolated
from flexmbd.codegen.pools import element
from flexmbd.codegen.text import DOUBLE, WORD, pointer
from flexmbd.formulation.pools import Points
from flexmbd.linalg.sparse import SOLVE, SparsePlan
from flexmbd.stepping.names import SOLVER, WHO


class Linear:
    """Writes nodes of linear equations into a `functions.Piece`."""

    def __init__(self, piece):
        self.piece = piece

    def write(self, node, solves):
        """Factors, or a substitution where it `solves`."""
        self.piece.functions.loops = True
        piece, (plan, _, _) = self.piece, node.value
        direct = isinstance(plan, SparsePlan)
        count = len(plan.place) if solves else plan.size
        row = piece.rows.take(count)
        piece.rows.known[node.id] = "W", row
        A = piece.moved("W", row)
        piece.loops.clear(A, count)
        self._fill(node, A, node.args[1:] if solves else node.args)
        if direct:
            self._call(node, A, solves)
        elif solves:
            factors = piece.moved(*piece.rows.known[node.args[0].id])
            runs = plan.runs()
            self._steps("forward", plan, runs, factors, A)
            self._steps("backward", plan, reversed(runs), factors, A)
        else:
            self._steps("factorise", plan, plan.runs(), A, None)

    def keep(self, node, row):
        """Keep factors in rows of X, in lanes whose `WHO` is 1."""
        piece, (plan, _, _) = self.piece, node.value
        if isinstance(plan, SparsePlan):  # the library keeps them
            return
        new, old = piece.moved(*piece.rows.known[node.id]), piece.moved("X", row)
        who = piece.load("X", WHO) > 0.5
        with piece.loops.loop(0, plan.size) as k:
            piece.loops.store(old, k, piece.writer.select(who, piece.loops.load(new, k), piece.loops.load(old, k)))

    def _fill(self, node, A, args):
        """Entries of a matrix, or of a right-hand side: those of nodes, and what elements of pools add."""
        piece, (plan, places, pooled) = self.piece, node.value
        for place, x in zip(places, args, strict=True):
            piece.loops.store(A, place, piece.value(x))
        for pool, part in pooled:
            unknowns = pool.unknowns()
            if isinstance(part, dict):
                i, j = np.array(pool.entries(part)).T
                places = plan.places(unknowns[:, i], unknowns[:, j])
                if isinstance(pool, Points):
                    interpolated(piece, pool, part, places, A)
                else:
                    element(piece, pool, list(part.values()), places, A)
            else:
                kept = [k for k, x in enumerate(part) if not x.zero]
                element(piece, pool, [part[k] for k in kept], plan.rows_of(unknowns[:, kept]), A)

    def _steps(self, kind, plan, runs, A, x):
        """Elimination, run by run of supernodes."""
        piece = self.piece
        pivots, columns, targets = (piece.storage.lay(table)[0] for table in plan.tables)
        tables, part = piece.pointer("tables"), piece.loops.part
        more = part(tables, targets) if x is None else x
        for start, stop, size in runs:
            elimination(piece.writer, kind, size, A, part(tables, pivots + 6 * start), part(tables, columns), more, stop - start)

    def _call(self, node, A, solves):
        """A library factorises or solves."""
        piece, plan = self.piece, node.value[0]
        matrix, b = node.args[0] if solves else node, piece.builder
        known = piece.storage.matrices
        number = known.setdefault(matrix.id, (piece.storage.before + len(known), plan))[0]
        address = b.load(WORD, b.gep(WORD, piece.pointer("at"), SOLVER))
        function = b.cast("inttoptr", WORD, address, f"void ({WORD}, {WORD})*")
        b.line(f"call void {function}({WORD} {number + SOLVE * solves}, {WORD} {b.cast('ptrtoint', pointer(DOUBLE), A, WORD)})")

    def total(self, node):
        """Sum of a node of one element over a pool."""
        self.piece.functions.loops = True
        piece, (pool, one, start, stop) = self.piece, node.value
        A = piece.moved("W", piece.rows.take(1))
        piece.loops.clear(A, 1)
        element(piece, pool, [one], None, A, start, stop)
        return piece.loops.load(A, 0)
