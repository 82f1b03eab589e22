"""`Equations(system, formulation, solver)`: analyses in other coordinates than natural ones give the same, or say what they leave out."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.element import Element
from flexmbd.formulation import FORMULATIONS
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.registry import Coupled
from flexmbd.running.choice import frictions

from .pendula import swing
from .sentences import names, said
from .test_extending import module  # noqa: F401
from .test_inertia import pendulum


@pytest.fixture
def other(module, monkeypatch):  # noqa: F811
    """``other(system)``: its equations in the angles of pins, inertia by a recursion."""
    monkeypatch.setitem(FORMULATIONS, "angles", module("JointAngles").Recursive)
    return lambda system, **more: fm.Equations(system, "angles", **more)


def sprung():
    s = pendulum(-1.4, 0.3)
    s.add(fm.TorsionSpring("spring", s.ground, s.bodies[0], stiffness=3.0, damping=0.2))
    s.add(fm.Torque("load", s.ground, s.bodies[1], moment=0.5))
    return s


def test_analyses_do_not_depend_on_the_coordinates(other):
    """Equilibrium, vibrations with and without damping, linear equations, motion: of two coordinates and of eight with six rows."""
    e, natural = other(sprung()), fm.Equations(sprung())
    assert (e.n, e.count, natural.n, natural.count) == (2, 0, 8, 6) and e.coordinates == ["O[0]", "A[0]"]
    rest, known = fm.static(e), fm.static(natural)
    for name in ("rod.angle", "end.angle", "end.x", "end.y", "energy.total"):
        np.testing.assert_allclose(rest[name], known[name], rtol=1e-9)
    for damped in (False, True):
        np.testing.assert_allclose(fm.modes(rest, damped=damped).poles, fm.modes(known, damped=damped).poles, rtol=1e-7)
    inputs, outputs = ["@load.moment.c0"], ["end.angle", "end.x"]
    one, two = (fm.state_space(of, inputs, outputs, state=path) for of, path in ((e, rest), (natural, known)))
    np.testing.assert_allclose(one.poles, two.poles, rtol=1e-7)
    np.testing.assert_allclose(one.frequency_response([0.3, 5.0]), two.frequency_response([0.3, 5.0]), rtol=1e-7)


def test_the_reference_solution_does_not_depend_on_the_coordinates(other):
    pytest.importorskip("sksundae")
    one, two = (fm.reference(of, end=0.3, points=4, outputs=["end.angle", "end.x"]) for of in (other(sprung()), sprung()))
    for name, x in one.outputs.items():
        np.testing.assert_allclose(x, two.outputs[name], atol=1e-7)


def test_sensitivities_do_not_depend_on_the_coordinates(other):
    """By masses, a damper, gravity, a load: in two coordinates as in eight with six rows."""
    names_, outputs = ["rod.mass", "end.inertia", "@spring.damping", "gravity.y", "@load.moment.c0"], ["end.x", "end.angle", "energy.total"]
    one, two = (fm.sensitivities(of, names_, outputs, end=0.6, points=4, rtol=1e-10) for of in (other(sprung()), sprung()))
    for name in outputs:
        largest = np.abs(two.derivatives[name]).max(axis=0)
        np.testing.assert_allclose(one.values[name], two.values[name], rtol=1e-8)
        np.testing.assert_allclose(one.derivatives[name] / largest, two.derivatives[name] / largest, rtol=0, atol=1e-7, err_msg=name)


def physical_pendulum(mass=2.0, inertia=0.3, arm=0.8, angle=2.0):
    """A rod on a pin, angle from down."""
    s = fm.System(gravity=(0.0, -9.81))
    place = arm * np.sin(angle), -arm * np.cos(angle)
    rod = s.body("rod", mass=mass, inertia=inertia, position=place, angle=angle - np.pi / 2, points={"O": (-arm, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    return s


def test_the_period_of_a_physical_pendulum_in_the_angle_of_its_pin(other):
    """Its angle is a function of sqrt(w) t with w = m g d/(J + m d²): closed forms of the derivatives by mass, inertia and gravity."""
    e = other(physical_pendulum())
    assert (e.n, e.count) == (1, 0)
    found = fm.sensitivities(e, ["rod.mass", "rod.inertia", "gravity.y"], ["rod.angle"], end=3.0, points=13, rtol=1e-11, atol=1e-12)
    t, m, J, d, g = found.time, 2.0, 0.3, 0.8, 9.81
    total, shape = J + m * d * d, np.sqrt(m * d / (J + m * d * d))
    angle, rate = swing(2.0, shape * t)
    np.testing.assert_allclose(found.values["rod.angle"], angle - np.pi / 2, rtol=0, atol=1e-8)
    by_log_w = 0.5 * rate * shape * t
    for name, slope in {"rod.mass": J / (m * total), "rod.inertia": -1.0 / total, "gravity.y": -1.0 / g}.items():
        np.testing.assert_allclose(found["rod.angle", name], by_log_w * slope, rtol=0, atol=1e-7, err_msg=name)


def test_what_other_coordinates_leave_out_is_said(other):
    names(said(lambda: other(sprung(), spinning=1.0)), "turning frame", "natural")
    s = fm.System()
    s.body("rod", mass=1.0, inertia=1.0)
    names(said(lambda: fm.sensitivities(fm.Equations(s, spinning=1.0), ["rod.mass"], ["rod.x"], end=0.1, points=2)), "turning frame")
    names(said(lambda: fm.Equations(sprung(), "forest")), "formulation", "'forest'")
    names(said(lambda: fm.Equations(sprung(), solver="gauss")), "gauss")
    names(said(lambda: other(sprung()).output("O.fx", *other(sprung()).initial(), multipliers=[1.0])), "reactions", "'O'")


def test_equations_keep_their_solver_and_what_it_found(monkeypatch):
    """Two analyses of one `Equations` with different solvers leave each other alone."""
    e = fm.Equations(sprung(), solver="superlu")
    other = e.using("umfpack") if "umfpack" in _installed() else e.using(None)
    assert e.solver == "superlu" and e.using(None) is e and e.using("superlu") is e
    fm.static(e)
    assert fm.static(other).equations.solver == other.solver and e.solver == "superlu"
    assert fm.static(e).equations is e and {key[1] for key in e.analyses if isinstance(key, tuple)} <= {"superlu", other.solver}


def _installed():
    try:
        fm.Equations(sprung(), solver="umfpack")
    except fm.ModelError:
        return ()
    return ("umfpack",)


class Counting(fm.Torque):
    """Its output is the way that a body has turned: a state that only the output brings."""

    def outputs(self, equations):
        def way():
            x = equations.state(self, "way")
            equations.state_rate(x, equations.graph.fabs(equations.spin(equations.system.bodies[0])))
            return x

        return {f"{self.name}.way": (way, "rad")}


def metered():
    s = sprung()
    s.add(Counting("meter", s.ground, s.bodies[0], moment=0.0))
    return s


def test_an_output_that_brings_a_state_is_integrated_or_refused_by_name():
    """Equations are written again with the state; analyses whose equations are made say how to have it."""
    run = fm.run(metered(), end=0.05, points=51, outputs=["meter.way", "rod.rate", "rod.angle"], settings={"lanes": 1, "tolerance": 1e-9})
    assert run["meter.way"][-1] == pytest.approx(np.abs(run["rod.angle"][-1] - run["rod.angle"][0]), rel=1e-5)
    assert run["meter.way"][-1] > 0.0
    e = fm.Equations(metered())
    for use in (lambda: e.output("meter.way", *e.initial()), lambda: e.output("meter.way", *e.initial())):  # also when asked again
        names(said(use), "'meter.way' brings a state", "outputs=['meter.way']")
    names(said(lambda: fm.reference(fm.Equations(metered()), end=0.1, points=2, outputs=["meter.way"])), "brings a state", "outputs=[")
    made = fm.Equations(metered(), outputs=["meter.way"])
    assert made.output("meter.way", *made.initial()) == 0.0


# ---- forces that depend on reactions, from outside
class Pressed(Coupled):
    """A torque of a brake: coefficient times radius times the force in a pin."""

    kind = "brake"

    def __init__(self, element, equations):
        self.element, self._rows, self.rate = element, equations.owner["pin"], equations.spin(element.body)
        self._size = equations.number(element, "mu") * equations.number(element, "radius")
        self.columns = {i: -x for i, x in equations.graph.slopes(self.rate, equations.v)}

    def load(self, graph, multipliers):
        x, y = multipliers[self._rows : self._rows + 2]
        size = graph.sqrt(x * x + y * y)
        return size, {self._rows: x / size, self._rows + 1: y / size}

    def force(self, graph, load):
        return self._size * load, self._size

    def book(self, equations, force):
        equations.power("dissipated", force * self.rate)
        equations.keep_nodes(self.element, force=force)


class Brake(Element):
    couples = "brake"

    def __init__(self, name, body):
        self.name, self.body = name, body

    def parameters(self):
        return {"mu": 0.2, "radius": 0.1}

    def topology_key(self):
        return (self.body.name,)

    def apply(self, equations):
        equations.couple(Pressed(self, equations))

    def outputs(self, equations):
        return {f"{self.name}.torque": (lambda: equations.nodes_of(self)["force"], "N m")}


def braked():
    """A wheel with its centre off the pin, from rest below it."""
    s = fm.System(gravity=(0.0, -9.81))
    wheel = s.body("wheel", mass=2.0, inertia=0.3, position=(0.0, -0.25), angle=-np.pi / 2, rate=4.0, velocity=(1.0, 0.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), wheel.at(-0.25, 0.0)))
    s.add(Brake("brake", wheel))
    return s


def test_any_element_may_have_forces_that_depend_on_reactions():
    """At the lowest place: (I + m r²) a = -mu R N with N² = (m (g + r w²))² + (m r a)²; what leaves it out says so by name."""
    equations = NaturalCoordinates(braked())
    q, v = (np.array(x, float) for x in equations.system.initial())
    known = {"q": q, "v": v, "t": 0.0, "s": [0.0]}
    alpha = equations.graph.evaluate([equations.a[2]], known, equations.system.parameters())[0]  # of the axis (0, -1), along x
    arm, (m, r, w, whole) = 0.2 * 0.1, (2.0, 0.25, 4.0, 0.3 + 2.0 * 0.25**2)
    pull = m * (9.81 + r * w * w)
    wanted = -arm * pull / np.sqrt(whole**2 - (arm * m * r) ** 2)
    assert alpha == pytest.approx(wanted, rel=1e-9)
    names(said(lambda: fm.static(braked())), "depend on reactions", "brake")
    names(said(lambda: fm.Equations(braked()).force(q, v)), "depend on reactions", "brake")
    names(said(lambda: fm.sensitivities(braked(), ["wheel.mass"], ["wheel.x"], end=0.1, points=2)), "depend on reactions", "brake")
    names(said(lambda: fm.run(braked(), end=0.1, points=2, outputs=["wheel.x"], settings={"integrator": "ggl"})), "brake 'brake'", "ggl")
    assert frictions(braked()) == ["brake 'brake'"]
