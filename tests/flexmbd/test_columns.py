"""A graph's nodes as arrays, and units that are cut from them."""

import numpy as np

from flexmbd.language.columns import Columns
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import ADD, MUL, VARIABLE
from flexmbd.language.units import Table


def test_columns_grow_with_the_graph_and_know_arguments_kinds_and_what_is_needed():
    g, columns = Graph(), Columns()
    x, y = g.var("q", 0), g.var("q", 1)
    product = x * y
    columns.extended(g.nodes)
    square = product * product
    total = square + x
    aside = y + 1.0
    columns.extended(g.nodes)
    assert columns.extended(g.nodes) is columns and len(columns.level) == len(g.nodes)
    ids = np.array([total.id, product.id, x.id, square.id])
    of, args = columns.arguments(ids)
    assert of.tolist() == [0, 0, 1, 1, 3, 3]
    assert [g.nodes[i] for i in args.tolist()] == [*total.args, *product.args, *square.args]
    assert columns.are(ids, ADD).tolist() == [True, False, False, False]
    assert columns.are(ids, MUL, VARIABLE).tolist() == [False, True, True, True]
    assert columns.operation[product.id] == columns.operation[square.id] != columns.operation[total.id]
    assert columns.needed([total]).tolist() == sorted(n.id for n in (x, y, product, square, total))
    assert columns.needed([aside, aside]).tolist() == [n.id for n in g.needed([aside])]
    assert columns.needed([]).tolist() == []


def test_tables_sort_by_unit_and_keep_the_order_within_it():
    table = Table.of(4, [2, 0, 2, 3], [7, 8, 9, 6], [70, 80, 90, 60])
    assert table.unit.tolist() == [0, 2, 2, 3] and table.node.tolist() == [8, 7, 9, 6] and table.more[0].tolist() == [80, 70, 90, 60]
    assert table.begins.tolist() == [0, 1, 1, 3, 4] and table.place.tolist() == [0, 0, 1, 0]
    assert table.node[table.rows(2)].tolist() == [7, 9] and table.node[table.rows(1)].tolist() == []
