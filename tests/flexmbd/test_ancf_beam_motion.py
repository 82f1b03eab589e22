"""ANCF beams: vibrations, vibrations of rotating beams, falling and whipping beams."""

import numpy as np
import pytest
from scipy.linalg import eigh

import flexmbd as fm

from .beams import NONE, slender, system


# ---- vibrations
def test_cantilever_vibrates_as_the_beam_does():
    """Bending about both axes, torsion and stretch; at the start Kelvin-Voigt damping is the stiffness times the damping time."""
    section, material, eta = fm.Section.rectangle(0.004, 0.006), fm.Material(2e11, 0.3, 7800.0), 1e-4
    e = fm.Equations(system(6, section=section, material=material, damping=eta)[0])
    found, c = fm.modes(e, count=60).frequencies, np.sqrt(2e11 / 7800.0)
    polar = section.second_moment + section.second_moment_y
    bending = [k * c * h / np.sqrt(12.0) for k in (3.516015268529086, 22.034491565190766) for h in (0.004, 0.006)]
    wanted = [*bending, 0.5 * np.pi * c, 0.5 * np.pi * c * np.sqrt(section.torsion / (2.6 * polar))]
    nearest = [found[np.argmin(np.abs(found - x))] for x in wanted]
    assert np.allclose(nearest, wanted, rtol=[1e-4, 1e-4, 1e-3, 1e-3, 1e-5, 1e-5])
    q = np.array(e.system.initial()[0])
    K, D = e.stiffness(q), e.damping(q, 0.0 * q)
    assert abs(D - eta * K).max() < 1e-13 * eta * abs(K).max()


# ---- rotating beams
def whirls(system, omega, count):
    """Circular frequencies out of the plane of a steady rotation about z, and in it."""
    found = fm.modes(system, spinning=(0.0, 0.0, omega), count=4 * count)
    flap = np.linalg.norm(found.shapes[2::9], axis=0) > np.linalg.norm(found.shapes[1::9], axis=0)
    return found.frequencies[flap][:count], found.frequencies[~flap][:count]


# eta = omega L² sqrt(mu/EI) -> out-of-plane frequencies of a clamped uniform beam without hub (Wright, Smith, Thresher and Wang 1982,
# J. Appl. Mech. 49, 197-202, table for alpha = 0)
WRIGHT = {
    0: (3.5160, 22.0345),
    1: (3.6817, 22.1810),
    2: (4.1373, 22.6149),
    4: (5.5850, 24.2734),
    8: (9.2568, 29.9954),
    12: (13.1702, 37.6031),
}


def flaps(eta, count=2, terms=14):
    """The same by Ritz's method: ``w'''' - (T w')' = f² w``, ``T = eta² (1 - x²)/2``, with polynomials ``x² P_k(2x - 1)``."""
    x, weight = np.polynomial.legendre.leggauss(40)
    basis = [
        np.polynomial.Polynomial([0.0, 0.0, 1.0]) * np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=np.polynomial.Polynomial)
        for k in range(terms)
    ]
    x, weight = 0.5 + 0.5 * x, 0.5 * weight
    w0, w1, w2 = (np.array([b.deriv(d)(x) if d else b(x) for b in basis]) for d in range(3))
    k = (w2 * weight) @ w2.T + (w1 * weight * 0.5 * eta**2 * (1.0 - x * x)) @ w1.T
    return np.sqrt(eigh(k, (w0 * weight) @ w0.T, eigvals_only=True)[:count])


@pytest.mark.parametrize("eta", WRIGHT)
def test_rotating_beam_flaps_as_published(eta):
    assert np.allclose(flaps(eta), WRIGHT[eta], atol=1e-4)
    s, _ = slender(8, 1000.0)
    flap, lag = (x / 1e3 for x in whirls(s, 1e3 * eta, 2))  # EI = 1, mass per length 1e-6
    assert np.allclose(flap, flaps(eta), rtol=[1e-5, 3e-4])
    assert lag[0] ** 2 == pytest.approx(flap[0] ** 2 - eta**2, rel=2e-5), "in the plane of rotation the centrifugal force has a part across"


def test_rotating_beam_stretches():
    """REFERENCES.md 4: L = 10, EI = 1.4e4, EA = 2.8e7, 1.2 kg/m at 6 rad/s; ``tan(kL)/k - L`` with ``k² = rho A omega²/EA``."""
    section, material = fm.Section(4e-4, 2e-7), fm.Material(7e10, 0.3, 3000.0)
    path = fm.static(system(4, section=section, material=material, length=10.0)[0], spinning=(0.0, 0.0, 6.0))
    assert path["rod.end.x"][0] - 10.0 == pytest.approx(5.143174550e-4, rel=1e-7)


# ---- motion
def pendulum(E, damping, width):
    """Two elements on a ball joint, thrown sideways."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    section, material = fm.Section.rectangle(width, 0.03), fm.Material(E, 0.3, 1200.0)
    rod = s.beam("rod", length=1.0, elements=2, section=section, material=material, damping=damping, angular_velocity=(0.0, 0.0, 1.0))
    s.add(fm.Spherical("pin", s.ground.at(*NONE), rod.start))
    return s


@pytest.mark.slow
def test_falling_beam_keeps_the_books():
    """Every lane has its own stiffness, damping and section; what is lost to the method is of second order in the step."""
    inputs = {"E": np.array([1e7, 2e7, 1e7]), "damping": np.array([0.0, 1e-3, 5e-3]), "width": np.array([0.02, 0.02, 0.03])}
    outputs = ["energy.balance", "energy.kinetic", "energy.dissipated", "rod.strain_energy", "rod.end.z"]
    balance = []
    for step in (1e-3, 5e-4):
        settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "lanes": 4}
        got = fm.run(pendulum, inputs, end=0.2, points=11, outputs=outputs, settings=settings)
        assert not got.status.any(), got.message
        x = got.outputs
        balance.append(np.abs(x["energy.balance"] - x["energy.balance"][:, :1]).max(axis=1))
    assert np.all(balance[0] < 2e-5 * x["energy.kinetic"].max(axis=1)) and np.all(balance[1] < 0.35 * balance[0])
    assert np.all(x["energy.dissipated"][0] == 0.0) and np.all(np.diff(x["energy.dissipated"][1:], axis=1) > 0.0)
    assert np.all(x["rod.strain_energy"][:, -1] > 0.01) and len(set(x["rod.end.z"][:, -1])) == 3


def whip(E):
    """A beam welded to a hub that turns on ground, with a body hinged to its end across it."""
    s, rate = fm.System(gravity=(0.0, 0.0, -9.81)), np.array([0.0, 0.0, 4.0])
    hub = s.body(
        "hub", mass=0.4, inertia=(1e-3, 1e-3, 2e-3), angular_velocity=tuple(rate), rotation=(0.0, 0.0, 0.3), points={"A": (0.1, 0.0, 0.0)}
    )
    s.add(fm.Revolute("axle", s.ground.at(*NONE), hub.centre, axis=(0.0, 0.0, 1.0)))
    start = 0.1 * np.array([np.cos(0.3), np.sin(0.3), 0.0])
    rod = s.beam(
        "rod", length=0.5, elements=1, section=fm.Section.rectangle(0.01, 0.02), material=fm.Material(E, 0.3, 1200.0), damping=1e-3,
        position=tuple(start), direction=(*start[:2], 0.02), velocity=tuple(np.cross(rate, start)), angular_velocity=tuple(rate),
    )  # fmt: skip
    s.add(fm.Fixed("grip", hub["A"], rod.start))
    frame = np.array(rod.end.body.rotation)
    at = start + frame @ [0.45, 0.0, 0.0]
    tip = s.body(
        "tip", mass=0.05, inertia=(1e-5, 1e-5, 1e-5), position=tuple(at), rotation=frame.tolist(), velocity=tuple(np.cross(rate, at)),
        angular_velocity=tuple(rate),
    )  # fmt: skip
    s.add(fm.Revolute("hinge", tip.at(0.05, 0.0, 0.0), rod.end, axis=(0.0, 1.0, 0.0), axis_b=(0.0, 1.0, 0.0)))
    return s


@pytest.mark.slow
def test_beam_between_moving_bodies_keeps_the_books():
    settings = {"integrator": "generalized_alpha", "step": 2e-4, "fixed": True, "lanes": 2}
    outputs = ["energy.balance", "energy.dissipated", "rod.strain_energy", "tip.z", "rod.end.z"]
    got = fm.run(whip, {"E": np.array([1e7, 2e7])}, end=0.2, points=11, outputs=outputs, settings=settings)
    assert not got.status.any(), got.message
    x = got.outputs
    assert np.all(x["rod.strain_energy"][:, 0] < 1e-20) and np.all(x["rod.strain_energy"][:, -1] > 0.01)
    assert np.abs(x["energy.balance"] - x["energy.balance"][:, :1]).max() < 2e-3 * x["energy.dissipated"][:, -1].min()
    assert np.all(x["tip.z"][:, -1] < x["tip.z"][:, 0] - 0.1)
