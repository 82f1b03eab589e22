"""Films between ball and socket: closed forms against quadrature and finite volumes, tangents, maps."""

import inspect

import numpy as np
import pytest

from flexmbd.lanes import VOCABULARY
from flexmbd.lubrication.spherical import ReynoldsSocket, SphericalFilm, SphericalMapFilm
from flexmbd.lubrication.spherical.base import socket_shear, socket_shear_tangent

from .sentences import names, said
from .sockets import FILMS, MU, SIZE, C, R, force, in_plane, mapped, mapped_cap
from .tangents import jacobian

EXTENTS = pytest.mark.parametrize("film", FILMS, ids=lambda film: film.extent)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(160)


def sphere(pole, low):
    """Unit vectors (160, 320, 3) with a cosine from `low` to 1 to the pole, and weights of their solid angle."""
    side = np.cross(pole, [0.36, 0.48, 0.8])
    side /= np.linalg.norm(side)
    cos = 0.5 * (1 + low) + 0.5 * (1 - low) * NODES
    turn = np.arange(320) * np.pi / 160
    round_ = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(pole, side)
    return cos[:, None, None] * pole + np.sqrt(1 - cos**2)[:, None, None] * round_, (0.5 * (1 - low) * np.pi / 160 * WEIGHTS)[:, None]


def states(count=8, largest=0.93, seed=5):
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(2, count, 3))
    eps = largest * rng.uniform(0, 1, count)
    eps[0] = 1e-9
    return zip(C * eps[:, None] * way[0] / np.linalg.norm(way[0], axis=1)[:, None], 0.3 * way[1], strict=True)


@pytest.mark.parametrize("eps", [0.01, 0.3, 0.8, 0.99])
def test_along_the_line_of_centres_the_hemisphere_of_pinkus_and_sternlicht(eps):
    bracket = np.log1p(-eps) / eps**3 + 1 / (eps**2 * (1 - eps)) - 0.5 / eps
    rel = 1e-9 if eps < 0.1 else 1e-12  # the bracket loses digits
    assert in_plane(FILMS[1], C * eps, 0.0, 0.2, 0.0) == pytest.approx((-6 * np.pi * SIZE * 0.2 * bracket, 0.0), rel=rel)
    whole = 2 * eps / (1 - eps**2) - 2 * np.arctanh(eps)  # by the integral of p = 3 mu R^2 V/(c^3 eps (1 - eps cos)^2)
    assert in_plane(FILMS[0], C * eps, 0.0, 0.2, 0.0)[0] == pytest.approx(-6 * np.pi * SIZE * 0.2 * whole / eps**3, rel=1e-9)


@EXTENTS
def test_force_is_the_integral_of_the_pressure(film):
    for e, v in states():
        E = e / C
        Q = 4 * v + (E @ v) * E
        n, weights = sphere(Q / np.linalg.norm(Q), 0.0 if film.extent == "half" else -1.0)
        H = 1 - n @ E
        pressure = 3 * MU * R**2 / C**3 * (1 + H) * (n @ Q) / ((4 + E @ E) * H**2)
        wanted = -(R**2) * np.einsum("ij,ijk->k", weights * pressure, n)
        np.testing.assert_allclose(force(film, e, v), wanted, rtol=0, atol=1e-9 * np.linalg.norm(wanted))


@EXTENTS
def test_tangent_is_the_derivative_of_the_force(film):
    kernels, scale = film.kernels(), np.array([C, C, 1.0, 1.0])
    for state in ((0.3, 0.4, 0.2, 0.1), (-0.7, 0.2, 0.3, 0.05), (0.1, -0.93, 0.2, 0.3), (1e-7, 0.0, -0.2, 0.3), (0.9, 1e-4, 0.3, 0.0)):
        state = np.array(state) * scale
        wanted = jacobian(lambda d, state=state: in_plane(film, *(state + d * scale)), np.zeros(4), 1e-4)
        got = np.reshape(kernels.tangent(*state, C, R, MU, R), (2, 4)) * scale
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-8 * np.abs(wanted).max())


def test_shear_torque_is_its_integral():
    for eps in (0.0, 0.3, 0.9):
        n, weights = sphere(np.array([0.0, 0.0, 1.0]), -1.0)
        each = MU * R**4 / C / (1 - eps * n[..., 2])
        wanted = [np.sum(weights * each * (1 - n[..., k] ** 2)) for k in (0, 2)]
        first, second = socket_shear(eps**2, C, R, MU)
        assert (first, first + second * eps**2) == pytest.approx(wanted, rel=1e-10)
        slopes = jacobian(lambda s: socket_shear(s[0], C, R, MU), np.array([eps**2]), 1e-4)[:, 0]
        assert socket_shear_tangent(eps**2, C, R, MU) == pytest.approx(slopes, rel=1e-7)


def test_reynolds_equation_on_the_grid_converges_to_the_closed_forms():
    """Whole sphere with V in any direction, and the hemisphere with V along the line of centres: second order."""
    eps, errors = np.array([0.0, 0.4, 0.8]), []
    full, half = (np.array([in_plane(film, C * e, 0.0, *v) for e in eps]) for film, v in zip(FILMS, ((0.6, 0.8), (1.0, 0.0)), strict=True))
    for n in (12, 24, 48):
        whole = ReynoldsSocket(R, C, "sommerfeld", np.pi, cells=(n, n)).solve(C * eps, 0.6, 0.8, viscosity=MU).force
        cap = ReynoldsSocket(R, C, "reynolds", cells=(n, 4)).solve(C * eps, 1.0, viscosity=MU).force
        errors.append([np.abs(whole / full - 1).max(), np.abs(cap[:, 0] / half[:, 0] - 1).max()])
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all(orders > 1.8) and np.all(orders < 2.4), orders
    assert np.all(np.array(errors[-1]) < 2e-3), errors


@pytest.mark.parametrize("model", ["gumbel", "reynolds"])
def test_cavitation_on_a_cap(model):
    """No negative pressure; never less than what is carried without; where nothing ruptures the full film; none for a ball that leaves."""
    socket, full = (ReynoldsSocket(R, C, name, 2.0, cells=(24, 12)) for name in (model, "sommerfeld"))
    eps, angle = np.array([0.2, 0.6, 0.9]), np.array([0.3, 1.2, 2.6])
    found = socket.solve(C * eps, np.cos(angle), np.sin(angle), viscosity=MU)
    whole = full.solve(C * eps, np.cos(angle), np.sin(angle), viscosity=MU)
    assert np.all(found.pressure >= 0) and np.any(whole.pressure < 0)
    assert np.all(found.pressure >= (1 - 1e-9) * whole.pressure)  # the obstacle problem's solution lies above the one without obstacle
    assert np.all(found.force @ [[1], [0]] * np.cos(angle)[:, None] + found.force @ [[0], [1]] * np.sin(angle)[:, None] < 0)
    near = [s.solve(0.5 * C, 1.0, viscosity=MU) for s in (ReynoldsSocket(R, C, model), ReynoldsSocket(R, C, "sommerfeld"))]
    np.testing.assert_allclose(near[0].force, near[1].force, rtol=1e-12, atol=1e-12 * SIZE)
    assert np.all(ReynoldsSocket(R, C, model).solve(0.5 * C, -1.0, viscosity=MU).force == 0.0)


def test_maps_of_sockets():
    """By formula: its map is the film; by Reynolds' equation: the map is what the grid says, within its stated error."""
    found = mapped()
    assert found.isotropic and found.growth == 2 and found.error < 1e-4
    for e, v in states(6):
        largest = np.linalg.norm(force(FILMS[1], e, np.linalg.norm(v) * e / np.linalg.norm(e)))  # squeezed it is largest
        assert np.linalg.norm(force(SphericalMapFilm(MU, found), e, v) - force(FILMS[1], e, v)) < 3e-4 * largest
    socket, film = mapped_cap()
    eps, beta = np.array([0.3, 0.55, 0.9]), np.array([0.5, 1.4, 2.5])
    ours, exact = (np.array(f(eps, beta)) for f in (film, socket.impedance))
    largest = np.abs(socket.impedance(eps, 0.0 * eps)[0])
    assert film.error < 2e-3 and np.all(np.linalg.norm(ours - exact, axis=0) < 1.5 * film.error * largest)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SphericalFilm(-0.4), ("film 'spherical': viscosity is -0.4; it must be greater than zero",)),
        (lambda: SphericalFilm(MU, extent="quarter"), ("film 'spherical': extent is 'quarter'; it must be 'full' or 'half'",)),
        (lambda: SphericalMapFilm(MU, "map"), ("film 'map': map is 'map'", "build_map")),
        (lambda: ReynoldsSocket(R, C, "giacopini"), ("film of a socket: cavitation is 'giacopini'", "sommerfeld, gumbel, reynolds")),
        (lambda: ReynoldsSocket(R, C, "reynolds", np.pi), ("a whole sphere has no place where its pressure is known", "below pi")),
        (lambda: ReynoldsSocket(R, -C), ("film of a socket: clearance is -0.0001",)),
        (lambda: ReynoldsSocket(R, C, reach=4.0), ("film of a socket: reach is 4",)),
        (lambda: ReynoldsSocket(R, C).solve(1.1 * C, 1.0, viscosity=MU), ("film of a socket: eccentricity ratio is 1.1",)),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)


def test_kernel_sources_stand_alone():
    for film in FILMS:
        kernels = film.kernels()
        allowed = {"kernel", *VOCABULARY} | {getattr(h, "py_func", h).__name__ for h in kernels.helpers}
        for item in (kernels.force, kernels.tangent, kernels.shear, kernels.shear_tangent, *kernels.helpers):
            function = getattr(item, "py_func", item)
            assert inspect.getsource(function).startswith("@kernel\ndef " + function.__name__)
            assert set(function.__code__.co_names) <= allowed and function.__closure__ is None
