"""Correlation matrices from pairs of names, and what is said when no such matrix exists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import plain_number
from uqmbd.inputs.names import identifier

Pair = tuple[str, str, float]
LEAST_EIGENVALUE = 1e-8  # below it a correlation matrix is as good as singular


def pairs_of(value: Any) -> tuple[Pair, ...]:
    """``[["a", "b", 0.6], ...]`` checked; raises ValueError."""
    if not isinstance(value, (list, tuple)):
        raise ValueError('correlations are a list of pairs, as in [["a", "b", 0.6]]')
    pairs: dict[frozenset, Pair] = {}
    for entry in value:
        if not isinstance(entry, (list, tuple)) or len(entry) != 3 or not all(isinstance(name, str) for name in entry[:2]):
            raise ValueError(f'a correlation is two names and a number, as in ["a", "b", 0.6], not {entry!r}')
        a, b, number = identifier(entry[0]), identifier(entry[1]), plain_number(entry[2])
        if a == b:
            raise ValueError(f"'{a}' is correlated with itself; name two inputs")
        if abs(number) >= 1:
            raise ValueError(
                f"the correlation of '{a}' and '{b}' is {number:g}, which has to be between -1 and 1 without the ends: "
                "give inputs that are bound to each other as one input, and the relation in the model"
            )
        if frozenset((a, b)) in pairs:
            raise ValueError(f"the correlation of '{a}' and '{b}' is given twice")
        pairs[frozenset((a, b))] = (a, b, number)
    return tuple(pairs.values())


def matrix_of(names: Sequence[str], pairs: Iterable[Pair], key: str) -> np.ndarray:
    """Symmetric matrix (len(names), len(names)) with ones on its diagonal; pairs that are not given are 0."""
    matrix, at = np.eye(len(names)), {name: i for i, name in enumerate(names)}
    for a, b, number in pairs:
        for name in (a, b):
            if name not in at:
                raise StudyError(
                    f"there is no input '{name}' here to be correlated", key=key, remedy=did_you_mean(name, names, noun="input")
                )
        matrix[at[a], at[b]] = matrix[at[b], at[a]] = number
    return matrix


def require_possible(matrix: np.ndarray, names: Sequence[str], key: str, *, backwards=lambda r: r) -> None:
    """Raise `StudyError` when a correlation matrix is not positive definite; it names the pairs and the nearest that are.

    Parameters
    ----------
    backwards : function
        From the entries of the matrix to the numbers that the user writes.
    """
    values, vectors = np.linalg.eigh(matrix)
    if values[0] > LEAST_EIGENVALUE:
        return
    guilty: list[int] = np.flatnonzero(np.abs(vectors[:, 0]) > 0.1 * np.abs(vectors[:, 0]).max()).tolist()
    if len(guilty) < 2:
        guilty = list(range(len(names)))
    near = nearest(matrix)
    pairs = [(i, j) for n, i in enumerate(guilty) for j in guilty[n + 1 :]]
    given = ", ".join(f"{names[i]} and {names[j]} {backwards(matrix[i, j]):.4g}" for i, j in pairs)
    shown = ", ".join(f'["{names[i]}", "{names[j]}", {backwards(near[i, j]):.4f}]' for i, j in pairs)
    raise StudyError(
        f"no quantities can have these correlations at once: {given} (the matrix is not positive definite)",
        key=key,
        remedy=f"the nearest that are possible: {shown}",
    )


def nearest(matrix: np.ndarray, *, steps: int = 1000) -> np.ndarray:
    """The nearest correlation matrix by alternating projections (Higham, IMA J. Numer. Anal. 22 (2002) 329), a little inside."""
    y, correction = matrix.copy(), np.zeros_like(matrix)
    floor = 1e-4
    for _ in range(steps):
        r = y - correction
        values, vectors = np.linalg.eigh(r)
        x = (vectors * np.maximum(values, floor)) @ vectors.T
        correction = x - r
        previous, y = y, x.copy()
        np.fill_diagonal(y, 1.0)
        if np.abs(y - previous).max() < 1e-9:
            break
    scale = np.sqrt(np.diag(x))
    return x / np.outer(scale, scale)
