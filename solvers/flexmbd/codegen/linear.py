"""Linear equations at run time, and sums over groups of elements, as instructions."""

from __future__ import annotations

import numpy as np

from flexmbd.codegen.blocks import elimination
from flexmbd.codegen.group_loops import element
from flexmbd.codegen.neighbours import pairs
from flexmbd.codegen.product import added, product
from flexmbd.codegen.quadrature_loops import interpolated
from flexmbd.codegen.text import DOUBLE, WORD, pointer
from flexmbd.formulation.groups import QuadraturePoints
from flexmbd.formulation.neighbours import Pairs
from flexmbd.language.kinds import LARGEST, PRODUCT, SUBSTITUTION, SUMS
from flexmbd.language.ordering import rows_of
from flexmbd.linalg.sparse import SOLVE, SparsePlan
from flexmbd.stepping.names import SOLVER, WHO


class LinearWriter:
    """Writes nodes of linear equations, of products and of sums over elements into a `functions.Piece`."""

    def __init__(self, piece):
        self.piece = piece

    def write(self, node):
        """A node: factors, a substitution, a product, or a total."""
        piece, solves = self.piece, node.kind is SUBSTITUTION
        total = node.kind in SUMS
        piece.rows.known[node.id] = "W", piece.rows.take(rows_of(node))
        self.clear(node)
        if not total:
            A = piece.moved(*piece.rows.known[node.id])
            for place, x in zip(node.value[1], node.args[solves:], strict=True):
                piece.loops.store(A, place, piece.value(x))
        self.go_on(node)
        if total:
            piece.found[node.id] = piece.loops.load(piece.moved(*piece.rows.known[node.id]), 0)

    def clear(self, node):
        """Set the rows of a node to zero: of a matrix, of a right-hand side, or of a total."""
        self.piece.loops.clear(self.piece.moved(*self.piece.rows.known[node.id]), rows_of(node))

    def go_on(self, node):
        """What follows once a node's rows have what nodes store there: what elements of groups add, then factors or unknowns."""
        piece = self.piece
        piece.functions.loops = True
        A = piece.moved(*piece.rows.known[node.id])
        if node.kind in SUMS:
            group, one, start, stop = node.value
            if isinstance(group, Pairs) and (start, stop) == (0, group.count):
                pairs(piece, group, [one], [0], None, A)
            else:
                element(piece, group, [one], None, A, start, stop, largest=node.kind is LARGEST)
            return
        if node.kind is PRODUCT:
            product(piece, node.value[0], A)
            return
        plan, solves = node.value[0], node.kind is SUBSTITUTION
        self._grouped(node, A)
        for k, one in enumerate(() if solves else node.value[3]):
            added(piece, one, plan, piece.loops.load(A, plan.size + k), A)
        if isinstance(plan, SparsePlan):
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
        piece, plan = self.piece, node.value[0]
        if isinstance(plan, SparsePlan):  # the library keeps them
            return
        new, old = piece.moved(*piece.rows.known[node.id]), piece.moved("X", row)
        who = piece.load("X", WHO) > 0.5
        with piece.loops.loop(0, plan.size) as k:
            piece.loops.store(old, k, piece.writer.select(who, piece.loops.load(new, k), piece.loops.load(old, k)))

    def copy(self, node, to):
        """Store results that follow one another."""
        piece, (first, count) = self.piece, node.value
        (array, row), piece.functions.loops = piece.rows.known[node.args[0].id], True
        source = piece.moved(array, row + first)
        with piece.loops.loop(0, count) as k:
            piece.loops.store(to, k, piece.loops.load(source, k))

    def _grouped(self, node, A):
        """What elements of groups add to a matrix, or to a right-hand side."""
        piece, (plan, _, grouped, *_) = self.piece, node.value
        for group, part in grouped:
            if isinstance(part, dict):
                unknowns = group.unknowns()
                i, j = np.array(group.entries(part)).T
                places = plan.places(unknowns[:, i], unknowns[:, j])
                if isinstance(group, QuadraturePoints):
                    interpolated(piece, group, part, places, A)
                else:
                    element(piece, group, list(part.values()), places, A)
            else:
                kept = [k for k, x in enumerate(part) if not x.zero]
                if isinstance(group, Pairs) and len(part) == group.size:
                    pairs(piece, group, [part[k] for k in kept], kept, plan.rows_of(group.members), A)
                    continue
                element(piece, group, [part[k] for k in kept], plan.rows_of(group.unknowns()[:, kept]), A)

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
