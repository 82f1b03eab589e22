"""Where runs ended, as bytes: plain data (numbers, text, arrays, lists and dicts of these), no code, so that opening it is safe."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from uqmbd.errors import StudyError

ENDS, DATA = "state:end", "state:data"  # blocks of a chunk: where each run's bytes end, and all bytes
ARRAY = "array"  # marks a place in the text for which an array stands


def encoded(state: Any) -> bytes:
    """A state as bytes: length of the text, the text (JSON), the arrays; none where it is None; `StudyError` if it is no plain data."""
    if state is None:
        return b""
    arrays: list[np.ndarray] = []

    def said(value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            arrays.append(np.ascontiguousarray(value))
            return {ARRAY: [arrays[-1].dtype.str, list(value.shape)]}
        if isinstance(value, Mapping):
            return {"dict": [[str(key), said(each)] for key, each in value.items()]}
        if isinstance(value, (list, tuple)):
            return [said(each) for each in value]
        remedy = "let it be numbers, text, arrays of numbers, and lists and dicts of these"
        raise StudyError(f"the state of a run holds {type(value).__name__}, which cannot be kept", key="study.model", remedy=remedy)

    text = json.dumps(said(state)).encode()
    return b"".join([struct.pack("<I", len(text)), text, *(array.tobytes() for array in arrays)])


def decoded(data: bytes) -> Any:
    """The state of these bytes; a tuple comes back as a list."""
    if not data:
        return None
    at = 4 + struct.unpack_from("<I", data)[0]

    def value(said: Any) -> Any:
        nonlocal at
        if isinstance(said, list):
            return [value(each) for each in said]
        if not isinstance(said, dict):
            return said
        if ARRAY in said:
            kind, shape = np.dtype(said[ARRAY][0]), said[ARRAY][1]
            array = np.frombuffer(data, kind, int(np.prod(shape, dtype=np.int64)), at).reshape(shape).copy()
            at += array.nbytes
            return array
        return {key: value(each) for key, each in said["dict"]}

    return value(json.loads(data[4:at]))


def blocks_of(states: Sequence[bytes]) -> dict[str, np.ndarray]:
    """Blocks of a chunk that hold the states of its runs."""
    return {ENDS: np.cumsum([len(state) for state in states], dtype=np.int64), DATA: np.frombuffer(b"".join(states), np.uint8)}


def states_at(blocks: Mapping[str, np.ndarray], places: np.ndarray) -> list[bytes]:
    """States of some of the runs of a chunk."""
    ends, data = blocks[ENDS], blocks[DATA]
    starts = np.concatenate([[0], ends[:-1]])
    return [data[starts[i] : ends[i]].tobytes() for i in places.tolist()]
