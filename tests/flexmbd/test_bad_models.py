"""Every bad model ends in one sentence that names what is wrong and where; nothing here needs compiling."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.element import Element

from .sentences import said


def pendulum(mass=1.0, inertia=0.25, point="O"):
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=mass, inertia=inertia, position=(0.5, 0.0), points={"O": (-0.5, 0.0), "E": (0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod[point]))
    return s


def refused(build, *, outputs=("rod.x",), samples=None, settings=None, end=1.0):
    """The sentence of the error."""
    return said(lambda: fm.run(build, samples or {}, end=end, points=2, outputs=list(outputs), settings=settings))


@pytest.mark.parametrize("key", ["mass", "inertia"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "heavy", None])
def test_mass_and_inertia_are_positive_numbers(key, value):
    sentence = said(lambda: pendulum(**{key: value}))
    assert "rod" in sentence and key in sentence


@pytest.mark.parametrize("key, value", [("position", (np.nan, 0)), ("angle", np.inf), ("rate", np.nan), ("velocity", (0, np.nan))])
def test_initial_values_are_finite(key, value):
    sentence = said(lambda: fm.System().body("rod", mass=1.0, inertia=1.0, **{key: value}))
    assert "rod" in sentence and key in sentence


def test_unknown_point():
    sentence = said(lambda: pendulum(point="A"))
    assert "rod" in sentence and "'A'" in sentence and "'O'" in sentence and "'E'" in sentence


def test_joint_of_a_body_with_itself():
    def build():
        s = fm.System()
        rod = s.body("rod", mass=1.0, inertia=1.0, points={"A": (0, 0), "B": (1, 0)})
        s.add(fm.Revolute("loop", rod["A"], rod["B"]))

    sentence = said(build)
    assert "loop" in sentence and "rod" in sentence


def test_names_are_given_once():
    s = pendulum()
    rod = s.bodies[0]
    assert "'pin'" in said(lambda: s.add(fm.Revolute("pin", s.ground.at(0, 0), rod["E"])))
    assert "'rod'" in said(lambda: s.body("rod", mass=1.0, inertia=1.0))
    assert "'a:b'" in said(lambda: s.body("a:b", mass=1.0, inertia=1.0))
    assert "'ground'" in said(lambda: s.body("ground", mass=1.0, inertia=1.0))
    assert "'rod'" in said(lambda: s.add(fm.TorsionSpring("rod", s.ground, rod, 1.0)))


def test_body_of_another_system():
    other = pendulum()
    s = fm.System()
    sentence = said(lambda: s.add(fm.Revolute("far", s.ground.at(0, 0), other.bodies[0]["E"])))
    assert "far" in sentence and "rod" in sentence


def test_joint_that_joins_ground_to_ground():
    s = fm.System()
    s.body("rod", mass=1.0, inertia=1.0)
    assert "nail" in said(lambda: s.add(fm.Revolute("nail", s.ground.at(0, 0), s.ground.at(1, 0))))


def test_redundant_joint_is_named():
    def build():
        s = pendulum()
        s.add(fm.Revolute("again", s.ground.at(1.0, 0.0), s.bodies[0]["E"]))
        return s

    sentence = refused(build)
    assert "over-constrained" in sentence and "pin" in sentence and "again" in sentence


def four_bar(coupler=1.0, rocker=0.8, guess=0.5):
    s = fm.System()
    bodies = [
        s.body(n, mass=1.0, inertia=0.1, position=p, angle=a, points={"A": (-x / 2, 0.0), "B": (x / 2, 0.0)})
        for n, x, p, a in (
            ("crank", 0.3, (0.0, 0.1), 1.5), ("coupler", coupler, (0.5, 0.5), guess), ("rocker", rocker, (1.0, 0.4), 1.6),
        )
    ]  # fmt: skip
    ends = [s.ground.at(0.0, 0.0), *(b[k] for b in bodies for k in "AB"), s.ground.at(1.0, 0.0)]
    for name, a, b in zip("PQRS", ends[::2], ends[1::2], strict=True):
        s.add(fm.Revolute(name, a, b))
    return s


def test_impossible_lengths_name_the_open_joints():
    sentence = refused(lambda: four_bar(coupler=3.0), outputs=["rocker.angle"])
    assert "cannot be assembled" in sentence
    assert any(f"{joint}.{axis}" in sentence for joint in "PQRS" for axis in "xy")


def test_sample_that_cannot_be_assembled_does_not_stop_the_others():
    samples = {"coupler": np.array([1.0, 1.02, 0.98, 3.0, 0.96, 1.01])}
    got = fm.run(four_bar, samples, end=0.1, points=3, outputs=["rocker.angle"], settings={"lanes": 4})
    assert got.status.tolist() == [0, 0, 0, 3, 0, 0]
    assert "cannot be assembled" in got.message[3]
    angle = got.outputs["rocker.angle"]
    assert np.isnan(angle[3]).all() and np.isfinite(np.delete(angle, 3, 0)).all()


def test_first_sample_that_cannot_be_assembled_does_not_stop_the_others(monkeypatch):
    monkeypatch.setattr("flexmbd.running.models._models", {})  # as in a fresh process, which examines its first batch
    samples = {"coupler": np.array([3.0, 1.0])}
    got = fm.run(four_bar, samples, end=0.1, points=3, outputs=["rocker.angle"], settings={"lanes": 4})
    assert got.status.tolist() == [3, 0]


def test_topology_must_not_change():
    def build(x):
        s = pendulum()
        if x > 0.5:
            s.add(fm.TorsionSpring("extra", s.ground, s.bodies[0], 1.0))
        return s

    sentence = refused(build, samples={"x": np.array([0.0, 1.0])})
    assert "topology" in sentence and "extra" in sentence


@pytest.mark.parametrize("result", [None, 3.0, {"y": 1.0}])
def test_model_function_returns_a_system(result):
    sentence = refused(lambda: result)
    assert "System" in sentence and type(result).__name__ in sentence


@pytest.mark.parametrize(
    "output, near",
    [("rod.xx", "rod.x"), ("rod.E.velocity", "rod.E.v"), ("pin.forc", "pin.force"), ("energy.kinetics", "energy.kinetic")],
)
def test_unknown_output_gets_a_suggestion(output, near):
    sentence = refused(pendulum, outputs=[output])
    assert output in sentence and near in sentence


def test_unknown_reduction_setting_and_integrator():
    assert "maxx" in (sentence := refused(pendulum, outputs=["rod.x:maxx"])) and "max" in sentence
    assert "tolerence" in (sentence := refused(pendulum, settings={"tolerence": 1e-6})) and "tolerance" in sentence
    assert "dormand" in (sentence := refused(pendulum, settings={"integrator": "dormand"})) and "dormand_prince" in sentence


@pytest.mark.parametrize(
    "settings",
    [{"tolerance": 0.0}, {"tolerance": -1.0}, {"tolerance": np.nan}, {"tolerance": "tight"}, {"lanes": 3}, {"lanes": "four"},
     {"max_steps": 0}, {"step": -1.0}, {"fixed": True}, {"integrator": "rk4"}, {"event_tolerance": -1.0}, {"step": np.nan}],
    ids=str,
)  # fmt: skip
def test_settings_out_of_range(settings):
    sentence = refused(pendulum, settings=settings)
    assert any(key in sentence for key in (*settings, "step"))


@pytest.mark.parametrize("end", [0.0, -1.0, np.nan, np.inf])
def test_end_is_positive(end):
    assert "end" in refused(pendulum, end=end)


def clearance(**given):
    s = pendulum()
    numbers = dict(clearance=1e-3, law=fm.Hertz(1e8)) | given
    s.add(fm.ClearanceRevolute("worn", s.bodies[0]["E"], s.ground.at(1.0, 0.0), **numbers))
    return s


@pytest.mark.parametrize("value", [0.0, -1e-3, np.nan, np.array([1e-3, 0.0])])
def test_clearance_is_positive(value):
    sentence = said(lambda: clearance(clearance=value))
    assert "worn" in sentence and "clearance" in sentence


def test_friction_needs_the_bearing_radius():
    sentence = said(lambda: clearance(friction=fm.Ambrosio(0.1, v0=1e-3, v1=1e-2)))
    assert "worn" in sentence and "bearing_radius" in sentence


def test_bearing_is_larger_than_its_clearance():
    sentence = said(lambda: clearance(friction=fm.Ambrosio(0.1, v0=1e-3, v1=1e-2), bearing_radius=5e-4))
    assert "worn" in sentence and "bearing_radius" in sentence


def test_start_and_impact_velocity():
    assert "somewhere" in said(lambda: clearance(start="somewhere"))
    assert "minimum_impact_velocity" in said(lambda: clearance(minimum_impact_velocity=-1.0))


@pytest.mark.parametrize("axis", [(0.0, 0.0), (np.nan, 1.0)])
def test_axis_has_a_direction(axis):
    s = fm.System()
    cart = s.body("cart", mass=1.0, inertia=1.0)
    assert "rail" in said(lambda: s.add(fm.Translational("rail", s.ground.at(0, 0), cart.centre, axis=axis)))


@pytest.mark.parametrize("end", ["a", "b"])
def test_joint_of_something_that_is_no_point(end):
    s = pendulum()
    ends = {"a": s.ground.at(0, 0), "b": s.bodies[0]["E"], end: s.bodies[0]}
    assert "twist" in said(lambda: s.add(fm.Revolute("twist", **ends)))


def test_torque_on_a_point():
    s = pendulum()
    assert "motor" in said(lambda: s.add(fm.Torque("motor", s.ground, s.bodies[0]["E"], 1.0)))


def test_numbers_of_springs_loads_and_motions_are_finite():
    s = pendulum()
    assert "coil" in said(lambda: s.add(fm.Spring("coil", s.ground.at(0, 0), s.bodies[0]["E"], np.nan)))
    assert "load" in said(lambda: s.add(fm.PointForce("load", s.bodies[0]["E"], fx=np.nan)))


def test_samples_of_different_length():
    def build(mass, inertia):
        return pendulum(mass, inertia)

    sentence = refused(build, samples={"mass": np.ones(3), "inertia": np.ones(2)})
    assert "inertia" in sentence or "samples" in sentence


def driven(guess, start=0.0):
    s = pendulum()
    crank = s.body("crank", mass=1.0, inertia=0.1, angle=guess)
    s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0), crank.centre))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), crank.centre, fm.ConstantSpeed(1.0, start)))
    return s


def test_guess_on_the_wrong_side_is_refused_and_not_turned_round():
    """The row of an angle drive is a sine: it also holds half a turn away."""
    sentence = refused(lambda: driven(np.pi, 0.0))
    assert "motor" in sentence and "half a turn" in sentence


def test_an_element_that_asks_for_a_number_it_does_not_name():
    class Push(Element):
        def __init__(self, name, b):
            self.name, self.b = name, b

        def parameters(self):
            return {"size": 2.0}

        def apply(self, equations):
            equations.force(self.b, equations.number(self, "strength"), 0.0)

    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("block", mass=1.0, inertia=1.0)
    s.add(Push("push", body.centre))
    words = said(lambda: fm.run(s, end=0.1, points=2, outputs=["block.x"]))
    assert "'push'" in words and "'strength'" in words and "parameters()" in words


def test_equations_are_told_of_outputs_that_bring_states():
    """An output of one's own whose state nobody knew of: its name is given where the equations are made."""

    class Counter(Element):
        name = "counter"

        def outputs(self, equations):
            def way():
                state = equations.state(self, "way")
                equations.state_rate(state, equations.v[0])
                return state

            return {"counter.way": (way, "m")}

    s = fm.System()
    s.body("block", mass=1.0, inertia=1.0)
    s.add(Counter())
    e = fm.Equations(s)
    words = said(lambda: e.output("counter.way", np.array(s.initial()[0])))
    assert "'counter.way'" in words and "outputs=['counter.way']" in words
    assert fm.Equations(s, outputs=["counter.way"]).output("counter.way", np.array(s.initial()[0])) == 0.0
    assert fm.run(s, end=0.1, points=2, outputs=["counter.way"]).status == 0
