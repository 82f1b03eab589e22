"""Films that are solved on a grid in the time loop, of rigid and of elastic bearings; theory: ``docs/theory/solved_films.md``."""

from flexmbd.lubrication.solved.grid_film import GridFilm, SolvedFilm
from flexmbd.lubrication.solved.reynolds_film import ReynoldsFilm

__all__ = ["GridFilm", "ReynoldsFilm", "SolvedFilm"]
