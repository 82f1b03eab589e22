"""Points of motions on Poincaré sections, against motions in closed form."""

import numpy as np
import pytest

import flexmbd as fm

from .sentences import said

G, END = 9.81, 10.0
RATES = np.array([1.0, 2.0, 3.0])  # rad/s
LEVELS = np.array([0.3, 0.2, -0.1])
EVERY = np.array([0.7, 0.5, 0.31])
SECTIONS = {
    "turn": fm.PoincareSection(["block.x"], crossing="block.vx", direction="down"),
    "level": fm.PoincareSection(["block.x", "block.vx"], crossing="block.x", level=LEVELS, direction="up", after=1.0),
    "both": fm.PoincareSection("block.vx", crossing="block.x"),
    "regular": fm.PoincareSection("block.x", every=EVERY, after=0.2),
}


def block(rate):
    """A block on a spring: x = cos(rate t), v = -rate sin(rate t)."""
    s = fm.System()
    body = s.point_mass("block", mass=1.0, position=(1.0, 0.0))
    s.add(fm.Spring("spring", s.ground.at(-3.0, 0.0), body.centre, rate * rate, length=3.0))
    return s


def swung(settings, sections=SECTIONS):
    """Blocks side by side."""
    found = fm.run(block, {"rate": RATES}, end=END, points=11, outputs=["block.x"], settings={"lanes": 4} | settings, sections=sections)
    assert not found.status.any(), found.message
    return found


def passages(name, i):
    """Times of a block's points in closed form."""
    k, rate = np.arange(40), RATES[i]
    if name == "regular":
        times = 0.2 + EVERY[i] * k
    elif name == "turn":
        times = 2.0 * np.pi * (k + 1) / rate
    elif name == "level":
        times = (2.0 * np.pi * (k + 1) - np.arccos(LEVELS[i])) / rate
    else:
        times = (k + 0.5) * np.pi / rate
    return times[(times <= END) & ((times >= 1.0) | (name != "level"))]


def errors(found):
    """Largest errors of times and of values of all blocks on all sections."""
    of_times, of_values = [], []
    for name, points in found.sections.items():
        for i, rate in enumerate(RATES):
            own, times = points.of_sample(i), passages(name, i)
            assert own.count == len(times) == len(own.time)
            of_times.append(np.abs(own.time - times).max())
            wanted = {"block.x": np.cos(rate * times), "block.vx": -rate * np.sin(rate * times)}
            of_values += [np.abs(x - wanted[out]).max() for out, x in own.values.items()]
    return max(of_times), max(of_values)


@pytest.mark.parametrize("integrator", ("dormand_prince", "dop853", "taylor", "gauss_8"))
def test_points_converge_with_the_tolerance_to_those_in_closed_form(integrator):
    """Of schemes whose states between steps come in four ways; an error of a step is one of the velocity, and adds up over the motion."""
    for tolerance in (1e-7, 1e-9, 1e-11):
        found = errors(swung({"integrator": integrator, "tolerance": tolerance}))
        assert max(found) < 300.0 * tolerance, (tolerance, found)


@pytest.mark.parametrize("integrator", ("generalized_alpha", "rk4", "rosenbrock"))
def test_points_of_fixed_steps_converge_with_the_order(integrator):
    steps, order = (0.02, 0.01), {"generalized_alpha": 2, "rk4": 4, "rosenbrock": 3}[integrator]
    coarse, fine = (np.array(errors(swung({"integrator": integrator, "step": h, "fixed": True}))) for h in steps)
    assert np.all(coarse < 0.05) and np.all(coarse > 0.8 * 2**order * fine), (coarse, fine)


def test_points_are_the_same_alone_and_in_lanes_and_leave_the_motion_as_it_is():
    settings = {"integrator": "dormand_prince"}
    whole = swung(settings)
    plain = fm.run(block, {"rate": RATES}, end=END, points=11, outputs=["block.x"], settings={"lanes": 4} | settings)
    assert np.array_equal(whole["block.x"], plain["block.x"])
    of_one = [{"rate": RATES[i : i + 1]} for i in range(3)]
    for i, sample in enumerate(of_one):
        numbers = {"level": {"level": LEVELS[i]}, "regular": {"every": EVERY[i]}}
        own = {name: fm.PoincareSection(**keys(section) | numbers.get(name, {})) for name, section in SECTIONS.items()}
        alone = fm.run(block, sample, end=END, points=2, outputs=[], settings={"lanes": 4} | settings, sections=own)
        for name, points in alone.sections.items():
            there = whole.sections[name].of_sample(i)
            assert np.array_equal(points.time[0], there.time)
            assert all(np.array_equal(points[out][0], there[out]) for out in there.values)


def keys(section):
    """What a section was made with."""
    return {key: getattr(section, key) for key in ("of", "every", "crossing", "level", "direction", "impact", "after", "most")}


def hard(height):
    """A ball on a floor that it cannot penetrate."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + height))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(0.8)))
    return s


def soft(height):
    """A ball on a stiff floor."""
    s = fm.System(gravity=(0.0, -G))
    ball = s.body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.1 + height))
    s.add(fm.DiscPlane("floor", ball.centre, s.ground.at(0.0, 0.0), 0.1, fm.Hertz(1e8)))
    return s


BOUNCES = {
    "hit": fm.PoincareSection(["ball.vy", "ball.y"], impact="floor"),
    "top": fm.PoincareSection("ball.y", crossing="ball.vy", direction="down"),
    "turned": fm.PoincareSection("ball.vy", crossing="ball.vy", direction="up"),
}
HEIGHTS = np.array([0.1, 0.2, 0.5])


def test_bounces_are_those_in_closed_form_before_and_behind_each():
    found = fm.run(hard, {"height": HEIGHTS}, end=1.0, outputs=[], settings={"integrator": "event_driven", "lanes": 4}, sections=BOUNCES)
    for i, height in enumerate(HEIGHTS):
        hit, top, turned = (found.sections[name].of_sample(i) for name in BOUNCES)
        fall, k = np.sqrt(2.0 * height / G), np.arange(8)
        times = fall * (1.0 + 2.0 * 0.8 * (1.0 - 0.8**k) / 0.2)
        times, k = times[times < 1.0], k[times < 1.0]
        assert hit.time == pytest.approx(times, rel=1e-12)
        assert hit["ball.vy"] == pytest.approx(G * fall * 0.8 ** (k + 1), rel=1e-12)
        assert hit.before["ball.vy"] == pytest.approx(-G * fall * 0.8**k, rel=1e-12)
        assert hit["ball.y"] == pytest.approx(0.1, abs=1e-12)
        assert top["ball.y"] == pytest.approx(0.1 + height * 0.64 ** (1 + np.arange(top.count)), rel=1e-12)
        assert turned.time.tolist() == hit.time.tolist()  # a jump over the level passes it


def test_an_impact_of_a_soft_contact_is_its_onset():
    found = fm.run(soft, {"height": HEIGHTS}, end=0.5, outputs=["floor.impacts:max"], settings={"lanes": 4}, sections=BOUNCES)
    hit = found.sections["hit"]
    assert hit.count.tolist() == found["floor.impacts:max"].tolist() and not hit.before
    assert hit.time[:, 0] == pytest.approx(np.sqrt(2.0 * HEIGHTS / G), rel=1e-10)
    assert hit["ball.vy"][:, 0] == pytest.approx(-np.sqrt(2.0 * HEIGHTS * G), rel=1e-10)


def test_a_section_that_is_never_met_is_empty_and_said():
    lands = fm.PoincareSection("ball.y", impact="floor")
    settings = {"integrator": "event_driven", "lanes": 4}
    found = fm.run(hard, {"height": [0.2, 50.0]}, end=0.3, outputs=[], settings=settings, sections={"lands": lands})
    assert found.sections["lands"].count.tolist() == [1, 0]
    assert found.attributes["lands.never"] == "in 1 of 2 runs the section was never met"


def test_points_beyond_the_room_are_counted_and_said():
    few = fm.PoincareSection("block.x", crossing="block.vx", most=2)
    found = swung({"integrator": "dormand_prince"}, {"few": few})
    assert found.sections["few"].count.tolist() == [3, 6, 9] and found.sections["few"].time.shape == (3, 2)
    assert found.attributes["few.more"] == "in 3 of 3 runs there are more points than most = 2; the first are kept"


@pytest.mark.parametrize("integrator", ("dormand_prince", "dop853"))
def test_points_of_a_motion_that_goes_on_are_those_of_one_in_a_piece(integrator):
    sections = {key: SECTIONS[key] for key in ("turn", "both")}
    settings = {"integrator": integrator, "lanes": 4, "tolerance": 1e-11}
    simulation = fm.compile(block, {"rate": RATES}, outputs=["block.x"], end=END, settings=settings, sections=sections)
    first, state = simulation.go_on(simulation.start({"rate": RATES}), 4.0, points=2)
    second, _ = simulation.go_on(state, END, points=2)
    for name in sections:
        for i in range(3):
            parts = [motion.sections[name].of_sample(i) for motion in (first, second)]
            assert np.concatenate([part.time for part in parts]) == pytest.approx(passages(name, i), abs=3e-9)


def test_what_is_between_steps_of_an_energy_book_is_as_closed_as_at_their_ends():
    top = fm.PoincareSection(["energy.balance", "energy.kinetic"], crossing="ball.y", level=0.15)
    found = fm.run(soft(0.1), end=1.0, outputs=[], settings={"tolerance": 1e-9}, sections={"top": top}).sections["top"]
    assert found.count >= 3
    assert np.ptp(found["energy.balance"]) < 1e-8 * found["energy.kinetic"].max()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"of": "ball.y"}, "section of 'ball.y': nothing is given; give one of every"),
        ({"of": "ball.y", "every": 0.1, "impact": "floor"}, "section of 'ball.y': every and impact are given; give one of"),
        ({"of": "ball.y", "every": 0.0}, "section of 'ball.y': every is 0; it must be greater than zero"),
        ({"of": ["ball.y", "ball.y"], "every": 0.1}, "section: of is ['ball.y', 'ball.y']; name outputs, each once"),
        ({"of": "ball.y:max", "every": 0.1}, "section: of has 'ball.y:max', which is no value at a time; write 'ball.y'"),
        ({"of": "ball.y", "every": 0.1, "level": 1.0}, "level and direction are of a crossing, and every is given"),
        ({"of": "ball.y", "crossing": "ball.vy", "direction": "out"}, "direction is 'out'; it must be 'up', 'down' or 'both'"),
        ({"of": "ball.y", "every": 0.1, "after": -1.0}, "after is -1 s; it must not be negative"),
        ({"of": "ball.y", "every": 0.1, "most": 0}, "most is 0; it must be a whole number from 1"),
        ({"of": "ball.z", "every": 0.1}, "output 'ball.z' is not known; near names: ball"),
        ({"of": "ball.y", "crossing": "bal.vy"}, "output 'bal.vy' is not known; near names: ball.vy"),
        ({"of": "ball.y", "impact": "flor"}, "contact 'flor' is not known; near names: floor"),
        ({"of": "ball.y", "every": np.array([0.1, 0.2])}, "section of 'ball.y': every has 2 values for 1 samples"),
    ],
)
def test_what_is_wrong_with_a_section_is_said(given, words):
    assert words in said(lambda: fm.run(soft(0.1), end=0.1, outputs=[], sections={"s": fm.PoincareSection(**given)}))
