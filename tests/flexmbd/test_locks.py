"""Locks: a hinge that latches, a snap that opens: closed forms of momentum, energy, force."""

import numpy as np
import pytest

import flexmbd as fm

HUB, PANEL, HALF, ARM = (20.0, 3.0), (4.0, 4.0 * 1.6**2 / 12.0), 0.8, 0.5
SCHEMES = ["moreau", "nonsmooth_generalized_alpha", "nonsmooth_ggl"]


def satellite(rate=0.5, start=-1.2, value=0.0):
    """Hub and panel, free in space, hinged; the panel turns towards its latch."""
    s = fm.System(gravity=(0.0, 0.0))
    hub = s.body("hub", mass=HUB[0], inertia=HUB[1], position=(0.0, 0.0), velocity=(0.1, 0.0))
    x, y = HALF * np.cos(start), HALF * np.sin(start)
    moving = {"angle": start, "rate": rate, "velocity": (0.1 - rate * y, rate * x)}
    panel = s.body("panel", mass=PANEL[0], inertia=PANEL[1], position=(ARM + x, y), **moving)
    s.add(fm.Revolute("hinge", hub.at(ARM, 0.0), panel.at(-HALF, 0.0)))
    s.add(fm.Lock("latch", fm.AngleOf(hub, panel), value))
    return s


def after(rate=0.5, start=-1.2):
    """Spin of the whole and kinetic energy once it has latched: angular momentum about the centre of mass stays."""
    reduced = HUB[0] * PANEL[0] / (HUB[0] + PANEL[0])
    x, y = HALF * np.cos(start), HALF * np.sin(start)
    momentum = reduced * ((ARM + x) * rate * x + y * rate * y) + PANEL[1] * rate
    inertia = reduced * (ARM + HALF) ** 2 + HUB[1] + PANEL[1]
    speed = (HUB[0] * 0.1 + PANEL[0] * (0.1 - rate * y)) / 24.0, PANEL[0] * rate * x / 24.0
    return momentum / inertia, 0.5 * momentum**2 / inertia + 12.0 * (speed[0] ** 2 + speed[1] ** 2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_panel_that_latches_keeps_angular_momentum(scheme):
    """Spin and energy afterwards are those of one rigid body with the momentum before; the error falls with the square of the step."""
    spin, energy = after()
    outputs = ["hub.rate:final", "panel.rate:final", "energy.total:final", "latch.locked:final", "latch.impacts:final"]
    errors = []
    for step in (4e-3, 1e-3):
        r = fm.run(satellite, end=4.0, outputs=outputs, settings={"integrator": scheme, "step": step})
        assert r["latch.locked:final"] == 1.0 and r["latch.impacts:final"] == 1.0
        assert r["hub.rate:final"] == pytest.approx(r["panel.rate:final"], abs=1e-9)
        assert r["energy.total:final"] == pytest.approx(energy, rel=1e-6)
        errors.append(abs(float(r["hub.rate:final"][0]) - spin))
    assert errors[0] < 2e-7 and errors[1] < 2e-8


def test_the_loss_of_a_latch_is_booked():
    outputs, settings = ["energy.balance", "latch.dissipated"], {"integrator": "moreau", "step": 1e-3}
    r = fm.run(satellite, end=4.0, outputs=outputs, settings=settings, points=41)
    assert np.ptp(r["energy.balance"]) < 1e-6
    assert r["latch.dissipated"][0, -1] == pytest.approx(0.2146952, rel=1e-5)


def test_each_sample_latches_for_itself():
    """A slow panel is still under way; the others hold; one of a batch is the same as alone, to the bit."""
    rates = np.array([0.5, 0.1, 1.0, 0.7, 0.4])
    settings = {"integrator": "moreau", "step": 2e-3}
    r = fm.run(satellite, {"rate": rates}, end=4.0, outputs=["latch.locked", "hub.rate"], settings=settings, points=3)
    np.testing.assert_array_equal(r["latch.locked"][:, -1], [1.0, 0.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(r["hub.rate"][[0, 2, 3, 4], -1], [after(x)[0] for x in rates[[0, 2, 3, 4]]], atol=1e-6)
    alone = fm.run(satellite, {"rate": rates[3:4]}, end=4.0, outputs=["hub.rate"], settings=settings, points=3)
    assert alone["hub.rate"][0, -1] == r["hub.rate"][3, -1]


def snap(pull=10.0, opens_at=12.0):
    """A block runs into a snap at x = 0.1 m and is pulled back with a force that grows by `pull` N/s."""
    s = fm.System(gravity=(0.0, 0.0))
    block = s.body("block", mass=2.0, inertia=0.01, position=(0.0, 0.0), velocity=(1.0, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), block.at(0.0, 0.0), (1.0, 0.0)))
    s.add(fm.PointForce("pull", block.at(0.0, 0.0), fx=fm.Polynomial((0.0, -pull))))
    s.add(fm.Lock("snap", fm.PlaceOf(s.ground.at(0.0, 0.0), block.at(0.0, 0.0), (1.0, 0.0)), 0.1, opens_at=opens_at))
    return s


def test_a_snap_opens_where_its_force_is_passed():
    """Held from 0.1 s on; a pull of 10 N/s passes 12 N at 1.2 s; then it moves by the pull alone."""
    outputs = ["snap.locked", "snap.force", "block.x", "block.vx"]
    r = fm.run(snap, end=1.5, outputs=outputs, settings={"integrator": "moreau", "step": 1e-3}, points=1501)
    locked, time = r["snap.locked"][0] > 0.5, np.asarray(r.time)
    assert time[locked][0] == pytest.approx(0.1, abs=3e-3)
    assert time[locked][-1] == pytest.approx(1.2, abs=3e-3)
    np.testing.assert_allclose(r["snap.force"][0][locked][5:-5], -10.0 * time[locked][5:-5], atol=0.02)
    np.testing.assert_allclose(r["block.x"][0][locked], 0.1, atol=1e-7)
    assert r["block.vx"][0, -1] == pytest.approx(-0.5 * 10.0 * (1.5**2 - 1.2**2) / 2.0, rel=1e-2)


def test_bad_locks_are_told():
    with pytest.raises(fm.ModelError, match="opens_at is -1"):
        snap(opens_at=-1.0)
    with pytest.raises(fm.ModelError, match=r"'latch'.*does not treat .* locks"):
        fm.run(satellite, end=0.1, outputs=["hub.x"], settings={"integrator": "event_driven"})
    with pytest.raises(fm.ModelError, match=r"'dormand_prince' does not treat what locks or sticks.*take 'moreau' with a step$"):
        fm.run(satellite, end=0.1, outputs=["hub.x"])
    r = fm.run(satellite, {"start": np.array([-1.2, 0.3])}, end=0.1, outputs=["hub.x"], settings={"integrator": "moreau", "step": 1e-3})
    assert r.status[0] == 0 and "beyond its value at the start" in r.message[1]
