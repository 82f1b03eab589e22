"""Forces that make a prescribed motion: against closed forms, power, and simulation."""

import numpy as np
import pytest

import flexmbd as fm

from .driven import BAR_SPEED, SPEED, four_bar, mechanisms, newton_euler, slider_crank
from .running import column, simulate

G = 9.81


def arm(motion):
    """A rod of 2 kg that a drive turns about its end."""
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=2.0, inertia=0.3, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    pivot = s.ground.at(0.0, 0.0)
    s.add(fm.Revolute("pin", pivot, rod["O"]))
    s.add(fm.AngleDrive("drive", pivot, rod["O"], motion))
    return s


def test_driven_pendulum():
    """The moment is m g l cos(angle) + J angle''; the pin bears weight and centre's acceleration; several turns in one step."""
    motion = fm.Polynomial((0.2, 1.0, 4.0)) + fm.Harmonic(1.5, 7.0)
    found = fm.inverse_dynamics(arm(motion), end=2.0, points=9, outputs=["rod.angle", "rod.alpha", "drive.moment", "pin.fx", "pin.fy"])
    t = found.time
    angle = 0.2 + t + 4.0 * t**2 + 1.5 * np.sin(7.0 * t)
    rate, alpha = 1.0 + 8.0 * t + 10.5 * np.cos(7.0 * t), 8.0 - 73.5 * np.sin(7.0 * t)
    c, s = np.cos(angle), np.sin(angle)
    wanted = {
        "rod.angle": angle, "rod.alpha": alpha, "drive.moment": 2.0 * G * 0.5 * c + 0.8 * alpha,
        "pin.fx": 2.0 * 0.5 * (-s * alpha - c * rate**2), "pin.fy": 2.0 * (0.5 * (c * alpha - s * rate**2) + G),
    }  # fmt: skip
    assert found.units["drive.moment"] == "N m" and found.status == 0
    for name, x in wanted.items():
        np.testing.assert_allclose(found[name], x, rtol=0, atol=1e-10 * np.abs(x).max(), err_msg=name)


def linkages():
    """The slider-crank and the four-bar, whose slider is kept from turning on its guide."""
    s = mechanisms()
    s.add(fm.AngleDrive("upright", s.ground.at(0, 0), s.bodies[2]["B"], 0.0))
    return s


def test_linkages_against_newton_and_euler():
    """Slider-crank and four-bar over some turns, on a grid so coarse that steps have to be divided."""
    outputs = ["slider.x", "drive.moment", "A.fx", "A.fy", "B.fx", "O.fy", "rocker.angle", "rocker.alpha", "coupler.rate"]
    found = fm.inverse_dynamics(linkages, end=3 * 2 * np.pi / SPEED, points=13, outputs=outputs)
    t = found.time
    a, b, o, moment = newton_euler(t)
    (coupler, rocker), sizes = four_bar(t).transpose(1, 0, 2), slider_crank(t)[1][0]
    wanted = [sizes, moment, *a, -b[0], o[1], rocker[0], rocker[2], coupler[1]]
    assert BAR_SPEED * t[-1] > 2 * np.pi
    for name, x in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(found[name], x, rtol=0, atol=1e-10 * np.abs(x).max(), err_msg=name)


@pytest.mark.slow
def test_four_bar_against_its_simulation():
    outputs, end = ["input_drive.moment", "P.fx", "P.fy", "S.force", "R.fx", "energy.kinetic"], 2 * np.pi / BAR_SPEED
    found = fm.inverse_dynamics(linkages, end=end, points=41, outputs=outputs)
    run = column(simulate(linkages, outputs, end=end, points=41, lanes=1, tolerance=1e-12))
    for name in outputs:
        np.testing.assert_allclose(found[name], run[name], rtol=0, atol=1e-8 * np.abs(run[name]).max(), err_msg=name)


def spatial_slider_crank():
    """A crank about x moves a slider along x by a rod whose ends are balls; the slider bears on a spring."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    crank = s.body("crank", mass=1.0, inertia=(0.02, 0.02, 0.01))
    slider = s.body("slider", mass=2.0, inertia=(0.02, 0.02, 0.03), position=(0.5, 0.0, 0.1))
    origin = s.ground.at(0.0, 0.0, 0.0)
    s.add(fm.Revolute("bearing", origin, crank.centre, axis=(1.0, 0.0, 0.0)))
    s.add(fm.Distance("rod", crank.at(0.0, 0.0, 0.2), slider.centre, length=0.6))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0, 0.1), slider.centre, axis=(1.0, 0.0, 0.0)))
    s.add(fm.AngleDrive("drive", origin, crank.centre, fm.ConstantSpeed(2 * np.pi), axis=(1.0, 0.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(1.5, 0.0, 0.1), slider.centre, stiffness=40.0, length=0.7))
    return s


def test_power_of_the_drive_is_the_rate_of_energy_in_space():
    """Over one turn, by the derivative of the energy's Fourier series; and the slider is where Pythagoras puts it."""
    found = fm.inverse_dynamics(spatial_slider_crank(), end=1.0, points=129, outputs=["drive.mx", "energy.total", "slider.x"])
    t, energy = found.time, found["energy.total"]
    waves = 2j * np.pi * np.fft.rfftfreq(128, 1 / 128)
    power = np.fft.irfft(waves * np.fft.rfft(energy[:-1]))
    np.testing.assert_allclose(2 * np.pi * found["drive.mx"][:-1], power, rtol=0, atol=1e-9 * np.abs(power).max())
    pin = 0.2 * np.array([-np.sin(2 * np.pi * t), np.cos(2 * np.pi * t)])
    np.testing.assert_allclose(found["slider.x"], np.sqrt(0.36 - pin[0] ** 2 - (pin[1] - 0.1) ** 2), rtol=1e-11)


def test_what_is_not_prescribed_is_counted():
    s = arm(fm.ConstantSpeed(1.0))
    load = s.body("load", mass=1.0, inertia=1.0, position=(2.0, 0.0))
    with pytest.raises(fm.ModelError, match="but for 3 degrees of freedom, of 'load'; add 3 drives"):
        fm.inverse_dynamics(s, end=1.0, points=2, outputs=["drive.moment"])
    s.add(fm.Revolute("hinge", s.bodies[0].at(1.5, 0.0), load.centre))
    with pytest.raises(fm.ModelError, match="but for 1 degree of freedom, of 'load'; add a drive"):
        fm.inverse_dynamics(s, end=1.0, points=2, outputs=["drive.moment"])
    s = arm(fm.ConstantSpeed(1.0))
    s.add(fm.Revolute("second", s.ground.at(0.0, 0.0), s.bodies[0]["O"]))
    with pytest.raises(fm.ModelError, match="2 constraints of 6 depend on the others"):
        fm.inverse_dynamics(s, end=1.0, points=2, outputs=["drive.moment"])


def test_what_cannot_be_followed_is_told():
    s = fm.System()
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(0.6, 0.8))
    s.add(fm.Distance("rod", s.ground.at(0.0, 0.0), mass.centre))
    s.add(fm.SlideDrive("pull", s.ground.at(0.0, 0.0), mass.centre, fm.Polynomial((0.6, 1.0))))
    s.add(fm.AngleDrive("turn", s.ground.at(0.0, 0.0), mass.centre, 0.0))
    assert fm.inverse_dynamics(s, end=0.3, points=4, outputs=["mass.y"])["mass.y"][-1] == pytest.approx(np.sqrt(0.19))
    with pytest.raises(fm.ModelError, match=r"cannot follow its drives beyond t = 0\.(4|39999)"):
        fm.inverse_dynamics(s, end=1.0, points=4, outputs=["mass.y"])
    with pytest.raises(fm.ModelError, match="integrated along the motion"):
        fm.inverse_dynamics(s, end=0.3, points=4, outputs=["energy.drive"])
    with pytest.raises(fm.ModelError, match=r"not known; near names: pull\.force"):
        fm.inverse_dynamics(s, end=0.3, points=4, outputs=["pull.forces"])
