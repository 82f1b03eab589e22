"""Rods of two rates by compositions of order 4 and 6, and by the exponential integrator, the peer of symplectic perturbation."""

import functools

import numpy as np
import pytest

import flexmbd as fm

from .rods import EI_1, double_pendulum, three_rods
from .running import column, simulate
from .sentences import names, said
from .test_symplectic_perturbation import STEP, amplitudes, errors, places, run

COMPOSED = ("symplectic_perturbation_4", "symplectic_perturbation_6")
NEW = (*COMPOSED, "exponential")


@functools.cache
def soft(scheme, step):
    """Places and the amplitude of a lower rod a hundredth as stiff, in one sine, at 0.4 s."""
    outputs = [*places(double_pendulum), "lower.a1"]
    settings = {"step": step} if step else {"tolerance": 1e-13}
    build = functools.partial(double_pendulum, EI=0.01 * EI_1, modes=1)
    found = column(simulate(build, outputs, end=0.4, points=2, lanes=1, integrator=scheme, **settings))
    return np.array([found[name][-1] for name in outputs])


@pytest.mark.parametrize("scheme, count, order", ((COMPOSED[0], 80, 4), (COMPOSED[1], 32, 6), ("exponential", 160, 2)))
def test_order_by_steps(scheme, count, order):
    """Errors of places and of the amplitude, by half the step; with more steps those of order 6 are rounding."""
    exact = soft("dop853", 0.0)
    off = [np.linalg.norm(soft(scheme, 0.4 / k) - exact) for k in (count, 2 * count)]
    assert np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.2), off


@pytest.mark.parametrize("build, gain", ((double_pendulum, 1e3), (three_rods, 5e2)))
def test_higher_orders_are_closer_at_the_steps_of_the_paper(build, gain):
    """Errors of places over a second, by the plain step, order 4 and order 6: 2e-4 m and less than a thousandth of it."""
    plain, fourth, sixth = (errors(build, 1.0, STEP[build], scheme)[0] for scheme in ("symplectic_perturbation", *COMPOSED))
    assert fourth < plain / gain and sixth < 0.5 * fourth, (plain, fourth, sixth)


@pytest.mark.parametrize("scheme", COMPOSED)
def test_energy_of_a_composition_does_not_drift_and_rows_hold(scheme):
    """A chaotic motion of 50 s: the mean error of the energy in the last fifth is that of the first within a quarter of the largest."""
    outputs = [*places(double_pendulum), "energy.total"]
    found = column(run(double_pendulum, outputs, 50.0, scheme=scheme, lanes=1))
    error = found["energy.total"] / found["energy.total"][0] - 1.0
    parts = [x.mean() for x in np.array_split(error, 5)]
    assert np.abs(error).max() < 1e-4 and abs(parts[-1] - parts[0]) < 0.25 * np.abs(error).max(), parts
    x1, y1, x2, y2 = (found[name] for name in outputs[:4])
    assert np.abs([x1 * x1 + y1 * y1 - 1.0, (x2 - x1) ** 2 + (y2 - y1) ** 2 - 1.0]).max() < 1e-12


def test_the_exponential_integrator_is_as_close_as_the_peer_and_drifts():
    """Example 1 at 4 ms: places within 1.5 times; the mean error of the energy moves ten times as much in 100 s."""
    close = [errors(double_pendulum, 2.0, STEP[double_pendulum], scheme)[0] for scheme in ("symplectic_perturbation", "exponential")]
    assert close[1] < 1.5 * close[0] and close[0] < 1e-3, close
    drift = []
    for scheme in ("symplectic_perturbation", "exponential"):
        energy = column(run(double_pendulum, ["energy.total"], 100.0, scheme=scheme, lanes=1))["energy.total"]
        parts = [x.mean() for x in np.array_split(energy / energy[0], 5)]
        drift.append(abs(parts[-1] - parts[0]))
    assert drift[1] > 10.0 * drift[0], drift


@pytest.mark.parametrize("scheme", NEW)
def test_lanes_restarts_and_what_is_recorded_between_steps(scheme):
    """Each sample as by itself, bit for bit; the same bits from a state on; the bending between ends of steps is a vibration."""
    outputs = [*places(double_pendulum), *amplitudes(double_pendulum)]
    samples = {"EI": np.array([1.0, 0.7, 3.0]) * EI_1, "mass": np.array([20.0, 20.0, 5.0])}
    together = run(double_pendulum, outputs, 0.4, scheme=scheme, samples=samples, lanes=4)
    for k in range(3):
        alone = run(double_pendulum, outputs, 0.4, scheme=scheme, samples={key: x[[k]] for key, x in samples.items()}, lanes=4)
        assert all(np.array_equal(together[name][k], alone[name][0]) for name in outputs)
    settings = {"integrator": scheme, "step": 2.0**-8, "lanes": 1}
    simulation = fm.compile(double_pendulum(), outputs=["energy.balance"], end=1.0, settings=settings)
    whole, parts = simulation.step(simulation.start(), 0.5), simulation.start()
    for t in (0.125, 0.25, 0.5):
        parts = simulation.step(parts, t)
    assert all(np.array_equal(whole[key], parts[key]) for key in ("coordinates", "velocities"))
    exact = column(simulate(double_pendulum, outputs, end=0.2, points=501, lanes=1, integrator="dormand_prince", tolerance=1e-12))
    found = column(simulate(double_pendulum, outputs, end=0.2, points=501, lanes=1, integrator=scheme, step=0.004))
    for name in outputs:
        off = np.abs(found[name] - exact[name])
        assert off.max() < 2.0 * off[::10].max() + 1e-7, (name, off.max(), off[::10].max())


def test_short_steps_from_rest_converge():
    """Amplitudes are then as small as what rounding of places makes of them; the places are those of a direct solution."""
    for step in (2e-4, 2e-5):
        found = simulate(double_pendulum, ["bob.x"], end=0.02, lanes=1, integrator="symplectic_perturbation", step=step)
        assert found["bob.x"][0, -1] == pytest.approx(bob(0.02), abs=1e-9)


@functools.cache
def bob(end):
    """Place of the bob by a direct solution."""
    return simulate(double_pendulum, ["bob.x"], end=end, lanes=1, integrator="dop853", tolerance=1e-12)["bob.x"][0, -1]


@pytest.mark.parametrize("scheme", NEW)
def test_systems_without_rods_that_bend_are_refused(scheme):
    settings = {"integrator": scheme, "step": 0.01}
    sentence = said(lambda: fm.run(functools.partial(double_pendulum, modes=0), {}, end=0.1, outputs=["energy.total"], settings=settings))
    names(sentence, f"'{scheme}' is for systems with a Rod that bends", "generalized_alpha")
