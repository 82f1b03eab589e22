"""Control of chaos: gains and stabilisable ranges in closed form, and the share of a box in which a control holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import uqmbd as uq
from uqmbd.analysis.dynamics.control import Delayed, Fed, delayed_best, delayed_gain, delayed_range, held, ogy_gain, ogy_range
from uqmbd.analysis.dynamics.derivatives import by_differences
from uqmbd.analysis.dynamics.maps import FunctionMap
from uqmbd.analysis.dynamics.shooting import shoot
from uqmbd.chaos_control import ChaosControl
from uqmbd.errors import StudyError

LOGISTIC = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
HENON = FunctionMap(function=lambda x, y, a, b: (1 - a * x**2 + y, b * x), names=("x", "y"))
A, B = 1.4, 0.3
X = (B - 1 + np.sqrt((1 - B) ** 2 + 4 * A)) / (2 * A)  # fixed point of the Henon map, y = b x
UNSTABLE, STABLE = -A * X - np.sqrt(A**2 * X**2 + B), -A * X + np.sqrt(A**2 * X**2 + B)


def henon_gain():
    by_state, by_parameter = HENON.tangent(np.array([[X, B * X]]), {"a": A, "b": B}, ("a",))[1:]
    return ogy_gain(by_state[0], by_parameter[0, :, 0])


def roots(of, start, values):
    found = shoot(of, np.array([start]), values)
    assert not found.lost[0]
    return np.sort(np.abs(found.multipliers[0]))


def test_gain_of_the_henon_map_is_the_closed_form():
    assert henon_gain() == pytest.approx(-np.array([UNSTABLE, 1.0]) / X**2, rel=1e-9)


@pytest.mark.parametrize("factor", [1.0, *(edge + inside for edge, inside in zip(ogy_range(UNSTABLE), (1e-3, -1e-3)))])
def test_ogy_moves_the_unstable_multiplier_alone(factor):
    fed = Fed(base=HENON, parameter="a", gain=factor * henon_gain(), target=np.array([X, B * X]))
    wanted = np.sort([abs(UNSTABLE * (1 - factor)), STABLE])
    assert roots(fed, [X, B * X], {"a": A, "b": B}) == pytest.approx(wanted, abs=1e-7)
    assert wanted.max() < 1


@pytest.mark.parametrize(("edge", "inside"), [(0, 0.01), (0, -0.01), (1, 0.01), (1, -0.01)])
def test_delayed_feedback_stabilises_the_logistic_map_exactly_in_its_range(edge, inside):
    r = 3.9  # multiplier 2 - r at x = 1 - 1/r, where the derivative by r is (r - 1)/r^2
    gain = (delayed_range(2 - r)[edge] + inside) * r**2 / (r - 1)
    most = roots(Delayed(base=LOGISTIC, parameter="r", gain=np.array([gain])), [1 - 1 / r] * 2, {"r": r}).max()
    assert delayed_range(2 - r) == (-1.0, pytest.approx((3 - r) / 2))
    assert (most < 1) == (inside > 0 if edge == 0 else inside < 0)


def test_delayed_feedback_of_the_henon_map_has_the_fastest_decay():
    by_state, by_parameter = HENON.tangent(np.array([[X, B * X]]), {"a": A, "b": B}, ("a",))[1:]
    gain = delayed_gain(by_state[0], by_parameter[0, :, 0])
    found = roots(Delayed(base=HENON, parameter="a", gain=gain), [X, B * X] * 2, {"a": A, "b": B})
    best = abs(1 - np.sqrt(1 - UNSTABLE))
    assert found == pytest.approx(np.sort([0.0, STABLE, best, best]), abs=1e-4)  # of a double root, half of the digits


@settings(max_examples=30, deadline=None)
@given(st.floats(-2.95, 0.95))
def test_no_gain_is_faster_than_the_best(multiplier):
    gains = np.linspace(-1, (1 + multiplier) / 2, 401)
    factors = [np.abs(np.roots([1, -(multiplier - k), -k])).max() for k in gains]
    assert delayed_best(multiplier)[1] <= min(factors) + 1e-7


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 5), st.integers(0, 99))
def test_ogy_sets_all_unstable_multipliers_to_zero_and_leaves_the_others(d, seed):
    rng = np.random.default_rng(seed)
    matrix, push = rng.normal(size=(d, d)) * 1.5, rng.normal(size=d)
    before = np.linalg.eigvals(matrix)
    unstable = np.abs(before) >= 1
    if not unstable.any():
        with pytest.raises(StudyError, match="needs no control"):
            ogy_gain(matrix, push)
        return
    after = np.linalg.eigvals(matrix - np.outer(push, ogy_gain(matrix, push)))
    wanted = np.where(unstable, 0, before)
    assert np.poly(after) == pytest.approx(np.poly(wanted), abs=1e-5 * np.abs(np.poly(before)).max())


@pytest.mark.parametrize("kind", ["fed", "clipped", "delayed"])
def test_derivatives_of_maps_under_control(kind):
    known = {"base": HENON, "parameter": "a", "gain": np.array([-2.0, 0.7]), "limit": 0.4, "clipped": kind != "fed"}
    of = Delayed(**known) if kind == "delayed" else Fed(**known, target=np.array([X, B * X]))
    x = np.random.default_rng(1).uniform(-0.8, 0.8, (40, len(of.names)))
    values = {"a": np.full(40, A), "b": np.full(40, B)}
    change = np.abs(of.change(x))
    assert (change == (0.4 if kind != "fed" else 0.0)).any() and (change > 0).any()
    point, by_state, by_parameter = of.tangent(x, values, ("b",))
    for k in range(40):  # one by one, since a difference may not go through the limit
        expected = by_differences(lambda at, k=k: of.step(at, {"a": A, "b": B}), x[k : k + 1], 1e-5)
        assert point[k] == pytest.approx(expected[0][0]) and by_state[k] == pytest.approx(expected[1][0], abs=1e-8)
    assert by_parameter[:, :, 0] == pytest.approx(np.stack([0 * x[:, 0], x[:, 0], *(0 * x[:, 2:].T)], axis=1), abs=1e-9)


def test_what_cannot_be_controlled_is_said():
    with pytest.raises(StudyError, match="does not move the unstable"):
        ogy_gain(np.diag([2.0, 0.5]), np.array([0.0, 1.0]))
    with pytest.raises(StudyError, match="only those from -3 to 1"):
        delayed_gain(np.array([[-3.5]]), np.array([1.0]))
    with pytest.raises(StudyError, match="the orbit has 2"):
        delayed_gain(np.diag([2.0, -2.0]), np.array([1.0, 1.0]))
    with pytest.raises(StudyError, match="do not tell"):
        held(Fed(base=LOGISTIC, parameter="r", gain=np.ones(1), target=np.ones(1)), np.ones((1, 1)), {"r": 3.9}, steps=10)


def test_control_holds_from_all_starts_on_the_attractor():
    fed = Fed(base=HENON, parameter="a", gain=henon_gain(), target=np.array([X, B * X]), limit=0.1)
    starts = np.random.default_rng(2).uniform(-0.1, 0.1, (50, 2))
    found = held(fed, starts, {"a": np.full(50, A), "b": np.full(50, B)}, steps=3000)
    assert found.holds.all() and found.states == pytest.approx(np.tile([X, B * X], (50, 1)), abs=1e-6)
    assert found.steps.min() > 0 and np.abs(found.effort).max() < 1e-6


R0, LIMIT = 3.9, 0.05
X0 = 1 - 1 / R0
GAIN = (2 - R0) * R0**2 / (R0 - 1)


def under_control(r):
    """State, multiplier and change at the fixed point of the logistic map whose controller was made at R0: 1 = (r - k (x - x0)) (1 - x)."""
    x = brentq(lambda x: (r - GAIN * (x - X0)) * (1 - x) - 1, X0 - 0.05, X0 + 0.05, xtol=1e-15)
    return x, (1 - 2 * x) / (1 - x) - GAIN * x * (1 - x), -GAIN * (x - X0)


def controlled(outputs, **change):
    solver = {"states": ["x"], "start": [0.3], "parameter": "r", "near": [0.7], "at": {"r": R0}, "limit": LIMIT, "steps": 4000}
    return ChaosControl(lambda x, r: r * x * (1 - x), outputs, None, solver | change, None)


def test_multiplier_and_change_at_other_inputs_are_the_closed_form():
    r = np.linspace(3.87, 3.95, 9)
    found = controlled(["control.multiplier_abs", "control.change"]).simulate({"r": r}).outputs
    exact = np.array([under_control(one)[1:] for one in r])
    assert found["control.multiplier_abs"] == pytest.approx(np.abs(exact[:, 0]), abs=1e-9)
    assert found["control.change"] == pytest.approx(exact[:, 1], abs=1e-9)


def test_share_of_an_interval_in_which_control_holds(tmp_path):
    ends = [brentq(lambda r, side=side: under_control(r)[2] - side * LIMIT, 3.86, 3.95) for side in (-1, 1)]
    assert max(abs(under_control(end)[1]) for end in ends) < 1  # so that it is the limit that ends it
    share = abs(ends[1] - ends[0]) / 0.08
    solver = {"states": ["x"], "start": [0.3], "parameter": "r", "near": [0.7], "at": {"r": R0}, "limit": LIMIT, "steps": 4000}
    study = uq.Study(
        model=lambda x, r: r * x * (1 - x),
        simulator=ChaosControl,
        inputs={"r": uq.Uniform(3.87, 3.95)},
        outputs=["control.holds"],
        method=uq.MonteCarlo(samples=400),
        solver=solver,
        name="share",
    )
    found = study.run(out=tmp_path, workers=0, progress=False, report=False)
    low, high = found.statistics["control.holds"].sel(statistic=["mean_lower", "mean_upper"]).values
    assert low <= share <= high and high - low < 0.1
    r, holds = found.runs["input:r"].values, found.runs["control.holds"].values
    clear = np.abs(r - np.array(ends)[:, None]).min(axis=0) > 1e-3
    inside = (r > min(ends)) & (r < max(ends))
    assert not holds[clear & ~inside].any()
    assert holds[clear & inside].mean() > 0.95  # in windows of periodic motion, as of period 5 at 3.906, none comes near the orbit


@pytest.mark.parametrize("period", [1, 2])
def test_delayed_feedback_holds_orbits(period):
    near = [0.7] if period == 1 else [0.36]
    at = controlled(["control.holds", "control.multiplier_abs"], way="delayed", at={"r": 3.6}, near=near, period=period, limit=0.5)
    found = at.simulate({"r": np.array([3.6, 3.62])}).outputs
    assert found["control.holds"].tolist() == [1.0, 1.0] and found["control.multiplier_abs"].max() < 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"parameter": "q"}, "no such parameter"),
        ({"at": {}}, "'r' is not said"),
        ({"at": {"r": 2.5}}, "is stable"),
        ({"near": [np.nan]}, "no orbit to control"),
        ({"way": "delayed", "at": {"r": 5.5}}, "only those from -3 to 1"),
        ({"period": 2, "near": [0.74]}, "an orbit of 1 step, not 2"),
        ({"at": {"r": R0, "q": 1.0}}, "'q' is no parameter"),
        ({"fixed": {"r": R0}}, "'r' is an input"),
    ],
)
def test_what_there_is_not_to_control_is_found_before_the_runs(change, said):
    with pytest.raises(StudyError, match=said):
        controlled(["control.holds"], **change).check({"r": np.array([R0])})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"limit": 0.0}, "above zero"),
        ({"limit": "0.1"}, "this is a number"),
        ({"near": ["a"]}, "solver.near"),
        ({"way": "pid"}, "no such control"),
        ({"steps": 50}, "does not rest for 100 of 50 steps"),
        ({"gain": [1, 2]}, "a number for each"),
        ({"k": 1}, "no setting 'k'"),
    ],
)
def test_settings_of_a_controller_are_checked(change, said):
    with pytest.raises(StudyError, match=said):
        controlled(["control.holds"], **change)
