"""Symplectic perturbation of rods: exact vibration, order 2, no drift of energy, rows at rounding; beside direct solutions and others."""

import functools

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbd as fm

from .constant_coupling import constant_coupling
from .rods import EI_1, EI_2, STEEL, double_pendulum, three_rods
from .running import column, simulate
from .sentences import names, said

NODES = {double_pendulum: ("joint", "bob"), three_rods: ("first", "second")}
ROD = {double_pendulum: "lower", three_rods: "coupler"}
STEP, END = {double_pendulum: 0.004, three_rods: 0.01}, {double_pendulum: 100.0, three_rods: 50.0}  # s, of the paper


def places(build):
    return [f"{node}.{axis}" for node in NODES[build] for axis in "xy"]


def amplitudes(build):
    return [f"{ROD[build]}.a{k}" for k in (1, 2, 3)]


def run(build, outputs, end, step=None, scheme="symplectic_perturbation", points=None, **more):
    step = step or STEP[build]
    points = points or round(end / STEP[build]) + 1
    return simulate(build, outputs, end=end, points=points, integrator=scheme, **({"step": step} if step > 0.0 else {}), **more)


@functools.cache
def tight(build, end, tolerance):
    """Direct solution at the paper's grid points: places (points, 4) and amplitudes (points, 3)."""
    outputs = places(build) + amplitudes(build)
    found = column(run(build, outputs, end, -1.0, "dormand_prince", lanes=1, tolerance=tolerance, max_steps=10_000_000))
    return np.array([found[name] for name in outputs]).T


def errors(build, end, step, scheme="symplectic_perturbation", **more):
    """Largest error of places and of amplitudes against the direct solution."""
    outputs, exact = places(build) + amplitudes(build), tight(build, end, 1e-12)
    found = column(run(build, outputs, end, step, scheme, lanes=1, **more))
    off = np.abs(np.array([found[name] for name in outputs]).T - exact)
    return off[:, :4].max(), off[:, 4:].max()


@pytest.mark.parametrize("modes", (1, 2, 3, 8))
def test_vibration_is_exact_whatever_the_step(modes):
    """A rod that cannot move, with a mass on it, plucked: expm of its matrices after 200 steps of 0.6, 2.4, 5.4, ... rad."""
    count = np.arange(1, modes + 1)
    bent, moving = [*(1e-3, -2e-4, 1e-4), *(5e-5 / count[3:])][:modes], [*(0.02, 0.01), *(0.0 * count[2:])][:modes]

    def plucked():
        s = fm.System(gravity=(0.0, 0.0))
        tip = s.point_mass("tip", mass=1.0, position=(1.0, 0.0))
        s.add(fm.RevoluteTranslational("slide", s.ground.at(0.0, 0.0), tip.centre))
        s.add(fm.Rod("rod", s.ground.at(0.0, 0.0), tip.centre, line_mass=2.0, EI=30.0, modes=modes, masses={"ball": (0.3, 0.5)},
                     amplitudes=bent, rates=moving))  # fmt: skip
        return s

    rod, outputs = plucked().elements[1], [f"rod.{key}{k}" for key in ("a", "va") for k in count]
    step = 0.6 / rod.frequencies()[0]
    found = simulate(plucked, outputs, end=200 * step, points=201, lanes=1, integrator="symplectic_perturbation", step=step)
    sines = np.sin(0.3 * np.pi * count)
    mass, stiffness = np.eye(modes) + 0.5 * np.outer(sines, sines), np.diag(15.0 * (np.pi * count) ** 4)
    matrix = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-np.linalg.solve(mass, stiffness), np.zeros((modes, modes))]])
    start = np.array([*bent, *moving])
    exact = np.array([expm(matrix * t) @ start for t in found.time]).T
    for name, wanted in zip(outputs, exact, strict=True):
        assert found[name][0] == pytest.approx(wanted, abs=1e-10 * np.abs(exact[modes * (".v" in name) :][:modes]).max())


@pytest.mark.parametrize("build", NODES)
def test_order_two_in_places_and_amplitudes(build):
    """Over 0.4 s, from steps on that are shorter than the vibration, whose phase makes single halvings uneven."""
    found = np.array([errors(build, 0.4, STEP[build] / k) for k in (8, 32)])
    slopes = np.log(found[0] / found[1]) / np.log(4.0)
    assert np.abs(slopes - 2.0).max() < 0.2, (found, slopes)


@pytest.mark.parametrize("build", NODES)
def test_energy_does_not_drift_and_rows_hold(build):
    """The paper's time and step: mean errors of the energy in the last fifth and in the first are equal within a tenth of the largest."""
    end, outputs = END[build], [*places(build), *(x.replace(".", ".v") for x in places(build)), "energy.total", "energy.balance"]
    found = column(run(build, outputs, end, lanes=1))
    error = found["energy.total"] / found["energy.total"][0] - 1.0
    largest, parts = np.abs(error).max(), [x.mean() for x in np.array_split(error, 5)]
    assert largest < 2e-3 and abs(parts[-1] - parts[0]) < 0.1 * largest
    assert found["energy.balance"] == pytest.approx(found["energy.total"], rel=1e-10)
    (x1, y1, x2, y2), (u1, w1, u2, w2) = ([found[name] for name in outputs[k : k + 4]] for k in (0, 4))
    length = 1.0 if build is double_pendulum else 2.0
    rows = [x1 * x1 + y1 * y1 - 1.0, (x2 - x1) ** 2 + (y2 - y1) ** 2 - length**2]
    rates = [x1 * u1 + y1 * w1, (x2 - x1) * (u2 - u1) + (y2 - y1) * (w2 - w1)]
    if build is three_rods:
        rows.append((x2 - 3.0) ** 2 + (y2 + 10.0) ** 2 - 100.0)
    assert np.abs(rows).max() < 1e-12 and np.abs(rates).max() < 1e-12


@pytest.mark.parametrize("build, end, far, bent", [(double_pendulum, 5.0, 3e-3, 4e-6), (three_rods, 10.0, 1.1e-2, 6e-6)])
def test_trajectories_are_those_of_a_tight_direct_solution(build, end, far, bent):
    """As long as two direct solutions agree: amplitudes are 1.7e-4 and 7e-5 m.  Half the step has a quarter of the error."""
    apart = np.abs(tight(build, end, 1e-12) - tight(build, end, 1e-11))
    assert apart[:, :4].max() < 1e-9 and apart[:, 4:].max() < 1e-10
    place, bending = errors(build, end, STEP[build])
    assert place < far and bending < bent
    assert errors(build, end, 0.5 * STEP[build])[0] == pytest.approx(0.25 * place, rel=0.1)


def test_other_schemes_fail_at_the_same_step():
    """Runge and Kutta's and an undamped implicit one run away; Newmark's and the damped one lose energy, and the bending of three rods."""
    for build, end in ((double_pendulum, 10.0), (three_rods, 10.0)):
        for scheme, more in (("rk4", {}), ("generalized_alpha", {"fixed": True, "spectral_radius": 0.99})):
            settings = {"integrator": scheme, "step": STEP[build], "lanes": 1, **more}
            assert fm.run(build, {}, end=end, outputs=["energy.total"], settings=settings).status[0] != 0
    lost = {}
    for scheme, more in (("symplectic_perturbation", {}), ("newmark", {"fixed": True}), ("generalized_alpha", {"fixed": True})):
        energy = column(run(double_pendulum, ["energy.total"], 100.0, scheme=scheme, lanes=1, **more))["energy.total"]
        parts = [x.mean() for x in np.array_split(energy / energy[0], 5)]
        lost[scheme] = abs(parts[-1] - parts[0]), errors(three_rods, 0.5, 0.01, scheme, **more)[1]
    own, *others = lost.values()
    assert all(drift > 4.0 * own[0] and bending > 15.0 * own[1] for drift, bending in others), lost


def test_coupling_forces_that_are_constant_in_a_step_run_away():
    """The iteration as it is printed: the stiffness of the example goes well, three quarters of it do not."""
    well, badly = constant_coupling(1.0, 0.01, 300), constant_coupling(0.75, 0.01, 300)
    assert len(well) == 301 and np.abs(well / well[0] - 1.0).max() < 1e-3
    assert well[0] == pytest.approx(301.352, abs=5e-4)
    assert len(badly) < 200 and not abs(badly[-1]) < 2.0 * badly[0]


@pytest.mark.parametrize("share", [0.5, 0.7, 0.8, 1.4, 1.82])
def test_no_stiffness_makes_the_step_unstable(share):
    """At three the paper's constant coupling forces run away, at two a frequency resonates with steps; amplitudes go like 1/EI."""
    found = simulate(three_rods, ["coupler.a1", "energy.total"], end=50.0, points=5001, lanes=1, integrator="symplectic_perturbation",
                     step=0.01, samples={"EI": [share * EI_2]})  # fmt: skip
    assert np.abs(found["coupler.a1"]).max() * share < 1.2e-4
    assert np.abs(found["energy.total"] / found["energy.total"][0, 0] - 1.0).max() < 7e-4


def test_lanes_have_stiffness_and_mass_of_their_own_and_do_not_feel_each_other():
    samples = {"EI": np.array([1.0, 0.7, 3.0]) * EI_1, "mass": np.array([20.0, 20.0, 5.0])}
    outputs = [*places(double_pendulum), *amplitudes(double_pendulum), "energy.total", "lower.middle.deflection:abs_max"]
    together = run(double_pendulum, outputs, 1.0, samples=samples, lanes=4)
    in_turn = run(double_pendulum, outputs, 1.0, samples={key: np.tile(x, 3) for key, x in samples.items()}, lanes=4)
    assert all(np.array_equal(in_turn[name], np.concatenate([together[name]] * 3)) for name in outputs)
    for k in range(3):
        alone = run(double_pendulum, outputs, 1.0, samples={key: x[[k]] for key, x in samples.items()}, lanes=4)
        assert all(np.array_equal(together[name][k], alone[name][0]) for name in outputs)
    assert len({float(x) for x in together["bob.y"][:, -1]}) == 3


def test_a_restart_gives_the_same_bits():
    """From a state to the next, by steps whose ends are binary fractions."""
    settings = {"integrator": "symplectic_perturbation", "step": 2.0**-8, "lanes": 1}
    simulation = fm.compile(double_pendulum(), outputs=["energy.balance"], end=1.0, settings=settings)
    whole, parts = simulation.step(simulation.start(), 1.0), simulation.start()
    for t in (0.25, 0.5, 1.0):
        parts = simulation.step(parts, t)
    for key in ("coordinates", "velocities", "momentum", "slow", "pull"):
        assert np.array_equal(whole[key], parts[key])


def test_a_motion_goes_back_the_way_it_came():
    """The scheme is symmetric: with all velocities reversed 100 steps lead back to the start, at rest."""
    nodes, sines = ("joint", "bob"), (1, 2, 3)
    outputs = [f"{node}.{key}{axis}" for key in ("", "v") for node in nodes for axis in "xy"]
    outputs += [f"lower.{key}{k}" for key in ("a", "va") for k in sines]
    there = {name: x[-1] for name, x in column(run(double_pendulum, outputs, 0.4, lanes=1)).items()}

    def back():
        s = fm.System(gravity=(0.0, 10.0))
        made = [s.point_mass(node, mass=mass, position=tuple(there[f"{node}.{axis}"] for axis in "xy"),
                             velocity=tuple(-there[f"{node}.v{axis}"] for axis in "xy"))
                for node, mass in zip(nodes, (10.0, 20.0), strict=True)]  # fmt: skip
        s.add(fm.Rod("upper", s.ground.at(0.0, 0.0), made[0].centre, length=1.0, line_mass=12.592))
        start = {"amplitudes": [there[f"lower.a{k}"] for k in sines], "rates": [-there[f"lower.va{k}"] for k in sines]}
        s.add(fm.Rod("lower", made[0].centre, made[1].centre, length=1.0, line_mass=STEEL * 0.04**2, EI=EI_1, modes=3,
                     bent_by_weight=False, **start))  # fmt: skip
        return s

    found = {name: x[-1] for name, x in column(run(back, outputs, 0.4, 0.004, points=2, lanes=1)).items()}
    assert [found[f"{node}.{axis}"] for node in nodes for axis in "xy"] == pytest.approx([1.0, 0.0, 1.0, 1.0], abs=1e-9)
    assert [found[f"lower.a{k}"] for k in sines] == pytest.approx([0.0] * 3, abs=1e-10)


def test_between_steps_the_bending_vibrates_as_it_does():
    """Twenty times in a step of 21 rad of the third sine: places and deflections of the same steps seen at their ends only."""
    outputs = [*places(double_pendulum), *amplitudes(double_pendulum)]
    exact = column(simulate(double_pendulum, outputs, end=0.2, points=1001, lanes=1, integrator="dormand_prince", tolerance=1e-12))
    found = column(simulate(double_pendulum, outputs, end=0.2, points=1001, lanes=1, integrator="symplectic_perturbation", step=0.004))
    for name in outputs:
        off = np.abs(found[name] - exact[name])
        assert off.max() < 2.0 * off[::20].max() + 1e-8, name


def test_weight_bends_rods_here_too():
    build = functools.partial(double_pendulum, bent_by_weight=True)
    outputs = places(double_pendulum) + amplitudes(double_pendulum)
    settings = {"end": 0.5, "points": 126, "lanes": 1}
    exact = column(simulate(build, outputs, integrator="dormand_prince", tolerance=1e-12, **settings))
    found = column(simulate(build, outputs, integrator="symplectic_perturbation", step=0.004, **settings))
    assert max(np.abs(found[name] - exact[name]).max() for name in outputs[:4]) < 3e-4
    assert np.abs(found["lower.a1"] - exact["lower.a1"]).max() < 2e-7 < 0.01 * np.abs(exact["lower.a1"]).max()


def test_dampers_and_loads_that_begin_keep_the_order():
    """A spring with a damper at the lower end, and a push from 0.3 s on, whose corners are ends of steps."""

    def loaded():
        s = double_pendulum()
        s.add(fm.Spring("spring", s.ground.at(2.0, 1.0), s.bodies[1].centre, stiffness=400.0, damping=30.0, length=0.5))
        s.add(fm.PointForce("push", s.bodies[1].centre, fx=fm.Table([0.0, 0.3, 0.304, 2.0], [0.0, 0.0, 200.0, 200.0])))
        return s

    outputs, settings = places(double_pendulum), {"end": 0.8, "points": 41, "lanes": 1}
    exact = column(simulate(loaded, outputs, integrator="dormand_prince", tolerance=1e-11, **settings))
    off = []
    for step in (0.004, 0.002):
        found = column(simulate(loaded, outputs, integrator="symplectic_perturbation", step=step, **settings))
        off.append(max(np.abs(found[name] - exact[name]).max() for name in outputs))
    assert off[0] < 1e-3 and np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.2), off


def test_what_the_scheme_does_not_treat_is_refused_in_a_sentence():
    def asked(build):
        settings = {"integrator": "symplectic_perturbation", "step": 0.01}
        return said(lambda: fm.run(build, {}, end=0.1, outputs=["energy.total"], settings=settings))

    names(asked(functools.partial(double_pendulum, modes=0)), "is for systems with a Rod that bends", "generalized_alpha")

    def damped():
        s = double_pendulum()
        tip = s.point_mass("tip", position=(2.0, 1.0))
        s.add(fm.Rod("third", s.bodies[1].centre, tip.centre, line_mass=1.0, EI=10.0, modes=1, damping=1e-3))
        return s

    names(asked(damped), "does not treat damping of a bending", "'third'")

    def driven():
        s = double_pendulum()
        s.add(fm.DistanceDrive("drive", s.ground.at(-5.0, 0.0), s.bodies[1].centre, fm.Polynomial((6.0, 0.1))))
        return s

    names(asked(driven), "needs quadratic rows that do not depend on time", "'drive.")
    settings = {"integrator": "symplectic_perturbation"}
    names(said(lambda: fm.run(double_pendulum, {}, end=0.1, outputs=["energy.total"], settings=settings)), "'step' is 0.0")
