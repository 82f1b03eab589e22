"""Impact with friction as a process in the normal percussion: planar, one contact."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flexmbd.errors import ModelError
from flexmbd.impacts import planar_impact

SPHERE = np.diag([1.0, 3.5])  # 1 kg, at its surface: 1/m and 1/m + r^2/I


def rod(tangent):
    """Slender rod, 1 kg, struck at its end; `tangent` of the angle between rod and normal."""
    s, c = np.sin(np.arctan(tangent)), np.cos(np.arctan(tangent))
    return np.array([[1 + 3 * s * s, 3 * s * c], [3 * s * c, 1 + 3 * c * c]])


def test_sphere_that_sticks_rolls_with_five_sevenths_of_its_speed():
    out = planar_impact(SPHERE, [-1.0, 1.4], 0.6, 0.5)
    assert 1.4 + out.percussion[1] == pytest.approx(5 / 7 * 1.4, rel=1e-14)
    assert [p.kind for p in out.phases] == ["slip", "stick"]


def test_sphere_that_slides_throughout_has_percussion_on_the_cone():
    out = planar_impact(SPHERE, [-2.0, 9.0], 0.3, 0.5)
    assert out.percussion == pytest.approx([3.0, -0.9], rel=1e-14)


@pytest.mark.parametrize("rule", ["newton", "poisson", "energetic"])
def test_rules_agree_without_friction(rule):
    assert planar_impact(rod(0.7), [-1.0, 0.4], 0.0, 0.6, rule).velocity[0] == pytest.approx(0.6, rel=1e-13)


def test_sliding_rod_jams_only_above_four_thirds():
    """Painleve: the least friction at which a homogeneous rod jams is 4/3, with tangent 1/2."""
    percussion = lambda t, mu: planar_impact(rod(t), [0.0, 1.0], mu, 0.0).percussion[0]  # noqa: E731
    assert all(percussion(t, 4 / 3 - 1e-6) == 0.0 for t in np.linspace(0.05, 3.0, 300))
    assert percussion(0.5, 4 / 3 + 1e-6) > 0.0


def test_jammed_rod_first_falls_faster_then_sticks():
    out = planar_impact(rod(0.5), [-0.1, 1.0], 2.0, 0.0)
    assert out.phases[0].velocity[0] < -0.1
    assert out.phases[1].kind == "stick"
    assert out.velocity == pytest.approx([0.0, 0.0], abs=1e-14)


def test_slip_reverses_below_the_critical_friction():
    w = rod(1.0)  # stick needs 1.5 / 2.5 = 0.6
    assert planar_impact(w, [-1.0, -0.1], 0.61, 1.0).velocity[1] == 0.0
    assert planar_impact(w, [-1.0, -0.1], 0.59, 1.0).velocity[1] > 0.0
    assert planar_impact(w, [-1.0, -0.1], 0.59, 1.0, static_friction=0.61).velocity[1] == 0.0


def test_newton_creates_energy_where_the_energetic_rule_does_not():
    """Kane's paradox: a rod slides back in compression and sticks in restitution, where the contact is softer."""
    case = (rod(1.0), [-1.0, -0.9], 0.9, 1.0)
    newton, energetic = (planar_impact(*case, rule) for rule in ("newton", "energetic"))
    after = newton.velocity
    before = np.array(case[1])
    inertia = np.linalg.inv(case[0])  # the gain once more, from the kinetic energy itself
    assert newton.energy_change == pytest.approx(0.5 * (after @ inertia @ after - before @ inertia @ before), rel=1e-12)
    assert newton.creates_energy
    assert newton.energy_change > 0.05
    assert energetic.energy_change < 0.0
    with pytest.raises(ModelError, match="creates"):
        planar_impact(*case, "newton", conserving=True)


number = st.floats(-1.0, 1.0)


@example(1.0, 0.5, 0.0, 1.0, 5e-324, 1.0, 1.0)  # the product of slip and rate is rounded to zero
@given(st.floats(0.2, 2.0), st.floats(0.2, 2.0), number, st.floats(0.01, 1.0), number, st.floats(0.0, 3.0), st.floats(0.0, 1.0))
def test_energetic_rule_never_adds_energy_and_keeps_to_the_cone(a, c, b, fall, slip, friction, e):
    w = np.array([[a, 0.99 * b * np.sqrt(a * c)], [0.99 * b * np.sqrt(a * c), c]])
    u = np.array([-fall, slip])
    out = planar_impact(w, u, friction, e)
    assert not out.creates_energy
    assert out.work_restitution == pytest.approx(-e * e * out.work_compression, rel=1e-9, abs=1e-14)
    assert abs(out.percussion[1]) <= friction * out.percussion[0] * (1 + 1e-12)
    assert out.velocity == pytest.approx(u + w @ out.percussion, abs=1e-9 * (1 + out.percussion[0]))
    assert out.work_tangential <= 1e-12 * (1 + abs(out.work_compression))


def test_separating_bodies_do_not_collide():
    out = planar_impact(SPHERE, [0.5, 1.0], 0.3, 0.5)
    assert out.phases == ()
    assert list(out.velocity) == [0.5, 1.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"friction": -0.1}, "friction is -0.1"),
        ({"restitution": 1.2}, "restitution is 1.2"),
        ({"rule": "hertz"}, "hertz"),
        ({"delassus": [[1.0, 0.2], [0.0, 1.0]]}, "not symmetric"),
        ({"delassus": [[1.0, 2.0], [2.0, 1.0]]}, "negative eigenvalue"),
        ({"velocity": [1.0, 2.0, 3.0]}, "two finite"),
        ({"delassus": [[1.0, 1.0], [1.0, 1.0]], "friction": 2.0}, "wedged"),
    ],
)
def test_bad_input_is_told_in_a_sentence(change, words):
    case = {"delassus": SPHERE, "velocity": [-1.0, 0.0], "friction": 0.3, "restitution": 0.5} | change
    with pytest.raises(ModelError, match=words):
        planar_impact(**case)
