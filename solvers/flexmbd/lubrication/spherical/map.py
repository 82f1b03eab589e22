"""Film between ball and socket by a film map."""

from dataclasses import dataclass
from typing import ClassVar

from flexmbd.lubrication.film_map import FilmMap
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.lubrication.spherical.base import SocketFilm, socket_shear, socket_shear_tangent
from flexmbd.lubrication.spherical.moments import area_function


@dataclass(frozen=True, eq=False)
class SphericalMapFilm(SocketFilm):
    """Film by a map, see `MapFilm`: ``F = mu R^4/c^3 |V| f`` with f as `ReynoldsSocket.impedance` gives it.

    Parameters
    ----------
    viscosity : float or ndarray
        Pa s.
    map : FilmMap
        As `build_map` or `load_map` gives it.
    """

    name: ClassVar[str] = "spherical_map"
    reference: ClassVar[str] = MapFilm.reference

    map: FilmMap

    def __post_init__(self):
        super().__post_init__()
        MapFilm(1.0, 1.0, self.map)  # says what is wrong with a map

    def kernels(self):
        """Force, tangent and shear."""
        planar = MapFilm(1.0, 1.0, self.map).kernels()
        return planar._replace(helpers=(*planar.helpers, area_function), shear=socket_shear, shear_tangent=socket_shear_tangent)
