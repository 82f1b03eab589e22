"""Film maps against films by quadrature of their pressure: error stated and met, tangent, lanes, the centre and the wall, bad files."""

import json

import numpy as np
import pytest

from flexmbd.language.graph import Graph
from flexmbd.language.kernels import known_as
from flexmbd.lubrication.film_map import build_map, load_map
from flexmbd.lubrication.map_film import MapFilm

from .generated import computed
from .sentences import names, said

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
C, R, VISCOSITY, LENGTH = 1e-4, 0.01, 0.1, 0.02
SIZE = VISCOSITY * LENGTH * R**3 / C**3  # N per m/s and unit of f


def arc(first, last, eps):
    """Gap, cosine and sine of the angle from the line of centres, and weights: Gauss nodes in Sommerfeld's angle, between two angles."""
    turns = [2 * np.pi * np.round(a / (2 * np.pi)) for a in (first, last)]
    root = np.sqrt((1 + eps) / (1 - eps))
    a, b = (2 * np.arctan(np.tan((x - k) / 2) * root) + k for x, k in zip((first, last), turns, strict=True))
    gamma, e = ((a + b) / 2)[:, None] + ((b - a) / 2)[:, None] * NODES, eps[:, None]
    under = 1 + e * np.cos(gamma)
    weights = ((b - a) / 2)[:, None] * WEIGHTS * np.sqrt(1 - e**2) / under
    return (1 - e**2) / under, (e + np.cos(gamma)) / under, np.sqrt(1 - e**2) * np.sin(gamma) / under, weights


def short(eps, beta, half=True):
    """Short bearing, length equal to the radius: p = (V.n)/H^3 (mean over the length); half: where it is positive."""
    d = np.pi / 2 if half else np.pi * (1 - 1e-15)
    h, cos, sin, w = arc(beta - d, beta + d, eps) if half else arc(0 * beta - d, 0 * beta + d, eps)
    p = (np.cos(beta)[:, None] * cos + np.sin(beta)[:, None] * sin) / h**3
    return -(p * cos * w).sum(1), -(p * sin * w).sum(1)


def long(eps, beta, half=True):
    """Long bearing, p = 0 at the widest gap; half: where p is positive, which begins at one angle and ends at the widest gap."""
    side, b, a, e = np.where(np.sin(beta) < 0, -1.0, 1.0), np.abs(np.sin(beta)), np.cos(beta), eps
    low, high = np.full(e.shape, -np.pi / 2), np.full(e.shape, np.pi / 2)
    for _ in range(60):  # half the angle where p, divided by (1 + cos), is zero
        m = (low + high) / 2
        cos = np.cos(2 * m)
        above = 6 * a * (2 + e - e * cos) / (1 + e) ** 2 * np.cos(m) + 12 * b * np.sin(m) * (2 - e * cos) / (2 + e**2) > 0
        low, high = np.where(above, low, m), np.where(above, m, high)
    h, cos, sin, w = arc(2 * low if half else 0 * low - np.pi * (1 - 1e-15), 0 * low + np.pi, e)
    e, a, b = e[:, None], a[:, None], b[:, None]
    p = 6 * a * (1 + cos) * (2 + e - e * cos) / ((1 + e) ** 2 * h**2) + 12 * b * sin * (2 - e * cos) / ((2 + e**2) * h**2)
    return -(p * cos * w).sum(1), -side * (p * sin * w).sum(1)


FILMS = {
    "short-half": short,
    "long-half": long,
    "short-full": lambda eps, beta: short(eps, beta, half=False),
    "long-full": lambda eps, beta: long(eps, beta, half=False),
}


@pytest.fixture(scope="module")
def maps():
    return {key: build_map(film, settings={"film": key, "length": 1.0}, tolerance=2e-3) for key, film in FILMS.items()}


@pytest.fixture(scope="module", params=["short-half", "long-half"])
def lubricated(request, maps):
    """Name of the film, its map, and force and tangent by (x/c, y/c, u, w), with places per clearance."""
    film = maps[request.param]
    kernels = MapFilm(viscosity=VISCOSITY, length=LENGTH, map=film).kernels()

    def force(x, y, u, w):
        return np.array(kernels.force(C * x, C * y, u, w, C, R, VISCOSITY, LENGTH))

    def tangent(x, y, u, w):
        values = kernels.tangent(C * x, C * y, u, w, C, R, VISCOSITY, LENGTH)
        return np.reshape(values, (2, 4)) * (C, C, 1, 1)

    return request.param, film, force, tangent


@pytest.mark.parametrize(
    ("eps", "long_load", "long_angle", "short_load", "short_angle"),
    [  # Gümbel and Ocvirk: W*, phi in degrees (Cameron, Principles of Lubrication; DuBois and Ocvirk 1953, NACA Rep. 1157)
        (0.1, 0.9444405118, 86.33905, 0.0803829807, 82.70775),
        (0.4, 3.9528952551, 74.47239, 0.4668374166, 60.93963),
        (0.8, 12.4871708314, 49.67452, 5.7313280693, 30.50015),
    ],
)
def test_the_films_of_this_test_have_the_published_loads(eps, long_load, long_angle, short_load, short_angle):
    for film, load, angle in ((long, long_load, long_angle), (short, short_load, short_angle)):
        fr, ft = (x[0] for x in film(np.array([eps]), np.array([-np.pi / 2])))  # steady: V = -s e across the line of centres
        assert eps * np.hypot(fr, ft) / 2 == pytest.approx(load, rel=1e-9)
        assert np.degrees(np.arctan2(ft, -fr)) == pytest.approx(angle, abs=1e-4)


@pytest.mark.parametrize("key", FILMS)
def test_the_stated_error_holds_at_fresh_points(key, maps):
    film, rng = maps[key], np.random.default_rng(7)
    assert film.error <= 2e-3 and film.isotropic == (key != "long-half") and film.growth == (5 if "short" in key else 3)
    eps, beta = rng.uniform(10 * film.core, film.eps_max, 3000), rng.uniform(-np.pi, np.pi, 3000)
    f, g = (np.array(x) for x in (FILMS[key](eps, beta), film(eps, beta)))
    off, size = np.hypot(*(g - f)), np.hypot(*f)
    largest = np.hypot(*FILMS[key](eps, 0 * eps))
    assert 0.1 * film.error < np.max(off / largest) < 1.2 * film.error
    assert np.max(off / np.maximum(size, 0.01 * largest)) < 1.5 * film.weak_error


def test_a_map_grows_until_its_tolerance_or_its_budget():
    errors = [build_map(long, settings={}, tolerance=tolerance).error for tolerance in (1e-2, 1e-3, 1e-4)]
    assert all(error <= tolerance for error, tolerance in zip(errors, (1e-2, 1e-3, 1e-4), strict=True))
    short_of_money = build_map(long, settings={}, tolerance=1e-6, budget=500)
    assert short_of_money.evaluations <= 500 and 1e-6 < short_of_money.error < 1e-3
    close = build_map(short, settings={}, eps_max=0.99, tolerance=1e-4)
    assert close.error < 1e-4 and close.p.size <= 64


def test_the_kernel_gives_the_force_of_the_film(lubricated):
    key, film, force, _ = lubricated
    rng = np.random.default_rng(11)
    for eps, place, way in zip(rng.uniform(0.05, 0.95, 40), *rng.uniform(-np.pi, np.pi, (2, 40)), strict=True):
        fr, ft = (x[0] for x in FILMS[key](np.array([eps]), np.array([way - place])))
        want = SIZE * 0.3 * (fr + 1j * ft) * np.exp(1j * place)
        fx, fy = force(eps * np.cos(place), eps * np.sin(place), 0.3 * np.cos(way), 0.3 * np.sin(way))
        scale = SIZE * 0.3 * np.hypot(*FILMS[key](np.array([eps]), np.zeros(1)))[0]
        assert abs(fx + 1j * fy - want) < 1.2 * film.error * scale


def test_tangent_is_the_derivative_of_the_force(lubricated):
    _, film, force, tangent = lubricated
    rng = np.random.default_rng(5)
    for eps in (1e-4, 0.003, 0.02, 0.3, 0.8, 0.949, 0.951, 1.0, 1.3):
        for place, way in rng.uniform(-np.pi, np.pi, (3, 2)):
            at, step = np.array([eps * np.cos(place), eps * np.sin(place), 0.3 * np.cos(way), 0.3 * np.sin(way)]), 1e-5
            step = min(step, 0.02 * max(eps, film.core))
            columns = []
            for j in range(4):
                h = step * (np.arange(4) == j)
                near, far = force(*(at + h)) - force(*(at - h)), force(*(at + 2 * h)) - force(*(at - 2 * h))
                columns.append((8 * near - far) / (12 * step))
            want = np.array(columns).T
            scale = np.array([np.abs(want[:, :2]).max()] * 2 + [np.abs(want[:, 2:]).max()] * 2)
            assert np.max(np.abs(tangent(*at) - want) / scale) < 2e-6


def test_the_force_turns_with_place_and_velocity_and_grows_with_speed(lubricated):
    _, _, force, _ = lubricated
    at, turn = np.array([0.5, 0.2, -0.1, 0.3]), np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    turned = np.concatenate([turn @ at[:2], turn @ at[2:]])
    np.testing.assert_allclose(force(*turned), turn @ force(*at), rtol=1e-12)
    np.testing.assert_allclose(force(*(at * (1, -1, 1, -1))), force(*at) * (1, -1), rtol=1e-12)
    np.testing.assert_allclose(force(*(at * (1, 1, 5, 5))), 5 * force(*at), rtol=1e-12)


def test_the_centre_and_rest_are_regular(lubricated):
    _, film, force, tangent = lubricated
    assert np.all(force(0.0, 0.0, 0.0, 0.0) == 0.0) and np.all(force(0.6, 0.1, 0.0, 0.0) == 0.0)
    for at in ((0.0, 0.0, 0.0, 0.0), (0.6, 0.1, 0.0, 0.0), (0.0, 0.0, 0.1, -0.2)):
        assert np.all(np.isfinite(tangent(*at)))
    rest = tangent(0.6, 0.1, 0.0, 0.0)
    assert np.all(rest[:, :2] == 0.0) and np.all(np.linalg.eigvalsh(rest[:, 2:]) < 0.0)  # damping by the mean over all directions
    centre = force(0.0, 0.0, 0.03, 0.04)
    assert centre[0] * 0.04 == pytest.approx(centre[1] * 0.03, rel=1e-12) and centre[0] < 0.0
    if film.isotropic:
        np.testing.assert_allclose(force(1e-7, -1e-7, 0.03, 0.04), centre, rtol=1e-5)
        np.testing.assert_allclose(centre, -SIZE * np.pi / 2 * np.array([0.03, 0.04]), rtol=2e-5)  # half of pi mu R L^3/c^3 V


def test_beyond_the_map_the_force_goes_on_smoothly_bounded_and_against_the_motion(lubricated):
    _, film, force, tangent = lubricated
    rng, bound = np.random.default_rng(2), np.hypot(*force(0.9 * film.eps_max, 0, 1.0, 0))
    for place, way in rng.uniform(-np.pi, np.pi, (6, 2)):
        e, v = np.array([np.cos(place), np.sin(place)]), np.array([np.cos(way), np.sin(way)])
        before, after = ([f(*(film.eps_max * (1 + d) * e), *v) for f in (force, tangent)] for d in (-1e-9, 1e-9))
        for a, b in zip(before, after, strict=True):
            assert np.max(np.abs(a - b)) < 1e-6 * np.max(np.abs(a))
        for eps in (0.97, 1.0, 1.1, 3.0):
            f = force(*(eps * e), *v)
            assert f @ v < 2e-3 * np.hypot(*force(*(eps * e), *e)) and np.hypot(*f) < 1e3 * bound
        assert force(*(1.1 * e), *e) @ e < 1.05 * (force(*(film.eps_max * e), *e) @ e) < 0.0


def test_lanes_agree_with_numbers(maps):
    kernels = MapFilm(viscosity=VISCOSITY, length=LENGTH, map=maps["short-half"]).kernels()
    rng = np.random.default_rng(1)
    args = [*(C * rng.uniform(-0.8, 0.8, (2, 24))), *rng.normal(size=(2, 24)), *(np.full(24, x) for x in (C, R, VISCOSITY, LENGTH))]
    args[0][:3], args[1][:3], args[2][1:4], args[3][1:4] = 0.0, 0.0, 0.0, 0.0
    for function, results in ((kernels.force, 2), (kernels.tangent, 8)):
        one, g = np.array([function(*row) for row in zip(*args, strict=True)]).T, Graph()
        many = computed(g, list(g.call(function, [g.var("q", k) for k in range(8)], results)), np.array(args), width=8)
        assert np.all(np.abs(many - one) <= 1e-12 * np.max(np.abs(one), axis=0))


def test_the_kernels_carry_their_coefficients_into_machine_code(maps):
    film, g = maps["long-half"], Graph()
    kernels = MapFilm(viscosity=VISCOSITY, length=LENGTH, map=film).kernels()
    assert len({known_as(MapFilm(viscosity=VISCOSITY, length=LENGTH, map=m).kernels().force) for m in maps.values()}) == 4
    at = (0.5 * C, 0.2 * C, -0.1, 0.3, C, R, VISCOSITY, LENGTH)
    force = g.call(kernels.force, [g.var("q", k) for k in range(8)], 2)
    found = computed(g, list(force), np.array(at)[:, None], width=1)[:, 0]
    np.testing.assert_allclose(found, kernels.force(*at), rtol=1e-12)


def test_a_stored_map_comes_back_the_same(tmp_path, maps):
    film, path = maps["long-half"], tmp_path / "long.map"
    film.save(path)
    back = load_map(path, settings={"length": 1.0, "film": "long-half"}, impedance=long)
    assert (back.digest, back.error, back.weak_error, back.settings) == (film.digest, film.error, film.weak_error, film.settings)
    assert np.array_equal(back(0.3, 1.0), film(0.3, 1.0)) and len(back.probes) == 7


def test_bad_files_are_refused_in_one_sentence(tmp_path, maps):
    path = tmp_path / "film.npz"
    names(said(lambda: load_map(path)), "film.npz", "there is no such file")
    maps["short-half"].save(path)
    whole = path.read_bytes()
    names(said(lambda: load_map(path, settings={"film": "long", "length": 1.0})), "another film", "film is 'short-half' and not 'long'")
    names(said(lambda: load_map(path, impedance=long)), "differs by", "build the map again")
    names(said(lambda: load_map(path, impedance=lambda e, b: [1.001 * f for f in short(e, b)])), "differs by 0.001")
    for spoiled in (b"", b"no map", whole[:-200], whole[: len(whole) // 2], whole.replace(b"\x3f", b"\x3e")):
        path.write_bytes(spoiled)
        names(said(lambda: load_map(path)), "film.npz", "damaged")
    maps["short-half"].save(path)
    with np.load(path) as data:
        content = dict(data)
    meta = json.loads(str(content["meta"]))
    for key, value, words in (("version", 0, "version 0, this program reads 1"), ("error", 1e-9, "checksum"), ("growth", 4, "checksum")):
        np.savez(path, **{**content, "meta": json.dumps({**meta, key: value})})
        names(said(lambda: load_map(path)), words, "build the map again")
    np.savez(path, **{**content, "p": content["p"] * 1.01})
    names(said(lambda: load_map(path)), "checksum")
    np.savez(path, p=content["p"])
    names(said(lambda: load_map(path)), "not a film map")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: build_map(short, settings={}, eps_max=1.0), ("eps_max is 1", "below 1")),
        (lambda: build_map(short, settings={}, tolerance=0.0), ("tolerance is 0",)),
        (lambda: build_map(short, settings={}, budget=50), ("budget is 50",)),
        (lambda: build_map(short, settings={"solver": short}), ("settings cannot be stored",)),
        (lambda: build_map(lambda e, b: (e / 0 if e.size > 8 else 0 * e - 1, 0 * e), settings={}), ("not finite at eps",)),
        (lambda: build_map(lambda e, b: (0 * e, 0 * e), settings={}), ("zero in all directions",)),
        (lambda: build_map(lambda e, b: 1.0, settings={}), ("two arrays",)),
        (lambda: build_map(lambda e, b: (1.0, 2.0), settings={}), ("shape (2,)",)),
        (lambda: MapFilm(viscosity=-1.0, length=0.1, map=None), ("film 'map'", "viscosity is -1")),
        (lambda: MapFilm(viscosity=1.0, length=0.1, map="short.npz"), ("map is 'short.npz'", "load_map")),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, words):
    with np.errstate(divide="ignore", invalid="ignore"):
        names(said(make), *words)
