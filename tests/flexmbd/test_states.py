"""Motions state by state: what goes on from a state is the same to the last bit wherever that state has been, and what is refused."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm

from . import going_on
from .going_on import BALL, CASES, ball, cable, digest, simulation
from .sentences import names, said

SCRIPT = Path(going_on.__file__)
SPEEDS = np.array([0.4, -0.1, 0.25, 0.7, 0.05, -0.3])
EXPLICIT = "dormand_prince", "rk4", "tree"
FIRST, SECOND = 0.01, 0.012  # s: in contact, then too


def inputs(name, values=(0.4,)):
    """Samples of a case."""
    return {"load" if name == "cable" else "speed": np.array(values)}


@pytest.fixture(scope="module", params=CASES)
def halfway(request):
    """Case, model, and the state of one sample in the midst of its motion."""
    sim = simulation(request.param)
    return request.param, sim, sim.step(sim.start(inputs(request.param)), FIRST)


def test_it_goes_on_from_the_same_state_to_the_same_state(halfway):
    _, sim, state = halfway
    before = state.values.copy()
    first = sim.step(state, SECOND)
    assert np.array_equal(state.values, before) and state.time[0] == FIRST and first.time[0] == SECOND
    assert digest(sim.step(state, SECOND)) == digest(first) == digest(sim.step(state.copy(), SECOND))


def test_a_state_is_in_contact_and_has_bristles_or_factors_or_series(halfway):
    """So that the other tests mean something."""
    name, _, state = halfway
    if name == "cable":
        assert sum(row.startswith("kept.") for row in state.names) > 100 and np.any(state["kept.0"])
    elif name == "taylor":
        assert np.all(state["kept.0"])
    else:
        assert state["floor.mode"][0] == 1.0 and abs(state["floor.bristle"][0]) > 1e-6


def test_it_goes_on_from_a_file_as_from_memory(halfway, tmp_path):
    _, sim, state = halfway
    state.save(tmp_path / "state.npz")
    loaded = sim.load(tmp_path / "state.npz")
    assert (loaded.topology, loaded.integrator, loaded.names, loaded.parts) == (state.topology, state.integrator, state.names, state.parts)
    assert all(np.array_equal(loaded.samples[key], x) for key, x in state.samples.items()) and loaded.samples.keys() == state.samples.keys()
    assert digest(loaded) == digest(state) and digest(sim.step(loaded, SECOND)) == digest(sim.step(state, SECOND))


def test_it_goes_on_from_a_file_of_before_its_rows_got_their_names(halfway, tmp_path):
    """Rows had other names then, and there was no longest way in a step."""
    _, sim, state = halfway
    state.save(tmp_path / "state.npz")
    with np.load(tmp_path / "state.npz") as found:
        held = dict(found)
    formerly = {"beta_h2": "icm", "nominal_step": "hn", "mechanism_size": "span", "largest_distance": "size", "time_margin": "slack"}
    rows, leap = held["names"].tolist(), held["names"].tolist().index("leap")
    held["names"] = np.array([formerly.get(name, name) for name in rows[:leap] + rows[leap + 1 :]])
    held["values"] = np.delete(held["values"], leap, axis=1)
    held |= {key: np.array([x[0] - (x[0] > leap), x[1]]) for key, x in held.items() if key.startswith("part:")}
    np.savez(tmp_path / "old.npz", **held)
    assert digest(sim.load(tmp_path / "old.npz")) == digest(state)


@pytest.mark.parametrize("name", ["dormand_prince", "tree", "cable"])
def test_it_goes_on_in_another_process(name, tmp_path):
    sim = simulation(name)
    state = sim.step(sim.start(inputs(name)), FIRST)
    state.save(tmp_path / "state")
    command = [sys.executable, str(SCRIPT), name, str(tmp_path / "state"), str(SECOND)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest(sim.step(state, SECOND))


def test_a_motion_in_steps_is_the_motion_at_once(halfway):
    """Steps end at other times, so only within what the scheme's tolerance allows."""
    name, sim, state = halfway
    once, twice = sim.step(sim.start(inputs(name)), SECOND), sim.step(state, SECOND)
    close = 1e-6 if name in EXPLICIT else 1e-3
    assert twice["coordinates"] == pytest.approx(once["coordinates"], abs=close)
    assert np.abs(twice["coordinates"] - once["coordinates"]).max() > 0.0 or CASES[name][2].get("fixed") or name == "rk4"


def test_reductions_go_on_over_states_as_over_the_whole_motion(halfway):
    name, sim, state = halfway
    whole, end = sim.go_on(sim.start(inputs(name)), SECOND, points=5)
    part, last = sim.go_on(state, SECOND, points=3)
    close = 1e-6 if name in EXPLICIT else 1e-2
    assert part.time.tolist() == [FIRST, 0.5 * (FIRST + SECOND), SECOND] and not part.status.any()
    for output, value in whole.outputs.items():
        if ":" in output:
            assert part[output] == pytest.approx(value, rel=close, abs=1e-6), output
        else:
            assert part[output][:, -1] == pytest.approx(value[:, -1], rel=close, abs=1e-6), output
    assert digest(sim.step(state, SECOND)) == digest(last)  # to record does not change the motion
    assert end.time[0] == last.time[0] == SECOND


@pytest.mark.parametrize("name", ["dormand_prince", "generalized_alpha", "tree", "implicit_tree"])
def test_a_sample_goes_on_alike_in_any_lane_and_company(name):
    sim = simulation(name, lanes=4)
    order = np.array([5, 2, 4, 0, 3, 1])
    first = sim.step(sim.start(inputs(name, SPEEDS)), FIRST)
    other = sim.step(sim.start(inputs(name, SPEEDS[order])), FIRST)
    assert np.array_equal(other.values, first.values[order])
    alone = replace(first, values=first.values[[4]], samples=inputs(name, SPEEDS[[4]]))
    last = sim.step(first, SECOND)
    assert np.array_equal(sim.step(other, SECOND).values, last.values[order])
    assert np.array_equal(sim.step(alone, SECOND).values, last.values[[4]])


@pytest.mark.parametrize("name", ["dormand_prince", "generalized_alpha"])
def test_lanes_go_on_from_what_a_single_one_has_left(name):
    one, wide = (simulation(name, lanes=lanes) for lanes in (1, 4))
    state = one.step(one.start(inputs(name)), FIRST)
    close = 1e-9 if name == "dormand_prince" else 1e-5
    assert wide.step(state, SECOND)["coordinates"] == pytest.approx(one.step(state, SECOND)["coordinates"], abs=close)


def test_parts_and_rows_have_names(halfway):
    _, _, state = halfway
    count = state.parts["coordinates"][1]
    assert state["coordinates"].shape == state["velocities"].shape == (1, count)
    first = state.names[state.parts["coordinates"][0]]
    assert first.endswith("[0]") and state[first].tolist() == state["coordinates"][:, 0].tolist()
    names(said(lambda: state["ball.wings"]), "ball.wings")


def test_states_do_not_share_their_numbers():
    sim = simulation("rk4")
    speeds = np.array([0.4, 0.2])
    state = sim.start({"speed": speeds})
    twin = state.copy()
    wanted = digest(sim.step(state, FIRST))
    speeds[:] = 9.0
    twin.values[:] = 0.0
    twin.samples["speed"][:] = 7.0
    assert state.samples["speed"].tolist() == [0.4, 0.2] and digest(sim.step(state, FIRST)) == wanted


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", ["dormand_prince", "rosenbrock", "generalized_alpha", "tree", "implicit_tree", "cable"])
def test_a_run_is_what_goes_on_from_the_start_and_each_sample_alone(name, lanes):
    """To the last bit: whoever was in a lane before leaves nothing there, kept factors neither."""
    outputs = CASES[name][1]
    sim, given = simulation(name, lanes), inputs(name, SPEEDS[:3])
    run = sim.run(given, end=0.1, points=3)
    trajectory, _ = sim.go_on(sim.start(given), 0.1, points=3)
    for output in outputs:
        assert np.array_equal(trajectory[output], run[output]), output
    for k in range(3):
        alone = sim.run({key: x[[k]] for key, x in given.items()}, end=0.1, points=3)
        assert all(np.array_equal(alone[output][0], run[output][k]) for output in outputs), k


def test_outputs_have_units():
    units = {"ball.vx": "m/s", "rod.angle": "rad", "floor.normal:max": "N", "ball.vx:mean": "m/s", "rod.angle:min": "rad"}
    assert simulation("rk4").units == units


# ---- what is refused
@pytest.fixture(scope="module")
def plain():
    """Model and state of the disc at a fixed step."""
    sim = simulation("rk4")
    return sim, sim.step(sim.start(inputs("rk4", SPEEDS[:2])), FIRST)


def compiled(build=ball, outputs=BALL, **settings):
    return fm.compile(build, {"speed": [0.4]}, outputs=outputs, end=0.1, settings={"lanes": 1} | settings)


RK4 = {"integrator": "rk4", "step": 1e-4}


def spare(speed):
    s = ball(speed)
    s.body("spare", mass=1.0, inertia=1.0)
    return s


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: compiled(spare, **RK4), ("another model", "compile the model")),
        (lambda: compiled(outputs=BALL[:3], **RK4), ("other outputs or settings",)),
        (lambda: compiled(integrator="dormand_prince"), ("integrator 'rk4'",)),
        (lambda: compiled(formulation="tree", **RK4), ("other coordinates (ball[0], ball[1], ball[2]", "formulation")),
    ],
    ids=["topology", "outputs", "integrator", "formulation"],
)
def test_a_state_of_something_else_is_refused(make, words, plain, tmp_path):
    _, state = plain
    state.save(tmp_path / "state.npz")
    sim = make()
    names(said(lambda: sim.step(state, SECOND)), *words)
    names(said(lambda: sim.go_on(state, SECOND)), *words)
    names(said(lambda: sim.load(tmp_path / "state.npz")), *words)


@pytest.mark.parametrize("until", [FIRST, 0.0, -1.0])
def test_it_does_not_go_back(until, plain):
    sim, state = plain
    names(said(lambda: sim.step(state, until)), "which is not later", f"{FIRST:g} s")


@pytest.mark.parametrize("until", [np.inf, np.nan, "later", None, np.array([0.02, 0.03])])
def test_the_end_is_a_number_of_seconds(until, plain):
    sim, state = plain
    names(said(lambda: sim.step(state, until)), "until")
    names(said(lambda: sim.go_on(state, until)), "until")


@pytest.mark.parametrize("points", [0, -3, 2.5, True])
def test_points_are_a_whole_number(points, plain):
    sim, state = plain
    names(said(lambda: sim.go_on(state, SECOND, points=points)), "points")


def test_what_is_no_saved_state_is_refused(plain, tmp_path):
    sim, state = plain
    state.save(tmp_path / "whole")
    texts = {"text": b"what is this", "nothing": b"", "part": (tmp_path / "whole").read_bytes()[:400]}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
        names(said(lambda path=tmp_path / name: sim.load(path)), "is not a state that was saved", name)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    np.savez(tmp_path / "objects.npz", values=np.array([{}], dtype=object))
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("other.npz", "objects.npz", "array.npy", "absent", "."):
        names(said(lambda path=tmp_path / name: sim.load(path)), "is not a state that was saved")


def test_samples_must_be_as_many_as_the_model_has(plain):
    sim, state = plain
    names(said(lambda: sim.step(replace(state, values=state.values[:1]), SECOND)), "1 samples", "2")
    mixed = state.values.copy()
    mixed[1] = sim.step(state, SECOND).values[1]
    names(said(lambda: sim.step(replace(state, values=mixed), SECOND)), "different times")


def hung(at):
    """A rod that hangs on a pin and on a bar of 1 m from the ground at `at`."""
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.3, inertia=0.2, position=(0.5, 0.0), points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.Distance("bar", s.ground.at(at, 0.3), rod["E"], length=1.0))
    return s


def test_a_sample_that_cannot_be_assembled_is_named():
    sim = fm.compile(hung, {"at": [1.5]}, outputs=["rod.x"], end=0.1, settings={"lanes": 1, "integrator": "dormand_prince"})
    assert sim.start({"at": [1.5, 1.2]}).time.tolist() == [0.0, 0.0]
    names(said(lambda: sim.start({"at": [1.5, 9.0]})), "sample 1 cannot start")


def test_a_motion_that_is_lost_is_named(plain):
    sim, state = plain
    values = state.values.copy()
    values[1, state.parts["velocities"][0]] = np.nan
    names(said(lambda: sim.step(replace(state, values=values), SECOND)), "sample 1 does not get to 0.012 s")


@pytest.mark.parametrize("speed, words", [([], "no samples"), (["fast"], "speed"), ([np.nan], "speed"), ([[0.1, 0.2]], "speed")])
def test_samples_to_start_with_are_numbers(speed, words, plain):
    sim, _ = plain
    names(said(lambda: sim.start({"speed": speed})), words)


def test_samples_to_start_with_are_as_many_of_each_input():
    sim = fm.compile(lambda speed, mass: ball(speed), {"speed": [0.4], "mass": [1.0]}, end=0.1, settings={"lanes": 1} | RK4)
    names(said(lambda: sim.start({"speed": [0.1, 0.2], "mass": [1.0, 2.0, 3.0]})), "input 'mass'", "2 samples")


@pytest.mark.parametrize("outputs", [["ball.y:final"], ["ball.y:final", "ball.y"]], ids=["alone", "with a history"])
@pytest.mark.parametrize("points", [1, 2, 3])
def test_a_final_value_is_that_of_the_end_whatever_the_points(outputs, points):
    s = fm.System(gravity=(0.0, -8.0))
    s.body("ball", mass=1.0, inertia=1.0)
    sim = fm.compile(s, outputs=outputs, end=2.0, settings={"lanes": 1})
    run = sim.run(end=2.0, points=points)
    assert run["ball.y:final"] == pytest.approx(-16.0)
    trajectory, _ = sim.go_on(sim.step(sim.start(), 1.0), 2.0, points=points)
    assert trajectory["ball.y:final"] == pytest.approx([-16.0])
    if len(outputs) > 1:
        assert run["ball.y"] == pytest.approx(-4.0 * run.time**2) and len(run.time) == points
        assert trajectory["ball.y"][0] == pytest.approx(-4.0 * trajectory.time**2) and len(trajectory.time) == points


def test_an_unknown_output_and_an_end_that_is_none_are_refused():
    names(said(lambda: compiled(outputs=["ball.wings"], **RK4)), "ball.wings")
    names(said(lambda: fm.compile(cable, end=0.0)), "end")


def test_the_most_steps_are_those_from_a_state_on():
    """Not those of the whole life of a motion, which may be as long as one likes."""

    def stone():
        s = fm.System(gravity=(0.0, -9.81))
        s.body("stone", mass=1.0, inertia=1.0)
        return s

    settings = {"integrator": "rk4", "step": 0.01, "lanes": 1, "max_steps": 60}
    sim = fm.compile(stone, outputs=["stone.y"], end=1.0, settings=settings)
    state = sim.start()
    for until in (0.5, 1.0, 1.5):
        state = sim.step(state, until)
    assert state["steps"] == pytest.approx(150.0) and state["stone[1]"] == pytest.approx(-0.5 * 9.81 * 1.5**2, rel=1e-9)
    names(said(lambda: sim.step(state, 3.0)), "sample 0 does not get to 3 s", "max_steps = 60")


def test_going_on_does_not_change_what_was_found_before():
    """A simulation uses its arrays again for the same samples; what it gave out is nobody else's."""
    calls = []

    def build(mass):
        calls.append(mass)
        s = fm.System(gravity=(0.0, -9.81))
        rod = s.body("rod", mass=mass, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
        return s

    sim = fm.compile(build, {"mass": [1.0, 2.0]}, outputs=["rod.x", "rod.y:min"], end=1.0)
    state = sim.start({"mass": [1.0, 2.0]})
    first, later = sim.go_on(state, 0.4, points=5)
    known = {name: x.copy() for name, x in (first.outputs | first.statistics).items()}, later.values.copy(), len(calls)
    second, _ = sim.go_on(later, 1.0, points=7)
    assert all(np.array_equal(known[0][name], x) for name, x in (first.outputs | first.statistics).items())
    assert np.array_equal(known[1], later.values) and len(calls) == known[2]
    again, _ = sim.go_on(later, 1.0, points=7)
    assert all(np.array_equal(second[name], again[name]) for name in second.outputs)
    other = sim.go_on(sim.start({"mass": [2.0]}), 0.4, points=5)[0]
    assert len(calls) > known[2] and other["rod.x"] == pytest.approx(first["rod.x"][1:], abs=1e-7)
