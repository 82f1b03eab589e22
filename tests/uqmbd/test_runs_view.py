"""The files of runs and the view of them: what is read is what was written, and no more of it than is asked for."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.campaign.batches import chunk_length
from uqmbd.campaign.index import Index, hashes
from uqmbd.campaign.opening import lock_store, store_in
from uqmbd.runs import reader
from uqmbd.runs.chunk import Chunk, Column, beginning, decode, file_name, pack, spans_of
from uqmbd.runs.view import RunsBackend

TIME = np.linspace(0.0, 1.0, 5)
COLUMNS = (
    Column("input:a", "float64", 0, "m"), Column("y", "float64"), Column("h", "float32", 5, "N"), Column("status", "int8"),
    Column("message", "str"),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Runs 0 to 29 in chunks of 8; those of one input above 0.9 failed."""
    a = np.random.default_rng(2).random(30)
    with lock_store(tmp_path) as locked:
        store = store_in(locked, {}, COLUMNS, 8, TIME)
        rows = store.allocate(30)
        for begin in (16, 0, 24, 8):
            part = slice(begin, begin + 8)
            status = (a[part] > 0.9).astype(np.int8) * 3
            values = {"input:a": a[part], "y": 2 * a[part], "h": np.outer(a[part], TIME).astype(np.float32), "status": status}
            message = ["too long" if code else "" for code in status]
            store.commit(rows[part], pack({**values, "message": message}, status), "")
        store.describe({"seed": 2})
    return tmp_path / "runs", a


def test_the_view_is_what_was_stored(folder):
    place, a = folder
    runs = xr.open_dataset(place, engine=RunsBackend)
    assert runs.sizes == {"run": 30, "time": 5} and runs.attrs == {"seed": 2}
    assert runs["input:a"].attrs == {"unit": "m"} and runs["h"].dtype == np.float32
    assert np.array_equal(runs["input:a"], a) and np.array_equal(runs["h"], np.outer(a, TIME).astype(np.float32))
    assert np.array_equal(runs["message"] == "too long", a > 0.9) and np.array_equal(runs["time"], TIME)


@pytest.mark.parametrize(
    "key", [slice(None), slice(3, 21, 4), slice(None, None, -1), 7, -1, [9, 2, 2, 29], np.array([-1, 0]), np.arange(30) % 3 == 0, []]
)
@pytest.mark.parametrize("at", [slice(None), 2, slice(1, 4), [4, 0]])
def test_any_selection_is_that_of_the_whole(folder, key, at):
    place, _ = folder
    runs = xr.open_dataset(place, engine=RunsBackend)
    whole = runs["h"].load().values
    lazy = xr.open_dataset(place, engine=RunsBackend)["h"].isel(run=key, time=at)
    positions = np.arange(30)[np.asarray(key, int) if isinstance(key, list) else key]
    expected = whole[positions][..., at]
    assert lazy.shape == expected.shape and np.array_equal(lazy.values, expected)


def test_only_what_is_asked_for_is_read(folder, monkeypatch):
    place, _ = folder
    read = []
    monkeypatch.setattr(reader, "decode", lambda entry, data: read.append(entry) or decode(entry, data))
    runs = xr.open_dataset(place, engine=RunsBackend)
    assert read == []
    runs["y"].isel(run=slice(4, 12)).load()
    assert [entry[4] for entry in read] == [[8], [8]]


def test_dask_reads_it_in_chunks(folder):
    place, a = folder
    runs = xr.open_dataset(place, engine=RunsBackend, chunks={"run": 7})
    assert runs["y"].chunks == ((7, 7, 7, 7, 2),) and float(runs["y"].sum()) == pytest.approx(2 * a.sum(), rel=1e-14)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_chunk_is_read_as_it_was_packed_and_no_damage_passes(data):
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, 10**9), min_size=1, max_size=20))))
    n = len(rows)
    values = np.array(data.draw(st.lists(st.floats(width=64), min_size=n, max_size=n)))
    texts = data.draw(st.lists(st.text(max_size=5), min_size=n, max_size=n))
    status = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int8)
    partial = {"sum": np.zeros((2, 0)), "count": np.array(7)}
    blocks = pack({"y": values, "status": status, "message": texts}, status, partial)
    head = {"of": "x", "tag": "", "timeout": None, "seconds": 0.0, "rows": spans_of(rows), "counts": blocks.counts, "blocks": blocks.table}
    before = beginning(head)
    file = before + blocks.data.tobytes()
    chunk = Chunk.read(file_name(int(rows[0]), 2), file, len(file))
    assert chunk.order == (2, rows[0]) and chunk.runs == n and np.array_equal(chunk.places(rows), np.arange(n))
    found = {name: decode(entry, file[chunk.base + entry[0] :][: entry[1]]) for name, entry in chunk.head["blocks"].items()}
    assert found["y"].tobytes() == values.tobytes() and np.array_equal(found["status"], status)
    assert found["message"].tolist() == texts if "message" in found else not any(texts)
    assert found["partial:sum"].shape == (2, 0) and found["partial:count"] == 7
    at, bit = data.draw(st.integers(0, len(file) - 1)), data.draw(st.integers(0, 7))
    hurt = file[:at] + bytes([file[at] ^ 1 << bit]) + file[at + 1 :]
    other = Chunk.read("000000000000-2.runs", hurt, len(hurt))
    if other is not None:
        parts = [decode(entry, hurt[other.base + entry[0] :][: entry[1]]) for entry in other.head["blocks"].values()]
        assert any(part is None for part in parts)


@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=30), max_size=6), st.lists(st.integers(0, 40), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_the_index_finds_the_lowest_row_and_knows_where_there_are_several(parts, wanted):
    index, known, row = Index(), {}, 0
    for part in parts:
        keys = hashes({"a": np.array(part, float)}, ["a"])
        index.add(keys, np.arange(row, row + len(part)))
        for value in part:
            known.setdefault(value, []).append(row)
            row += 1
    keys = hashes({"a": np.array(wanted, float)}, ["a"])
    rows, several = index.find(keys)
    assert rows.tolist() == [known.get(value, [-1])[0] for value in wanted]
    assert several.tolist() == [len(known.get(value, [])) > 1 for value in wanted]
    assert all(index.all_of(key).tolist() == known.get(value, []) for key, value in zip(keys, wanted, strict=True))


def test_hashes_are_the_same_everywhere_and_tell_near_inputs_apart():
    a = np.array([0.0, -0.0, 1.0, np.nextafter(1.0, 2.0), 1e-300])
    found = hashes({"a": a, "b": a[::-1]}, ["a", "b"])
    assert len(set(hashes({"a": a}, ["a"]).tolist())) == 4 and len(set(found.tolist())) == 5
    many = np.random.default_rng(0).random((2, 200_000))
    assert len(np.unique(hashes({"a": many[0], "b": many[1]}, ["a", "b"]))) == 200_000


@pytest.mark.parametrize(
    ("runs", "size", "length"),
    [(10**6, 100, 4096), (10**7, 100, 65536), (10**9, 100, 65536), (10**6, 27_000, 1232), (100, 100, 16), (10**6, 10**9, 1)],
)
def test_chunks_are_few_and_not_too_large(runs, size, length):
    assert chunk_length(runs, 16, None, size) == length and chunk_length(runs, 16, 7, size) == min(7, length)
