"""Variables against each other: a matrix of three and more, one field of two, a histogram of one; lines through panels of curves."""

import numpy as np
import pytest

from uqmbd.figures.marks import Bars, Curve, Dots, Figure, Level, Pairs, Panel
from uqmbd.figures.plugin_sections import left_out
from uqmbd.figures.relations import each_against_each
from uqmbd.report.plotly_view import draw

VALUES = np.random.default_rng(0).random((3, 50))
NAMES = ("a", "b", "c")


@pytest.mark.parametrize("count, mark, kind", [(3, Pairs, "splom"), (2, Dots, "scattergl"), (1, Bars, "bar")])
def test_as_many_fields_as_variables_ask_for(count, mark, kind):
    """Plotly draws nothing of a scatter matrix of two variables without its diagonal."""
    panel = each_against_each(VALUES[:count], "runs", NAMES[:count])
    assert isinstance(panel.marks[0], mark)
    drawn = draw(Figure("relations", "Relations", (panel,)))
    assert [trace["type"] for trace in drawn["data"]] == [kind]
    if count < 3:
        assert drawn["layout"]["xaxis"]["title"]["text"] == "a"


def test_a_line_through_curves_is_as_high_as_they_are_and_leaves_them_in_sight():
    x = np.arange(100.0)
    panel = Panel("step", "y", (Curve(x, 3 + 0.1 * np.sin(x), "course", 0), Level(40.0, "begin", "limit")))
    drawn = draw(Figure("course", "Course", (panel,)))
    low, high = drawn["data"][1]["y"]
    assert 2.9 <= low < high <= 3.1
    begin, end = drawn["layout"]["xaxis"]["range"]
    assert begin <= 0 and end >= 99


class Found:
    """A result whose method brings figures, opened without trust."""

    trust = False

    def __init__(self, *names):
        self.names = names

    def facts_of(self, kind):
        return self

    def functions(self, what):
        return list(self.names) if what == "figures" else []


def test_figures_of_this_packages_methods_are_no_code_that_came_with_a_result():
    assert left_out(Found("uqmbd.methods.bayes.shown:posterior_figures")) == ""
    assert "theirs:figure are left out" in left_out(Found("uqmbd.methods.bayes.shown:posterior_figures", "theirs:figure"))
