"""Forces and torques by plain functions: motions against closed forms, their derivatives against differences, what is refused."""

import numpy as np
import pytest
from scipy.special import ellipj

import flexmbd as fm
from flexmbd import lanes
from flexmbd.lanes import fabs, select, sincos, sqrt
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.tracing import traced
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings

from .running import column, simulate

MASS = 2.0


def drag(t, d, v, c):
    """Against the motion, by the square of the speed."""
    vx, vy = v
    speed = sqrt(vx * vx + vy * vy)
    return -c * speed * vx, -c * speed * vy


def fading(t, d, v, size, decay):
    return size * lanes.exp(-t / decay), 0.0


def hardening(t, d, v, alpha, beta):
    x, _ = d
    return -(alpha + beta * x * x) * x, 0.0


def one_way(t, d, v, k):
    """A spring that only pushes: it pulls nothing back beyond its end."""
    x, _ = d
    return select(x < 0.0, -k * x, 0.0), 0.0


def coil(t, angle, rate, k, speed):
    s, _ = sincos(speed * t)
    return -k * angle + 0.2 * s


def gallery(c=0.8, size=3.0, beta=5.0):
    s = fm.System()

    def stone(name, x, velocity=0.0):
        return s.body(name, mass=MASS, inertia=1.0, position=(x, 0.0), velocity=(velocity, 0.0)).centre

    zero = s.ground.at(0.0, 0.0)
    s.add(fm.UserForce("drag", zero, stone("thrown", 0.0, 4.0), drag, {"c": c}))
    s.add(fm.UserForce("fading", zero, stone("pushed", 0.0), fading, {"decay": 0.7, "size": size}))
    s.add(fm.UserForce("hardening", zero, stone("duffing", 1.2), hardening, {"alpha": 10.0, "beta": beta}))
    s.add(fm.UserForce("one_way", zero, stone("bounced", -0.5), one_way, {"k": 8.0}))
    wheel = s.body("wheel", mass=1.0, inertia=0.6, angle=0.4)
    s.add(fm.Revolute("hub", zero, wheel.centre))
    s.add(fm.UserTorque("coil", s.ground, wheel, coil, {"k": 6.0, "speed": 2.0}))
    return s


OUTPUTS = [
    "thrown.vx", "pushed.vx", "duffing.x", "bounced.x", "wheel.angle", "fading.fx", "coil.moment", "energy.kinetic", "energy.drive",
]  # fmt: skip
SAMPLES = {"c": [0.8, 1.1], "size": [3.0, -1.0], "beta": [5.0, 0.5]}


def exact(t, c, size, beta):
    """Histories by output."""
    pushed = size * 0.7 * (1.0 - np.exp(-t / 0.7)) / MASS
    square = (10.0 + beta * 1.2**2) / MASS
    _, cn, _, _ = ellipj(np.sqrt(square) * t, beta * 1.2**2 / MASS / (2.0 * square))
    natural = np.sqrt(8.0 / MASS)
    quarter = 0.5 * np.pi / natural
    bounced = np.where(t < quarter, -0.5 * np.cos(natural * t), 0.5 * natural * (t - quarter))
    own = np.sqrt(6.0 / 0.6)
    forced = 0.2 / 0.6 / (own**2 - 4.0)
    wheel = 0.4 * np.cos(own * t) + forced * (np.sin(2.0 * t) - 2.0 / own * np.sin(own * t))
    return {
        "thrown.vx": 4.0 / (1.0 + c * 4.0 * t / MASS), "pushed.vx": pushed, "duffing.x": 1.2 * cn, "bounced.x": bounced,
        "wheel.angle": wheel, "fading.fx": size * np.exp(-t / 0.7), "coil.moment": -6.0 * wheel + 0.2 * np.sin(2.0 * t),
    }  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return simulate(gallery, OUTPUTS, end=2.0, points=41, samples=SAMPLES, tolerance=1e-11, lanes=2)


@pytest.mark.parametrize("sample", [0, 1])
def test_motions_are_those_of_closed_forms(run, sample):
    found = column(run, sample)
    for name, history in exact(run.time, *(SAMPLES[key][sample] for key in SAMPLES)).items():
        np.testing.assert_allclose(found[name], history, rtol=0, atol=2e-8, err_msg=name)


def test_their_power_is_that_of_the_motion(run):
    for sample in (0, 1):
        found = column(run, sample)
        kinetic, drive = found["energy.kinetic"], found["energy.drive"]
        assert np.ptp(kinetic) > 1.0 and kinetic - kinetic[0] == pytest.approx(drive, abs=1e-7)


@pytest.mark.slow
def test_an_implicit_scheme_knows_their_derivatives():
    """Few iterations and the order of the scheme: its error falls by four when steps are halved."""
    errors = []
    for step in (4e-3, 2e-3):
        settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "lanes": 2}
        got = simulate(gallery, ["duffing.x", "wheel.angle"], end=1.0, points=11, samples=SAMPLES, **settings)
        right = exact(got.time, *(SAMPLES[key][0] for key in SAMPLES))
        errors.append([np.abs(column(got, 0)[name] - right[name]).max() for name in ("duffing.x", "wheel.angle")])
    assert np.all(np.array(errors[1]) < 1e-4) and np.log2(np.divide(*errors)) == pytest.approx(2.0, abs=0.1)


def attracted(t, d, v, strength):
    x, y, z = d
    square = x * x + y * y + z * z
    return -strength * x / (square * sqrt(square)), -strength * y / (square * sqrt(square)), -strength * z / (square * sqrt(square))


@pytest.mark.slow
def test_a_planet_keeps_its_circle_in_space():
    def planet(strength):
        s = fm.System(gravity=(0.0, 0.0, 0.0))
        stone = s.point_mass("stone", mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.0, 0.6, 0.8))
        s.add(fm.UserForce("sun", s.ground.at(0.0, 0.0, 0.0), stone.centre, attracted, {"strength": strength}))
        return s

    got = simulate(planet, ["stone.x", "stone.y", "stone.z"], end=2 * np.pi, points=21, samples={"strength": [1.0]}, tolerance=1e-11)
    right = [np.cos(got.time), 0.6 * np.sin(got.time), 0.8 * np.sin(got.time)]
    np.testing.assert_allclose([column(got)[f"stone.{axis}"] for axis in "xyz"], right, atol=1e-8)


def test_a_torque_about_an_axis_in_space_is_that_of_the_plane():
    """The wheel of above on an axle that lies askew; the angle counts from the start."""
    axle = np.array([2.0, -3.0, 6.0]) / 7.0

    def wheel(k):
        s = fm.System(gravity=(0.0, 0.0, 0.0))
        body = s.body("wheel", mass=1.0, inertia=(0.6, 0.6, 0.6), angular_velocity=tuple(25.0 * axle))
        s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0, 0.0), body.centre, axis=tuple(axle)))
        s.add(fm.UserTorque("coil", s.ground, body, coil, {"k": k, "speed": 2.0}, axis=tuple(axle)))
        return s

    names_ = ["coil.moment", "energy.kinetic", "energy.drive"]
    got = column(simulate(wheel, names_, end=2.0, points=41, samples={"k": [6.0]}, tolerance=1e-11))
    own, t = np.sqrt(6.0 / 0.6), np.linspace(0.0, 2.0, 41)
    forced = 0.2 / 0.6 / (own**2 - 4.0)
    angle = 25.0 / own * np.sin(own * t) + forced * (np.sin(2.0 * t) - 2.0 / own * np.sin(own * t))  # more than one turn
    assert np.ptp(angle) > 2.2 * np.pi
    assert got["coil.moment"] == pytest.approx(-6.0 * angle + 0.2 * np.sin(2.0 * t), abs=2e-7)
    assert got["energy.kinetic"] - got["energy.kinetic"][0] == pytest.approx(got["energy.drive"], abs=1e-6)


# ---- derivatives of what is traced
def bend(x, y):
    s, c = sincos(x)
    return (
        s * c, lanes.exp(x) * y, lanes.log(x), lanes.power(x, y), lanes.atan2(y, x), lanes.tanh(x - y), sqrt(x), fabs(y - x),
        lanes.maximum(x, y), lanes.minimum(x * y, 1.0), select((x > y) & lanes.lnot(x >= 3.0) | (y <= 0.1), x * x, y),
        lanes.floor(x) * x,
    )  # fmt: skip


def test_derivatives_are_those_of_differences():
    g, h = Graph(), 1e-6
    variables = g.var("q", 0), g.var("q", 1)
    nodes = traced(g, bend, variables)

    def values(x, y, wanted=nodes):
        return np.array(g.evaluate(list(wanted), {"q": (x, y)}), float)

    for x, y in ((0.7, 0.4), (1.3, 2.2), (3.6, 0.05)):
        for variable, (dx, dy) in zip(variables, ((h, 0.0), (0.0, h)), strict=True):
            slopes = values(x, y, [g.derivative(node, variable) for node in nodes])
            differences = (values(x + dx, y + dy) - values(x - dx, y - dy)) / (2 * h)
            np.testing.assert_allclose(slopes, differences, rtol=1e-7, atol=1e-8)


# ---- what is refused
def added(function, numbers=None, kind=fm.UserForce):
    s = fm.System()
    stone = s.body("stone", mass=1.0, inertia=1.0)
    ends = (s.ground.at(0.0, 0.0), stone.centre) if kind is fm.UserForce else (s.ground, stone)
    s.add(kind("pull", *ends, function, numbers or {}))
    return s


def branching(t, d, v):
    if t > 1.0:
        return 0.0, 0.0
    return 1.0, 0.0


def deciding(t, d, v):
    return 1.0 if t > 1.0 else 0.0, 0.0


def flat(t, d, v):
    return t


def apart(t, d, v):
    x, y, z = d
    return x, y


@pytest.mark.parametrize(
    "function, words",
    [
        (branching, ("'pull'", "'branching'", "uses `if`", "select(condition, a, b)")),
        (deciding, ("'pull'", "uses `if`", "select(condition, a, b)")),
        (flat, ("'pull': the function gives 1 number; a force here has 2",)),
        (apart, ("'pull'", "'apart'", "not enough values to unpack")),
    ],
)
def test_a_function_that_cannot_be_used_is_refused_in_a_sentence(function, words):
    with pytest.raises(fm.ModelError) as caught:
        fm.Equations(added(function))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("function, numbers", [(drag, {}), (drag, {"k": 1.0}), (flat, {"c": 1.0}), (lambda t: 0.0, {})])
def test_its_numbers_have_to_be_its_arguments(function, numbers):
    with pytest.raises(fm.ModelError, match="has the arguments"):
        added(function, numbers)


def test_what_is_no_function_is_refused():
    with pytest.raises(fm.ModelError, match="must be a function made with def"):
        added(3.0)


def twofold(t, angle, rate):
    return t, angle


def test_a_torque_is_one_number():
    with pytest.raises(fm.ModelError, match="gives 2 numbers; a torque about an axis is one"):
        fm.Equations(added(twofold, kind=fm.UserTorque))


def test_another_function_of_the_same_name_is_another_model():
    def made(factor):
        space = {}
        source = f"def pull(t, d, v):\n    return {factor} * t, 0.0\n"
        exec(source, space)
        space["pull"].source = source
        return model_of(added(space["pull"]), ["stone.x"], as_settings({"integrator": "dormand_prince", "lanes": 1}))

    assert made(2.0).code.name != made(3.0).code.name


def test_a_kernel_that_is_compiled_elsewhere_cannot_be_traced():
    def film(x):
        return x

    film.write = lambda writer, x: x
    g = Graph()
    with pytest.raises(KernelError, match="cannot be traced"):
        traced(g, film, (g.var("q", 0),))
