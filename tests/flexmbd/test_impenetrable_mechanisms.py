"""A rocking block and a slider-crank with clearance in its guide, against independent solutions by scipy."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import flexmbd as fm

from .impenetrable_models import CRANK, G, moved, rocking, slider_crank, slopes

STEPS = np.array([1e-4, 5e-5, 2.5e-5])
START, ALPHA, SIZE = 0.1, np.arctan2(0.1, 0.4), np.hypot(0.1, 0.4)
KEPT = 1.0 - 1.5 * np.sin(ALPHA) ** 2  # of the rate in an impact (Housner 1963): angular momentum about the new corner
PACE = 0.75 * G / SIZE  # m g R over the inertia 4/3 m R² about a corner, 1/s²


def quarter(angle):
    """Time from rest at an angle to upright: of ``a'' = -PACE sin(ALPHA - a)``, rates from energy; a = angle - s² at the turning point."""

    def share(s):
        a = angle - s * s
        return 2.0 * s / np.sqrt(2.0 * PACE * (np.cos(ALPHA - angle) - np.cos(ALPHA - a)))

    return quad(share, 0.0, np.sqrt(angle), epsabs=1e-13)[0]


def next_angle(angle):
    """Largest angle on the other side, after an impact."""
    energy = KEPT**2 * (1.0 - np.cos(ALPHA) - (1.0 - np.cos(ALPHA - angle)))  # rate² over 2 PACE, before and after
    return ALPHA - np.arccos(np.cos(ALPHA) + energy)


def swings(angle, count):
    """Times of the first impacts, and angles of the turning points before each of them."""
    t, times, angles = 0.0, [], []
    for _ in range(count):
        t += quarter(angle)
        times.append(t)
        angles.append(angle)
        angle = next_angle(angle)
        t += quarter(angle)
    return np.array(times), np.array(angles)


def test_the_quarter_of_a_small_rocking_is_housners():
    """``arccosh(1/(1 - a/ALPHA))/p`` of a slender block (Housner 1963): the equation with ``sin x = x``; here it is near."""
    housner = np.arccosh(1.0 / (1.0 - START / ALPHA)) / np.sqrt(PACE)
    assert quarter(START) == pytest.approx(housner, rel=0.02)


def test_a_rocking_block_strikes_when_it_should():
    """Impacts are where the angle passes zero; angular momentum about the new corner is kept in each.  Each impact
    may add a step to the error of its time; means over 48 starts."""
    starts, errors = np.linspace(0.05, 0.12, 48), []
    exact = [swings(angle, 5) for angle in starts]
    for step in STEPS:
        found, run = [], moved(rocking, ["block.angle"], end=2.2, step=step, points=0, samples={"angle": starts})
        for a, (times, angles) in zip(run["block.angle"], exact, strict=True):
            at = np.flatnonzero(a[:-1] * a[1:] < 0.0)[:5]
            found.append(np.abs(run.time[at] + step * a[at] / (a[at] - a[at + 1]) - times).mean())
            tops = [np.abs(a[i:j]).max() for i, j in zip([0, *at[:-1]], at, strict=True)]
            assert tops == pytest.approx(angles, abs=10.0 * step)
        errors.append(np.mean(found))
    assert errors[-1] < 3.0 * STEPS[-1], errors
    assert slopes(STEPS[[0, -1]], np.array(errors)[[0, -1]]) == pytest.approx(1.0, abs=0.2), errors


@pytest.mark.parametrize("step", [1e-3, 2e-4])
def test_a_block_on_two_corners_comes_to_rest(step):
    """It does not hop from one to the other."""
    run = moved(rocking(1e-4), ["block.angle", "block.rate", "left.contact", "right.contact"], end=0.6, step=step, points=7)
    assert run["block.angle"][-1] == pytest.approx(0.0, abs=1e-12) and run["block.rate"][-1] == pytest.approx(0.0, abs=1e-10)
    assert run["left.contact"][-1] == run["right.contact"][-1] == 1.0


def crank_rates(_, z):
    """Of crank and rod, free of the guide: angles and their rates (Flores, Leine, Glocker 2010); the slider does not turn."""
    a, b, wa, wb = z
    l1, l2, m1, m2, m3 = (CRANK[k] for k in ("l1", "l2", "m1", "m2", "m3"))
    cross, half = l1 * l2 * (0.5 * m2 + m3), 0.5 * m2 + m3
    c, n = np.cos(a - b), np.sin(a - b)
    M = [[CRANK["j1"] + (0.25 * m1 + m2 + m3) * l1**2, cross * c], [cross * c, CRANK["j2"] + (0.25 * m2 + m3) * l2**2]]
    f = [-cross * n * wb**2 - G * l1 * (0.5 * m1 + m2 + m3) * np.cos(a), cross * n * wa**2 - G * l2 * half * np.cos(b)]
    return [wa, wb, *np.linalg.solve(M, f)]


@pytest.fixture(scope="module")
def free_crank():
    """State at 1 ms, and time and state at which the slider reaches a wall."""

    def wall(_, z):
        return CRANK["c"] - abs(CRANK["l1"] * np.sin(z[0]) + CRANK["l2"] * np.sin(z[1]))

    wall.terminal = True
    accuracy = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    start = [0.0, 0.0, 150.0, -75.0]
    early = solve_ivp(crank_rates, (0.0, 1e-3), start, **accuracy)
    struck = solve_ivp(crank_rates, (0.0, 0.1), start, events=wall, **accuracy)
    return early.y[:, -1], struck.t[-1], struck.y[:, -1]


STATE = ["crank.angle", "rod.angle", "crank.rate", "rod.rate"]


def test_the_crank_without_contact_is_the_published_one(free_crank):
    """REFERENCES: at t = 1 ms; both this solution and the library's, of order 2."""
    published = [0.14609084381159992, -0.07259639539621728, 139.115875789904, -68.27629419420214]
    assert free_crank[0] == pytest.approx(published, rel=1e-9)
    steps, errors = np.array([2e-5, 1e-5, 5e-6]), []
    for step in steps:
        run = moved(slider_crank(), STATE, end=1e-3, step=step)
        errors.append(np.abs([run[name][-1] / x - 1.0 for name, x in zip(STATE, published, strict=True)]).max())
    assert slopes(steps, errors) == pytest.approx(2.0, abs=0.2), errors
    assert errors[-1] < 1e-6


def test_the_crank_strikes_its_guide_when_it_should(free_crank):
    """Both corners of a side at once, as the slider has not turned; the time is known to a step."""
    _, when, state = free_crank
    names = [*STATE, "guide.impacts", *(f"guide.{k}.impacts" for k in (1, 2, 3, 4))]
    errors = []
    for step in (1e-5, 5e-6, 2.5e-6):
        run = moved(slider_crank(), names, end=1.05 * when, step=step, points=0)
        k = np.argmax(run["guide.impacts"] > 0)
        errors.append(abs(run.time[k] - 0.5 * step - when) / step)
        assert [run[name][k - 1] for name in STATE] == pytest.approx(state, rel=1e-2)
        struck = [bool(run[f"guide.{i}.impacts"][k]) for i in (1, 2, 3, 4)]
        assert struck in ([True, True, False, False], [False, False, True, True])
    assert max(errors) <= 1.0, errors


def test_the_slider_stays_in_its_guide():
    """Two turns: no corner deeper than a step times the slider's fastest way across."""
    step = 1e-5
    run = moved(
        slider_crank(), ["guide.gap:min", "slider.vy:abs_max", "energy.total", "slider.y"], end=4 * np.pi / 150, step=step, points=401
    )
    assert run["guide.gap:min"] > -step * run["slider.vy:abs_max"]
    assert run["energy.total"][-1] < run["energy.total"][0]


def second_impact(build, settings):
    """Time at which both corners of a side have struck for the second time."""
    names = ["guide.1.impacts", "guide.2.impacts", "guide.3.impacts", "guide.4.impacts"]
    run = fm.run(build, end=0.013, points=130_001, outputs=names, settings=settings)
    assert run.message == [""]
    struck = np.sort([run[name][0] for name in names], axis=0)[-2:]
    return run.time[np.argmax(np.all(struck > 1.5, axis=0))]


@pytest.mark.slow
def test_a_stiffer_contact_strikes_ever_more_like_an_impenetrable_one():
    """The second impact comes later by about the time that the first one takes, which falls with stiffness to the power -0.4 (Hertz)."""
    exact = second_impact(lambda: slider_crank(e=0.8), {"integrator": "event_driven", "tolerance": 1e-10})
    errors = [second_impact(lambda k=k: slider_crank(e=0.8, stiffness=k), {"tolerance": 1e-10}) - exact for k in (1e10, 1e11, 1e12)]
    assert np.all(np.array(errors[:-1]) / errors[1:] > 2.0), errors
    assert 0.0 < errors[-1] < 1e-4, errors
