"""Rows of joints that are alike: those of one are written once, and run over a table of coordinates, numbers and multipliers."""

import numpy as np

from flexmbd.formulation.groups import Group
from flexmbd.language.quadratic import Quadratic
from flexmbd.parameters import RUNTIME


class RowGroup(Group):
    """Joints whose rows are alike.

    In the expressions of the one joint coordinates, rates and numbers are those of a group's one element, and multipliers ``k0, k1, ...``.

    Parameters
    ----------
    graph : Graph
    name : str
    total : int
        Coordinates of the system.
    members : list of (int, list of int, list of Node)
        Number of the first row, coordinates of the system, and coefficients, of which those that differ are numbers of a joint.
    rows : list of (str, list of tuple)
        What each row measures, and its terms.

    Attributes
    ----------
    multipliers : ndarray (joints, rows)
        Of the system.
    rows : list of (str, Quadratic)
        What each measures, and the one joint's polynomial.
    """

    mass, points, owners = {}, (), {}

    def __init__(self, graph, name, total, members, rows):
        self.graph, self.name, self.total = graph, name, total
        self.coordinates = np.array([places for _, places, _ in members], np.int32)
        self.multipliers = np.array([first for first, *_ in members], np.int32)[:, None] + np.arange(len(rows), dtype=np.int32)
        columns, differ = list(zip(*(coefficients for *_, coefficients in members), strict=True)), []
        coefficients = []
        for column in columns:
            same = all(x is column[0] for x in column)
            coefficients.append(column[0] if same else graph.var("n", len(differ)))
            differ += [] if same else [column]
        self.varying, rest = list(zip(*differ, strict=True)), iter(coefficients)
        self.rows = [(measure, Quadratic(graph, {key: next(rest) for key in terms})) for measure, terms in rows]

    @property
    def further(self):
        """Columns of the table behind coordinates and numbers."""
        return (self.multipliers,)

    def unknowns(self):
        """Coordinates and multipliers."""
        return np.hstack([self.coordinates, self.total + self.multipliers])

    def of_system(self, variables, start=0, stop=None):
        """The system's variables that joints' nodes depend on."""
        own = [x for x in variables if x.space == "k"]
        found = {x._replace(space="l", number=i) for x in own for i in self.multipliers[start:stop, x.number].tolist()}
        return found | super().of_system([x for x in variables if x.space != "k"], start, stop)

    @property
    def polynomials(self):
        """Of the one joint's rows."""
        return [p for _, p in self.rows]

    def gradients(self):
        """Entries of G and of its transpose, by the one joint's unknowns."""
        found = {}
        for k, p in enumerate(self.polynomials, self.size):
            for i, x in p.gradient(self.variables("x")).items():
                found[i, k] = found[k, i] = x
        return found

    def side(self, nodes):
        """Right-hand side with a node for each row."""
        return [self.graph.const(0.0)] * self.size + list(nodes)


def grouped(graph, total, joints, few):
    """Groups of joints alike that are more than a few; `joints` are (number of the first row, rows)."""
    found = {}
    for first, rows in joints:
        if told := _told(rows):
            key, places, coefficients = told
            found.setdefault(key, []).append((first, places, coefficients))
    many = [(key, members) for key, members in found.items() if len(members) > few]
    return [
        RowGroup(graph, f"rows{k}", total, members, [(measure, [at for at, _ in terms]) for measure, terms in key])
        for k, (key, members) in enumerate(many)
    ]


def _told(rows):
    """What joints alike have in common, and coordinates and coefficients of one; None if its rows are written for themselves.

    Those are rows that are not quadratic, depend on time, or have more than a value.
    """
    if not rows or any(not row.polynomial.quadratic or (row.branch, row.penalty, row.size) != (None, None, None) for row in rows):
        return None
    terms = [row.polynomial.terms for row in rows]
    places = list(dict.fromkeys(i for own in terms for key in own for i in key))
    if any(len(key) == 2 for own in terms for key in own):
        places.sort()
    local, coefficients = {i: k for k, i in enumerate(places)}, [c for own in terms for c in own.values()]
    if any(c.level == RUNTIME for c in coefficients):
        return None
    told = tuple(
        (row.measure, tuple((tuple([local[i] for i in key]), c.value if c.constant else None) for key, c in own.items()))
        for row, own in zip(rows, terms, strict=True)
    )
    return told, places, coefficients


__all__ = ["RowGroup", "grouped"]
