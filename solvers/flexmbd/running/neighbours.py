"""What the search for neighbours works in (`flexmbd.stepping.neighbours`): for each group of a run its words, and arrays of its own."""

import numpy as np

from flexmbd.codegen.group_loops import BATCH
from flexmbd.formulation.neighbours import Pairs
from flexmbd.stepping import neighbours as search


def groups(problem):
    """Groups of a problem whose members look for neighbours, in the order of their numbers."""
    return [group for group in problem.groups if isinstance(group, Pairs)]


def room(group, reaches, axes, width):
    """Words of a group, and the arrays that they point to.

    Parameters
    ----------
    group : Pairs
    reaches : list of int
        By member, the row of P.
    axes : int
        2 or 3: so many coordinates of a member are its place.
    width : int
        Lanes.
    """
    n = len(group.members)
    table, space = 1 << max(n - 1, 1).bit_length(), n * (1 + search.ROOM * width)
    arrays = {
        search.LIST: np.zeros(space + BATCH, np.int64), search.PLACES: group.members[:, :axes].astype(np.int64).ravel(),
        search.REACHES: np.array(reaches, np.int64), search.BEFORE: np.zeros((n * (axes + 1) + 1, width)),
        search.MARKS: np.zeros(n, np.int64), search.ENDS: np.zeros((width, table + 1), np.int64),
        search.SORTED: np.zeros((width, n), np.int64),
    }  # fmt: skip
    words = np.zeros(search.WORDS, np.int64)
    words[[search.MEMBERS, search.AXES, search.SPACE, search.TABLE]] = n, axes, space, table
    for word, array in arrays.items():
        words[word] = array.ctypes.data
    return words, list(arrays.values())
