"""Where in the box of the inputs runs fail, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

DEPTH = 3  # conditions in a sentence


def failing_region(points: np.ndarray, failed: np.ndarray) -> list[tuple[int, float, bool]]:
    """Conditions that single out most failed runs: the path to one leaf of a small decision tree (CART); none where nothing tells apart.

    The leaf is the one that best separates: the largest share of the failures less the share of the other runs in it. A condition is the
    number of an input, a threshold, and whether runs above (True) or below it fail; the tightest of several on one side of one input. Of
    `points` (runs, inputs) that `failed` (runs,).
    """
    from sklearn.tree import DecisionTreeClassifier

    failed = np.asarray(failed, bool)
    if failed.all() or not failed.any():
        return []
    least = max(1, int(0.2 * failed.sum()))
    grown = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=least, class_weight="balanced", random_state=0)
    tree = grown.fit(points, failed).tree_
    leaf_of = grown.apply(points)
    gain = {leaf: (leaf_of[failed] == leaf).mean() - (leaf_of[~failed] == leaf).mean() for leaf in np.unique(leaf_of)}
    best = max(gain, key=gain.__getitem__)
    path: dict[tuple[int, bool], float] = {}
    children = zip(tree.children_left, tree.children_right)
    parents = {int(child): parent for parent, pair in enumerate(children) for child in pair if child >= 0}
    node = int(best)
    while node in parents:
        above = node == tree.children_right[parents[node]]
        node = parents[node]
        path.setdefault((int(tree.feature[node]), bool(above)), float(tree.threshold[node]))  # the deepest is the tightest
    return [(i, threshold, above) for (i, above), threshold in sorted(path.items())]


def in_words(
    conditions: Sequence[tuple[int, float, bool]],
    names: Sequence[str],
    units: Sequence[str],
    labels: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """``clearance > 0.42 mm and friction < 0.015``; the thresholds are in these units. Of inputs with `labels`: ``law is hertz``."""
    parts: dict[str, None] = {}
    for i, threshold, above in conditions:
        if known := (labels or {}).get(names[i]):
            ends = [(limit, up) for k, limit, up in conditions if k == i]
            left = [label for place, label in enumerate(known) if all((place > limit) == up for limit, up in ends)]
            parts[f"{names[i]} is {' or '.join(left)}"] = None
        else:
            parts[f"{names[i]} {'>' if above else '<'} {threshold:.3g} {units[i]}".rstrip()] = None
    return " and ".join(parts)
