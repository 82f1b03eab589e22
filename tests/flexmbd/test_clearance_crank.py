"""The clearance slider-crank against the located reference of REFERENCES.md, section 2, and an independent integration."""

import numpy as np
import pytest

from .reference_crank import SPEED, Crank
from .running import column, simulate
from .worn_crank import OUTPUTS, STATE, worn_crank

TIGHT = dict(tolerance=1e-12)
TURN = 2 * np.pi / SPEED


def motion(end, points=2, **settings):
    """One run of the reference case without friction."""
    numbers = {k: [x] for k, x in {"clearance": 0.5e-3, "restitution": 0.9, "mu": 0.0, **settings.pop("samples", {})}.items()}
    return column(simulate(worn_crank, OUTPUTS, end=end, points=points, samples=numbers, **{**TIGHT, **settings}))


@pytest.mark.parametrize(
    "end, wanted",
    [
        (1.2e-3, (-0.2478932415, 0.1572753749, -155.2748034, -18.96415143)),
        (3.0e-3, (-0.429710507622, 0.108808279694, -27.4213121, -26.4058327417)),
    ],
)
def test_published_states(end, wanted):
    got = motion(end)
    for name, x in zip(STATE, wanted, strict=True):
        assert got[name][-1] == pytest.approx(x, rel=2e-9), name


def test_contacts_begin_when_they_should():
    """REFERENCES 2: the times to 1e-9 s, by ending runs a nanosecond before and after each."""
    times = [2.27286032e-04, 6.37056430e-04, 7.49700280e-04, 1.08594703e-03]
    for k, t in enumerate(times):
        assert motion(t - 1e-9)["B.impacts"][-1] == k
        assert motion(t + 1e-9)["B.impacts"][-1] == k + 1


CASES = {"clearance": [0.5e-3, 0.2e-3, 0.05e-3, 0.4e-3], "restitution": [0.9, 0.85, 0.5, 0.95], "mu": [0.0, 0.03, 0.05, 0.1]}


@pytest.fixture(scope="module")
def references():
    """Independent runs of the four cases to 0.8 ms: times, states, events."""
    times = np.linspace(0.0, 0.8e-3, 9)[1:]
    return times, [Crank(**dict(zip(CASES, numbers, strict=True))).run(times) for numbers in zip(*CASES.values(), strict=True)]


def test_against_an_independent_integration_with_friction(references):
    times, runs = references
    got = simulate(worn_crank, OUTPUTS, end=times[-1], points=9, samples=CASES, **TIGHT)
    for i, (states, events) in enumerate(runs):
        assert len(events) >= 2
        ours = np.array([got.outputs[name][i, 1:] for name in STATE])
        share = np.abs(ours - states) / np.abs(states).max(axis=1, keepdims=True)
        assert share.max() < 1e-9, (i, share.max(axis=1))
        assert got.outputs["B.impacts"][i, -1] == sum(begins for _, begins in events)


def test_onset_and_separation_times_to_a_nanosecond(references):
    _, runs = references
    for i, (_, events) in enumerate(runs):
        case = {k: v[i] for k, v in CASES.items()}
        for t, begins in [*events[:3], events[-1]]:
            assert motion(t - 1e-9, samples=case)["B.contact"][-1] == (not begins)
            assert motion(t + 1e-9, samples=case)["B.contact"][-1] == begins


def test_steps_and_tolerance_do_not_matter():
    """With friction, to 1.2 ms: step limits agree to 1e-8, tolerances converge."""
    end = 1.2e-3
    numbers = dict(samples={"mu": 0.03})
    best = motion(end, tolerance=1e-13, **numbers)
    for settings in (dict(step=1e-5), dict(step=2e-6), dict(step=3e-4), dict(event_tolerance=1e-12)):
        got = motion(end, **settings, **numbers)
        for name in STATE:
            assert got[name][-1] == pytest.approx(best[name][-1], rel=1e-8), (settings, name)
    errors = [abs(motion(end, tolerance=x, **numbers)["slider.vx"][-1] - best["slider.vx"][-1]) for x in (1e-5, 1e-7, 1e-9, 1e-11)]
    assert errors[0] < 1e-2 and errors[1] < 1e-3 and errors[2] < 2e-5 and errors[3] < 1e-6, errors


def test_energy_closes_over_two_turns():
    """To 1e-6 of the peak energy, with friction, whatever the clearance; the motion is chaotic, its books are not."""
    samples = {"clearance": [0.5e-3, 0.2e-3, 0.05e-3, 0.02e-3], "restitution": [0.9, 0.85, 0.5, 0.45], "mu": [0.03, 0.05, 0.05, 0.07]}
    out = simulate(worn_crank, OUTPUTS, end=2 * TURN, points=481, samples=samples, tolerance=1e-10).outputs
    error = np.abs(out["energy.balance"] - out["energy.balance"][:, :1]).max(axis=1)
    assert np.all(error < 1e-6 * out["energy.kinetic:max"]), error / out["energy.kinetic:max"]
    lost = out["energy.dissipated"]
    assert np.all(np.diff(lost, axis=1) > -1e-9 * lost[:, -1:])
    assert np.all(lost[:, -1] > 0)


def test_peak_force_between_grid_points_is_found():
    end = 6e-4
    coarse, fine = motion(end, points=2), motion(end, points=20001)
    peak = fine["B.force"].max()
    assert coarse["B.force"].max() < 0.5 * peak
    assert coarse["B.force:max"] == pytest.approx(peak, rel=1e-5)
    assert coarse["B.force:time_of_max"] == pytest.approx(np.linspace(0, end, 20001)[fine["B.force"].argmax()], abs=1e-7)
    assert coarse["B.impacts:final"] == 1


def test_friction_opposes_slip_within_its_cone():
    got = motion(1.2e-3, points=2001, samples={"mu": 0.05})
    touching = got["B.normal"] > 0
    assert touching.any() and not touching.all()
    assert np.all(np.abs(got["B.friction"]) <= 0.05 * got["B.normal"] * (1 + 1e-12))
    np.testing.assert_allclose(np.hypot(got["B.normal"], got["B.friction"]), got["B.force"], rtol=1e-12)
    assert np.all(got["B.force"][~touching] == 0)
    np.testing.assert_allclose(got["B.eccentricity"] - 0.5e-3, got["B.penetration"], atol=1e-15)


def test_slider_obeys_newton():
    """The slider's acceleration is the joint's force over its mass."""
    got = motion(1.2e-3, points=301, samples={"mu": 0.05})
    np.testing.assert_allclose(0.14 * got["slider.ax"], -got["B.fx"], atol=1e-9 * np.abs(got["B.fx"]).max())
