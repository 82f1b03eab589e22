"""Normal laws: tangents, energy, lanes, and the restitution of a real impact; every law of the registry."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from flexmbd.contact import laws
from flexmbd.contact.friction import FRICTION_LAWS
from flexmbd.contact.laws import CYLINDRICAL_LAWS, DAMPED_LAWS, NORMAL_LAWS, factor_for_restitution, produced_restitution
from flexmbd.lanes import VOCABULARY
from flexmbd.material import Material
from flexmbd.properties import published

from .sentences import names, said

STEEL = Material(207e9, 0.3, name="steel")
K = 6.6e10
RESTITUTIONS = (0.05, 0.2, 0.5, 0.7, 0.9, 0.95)


def build(cls, restitution=0.7, *, stiffness=K, calibrated=False, damping="lankarani_nikravesh", **options):
    """A law of the registry with plausible numbers."""
    if cls in CYLINDRICAL_LAWS:
        radii = options or {"bearing_radius": 10e-3, "journal_radius": 9.95e-3}
        return cls(**radii, length=10e-3, bearing=STEEL, journal=STEEL, damping=damping, restitution=restitution, calibrated=calibrated)
    if cls is laws.KelvinVoigt:
        return cls(stiffness=1e8, damping=2e3)
    if cls is laws.Hertz:
        return cls(stiffness, **options)
    return cls(stiffness, restitution=restitution, calibrated=calibrated, **options)


VARIANTS = [
    *(pytest.param(build(cls), id=cls.name) for cls in NORMAL_LAWS),
    *(pytest.param(build(laws.LankaraniNikravesh, stiffness=1e8, exponent=n), id=f"power-{n}") for n in (1.0, 1.3)),
    pytest.param(build(laws.Gonthier, approximate=True), id="gonthier-approximate"),
]


def evaluate(law):
    kernels, numbers = law.kernels(), tuple(law.numbers().values())
    return (
        lambda d, r, v=0.8: kernels.force(d, r, v, *numbers),
        lambda d, r, v=0.8: kernels.tangent(d, r, v, *numbers),
        lambda d: kernels.energy(d, *numbers),
    )


PENETRATIONS = (1e-12, 1e-9, 1e-7, 3e-6, 2.5e-5, 2e-4)
RATES = (-0.5, -0.01, 0.02, 0.3, 1.2)


@pytest.mark.parametrize("law", VARIANTS)
def test_tangent_is_the_derivative_of_the_force(law):
    force, tangent, _ = evaluate(law)
    for d in PENETRATIONS:
        for r in RATES:
            by_delta, by_rate = tangent(d, r)
            h, g = 1e-5 * d, 1e-5
            rounding = 1e-9 * K * d**0.5 + 4e-16 * force(d, r)[0] / h
            assert by_delta == pytest.approx((force(d + h, r)[0] - force(d - h, r)[0]) / (2 * h), rel=1e-7, abs=rounding)
            assert by_rate == pytest.approx((force(d, r + g)[0] - force(d, r - g)[0]) / (2 * g), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("law", VARIANTS)
def test_energy_is_the_integral_of_the_elastic_force(law):
    force, _, energy = evaluate(law)
    assert energy(0.0) == 0.0
    for d in PENETRATIONS:
        work, _ = quad(lambda x: force(x, 0.1)[1], 0.0, d, epsrel=1e-11, epsabs=0.0, limit=200)
        assert energy(d) == pytest.approx(work, rel=1e-9)
        h = 1e-5 * d
        assert (energy(d + h) - energy(d - h)) / (2 * h) == pytest.approx(force(d, 0.1)[1], rel=1e-8)


@pytest.mark.parametrize("law", VARIANTS)
def test_no_adhesion_no_force_without_contact(law):
    force, tangent, energy = evaluate(law)
    for r in (-1e3, -1.0, 0.0, 1.0):
        assert force(-1e-6, r) == (0.0, 0.0)
        assert tangent(-1e-6, r) == (0.0, 0.0)
        assert all(force(d, r)[0] >= 0.0 for d in PENETRATIONS)
        onset = force(0.0, r)[0]
        assert onset == 0.0 if law.continuous_onset else onset >= 0.0
    assert energy(-1e-6) == 0.0
    assert all(np.isfinite(force(3e-6, 0.2, v)).all() for v in (0.0, 1e-300))


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize("law", VARIANTS)
def test_lanes_agree_with_numbers(law, width, in_lanes):
    rng = np.random.default_rng(3)
    delta, rate = 10.0 ** rng.uniform(-12, -3.5, 48) * rng.choice([1, 1, 1, -1], 48), rng.normal(size=48)
    v0, kernels = rng.uniform(0.1, 2.0, 48), law.kernels()
    numbers = [value * np.linspace(0.7, 1.3, 48) for value in law.numbers().values()]
    for function, results, args in (
        (kernels.force, 2, (delta, rate, v0)),
        (kernels.tangent, 2, (delta, rate, v0)),
        (kernels.energy, 0, (delta,)),
    ):
        one = np.array([function(*row) for row in zip(*args, *numbers, strict=True)]).T
        many = in_lanes(function, width, *args, *numbers, results=results)
        scale = np.maximum(np.abs(one), 1e-3 * np.max(np.abs(one), axis=-1, keepdims=True) * (np.abs(one) > 0.0))
        np.testing.assert_allclose(many / np.where(scale > 0, scale, 1), one / np.where(scale > 0, scale, 1), rtol=0, atol=1e-14)


@pytest.mark.parametrize("law", VARIANTS)
def test_numbers_that_all_samples_share_need_no_lanes(law, in_lanes):
    """Penetration in lanes, numbers and approach speed plain floats."""
    numbers, kernels = tuple(law.numbers().values()), law.kernels()
    delta, rate = np.array([-1e-6, 1e-7, 3e-6, 2e-5]), np.array([-0.3, 0.2, 0.0, 0.5])
    for function in (kernels.force, kernels.tangent):
        many = in_lanes(njit(lambda d, r, function=function: function(d, r, 0.8, *numbers)), 4, delta, rate, results=2)
        np.testing.assert_allclose(many.T, [function(d, r, 0.8, *numbers) for d, r in zip(delta, rate, strict=True)], rtol=1e-13)


def impact(law, v0=1.0, mass=1.0, tolerance=1e-12):
    """(restitution, duration, largest penetration) of a mass hitting a wall."""
    force, _, energy = evaluate(law)

    def separated(t, y):
        return y[0]

    def turned(t, y):
        return y[1]

    separated.terminal, separated.direction = True, -1
    scale = brentq(lambda d: energy(d) - 0.5 * mass * v0**2, 0.0, 10.0, xtol=1e-9)
    run = solve_ivp(
        lambda t, y: (y[1], -force(y[0], y[1], v0)[0] / mass),
        (0.0, 1e4 * scale / v0),
        (0.0, v0),
        method="DOP853",
        events=(separated, turned),
        rtol=tolerance,
        atol=(1e-13 * scale, 1e-13 * v0),
    )
    assert run.status == 1
    return -run.y_events[0][-1][1] / v0, run.t_events[0][-1], run.y_events[1][0][0]


@pytest.mark.parametrize("e", RESTITUTIONS)
@pytest.mark.parametrize("cls", DAMPED_LAWS, ids=lambda c: c.name)
def test_impact_returns_the_closed_form_restitution(cls, e):
    law = build(cls, e, stiffness=1.0)
    assert impact(law)[0] == pytest.approx(float(produced_restitution(law.factor())), abs=1e-7)
    calibrated = build(cls, e, stiffness=1.0, calibrated=True)
    assert impact(calibrated)[0] == pytest.approx(e, abs=1e-7)


@pytest.mark.parametrize("e", (0.2, 0.9))
@pytest.mark.parametrize("cls", CYLINDRICAL_LAWS, ids=lambda c: c.name)
def test_restitution_does_not_depend_on_the_elastic_part(cls, e):
    for damping in ("flores", "lankarani_nikravesh"):
        law = build(cls, e, damping=damping)
        assert impact(law, mass=0.1)[0] == pytest.approx(float(produced_restitution(law.factor())), abs=1e-6)
    assert impact(build(cls, e, calibrated=True), mass=0.1)[0] == pytest.approx(e, abs=1e-6)


def test_exponent_does_not_change_the_restitution():
    for exponent in (1.0, 1.3, 2.0):
        assert impact(build(laws.Flores, 0.4, stiffness=1.0, exponent=exponent, calibrated=True))[0] == pytest.approx(0.4, abs=1e-6)


def test_published_restitutions():
    known = {law.name: (law, tolerance) for law, tolerance in ((laws.LankaraniNikravesh, 1e-11), (laws.Flores, 1e-7))}
    for name, e, produced in zip(*published("restitution").values(), strict=True):
        law, tolerance = known[name]
        assert produced_restitution(build(law, float(e)).factor()) == pytest.approx(produced, abs=tolerance)


def test_restitution_and_factor_are_inverse_and_satisfy_the_implicit_relation():
    e = np.concatenate([10.0 ** -np.arange(0.0, 6.0), np.linspace(0.01, 1.0, 500), 1.0 - 10.0 ** -np.arange(1.0, 15.0)])
    c = factor_for_restitution(e)
    np.testing.assert_allclose(produced_restitution(c), e, rtol=2e-11)
    assert factor_for_restitution(1.0) == 0.0 and produced_restitution(0.0) == 1.0
    d = build(laws.Gonthier, 0.3).factor() * 0.3
    assert (1 + d / 0.3) / (1 - d) == pytest.approx(np.exp(d * (1 + 1 / 0.3)), rel=1e-12)


def test_hertz_impact_time():
    _, duration, deepest = impact(build(laws.Hertz, stiffness=1.0))
    assert duration / deepest == pytest.approx(2.9432751843247, rel=1e-10)


PUBLISHED_INDENTATIONS = dict(zip(*published("cylinder_in_bush").values(), strict=True))


@pytest.mark.parametrize("cls", CYLINDRICAL_LAWS, ids=lambda c: c.name)
def test_published_indentations(cls):
    """1000 N on a 10 mm bush with a 9.5 mm journal, 10 mm long, steel."""
    law = build(cls, bearing_radius=10e-3, journal_radius=9.5e-3)
    force, *_ = evaluate(law)
    low, high = PUBLISHED_INDENTATIONS[cls.name] - 6e-12, PUBLISHED_INDENTATIONS[cls.name] + 6e-12
    assert force(low, 0.0)[1] < 1000.0 < force(high, 0.0)[1]


def printed_indentation(law, F):
    """The formulas as printed, with their own symbols."""
    modulus, L = 207e9 / 2 / (1 - 0.09), law.length
    gap, a = law.bearing_radius - law.journal_radius, 1 / (np.pi * modulus * L)
    b = 1.60 * np.sqrt(F * law.bearing_radius * law.journal_radius / gap / (L * modulus))
    return {
        "johnson": a * F * (np.log(4 * np.pi * modulus * L * gap / F) - 1),
        "radzimovsky": a * F * (2 / 3 + np.log(4 * law.bearing_radius / b) + np.log(4 * law.journal_radius / b)),
        "goldsmith": a * F * (np.log(np.pi * modulus * L**3 / (F * law.bearing_radius)) + 1),
        "esdu_78035": a * F * (np.log(4 * np.pi * modulus * L * gap / F) + 1),
    }[law.name]


@pytest.mark.parametrize("cls", CYLINDRICAL_LAWS, ids=lambda c: c.name)
def test_cylindrical_laws_invert_the_printed_formula(cls):
    for journal in (9.5e-3, 9.98e-3):
        law = build(cls, bearing_radius=10e-3, journal_radius=journal)
        force, *_ = evaluate(law)
        for F in np.geomspace(1e-20, 1.0, 60) * law.largest_force() * (1 - 1e-9):
            assert force(printed_indentation(law, F), 0.0)[1] == pytest.approx(F, rel=3e-14)


@pytest.mark.parametrize("cls", CYLINDRICAL_LAWS, ids=lambda c: c.name)
def test_cylindrical_laws_are_monotone_and_finite_everywhere(cls):
    law = build(cls, bearing_radius=10e-3, journal_radius=9.98e-3)
    force, tangent, _ = evaluate(law)
    depths = np.concatenate([[0.0], np.geomspace(1e-300, 1e-1, 4000), np.linspace(1e-6, 3e-5, 4000)])
    values = np.array([force(d, 0.0)[1] for d in np.sort(depths)])
    assert np.isfinite(values).all() and (np.diff(values)[1:] >= 0.0).all() and values[0] == 0.0
    stiffness = np.array([tangent(d, 0.0)[0] for d in np.sort(depths)[1:]])
    assert np.isfinite(stiffness).all() and (np.diff(stiffness) >= -1e-12 * stiffness[1:]).all()


def test_goldsmith_with_the_relative_radius():
    law = laws.Goldsmith(10e-3, 9.5e-3, 10e-3, STEEL, STEEL, radius="relative")
    modulus, F, a = 207e9 / 2 / 0.91, 1000.0, law.numbers()["a"]
    delta = a * F * (np.log(np.pi * modulus * 1e-6 * 0.5e-3 / (F * 10e-3 * 9.5e-3)) + 1)
    assert evaluate(law)[0](delta, 0.0)[1] == pytest.approx(F, rel=1e-13)


@pytest.mark.parametrize("cls", [c for c in NORMAL_LAWS if c not in (laws.KelvinVoigt, laws.Hertz)], ids=lambda c: c.name)
def test_numbers_over_samples(cls):
    e = np.array([0.4, 0.7, 1.0])
    for calibrated in (False, True):
        many = build(cls, e, calibrated=calibrated).numbers()
        for k in range(3):
            one = build(cls, e[k], calibrated=calibrated).numbers()
            assert list(one) == list(many)
            for key, value in one.items():
                assert isinstance(value, float)
                assert np.broadcast_to(many[key], 3)[k] == pytest.approx(value, rel=1e-14)


def test_exponent_chooses_the_kernels():
    plain, array = build(laws.Hertz), build(laws.Hertz, exponent=np.array([1.5, 1.5]))
    assert "n" not in plain.numbers() and "n" in array.numbers()
    for d in PENETRATIONS:
        general = array.kernels().force(d, 0.1, 1.0, K, 1.5, 0.0)
        assert general == pytest.approx(plain.kernels().force(d, 0.1, 1.0, K, 0.0), rel=1e-14)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: laws.LankaraniNikravesh(K, restitution=1.2), ("lankarani_nikravesh", "restitution is 1.2", "above 0 and at most 1")),
        (lambda: laws.Flores(K, restitution=np.array([0.5, 0.0])), ("restitution is 0 (sample 1)",)),
        (lambda: laws.Flores(-1.0, restitution=0.5), ("flores", "stiffness is -1", "above 0")),
        (lambda: laws.Hertz(np.array([1.0, np.nan])), ("hertz", "stiffness is nan (sample 1)")),
        (lambda: laws.Hertz("soft"), ("stiffness is 'soft'", "give a number")),
        (lambda: laws.Hertz(K, exponent=0.5), ("exponent is 0.5", "at least 1")),
        (lambda: laws.KelvinVoigt(K, -2.0), ("kelvin_voigt", "damping is -2")),
        (lambda: build(laws.Johnson, bearing_radius=9e-3, journal_radius=9e-3), ("johnson", "clearance")),
        (lambda: build(laws.Johnson, damping="flubber"), ("damping is 'flubber'", "hu_guo")),
        (lambda: build(laws.Johnson, damping=None), ("restitution 0.7 has no effect", "calibrated=True")),
        (lambda: laws.Goldsmith(10e-3, 9e-3, 1e-2, STEEL, STEEL, radius="mean"), ("radius is 'mean'", '"relative"')),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)


@pytest.mark.parametrize("cls", NORMAL_LAWS, ids=lambda c: c.name)
def test_kernel_sources_stand_alone(cls):
    """Code generation copies the sources: a kernel may use only the vocabulary, its arguments and its helpers."""
    kernels = build(cls).kernels()
    allowed = {"kernel", *VOCABULARY} | {getattr(h, "py_func", h).__name__ for h in kernels.helpers}
    for item in (kernels.force, kernels.tangent, kernels.energy, *kernels.helpers):
        function = getattr(item, "py_func", item)
        assert inspect.getsource(function).startswith("@kernel\ndef " + function.__name__)
        assert set(function.__code__.co_names) <= allowed
        assert function.__closure__ is None


def test_every_law_says_where_it_comes_from():
    assert len({cls.name for cls in NORMAL_LAWS}) == len(NORMAL_LAWS) == 13
    for cls in NORMAL_LAWS:
        assert any(year in cls.reference for year in ("18", "19", "20"))
        assert "Units" in cls.__doc__ or "N/m" in cls.__doc__


def test_kernel_names_are_unique():
    """Generated modules hold the kernels of several laws side by side."""
    kernels = [build(cls).kernels() for cls in NORMAL_LAWS] + [build(laws.Hertz, exponent=n).kernels() for n in (1.0, 1.3)]
    functions = {f for k in kernels for f in (k.force, k.tangent, k.energy, *k.helpers)}
    assert len({getattr(f, "py_func", f).__name__ for f in functions}) == len(functions)


def test_the_theory_page_has_every_law():
    page = (Path(__file__).parents[2] / "docs" / "theory" / "contact_laws.md").read_text(encoding="utf-8")
    assert [law.name for law in (*NORMAL_LAWS, *FRICTION_LAWS) if f"`{law.name}`" not in page or f"`{law.__name__}`" not in page] == []


def test_restitutions_on_the_theory_page():
    """What the table says comes out, for e = 0.3, 0.5, 0.7, 0.9."""
    page = (Path(__file__).parents[2] / "docs" / "theory" / "contact_laws.md").read_text(encoding="utf-8")
    for law in DAMPED_LAWS:
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{law.__name__}` "))
        said = row.split("|")[-2].strip()
        found = produced_restitution(law.published_factor(np.array([0.3, 0.5, 0.7, 0.9])))
        assert (said == "e" and np.allclose(found, [0.3, 0.5, 0.7, 0.9])) or said == ", ".join(f"{e:.3f}" for e in found)
