"""Groups of inputs that are ranked as one, by Sobol' indices and by Morris' elementary effects."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import Sensitivity

from .loop import drive
from .sensitivity_models import ANGLES, FIRST, TOTAL, ishigami, pick, sobol

OUTER = {"outer": ["x1", "x3"]}


@pytest.mark.parametrize("second_order", [False, True])
def test_a_group_has_what_its_inputs_cause_together(second_order):
    """Ishigami's: x1 and x3 interact with each other only, so together they have all that x2 has not."""
    result, runs = drive(sobol(2048, input_groups=OUTER, second_order=second_order), ANGLES, ishigami, seed=3)
    assert runs == 2048 * (6 if second_order else 4)
    assert result.sensitivity["input"].values.tolist() == ["outer", "x2"]
    together = TOTAL[0] - 0.0  # of x1, with x3
    assert pick(result, "first") == pytest.approx([together, FIRST[1]], abs=0.02)
    assert pick(result, "total") == pytest.approx([together, TOTAL[1]], abs=0.02)
    if second_order:
        assert result.interaction["f"].values == pytest.approx([0.0], abs=0.03)


@pytest.mark.parametrize("second_order", [False, True])
def test_a_single_group_of_all_inputs_has_the_whole(second_order):
    result, runs = drive(sobol(64, input_groups={"all": ["x1", "x2", "x3"]}, second_order=second_order), ANGLES, ishigami)
    assert runs == 64 * (4 if second_order else 3)
    assert pick(result, "first") == pytest.approx([1.0], abs=0.1) and pick(result, "total") == pytest.approx([1.0], abs=0.3)


def test_groups_of_one_change_nothing():
    alone, _ = drive(sobol(64), ANGLES, ishigami)
    named, _ = drive(sobol(64, input_groups={"first": ["x1"]}), ANGLES, ishigami)
    assert named.sensitivity["input"].values.tolist() == ["first", "x2", "x3"]
    np.testing.assert_array_equal(pick(named, "total"), pick(alone, "total"))


def line(time, x1, x2, x3):
    return {"f": 2 * x1 - 3 * x2 + 0.5 * x3}


def test_elementary_effects_of_a_group_are_steps_of_one_size_up_and_down():
    """Of a line: the size of the sum of its slopes with random signs, by the range of the inputs; both inputs take part."""
    box = {name: Interval(0, 1) for name in ("x1", "x2", "x3")}
    result, runs = drive(Sensitivity(approach="morris", samples=400, input_groups={"both": ["x1", "x2"]}), box, line)
    assert runs == 400 * 3
    assert result.sensitivity["input"].values.tolist() == ["both", "x3"]
    star = pick(result, "mu_star")
    assert star[1] == pytest.approx(0.5, abs=1e-12)
    assert 1.0 < pick(result, "mu_star_lower")[0] < star[0] < pick(result, "mu_star_upper")[0] < 5.0
    assert star[0] == pytest.approx(3.0, abs=0.25)  # |2 - 3| and 2 + 3 alike
    assert pick(result, "sigma")[0] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    "groups, message",
    [
        ({"both": ["x1", "x9"]}, "there is no input 'x9' to be in the group 'both'"),
        ({"both": ["x1", "x2"], "other": ["x2", "x3"]}, "the input 'x2' is in the groups 'both' and 'other'"),
        ({"x3": ["x1", "x2"]}, "the group 'x3' has the name of an input that is not in it"),
        ({"both": []}, "the group 'both' is a list of names of inputs"),
        ([["x1", "x2"]], "groups are a table of lists of inputs"),
    ],
)
@pytest.mark.parametrize("approach", ["sobol", "morris"])
def test_wrong_groups(approach, groups, message):
    with pytest.raises(StudyError, match=message):
        drive(Sensitivity(approach=approach, samples=8, input_groups=groups), ANGLES, ishigami)
