"""Several contacts in one model, contacts shorter than a step, repeated bounces, and rest."""

import numpy as np
import pytest

import flexmbd as fm

from .room import OUTPUTS, RADIUS, WIDTH, G, numbers, room
from .running import column, simulate


def test_ball_between_two_walls_takes_turns():
    """Free way 0.8 m between the walls; every second impact is the other wall's; the contact takes its known time."""
    v, stiffness = 7.0, 1e12
    deepest = (1.25 * v**2 / stiffness) ** 0.4
    contact = 2.9432751843247 * deepest / v
    lap = (WIDTH - 2 * RADIUS) / v + contact
    end = 0.4 / v + 20 * lap + 0.25 * lap  # first wall after half the way
    got = column(simulate(room, OUTPUTS, end=end, samples=numbers(vx=v, gravity=0.0), lanes=4, tolerance=1e-11))
    assert got["right.impacts"][-1] == 11 and got["left.impacts"][-1] == 10
    assert got["floor.impacts"][-1] == got["ceiling.impacts"][-1] == 0
    assert got["ball.vx"][-1] == pytest.approx(-v, rel=1e-8)
    assert got["ball.x"][-1] == pytest.approx(WIDTH - RADIUS - v * (0.25 * lap - contact), abs=1e-7)


def test_bounces_fall_off_as_restitution_says():
    """REFERENCES 2: from 1 m with e = 0.8 on a floor so stiff that contacts take microseconds."""
    first = [0.4515236409857309, 1.1739614665629003, 1.7519117270246358, 2.214271935394024]
    times = np.array(first)
    for k, t in enumerate(times):
        for delay, count in ((-1e-3, k), (1e-3, k + 1)):
            got = column(simulate(room, OUTPUTS, end=t + delay, samples=numbers(height=1.0, restitution=0.8, stiffness=1e14)))
            assert got["floor.impacts"][-1] == count
    got = column(simulate(room, OUTPUTS, end=3.9, samples=numbers(height=1.0, restitution=0.8, stiffness=1e14), tolerance=1e-9))
    flights = 2 * 0.8 * np.sqrt(2 / G) * 0.8 ** np.arange(40)
    ideal = np.searchsorted(np.cumsum([first[0], *flights]), 3.9)
    assert abs(got["floor.impacts"][-1] - ideal) <= 1


@pytest.mark.parametrize("step", [1.0, 0.05, 1e-3])
@pytest.mark.parametrize("overlap", [1e-3, 1e-5, 1e-7])
def test_contact_that_begins_and_ends_inside_one_step(step, overlap):
    """A ball thrown up would pass the ceiling by `overlap` at its highest point; it must touch it once and come back."""
    top, v = 0.8, np.sqrt(2 * G * 0.8)
    case = numbers(height=1e-9, vy=v, ceiling=top - overlap, stiffness=1e10)
    end = 1.5 * v / G
    got = column(simulate(room, OUTPUTS, end=end, samples=case, tolerance=1e-10, step=step))
    assert got["ceiling.impacts"][-1] == 1
    hit = np.sqrt(2 * G * overlap)  # speed at the ceiling, the same after it
    saved = 2 * hit / G  # time that the touch spares, less its own duration
    touch = 2.94 * (1.25 * hit**2 / 1e10) ** 0.4 / hit
    late = v - G * end - G * saved
    assert got["ball.vy"][-1] == pytest.approx(late, abs=2 * G * touch + 1e-7)


def test_grazing_below_the_ceiling_is_no_contact():
    v = np.sqrt(2 * G * 0.8)
    case = numbers(height=1e-9, vy=v, ceiling=0.8 + 1e-6, stiffness=1e10)
    got = column(simulate(room, OUTPUTS, end=1.5 * v / G, samples=case, tolerance=1e-10))
    assert got["ceiling.impacts"][-1] == 0
    assert got["ball.vy"][-1] == pytest.approx(-0.5 * v, rel=1e-9)


def hung(clearance=2e-4, stiffness=1e6):
    """A rod hung level on two clearance joints at its ends, at rest over its bearings."""
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=2.0, inertia=0.1, position=(0.0, -1e-4), points={"A": (-0.5, 0.0), "B": (0.5, 0.0)})
    law = fm.HuntCrossley(stiffness, restitution=0.3, exponent=1.0)
    for end, x in (("A", -0.5), ("B", 0.5)):
        s.add(fm.ClearanceRevolute(end, rod[end], s.ground.at(x, 0.0), clearance, law))
    return s


def test_rod_settles_on_two_journals_at_the_static_penetration():
    """Half the weight each: K delta = m g / 2; it sinks with the clearance."""
    outputs = ["rod.y", "rod.vy", "rod.angle", "A.penetration", "B.penetration", "A.force", "B.force", "A.impacts", "B.impacts"]
    samples = {"clearance": [2e-4, 5e-4], "stiffness": [1e6, 2e5]}
    out = simulate(hung, outputs, end=1.5, samples=samples, tolerance=1e-8).outputs
    rest = 2.0 * G / 2 / np.array(samples["stiffness"])
    for name in "AB":
        np.testing.assert_allclose(out[f"{name}.penetration"][:, -1], rest, rtol=2e-2)
        np.testing.assert_allclose(out[f"{name}.force"][:, -1], G, rtol=3e-2)
    np.testing.assert_allclose(out["rod.y"][:, -1], -np.array(samples["clearance"]) - rest, rtol=1e-2)
    assert np.abs(out["rod.angle"][:, -1]).max() < 1e-9
    np.testing.assert_array_equal(out["A.impacts"], out["B.impacts"])
