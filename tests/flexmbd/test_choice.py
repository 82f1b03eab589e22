"""Which scheme `integrator = "auto"` takes, what is said of runs that cannot end, and that the compiled loop hears Ctrl-C."""

import signal

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.tuning import Tuning

from .pendula import pendula
from .test_spatial_bodies import heavy_top

CALM, STIFF = 100.0, 1e16  # N/m, with 1 kg: 10 and 1e8 rad/s


def oscillator(stiffness, mass=1.0, inertia=0.1):
    """A mass on a spring."""
    s = fm.System()
    body = s.body("mass", mass=mass, inertia=inertia, position=(0.1, 0.0))
    s.add(fm.Spring("spring", s.ground.at(0.0, 0.0), body.centre, stiffness))
    return s


def decided(settings, system):
    """Settings of a run, and why its integrator."""
    from flexmbd.running.choice import chosen

    settings, reasons = chosen(settings, system, 1.0)
    assert reasons.keys() == {"solver.integrator.reason"}
    return settings, reasons["solver.integrator.reason"]


def varied(stiffness):
    """The stiffness is an input, so no scheme may depend on it: another batch has other values."""
    return oscillator(stiffness)


def run(build, samples=None, end=1.0, **settings):
    """Trajectory of a batch in one lane."""
    settings = {"lanes": 1, **settings}
    return fm.run(build, samples or {}, end=end, points=2, outputs=["mass.x"], settings=settings)


def test_rigid_systems_are_integrated_explicitly():
    got = run(lambda: oscillator(CALM))
    assert got.attributes["solver.integrator"] == "dormand_prince" and got.attributes["solver.tolerance"] == 1e-8
    assert "explicit" in got.attributes["solver.integrator.reason"]
    assert abs(got.outputs["mass.x"][0, -1] - 0.1 * np.cos(10.0)) < 1e-7


@pytest.mark.parametrize("tolerance, scheme", ((None, "dormand_prince"), (1e-5, "dormand_prince"), (1e-6, "taylor"), (1e-12, "taylor")))
def test_smooth_motions_of_few_bodies_at_tolerances_that_are_asked_for_are_series(tolerance, scheme):
    from flexmbd.running.settings import Settings

    settings, why = decided(Settings(tolerance=tolerance), oscillator(CALM))
    assert settings.integrator == scheme and why.startswith("explicit") and ("order 8" in why) == (scheme == "dop853")
    assert ("series" in why) == (scheme == "taylor")


def test_forces_that_may_have_kinks_keep_short_steps_of_order_5():
    from flexmbd.running.settings import Settings

    touching, ruled, tabled = (oscillator(CALM) for _ in range(3))
    law = fm.HuntCrossley(1e5, restitution=0.5)
    touching.add(fm.DiscPlane("floor", touching.bodies[0].centre, touching.ground.at(0.0, -1.0), 0.3, law))
    place = fm.PlaceOf(ruled.ground.at(0.0, 0.0), ruled.bodies[0].centre)
    ruled.add(fm.Actuator("push", place, fm.PID(place, 0.0, kp=1.0, sample=0.01)))
    tabled.add(fm.PointForce("load", tabled.bodies[0].centre, fx=fm.Table((0.0, 0.5, 1.0), (0.0, 1.0, 0.0))))
    for system in (touching, ruled, tabled):
        assert decided(Settings(tolerance=1e-10), system)[0].integrator == "dormand_prince"
    tabled.elements.pop()
    assert decided(Settings(tolerance=1e-10, formulation="tree"), tabled)[0].integrator == "taylor"
    tuning = Tuning(by_series=0.0)
    assert decided(Settings(tolerance=1e-10, formulation="tree", tuning=tuning), tabled)[0].integrator == "dop853"


def hung_top():
    """A top with a body on a hinge."""
    s = heavy_top()
    other = s.body("other", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 2.0, 0.0))
    s.add(fm.Revolute("hinge", s.bodies[0].at(0.0, 0.5, 0.0), other.at(0.0, -0.5, 0.0), axis=(0.0, 1.0, 0.0)))
    return s


def test_series_are_for_plain_parts_and_in_space_for_tops_and_natural_coordinates():
    """What it is taken for it does; the double pendulum to 1e-11 beside the scheme of order 8."""
    from flexmbd.running.settings import Settings

    top, tolerance = hung_top(), 1e-12
    for form, near, wanted in (("tree", 1e-6, "taylor"), ("tree", 1e-5, ""), ("natural", 1e-6, "")):
        assert decided(Settings(tolerance=near, formulation=form), heavy_top())[0].integrator == (wanted or "dormand_prince")
    for form, wanted in (("natural", "taylor"), ("tree", "dop853")):
        assert decided(Settings(tolerance=tolerance, formulation=form), top)[0].integrator == wanted
    assert decided(Settings(tolerance=1e-8), top)[0].integrator == "dormand_prince"
    mesh = pendula()
    mesh.add(fm.TorsionSpring("coil", mesh.ground, mesh.bodies[0], 1.0))
    assert decided(Settings(tolerance=tolerance), mesh)[0].integrator == "dop853"
    ends = []
    for name in ("auto", "dop853"):
        settings = {"integrator": name, "tolerance": tolerance, "lanes": 2}
        got = fm.run(pendula, end=1.0, points=2, outputs=["lower.angle", "lower.rate:max"], settings=settings)
        assert got.attributes["solver.integrator"] == ("taylor" if name == "auto" else name)
        ends.append((got["lower.angle"][0, -1], got["lower.rate:max"][0]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-6) and ends[0][0] == pytest.approx(ends[1][0], abs=1e-10)


def test_a_spring_too_stiff_for_explicit_steps_takes_the_implicit_scheme():
    got = run(lambda: oscillator(STIFF), end=1.0, tolerance=1.0)
    assert got.attributes["solver.integrator"] == "generalized_alpha" and not got.status.any(), got.message
    assert "spring 'spring'" in got.attributes["solver.integrator.reason"]


def test_flexible_bodies_take_the_implicit_scheme_and_say_so():
    from flexmbd.running.settings import Settings

    s = fm.System()
    s.cable("rope", length=1.0, elements=2, section=fm.Section.circle(0.01), material=fm.Material(E=1e9, nu=0.3, density=1e3))
    settings, why = decided(Settings(), s)
    assert (settings.integrator, settings.tolerance) == ("generalized_alpha", 1e-5) and "cable 'rope'" in why
    kept, why = decided(Settings(integrator="dormand_prince"), s)
    assert (kept.integrator, kept.tolerance, why) == ("dormand_prince", 1e-8, "as set")


def test_friction_of_ideal_joints_is_integrated_explicitly_beside_flexible_bodies_too():
    from flexmbd.running.settings import Settings

    s = fm.System()
    body = s.body("rod", mass=1.0, inertia=0.1)
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body.centre))
    s.add(fm.JointFriction("rub", pin, fm.CoulombExponential(0.1, 0.01, 1.0), radius=0.05))
    s.cable("rope", length=1.0, elements=2, section=fm.Section.circle(0.01), material=fm.Material(E=1e9, nu=0.3, density=1e3))
    settings, why = decided(Settings(), s)
    assert (settings.integrator, settings.tolerance) == ("dormand_prince", 1e-8) and "joint friction 'rub'" in why


def test_the_scheme_does_not_depend_on_numbers_that_differ_between_samples():
    for stiffness in (CALM, STIFF):
        assert run(varied, {"stiffness": np.array([stiffness])}, end=1e-9).attributes["solver.integrator"] == "dormand_prince"


def test_a_run_that_cannot_end_is_stopped_and_told_what_to_take():
    got = run(varied, {"stiffness": np.array([STIFF, CALM])})
    assert got.status.tolist() == [2, 0]
    assert got.statistics["steps"][0] + got.statistics["rejected"][0] == 10_000
    for words in ("far more than max_steps = 2000000", "spring 'spring'", "'generalized_alpha'"):
        assert words in got.message[0]


def test_runs_are_left_when_patience_ends():
    settings = {"lanes": 1, "max_steps": 10**12}
    samples = {"stiffness": np.array([STIFF, STIFF, CALM])}
    got = fm.run(varied, samples, end=1.0, points=2, outputs=["mass.x"], settings=settings, patience=0.2)
    assert got.status.tolist() == [2, 2, 2] and np.isnan(got.outputs["mass.x"][:, -1]).all()
    assert "left at t = " in got.message[0] and "generalized_alpha" in got.message[0]
    assert "before its turn" in got.message[1]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
def test_the_compiled_loop_hears_ctrl_c():
    samples = {"stiffness": np.array([CALM])}
    run(varied, samples, end=1e-9)  # compiled: what follows is the loop alone

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(varied, samples, end=1e9, max_steps=10**15)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_where_slices_end_decides_nothing(monkeypatch):
    from flexmbd.running import integration

    samples = {"stiffness": np.array([CALM, 2 * CALM, 3 * CALM])}
    whole = run(varied, samples, tolerance=1e-10)
    monkeypatch.setattr(integration, "SLICE", 0.0)  # ever fewer steps a slice, down to one
    sliced = run(varied, samples, tolerance=1e-10)
    assert np.array_equal(whole.outputs["mass.x"], sliced.outputs["mass.x"])
    assert np.array_equal(whole.statistics["steps"], sliced.statistics["steps"])


def test_a_body_with_hardly_any_inertia_is_named():
    def bar(inertia):
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("bob", mass=1.0, inertia=inertia, position=(1.0, 0.0), points={"O": (-1.0, 0.0)})
        s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), body["O"]))
        return s

    settings = {"lanes": 1, "max_steps": 20}
    got = fm.run(bar, {"inertia": np.array([1e-12, 1.0])}, end=1.0, points=2, outputs=["bob.x"], settings=settings)
    assert "body 'bob' has an inertia of 1e-12 kg m²" in got.message[0] and "inertia" not in got.message[1]
