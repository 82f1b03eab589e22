"""Reductions within a window of time, over the last turn of a shaft, and percentiles, against motions in closed form."""

import numpy as np
import pytest

import flexmbd as fm

from .sentences import said

G, SPEED, CRANK = 9.81, 2.0 * np.pi * 5.0, 0.05
PERIOD = 2.0 * np.pi / SPEED


def stone(height=10.0, speed=3.0):
    """A stone thrown up: y = height + speed t - G t² / 2."""
    s = fm.System(gravity=(0.0, -G))
    s.body("stone", mass=1.0, inertia=1.0, position=(0.0, height), velocity=(0.0, speed))
    return s


def crank(speed=SPEED):
    """A driven crank, whose end goes round in a circle."""
    s = fm.System()
    arm = s.body("crank", mass=0.3, inertia=1e-4, position=(CRANK / 2, 0.0), points={"O": (-CRANK / 2, 0.0), "A": (CRANK / 2, 0.0)})
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), arm["O"]))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), arm["O"], fm.ConstantSpeed(speed)))
    return s


def ball(height=0.1):
    """A ball that bounces."""
    s = fm.System(gravity=(0.0, -G))
    body = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + height))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(0.8)))
    return s


def test_a_window_between_two_times_is_exact_to_its_ends():
    height = np.array([10.0, 12.0, 15.0])
    hows = ("max", "min", "abs_max", "mean", "rms", "time_of_max", "time_of_min")
    outputs = [f"stone.y:{how}@0.45..0.8" for how in hows] + ["stone.y:min@..0.2", "stone.y:max@ 450 ms .. 0.8 s", "stone.y:max@0.1.."]
    run = fm.run(stone, {"height": height}, end=1.0, points=2, outputs=outputs, settings={"lanes": 4})
    assert not run.status.any(), run.message
    t = np.linspace(0.45, 0.8, 200_001)
    y = height[:, None] + 3.0 * t - 0.5 * G * t**2
    wanted = {
        "max": y[:, 0], "min": y[:, -1], "abs_max": y[:, 0], "mean": np.trapezoid(y, t) / 0.35,
        "rms": np.sqrt(np.trapezoid(y**2, t) / 0.35), "time_of_max": 0.45, "time_of_min": 0.8,
    }  # fmt: skip
    for how in hows:
        assert run[f"stone.y:{how}@0.45..0.8"] == pytest.approx(wanted[how], rel=1e-6 if how == "rms" else 1e-9), how
    assert run["stone.y:min@..0.2"] == pytest.approx(height, rel=1e-12)
    assert run["stone.y:max@ 450 ms .. 0.8 s"] == pytest.approx(y[:, 0], rel=1e-9)
    assert run["stone.y:max@0.1.."] == pytest.approx(height + 9.0 / (2.0 * G), rel=1e-9)


@pytest.mark.parametrize("speed", (SPEED, -SPEED))
@pytest.mark.parametrize("end", (2.6, 3.0))
def test_the_last_turn_is_the_last_whole_one_counted_from_the_start(end, speed):
    turns = np.floor(end)
    where = "@last turn of crank.angle"
    hows = ("mean", "rms", "max", "time_of_max", "p25")
    run = fm.run(crank(speed), end=end * PERIOD, points=31, outputs=[f"crank.A.y:{how}{where}" for how in hows])
    assert not run.status, run.message
    up = 0.25 if speed > 0 else 0.75
    wanted = {
        "mean": 0.0, "rms": CRANK / np.sqrt(2.0), "max": CRANK, "time_of_max": (turns - 1.0 + up) * PERIOD, "p25": -CRANK * np.sqrt(0.5),
    }  # fmt: skip
    for how in hows:
        assert run[f"crank.A.y:{how}{where}"] == pytest.approx(wanted[how], abs=(3e-3 if how == "p25" else 2e-4) * CRANK), how


@pytest.mark.parametrize(
    ("model", "name", "settings"),
    (
        (crank, "crank.A.ay", {"integrator": "rk4", "step": 1e-3}),
        (crank, "crank.A.ay", {"integrator": "generalized_alpha", "step": 1e-3}),
        (ball, "ball.vy", {"integrator": "moreau", "step": 1e-3}),
        (ball, "ball.vy", {"integrator": "event_driven"}),
    ),
)
def test_a_window_of_all_the_time_is_no_window(model, name, settings):
    hows = ("max", "min", "mean", "rms", "time_of_max", "time_of_min")
    outputs = [name, *(f"{name}:{how}" for how in hows)]
    alone = fm.run(model(), end=0.5, points=21, outputs=outputs, settings=settings)
    both = fm.run(model(), end=0.5, points=21, outputs=[*outputs, *(f"{name}:{how}@0.." for how in hows)], settings=settings)
    assert not both.status, both.message
    for out in outputs:
        assert np.array_equal(alone[out], both[out]), out  # the motion knows nothing of windows
    for how in hows:
        assert both[f"{name}:{how}@0.."] == pytest.approx(both[f"{name}:{how}"], rel=1e-12, abs=1e-12), how


def test_percentiles_are_of_the_time_and_leave_histories_as_they_are():
    outputs = ["crank.A.y", "crank.A.y:p0", "crank.A.y:p50", "crank.A.y:p95", "crank.A.y:p99.9", "crank.A.y:p100", "crank.A.y:final"]
    run = fm.run(crank(), end=2.0 * PERIOD, points=12, outputs=outputs)
    for level in (0, 50, 95, 99.9, 100):
        wanted = CRANK * np.sin(np.pi * (level / 100.0 - 0.5))
        assert run[f"crank.A.y:p{level:g}"] == pytest.approx(wanted, abs=1e-3 * CRANK), level  # of 2,000 times
    alone = fm.run(crank(), end=2.0 * PERIOD, points=12, outputs=["crank.A.y", "crank.A.y:final"])
    assert np.array_equal(run["crank.A.y"], alone["crank.A.y"]) and run["crank.A.y:final"] == alone["crank.A.y:final"]


def test_without_a_whole_turn_the_run_says_so():
    run = fm.run(
        crank, {"speed": np.array([SPEED, 0.2 * SPEED])}, end=1.5 * PERIOD, points=2, outputs=["O.fx:max@last turn of crank.angle"]
    )
    assert list(run.status) == [0, 3] and np.isnan(run.outputs["O.fx:max@last turn of crank.angle"][1])
    assert "'crank.angle' makes no whole turn until 0.3 s" in run.message[1]


@pytest.mark.parametrize(
    ("output", "words"),
    (
        ("stone.y:max@soon", "'soon' is no window of time"),
        ("stone.y:max@..", "is no window of time"),
        ("stone.y:max@0.3..0.1", "does not end after its begin"),
        ("stone.y:max@0.1 kg..", "is no window of time"),
        ("stone.y@0.1..", "a history has no window"),
        ("stone.y:final@0.1..", "the final value has no window"),
        ("stone.y:max@2..", "its window begins at 2 s, and the run ends at 1 s"),
        ("stone.y:max@0.1..1.5", "its window ends at 1.5 s, and the run ends at 1 s"),
        ("stone.y:max@last turn of wheel.angle", "output 'wheel.angle' is not known"),
        ("stone.y:max@last turn of stone.x", "'stone.x' is in m, and turns are counted in rad"),
        ("stone.y:p101", "reduction 'p101' is not known"),
    ),
)
def test_what_is_no_window_is_one_sentence(output, words):
    assert words in said(lambda: fm.prepare(stone, {"height": 1.0}, end=1.0, points=2, outputs=[output]))


def test_a_window_goes_on_from_state_to_state():
    output = "crank.A.y:mean@last turn of crank.angle", "crank.A.y:max@0.02..0.1"
    sim = fm.compile(crank(), outputs=output, end=2.5 * PERIOD)
    state = sim.step(sim.start(), 0.4 * PERIOD)
    first, state = sim.go_on(state, 0.8 * PERIOD, points=2)
    found, _ = sim.go_on(state, 2.5 * PERIOD, points=2)
    whole = fm.run(crank(), end=2.5 * PERIOD, points=2, outputs=output)
    assert np.isnan(first[output[0]]).all() and not first.status.any()
    assert [float(found[name][0]) for name in output] == pytest.approx([float(whole[name]) for name in output], abs=1e-6 * CRANK)


def test_a_force_that_only_pushes_is_never_below_zero():
    """Kelvin and Voigt's law cuts its pull off before the bodies part, at a kink through which a parabola of three places undershoots."""

    def dropped(damping):
        s = fm.System(gravity=(0.0, -G))
        mass = s.point_mass("mass", mass=1.0, position=(0.0, 0.01))
        s.add(fm.PointPlane("floor", mass.centre, s.ground.at(0.0, 0.0), fm.KelvinVoigt(1e5, damping=damping)))
        return s

    names = [f"floor.{signal}:{how}" for signal in ("normal", "force") for how in ("min", "min@0.01..", "max")]
    found = fm.run(dropped, {"damping": np.array([5.0, 20.0, 60.0])}, end=0.1, points=11, outputs=names)
    for name in names:
        if ":min" in name:
            assert (found[name] == 0.0).all(), (name, found[name])
    undamped = G + np.sqrt(G**2 + 2 * 1e5 * G * 0.01)  # K d of K d²/2 = m g (h + d)
    assert undamped * 0.98 < found["floor.normal:max"][0] < undamped
