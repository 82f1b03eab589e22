"""Friction laws: symmetry, dissipation, tangents, lanes, and the bristle's steady state; every law of the registry."""

import inspect

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexmbd.contact import friction
from flexmbd.contact.friction import FRICTION_LAWS
from flexmbd.lanes import VOCABULARY

from .sentences import names, said

EXAMPLES = {
    friction.CoulombExponential: {"mu": 0.3, "reference_velocity": 0.02, "steepness": 3.0},
    friction.Ambrosio: {"mu": 0.3, "v0": 1e-3, "v1": 1e-2},
    friction.Threlfall: {"mu": 0.3, "reference_velocity": 0.02},
    friction.Stribeck: {"mu_static": 0.3, "mu_kinetic": 0.2, "stribeck_velocity": 0.05, "tolerance_velocity": 1e-3, "viscous": 0.04},
    friction.LuGre: {
        "mu_static": 0.3,
        "mu_kinetic": 0.2,
        "stribeck_velocity": 0.05,
        "bristle_stiffness": 1e4,
        "bristle_damping": 10.0,
        "viscous": 0.04,
    },
}
LAWS = [pytest.param(cls(**EXAMPLES[cls]), id=cls.name) for cls in FRICTION_LAWS]
STATIC = [p for p in LAWS if p.values[0].states == 0]
SPEEDS = (3e-5, 7e-4, 4e-3, 0.013, 0.06, 0.7, 20.0)
NORMAL_FORCE = 250.0


def evaluate(law):
    kernels, numbers = law.kernels(), tuple(law.numbers().values())
    return (lambda v, n, z=0.0: kernels.force(v, n, z, *numbers)), (lambda v, n, z=0.0: kernels.tangent(v, n, z, *numbers))


@pytest.mark.parametrize("law", LAWS)
def test_odd_symmetry(law):
    force, _ = evaluate(law)
    for v in SPEEDS:
        for z in (0.0, 1e-5):
            ft, dz = force(v, NORMAL_FORCE, z)
            assert force(-v, NORMAL_FORCE, -z) == (-ft, -dz)
    assert force(0.0, NORMAL_FORCE) == (0.0, 0.0)


@pytest.mark.parametrize("law", STATIC)
def test_static_laws_dissipate_and_stay_below_the_static_limit(law):
    force, _ = evaluate(law)
    numbers = law.numbers()
    limit, viscous = numbers.get("mu", numbers.get("mu_s")), numbers.get("viscous", 0.0)
    for v in SPEEDS:
        for sign in (-1.0, 1.0):
            ft, dz = force(sign * v, NORMAL_FORCE)
            assert ft * sign * v >= 0.0 and dz == 0.0
            assert abs(ft) <= (limit + viscous * v) * NORMAL_FORCE * (1 + 1e-15)
    assert abs(force(0.5, NORMAL_FORCE)[0]) > 0.19 * NORMAL_FORCE


@pytest.mark.parametrize("law", LAWS)
def test_tangent_is_the_derivative_of_the_force(law):
    force, tangent = evaluate(law)
    for v in SPEEDS:
        for sign in (-1.0, 1.0):
            for z in (0.0, 1.3e-5, -0.7e-5):
                vt, h = sign * v, 1e-5 * v
                by_v, by_n, by_z = tangent(vt, NORMAL_FORCE, z)
                scale = 1e-8 * NORMAL_FORCE / v
                assert by_v == pytest.approx(
                    (force(vt + h, NORMAL_FORCE, z)[0] - force(vt - h, NORMAL_FORCE, z)[0]) / (2 * h), rel=1e-6, abs=scale
                )
                assert by_n == pytest.approx(force(vt, 1.0, z)[0], rel=1e-13)
                by_z_difference = (force(vt, NORMAL_FORCE, z + 1e-8)[0] - force(vt, NORMAL_FORCE, z - 1e-8)[0]) / 2e-8
                assert by_z == pytest.approx(by_z_difference, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize("law", LAWS)
def test_lanes_agree_with_numbers(law, width, in_lanes):
    rng = np.random.default_rng(5)
    vt = 10.0 ** rng.uniform(-6, 1.5, 48) * rng.choice([-1, 1], 48)
    args = (vt, rng.uniform(0, 1e3, 48), rng.uniform(-2e-5, 2e-5, 48))
    numbers = [value * np.linspace(0.9, 1.1, 48) for value in law.numbers().values()]
    kernels = law.kernels()
    for function, results in ((kernels.force, 2), (kernels.tangent, 3), *(((kernels.state_tangent, 2),) if law.states else ())):
        one = np.array([function(*row) for row in zip(*args, *numbers, strict=True)]).T
        many = in_lanes(function, width, *args, *numbers, results=results)
        scale = np.maximum(np.abs(one), 1e-6 * np.max(np.abs(one), axis=-1, keepdims=True)) + (one == 0.0)
        np.testing.assert_allclose(many / scale, one / scale, rtol=0, atol=1e-14)


def test_lugre_settles_on_the_stribeck_curve():
    law = friction.LuGre(**EXAMPLES[friction.LuGre])
    curve = friction.Stribeck(**EXAMPLES[friction.Stribeck]).curve
    force, _ = evaluate(law)
    for v in (-0.3, 1e-3, 0.04, 0.2):
        run = solve_ivp(
            lambda t, z, v=v: force(v, NORMAL_FORCE, z[0])[1],
            (0.0, 60.0 * 0.3 / (1e4 * abs(v))),
            [0.0],
            method="LSODA",
            rtol=1e-10,
            atol=1e-14,
        )
        ft, dz = force(v, NORMAL_FORCE, run.y[0, -1])
        assert ft == pytest.approx(NORMAL_FORCE * (np.sign(v) * curve(v) + 0.04 * v), rel=1e-6)
        assert abs(dz) < 1e-6 * abs(v)


def test_lugre_bristle_is_bounded_and_its_rate_has_the_right_tangent():
    law = friction.LuGre(**EXAMPLES[friction.LuGre])
    force, _ = evaluate(law)
    run = solve_ivp(lambda t, z: force(0.1 * np.cos(7 * t), 1.0, z[0])[1], (0, 4), [0.0], method="LSODA", rtol=1e-8, atol=1e-12)
    assert np.max(np.abs(run.y)) <= 0.3 / 1e4
    numbers, state_tangent = tuple(law.numbers().values()), law.kernels().state_tangent
    for v in (-0.2, -1e-3, 4e-3, 0.06):
        for z in (-1e-5, 2e-5):
            by_v, by_z = state_tangent(v, 1.0, z, *numbers)
            h = 1e-5 * abs(v)
            assert by_v == pytest.approx((force(v + h, 1.0, z)[1] - force(v - h, 1.0, z)[1]) / (2 * h), rel=1e-6, abs=1e-8)
            assert by_z == pytest.approx((force(v, 1.0, z + 1e-7)[1] - force(v, 1.0, z - 1e-7)[1]) / 2e-7, rel=1e-6)


def test_published_shapes():
    exponential, _ = evaluate(friction.CoulombExponential(**EXAMPLES[friction.CoulombExponential]))
    assert exponential(0.02, 1.0)[0] == pytest.approx(0.3 * (1 - np.exp(-3.0)), rel=1e-14)
    ramp, _ = evaluate(friction.Ambrosio(**EXAMPLES[friction.Ambrosio]))
    assert [ramp(v, 1.0)[0] for v in (1e-3, 5.5e-3, 1e-2, 1.0)] == pytest.approx([0.0, 0.15, 0.3, 0.3], rel=1e-14)
    threlfall, _ = evaluate(friction.Threlfall(**EXAMPLES[friction.Threlfall]))
    assert threlfall(1.0, 1.0)[0] == threlfall(0.02, 1.0)[0] == pytest.approx(0.95 * 0.3, rel=3e-4)
    stribeck, _ = evaluate(friction.Stribeck(**EXAMPLES[friction.Stribeck]))
    assert stribeck(5e-3, 1.0)[0] > stribeck(0.2, 1.0)[0] < stribeck(20.0, 1.0)[0]


def test_numbers_over_samples():
    law = friction.Ambrosio(mu=np.array([0.1, 0.2]), v0=1e-3, v1=np.array([1e-2, 2e-2]))
    assert [np.shape(value) for value in law.numbers().values()] == [(2,), (), (2,)]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: friction.Ambrosio(mu=0.3, v0=1e-2, v1=1e-3), ("ambrosio", "v1 is 0.001", "above 0.01")),
        (lambda: friction.Ambrosio(mu=0.3, v0=np.array([0.0, 2e-2]), v1=1e-2), ("v1 is 0.01 (sample 1)",)),
        (lambda: friction.Threlfall(mu=-0.3, reference_velocity=1.0), ("threlfall", "mu is -0.3", "at least 0")),
        (lambda: friction.LuGre(0.2, 0.3, 0.1, 1e4), ("lugre", "mu_static is 0.2", "at least 0.3")),
        (lambda: friction.LuGre(0.2, 0.0, 0.1, 1e4), ("mu_kinetic is 0",)),
        (lambda: friction.Stribeck(0.3, 0.2, 0.1, np.inf), ("stribeck", "tolerance_velocity is inf")),
        (lambda: friction.CoulombExponential(0.3, 0.0, 1.0), ("coulomb_exponential", "reference_velocity is 0")),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)


@pytest.mark.parametrize("law", LAWS)
def test_kernel_sources_stand_alone(law):
    kernels = law.kernels()
    allowed = {"kernel", *VOCABULARY} | {getattr(h, "py_func", h).__name__ for h in kernels.helpers}
    for item in (kernels.force, kernels.tangent, *kernels.helpers):
        function = getattr(item, "py_func", item)
        assert inspect.getsource(function).startswith("@kernel\ndef " + function.__name__)
        assert set(function.__code__.co_names) <= allowed and function.__closure__ is None
