"""Starts in joints' coordinates: what assembly changes, and what cannot stay, is said as in natural coordinates."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.equations.start import Start
from flexmbd.formulation.trees.tree import TreeCoordinates

from .sentences import names
from .test_start_given import ONE, bar, crank, told, two_links


def both(build, outputs, samples=None):
    """Runs in natural and in joints' coordinates."""
    return [fm.run(build, samples, outputs=outputs, settings={"formulation": name}, **ONE) for name in ("natural", "tree")]


def off_its_ball():
    """A body in space that is off its ball joint, turned, and moves as the joint does not let it."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    how = {"rotation": (0.3, -0.2, 0.5), "velocity": (0.0, 0.5, 0.1), "angular_velocity": (0.5, -1.0, 2.0), "offset": (0.05, 0.02, 0.1)}
    body = s.body("top", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.3, 0.1, -0.2), **how)
    s.add(fm.Spherical("ball", s.ground.at(0.0, 0.0, 0.0), body.at(-0.3, 0.0, 0.1)))
    s.add(fm.Distance("rope", s.ground.at(1.0, 0.0, 0.0), s.point_mass("bob", mass=1.0, position=(1.5, 0.0, 0.0)).centre, 0.6))
    return s


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: bar(place=(0.4, 0.3), velocity=(0.0, 0.0)), {"start.moved"}),
        (lambda: bar(3.0, (0.0, 0.2), fixed=("rate",)), {"start.velocities"}),
        (lambda: two_links((1.4, 0.1)), {"start.moved"}),
        (off_its_ball, {"start.moved", "start.velocities"}),
        (lambda: crank(11.0), set()),
    ],
    ids=["bar", "fixed", "links", "ball", "crank"],
)
def test_what_is_changed_is_said(build, words):
    name = f"{build().bodies[0].name}.x"
    natural, tree = both(build(), [name])
    assert told(tree).keys() == words and told(tree) == told(natural)
    assert tree[name][0] == pytest.approx(natural[name][0], rel=1e-9)
    one, other = (fm.Equations(build(), key) for key in ("tree", "natural"))
    one.initial(), other.initial()
    assert one.changed == other.changed == told(tree)


def test_it_is_said_of_the_largest_change_of_all_samples():
    samples = {"rate": np.array([3.0, 3.0, 2.0]), "speed": np.array([1.2, 0.2, 0.0])}
    natural, tree = both(lambda rate, speed: bar(rate, (0.0 * speed, speed)), ["bar.rate"], samples)
    assert told(tree) == told(natural)
    names(told(tree)["start.velocities"], "2 of 3 runs")


def test_plates_begin_at_the_same_place():
    """Across itself a plate has no moment of inertia, but for rounding, by which places were divided."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    how = {"mass": 0.5, "inertia": (0.1, 0.2, 0.1 + 0.2), "points": {"A": (-0.1, 0.3, 0.0)}}
    before = s.ground.at(0.0, 0.0, 0.0)
    for k in range(2):
        plate = s.body(f"plate{k}", position=(0.4 * k + 0.2, -0.2, 0.1), rotation=(0.3, 0.1, -0.2), **how)
        s.add(fm.Spherical(f"ball{k}", before, plate["A"]))
        before = plate.at(0.2, 0.2, 0.0)
    natural, tree = both(s, names := [f"plate1.{key}" for key in ("x", "y", "z", "d1x", "d2y", "d3z")])
    assert [tree[x][0] for x in names] == pytest.approx([natural[x][0] for x in names], abs=1e-10)
    assert told(tree) == told(natural) and "start.moved" in told(tree)


def test_what_is_fixed_and_cannot_stay_is_refused():
    natural, tree = both(two_links((1.4, 0.1), fixed=("angle",)), ["a.angle"])
    assert tree.status == natural.status == 3 and tree.message == natural.message
    names(tree.message, "a", "angle is fixed", "constraints change it")
    with pytest.raises(fm.ModelError, match="angle is fixed"):
        fm.Equations(two_links((1.4, 0.1), fixed=("angle",)), "tree").initial()


@pytest.mark.parametrize("varied", ["stiffness", "mass"])
def test_samples_that_begin_alike_are_assembled_once(monkeypatch, varied):
    """Numbers on which the rows and the mass matrix do not depend; the start is off, so that masses weigh what yields."""

    def build(stiffness=1.0, mass=1.0):
        s = two_links((1.4, 0.1))
        object.__setattr__(s.bodies[0], "mass", mass)
        s.add(fm.Spring("spring", s.ground.at(1.0, 1.0), s.bodies[1].centre, stiffness, length=0.5))
        return s

    counts, corrected = [], Start._corrected
    monkeypatch.setattr(Start, "_corrected", lambda self, a, b, c, which: counts.append(len(which)) or corrected(self, a, b, c, which))
    values = np.array([1.0, 2.0, 3.0])
    q, v = TreeCoordinates.initial(build(**{varied: values}))
    assert set(counts) == ({1} if varied == "stiffness" else {3})
    for k, value in enumerate(values):
        one, rates = TreeCoordinates.initial(build(**{varied: value}))
        np.testing.assert_allclose([np.broadcast_to(x, 3)[k] for x in (*q, *v)], [*one, *rates], rtol=1e-12, atol=1e-14)
