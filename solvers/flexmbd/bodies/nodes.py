"""Shapes and velocities of cables and beams at the start, node by node: from a function of the arc length, or from arrays."""

from itertools import pairwise

import numpy as np

from flexmbd.errors import ModelError, check_number

NUMBERS = {2: "two", 3: "three"}


def nodal(owner, key, value, places, parts, dimension):
    """Vectors at all nodes.

    Parameters
    ----------
    owner, key : str
        Whose, and which argument, for messages.
    value : callable or sequence
        ``value(s)`` gives one vector for every part, s in m (one number, or one per sample); or for every part one vector for every node.
    places : list
        Arc lengths of the nodes, m.
    parts : tuple of str
        What the vectors are, such as ``("position", "slope")``.
    dimension : int
        2 or 3.

    Returns
    -------
    list of list of tuple
        By node and part, numbers or arrays over samples.

    Raises
    ------
    ModelError
        If something is not a number, or there are too few or too many.
    """
    named, together = " and ".join(parts), f"({', '.join(parts)})"
    if not callable(value):
        if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != len(parts):
            wanted = f"a function of the arc length that returns {together}, or arrays {together} over {len(places)} nodes"
            raise ModelError(f"{owner}: {key} must be {wanted}", element=owner)
        for part, vectors in zip(parts, value, strict=True):
            count = len(vectors) if isinstance(vectors, (tuple, list, np.ndarray)) else 0
            if count != len(places):
                message = f"{owner}: {key} has {count} vectors of {part}; it must have one for each of its {len(places)} nodes"
                raise ModelError(message, element=owner)
    found = []
    for k, s in enumerate(places):
        vectors = value(s) if callable(value) else [part[k] for part in value]
        if not isinstance(vectors, (tuple, list, np.ndarray)) or len(vectors) != len(parts):
            raise ModelError(f"{owner}: {key} gives {vectors!r} at s = {s}; it must give {named}, {together}", element=owner)
        found.append([_vector(owner, f"{part} of {key} at node {k}", x, dimension) for part, x in zip(parts, vectors, strict=True)])
    return found


def _vector(owner, key, value, dimension):
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != dimension:
        raise ModelError(f"{owner}: {key} is {value!r}; it must be {NUMBERS[dimension]} numbers", element=owner)
    return tuple(check_number(owner, key, x) for x in value)


def check_line(owner, key, nodes, length):
    """Refuse positions and slopes of a cable that do not belong together: in an element the chord must be about as long as the slopes.

    Parameters
    ----------
    nodes : list
        From `nodal`.
    length : float or ndarray
        Of an element, m.
    """
    for e, ((r0, a), (r1, b)) in enumerate(pairwise(nodes)):
        chord = [(x - y) / length for x, y in zip(r1, r0, strict=True)]
        size, *slopes = (np.sqrt(sum(x * x for x in v)) for v in (chord, a, b))
        ahead = [sum(x * y for x, y in zip(chord, v, strict=True)) for v in (a, b)]
        mean = 0.5 * (slopes[0] + slopes[1])
        good = (np.minimum(*ahead) > 0.0) & (np.abs(size - mean) < 0.3 * np.maximum(size, mean))
        if not np.all(good):
            i = int(np.argmin(good)) if np.ndim(good) else ()
            chord, mean = (float(np.broadcast_to(x, np.shape(good))[i]) for x in (size, mean))
            raise ModelError(
                f"{owner}: positions and slopes of {key} do not belong together in element {e}: its ends are {chord:.4g} of its length "
                f"apart, and its slopes have the size {mean:.4g} on average",
                element=owner,
                remedy="slopes are derivatives by the arc length of the undeformed cable, of size 1 where it is not stretched; "
                "or take more elements",
            )


def check_triads(owner, key, nodes):
    """Refuse axes of a beam's sections that are not nearly unit vectors at right angles to each other."""
    for k, (_, a, b) in enumerate(nodes):
        products = [sum(x * y for x, y in zip(*pair, strict=True)) for pair in ((a, a), (b, b), (a, b))]
        if np.max(np.abs(np.subtract(np.stack(np.broadcast_arrays(*products)).T, (1.0, 1.0, 0.0)))) > 0.1:
            message = f"{owner}: the axes y and z of {key} at node {k} are not unit vectors at right angles to each other"
            raise ModelError(message, element=owner)
