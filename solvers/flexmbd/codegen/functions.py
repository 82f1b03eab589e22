"""Functions of a model that compute graph nodes and store them, as a module of LLVM's intermediate language.

Each is called as ``f(X, P, W, at, x, y)`` (`flexmbd.stepping.names`): x is the row of the point that it is evaluated at, y the row from
which on its results go. A long one is written in pieces that hand on values through rows of W, because the time to compile a function grows
faster than its length.
"""

from __future__ import annotations

from flexmbd.codegen import units
from flexmbd.codegen.linear import LinearWriter
from flexmbd.codegen.lookup import lookup
from flexmbd.codegen.loops import Loops
from flexmbd.codegen.machine import Code
from flexmbd.codegen.targets import Cpu
from flexmbd.codegen.text import DOUBLE, INTEGER, TRUTH, VOID, WORD, Instructions, Module, filled, number, pointer, vector
from flexmbd.codegen.values import Results, Value, Writer
from flexmbd.codegen.words import kernel_function, words
from flexmbd.language.kinds import FACTORS, RESULT, SPAN, VARIABLE
from flexmbd.language.ordering import Pieces, groups_of, leaf, ordered
from flexmbd.language.units import in_units
from flexmbd.parameters import UNIFORM

ROWS, TABLE = pointer(DOUBLE), pointer(WORD)
NAMES = ("X", "P", "W", "at", "x", "y", "row", "A")  # the last two are of elements of groups: row of their table, where they add to
CLEARED = 32  # zeros in rows that follow one another up to which each is a store
KINDS = (ROWS, ROWS, ROWS, TABLE, WORD, WORD, WORD, ROWS)


class Functions:
    """A module of functions of one model.

    Parameters
    ----------
    graph : Graph
    storage : Storage
    layout : Layout
        Where variables are, and which rows of W are free.
    pointers : (int, int)
        Entries of the table with the addresses of numbers and tables.
    target : Cpu or Cuda, optional
        Lanes of this processor, as wide as the layout says, if left out.
    """

    def __init__(self, graph, storage, layout, pointers, target=None):
        self.graph, self.storage, self.layout, self.pointers = graph, storage, layout, pointers
        self.target = target or Cpu(layout.width)
        self.module, self.elements, self._shapes = Module(), {}, {}
        self.units, self.reads = {}, {}  # functions of units by their keys; what elements of a group read, by its name
        self.rows = layout.work  # of W
        self.loops = False  # whether some are over elements, blocks of a matrix or rows

    def add(self, name, stores, *, given=None):
        """A function that stores nodes.

        Parameters
        ----------
        stores : list of ((str, int), Node)
            Array and row: of X, W, or "y": of X from row y on; factors are kept in X, in lanes whose `WHO` is 1. Some may be `Guarded`.
        given : dict int -> int, optional
            By id, rows of X with factors that are there already.
        """
        ids = in_units(self.graph, stores, given)
        made, width = None if ids is None else units.write(self, name, ids, stores, given), self.target.width
        if made is None:
            width = self._lanes(stores, given)
            made = self.function(name, stores, self.layout.place, 1, given, first=self.layout.work, width=width)
        inside, size = made
        self.rows = max(self.rows, size)
        self.target.export(self.module, name, inside, width)

    def _lanes(self, stores, given):
        """Lanes that a function does at once: a register's where its code is straight, which takes half of the time to compile and runs
        as fast (slider-crank 0.99, rows of 5 and 9 bodies 1.00 and 1.02 times the speed); all where it has loops (a beam of 2 elements:
        0.91), which would run once for each part, or stores that are done where some lane wants them."""
        loops = groups_of(stores) or any(x.kind.loops for x in ordered(self.graph, [x for _, x in stores], given or {}))
        return self.target.width if loops else self.target.part

    def function(self, name, stores, place, batch, given=None, first=0, width=None):
        """A function for the module's own use, of so many elements side by side; how many rows of its W it works in, from `first` on.

        It is of `width` lanes, the target's `part` if left out, and rows are as far apart as everywhere.
        """
        pieces = Pieces(self.graph, stores, given, self.graph.tuning.piece, groups_of(stores))
        rows = WorkRows(first, pieces)
        made = [self.declared(f"{name}.{k}" if pieces.count > 1 else f"{name}.all") for k in range(pieces.count)]
        for k, function in enumerate(made):
            Piece(self, function, pieces, k, place, batch, rows, width or self.target.part).write()
        if len(made) == 1:
            return made[0], rows.size
        whole = self.declared(f"{name}.all")
        builder = Instructions(whole)
        for function, guard in zip(made, pieces.guards, strict=True):
            if guard < 0:
                builder.call(function, whole.args)
                continue
            done, after = builder.append(), builder.append()
            builder.choose(self._some(builder, whole.args[2], guard, (width or self.target.part) * batch), done, after)
            builder.block = done
            builder.call(function, whole.args)
            builder.branch(after)
            builder.block = after
        builder.give()
        return whole, rows.size

    def _some(self, builder, rows, row, width):
        """Whether a row is not zero in some lane."""
        where = builder.gep(DOUBLE, rows, row * self.target.stride)
        if width == 1:
            return builder.op("fcmp une", DOUBLE, builder.load(DOUBLE, where), number(0.0))
        kind, bits = vector(DOUBLE, width), f"i{width}"
        lanes = builder.load(kind, where, 8)
        found = builder.op("fcmp une", kind, lanes, filled(DOUBLE, number(0.0), width))
        return builder.op("icmp ne", bits, builder.cast("bitcast", vector(TRUTH, width), found, bits), 0)

    def written(self, name, batch, body, width=None):
        """A function for the module's own use whose instructions ``body(piece)`` writes."""
        piece = self.piece(self.declared(f"{name}.all"), width or self.target.part, batch)
        body(piece)
        piece.write()
        return piece.function

    def piece(self, function, width, batch=1):
        """A `Piece` that has no nodes of its own."""
        pieces = Pieces(self.graph, [], None, 1)
        return Piece(self, function, pieces, 0, self.layout.place, batch, WorkRows(0, pieces), width)

    def name_of(self, kernel, shape):
        """Name of the function of a kernel for arguments of a shape: one for each shape that it is called with."""
        shapes = self._shapes.setdefault(kernel.name, [])
        if shape not in shapes:
            shapes.append(shape)
        return kernel.name + f".shape{shapes.index(shape)}" * (shapes[0] != shape)

    def declared(self, name):
        """A function for the module's own use that is yet to be written."""
        function = self.module.function(name, VOID, KINDS, NAMES, inside=True, attributes="noinline alignstack(64)")
        function.apart("X", "P", "W", "at")
        return function

    def text(self):
        """The module."""
        return self.module.text()

    def code(self):
        """Its machine code, yet to be compiled."""
        return Code(self.text(), self.loops, self.module.kernels)


class WorkRows:
    """Rows of W that a function works in."""

    def __init__(self, first, pieces):
        self.values = {node: first + k for k, node in enumerate(pieces.handed)}  # what pieces hand on
        self.top = self.size = first + len(pieces.handed)
        self.known = {node: ("X", row) for node, row in pieces.given.items()}  # where a matrix or a solution is

    def take(self, count):
        """First of so many further rows."""
        self.top += count
        self.size = max(self.size, self.top)
        return self.top - count

    def beyond(self, count):
        """So many rows behind those taken are needed by a function that is called."""
        self.size = max(self.size, self.top + count)


class Piece:
    """One piece of a function while it is written."""

    def __init__(self, functions, function, pieces, number, place, batch, rows, width):
        self.functions, self.pieces, self.number, self.place, self.rows, self.batch = functions, pieces, number, place, rows, batch
        self.function = function
        self.storage, target = functions.storage, functions.target
        self.stride, stride = target.stride, target.stride if batch == 1 else batch
        self.writer = Writer(Instructions(function), batch * width, stride, target.polynomials)
        self.builder, self.loops = self.writer.builder, Loops(self.writer)
        self.arguments = {x[1:]: x for x in function.args}
        self.found, self._pointers = {}, {}
        self.linear, self.words = LinearWriter(self), words(self.writer)

    def write(self):
        """Compute and store what belongs to this piece."""
        for node in self.pieces.nodes[self.number]:
            self.compute(node)
            if node.id in self.rows.values:
                self._hand_on(node)
            for where in self.pieces.stores.get(node.id, ()):
                self.store(where, node)
        self.put(self.pieces.loose.get(self.number, ()))
        self.builder.give()

    # ---- arrays
    def pointer(self, array):
        """Rows of an array: of X, P, W, A; "x" and "y": of X from row x or y on; ``numbers`` and ``tables``, "own": the element's."""
        if array not in self._pointers:
            b, made = self.builder, self.pointer("tables") if array == "own" else None
            with b.at_entry():
                if array in ("x", "y"):
                    made = b.gep(DOUBLE, self.arguments["X"], b.op("mul", WORD, self.arguments[array], self.stride))
                elif array == "own":
                    made = b.gep(INTEGER, made, self.arguments["row"])
                elif array in ("numbers", "tables"):
                    address = b.load(WORD, b.gep(WORD, self.arguments["at"], self.functions.pointers[array == "tables"]))
                    made = b.cast("inttoptr", WORD, address, ROWS if array == "numbers" else pointer(INTEGER))
                else:
                    made = self.arguments[array]
            self._pointers[array] = made
        return self._pointers[array]

    def behind(self, array, row):
        """An array from a row on that is known now, found once."""
        if (array, row) not in self._pointers:
            start = self.pointer(array)
            with self.builder.at_entry():
                self._pointers[array, row] = self.builder.gep(DOUBLE, start, row * self.stride) if row else start
        return self._pointers[array, row]

    def moved(self, array, row):
        """An array from a row on."""
        return self.builder.gep(DOUBLE, self.pointer(array), (self.loops.index(row) * self.stride).ir)

    def load(self, array, row):
        """Value in a row of samples; where the writer has elements side by side, of its one sample in all of them."""
        return self.load_at(self.moved(array, row))

    def load_at(self, where):
        """The same of a row's place."""
        if self.batch == 1:
            return Value(self.writer, self.builder.load(self.writer.kind, where, 8))
        return Value(self.writer, self.writer.spread(self.builder.load(DOUBLE, where)))

    # ---- nodes
    def value(self, node):
        """Value of a node that this piece or one before it has computed, or that is read."""
        if node.id in self.found:
            return self.found[node.id]
        if node.constant:
            found = node.value
        elif leaf(node):
            found = self._read(node)
        elif node.kind is RESULT and node.args[0].id in self.found:
            found = self.found[node.args[0].id][node.value]
        elif node.kind is RESULT and node.args[0].id in self.rows.known:
            array, row = self.rows.known[node.args[0].id]
            found = self.load(array, row + node.value)
        else:
            found = self.loops.load(self._handed(node), 0)
            if node.kind.truth:
                found = found > 0.5
        self.found[node.id] = found
        return found

    def _read(self, node):
        if node.kind is VARIABLE:
            where = self.place(node.value)
            return where(self) if callable(where) else self.load(*where)
        at = self.storage.index(node)
        if node.level == UNIFORM:
            where = self.builder.gep(DOUBLE, self.pointer("numbers"), at)
            return Value(self.writer, self.writer.spread(self.builder.load(DOUBLE, where)))
        return self.load("P", at)

    def compute(self, node):
        """Write the instructions of a node."""
        found = node.kind.write(self, node)
        if found is not None:
            self.found[node.id] = found

    def result(self, node):
        """One of several results, if they are not in rows."""
        call = node.args[0].id
        return None if call in self.rows.known or isinstance(self.found[call], Results) else self.found[call][node.value]

    def call(self, node):
        """Results of a kernel."""
        kernel, args = node.value, [self.value(x) for x in node.args]
        try:
            if kernel.text:
                name = self.functions.name_of(kernel, node.shape)
                return self.writer.apply(name, kernel_function(kernel, node.shape), *args)
            return self.words[kernel.name](*map(self.writer.value, args))
        except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError) as error:
            raise Mistake(kernel, str(error)) from error

    def lookup(self, node):
        """All columns of a table in the row where a value is."""
        return lookup(self, node)

    def _hand_on(self, node):
        value = self.value(node)
        if node.kind.truth:
            value = self.writer.select(value, 1.0, 0.0)
        self.loops.store(self._handed(node), 0, value)

    def _handed(self, node):
        """Where a value is that pieces hand on; elements side by side need a row each."""
        return self.moved("W", self.rows.values[node.id] * self.batch)

    def put(self, stores):
        """Store what is only read; many zeros in rows that follow one another by a loop."""
        for where, nodes in runs(stores):
            if len(nodes) > CLEARED:
                self.functions.loops = True
                self.loops.clear(self.moved(*where), len(nodes))
            elif callable(where):
                self.store(where, *nodes)
            else:
                for k, node in enumerate(nodes):
                    self.store((where[0], where[1] + k), node)

    def store(self, where, node):
        """Put a node's value where it belongs."""
        if callable(where):
            where(self, self.writer.value(self.value(node)))
        elif node.kind is FACTORS:
            self.linear.keep(node, where[1])
        elif node.kind is SPAN:
            self.linear.copy(node, self.moved(*where))
        else:
            self.loops.store(self.moved(*where), 0, self.value(node))


def runs(stores):
    """Stores (where, nodes): zeros in rows that follow one another together, others each for itself."""
    found, end = [], None
    for where, node in stores:
        if node.zero and where == end:
            found[-1][1].append(node)
        else:
            found.append((where, [node]))
        end = (where[0], where[1] + 1) if node.zero and not callable(where) else None
    return found


class Mistake(Exception):
    """What is wrong with a kernel."""

    def __init__(self, kernel, reason):
        super().__init__(reason)
        self.kernel, self.reason = kernel, reason
