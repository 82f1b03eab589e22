"""Job arrays without a cluster: shards, in one folder or in several that are merged, are one run."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.study.shards import run_shard

INTERVALS = (
    ('distribution = { type = "uniform", lower = 9.0, upper = 11.0 }', "interval = [9.0, 11.0]"),
    ('distribution = { type = "uniform", lower = 0.1, upper = 0.2 }', "interval = [0.1, 0.2]"),
    ('type = "montecarlo"\nsamples = 40', 'type = "chebyshev"\ndegree = 3\ntrust_tolerance = 1e-9\nfallback_runs = 41'),
)
SMALL = ("workers = 0", "workers = 0\nbatch = 8")
KINDS = {"all": (SMALL,), "scalars": (SMALL, ("seed = 3", 'seed = 3\nstore = "scalars"')), "chebyshev": (SMALL, *INTERVALS)}


def numbers(directory) -> dict[str, bytes]:
    result = uq.open_results(directory)
    groups = {f"{key}/{name}": group[name].values.tobytes() for key, group in result.groups() for name in group.data_vars}
    return groups | {name: result.runs[name].values.tobytes() for name in result.runs.data_vars if name != "message"}


@pytest.mark.parametrize("kind", KINDS)
def test_shards_in_one_folder_are_one_run(kind, write_study, uqmbd, tmp_path):
    study = write_study(*KINDS[kind])
    assert uqmbd("run", study, "--out", "whole")[0] == 0
    for part in (3, 1, 2):
        code, said = uqmbd("run", study, "--out", "r", "--shard", f"{part}/3")
        assert code == 0 and f"shard {part}/3" in said and "uqmbd resume r" in said
        assert not (tmp_path / "r" / "done.json").exists()
    code, said = uqmbd("resume", "r")
    assert code == 0, said
    if kind != "chebyshev":  # which asks again for what it does not know before
        assert "40 runs (0 simulated, 40 were there)" in said
    assert numbers(tmp_path / "r") == numbers(tmp_path / "whole")


@pytest.mark.parametrize("kind", KINDS)
def test_shards_in_folders_of_their_own_are_merged(kind, write_study, uqmbd, tmp_path):
    study = write_study(*KINDS[kind])
    assert uqmbd("run", study, "--out", "whole")[0] == 0
    for part in (1, 2, 3):
        assert uqmbd("run", study, "--out", f"r{part}", "--shard", f"{part}/3")[0] == 0
    code, said = uqmbd("merge", "r", "r2", "r3", "r1")
    assert code == 0 and "runs added" in said
    assert "0 runs added" in uqmbd("merge", "r", "r1")[1]
    code, said = uqmbd("resume", "r")
    assert code == 0, said
    assert numbers(tmp_path / "r") == numbers(tmp_path / "whole")


def test_a_method_that_adapts_goes_round_by_round(write_study, uqmbd, tmp_path):
    study = write_study(*KINDS["chebyshev"])
    assert uqmbd("run", study, "--out", "whole")[0] == 0
    found = uq.Study.from_file(study)
    for _ in range(10):
        done = [run_shard(found, f"{part}/2", out=tmp_path / "r") for part in (1, 2)]
        if all(" 0 runs done" in said for said in done):
            break
    code, said = uqmbd("resume", "r")
    assert code == 0 and "(0 simulated" in said.replace("(1 simulated", "(0 simulated")
    assert numbers(tmp_path / "r") == numbers(tmp_path / "whole")


def test_runs_of_other_samples_are_added_behind(write_study, uqmbd, tmp_path):
    study = write_study(SMALL)
    assert uqmbd("run", study, "--out", "a")[0] == 0
    other = write_study(SMALL, ("seed = 3", "seed = 4"), name="other.toml")
    assert uqmbd("run", other, "--out", "b")[0] == 0
    assert "40 runs added" in uqmbd("merge", "a", "b")[1]
    assert "(0 simulated, 40 were there)" in uqmbd("run", study, "--out", "a")[1]
    code, said = uqmbd("run", other, "--out", "a")
    assert code == 0 and "(0 simulated, 40 were there)" in said
    first, second = (uq.open_results(tmp_path / name).runs for name in "ab")
    assert np.array_equal(first["x"], second["x"])


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0"])
def test_what_is_no_shard(text, write_study, uqmbd):
    code, said = uqmbd("run", write_study(), "--shard", text)
    assert code == 2 and "K/N" in said


def test_runs_of_another_model_are_not_merged(write_study, uqmbd):
    assert uqmbd("run", write_study(), "--out", "a")[0] == 0
    assert uqmbd("run", write_study(("points = 21", "points = 31")), "--out", "b")[0] == 0
    code, said = uqmbd("merge", "a", "b")
    assert code == 2 and "another study" in said and "time" in said and "remedy: merge results of one model" in said
