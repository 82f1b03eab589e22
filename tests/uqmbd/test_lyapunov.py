"""Exponents and chaos as outputs of studies: bounds and probabilities against closed forms."""

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.errors import StudyError
from uqmbd.lyapunov import Lyapunov


def tent(x, a):  # every step stretches by a, so the exponent is ln a
    return a * np.minimum(x, 1.0 - x)


def logistic(x, r):
    return r * x * (1.0 - x)


def henon(x, y, a, b):
    return 1.0 - a * x**2 + y, b * x


def tent_with_slopes():
    return FunctionMap(function=tent, names=("x",), given=lambda x, a: [[np.where(x < 0.5, a, -a)]])


def study(model, inputs, outputs, method, out, **solver):
    made = uq.Study(model=model, simulator=Lyapunov, inputs=inputs, outputs=outputs, method=method, solver=solver, name="exponents")
    return made.run(out=out, workers=0, progress=False, report=False)


@pytest.mark.parametrize("way", [{"states": ["x"], "derivatives": "two orbits"}, {}])
def test_probability_of_chaos_of_the_tent_map(way, tmp_path):
    method = uq.MonteCarlo(samples=400)
    model = tent if way else tent_with_slopes
    outputs = ["exponent.1", "chaos.sure", "chaos.possible"]
    found = study(model, {"a": uq.Uniform(0.8, 1.8)}, outputs, method, tmp_path, start=[0.3], steps=512, **way)
    a = found.runs["input:a"].values
    far = np.abs(a - 1) > 0.05  # nearer to one the attractor has bands as narrow as two orbits are apart
    assert np.abs(found.runs["exponent.1"].values - np.log(a))[far].max() < 1e-6
    of = {name: found.statistics[name].sel(statistic=["mean_lower", "mean_upper"]).values for name in outputs}
    assert of["chaos.sure"][0] <= 0.8 <= of["chaos.possible"][1]
    # undecided are those whose stretch is not a thousandfold after all steps
    assert np.array_equal((found.runs["chaos.sure"].values == 1)[far], (np.log(a) > np.log(1000) / 512)[far])


def test_bounds_of_the_exponent_of_a_stable_orbit_are_those_of_its_multiplier(tmp_path):
    inputs = {"r": uq.Interval(3.3, 3.4)}  # a period of two, multiplier 4 + 2 r - r^2
    found = study(logistic, inputs, ["exponent.1"], uq.Chebyshev(degree=10), tmp_path, states=["x"], start=[0.3], steps=64, transient=2000)
    exact = [0.5 * np.log(abs(4 + 2 * r - r**2)) for r in (3.3, 3.4)]
    assert np.ravel(found["bounds"]["exponent.1"]) == pytest.approx(exact, abs=1e-6)


def test_bounds_of_the_sum_of_exponents_of_the_henon_map(tmp_path):
    inputs = {"b": uq.Interval(0.2, 0.3)}
    solver = {"states": ["x", "y"], "start": [0.1, 0.1], "fixed": {"a": 1.2}, "steps": 128}
    found = study(henon, inputs, ["exponent.sum"], uq.Chebyshev(degree=10), tmp_path, **solver)
    assert np.ravel(found["bounds"]["exponent.sum"]) == pytest.approx(np.log([0.2, 0.3]), abs=1e-8)


def test_a_grid_shows_the_window_of_period_three_in_all_outputs(tmp_path):
    values = {"r": [3.5, 3.7, 3.835, 3.9]}
    outputs = ["chaos.sure", "chaos.possible", "chaos.k", "exponent.1.lower", "exponent.1.upper"]
    method, inputs = uq.Grid(values=values), {"r": uq.Interval(3.4, 4.0)}
    runs = study(logistic, inputs, outputs, method, tmp_path, states=["x"], start=[0.3], steps=1024).runs
    assert runs["chaos.sure"].values.tolist() == runs["chaos.possible"].values.tolist() == [0, 1, 0, 1]
    assert (runs["chaos.k"].values > 0.5).tolist() == [False, True, False, True]
    assert np.all(runs["exponent.1.lower"].values <= runs["exponent.1.upper"].values)


def made(outputs, model=henon, **change):
    settings = {"states": ["x", "y"], "start": [0.1, 0.1], "steps": 256, "transient": 100, "points": 500}
    return Lyapunov(model, outputs, None, settings | change, None)


def test_an_orbit_that_is_lost_is_a_run_that_diverged_beside_others():
    found = made(["exponent.1"], fixed={"b": 0.3}).simulate({"a": np.array([1.4, 2.5])})
    assert found.outputs["exponent.1"][0] == pytest.approx(0.42, abs=0.05)
    assert found.status.tolist() == [0, 1] and "leaves all bounds at step" in found.message[1]


def test_a_run_does_not_depend_on_those_beside_it():
    pendulum = made(["exponent.1", "exponent.2"], lambda x, y, k: (x + y + k * np.sin(x), y + k * np.sin(x)))
    k = np.linspace(0.5, 3.0, 37)  # with sines, whose values must not depend on how many are found at once
    together = pendulum.simulate({"k": k}).outputs
    alone = [pendulum.simulate({"k": k[i : i + 1]}).outputs for i in (0, 20, 36)]
    for name, values in together.items():
        assert values[[0, 20, 36]].tolist() == [one[name][0] for one in alone]


def test_an_input_can_be_where_the_orbit_begins():
    # beyond the other fixed point, -x*, orbits leave all bounds
    found = made(["exponent.1"], fixed={"a": 0.2, "b": 0.3}).simulate({"x": np.array([0.5, -9.0])})
    assert found.status.tolist() == [0, 1]


def test_a_superstable_orbit_has_no_exponent_and_no_chaos():
    outputs, r = ["exponent.1", "chaos.possible"], {"r": np.array([2.0])}
    assert made(outputs[1:], logistic, states=["x"], start=[0.5]).simulate(r).outputs["chaos.possible"].tolist() == [0.0]
    assert "minus infinity" in made(outputs, logistic, states=["x"], start=[0.5]).simulate(r).message[0]


def test_the_unit_is_that_of_the_time_of_a_step():
    assert made(["exponent.1"], step_time=0.5).check({"a": np.ones(1), "b": np.ones(1)})["exponent.1"].unit == "1/s"


def test_a_signal_that_is_sampled_too_finely_is_said():
    turning = made(["chaos.k"], lambda x, y, w: (x * np.cos(w) - y * np.sin(w), x * np.sin(w) + y * np.cos(w)))
    found = turning.simulate({"w": np.array([0.01, 2.0])})
    assert np.isnan(found.outputs["chaos.k"][0]) and found.outputs["chaos.k"][1] < 0.2
    assert "1 of 2 signals are sampled too finely" in found.attributes["warning: chaos.k"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"start": [0.1]}, "a number for each of x, y"),
        ({"steps": 10}, "'steps' is a whole number of 64 or more"),
        ({"signal": "z"}, "is a coordinate"),
        ({"near": 1}, "no setting 'near'"),
        ({"states": []}, "a map needs 'states', or a model that is called with nothing, and this one needs x, y, a, b"),
    ],
)
def test_settings_that_say_nothing_are_told(change, said):
    with pytest.raises(StudyError, match=said):
        made(["exponent.1"], **change)


def test_a_model_that_does_not_come_to_its_map_is_said_with_what_it_raises():
    def crank(clearance):
        return clearance

    with pytest.raises(StudyError, match=r"raises TypeError: .*missing 1 required positional argument: 'clearance'"):
        Lyapunov(lambda: crank(), ["exponent.1"], None, {"start": [0.1]}, None)


@pytest.mark.parametrize(
    ("outputs", "samples", "said"),
    [
        (["exponent.3"], {"a": 1.0, "b": 0.3}, "no output 'exponent.3'"),
        (["exponent.1"], {"a": 1.0}, "a step of the map raises TypeError"),
    ],
)
def test_what_cannot_work_is_found_before_the_runs(outputs, samples, said):
    with pytest.raises(StudyError, match=said):
        made(outputs).check({name: np.array([value]) for name, value in samples.items()})


@pytest.mark.slow  # some seconds of compiling
def test_a_compiled_map_has_the_spectrum_of_arrays():
    """Hénon's: the sum is ln b to rounding; orbits that leave all bounds are told at the same step."""
    settings = {"states": ["x", "y"], "start": [0.1, 0.1], "steps": 2048}
    a, outputs = np.array([1.2, 1.4, 3.0]), ["exponent.1", "exponent.2", "exponent.sum"]

    def henon(x, y, a, b):
        return 1.0 - a * x**2 + y, b * x

    both = [
        Lyapunov(henon, outputs, None, settings | {"fixed": {"b": 0.3}, "compiled": way}, None).simulate({"a": a}) for way in (True, False)
    ]
    for name in outputs:
        np.testing.assert_allclose(*(found.outputs[name][:2] for found in both), rtol=1e-9)
    assert both[0].outputs["exponent.sum"][1] == pytest.approx(np.log(0.3), abs=1e-12)
    assert both[0].message == both[1].message and both[0].status.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"compiled": 1}, "true or false"),
        ({"compiled": True, "derivatives": "two orbits"}, "a function with complex steps"),
        ({"compiled": True, "derivatives": "central differences"}, "a function with complex steps"),
    ],
)
def test_what_cannot_be_compiled_is_told(change, said):
    with pytest.raises(StudyError, match=said):
        Lyapunov(lambda x, r: r * x * (1 - x), ["exponent.1"], None, {"states": ["x"], "start": [0.3]} | change, None)


def damped_block(damping=0.04):
    import flexmbd as fm

    s = fm.System()
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(-0.3, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=1.0, damping=damping, length=5.0))
    return s


def test_exponents_of_a_mechanism_by_tangent_and_by_two_orbits():
    """Both exponents of m x'' + c x' + k x = 0 are -c/(2 m), and their sum is -c/m to the tolerance of the derivatives."""
    import flexmbd as fm

    settings, damping = {"start": [-0.3, 0.1], "steps": 64, "transient": 16}, np.array([0.04, 0.1])
    for more, output, exact, within in (
        ({}, "exponent.sum", -damping, 1e-6),
        ({}, "exponent.1", -damping / 2.0, 0.02),
        ({"derivatives": "two orbits"}, "exponent.1", -damping / 2.0, 0.02),
    ):
        simulator = Lyapunov(lambda: fm.section_map(damped_block, every=2.0), [output], None, settings | more, None)
        assert simulator.simulate({"damping": damping}).outputs[output] == pytest.approx(exact, rel=within)
        assert simulator.map.period == 2.0  # exponents are in 1/s
