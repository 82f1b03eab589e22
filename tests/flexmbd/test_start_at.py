"""Where bodies start, by the names of outputs."""

import math

import pytest

import flexmbd as fm
from flexmbd.errors import ModelError


def rod(starts, fixed=True, offset=(0.3, 0.1)):
    """A free body whose frame is not at its centre of mass."""
    s = fm.System()
    s.body("rod", mass=2.0, inertia=0.1, position=(1.0, 2.0), angle=0.4, velocity=(0.5, 0.0), rate=1.0, offset=offset)
    s.start_at(starts, fixed=fixed)
    return s


def hung(starts, fixed=True):
    """A pendulum of length 1."""
    s = fm.System(gravity=(0.0, -9.81))
    bob = s.point_mass("bob", mass=1.0, position=(1.0, 0.0))
    s.add(fm.Distance("string", s.ground.at(0.0, 0.0), bob.centre))
    s.start_at(starts, fixed=fixed)
    return s


def begun(system, names):
    e = fm.Equations(system)
    return [float(e.output(name, *e.initial())) for name in names]


def test_named_coordinates_are_those_of_outputs_at_time_zero_and_others_stay():
    names = ["rod.x", "rod.y", "rod.angle", "rod.vx", "rod.vy", "rod.rate"]
    before = begun(rod({}), names)
    starts = {"rod.x": 0.25, "rod.vy": -0.75}
    assert begun(rod(starts), names) == pytest.approx([starts.get(name, value) for name, value in zip(names, before, strict=True)])
    every = dict(zip(names, (0.1, 0.2, -1.1, 0.3, 0.4, -2.0), strict=True))
    assert begun(rod(every), names) == pytest.approx([*every.values()])


def test_a_body_in_space_starts_at_places_and_with_velocities():
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    s.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), rotation=(0.0, 0.0, 0.5), angular_velocity=(0.0, 0.0, 1.0), offset=(0.2, 0.0, 0.0))
    s.start_at({"arm.z": 0.3, "arm.vx": 1.5})
    assert begun(s, ["arm.z", "arm.vx", "arm.y"]) == pytest.approx([0.3, 1.5, 0.2 * math.sin(0.5)])


def test_what_constraints_would_change_fails_or_yields():
    with pytest.raises(ModelError, match="position is fixed, but the constraints change it by"):
        begun(hung({"bob.x": 0.5, "bob.y": -0.5}), ["bob.x"])
    assert begun(hung({"bob.x": 0.6, "bob.y": -0.8}), ["bob.x"]) == pytest.approx([0.6])
    x, y = begun(hung({"bob.x": 0.5, "bob.y": -0.5}, fixed=False), ["bob.x", "bob.y"])
    assert math.hypot(x, y) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["rod.vz", "bar.x", "x"])
def test_what_is_not_there_is_a_sentence(name):
    with pytest.raises(ModelError, match=rf"start '{name}' is not known; near names: .*rod\.") as error:
        rod({name: 0.0})
    assert error.value.element == name


def test_a_start_is_a_finite_number():
    with pytest.raises(ModelError, match=r"rod\.x"):
        rod({"rod.x": math.nan})
