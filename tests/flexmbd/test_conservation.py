"""What a free mechanism keeps, whatever its numbers: energy books, linear and angular momentum; also through a contact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm

from .running import simulate

STATE = [f"{b}.{k}" for b in ("first", "second", "third") for k in ("x", "y", "vx", "vy", "rate")]
CHAIN_OUTPUTS = [*STATE, "energy.balance", "energy.kinetic", "energy.total", "energy.dissipated"]
DISC_OUTPUTS = [o for o in STATE if not o.startswith("third")]
DISC_OUTPUTS += ["touch.impacts", "touch.fx", "touch.fy", "touch.normal", "touch.friction", "energy.balance", "energy.kinetic"]
DISC_OUTPUTS += ["touch.normal:max"]
LANES = 4


def link(s, name, i, p):
    """One body of the chain."""
    return s.body(
        name, mass=p[f"m{i}"], inertia=p[f"i{i}"], position=(p[f"x{i}"], p[f"y{i}"]), angle=p[f"a{i}"], velocity=(p[f"u{i}"], p[f"v{i}"]),
        rate=p[f"w{i}"], points={"P": (p[f"px{i}"], p[f"py{i}"]), "Q": (p[f"qx{i}"], p[f"qy{i}"])},
    )  # fmt: skip


def chain(**p):
    """Three free bodies, two pins at body points, springs and dampers, a torsion spring, an inner torque; nothing outside."""
    s = fm.System()
    bodies = [link(s, name, i, p) for i, name in enumerate(("first", "second", "third"))]
    first, second, third = bodies
    s.add(fm.Revolute("A", first["Q"], second["P"]))
    s.add(fm.Revolute("B", second["Q"], third["P"]))
    s.add(fm.Spring("long", first["P"], third["Q"], 40.0, p["damping"], length=0.8))
    s.add(fm.Spring("soft", first.centre, third.centre, 15.0, p["damping"]))
    s.add(fm.TorsionSpring("coil", first, second, 3.0, p["damping"], angle=0.2))
    s.add(fm.Torque("inner", second, third, fm.Harmonic(0.5, 7.0)))
    return s


def chains(seed):
    """Numbers of four random chains, assembled roughly: solved for by the solver."""
    rng = np.random.default_rng(seed)

    def uniform(low, high):
        return rng.uniform(low, high, LANES)

    p = {"damping": uniform(0.0, 0.5) * (rng.random(LANES) < 0.5)}
    for i in range(3):
        p |= {f"m{i}": uniform(0.3, 3.0), f"i{i}": uniform(0.05, 1.0), f"x{i}": 1.0 * i + uniform(-0.2, 0.2), f"y{i}": uniform(-0.3, 0.3)}
        p |= {f"a{i}": uniform(-0.6, 0.6), f"u{i}": uniform(-1, 1), f"v{i}": uniform(-1, 1), f"w{i}": uniform(-2, 2)}
        p |= {f"px{i}": uniform(-0.6, -0.4), f"py{i}": uniform(-0.1, 0.1), f"qx{i}": uniform(0.4, 0.6), f"qy{i}": uniform(-0.1, 0.1)}
    return p


def momenta(out, masses, inertias):
    """Linear momentum (2, n, points) and angular momentum about the origin (n, points)."""
    linear, angular = 0.0, 0.0
    for body, m, i in zip(("first", "second", "third"), masses, inertias, strict=False):
        x, y, u, v, w = (out[f"{body}.{k}"] for k in ("x", "y", "vx", "vy", "rate"))
        m, i = np.reshape(m, (-1, 1)), np.reshape(i, (-1, 1))
        linear = linear + np.array([m * u, m * v])
        angular = angular + i * w + m * (x * v - y * u)
    return linear, angular


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_free_mechanism_keeps_momentum_and_books(seed):
    p = chains(seed)
    out = simulate(chain, CHAIN_OUTPUTS, end=2.0, points=41, samples=p, lanes=LANES, tolerance=1e-11).outputs
    linear, angular = momenta(out, [p["m0"], p["m1"], p["m2"]], [p["i0"], p["i1"], p["i2"]])
    assert np.abs(linear - linear[..., :1]).max() < 1e-9 * sum(p[f"m{i}"].max() for i in range(3))
    assert np.abs(angular - angular[..., :1]).max() < 1e-8
    peak = out["energy.kinetic"].max(axis=1, keepdims=True)
    assert np.abs(out["energy.balance"] - out["energy.balance"][:, :1]).max() < 1e-7 * peak.max()
    undamped = p["damping"] == 0
    assert np.abs(out["energy.dissipated"][undamped]).max(initial=0.0) == 0.0
    assert np.all(np.diff(out["energy.dissipated"][~undamped]) >= -1e-10)


def discs(x=0.0, spin=5.0, mu=0.3, restitution=0.6, mass=1.0):
    """Two discs in space, the first flying at the second off the line of centres, spinning."""
    s = fm.System()
    first = s.body("first", mass=mass, inertia=0.02, position=(0.0, x), velocity=(2.0, 0.0), rate=spin)
    second = s.body("second", mass=1.7, inertia=0.05, position=(1.0, 0.0), velocity=(-0.5, 0.2), rate=-1.0)
    law = fm.Gonthier(1e10, restitution=restitution)
    s.add(fm.DiscDisc("touch", first.centre, second.centre, 0.2, 0.3, law, fm.Ambrosio(mu, v0=1e-3, v1=1e-2)))
    return s


def test_contact_with_friction_keeps_linear_and_angular_momentum():
    samples = {"x": [0.0, 0.1, -0.2, 0.25], "spin": [5.0, -3.0, 0.0, 40.0], "mu": [0.3, 0.1, 0.0, 0.5]}
    samples |= {"restitution": [0.6, 0.9, 0.3, 0.2], "mass": [1.0, 0.4, 1.7, 2.0]}
    out = simulate(discs, DISC_OUTPUTS, end=0.5, points=51, samples=samples, tolerance=1e-11).outputs
    assert np.all(out["touch.impacts"][:, -1] == 1)
    linear, angular = momenta(out, [samples["mass"], 1.7], [0.02, 0.05])
    assert np.abs(linear - linear[..., :1]).max() < 1e-10
    assert np.abs(angular - angular[..., :1]).max() < 1e-10
    np.testing.assert_allclose(out["energy.balance"], np.broadcast_to(out["energy.balance"][:, :1], (4, 51)), rtol=1e-6)
    turned = np.abs(out["second.rate"][:, -1] + 1.0) > 1e-6
    assert turned.tolist() == [True, True, False, True]  # no friction, no spin


def test_sliding_friction_turns_by_coulomb():
    """While it slides through the whole impact, tangential impulse = mu normal impulse."""
    samples = {"x": [0.0], "spin": [300.0], "mu": [0.2], "restitution": [0.5], "mass": [1.0]}
    out = {k: x[0] for k, x in simulate(discs, DISC_OUTPUTS, end=0.5, samples=samples, tolerance=1e-11).outputs.items()}
    change = 1.0 * np.array([out["first.vx"][-1] - 2.0, out["first.vy"][-1]])
    spin_impulse = 0.02 * (out["first.rate"][-1] - 300.0)
    normal = np.hypot(*change) / np.sqrt(1 + 0.2**2)
    assert spin_impulse == pytest.approx(-0.2 * normal * 0.2, rel=2e-3)  # the arm is the radius less its share of the penetration
