"""Taylor series: recurrences of all nodes that have one, orders, events, energy, and what is refused."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd import lanes
from flexmbd.integrators import INTEGRATORS
from flexmbd.integrators.taylor import order_of
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import KINDS, OPERATIONS
from flexmbd.language.ops import OPS
from flexmbd.language.series import Series
from flexmbd.tuning import Tuning

from . import force_gallery, joint_gallery
from .pendula import G, pendula, period, swing
from .test_generalized_alpha import ambrosio, springs
from .test_integrator_family import ended, pendulum, swinging, tumbling, twins
from .test_spatial_bodies import heavy_top

ORDER, H = 24, 0.11
PATHS = ((0.8, 0.5, -0.3, 0.2), (0.6, -0.4, 0.25, 0.1))  # coefficients of q0 and q1 in time
NUMBERS = {"k": 1.7}


def cases():
    """An expression for every row of the tables that has a recurrence, by name."""

    def made(graph, name):
        q, k = graph.space("q").first(2), graph.param("k", 1)
        one, other = q[0] * q[1] + 1.3, q[1] + k * q[0]
        if name in OPS:
            args = [graph.greater(one, 0.5), one, other] if name == "select" else [one, other][: len_of(name)]
            return [getattr(graph, OPS[name].make)(*args)]
        args = [k * one] if name != "atan2" else [one, other]
        args = [one, k] if name == "power" else args
        found = graph.call(getattr(lanes, name), args, 2 if name == "sincos" else None)
        return found if isinstance(found, tuple) else [found]

    names = [name for name, op in OPS.items() if op.series] + [name for name, word in lanes.WORDS.items() if word.series]
    return [pytest.param(made, name, id=name) for name in names]


def len_of(name):
    return 1 if name in ("neg", "sqrt", "fabs") else 2


def coefficients(graph, nodes, together=2):
    """Of nodes along PATHS, (nodes, ORDER)."""
    q = graph.space("q").first(2)
    values = {"q": [path[0] for path in PATHS], "v": [path[1] for path in PATHS]}
    series = Series(graph, lambda x: float(graph.evaluate([x], values, NUMBERS)[0]), lambda c, a, b: a if c else b, together)
    for x, rate, path in zip(q, graph.space("v").first(2), PATHS, strict=True):
        series.given[x.id] = [*path, *(ORDER * [0.0])]
        series.given[rate.id] = [k * path[k] if k < len(path) else 0.0 for k in range(1, ORDER)]
    return np.array([[float(series(x, k)) for x in nodes] for k in range(ORDER)]).T


@pytest.mark.parametrize("together", (1, 2, 3))
@pytest.mark.parametrize("made, name", cases())
def test_a_recurrence_is_that_of_the_function(made, name, together):
    """The sum of the series is the function itself, a little later."""
    graph = Graph()
    nodes = [graph.const(x) for x in made(graph, name)]
    found = coefficients(graph, nodes, together) @ H ** np.arange(ORDER)
    later = {"q": [np.polynomial.polynomial.polyval(H, path) for path in PATHS]}
    assert found == pytest.approx(np.array(graph.evaluate(nodes, later, NUMBERS), float), rel=1e-13)


def test_an_exponent_may_move():
    graph = Graph()
    q = graph.space("q").first(2)
    nodes = [graph.call(lanes.power, [q[0] * q[1] + 1.3, q[1] - 0.2 * q[0]], None)]
    later = {"q": [np.polynomial.polynomial.polyval(H, path) for path in PATHS]}
    value = float(graph.evaluate(nodes, later, NUMBERS)[0])
    assert coefficients(graph, nodes)[0] @ H ** np.arange(ORDER) == pytest.approx(value, rel=1e-13)


def test_every_row_of_the_tables_has_a_recurrence_or_none_on_purpose():
    without = {kind.name for kind in KINDS if kind.series is None}
    read = {"const", "param", "table", "matrix", "inverse", "entry", "var"}
    assert without - read == {"factors", "substitution", "total", "largest", "span", ">", "&"}
    assert {name for name in OPERATIONS if not OPS[name].series} == {">", "&"}
    stay = {name for name, word in lanes.WORDS.items() if word.polynomial or name == "floor"}
    assert {name for name, word in lanes.WORDS.items() if word.series} == stay
    assert {name for name, op in OPS.items() if op.bends} == {"fabs", "select"}


def test_the_order_follows_from_the_tolerance():
    """Jorba and Zou (2005), 3.2; it is the setting's."""
    assert [order_of(x) for x in (1e-3, 1e-6, 1e-8, 1e-12, 1e-16)] == [5, 8, 11, 15, 20]
    assert INTEGRATORS["taylor"].tuned(1e-12).order == 15 and INTEGRATORS["taylor"].order == 11


@pytest.mark.parametrize("tolerance, counts", [(1e-2, (48, 64)), (1e-4, (48, 64)), (1e-6, (32, 48)), (1e-7, (12, 24))])
def test_order_by_steps(tolerance, counts):
    """Errors of a pendulum's places and velocities go with the step to the power of the order: 4, 6, 8, 10."""
    errors = []
    for count in counts:
        q, v, *_ = ended(pendulum, "rod.x:final", 1.0, integrator="taylor", tolerance=tolerance, step=1.0 / count, lanes=2)
        errors.append(np.linalg.norm(np.concatenate([q, v]) - np.concatenate(swinging(1.0))))
    slope = np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0])
    assert slope == pytest.approx(order_of(tolerance), abs=0.4), errors


def arm():
    """Two bodies on a ball and a hinge, on a turning base, in space."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    inertia = (0.02, 0.03, 0.04, 0.001, -0.002, 0.001)
    one = s.body("one", mass=2.0, inertia=inertia, position=(0.3, 0.0, 0.0), angular_velocity=(0.4, 1.0, -0.5), velocity=(0.0, -0.15, -0.3))
    two = s.body("two", mass=1.0, inertia=inertia, position=(0.9, 0.0, 0.0), angular_velocity=(0.4, 1.0, -0.5), velocity=(0.0, -0.45, -0.9))
    s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), one.at(-0.3, 0.0, 0.0)))
    s.add(fm.Revolute("hinge", one.at(0.3, 0.0, 0.0), two.at(-0.3, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(0.0, 1.0, 0.5), two.centre, 40.0, damping=1.0, length=0.5))
    return s


def linked():
    """Three bodies on hinges in the plane, one of them told from the outer body, with a spring, a damper, and a branch."""
    s = fm.System(gravity=(0.0, -9.81))
    one = s.body("one", mass=1.0, inertia=0.1, position=(0.5, 0.1), rate=0.3, velocity=(-0.03, 0.15))
    two = s.body("two", mass=0.7, inertia=0.05, position=(1.3, 0.2), rate=-0.4, velocity=(-0.06, 0.18))
    three = s.body("three", mass=0.5, inertia=0.02, position=(1.0, -0.3), velocity=(-0.06, 0.3))
    s.add(fm.Revolute("a", s.ground.at(0.0, 0.0), one.at(-0.5, -0.1)))
    s.add(fm.Revolute("b", two.at(-0.3, 0.0), one.at(0.5, 0.1)))
    s.add(fm.Revolute("c", one.at(0.5, 0.1), three.at(0.0, 0.5)))
    s.add(fm.Spring("spring", two.at(0.3, 0.1), three.at(0.1, -0.2), 30.0, damping=1.0, length=0.4))
    s.add(fm.TorsionSpring("twist", one, three, 2.0, damping=0.1, angle=0.1))
    return s


def spinning():
    """A body of six moments told first at its ball on ground, and a free one that a spring with a damper holds at points of both."""
    s = fm.System(gravity=(1.0, -2.0, -9.81))
    inertia = (0.02, 0.03, 0.04, 0.001, -0.002, 0.001)
    one = s.body("one", mass=2.0, inertia=inertia, position=(0.3, 0.1, 0.0), angular_velocity=(4.0, 1.0, 0.0), velocity=(0.0, 0.0, 0.1))
    two = s.body("two", mass=1.0, inertia=inertia, position=(0.9, 0.2, 0.4), angular_velocity=(2.0, -3.0, 5.0))
    s.add(fm.Spherical("ball", one.at(-0.3, -0.1, 0.0), s.ground.at(0.0, 0.0, 0.0)))
    s.add(fm.Spring("spring", one.at(0.1, 0.2, 0.3), two.at(0.1, -0.1, 0.2), 40.0, damping=1.0, length=0.5))
    return s


def closed_in_space():
    """Two bodies on balls on ground, one of them with another on a hinge, and a rod between them that closes the loop."""
    s = arm()
    inertia = (0.02, 0.03, 0.04, 0.001, -0.002, 0.001)
    three = s.body("three", mass=1.5, inertia=inertia, position=(1.5, 0.5, 0.0))
    s.add(fm.Spherical("other", s.ground.at(1.5, 0.8, 0.0), three.at(0.0, 0.3, 0.0)))
    two = next(body for body in s.bodies if body.name == "two")
    s.add(fm.Distance("rod", two.at(0.2, 0.0, 0.0), three.at(0.0, -0.2, 0.0)))
    return s


SCENES = {
    "springs": (springs, 0.5), "pendula": (pendula, 0.5), "twins": (twins, 0.5), "tumbling": (tumbling, 0.5), "top": (heavy_top, 0.03),
    "arm": (arm, 0.3), "linked": (linked, 0.5), "spinning": (spinning, 0.3), "loop": (closed_in_space, 0.2),
    "joints": (joint_gallery.gallery, 0.1), "forces": (force_gallery.gallery, 0.1),
}  # fmt: skip


@pytest.mark.parametrize("build, outputs, formulation", [
    (springs, ("a.x", "b.y", "b.angle"), "natural"), (springs, ("a.x", "b.y", "b.angle"), "tree"),
    (spinning, ("one.x", "two.y", "two.z"), "tree"),
])  # fmt: skip
def test_higher_orders_in_a_loop_are_those_of_straight_code(build, outputs, formulation):
    """Of springs, dampers and a drive, and of bodies that spin: the same steps, and the same end but for rounding."""
    found = []
    for series in (1, 10**9):
        settings = {"integrator": "taylor", "lanes": 2, "formulation": formulation, "tuning": Tuning(straight_series=series)}
        run = fm.run(build, {}, end=0.3, points=2, outputs=list(outputs), settings=settings)
        found.append([run[x][0, -1] for x in outputs] + [run.statistics["steps"][0]])
    np.testing.assert_allclose(*found, rtol=1e-11)


@pytest.mark.parametrize("formulation", ("natural", "tree"))
@pytest.mark.parametrize(
    "scene", [pytest.param(x, marks=[] if x in ("springs", "arm", "linked", "spinning") else pytest.mark.slow) for x in SCENES]
)
def test_agrees_with_runge_kutta(scene, formulation):
    """Springs, dampers, drives, balls: the same motion, and the same energy, as by the explicit scheme of order 5 in short steps."""
    build, end = SCENES[scene]
    outputs = [f"{body.name}.{axis}" for body in build().bodies for axis in "xyz"[: build().dimension]]
    found = []
    for name in ("taylor", "dormand_prince"):
        run = fm.run(build, {}, end=end, points=4, outputs=outputs, settings={
            "integrator": name, "tolerance": 1e-12, "lanes": 2, "formulation": formulation})  # fmt: skip
        assert not run.status.any(), run.message
        found.append(np.array([run[x] for x in outputs]))
    np.testing.assert_allclose(*found, atol=2e-11)


@pytest.mark.parametrize("ball", (False, True))
def test_a_free_body_with_an_axis_of_symmetry_precesses(ball):
    """Its axis goes about the angular momentum L at the rate L/A (A across the axis), also on a ball at its centre: to 1e-11."""
    spin, across, along = np.array([3.0, 0.0, 40.0]), 0.2, 0.3

    def build():
        s = fm.System(gravity=(0.0, 0.0, -9.81) if ball else (0.0, 0.0, 0.0))
        inertia = (across, across, along)
        body = s.body(
            "body", mass=2.0, inertia=inertia, position=(0.0, 0.0, 0.0), angular_velocity=tuple(spin), points={"P": (0.0, 0.0, 1.0)}
        )
        if ball:
            s.add(fm.Spherical("ball", body.at(0.0, 0.0, 0.0), s.ground.at(0.0, 0.0, 0.0)))
        return s

    momentum = np.array([across, across, along]) * spin
    size, turned = np.linalg.norm(momentum), 1.0 * np.linalg.norm(momentum) / across
    axis, start = momentum / size, np.array([0.0, 0.0, 1.0])
    rest = axis * (axis @ start)
    place = rest + np.cos(turned) * (start - rest) + np.sin(turned) * np.cross(axis, start)
    settings = {"integrator": "taylor", "tolerance": 1e-14, "lanes": 2, "formulation": "tree"}
    run = fm.run(build, {}, end=1.0, points=2, outputs=["body.P.x", "body.P.y", "body.P.z"], settings=settings)
    np.testing.assert_allclose([run[f"body.P.{x}"][0, -1] for x in "xyz"], place, atol=1e-11)


@pytest.mark.parametrize("formulation", ("natural", "tree"))
def test_an_event_is_located_on_the_series(formulation):
    """A pendulum released at rest stops where it hangs down, after a quarter of its period by elliptic integrals."""

    def falling():
        s = pendulum_from(1.2)
        s.add(fm.StopWhen("down", fm.AngleOf(s.ground, s.bodies[0]), -np.pi / 2, rising=False))
        return s

    settings = {"integrator": "taylor", "tolerance": 1e-14, "lanes": 2, "formulation": formulation}
    run = fm.run(falling, {}, end=2.0, points=2, outputs=["rod.x"], settings=settings)
    assert run.statistics["ended"][0] == pytest.approx(0.25 * period(1.2), abs=1e-13)


def pendulum_from(angle):
    s = fm.System(gravity=(0.0, -G))
    x, y = 0.5 * np.sin(angle), -0.5 * np.cos(angle)
    rod = s.body("rod", mass=1.0, inertia=0.25, position=(x, y), angle=angle - np.pi / 2, points={"O": (-0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    return s


@pytest.mark.parametrize("formulation", ("natural", "tree"))
def test_between_steps_the_motion_is_the_series(formulation):
    """Recorded at 40 times within a few steps, against elliptic functions."""
    settings = {"integrator": "taylor", "tolerance": 1e-13, "lanes": 1, "formulation": formulation}
    run = fm.run(lambda: pendulum_from(1.2), {}, end=1.0, points=41, outputs=["rod.x"], settings=settings)
    angle, _ = swing(1.2, np.linspace(0.0, 1.0, 41))
    np.testing.assert_allclose(run["rod.x"][0], 0.5 * np.sin(angle), atol=3e-14)
    assert run.statistics["steps"][0] < 30


def test_extremes_lie_within_long_steps():
    """The largest rate of a pendulum, where it hangs down, is ``2 w sin(start/2)``; eight parts of a step are looked at."""
    settings = {"integrator": "taylor", "tolerance": 1e-12, "lanes": 2, "formulation": "tree"}
    run = fm.run(lambda: pendulum_from(1.2), {}, end=1.0, points=2, outputs=["rod.rate:abs_max"], settings=settings)
    assert run.outputs["rod.rate:abs_max"][0] == pytest.approx(2.0 * np.sqrt(G) * np.sin(0.6), rel=1e-6)
    assert run.statistics["steps"][0] < 20


def test_lanes_do_not_know_of_each_other_and_a_state_goes_on_with_the_same_bits():
    starts = np.linspace(0.5, 1.4, 5)
    settings = {"integrator": "taylor", "tolerance": 1e-10, "lanes": 4, "formulation": "tree"}

    def ends(values):
        return fm.run(pendulum_from, {"angle": values}, end=0.7, points=2, outputs=["rod.x", "rod.rate"], settings=settings)

    whole, alone = ends(starts), [ends(np.array([x])) for x in starts]
    for name in ("rod.x", "rod.rate"):
        assert np.array_equal(whole[name], np.concatenate([x[name] for x in alone]))
    sim = fm.compile(pendulum_from, {"angle": starts}, outputs=["rod.x"], end=1.0, settings=settings)
    halfway = sim.step(sim.start({"angle": starts}), 0.4)
    one, other = sim.step(halfway.copy(), 0.9), sim.step(halfway, 0.9)
    assert np.array_equal(one.values, other.values)


@pytest.mark.slow
def test_energy_is_kept_to_rounding():
    """A double pendulum for 1,000 s: the largest error of its energy, by kinetic and absolute potential energy, at 1,001 times.

    3.9e-15 in 30,871 steps; a motion that goes over the top keeps it to 2e-14 to 2e-13, since angles of many turns are rounded.
    """

    def double():
        return pendula(0.3, 1.2, 0.6)

    outputs = ["energy.kinetic", "energy.potential"]
    settings = {"integrator": "taylor", "tolerance": 1e-16, "lanes": 1, "formulation": "tree"}
    run = fm.run(double, {}, end=1000.0, points=1001, outputs=outputs, settings=settings)
    kinetic, potential = (run[x][0] for x in outputs)
    total, size = kinetic + potential, (kinetic + np.abs(potential)).max()
    assert not run.status.any() and np.abs(total - total[0]).max() < 5e-14 * size


def test_what_has_no_series_is_refused_by_name():
    """Contacts, dry friction, flexible bodies with many elements: the part, and what to take instead."""
    rope = fm.System(gravity=(0.0, -9.81))
    cable = rope.cable("rope", length=1.0, elements=5, section=fm.Section(1e-3, 1e-6), material=fm.Material(1e5, 0.3, 1000.0))
    rope.add(fm.Revolute("pin", rope.ground.at(0.0, 0.0), cable.start))
    for build, told in ((ambrosio, "'B'"), (lambda: rope, "many and alike")):
        with pytest.raises(fm.ModelError, match=told) as caught:
            fm.run(build, {}, end=0.01, points=2, outputs=[], settings={"integrator": "taylor", "lanes": 1})
        assert "taylor" in str(caught.value) and "dormand_prince" in str(caught.value)
