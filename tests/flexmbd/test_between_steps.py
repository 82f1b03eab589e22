"""What is recorded between steps is as right as at their ends, and sampled controllers go on from any time."""

import numpy as np
import pytest

import flexmbd as fm


def pendulum():
    """A damped double pendulum that is let go from the side."""
    s = fm.System(gravity=(0.0, -9.81))
    upper = s.body("upper", mass=1.0, inertia=0.02, position=(0.3, 0.0), points={"O": (-0.3, 0.0), "P": (0.3, 0.0)})
    lower = s.body("lower", mass=0.6, inertia=0.01, position=(0.9, 0.0), points={"P": (-0.3, 0.0)})
    s.add(fm.Revolute("o", s.ground.at(0.0, 0.0), upper["O"]))
    s.add(fm.Revolute("p", upper["P"], lower["P"]))
    return s


def ball():
    """A ball that bounces on a stiff floor, hung from a soft spring."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("ball", mass=0.8, inertia=1e-3, position=(0.0, 0.17))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, fm.HuntCrossley(4e5, restitution=0.8)))
    s.add(fm.Spring("spring", s.ground.at(0.0, 1.0), body.centre, 20.0, length=0.9))
    return s


@pytest.mark.parametrize("build", (pendulum, ball))
def test_the_balance_of_energy_is_as_closed_between_steps_as_at_their_ends(build):
    end = 0.83
    outputs = ["energy.balance", "energy.kinetic"]
    coarse = fm.run(build(), end=end, points=2, outputs=outputs)
    fine = fm.run(build(), end=end, points=1001, outputs=outputs)
    size = fine["energy.kinetic"].max()
    closed = max(np.abs(coarse["energy.balance"]).max(), 1e-9 * size)
    assert int(fine.status) == 0 and fine.statistics["steps"] < 1000
    assert np.abs(fine["energy.balance"]).max() < 20.0 * closed, (np.abs(fine["energy.balance"]).max(), closed)


def cart(sample):
    """A cart moved by a sampled controller, against a spring."""
    s = fm.System(gravity=(0.0, 0.0))
    body = s.body("cart", mass=2.0, inertia=1.0)
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.Spring("spring", s.ground.at(-1.0, 0.0), body.centre, 30.0, length=0.8))
    place = fm.PlaceOf(s.ground.at(0.0, 0.0), body.centre)
    s.add(fm.Actuator("motor", place, fm.PID(place, 0.7, kp=20.0, ki=12.0, kd=14.0, sample=sample)))
    return s


@pytest.mark.parametrize("integrator", ("dormand_prince", "generalized_alpha"))
def test_a_sampled_controller_goes_on_from_any_time(integrator):
    """Cut at samples, close before and behind them, and between them; of two sampling times in one batch."""
    samples = {"sample": np.array([0.01, 0.03])}
    sim = fm.compile(cart, samples, outputs=["cart.x"], end=1.0, settings={"integrator": integrator, "lanes": 4})
    state = sim.start(samples)
    whole = sim.step(state.copy(), 1.0)
    for t in (0.03, 0.045, 0.09 - 1e-9, 0.09, 0.12 + 1e-9, 0.3, 0.3 + 1e-12, 0.6123, 0.9, 1.0):
        state = sim.step(state, t)
    rough = 1e-9 if integrator == "dormand_prince" else 1e-5
    for part in ("coordinates", "velocities", "states"):
        np.testing.assert_allclose(state[part], whole[part], rtol=rough, atol=rough)
