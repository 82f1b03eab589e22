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


def dragged(restitution, friction):
    """A crank that turns at 7 rad/s, whatever it meets, and a link whose end strikes the floor and slides on it."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=0.4, inertia=2e-3, position=(0.1, 0.0), points={"O": (-0.1, 0.0), "A": (0.1, 0.0)})
    ends = {"A": (-0.15, 0.0), "B": (0.15, 0.0)}
    link = s.body("link", mass=0.7, inertia=5e-3, position=(0.2, -0.15), angle=-np.pi / 2, points=ends)
    pivot = s.ground.at(0.0, 0.0, "O")
    s.add(fm.Revolute("O", pivot, crank["O"]))
    s.add(fm.Revolute("A", crank["A"], link["A"]))
    s.add(fm.AngleDrive("drive", pivot, crank["O"], fm.ConstantSpeed(7.0)))
    law = fm.Impenetrable(restitution, friction=friction)
    s.add(fm.DiscPlane("floor", link["B"], s.ground.at(0.0, -0.34), radius=0.02, law=law))
    return s


def test_a_turning_drive_pays_for_impacts_and_friction():
    """Its work in impacts is booked: the balance holds to the tolerance, or to the order of the step, and both say the same work."""
    samples, asked = {"restitution": np.array([0.0, 0.3, 0.8]), "friction": np.array([0.2, 0.0, 0.4])}, ["energy.balance", "energy.drive"]

    def moved(**settings):
        run = fm.run(dragged, samples, end=1.5, points=16, outputs=[*asked, "floor.impacts"], settings=settings)
        assert not run.status.any(), run.message
        return run, np.ptp(run["energy.balance"], axis=1)

    exact, off = moved(integrator="event_driven")
    assert np.all(exact["floor.impacts"][:, -1] >= 1.0)
    assert np.all(off < 1e-5)
    coarse, fine = (moved(integrator="moreau", step=step) for step in (4e-4, 1e-4))
    assert np.all(fine[1] < 0.35 * coarse[1]) and np.all(fine[1] < 6e-3)
    np.testing.assert_allclose(fine[0]["energy.drive"], exact["energy.drive"], atol=0.2)  # of 14 J
