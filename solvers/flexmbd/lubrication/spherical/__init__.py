"""Oil films between ball and socket."""

from flexmbd.lubrication.spherical.formula import SphericalFilm
from flexmbd.lubrication.spherical.map import SphericalMapFilm
from flexmbd.lubrication.spherical.socket import ReynoldsSocket, SocketPressure

__all__ = ["ReynoldsSocket", "SocketPressure", "SphericalFilm", "SphericalMapFilm"]
