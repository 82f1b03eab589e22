"""Mechanisms whose section maps are tested, and the differences they are tested against."""

import math

import numpy as np

import flexmbd as fm


def oscillator(frequency=2.6, damping=0.02, stop=0.0, restitution=0.8):
    """``x'' + 2 z x' + x = cos(w t)`` with an impenetrable stop."""
    s = fm.System()
    mass = s.body("mass", mass=1.0, inertia=1.0, position=(-0.3, 0.0))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), mass.centre, axis=(1.0, 0.0)))
    s.add(fm.Spring("spring", s.ground.at(-5.0, 0.0), mass.centre, stiffness=1.0, damping=2.0 * damping, length=5.0))
    s.add(fm.PointForce("drive", mass.centre, fx=fm.Harmonic(1.0, frequency, phase=math.pi / 2)))
    s.add(fm.PointPlane("stop", mass.centre, s.ground.at(stop, 0.0), fm.Impenetrable(restitution), normal=(-1.0, 0.0)))
    return s


def ball_on_table(amplitude=5e-4, frequency=50 * math.pi, restitution=0.5):
    """A ball that falls on a table which moves as ``A sin(w t)``."""
    s = fm.System(gravity=(0.0, -9.81))
    ball = s.point_mass("ball", mass=0.2, position=(0.0, 2e-3), velocity=(0.0, 0.1))
    table = s.body("table", mass=1.0, inertia=1.0)
    s.add(fm.SlideDrive("shaker", s.ground.at(0.0, 0.0), table.centre, fm.Harmonic(amplitude, frequency), axis=(0.0, 1.0)))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), table.centre, axis=(0.0, 1.0)))
    s.add(fm.PointPlane("top", ball.centre, table.centre, fm.Impenetrable(restitution)))
    return s


def double_pendulum(length=0.5, omega=3.0, stiffness=2.0):
    """Two rods with a torsion spring between them, the lower one driven."""
    s = fm.System(gravity=(0.0, -9.81))
    points = {"O": (-length, 0.0), "E": (length, 0.0)}
    upper = s.body("upper", mass=1.3, inertia=0.1, position=(0.3, -0.4), angle=-0.9, points=points)
    lower = s.body("lower", mass=0.7, inertia=0.05, position=(0.9, -0.9), angle=-0.4, points={"O": (-length, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), upper["O"]))
    s.add(fm.Revolute("knee", upper["E"], lower["O"]))
    s.add(fm.TorsionSpring("spring", upper, lower, stiffness=stiffness, damping=0.1))
    s.add(fm.PointForce("push", lower.centre, fx=fm.Harmonic(0.7, omega)))
    return s


def bouncing_disc(law, friction=None, velocity=0.3):
    """A disc that falls on the floor."""
    s = fm.System(gravity=(0.0, -9.81))
    disc = s.body("disc", mass=1.0, inertia=0.02, position=(0.0, 0.3), velocity=(velocity, 0.0))
    s.add(fm.DiscPlane("floor", disc.centre, s.ground.at(0.0, 0.0), 0.1, law, friction))
    return s


def slopes_by_differences(at, x, step):
    """Derivatives (values, k) of ``at(x (n, k)) -> (n, values)`` by central differences of fourth order with steps (k,)."""
    steps = np.broadcast_to(step, len(x)) * np.eye(len(x))
    near, far = at(x + steps) - at(x - steps), at(x + 2 * steps) - at(x - 2 * steps)
    return ((8.0 * near - far) / (12.0 * np.diag(steps)[:, None])).T


def error_by_state(section, state, parameters, step):
    """Largest error of the derivatives by the state against differences, over the largest of them."""
    expected = slopes_by_differences(lambda x: section.step(x, parameters), state, step)
    return np.abs(section.tangent(state[None], parameters)[1][0] - expected).max() / np.abs(expected).max()


def error_by_inputs(section, state, parameters, share):
    """The same of derivatives by the inputs, of each for itself."""
    worst, names = 0.0, list(parameters)
    found = section.tangent(state[None], parameters, by=names)[2][0]
    for j, name in enumerate(names):

        def at(x, name=name):
            return section.step(np.repeat(state[None], len(x), axis=0), parameters | {name: x[:, 0]})

        step = share * (abs(parameters[name]) or 1.0)
        expected = slopes_by_differences(at, np.array([parameters[name]]), step)[:, 0]
        worst = max(worst, np.abs(found[:, j] - expected).max() / np.abs(expected).max())
    return worst
