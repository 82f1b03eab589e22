"""Bearings with an elastic liner: film, cavitation and deflection. They stand alone; a model takes a liner's `modes` (`System.bush`)."""

from flexmbd.lubrication.elastic.bearing import ElasticBearing, ElasticFilm
from flexmbd.lubrication.elastic.compliance import LocalCompliance, RingCompliance
from flexmbd.lubrication.elastic.coupled_film import FilmEquations, Journal
from flexmbd.lubrication.elastic.journal import JournalRun, run_journal
from flexmbd.lubrication.elastic.modes import LinerModes
from flexmbd.lubrication.elastic.ring import RingLiner
from flexmbd.lubrication.elastic.stencil import Stencil
from flexmbd.lubrication.elastic.strong import solve_strong
from flexmbd.lubrication.elastic.weak import solve_weak
from flexmbd.lubrication.elastic.winkler import WinklerLiner

LINERS = (WinklerLiner, RingLiner)

__all__ = [
    "LINERS", "ElasticBearing", "ElasticFilm", "FilmEquations", "Journal", "JournalRun", "LinerModes", "LocalCompliance", "RingCompliance",
    "RingLiner", "Stencil", "WinklerLiner", "run_journal", "solve_strong", "solve_weak",
]  # fmt: skip
