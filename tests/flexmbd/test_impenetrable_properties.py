"""What holds for all numbers: energies, gaps, the friction cone, turned models, other units."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm

from .impenetrable_models import G, moved, thrown, tumbling

STEP = 1e-3
COUNT = 8  # samples a batch: each example is a batch of random numbers
batches = given(seed=st.integers(0, 2**32 - 1))
few = settings(max_examples=15, deadline=None)


def throws(seed):
    """Random throws, frictions, restitutions."""
    rng = np.random.default_rng(seed)
    ranges = {"x": (-1, 1), "y": (0.01, 0.5), "vx": (-3, 3), "vy": (-3, 3), "e": (0, 1), "mu": (0, 1), "slope": (-1.2, 1.2)}
    return {key: rng.uniform(*pair, COUNT) for key, pair in ranges.items()}


def tumbles(seed):
    """Random tumbling boxes."""
    rng = np.random.default_rng(seed)
    ranges = {"angle": (0, 6), "rate": (-10, 10), "vx": (-3, 3), "vy": (-3, 1), "e": (0, 1), "mu": (0, 0.8)}
    return {key: rng.uniform(*pair, COUNT) for key, pair in ranges.items()}


@few
@batches
def test_energy_and_what_contacts_take_are_constant(seed):
    """Forces are constant and nothing turns: to rounding, work on the shifts that keep contacts closed and all."""
    samples = throws(seed)
    run = moved(thrown, ["energy.total", "energy.dissipated", "energy.drive"], end=1.0, step=STEP, points=101, samples=samples)
    balance = run["energy.total"] + run["energy.dissipated"] - run["energy.drive"]
    assert np.ptp(balance, axis=1).max() < 1e-11, np.ptp(balance, axis=1)


@few
@batches
def test_a_block_without_friction_or_without_restitution_gains_no_energy(seed):
    """But for what lifts it to the floor after an impact that ends in touch: less than its weight times the way of a step."""
    for key in ("e", "mu"):
        samples = throws(seed) | {key: np.zeros(COUNT)}
        run = moved(thrown, ["energy.total", "block.vy:abs_max", "block.vx:abs_max"], end=1.0, step=STEP, points=0, samples=samples)
        lifted = G * STEP * np.hypot(run["block.vx:abs_max"], run["block.vy:abs_max"])
        rise = np.diff(run["energy.total"], axis=1)
        assert np.all(rise.max(axis=1) < lifted) and np.all((rise > 1e-9).sum(axis=1) <= 1)


def tumbled(names, samples, end=1.0, points=2):
    """Runs of tumbling boxes, and which of them went to the end (see the last test)."""
    points = points or round(end / STEP) + 1
    run = fm.run(tumbling, samples, end=end, points=points, outputs=names, settings={"integrator": "moreau", "step": STEP})
    assert all(not text or SWEEPS in text for text in run.message), run.message
    return run, run.status == 0


SWEEPS = "was not solved in as many sweeps"


@few
@batches
def test_contacts_of_a_tumbling_box_take_energy(seed):
    """Newton's rule may give some where there are friction and restitution (Kane 1984), and not where one of them is zero."""
    for key in ("e", "mu"):
        samples = tumbles(seed) | {key: np.zeros(COUNT)}
        taken = [f"corner{k}.dissipated:final" for k in range(4)]
        run, good = tumbled(taken, samples)
        speeds = np.hypot(samples["vx"], samples["vy"]) + np.sqrt(2.0 * G) + 0.2 * np.abs(samples["rate"])
        assert np.all(sum(run[name][good] for name in taken) > -(G * STEP * speeds)[good])  # weight on shifts, see above


@few
@batches
def test_no_gap_is_deeper_than_the_way_of_a_step(seed):
    names = [*(f"corner{k}.penetration:max" for k in range(4)), "box.vx:abs_max", "box.vy:abs_max", "box.rate:abs_max"]
    run, good = tumbled(names, tumbles(seed))
    speed = np.hypot(run["box.vx:abs_max"], run["box.vy:abs_max"]) + np.hypot(0.1, 0.15) * run["box.rate:abs_max"]
    for name in names[:4]:
        assert np.all((run[name] < STEP * speed)[good]), run[name] / (STEP * speed)


@few
@batches
def test_friction_is_in_its_cone_and_against_the_slip(seed):
    samples = throws(seed)
    run = moved(
        thrown,
        ["floor.normal", "floor.friction", "floor.slip", "floor.sticking", "floor.sliding"],
        end=1.0,
        step=STEP,
        points=0,
        samples=samples,
    )
    normal, friction, slip, limit = (
        run["floor.normal"],
        run["floor.friction"],
        run["floor.slip"],
        samples["mu"][:, None] * run["floor.normal"],
    )
    assert np.all(normal >= 0.0)
    assert np.all(np.abs(friction) <= limit * (1.0 + 1e-12) + 1e-9)
    slides = (np.abs(slip) > 1e-7) & (normal > 0.0)
    np.testing.assert_allclose(friction[slides], (np.sign(slip) * limit)[slides], rtol=1e-9, atol=1e-9)
    assert np.all(np.abs(slip[run["floor.sticking"] > 0.5]) < 1e-7)
    assert np.all(run["floor.sticking"] + run["floor.sliding"] == (normal > 0.0))


@few
@batches
def test_friction_of_a_tumbling_box_is_in_its_cone(seed):
    samples = tumbles(seed)
    names = [f"corner{k}.{what}" for k in range(4) for what in ("normal", "friction")]
    run, good = tumbled(names, samples, points=0)
    for k in range(4):
        limit = samples["mu"][:, None] * run[f"corner{k}.normal"]
        assert np.all((np.abs(run[f"corner{k}.friction"]) <= limit * (1.0 + 1e-9) + 1e-9)[good])


@few
@given(seed=st.integers(0, 2**32 - 1), turn=st.floats(-3.0, 3.0))
def test_a_turned_model_moves_alike(seed, turn):
    samples = throws(seed)
    plain = moved(thrown, ["block.x", "block.y", "floor.impacts"], end=1.0, step=STEP, points=41, samples=samples)
    other = moved(
        thrown, ["block.x", "block.y", "floor.impacts"], end=1.0, step=STEP, points=41, samples=samples | {"turn": np.full(COUNT, turn)}
    )
    c, n = np.cos(turn), np.sin(turn)
    np.testing.assert_allclose(c * other["block.x"] + n * other["block.y"], plain["block.x"], atol=1e-9)
    np.testing.assert_allclose(c * other["block.y"] - n * other["block.x"], plain["block.y"], atol=1e-9)
    np.testing.assert_array_equal(plain["floor.impacts"], other["floor.impacts"])


UNITS = st.sampled_from([1e-6, 1e-3, 1.0, 1e3, 1e6])


@few
@given(seed=st.integers(0, 2**32 - 1), m=UNITS, kg=UNITS, s=UNITS)
def test_in_other_units_it_is_the_same(seed, m, kg, s):
    names = ["block.x", "block.y", "block.vx", "floor.impulse", "floor.dissipated"]
    samples = throws(seed)
    plain = moved(thrown, names, end=1.0, step=STEP, points=41, samples=samples)
    units = {key: np.full(COUNT, x) for key, x in (("m", m), ("kg", kg), ("s", s))}
    other = moved(thrown, names, end=1.0 * s, step=STEP * s, points=41, samples=samples | units)
    sizes = dict(zip(names, (m, m, m / s, kg * m / s, kg * m**2 / s**2), strict=True))
    for name in names:
        np.testing.assert_allclose(other[name] / sizes[name], plain[name], atol=1e-8, err_msg=name)


@few
@batches
def test_lanes_do_not_know_their_neighbours(seed):
    """A sample alone has the bits that it has in a batch."""
    samples = tumbles(seed)
    names = ["box.x", "box.rate", "corner0.normal", "corner1.friction"]
    together, _ = tumbled(names, samples, end=0.6, points=11)
    k = seed % COUNT
    alone, _ = tumbled(names, {key: x[k : k + 1] for key, x in samples.items()}, end=0.6, points=11)
    for name in names:
        np.testing.assert_array_equal(alone[name][0], together[name][k])


def test_samples_are_what_a_single_system_is():
    samples = throws(1)
    batch = moved(thrown, ["block.x"], end=0.5, step=STEP, samples=samples)
    one = fm.run(
        thrown(**{key: float(x[3]) for key, x in samples.items()}), end=0.5, points=2, outputs=["block.x"],
        settings={"integrator": "moreau", "step": STEP},
    )  # fmt: skip
    assert one["block.x"][-1] == batch["block.x"][3, -1]


def test_all_tumbling_boxes_go_to_the_end():
    for seed in range(6):
        _, good = tumbled(["box.y"], tumbles(seed))
        assert np.all(good)
