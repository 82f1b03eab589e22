"""Searches that tell kinds of runs apart: bounds of each kind, open ends at the boundary, shares of the box, and what is said."""

import numpy as np
import pytest

from uqmbd.errors import StudyError
from uqmbd.inputs import Interval
from uqmbd.methods import Search
from uqmbd.result import open_results
from uqmbd.tables.regions import gaps, outward, regions_said, regions_table

from .loop import drive

UNIT = Interval(0.0, 1.0)
TWO = {"a": UNIT, "b": UNIT}
SMALL = Search(max_runs=1500, fresh=300, sequence="kind")


def two_kinds(time, a, b):
    """Kind 1 below an oblique line: there the response rises up to the line, beyond it falls away from the line, from 5."""
    over = a + 0.5 * b - 0.7
    first = over < 0
    return {
        "y": np.where(first, 1 + over - 0.3 * b, 5 - over),
        "kind": np.where(first, 1.0, 2.0),
        "h": np.outer(np.where(first, a, 9.0), time),
    }


LIMITS = {1: (0.3, 1.0), 2: (4.2, 5.0)}  # of y: the upper ends are limits at the line, with b = 0 (kind 1)


@pytest.fixture(scope="module")
def found():
    return drive(SMALL, TWO, two_kinds, time=(0.0, 1.0))[0]


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("kind", [1, 2])
def test_bounds_of_a_kind_enclose_its_limits_closely(seed, kind):
    result, _ = drive(SMALL, TWO, two_kinds, time=(0.0, 1.0), seed=seed)
    lower, upper = result.regions["y"].sel(region=kind).values
    low, high = LIMITS[kind]
    assert low - 5e-3 <= lower <= low + 1e-12 and high - 1e-12 <= upper <= high + 5e-3


def test_bounds_of_all_runs_are_the_union(found):
    for name, bounds in found.bounds.data_vars.items():
        regions = found.regions[name].values
        np.testing.assert_array_equal(bounds.sel(bound="lower").values, regions[:, 0].min(axis=0))
        np.testing.assert_array_equal(bounds.sel(bound="upper").values, regions[:, 1].max(axis=0))


def test_bounds_of_a_kind_hold_what_its_runs_reached(found):
    for name, inner in found.regions_inner.data_vars.items():
        assert np.all(found.regions[name].sel(bound="lower") <= inner.sel(bound="lower"))
        assert np.all(found.regions[name].sel(bound="upper") >= inner.sel(bound="upper"))
    assert found.regions_inner["kind"].values.tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_shares_of_the_box_have_limits(found):
    area = 0.45  # of kind 1
    regions = found.regions
    assert np.all(regions["share_lower"] < [area, 1 - area]) and np.all(regions["share_upper"] > [area, 1 - area])
    assert regions["share"].values.sum() == pytest.approx(1.0) and regions["runs"].values.sum() == found.attrs["runs_ok"]


def test_a_small_kind_gets_its_share_of_the_runs():
    """A corner with a thousandth of the box, in which the response rises further."""

    def corner(time, a, b):
        inside = (a > 0.96) & (b > 0.96)
        return {"y": np.where(inside, 2 + a * b, a * b), "kind": np.where(inside, 7.0, 3.0)}

    result, _ = drive(Search(max_runs=2500, fresh=300, settled=0.0, sequence="kind"), TWO, corner)
    assert result.regions["region"].values.tolist() == [3, 7] and int(result.regions["runs"][1]) > 300
    np.testing.assert_allclose(result.regions["y"].sel(region=7).values, [2.9216, 3.0], atol=2e-3)
    assert float(result.regions["y"].sel(region=7, bound="lower")) <= 2.9216 + 0.02 * 0.0784
    np.testing.assert_allclose(result.regions["y"].sel(region=3).values, [0.0, 0.96], atol=2e-3)


def test_a_kind_that_only_fresh_runs_have_is_said():
    """The search has nine runs, and misses a strip with 2 % of the box."""

    def strip(time, a, b):
        inside = np.abs(a - 0.317) < 0.01
        return {"y": np.where(inside, 4.0 + b, b), "kind": np.where(inside, 1.0, 0.0)}

    result, _ = drive(Search(max_runs=409, first_runs=8, fresh=400, sequence="kind"), TWO, strip)
    assert result.regions["searched"].values.tolist() == [True, False]
    assert "known from" in result.attrs["regions"]["y"] and "fresh runs alone, and not widened: 1." in regions_table(result).note
    assert float(result.bounds["y"].sel(bound="upper")) > 4.5


def test_one_kind_is_no_boundary():
    result, _ = drive(SMALL, TWO, lambda time, a, b: {"y": a + b, "kind": 0 * a + 4.0})
    assert result.regions["region"].values.tolist() == [4]
    np.testing.assert_array_equal(result.regions["y"].values[0], result.bounds["y"].values)
    assert "no run lies" not in result.attrs["regions"]["y"]


def test_batches_change_nothing(found):
    again, _ = drive(SMALL, TWO, two_kinds, time=(0.0, 1.0), batch=37)
    for (_, one), (_, other) in zip(found.groups(), again.groups(), strict=True):
        for name in one.data_vars:
            np.testing.assert_array_equal(one[name].values, other[name].values)
    assert found.attrs == again.attrs


def test_the_order_of_the_outputs_changes_nothing():
    names = ("y", "kind")
    one, other = (
        drive(SMALL, TWO, lambda time, a, b, order=order: {name: two_kinds(time, a, b)[name] for name in order})[0]
        for order in (names, names[::-1])
    )
    for (_, a), (_, b) in zip(one.groups(), other.groups(), strict=True):
        assert a.equals(b[list(a)])


def test_runs_that_fail_are_of_no_kind():
    result, _ = drive(Search(max_runs=1500, fresh=300, sequence="kind", max_failed=0.2), TWO, two_kinds, fail=lambda s: s["b"] > 0.9)
    assert result.regions["region"].values.tolist() == [1, 2] and result.attrs["runs_failed"] > 0
    assert result.regions["runs"].values.sum() == result.attrs["runs_ok"]


def test_what_cannot_tell_kinds_apart_is_refused():
    with pytest.raises(StudyError, match="is no output of the study"):
        drive(Search(sequence="kid"), TWO, two_kinds, time=(0.0, 1.0))
    with pytest.raises(StudyError, match="is a history, not a number"):
        drive(Search(sequence="h"), TWO, two_kinds, time=(0.0, 1.0))
    with pytest.raises(StudyError, match="no whole number"):
        drive(Search(sequence="y"), TWO, two_kinds, time=(0.0, 1.0))
    with pytest.raises(StudyError, match="more than 32 different values"):
        drive(Search(sequence="n"), TWO, lambda time, a, b: {"n": np.floor(100 * a)})


def test_regions_survive_the_disk(found, tmp_path):
    again = open_results(found.save(tmp_path))
    assert again.regions.attrs["sequence"] == "kind" and again.regions["y"].equals(found.regions["y"])
    assert (tmp_path / "tables" / "regions_h.csv").read_text().startswith("time,1 lower,1 upper,2 lower,2 upper")


def test_a_jump_is_said(found):
    said = regions_said(found, "y")
    assert said == found.attrs["regions"]["y"]
    assert said.startswith("kind 2 in ") and said.endswith("no run lies between 1.01 and 4.20 m")


def test_numbers_are_rounded_outward():
    assert outward(np.array([[16.8048, 17.0791], [19.1419, 19.4652]])) == [("16.80", "17.08"), ("19.14", "19.47")]
    assert outward(np.array([[3.0, 3.0], [4.0, 4.0]])) == [("3", "3"), ("4", "4")]


def test_gaps_are_what_no_interval_holds():
    ends = np.array([[0.0, 5.0], [1.0, 2.0], [6.0, 7.0]])
    assert gaps(ends, outward(ends)) == [("5.0", "6.0")]
