"""Cables in touch: closest points, balances, friction, rest with a law and without penetration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd.contact.cables import closest
from flexmbd.formulation import NaturalCoordinates

from .impenetrable_models import G

RADIUS = 0.005
ROUND, RUBBER = fm.Section.circle(RADIUS), fm.Material(E=1e7, nu=0.4, density=1000.0, name="rubber")
SLIDING = fm.Ambrosio(0.3, v0=1e-3, v1=1e-2)
EXPLICIT = {"integrator": "dormand_prince", "tolerance": 1e-8}  # tangents of implicit schemes take a minute to compile


def pair(law=None, friction=None, *, dimension=2, velocity=(0.4, -0.5), lean=0.2, lift=0.05, gravity=0.0, **more):
    """A cable of 0.6 m over one of 1 m."""
    rest = (0.0,) * (dimension - 2)
    s = fm.System(gravity=(0.0, -gravity, *rest))
    stuff = {"section": ROUND, "material": RUBBER, **more}
    low = s.cable("low", length=1.0, elements=3, position=(0.0, 0.0, *rest), direction=(1.0, 0.0, *rest), **stuff)
    along = (1.0, lean, *rest)
    top = s.cable("top", length=0.6, elements=2, position=(0.2, lift, *rest), direction=along, velocity=(*velocity, *rest), **stuff)
    s.add(fm.CableContact("touch", top.start, low.start, RADIUS, RADIUS, law or fm.HuntCrossley(1e5, restitution=0.8), friction))
    return s, top, low


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_the_closest_point_is_that_of_ten_thousand(seed):
    """Slopes within 0.3 of the chord and points up to a quarter of a length away, where it is the only one: no grid has a nearer one."""
    rng = np.random.default_rng(seed)
    c = np.eye(3)[0]
    a, b = c + rng.uniform(-0.3, 0.3, 3), c + rng.uniform(-0.3, 0.3, 3)
    p = np.array([rng.uniform(-0.2, 1.2), *rng.uniform(-0.17, 0.17, 2)])
    x, squared = closest(tuple(p), tuple(c), tuple(a), tuple(b))
    t = np.linspace(0.0, 1.0, 10_001)[:, None]
    line = t * c + t * (1.0 + t * (t - 2.0)) * (a - c) + t * t * (t - 1.0) * (b - c)
    least = np.min(np.sum((line - p) ** 2, axis=1))
    assert 0.0 <= x <= 1.0
    assert squared <= least + 1e-9


@pytest.mark.parametrize(("dimension", "friction"), [(2, None), (2, SLIDING), (3, None), (3, SLIDING)])
def test_forces_balance_to_rounding(dimension, friction):
    """Total force and moment on both cables are zero in any state; but in space friction leaves a moment about a tangent."""
    s, top, low = pair(friction=friction, dimension=dimension, lift=0.008, lean=0.01)
    equations, (q, v), parameters = NaturalCoordinates(s), s.initial(), s.parameters()
    rng = np.random.default_rng(0)
    q, v = np.asarray(q) + rng.normal(scale=1e-3, size=len(q)), np.asarray(v) + rng.normal(scale=0.1, size=len(v))
    point = {"q": q, "v": v, "t": 0.0}
    known = {"mode": 1.0, "impact_velocity": 0.5, "least_impact_velocity": 0.5}
    point |= {key: [x] * len(equations.contacts) for key, x in known.items()}
    roots = [x for body in (top, low) for x in body.wrench(equations, body.part(equations, equations.generalized))]
    values = np.array([float(x) for x in equations.graph.evaluate(roots, point, parameters)])
    forces, n = values.reshape(2, -1), dimension
    rest = np.zeros(3 - n)
    starts = [np.append(q[equations.first[body.name] :][:n], rest) for body in (top, low)]
    moments = [f[n:] + np.cross(r, np.append(f[:n], rest))[-len(f[n:]) :] for f, r in zip(forces, starts, strict=True)]
    scale = np.abs(forces[:, :n]).max()
    assert scale > 1.0
    np.testing.assert_allclose(forces[0, :n] + forces[1, :n], 0.0, atol=1e-10 * scale)
    if n == 2 or friction is None:
        np.testing.assert_allclose(moments[0] + moments[1], 0.0, atol=1e-10 * scale)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("friction", [None, SLIDING])
def test_energy_is_balanced_through_impacts(dimension, friction):
    """What is lost is booked, to 1e-6 of all."""
    outputs = ["energy.balance", "touch.impacts"]
    r = fm.run(lambda: pair(friction=friction, dimension=dimension)[0], end=0.3, outputs=outputs, points=31, settings=EXPLICIT)
    assert r.message == [""] and r["touch.impacts"][0, -1] >= 3
    assert np.ptp(r["energy.balance"]) < 1e-6 * r["energy.balance"][0, 0]


def test_a_cable_that_is_drawn_along_another_rubs_with_mu_times_its_pressure():
    names = [f"touch.{k}.{what}" for k in range(1, 6) for what in ("normal", "friction", "slip")]
    drawn = {"friction": SLIDING, "lean": 0.0, "lift": 0.02}
    r = fm.run(lambda: pair(**drawn)[0], end=0.2, outputs=names, points=401, settings=EXPLICIT)
    pressed = 0
    for k in range(1, 6):
        normal, rub, slip = (r[f"touch.{k}.{what}"][0] for what in ("normal", "friction", "slip"))
        fast = (normal > 1e-3) & (np.abs(slip) > 0.02)
        pressed += fast.sum()
        np.testing.assert_allclose(np.abs(rub[fast]), 0.3 * normal[fast], rtol=1e-9)
    assert pressed > 10


def lying(law, damping=0.3):
    """A cable that falls onto another one, whose ends are clamped."""
    s = fm.System(gravity=(0.0, -G))
    stuff = {"section": ROUND, "material": RUBBER, "damping": damping}
    low = s.cable("low", length=1.0, elements=2, **stuff)
    top = s.cable("top", length=0.6, elements=1, position=(0.2, 0.02), **stuff)
    s.add(fm.Clamp("left", s.ground.at(0.0, 0.0), low.start))
    s.add(fm.Clamp("right", s.ground.at(1.0, 0.0), low.end))
    s.add(fm.CableContact("touch", top.start, low.start, RADIUS, RADIUS, law, points=1))
    return s


@pytest.mark.parametrize(("scheme", "deepest"), [("nonsmooth_generalized_alpha", 1e-3 * (2 * G * 0.01) ** 0.5), ("nonsmooth_ggl", 1e-9)])
def test_a_cable_comes_to_lie_on_another_without_penetration(scheme, deepest):
    """Its ends bear its weight; places hold to rounding with GGL, else to a step's way at a fall of 10 mm."""
    names = ["touch.normal", "touch.1.penetration", "touch.2.penetration"]
    r = fm.run(lambda: lying(fm.Impenetrable()), end=4.0, outputs=names, points=401, settings={"integrator": scheme, "step": 1e-3})
    assert r.message == [""]
    assert r["touch.normal"][0, -100:].mean() == pytest.approx(1000.0 * ROUND.area * 0.6 * G, rel=1e-2)
    assert max(r[name].max() for name in names[1:]) < deepest


def test_two_cables_press_each_other_as_their_law_says():
    """Parallel, along their whole length: each potential point bears K times the sum of the radii less the distance, to the power 3/2."""
    s = fm.System(gravity=(0.0, 0.0))
    stuff = {"length": 1.0, "elements": 2, "section": ROUND, "material": RUBBER}
    low, top = (s.cable(name, position=(0.0, y), **stuff) for name, y in (("low", 0.0), ("top", 0.009)))
    s.add(fm.CableContact("touch", top.start, low.start, RADIUS, RADIUS, fm.HuntCrossley(1e5, restitution=0.8)))
    r = fm.run(s, end=1e-9, outputs=["touch.normal", "touch.3.penetration"], points=2, settings=EXPLICIT)
    assert r["touch.3.penetration"][0] == pytest.approx(1e-3, rel=1e-9)
    assert r["touch.normal"][0] == pytest.approx(5 * 1e5 * 1e-3**1.5, rel=1e-9)


def test_bad_cable_contacts_are_told():
    s = fm.System(gravity=(0.0, -G))
    first, second = (s.cable(name, length=1.0, elements=2, section=ROUND, material=RUBBER) for name in ("first", "second"))
    body = s.body("body", mass=1.0, inertia=1.0)
    law = fm.HuntCrossley(1e5, restitution=0.8)
    for a, b, more, message in (
        (first.start, first.end, {}, "both on 'first'"),
        (first.start, body.centre, {}, "'body', which is no cable"),
        (first.start, second.start, {"points": 0}, "points is 0"),
        (first.start, second.start, {"radius_a": -1.0}, "radius_a is -1"),
    ):
        numbers = {"radius_a": 0.01, "radius_b": 0.01, "law": law, **more}
        with pytest.raises(fm.ModelError, match=message):
            fm.CableContact("touch", a, b, **numbers)
