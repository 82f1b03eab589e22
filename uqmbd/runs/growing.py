"""Arrays that grow at their end without being copied each time."""

from __future__ import annotations

import numpy as np


class Growing:
    """Rows, from the `first` ones on, that are added to: the room doubles when it is full, so each is copied about once in all."""

    def __init__(self, first: np.ndarray) -> None:
        self._room = first
        self.count = len(first)  # rows that are there
        self.copied = 0  # rows that were copied so far because there was no more room

    @property
    def rows(self) -> np.ndarray:
        """All rows, a view (count, ...), which holds until some are added."""
        return self._room[: self.count]

    def add(self, more: np.ndarray) -> np.ndarray:
        """Add rows; all of them."""
        return self._grown(len(more), more)

    def fill(self, more: int, value: float | np.ndarray) -> np.ndarray:
        """Add so many rows of one value, or of one each; all of them."""
        return self._grown(more, value)

    def _grown(self, more: int, values: np.ndarray | float | bool) -> np.ndarray:
        wanted = self.count + more
        if wanted > len(self._room):
            room = np.empty((wanted if not self.count else max(wanted, 2 * len(self._room)), *self._room.shape[1:]), self._room.dtype)
            room[: self.count] = self.rows
            self.copied += self.count
            self._room = room
        self._room[self.count : wanted] = values
        self.count = wanted
        return self.rows
