"""Generalized-alpha: exact Newton matrix, order 2, stiff systems, contact, and lanes that do not know of each other."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.friction import Ambrosio, LuGre
from flexmbd.contact.laws import LankaraniNikravesh
from flexmbd.equations import newton, newton_equations
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.tuning import Tuning

IMPLICIT = {"integrator": "generalized_alpha"}
SPEED = 5000 * 2 * np.pi / 60
QUARTER = {
    "rod.angle": -0.429710507622,
    "slider.x": 0.108808279694,
    "rod.rate": -27.4213121,
    "slider.vx": -26.4058327417,
}  # REFERENCES.md 2


def pendulum(length=1.0):
    s = fm.System(gravity=(0.0, -9.81))
    rod = s.body("rod", mass=1.0, inertia=0.25, position=(-0.5 * length, 0.0), points={"O": (0.5, 0.0), "E": (-0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0, 0), rod["O"]))
    return s


def slider_crank(clearance=5e-4, restitution=0.9, friction=None):
    s, r, length = fm.System(), 0.05, 0.12
    rate = -SPEED * r / length
    crank = s.body("crank", mass=0.3, inertia=1e-5, position=(r / 2, 0), velocity=(0, SPEED * r / 2), rate=SPEED)
    rod = s.body("rod", mass=0.21, inertia=2.5e-4, position=(r + length / 2, 0), velocity=(0, SPEED * r + rate * length / 2), rate=rate)
    slider = s.body("slider", mass=0.14, inertia=1e-4, position=(r + length, 0))
    ground = s.ground.at(0, 0)
    s.add(fm.Revolute("O", ground, crank.at(-r / 2, 0)))
    s.add(fm.Revolute("A", crank.at(r / 2, 0), rod.at(-length / 2, 0)))
    s.add(fm.Translational("guide", ground, slider.centre))
    s.add(fm.AngleDrive("drive", ground, crank.centre, fm.ConstantSpeed(SPEED)))
    law = LankaraniNikravesh(6.6101983979e10, restitution=restitution)
    radius = None if friction is None else 0.01
    s.add(fm.ClearanceRevolute("B", rod.at(length / 2, 0), slider.centre, clearance, law, friction=friction, bearing_radius=radius))
    return s


def ambrosio(clearance=5e-4):
    return slider_crank(clearance, friction=Ambrosio(0.1, 0.001, 5.0))


def lugre(clearance=5e-4):
    return slider_crank(clearance, friction=LuGre(0.2, 0.1, 0.5, 1e4, 1e-3, 1e-3))


def springs(stiffness=300.0):
    """Two bodies on springs of all kinds, and drives of all kinds on a third."""
    s = fm.System(gravity=(0.0, -9.81))
    a = s.body("a", mass=1.3, inertia=0.2, position=(0.4, 0.1), angle=0.3, velocity=(0.2, -0.1), rate=1.5)
    b = s.body("b", mass=0.7, inertia=0.1, position=(1.1, 0.3), angle=-0.2, velocity=(-0.1, 0.4), rate=-0.7)
    s.add(fm.Spring("long", s.ground.at(0, 1), a.at(-0.1, 0.2), stiffness, damping=2.0, length=0.7))
    s.add(fm.Spring("short", a.at(0.2, 0), b.at(-0.1, -0.1), stiffness, damping=1.0))
    s.add(fm.TorsionSpring("twist", a, b, 5.0, damping=0.3, angle=0.1))
    s.add(fm.SlideDrive("slide", s.ground.at(0, 0), b.centre, fm.Harmonic(0.1, 6.0, offset=1.1)))
    return s


SYSTEMS = (ambrosio, lugre, springs)


def numbers(system, seed=0):
    """Random values of all run-time variables near the system's start, in contact."""
    rng = np.random.default_rng(seed)
    equations, (q, v) = NaturalCoordinates(system).problem(), system.initial()
    n = equations.n
    values = {
        "t": 0.01,
        "beta_h2": 3e-9 if equations.contacts else 2e-4,
        "gamma_beta_h": 1.3e4 if equations.contacts else 60.0,
        "step_share": 1e-4,
    }
    shift = 4e-4 if equations.contacts else 1e-2
    values |= {"q": np.array(q) + shift * rng.normal(size=n), "v": np.array(v) + rng.normal(size=n)}
    values |= {"a": 1e3 * rng.normal(size=n), "l": 1e2 * rng.normal(size=len(equations.rows))}
    values |= {space: 1e-5 * rng.normal(size=len(equations.states)) for space in "sp"}
    values |= {
        space: np.full(len(equations.contacts), x)
        for space, x in (("mode", 1.0), ("impact_velocity", 2.0), ("least_impact_velocity", 1e-3), ("impacts", 1.0))
    }
    for contact in equations.contacts:
        angle = rng.uniform(0, 2 * np.pi)  # the slider's bearing lies 10 micrometres inside the journal at the rod's end
        for k, direction in enumerate((np.cos(angle), np.sin(angle))):
            values["q"][8 + k] = values["q"][4 + k] + 0.06 * values["q"][6 + k] + (5e-4 + 1e-5) * direction
        assert 0 < equations.graph.evaluate([contact.penetration], values, parameters(system))[0] < 2e-5
    return equations, values


def parameters(system):
    return system.parameters()


@pytest.mark.parametrize("model", SYSTEMS)
@pytest.mark.parametrize("seed", range(4))
def test_newton_matrix_is_the_derivative_of_the_residual(model, seed):
    system = model()
    equations, values = numbers(system, seed)
    matrix, side, states = newton_equations(equations)
    g, n, size = equations.graph, equations.n, equations.n + len(equations.rows)
    where, entries = zip(*matrix.items(), strict=True)
    exact = np.zeros((size, size))
    for (i, j), x in zip(where, g.evaluate(entries, values, parameters(system)), strict=True):
        exact[i, j] = x

    def residual(direction, amount):
        moved = {space: np.array(x) for space, x in values.items()}
        moved["q"] += amount * direction[:n]
        moved["v"] += amount * values["gamma_beta_h"] * direction[:n]
        moved["a"] += amount / values["beta_h2"] * direction[:n]
        moved["l"] += amount / values["beta_h2"] * direction[n:]
        for k, (constant, _) in states.items():
            for _ in range(30):
                moved["s"][k] += float(g.evaluate([constant], moved, parameters(system))[0])
        return np.array(g.evaluate([side[i] for i in range(size)], moved, parameters(system)), float)

    for k, (constant, _) in states.items():  # on the state's own equation, where its elimination is exact
        for _ in range(30):
            values["s"][k] += float(g.evaluate([constant], values, parameters(system))[0])
    for i, entry in zip(where, g.evaluate(entries, values, parameters(system)), strict=True):
        exact[i] = entry
    step = 1e-9 if equations.contacts else 1e-6
    scale = np.abs(exact).max(axis=1)
    for j in range(size):
        unit = np.eye(size)[j]
        slope = (residual(unit, step) - residual(unit, -step)) / (2 * step)
        assert np.all(np.abs(slope + exact[:, j]) < 2e-6 * scale), (j, (slope + exact[:, j]) / scale)
    if equations.contacts:
        assert any(matrix.get((j, i)) is not x for (i, j), x in matrix.items()), "friction is not symmetric"


@pytest.mark.parametrize("model", SYSTEMS)
def test_newton_correction_solves_its_equations(model):
    system = model()
    equations, values = numbers(system)
    matrix, side, _ = newton_equations(equations)
    step, _ = newton(equations)
    size, g = len(step), equations.graph
    full = np.zeros((size, size))
    for ij, x in zip(matrix, g.evaluate(list(matrix.values()), values, parameters(system)), strict=True):
        full[ij] = x
    right = np.array(g.evaluate([side[i] for i in range(size)], values, parameters(system)), float)
    found = np.array(g.evaluate(step, values, parameters(system)), float)
    assert np.allclose(full @ found, right, rtol=1e-9, atol=1e-9 * np.abs(right).max())


def final(model, inputs, end, outputs, also=(), **settings):
    outputs, settings = [f"{name}:final" for name in outputs], {"lanes": 4, **settings}
    got = fm.run(model, inputs, end=end, points=2, outputs=[*outputs, *also], settings=settings)
    assert not got.status.any(), got.message
    return np.array([got.outputs[name] for name in outputs]), got.statistics["steps"]


SWING = (["rod.E.x", "rod.E.y"], ["rod.E.vx", "rod.E.vy"])


@pytest.fixture(scope="module")
def swing():
    """Pendulum against its solution at t = 1 s: ``swing(**settings) -> (error of q, error of v, steps)``."""
    names, one = [*SWING[0], *SWING[1]], {"length": np.ones(1)}
    exact, _ = final(pendulum, one, 1.0, names, lanes=1, tolerance=1e-12)

    def error(**settings):
        got, steps = final(pendulum, one, 1.0, names, ["energy.total"], lanes=1, **IMPLICIT, **settings)
        difference = np.linalg.norm((got - exact).reshape(2, 2), axis=1)
        return *difference, steps[0]

    return error


def slopes(pairs):
    x, y = np.log(np.array(pairs)).T
    return np.diff(y) / np.diff(x)


@pytest.mark.parametrize("level", (0, 1), ids=("positions", "velocities"))
def test_fixed_steps_converge_with_order_2(swing, level):
    errors = [(h, swing(step=h, fixed=True)[level]) for h in (4e-3, 2e-3, 1e-3, 5e-4)]
    assert np.all(np.abs(slopes(errors) - INTEGRATORS["generalized_alpha"].order) < 0.2), errors


@pytest.mark.parametrize("level", (0, 1), ids=("positions", "velocities"))
def test_changing_steps_keep_order_2(swing, level):
    runs = [swing(tolerance=tolerance) for tolerance in (1e-5, 1e-6, 1e-7, 1e-8)]
    errors = [(1 / run[2], run[level]) for run in runs]
    assert np.all(np.abs(slopes(errors) - 2) < 0.3), errors
    assert slopes([errors[0], errors[-1]])[0] == pytest.approx(2, abs=0.2)


def test_a_pendulum_loses_energy_slowly_and_never_gains(swing):
    finals = [f"{name}:final" for name in (*SWING[0], *SWING[1])]
    time = {"end": 20.0, "points": 41, "outputs": [*finals, "energy.total"]}  # those of `swing`: the same compiled model
    loss = []
    for h in (1e-2, 5e-3):
        run = fm.run(pendulum, {"length": np.ones(1)}, **time, settings={**IMPLICIT, "lanes": 1, "step": h, "fixed": True})
        energy = run.outputs["energy.total"][0]
        loss.append(energy[0] - energy[-1])
        assert np.abs(energy - energy[0]).max() < 5e-2
    assert loss[0] > loss[1] > 0
    assert loss[1] < loss[0] / 3.5


def stiff(stiffness=1e8, damping=2e3):
    """A point mass on a rod that is a stiff damped spring."""
    s = fm.System(gravity=(0.0, -9.81))
    mass = s.body("m", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    s.add(fm.Spring("rod", s.ground.at(0, 0), mass.centre, stiffness, damping=damping, length=1.0))
    return s


@pytest.mark.slow
def test_a_stiff_spring_needs_far_fewer_steps_than_the_explicit_scheme():
    inputs, names = {"stiffness": np.full(1, 1e8), "damping": np.full(1, 2e3)}, ["m.x", "m.y"]
    exact, _ = final(stiff, inputs, 1.0, names, lanes=1, tolerance=1e-10)
    explicit, many = final(stiff, inputs, 1.0, names, lanes=1, tolerance=1e-5)
    implicit, few = final(stiff, inputs, 1.0, names, lanes=1, tolerance=1e-5, **IMPLICIT)
    assert np.abs(explicit - exact).max() < 1e-6 and np.abs(implicit - exact).max() < 2e-5
    assert few[0] < many[0] / 5, (few, many)


def oscillator(stiffness=1e10):
    s = fm.System()
    mass = s.body("m", mass=1.0, inertia=1.0, position=(1.0, 0.0))
    s.add(fm.Spring("spring", s.ground.at(0, 0), mass.centre, stiffness))
    return s


@pytest.mark.slow
@pytest.mark.parametrize("radius", (0.5, pytest.param(0.8, marks=pytest.mark.slow)))
def test_spectral_radius_at_infinity(radius):
    """At omega h = 1000 the amplification matrix has a triple eigenvalue near -radius: decay like n^2 radius^n."""
    settings = {**IMPLICIT, "lanes": 1, "step": 1e-2, "fixed": True, "spectral_radius": radius}
    run = fm.run(oscillator, {"stiffness": np.full(1, 1e10)}, end=0.6, points=61, outputs=["m.x"], settings=settings)
    x = np.abs(run.outputs["m.x"][0])
    slope = (np.log(x[50:].max()) - np.log(x[20:31].max())) / 30
    assert np.exp(slope) == pytest.approx(radius, rel=0.12)


@pytest.mark.parametrize("radius", (-0.1, 1.0))
def test_spectral_radius_has_bounds(radius):
    with pytest.raises(fm.ModelError, match="spectral_radius"):
        fm.Settings(**IMPLICIT, spectral_radius=radius)


@pytest.mark.slow
def test_springs_and_drives_agree_with_the_explicit_scheme():
    inputs, names = {"stiffness": np.array([100.0, 300.0])}, ["a.x", "a.y", "a.angle", "b.y", "b.vy", "twist.moment"]
    exact, _ = final(springs, inputs, 0.5, names, lanes=2, tolerance=1e-10)
    errors = [
        (h, np.abs(final(springs, inputs, 0.5, names, lanes=2, step=h, fixed=True, **IMPLICIT)[0] - exact).max()) for h in (2e-3, 1e-3)
    ]
    assert errors[0][1] < 2e-2 and slopes(errors)[0] == pytest.approx(2, abs=0.2)


def test_clearance_slider_crank_agrees_with_the_reference():
    reference = np.array(list(QUARTER.values()))
    error = []
    for tolerance in (1e-6, 1e-7, 1e-8):
        got, _ = final(slider_crank, {"clearance": np.full(1, 5e-4)}, 3e-3, QUARTER, tolerance=tolerance, **IMPLICIT)
        error.append(np.abs(got[:, 0] / reference - 1))
    assert np.all(error[2][[0, 1, 3]] < [3e-6, 1e-6, 2e-5])
    assert np.all(error[2] < 2e-4)
    assert np.all(error[2] < error[0])


def test_fixed_steps_locate_contact():
    reference = np.array(list(QUARTER.values()))
    got, _ = final(slider_crank, {"clearance": np.full(1, 5e-4)}, 3e-3, QUARTER, step=1e-6, fixed=True, **IMPLICIT)
    assert np.all(np.abs(got[:, 0] / reference - 1)[[0, 1, 3]] < [2e-5, 2e-5, 1e-3])


@pytest.fixture(scope="module")
def impacts():
    rng = np.random.default_rng(5)
    return rng.uniform(1e-4, 5e-4, 19)


def test_lanes_do_not_know_their_neighbours(impacts):
    full, steps = final(slider_crank, {"clearance": impacts}, 1.5e-3, QUARTER, tolerance=1e-6, **IMPLICIT)
    some = [17, 3, 11, 0, 8]
    alone, few = final(slider_crank, {"clearance": impacts[some]}, 1.5e-3, QUARTER, tolerance=1e-6, **IMPLICIT)
    assert np.array_equal(full[:, some], alone) and np.array_equal(steps[some], few)


@pytest.mark.slow
def test_lane_width_does_not_matter_beyond_the_tolerance(impacts):
    wide, _ = final(slider_crank, {"clearance": impacts}, 1.5e-3, QUARTER, tolerance=1e-6, **IMPLICIT)
    one, _ = final(slider_crank, {"clearance": impacts}, 1.5e-3, QUARTER, tolerance=1e-6, lanes=1, **IMPLICIT)
    assert np.allclose(wide, one, rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("model", (ambrosio, lugre))
def test_friction_agrees_with_the_explicit_scheme(model):
    inputs, names = {"clearance": np.full(1, 5e-4)}, [*QUARTER, "energy.balance"]
    exact, _ = final(model, inputs, 6e-4, names, lanes=1, tolerance=1e-10)
    got, _ = final(model, inputs, 6e-4, names, lanes=1, tolerance=1e-8, **IMPLICIT)
    assert np.allclose(got, exact, rtol=5e-6)


@pytest.mark.slow
def test_a_model_in_many_pieces_agrees_with_one_in_few():
    inputs, names = {"clearance": np.linspace(2e-4, 5e-4, 3)}, [*QUARTER, "energy.balance"]
    few, _ = final(ambrosio, inputs, 4e-4, names, lanes=4, step=2e-6, fixed=True, **IMPLICIT)
    many, _ = final(ambrosio, inputs, 4e-4, names, lanes=4, step=2e-6, fixed=True, tuning=Tuning(piece=50), **IMPLICIT)
    assert np.allclose(few, many, rtol=1e-9)
