"""Many small asks: what they cost grows with their number, their runs share files, and no kill loses what was told."""

import numpy as np
import pytest
import xarray as xr

import uqmbd as uq
from uqmbd.campaign import merging, store
from uqmbd.campaign.batches import Shard
from uqmbd.campaign.campaign import Campaign
from uqmbd.campaign.index import Index
from uqmbd.campaign.opening import lock_store, store_in
from uqmbd.campaign.pool import open_pool
from uqmbd.inputs.space import Space
from uqmbd.methods.staged import FixedSampler
from uqmbd.outcomes import OutputInfo
from uqmbd.runs.growing import Growing
from uqmbd.runs.storage import Folder
from uqmbd.runs.view import RunsBackend
from uqmbd.sealing import sealed, unsealed

from .campaigns import chunks
from .test_campaign_run import COLUMNS, Asks, Double, go

ASKS = [np.random.default_rng(k).random(3) for k in range(12)]


class Killed(BaseException):
    """What comes from outside at any moment."""


@pytest.fixture
def few(monkeypatch):
    """Files are shared from the third on, instead of from the 129th."""
    for module in (store, merging):
        monkeypatch.setattr(module, "FILES", 2)


@pytest.fixture
def unmerged(few, tmp_path, monkeypatch):
    """A store whose campaign was killed just before its chunks were merged."""
    with monkeypatch.context() as patch:
        patch.setattr("uqmbd.campaign.campaign.merge_small", lambda store: None)
        _, whole, told = go(tmp_path, *ASKS)
    assert len(chunks(tmp_path)) == 2
    return tmp_path, whole, told


def test_rows_are_copied_about_once_however_few_come_at_once():
    grown = Growing(np.empty((0, 2)))
    for k in range(1000):
        grown.add(np.full((3, 2), k))
    assert np.array_equal(grown.rows[:, 0], np.repeat(np.arange(1000), 3)) and grown.copied < 2 * 3000
    before = grown.rows
    grown.fill(1, np.nan)
    assert len(before) == 3000 and np.isnan(grown.rows[-1]).all()


def test_a_method_copies_what_it_is_told_about_once():
    class Run(FixedSampler):
        def _plan(self):
            yield from (np.zeros((8, 1)) for _ in range(500))

    run = Run(None, Space.of({"a": uq.Interval(0.0, 1.0)}), {"y": OutputInfo("", None)}, np.zeros(0), 0)
    while (samples := run.ask()) is not None:
        run.tell(samples, {"y": np.ones(8)}, np.zeros(8, np.int8))
    assert run.values.sum() == 4000
    for grown in (run._kept_values, run._kept_status, run._kept_points):
        assert grown.copied < 2 * 4000


def test_an_index_sorts_each_run_a_few_times_and_finds_the_lowest_row():
    index, rng = Index(), np.random.default_rng(1)
    keys = rng.integers(0, 300, 1000).astype(np.uint64)
    for k in range(0, 1000, 4):
        index.add(keys[k : k + 4], np.arange(k, k + 4))
        assert sum(len(part.keys) for part in index.parts) == k + 4 and len(index.parts) <= 10
    rows, several = index.find(np.arange(301, dtype=np.uint64))
    for key in range(301):
        all_rows = np.flatnonzero(keys == key)
        assert rows[key] == (all_rows[0] if len(all_rows) else -1) and several[key] == (len(all_rows) > 1)
        assert np.array_equal(index.all_of(np.uint64(key)), all_rows)


def test_many_small_asks_make_few_files(tmp_path):
    asks = [np.random.default_rng(k).random(2) for k in range(300)]
    tally, runs, told = go(tmp_path, *asks)
    assert tally.simulated == 600 and len(chunks(tmp_path)) == 1, "merged"
    assert np.array_equal(runs["input:a"], np.concatenate(asks)) and np.array_equal(runs["y"], 2 * np.concatenate(asks))
    again, _, told_again = go(tmp_path, *asks)
    assert again.simulated == 0 and again.progress == tally.progress, "and a method hears of the same seconds"
    assert all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))


def test_what_is_told_again_is_read_about_once(few, tmp_path, monkeypatch):
    go(tmp_path, *ASKS)
    read, count = Folder.read, []
    monkeypatch.setattr(Folder, "read", lambda self, name, *at: count.append(name) or read(self, name, *at))
    assert go(tmp_path, *ASKS)[0].simulated == 0
    assert sum(name.endswith(".runs") for name in count) <= 8, "of 12 asks: a head, inputs, what is told; then all columns"


def test_a_shared_file_cut_anywhere_loses_the_runs_behind_the_cut_alone(unmerged):
    folder, whole, told = unmerged
    shared = max(chunks(folder), key=lambda file: file.stat().st_size)
    data, lost = shared.read_bytes(), []
    for size in (*np.linspace(600, len(data) - 1, 7).astype(int).tolist(), len(data)):
        shared.write_bytes(data[:size])
        with lock_store(folder) as locked:
            opened = store_in(locked, {}, COLUMNS, 4, None)
            assert size == len(data) or not opened.damaged or "as after a kill" in opened.damaged[0]
            lost.append(36 - len(opened.rows))
            shared_now = shared.read_bytes()
            assert data.startswith(shared_now) and len(shared_now) <= size
    assert lost == sorted(lost, reverse=True) and lost[-1] == 0 and lost[0] > 20
    for size in (1000, len(data) - 5):
        shared.write_bytes(data[:size])
        tally, again, told_again = go(folder, *ASKS)
        assert tally.simulated > 0 and again.identical(whole)
        assert all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))
        for file in chunks(folder):
            file.unlink()
        shared.write_bytes(data)


@pytest.mark.parametrize("at", ["head", "block"])
def test_damage_within_a_shared_file_loses_one_chunk(at, unmerged):
    folder, whole, told = unmerged
    shared = max(chunks(folder), key=lambda file: file.stat().st_size)
    with lock_store(folder) as locked:
        opened = store_in(locked, {}, COLUMNS, 4, None)
        chunk = [chunk for chunk in opened.chunks if chunk.name == shared.name][4]
    data = bytearray(shared.read_bytes())
    data[(chunk.start + 30) if at == "head" else chunk.end - 3] ^= 0xFF
    shared.write_bytes(data)
    with lock_store(folder) as locked:
        opened = store_in(locked, {}, COLUMNS, 4, None)
        if at == "block":
            assert opened.drop_damaged()
        assert len(opened.rows) == 33 and shared.name in opened.damaged[0]
    tally, again, told_again = go(folder, *ASKS)
    assert tally.simulated == 3 and again.identical(whole)
    assert all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))


@pytest.mark.parametrize("moment", ["put", "remove"])
def test_a_kill_while_chunks_are_merged_loses_nothing(moment, unmerged, monkeypatch):
    folder, whole, told = unmerged

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Folder, moment, killed)
        go(folder, *ASKS)
    tally, again, told_again = go(folder, *ASKS)
    assert tally.simulated == 0 and again.identical(whole) and len(chunks(folder)) == 1
    assert all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))


@pytest.mark.parametrize("batches", range(1, 14, 3))
def test_a_kill_after_any_batch_changes_nothing(batches, few, tmp_path, monkeypatch):
    _, whole, told = go(tmp_path / "whole", *ASKS)
    commit, kept = store.RunStore.commit, []

    def counted(self, rows, *about):
        commit(self, rows, *about)
        kept.append(len(rows))
        if len(kept) == batches:
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(store.RunStore, "commit", counted)
        go(tmp_path / "r", *ASKS)
    tally, again, told_again = go(tmp_path / "r", *ASKS)
    assert tally.simulated == 36 - sum(kept)
    assert again.identical(whole) and all(np.array_equal(*pair) for pair in zip(told, told_again, strict=True))


def test_where_files_cannot_be_added_to_they_are_merged_in_the_end(few, tmp_path, monkeypatch):
    monkeypatch.setattr(Folder, "appends", False)
    assert go(tmp_path, *ASKS)[0].simulated == 36 and len(chunks(tmp_path)) == 1


def test_a_store_of_format_3_is_gone_on_with_as_one_of_4(few, tmp_path):
    """An earlier version would take shared files for damaged ones: the format is there before the first of them."""
    go(tmp_path, *ASKS[:2])
    head = tmp_path / "runs" / "head.json"
    header = unsealed(head.read_bytes())[0]
    assert header["format"] == 4
    head.write_bytes(sealed({**header, "format": 3}))
    assert xr.open_dataset(tmp_path / "runs", engine=RunsBackend).sizes["run"] == 6
    tally, runs, _ = go(tmp_path, *ASKS)
    assert tally.simulated == 30 and runs.sizes["run"] == 36 and unsealed(head.read_bytes())[0]["format"] == 4


def test_shards_merge_nothing(few, tmp_path):
    for part in (1, 2):
        with open_pool(0) as pool, lock_store(tmp_path, shared=True) as locked:
            opened = store_in(locked, {}, COLUMNS, 1, None)
            Campaign(Asks(np.arange(12.0)), opened, Double, lambda: pool, {"y": ()}, "float64", batch=1, shard=Shard(part, 2)).run()
    assert len(chunks(tmp_path)) > 2
    assert go(tmp_path, np.arange(12.0))[0].simulated == 0


def test_a_result_that_is_used_again_reads_no_run_and_no_head(write_study, tmp_path, monkeypatch):
    study = uq.Study.from_file(write_study())
    study.run(out=tmp_path / "r", report=False)
    count = []
    for what in ("read", "beginnings"):
        call = getattr(Folder, what)
        monkeypatch.setattr(Folder, what, lambda self, name, *at, call=call: count.append(name) or call(self, name, *at))
    study.run(out=tmp_path / "r", report=False)
    assert not any(name.endswith(".runs") for names in count for name in ([names] if isinstance(names, str) else names))
