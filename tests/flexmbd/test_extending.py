"""What docs/extending.md says is true: each of its code blocks is run as it stands there, and does what the page says."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import flexmbd as fm
import uqmbd as uq
from flexmbd.contact.laws import produced_restitution
from flexmbd.formulation import FORMULATIONS
from flexmbd.integrators import INTEGRATORS
from flexmbd.nonsmooth import SOLVERS, solve
from uqmbd import methods

from .contact_scenes import scenes
from .random_trees import matrix, told
from .sentences import names, said

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def block(word):
    """Source of the page's one block with a word in it."""
    (found,) = (source for source in BLOCKS if word in source)
    return found


@pytest.fixture
def module(monkeypatch, tmp_path):
    """``module(word)``: that block as a module that was imported."""

    def load(word):
        path = tmp_path / f"page_{word.split()[-1].lower()}.py"
        path.write_text(block(word))
        made = module_from_spec(spec := spec_from_file_location(path.stem, path))
        monkeypatch.setitem(sys.modules, made.__name__, made)
        spec.loader.exec_module(made)
        return made

    return load


def test_page_has_no_other_blocks():
    words = (
        "String", "Membrane", "class Linear", "MyLaw", "Grains", "DamperFilm", "CoatedRevolute", "Rod(", "sledge", "held", "AreaOf",
        "Track", "BallOnRail", "scotch_yoke", "HEUN3", "BEEMAN", "extragradient", "JointAngles", "CornersRun", "TotalDegree",
    )  # fmt: skip
    assert [sum(word in source for source in BLOCKS) for word in words] == [1] * len(BLOCKS)


def test_element_from_its_energy_alone_in_less_than_forty_lines(module):
    lines = [line for line in block("Membrane").splitlines() if line.strip()]
    first, last = (next(k for k, line in enumerate(lines) if line.startswith(word)) for word in ("def stretching", "n, side"))
    assert last - first <= 40, "energy, element and body"
    found = module("Membrane")  # it compares with a closed form itself
    e, rng = fm.Equations(found.system), np.random.default_rng(1)
    q, h = e.initial()[0] + 0.02 * rng.normal(size=e.n), 1e-30
    K, along = e.stiffness(q), rng.normal(size=e.n)
    np.testing.assert_allclose(K @ along, -e.force(q + 1j * h * along).imag / h, rtol=1e-11, atol=1e-11 * abs(K).max())
    energy = e.output("drum.energy", q + 1j * h * along).imag / h
    assert energy == pytest.approx(-e.force(q) @ along, rel=1e-12)


@pytest.mark.slow
def test_flexible_element_in_less_than_sixty_lines(module):
    assert sum(bool(line.strip()) for line in block("String").splitlines()) < 60
    found = module("String")  # it compares with a closed form itself
    assert abs(found.run.outputs["string.n4.y"]).max() == pytest.approx(1e-4, rel=0.01)
    assert np.ptp(found.run.outputs["energy.balance"], axis=1).max() < 1e-9


@pytest.mark.slow
def test_law_joint_and_integrator(module, monkeypatch):
    law, rod = module("MyLaw").MyLaw(1e5, restitution=0.6, exponent=1.0), module("Rod(").Rod
    monkeypatch.setitem(INTEGRATORS, "heun3", module("HEUN3").HEUN3)
    assert law.factor() == pytest.approx(0.4)

    def build():
        system = fm.System(gravity=(0.0, -9.81))
        ball = system.body("ball", mass=0.5, inertia=2e-4, position=(0.3, 0.0))
        bob = system.body("bob", mass=1.0, inertia=1.0, position=(1.0, 0.5))
        system.add(rod("rod", system.ground.at(1.0, 0.0), bob.centre, 0.5))
        floor = system.ground.at(0.0, -0.2)
        system.add(fm.DiscPlane("floor", ball.centre, floor, 0.1, law))
        return system

    outputs = ["bob.x", "bob.y", "ball.y", "ball.vy", "ball.vy:max", "ball.vy:min", "floor.impacts"]
    run = fm.run(build, {}, end=0.2, points=21, outputs=outputs, settings={"integrator": "heun3", "step": 2e-5, "lanes": 1})
    got = {name: x[0] for name, x in run.outputs.items()}
    assert np.abs((got["bob.x"] - 1.0) ** 2 + got["bob.y"] ** 2 - 0.25).max() < 1e-9
    assert got["floor.impacts"][-1] == 1
    assert got["ball.vy:max"] / -got["ball.vy:min"] == pytest.approx(produced_restitution(0.4), rel=1e-2)


def test_a_cantilever_of_given_matrices(module):
    """Deflection, frequencies and motion with a spring at the end are those of the matrices with the spring in them."""
    page = module("class Linear")
    assert fm.static(page.loaded())["beam.end.y"][-1] == pytest.approx(5.0 / (3.0 * 20.0 + 200.0), rel=1e-9)
    mass, stiffness = page.cantilever()
    assert np.sqrt(eigh(stiffness, mass, eigvals_only=True)[0]) == pytest.approx(1.8751041**2 * np.sqrt(20.0 / 0.8), rel=1e-6)
    stiffness[58, 58] += 200.0
    squares, shapes = eigh(stiffness, mass)
    np.testing.assert_allclose(fm.modes(page.loaded(0.0), count=60).frequencies, np.sqrt(squares), rtol=1e-7)
    run = fm.run(page.loaded, {"force": [5.0, 10.0]}, end=1e-4, points=5, outputs=["beam.end.y", "energy.balance"],
                 settings={"integrator": "dormand_prince", "lanes": 2, "tolerance": 1e-9})  # fmt: skip
    along = (shapes[58] ** 2 / squares) @ (1.0 - np.cos(np.sqrt(squares)[:, None] * run.time))
    np.testing.assert_allclose(run["beam.end.y"], np.outer([5.0, 10.0], along), atol=1e-7 * 10.0 * along.max())


def bounced(height, restitution, time):
    """Height at a time of a point that was let go, and how often it has touched the floor."""
    g, impacts, speed, left = 9.81, 0, 0.0, time
    flight = np.sqrt(2.0 * height / g)
    if time < flight:
        return height - 0.5 * g * time**2, 0
    left, speed = time - flight, restitution * g * flight
    while left > 2.0 * speed / g:
        left, speed, impacts = left - 2.0 * speed / g, restitution * speed, impacts + 1
    return left * (speed - 0.5 * g * left), impacts + 1


@pytest.mark.parametrize(("how", "error"), [({"integrator": "event_driven"}, 1e-13), ({"integrator": "moreau", "step": 2e-4}, 1e-3)])
def test_a_hundred_points_on_a_plane(module, how, error):
    """Each bounces as it does alone, by the parabolas between its impacts."""
    page, shares = module("Grains"), [0.5, 0.6]
    names = [f"g{k}.y" for k in range(0, 100, 11)]
    run = fm.run(page.poured, {"restitution": shares}, end=0.4, points=2, outputs=["floor.impacts", *names], settings={"lanes": 2, **how})
    assert not run.status.any()
    for j, share in enumerate(shares):
        places, impacts = zip(*(bounced(height, share, 0.4) for height in np.linspace(0.1, 0.2, 100)), strict=True)
        assert run["floor.impacts"][j, -1] == sum(impacts) > 100
        np.testing.assert_allclose([run[name][j, -1] for name in names], places[::11], rtol=0, atol=error)


@pytest.mark.slow
def test_film(module):
    film, mass, radius, c = module("DamperFilm").DamperFilm(0.04, 0.02), 2.0, 0.01, 1e-4

    def build():
        system = fm.System(gravity=(0.0, -9.81))
        journal = system.body("journal", mass=mass, inertia=1e-4, position=(0.0, 0.5 * c))
        system.add(fm.ClearanceRevolute("B", journal.centre, system.ground.at(0.0, 0.0), c, None, bearing_radius=radius, film=film))
        return system

    run = fm.run(build, {}, end=2e-3, points=21, outputs=["journal.vy"], settings={"tolerance": 1e-10})
    damping = 0.04 * 0.02 * (radius / c) ** 3
    speed = -mass * 9.81 / damping * (1.0 - np.exp(-damping / mass * run.time))
    np.testing.assert_allclose(run.outputs["journal.vy"][0], speed, atol=1e-9 * abs(speed[-1]))


def test_part_of_a_clearance_joint(module):
    """Its force, its numbers, its place in the topology, its refusals; the books close over impacts on the wall behind it."""
    page, law, c = module("CoatedRevolute"), fm.HuntCrossley(5e9, restitution=0.6), 1e-4

    def coated(x=0.0, **more):
        s = fm.System()
        pin = s.body("pin", mass=0.4, inertia=2e-3, position=(x, 0.0), velocity=(0.1, 0.02), rate=50.0)
        s.add(page.CoatedRevolute("J", pin.centre, s.ground.at(0.0, 0.0), c, law, bearing_radius=0.01, **more))
        return s

    layer = page.Layer(1e6, 2e-5)
    equations = fm.Equations(coated(0.95 * c, coating=layer))
    assert {"@J.coating.stiffness", "@J.coating.thickness", "@J.law.K"} <= {*equations.system.parameters()}
    state = [np.array(x, float) for x in equations.system.initial()]
    assert equations.force(*state)[:2] == pytest.approx([-15.0, 0.0], rel=1e-9) and equations.output("J.force", *state) == pytest.approx(
        15.0
    )
    assert coated().topology_key() != coated(coating=layer).topology_key()
    names(said(lambda: coated(coating=0.1)), "clearance joint 'J': coating is 0.1; it must be a Layer(stiffness, thickness)")
    names(said(lambda: coated(coating=layer, film=fm.ShortFilm(0.02, 0.02))), "for smooth dry joints, without film; leave out one of both")
    outputs = ["J.impacts", "J.force:max", "energy.balance"]
    run = fm.run(lambda: coated(coating=layer), {}, end=4e-3, points=201, outputs=outputs, settings={"tolerance": 1e-9, "lanes": 1})
    assert run["J.impacts"][0, -1] > 0 and np.ptp(run["energy.balance"]) < 1e-6 * 0.5 * 0.4 * 0.1**2


def test_force_that_is_a_function(module):
    equations = fm.Equations(module("sledge").sledge(c=0.7))
    q, v = (np.array(x, float) for x in equations.system.initial())
    v[:2] = 3.0, -4.0
    assert equations.force(q, v)[:2] == pytest.approx([-0.7 * 5.0 * 3.0, 0.7 * 5.0 * 4.0])


def test_controller(module):
    """The motor's moment is that of the weight in the end, and never above its limit."""
    run = fm.run(module("held").held, {}, end=20.0, points=101, outputs=["rod.angle", "motor.moment"], settings={"lanes": 1})
    assert run["rod.angle"][0, -1] == pytest.approx(0.5 - np.pi / 2, abs=1e-4)
    assert run["motor.moment"][0, -1] == pytest.approx(9.81 * 0.5 * np.sin(0.5), rel=1e-3) and abs(run["motor.moment"]).max() <= 20.0


def test_pressure_in_a_cell_and_tension_of_a_rope(module):
    """Sums under PID: pressure of a blown-up regular polygon, and the pull of a rope with a load in its bight, as they are at rest."""
    page, n, targets = module("AreaOf"), 12, np.array([3.4, 3.6])
    outputs = ["pump.pressure", "cell.area", "energy.balance"]
    run = fm.run(page.inflated, {"target": targets}, end=4.0, points=41, outputs=outputs, settings={"lanes": 2})
    free, stretched = 2.0 * np.sin(np.pi / n), np.sqrt(4.0 * np.tan(np.pi / n) * targets / n)
    wanted = 2.0 * np.tan(np.pi / n) * 1000.0 * (stretched / free - 1.0) / stretched  # dU/dl over dA/dl
    assert run["cell.area"][:, -1] == pytest.approx(targets, rel=1e-5) and run["pump.pressure"][:, -1] == pytest.approx(wanted, rel=1e-5)
    assert np.ptp(run["energy.balance"], axis=1).max() < 1e-5
    lengths = np.array([4.0, 4.8])
    run = fm.run(page.hoisted, {"target": lengths}, end=20.0, points=3, outputs=["winch.force", "load.y"], settings={"lanes": 2})
    deep = np.sqrt((0.5 * lengths) ** 2 - 1.0)
    assert run["load.y"][:, -1] == pytest.approx(-deep, rel=1e-7)
    assert run["winch.force"][:, -1] == pytest.approx(-2.0 * 9.81 / 2.0 * 0.5 * lengths / deep, rel=1e-7)


def blown(page, pressure=60.0):
    """A cell under a pressure, pinned at one point."""
    s = page.inflated()
    cell = s.bodies[0]
    s.elements.clear()
    s.add(fm.Actuator("gas", page.AreaOf(cell), pressure))
    s.add(fm.Revolute("pin", s.ground.at(1.0, 0.0), cell["n0"]))
    return s


def test_all_derivatives_of_a_sum_are_there(module):
    """Stiffness against differences of forces; derivatives of a motion against differences of motions, by another integrator."""
    page = module("AreaOf")
    e = fm.Equations(blown(page))
    q, h = e.initial()[0] + 0.02 * np.random.default_rng(2).normal(size=e.n), 1e-6
    slopes = np.array([e.force(q - h * unit) - e.force(q + h * unit) for unit in np.eye(e.n)]).T / (2.0 * h)
    np.testing.assert_allclose(e.stiffness(q).toarray(), slopes, atol=1e-8 * abs(slopes).max())
    found = fm.sensitivities(blown(page), ["@gas.command.c0"], ["cell.area"], end=0.1, points=3).derivatives["cell.area"][:, 0]
    how = {"end": 0.1, "points": 3, "outputs": ["cell.area"], "settings": {"lanes": 2, "tolerance": 1e-11}}
    area = fm.run(lambda pressure: blown(page, pressure), {"pressure": np.array([59.9, 60.1])}, **how)["cell.area"]
    np.testing.assert_allclose(found, (area[1] - area[0]) / 0.2, rtol=1e-4)
    alpha = how | {"settings": {"lanes": 1, "integrator": "generalized_alpha", "tolerance": 1e-7}}
    np.testing.assert_allclose(fm.run(blown(page), **alpha)["cell.area"], area.mean(axis=0), rtol=1e-5)


def test_joint_of_any_expression(module):
    """A bead on a wavy track keeps its energy, and stays on it."""
    track = module("Track").Track

    def build():
        s = fm.System(gravity=(0.0, -9.81))
        bead = s.point_mass("bead", mass=0.3, position=(0.5, 0.5 * np.sin(0.5)))
        s.add(track("track", s.ground.at(0.0, 0.0), bead.centre, 0.5))
        return s

    outputs = ["bead.x", "bead.y", "bead.vx", "bead.vy"]
    x, y, vx, vy = (v[0] for v in fm.run(build, {}, end=3.0, points=61, outputs=outputs, settings={"lanes": 1}).outputs.values())
    assert y == pytest.approx(0.5 * np.sin(x), abs=1e-7)
    assert 0.5 * (vx**2 + vy**2) + 9.81 * y == pytest.approx(9.81 * y[0], abs=1e-5)


@pytest.mark.parametrize("against", [False, True])
def test_joint_with_a_freedom(module, against):
    """In joints' coordinates it has five in place of two rows, whichever body hangs on the other; a class made from it keeps its rows."""
    joint = module("BallOnRail").BallOnRail
    held = type("Held", (joint,), {"rows": lambda self, equations: super(held, self).rows(equations)[:1]})

    def build(second=joint):
        s = fm.System(gravity=(0.0, 0.0, -9.81))
        a = s.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(0.2, 0.3, 1.0))
        turn, axis = matrix(np.array([0.3, 0.1, -0.2])), np.array([0.6, 0.0, 0.8])
        place = [0.4, 0.0, 0.0] + 0.2 * (-turn @ axis if against else axis) - turn @ [-0.1, 0.3, 0.0]
        b = s.body("b", mass=0.5, inertia=(0.1, 0.05, 0.1), position=tuple(place), rotation=(0.3, 0.1, -0.2))
        s.add(joint("rail", s.ground.at(0.0, 0.0, 0.0), a.centre, axis=(0.0, 0.0, 1.0)))
        ends = a.at(0.4, 0.0, 0.0), b.at(-0.1, 0.3, 0.0)
        s.add(second("arm", *(ends[::-1] if against else ends), axis=tuple(axis)))
        return s

    natural, tree = (told(build(), name) for name in ("natural", "tree"))
    assert natural.keys() == tree.keys()
    assert list(tree.values()) == pytest.approx(list(natural.values()), rel=1e-10, abs=1e-10)
    assert [fm.Equations(build(kind), "tree").count for kind in (joint, held)] == [2, 3]  # quaternions' lengths, and the row that is left


def test_a_ball_falls_along_its_rail(module):
    joint = module("BallOnRail").BallOnRail
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    a = s.body("a", mass=1.0, inertia=(0.2, 0.2, 0.3), velocity=(0.0, 0.0, 1.0), angular_velocity=(0.0, 0.0, 3.0))
    s.add(joint("rail", s.ground.at(0.0, 0.0, 0.0), a.centre, axis=(0.6, 0.0, 0.8)))
    settings = {"formulation": "tree", "tolerance": 1e-10}
    run = fm.run(s, end=1.0, points=5, outputs=["a.x", "a.z", "a.omega_z", "rail.fx"], settings=settings)
    way = 0.8 * run.time - 0.5 * 9.81 * 0.8 * run.time**2
    assert run["a.z"] == pytest.approx(0.8 * way, abs=1e-9) and run["a.x"] == pytest.approx(0.6 * way, abs=1e-9)
    assert run["a.omega_z"] == pytest.approx(3.0) and abs(run["rail.fx"]) == pytest.approx(9.81 * 0.8 * 0.6)


def test_scheme_with_a_slot_of_its_own(module, monkeypatch):
    """Order 2, and a restart from its state is the same to the last bit."""
    monkeypatch.setitem(INTEGRATORS, "beeman", module("BEEMAN").BEEMAN)

    def swinging():
        s = fm.System(gravity=(0.0, -9.81))
        ball = s.body("ball", mass=1.0, inertia=1.0, position=(0.5, 0.0))
        s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), ball.centre, 40.0, 0.4))
        return s

    places = []
    for step in (4e-3, 2e-3, 1e-3):
        sim = fm.compile(swinging, outputs=["ball.x"], end=1.0, settings={"integrator": "beeman", "step": step, "lanes": 1})
        half = sim.step(sim.start(), 0.5)
        whole = sim.step(half, 1.0)
        assert np.array_equal(sim.step(half.copy(), 1.0).values, whole.values) and whole["before"].any()
        places.append(whole["coordinates"][0, :2])
    a, b, c = places
    assert np.log2(np.linalg.norm(a - b) / np.linalg.norm(b - c)) == pytest.approx(2.0, abs=0.2)


def test_solver_of_contact_problems(module, monkeypatch):
    found = module("extragradient")
    monkeypatch.setitem(SOLVERS, "extragradient", found.extragradient)
    problem = scenes.chain(5)
    own, known = (solve(problem, name, tolerance=1e-9) for name in ("extragradient", "nsgs"))
    assert own.converged
    np.testing.assert_allclose(own.percussions, known.percussions, atol=1e-7 * known.percussions.max())


def test_inertia_that_depends_on_a_coordinate(module):
    """Generalized forces ``-(dJ/dx) x'**2/2`` along the angle: a quarter of a right angle on, dJ/dx = m r²."""
    system = module("scotch_yoke").press(mass=3.0)
    equations = fm.Equations(system)
    q, v = np.array([0.0, 0.0, *[np.sqrt(0.5)] * 2]), np.array([0.0, 0.0, -np.sqrt(0.5), np.sqrt(0.5)])
    assert v @ equations.force(q, 7.0 * v) == pytest.approx(-0.5 * 3.0 * 0.01 * 49.0)
    assert v @ equations.mass_at(q) @ v == pytest.approx(0.01 + 0.5 * 3.0 * 0.01)


def test_method(module, monkeypatch, tmp_path):
    found = module("CornersRun")
    monkeypatch.setattr(methods, "METHODS", {**methods.METHODS, "corners": found.Corners})
    method = methods.read_method({"type": "corners"})
    inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(-1.0, 3.0)}
    study = uq.Study(model=lambda a, b: {"y": a * b}, inputs=inputs, outputs=["y"], method=method)
    result = study.run(out=tmp_path / "corners", workers=0, report=False)
    assert result.inner["y"].values.tolist() == [-2.0, 6.0]
    assert int(result.attrs["runs_ok"]) == 4


def test_surrogate(module, monkeypatch, tmp_path):
    found = module("TotalDegree")
    monkeypatch.setattr(methods, "METHODS", {**methods.METHODS, "least_squares": found.LeastSquares})
    method = methods.read_method({"type": "least_squares", "degree": 5, "questions": ["bounds", "indices", "width"]})
    inputs = {"a": uq.Interval(1.0, 2.0), "b": uq.Interval(-1.0, 3.0)}
    study = uq.Study(model=lambda a, b: {"y": a * b + np.sin(a)}, inputs=inputs, outputs=["y"], method=method)
    result = study.run(out=tmp_path / "least_squares", workers=0, report=False)
    assert result.bounds["y"].values == pytest.approx([-2 + np.sin(2), 6 + np.sin(2)], abs=1e-4) and bool(result.trusted["y"])
    # a * b with independent a, b: their product about the means has the variance 1/12 * 16/12, a share of the whole one
    a, b = (np.ravel(part) for part in np.meshgrid(np.linspace(1, 2, 401), np.linspace(-1, 3, 401)))
    whole = np.var(result.surrogate("y")(a=a, b=b))
    assert float(result.interaction["y"].sel(pair="a*b")) * whole == pytest.approx(16 / 144, rel=0.01)


def chain(mass):
    """Three rods on pins, a spring, and a floor that they hit."""
    s = fm.System(gravity=(0.0, -9.81))
    before = s.ground.at(0.0, 0.0)
    for k in range(3):
        rod = s.body(f"rod{k}", mass=mass, inertia=0.1, position=(0.5 + k, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
        s.add(fm.Revolute(f"pin{k}", before, rod["A"]))
        before = rod["B"]
    s.add(fm.Spring("spring", s.ground.at(1.0, 1.0), before, stiffness=20.0, damping=0.5, length=0.8))
    s.add(fm.DiscPlane("floor", before, s.ground.at(0.0, -1.5), radius=0.1, law=fm.HuntCrossley(stiffness=1e6, restitution=0.5)))
    return s


@pytest.mark.slow
def test_formulation(module, monkeypatch):
    """Another formulation's motion of the same system is that in natural coordinates, over impacts; its energy balance is its own."""
    monkeypatch.setitem(FORMULATIONS, "joint_angles", module("JointAngles").JointAngles)
    outputs, runs = ["rod2.x", "rod2.angle", "floor.force:max", "energy.balance"], {}
    for name in ("natural", "joint_angles"):
        settings = {"formulation": name, "tolerance": 1e-10, "lanes": 2}
        runs[name] = fm.run(chain, {"mass": np.array([1.0, 2.0])}, end=1.5, points=31, outputs=outputs, settings=settings, poses=["rod2"])
    natural, own = runs.values()
    assert not own.status.any() and natural["floor.force:max"].min() > 1e3
    for name in outputs[:3]:
        assert own[name] == pytest.approx(natural[name], rel=1e-6, abs=1e-8), name
    for one, other in zip(*(vars(run.poses("rod2")).values() for run in runs.values()), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    assert np.ptp(own["energy.balance"]) < 5e-6
    settings = {"formulation": "joint_angles"}
    names(said(lambda: fm.run(chain(1.0), end=0.1, points=2, outputs=["pin0.fx"], settings=settings)), "reactions", "'pin0'")
    names(said(lambda: fm.Settings(formulation="forest")), "formulation", "'forest'")
