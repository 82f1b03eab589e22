"""What is refused of contacts that cannot be penetrated, and in which words; runs that fail leave the others alone."""

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import G, ball, moved
from .sentences import names, said


def on_floor(law, **more):
    """A disc on a floor."""
    s = fm.System(gravity=(0.0, -G))
    body = s.body("disc", mass=1.0, inertia=0.1, position=(0.0, 0.1))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, law, **more))
    return s


def run(system, **settings):
    return fm.run(system, end=0.1, points=2, outputs=["disc.y"], settings=settings)


@pytest.mark.parametrize("key, value", [("restitution", 1.2), ("restitution", -0.1), ("tangential_restitution", 1.5)])
def test_restitution_is_from_zero_to_one(key, value):
    sentence = said(lambda: fm.Impenetrable(**{"friction": 0.3, key: value}))
    names(sentence, f"{key} is {value}", "from 0 to 1")


@pytest.mark.parametrize("key", ["friction", "static_friction", "rolling", "pivoting"])
def test_coefficients_are_not_negative(key):
    sentence = said(lambda: fm.Impenetrable(**{"friction": 0.3, key: -0.2}))
    names(sentence, f"{key} is -0.2", "at least zero")


def test_of_an_array_the_wrong_number_is_named():
    names(said(lambda: fm.Impenetrable(np.array([0.5, 1.25, 0.7]))), "restitution is 1.25")


@pytest.mark.parametrize("value", [np.nan, np.inf, "much"])
def test_numbers_are_finite(value):
    names(said(lambda: fm.Impenetrable(friction=value)), "Impenetrable", "friction")


@pytest.mark.parametrize("key", ["static_friction", "rolling", "pivoting", "tangential_restitution"])
def test_what_needs_friction_says_so(key):
    names(said(lambda: fm.Impenetrable(**{key: 0.2})), key, "without friction", "friction=")


def test_static_friction_is_not_below_the_kinetic_one():
    names(said(lambda: fm.Impenetrable(friction=0.3, static_friction=0.2)), "static_friction is below friction")


def test_rules_are_two():
    names(said(lambda: fm.Impenetrable(rule="stronge")), "'stronge'", "'newton' or 'poisson'")


def test_pivoting_is_for_space():
    names(
        said(lambda: on_floor(fm.Impenetrable(friction=0.3, pivoting=0.01))), "contact 'floor'", "pivoting", "plane", "leave pivoting out"
    )


def test_a_friction_law_beside_it_is_refused():
    sentence = said(lambda: on_floor(fm.Impenetrable(friction=0.3), friction=fm.Ambrosio(0.2, 0.0, 0.01)))
    names(sentence, "'floor'", "Impenetrable has its own friction", "leave friction out")


def journal(**more):
    """A journal in a bearing with clearance."""
    s = fm.System(gravity=(0.0, -G))
    body = s.body("shaft", mass=1.0, inertia=0.1)
    s.add(fm.ClearanceRevolute("bearing", body.centre, s.ground.at(0.0, 0.0), 1e-4, law=fm.Impenetrable(0.5), **more))
    return s


def test_a_film_beside_it_is_refused():
    film = fm.PinkusSternlicht(viscosity=0.04, length=0.02)
    names(
        said(lambda: journal(bearing_radius=0.01, film=film)),
        "'bearing'",
        "film needs a contact law that is a force",
        "law is Impenetrable",
    )


def test_a_least_impact_velocity_beside_it_is_refused():
    names(
        said(lambda: on_floor(fm.Impenetrable(), minimum_impact_velocity=1e-3)), "'floor'", "minimum_impact_velocity", "law is Impenetrable"
    )


@pytest.mark.parametrize("scheme", ["dormand_prince", "rk4", "generalized_alpha", "rosenbrock", "energy_momentum"])
def test_schemes_that_do_not_treat_it_are_refused(scheme):
    names(said(lambda: run(on_floor(fm.Impenetrable()), integrator=scheme, step=1e-3)), f"'{scheme}'", "'floor'", "moreau")


@pytest.mark.parametrize("scheme", ["moreau", "auto", "nonsmooth_ggl"])
def test_the_step_has_to_be_given(scheme):
    """The sentence has the contact that asks for it, the scheme, and one that needs none."""
    sentence = said(lambda: run(on_floor(fm.Impenetrable(0.5, friction=0.3)), integrator=scheme))
    names(sentence, "contact 'floor'", "'step'", "greater than zero", "'moreau'" if scheme == "auto" else f"'{scheme}'", "'event_driven'")


def test_no_scheme_is_advised_that_does_not_treat_the_contact():
    sentence = said(lambda: run(on_floor(fm.Impenetrable(friction=0.3, rolling=1e-3))))
    names(sentence, "contact 'floor'", "'step'", "'moreau'")
    assert "event_driven" not in sentence


def test_a_static_friction_that_is_the_kinetic_one_is_for_all_schemes():
    """It is Coulomb's law; above it steps refuse it, sample by sample."""
    plain = run(on_floor(fm.Impenetrable(friction=0.3)), integrator="moreau", step=1e-3)
    same = run(on_floor(fm.Impenetrable(friction=0.3, static_friction=0.3)), integrator="moreau", step=1e-3)
    assert not same.status and np.array_equal(same["disc.y"], plain["disc.y"])
    more = fm.Impenetrable(friction=np.array([0.3, 0.3]), static_friction=np.array([0.3, 0.4]))
    names(said(lambda: run(on_floor(more), integrator="moreau", step=1e-3)), "'floor'", "static_friction is above friction", "event_driven")


def test_auto_takes_the_time_stepping_and_says_why():
    found = run(on_floor(fm.Impenetrable()), step=1e-3)
    assert found.attributes["solver.integrator"] == "moreau"
    names(found.attributes["solver.integrator.reason"], "'floor'", "cannot be penetrated")


def test_friction_of_ideal_joints_beside_it_is_refused():
    s = on_floor(fm.Impenetrable())
    arm = s.body("arm", mass=1.0, inertia=0.1, position=(1.5, 5.0), points={"O": (-0.5, 0.0)})
    pin = s.add(fm.Revolute("pin", s.ground.at(1.0, 5.0), arm["O"]))
    s.add(fm.JointFriction("rub", pin, fm.Ambrosio(0.1, 0.0, 0.01), radius=0.01))
    names(said(lambda: run(s, integrator="moreau", step=1e-3)), "'rub'", "Impenetrable(friction=...)")


def test_penetration_at_the_start_fails_one_sample_and_leaves_the_others():
    samples = {"h0": np.array([1.0, -0.02, 0.5]), "e": np.array([0.8, 0.8, 0.8])}
    found = fm.run(ball, samples, end=0.5, points=6, outputs=["ball.y"], settings={"integrator": "moreau", "step": 1e-3})
    assert list(found.status) == [0, 3, 0]
    names(found.message[1], "contact 'floor'", "penetrate each other by 0.02 m at the start", "give positions that do not")
    assert np.all(np.isnan(found["ball.y"][1]))
    good = moved(ball, ["ball.y"], end=0.5, step=1e-3, points=6, samples={k: x[[0, 2]] for k, x in samples.items()})
    np.testing.assert_array_equal(found["ball.y"][[0, 2]], good["ball.y"])


def test_touching_at_the_start_is_no_penetration():
    found = run(on_floor(fm.Impenetrable()), step=1e-3)
    assert found.status == 0 and found["disc.y"][-1] == pytest.approx(0.1, abs=1e-8)


def test_too_many_steps_end_with_a_sentence():
    found = run(on_floor(fm.Impenetrable()), step=1e-6, max_steps=100)
    assert found.status == 2
    names(found.message, "max_steps = 100")
