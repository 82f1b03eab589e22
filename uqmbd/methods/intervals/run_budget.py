"""The runs that a search has asked for: none is worth running twice, nor next to one that failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from uqmbd.analysis.search.populations import COUNT

AGAIN = 4  # times a point is drawn anew that is not worth running


class RunBudget:
    """Points (runs, inputs) in [-1, 1]^inputs in run order, with status (0 until another is known) and population, (runs,) each."""

    def __init__(self, inputs: int) -> None:
        self.points, self.status, self.group = np.empty((0, inputs)), np.empty(0, np.int8), np.empty(0, np.int8)
        self._done: set[tuple[int, bytes]] = set()  # populations and points

    def __len__(self) -> int:
        return len(self.points)

    def add(self, points: np.ndarray, group: np.ndarray) -> None:
        """These points are run now."""
        self.group = np.concatenate([self.group, group]).astype(np.int8)
        self.points = np.concatenate([self.points, points])
        self.status = np.concatenate([self.status, np.zeros(len(points), np.int8)])
        self._done.update(_keys(points, group))

    def worth_running(
        self, points: np.ndarray, group: np.ndarray, joined: bool, again: Callable[[np.ndarray, bool], np.ndarray]
    ) -> np.ndarray:
        """Which of the points (points, inputs) of the populations `group` (points,) to run, after some were drawn anew in place.

        `joined` populations know of each other's runs: until then each has to find a corner by itself. ``again(which, last)`` gives other
        points for those; `last` before no more are drawn.
        """
        failed = self.status != 0
        tree = None
        if failed.any():
            from scipy.spatial import KDTree

            tree = KDTree(self.points)
        for k in range(AGAIN):
            bad = self._known(points, group, joined)
            if tree is not None:
                bad |= failed[tree.query(points)[1]]
            if not bad.any():
                break
            points[bad] = again(bad, k == AGAIN - 1)
        return ~self._known(points, group, joined)

    def _known(self, points: np.ndarray, group: np.ndarray, joined: bool) -> np.ndarray:
        """Which points were run, or stand among them twice."""
        some, own = list(_keys(points, group)), set()
        known = np.array([key in self._done or key in own or own.add(key) is not None for key in some], bool)
        if joined:
            for other in range(1, COUNT):
                known |= np.array([(other, point) in self._done for _, point in some], bool)
        return known


def _keys(points: np.ndarray, group: np.ndarray) -> Iterator[tuple[int, bytes]]:
    """What tells points of populations from each other."""
    whole = np.ascontiguousarray(points).view(f"V{points.shape[1] * points.itemsize}").ravel()
    return zip(group.tolist(), whole.tolist(), strict=True)
