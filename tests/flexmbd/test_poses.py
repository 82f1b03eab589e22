"""Where bodies are at the times of a run, against closed forms; shapes, which change nothing."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import flexmbd as fm
from flexmbd.bodies.base import Body, Point
from flexmbd.language.quadratic import Quadratic
from flexmbd.running.models import model_of
from flexmbd.running.settings import as_settings

FINE = {"integrator": "dormand_prince", "tolerance": 1e-10, "lanes": 2}


def pendulum(angle, shapes=()):
    """A uniform rod of 1 m, its frame at the pin and along it; it is let go at an angle from the vertical, rad."""
    s = fm.System(gravity=(0.0, -9.81))
    ends = {"A": (0.0, 0.0), "B": (1.0, 0.0)}
    rod = s.body("rod", mass=2.0, inertia=2.0 / 12.0, angle=angle - np.pi / 2, offset=(0.5, 0.0), points=ends)
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["A"]))
    rod.show(*shapes)
    return s


def test_a_pendulum_turns_as_elliptic_functions_say():
    starts = np.array([0.5, 2.0])
    run = fm.run(pendulum, {"angle": starts}, end=1.5, points=7, outputs=["rod.angle"], poses=True, settings=FINE)
    found, k = run.poses("rod"), np.sin(0.5 * starts)[:, None]
    sn, *_ = ellipj(ellipk(k**2) - np.sqrt(1.5 * 9.81) * run.time, k**2)
    angle = 2.0 * np.arcsin(k * sn) - np.pi / 2
    assert found.position.shape == (2, 7, 3) and found.rotation.shape == (2, 7, 3, 3) and list(run.outputs) == ["rod.angle"]
    np.testing.assert_allclose(found.position, 0.0, atol=1e-9)  # the frame is at the pin
    about_z = Rotation.from_rotvec(np.stack([0 * angle, 0 * angle, angle], axis=-1).reshape(-1, 3))
    np.testing.assert_allclose(found.rotation.reshape(-1, 3, 3), about_z.as_matrix(), atol=1e-7)
    one = run.of_sample(1).poses("rod")
    assert one.rotation.shape == (7, 3, 3) and np.array_equal(one.rotation, found.rotation[1])


def wheel(rate):
    """A wheel on an axis, whose frame is off the axis."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    body = s.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2), position=(0.3, 0.0, 0.1), offset=(-0.3, 0.0, 0.0),
                  angular_velocity=(0.0, 0.0, rate), velocity=(0.0, 0.3 * rate, 0.0))  # fmt: skip
    s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0, 0.1), body.centre, axis=(0.0, 0.0, 1.0)))
    return s


def test_a_wheel_turns_about_its_axis():
    rates = np.array([2.0, -5.0])
    run = fm.run(wheel, {"rate": rates}, end=1.0, points=5, outputs=[], poses=["wheel"], settings=FINE)
    found, angle = run.poses("wheel"), rates[:, None] * run.time
    turn = Rotation.from_rotvec(angle.reshape(-1, 1) * [0.0, 0.0, 1.0])
    np.testing.assert_allclose(found.rotation.reshape(-1, 3, 3), turn.as_matrix(), atol=1e-8)
    wanted = turn.apply([0.3, 0.0, 0.0]) + [0.0, 0.0, 0.1]
    np.testing.assert_allclose(found.position.reshape(-1, 3), wanted, atol=1e-8)


def test_a_free_top_turns_as_euler_found():
    """Axially symmetric: about its angular momentum at a constant rate, and about its axis."""
    A, C, spin = 0.2, 0.3, np.array([0.5, 0.0, 4.0])
    start = Rotation.from_rotvec([0.3, -0.2, 0.5])
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    s.body("top", mass=1.0, inertia=(A, A, C), rotation=start.as_rotvec(), angular_velocity=start.apply(spin), velocity=(1.0, 0.0, 0.0))
    run = fm.run(s, end=2.0, points=9, outputs=[], poses=True, settings=FINE | {"lanes": 1})
    momentum = start.apply(np.array([A, A, C]) * spin)
    about = Rotation.from_rotvec(momentum / A * run.time[:, None])
    own = Rotation.from_rotvec(np.array([0.0, 0.0, spin[2] * (A - C) / A]) * run.time[:, None])
    found = run.poses("top")
    np.testing.assert_allclose(found.rotation, (about * start * own).as_matrix(), atol=1e-7)
    np.testing.assert_allclose(Rotation.from_matrix(found.rotation).as_matrix(), found.rotation, atol=1e-9)
    np.testing.assert_allclose(found.position, run.time[:, None] * [1.0, 0.0, 0.0], atol=1e-9)


STEEL = fm.Material(E=2e9, nu=0.3, density=1000.0)
SMALL = fm.Section.rectangle(0.02, 0.02)


def clamped(length, kind="cable"):
    """A cantilever at rest under its weight, by beam theory at the start."""
    s = fm.System(gravity=(0.0, -9.81) if kind == "cable" else (0.0, -9.81, 0.0))
    zero = [0.0] * (s.dimension - 2)

    def bent(s):
        w, slope = sag(s, length)
        at, along = [s, w, *zero], [1.0 + 0.0 * s, slope, *zero]
        return (at, along) if kind == "cable" else (at, [-slope, 1.0, 0.0], [0.0, 0.0, 1.0])

    rod = (s.cable if kind == "cable" else s.beam)("rod", length=length, elements=4, section=SMALL, material=STEEL, initial=bent)
    s.add(fm.Clamp("clamp", s.ground.at(*[0.0] * s.dimension), rod.start) if kind == "cable" else
          fm.Fixed("clamp", s.ground.at(0.0, 0.0, 0.0), rod.section(0.0).at()))  # fmt: skip
    return s


def sag(s, length):
    """Deflection and slope of a cantilever under its weight, small."""
    load = -9.81 * 1000.0 * 4e-4 / (2e9 * SMALL.second_moment)
    return load * s**2 * (6 * length**2 - 4 * length * s + s**2) / 24, load * s * (3 * length**2 - 3 * length * s + s**2) / 6


def test_a_cantilever_stays_where_beam_theory_puts_it():
    """Two lengths at once: sampled lines and nodes are on the line of the theory, whose tip is at q L^4 / 8 EI."""
    lengths = np.array([0.5, 0.6])
    run = fm.run(clamped, {"length": lengths}, end=0.02, points=3, outputs=["rod.end.x", "rod.end.y"], poses=True,
                 settings={"integrator": "generalized_alpha", "lanes": 2})  # fmt: skip
    found = run.centre_line("rod", per_element=5)
    assert found.position.shape == (2, 3, 21, 3) and found.nodes.shape == (2, 3, 5, 3) and found.section is None
    tip = sag(lengths, lengths)[0]
    np.testing.assert_allclose(tip, -9.81 * 1000.0 * 4e-4 * lengths**4 / (8.0 * 2e9 * SMALL.second_moment))
    assert np.all(tip < -1e-4)
    for i, length in enumerate(lengths):
        s = found.s * length
        assert np.abs(found.position[i, :, :, 1] - sag(s, length)[0]).max() < 1e-3 * abs(tip[i])
        assert np.abs(found.nodes[i, :, :, 0] - np.linspace(0.0, length, 5)).max() < 2.0 * tip[i] ** 2 / length  # it is drawn in
    np.testing.assert_allclose(found.position[:, :, -1, :2], np.stack([run["rod.end.x"], run["rod.end.y"]], axis=-1), atol=1e-15)
    assert np.array_equal(found.position[:, :, ::5], found.nodes)


def test_a_sample_that_cannot_be_built_is_nowhere():
    ask = {"end": 0.01, "points": 2, "outputs": [], "poses": True, "settings": {"integrator": "generalized_alpha", "lanes": 2}}
    some, good = (fm.run(clamped, {"length": lengths}, **ask) for lengths in ([0.5, -1.0, 0.6], [0.5, 0.6]))
    found = some.centre_line("rod").position
    assert some.status.tolist() == [0, 3, 0] and np.isnan(found[1, ..., :2]).all()
    assert np.array_equal(found[[0, 2]], good.centre_line("rod").position)
    assert some.of_sample(2).centre_line("rod").position.shape == (2, 33, 3)


def test_a_beam_has_sections_along_its_line():
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = s.beam("rod", length=1.0, elements=2, section=SMALL, material=STEEL, direction=(0.0, 1.0, 0.0), up=(0.0, 0.0, 1.0),
                 angular_velocity=(0.0, 0.0, 3.0), curvature=(0.0, 0.0, 0.2))  # fmt: skip
    rod.at(0.25, key="quarter")
    asked = [f"rod.quarter.{key}" for key in ("x", "y", "z", "d2x", "d2y", "d2z")]
    run = fm.run(s, end=0.01, points=3, outputs=asked, poses=True, settings={"integrator": "generalized_alpha", "lanes": 1})
    found = run.centre_line("rod", per_element=4)
    place, axis = (np.stack([run[x] for x in part], axis=-1) for part in (asked[:3], asked[3:]))
    at = np.flatnonzero(found.s == 0.25)[0]
    np.testing.assert_allclose(found.position[:, at], place, atol=1e-14)
    np.testing.assert_allclose(found.section[:, at, :, 0], axis, atol=1e-14)
    assert found.nodes.shape == (3, 5, 3) and np.ptp(found.position[0, :, 2]) > 0.05
    squares = np.swapaxes(found.section, -1, -2) @ found.section
    np.testing.assert_allclose(squares, np.broadcast_to(np.eye(2), squares.shape), atol=1e-4)


class Oscillator(Body):
    """A kilogram on a spring of 4 N/m along y, by its deflection; its point "tip" is at (0.5, deflection), "foot" at (0.5, -1)."""

    name, dimension, vectors, measures = "own", 2, False, ("length",)

    def __init__(self):
        self.points = {key: Point(self, key, (share,)) for key, share in (("tip", 1.0), ("foot", 0.0), ("#c", 1.0))}

    def parameters(self):
        return {}

    def initial(self):
        return [0.1], [0.0]

    def mass_matrix(self, equations):
        return {(0, 0): 1.0}

    def place(self, equations, point):
        return Quadratic(equations.graph, {(): 0.5}), self.variable(equations, 0) * point.at[0] + (point.at[0] - 1.0)

    def apply(self, equations):
        equations.force_on(self.variable(equations, 0).value(equations.q), -4.0 * equations.q[0])

    def outputs(self, equations):
        return {}


def test_a_body_of_ones_own_is_shown_by_its_points():
    s = fm.System(gravity=(0.0, 0.0))
    s.bodies.append(Oscillator())
    run = fm.run(s, end=1.0, points=5, outputs=[], poses=True, settings=FINE)
    found = run.places("own")
    assert list(found) == ["tip", "foot"] and found["tip"].shape == (5, 3)
    np.testing.assert_allclose(
        found["tip"], np.stack([0.5 + 0.0 * run.time, 0.1 * np.cos(2.0 * run.time), 0.0 * run.time], axis=-1), atol=1e-8
    )
    np.testing.assert_array_equal(found["foot"], np.broadcast_to([0.5, -1.0, 0.0], (5, 3)))
    with pytest.raises(fm.ModelError, match=r"'own' has no frame; take trajectory.places\('own'\)"):
        run.poses("own")


def test_grains_are_shown_by_their_centres():
    """Two grains in free flight."""
    s = fm.System(gravity=(0.0, -9.81))
    s.grains("sand", positions=[(0.0, 0.0), (1.0, 0.0)], radius=0.1, mass=1.0, velocities=[(0.0, 0.0), (2.0, 1.0)])
    s.body("rod", mass=1.0, inertia=1.0)
    run = fm.run(s, end=0.2, points=3, outputs=[], poses=True, settings=FINE)
    found, t = run.places("sand"), run.time
    np.testing.assert_allclose(found["2"], np.stack([1.0 + 2.0 * t, t - 0.5 * 9.81 * t**2, 0.0 * t], axis=-1), atol=1e-9)
    with pytest.raises(fm.ModelError, match=r"'rod' is not shown by its points alone; take trajectory.poses\('rod'\)"):
        run.places("rod")


def test_poses_from_state_to_state():
    s = fm.System(gravity=(0.0, -9.81))
    s.point_mass("ball", mass=1.0, velocity=(2.0, 0.0))
    simulation = fm.compile(s, outputs=["ball.x"], end=1.0, poses=True, settings=FINE)
    first, state = simulation.go_on(simulation.start(), 0.5, points=2)
    second, _ = simulation.go_on(state, 1.0, points=2)
    for part in (first, second):
        wanted = np.stack([2.0 * part.time, -0.5 * 9.81 * part.time**2, 0.0 * part.time], axis=-1)
        np.testing.assert_allclose(part.poses("ball").position[0], wanted, atol=1e-9)
        assert np.array_equal(part.poses("ball").rotation[0, 1], np.eye(3))
    assert list(second.outputs) == ["ball.x"] and simulation.run(points=3).poses("ball").position.shape == (3, 3)


def test_a_run_that_was_not_asked_has_no_poses():
    run = fm.run(pendulum(0.1), end=0.1, points=2, outputs=["rod.angle"], settings=FINE)
    with pytest.raises(fm.ModelError, match="not kept poses of 'rod'; run it with poses=True"):
        run.poses("rod")
    with pytest.raises(fm.ModelError, match="near names: rod"):
        fm.run(pendulum(0.1), end=0.1, points=2, outputs=[], poses=["rood"], settings=FINE)


def test_shapes_change_no_code_and_no_result():
    box = fm.Box(size=(1.0, 0.1, 0.05), position=(0.5, 0.0), color="#1f77b4")
    plain, drawn = pendulum(1.0), pendulum(1.0, [box, fm.Sphere(radius=0.03)])
    settings = as_settings(FINE)
    assert model_of(plain, ["rod.angle"], settings) is model_of(drawn, ["rod.angle"], settings)
    one, other = (fm.run(s, end=1.0, points=5, outputs=["rod.angle"], poses=True, settings=FINE) for s in (plain, drawn))
    assert np.array_equal(one["rod.angle"], other["rod.angle"])
    assert other.bodies["rod"].body.shapes == (box, fm.Sphere(radius=0.03)) and not other.poses("ground").position.any()
    (line,) = (shape for shape in one.bodies["rod"].body.shapes if np.ptp(shape.points) > 0.0 and shape.points[1, 0] == 1.0)
    assert np.array_equal(line.points, [[0.5, 0.0, 0.0], [1.0, 0.0, 0.0]])  # none given: from the centre of mass to its points


@pytest.mark.parametrize(
    ("section", "shape"),
    [
        (fm.Section.circle(0.03), {"radius": 0.03}),
        (fm.Section.circle(0.03, 0.02), {"radius": 0.03}),
        (fm.Section.rectangle(0.02, 0.05), {"sides": (0.05, 0.02)}),
        (fm.Section.rectangle(0.02, 0.02), {"sides": (0.02, 0.02)}),
    ],
)
def test_a_flexible_body_is_drawn_by_its_section(section, shape):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    (found,) = s.beam("rod", length=1.0, elements=1, section=section, material=STEEL).shapes
    for key, value in shape.items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-12)


CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
WRONG = {
    "two sizes": (lambda: fm.Box(size=(1.0, 2.0)), "shape Box: size is (1.0, 2.0); it must be three lengths"),
    "negative": (lambda: fm.Cylinder(radius=-0.1, length=1.0), "shape Cylinder: radius is -0.1; it must be greater than zero"),
    "text": (lambda: fm.Sphere(radius="big"), "shape Sphere: radius is big; it must be a number"),
    "color": (lambda: fm.Sphere(radius=1.0, color="red"), "color is 'red'; write it as '#rrggbb'"),
    "place": (lambda: fm.Sphere(radius=1.0, position=(1.0,)), "position is (1.0,); give two numbers in the plane, or three"),
    "one point": (lambda: fm.Polyline(points=[(0.0, 0.0)]), "points has 1 rows; it must have at least 2"),
    "face": (lambda: fm.Mesh(vertices=CORNERS, faces=[(0, 1, 3)]), "faces has [0.0, 1.0, 3.0]; a face is three whole numbers from 0 to 2"),
    "no shape": (lambda: pendulum(0.0, ["box"]), "body 'rod': 'box' is no shape; give Box"),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_shape_is_told(which):
    make, said = WRONG[which]
    with pytest.raises(fm.ModelError) as error:
        make()
    assert said in str(error.value)


def test_a_shape_is_turned_as_scipy_turns():
    turned = fm.Box(size=(1.0, 1.0, 1.0), rotation=(0.2, -0.4, 0.3)).rotation
    np.testing.assert_allclose(turned, Rotation.from_rotvec((0.2, -0.4, 0.3)).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(fm.Box(size=(1.0, 1.0, 1.0), rotation=0.7).rotation, Rotation.from_euler("z", 0.7).as_matrix(), atol=1e-15)


def test_the_page_on_showing_is_true(tmp_path, monkeypatch):
    """The blocks of docs/flexmbd/showing.md run one after another, and what they assert holds."""
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "flexmbd" / "showing.md").read_text(encoding="utf-8")
    names, blocks = {"__name__": "showing"}, re.findall(r"```python\n(.*?)```", page, re.S)
    for block in blocks:
        exec(compile(block, "showing.md", "exec"), names)


@pytest.mark.parametrize("d", [2, 3])
def test_grains_fly_where_they_are_thrown(d):
    """Three that meet nothing: parabolas, and in the plane the angle of a constant rate; a sphere about each."""

    def thrown(speed):
        s, more = fm.System(gravity=(*(0.0,) * (d - 1), -9.81)), (0.0,) * (d - 2)
        turns = [4.0, -2.0, 0.0] if d == 2 else [(0.0, 0.0, 4.0), (1.0, -2.0, 0.0), (0.0, 0.0, 0.0)]
        grains = s.grains("g", positions=[(0.5 * k, *more, 1.0) for k in range(3)], radius=[0.1, 0.12, 0.08], mass=0.2, rates=turns,
                          velocities=[(speed, *more, 1.0)] * 3)  # fmt: skip
        s.add(fm.GranularContact("c", grains, fm.Hertz(1e6)))
        return s

    speeds = np.array([0.5, 1.5])
    run = fm.run(thrown, {"speed": speeds}, end=0.4, points=5, outputs=[], poses=True, settings=FINE)
    found, t = run.poses("g"), run.time
    assert found.position.shape == (2, 5, 3, 3) and found.rotation.shape == (2, 5, 3, 3, 3) and not run.outputs
    wanted = np.zeros((2, 5, 3, 3))
    wanted[..., 0] = 0.5 * np.arange(3) + speeds[:, None, None] * t[:, None]
    wanted[..., d - 1] = (1.0 + t - 0.5 * 9.81 * t**2)[:, None]
    np.testing.assert_allclose(found.position, wanted, atol=1e-9)
    turned = np.outer(t, [4.0, -2.0, 0.0] if d == 2 else [0.0, 0.0, 0.0])
    about_z = Rotation.from_rotvec(turned.reshape(-1, 1) * [0.0, 0.0, 1.0]).as_matrix().reshape(5, 3, 3, 3)
    np.testing.assert_allclose(found.rotation, np.stack([about_z] * 2), atol=1e-9)
    (balls,) = run.bodies["g"].body.shapes
    assert isinstance(balls, fm.Balls) and balls.radii == (0.1, 0.12, 0.08)
    one = run.of_sample(1).poses("g")
    assert np.array_equal(one.position, found.position[1])
    with pytest.raises(fm.ModelError, match="radii"):
        fm.Balls([0.1, -0.1])
