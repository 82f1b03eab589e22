"""Oil films of journal bearings: force on the journal by its place and velocity.

A new film is one file here and one entry in ``FILMS``; the generic tests read the same tuple.
"""

from flexmbd.lubrication.base import Film, FilmKernels
from flexmbd.lubrication.long import LongFilm
from flexmbd.lubrication.pinkus_sternlicht import PinkusSternlicht
from flexmbd.lubrication.short import ShortFilm

FILMS = (LongFilm, ShortFilm, PinkusSternlicht)

__all__ = ["FILMS", "Film", "FilmKernels", "LongFilm", "PinkusSternlicht", "ShortFilm"]
