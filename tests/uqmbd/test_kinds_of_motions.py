"""Numbers of impacts of a simulated ball as kinds of runs: bounds and shares of each against formulas of the rigid ball."""

import numpy as np
import pytest

import flexmbd as fm
import uqmbd as uq

from .exact_ball import GRAVITY, fall, impacts_by_fall

HEIGHT, RESTITUTION, END = (0.95, 1.05), (0.70, 0.85), 1.65  # by then two or three impacts
RANGE = 7.0  # m/s, of the final velocity: it jumps from falling to rising
CLOSE = 1e-3  # of the range


def dropped(height, restitution):
    """A ball dropped on a floor so stiff that a contact takes microseconds."""
    s = fm.System(gravity=(0.0, -GRAVITY))
    ball = s.body("ball", mass=1.0, inertia=4e-3, position=(0.0, 0.1 + height))
    law = fm.Gonthier(1e14, restitution=restitution)
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, law, normal=(0.0, 1.0)))
    return s


def exact():
    """By number of impacts the least and greatest final velocity, m/s, and the share of the box.

    A simulated contact takes microseconds, in which the ball turns: so there are balls in their third contact that still fall as fast as
    those that have not touched yet, in a hundred thousandth of the box.
    """
    e = np.linspace(*RESTITUTION, 100_001)
    t0, last = fall(np.array(HEIGHT)), {}
    for n in (2, 3):
        begin = np.clip(END / impacts_by_fall(n + 1, e), *t0)  # falls of this length and less have one impact more
        end = np.clip(END / impacts_by_fall(n, e), *t0)
        some = end > begin
        ends = np.stack([begin, end])[:, some]
        # between impacts n and n + 1: v = g (t0 e^n - (T - t0 S_n)), linear in the time t0 of the fall
        v = GRAVITY * (ends * e[some] ** n - (END - ends * impacts_by_fall(n, e[some])))
        heights = GRAVITY * np.stack([begin, end]) ** 2 / 2
        last[n] = v.min(), v.max(), float(np.diff(heights, axis=0).mean() / np.ptp(HEIGHT))
    last[3] = last[2][0], *last[3][1:]
    return last


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    study = uq.Study(
        model=dropped,
        time=uq.TimeGrid(end=END, points=34),
        inputs={"height": uq.Interval(*HEIGHT), "restitution": uq.Interval(*RESTITUTION)},
        outputs=["ball.y", "ball.vy:final", "floor.impacts:final"],
        method=uq.Search(max_runs=10_000, fresh=1000, sequence="floor.impacts:final"),
        solver={"tolerance": 1e-9},
    )
    return study.run(out=tmp_path_factory.mktemp("ball") / "results", workers=0, progress=False)


def test_shares_of_the_exact_kinds_fill_the_box():
    assert sum(share for *_, share in exact().values()) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("impacts", [2, 3])
def test_bounds_of_each_number_of_impacts_enclose_the_exact_ones(found, impacts):
    low, high, _ = exact()[impacts]
    lower, upper = found.regions["ball.vy:final"].sel(region=impacts).values
    assert low - CLOSE * RANGE <= lower <= low + 1e-4 * RANGE
    assert high - 1e-4 * RANGE <= upper <= high + CLOSE * RANGE


@pytest.mark.slow
def test_shares_of_the_box_are_those_of_the_exact_regions(found):
    assert found.regions["region"].values.tolist() == [2, 3]
    for impacts, (*_, share) in exact().items():
        here = found.regions.sel(region=impacts)
        assert here["share_lower"] <= share <= here["share_upper"]
