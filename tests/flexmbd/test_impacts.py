"""Disc on wall and two discs: the restitution that comes out of every normal law against the closed form, to 1e-6."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.contact.laws import CYLINDRICAL_LAWS, DAMPED_LAWS, NORMAL_LAWS, produced_restitution

from .running import simulate

GIVEN = np.array([0.05, 0.3, 0.5, 0.8, 0.95])
OUTPUTS = ["ball.vy", "left.vx", "right.vx", "wall.impacts", "touch.impacts", "wall.contact", "wall.normal:max", "touch.normal:max"]
SPEED, M_BALL, M_LEFT, M_RIGHT = 2.0, 0.5, 0.3, 0.7  # m/s, kg
STIFFNESS = 1e9
STEEL = fm.Material(E=207e9, nu=0.3)


def impacts(law):
    """Model function: a ball falls on a wall and two discs meet, both at 2 m/s, both under `law(e)`."""

    def build(e):
        s = fm.System()
        ball = s.body("ball", mass=M_BALL, inertia=1e-3, position=(0.0, 0.12), velocity=(0.0, -SPEED))
        s.add(fm.DiscPlane("wall", ball.centre, s.ground.at(0.0, 0.0), 0.1, law(e)))
        left = s.body("left", mass=M_LEFT, inertia=1e-3, position=(0.0, 1.0), velocity=(1.5, 0.0))
        right = s.body("right", mass=M_RIGHT, inertia=1e-3, position=(0.22, 1.0), velocity=(-0.5, 0.0))
        s.add(fm.DiscDisc("touch", left.centre, right.centre, 0.1, 0.1, law(e)))
        return s

    return build


def come_out(law, e=GIVEN):
    """Restitutions of wall and discs that come out, and all outputs."""
    out = simulate(impacts(law), OUTPUTS, end=0.2, samples={"e": e}, lanes=8, tolerance=1e-11).outputs
    for name in ("wall", "touch"):
        assert np.all(out[f"{name}.impacts"][:, -1] == 1)
    assert np.all(out["wall.contact"][:, -1] == 0)
    momentum = M_LEFT * out["left.vx"] + M_RIGHT * out["right.vx"]
    np.testing.assert_allclose(momentum[:, -1], 1.5 * M_LEFT - 0.5 * M_RIGHT, atol=1e-12)
    return out["ball.vy"][:, -1] / SPEED, (out["right.vx"] - out["left.vx"])[:, -1] / SPEED, out


def cylinder(kind, damping):
    """A cylindrical law damped like a point law, at restitution e."""
    return lambda e: kind(10e-3, 9.5e-3, 15e-3, STEEL, STEEL, damping=damping, restitution=e)


def test_every_law_is_tested_here():
    assert set(NORMAL_LAWS) == {fm.KelvinVoigt, fm.Hertz, *DAMPED_LAWS, *CYLINDRICAL_LAWS}


@pytest.mark.parametrize("kind", DAMPED_LAWS, ids=lambda k: k.name)
@pytest.mark.parametrize("calibrated", [False, True], ids=["published", "calibrated"])
def test_restitution_of_damped_point_laws(kind, calibrated):
    wall, discs, _ = come_out(lambda e: kind(STIFFNESS, restitution=e, calibrated=calibrated))
    wanted = GIVEN if calibrated else produced_restitution(kind.published_factor(GIVEN))
    np.testing.assert_allclose(wall, wanted, rtol=0, atol=1e-6)
    np.testing.assert_allclose(discs, wanted, rtol=0, atol=1e-6)


def test_published_numbers_of_restitution():
    """REFERENCES 2: e = 0.5 comes out as 0.7252 under Lankarani-Nikravesh and 0.4704 under Flores 2011."""
    wall, _, _ = come_out(lambda e: fm.LankaraniNikravesh(STIFFNESS, restitution=e))
    assert wall[2] == pytest.approx(0.72524111401, abs=1e-7)
    wall, _, _ = come_out(lambda e: fm.Flores(STIFFNESS, restitution=e))
    assert wall[2] == pytest.approx(0.4704448, abs=1e-7)


@pytest.mark.parametrize("kind", CYLINDRICAL_LAWS, ids=lambda k: k.name)
def test_restitution_of_cylindrical_laws(kind):
    """It depends on the damping alone, not on the form of the elastic force."""
    wall, discs, _ = come_out(cylinder(kind, "lankarani_nikravesh"))
    wanted = produced_restitution(fm.LankaraniNikravesh.published_factor(GIVEN))
    np.testing.assert_allclose(wall, wanted, rtol=0, atol=1e-6)
    np.testing.assert_allclose(discs, wanted, rtol=0, atol=1e-6)


def test_elastic_impact_by_hertz_returns_all_speed_at_the_known_peak():
    """delta_max = (5 m v^2 / (4 K))^(2/5), F = K delta_max^(3/2)."""
    wall, discs, out = come_out(lambda e: fm.Hertz(STIFFNESS + 0 * e))
    np.testing.assert_allclose(wall, 1.0, rtol=0, atol=1e-8)
    np.testing.assert_allclose(discs, 1.0, rtol=0, atol=1e-8)
    for name, mass in (("wall", M_BALL), ("touch", M_LEFT * M_RIGHT / (M_LEFT + M_RIGHT))):
        deepest = (1.25 * mass * SPEED**2 / STIFFNESS) ** 0.4
        np.testing.assert_allclose(out[f"{name}.normal:max"], STIFFNESS * deepest**1.5, rtol=1e-5)


def kelvin_voigt_restitution(mass, damping):
    """Spring and damper that cannot pull (Schwager and Poeschel 2007, Granular Matter 9, 465-469)."""
    b, w0 = 0.5 * damping / mass, np.sqrt(STIFFNESS / mass)
    w = np.sqrt(w0**2 - b**2)
    phase = np.arctan2(2 * b * w, b * b - w * w)  # w times the time from onset until spring and damper balance
    return np.exp(-b / w * phase)


@pytest.mark.slow
def test_restitution_of_spring_and_damper():
    """The force jumps at onset and is cut off where it would pull; both masses see another damping ratio."""
    damping = 2 * np.sqrt(STIFFNESS * M_LEFT * M_RIGHT / (M_LEFT + M_RIGHT)) * np.array([0.01, 0.1, 0.3, 0.6, 0.95])
    wall, discs, _ = come_out(lambda e: fm.KelvinVoigt(STIFFNESS, damping=e), damping)
    np.testing.assert_allclose(wall, kelvin_voigt_restitution(M_BALL, damping), rtol=0, atol=1e-6)
    np.testing.assert_allclose(discs, kelvin_voigt_restitution(M_LEFT * M_RIGHT / (M_LEFT + M_RIGHT), damping), rtol=0, atol=1e-6)
