"""Derivatives of motions by parameters: closed forms, and differences of simulations."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.derivatives import ParametricGraph
from flexmbd.analysis.equations import SINGLE
from flexmbd.analysis.sensitivities import Varied, varied_equations
from flexmbd.formulation import formulation_of

from .pendula import swing
from .running import simulate
from .test_inverse_dynamics import arm

G = 9.81


def oscillator(mass=2.0, stiffness=8.0, damping=0.4, start=1.3, length=1.0):
    """A mass on a guide, released from a stretched spring."""
    s = fm.System()
    body = s.body("body", mass=mass, inertia=1.0, position=(start, 0.0))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), body.centre, stiffness=stiffness, damping=damping, length=length))
    return s


def swinging(t, mass, stiffness, damping, start, length):
    """Place of the oscillator."""
    decay = damping / (2.0 * mass)
    omega = np.sqrt(stiffness / mass - decay * decay)
    return length + (start - length) * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))


def test_oscillator():
    """All five derivatives of the place and of the spring's force against the derivatives of the formula (complex step)."""
    numbers = {"mass": 2.0, "stiffness": 8.0, "damping": 0.4, "start": 1.3, "length": 1.0}
    found = fm.sensitivities(oscillator, list(numbers), ["body.x", "body.ax", "energy.dissipated"], end=6.0, points=25, rtol=1e-11)
    t = found.time
    np.testing.assert_allclose(found.values["body.x"], swinging(t, **numbers), rtol=1e-10)
    for name in numbers:
        wanted = swinging(t, **(numbers | {name: numbers[name] + 1e-30j})).imag / 1e-30
        np.testing.assert_allclose(found["body.x", name], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max(), err_msg=name)
    by_mass = found.derivatives["energy.dissipated"]  # what is scaled alike: energy ~ k, at the same k/m, c/m
    scaled = by_mass[:, :3] @ [2.0, 8.0, 0.4]
    np.testing.assert_allclose(scaled, found.values["energy.dissipated"], rtol=0, atol=1e-9)


def test_numbers_by_path_and_inputs_of_the_function_are_the_same():
    names = ["body.mass", "@spring.stiffness", "@spring.damping", "@spring.length"]
    by_path = fm.sensitivities(oscillator(), names, ["body.vx"], end=2.0, points=5)
    by_input = fm.sensitivities(oscillator, ["mass", "stiffness", "damping", "length"], ["body.vx"], end=2.0, points=5)
    np.testing.assert_allclose(by_path.derivatives["body.vx"], by_input.derivatives["body.vx"], rtol=0, atol=1e-9)
    assert by_path.parameter_units == dict(zip(names, ("kg", "N/m", "N s/m", "m"), strict=True)) and by_path.units == {"body.vx": "m/s"}
    table = by_path.to_xarray()
    assert table["d_body.vx"].dims == ("time", "parameter") and table["parameter"].values.tolist() == names


def pendulum(length=1.0, angle=2.0, moved=0.0):
    """A point on a rod without mass; its guess is a share `moved` too far out."""
    s = fm.System(gravity=(0.0, -G))
    reach = (1.0 + moved) * length
    bob = s.point_mass("bob", mass=0.7, position=(reach * np.sin(angle), -reach * np.cos(angle)))
    s.add(fm.Distance("rod", s.ground.at(0.0, 0.0), bob.centre, length=length))
    return s


@pytest.mark.parametrize("moved", [0.0, 0.3])
def test_pendulum_of_any_amplitude(moved):
    """The angle is a function of sqrt(g/l) t: its derivative by the length is -rate t/(2 l), by gravity rate t/(2 g)."""
    found = fm.sensitivities(
        lambda length: pendulum(length, 2.0, moved), ["length"], ["bob.x", "bob.y"], inputs={"length": 1.0}, end=3.0, points=13
    )
    t = found.time
    angle, rate = swing(2.0, t)
    turn = -rate * t / 2.0
    np.testing.assert_allclose(found.values["bob.x"], np.sin(angle), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["bob.x", "length"], np.sin(angle) + np.cos(angle) * turn, rtol=0, atol=1e-7)
    np.testing.assert_allclose(found["bob.y", "length"], -np.cos(angle) + np.sin(angle) * turn, rtol=0, atol=1e-7)
    found = fm.sensitivities(
        pendulum(1.0, 2.0, moved), ["gravity.y", "bob.mass", "@rod.length"], ["bob.x", "rod.tension"], end=3.0, points=13
    )
    np.testing.assert_allclose(found["bob.x", "gravity.y"], -np.cos(angle) * rate * t / (2.0 * G), rtol=0, atol=1e-8)
    np.testing.assert_allclose(found["bob.x", "bob.mass"], 0.0, atol=1e-9)
    np.testing.assert_allclose(found["rod.tension", "bob.mass"], G * (3.0 * np.cos(angle) - 2.0 * np.cos(2.0)), rtol=0, atol=1e-7)
    np.testing.assert_allclose(found["bob.x", "@rod.length"], np.sin(angle) + np.cos(angle) * turn, rtol=0, atol=1e-7)  # the same angle


def test_a_driven_arm():
    """Its moment m g l cos(A sin wt) - J A w² sin(wt), by mass, amplitude, frequency, and by the place of the pin on it."""
    found = fm.sensitivities(
        arm(fm.Harmonic(0.9, 3.0)), ["rod.mass", "@drive.motion.amplitude", "@drive.motion.frequency", "rod.O.x"], ["drive.moment"],
        end=2.0, points=9,
    )  # fmt: skip
    t = found.time

    def moment(mass=2.0, amplitude=0.9, frequency=3.0, pin=-0.5):
        wave = amplitude * np.sin(frequency * t)
        return -mass * G * pin * np.cos(wave) - (0.3 + mass * pin * pin) * frequency**2 * wave

    for k, (name, x) in enumerate({"mass": 2.0, "amplitude": 0.9, "frequency": 3.0, "pin": -0.5}.items()):
        wanted = moment(**{name: x + 1e-30j}).imag / 1e-30
        np.testing.assert_allclose(found.derivatives["drive.moment"][:, k], wanted, rtol=0, atol=1e-7 * np.abs(wanted).max(), err_msg=name)


def slider_crank(crank=0.3, mass=1.5, stiffness=60.0, damping=0.8, rate=4.0):
    """Under gravity, with a spring at the slider and a damped torsion spring at the crank; the guess does not fit."""
    s = fm.System(gravity=(0.0, -G))
    a, b = 0.3, 0.8
    first = s.body(
        "crank", mass=0.8, inertia=0.02, position=(0.1, 0.1), angle=0.8, rate=rate, points={"O": (-crank / 2, 0.0), "A": (crank / 2, 0.0)}
    )
    rod = s.body(
        "rod", mass=mass, inertia=mass * b * b / 12, position=(0.5, 0.1), angle=-0.3, points={"A": (-b / 2, 0.0), "B": (b / 2, 0.0)}
    )
    slider = s.body("slider", mass=1.0, inertia=0.01, position=(a + b, 0.0))
    pivot = s.ground.at(0.0, 0.0)
    s.add(fm.Revolute("O", pivot, first["O"]))
    s.add(fm.Revolute("A", first["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    s.add(fm.Translational("guide", pivot, slider.centre))
    s.add(fm.Spring("spring", s.ground.at(2.0, 0.0), slider.centre, stiffness=stiffness, damping=damping, length=0.7))
    s.add(fm.TorsionSpring("torsion", s.ground, first, stiffness=3.0, damping=0.1))
    return s


def pendulum_in_space(length=0.5, mass=1.2, stiffness=30.0, damping=0.5, spin=3.0):
    """A body on a universal joint, a second one on a ball joint below it, held by a spring."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    first = s.body("first", mass=mass, inertia=(0.03, 0.04, 0.02), position=(0.0, 0.0, -0.5), angular_velocity=(0.5, 1.0, 0.0))
    second = s.body("second", mass=0.8, inertia=(0.02, 0.02, 0.01), position=(0.1, 0.0, -1.2), angular_velocity=(0.0, 0.0, spin))
    top = first.at(0.0, 0.0, length)
    s.add(fm.Universal("top", s.ground.at(0.0, 0.0, 0.0), top, axis=(1.0, 0.0, 0.0), axis_b=(0.0, 1.0, 0.0)))
    s.add(fm.Spherical("ball", first.at(0.0, 0.1, -0.4), second.at(0.0, 0.0, 0.3)))
    end = second.at(0.05, 0.0, -0.3, key="E")
    s.add(fm.Spring("spring", s.ground.at(1.0, 0.5, -1.0), end, stiffness=stiffness, damping=damping, length=0.8))
    return s


MECHANISMS = {
    "slider-crank": (slider_crank, ["slider.x", "rod.angle", "crank.rate", "B.fy", "spring.force", "energy.dissipated"]),
    "in space": (pendulum_in_space, ["second.E.x", "first.d1y", "second.omega_z", "ball.fz", "spring.force", "energy.dissipated"]),
}


@pytest.mark.parametrize("name", ["slider-crank", pytest.param("in space", marks=pytest.mark.slow)])
def test_differences_of_simulations(name):
    """Central differences of fourth order of runs at a tolerance of 1e-12: lengths, masses, springs, dampers, speeds at the start."""
    build, outputs = MECHANISMS[name]
    centre = dict(zip(build.__code__.co_varnames, build.__defaults__, strict=False))
    found = fm.sensitivities(build, list(centre), outputs, end=1.0, points=6, rtol=1e-10, atol=1e-11)
    step, offsets = 1e-3, np.array([-2, -1, 1, 2])
    runs = {key: np.concatenate([x * (1.0 + step * offsets * (key == other)) for other in centre]) for key, x in centre.items()}
    run = simulate(build, outputs, end=1.0, points=6, samples=runs, tolerance=1e-12)
    for output in outputs:
        values = run.outputs[output].reshape(len(centre), 4, -1)
        for k, (key, x) in enumerate(centre.items()):
            wanted = np.array([1.0, -8.0, 8.0, -1.0]) @ values[k] / (12.0 * step * x)
            share = 5e-6 if output.startswith("energy") else 1e-6  # books take no part in the control of the run's steps
            np.testing.assert_allclose(found[output, key], wanted, rtol=0, atol=share * np.abs(wanted).max(), err_msg=f"{output} by {key}")


def cable(modulus=1e6, density=1000.0, damping=0.01):
    """A cable that hangs from a pin and falls."""
    s = fm.System(gravity=(0.0, -G))
    section, material = fm.Section(area=1e-3, second_moment=1e-7), fm.Material(E=modulus, nu=0.3, density=density)
    rope = s.cable("rope", length=1.0, elements=2, section=section, material=material, damping=damping)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope.start))
    return s


def test_a_flexible_body_under_its_weight_depends_on_modulus_over_density():
    """So their relative derivatives cancel; and the pin's force is that of the same motion times the density."""
    options = {"end": 0.1, "points": 3, "method": "Radau", "rtol": 1e-7, "atol": 1e-9}
    found = fm.sensitivities(cable, ["modulus", "density"], ["rope.end.y", "pin.fy"], **options)
    place, force = (found.derivatives[name] * [1e6, 1000.0] for name in ("rope.end.y", "pin.fy"))
    assert np.abs(place[1:]).min() > 1e-5
    np.testing.assert_allclose(place[:, 0], -place[:, 1], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(force.sum(axis=1), found.values["pin.fy"], rtol=1e-4)


@pytest.mark.parametrize("build", [slider_crank, pendulum_in_space])
def test_jacobian_of_implicit_methods(build):
    """Of coordinates, velocities and further states: central differences of the rates; and of the derivatives the same once more."""
    motion = Varied(varied_equations(build, None, ["mass"], ["energy.dissipated"]))
    y = motion.start()
    own = len(y) // 2
    J, change = motion.jacobian(0.0, y), 1e-6
    for step in change * np.random.default_rng(1).normal(size=(3, len(y))):
        step[own:] = 0.0
        slope = (motion.rates(0.0, y + step) - motion.rates(0.0, y - step)) / 2.0
        np.testing.assert_allclose((J @ step)[:own], slope[:own], rtol=0, atol=1e-7 * np.abs(slope[:own]).max())
        step = np.roll(step, own)
        slope = (motion.rates(0.0, y + step) - motion.rates(0.0, y - step)) / 2.0
        np.testing.assert_allclose(J @ step, slope, rtol=0, atol=1e-7 * np.abs(slope).max())


def test_a_start_whose_guess_does_not_fit_is_assembled_with_its_derivatives():
    """Places and velocities at the start, against differences of the assembly."""
    names = ["length", "spin", "mass"]
    found = fm.sensitivities(pendulum_in_space, names, ["second.x", "second.omega_z", "second.vy"], end=1e-3, points=2)
    for k, (name, x) in enumerate(zip(names, (0.5, 3.0, 1.2), strict=True)):
        ends = [
            fm.sensitivities(pendulum_in_space, [name], list(found.values), inputs={name: x + sign * 1e-4}, end=1e-3, points=2)
            for sign in (1, -1)
        ]
        for output, slopes in found.derivatives.items():
            wanted = (ends[0].values[output][0] - ends[1].values[output][0]) / 2e-4
            assert slopes[0, k] == pytest.approx(wanted, abs=1e-6), (output, name)


def bouncing():
    """A disc above a plane."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=1.0, inertia=0.1, position=(0.0, 1.0))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law=fm.Hertz(1e6)))
    return s


def test_mistakes_are_told():
    options = {"end": 1.0, "points": 3}
    with pytest.raises(fm.ModelError, match=r"contacts \(floor\); at their onset derivatives of the motion jump"):
        fm.sensitivities(bouncing, ["ball.mass"], ["ball.y"], **options)
    with pytest.raises(fm.ModelError, match=r"parameter 'stifness' is not known; near names: stiffness"):
        fm.sensitivities(oscillator, ["stifness"], ["body.x"], **options)
    with pytest.raises(fm.ModelError, match="no parameter is given"):
        fm.sensitivities(oscillator, [], ["body.x"], **options)
    with pytest.raises(fm.ModelError, match=r"the time grid is 2\.5 points to 1\.0 s"):
        fm.sensitivities(oscillator, ["mass"], ["body.x"], end=1.0, points=2.5)
    with pytest.raises(fm.ModelError, match=r"the model is float; it must be a flexmbd\.System, or a function"):
        fm.sensitivities(3.0, ["body.mass"], ["body.x"], **options)
    with pytest.raises(fm.ModelError, match=r"nothing depends on '@loose\.length'"):
        free = fm.System()
        free.point_mass("point", mass=1.0)
        body = free.body("body", mass=1.0, inertia=1.0)
        free.add(fm.Spring("loose", body.centre, free.bodies[0].centre, stiffness=1.0, length=0.0))
        fm.sensitivities(free, ["@loose.length"], ["body.x"], **options)


def test_no_element_is_in_a_pool_whose_forces_have_no_derivatives():
    """A beam's elements are many-sided enough to be a group however few they are, unless that is asked for."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    rod = s.beam("rod", length=1.0, elements=1, section=fm.Section.rectangle(0.02, 0.01), material=fm.Material(1e9, 0.3, 1200.0))
    s.add(fm.Spherical("pin", s.ground.at(0.0, 0.0, 0.0), rod.start))
    equations = formulation_of("natural")(s, solved=False, tuning=SINGLE, graph=ParametricGraph(SINGLE), varied={})
    assert not equations.groups and not all(force.zero for force in equations.generalized)
