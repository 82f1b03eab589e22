"""Viscosity by pressure and temperature against published values, and the film's balance of energy against its closed form."""

import numpy as np
import pytest
from scipy.special import lambertw

from flexmbd.lubrication.viscosity import CELSIUS, Barus, Vogel, Walther, film_temperature

from .sentences import names, said


def test_walther_meets_published_calculations():
    oil = Walther.through([313.0, 373.0], [32e-6, 5.4e-6])  # ISO VG 32, D341 worked with 273 K, scribd.com/document/361017004
    assert (oil.A, oil.B) == pytest.approx((9.5259, 3.7449), abs=6e-5)
    assert 1e6 * oil.viscosity(353.0) == pytest.approx(8.5, abs=0.05)
    gear = Walther.through(np.array([40.0, 100.0]) + CELSIUS, [404e-6, 28e-6])  # SAE 140, olezol.com, D341, example 1
    assert 1e6 * gear.viscosity(60.0 + CELSIUS) == pytest.approx(132.126, rel=1e-4)
    hydraulic = Walther.through(np.array([40.0, 80.0]) + CELSIUS, [68e-6, 14.85e-6])  # the same, example 2
    assert 1e6 * hydraulic.viscosity(100.0 + CELSIUS) == pytest.approx(8.8, abs=0.05)


# mPa s at 30, 60, 100 degrees Celsius: Stachowiak and Batchelor, Engineering Tribology, table 2.3 (heavy machine and light machine oils)
MEASURED = np.array([[153.0, 250.0, 45.0], [34.0, 50.5, 12.0], [9.1, 12.6, 3.9]]) * 1e-3
AT = np.array([30.0, 60.0, 100.0]) + CELSIUS


def test_vogel_goes_through_three_measured_points():
    oils = Vogel.through(np.repeat(AT[:, None], 3, axis=1), MEASURED)
    for temperature, values in zip(AT, MEASURED, strict=True):
        np.testing.assert_allclose(oils.viscosity(temperature), values, rtol=1e-12)
    assert np.all((oils.c > 100.0) & (oils.c < 240.0))


def test_vogel_through_two_points_foretells_the_third():
    for column in MEASURED.T:
        oil = Vogel.through(AT[[0, 2]], column[[0, 2]])
        assert oil.viscosity(AT[0]) == pytest.approx(column[0], rel=1e-12)
        assert oil.viscosity(AT[1]) == pytest.approx(column[1], rel=0.08)


def test_vogel_of_an_iso_grade():
    for grade in (32.0, 46.0, 68.0):
        oil = Vogel.iso_vg(grade, 900.0)
        assert oil.viscosity(40.0 + CELSIUS) == pytest.approx(900.0 * grade * 1e-6, rel=1e-4)  # the grade's definition
    assert Vogel.iso_vg(32.0).viscosity(100.0 + CELSIUS) / 861.0 == pytest.approx(5.4e-6, rel=0.04)  # 900 kg/m^3 less 0.65 per K
    assert Vogel.iso_vg(np.array([32.0, 46.0])).viscosity(330.0).shape == (2,)


def test_barus_and_its_reduced_pressure():
    law = Barus(2e-8)
    assert law.factor(1e8) == pytest.approx(np.exp(2.0), rel=1e-14)
    p = np.array([0.0, 1e3, 1e7, 3e8])
    np.testing.assert_allclose(law.pressure(law.reduced(p)), p, rtol=1e-12)
    step = 1e2
    slope = (law.reduced(p + step) - law.reduced(p - step)) / (2 * step)
    np.testing.assert_allclose(
        slope, 1 / law.factor(p), rtol=1e-6
    )  # dq = dp eta_0/eta: Reynolds' equation for q is that of constant viscosity
    np.testing.assert_array_equal(Barus(0.0).reduced(p), p)


def test_film_temperature_is_the_closed_form_of_an_exponential_law():
    """eta = eta_0 exp(-beta (T - T_in)), Petroff's power a eta, constant flow: weight a eta_0/(rho c Q) = x exp(x/..) is Lambert's W."""
    beta, eta, inlet = 0.04, 0.08, np.array([300.0, 320.0, 350.0])
    scale, flow, heat = np.array([4e2, 4e3, 4e4]), 2e-6, 1.7e6
    film, outlet = film_temperature(
        lambda t: eta * np.exp(-beta * (t - 310.0)), lambda mu, i: (scale[i] * mu, flow), inlet, heat_capacity=heat, share=0.8, weight=0.5
    )
    alone = 0.5 * 0.8 * scale * eta * np.exp(-beta * (inlet - 310.0)) / (heat * flow)
    np.testing.assert_allclose(film, inlet + lambertw(beta * alone).real / beta, rtol=1e-12)
    np.testing.assert_allclose(outlet - inlet, 2 * (film - inlet), rtol=1e-10)


def test_film_temperature_balances_power_and_heat():
    oil = Vogel.iso_vg(46.0)

    def petroff(viscosity, index):  # D = 60 mm, L = 30 mm, c = 40 um, 3000 1/min
        return 2 * np.pi * viscosity * 0.03**3 * 0.03 / 40e-6 * (100 * np.pi) ** 2, 4e-6

    film, outlet = film_temperature(oil.viscosity, petroff, 313.15, heat_capacity=1.7e6)
    power, flow = petroff(oil.viscosity(film), None)
    assert 1.7e6 * flow * (outlet - 313.15) == pytest.approx(power, rel=1e-10) and film == pytest.approx((313.15 + outlet) / 2, rel=1e-12)
    assert np.ndim(film) == 0 and 315.0 < film < 380.0
    assert film_temperature(oil.viscosity, petroff, 313.15, heat_capacity=1.7e6, share=0.0) == (313.15, 313.15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Vogel.through([373.15, 313.15], [5e-3, 4e-2]), ("vogel", "increasing", "K")),
        (lambda: Vogel.through([313.15, 373.15], [5e-3, 4e-2]), ("falling with temperature",)),
        (lambda: Vogel.through([313.15, 343.15, 373.15], [4e-2, 3e-2, 5e-3]), ("does not bend upwards", "two points")),
        (lambda: Vogel(-1e-4, 800.0), ("vogel", "a is -0.0001")),
        (lambda: Vogel(1e-4, 800.0).viscosity(100.0), ("temperature is 100", "above 178.15")),
        (lambda: Walther.through([313.15, 373.15], [0.2e-6, 0.1e-6]), ("walther", "above 0.3")),
        (lambda: Barus(-1e-8), ("barus", "alpha is -1e-08")),
        (lambda: Barus(2e-8).pressure(6e7), ("6e+07 Pa", "1/alpha = 5e+07 Pa")),
        (
            lambda: film_temperature(lambda t: 0.0 * t + 0.1, lambda mu, i: (mu, 0.0 * mu), 300.0, heat_capacity=1.7e6),
            ("film_temperature", "flow is 0"),
        ),
        (
            lambda: film_temperature(lambda t: 0.0 * t + 0.1, lambda mu, i: (mu, mu), 300.0, heat_capacity=1.7e6, share=1.2),
            ("share is 1.2", "at most 1"),
        ),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)
