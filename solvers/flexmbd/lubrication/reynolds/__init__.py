"""Reynolds' equation on a grid, with cavitation."""

from flexmbd.lubrication.reynolds.bearing import BearingFilm, ReynoldsBearing
from flexmbd.lubrication.reynolds.elrod_adams import ElrodAdams
from flexmbd.lubrication.reynolds.giacopini import Giacopini
from flexmbd.lubrication.reynolds.grid import Grid
from flexmbd.lubrication.reynolds.grooves import AxialGroove, CircumferentialGroove
from flexmbd.lubrication.reynolds.problem import ReynoldsProblem, fluxes, outflow, reynolds_problem
from flexmbd.lubrication.reynolds.quasi_static import Gumbel, Sommerfeld, SwiftStieber
from flexmbd.lubrication.reynolds.resolution import GridWarning, two_grids
from flexmbd.lubrication.reynolds.slider import SliderFilm, solve_slider
from flexmbd.lubrication.reynolds.solve import CAVITATION, cavitation_model, solve_film

__all__ = [
    "CAVITATION", "AxialGroove", "BearingFilm", "CircumferentialGroove", "ElrodAdams", "Giacopini", "Grid", "GridWarning", "Gumbel",
    "ReynoldsProblem", "ReynoldsBearing", "SliderFilm", "Sommerfeld", "SwiftStieber", "cavitation_model", "fluxes", "outflow",
    "reynolds_problem", "solve_film", "solve_slider", "two_grids",
]  # fmt: skip
