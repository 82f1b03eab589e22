"""Energy that grows in impacts is told: Newton's rule with friction can make it, Poisson's does not."""

import numpy as np
import pytest

import flexmbd as fm


def rod(angle, friction, slip, rate, rule="newton"):
    """A slanted rod that falls on its end at 1 m/s, restitution 1."""
    s = fm.System(gravity=(0.0, -9.81))
    place = (0.0, 0.5 * np.sin(angle) + 0.01)
    motion = {"velocity": (slip, -1.0), "rate": rate}
    body = s.body("rod", mass=1.0, inertia=1.0 / 12.0, position=place, angle=-angle, points={"end": (0.5, 0.0)}, **motion)
    s.add(fm.PointPlane("floor", body["end"], s.ground.at(0.0, 0.0), fm.Impenetrable(1.0, friction=friction, rule=rule)))
    return s


RODS = {
    "angle": np.random.default_rng(0).uniform(0.2, 1.4, 100),
    "friction": np.random.default_rng(1).uniform(0.0, 1.0, 100),
    "slip": np.random.default_rng(2).uniform(-2.0, 2.0, 100),
    "rate": np.random.default_rng(3).uniform(-4.0, 4.0, 100),
}
OUTPUTS = ["energy.total", "energy.gained", "floor.impacts"]
SCHEMES = {
    "moreau": ({"step": 1e-5}, 1e-6), "nonsmooth_ggl": ({"step": 1e-5}, 1e-3), "event_driven": ({"tolerance": 1e-9}, 1e-12),
}  # fmt: skip


@pytest.mark.parametrize("scheme", [*SCHEMES])
def test_what_newtons_rule_gains_is_the_growth_of_energy(scheme):
    settings, near = SCHEMES[scheme]
    r = fm.run(rod, RODS, end=0.03, points=2, outputs=OUTPUTS, settings={"integrator": scheme, **settings})
    assert not any(r.message)
    once = r["floor.impacts"][:, -1] == 1
    grown = r["energy.total"][:, -1] - r["energy.total"][:, 0]
    assert once.sum() > 50 and np.sum(grown[once] > 0.01) > 10
    np.testing.assert_allclose(r["energy.gained"][once, -1], np.maximum(grown[once], 0.0), atol=near)
    np.testing.assert_array_equal(r.statistics["energy_gained"], r["energy.gained"][:, -1])
    assert "it grew in impacts" in r.attributes["energy"] and "rule='poisson'" in r.attributes["energy"]


def test_poissons_rule_gains_nothing():
    r = fm.run(lambda **k: rod(rule="poisson", **k), RODS, end=0.03, points=2, outputs=OUTPUTS, settings={"integrator": "event_driven"})
    assert r["floor.impacts"][:, -1].sum() > 50
    np.testing.assert_array_equal(r["energy.gained"], 0.0)
    assert "energy" not in r.attributes
