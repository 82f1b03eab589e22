"""Clearance joints in space: equilibrium, balances, and the planar joint as a special case."""

import numpy as np
import pytest

import flexmbd as fm

LAW = fm.LankaraniNikravesh(stiffness=1e8, restitution=0.5)
FRICTION = fm.Ambrosio(mu=0.1, v0=1e-3, v1=1e-2)
SIZE = {"clearance": 1e-3, "bearing_radius": 0.02}


def two_free_bodies(joint, friction=FRICTION, **options):
    """A ring and a shaft that float, the shaft hitting the ring's inside: nothing acts from outside."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ring = system.body("ring", mass=1.0, inertia=(2e-3, 3e-3, 4e-3), points={"B": (0.01, 0.0, 0.02)})
    place = {"position": (0.01, 2e-4, 0.02), "rotation": (0.004, -0.01, 0.3)}
    shaft = system.body(
        "shaft", mass=0.5, inertia=(1e-3, 1.2e-3, 6e-4), velocity=(0.3, -0.1, 0.2), angular_velocity=(2.0, 1.0, 30.0), **place
    )
    system.add(joint("B", shaft.centre, ring["B"], law=LAW, friction=friction, **SIZE, **options))
    return system


JOINTS = [(fm.ClearanceSpherical, {}), (fm.ClearanceCylindrical, {"length": 0.05})]


@pytest.fixture(scope="module", params=JOINTS, ids=["spherical", "cylindrical"])
def collision(request):
    joint, options = request.param
    keys = [*"xyz", *(f"v{a}" for a in "xyz"), *(f"omega_{k}" for k in "xyz123"), *(f"d{k}{a}" for k in "123" for a in "xyz")]
    hits = ["B.impacts:max"] if joint is fm.ClearanceSpherical else ["B.1.impacts:max", "B.2.impacts:max"]
    outputs = [f"{body}.{key}" for body in ("ring", "shaft") for key in keys] + ["energy.balance", "energy.kinetic", "energy.dissipated"]
    settings = {"tolerance": 1e-10, "lanes": 1}
    run = fm.run(lambda: two_free_bodies(joint, **options), {}, end=0.03, points=31, outputs=[*outputs, *hits], settings=settings)
    assert run.message == [""]
    return {name: x[0] for name, x in run.outputs.items()}, hits


def stacked(found, body, keys):
    return np.stack([found[f"{body}.{key}"] for key in keys], -1)


def test_contact_keeps_momentum_and_angular_momentum(collision):
    found, _ = collision
    momentum, turning = 0.0, 0.0
    for body, mass, inertia in (("ring", 1.0, (2e-3, 3e-3, 4e-3)), ("shaft", 0.5, (1e-3, 1.2e-3, 6e-4))):
        place, speed = stacked(found, body, "xyz"), stacked(found, body, ("vx", "vy", "vz"))
        own = stacked(found, body, ("omega_1", "omega_2", "omega_3")) * inertia
        frame = stacked(found, body, [f"d{k}{a}" for k in "123" for a in "xyz"]).reshape(-1, 3, 3)
        momentum = momentum + mass * speed
        turning = turning + mass * np.cross(place, speed) + np.einsum("tk,tki->ti", own, frame)
    assert np.ptp(momentum, axis=0).max() < 1e-9 * np.abs(momentum).max()
    assert np.ptp(turning, axis=0).max() < 1e-8 * np.abs(turning).max()


def test_energy_balance_of_a_collision_with_friction(collision):
    found, hits = collision
    assert all(found[hit] >= 1 for hit in hits)
    assert found["energy.dissipated"][-1] > 0.01 * found["energy.kinetic"][0]
    assert np.ptp(found["energy.balance"]) < 1e-6 * found["energy.kinetic"][0]


SHARE = fm.HuntCrossley(stiffness=5e7, restitution=0.5)


def journals():
    """A rotor that comes to rest in its bearing, and beside it a pendulum in a worn bearing; both axes along y."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    axes, centre = {"axis_a": (0.0, 1.0, 0.0), "axis_b": (0.0, 1.0, 0.0)}, system.ground.at(0.0, 0.0, 0.0)
    rotor = system.body("rotor", mass=2.0, inertia=(0.02, 0.01, 0.02), position=(0.0, 0.01, -1e-3))
    soft = fm.KelvinVoigt(stiffness=1e6, damping=300.0)
    system.add(fm.ClearanceCylindrical("B", rotor.centre, centre, law=soft, length=0.1, **axes, **SIZE))
    rod = system.body("rod", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.2, 0.0, 0.0), points={"O": (-0.2, 0.0, 0.0)})
    system.add(fm.ClearanceCylindrical("P", rod["O"], centre, law=SHARE, friction=FRICTION, length=0.05, **axes, **SIZE))
    return system


def in_bearings(end, points, tolerance):
    outputs = ["B.1.normal", "B.2.normal", "B.ez", "rotor.vz", "rotor.omega_x", "rotor.y", "rod.x", "rod.z", "P.1.normal", "P.2.normal"]
    return fm.run(journals, {}, end=end, points=points, outputs=outputs, settings={"tolerance": tolerance, "lanes": 1}).outputs


def test_journal_rests_under_its_weight():
    found = in_bearings(0.3, 4, 1e-9)
    left, right = found["B.1.normal"][0, -1], found["B.2.normal"][0, -1]
    assert left + right == pytest.approx(2.0 * 9.81, rel=1e-6)
    along = found["rotor.y"][0, -1]  # tilted by its weight, it slides off by some micrometres
    assert (right - left) * 0.05 == pytest.approx(2.0 * 9.81 * along, rel=1e-4)  # moment about the bearing's centre
    assert found["B.ez"][0, -1] == pytest.approx(-1e-3 - (left + right) / 2e6 - along / 0.05 * (right - left) / 2e6, abs=1e-9)
    assert abs(found["rotor.vz"][0, -1]) < 1e-6 and abs(found["rotor.omega_x"][0, -1]) < 1e-5


def test_planar_motion_is_that_of_the_planar_joint():
    """A pendulum in a worn bearing, its axis along y: two end sections share what the planar joint carries as one."""

    def planar():
        system = fm.System(gravity=(0.0, -9.81))
        rod = system.body("rod", mass=1.0, inertia=0.02, position=(0.2, 0.0), points={"O": (-0.2, 0.0)})
        law = fm.HuntCrossley(stiffness=1e8, restitution=0.5)
        system.add(fm.ClearanceRevolute("B", rod["O"], system.ground.at(0.0, 0.0), law=law, friction=FRICTION, **SIZE))
        return system

    one, settings = in_bearings(0.06, 13, 1e-10), {"tolerance": 1e-10, "lanes": 1}
    other = fm.run(planar, {}, end=0.06, points=13, outputs=["rod.x", "rod.y", "B.normal"], settings=settings).outputs
    assert one["rod.x"][0] == pytest.approx(other["rod.x"][0], abs=1e-9)
    assert one["rod.z"][0] == pytest.approx(other["rod.y"][0], abs=1e-9)
    assert one["P.1.normal"] + one["P.2.normal"] == pytest.approx(other["B.normal"], rel=1e-4, abs=1e-3)


def test_what_spatial_clearance_joints_refuse():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ends = system.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1)).centre, system.ground.at(0.0, 0.0, 0.0)
    with pytest.raises(fm.ModelError, match="bearing_radius must be greater"):
        fm.ClearanceSpherical("B", *ends, clearance=0.1, bearing_radius=0.05, law=LAW)
    with pytest.raises(fm.ModelError, match="planar contacts only"):
        fm.ClearanceSpherical("B", *ends, law=LAW, friction=fm.LuGre(0.3, 0.2, 0.01, 1e4), **SIZE)
    with pytest.raises(fm.ModelError, match="length"):
        fm.ClearanceCylindrical("B", *ends, law=LAW, length=0.0, **SIZE)
