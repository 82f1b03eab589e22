"""Runs that diverged, and outputs that are not what they are called: no method trusts them, and the result says so."""

import io

import numpy as np
import pytest
from rich.console import Console

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.report import terminal_table, write_report
from uqmbd.study.watching import so_far
from uqmbd.tables.trust import trust_of

from .method_gallery import BOX, MOST, NAMED, TIME, UNIFORM
from .stepping_solver import Solver

GRID = uq.TimeGrid(end=float(TIME[-1]), points=len(TIME))


def ran(out, method, inputs, *, outputs=("s", "h"), **settings):
    study = uq.Study(simulator=Solver, inputs=inputs, outputs=list(outputs), method=method, time=GRID, solver=settings, name="doubt")
    return study.run(workers=0, out=out, progress=False, report=False)


def trusted_anywhere(result):
    groups = [result.trusted, result.regions_trusted]
    return any(bool(values.any()) for group in groups for values in group.data_vars.values())


@MOST
def test_no_method_trusts_what_diverged_runs_are_part_of(case, tmp_path):
    outputs = ("s", "t", "h") if case.method.name in ("calibrate", "posterior") else ("s", "h")
    try:
        result = ran(tmp_path, case.with_(max_failed=0.9), case.inputs, outputs=outputs, diverges=0.1)
    except StudyError:
        return  # too few are left for an answer
    if not result.attrs.get("runs_diverged"):
        return
    said = [note for note in result.facts.notes if "diverged" in note]
    counted = f"{result.attrs['runs_diverged']} of {result.attrs['runs']}"
    assert len(said) == 1 and said[0].startswith(f"{counted} runs diverged, the first at {next(iter(case.inputs))} = ")
    assert "the energy balance is open by 3 J at 0.2 s" in said[0]
    assert set(result.trusted) == set(result.outputs) and not trusted_anywhere(result)
    assert result.attrs.get("trusted_share", 0.0) == 0.0
    assert all(float(result.trust_horizon[name]) == 0.0 for name in result.trust_horizon)


@pytest.mark.parametrize("name", ["chebyshev-box", "search-box", "montecarlo-uniform", "pce-uniform", "vertex-box"])
def test_trust_is_what_the_method_says_where_no_run_diverges(name, tmp_path):
    case = NAMED[name]
    result = ran(tmp_path, case.method, case.inputs)
    assert trusted_anywhere(result) == (case.method.name != "montecarlo")
    assert not any("diverged" in note for note in result.facts.notes)


@pytest.mark.report
def test_the_first_diverged_run_is_named_in_the_units_that_were_written(tmp_path):
    inputs = {"a": uq.Interval(1000.0, 2000.0, unit="mm"), "b": uq.Interval(0.0, 1.0)}
    result = ran(tmp_path, uq.Chebyshev(degree=6, max_failed=0.2), inputs, diverges=[1.92, 1.99])
    (said,) = [note for note in result.facts.notes if "diverged" in note]
    first = np.flatnonzero(result.runs["status"].values == 1)[0]
    assert f"a = {1000 * float(result.runs['input:a'][first]):.6g} mm" in said
    write_report(result, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the energy balance is open by 3 J" in page and "runs diverged" in page
    said_on_the_terminal = io.StringIO()
    Console(width=120, file=said_on_the_terminal).print(terminal_table(result, 120))
    assert "runs diverged, the first at a = " in " ".join(said_on_the_terminal.getvalue().split())


def test_parts_of_a_split_box_without_diverged_runs_stay_trusted(tmp_path):
    method = uq.Chebyshev(degree=3, split=True, max_runs=400, trust_tolerance=1e-4, fallback_runs=0, max_failed=0.3)
    result = ran(tmp_path, method, BOX, diverges=[1.95, 1.98])
    leaves = result.leaves["s"]
    lost = np.flatnonzero(result.runs["status"].values == 1)
    points = {name: result.runs[f"input:{name}"].values[lost] for name in "ab"}
    inside = np.ones((leaves.sizes["leaf"], len(lost)), bool)
    for name, x in points.items():
        inside &= (x >= leaves[f"lower:{name}"].values[:, None]) & (x <= leaves[f"upper:{name}"].values[:, None])
    trusted = leaves.sel(part="trusted").values == 1.0
    assert len(lost) and leaves.sizes["leaf"] > 1
    assert not trusted[inside.any(axis=1)].any() and trusted[~inside.any(axis=1)].any()
    sizes = np.prod([leaves[f"upper:{name}"].values - leaves[f"lower:{name}"].values for name in "ab"], axis=0)
    assert result.attrs["trusted_volume"]["s"] == pytest.approx((sizes * trusted).sum() / sizes.sum())
    assert not bool(result.trusted["s"])


@pytest.mark.parametrize(
    "method, inputs", [(uq.Chebyshev(degree=3), BOX), (uq.MonteCarlo(samples=30), UNIFORM)], ids=["intervals", "random"]
)
def test_an_output_that_is_not_what_it_is_called_is_never_trusted(method, inputs, tmp_path):
    result = ran(tmp_path, method, inputs, doubt=["s"])
    assert not bool(result.trusted["s"]) and "s: not trusted, since it is none" in result.facts.notes
    what = "The bounds are" if result.bounds else "The result is"
    assert trust_of(result, "s").sentence() == f"{what} not trusted: it is none."
    assert "h" not in result.trusted or bool(result.trusted["h"].all())
    again = uq.open_results(tmp_path)
    assert not bool(again.trusted["s"]) and again.facts.notes == result.facts.notes


def test_a_study_that_is_gone_on_with_says_the_same(tmp_path):
    first = ran(tmp_path, uq.Chebyshev(degree=4, max_failed=0.5), BOX, diverges=0.05, doubt=["h"])
    for name in ("result.zarr", "done.json"):
        path = tmp_path / name
        path.unlink() if path.is_file() else __import__("shutil").rmtree(path)
    second = ran(tmp_path, uq.Chebyshev(degree=4, max_failed=0.5), BOX, diverges=0.05, doubt=["h"])
    assert second.attrs["runs_simulated_last"] == 0 and second.facts.notes == first.facts.notes
    assert second.trusted.equals(first.trusted)


def test_a_look_at_a_study_that_runs_says_it_too(tmp_path):
    study = uq.Study(
        simulator=Solver,
        inputs=UNIFORM,
        outputs=["s"],
        method=uq.MonteCarlo(samples=60, max_failed=0.5),
        solver={"diverges": 0.2},
        name="d",
        time=GRID,
    )
    study.run(workers=0, out=tmp_path, progress=False, report=False)
    found = so_far(study, tmp_path).result
    assert not bool(found.trusted["s"]) and any("runs diverged, the first at a = " in note for note in found.facts.notes)


def test_the_largest_around_is_that_of_scipy():
    from scipy.ndimage import maximum_filter1d

    from uqmbd.analysis.statistics.trust import largest_around

    values = np.random.default_rng(2).exponential(size=301)
    values[[5, 200]] = np.inf
    for reach in (1, 3, 64, 65):
        assert np.array_equal(largest_around(values, reach), maximum_filter1d(values, 2 * reach + 1, mode="nearest"))
