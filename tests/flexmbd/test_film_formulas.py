"""Films in closed form: tables, quadrature of the pressure, tangents, symmetry, dissipation, lanes; every film of the registry."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad, solve_bvp

from flexmbd import lubrication
from flexmbd.lanes import VOCABULARY
from flexmbd.lubrication import FILMS, LongFilm, PinkusSternlicht, ShortFilm
from flexmbd.lubrication.friction import couette_shear, couette_tangent

from .sentences import names, said

MU, L, C, R = 0.04, 0.02, 1e-4, 0.01
VARIANTS = [
    *(pytest.param(cls(MU, L, extent=extent), id=f"{cls.name}-{extent}") for cls in (LongFilm, ShortFilm) for extent in ("full", "half")),
    pytest.param(PinkusSternlicht(MU, L), id=PinkusSternlicht.name),
]
HALF_LONG = [VARIANTS[1], VARIANTS[4]]


def force(film, x, y, u, w):
    """Force (2,) on the journal."""
    return np.array(film.kernels().force(x, y, u, w, C, R, *film.numbers().values()))


def tangent(film, x, y, u, w):
    """Its derivatives (2, 4)."""
    return np.reshape(film.kernels().tangent(x, y, u, w, C, R, *film.numbers().values()), (2, 4))


def states(count=12, largest=0.97, seed=3):
    """Places and velocities, among them small ones."""
    rng = np.random.default_rng(seed)
    eps, angle = largest * rng.uniform(0, 1, count) ** 0.5, rng.uniform(0, 2 * np.pi, count)
    eps[0] = 1e-9
    return np.column_stack([C * eps * np.cos(angle), C * eps * np.sin(angle), *(0.3 * rng.normal(size=(2, count)))])


def at_rest(film, eps, spin=100.0):
    """Load W* = W/(mu U L (R/c)^2) or w_s = W c^2/(mu U L^3), and attitude in degrees, of a journal that only turns."""
    fx, fy = force(film, C * eps, 0.0, 0.0, -0.5 * spin * C * eps)
    scale = MU * spin * R * L * ((L / C) ** 2 if isinstance(film, ShortFilm) else (R / C) ** 2)
    return np.hypot(fx, fy) / scale, np.degrees(np.arctan2(fy, -fx))


TABLE = [(0.1, 1.8850265176, 0.9444405118, 86.33905, 0.0803829807, 82.70775),
         (0.4, 7.6172413427, 3.9528952551, 74.47239, 0.4668374166, 60.93963),
         (0.8, 19.0399554763, 12.4871708314, 49.67452, 5.7313280693, 30.50015)]  # fmt: skip


@pytest.mark.parametrize(("eps", "full", "guembel", "attitude", "short", "short_attitude"), TABLE)
def test_published_tables(eps, full, guembel, attitude, short, short_attitude):
    load, angle = at_rest(LongFilm(MU, L, extent="full"), eps)
    assert load == pytest.approx(full, abs=1.1e-10) and angle == pytest.approx(90.0, abs=1e-10)
    for film in (LongFilm(MU, L), PinkusSternlicht(MU, L)):
        load, angle = at_rest(film, eps)
        assert load == pytest.approx(guembel, abs=1.1e-10) and angle == pytest.approx(attitude, abs=1e-5)
    load, angle = at_rest(ShortFilm(MU, L), eps)
    assert load == pytest.approx(short, abs=1.1e-10) and angle == pytest.approx(short_attitude, abs=1e-5)


@pytest.mark.parametrize("eps", [1e-6, 0.05, 0.33, 0.7, 0.95, 0.99])
def test_closed_forms_at_rest(eps):
    """The formulas that the tables come from, to 1e-10."""
    k, p = 1 - eps**2, 2 + eps**2
    radial, tangential = 12 * eps**2 / (p * k), 6 * np.pi * eps / (p * np.sqrt(k))
    assert at_rest(LongFilm(MU, L), eps)[0] == pytest.approx(np.hypot(radial, tangential), rel=1e-10)
    assert at_rest(LongFilm(MU, L, extent="full"), eps)[0] == pytest.approx(2 * tangential, rel=1e-10)
    load, attitude = at_rest(ShortFilm(MU, L), eps)
    assert load == pytest.approx(eps / (4 * k**2) * np.sqrt(16 * eps**2 + np.pi**2 * k), rel=1e-10)
    assert np.tan(np.radians(attitude)) == pytest.approx(np.pi * np.sqrt(k) / (4 * eps), rel=1e-9)


def integral(density, centre, width):
    """Both components of a force by its density over the angle, between two angles: Gauss in 16 parts."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    t = centre + width / 16 * (np.arange(-15, 16, 2)[:, None] + nodes)
    return width / 16 * np.array([np.sum(weights * density(t) * side(t)) for side in (np.cos, np.sin)])


@pytest.mark.parametrize("extent", ["full", "half"])
def test_short_film_is_the_integral_of_its_pressure(extent):
    film = ShortFilm(MU, L, extent=extent)
    for x, y, u, w in states():

        def density(t, x=x, y=y, u=u, w=w):
            return -MU * R * L**3 * (u * np.cos(t) + w * np.sin(t)) / (C - x * np.cos(t) - y * np.sin(t)) ** 3

        wanted = integral(density, np.arctan2(w, u), np.pi / 2 if extent == "half" else np.pi)
        np.testing.assert_allclose(force(film, x, y, u, w), wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


def long_pressure(x, y, u, w):
    """Angles over one turn from the boundary of the half film, and pressures there, by collocation of Reynolds' equation alone."""
    e2 = (x * x + y * y) / C**2
    along = (x * u + y * w) / C**2
    start = np.arctan2(2 * w + along * y, 2 * u + along * x) - np.pi / 2

    def rates(t, state, flow):
        h = 1 - (x * np.cos(t) + y * np.sin(t)) / C
        return [(flow[0] + u * -np.sin(t) + w * np.cos(t)) / h**3]

    assert e2 < 1
    grid = np.linspace(start, start + 2 * np.pi, 400)
    found = solve_bvp(rates, lambda a, b, flow: [a[0], b[0]], grid, np.zeros((1, 400)), p=[0.0], tol=1e-9, max_nodes=40000)
    assert found.success
    return start, found.sol


@pytest.mark.parametrize("extent", ["full", "half"])
def test_long_film_is_the_integral_of_reynolds_pressure(extent):
    """The pressure is periodic, zero at one end of the half film, and then positive over exactly half the circumference."""
    film = LongFilm(MU, L, extent=extent)
    for x, y, u, w in states(6, 0.85):
        start, pressure = long_pressure(x, y, u, w)
        inside, outside = (pressure(start + a + np.linspace(0.05, np.pi - 0.05, 50))[0] for a in (0.0, np.pi))
        assert np.all(inside > 0) and np.all(outside < 0)
        t = start + np.linspace(0, np.pi * (2 if extent == "full" else 1), 40001)
        p = 12 * MU * R**2 / C**3 * pressure(t)[0]
        wanted = -R * L * np.array([np.trapezoid(p * np.cos(t), t), np.trapezoid(p * np.sin(t), t)])
        np.testing.assert_allclose(force(film, x, y, u, w), wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())


def test_half_long_film_is_the_integral_of_its_pressure():
    film = LongFilm(MU, L)
    for x, y, u, w in states():
        along = (x * u + y * w) / C**2
        qu, qw, n = 2 * u + along * x, 2 * w + along * y, (x * x + y * y) / C**2

        def density(t, x=x, y=y, qu=qu, qw=qw, n=n):
            h = C - x * np.cos(t) - y * np.sin(t)
            return -6 * MU * R**3 * L * (C + h) * (qu * np.cos(t) + qw * np.sin(t)) / ((2 + n) * C * h * h) / C

        wanted = integral(density, np.arctan2(qw, qu), np.pi / 2)
        np.testing.assert_allclose(force(film, x, y, u, w), wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("film", HALF_LONG)
def test_squeeze_alone(film):
    """Journal approaching or leaving: Pinkus and Sternlicht become the full film in the limit, and none."""
    full = LongFilm(MU, L, extent="full")
    near, wide = 0.9999 * C, force(full, 0.9999 * C, 0.0, 0.3, 0.0)[0]
    assert force(film, near, 0.0, 0.3, 0.0)[0] == pytest.approx(wide, rel=0.05)
    assert abs(force(film, near, 0.0, -0.3, 0.0)[0]) < 0.01 * abs(wide)
    centred = force(full, 0.0, 0.0, 0.3, 0.4)
    np.testing.assert_allclose(force(film, 0.0, 0.0, 0.3, 0.4), centred / 2, rtol=1e-13)


def test_pinkus_sternlicht_as_published():
    """The two formulas of Flores et al. 2009, by eccentricity rate and attitude rate."""
    for x, y, u, w in states(20)[1:]:
        r = np.hypot(x, y)
        eps, rate = r / C, (x * u + y * w) / (r * C)
        slide = -2 * (x * w - y * u) / r**2  # spin less twice the rate of attitude
        root = np.sqrt(1 - eps**2)
        k = root * np.sqrt((slide / (2 * rate)) ** 2 + 1 / eps**2)
        share = (k + 3) / (k + 1.5) if rate > 0 else k / (k + 1.5)
        bracket = 4 * k * eps**2 + (2 + eps**2) * np.pi * np.sign(rate)
        radial = -MU * L * R**3 / C**2 * 6 * abs(rate) / ((2 + eps**2) * root**3) * bracket * share
        tangential = MU * L * R**3 / C**2 * 6 * np.pi * eps * slide / ((2 + eps**2) * root) * share
        wanted = (radial * np.array([x, y]) + tangential * np.array([-y, x])) / r
        np.testing.assert_allclose(force(PinkusSternlicht(MU, L), x, y, u, w), wanted, rtol=1e-10)


def test_pinkus_sternlicht_is_smooth_where_the_radial_velocity_passes_zero():
    film, place = PinkusSternlicht(MU, L), (0.6 * C, 0.0)
    for sign in (-1.0, 1.0):
        a, b = ((*place, s * 1e-9, 0.3 * sign) for s in (-1.0, 1.0))
        np.testing.assert_allclose(force(film, *a), force(film, *b), rtol=1e-7)
        scale = np.abs(tangent(film, *b)).max(axis=0)
        np.testing.assert_allclose(tangent(film, *a) / scale, tangent(film, *b) / scale, atol=1e-7)


@pytest.mark.parametrize("film", VARIANTS)
def test_tangent_is_the_derivative_of_the_force(film):
    scale = np.array([C, C, 1.0, 1.0])
    for state in states(20, 0.95)[1:]:
        step = 2e-4 * np.array([C * (1 - np.hypot(*state[:2]) / C)] * 2 + [np.hypot(*state[2:])] * 2)
        wanted = np.empty((2, 4))
        for j in range(4):
            at = [force(film, *(state + k * step * (np.arange(4) == j))) for k in (-3, -2, -1, 1, 2, 3)]
            wanted[:, j] = np.dot([-1, 9, -45, 45, -9, 1], at) / (60 * step[j])
        got = tangent(film, *state) * scale
        np.testing.assert_allclose(got, wanted * scale, rtol=0, atol=1e-9 * np.abs(got).max())


@pytest.mark.parametrize("film", VARIANTS)
def test_centred_and_still_journals_are_no_exception(film):
    assert np.all(force(film, 0.0, 0.0, 0.0, 0.0) == 0.0) and np.all(force(film, 0.5 * C, 0.2 * C, 0.0, 0.0) == 0.0)
    assert np.all(np.isfinite(tangent(film, 0.0, 0.0, 0.0, 0.0))) and np.all(np.isfinite(tangent(film, 0.5 * C, 0.0, 0.0, 0.0)))
    pull = force(film, 0.0, 0.0, 0.3, -0.4)
    assert pull @ [-0.3, 0.4] == pytest.approx(0.5 * np.hypot(*pull), rel=1e-14)
    np.testing.assert_allclose(force(film, 1e-12 * C, 1e-13 * C, 0.3, -0.4), pull, rtol=1e-11)
    slopes = [(force(film, *d, 0.3, -0.4) - force(film, *-d, 0.3, -0.4)) / (2e-6 * C) for d in 1e-6 * C * np.eye(2)]
    np.testing.assert_allclose(tangent(film, 0.0, 0.0, 0.3, -0.4)[:, :2].T, slopes, rtol=1e-5, atol=1e-5 * np.hypot(*pull) / C)


unit = st.floats(-1.0, 1.0, allow_subnormal=False)


@pytest.mark.parametrize("film", VARIANTS)
@settings(max_examples=60, deadline=None)
@given(place=st.tuples(unit, unit), velocity=st.tuples(unit, unit), turn=st.floats(0.0, 6.3))
def test_rotation_mirror_scaling_and_dissipation(film, place, velocity, turn):
    place, velocity = 0.69 * C * np.array(place), np.array(velocity)
    if 0 < np.hypot(*velocity) < 1e-6:
        velocity = velocity * 0.0
    got = force(film, *place, *velocity)
    size = max(np.abs(got).max(), 1e-300)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    np.testing.assert_allclose(force(film, *(rotation @ place), *(rotation @ velocity)), rotation @ got, rtol=0, atol=1e-10 * size)
    mirror = np.diag([1.0, -1.0])
    np.testing.assert_allclose(force(film, *(mirror @ place), *(mirror @ velocity)), mirror @ got, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(force(film, *place, *(3.7 * velocity)), 3.7 * got, rtol=0, atol=1e-11 * size)
    assert got @ velocity <= 0.0


@pytest.mark.parametrize("film", VARIANTS)
def test_lanes_agree_with_numbers(film, in_lanes, width=8):
    rows = states(48, 0.9).T
    numbers = [value * np.linspace(0.9, 1.1, 48) for value in (C, R, *film.numbers().values())]
    numbers[0] = C * np.linspace(1.0, 1.1, 48)
    kernels = film.kernels()
    for function, results in ((kernels.force, 2), (kernels.tangent, 8)):
        one = np.array([function(*row) for row in zip(*rows, *numbers, strict=True)]).T
        many = in_lanes(function, width, *rows, *numbers, results=results)
        np.testing.assert_allclose(many, one, rtol=1e-11, atol=1e-12 * np.abs(one).max())


def test_shear_torque():
    for x, y, _, _ in states():
        wanted = quad(lambda t, x=x, y=y: MU * R**3 * L / (C - x * np.cos(t) - y * np.sin(t)), 0, 2 * np.pi, epsrel=1e-12, limit=400)[0]
        assert couette_shear(x, y, C, R, MU, L) == pytest.approx(wanted, rel=1e-10)
        d = 1e-4 * (C - np.hypot(x, y))
        for k, got in enumerate(couette_tangent(x, y, C, R, MU, L)):
            a, b = (couette_shear(x + s * d * (k == 0), y + s * d * (k == 1), C, R, MU, L) for s in (-1, 1))
            assert got == pytest.approx((b - a) / (2 * d), rel=1e-6, abs=1e-6 * wanted / C)


def test_numbers_over_samples():
    film = ShortFilm(np.array([0.1, 0.2]), 0.02)
    assert [np.shape(value) for value in film.numbers().values()] == [(2,), ()]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ShortFilm(-0.4, L), ("film 'short': viscosity is -0.4; it must be greater than zero",)),
        (lambda: LongFilm(MU, 0.0), ("film 'long': length is 0; it must be greater than zero",)),
        (lambda: PinkusSternlicht(np.array([0.1, -0.2]), L), ("film 'pinkus_sternlicht': viscosity is -0.2",)),
        (lambda: LongFilm("thick", L), ("viscosity is 'thick'; it must be a number",)),
        (lambda: ShortFilm(MU, L, extent="quarter"), ("film 'short': extent is 'quarter'; it must be 'full' or 'half'",)),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)


def test_kernel_sources_stand_alone():
    assert set(FILMS) == {type(p.values[0]) for p in VARIANTS} and all(hasattr(lubrication, f.__name__) for f in FILMS)
    for (variant,) in (p.values for p in VARIANTS):
        kernels = variant.kernels()
        allowed = {"kernel", *VOCABULARY} | {getattr(h, "py_func", h).__name__ for h in kernels.helpers}
        for item in (kernels.force, kernels.tangent, kernels.shear, kernels.shear_tangent, *kernels.helpers):
            function = getattr(item, "py_func", item)
            assert inspect.getsource(function).startswith("@kernel\ndef " + function.__name__)
            assert set(function.__code__.co_names) <= allowed and function.__closure__ is None
