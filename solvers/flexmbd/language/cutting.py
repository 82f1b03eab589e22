"""Where nodes of a function are cut into units: at marks of the graph, and where a unit would be too long (`Tuning.piece`)."""

import numpy as np

from flexmbd.language.kinds import RESULT


def cut(graph, ids):
    """Numbers of the units of nodes; results of a call stay with it.

    Parameters
    ----------
    graph : Graph
    ids : ndarray of int
        Of the nodes.

    Returns
    -------
    ndarray of int
        By node, ascending from 0 where no results are.
    """
    numbers, sizes, begun, columns, piece = {}, [], None, graph.columns, graph.tuning.piece
    runs, results = np.searchsorted(graph.marks, ids, "right"), columns.are(ids, RESULT)
    found = np.zeros(len(ids), int)
    found[~results] = np.cumsum(np.diff(runs[~results], prepend=-1) != 0) - 1
    place = np.zeros(len(graph.nodes), int)
    place[ids] = np.arange(len(ids))
    found[results] = found[place[columns.args[columns.start[ids[results]]]]]
    if np.bincount(found, minlength=1).max() <= piece:
        return found
    for i, k, result in zip(ids.tolist(), runs.tolist(), results.tolist(), strict=True):
        if result:
            number = numbers[graph.nodes[i].args[0].id]
        else:
            if k != begun or sizes[-1] >= piece:
                sizes.append(0)
                begun = k
            number = len(sizes) - 1
        numbers[i] = number
        sizes[number] += 1
    return np.array([*numbers.values()], int)
