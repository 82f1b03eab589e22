"""A slider with play in its guide: impacts of one corner, rest under an offset load, books, lanes, and a slider-crank."""

import numpy as np
import pytest
from scipy.optimize import fsolve

import flexmbd as fm

from .running import column, simulate
from .sentences import names, said

MASS, INERTIA, LENGTH, WIDTH, PLAY, REACH = 0.5, 2e-3, 0.1, 0.05, 1e-3, 0.2
KEYS = ("normal", "friction", "penetration", "rate", "impacts", "impact_velocity")
OUTPUTS = [f"guide.{k}.{key}" for k in range(1, 5) for key in KEYS] + [
    "block.x", "block.y", "block.vx", "block.vy", "block.rate", "block.angle", "guide.fx", "guide.fy", "guide.force", "guide.moment",
    "guide.gap", "guide.tilt", "guide.offset", "guide.slide", "guide.contact", "guide.impacts", "energy.balance", "energy.total",
]  # fmt: skip


def slider(y=0.0, vx=0.0, vy=0.0, tilt=0.0, rate=0.0, load=0.0, mu=0.0, stiffness=1e9, e=1.0, spring=0.0, turn=0.0):
    """A block in a guide that is turned by `turn`; a load at right angles to the guide, `REACH` ahead of the block's centre."""
    s, c, n = fm.System(), np.cos(turn), np.sin(turn)
    place = s.ground.at(0.0, 0.0)
    block = s.body(
        "block", mass=MASS, inertia=INERTIA, position=(-n * y, c * y), angle=turn + tilt, velocity=(c * vx - n * vy, n * vx + c * vy),
        rate=rate, points={"P": (REACH, 0.0)},
    )  # fmt: skip
    law, friction = fm.HuntCrossley(stiffness, restitution=e, calibrated=True), fm.Ambrosio(mu, v0=1e-4, v1=1e-3)
    s.add(fm.ClearanceTranslational("guide", block.centre, place, PLAY, LENGTH, WIDTH, law, friction, axis_b=(c, n)))
    s.add(fm.PointForce("load", block["P"], fx=-n * load, fy=c * load))
    s.add(fm.Spring("stop", place, block.centre, spring))
    return s


def slid(end, points=2, **samples):
    """A batch of blocks."""
    usual = dict(y=0.0, vx=0.0, vy=0.0, tilt=0.0, rate=0.0, load=0.0, mu=0.0, stiffness=1e9, e=1.0, spring=0.0, turn=0.0)
    count = max([np.size(x) for x in samples.values()], default=1)
    samples = {k: np.broadcast_to(np.asarray(x, float), (count,)).copy() for k, x in {**usual, **samples}.items()}
    return simulate(slider, OUTPUTS, end=end, points=points, samples=samples, tolerance=1e-12)


TILT, SPEED = 0.01, 0.5
FREE = PLAY + 0.5 * WIDTH * (1.0 - np.cos(TILT)) - 0.5 * LENGTH * np.sin(TILT)  # of the foremost corner
ARM = 0.5 * LENGTH * np.cos(TILT) - 0.5 * WIDTH * np.sin(TILT)


@pytest.mark.parametrize("e", [1.0, 0.6])
def test_one_corner_strikes_with_the_mass_that_it_feels(e):
    """Upper front corner: effective mass 1/(1/m + arm²/J); elastic Hertz: deepest (5 m v²/4 K)^(2/5); restitution as calibrated."""
    stiffness = 1e13  # so stiff that the block does not move meanwhile
    got = column(slid(FREE / SPEED + 2e-5, points=4001, vy=SPEED, tilt=TILT, stiffness=stiffness, e=e))
    mass = 1.0 / (1.0 / MASS + ARM**2 / INERTIA)
    assert [got[f"guide.{k}.impacts"][-1] for k in (1, 2, 3, 4)] == [0, 1, 0, 0] and got["guide.impacts"][-1] == 1
    assert got["guide.2.impact_velocity"][-1] == pytest.approx(SPEED, rel=1e-9)
    assert got["guide.2.rate"][-1] == pytest.approx(-e * SPEED, rel=2e-4)
    assert got["block.vy"][-1] == pytest.approx(SPEED - (1 + e) * mass * SPEED / MASS, abs=2e-4 * SPEED)
    assert got["block.rate"][-1] == pytest.approx(-(1 + e) * mass * SPEED * ARM / INERTIA, rel=2e-4)
    if e == 1.0:
        deepest = (1.25 * mass * SPEED**2 / stiffness) ** 0.4
        assert got["guide.2.penetration"].max() == pytest.approx(deepest, rel=1e-3)
        assert got["guide.2.normal"].max() == pytest.approx(stiffness * deepest**1.5, rel=2e-3)
        assert got["guide.gap"].min() == pytest.approx(-got["guide.2.penetration"].max(), abs=1e-15)


def test_walls_are_alike_and_a_parallel_block_lands_on_two_corners():
    """From the middle up and down, in guides turned by any angle: mirror images; deepest by two corners in parallel."""
    got = slid(PLAY / SPEED + 6e-4, points=1301, vy=[SPEED, -SPEED, SPEED], turn=[0.0, 0.0, 2.1]).outputs
    deepest = (1.25 * MASS * SPEED**2 / 2e9) ** 0.4
    pairs = ((1, 2), (3, 4), (1, 2))
    for i, (first, second) in enumerate(pairs):
        assert got[f"guide.{first}.penetration"][i].max() == pytest.approx(deepest, rel=2e-3)
        assert got[f"guide.{first}.penetration"][i] == pytest.approx(got[f"guide.{second}.penetration"][i], abs=1e-13)
        assert got["guide.tilt"][i] == pytest.approx(0.0 * got["guide.tilt"][i], abs=1e-11)
        assert got["guide.moment"][i] == pytest.approx(0.0 * got["guide.moment"][i], abs=1e-4)
        assert got["guide.contact"][i].max() == 2 and got["guide.impacts"][i, -1] == 2
    assert got["guide.offset"][0] == pytest.approx(-got["guide.offset"][1], abs=1e-13)
    assert got["guide.offset"][0] == pytest.approx(got["guide.offset"][2], abs=1e-11)
    assert got["guide.fy"][0] == pytest.approx(-got["guide.fy"][1], abs=1e-3)


def jammed(load, stiffness, spring):
    """Place, tilt and both normal forces of a block at rest under the offset load and its spring, by statics and Hertz's law."""

    def open_(x):
        y, angle, front, rear = x[0] * PLAY, x[1] * 0.01, x[2] * 100.0, x[3] * 100.0
        c, s = np.cos(angle), np.sin(angle)
        depth = [np.sign(f) * (abs(f) / stiffness) ** (2 / 3) for f in (front, rear)]
        reach = 0.5 * LENGTH * c - 0.5 * WIDTH * s  # of the upper front corner; the lower rear one lies opposite
        return [
            (y + 0.5 * LENGTH * s + 0.5 * WIDTH * c - 0.5 * WIDTH - PLAY - depth[0]) / PLAY,
            (y - 0.5 * LENGTH * s - 0.5 * WIDTH * c + 0.5 * WIDTH + PLAY + depth[1]) / PLAY,
            (load - spring * y - front + rear) / 100.0,
            (load * REACH * c - (front + rear) * reach) / 10.0,
        ]

    y, angle, front, rear = fsolve(open_, [0.0, 4.0, 3.0, 2.0], xtol=1e-12)
    return y * PLAY, angle * 0.01, front * 100.0, rear * 100.0


def test_offset_load_tilts_the_block_against_opposite_corners():
    load, stiffness, spring = 120.0, 1e9, 100.0
    y, tilt, front, rear = jammed(load, stiffness, spring)
    assert front > load and rear > 0.0
    system = slider(y=y * 1.01, tilt=tilt * 1.001, load=load, stiffness=stiffness, spring=spring)
    path = fm.static(system)
    assert path["guide.2.normal"][-1] == pytest.approx(front, rel=1e-8) and path["guide.3.normal"][-1] == pytest.approx(rear, rel=1e-8)
    assert path["guide.1.normal"][-1] == path["guide.4.normal"][-1] == 0.0
    assert path["guide.tilt"][-1] == pytest.approx(tilt, rel=1e-9) and path["guide.offset"][-1] == pytest.approx(y, rel=1e-7)
    assert path["guide.fy"][-1] == pytest.approx(spring * y - load, rel=1e-9)
    assert path["guide.moment"][-1] == pytest.approx(-load * REACH * np.cos(tilt), rel=1e-9)


def test_friction_of_a_block_pressed_to_a_wall_slows_it():
    """Sliding far above the law's transition: friction is mu times the sum of all normal forces, against the motion."""
    press, mu, v = 40.0, 0.2, 2.0
    y = -PLAY - (press / 2e9) ** (2 / 3)
    got = column(slid(1e-3, points=11, y=y, vx=v, load=-press, mu=mu, e=0.3))
    total = got["guide.3.normal"] + got["guide.4.normal"] - got["guide.1.normal"] - got["guide.2.normal"]
    assert got["guide.fy"] == pytest.approx(total, abs=1e-6)
    rub = sum(got[f"guide.{k}.friction"] for k in (3, 4)) - sum(got[f"guide.{k}.friction"] for k in (1, 2))
    loads = sum(got[f"guide.{k}.normal"] for k in (1, 2, 3, 4))
    assert -got["guide.fx"] == pytest.approx(mu * loads, rel=1e-9)
    assert np.abs(rub) == pytest.approx(mu * loads, rel=1e-9)


CASES = dict(
    vy=[0.3, -0.2, 0.1, 0.4, 0.0], rate=[20.0, 5.0, -30.0, 0.0, 10.0], vx=[1.0, 2.0, -1.0, 0.5, 0.3], mu=[0.1, 0.3, 0.0, 0.2, 0.05],
    e=[0.9, 0.5, 1.0, 0.8, 0.7], load=[5.0, 0.0, -3.0, 1.0, 0.0], turn=[0.0, 0.5, 1.0, 2.0, -1.0],
)  # fmt: skip


@pytest.fixture(scope="module")
def rattling():
    return slid(0.05, points=51, **CASES)


def test_books_of_a_rattling_block_close(rattling):
    got = rattling.outputs
    assert got["guide.impacts"][:, -1].min() >= 2
    energy = np.abs(got["energy.total"]).max(axis=1)
    assert (np.ptp(got["energy.balance"], axis=1) / energy).max() < 1e-6


def test_blocks_do_not_feel_their_neighbours(rattling):
    for i in range(5):
        alone = slid(0.05, points=51, **{k: [x[i]] for k, x in CASES.items()})
        for name in OUTPUTS:
            np.testing.assert_array_equal(alone.outputs[name][0], rattling.outputs[name][i], err_msg=name)


L1, L2 = 0.153, 0.306


def crank(restitution=0.4, mu=0.01):
    """Slider-crank of Flores, Leine and Glocker (2010, Multibody Syst. Dyn. 23, 165-190), free, from the outer dead position."""
    s = fm.System(gravity=(0.0, -9.81))
    first = s.body(
        "crank", mass=0.038, inertia=7.4e-5, position=(L1 / 2, 0), rate=150.0, velocity=(0.0, 75 * L1),
        points={"O": (-L1 / 2, 0), "A": (L1 / 2, 0)},
    )  # fmt: skip
    rod = s.body(
        "rod", mass=0.038, inertia=5.9e-4, position=(L1 + L2 / 2, 0), rate=-75.0, velocity=(0.0, 150 * L1 - 37.5 * L2),
        points={"A": (-L2 / 2, 0), "B": (L2 / 2, 0)},
    )  # fmt: skip
    block = s.body("slider", mass=0.076, inertia=2.7e-6, position=(L1 + L2, 0), points={"C": (0, 0)})
    s.add(fm.Revolute("O", s.ground.at(0, 0), first["O"]))
    s.add(fm.Revolute("A", first["A"], rod["A"]))
    s.add(fm.Revolute("B", rod["B"], block["C"]))
    law, friction = fm.HuntCrossley(1e10, restitution=restitution, calibrated=True), fm.Threlfall(mu, 1e-2)
    s.add(fm.ClearanceTranslational("guide", block.centre, s.ground.at(0, 0), 1e-3, 0.1, 0.05, law, friction))
    return s


def test_slider_crank_agrees_with_the_published_case():
    """REFERENCES.md, section 2: the state at 1 ms, before the first impact; after it the block rattles within its play."""
    outputs = ["crank.angle", "rod.angle", "crank.rate", "rod.rate", "guide.impacts", "guide.gap:min", "guide.tilt", "energy.balance"]
    run = simulate(crank, outputs, end=20e-3, points=21, lanes=1, tolerance=1e-11)
    got = column(run)
    wanted = (0.14609084381159992, -0.07259639539621728, 139.115875789904, -68.27629419420214)
    assert got["guide.impacts"][1] == 0 and got["guide.impacts"][-1] >= 10
    assert [got[k][1] for k in outputs[:4]] == pytest.approx(wanted, rel=1e-6)
    assert got["guide.gap:min"] > -2e-4 and np.abs(got["guide.tilt"]).max() < 2e-3 / 0.1
    assert np.ptp(got["energy.balance"]) < 1e-6 * 0.5 * 0.038 * (150 * L1) ** 2


def test_bad_guides_are_refused():
    s = fm.System()
    block, cable_system = s.body("block", mass=1.0, inertia=1.0), fm.System()
    steel = fm.Material(2e11, 0.3, 7800.0)
    line = cable_system.cable("line", length=1.0, elements=2, section=fm.Section.circle(0.01), material=steel)

    def guide(a=block.centre, **numbers):
        numbers = dict(clearance=1e-3, length=0.1, width=0.05, law=fm.Hertz(1e9)) | numbers
        return s.add(fm.ClearanceTranslational("guide", a, s.ground.at(0.0, 0.0), **numbers))

    for key in ("clearance", "length", "width"):
        names(said(lambda key=key: guide(**{key: 0.0})), "guide", key, "greater than zero")
    names(said(lambda: guide(axis_a=(0.0, 0.0))), "guide", "axis_a")
    names(said(lambda: guide(start="middle")), "guide", "middle", "centred")
    names(said(lambda: guide(a=line.end)), "guide", "'line'", "no frame")
    names(said(lambda: guide(a=block)), "guide", "a point")
    flying = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = flying.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    joint = fm.ClearanceTranslational("guide", ball.centre, flying.ground.at(0.0, 0.0, 0.0), 1e-3, 0.1, 0.05, fm.Hertz(1e9))
    names(said(lambda: flying.add(joint)), "guide", "spatial")
