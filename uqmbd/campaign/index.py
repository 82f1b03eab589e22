"""Runs found by their inputs: 64-bit hashes in sorted arrays, 16 bytes a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

NO_ROW = np.iinfo(np.int64).max
ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def hashes(samples: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """A number (n,) uint64 of each run's inputs, by their bits (adding zero makes -0.0 and 0.0 the same).

    Each input's bits are mixed into what the inputs before it gave, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014, Fast
    splittable pseudorandom number generators, OOPSLA).
    """
    keys = np.zeros(len(samples[names[0]]), np.uint64)
    for name in names:
        keys += (np.asarray(samples[name], np.float64) + 0.0).view(np.uint64)
        keys += ODD[0]
        keys ^= keys >> np.uint64(30)
        keys *= ODD[1]
        keys ^= keys >> np.uint64(27)
        keys *= ODD[2]
        keys ^= keys >> np.uint64(31)
    return keys


def with_extras(keys: np.ndarray, samples: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Numbers of runs in which further columns count too: where a run has none of them (NaN, or 0 of a key), as without."""
    for name in names:
        values = samples[name]
        there = values != 0 if values.dtype.kind == "u" else ~np.isnan(values)
        bits = values if values.dtype.kind == "u" else (values + 0.0).view(np.uint64)
        parts = {"keys": (keys ^ np.uint64(crc32(name.encode()))).view(np.float64), "bits": bits.view(np.float64)}
        with np.errstate(invalid="ignore"):  # any bits, those of a signalling NaN too
            mixed = hashes(parts, ("keys", "bits"))
        keys = np.where(there, mixed, keys)
    return keys


def same(samples: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Which runs (n,) have the same inputs; a NaN is no input."""
    return np.all([np.asarray(samples[name]) == others[name] for name in names], axis=0)


def same_extras(samples: Mapping[str, np.ndarray], others: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    """Which runs (n,) have the same further columns; NaN stands for none."""
    pairs = [(samples[name], others[name]) for name in names]
    return np.all([(a == b) | ((a != a) & (b != b)) for a, b in pairs], axis=0) if pairs else np.array(True)


@dataclass
class Sorted:
    """Rows by hash; equal hashes in the order of their rows."""

    keys: np.ndarray  # uint64, sorted
    rows: np.ndarray  # int64

    @classmethod
    def of(cls, keys: np.ndarray, rows: np.ndarray) -> Sorted:
        """From runs in any order."""
        order = np.argsort(keys)  # several times faster than a stable sort
        keys, rows = keys[order], rows[order]
        twice = keys[1:] == keys[:-1]
        if (twice & (rows[1:] < rows[:-1])).any():
            order = np.lexsort((rows, keys))
            keys, rows = keys[order], rows[order]
        return cls(keys, rows)

    def all_of(self, key: np.uint64) -> np.ndarray:
        """The rows of a hash, rising."""
        return self.rows[slice(*(int(np.searchsorted(self.keys, key, side)) for side in ("left", "right")))]

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lowest row (n,) of each hash, a number above all rows where there is none; and which of them have several rows."""
        rows, last = np.full(len(keys), NO_ROW), len(self.keys) - 1
        order = np.argsort(keys)  # what is looked for in order is found faster
        at = np.empty(len(keys), np.int64)
        at[order] = np.searchsorted(self.keys, keys[order])
        there = self.keys[np.minimum(at, last)] == keys
        rows[there] = self.rows[at[there]]
        return rows, there & (at < last) & (self.keys[np.minimum(at + 1, last)] == keys)


class Index:
    """Rows by hash, in sorted parts each of which is more than twice as long as the next: of `n` runs, log n parts.

    What is added is merged with the parts that are not (as a log-structured merge tree does it; O'Neil, Cheng, Gawlick and O'Neil 1996,
    Acta Informatica 33), so that `n` runs are sorted log n times in all, however few come at once.
    """

    def __init__(self) -> None:
        self.parts: list[Sorted] = []

    def add(self, keys: np.ndarray, rows: np.ndarray) -> None:
        """Take in runs."""
        while self.parts and len(self.parts[-1].keys) <= 2 * len(keys):
            part = self.parts.pop()
            keys, rows = np.concatenate([part.keys, keys]), np.concatenate([part.rows, rows])
        if len(keys):
            self.parts.append(Sorted.of(keys, rows))

    def all_of(self, key: np.uint64) -> np.ndarray:
        """The rows of a hash, rising."""
        return np.sort(np.concatenate([np.empty(0, np.int64), *(part.all_of(key) for part in self.parts)]))

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lowest row (n,) of each hash, -1 where there is none; and which of them have several rows."""
        rows, several = np.full(len(keys), NO_ROW), np.zeros(len(keys), bool)
        for part in self.parts:
            lowest, more = part.find(keys)
            several |= more | ((lowest < NO_ROW) & (rows < NO_ROW))
            rows = np.minimum(rows, lowest)
        rows[rows == NO_ROW] = -1
        return rows, several
