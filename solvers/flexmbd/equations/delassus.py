"""Delassus matrix of contacts: how fast each contact yields to the forces in all of them, where the rows allow it.

``W = D P D'`` with the directions D of the contacts and the accelerations ``P f`` that a generalized force f gives a system whose rows hold
(Brogliato 2016, Nonsmooth Mechanics, 3rd ed., ch. 5; without rows P is the inverse of the mass matrix).
"""

from flexmbd.equations.index1 import responses


def directions(problem):
    """Columns ``{coordinate: Node}`` of all contacts that cannot be penetrated: of each the normal, then its tangents."""
    return [column for contact in problem.unilaterals for column in (contact.normal, *contact.tangents)]


def delassus(problem):
    """Nodes of the matrix, in 1/kg, row by row in the order of `directions`."""
    columns = directions(problem)
    found = responses(problem, columns)
    return [[problem.graph.dot((x, response[i]) for i, x in column.items()) for response in found] for column in columns]
