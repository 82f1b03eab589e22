"""Runs found by their inputs: 64-bit hashes in one sorted array, 16 bytes a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def hashes(samples: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """A number (n,) uint64 of each run's inputs, by their bits (adding zero makes -0.0 and 0.0 the same).

    Each input's bits are mixed into what the inputs before it gave, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014, Fast
    splittable pseudorandom number generators, OOPSLA).
    """
    found = np.zeros(len(samples[names[0]]), np.uint64)
    for name in names:
        found += (np.asarray(samples[name], np.float64) + 0.0).view(np.uint64)
        found += ODD[0]
        found ^= found >> np.uint64(30)
        found *= ODD[1]
        found ^= found >> np.uint64(27)
        found *= ODD[2]
        found ^= found >> np.uint64(31)
    return found


def same(samples: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Which runs (n,) have the same inputs; a NaN is no input."""
    return np.all([np.asarray(samples[name]) == others[name] for name in names], axis=0)


@dataclass
class Index:
    """Rows by hash; equal hashes in the order of their rows.

    Attributes
    ----------
    keys : ndarray of uint64, sorted
    rows : ndarray of int64
    """

    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, keys: np.ndarray, rows: np.ndarray) -> None:
        """Take in runs."""
        few = len(keys) <= len(self.keys)
        if not few:
            keys, rows = np.concatenate([self.keys, keys]), np.concatenate([self.rows, rows])
        order = np.argsort(keys)  # several times faster than a stable sort
        keys, rows = keys[order], rows[order]
        if few:
            at = np.searchsorted(self.keys, keys, "right")
            keys, rows = np.insert(self.keys, at, keys), np.insert(self.rows, at, rows)
        twice = keys[1:] == keys[:-1]
        if (twice & (rows[1:] < rows[:-1])).any():
            order = np.lexsort((rows, keys))
            keys, rows = keys[order], rows[order]
        self.keys, self.rows = keys, rows

    def all_of(self, key: np.uint64) -> np.ndarray:
        """The rows of a hash, rising."""
        return self.rows[slice(*(int(np.searchsorted(self.keys, key, side)) for side in ("left", "right")))]

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lowest row (n,) of each hash, -1 where there is none; and which of them have several rows."""
        rows, last = np.full(len(keys), -1), len(self.keys) - 1
        if last < 0:
            return rows, np.zeros(len(keys), bool)
        order = np.argsort(keys)  # what is looked for in order is found faster
        at = np.empty(len(keys), np.int64)
        at[order] = np.searchsorted(self.keys, keys[order])
        there = self.keys[np.minimum(at, last)] == keys
        rows[there] = self.rows[at[there]]
        return rows, there & (at < last) & (self.keys[np.minimum(at + 1, last)] == keys)
