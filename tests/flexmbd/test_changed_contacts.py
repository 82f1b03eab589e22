"""Motions that go on with another clearance, friction or length, against motions that start anew from the same places and velocities."""

from functools import partial

import numpy as np
import pytest

import flexmbd as fm

from .sentences import names

LAW = fm.HuntCrossley(1e8, restitution=0.6)
G = (0.0, -9.81)
CHANGED = 0.05  # s
NEW = np.array([1.0e-3, 0.9e-3, 1.2e-3])  # clearances: the same, one that overlaps, one that lets go
SOFT = {
    "dormand_prince": {}, "dop853": {}, "gauss_8": {}, "rk4": {"step": 2e-5}, "rosenbrock": {},
    "generalized_alpha": {"step": 1e-4}, "ggl": {"step": 1e-4, "fixed": True}, "variational": {"step": 2e-5},
    "energy_momentum": {"step": 1e-4},
}  # fmt: skip
HARD = {"moreau": {"step": 1e-4}, "nonsmooth_generalized_alpha": {"step": 1e-4}, "nonsmooth_ggl": {"step": 1e-4}, "event_driven": {}}


def shaft_in(law, friction=None):
    """A shaft that falls into its bearing, by how it starts."""

    def build(x, y, vx, vy, turn, rate, clearance):
        s = fm.System(gravity=G)
        shaft = s.body("shaft", mass=0.4, inertia=2e-3, position=(x, y), velocity=(vx, vy), angle=turn, rate=rate)
        s.add(fm.ClearanceRevolute("bearing", shaft.centre, s.ground.at(0.0, 0.0), clearance, law, friction, bearing_radius=0.01))
        return s

    return build


def start_of(clearance, x=2e-4, y=0.0, vx=0.01, vy=0.0, turn=0.0, rate=5.0):
    given = {"x": x, "y": y, "vx": vx, "vy": vy, "turn": turn, "rate": rate, "clearance": clearance}
    return {name: np.broadcast_to(np.asarray(value, float), NEW.shape).copy() for name, value in given.items()}


def one_of(state, i):
    """A sample of a state by itself."""
    samples = {name: x[i : i + 1] for name, x in state.samples.items()}
    return fm.State(state.topology, state.integrator, state.names, state.parts, state.values[i : i + 1], samples)


OUTPUTS = ["shaft.x", "shaft.y", "shaft.vy", "shaft.rate", "energy.balance", "energy.total", "energy.dissipated"]


def changed(build, settings):
    """A motion with other clearances from `CHANGED` on, the state of before, and how a fresh one would start there."""
    first = start_of(1e-3)
    sim = fm.compile(build, first, outputs=OUTPUTS, end=0.1, settings={"lanes": 4, **settings})
    before = sim.step(sim.start(first), CHANGED)
    then, after = sim.go_on(before, 2 * CHANGED, points=6, inputs={"clearance": NEW})
    q, v = before["coordinates"].T, before["velocities"].T
    turn, rate = np.arctan2(q[3], q[2]), q[2] * v[3] - q[3] * v[2]
    return sim, before, then, after, start_of(NEW, q[0], q[1], v[0], v[1], turn, rate)


def same_as_fresh(sim, fresh, then, close):
    again, _ = sim.go_on(sim.start(fresh), CHANGED, points=6)
    for name, size in (("shaft.x", 1e-3), ("shaft.y", 1e-3), ("shaft.vy", 0.1), ("shaft.rate", 5.0)):
        assert then[name][1:] == pytest.approx(again[name][1:], abs=close * size), name


def alone_as_together(sim, before, after):
    for i in range(len(NEW)):
        _, alone = sim.go_on(one_of(before, i), 2 * CHANGED, points=6, inputs={"clearance": NEW[i : i + 1]})
        for part in ("coordinates", "velocities"):
            assert np.array_equal(alone[part][0], after[part][i])


@pytest.mark.parametrize("integrator", SOFT)
def test_another_clearance_is_a_start_from_there(integrator):
    """The shaft has come to rest on its bearing, nearly; a smaller clearance presses it in, a larger one lets it fall."""
    build = shaft_in(LAW, fm.Ambrosio(0.1, 1e-3, 1e-2))
    sim, before, then, after, fresh = changed(build, {"integrator": integrator, **SOFT[integrator]})
    assert then.status.tolist() == [0, 0, 0]
    same_as_fresh(sim, fresh, then, 3e-3)
    alone_as_together(sim, before, after)
    names(then.attributes["bearing.change"], "1 of 3", "closes", "0.05 s")
    assert np.ptp(then["energy.balance"], axis=1).max() < 2e-5 and after.notes["bearing.change"] == then.attributes["bearing.change"]


@pytest.mark.parametrize("integrator", HARD)
def test_surfaces_that_would_overlap_are_moved_apart(integrator):
    """The shaft goes to the surface of the smaller bearing, along the line of centres, as nothing else has to move."""
    build = shaft_in(fm.Impenetrable(0.5, friction=0.1))
    sim, before, then, after, fresh = changed(build, {"integrator": integrator, **HARD[integrator]})
    assert then.status.tolist() == [0, 0, 0]
    out = np.hypot(fresh["x"], fresh["y"])
    inside = np.minimum(1.0, NEW / out)
    assert then["shaft.y"][:, 0] == pytest.approx(inside * fresh["y"], abs=1e-8) and inside[1] < 0.95
    same_as_fresh(sim, {**fresh, "x": inside * fresh["x"], "y": inside * fresh["y"]}, then, 1e-2)
    alone_as_together(sim, before, after)
    names(then.attributes["bearing.overlap"], "1 of 3", f"{out[1] - NEW[1]:.3g} m")
    names(then.attributes["start.moved"], "1 of 3", "0.05 s")
    names(then.attributes["energy.change"], "begins anew", "0.05 s")


def test_an_overlap_that_is_too_large_is_refused_alone():
    first = start_of(1e-3)
    sim = fm.compile(shaft_in(fm.Impenetrable(0.5)), first, outputs=OUTPUTS, end=0.1, settings={"integrator": "moreau", "step": 1e-4})
    before = sim.step(sim.start(first), CHANGED)
    then, _ = sim.go_on(before, 0.1, points=3, inputs={"clearance": [1e-3, 1e-5, 1.1e-3]})
    assert then.status.tolist() == [0, 3, 0]
    names(then.message[1], "'clearance' of sample 1", "'bearing'", "cannot be penetrated", "m", "smaller steps")


def test_a_change_up_and_down_again_goes_on_for_ever():
    """A hundred changes of a clearance, as a diagram over it makes them; each starts from the end of the one before."""
    first = {name: x[:1] for name, x in start_of(1e-3).items()}
    build = shaft_in(fm.Impenetrable(0.5, friction=0.1))
    sim = fm.compile(build, first, outputs=OUTPUTS, end=1.0, settings={"integrator": "nonsmooth_ggl", "step": 1e-3})
    state = sim.start(first)
    for k, clearance in enumerate(1e-3 * (1.0 - 0.005 * np.abs(np.arange(-50, 50)))):
        state = sim.step(state, 0.01 * (k + 1), inputs={"clearance": clearance})
        assert np.hypot(*state["coordinates"][0, :2]) < clearance * (1.0 + 1e-5)


def stone(mass, friction):
    s = fm.System(gravity=G)
    body = s.body("stone", mass=mass, inertia=0.1, position=(0.0, 0.3), velocity=(1.0, 0.0))
    rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.3), body.centre))
    s.add(fm.JointFriction("rub", rail, fm.Ambrosio(friction, 1e-5, 1e-4)))
    return s


def test_friction_that_changes_brakes_as_it_says():
    """v = v0 - mu g t, with one coefficient and then another."""
    start = {"mass": [2.0], "friction": [0.05]}
    sim = fm.compile(stone, start, outputs=["stone.vx"], end=0.4, settings={"integrator": "dormand_prince"})
    state = sim.step(sim.step(sim.start(start), 0.2), 0.4, inputs={"friction": 0.2, "mass": 3.0})
    assert state["velocities"][0, 0] == pytest.approx(1.0 - 9.81 * 0.2 * 0.25, abs=1e-5)


def rod(length):
    s = fm.System(gravity=G)
    body = s.body("rod", mass=1.0, inertia=0.1, position=(length, 0.0), points={"O": (-length, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body["O"]))
    return s


@pytest.mark.parametrize("integrator, formulation", [("dormand_prince", "natural"), ("dormand_prince", "tree"), ("taylor", "tree")])
def test_a_joint_that_no_longer_closes_is_closed(integrator, formulation):
    start = {"length": [0.5]}
    settings = {"integrator": integrator, "tolerance": 1e-10, "formulation": formulation}
    sim = fm.compile(rod, start, outputs=["rod.x", "rod.y", "energy.balance"], end=0.4, settings=settings)
    before = sim.step(sim.start(start), 0.2)
    then, after = sim.go_on(before, 0.4, points=11, inputs={"length": 0.503})
    assert np.hypot(then["rod.x"], then["rod.y"]) == pytest.approx(np.full((1, 11), 0.503), abs=1e-8)
    assert np.ptp(then["energy.balance"]) < 1e-8
    if formulation == "natural":  # joints' coordinates fit all lengths
        names(after.notes["start.moved"], "0.2 s", " m")


def oiled(x, y, vx, vy, clearance):
    s = fm.System(gravity=G)
    shaft = s.body("shaft", mass=0.4, inertia=2e-3, position=(x, y), velocity=(vx, vy), rate=50.0)
    oil = fm.ShortFilm(0.02, 0.02)
    s.add(fm.ClearanceRevolute("bearing", shaft.centre, s.ground.at(0.0, 0.0), clearance, None, bearing_radius=0.01, film=oil))
    return s


def test_another_clearance_of_a_film_is_a_start_from_there():
    first = {name: x for name, x in start_of(1e-4, x=2e-5).items() if name not in ("turn", "rate")}
    settings = {"integrator": "generalized_alpha", "step": 1e-4, "lanes": 4}
    sim = fm.compile(oiled, first, outputs=["shaft.x", "shaft.y"], end=0.1, settings=settings)
    before = sim.step(sim.start(first), 0.02)
    q, v, clearance = before["coordinates"].T, before["velocities"].T, np.array([1e-4, 0.8e-4, 1.3e-4])
    then, _ = sim.go_on(before, 0.04, points=5, inputs={"clearance": clearance})
    again, _ = sim.go_on(sim.start({"x": q[0], "y": q[1], "vx": v[0], "vy": v[1], "clearance": clearance}), 0.02, points=5)
    for name in ("shaft.x", "shaft.y"):
        assert then[name][1:] == pytest.approx(again[name][1:], abs=1e-7) and not then.status.any()


def in_space(joint):
    """A body that falls sideways in a joint with play, by the joint."""

    def build(clearance):
        s = fm.System(gravity=(0.5, -9.81, 0.3))
        turning = {"inertia": (2e-3, 3e-3, 4e-3), "angular_velocity": (0.0, 0.0, 5.0)}
        body = s.body("body", mass=0.4, position=(2e-5, 1e-5, 0.0), **turning)
        s.add(joint("joint", body.centre, s.ground.at(0.0, 0.0, 0.0), clearance, 0.01))
        return s

    return build


def in_plane(joint):
    def build(clearance):
        s = fm.System(gravity=(0.5, -9.81))
        body = s.body("body", mass=0.4, inertia=2e-3, position=(1e-5, 0.0), rate=1.0)
        s.add(joint("joint", body.centre, s.ground.at(0.0, 0.0), clearance, 0.1, 0.04))
        return s

    return build


STIFF, RIGID = {"law": LAW}, {"law": fm.Impenetrable(0.5)}
JOINTS = {
    "spherical": lambda law: in_space(partial(fm.ClearanceSpherical, **law)),
    "cylindrical": lambda law: in_space(partial(fm.ClearanceCylindrical, length=0.02, **law)),
    "translational": lambda law: in_plane(partial(fm.ClearanceTranslational, **law)),
}


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("law, own", [(STIFF, {}), (RIGID, {"step": 1e-4})], ids=["law", "impenetrable"])
def test_every_joint_with_play_goes_on(joint, law, own):
    """What was dissipated stays dissipated, what the change brings is booked, and the book stays closed."""
    first, new = {"clearance": np.full(4, 1e-3)}, 1e-3 * np.array([1.0, 0.95, 1.1, 0.8])
    outputs = ["energy.balance", "energy.dissipated"]
    sim = fm.compile(JOINTS[joint](law), first, outputs=outputs, end=0.1, settings={"lanes": 4, **own})
    before, state = sim.go_on(sim.start(first), 0.08, points=2)
    then, _ = sim.go_on(state, 0.1, points=6, inputs={"clearance": new})
    assert not then.status.any() and then.attributes["joint.change" if law is STIFF else "joint.overlap"]
    assert then["energy.dissipated"][:, 0] == pytest.approx(before["energy.dissipated"][:, -1], rel=1e-9)
    assert np.ptp(then["energy.balance"], axis=1).max() < 1e-9
