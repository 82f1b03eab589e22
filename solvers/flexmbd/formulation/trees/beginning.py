"""Coordinates of joints and their rates at the start, from where bodies are and how they move.

Where the guesses leave rows open, or other rows than those of the tree's joints hold, natural coordinates are assembled first.
"""

from types import SimpleNamespace

import numpy as np

from flexmbd.bodies.point_mass import PointMass
from flexmbd.bodies.rotation import quaternion_of
from flexmbd.element import Element
from flexmbd.equations.start import CLOSED, AsGiven, Start
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.formulation.trees.joints import BALL
from flexmbd.formulation.trees.linking import NOWHERE, UNIT, about, times_matrix
from flexmbd.formulation.trees.topology import RIGID
from flexmbd.formulation.trees.vectors import minus, plus, times, turned
from flexmbd.language.quadratic import cross3, dot
from flexmbd.parameters import spread
from flexmbd.space import AXES

NUMPY = SimpleNamespace(sqrt=np.sqrt, greater=np.greater, select=np.where)  # in place of a graph


class Begun:
    """A body, or ground, at the start: `axes`, `centre`, `velocity`, `spin`, and in the plane `angle`; numbers, or arrays over samples.

    `open` and `adrift` are what a unit vector's or directors' rows, and their rates, leave open.
    """

    def __init__(self, body, q, v, guess=0.0):
        d = body.dimension
        self.axes, self.angle = [[float(i == k) for i in range(d)] for k in range(d)], 0.0
        self.centre, self.velocity = (list(x[:d]) if len(x) else [0.0] * d for x in (q, v))
        self.spin, self.open, self.adrift = [0.0] * (1 if d == 2 else 3), [], []
        if d == 2 and len(q) > 2:
            c, s = q[2:]
            size = c * c + s * s
            self.axes, self.spin = [[c, s], [-s, c]], [(c * v[3] - s * v[2]) / size]
            exact = np.arctan2(s, c)
            self.angle = exact + 2.0 * np.pi * np.round((guess - exact) / (2.0 * np.pi))
            self.open, self.adrift = [size - 1.0], [c * v[2] + s * v[3]]
        elif len(q) > 3:
            self.axes, rates = ([list(x[3 + k : 6 + k]) for k in (0, 3, 6)] for x in (q, v))
            self.spin = times(0.5, plus(*map(cross3, self.axes, rates)))
            self.open = [dot(x, y) - float(i == k) for i, x in enumerate(self.axes) for k, y in enumerate(self.axes) if k >= i]
            self.adrift = [x for axis, rate in zip(self.axes, rates, strict=True) for x in minus(rate, turned(self.spin, axis))]

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
    q, v = (spread(guess, count).reshape(-1, count) for guess in guesses)
    found, left = _read(system, topology, parameters, q, v)
    kept = AsGiven
    if not (_of_joints(system, topology) and _closed(left[0], q) and _closed(left[1], v)):
        q, v = Start(NaturalCoordinates(system, solved=False).problem(), system, count).assembled(q, v)
        found, kept = _read(system, topology, parameters, q, v)[0], list
    return kept(spread(own, count)[:, 0].tolist() if count == 1 else [np.broadcast_to(x, count) for x in own] for own in found)


def _of_joints(system, topology):
    """Whether all rows of natural coordinates are those of rigid bodies and of joints that carry them."""
    others = ((e.reacts and topology.by(e) is None) or type(e).initial_rows is not Element.initial_rows for e in system.elements)
    return not topology.beside and not any(others)


def _closed(left, values):
    """Whether nothing is left open but rounding, as `Start` judges it."""
    sizes = 1.0 + np.abs(values).max(axis=0, initial=0.0)
    return bool(np.all(np.abs(spread(left, values.shape[1])) <= CLOSED * sizes)) if left else True


def _read(system, topology, parameters, q, v):
    """Coordinates and rates of all branches, and what the guesses (n, count) leave open of rows and of their rates."""
    angles, first, found, left = system.angles(), 0, ([], []), ([], [])
    q, v = (x[:, 0].tolist() if x.shape[1] == 1 else list(x) for x in (q, v))
    begun, places = {system.ground.name: Begun(system.ground, [], [])}, {}
    for body in system.bodies:
        own = slice(first, first := first + body.coordinates)
        places[body.name] = q[own], v[own]
        if isinstance(body, RIGID):
            begun[body.name] = Begun(body, q[own], v[own], angles.get(body.name, 0.0))
    for branch in topology.branches:
        one = begun[branch.body.name]
        if isinstance(branch.body, PointMass) and branch.parent is not None:  # as if it were part of what it hangs on
            one.turn_with(begun[branch.parent.body.name])
        parts = *_of_branch(branch, begun, system, parameters), one.open, one.adrift
        for total, values in zip((*found, *left, *left), parts, strict=True):
            total += values
    for body in topology.beside:
        for total, values in zip(found, places[body.name], strict=True):
            total += values
    return found, left


def _of_branch(branch, begun, system, parameters):
    """Coordinates and rates of one branch, and what it leaves open of places and of velocities."""
    joint, freedom, names = branch.joint, branch.freedom, AXES[: system.dimension]

    def numbers(key, path=None):
        return [parameters[f"{path or f'@{joint.name}'}.{key}.{axis}"] for axis in names]

    def at(end):
        return [0.0] * len(names) if isinstance(end.body, PointMass) else numbers(end.key, end.body.name)

    if joint is None:
        a, b = begun[system.ground.name], begun[branch.body.name]
        slides, arms = [[float(i == k) for i in range(len(names))] for k in range(len(names))], [[0.0] * len(names)] * 2
    else:
        a, b = (begun[end.body.name] for end in (joint.a, joint.b))
        arms = [one.direction(at(end)) for one, end in ((a, joint.a), (b, joint.b))]
        slides = [numbers(key) for key in freedom.slides]
    between = minus(plus(b.centre, arms[1]), plus(a.centre, arms[0]))
    speed = minus(plus(b.velocity, turned(b.spin, arms[1])), plus(a.velocity, turned(a.spin, arms[0]), turned(a.spin, between)))
    lines = [a.direction(x) for x in slides]
    places, rates = ([dot(line, x) for line in lines] for x in (between, speed))
    off, away = (minus(x, plus([0.0] * len(names), *map(times, own, lines))) for x, own in ((between, places), (speed, rates)))
    spin = minus(b.spin, a.spin)
    if isinstance(branch.body, PointMass):
        return places, rates, off, away
    if system.dimension == 2:
        turn = b.angle - a.angle
        if freedom.turns:
            return [*places, turn], [*rates, spin[0]], off, away
        held = 0.0 if freedom.turned is None else parameters[f"@{joint.name}.{freedom.turned}"]
        return places, rates, [*off, np.sin(turn - held), np.cos(turn - held) - 1.0], [*away, *spin]
    frames = zip((a, b), freedom.frames(numbers, np.sqrt), strict=True)
    frames = [one.axes if axes is None else [one.direction(x) for x in axes] for one, axes in frames]
    matrix = [[dot(x, y) for y in frames[1]] for x in frames[0]]
    turns, spins, *more = _turns(freedom.turns, matrix, [dot(x, spin) for x in frames[0]])
    return places + turns, rates + spins, off + more[0], away + more[1]


def _turns(turns, r, spin):
    """Angles or quaternion of a rotation matrix, and their rates by the angular velocity in the first frame; what these do not make."""
    if BALL in turns:
        w, *axis = quads = quaternion_of(NUMPY, r)
        return quads, [-0.5 * dot(spin, axis), *times(0.5, plus(times(w, spin), cross3(spin, axis)))], [], []
    if not turns:
        angles, rates, own, made = [], [], UNIT, NOWHERE
    elif len(turns) == 1:
        angles, rates = [np.arctan2(r[1][0] - r[0][1], r[0][0] + r[1][1])], [spin[2]]
        own, made = about(turns[0], np.cos(angles[0]), np.sin(angles[0])), [0.0, 0.0, spin[2]]
    else:
        angles = [np.arctan2(r[2][1], r[1][1]), np.arctan2(r[0][2], r[0][0])]
        c, s = np.cos(angles[0]), np.sin(angles[0])
        rates = [spin[0], c * spin[1] + s * spin[2]]
        own = times_matrix(*(about(k, np.cos(x), np.sin(x)) for k, x in zip(turns, angles, strict=True)))
        made = [spin[0], c * rates[1], s * rates[1]]
    return angles, rates, [x for row, other in zip(r, own, strict=True) for x in minus(row, other)], minus(spin, made)
