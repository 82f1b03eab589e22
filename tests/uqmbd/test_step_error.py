"""The error of a fixed step in time: found by halving it in a few runs of a study."""

import shutil

import numpy as np
import pytest

import uqmbd as uq

from .campaigns import assert_identical, numbers
from .method_gallery import BOX, TIME, UNIFORM
from .stepping_solver import Solver

GRID = uq.TimeGrid(end=float(TIME[-1]), points=len(TIME))


def ran(out, method=None, inputs=BOX, *, workers=0, campaign=None, outputs=("s", "h"), **settings):
    method = method or uq.Chebyshev(degree=4)
    how = {"outputs": list(outputs), "time": GRID, "solver": settings, "campaign": campaign or {}, "name": "steps"}
    return uq.Study(simulator=Solver, inputs=inputs, method=method, **how).run(workers=workers, out=out, progress=False, report=False)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_the_error_of_the_step_is_that_of_a_scheme_of_its_order(order, tmp_path):
    result = ran(tmp_path, step=0.5, order=order, slope=1e-6)
    made = 1e-6 * 0.5**order  # times the second input, which is 1 at most
    assert float(result.step_error["s"]) == pytest.approx(made, rel=0.05) and result.step_error["s"].attrs["unit"] == "m"
    assert result.step_error["h"].shape == (len(TIME),) and np.allclose(result.step_error["h"], made, rtol=0.05)
    assert float(result.error["s"]) >= float(result.step_error["s"])
    assert bool(result.trusted["s"]) and bool(result.trusted["h"].all())
    (said,) = [note for note in result.facts.notes if "step of" in note]
    assert (
        said.startswith("step of 500 ms: error of the step up to ") and f"in {result.attrs['step_error_runs']} runs with half of it" in said
    )


@pytest.mark.parametrize(
    "method, inputs",
    [
        (uq.Chebyshev(degree=4), BOX),
        (uq.Search(max_runs=480, fresh=120), BOX),
        (uq.Vertex(), BOX),
        (uq.MonteCarlo(samples=40), UNIFORM),
        (uq.PCE(samples=40, max_degree=4), UNIFORM),
        (uq.Sensitivity(approach="sobol", samples=32, resamples=10), UNIFORM),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_step_that_is_too_long_takes_the_trust_from_every_method(method, inputs, tmp_path):
    short, long = (ran(tmp_path / name, method, inputs, step=0.01, slope=slope) for name, slope in (("a", 1e-9), ("b", 500.0)))
    assert "s" not in short.trusted or bool(short.trusted["s"])
    assert not bool(long.trusted["s"]) and float(long.error["s"]) > 1.0
    assert "the error of the step of 10 ms exceeds the tolerance" in long.trusted["s"].attrs["why"]


def test_a_run_that_reached_a_bound_is_among_those_made_again(tmp_path):
    result = ran(tmp_path, uq.Search(max_runs=480, fresh=120), step=0.1, slope=1e-3)
    assert float(result.step_error["s"]) == pytest.approx(1e-4, rel=1e-6)  # the second input is 1 there, and nowhere else


def test_an_output_whose_difference_does_not_shrink_is_not_trusted(tmp_path):
    result = ran(tmp_path, step=0.125, slope=1e-6, rough=["h"])
    assert not result.trusted["h"].any() and bool(result.trusted["s"])
    (said,) = [note for note in result.facts.notes if "step of" in note]
    assert "that of h is not known where it is not trusted: there runs differ as much when the step is halved again" in said


def test_a_step_whose_half_fails_leaves_the_error_unknown(tmp_path):
    result = ran(tmp_path, step=0.1, breaks_below=0.09)
    assert not bool(result.trusted["s"]) and any("its error is not known, since all" in note for note in result.facts.notes)


def test_without_a_fixed_step_nothing_is_made_again(tmp_path):
    result = ran(tmp_path)
    assert not result.step_error.data_vars and not any("step" in note for note in result.facts.notes)


@pytest.mark.parametrize("campaign", [{}, {"store": "scalars"}, {"precision": "float32"}], ids=["all", "scalars", "float32"])
def test_a_study_that_is_gone_on_with_finds_the_same_error(campaign, tmp_path):
    method = uq.MonteCarlo(samples=60)
    ran(tmp_path, method, UNIFORM, campaign=campaign, step=0.1, slope=1e-3)
    before = numbers(tmp_path)
    shutil.rmtree(tmp_path / "result.zarr")
    (tmp_path / "done.json").unlink()
    again = ran(tmp_path, method, UNIFORM, campaign=campaign, step=0.1, slope=1e-3)
    assert again.attrs["runs_simulated_last"] == 0 and "step_error/h" in before
    assert_identical(before, numbers(tmp_path))


def test_workers_make_the_runs_again_as_this_process_does(tmp_path):
    here, there = (ran(tmp_path / str(n), workers=n, step=0.1, slope=1e-3) for n in (0, 1))
    assert here.step_error.equals(there.step_error) and here.trusted.equals(there.trusted)


@pytest.mark.report
def test_tables_and_page_have_the_error_of_the_step(tmp_path):
    from uqmbd.report import write_report
    from uqmbd.tables.text import outputs_table

    result = ran(tmp_path, step=0.1, slope=1e-3)
    table = outputs_table(result)
    assert table.rows[0][table.header.index("step error")] == f"{float(result.step_error['s']):.2g}"
    assert "step_error" in result.table().columns and "step_error" in result.history("h").columns
    write_report(result, tmp_path)
    assert "error of the step up to" in (tmp_path / "report.html").read_text(encoding="utf-8").lower()
