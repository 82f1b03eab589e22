"""Reynolds' equation: what a grid can resolve, and sentences for bad input."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from flexmbd.errors import ModelError
from flexmbd.lubrication.reynolds import (
    AxialGroove,
    CircumferentialGroove,
    ElrodAdams,
    Grid,
    GridWarning,
    ReynoldsBearing,
    solve_slider,
    two_grids,
)

R, C, L = 0.05, 5e-5, 0.05
STATE = dict(viscosity=0.01, journal_spin=100.0)
BEARING = ReynoldsBearing(R, C, L, cells=(64, 8))


@pytest.mark.parametrize("model", ["gumbel", "reynolds"])
@pytest.mark.parametrize("cells", [(32, 16), (64, 16), (128, 4), (128, 8)], ids=str)
def test_estimate_of_the_grid_against_the_error(model, cells):
    """The estimate is not below 0.8 of the error, for short to long bearings at ratios from 0.1 to 0.95."""
    ratios = np.array([0.1, 0.4, 0.8, 0.9, 0.95])
    for length in (0.2 * R, 2 * R):
        bearing = ReynoldsBearing(R, C, length, cavitation=model)
        exact, _ = two_grids(replace(bearing, cells=(256, 16)), ratios * C, 0.0, **STATE)
        film = replace(bearing, cells=cells).solve(ratios * C, 0.0, warn=False, **STATE)
        error = np.linalg.norm(film.force - exact, axis=1) / np.linalg.norm(exact, axis=1)
        assert np.all(film.grid_error > 0.8 * error), (error, film.grid_error)


def test_two_grids_know_their_error():
    for ratio in (0.3, 0.7):
        exact, _ = two_grids(replace(BEARING, cells=(256, 32), cavitation="gumbel"), ratio * C, 0.0, **STATE)
        force, error = two_grids(replace(BEARING, cavitation="gumbel"), ratio * C, 0.0, **STATE)
        fine = replace(BEARING, cavitation="gumbel").solve(ratio * C, 0.0, **STATE).force
        true = np.linalg.norm(fine - exact) / np.linalg.norm(exact)
        assert 0.7 < error[0] / true < 1.4 and np.linalg.norm(force - exact) < 0.3 * np.linalg.norm(fine - exact)


def test_a_coarse_grid_warns_in_words():
    with pytest.warns(GridWarning, match=r"too coarse for its gradient: with 32 cells along the motion .* wrong by about .*%"):
        replace(BEARING, cells=(32, 8)).solve(0.95 * C, 0.0, **STATE)
    with pytest.warns(GridWarning, match="with 3 cells over half of the width"):
        replace(BEARING, cells=(64, 3)).solve(0.2 * C, 0.0, **STATE)
    with pytest.warns(GridWarning, match="along the motion"):
        solve_slider(lambda x: 1e-5 + 50 * (x - 0.01) ** 2, 0.02, viscosity=0.05, speed=1.0, cells=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        replace(BEARING, cells=(128, 8)).solve(0.95 * C, 0.0, **STATE)


@pytest.mark.parametrize(("build", "words"), [
    (lambda: replace(BEARING, clearance=-1e-5), "clearance is -1e-05; it must be greater than zero"),
    (lambda: replace(BEARING, inlet="open"), "inlet is 'open'; it must be 'widest_gap' or 'periodic'"),
    (lambda: replace(BEARING, sides="shut"), "sides is 'shut'"),
    (lambda: replace(BEARING, cells=(3, 8)), "along is 3; give a whole number of cells, at least 4"),
    (lambda: replace(BEARING, cavitation="jfo"), "cavitation is 'jfo'; it must be one of 'sommerfeld', 'gumbel', 'reynolds'"),
    (lambda: replace(BEARING, cavitation="elrod_adams", pressure_viscosity=1e-8), "incompressible liquid; use cavitation 'giacopini'"),
    (lambda: replace(BEARING, grooves=(AxialGroove(0.0, 0.3, L, 1e5),)), "grooves have their place in the bearing; use inlet 'periodic'"),
    (lambda: replace(BEARING, inlet="periodic", grooves=(AxialGroove(0.0, 0.3, 2 * L, 1e5),)), "length 0.1 m .* outside the bearing"),
    (lambda: replace(BEARING, inlet="periodic", grooves=(AxialGroove(0.0, 7.0, L, 1e5),)), "span 7 rad lies outside the bearing"),
    (lambda: replace(BEARING, inlet="periodic", grooves=(CircumferentialGroove(0.01, 1e5, 0.022),)), "at 0.022 m .* lies outside"),
    (lambda: replace(BEARING, inlet="periodic", grooves=(AxialGroove(0.0, 1e-3, L, 1e5),)), "narrower than the grid's cells"),
    (lambda: AxialGroove(0.0, 0.3, -L), "length is -0.05"),
    (lambda: ElrodAdams(bulk_modulus=0.0), "bulk_modulus is 0; it must be greater than zero"),
    (lambda: Grid(16, 4, -1.0, 1.0), "length is -1"),
])  # fmt: skip
def test_descriptions_that_cannot_be(build, words):
    with pytest.raises(ModelError, match=words):
        build()


@pytest.mark.parametrize(("change", "at", "words"), [
    ({}, dict(x=1.2 * C), "eccentricity ratio is 1.2"),
    ({}, dict(x=0.1 * C, viscosity=-0.01), "viscosity is -0.01"),
    ({}, dict(x=0.1 * C, viscosity=np.ones((1, 3, 3))), "do not fit 1 films of 64 x 8 cells"),
    ({}, dict(x=0.1 * C, step=1e-4), "a time step needs the content"),
    ({}, dict(x=0.1 * C, step=1e-4, content=-np.ones((1, 64, 8))), "content is -1"),
    ({}, dict(x=0.1 * C, vx=np.nan), "squeeze is nan"),
    ({"sides": "closed", "inlet": "periodic"}, dict(x=0.1 * C), "closed ring with closed sides has no place where its pressure is known"),
    ({"cavitation": "giacopini"}, dict(x=0.1 * C, vx=1.0), "a squeezed film depends on what its gaps held before; give step and content"),
    ({"cavitation": "elrod_adams"}, dict(x=0.1 * C, journal_spin=0.0), "a film without motion depends on"),
    ({"cavitation": "giacopini", "inlet": "periodic"}, dict(x=0.1 * C), "loses oil to its sides and gets none has no steady film"),
    ({"pressure_viscosity": 1e-6}, dict(x=0.9 * C), "the pressure has no bound"),
])  # fmt: skip
def test_films_that_cannot_be_solved(change, at, words):
    with pytest.raises(ModelError, match=words):
        replace(BEARING, **change).solve(**{"y": 0.0, "warn": False, **STATE, **at})
