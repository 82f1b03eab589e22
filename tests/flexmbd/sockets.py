"""What the tests of films between ball and socket share: sizes, films, and their forces."""

import functools

import numpy as np

from flexmbd.lubrication.film_map import build_map
from flexmbd.lubrication.spherical import ReynoldsSocket, SphericalFilm, SphericalMapFilm

MU, C, R = 0.05, 1e-4, 0.01
SIZE = MU * R**4 / C**3  # N per m/s
FILMS = [SphericalFilm(MU, extent=extent) for extent in ("full", "half")]


def force(film, e, v):
    """Force (3,) on the ball at e with velocity v, from the plane of both."""
    first = v / np.linalg.norm(v)
    across = e - (e @ first) * first
    y = np.linalg.norm(across)
    fx, fy = film.kernels().force(e @ first, y, np.linalg.norm(v), 0.0, C, R, *film.numbers().values(), R)
    return fx * first + fy * (across / y if y else 0.0 * across)


def in_plane(film, x, y, u, w):
    """Force (2,) in the plane of e = (x, y) and V = (u, w)."""
    return np.array(film.kernels().force(x, y, u, w, C, R, *film.numbers().values(), R))


@functools.cache
def mapped(film=FILMS[1], tolerance=1e-4):
    def impedance(eps, beta):
        return np.array([in_plane(film, C * e, 0.0, np.cos(b), np.sin(b)) for e, b in zip(eps, beta, strict=True)]).T / SIZE

    return build_map(impedance, settings={"film": film.extent}, tolerance=tolerance)


@functools.cache
def mapped_cap():
    """Map of a cap that reaches beyond the hemisphere, with Reynolds' rupture; it knows a direction of its own."""
    socket = ReynoldsSocket(R, C, "reynolds", 2.0, cells=(16, 8))
    return socket, build_map(socket.impedance, settings={"reach": 2.0}, tolerance=2e-3, budget=3000)


def film_called(name):
    """Closed form (``full``, ``half``), map of the half one (``map``), or of a cap (``cap``)."""
    if name in ("map", "cap"):
        return SphericalMapFilm(MU, mapped(tolerance=1e-3) if name == "map" else mapped_cap()[1])
    return FILMS[name == "half"]
