"""Histories at any times: those of a grid to the bit, the exact motion between its times, and no other motion for it."""

import numpy as np
import pytest

import flexmbd as fm

K, C, MASS = 900.0, 3.0, 2.0
END = 1.0


def oscillator(k=K, c=C):
    system = fm.System()
    mass = system.point_mass("m", mass=MASS, position=(1.1, 0.0))
    system.add(fm.Spring("s", system.ground.at(0.0, 0.0), mass.centre, stiffness=k, damping=c, length=1.0))
    return system


def exact(time):
    rate = C / (2 * MASS)
    omega = np.sqrt(K / MASS - rate**2)
    return 1.0 + 0.1 * np.exp(-rate * time) * (np.cos(omega * time) + rate / omega * np.sin(omega * time))


OUTPUTS = ["m.x", "m.vx", "m.x:max", "m.x:rms", "m.x:final"]


@pytest.mark.parametrize("integrator", ["dormand_prince", "generalized_alpha"])
def test_times_of_a_grid_are_those_of_the_grid(integrator):
    how = {"end": END, "outputs": OUTPUTS, "settings": {"integrator": integrator}}
    samples = {"k": K * np.linspace(0.8, 1.2, 5), "c": np.full(5, C)}
    whole, some = fm.run(oscillator, samples, points=61, **how), fm.run(oscillator, samples, times=np.linspace(0, END, 61)[1:50:7], **how)
    for name in OUTPUTS:
        expected = whole[name] if ":" in name else whole[name][:, 1:50:7]
        np.testing.assert_array_equal(some[name], expected)
    np.testing.assert_array_equal(some.statistics["steps"], whole.statistics["steps"])
    np.testing.assert_array_equal(some.time, np.linspace(0, END, 61)[1:50:7])


def test_exact_motion_at_random_times():
    times = np.sort(np.random.default_rng(1).uniform(0, END, 200))
    found = fm.run(oscillator(), end=END, times=times, outputs=["m.x", "m.x:p50"])
    np.testing.assert_allclose(found["m.x"], exact(times), atol=2e-9)
    assert found["m.x:p50"] == pytest.approx(np.median(exact(np.linspace(0, END, 100_001))), abs=3e-4)  # of the whole run


@pytest.mark.parametrize("times", [[0.0, 0.5, 0.5], [0.3, 0.1], [0.0, 1.1], [-0.1, 0.2], [0.0, np.nan], [], [[0.0, 1.0]], ["a"]])
def test_bad_times(times):
    with pytest.raises(fm.ModelError, match="from 0 to the end"):
        fm.run(oscillator(), end=END, times=times, outputs=["m.x"])
