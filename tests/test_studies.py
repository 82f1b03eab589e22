"""The studies of the repository keep what they promise: trusted bounds hold on fresh runs, and lost trust is recognised."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import flexmbd as fm
from uqmbd.spec import TimeGrid
from uqmbd.study import Study
from uqmbd.study.trial import Trial

from .flexmbd.test_lubricated_joint import critical_mass

STUDIES = Path(__file__).parents[1] / "studies"


def run(name, tmp_path, **changes):
    """Result of a study of the repository, with entries of its file replaced."""
    text = (STUDIES / name / "study.toml").read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    copy = tmp_path / name / "study.toml"
    copy.parent.mkdir()
    for key in ('model = "', 'fields = ["'):
        text = text.replace(key, f"{key}{STUDIES}/{name}/")
    copy.write_text(text)
    return Study.from_file(copy).run(out=tmp_path / f"{name}-results", report=False)


def fresh(function, ranges, outputs, count, seed):
    """Outputs of random runs that the study has not seen."""
    spec = importlib.util.spec_from_file_location("crank_model", STUDIES / "slider_crank_clearance" / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = np.random.default_rng(seed)
    samples = {k: rng.uniform(*ends, count) for k, ends in ranges.items()}
    return fm.run(getattr(module, function), samples, end=0.024, points=481, outputs=outputs, settings={"tolerance": 1e-9})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("flexible_slider_crank", marks=pytest.mark.slow),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("ancf_pendulum", "spinup_beam", "manipulator", "wearing_joint")),
    ],
)
def test_a_study_that_compiles_for_long_starts(name):
    """The others are run whole by the tests below."""
    study = Study.from_file(STUDIES / name / "study.toml")
    study = study.changed(time=TimeGrid(end=study.time.end / 1000, points=2))
    trial = Trial(study)
    done = trial.checked().simulate({key: values[:1] for key, values in trial.samples.items()})
    assert not done.status.any(), done.message


@pytest.mark.slow
def test_demo_bounds_hold_where_they_are_trusted(tmp_path):
    result = run("slider_crank_clearance", tmp_path)
    histories = [name for name in result.bounds if "time" in result.bounds[name].dims]
    assert len(histories) == 7
    for name in histories:
        assert float(result.trusted[name].mean()) >= 0.9 and float((result.gap[name] <= 0.1).mean()) >= 0.9, name
    ranges = {"clearance": (2e-5, 5e-5), "restitution": (0.45, 0.55), "friction": (0.03, 0.07)}
    new = fresh("joint_in_service", ranges, [*histories, "B.force:max"], 2000, 20261121)
    assert not new.status.any()
    outside = np.zeros(2000, bool)
    for name, values in new.outputs.items():
        lower, upper = (result.bounds[name].sel(bound=b).values for b in ("lower", "upper"))
        out = (values < lower - 0.01 * (upper - lower)) | (values > upper + 0.01 * (upper - lower))
        assert not (out & result.trusted[name].values).any(), name
        outside |= np.atleast_2d(out.T).any(axis=0)
    assert outside.mean() <= result.attrs["outside_anywhere_at_most"]


@pytest.mark.slow
def test_polynomials_lose_trust_in_a_worn_joint_and_say_how_little_they_know(tmp_path):
    polynomials = {'type = "search"': 'type = "chebyshev"\ndegree = 8\nfallback_runs = 0', "max_runs = 20_000\n": ""}
    result = run("slider_crank_worn", tmp_path, **polynomials)
    assert float(result.trusted["slider.v"].mean()) < 0.2
    assert float(result.trust_horizon["slider.v"]) < 0.005
    ranges = {"clearance": (1e-4, 5e-4), "restitution": (0.85, 0.95), "friction": (0.01, 0.05)}
    found = fresh("slider_crank", ranges, ["slider.v"], 500, 3).outputs["slider.v"]
    lower, upper = result.bounds["slider.v"].values
    outside = ((found < lower) | (found > upper)).any(axis=0)
    assert outside.mean() < 0.01 and float(result.gap["slider.v"].median()) > 0.5


@pytest.mark.slow
def test_distributions_lie_inside_the_interval_bounds(tmp_path):
    result = run("slider_crank_random", tmp_path, **{"samples = 4096": "samples = 512"})
    q05, q95 = (result.statistics["slider.x"].sel(statistic=s).values for s in ("q05", "q95"))
    mean = result.statistics["slider.x"].sel(statistic="mean").values
    assert (q05 <= mean + 1e-12).all() and (mean <= q95 + 1e-12).all()
    assert (q95 - q05).max() < 1.2e-4  # twice the largest clearance, and what the contact gives way


@pytest.mark.slow
def test_mean_by_levels_of_the_step_is_that_of_a_quadrature(tmp_path):
    """6 Gauss-Hermite and 5 Gauss-Legendre points at a tolerance of 1e-9; generalized-alpha is of order 2 in the step."""
    x, of_x = np.polynomial.hermite_e.hermegauss(6)
    y, of_y = np.polynomial.legendre.leggauss(5)
    stiffness, mass = np.meshgrid(200.0 + 10.0 * x, 0.14 + 0.02 * y, indexing="ij")
    samples, output = {"stiffness": stiffness.ravel(), "mass": mass.ravel()}, "slider.x:final"
    exact = fm.run(model_of("multilevel_crank").crank, samples, end=0.3, points=2, outputs=[output], settings={"tolerance": 1e-9})
    mean = np.outer(of_x, of_y).ravel() @ exact.outputs[output] / (of_x.sum() * of_y.sum())
    result = run("multilevel_crank", tmp_path, **{"0.003 mm": "0.01 mm"})
    low, high = (float(result.statistics[output].sel(statistic=f"mean_{end}")) for end in ("lower", "upper"))
    assert low <= mean <= high and high - low <= 2e-5 and bool(result.trusted[output])
    assert result.attrs["level_rates"][output]["alpha"] == pytest.approx(2.0, abs=0.1)
    assert [cost.control for cost in result.facts.costs] == [{"step": step} for step in (1.25e-3, 2.5e-3, 5e-3)]


@pytest.mark.slow
def test_multifidelity_crank(tmp_path):
    """The mean of the flexible mechanism by quadrature of 10 x 8 x 8 runs with the same step: 132.8808 mm, 0.2 mm above the rigid one's."""
    result, output = run("multifidelity_crank", tmp_path, **{"0.1 mm": "0.3 mm", "workers = 2": "workers = 0"}), "slider.x:final"
    low, high = (float(result.statistics[output].sel(statistic=f"mean_{end}")) for end in ("lower", "upper"))
    assert low <= 0.1328808 <= high and high - low <= 6e-4 and bool(result.trusted[output])
    assert float(result.correlation[output].sel(fidelity=0.0)) > 0.99
    flexible, rigid = result.attrs["fidelity_runs"]
    assert flexible < 0.3 * rigid and [cost.control for cost in result.facts.costs] == [{"fidelity": 0}, {"fidelity": 1}]


def model_of(study):
    """The model file of a study, as a module."""
    spec = importlib.util.spec_from_file_location(f"{study}_model", STUDIES / study / "model.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for the module they are in
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_spun_up_beam_has_the_steady_extension():
    """tan(kL)/k - L with k² = 1.2 Ω²/EA; generalized-alpha at index 3 is of order 2 in the step, so two steps give the limit."""
    found = {}
    for step in (4e-3, 2e-3):
        settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "lanes": 1}
        outputs = ["tip.axial:final", "tip.across:min", "hub.rate:final"]
        run = fm.run(model_of("spinup_beam").beam, {}, end=40.0, points=2, outputs=outputs, settings=settings)
        assert run.message == [""]
        found[step] = run.outputs["tip.axial:final"][0]
    assert found[2e-3] == pytest.approx(5.143174550e-4, rel=5e-5)
    assert (4.0 * found[2e-3] - found[4e-3]) / 3.0 == pytest.approx(5.143174550e-4, rel=1e-5)


@pytest.mark.slow
def test_falling_cable_is_that_of_another_code():
    """Exudyn 1.13.6, 128 elements, steps of 0.05 ms: (-1.164055, -0.310048); with 64 elements (-1.163999, -0.309977).

    peers/ancf_pendulum.py --n 128 --dt 5e-5 --mod 0 --ri 0. Its steps of 1 ms, as often quoted, are off by 4 mm.
    """
    outputs, settings = ["tip.x:final", "tip.y:final"], {"integrator": "generalized_alpha", "tolerance": 1e-6, "lanes": 1}
    model = model_of("ancf_pendulum").pendulum
    run = fm.run(lambda: model(elements=128), {}, end=1.0, points=2, outputs=outputs, settings=settings)
    got = [run.outputs[name][0] for name in outputs]
    assert got == pytest.approx([-1.164055, -0.310048], abs=1e-4)


def test_torsion_of_the_manipulators_links():
    """A link that is a cable, its torsion a spring: the body at its end turns about the link with GJ/L."""
    model = model_of("manipulator")
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    bodies = [system.body(name, mass=0.8, inertia=(3e-3, 2e-3, 2e-3), position=(x, 0.0, 0.0)) for name, x in (("a", 0.0), ("b", 0.5))]
    section = fm.Section.circle(15e-3, inner=12e-3)
    link = system.cable("link", length=0.5, elements=2, section=section, material=model.STEEL)
    system.add(fm.Fixed("wall", system.ground.at(0.0, 0.0, 0.0), bodies[0].centre))
    system.add(fm.Clamp("root", bodies[0].centre, link.start))
    system.add(fm.Clamp("tip", bodies[1].centre, link.end))
    system.add(model.Torsion("torsion", bodies[0].centre, bodies[1].centre, model.Y, model.Z, 800.0, 0.0))
    frequencies = fm.modes(system).frequencies
    assert np.abs(frequencies - np.sqrt(800.0 / 3e-3)).min() < 1e-6 * np.sqrt(800.0 / 3e-3)


@pytest.mark.slow
def test_the_manipulator_steps_over_its_contacts():
    """The first 0.1 s: no step is cut at one of some 200 events, the balance converges with order 2, and the tool is where it was."""
    arm, runs = model_of("manipulator"), []
    outputs = [f"energy.{key}" for key in ("balance", "kinetic", "potential", "dissipated", "drive")] + [f"tool.{axis}" for axis in "xyz"]
    outputs += [f"J{k}.{i}.impacts" for k in range(1, 7) for i in (1, 2)]
    for step in (2e-5, 1e-5):
        settings = {"integrator": "generalized_alpha", "step": step, "fixed": True, "tolerance": 1.0, "event_tolerance": 1e-8, "lanes": 1}
        run = fm.run(lambda: arm.manipulator(), {}, end=0.1, points=1001, outputs=outputs, settings=settings)
        assert run.message == [""] and run.statistics["rejected"][0] == 0 and run.statistics["events"][0] > 150
        runs.append({name: x[0] for name, x in run.outputs.items()})
    drift = [np.ptp(run["energy.balance"]) for run in runs]
    assert drift[0] < 1e-4 * np.ptp(runs[0]["energy.kinetic"]) and 3.0 < drift[0] / drift[1] < 5.0
    for axis in "xyz":
        assert np.abs(runs[0][f"tool.{axis}"] - runs[1][f"tool.{axis}"]).max() < 1e-4


def test_film_map_of_the_lubricated_joint_is_what_its_bearing_gives():
    """`load_map` computes films at points that the map keeps; and the map is of the study's own bearing."""
    model = model_of("lubricated_slider_crank")
    bearing = model.ReynoldsBearing(clearance=3e-5, **model.FILM)
    found = model.load_map(model.MAP, settings=model.FILM, impedance=bearing.impedance)
    assert found.error < 1e-3 and found.eps_max == 0.98


@pytest.mark.slow
def test_oil_takes_the_force_peaks_of_the_joint_in_service(tmp_path):
    """Bounds of the lubricated joint hold on fresh runs where they are trusted, and lie far below what the dry joint does."""
    result = run("lubricated_slider_crank", tmp_path, **{"samples = 600": "samples = 300"})
    least = {"slider.x": 0.95, "B.ex": 0.95, "B.film_thickness": 0.7, "B.force:max": 1.0, "B.lambda_ratio:min": 1.0}
    assert all(float(result.trusted[name].mean()) >= share for name, share in least.items())
    assert float(result.trusted["B.force"].mean()) < 0.5  # its band is narrow: an error of 0.03 % of the range is 4 % of it
    assert not bool(result.trusted["B.asperity_force:max"])  # it falls faster than any power as the film grows
    rng, model = np.random.default_rng(20261122), model_of("lubricated_slider_crank")
    centre, spread = np.log(0.012) - 0.5 * np.log1p(1 / 36), np.sqrt(np.log1p(1 / 36))
    samples = {
        "clearance": np.full(500, 0.05e-3), "viscosity": np.exp(rng.normal(centre, spread, 500)), "roughness": np.full(500, 1e-6)
    }  # fmt: skip
    settings = {"integrator": "rosenbrock", "tolerance": 1e-9}
    new = fm.run(model.lubricated, samples, end=0.024, points=2, outputs=["B.force:max"], settings=settings).outputs["B.force:max"]
    mean = result.statistics["B.force:max"].sel(statistic="mean", alpha=1.0)
    error = 3 * new.std() / np.sqrt(500)  # of the mean of the fresh runs; the largest clearance has the largest force
    assert new.mean() == pytest.approx(float(mean.sel(bound="upper")), abs=error + float(result.error["B.force:max"]))
    ranges = {"clearance": (2e-5, 5e-5), "restitution": (0.45, 0.55), "friction": (0.03, 0.07)}
    dry = fresh("joint_in_service", ranges, ["B.force:max"], 64, 1).outputs["B.force:max"]
    assert result.statistics["B.force:max"].sel(statistic="q95").max() < 0.25 * dry.min()


@pytest.mark.slow
def test_whirl_of_the_rotor_begins_where_the_linear_theory_says():
    """Routh's criterion with the published coefficients of the short bearing."""
    model = model_of("journal_bearing_stability")
    margin = Study.from_file(STUDIES / "journal_bearing_stability" / "onset.toml").model.derived.term("margin")
    for clearance, temperature in ((40e-6, 50.0), (60e-6, 60.0)):
        found = model.onset(clearance, temperature)
        speed = found["onset"] * np.pi / 30
        eps = np.hypot(*model.rest(clearance, model.OIL.viscosity(temperature + model.CELSIUS), speed)) / clearance
        assert speed**2 * clearance / model.GRAVITY == pytest.approx(critical_mass(eps), rel=1e-4)
        assert margin.values(found) == pytest.approx(speed / model.SERVICE - 1)
        assert found["decay"] > 0 and 0.45 < found["whirl"] < 0.55


@pytest.mark.slow
def test_orbit_of_the_rotor_in_service(tmp_path):
    result = run("journal_bearing_stability", tmp_path, **{"samples = 3000": "samples = 1000"})
    for name in ("B.eccentricity:max", "B.film_thickness:min", "B.friction_power:mean"):
        assert bool(result.trusted[name])
    assert "B.pressure" in result.fields


@pytest.mark.slow
def test_a_wearing_joint_hits_ever_harder():
    """Ten hours in 5 and in 10 updates: wear agrees, the journal goes further out, and the forces grow with the clearance."""
    wearing = model_of("wearing_joint").wearing
    coarse, fine = (wearing(4e-5, 5e-5, np.linspace(0.0, 36000.0, points)) for points in (6, 11))
    assert coarse["volume_mm3"][-1] == pytest.approx(fine["volume_mm3"][-1], rel=0.03)
    assert np.all(np.diff(fine["depth_um"]) > 0) and np.all(np.diff(fine["eccentricity_um"]) > 0)
    for found in (coarse, fine):
        assert found["force"][-1] > 1.5 * found["force"][0] and found["force_rms"][-1] > 1.1 * found["force_rms"][0]


@pytest.mark.slow
def test_a_panel_that_latches_has_turned_its_hub_by_what_momentum_says(tmp_path):
    """Angular momentum is zero: the hub turns by ``-J(a)/(J(a) + ...) da`` of the panel's angle a, whatever spring and damper do."""
    result = run("latching_panel", tmp_path, **{"max_runs = 10_000": "max_runs = 3_000"})
    hub, inertia, panel, half, arm = 180.0, 40.0, 12.0, 1.2, 0.6
    reduced, own = hub * panel / (hub + panel), panel * (2.0 * half) ** 2 / 12.0

    def share(a):
        beside = reduced * (half**2 + arm * half * np.cos(a)) + own
        return beside / (inertia + own + reduced * (arm**2 + half**2 + 2.0 * arm * half * np.cos(a)))

    expected = -quad(share, -0.5 * np.pi, 0.0)[0]
    lower, upper = (float(result.bounds["hub.angle:final"].sel(bound=b)) for b in ("lower", "upper"))
    assert lower == pytest.approx(expected, abs=2e-6) and upper == pytest.approx(expected, abs=2e-6)
    assert abs(result.bounds["hub.rate:final"]).max() < 1e-7
    for name, true in (("hub.angle:final", expected), ("hub.rate:final", 0.0)):  # nothing but the error of the step, and so not trusted
        off = max(abs(float(result.bounds[name].sel(bound=b)) - true) for b in ("lower", "upper"))
        assert off < 1.5 * float(result.step_error[name]) and not bool(result.trusted[name])
    assert bool(result.trusted["latch.locked:mean"]) and result.trusted["hub.angle"].mean() > 0.95


@pytest.mark.slow
def test_chaos_in_a_guide_is_recognised(tmp_path):
    """Trust ends after the first impacts: then neighbouring runs, or one run with half the step, have nothing to do with each other."""
    result = run("translational_clearance", tmp_path, **{"max_runs = 12_000": "max_runs = 4_000"})
    trusted = np.asarray(result.trusted["guide.offset"])
    assert trusted[:30].mean() > 0.8 and not trusted[150:].any()
    assert np.asarray(result.trusted["slider.x"])[:60].mean() > 0.9 and float(result.step_error["slider.x"].max()) < 0.01
    assert any("guide.offset" in note and "there runs differ as much when the step is halved again" in note for note in result.facts.notes)


def test_motors_of_the_arm_are_planned_for_its_weight():
    """Torques that hold links and payload are the derivatives of their potential energy by the angles."""
    model, step = model_of("robot_arm"), 1e-5

    def energy(angles):
        found, tip = model.frames(angles)
        heights = [(place + frame @ joint[3] / 2)[2] for (place, frame), joint in zip(found, model.ARM, strict=True)]
        return model.GRAVITY * (np.dot(heights, [joint[4] for joint in model.ARM]) + model.PAYLOAD * tip[2])

    for angles in np.random.default_rng(1).uniform(-2.0, 2.0, (3, 6)):
        slopes = [(energy(angles + x) - energy(angles - x)) / (2.0 * step) for x in step * np.eye(6)]
        np.testing.assert_allclose(model.holding(angles), slopes, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name, function, rod", [("rods_double_pendulum", "pendulum", "lower"), ("rods_three", "rods", "coupler")])
def test_rods_have_the_frequencies_and_the_energy_of_the_paper_s_data(name, function, rod):
    """Those of the second example are not the printed ones."""
    model = model_of(name)
    system = getattr(model, function)()
    own = next(element for element in system.elements if element.name == rod)
    assert own.frequencies() == pytest.approx(model.FREQUENCIES, rel=1e-4)
    start = fm.run(getattr(model, function), {}, end=1e-3, outputs=["energy.total"], settings={"integrator": "dormand_prince"})
    assert start["energy.total"][0, 0] == pytest.approx(model.ENERGY, abs=6e-4)


def test_a_load_on_a_crane_swings_as_two_pendula_of_scipy():
    """Lagrange's equations of two pendula, one from the end of the other, by scipy's DOP853."""
    model = model_of("crane_load")
    sling, load, speed = 2.4, 1800.0, 0.8
    rope, length, arm, g = model.LINE_MASS * model.ROPE, model.ROPE, sling + 0.5 * model.HEIGHT, 9.81
    upper, below = rope * length**2 / 3.0 + (model.BLOCK + load) * length**2, load * (arm**2 + (model.HEIGHT**2 + model.WIDTH**2) / 12.0)
    weight = (0.5 * rope + model.BLOCK + load) * g * length

    def rates(_, y):
        a, b, va, vb = y
        mixed, turns = load * length * arm * np.cos(a - b), load * length * arm * np.sin(a - b)
        forces = [-turns * vb**2 - weight * np.sin(a), turns * va**2 - load * g * arm * np.sin(b)]
        return [va, vb, *np.linalg.solve([[upper, mixed], [mixed, below]], forces)]

    y = solve_ivp(rates, (0.0, 30.0), [0.0, 0.0, speed / length, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    samples, outputs = {"sling": [sling], "load": [load], "speed": [speed]}, ["load.x", "load.angle"]
    run = fm.run(model.crane, samples, end=30.0, outputs=outputs, settings={"tolerance": 1e-10})
    assert run.attributes["solver.integrator"] == "taylor"
    assert run["load.x"][0, -1] == pytest.approx(length * np.sin(y[0]) + arm * np.sin(y[1]), abs=1e-9)
    assert run["load.angle"][0, -1] == pytest.approx(y[1], abs=1e-9)
