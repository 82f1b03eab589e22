"""Coordinates of joints and their rates at the start, from where bodies are and how they move when natural coordinates are assembled."""

from types import SimpleNamespace

import numpy as np

from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rotation import quaternion_of
from flexmbd.equations.start import Start
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.placing import minus, plus, times, turned
from flexmbd.formulation.trees.topology import RIGID
from flexmbd.language.quadratic import cross3, dot
from flexmbd.space import AXES

NUMPY = SimpleNamespace(sqrt=np.sqrt, greater=np.greater, select=np.where)  # in place of a graph


class Begun:
    """A body, or ground, at the start: `axes`, `centre`, `velocity`, `spin`, and in the plane `angle`; numbers are arrays over samples."""

    def __init__(self, body, q, v, guess=0.0):
        d = body.dimension
        self.axes, self.angle = np.eye(d)[:, :, None], 0.0
        self.centre, self.velocity = (list(x[:d]) if len(x) else [0.0] * d for x in (q, v))
        self.spin = [0.0] * (1 if d == 2 else 3)
        if d == 2 and len(q) > 2:
            c, s = q[2:]
            self.axes, self.spin = [[c, s], [-s, c]], [(c * v[3] - s * v[2]) / (c * c + s * s)]
            exact = np.arctan2(s, c)
            self.angle = exact + 2.0 * np.pi * np.round((guess - exact) / (2.0 * np.pi))
        elif len(q) > 3:
            self.axes = q[3:].reshape(3, 3, -1)
            self.spin = list(0.5 * np.cross(self.axes, v[3:].reshape(3, 3, -1), axis=1).sum(axis=0))

    def turn_with(self, other):
        """Have the attitude of another body."""
        self.axes, self.angle, self.spin = other.axes, other.angle, other.spin

    def direction(self, components):
        """A vector fixed in the body."""
        return plus(*(times(x, axis) for x, axis in zip(components, self.axes, strict=True)))


def beginning(system, topology):
    """Coordinates and velocities of all branches: two lists of numbers or arrays over samples."""
    parameters = system.parameters()
    guesses = system.initial()
    count = max(parameters.samples, *(np.size(x) for guess in guesses for x in guess)) if guesses[0] else parameters.samples
    q, v = (np.array([np.broadcast_to(x, count) for x in guess], float).reshape(-1, count) for guess in guesses)
    q, v = Start(NaturalCoordinates(system, solved=False).problem(), system, count).assembled(q, v)
    angles, first = system.angles(), 0
    begun, places = {system.ground.name: Begun(system.ground, [], [])}, {}
    for body in system.bodies:
        own = slice(first, first := first + body.coordinates)
        places[body.name] = q[own], v[own]
        if isinstance(body, RIGID):
            begun[body.name] = Begun(body, q[own], v[own], angles.get(body.name, 0.0))
    found = [], []
    for branch in topology.branches:
        if isinstance(branch.body, PointMass) and branch.parent is not None:  # as if it were part of what it hangs on
            begun[branch.body.name].turn_with(begun[branch.parent.body.name])
        for total, values in zip(found, _of_branch(branch, begun, system, parameters), strict=True):
            total += [np.broadcast_to(x, count) if count > 1 else float(np.ravel(x)[0]) for x in values]
    for body in topology.beside:
        for total, values in zip(found, places[body.name], strict=True):
            total += [x if count > 1 else float(x[0]) for x in values]
    return found


def _of_branch(branch, begun, system, parameters):
    """Coordinates and rates of one branch."""
    joint, freedom, names = branch.joint, branch.freedom, AXES[: system.dimension]

    def numbers(key, path=None):
        return [parameters[f"{path or f'@{joint.name}'}.{key}.{axis}"] for axis in names]

    def at(end):
        return [0.0] * len(names) if isinstance(end.body, PointMass) else numbers(end.key, end.body.name)

    if joint is None:
        a, b = begun[system.ground.name], begun[branch.body.name]
        slides, arms = np.eye(len(names)).tolist(), [[0.0] * len(names)] * 2
    else:
        a, b = (begun[end.body.name] for end in (joint.a, joint.b))
        arms = [one.direction(at(end)) for one, end in ((a, joint.a), (b, joint.b))]
        slides = [numbers(key) for key in freedom.slides]
    between = minus(plus(b.centre, arms[1]), plus(a.centre, arms[0]))
    speed = minus(plus(b.velocity, turned(b.spin, arms[1])), plus(a.velocity, turned(a.spin, arms[0]), turned(a.spin, between)))
    lines = [a.direction(x) for x in slides]
    places, rates = ([dot(line, x) for line in lines] for x in (between, speed))
    if not freedom.turns:
        return places, rates
    spin = minus(b.spin, a.spin)
    if system.dimension == 2:
        return [*places, b.angle - a.angle], [*rates, spin[0]]
    frames = zip((a, b), freedom.frames(numbers, np.sqrt), strict=True)
    frames = [one.axes if axes is None else [one.direction(x) for x in axes] for one, axes in frames]
    matrix = [[dot(x, y) for y in frames[1]] for x in frames[0]]
    turns, spins = _turns(freedom.turns, matrix, [dot(x, spin) for x in frames[0]])
    return places + turns, rates + spins


def _turns(turns, r, spin):
    """Angles or quaternion of a rotation matrix, and their rates by the angular velocity in the first frame."""
    if BALL in turns:
        w, *axis = quads = np.broadcast_arrays(*quaternion_of(NUMPY, r))
        return list(quads), [-0.5 * dot(spin, axis), *times(0.5, plus(times(w, spin), cross3(spin, axis)))]
    if len(turns) == 1:
        return [np.arctan2(r[1][0] - r[0][1], r[0][0] + r[1][1])], [spin[2]]
    first, second = np.arctan2(r[2][1], r[1][1]), np.arctan2(r[0][2], r[0][0])
    return [first, second], [spin[0], np.cos(first) * spin[1] + np.sin(first) * spin[2]]
